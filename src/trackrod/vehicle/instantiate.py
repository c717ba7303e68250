"""From a template to elements: both sides, with names, positions and axes in V."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Place, Problem, close_matches
from trackrod.vehicle.elements import Joint, Mode, Vector
from trackrod.vehicle.template import BushingEntry, JointEntry, LineEntry, LineType, Template

__all__ = ["BushingPlace", "Instance", "Line", "instantiate"]

Array = NDArray[np.float64]
_SUFFIXES = tuple(f"_{side}" for side in Side)
_UNIT = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}


@dataclass(frozen=True, slots=True)
class BushingPlace:
    """A bushing without its characteristic: `element` and `side` name it in the subsystem."""

    name: str
    element: str
    side: Side | None
    bodies: tuple[str, str]
    position: Vector


@dataclass(frozen=True, slots=True)
class Line:
    """A spring, damper or stop without its characteristic, between two points of V [m]."""

    name: str
    type: LineType
    element: str
    side: Side | None
    bodies: tuple[str, str]
    ends: tuple[Vector, Vector]

    @property
    def length(self) -> float:
        """Distance of the ends at the design position [m]."""
        return float(np.linalg.norm(np.subtract(*self.ends)))


@dataclass(frozen=True, slots=True)
class Instance:
    """The elements of one subsystem in one mode; `bodies` lists its own bodies, mounts are named as in the template."""

    bodies: tuple[str, ...]
    joints: tuple[Joint, ...]
    bushings: tuple[BushingPlace, ...]
    lines: tuple[Line, ...]
    wheels: Mapping[Side, tuple[str, Vector, Vector]] = field(default_factory=dict)  # body, centre, spin axis


def instantiate(
    template: Template, hardpoints: Mapping[str, Vector], parameters: Mapping[str, float], mode: Mode
) -> Instance:
    """The elements of a subsystem.

    Parameters
    ----------
    template
        What there is.
    hardpoints
        Positions in V [m]; those of pairs end in ``_left`` or ``_right``.
    parameters
        Switches, and ``toe_angle_left``, ``camber_angle_left`` … [rad], toe in and top outward positive; missing ones
        are zero.
    mode
        Kinematic or compliant.

    Raises
    ------
    InputError
        Hardpoints are missing; all of them are named.

    Holds: mirrored hardpoints give mirrored elements.
    """
    points = _Points(template, hardpoints, parameters)
    points.require(_needed(template))
    entries: tuple[JointEntry | BushingEntry | LineEntry, ...] = (
        *template.joints,
        *template.bushings,
        *template.lines,
    )
    active = [e for e in entries if e.mode.acts_in(mode) and (e.when is None or e.when.holds(parameters))]
    joints: list[Joint] = []
    bushings: list[BushingPlace] = []
    lines: list[Line] = []
    for entry in active:
        for side in _sides(template, entry):
            name = entry.name if side is None else f"{entry.name}_{side}"
            first, second = (_sided(template, body, side) for body in entry.bodies)
            if isinstance(entry, JointEntry):
                position = points.middle(entry.at, side)
                axes = (points.direction(entry.axis, side), points.direction(entry.second_axis, side))
                joints.append(Joint(name, entry.type, (first, second), position, *axes, entry.mode))
            elif isinstance(entry, BushingEntry):
                bushings.append(BushingPlace(name, entry.name, side, (first, second), points.middle(entry.at, side)))
            else:
                ends = (points.middle(entry.ends[:1], side), points.middle(entry.ends[1:], side))
                lines.append(Line(name, entry.type, entry.name, side, (first, second), ends))
    bodies = (*(f"{body}_{side}" for body in template.bodies.pairs for side in Side), *template.bodies.single)
    return Instance(bodies, tuple(joints), tuple(bushings), tuple(lines), _wheels(template, points))


def _wheels(template: Template, points: _Points) -> dict[Side, tuple[str, Vector, Vector]]:
    if template.wheel is None:
        return {}
    body, centre = template.wheel.body, template.wheel.centre
    return {
        side: (_sided(template, body, side), points.middle((centre,), side), points.direction(("spin",), side))
        for side in Side
    }


def _sides(template: Template, entry: JointEntry | BushingEntry | LineEntry) -> tuple[Side | None, ...]:
    """Both sides if a body or a point of the entry comes in pairs, else once."""
    points = entry.ends if isinstance(entry, LineEntry) else entry.at
    paired = {*template.bodies.pairs, *template.hardpoints.pairs, *template.hardpoints.optional}
    return tuple(Side) if paired.intersection((*entry.bodies, *points)) else (None,)


def _sided(template: Template, name: str, side: Side | None) -> str:
    return f"{name}_{side}" if side is not None and name in template.bodies.pairs else name


def _needed(template: Template) -> Iterator[str]:
    for name in template.hardpoints.pairs:
        yield from (f"{name}_{side}" for side in Side)
    yield from template.hardpoints.single


@dataclass(frozen=True, slots=True)
class _Points:
    """Positions and directions by the names that a template uses."""

    template: Template
    hardpoints: Mapping[str, Vector]
    parameters: Mapping[str, float]

    def require(self, names: Iterator[str]) -> None:
        missing = [name for name in names if name not in self.hardpoints]
        if missing:
            raise InputError([self._problem(name) for name in missing])

    def _problem(self, name: str) -> Problem:
        near = close_matches(name, self.hardpoints, 1)
        text = f"template '{self.template.name}' needs the hardpoint '{name}'"
        return Problem(text, Place(self.template.file), hint=f"the subsystem has '{near[0]}'" if near else "")

    def position(self, name: str, side: Side | None) -> Array:
        full = name if side is None or name.endswith(_SUFFIXES) or name in self.hardpoints else f"{name}_{side}"
        if full not in self.hardpoints:
            raise InputError(self._problem(full))
        return np.array(self.hardpoints[full])

    def middle(self, names: tuple[str, ...], side: Side | None) -> Vector:
        return _vector(np.mean([self.position(name, side) for name in names], axis=0))

    def direction(self, names: tuple[str, ...], side: Side | None) -> Vector:
        if len(names) == 2:
            way = self.position(names[1], side) - self.position(names[0], side)
            length = np.linalg.norm(way)
            if not length > 1e-9:
                raise InputError(f"the points {names[0]} and {names[1]} coincide and give no direction")
            return _vector(way / length)
        if names[0] == "spin":
            return self._spin_axis(side)
        return _vector(_UNIT[names[0]])

    def _spin_axis(self, side: Side | None) -> Vector:
        """Axis of the wheel, towards +y: toe turns it about z, camber about x, with opposite signs left and right."""
        sign = side.sign if side is not None else 0
        toe, camber = (self.parameters.get(f"{name}_{side}", 0.0) for name in ("toe_angle", "camber_angle"))
        return _vector(Rotation.from_euler("ZX", [-sign * toe, -sign * camber]).apply(_UNIT["y"]))


def _vector(array: Array) -> Vector:
    x, y, z = array.tolist()
    return (x, y, z)

"""From a template to elements: both sides, with names, positions and axes in V, for both modes.

What depends on the subsystem's own elements (characteristics of springs, bushings, leaves, ratios of gears) is named
here and filled in by whoever read the subsystem.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Place, Problem, close_matches
from trackrod.core.quantities import KINDS
from trackrod.vehicle.characteristics import Characteristic, SpringCharacteristic
from trackrod.vehicle.connectors import Beam, BeamSection, Ends, Friction, Spring, TorsionSpring
from trackrod.vehicle.elements import Joint, Mode, Role, Vector
from trackrod.vehicle.template import (
    AirSpringEntry,
    BeamEntry,
    BushingEntry,
    Entry,
    FrictionEntry,
    JointEntry,
    LeafEntry,
    LineEntry,
    LineType,
    Template,
    TorsionSpringEntry,
    TravelForceEntry,
    role_in,
)
from trackrod.vehicle.wheel_axis import spin_axis

__all__ = [
    "BushingPlace",
    "GearPlace",
    "Instance",
    "LeafPlace",
    "Line",
    "Member",
    "TravelForcePlace",
    "WheelPlace",
    "instantiate",
    "roles_at_wheels",
]

Array: TypeAlias = NDArray[np.float64]
_SUFFIXES = tuple(f"_{side}" for side in Side)
_SIDE = re.compile(rf"_({'|'.join(Side)})$")
_UNIT = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}

#: How far linear torsion springs are drawn [rad]; no suspension turns further.
_TORSION_REACH = 2.0


@dataclass(frozen=True, slots=True)
class Member:
    """A body of a subsystem without its mass: its name without the side, its side, and what it is to the vehicle."""

    base: str
    side: Side | None
    role: Role


@dataclass(frozen=True, slots=True)
class BushingPlace:
    """A bushing without its characteristic: `element` and `side` name it in the subsystem."""

    name: str
    element: str
    side: Side | None
    bodies: tuple[str, str]
    position: Vector
    mode: Mode = Mode.COMPLIANT


@dataclass(frozen=True, slots=True)
class Line:
    """A spring, damper or stop without its characteristic, between two points of V [m]."""

    name: str
    type: LineType
    element: str
    side: Side | None
    bodies: tuple[str, str]
    ends: Ends
    mode: Mode = Mode.ALWAYS

    @property
    def length(self) -> float:
        """Distance of the ends at the design position [m]."""
        return float(np.linalg.norm(np.subtract(*self.ends)))


@dataclass(frozen=True, slots=True)
class TravelForcePlace:
    """A force over travel without its characteristic: `element` and `side` name it in the subsystem."""

    name: str
    element: str
    side: Side | None
    bodies: tuple[str, str]
    position: Vector
    direction: Vector
    travel: Vector
    mode: Mode = Mode.ALWAYS


@dataclass(frozen=True, slots=True)
class LeafPlace:
    """A leaf spring without its section: a chain through bodies.

    Attributes
    ----------
    bodies, points
        The chain, from end to end, and where it passes each body in V [m].
    supports
        Indices of the two bodies of the chain that the frame holds.
    loaded
        Indices of those that the preload pushes up.
    support_direction
        Direction of the force at the second support, in V.
    """

    name: str
    element: str
    side: Side | None
    bodies: tuple[str, ...]
    points: tuple[Vector, ...]
    supports: tuple[int, int]
    loaded: tuple[int, ...]
    support_direction: Vector
    mode: Mode = Mode.ALWAYS


@dataclass(frozen=True, slots=True)
class GearPlace:
    """A gear without its ratio, between two joints."""

    name: str
    element: str
    joints: tuple[str, str]


@dataclass(frozen=True, slots=True)
class WheelPlace:
    """Where a wheel is: the body that carries it, the joint that body turns in, centre and spin axis in V [m]."""

    body: str
    joint: str
    centre: Vector
    axis: Vector
    brake_reaction: str
    drive_reaction: str


@dataclass(frozen=True, slots=True)
class Instance:
    """The elements of one subsystem; `bodies` has its own bodies by name, mounts are named as in the template.

    `inactive` names the elements of the template that a switch of the subsystem leaves out.
    """

    bodies: Mapping[str, Member]
    joints: tuple[Joint, ...]
    bushings: tuple[BushingPlace, ...] = ()
    lines: tuple[Line, ...] = ()
    springs: tuple[Spring, ...] = ()
    frictions: tuple[Friction, ...] = ()
    torsion_springs: tuple[TorsionSpring, ...] = ()
    travel_forces: tuple[TravelForcePlace, ...] = ()
    leaves: tuple[LeafPlace, ...] = ()
    beams: tuple[Beam, ...] = ()
    gears: tuple[GearPlace, ...] = ()
    wheels: Mapping[Side, WheelPlace] = field(default_factory=dict)
    inactive: frozenset[str] = frozenset()

    def joints_in(self, mode: Mode) -> tuple[Joint, ...]:
        """Joints that are there in kinematic or in compliant mode."""
        return tuple(joint for joint in self.joints if joint.mode.acts_in(mode))


def instantiate(
    template: Template,
    hardpoints: Mapping[str, Vector],
    parameters: Mapping[str, float],
    values: Mapping[str, float] | None = None,
    bushings: Iterable[str] = (),
) -> Instance:
    """The elements of a subsystem, those of both modes.

    Parameters
    ----------
    template
        What there is.
    hardpoints
        Positions in V [m]; those of pairs end in ``_left`` or ``_right``.
    parameters
        Switches, and ``toe_angle_left``, ``camber_angle_left`` … [rad], toe in and top outward positive; missing ones
        are zero.
    values
        The template's values [SI]; a name with a side comes before one without.
    bushings
        Names of the subsystem's bushings, for joints that one of them may take the place of.

    Raises
    ------
    InputError
        Hardpoints or values are missing; all of them are named.

    Holds: mirrored hardpoints give mirrored elements.
    """
    points = _Points(template, hardpoints, parameters)
    points.require(_needed(template))
    numbers = _Numbers(template, values or {})
    rubbers = frozenset(name.casefold() for name in bushings)
    active = [entry for entry in template.entries if all(one.holds(parameters, rubbers) for one in entry.when)]
    joints: list[Joint] = []
    places: list[BushingPlace] = []
    lines: list[Line] = []
    springs: list[Spring] = []
    frictions: list[Friction] = []
    torsion_springs: list[TorsionSpring] = []
    travel_forces: list[TravelForcePlace] = []
    leaves: list[LeafPlace] = []
    beams: list[Beam] = []
    for entry in active:
        for side in _sides(template, entry):
            name = entry.name if side is None else f"{entry.name}_{side}"
            bodies = tuple(_sided(template, body, side) for body in entry.bodies)
            if isinstance(entry, LeafEntry):
                leaves.append(_leaf(entry, name, side, bodies, points))
                continue
            pair = (bodies[0], bodies[1])
            if isinstance(entry, JointEntry):
                position = points.middle(entry.at, side)
                axes = (points.direction(entry.axis, side), points.direction(entry.second_axis, side))
                if entry.shafts:
                    axes = _cross_of(*axes)
                mode = entry.mode
                if entry.bushing.casefold() in rubbers:
                    mode = Mode.KINEMATIC
                    place = entry.bushing if side is None else f"{entry.bushing}_{side}"
                    places.append(BushingPlace(place, entry.bushing, side, pair, position))
                joints.append(Joint(name, entry.type, pair, position, *axes, mode, side))
            elif isinstance(entry, BushingEntry):
                position = points.middle(entry.at, side)
                places.append(BushingPlace(name, entry.name, side, pair, position, entry.mode))
            elif isinstance(entry, TorsionSpringEntry):
                torsion_springs.append(_torsion_spring(entry, name, side, pair, points, numbers))
            elif isinstance(entry, TravelForceEntry):
                position = points.middle(entry.at, side)
                ways = (points.outward(entry.direction, side), points.outward(entry.travel, side))
                travel_forces.append(TravelForcePlace(name, entry.name, side, pair, position, *ways, entry.mode))
            elif isinstance(entry, FrictionEntry):
                force = numbers.get(entry.force, side)
                frictions.append(Friction(name, pair, points.ends(entry.ends, side), force, entry.mode, side))
            elif isinstance(entry, AirSpringEntry):
                springs.append(_air_spring(entry, name, side, pair, points.ends(entry.ends, side), numbers))
            elif isinstance(entry, BeamEntry):
                beams.append(_beam(entry, name, side, pair, points.ends(entry.ends, side), numbers))
            else:
                ends = points.ends(entry.ends, side)
                lines.append(Line(name, entry.type, entry.name, side, pair, ends, entry.mode))
    wheels = _wheels(template, points, joints)
    return Instance(
        _members(template, roles_at_wheels(wheels, joints), _idle(template, active)),
        tuple(joints),
        tuple(places),
        tuple(lines),
        tuple(springs),
        tuple(friction for friction in frictions if friction.force > 0.0),
        tuple(torsion_springs),
        tuple(travel_forces),
        tuple(leaves),
        tuple(beams),
        tuple(GearPlace(gear.name, gear.name, gear.joints) for gear in template.gears),
        wheels,
        frozenset(entry.name.casefold() for entry in template.entries if entry not in active),
    )


def roles_at_wheels(wheels: Mapping[Side, WheelPlace], joints: Iterable[Joint]) -> dict[str, Role]:
    """Roles of the bodies that the joints of the wheels join: what turns, and what carries it."""
    spins = {wheel.joint for wheel in wheels.values()}
    found = {body: Role.CARRIER for joint in joints if joint.name in spins for body in joint.bodies}
    return found | {wheel.body: Role.WHEEL for wheel in wheels.values()}


def _idle(template: Template, active: Iterable[Entry]) -> set[str]:
    """Bodies that switches leave without anything to hold them, without side."""

    def joined(entries: Iterable[Entry]) -> set[str]:
        return {_SIDE.sub("", body) for entry in entries for body in entry.bodies}

    return joined(template.entries) - joined(active)


def _members(template: Template, at_wheels: Mapping[str, Role], idle: Container[str]) -> dict[str, Member]:
    """The template's own bodies, on both sides where they come in pairs, without those that are idle."""
    sides: list[tuple[str, Side | None]] = [(body, side) for body in template.bodies.pairs for side in Side]
    sides += [(body, None) for body in template.bodies.single]
    found = {}
    for base, side in sides:
        if base in idle:
            continue
        name = base if side is None else f"{base}_{side}"
        role = template.roles.get(base) or at_wheels.get(name) or role_in(template.role)
        found[name] = Member(base, side, role)
    return found


def _cross_of(first: Vector, second: Vector) -> tuple[Vector, Vector]:
    """Axes of the cross of a universal joint between two shafts: each normal to its shaft and to the other."""
    normal = np.cross(first, second)
    if np.linalg.norm(normal) < 1e-6:  # shafts in line: any normal will do
        normal = np.cross(first, _UNIT["xyz"[int(np.abs(first).argmin())]])
    normal /= np.linalg.norm(normal)
    across = np.cross(second, normal)
    return _vector(normal), _vector(across / np.linalg.norm(across))


def _torsion_spring(
    entry: TorsionSpringEntry,
    name: str,
    side: Side | None,
    bodies: tuple[str, str],
    points: _Points,
    numbers: _Numbers,
) -> TorsionSpring:
    axis = points.direction(entry.axis, side)
    if side is Side.RIGHT and entry.axis not in (("y",), ("spin",)):
        # A turn is mirrored with the opposite sense about the mirrored axis.
        axis = (-axis[0], -axis[1], -axis[2])
    rate = numbers.get(entry.rate, side)
    curve = Characteristic.linear(rate, _TORSION_REACH, KINDS["angle"], KINDS["torque"])
    preload, damping = (numbers.get(key, side) if key else 0.0 for key in (entry.preload, entry.damping))
    return TorsionSpring(name, bodies, points.middle(entry.at, side), axis, curve, preload, damping, entry.mode, side)


def _beam(
    entry: BeamEntry, name: str, side: Side | None, bodies: tuple[str, str], ends: Ends, numbers: _Numbers
) -> Beam:
    elastic, shear = (numbers.get(key, side) for key in (entry.elastic_modulus, entry.shear_modulus))
    damping = numbers.get(entry.damping, side) if entry.damping else 0.0
    if all(entry.tube):
        diameter, wall = (numbers.get(key, side) for key in entry.tube)
        section = BeamSection.tube(diameter, wall, elastic, shear)
    else:
        area, torsion, second_y, second_z = (numbers.get(key, side) for key in entry.section)
        section = BeamSection(elastic * area, shear * torsion, elastic * second_y, elastic * second_z)
    return Beam(name, bodies, ends, section, damping=damping, mode=entry.mode, side=side)


def _air_spring(
    entry: AirSpringEntry, name: str, side: Side | None, bodies: tuple[str, str], ends: Ends, numbers: _Numbers
) -> Spring:
    pressure, area, volume, exponent = (numbers.get(key, side) for key in entry.values)
    characteristic = SpringCharacteristic.air(pressure, area, volume, exponent, math.dist(*ends))
    return Spring(name, bodies, ends, characteristic, characteristic.free_length, entry.mode, side)


def _leaf(entry: LeafEntry, name: str, side: Side | None, bodies: tuple[str, ...], points: _Points) -> LeafPlace:
    first, second = (entry.bodies.index(body) for body in entry.supports)
    return LeafPlace(
        name=name,
        element=entry.name,
        side=side,
        bodies=bodies,
        points=tuple(points.middle(point, side) for point in entry.at),
        supports=(first, second),
        loaded=tuple(entry.bodies.index(body) for body in entry.loaded),
        support_direction=points.direction(entry.shackle or ("z",), side),
        mode=entry.mode,
    )


def _wheels(template: Template, points: _Points, joints: list[Joint]) -> dict[Side, WheelPlace]:
    wheel = template.wheel
    if wheel is None:
        return {}
    found = {}
    for side in Side:
        body, brake, drive = (
            _sided(template, name, side) for name in (wheel.body, wheel.brake_reaction, wheel.drive_reaction)
        )
        spin = [joint.name for joint in joints if body in joint.bodies]
        if len(spin) != 1:
            text = f"the wheel body '{body}' must turn in exactly one joint, it has {len(spin)}"
            raise InputError(Problem(text, Place(template.file)))
        centre, axis = points.middle((wheel.centre,), side), points.direction(("spin",), side)
        found[side] = WheelPlace(body, spin[0], centre, axis, brake, drive)
    return found


def _sides(template: Template, entry: Entry) -> tuple[Side | None, ...]:
    """Both sides if a body or a point of the entry comes in pairs, else once."""
    named: tuple[str, ...]
    if isinstance(entry, LineEntry | FrictionEntry | BeamEntry | AirSpringEntry):
        named = entry.ends
    elif isinstance(entry, LeafEntry):
        named = tuple(name for point in entry.at for name in point)
    else:
        named = entry.at
    paired = {*template.bodies.pairs, *template.hardpoints.pairs, *template.hardpoints.optional}
    return tuple(Side) if paired.intersection((*entry.bodies, *named)) else (None,)


def _sided(template: Template, name: str, side: Side | None) -> str:
    return f"{name}_{side}" if side is not None and name in template.bodies.pairs else name


def _needed(template: Template) -> Iterator[str]:
    for name in template.hardpoints.pairs:
        yield from (f"{name}_{side}" for side in Side)
    yield from template.hardpoints.single


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Values of a template by name, those of one side first."""

    template: Template
    values: Mapping[str, float]

    def get(self, name: str, side: Side | None) -> float:
        for key in (f"{name}_{side}", name):
            if key in self.values:
                return self.values[key]
        default = self.template.values[name].default
        if default is None:
            parameter = self.template.values[name].parameter
            text = f"template '{self.template.name}' needs the parameter '{parameter}'"
            raise InputError(Problem(text, Place(self.template.file)))
        return default


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

    def ends(self, names: tuple[str, str], side: Side | None) -> Ends:
        return self.middle(names[:1], side), self.middle(names[1:], side)

    def direction(self, names: tuple[str, ...], side: Side | None) -> Vector:
        if len(names) == 2:
            way = self.position(names[1], side) - self.position(names[0], side)
            length = np.linalg.norm(way)
            if not length > 1e-9:
                raise InputError(f"the points {names[0]} and {names[1]} coincide and give no direction")
            return _vector(way / length)
        if names[0] == "spin":
            return spin_axis(self.parameters, side)
        return _vector(_UNIT[names[0]])

    def outward(self, names: tuple[str, ...], side: Side | None) -> Vector:
        """A direction whose y leads outward on both sides where it is an axis of V."""
        x, y, z = self.direction(names, side)
        return (x, -y, z) if side is Side.RIGHT and len(names) == 1 else (x, y, z)


def _vector(array: Array) -> Vector:
    x, y, z = array.tolist()
    return (x, y, z)

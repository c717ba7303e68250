"""Suspension data of CarMaker (``.skc`` files, or inside a vehicle file): poses and lengths over compression.

Axes and signs are those of V: x forward, y left, z up, angles right-handed about them, on both sides; SI units. So a
left wheel with ``rx > 0`` has its top inward (negative camber), with ``rz < 0`` it is toed in; ``steer > 0`` is left.
``comp`` is a coordinate that increases in bump, not the travel itself: that is ``tz``.

Read are kinematics of the kinds ``MapNL`` (compression and steering, or own and opposite compression) and ``Linear2D``
(a constant and two gradients), and constant coefficients of compliance (``CoeffConstFr1``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Problem, Severity
from trackrod.core.maps import Extrapolation, Interpolation, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.core.teimorbit.messages import shown
from trackrod.reference.infofile import InfoFile
from trackrod.reference.sweeps import MIRRORED

__all__ = ["CHANNELS", "Suspension", "read_suspension"]

Array = NDArray[np.float64]

_LENGTH, _ANGLE = KINDS["length"], KINDS["angle"]
_POSE = ("tx", "ty", "tz", "rx", "ry", "rz")
#: What is read at a wheel, and in place of a length that is not there: that of an element that moves with the wheel.
CHANNELS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(_POSE, ("", 0.0)),
    "lSpring": ("tz", -1.0),
    "lDamp": ("tz", -1.0),
    "lBuf": ("tz", -1.0),
    "lStabi": ("tz", 1.0),
}
#: Compression that gradients are spread over [m], and rack travel.
_REACH = 0.1
_SIDES = {Side.LEFT: "L", Side.RIGHT: "R"}
_LOADS = tuple(f"{what}.{axis}" for what in ("Frc", "Trq", "FrcOpp", "TrqOpp") for axis in "xyz")


@dataclass(frozen=True, slots=True, eq=False)
class Suspension:
    """Kinematics and compliance of an axle.

    Attributes
    ----------
    info
        Where it stands.
    steered
        Whether the second axis is the rack travel; otherwise the compression of the opposite wheel.
    wheels
        Poses and lengths [m], [rad] over compression and the second axis [m].
    compliance
        Of each wheel the changes of tx … rz for each unit of a load at its centre (``Frc.x`` …) or at that of the
        opposite wheel (``FrcOpp.x`` …) [m/N], [rad/N], [1/N], [rad/(N·m)]; empty where the wheels do not give way.
    problems
        Warnings and notes.
    """

    info: InfoFile
    steered: bool
    wheels: Mapping[Side, Map2D]
    compliance: Mapping[Side, Mapping[str, Array]]
    problems: tuple[Problem, ...]


def read_suspension(info: InfoFile, axle: Axle) -> Suspension:
    """The suspension of an axle.

    Raises
    ------
    FileFormatError
        There is none, or something of it is wrong or not known here.
    """
    return _Reader(info, axle).suspension()


class _Reader:
    def __init__(self, info: InfoFile, axle: Axle) -> None:
        self.info = info
        self.axle = axle
        self.prefix = {Axle.FRONT: "SuspF", Axle.REAR: "SuspR"}[axle]
        self.kin = f"{self.prefix}.Kin.0"
        self.problems: list[Problem] = []

    def _say(self, text: str, key: str, severity: Severity = Severity.WARNING, hint: str = "") -> None:
        self.problems.append(Problem(text, self.info.place(key), severity, hint))

    def suspension(self) -> Suspension:
        kind = self.info.word(f"{self.kin}.Kind")
        if f"{self.kin}.Kind" not in self.info:
            other = {"SuspF": "SuspR", "SuspR": "SuspF"}[self.prefix]
            hint = f"it has one of the other axle, '{other}'" if f"{other}.Kin.0.Kind" in self.info else ""
            raise self.info.fail("", f"the file has no '{self.kin}.Kind': kinematics of the {self.axle} axle", hint)
        many = self.info.number(f"{self.prefix}.Kin.N", "number of kinematics", 1.0)
        if many != 1.0:
            raise self.info.fail(f"{self.prefix}.Kin.N", f"{many:g} kinematics that are added up are not read, one is")
        readers = {"MapNL": self._map, "Linear2D": self._linear}
        if kind not in readers:
            text = f"'{self.kin}.Kind' is '{shown(kind)}'"
            raise self.info.fail(f"{self.kin}.Kind", text, f"read are {' and '.join(readers)}")
        given = [side for side, letter in _SIDES.items() if self._has(letter)]
        if Side.LEFT not in given:
            raise self.info.fail(f"{self.kin}.Kind", f"'{self.kin}' has no data of the left wheel")
        found = {side: readers[kind](_SIDES[side]) for side in given}
        steered = found[Side.LEFT][0]
        wheels = {side: map_ for side, (_, map_) in found.items()}
        if Side.RIGHT not in wheels:
            wheels[Side.RIGHT] = _mirrored(wheels[Side.LEFT], steered)
            self._say("the right wheel is the mirror image of the left one", f"{self.kin}.Kind", Severity.NOTE)
        elif found[Side.RIGHT][0] is not steered:
            raise self.info.fail(f"{self.kin}.R.Arg", "left and right wheel go over different quantities")
        for side, map_ in wheels.items():
            self._check_travel(map_, side)
        return Suspension(
            self.info, steered, MappingProxyType(wheels), MappingProxyType(self._compliance()), tuple(self.problems)
        )

    def _has(self, letter: str) -> bool:
        return any(f"{self.kin}.{letter}.{end}" in self.info for end in ("Data", "tz"))

    def _map(self, letter: str) -> tuple[bool, Map2D]:
        key = f"{self.kin}.{letter}"
        arguments = tuple(self.info.text(f"{key}.Arg").split())
        if arguments not in (("comp", "steer"), ("comp", "comp")):
            text = f"'{key}.Arg' is '{shown(' '.join(arguments))}'"
            raise self.info.fail(f"{key}.Arg", text, "read are 'comp steer' and 'comp comp', own and opposite wheel")
        knots = [self._knots(f"{key}.Arg{i}") for i in range(2)]
        names = self.info.text(f"{key}.Data.Name").split()
        missing = [name for name in ("%i0", "%i1", *_POSE) if name not in names]
        if missing or len(set(names)) < len(names):
            what = f"lacks {', '.join(missing)}" if missing else "has a name twice"
            raise self.info.fail(f"{key}.Data.Name", f"'{key}.Data.Name' {what}")
        table = self.info.table(f"{key}.Data", len(names), "indices, pose and lengths")
        table = table * self._factors(f"{key}.Data.Fac2SI", len(names))
        indices = table[:, [names.index("%i0"), names.index("%i1")]]
        shape = (knots[0].size, knots[1].size)
        inside = ((indices >= 0) & (indices < shape) & (indices == np.floor(indices))).all(axis=1)
        places = np.where(inside[:, None], indices, 0.0).astype(int)
        filled = np.zeros(shape, dtype=int)
        np.add.at(filled, tuple(places[inside].T), 1)
        if not inside.all() or (filled != 1).any():
            text = f"'{key}.Data' must have each of {shape[0]} × {shape[1]} points once, it has {len(table)} lines"
            raise self.info.fail(f"{key}.Data", text, f"as many as '{key}.Arg0' and '{key}.Arg1' have values")
        values = {}
        for name in CHANNELS:
            if name in names:
                values[name] = np.zeros(shape)
                values[name][tuple(places.T)] = table[:, names.index(name)]
        return arguments[1] == "steer", self._made(knots, values, key)

    def _linear(self, letter: str) -> tuple[bool, Map2D]:
        """Constant and gradients over compression and steering; steered if any of the latter is not zero."""
        key = f"{self.kin}.{letter}"
        rows = {
            name: self.info.numbers(f"{key}.{name}", 3, "constant, gradients over compression and steering")
            for name in CHANNELS
            if name in _POSE or f"{key}.{name}" in self.info
        }
        steered = any(row[2] != 0.0 for row in rows.values())
        knots = [np.linspace(-_REACH, _REACH, 5)] * 2
        first, second = np.meshgrid(*knots, indexing="ij")
        second = second if steered else np.zeros_like(second)
        values = {name: row[0] + row[1] * first + row[2] * second for name, row in rows.items()}
        return steered, self._made(knots, values, key)

    def _knots(self, key: str) -> Array:
        knots = self.info.row(key, "values that the data go over") * self.info.number(f"{key}.Fac2SI", "factor", 1.0)
        if knots.size < 2 or (np.diff(knots) <= 0.0).any() or not knots[0] < 0.0 < knots[-1]:
            raise self.info.fail(key, f"'{key}' must increase, from below 0 to above [m]")
        return knots

    def _factors(self, key: str, count: int) -> Array:
        return self.info.numbers(key, count, "factors into SI units") if key in self.info else np.ones(count)

    def _made(self, knots: list[Array], values: dict[str, Array], key: str) -> Map2D:
        for name, (other, factor) in CHANNELS.items():
            if name not in values:
                values[name] = factor * values[other]
                self._say(f"'{key}' has no '{name}': taken is {factor:+g} '{other}'", f"{key}.Data", Severity.NOTE)
        outputs = [Variable(name, _ANGLE if name.startswith("r") else _LENGTH) for name in CHANNELS]
        try:
            return Map2D(
                (Variable("comp", _LENGTH), Variable("other", _LENGTH)),
                (knots[0], knots[1]),
                outputs,
                np.stack([values[name] for name in CHANNELS], axis=-1),
                interpolation=Interpolation.PARABOLIC,
                extrapolation=Extrapolation.LINEAR,
            )
        except InputError as error:
            raise self.info.fail(f"{key}.Data", error.problems[0].text) from error

    def _check_travel(self, map_: Map2D, side: Side) -> None:
        """The wheel must rise with its compression, rack and opposite wheel in the middle: travel takes its place."""
        middle = int(np.abs(map_.knots[1]).argmin())
        rise = np.diff(map_.values[:, middle, map_.output_index("tz")])
        if (rise <= 0.0).any():
            row = int(np.argmax(rise <= 0.0))
            text = f"'tz' of the {side} wheel does not rise from compression {map_.knots[0][row]:g} to "
            text += f"{map_.knots[0][row + 1]:g} m"
            raise self.info.fail(f"{self.kin}.{_SIDES[side]}.Data", text, "compression and tz are positive in bump")

    # ---- compliance

    def _compliance(self) -> dict[Side, dict[str, Array]]:
        com = f"{self.prefix}.Com.0"
        kind = self.info.word(f"{com}.Kind")
        if not kind or self.info.number(f"{self.prefix}.Com.N", "number of compliances", 1.0) == 0.0:
            return {}
        if kind != "CoeffConstFr1":
            text = f"compliance of the kind '{shown(kind)}' is not read: the wheels do not give way"
            self._say(text, f"{com}.Kind", hint="read is CoeffConstFr1")
            return {}
        found: dict[Side, dict[str, Array]] = {}
        for side, letter in _SIDES.items():
            names = self.info.text(f"{com}.{letter}.Data.Name").split()
            unknown = [name for name in names if name not in _POSE]
            if unknown or len(set(names)) < len(names):
                key = f"{com}.{letter}.Data.Name"
                raise self.info.fail(key, f"'{key}' must name tx, ty, tz, rx, ry, rz, each once")
            rows = [load for load in _LOADS if f"{com}.{letter}.{load}" in self.info]
            if rows and names:
                found[side] = {load: self._coefficients(f"{com}.{letter}", load, names) for load in rows}
        if Side.LEFT in found and Side.RIGHT not in found:
            found[Side.RIGHT] = {load: _mirrored_row(load, row) for load, row in found[Side.LEFT].items()}
        return found

    def _coefficients(self, key: str, load: str, names: list[str]) -> Array:
        """Changes of tx … rz; those that are not named are zero."""
        given = self.info.numbers(f"{key}.{load}", len(names), "coefficients of compliance")
        given = given * self._factors(f"{key}.{load[:3]}.Fac2SI", len(names))
        row = np.zeros(len(_POSE))
        row[[_POSE.index(name) for name in names]] = given
        return row


def _signs() -> Array:
    return np.array([MIRRORED.get(name, 1.0) for name in _POSE])


def _mirrored_row(load: str, row: Array) -> Array:
    """The same load in the mirror: lateral forces and moments about x and z turn round, and so do ty, rx, rz."""
    turned = load.startswith("Frc") == load.endswith("y")
    return row * _signs() * (-1.0 if turned else 1.0)


def _mirrored(left: Map2D, steered: bool) -> Map2D:
    """The right wheel: it sees the rack from the other side."""
    signs = np.array([MIRRORED.get(name, 1.0) for name in CHANNELS])
    values = left.values * signs
    second = left.knots[1]
    if steered:
        values, second = values[:, ::-1], -second[::-1]
    return Map2D(
        left.axes,
        (left.knots[0], second),
        left.outputs,
        values,
        interpolation=left.interpolation,
        extrapolation=left.extrapolation,
    )

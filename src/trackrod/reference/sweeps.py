"""K&C tables of another program as sweeps and grids: one axle, SI units, axis-signed, knots that increase.

Every fault of a table is noted; a sweep that goes there and back is brought down to the mean of both ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Variable
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.tables import Table, read_table
from trackrod.core.toml_document import Section
from trackrod.kc.maps import LOAD, OPPOSITE, PARALLEL, POSE, RACK
from trackrod.kc.points import Load
from trackrod.reference.columns import SIDES, Rule, pick, read_rules
from trackrod.reference.mapping import read_mapping

__all__ = [
    "APPLIED",
    "AT_WHEEL",
    "LOADS",
    "MIRRORED",
    "QUANTITIES",
    "AxleTables",
    "Branches",
    "Grid",
    "Sweep",
    "between",
    "curve_map",
    "knots_around_zero",
]

Array = NDArray[np.float64]

_LENGTH, _ANGLE, _FORCE = KINDS["length"], KINDS["angle"], KINDS["force"]
#: Loads that the real-time model takes, by name.
LOADS = (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ)
#: What is read at each wheel, with its kind. Toe and camber are the mirror-symmetric names of rz and rx.
AT_WHEEL: Mapping[str, Kind] = {
    **{variable.name: variable.kind for variable in POSE},
    "toe": _ANGLE,
    "camber": _ANGLE,
    "travel": _LENGTH,
    "damper_length": _LENGTH,
    "spring_length": _LENGTH,
    "Fz": _FORCE,
    "Fz_without_stops": _FORCE,
    "Fz_of_bar": _FORCE,
}
#: What is moved or applied.
APPLIED: Mapping[str, Kind] = {
    **{variable.name: variable.kind for variable in (PARALLEL, OPPOSITE, RACK)},
    **{str(load): KINDS["torque" if load.is_moment else "force"] for load in LOADS},
}
#: Every quantity that a rule may name.
QUANTITIES: tuple[str, ...] = (*APPLIED, *AT_WHEEL, *(f"{name}_{side}" for name in AT_WHEEL for side in Side))

#: Signs of a wheel's quantities in the mirror of the vehicle: lateral displacement, inclination and steer turn round.
MIRRORED = {"ty": -1.0, "rx": -1.0, "rz": -1.0}
#: Points that a sweep may have, and those that it is brought down to if it has more [-].
_MOST_POINTS, _POINTS = 201, 61
#: Values of a knot that count as one [m], [N].
_SAME = 1e-7
#: Beyond these a number is taken for one in another unit [m], [rad].
_LARGEST_TRAVEL, _LARGEST_ANGLE = 0.5, 1.2


class Branches(StrEnum):
    """A sweep goes one way; or there and back, and the mean of both ways is taken (friction and dampers fall out)."""

    ONE = "one"
    MEAN = "mean"


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Quantities over one variable.

    Attributes
    ----------
    section, table
        Where it came from, for messages.
    x
        Knots, increasing, zero among them [SI unit].
    values
        By name with the ending of the side [SI units].
    """

    section: Section
    table: Table
    x: Array
    values: Mapping[str, Array]

    def of(self, name: str, side: Side) -> Array | None:
        """A quantity of one wheel, None if the table does not have it."""
        return self.values.get(f"{name}_{side}")


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Quantities over parallel travel and rack or opposite travel, shape (first, second); otherwise as `Sweep`."""

    section: Section
    table: Table
    axes: tuple[Variable, Variable]
    knots: tuple[Array, Array]
    values: Mapping[str, Array]


class AxleTables:
    """The tables of one axle; what is wrong with them is noted.

    Parameters
    ----------
    kc
        The table ``[kc]`` of the TOML file.
    axle
        Which axle.
    """

    def __init__(self, kc: Section, axle: Axle) -> None:
        given = kc.raw(str(axle))
        if isinstance(given, str):  # the name of a file in place of a table
            self.section = kc.document.section((*kc.path, str(axle)), {"skc": given})
        else:
            self.section = kc.section(str(axle), "K&C tables of the axle", needed=True)
        self.document = kc.document
        #: Tables that were made of another description of the axle, by name of the test; those of files go before.
        self.made: dict[str, Table] = {}
        self.axle = axle
        self.rules = read_mapping(kc, tuple(APPLIED), tuple(AT_WHEEL))
        self.rules |= read_rules(kc.section("columns"), QUANTITIES, SIDES)
        self.rules |= read_mapping(self.section, tuple(APPLIED), tuple(AT_WHEEL))
        self.rules |= read_rules(self.section.section("columns"), QUANTITIES, SIDES)

    def __contains__(self, name: str) -> bool:
        return name in self.section or name in self.made

    def note(self, text: str) -> None:
        """Say what was done without being asked."""
        self.section.report("", text, severity=Severity.NOTE)

    def _complete(self, table: Table, columns: Mapping[str, Array]) -> bool:
        broken = [name for name, values in columns.items() if not np.isfinite(values).all()]
        if broken:
            row = int(np.argmin(np.isfinite(np.array([columns[name] for name in broken])).all(axis=0)))
            text = f"{', '.join(broken)}: values are missing"
            self.document.problems.append(Problem(text, table.place(row), hint="K&C tables must be complete"))
        return not broken

    def sweep(self, name: str, axis: Variable, needed: str = "") -> Sweep | None:
        """A test by name; None if there is none, a problem too if it is needed, or if it is wrong."""
        if name not in self:
            if needed:
                self.section.report("", f"the table [kc.{self.axle}.{name}] is missing: it gives {needed}")
            return None
        branches = Branches.ONE
        if name in self.section:
            branches = self.section.section(name).word("branches", Branches, Branches.ONE)
        opened = self._table(name)
        if opened is None:
            return None
        section, table, rules = opened
        x = self._applied(section, table, rules, axis)
        if x is None:
            return None
        shares = {PARALLEL: (1.0, 1.0), OPPOSITE: (1.0, -1.0)}.get(axis, (0.0, 0.0))
        values = self._wheel_values(table, rules, {s: share * x for s, share in zip(Side, shares, strict=True)})
        self._check_size(table, axis.name, axis.kind, x)
        values = self._both_sides(values, axis)
        if not self._complete(table, {axis.name: x, **values}):
            return None
        return self._ordered(section, table, axis, x, values, branches)

    def _ordered(
        self,
        section: Section,
        table: Table,
        axis: Variable,
        x: Array,
        values: Mapping[str, Array],
        branches: Branches,
    ) -> Sweep | None:
        """The sweep with increasing knots, zero among them."""
        steps = np.diff(x)
        if branches is Branches.ONE:
            up = steps > 0
            if not (up.all() or (steps < 0).all()):
                most = up if up.sum() >= (~up).sum() else steps < 0
                row = int(np.argmin(most)) + 1
                text = f"'{axis.name}' does not go one way: {x[row]:g} comes after {x[row - 1]:g} {axis.kind.unit}"
                hint = 'branches = "mean" takes the mean of a sweep that goes there and back'
                self.document.problems.append(Problem(text, table.place(row), hint=hint))
                return None
            order = slice(None) if up.all() else slice(None, None, -1)
            x, values = x[order], {key: item[order] for key, item in values.items()}
        if not x.min() <= 0.0 <= x.max() or x.min() == x.max():
            text = f"'{axis.name}' goes from {x.min():g} to {x.max():g} {axis.kind.unit}; "
            text += "the design position, 0, must be inside"
            section.report("file", text)
            return None
        if branches is Branches.MEAN:
            return self._mean_of_ways(section, table, axis, x, values)
        knots = x
        if x.size > _MOST_POINTS:
            knots = knots_around_zero(float(x[0]), float(x[-1]), _POINTS)
        elif np.abs(x).min() > _SAME:
            knots = np.sort(np.append(x, 0.0))
        if knots is not x:
            values = {key: between(x, item, knots) for key, item in values.items()}
        return Sweep(section, table, knots, values)

    def _mean_of_ways(
        self, section: Section, table: Table, axis: Variable, x: Array, values: Mapping[str, Array]
    ) -> Sweep | None:
        up, down = _ways(x)
        low, high = (
            (max(x[up].min(), x[down].min()), min(x[up].max(), x[down].max())) if up.any() and down.any() else (0, 0)
        )
        if not low < 0.0 < high:
            text = f"'{axis.name}' does not go there and back around 0, which branches = \"mean\" needs"
            section.report("branches", text, hint='branches = "one" for a sweep that goes one way')
            return None
        knots = knots_around_zero(float(low), float(high), _POINTS)
        means = {key: 0.5 * (_along(x, v, up, knots) + _along(x, v, down, knots)) for key, v in values.items()}
        return Sweep(section, table, knots, means)

    def grid(self) -> Grid | None:
        """The grid, None if there is none or it is wrong."""
        if "grid" not in self:
            return None
        opened = self._table("grid")
        if opened is None:
            return None
        section, table, rules = opened
        first = self._applied(section, table, rules, PARALLEL)
        rack = self._pick(table, rules, RACK.name, RACK.kind)
        second = rack if rack is not None else self._applied(section, table, rules, OPPOSITE)
        if first is None or second is None:
            return None
        travels = {s: first if rack is not None else first + s.sign * second for s in Side}
        values = self._wheel_values(table, rules, travels)
        axes = (PARALLEL, RACK if rack is not None else OPPOSITE)
        if not self._complete(table, {PARALLEL.name: first, axes[1].name: second, **values}):
            return None
        knots = [_distinct(first), _distinct(second)]
        cells = [np.abs(x[:, None] - k).argmin(axis=1) for x, k in zip((first, second), knots, strict=True)]
        filled = np.zeros((knots[0].size, knots[1].size), dtype=int)
        np.add.at(filled, tuple(cells), 1)
        if (filled != 1).any():
            row, column = (int(i[0]) for i in np.nonzero(filled != 1))
            many = "is missing" if filled[row, column] == 0 else "occurs more than once"
            text = f"the grid has {knots[0].size} × {knots[1].size} knots and {first.size} rows; the point "
            text += f"{axes[0].name} {knots[0][row]:g}, {axes[1].name} {knots[1][column]:g} {many}"
            section.report("file", text, hint="every combination must occur once")
            return None
        shaped: dict[str, Array] = {}
        for key, item in values.items():
            shaped[key] = np.zeros(filled.shape)
            shaped[key][tuple(cells)] = item
        return Grid(section, table, axes, (knots[0], knots[1]), shaped)

    def _table(self, name: str) -> tuple[Section, Table, dict[str, Rule]] | None:
        if name not in self.section:
            return self.section, self.made[name], {}
        section = self.section.section(name)
        rules = self.rules | read_rules(section.section("columns"), QUANTITIES, SIDES)
        path = section.file("file", f"table of the test '{name}' of the {self.axle} axle")
        if path is None:
            return None
        try:
            return section, read_table(path), rules
        except InputError as error:
            self.document.take(error)
            return None

    def _applied(self, section: Section, table: Table, rules: Mapping[str, Rule], axis: Variable) -> Array | None:
        """What was moved, from its own column or from the travels of both wheels."""
        found = self._pick(table, rules, axis.name, axis.kind)
        if found is None and axis in (PARALLEL, OPPOSITE):
            left, right = (self._pick(table, rules, f"travel_{side}", _LENGTH) for side in Side)
            if left is not None and right is not None:
                found = 0.5 * (left + right) if axis is PARALLEL else 0.5 * (left - right)
        if found is None:
            others = " or 'travel_left' and 'travel_right'" if axis in (PARALLEL, OPPOSITE) else ""
            text = f"'{table.path.name}' has no '{axis.name}'{others} {axis.kind.label}: what the table goes over"
            section.report("file", text, hint="name the column under [kc.columns]")
        return found

    def _pick(
        self, table: Table, rules: Mapping[str, Rule], name: str, kind: Kind, travel: Array | None = None
    ) -> Array | None:
        found, problems = pick(table, rules, name, kind, travel)
        self.document.problems += [problem for problem in problems if problem not in self.document.problems]
        return found

    def _wheel_values(self, table: Table, rules: Mapping[str, Rule], travels: Mapping[Side, Array]) -> dict[str, Array]:
        """Every quantity at the wheels that the table has, axis-signed; `travels` are those of the wheels [m]."""
        found: dict[str, Array] = {}
        for side in Side:
            for name, kind in AT_WHEEL.items():
                values = self._pick(table, rules, f"{name}_{side}", kind, travels[side])
                if values is None:
                    continue
                signed = {"toe": ("rz", -side.sign), "camber": ("rx", -side.sign)}
                target, sign = signed.get(name, (name, 1))
                found[f"{target}_{side}"] = sign * values
                self._check_size(table, name, kind, values)
        return found

    def _check_size(self, table: Table, name: str, kind: Kind, values: Array) -> None:
        limits = {_LENGTH: (_LARGEST_TRAVEL, "mm"), _ANGLE: (_LARGEST_ANGLE, "deg")}
        if kind not in limits or name in ("damper_length", "spring_length") or not np.isfinite(values).any():
            return
        limit, unit = limits[kind]
        largest = float(np.nanmax(np.abs(values)))
        if largest > limit:
            text = f"'{name}' reaches {largest:g} {kind.unit}, more than {limit:g} {kind.unit} is not possible"
            self.document.problems.append(Problem(text, Place(table.path), hint=f"is the unit '{unit}'?"))

    def _both_sides(self, values: dict[str, Array], axis: Variable) -> dict[str, Array]:
        """Both wheels of a test that has only the left one: its mirror image in parallel travel."""
        if axis is not PARALLEL or any(key.endswith("_right") for key in values):
            return values
        left = {key.removesuffix("_left"): item for key, item in values.items() if key.endswith("_left")}
        if left:
            self.note("parallel travel has the left wheel alone; the right one is its mirror image")
        return values | {f"{name}_right": MIRRORED.get(name, 1.0) * item for name, item in left.items()}


def curve_map(axis: Variable, knots: Array, outputs: Sequence[Variable], values: Array) -> Map1D:
    """A map with the rules of K&C maps."""
    rules = (Interpolation.PARABOLIC, Extrapolation.LINEAR)
    return Map1D(axis, knots, outputs, values, interpolation=rules[0], extrapolation=rules[1])


def between(x: Array, values: Array, at: Array) -> Array:
    """Values between samples, by the rule of the maps."""
    return curve_map(PARALLEL, x, [LOAD], values).value(at)[..., 0]


def knots_around_zero(low: float, high: float, count: int) -> Array:
    """Equally spaced values with zero among them, about `count`."""
    below = min(max(round((count - 1) * -low / (high - low)), 1 if low < 0 else 0), count - (2 if high > 0 else 1))
    return np.concatenate((np.linspace(low, 0.0, below + 1), np.linspace(0.0, high, count - below)[1:]))


def _distinct(values: Array) -> Array:
    """Increasing values without those that only rounding tells apart."""
    ordered = np.unique(values)
    return np.asarray(ordered[np.append(True, np.diff(ordered) > _SAME)])


def _ways(x: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Samples on a way up and on a way down; turning points, where friction changes its sign, are on neither."""
    steps = np.diff(x)
    up, down = np.zeros(x.size, dtype=bool), np.zeros(x.size, dtype=bool)
    up[1:-1] = (steps[:-1] > 0) & (steps[1:] > 0)
    down[1:-1] = (steps[:-1] < 0) & (steps[1:] < 0)
    return up, down


def _along(x: Array, values: Array, way: NDArray[np.bool_], knots: Array) -> Array:
    """Values at knots from the samples of one way; those at the same place are averaged."""
    places, where = np.unique(x[way], return_inverse=True)
    means = np.bincount(where, weights=values[way]) / np.bincount(where)
    return np.asarray(np.interp(knots, places, means))

"""K&C maps of an axle from tables of another program: full grids, or sweeps that are put together.

A grid gives the kinematics as they are. From sweeps they are put together: on an axle with a rack own travel and rack
travel are added; on one without, wheels that do not know each other move by their own travel, others by the sum of
parallel and opposite travel. Loads over parallel and opposite travel give springs and anti-roll bar.

Limits: sums of sweeps leave out how one movement changes the effect of the other, such as bump steer at large steering
angles. Loads are those on one wheel alone; tests with both wheels loaded at once are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.core.errors import Severity
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.core.toml_document import Document, Section
from trackrod.kc.maps import LOAD, OPPOSITE, PARALLEL, POSE, RACK, KcMaps, WheelMaps
from trackrod.kc.points import Load
from trackrod.reference.carmaker import AxleLoad, tables_of
from trackrod.reference.opposite import centred, without_bar
from trackrod.reference.sweeps import (
    APPLIED,
    AT_WHEEL,
    LOADS,
    MIRRORED,
    AxleTables,
    Grid,
    Sweep,
    between,
    curve_map,
    knots_around_zero,
)

__all__ = ["AxleFigures", "Coupling", "read_maps"]

Array = NDArray[np.float64]

_LENGTH, _FORCE = KINDS["length"], KINDS["force"]
#: Share of a travel that the map of an axle without rack gives to the opposite travel.
_OPPOSITE_SHARE = 0.4
#: Knots of a map that is made of sweeps, along each axis.
_POINTS = 31
#: What differs between two sweeps of wheels that are said to be independent, over its range.
_INDEPENDENCE = 0.05


class Coupling(StrEnum):
    """Whether a wheel moves the other one by the mechanism."""

    INDEPENDENT = "independent"
    DEPENDENT = "dependent"


@dataclass(frozen=True, slots=True)
class AxleFigures:
    """What the maps of an axle hold besides what was measured [m], [kg], and its load on level ground [N]."""

    vehicle: str
    load: float
    track: float
    wheelbase: float
    unsprung_mass: tuple[float, float]
    loaded_radius: Callable[[Side, float], float]
    even_rack: Callable[[Array], Array] | None = None


def read_maps(document: Document, axle: Axle, figures: AxleFigures) -> KcMaps | None:
    """The maps of an axle; None, with problems noted, if something is missing or wrong."""
    tables = AxleTables(document.root.section("kc", "K&C tables", needed=True), axle)
    if "skc" in tables.section:
        tables.made = tables_of(tables, AxleLoad(figures.load, figures.unsprung_mass, figures.loaded_radius))
        if not tables.made:
            return None
    return None if tables.section.is_empty else _AxleReader(tables, figures).maps()


class _AxleReader:
    """Makes the maps of one axle."""

    def __init__(self, tables: AxleTables, figures: AxleFigures) -> None:
        self.tables = tables
        self.section = tables.section
        self.axle = tables.axle
        self.figures = figures
        self.coupling = self.section.word("wheels", Coupling, Coupling.INDEPENDENT)

    def maps(self) -> KcMaps | None:
        before = self._errors
        read = self.tables.sweep
        parallel = read("parallel", PARALLEL, needed="springs, and the kinematics without a grid")
        opposite = self._opposite(parallel)
        steer = read("steer", RACK)
        grid = self.tables.grid() or self._put_together(parallel, opposite, steer)
        even = self.figures.even_rack
        if grid is not None and grid.axes[1] is RACK and even is not None:
            grid = _over_even_rack(grid, even)
            self.tables.note("variable steering ratio: the rack counts as if it had the ratio of the middle throughout")
        kinematics = None if grid is None else self._wheel_maps(grid)
        loads = self._loads()
        ride, roll = (self._loads_over(sweep, axis) for sweep, axis in ((parallel, PARALLEL), (opposite, OPPOSITE)))
        if self._errors > before or grid is None or kinematics is None or ride is None or roll is None:
            return None
        at_rest = ride.value(0.0)
        design = (float(at_rest[ride.output_index("Fz_left")]), float(at_rest[ride.output_index("Fz_right")]))
        radii = [self.figures.loaded_radius(side, load) for side, load in zip(Side, design, strict=True)]
        return KcMaps(
            vehicle=self.figures.vehicle,
            axle=self.axle,
            mode="measured",
            steered=grid.axes[1] is RACK,
            left=WheelMaps(kinematics[0], *loads[0]),
            right=WheelMaps(kinematics[1], *loads[1]),
            ride=ride,
            roll=roll,
            design_load=design,
            unsprung_mass=self.figures.unsprung_mass,
            loaded_radius=(radii[0], radii[1]),
            track=self.figures.track,
            wheelbase=self.figures.wheelbase,
        )

    def _opposite(self, parallel: Sweep | None) -> Sweep | None:
        """Opposite travel around the design position; without a table that of wheels that do not know each other."""
        dependent = self.coupling is Coupling.DEPENDENT
        needed = "anti-roll bar, and the kinematics of dependent wheels" if dependent or parallel is None else ""
        found = self.tables.sweep("opposite", OPPOSITE, needed=needed)
        if parallel is None:
            return found
        if found is None:
            return None if "opposite" in self.tables or dependent else without_bar(self.tables, parallel)
        return centred(self.tables, parallel, found)

    # ---- kinematics

    @property
    def _errors(self) -> int:
        return sum(problem.severity is Severity.ERROR for problem in self.section.document.problems)

    def _put_together(self, parallel: Sweep | None, opposite: Sweep | None, steer: Sweep | None) -> Grid | None:
        """A grid made of sweeps."""
        if parallel is None or (opposite is None and steer is None):
            return None
        if opposite is not None and self.coupling is Coupling.INDEPENDENT:
            self._check_independence(parallel, opposite)
        axes = (PARALLEL, OPPOSITE if steer is None else RACK)
        other = opposite if steer is None else steer
        if other is not None and (other is steer or self.coupling is Coupling.DEPENDENT):
            return Grid(parallel.section, parallel.table, axes, (parallel.x, other.x), _sum_of(parallel, other))
        low, high = float(parallel.x[0]), float(parallel.x[-1])
        reach = _OPPOSITE_SHARE * min(-low, high)
        share = 1.0 - _OPPOSITE_SHARE
        if not share * low <= self._standing(parallel) <= share * high:
            share = 1.0  # the vehicle stands near an end of the table: beyond it the curves go on straight
        first = knots_around_zero(share * low, share * high, _POINTS)
        second = knots_around_zero(-reach, reach, _POINTS)
        own = {side: first[:, None] + side.sign * second[None, :] for side in Side}
        values = {
            f"{name}_{side}": between(parallel.x, curve, own[side])
            for side in Side
            for name in AT_WHEEL
            if (curve := parallel.of(name, side)) is not None
        }
        return Grid(parallel.section, parallel.table, axes, (first, second), values)

    def _standing(self, parallel: Sweep) -> float:
        """Travel at which the springs carry the axle [m]; the end of the table where they do not."""
        loads = [parallel.of("Fz", side) for side in Side]
        if loads[0] is None or loads[1] is None:
            return 0.0  # said where loads are read
        return float(np.interp(self.figures.load, np.maximum.accumulate(loads[0] + loads[1]), parallel.x))

    def _check_independence(self, parallel: Sweep, opposite: Sweep) -> None:
        for side in Side:
            for name in ("rx", "rz", "ty", "tx"):
                one, other = parallel.of(name, side), opposite.of(name, side)
                if one is None or other is None:
                    continue
                own = opposite.of("travel", side)
                x = opposite.x * side.sign if own is None else own
                inside = (x >= parallel.x[0]) & (x <= parallel.x[-1])
                expected = between(parallel.x, one, x[inside])
                span = max(float(np.ptp(one)), 1e-4)
                apart = float(np.abs(other[inside] - expected).max(initial=0.0))
                if apart > _INDEPENDENCE * span:
                    text = f"'{name}' of the {side} wheel differs by {apart:.3g} between parallel and opposite travel, "
                    text += f"{100 * apart / span:.0f} % of its range: the wheels are not independent"
                    self.section.report(
                        "wheels", text, hint='wheels = "dependent", or a grid', severity=Severity.WARNING
                    )
                    return

    def _wheel_maps(self, grid: Grid) -> tuple[Map2D, Map2D] | None:
        """Maps of both wheels; what is missing is named, or replaced where that is harmless."""
        section, table, axes, knots, values = grid.section, grid.table, grid.axes, grid.knots, grid.values
        outputs = (*POSE, Variable("damper_length", _LENGTH))
        if all(f"spring_length_{side}" in values for side in Side):  # only what acts along a spring needs it
            outputs = (*outputs, Variable("spring_length", _LENGTH))
        meanings = {"rx": "camber", "rz": "toe"}
        shape = (knots[0].size, knots[1].size)
        missing: dict[str, None] = {}
        maps = []
        for side in Side:
            travel = knots[0][:, None] + (side.sign * knots[1][None, :] if axes[1] is OPPOSITE else 0.0)
            standing = {"tz": np.broadcast_to(travel, shape)}
            channels: list[Array] = []
            for output in outputs:
                found = values.get(f"{output.name}_{side}")
                if found is None and output.name in meanings:
                    mirror = meanings[output.name]
                    text = f"'{table.path.name}' has neither '{output.name}' nor '{mirror}' of the {side} wheel: "
                    text += "the real-time model steers and leans its wheels by it"
                    section.report("file", text, hint="name the column under [kc.columns]")
                    return None
                if found is None:
                    missing[output.name] = None
                    found = standing.get(output.name, np.zeros(shape))
                if output.name == "damper_length" and "damper_length" in missing:
                    found = -channels[2]
                channels.append(np.asarray(found))
            maps.append(
                Map2D(
                    axes,
                    knots,
                    outputs,
                    np.stack(channels, axis=-1),
                    interpolation=Interpolation.PARABOLIC,
                    extrapolation=Extrapolation.LINEAR,
                )
            )
        self._say_missing(missing)
        self._check_signs(section, maps[0], maps[1])
        return maps[0], maps[1]

    def _say_missing(self, missing: Mapping[str, None]) -> None:
        instead = {
            "tx": "no movement along x: no anti-dive",
            "ty": "no movement along y: a roll centre on the ground",
            "tz": "the travel itself",
            "ry": "no pitch of the carrier: brakes do not support the body",
            "damper_length": "the damper moves with the wheel",
        }
        for name in missing:
            severity = Severity.NOTE if name == "tz" else Severity.WARNING
            self.section.report("", f"no table has '{name}'; taken is: {instead[name]}", severity=severity)

    def _check_signs(self, section: Section, left: Map2D, right: Map2D) -> None:
        """A bump must lift the wheel; toe, camber and track must be mirror images in parallel travel."""
        column = int(np.abs(left.knots[1]).argmin())
        curves = [m.values[:, column] for m in (left, right)]
        tz = left.output_index("tz")
        for side, curve in zip(Side, curves, strict=True):
            if curve[-1, tz] <= curve[0, tz]:
                text = f"the {side} wheel goes down where its travel increases: "
                text += f"'tz' from {curve[0, tz]:g} to {curve[-1, tz]:g} m"
                section.report("file", text, hint="travel is positive in bump, tz up: turn a sign with factor = -1")
        for name in ("ty", "rx", "rz"):
            one, other = (curve[:, left.output_index(name)] for curve in curves)
            one, other = one - one.mean(), other - other.mean()
            size = float(one @ one + other @ other)
            if size > 1e-9 and float(one @ other) > 0.8 * 0.5 * size:
                text = f"'{name}' of left and right wheel move alike in parallel travel; a mirror image was expected"
                hint = "tx … rz are along the axes of V for both wheels; 'toe' and 'camber' are mirror-symmetric"
                section.report("file", text, hint=hint)

    # ---- forces

    def _loads_over(self, sweep: Sweep | None, axis: Variable) -> Map1D | None:
        if sweep is None:
            return None
        loads = {side: sweep.of("Fz", side) for side in Side}
        if any(load is None for load in loads.values()):
            text = f"'{sweep.table.path.name}' has no 'Fz' of both wheels: springs and anti-roll bar follow from it"
            sweep.section.report("file", text, hint="vertical force under the wheel, weight of the wheel included [N]")
            return None
        bare = {side: sweep.of("Fz_without_stops", side) for side in Side}
        outputs, columns = [], []
        for suffix, found in (("", loads), ("_without_stops", bare)):
            for side in Side:
                column = found[side] if found[side] is not None else loads[side]
                outputs.append(Variable(f"Fz_{side}{suffix}", _FORCE))
                columns.append(np.asarray(column))
        of_bar = {side: sweep.of("Fz_of_bar", side) for side in Side}
        if axis is OPPOSITE and all(part is not None for part in of_bar.values()):
            outputs += [Variable(f"Fz_{side}_of_bar", _FORCE) for side in Side]
            columns += [np.asarray(part) for part in of_bar.values()]
        elif axis is OPPOSITE:
            self.tables.note("no 'Fz_of_bar': all that the axle does in roll beyond its springs counts as the bar's")
        left = columns[0]
        if left[-1] <= left[0]:
            text = f"'Fz' of the left wheel falls from {left[0]:.0f} to {left[-1]:.0f} N where its travel increases"
            sweep.section.report("file", text, hint="travel is positive in bump; Fz is that of the road on the wheel")
        return curve_map(axis, sweep.x, outputs, np.column_stack(columns))

    def _loads(self) -> list[tuple[Mapping[Load, Map1D], Mapping[Load, Map1D]]]:
        """Own and opposite maps of the left and of the right wheel over every load; empty without any table."""
        nothing: list[tuple[Mapping[Load, Map1D], Mapping[Load, Map1D]]] = [({}, {}), ({}, {})]
        given = {(load, side): self._load(load, side) for load in LOADS for side in Side}
        if all(test is None for test in given.values()):
            self.tables.note("no table of loads: the wheels do not give way")
            return nothing
        own: list[dict[Load, Map1D]] = [{}, {}]
        opposite: list[dict[Load, Map1D]] = [{}, {}]
        for load in LOADS:
            left, right = (given[load, side] for side in Side)
            if left is None and right is None:
                text = f"no table '{load}_left': the wheels do not give under this load"
                self.section.report("", text, severity=Severity.WARNING)
            for k, side in enumerate(Side):
                same, other = (left, right) if side is Side.LEFT else (right, left)
                own[k][load] = self._give(load, same, other, side)
                opposite[k][load] = self._give(load, other, same, side)
        return [(MappingProxyType(own[k]), MappingProxyType(opposite[k])) for k in range(2)]

    def _load(self, load: Load, side: Side) -> Sweep | None:
        return self.tables.sweep(f"{load}_{side}", Variable(str(load), APPLIED[str(load)]))

    def _give(self, load: Load, test: Sweep | None, mirror: Sweep | None, side: Side) -> Map1D:
        """Change of the pose of the wheel on a side in a test; from the mirrored test on the other side if need be."""
        axis = Variable(str(load), APPLIED[str(load)])
        outputs = (*POSE, LOAD)
        names = [output.name for output in outputs]
        if test is not None:
            found, at, x, signs = test, side, test.x, dict.fromkeys(names, 1.0)
        elif mirror is not None:
            found, at = mirror, Side.RIGHT if side is Side.LEFT else Side.LEFT
            x = mirror.x * (-1.0 if load in (Load.FY, Load.MZ) else 1.0)
            signs = {name: MIRRORED.get(name, 1.0) for name in names}
        else:
            return curve_map(axis, np.array([-1.0, 1.0]), outputs, np.zeros((2, len(outputs))))
        columns = []
        for name in names:
            values = found.of(name, at)
            columns.append(signs[name] * values if values is not None else np.zeros(x.size))
        order = np.argsort(x)
        table = np.column_stack(columns)[order]
        return curve_map(axis, x[order], outputs, table - table[int(np.abs(x[order]).argmin())])


def _over_even_rack(grid: Grid, even: Callable[[Array], Array]) -> Grid:
    """The grid over the travel of a rack with a constant ratio, at enough knots for what is not straight any more."""
    rack = grid.knots[1]
    fine = knots_around_zero(float(rack[0]), float(rack[-1]), max(2 * _POINTS, rack.size))
    values = {key: np.stack([between(rack, row, fine) for row in item]) for key, item in grid.values.items()}
    return replace(grid, knots=(grid.knots[0], even(fine)), values=values)


def _sum_of(first: Sweep, second: Sweep) -> dict[str, Array]:
    """Values on the grid of two sweeps: what both give together, counted from the design position."""
    zero = int(np.abs(second.x).argmin())
    return {
        key: item[:, None] + (second.values[key] - second.values[key][zero])[None, :]
        if key in second.values
        else np.broadcast_to(item[:, None], (first.x.size, second.x.size))
        for key, item in first.values.items()
    }

"""Kinematics and compliance as maps: what the conversion to a real-time model is built on.

The pose of a wheel against the body is Kin(z_p, x_r) + ΣCom(load) on an axle with a rack, Kin(z_p, z_o) + ΣCom(load)
on one without, with z_p = (z_L + z_R)/2 and z_o = (z_L − z_R)/2. Translations tx, ty, tz are displacements of the wheel
centre from the design position, in V [m]; rx, ry, rz are the inclination, pitch and steer angle of the wheel frame
[rad] as `trackrod.kc.orientation` defines them, in Kin absolute, in Com the change from no load.

Reference: the conversion of a light commercial vehicle, eq. 1 and 2 (``docs/kc.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.artefact import Schema
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Problem, Severity
from trackrod.core.executors import executor
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Map2D, Variable
from trackrod.core.plain import Plain
from trackrod.core.quantities import KINDS
from trackrod.core.records import from_plain, to_plain
from trackrod.kc.measure import Gauge, Measured, gauges, measure
from trackrod.kc.points import SIDES, Inputs, Load, Solution
from trackrod.kc.rig import Rig
from trackrod.rtm.elasticity import ElasticAxle
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "KC_MAPS",
    "GridTest",
    "KcMaps",
    "WheelMaps",
    "compliance_maps",
    "folds",
    "grid",
    "held_apart",
    "kinematics_maps",
    "stiffness_map",
]

Array = NDArray[np.float64]

PARALLEL = Variable("parallel_travel", KINDS["length"])
OPPOSITE = Variable("opposite_travel", KINDS["length"])
RACK = Variable("rack_travel", KINDS["length"])
POSE = (*(Variable(f"t{a}", KINDS["length"]) for a in "xyz"), *(Variable(f"r{a}", KINDS["angle"]) for a in "xyz"))
LOAD = Variable("Fz", KINDS["force"])

#: Rack travel from which wheels are held apart by so much in a turn, half of their difference [m].
TURN = (0.02, 0.04)
#: Share of its stiffness that an anti-roll bar loses where its part in the loads is looked for [-].
_SOFTER = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class WheelMaps:
    """Maps of one wheel.

    Attributes
    ----------
    kinematics
        tx, ty, tz, rx, ry, rz, Fz and the readings of its gauges (lengths of spring, damper and stops [m], twists
        [rad]) over parallel travel and rack travel, or parallel and opposite travel.
    own, opposite
        Changes of tx … rz and of Fz over a load on this wheel, and over the same load on the other wheel, wheel centres
        at the height of the design position. Mx and My repeat what forces at the contact patch already hold: take
        either the forces at the contact patch alone, or those at the wheel centre with the moments.
    in_roll
        On an axle with a rack: changes of what `kinematics` tells over opposite travel, against the same travel of both
        wheels. Bars and springs between the wheels pull otherwise then. None where the second axis is that travel.
    """

    kinematics: Map2D
    own: Mapping[Load, Map1D]
    opposite: Mapping[Load, Map1D]
    in_roll: Map1D | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KcMaps:
    """Everything the rig knows about an axle, as maps.

    Attributes
    ----------
    vehicle, axle, mode
        What was on the rig.
    steered
        Whether the second axis of the kinematics is the rack travel; otherwise it is the opposite travel.
    left, right
        Maps of the wheels.
    ride
        Over parallel travel: wheel loads ``Fz_left``, ``Fz_right`` [N], and both ``…_without_stops``. Dampers at rest
        add nothing to either.
    roll
        The same over opposite travel, and the part of the anti-roll bar in them, ``Fz_left_of_bar``,
        ``Fz_right_of_bar`` [N]: how they change with its stiffness, for each unit of its relative change. Without these
        all that the axle does beyond its springs counts as the bar's.
    design_load
        Wheel loads at the design position, left and right [N].
    unsprung_mass
        Mass that counts as unsprung, by wheel [kg].
    loaded_radius
        [m]
    track, wheelbase
        At the design position [m]; the wheelbase of half a vehicle may not be known.
    elasticity
        The axle as a system with inertia and damping; None where the maps came from somewhere else.
    by_rack
        Over the rack's travel: changes of the wheel loads ``Fz_left``, ``Fz_right`` [N], wheels held where a turn to
        that side has them: steering moves springs and bars. None without a rack, or where it is not known.
    """

    vehicle: str
    axle: Axle
    mode: str
    steered: bool
    left: WheelMaps
    right: WheelMaps
    ride: Map1D
    roll: Map1D
    design_load: tuple[float, float]
    unsprung_mass: tuple[float, float]
    loaded_radius: tuple[float, float]
    track: float
    wheelbase: float | None
    elasticity: ElasticAxle | None = None
    by_rack: Map1D | None = None

    def __repr__(self) -> str:
        return f"KcMaps({self.vehicle!r}, {self.axle} axle, {self.mode})"

    def wheel(self, side: Side) -> WheelMaps:
        """Maps of the wheel on a side."""
        return self.left if side is Side.LEFT else self.right

    def wheel_rate(self, travel: ArrayLike = 0.0, *, stops: bool = True) -> Array:
        """dFz/dz in parallel travel [N/m], mean of both wheels."""
        return self._mean_slope(self.ride, travel, stops, 1.0)

    def roll_rate(self, travel: ArrayLike = 0.0, *, stops: bool = True) -> Array:
        """d(Fz_L − Fz_R)/2 by opposite travel [N/m]: what a wheel resists when the other moves against it."""
        return self._mean_slope(self.roll, travel, stops, -1.0)

    @staticmethod
    def _mean_slope(curve: Map1D, travel: ArrayLike, stops: bool, right: float) -> Array:
        suffix = "" if stops else "_without_stops"
        slope = curve.slope(travel)
        left, other = (slope[..., curve.output_index(f"Fz_{side}{suffix}")] for side in SIDES)
        return np.asarray(0.5 * (left + right * other))


# ---- making them


@dataclass(frozen=True, slots=True, eq=False)
class GridTest:
    """Equilibria on a grid of travel and rack, or of parallel and opposite travel.

    Attributes
    ----------
    rig
        The rig that the lines were solved on, or one like it.
    first, second
        Parallel travel, and rack or opposite travel [m].
    lines
        A solution for each parallel travel.
    """

    rig: Rig
    first: Array
    second: Array
    lines: tuple[Solution, ...]


def grid(vehicle: Vehicle, axle: Axle, first: ArrayLike, second: ArrayLike) -> GridTest:
    """Solve a grid; two threads take the travels above and below the design position.

    Parameters
    ----------
    first
        Parallel travel [m], increasing.
    second
        Rack travel on an axle with a rack, opposite travel on one without [m], increasing.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    rigs = [Rig(vehicle, axle, check=False) for _ in range(2)]

    def line(z: float) -> Inputs:
        if rigs[0].steered:
            return Inputs.of(np.full((len(y), 2), z), y)
        return Inputs.of(np.column_stack((z + y, z - y)))

    lines = [line(float(z)) for z in x]
    cut = int(np.abs(x).argmin())
    halves = [part for part in (lines[:cut], lines[cut:]) if part]
    with executor(len(halves)) as threads:
        solved = threads.map(lambda pair: pair[0].grid(pair[1]), zip(rigs, halves, strict=False))
        return GridTest(rigs[0], x, y, tuple(solution for half in solved for solution in half))


def kinematics_maps(test: GridTest) -> tuple[tuple[Map2D, Map2D], tuple[Problem, ...]]:
    """Maps of the left and the right wheel, and a warning if they are smaller than the grid.

    Points that were not reached are cut off: the largest rectangle of reached points around the design position is
    kept.

    Raises
    ------
    InputError
        Not even four points next to the design position were reached.
    """
    solved = np.array([line.solved for line in test.lines])
    rows, columns = _reached(solved, int(np.abs(test.first).argmin()), int(np.abs(test.second).argmin()))
    of = gauges(test.rig)
    at = [measure(test.rig, line, of) for line in test.lines[rows]]
    second = RACK if test.rig.steered else OPPOSITE
    maps = []
    for k, side in enumerate(SIDES):
        own = [i for i, gauge in enumerate(of) if gauge.side in (None, side)]
        outputs = (*POSE, LOAD, *(_without_side(of[i]) for i in own))
        values = np.array([_pose_values(test.rig, m, k, own)[columns] for m in at])
        maps.append(_map2d((PARALLEL, second), (test.first[rows], test.second[columns]), outputs, values))
    problems: tuple[Problem, ...] = ()
    if not solved.all():
        text = f"{test.rig.axle} axle: {int((~solved).sum())} of {solved.size} points of the map were not reached; it "
        other = second.name.replace("_", " ")
        text += f"ends at travel {_span(test.first[rows])} and {other} {_span(test.second[columns])}"
        problems = (Problem(text, severity=Severity.WARNING),)
    return (maps[0], maps[1]), problems


def roll_changes(rig: Rig, travel: ArrayLike, kinematics: tuple[Map2D, Map2D]) -> tuple[Map1D, Map1D]:
    """What the left and the right wheel do otherwise in opposite travel [m] than in the same travel of both.

    Raises
    ------
    InputError
        Fewer than three points were reached.
    """
    z = np.asarray(travel, dtype=np.float64)
    solution = rig.sweep(Inputs.of(np.column_stack((z, -z))))
    good = solution.solved
    if good.sum() < 3:
        raise InputError(solution.problems)
    of = gauges(rig)
    at, found = measure(rig, solution, of), []
    for k, side in enumerate(SIDES):
        own = [i for i, gauge in enumerate(of) if gauge.side in (None, side)]
        alike = kinematics[k].value(side.sign * z, 0.0)
        values = (_pose_values(rig, at, k, own) - alike)[good]
        outputs = kinematics[k].outputs
        found.append(_map1d(OPPOSITE, z[good], outputs, values - values[int(np.abs(z[good]).argmin())]))
    return found[0], found[1]


def held_apart(to_the_left: Array) -> Array:
    """Travel of the left wheel in a turn over the rack's travel, that of the right one turned round [m]."""
    return np.asarray(-TURN[1] * np.clip(to_the_left / TURN[0], -1.0, 1.0))


def rack_map(rig: Rig, rack: ArrayLike, kinematics: Map2D) -> Map1D | None:
    """Changes of the wheel loads over the rack's travel [m] where a turn has the wheels; None if too little is reached.

    Where a bar is twisted, steering changes its levers too, so that what the rack does is not the same in roll. In a
    turn both come together: the wheels are held as far apart as `TURN` says.
    """
    knots = np.asarray(rack, dtype=np.float64)
    steer = kinematics.value(0.0, knots[[0, -1]])[:, kinematics.output_index("rz")]
    travels = held_apart(np.sign(steer[1] - steer[0]) * knots)
    values, good = np.zeros((knots.size, 2)), np.ones(knots.size, dtype=bool)
    for i in np.flatnonzero(knots):
        travel = np.outer([0.0, 0.5, 1.0, 1.0, 1.0], [travels[i], -travels[i]])
        line = rig.sweep(Inputs.of(travel, knots[i] * np.array([0.0, 0.0, 0.0, 0.5, 1.0])))
        good[i] = line.solved.all()
        load = measure(rig, line, ()).wheel_load
        values[i] = load[-1] - load[2]
    if good.sum() < 3:
        return None
    outputs = tuple(replace(LOAD, name=f"{LOAD.name}_{side}") for side in SIDES)
    return _map1d(RACK, knots[good], outputs, values[good])


def _reached(solved: NDArray[np.bool_], row: int, column: int) -> tuple[slice, slice]:
    """A rectangle around a point that holds no failure: edges with the largest share of failures go first."""
    top, bottom, left, right = 0, solved.shape[0], 0, solved.shape[1]
    while not solved[top:bottom, left:right].all():
        part = ~solved[top:bottom, left:right]
        shares = {
            "top": part[0].mean() if top < row else -1.0,
            "bottom": part[-1].mean() if bottom > row + 1 else -1.0,
            "left": part[:, 0].mean() if left < column else -1.0,
            "right": part[:, -1].mean() if right > column + 1 else -1.0,
        }
        worst = max(shares, key=lambda edge: shares[edge])
        if shares[worst] < 0:
            break
        top, bottom = top + (worst == "top"), bottom - (worst == "bottom")
        left, right = left + (worst == "left"), right - (worst == "right")
    if bottom - top < 2 or right - left < 2 or not solved[top:bottom, left:right].all():
        raise InputError("no point of the map next to the design position was reached; there is nothing to save")
    return slice(top, bottom), slice(left, right)


def _pose_values(rig: Rig, at: Measured, wheel: int, own: list[int]) -> Array:
    moved = at.centre[:, wheel] - np.array(rig.wheels[wheel].centre)
    return np.column_stack((moved, at.angles[:, wheel], at.wheel_load[:, wheel], at.readings[:, own]))


def _without_side(gauge: Gauge) -> Variable:
    name = gauge.name if gauge.side is None else gauge.name.replace(f"_{gauge.side}", "", 1)
    return Variable(name, gauge.kind)


def compliance_maps(rig: Rig, load: Load, left: Solution, right: Solution) -> tuple[tuple[Map1D, Map1D], ...]:
    """Maps (own, opposite) of the left and of the right wheel over a load.

    Parameters
    ----------
    left, right
        Equilibria with the load on the left wheel alone and on the right wheel alone, the same values, increasing.

    Raises
    ------
    InputError
        A load was not carried.
    """
    axis = Variable(str(load), KINDS["torque" if load.is_moment else "force"])
    values = left.inputs.load(load)[:, 0]
    changes = []
    for solution in (left, right):
        if not solution.solved.all():
            raise InputError(solution.problems)
        at = measure(rig, solution, ())
        both = np.stack([_pose_values(rig, at, k, []) for k in range(2)])
        changes.append(both - both[:, [int(np.abs(values).argmin())]])
    return tuple(
        (_map1d(axis, values, (*POSE, LOAD), changes[k][k]), _map1d(axis, values, (*POSE, LOAD), changes[1 - k][k]))
        for k in range(2)
    )


def stiffness_map(rig: Rig, travel: ArrayLike, *, opposed: bool) -> Map1D:
    """Wheel loads over parallel or opposite travel [m], with the stops and without; in opposite travel also the bar's.

    For its part the bar is softened a little, not taken out: it stands on bushings, and near its own stiffness their
    yielding counts as it does there.

    Raises
    ------
    InputError
        Fewer than two points were reached.
    """
    z = np.asarray(travel, dtype=np.float64)
    inputs = Inputs.of(np.column_stack((z, -z if opposed else z)))
    bare = Rig(replace(rig.vehicle, stops=()), rig.axle, check=False)
    rigs = {"": rig, "_without_stops": bare} | ({"_of_bar": _with_softer_bar(bare)} if opposed else {})
    solutions = {suffix: each.sweep(inputs) for suffix, each in rigs.items()}
    good = np.all([solution.solved for solution in solutions.values()], axis=0)
    if good.sum() < 2:
        raise InputError(chain.from_iterable(solution.problems for solution in solutions.values()))
    loads = {suffix: measure(rigs[suffix], solution, ()).wheel_load for suffix, solution in solutions.items()}
    if opposed:
        loads["_of_bar"] = (loads["_without_stops"] - loads["_of_bar"]) / _SOFTER
    outputs = [Variable(f"Fz_{side}{suffix}", KINDS["force"]) for suffix in loads for side in SIDES]
    return _map1d(OPPOSITE if opposed else PARALLEL, z[good], outputs, np.hstack(list(loads.values()))[good])


def _with_softer_bar(rig: Rig) -> Rig:
    """The axle with the torsion springs between its wheels softer by `_SOFTER`."""
    bars = {gauge.element for gauge in gauges(rig) if gauge.kind is KINDS["angle"] and gauge.side is None}
    springs = tuple(
        replace(spring, curve=replace(spring.curve, y=(1.0 - _SOFTER) * spring.curve.y))
        if spring.name in bars
        else spring
        for spring in rig.vehicle.torsion_springs
    )
    return Rig(replace(rig.vehicle, torsion_springs=springs), rig.axle, check=False)


def unsprung_masses(rig: Rig) -> tuple[float, float]:
    """Unsprung mass that each wheel carries [kg]: of a body between the wheels, shared by its distance to them."""
    track = rig.vehicle.track(rig.axle)
    middle = 0.5 * (rig.wheels[0].centre[1] + rig.wheels[1].centre[1])
    total = np.zeros(2)
    for name in rig.model.index:
        body = rig.vehicle.body(name)
        left = min(max(0.5 + (body.centre[1] - middle) / track, 0.0), 1.0)
        total += body.mass * (1.0 - body.sprung_fraction) * np.array([left, 1.0 - left])
    return float(total[0]), float(total[1])


def folds(maps: KcMaps) -> list[Problem]:
    """Where a wheel does not rise with its own travel: there the mechanism has folded, or a sign is wrong."""
    found = []
    for side in SIDES:
        kinematics = maps.wheel(side).kinematics
        first, second = kinematics.knots
        tz = kinematics.values[..., kinematics.output_index("tz")]
        rising = [np.diff(tz, axis=0) > 0.0]
        if not maps.steered:
            rising.append(side.sign * np.diff(tz, axis=1) > 0.0)
        wrong = next((up for up in rising if not up.all()), None)
        if wrong is not None:
            row, column = np.argwhere(~wrong)[0]
            where = f"travel {1e3 * first[row]:+.1f} mm and {kinematics.axes[1].name.replace('_', ' ')} "
            text = f"the K&C map of the {maps.axle} axle folds: its {side} wheel does not rise with its travel at "
            text += f"{where}{1e3 * second[column]:+.1f} mm"
            found.append(Problem(text, hint="ask for less travel, or look for a sign or for points that came twice"))
    return found


def _span(values: Array) -> str:
    return f"{1e3 * values[0]:+.1f} … {1e3 * values[-1]:+.1f} mm"


def _map1d(axis: Variable, knots: Array, outputs: Any, values: Array) -> Map1D:
    return Map1D(
        axis, knots, outputs, values, interpolation=Interpolation.PARABOLIC, extrapolation=Extrapolation.LINEAR
    )


def _map2d(axes: tuple[Variable, Variable], knots: tuple[Array, Array], outputs: Any, values: Array) -> Map2D:
    return Map2D(
        axes, knots, outputs, values, interpolation=Interpolation.PARABOLIC, extrapolation=Extrapolation.LINEAR
    )


# ---- saving them


def _wheel_to_plain(wheel: WheelMaps) -> dict[str, Plain]:
    return {
        "kinematics": wheel.kinematics.to_dict(),
        "own": {str(load): curve.to_dict() for load, curve in wheel.own.items()},
        "opposite": {str(load): curve.to_dict() for load, curve in wheel.opposite.items()},
        "in_roll": None if wheel.in_roll is None else wheel.in_roll.to_dict(),
    }


def _wheel_from_plain(data: Mapping[str, Any]) -> WheelMaps:
    own, opposite = (
        MappingProxyType({Load(load): Map1D.from_dict(curve) for load, curve in data[key].items()})
        for key in ("own", "opposite")
    )
    in_roll = None if data["in_roll"] is None else Map1D.from_dict(data["in_roll"])
    return WheelMaps(Map2D.from_dict(data["kinematics"]), own, opposite, in_roll)


_PAIRS = ("design_load", "unsprung_mass", "loaded_radius")


def _to_plain(maps: KcMaps) -> dict[str, Plain]:
    return {
        "vehicle": maps.vehicle,
        "axle": str(maps.axle),
        "mode": maps.mode,
        "steered": maps.steered,
        "left": _wheel_to_plain(maps.left),
        "right": _wheel_to_plain(maps.right),
        "ride": maps.ride.to_dict(),
        "roll": maps.roll.to_dict(),
        **{name: list(getattr(maps, name)) for name in _PAIRS},
        "track": maps.track,
        "wheelbase": maps.wheelbase,
        "elasticity": None if maps.elasticity is None else to_plain(maps.elasticity),
        "by_rack": None if maps.by_rack is None else maps.by_rack.to_dict(),
    }


def _from_plain(data: Mapping[str, Any]) -> KcMaps:
    pairs = {name: (float(data[name][0]), float(data[name][1])) for name in _PAIRS}
    return KcMaps(
        vehicle=str(data["vehicle"]),
        axle=Axle(data["axle"]),
        mode=str(data["mode"]),
        steered=bool(data["steered"]),
        left=_wheel_from_plain(data["left"]),
        right=_wheel_from_plain(data["right"]),
        ride=Map1D.from_dict(data["ride"]),
        roll=Map1D.from_dict(data["roll"]),
        track=float(data["track"]),
        wheelbase=None if data["wheelbase"] is None else float(data["wheelbase"]),
        elasticity=None if data["elasticity"] is None else from_plain(ElasticAxle, data["elasticity"]),
        by_rack=None if data.get("by_rack") is None else Map1D.from_dict(data["by_rack"]),
        **pairs,
    )


#: Maps of an axle saved as one file.
KC_MAPS = Schema("trackrod.kc_maps", 3, _to_plain, _from_plain)

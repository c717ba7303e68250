"""The tests of the rig, each of which gives one table: travel, roll, steering, loads, and load cases from files.

Left and right stand at the end of names. Longitudinal and lateral forces and moments are those of the road on the
wheel along the axes of V; during load tests the wheel centres keep the height of the design position, unless another
`Hold` is asked for, which the name of the test then tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.kc import derived
from trackrod.kc.measure import Gauge, Measured, Neighbours, gauges, locks, measure, neighbours
from trackrod.kc.orientation import mirrored
from trackrod.kc.points import SIDES, Hold, Inputs, Load, Rates, Solution
from trackrod.kc.result import Column, KcTest
from trackrod.kc.rig import Rig
from trackrod.vehicle.experiments import LoadCase, SteeringMode, VerticalMode

__all__ = [
    "PATTERNS",
    "grid_table",
    "held",
    "load_sweeps",
    "loads",
    "opposite",
    "parallel",
    "roll",
    "run_load_case",
    "single",
    "steer",
    "table",
]

Array = NDArray[np.float64]

#: How a load is shared by the wheels: left and right.
PATTERNS: Mapping[str, tuple[float, float]] = {
    "left": (1.0, 0.0),
    "right": (0.0, 1.0),
    "in_phase": (1.0, 1.0),
    "opposed": (1.0, -1.0),
}
#: Half the width of the difference that the rate of a tyre is taken from [m].
_STEP = 1e-5
_SIGNS = np.array([side.sign for side in SIDES], dtype=float)


def parallel(rig: Rig, travel: ArrayLike, hold: Hold = Hold.HEIGHT) -> KcTest:
    """Both wheels, or the ground under both, at the same travel [m]."""
    z = np.asarray(travel, dtype=np.float64)
    return held(rig, "parallel", Inputs.of(np.column_stack((z, z))), hold)


def opposite(rig: Rig, travel: ArrayLike, hold: Hold = Hold.HEIGHT) -> KcTest:
    """The left wheel, or the ground under it, at a travel [m], the right one at its negative."""
    z = np.asarray(travel, dtype=np.float64)
    return held(rig, "opposite", Inputs.of(np.column_stack((z, -z))), hold)


def single(rig: Rig, travel: ArrayLike, hold: Hold = Hold.HEIGHT) -> KcTest:
    """The left wheel at a travel [m] and the right one at the design height, then the other way round."""
    z = np.asarray(travel, dtype=np.float64)
    parts = [np.outer(z, share) for share in (PATTERNS["left"], PATTERNS["right"])]
    inputs = [Inputs.of(part) for part in parts]
    return _table(rig, "single", _joined([rig.held(hold, one, rates=True) for one in inputs]), hold, np.vstack(parts))


def held(rig: Rig, name: str, inputs: Inputs, hold: Hold) -> KcTest:
    """A test under a hold; on tyres the travel of `inputs` is that of the ground.

    Raises
    ------
    InputError
        Travel is asked for where the loads are held.
    """
    if hold is Hold.LOAD and inputs.travel.any():
        raise InputError(f"test '{name}': wheel loads are held, so that travel cannot be given too")
    return _table(rig, name, rig.held(hold, inputs, rates=True), hold, inputs.travel)


def roll(rig: Rig, travel: ArrayLike) -> KcTest:
    """Opposite travel [m] at constant axle load: both wheels are lowered or raised until the sum of loads is kept."""
    return _table(rig, "roll", rig.roll(travel, rates=True))


def steer(rig: Rig, rack: ArrayLike, hold: Hold = Hold.HEIGHT) -> KcTest:
    """Rack travel [m] at the design height, on the tyres or at the design load."""
    if not rig.steered:
        raise InputError(f"the {rig.axle} axle of '{rig.vehicle.name}' has no rack to steer with")
    return held(rig, "steer", Inputs.of(rack=np.asarray(rack, dtype=np.float64)), hold)


def loads(rig: Rig, load: Load, values: ArrayLike, hold: Hold = Hold.HEIGHT) -> KcTest:
    """A load [N], [N·m] on the left wheel alone, the right alone, both alike, and both opposed, in this order."""
    sweeps = load_sweeps(rig, load, values, hold)
    return _table(rig, str(load), _joined(sweeps), hold, np.zeros((sum(len(s.inputs) for s in sweeps), 2)))


def load_sweeps(rig: Rig, load: Load, values: ArrayLike, hold: Hold = Hold.HEIGHT) -> tuple[Solution, ...]:
    """Equilibria under a load, for each of the `PATTERNS`."""
    values = np.asarray(values, dtype=np.float64)
    inputs = (Inputs.of(loads={load: np.outer(values, share)}) for share in PATTERNS.values())
    return tuple(rig.held(hold, one, rates=True) for one in inputs)


def run_load_case(rig: Rig, case: LoadCase, name: str, *, at_centre: bool = False) -> KcTest:
    """The programme of a load case file; its forces act at the contact patch, or at the wheel centre.

    Its signs are taken as those of a rig in the axes of Adams/Car, x rearward and y to the right: travel upward,
    lateral force to the right, aligning torque about the upward axis, braking force rearward, driving force forward,
    steering-wheel angle and rack travel to the left.
    """
    steering = rig.vehicle.steering
    steered = bool(np.any(case.steer)) and rig.steered
    if steered and case.steering_mode is SteeringMode.FORCE:
        raise InputError(f"load case '{name}' gives the steering by a force; angle and length are understood")
    rack = np.zeros(len(case.steer))
    if steered and steering is not None:
        rack = case.steer * (steering.ratio if case.steering_mode is SteeringMode.ANGLE else 1.0)
    forces = {
        Load.FX: -case.brake_force,
        Load.FX_DRIVE: case.drive_force,
        Load.FY: -case.lateral_force,
        Load.MZ: case.aligning_torque,
    }
    if at_centre:
        along = case.drive_force - case.brake_force
        forces = {Load.FX_CENTRE: along, Load.FY_CENTRE: -case.lateral_force, Load.MZ: case.aligning_torque}
    if case.vertical_mode is VerticalMode.LENGTH:
        return _table(rig, name, rig.sweep(Inputs.of(case.vertical, rack, forces), rates=True))
    return _table(rig, name, rig.under_load(case.vertical, Inputs.of(0.0, rack, forces), rates=True))


def table(rig: Rig, name: str, solutions: Sequence[Solution]) -> KcTest:
    """Readings of solutions one after the other."""
    return _table(rig, name, _joined(solutions))


def grid_table(rig: Rig, lines: Sequence[Solution], first: Array, second: Array) -> KcTest:
    """Readings on a grid, line by line; velocities are differences between the neighbours of a point.

    Parameters
    ----------
    first, second
        Parallel travel of the lines, and rack or opposite travel along them [m].
    """
    solution = _joined(lines)
    of = gauges(rig)
    at = measure(rig, solution, of)
    index = np.arange(len(first) * len(second)).reshape(len(first), len(second))
    along = _on_grid(at, index, first, 0)
    other = _on_grid(at, index, second, 1)
    motions = _Motions(along, along if rig.steered else other, other if rig.steered else None)
    columns = (*_asked(rig, solution), *_readings(rig, at, of), *_derived(rig, "map", solution, at, of, motions))
    return KcTest("map", rig.axle, columns, solution.problems)


def _on_grid(at: Measured, index: NDArray[np.int64], values: Array, dimension: int) -> Neighbours:
    """The points next to each along one dimension of a grid; at the edge the point itself is one of them."""
    last = len(values) - 1
    ahead, behind = np.minimum(np.arange(last + 1) + 1, last), np.maximum(np.arange(last + 1) - 1, 0)
    way = values[ahead] - values[behind]
    rows = [np.take(index, places, axis=dimension).ravel() for places in (ahead, behind)]
    spread = way[:, None] if dimension == 0 else way[None, :]
    return Neighbours(at.take(rows[0]), at.take(rows[1]), np.broadcast_to(spread, index.shape).ravel())


def _joined(solutions: Sequence[Solution]) -> Solution:
    return Solution(
        Inputs(np.concatenate([s.inputs.table for s in solutions])),
        np.concatenate([s.poses for s in solutions]),
        np.concatenate([s.forces for s in solutions]),
        np.concatenate([s.lengths for s in solutions]),
        np.concatenate([s.solved for s in solutions]),
        tuple(chain.from_iterable(s.problems for s in solutions)),
        _joined_rates([s.rates for s in solutions]),
    )


def _joined_rates(rates: Sequence[Rates | None]) -> Rates | None:
    given = [rate for rate in rates if rate is not None]
    if not given:
        return None

    def pair(name: str) -> tuple[Solution, Solution]:
        ahead, behind = zip(*(getattr(rate, name) for rate in given), strict=True)
        return _joined(ahead), _joined(behind)

    return Rates(pair("parallel"), pair("opposite"), None if given[0].rack is None else pair("rack"))


@dataclass(frozen=True, slots=True, eq=False)
class _Motions:
    """Neighbours in parallel and opposite travel, and in rack travel where there is a rack."""

    along: Neighbours
    across: Neighbours
    rack: Neighbours | None


def _table(rig: Rig, name: str, solution: Solution, hold: Hold = Hold.HEIGHT, ground: Array | None = None) -> KcTest:
    """Readings of a solution; `ground` is the travel [m] that was asked for where wheels stand on their tyres."""
    of = gauges(rig)
    at = measure(rig, solution, of)
    columns = [*_asked(rig, solution), *_readings(rig, at, of)]
    if hold is Hold.TYRE and ground is not None:
        columns += _pair("ground", "length", ground)
    rates = solution.rates
    if rates is not None:
        rack = None if rates.rack is None else neighbours(rig, rates.rack, of)
        motions = _Motions(neighbours(rig, rates.parallel, of), neighbours(rig, rates.opposite, of), rack)
        columns += _derived(rig, name, solution, at, of, motions)
    if hold is Hold.TYRE:
        columns += _ride_rate(rig, columns)
    return KcTest(name + hold.suffix, rig.axle, tuple(columns), solution.problems)


def _ride_rate(rig: Rig, columns: Sequence[Column]) -> Iterator[Column]:
    """Change of the wheel load by the height of the ground: wheel rate and stiffness of the tyre in series."""
    by_name = {column.name: column.values for column in columns}
    for side, tyre, wheel in zip(SIDES, rig.tyres, rig.wheels, strict=True):
        count = len(wheel.tyres)
        deflection = tyre.deflection(np.maximum(np.nan_to_num(by_name[f"Fz_{side}"]), 0.0) / count)
        above, below = (tyre.vertical_force(deflection + step) for step in (_STEP, -_STEP))
        tyre_rate = count * (above - below) / (2.0 * _STEP)
        rate = by_name[f"wheel_rate_{side}"]
        yield Column.of(f"tyre_rate_{side}", "stiffness", tyre_rate + 0.0 * rate)
        yield Column.of(f"ride_rate_{side}", "stiffness", rate * tyre_rate / (rate + tyre_rate))


def _pair(name: str, kind: str, values: Array) -> Iterator[Column]:
    for k, side in enumerate(SIDES):
        yield Column.of(f"{name}_{side}", kind, values[:, k])


def _asked(rig: Rig, solution: Solution) -> Iterator[Column]:
    inputs = solution.inputs
    yield Column.of("solved", "number", solution.solved)
    yield from _pair("travel", "length", inputs.travel)
    yield Column.of("rack_travel", "length", inputs.rack)
    if rig.steered and rig.vehicle.steering is not None:
        yield Column.of("steering_wheel", "angle", inputs.rack / rig.vehicle.steering.ratio)
    for load in Load:
        if inputs.load(load).any():
            yield from _pair(
                load[:2].capitalize() + load[2:], "torque" if load.is_moment else "force", inputs.load(load)
            )


def _readings(rig: Rig, at: Measured, of: tuple[Gauge, ...]) -> Iterator[Column]:
    design = np.array([wheel.centre for wheel in rig.wheels])
    inclination, pitch, steered = np.moveaxis(at.angles, -1, 0)
    for i, name in enumerate(("tx", "ty", "tz")):
        yield from _pair(name, "length", (at.centre - design)[..., i])
    for name, angle in (("toe", steered), ("camber", inclination)):
        both = [mirrored(angle[:, k], side.sign) for k, side in enumerate(SIDES)]
        yield from _pair(name, "angle", np.column_stack(both))
    for name, angle in (("steer", steered), ("inclination", inclination), ("pitch", pitch)):
        yield from _pair(name, "angle", angle)
    yield from _pair("Fz", "force", at.wheel_load)
    yield from (Column(gauge.name, gauge.kind, at.readings[:, i]) for i, gauge in enumerate(of))
    if rig.steered:
        yield Column.of("rack_force", "force", at.rack_force)
    yield Column.of("track_centre", "length", at.centre[:, 0, 1] - at.centre[:, 1, 1])
    yield Column.of("track_contact", "length", at.contact[:, 0, 1] - at.contact[:, 1, 1])
    axis = rig.frames[..., 1]
    design_contact = design[:, 0] + rig.radii * axis[:, 0] * axis[:, 2] / np.sqrt(1.0 - axis[:, 2] ** 2)
    ahead = 1.0 if rig.axle is Axle.FRONT else -1.0
    yield from _pair("wheelbase_change_centre", "length", ahead * (at.centre[..., 0] - design[:, 0]))
    yield from _pair("wheelbase_change_contact", "length", ahead * (at.contact[..., 0] - design_contact))


def _derived(
    rig: Rig, name: str, solution: Solution, at: Measured, of: tuple[Gauge, ...], motions: _Motions
) -> Iterator[Column]:
    along, across, rack = motions.along, motions.across, motions.rack
    dependent = rig.vehicle.axle(rig.axle).dependent
    yield from _steering_axes(rig, at, of, motions)
    for label, slopes in (
        ("roll_centre", derived.slopes_of_paths(across)),
        ("roll_centre_carrier", derived.slopes_of_carriers(at, across)),
        ("roll_centre_projected", derived.projected_slopes(at, across if dependent else along)),
    ):
        height, y = derived.roll_centre(at, slopes)
        yield Column.of(f"{label}_height", "length", height)
        yield Column.of(f"{label}_y", "length", y)
    yield from _pair("brake_support", "number", derived.support(along, at, "brake_turn"))
    yield from _pair("drive_support", "number", derived.support(along, at, "drive_turn"))
    rolls = name in ("opposite", "roll")
    motion = across if rolls else along
    own = _SIGNS if rolls else np.ones(2)  # travel of each wheel per step of the test
    readings = motion.rate("readings")
    for i, gauge in enumerate(of):
        if gauge.side is not None and not gauge.stop:
            ratio = readings[:, i] / own[SIDES.index(gauge.side)]
            turned = gauge.kind.name == "angle"
            short = gauge.name.replace("_length", "").replace("_twist", "")
            yield Column.of(f"{short}_ratio", "curvature" if turned else "number", ratio if turned else -ratio)
    rate = motion.rate("wheel_load") / own
    yield from _pair("wheel_rate", "stiffness", rate)
    track = at.contact[:, 0, 1] - at.contact[:, 1, 1]
    if rolls:
        yield Column.of("roll_angle", "angle", np.arctan2(np.diff(at.contact[..., 2], axis=1)[:, 0], track))
        yield Column.of("roll_stiffness", "rotational_stiffness", rate.mean(axis=1) * track**2 / 2.0)
    if rack is not None:
        turning = rack.rate("angles")[..., 2]
        yield from _pair("steer_per_rack", "curvature", turning)
        steering = rig.vehicle.steering
        if steering is not None:
            with np.errstate(divide="ignore"):
                yield Column.of("steering_ratio", "number", 1.0 / (steering.ratio * turning.mean(axis=1)))
        if name == "steer" and rig.knows_wheelbase:
            steered = at.angles[..., 2]
            straight = steered[int(np.abs(solution.inputs.rack).argmin())]
            error, percent = derived.ackermann(steered, straight, rig.vehicle.track(rig.axle), rig.vehicle.wheelbase)
            yield Column.of("ackermann_error", "angle", error)
            yield Column.of("ackermann_percent", "number", percent)


def _steering_axes(rig: Rig, at: Measured, of: tuple[Gauge, ...], motions: _Motions) -> Iterator[Column]:
    geometric = _ball_joint_axis(rig, at)
    along, across, rack = motions.along, motions.across, motions.rack
    if rack is not None:
        held = derived.steering_axis_at_height(at, rack)
        springs = locks(of)
        locked = held if springs is None else derived.steering_axis_at_springs(at, rack, along, across, springs)
        yield from _axis_columns("", locked)
        yield from _axis_columns("_height_held", held)
    else:
        yield from _pair("caster", "angle", -at.angles[..., 1] if geometric is None else geometric.caster)
    if geometric is not None:
        yield from _axis_columns("_geometric", geometric)


def _axis_columns(suffix: str, axis: derived.SteeringAxis) -> Iterator[Column]:
    yield from _pair(f"caster{suffix}", "angle", axis.caster)
    yield from _pair(f"kingpin{suffix}", "angle", axis.kingpin)
    yield from _pair(f"scrub_radius{suffix}", "length", axis.scrub_radius)
    yield from _pair(f"mechanical_trail{suffix}", "length", axis.mechanical_trail)
    yield from _pair(f"kingpin_offset{suffix}", "length", axis.kingpin_offset)
    yield from _pair(f"caster_offset{suffix}", "length", axis.caster_offset)


def _ball_joint_axis(rig: Rig, at: Measured) -> derived.SteeringAxis | None:
    """Through the hardpoints lca_outer and uca_outer, which move with the carrier; None without them."""
    subsystem = rig.vehicle.axle(rig.axle).subsystem
    points = []
    for joint in ("lca_outer", "uca_outer"):
        names = [f"{subsystem}.{joint}_{side}" for side in SIDES]
        if not all(name in rig.vehicle.hardpoints for name in names):
            return None
        offset = [np.subtract(rig.vehicle.hardpoints[n], w.centre) for n, w in zip(names, rig.wheels, strict=True)]
        in_wheel = np.einsum("kji,kj->ki", rig.frames, np.array(offset))
        points.append(at.centre + np.einsum("nkij,kj->nki", at.rotation, in_wheel))
    return derived.steering_axis_through(at, points[0], points[1])

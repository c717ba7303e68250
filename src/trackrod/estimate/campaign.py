"""Every parameter that runs can tell, each with what the others told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.estimate.brakes import BrakeDistribution, BrakeFactor, BrakeFade, LargestBrakeTorque, PedalPressure
from trackrod.estimate.estimator import Estimator, estimate
from trackrod.estimate.handling import RollGradient, SteeringRatio, UndersteerGradient
from trackrod.estimate.height import HeightByBraking, HeightByCornering
from trackrod.estimate.known import USUAL, Known
from trackrod.estimate.masses import AxleMass, CgX, CgY, FrontShare, TotalMass, WheelMass
from trackrod.estimate.powertrain import EngineTorque, GearEfficiency, GearRatio
from trackrod.estimate.resistance import (
    AxleLift,
    Drag,
    LoadedRadius,
    RollingRadius,
    RollingResistance,
    both_directions,
)
from trackrod.estimate.result import CannotTell, Estimate, Result
from trackrod.estimate.suspension import BumpSlope, DamperRatio, RollSlope, StaticAngle, WheelAngle
from trackrod.estimate.tyres import RelaxationLength, SlipStiffness
from trackrod.estimate.yaw_inertia import YawInertia
from trackrod.measured.sensors import SensorSet

__all__ = ["Estimates", "estimate_all", "estimators_of"]

#: What an estimate is to the others, where it has another name among known numbers.
_KNOWN_AS = {"cg_height_braking": "cg_height"}
#: What one estimate tells another; the height by cornering is no better than what is usual.
_FEEDS = (
    *(f"rolling_radius_{axle}" for axle in Axle),
    *(f"loaded_radius_{axle}" for axle in Axle),
    *(f"lift_{axle}" for axle in Axle),
    "steering_ratio",
    "mass",
    "cg_x",
    "cg_y",
    "cg_height_braking",
    "rolling_resistance",
    "drag",
)
#: Levels of throttle are multiples of this; engine speeds multiples of 500 1/min.
_THROTTLE_LEVEL, _SPEED_LEVEL = 0.1, 500.0 * math.pi / 30.0
_ENOUGH = 15
#: Why points of the engine's map that runs touch are not told.
_FEW = "too few samples there in one gear, with the clutch closed and on both sides of the speed"
#: From this speed on coasting tells a resistance over v apart from one over v² [m/s].
_FAST = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """What runs told.

    Attributes
    ----------
    results
        By the name of the parameter.
    known
        What was known, and what was found on the way.
    estimators
        Settings of each, by name.
    """

    results: Mapping[str, Result]
    known: Known
    estimators: Mapping[str, Estimator]

    @property
    def values(self) -> dict[str, Estimate]:
        """Those that could be told."""
        return {name: found for name, found in self.results.items() if isinstance(found, Estimate)}

    @property
    def missing(self) -> dict[str, str]:
        """What could not be told, and why, for people: what lacks the same stands together."""
        why: dict[str, list[str]] = {}
        points = 0
        for name, found in self.results.items():
            if isinstance(found, CannotTell):
                if isinstance(self.estimators[name], EngineTorque):
                    points += 1
                else:
                    why.setdefault(found.missing, []).append(name)
        told = {", ".join(names): missing for missing, names in why.items()}
        if points:
            told[f"{points} further points of the engine's map"] = _FEW
        return told

    def to_plain(self) -> dict[str, Plain]:
        """As plain data."""
        return {"estimates": [found.to_plain() for found in self.results.values()]}


def estimate_all(
    runs: Sequence[Run],
    known: Known,
    sensors: SensorSet | None = None,
    *,
    estimators: Iterable[Estimator] | None = None,
) -> Estimates:
    """Every parameter, in an order in which each knows what was found before.

    Parameters
    ----------
    runs
        All runs of a campaign on one vehicle, one load.
    known
        What is known about the vehicle.
    sensors
        Their errors; None if they are not known.
    estimators
        What to estimate, with settings; everything if not given.

    Holds: the order of the runs does not matter to the values.
    """
    chosen = {e.name: e for e in (estimators_of(runs, known) if estimators is None else estimators)}
    told = known
    for name in (name for name in _FEEDS if name in chosen):  # what small terms of the others need
        told = _learnt(told, known, estimate(chosen[name], runs, told, sensors))
    results = {}
    for name, estimator in chosen.items():
        own = _KNOWN_AS.get(name, name)
        # A parameter does not explain itself: its own value is what it was before.
        others = told.knowing(*_as_before(known, own)) if own in told and own in USUAL else told
        results[name] = estimate(estimator, runs, others, sensors)
        if name in _FEEDS:
            told = _learnt(told, known, results[name])
    return Estimates(results, told, chosen)


def estimators_of(runs: Sequence[Run], known: Known) -> Iterator[Estimator]:
    """All estimators, with the gears, throttles and speeds that the runs have; what others need comes first."""
    for axle in Axle:
        yield RollingRadius(axle=axle)
    for axle in Axle:
        yield LoadedRadius(axle=axle)
    yield SteeringRatio()
    yield TotalMass()
    for corner in Corner:
        yield WheelMass(corner=corner)
    for axle in Axle:
        yield AxleMass(axle=axle)
    yield FrontShare()
    yield CgX()
    yield CgY()
    back = both_directions(runs)
    fast = any(signals.VX.column in run and run[signals.VX].max() > _FAST for run in runs)
    yield RollingResistance(there_and_back=back, linear=fast)
    yield Drag(there_and_back=back, linear=fast)
    for axle in Axle:
        yield AxleLift(axle=axle)
    yield HeightByBraking()
    yield HeightByCornering()
    yield YawInertia()
    for corner in Corner:
        yield BrakeFactor(corner=corner)
    yield BrakeDistribution()
    for axle in Axle:
        yield LargestBrakeTorque(axle=axle)
        yield PedalPressure(axle=axle)
    for corner in Corner:
        yield BrakeFade(corner=corner)
    yield UndersteerGradient()
    circles = [run for run in runs if signals.YAW.column in run and np.ptp(run[signals.YAW]) > 2.0 * math.pi]
    yield RollGradient(sloping=True, largest_ay=8.0) if circles else RollGradient()
    for axle in Axle:
        yield SlipStiffness(axle=axle)
        yield RelaxationLength(axle=axle)
        for angle in WheelAngle:
            yield BumpSlope(axle=axle, angle=angle)
    for angle in WheelAngle:
        yield RollSlope(angle=angle)
    for corner in Corner:
        for angle in WheelAngle:
            yield StaticAngle(corner=corner, angle=angle)
        yield DamperRatio(corner=corner)
    gears = [gear for gear in range(1, 13) if f"gear_ratio_{gear}" in known] or [1]
    for gear in gears:
        yield GearRatio(gear=gear)
        yield GearEfficiency(gear=gear)
    for gear, throttle, speed in _map_points(runs, gears):
        yield EngineTorque(gear=gear, throttle=throttle, speed=speed)


def _map_points(runs: Sequence[Run], gears: Sequence[int]) -> list[tuple[int, float, float]]:
    """Gears, levels of throttle and engine speeds that runs have enough samples of; the first gear if none."""
    found: dict[tuple[int, int, int], int] = {}
    columns = (signals.GEAR, signals.THROTTLE, signals.ENGINE_SPEED)
    for run in runs:
        if all(signal.column in run for signal in columns):
            gear, throttle, speed = (run[signal] for signal in columns)
            levels = np.column_stack((gear, throttle / _THROTTLE_LEVEL, speed / _SPEED_LEVEL))
            levels = levels[np.isfinite(levels).all(axis=1)]
            points, counts = np.unique(np.rint(levels).astype(int), axis=0, return_counts=True)
            for point, count in zip(map(tuple, points.tolist()), counts.tolist(), strict=True):
                found[point] = found.get(point, 0) + count
    chosen = [p for p, count in sorted(found.items()) if count >= _ENOUGH and p[0] in gears and p[1] > 1 and p[2] > 0]
    return [(g, t * _THROTTLE_LEVEL, s * _SPEED_LEVEL) for g, t, s in chosen] or [(gears[0], 1.0, 6 * _SPEED_LEVEL)]


def _learnt(told: Known, before: Known, result: Result) -> Known:
    """What is known with an estimate, where that is better than what was known before."""
    if not isinstance(result, Estimate):
        return told
    name = _KNOWN_AS.get(result.name, result.name)
    bound = math.sqrt(3.0) * result.standard_deviation
    if name in before and bound >= before.bounds.get(name, 0.0):
        return told
    return told.knowing({name: result.value}, {name: bound})


def _as_before(known: Known, name: str) -> tuple[dict[str, float], dict[str, float]]:
    return {name: known[name]}, {name: known.bounds[name]} if name in known.bounds else {}

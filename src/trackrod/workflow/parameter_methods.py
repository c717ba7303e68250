"""Which method gives a parameter: what workshop, rigs, estimates and tuning reach, and the first that suffices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.core.signals import parse_column
from trackrod.estimate.campaign import Estimates, estimate_all, estimators_of
from trackrod.estimate.known import Known, known_of
from trackrod.measured.sensors import SensorSet
from trackrod.measured.virtual import Campaign
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.validate.loop import given_by
from trackrod.validate.validation_plan import RIGS, WORKSHOP, Method, ParameterNeed, choose
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.measurement import with_wheel_torques
from trackrod.workflow.planned_tests import SAMPLE, PlannedTest

__all__ = ["estimated", "with_method"]

#: Tests that are shorter tell estimates nothing [s].
_LONG = 4.0
#: Places of the sprung body, and the estimates that tell those of the whole vehicle.
_PLACES = {"cg_to_front": "cg_x", "cg_height": "cg_height_braking"}


def estimated(
    spec: RtmSpec, vehicle: Vehicle | None, driven: Sequence[PlannedTest], sensors: SensorSet, notes: list[str]
) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    """What estimates from a virtual measurement reach for parameters [SI, 95 %], and the columns that they need.

    Parameters
    ----------
    vehicle
        Its description, whose geometry estimates need; without it none is tried, and a note says so.
    driven
        The tests, which are measured virtually.
    sensors
        That measure them.
    """
    if vehicle is None:
        notes.append("estimates were not tried: they need the geometry of a vehicle, and a model alone was given")
        return {}, {}
    runs = _measured(spec, driven, sensors)
    known = _known(vehicle, driven)
    found = estimate_all(runs, known, sensors)
    needed = {e.name: e.needs() for e in estimators_of(runs, known)}
    reached = {name: 0.5 * (at.upper - at.lower) for name, at in given_by(found.values, spec).items()}
    whole = spec.mass / spec.parameters["sprung_mass"]  # by what the sprung body must move for the whole to move by one
    told = {
        "sprung_mass": ("mass", reached.get("mass")),
        "Izz": ("yaw_inertia", reached.get("Izz")),
        **{name: (of, _scaled(reached.get(name), whole)) for name, of in _PLACES.items()},
        **{f"brake_{end}": (f"brake_factor_{end[0]}l", reached.get(f"brake_{end}")) for end in ("front", "rear")},
        **{name: (name, _half(found, name)) for name in ("drag", "lift_front", "lift_rear", "cg_y")},
        "engine_factor": (_engine(found), _relative(found, _engine(found))),
    }
    serving = {name: needed.get(of, ()) for name, (of, value) in told.items() if value is not None}
    return {name: value for name, (_, value) in told.items() if value is not None}, serving


def _measured(spec: RtmSpec, driven: Sequence[PlannedTest], sensors: SensorSet) -> list[Run]:
    """The tests that are long enough as the sensors record them, all columns at the same instants."""
    model, campaign = RealTimeVehicle(spec), Campaign(sensors)
    runs = []
    for number, test in enumerate(test for test in driven if test.run.time[-1] > _LONG):
        truth = with_wheel_torques(simulate(model, test.driven, sample=0.5 * SAMPLE), spec)
        columns = {"time_s": truth.time}
        for column, samples in campaign.measure(truth, number).items():
            columns[column] = np.interp(truth.time, samples.time - sensors[column].delay, samples.values)
            if parse_column(column).held:
                at = np.searchsorted(samples.time - sensors[column].delay, truth.time + 1e-9, side="right") - 1
                columns[column] = samples.values[np.clip(at, 0, samples.values.size - 1)]
        runs.append(Run(columns, truth.metadata))
    return runs


def _known(vehicle: Vehicle, driven: Sequence[PlannedTest]) -> Known:
    """What estimates are told: the geometry, and what turn plates tell."""
    known = known_of(vehicle)
    if (ratio := _steering_ratio(driven)) is not None:
        known = known.knowing({"steering_ratio": ratio}, {"steering_ratio": WORKSHOP["steering_ratio"].reached(ratio)})
    return known


def _steering_ratio(driven: Sequence[PlannedTest]) -> float | None:
    """As turn plates would tell it."""
    for test in driven:
        wheel = test.run[signals.STEERING_WHEEL_ANGLE]
        steer = 0.5 * (test.run[signals.STEER[Corner.FL]] + test.run[signals.STEER[Corner.FR]])
        turned = np.abs(wheel) > 0.3
        if turned.any():
            return float(np.median(wheel[turned] / steer[turned]))
    return None


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else factor * value


def _half(found: Estimates, name: str) -> float | None:
    e = found.values.get(name)
    return None if e is None else 0.5 * (e.interval[1] - e.interval[0])


def _relative(found: Estimates, name: str) -> float | None:
    half = _half(found, name)
    return None if half is None else half / abs(found.values[name].value)


def _engine(found: Estimates) -> str:
    """The point of the engine's map that is known best at full throttle."""
    points = [n for n in found.values if n.startswith("engine_torque_") and "_throttle_100_" in n]
    return min(points, key=lambda n: _relative(found, n) or math.inf, default="")


def with_method(
    need: ParameterNeed, by_estimates: Mapping[str, float], by_tuning: Mapping[str, float]
) -> ParameterNeed:
    """A parameter with what every method reaches for it, and the one that is chosen.

    Parameters
    ----------
    by_estimates
        What estimates reach by parameter, 95 % [SI unit].
    by_tuning
        What tuning reaches by parameter, 95 % [z].
    """
    item = need.tunable
    reached: dict[Method, float] = {}
    how: dict[Method, str] = {}
    for method, table in ((Method.WORKSHOP, WORKSHOP), (Method.RIG, RIGS)):
        if item.name in table:
            reached[method], how[method] = table[item.name].reached(item.nominal), table[item.name].how
    if item.name in by_estimates:
        reached[Method.ESTIMATE] = by_estimates[item.name]
    if item.name in by_tuning:
        reached[Method.TUNE] = by_tuning[item.name] * 0.5 * (item.upper - item.lower)
    return replace(need, reached=reached, how=how, method=choose(need.accuracy, reached))

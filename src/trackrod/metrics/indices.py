"""Performance indices: how far the run of a model lies from the run of a reference, in percent.

Curves are compared by `rmse_percent`, scalars by `relative_percent` with the floors below. Reference: the conversion of
a light commercial vehicle, tables 1 and 2 and eq. 8 to 10.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.itself import Itself
from trackrod.core.registry import Registry, declared, load_entry, origin_hash
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.metrics.events import first_time
from trackrod.metrics.frequency import steering_responses
from trackrod.metrics.limit import limit_histories
from trackrod.metrics.longitudinal import axle_load, braking_part, rolling_part
from trackrod.metrics.obstacle import obstacle_histories, peaks
from trackrod.metrics.ride import post_answers, road_histories
from trackrod.metrics.standstill import standing, steered_wheels
from trackrod.metrics.steady_turn import lateral_load_transfer, over_lateral_acceleration
from trackrod.metrics.step import StepResponse, step_response
from trackrod.metrics.trace import (
    Array,
    Scale,
    Trace,
    covered_share,
    difference_percent,
    relative_percent,
    rmse_percent,
)

__all__ = [
    "ENTRY_POINTS",
    "FLOORS",
    "INDEX_SETS",
    "TOLERANCE",
    "Index",
    "ScalarPair",
    "added_hash",
    "curve_indices",
    "has_indices",
    "indices",
    "register_indices",
    "with_indices",
]

#: Group of entry points that add indices.
ENTRY_POINTS = "trackrod.indices"

#: Largest value of an index that counts as a good fit [%].
TOLERANCE = 5.0

#: Smallest reference against which a scalar is compared: overshoot [-], times [s], gain [SI unit of the gain].
FLOORS: Mapping[str, float] = MappingProxyType(
    {"overshoot": 0.1, "peak time": 0.1, "response time": 0.05, "steady-state gain": 1e-9}
)

#: Smallest root mean square of a torque at the steering wheel that a difference is divided by [N·m].
TORQUE_FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class ScalarPair:
    """The two values of a scalar index.

    Attributes
    ----------
    reference, model
        [`unit`]
    unit
        SI.
    divisor
        What their difference was divided by instead of the reference: a floor or a fixed scale [`unit`].
    """

    reference: float
    model: float
    unit: str
    divisor: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index:
    """One difference between two runs.

    Attributes
    ----------
    manoeuvre, name
        What was driven, what is compared.
    value_pct
        The difference [%].
    reference, model
        The curves that are compared; for a scalar index those that it was read from.
    scalar
        The two values; None for an index that compares curves.
    coverage
        Share of the reference's abscissa that both curves have [-].
    """

    manoeuvre: str
    name: str
    value_pct: float
    reference: Trace
    model: Trace
    scalar: ScalarPair | None = None
    coverage: float = 1.0

    def __repr__(self) -> str:
        return f"Index({self.manoeuvre}, {self.name}, {self.value_pct:.2f} %)"

    @property
    def is_curve(self) -> bool:
        """Whether curves are compared, and not two numbers."""
        return self.scalar is None

    @property
    def divisor(self) -> float | None:
        """What the difference was divided by where that is no value of the reference [SI]; None where it is one.

        A floor makes an index smaller than the reference alone would: it is shown beside the number.
        """
        if self.scalar is not None:
            return self.scalar.divisor
        curve = self.reference
        return curve.floor if curve.measured_scale < curve.floor else None

    @property
    def divisor_text(self) -> str:
        """`divisor` in words for a table; empty where the reference itself is divided by."""
        if self.divisor is None:
            return ""
        unit = self.reference.y_unit if self.scalar is None else self.scalar.unit
        return f"{self.divisor:.3g}{'' if unit == '-' else f' {unit}'}"

    def residual(self) -> tuple[Array | None, Array]:
        """Abscissa, None for a scalar; model minus reference, scaled so that the Euclidean norm is the index [%]."""
        if self.scalar is None:
            return difference_percent(self.reference, self.model)
        sign = 1.0 if self.scalar.model >= self.scalar.reference else -1.0
        return None, np.array([sign * self.value_pct])


#: The curves of a run by the name of their index.
Curves: TypeAlias = Callable[[Run], Mapping[str, Trace]]

#: Signals as people call them.
_NAMES = {
    signals.STEERING_WHEEL_ANGLE: "steering-wheel angle",
    signals.SIDESLIP: "sideslip angle",
    signals.ROLL: "roll angle",
    signals.PITCH: "pitch angle",
    signals.AY: "lateral acceleration",
    signals.YAW_RATE: "yaw rate",
    signals.VX: "velocity",
    signals.STEERING_TORQUE: "torque at the steering wheel",
}


def _over_time(run: Run, values: Array, name: str, unit: str, begin: float = 0.0) -> Trace:
    return Trace(run.time - begin, values, "time", "s", name, unit)


def _histories(run: Run, chosen: tuple[Signal, ...], begin: float = 0.0) -> dict[str, Trace]:
    return {_NAMES[s]: _over_time(run, run[s], _NAMES[s], s.kind.unit, begin) for s in chosen}


def _axle_loads(run: Run, begin: float = 0.0) -> dict[str, Trace]:
    return {f"{axle} load": _over_time(run, axle_load(run, axle), f"{axle} load", "N", begin) for axle in Axle}


def _ramp_steer(run: Run) -> dict[str, Trace]:
    chosen = (signals.STEERING_WHEEL_ANGLE, signals.SIDESLIP, signals.ROLL)
    found = {_NAMES[s]: over_lateral_acceleration(run, run[s], _NAMES[s], s.kind.unit) for s in chosen}
    transfer = lateral_load_transfer(run)
    return {**found, "lateral load transfer": over_lateral_acceleration(run, transfer, "lateral load transfer", "N")}


def _constant_radius(run: Run) -> dict[str, Trace]:
    # Before the circle is reached the acceleration grows at the speed of the entry: this is no part of the test.
    entered = next((p["end_s"] for p in run.metadata.get("phases", ()) if p["name"] == "onto the circle"), None)
    return _ramp_steer(run if entered is None else run.slice(float(entered), float(run.time[-1])))


def _sine_sweep(run: Run) -> dict[str, Trace]:
    roll, ay, yaw_rate = steering_responses(run, (signals.ROLL, signals.AY, signals.YAW_RATE))
    return {
        "roll gain": roll.gain_trace("roll gain", "-"),
        "lateral acceleration gain": ay.gain_trace("lateral acceleration gain", "(m/s²)/rad"),
        "yaw rate gain": yaw_rate.gain_trace("yaw rate gain", "1/s"),
        "roll phase": roll.phase_trace("roll phase"),
        "lateral acceleration phase": ay.phase_trace("lateral acceleration phase"),
        "yaw rate phase": yaw_rate.phase_trace("yaw rate phase"),
    }


def _step_steer(run: Run) -> dict[str, Trace]:
    return _histories(run, (signals.AY, signals.YAW_RATE))


def _acceleration(run: Run) -> dict[str, Trace]:
    return {**_histories(run, (signals.VX, signals.PITCH)), **_axle_loads(run)}


def _braking(run: Run) -> dict[str, Trace]:
    part = braking_part(run)
    begin = float(part.time[0])
    deceleration = _over_time(part, -part[signals.AX], "deceleration", "m/s²", begin)
    pitch = _histories(rolling_part(part), (signals.PITCH,), begin)  # the nod at the end is one of brakes and tyres
    return {"deceleration": deceleration, **pitch, **_axle_loads(part, begin)}


def _handling(run: Run) -> dict[str, Trace]:
    return {**_histories(run, (signals.AY, signals.YAW_RATE, signals.ROLL, signals.SIDESLIP)), **_steering_torque(run)}


def _steering_torque(run: Run) -> dict[str, Trace]:
    """What the driver feels, where the model has a steering that tells."""
    torque = signals.STEERING_TORQUE
    if torque.column not in run:
        return {}
    name, unit = _NAMES[torque], torque.kind.unit
    return {name: Trace(run.time, run[torque], "time", "s", name, unit, Scale.RMS, TORQUE_FLOOR)}


def _standstill_steering(run: Run) -> dict[str, Trace]:
    return {**steered_wheels(run), **_steering_torque(run)}


def _closed_loop(run: Run) -> dict[str, Trace]:
    return {**_histories(run, (signals.STEERING_WHEEL_ANGLE,)), **_handling(run)}


def _brake_in_turn(run: Run) -> dict[str, Trace]:
    # The turn becomes steady at different times: braking is where the clocks start.
    begin = first_time(run, signals.BRAKE, "braking")
    part = run.slice(begin, float(run.time[-1]))
    chosen = (signals.VX, signals.AY, signals.YAW_RATE, signals.ROLL, signals.SIDESLIP)
    return _histories(part, chosen, begin)


def _throttle_off(run: Run) -> dict[str, Trace]:
    begin = next((p["start_s"] for p in run.metadata.get("phases", ()) if p["name"] == "throttle released"), 0.0)
    part = run.slice(float(begin), float(run.time[-1]))
    return _histories(part, (signals.VX, signals.AY, signals.YAW_RATE, signals.ROLL, signals.SIDESLIP), float(begin))


def _follow_road(run: Run) -> dict[str, Trace]:
    return {**_histories(run, (signals.VX, signals.AY, signals.YAW_RATE, signals.ROLL)), **_axle_loads(run)}


def _coast_down(run: Run) -> dict[str, Trace]:
    return _histories(run, (signals.VX,))


#: The curves that are compared, by manoeuvre.
INDEX_SETS: Mapping[str, Curves] = MappingProxyType(
    {
        "ramp_steer": _ramp_steer,
        "sine_sweep": _sine_sweep,
        "step_steer": _step_steer,
        "acceleration": _acceleration,
        "braking": _braking,
        "constant_radius": _constant_radius,
        "double_lane_change": _closed_loop,
        "obstacle_avoidance": _closed_loop,
        "slalom": _closed_loop,
        "brake_in_turn": _brake_in_turn,
        "throttle_off": _throttle_off,
        "single_sine": _handling,
        "pulse": _handling,
        "sine_with_dwell": limit_histories,
        "j_turn": limit_histories,
        "fishhook": limit_histories,
        "coast_down": _coast_down,
        "four_post": post_answers,
        "random_road": road_histories,
        "bump": obstacle_histories,
        "pothole": obstacle_histories,
        "kerb": obstacle_histories,
        "follow_road": _follow_road,
        "standstill_steering": _standstill_steering,
    }
)


def indices(manoeuvre: str, reference: Run, model: Run) -> tuple[Index, ...]:
    """All indices of a manoeuvre.

    Parameters
    ----------
    manoeuvre
        Name; one of `INDEX_SETS`.
    reference, model
        Runs of the same manoeuvre with the same settings.

    Raises
    ------
    UnknownNameError
        There are no indices for this manoeuvre.
    InputError
        The runs do not hold what the manoeuvre needs, or have nothing in common.

    Holds: which indices there are depends on the reference alone; all are zero for equal runs, and unchanged if both
    runs are mirrored.
    """
    sets = (*((INDEX_SETS[manoeuvre],) if manoeuvre in INDEX_SETS else ()), *_added_sets(manoeuvre))
    if not sets:
        raise UnknownNameError("manoeuvre with indices", manoeuvre, with_indices())
    result = tuple(chain.from_iterable(curve_indices(manoeuvre, curves, reference, model) for curves in sets))
    scalars = _SCALARS.get(manoeuvre)
    return result if scalars is None else (*result, *scalars(reference, model))


def curve_indices(manoeuvre: str, curves: Curves, reference: Run, model: Run) -> Iterator[Index]:
    """The differences of some curves of two runs of a manoeuvre; errors as `indices`."""
    found = curves(model)
    for name, curve in _expected(curves, Itself(reference)).items():
        if name not in found:
            raise InputError(f"'{manoeuvre}' of the model has no {name}, which that of the reference has")
        other = found[name].near(curve)
        share = covered_share(curve, other)
        yield Index(manoeuvre, name, rmse_percent(curve, other), curve, other, coverage=share)


@functools.lru_cache(16)
def _expected(curves: Curves, reference: Itself[Run]) -> Mapping[str, Trace]:
    """Curves of a reference: many runs are compared with the same one."""
    return curves(reference.value)


#: Further curves by manoeuvre, registered by files of the user.
_ADDED: dict[str, tuple[Curves, ...]] = {}


def register_indices(manoeuvre: str) -> Callable[[Curves], Curves]:
    """Compare further curves of a manoeuvre: a decorator of a function of a run.

    Parameters
    ----------
    manoeuvre
        Its name. The function takes a run and gives curves (`Trace`) by the name of their index. An installed package
        declares it as an entry point of the group ``trackrod.indices`` instead, under the name of the manoeuvre.
    """

    def add(curves: Curves) -> Curves:
        def same(other: Curves) -> bool:  # the same file run again takes its own place
            return (other.__module__, other.__qualname__) == (curves.__module__, curves.__qualname__)

        _ADDED[manoeuvre] = (*(other for other in _ADDED.get(manoeuvre, ()) if not same(other)), curves)
        Registry.count()
        return curves

    return add


def has_indices(manoeuvre: str) -> bool:
    """Whether runs of a manoeuvre can be compared."""
    return manoeuvre in with_indices()


def with_indices() -> tuple[str, ...]:
    """Names of all manoeuvres whose runs can be compared."""
    return tuple(dict.fromkeys((*INDEX_SETS, *_ADDED, *(entry.name for entry in declared(ENTRY_POINTS)))))


def added_hash(manoeuvre: str) -> str:
    """Hash of the sources of indices that are not Trackrod's own; empty where there are none."""
    return " ".join(origin_hash(curves) for curves in _added_sets(manoeuvre))


def _added_sets(manoeuvre: str) -> tuple[Curves, ...]:
    return (*_declared_sets(manoeuvre), *_ADDED.get(manoeuvre, ()))


@functools.cache
def _declared_sets(manoeuvre: str) -> tuple[Curves, ...]:
    """Further curves of a manoeuvre that installed packages declare as entry points."""
    return tuple(load_entry(entry, "index") for entry in declared(ENTRY_POINTS) if entry.name == manoeuvre)


def _step_scalars(reference: Run, model: Run) -> Iterator[Index]:
    expected, found = _step_steer(reference), _step_steer(model)
    for signal in (signals.AY, signals.YAW_RATE):
        name = _NAMES[signal]
        first, second = (
            step_response(run.time, run[signals.STEERING_WHEEL_ANGLE], run[signal]) for run in (reference, model)
        )
        for what, one, other, unit in _step_values(first, second, signal.kind.unit):
            floor = FLOORS[what]
            pair = ScalarPair(one, other, unit, floor if abs(one) < floor else None)
            value = relative_percent(one, other, floor)
            yield Index("step_steer", f"{name}: {what}", value, expected[name], found[name], pair)


def _step_values(reference: StepResponse, model: StepResponse, unit: str) -> Iterator[tuple[str, float, float, str]]:
    yield "overshoot", reference.overshoot, model.overshoot, "-"
    if reference.has_peak:  # the time of the largest value of a creeping response says nothing
        yield "peak time", reference.peak_time, model.peak_time, "s"
    yield "response time", reference.response_time, model.response_time, "s"
    yield "steady-state gain", reference.gain, model.gain, f"({unit})/rad"


def _standing_scalars(reference: Run, model: Run) -> Iterator[Index]:
    for one, other in zip(standing(reference), standing(model), strict=True):
        if one.scale is None:
            value = relative_percent(one.value, other.value, one.floor)
            divisor = one.floor if abs(one.value) < one.floor else None
        else:
            value, divisor = 100.0 * abs(other.value - one.value) / one.scale, one.scale
        pair = ScalarPair(one.value, other.value, one.unit, divisor)
        expected, found = (_over_time(run, run[one.column], one.name, one.unit) for run in (reference, model))
        yield Index("standstill_steering", one.name, value, expected, found, pair)


def _obstacle_scalars(reference: Run, model: Run) -> Iterator[Index]:
    expected, found = obstacle_histories(reference), obstacle_histories(model)
    for one, other in zip(peaks(reference), peaks(model), strict=True):
        value = relative_percent(one.value, other.value, one.floor)
        pair = ScalarPair(one.value, other.value, one.unit, one.floor if abs(one.value) < one.floor else None)
        curve = one.name.removeprefix("peak ")
        yield Index(str(reference.metadata.get("manoeuvre", "")), one.name, value, expected[curve], found[curve], pair)


#: Numbers that are compared besides the curves, by manoeuvre.
_SCALARS: Mapping[str, Callable[[Run, Run], Iterator[Index]]] = MappingProxyType(
    {
        "step_steer": _step_scalars,
        "standstill_steering": _standing_scalars,
        "bump": _obstacle_scalars,
        "pothole": _obstacle_scalars,
        "kerb": _obstacle_scalars,
    }
)

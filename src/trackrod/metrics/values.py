"""Numbers of a single run by name: what is read from any run, and the characteristic values of its manoeuvre.

The names are columns of tables, with the SI unit as their last part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.dwell import sine_with_dwell_values
from trackrod.metrics.events import largest
from trackrod.metrics.handling import brake_in_turn_values, lane_change_values
from trackrod.metrics.longitudinal import acceleration_values, braking_values, coast_down_values
from trackrod.metrics.steady_turn import constant_radius_values, ramp_steer_values
from trackrod.metrics.step import step_steer_values

__all__ = ["RunValue", "run_values", "values_of"]


@dataclass(frozen=True, slots=True)
class RunValue:
    """One number that is read from a run.

    Attributes
    ----------
    name
        Of its column, with the unit as its last part.
    unit
        SI, as it is written; empty for pure numbers.
    meaning
        In a few words.
    """

    name: str
    unit: str
    meaning: str


#: Read from any run: the value, and how.
_GENERAL: tuple[tuple[RunValue, Callable[[Run], float]], ...] = (
    (RunValue("duration_s", "s", "duration of the run"), lambda run: float(run.time[-1] - run.time[0])),
    (
        RunValue("largest_ay_mps2", "m/s²", "largest lateral acceleration"),
        lambda run: largest(run[signals.AY]),
    ),
    (
        RunValue("largest_ax_mps2", "m/s²", "largest longitudinal acceleration"),
        lambda run: largest(run[signals.AX]),
    ),
    (RunValue("largest_yaw_rate_radps", "rad/s", "largest yaw rate"), lambda run: largest(run[signals.YAW_RATE])),
    (RunValue("largest_roll_rad", "rad", "largest roll angle"), lambda run: largest(run[signals.ROLL])),
    (RunValue("largest_sideslip_rad", "rad", "largest sideslip angle"), lambda run: largest(run[signals.SIDESLIP])),
    (RunValue("last_speed_mps", "m/s", "speed at the end"), lambda run: float(run[signals.VX][-1])),
    (
        RunValue("smallest_wheel_load_N", "N", "smallest load of a wheel"),
        lambda run: float(min(run[signal].min() for signal in signals.FZ.signals)),
    ),
    (RunValue("travelled_x_m", "m", "distance along x at the end"), lambda run: float(run[signals.X][-1])),
    (RunValue("largest_offset_m", "m", "largest distance from the x axis"), lambda run: largest(run[signals.Y])),
)

#: Attributes of a response to a step: end of the name, unit, attribute, meaning.
_STEP = (
    ("response_time_s", "s", "response_time", "response time"),
    ("peak_time_s", "s", "peak_time", "peak response time"),
    ("overshoot", "", "overshoot", "overshoot"),
)
_Row = tuple[str, str, str, str]


def _step_rows() -> tuple[_Row, ...]:
    answers = (("yaw_rate", "yaw rate"), ("lateral_acceleration", "lateral acceleration"), ("roll", "roll angle"))
    rows = [
        (f"{name}_{end}", unit, f"{name}.{of}", f"{words}: {meaning}")
        for name, words in answers
        for end, unit, of, meaning in _STEP
    ]
    gains = (
        ("yaw_rate_gain_1ps", "1/s", "yaw_rate.gain", "yaw rate: steady-state gain"),
        (
            "lateral_acceleration_gain_mps2prad",
            "(m/s²)/rad",
            "lateral_acceleration.gain",
            "lateral acceleration: steady-state gain",
        ),
        ("tb_factor_rads", "rad·s", "tb_factor", "TB factor"),
    )
    return (*rows, *gains)


_STEADY: tuple[_Row, ...] = (
    (
        "steering_gradient_radpmps2",
        "rad/(m/s²)",
        "steering_gradient",
        "steering-wheel angle per lateral acceleration",
    ),
    ("sideslip_gradient_radpmps2", "rad/(m/s²)", "sideslip_gradient", "sideslip gradient"),
    ("roll_gradient_radpmps2", "rad/(m/s²)", "roll_gradient", "roll gradient"),
)
_LANE_CHANGE: tuple[_Row, ...] = (
    ("largest_steering_wheel_angle_rad", "rad", "steering_wheel_angle", "largest steering-wheel angle"),
    ("largest_steering_wheel_rate_radps", "rad/s", "steering_wheel_rate", "largest steering-wheel rate"),
)

#: Characteristic values by manoeuvre: what makes them of a run; name, unit, attribute, meaning of each.
_OF_MANOEUVRES: Mapping[str, tuple[Callable[[Run], Any], tuple[_Row, ...]]] = MappingProxyType(
    {
        "step_steer": (step_steer_values, _step_rows()),
        "ramp_steer": (ramp_steer_values, _STEADY),
        "constant_radius": (constant_radius_values, _STEADY),
        "braking": (
            braking_values,
            (
                ("braking_distance_m", "m", "distance", "braking distance"),
                ("braking_time_s", "s", "time", "braking time"),
                ("mean_deceleration_mps2", "m/s²", "mean_deceleration", "mean deceleration"),
                (
                    "developed_deceleration_mps2",
                    "m/s²",
                    "developed_deceleration",
                    "mean fully developed deceleration",
                ),
            ),
        ),
        "acceleration": (
            acceleration_values,
            (
                ("largest_speed_mps", "m/s", "largest_speed", "largest speed"),
                ("largest_acceleration_mps2", "m/s²", "largest_acceleration", "largest acceleration"),
            ),
        ),
        "coast_down": (
            coast_down_values,
            (
                ("coasting_time_s", "s", "time", "time of rolling out"),
                ("coasting_distance_m", "m", "distance", "distance of rolling out"),
            ),
        ),
        "brake_in_turn": (
            brake_in_turn_values,
            (
                ("mean_deceleration_mps2", "m/s²", "mean_deceleration", "mean deceleration in the first second"),
                ("yaw_rate_ratio", "", "yaw_rate_ratio", "yaw rate after a second over that on the circle"),
                ("sideslip_change_rad", "rad", "largest_sideslip_change", "largest change of the sideslip angle"),
            ),
        ),
        "sine_with_dwell": (
            sine_with_dwell_values,
            (
                ("yaw_rate_ratio_1s", "", "yaw_rate_ratio_1s", "yaw rate 1 s after the steering, over its peak"),
                (
                    "yaw_rate_ratio_1s75",
                    "",
                    "yaw_rate_ratio_1s75",
                    "yaw rate 1.75 s after the steering, over its peak",
                ),
                ("displacement_1s07_m", "m", "displacement_1s07", "lateral displacement 1.07 s after its beginning"),
            ),
        ),
        **dict.fromkeys(("double_lane_change", "obstacle_avoidance", "slalom"), (lane_change_values, _LANE_CHANGE)),
    }
)


def values_of(manoeuvre: str) -> tuple[RunValue, ...]:
    """What is read from the runs of a manoeuvre, by its name; any run has the first ones."""
    _, rows = _OF_MANOEUVRES.get(manoeuvre, (None, ()))
    return (*(value for value, _ in _GENERAL), *(RunValue(name, unit, text) for name, unit, _, text in rows))


def run_values(manoeuvre: str, run: Run) -> dict[str, float]:
    """The numbers of a run by the names of `values_of`; not a number where the run does not hold what one needs.

    Holds: it has all the names of `values_of`, in that order, whatever the run is.
    """
    found = {value.name: _number(read, run) for value, read in _GENERAL}
    make, rows = _OF_MANOEUVRES.get(manoeuvre, (None, ()))
    made = None
    if make is not None:
        try:
            made = make(run)
        except (InputError, LookupError, ArithmeticError, np.linalg.LinAlgError):  # it did not come that far
            made = None
    for name, _, attribute, _ in rows:
        value = None if made is None else attrgetter(attribute)(made)
        found[name] = math.nan if value is None else float(value)
    return found


def _number(read: Callable[[Run], float], run: Run) -> float:
    try:
        return read(run)
    except LookupError:  # a run without the signal
        return math.nan

"""Characteristic values of manoeuvres in which the driver or the brake upsets a turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.events import first_time, largest

__all__ = ["BrakeInTurnValues", "LaneChangeValues", "brake_in_turn_values", "lane_change_values"]

#: Time after the beginning of braking at which the yaw rate is looked at [s].
_AFTER = 1.0


@dataclass(frozen=True, slots=True)
class LaneChangeValues:
    """Largest magnitudes in a lane change, ISO 3888-1.

    Attributes
    ----------
    steering_wheel_angle, steering_wheel_rate
        [rad], [rad/s]
    lateral_acceleration, yaw_rate
        [m/s²], [rad/s]
    roll, sideslip
        [rad]
    last_speed
        At the end of the run [m/s].
    """

    steering_wheel_angle: float
    steering_wheel_rate: float
    lateral_acceleration: float
    yaw_rate: float
    roll: float
    sideslip: float
    last_speed: float


@dataclass(frozen=True, slots=True)
class BrakeInTurnValues:
    """Braking in a turn, ISO 7975.

    Attributes
    ----------
    lateral_acceleration, yaw_rate, speed
        When the pedal is first pressed [m/s²], [rad/s], [m/s].
    mean_deceleration
        Over the first second of braking [m/s²].
    yaw_rate_ratio
        Yaw rate one second after the pedal was first pressed, over that on the circle at the speed of then:
        above 1 the vehicle turns in [-].
    largest_sideslip_change
        Magnitude, within the first second [rad].
    """

    lateral_acceleration: float
    yaw_rate: float
    speed: float
    mean_deceleration: float
    yaw_rate_ratio: float
    largest_sideslip_change: float


def lane_change_values(run: Run) -> LaneChangeValues:
    """Values of a run of a lane change."""
    angle = run.series(signals.STEERING_WHEEL_ANGLE)
    return LaneChangeValues(
        steering_wheel_angle=largest(angle.values),
        steering_wheel_rate=largest(angle.derivative().values),
        lateral_acceleration=largest(run[signals.AY]),
        yaw_rate=largest(run[signals.YAW_RATE]),
        roll=largest(run[signals.ROLL]),
        sideslip=largest(run[signals.SIDESLIP]),
        last_speed=float(run[signals.VX][-1]),
    )


def brake_in_turn_values(run: Run) -> BrakeInTurnValues:
    """Values of a run of braking in a turn.

    Raises
    ------
    InputError
        The brake is never pressed, the vehicle does not turn then, or the run ends within a second.
    """
    begin = first_time(run, signals.BRAKE, "braking")
    if run.time[-1] < begin + _AFTER:
        raise InputError(f"the run ends less than {_AFTER:g} s after the beginning of braking")

    def at(signal: signals.Signal, time: float) -> float:
        return float(run.series(signal).at(time))

    speed, later = at(signals.VX, begin), at(signals.VX, begin + _AFTER)
    yaw_rate = at(signals.YAW_RATE, begin)
    if yaw_rate == 0.0 or speed <= 0.0 or later <= 0.0:
        raise InputError("the vehicle does not drive in a turn when the brake is pressed, or stands one second later")
    window = run.slice(begin, begin + _AFTER)[signals.SIDESLIP]
    circle = yaw_rate * later / speed
    return BrakeInTurnValues(
        lateral_acceleration=at(signals.AY, begin),
        yaw_rate=yaw_rate,
        speed=speed,
        mean_deceleration=(speed - later) / _AFTER,
        yaw_rate_ratio=at(signals.YAW_RATE, begin + _AFTER) / circle,
        largest_sideslip_change=float(np.abs(window - window[0]).max()),
    )

"""Characteristic values of a step of the steering wheel.

Reference: ISO 7401, step input. Time zero is when the steering wheel has made half of its step; the response time
lasts until 90 % of the steady response, the peak response time until the largest response; the overshoot is what the
largest response exceeds the steady one by, over the steady one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.events import first_crossing, steady_value, vertex

__all__ = ["StepResponse", "StepSteerValues", "lasting_swing", "step_response", "step_steer_values"]

Array = NDArray[np.float64]

#: The steady state is the mean over this time at the end of the run [s].
STEADY = 1.0
#: An overshoot up to this is no peak: the vehicle creeps into its steady state [-].
NO_PEAK = 0.01


@dataclass(frozen=True, slots=True)
class StepResponse:
    """How one quantity answers a step.

    Attributes
    ----------
    steady
        Change from the beginning to the steady state [unit of the quantity].
    gain
        `steady` over the step [unit of the quantity / rad].
    response_time
        From half of the step to 90 % of `steady` [s]; negative if the response was quicker than the step.
    peak_time
        From half of the step to the largest response [s].
    peak
        Largest change in the direction of `steady` [unit of the quantity].
    overshoot
        (`peak` − `steady`) / `steady`, not less than zero [-].

    Holds: all but `steady`, `gain` and `peak` are unchanged if the quantity is multiplied by a factor, a negative one
    too.
    """

    steady: float
    gain: float
    response_time: float
    peak_time: float
    peak: float
    overshoot: float

    @property
    def has_peak(self) -> bool:
        """Whether the largest response is a peak and not the end of a creep: an overshoot of more than 1 %."""
        return self.overshoot > NO_PEAK


@dataclass(frozen=True, slots=True)
class StepSteerValues:
    """Step steer, ISO 7401.

    Attributes
    ----------
    steering_wheel_angle
        Size of the step, positive to the left [rad].
    speed
        Mean over the steady state [m/s].
    lateral_acceleration, yaw_rate, roll
        Responses [m/s²], [rad/s], [rad].
    steady_sideslip
        Change of the sideslip angle to the steady state [rad].
    tb_factor
        Magnitude of `steady_sideslip` times the peak response time of the yaw rate [rad·s].
    """

    steering_wheel_angle: float
    speed: float
    lateral_acceleration: StepResponse
    yaw_rate: StepResponse
    roll: StepResponse
    steady_sideslip: float
    tb_factor: float


def step_response(time: Array, step: Array, response: Array) -> StepResponse:
    """Values of a response to a step, both as changes from their first samples.

    Parameters
    ----------
    time
        Increasing [s].
    step
        The input, which goes once from one value to another.
    response
        What answers it.

    Raises
    ------
    InputError
        There is no step, or no response in the steady state.
    """
    given, answer = step - step[0], response - response[0]
    size, steady = steady_value(time, given, STEADY), steady_value(time, answer, STEADY)
    if size == 0.0:
        raise InputError("the run has no step: the input ends where it began")
    if steady == 0.0:
        raise InputError("the response to the step has no steady value")
    half = first_crossing(time, given / size, 0.5)
    reached = first_crossing(time, answer / steady, 0.9)
    if half is None or reached is None:  # their mean over the end is 1
        raise InputError("the run has no step that is reached and held")
    after = time >= half
    at, top = vertex(time[after], answer[after] / steady)
    return StepResponse(
        steady=steady,
        gain=steady / size,
        response_time=reached - half,
        peak_time=at - half,
        peak=top * steady,
        overshoot=max(top - 1.0, 0.0),
    )


def step_steer_values(run: Run) -> StepSteerValues:
    """Values of a run of a step steer; InputError if there is no step in it."""
    time, angle = run.time, run[signals.STEERING_WHEEL_ANGLE]
    ay, yaw_rate, roll = (step_response(time, angle, run[s]) for s in (signals.AY, signals.YAW_RATE, signals.ROLL))
    sideslip = steady_value(time, run[signals.SIDESLIP] - run[signals.SIDESLIP][0], STEADY)
    return StepSteerValues(
        steering_wheel_angle=steady_value(time, angle - angle[0], STEADY),
        speed=steady_value(time, run[signals.VX], STEADY),
        lateral_acceleration=ay,
        yaw_rate=yaw_rate,
        roll=roll,
        steady_sideslip=sideslip,
        tb_factor=abs(sideslip) * yaw_rate.peak_time,
    )


def lasting_swing(run: Run) -> float:
    """How far the lateral acceleration still swings where it should be steady: half its range over its mean [-]."""
    last = run[signals.AY][run.time >= run.time[-1] - STEADY]
    return float(0.5 * np.ptp(last) / abs(last.mean()))

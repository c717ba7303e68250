"""Characteristic values of a sine with dwell.

Reference: FMVSS 126 and UN Regulation 140. Time counts from the first and from the last movement of the steering wheel.
A vehicle with stability control passes if its yaw rate is at most 35 % of its second peak 1 s after the steering, at
most 20 % 1.75 s after it, and if it has moved aside by 1.83 m (1.52 m above 3.5 t) 1.07 s after its beginning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run

__all__ = ["LARGEST_RATIOS", "SMALLEST_DISPLACEMENT", "SineWithDwellValues", "sine_with_dwell_values"]

#: What is allowed 1 s and 1.75 s after the steering [-].
LARGEST_RATIOS = (0.35, 0.20)
#: What is needed 1.07 s after the beginning, up to 3.5 t and above [m].
SMALLEST_DISPLACEMENT = (1.83, 1.52)
#: When yaw rate and displacement are read [s].
_AFTER, _MOVED = (1.0, 1.75), 1.07
#: Steering-wheel angle that counts as none, over the largest one.
_STRAIGHT = 1e-3


@dataclass(frozen=True, slots=True)
class SineWithDwellValues:
    """Sine with dwell, FMVSS 126.

    Attributes
    ----------
    yaw_rate_ratio_1s, yaw_rate_ratio_1s75
        Yaw rate 1 s and 1.75 s after the last movement of the steering wheel, over its peak after the wheel went
        through the middle; negative if it has changed its sign [-].
    displacement_1s07
        To the side that is steered to first, 1.07 s after the first movement; not a number where the run ends before
        [m].
    """

    yaw_rate_ratio_1s: float
    yaw_rate_ratio_1s75: float
    displacement_1s07: float


def sine_with_dwell_values(run: Run) -> SineWithDwellValues:
    """Values of a run of a sine with dwell; InputError if it does not steer to both sides, or ends before it is over.

    Limits: the displacement is that of the centre of gravity in the frame of the run, which lies along the heading of
    the vehicle when the manoeuvre begins.
    """
    time, angle, yaw_rate = run.time, run[signals.STEERING_WHEEL_ANGLE], run[signals.YAW_RATE]
    moved = np.flatnonzero(np.abs(angle) > _STRAIGHT * np.abs(angle).max())
    if moved.size == 0:
        raise InputError("the run has no sine with dwell: the steering wheel does not move")
    first, last = int(moved[0]), min(int(moved[-1]) + 1, time.size - 1)
    side = math.copysign(1.0, angle[first])
    back = np.flatnonzero(side * angle[first:] < 0.0)
    if back.size == 0:
        raise InputError("the run has no sine with dwell: the steering wheel is moved to one side only")
    if time[-1] < time[last] + _AFTER[-1]:
        raise InputError(f"the run ends less than {_AFTER[-1]:g} s after the steering")
    # The wheel goes through the middle while the vehicle still turns to the first side: the peak is one of the other.
    second = -side * yaw_rate[first + int(back[0]) :]
    peak = float(second.max())
    if not peak > 0.0:
        raise InputError("the vehicle does not answer the second half of the sine")
    begin = float(time[max(first - 1, 0)])
    first_ratio, second_ratio = (
        -side * float(np.interp(time[last] + after, time, yaw_rate)) / peak for after in _AFTER
    )
    aside = side * (run[signals.Y] - run[signals.Y][max(first - 1, 0)])
    return SineWithDwellValues(first_ratio, second_ratio, float(np.interp(begin + _MOVED, time, aside)))

"""The standing vehicle: loads, travels and heights, and what the wheels do when it is steered on the spot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.limit import WHEELS
from trackrod.metrics.trace import Trace

__all__ = ["Standing", "standing", "steered_wheels"]

#: Lengths are compared over this: one millimetre is 5 % [m].
LENGTH = 0.02
#: Smallest load and smallest largest angle that a difference is divided by [N], [rad].
LOAD_FLOOR, ANGLE_FLOOR = 100.0, math.radians(1.0)
#: Heights of the body: those at the axles where a run has them.
_HEIGHTS = {
    "ride_height_front_m": "front ride height",
    "ride_height_rear_m": "rear ride height",
    signals.Z.column: "height of the centre of gravity",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """One value of the standing vehicle.

    Attributes
    ----------
    name, column
        What it is, and the column of the run that it is the first value of.
    value, unit
        [`unit`]
    scale, floor
        What a difference is divided by: a length for lengths [m]; for loads the reference, where it exceeds the floor.
    """

    name: str
    column: str
    value: float
    unit: str
    scale: float | None
    floor: float = 0.0


def standing(run: Run) -> Iterator[Standing]:
    """Wheel loads, wheel travels and heights of the body at the first sample."""
    for corner, wheel in WHEELS.items():
        load, travel = signals.FZ[corner], signals.WHEEL_TRAVEL[corner]
        yield Standing(f"standing wheel load {wheel}", load.column, float(run[load][0]), "N", None, LOAD_FLOOR)
        yield Standing(f"standing travel {wheel}", travel.column, float(run[travel][0]), "m", LENGTH)
    for column, name in _HEIGHTS.items():
        if column in run:
            yield Standing(f"standing {name}", column, float(run[column][0]), "m", LENGTH)


def steered_wheels(run: Run) -> dict[str, Trace]:
    """Steer and camber angle of each wheel over the steering-wheel angle, from its largest value back to its smallest.

    Raises
    ------
    InputError
        The steering wheel is not turned to both sides.
    """
    angle = run[signals.STEERING_WHEEL_ANGLE]
    first = int(np.argmax(angle))
    last = first + int(np.argmin(angle[first:]))
    x = angle[first : last + 1][::-1]
    if x.size < 2 or not x[0] < 0 < x[-1]:
        raise InputError("the steering wheel is not turned to the left and then to the right")
    growing = np.concatenate(([True], x[1:] > np.maximum.accumulate(x)[:-1]))
    found = {}
    for what, family in (("steer angle", signals.STEER), ("camber angle", signals.CAMBER)):
        for corner in Corner:
            name = f"{what} {WHEELS[corner]}"
            y = run[family[corner]][first : last + 1][::-1]
            found[name] = Trace(x[growing], y[growing], "steering-wheel angle", "rad", name, "rad", floor=ANGLE_FLOOR)
    return found

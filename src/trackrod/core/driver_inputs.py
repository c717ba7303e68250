"""What a driver gives to a model for each step, checked alike for every model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.layout import ENVIRONMENT
from trackrod.core.wheel_inputs import WHEEL_COLUMNS, WheelInputs

__all__ = ["checked_controls", "with_environment"]

Array = NDArray[np.float64]


def checked_controls(
    steering_wheel_angle: ArrayLike,
    throttle: ArrayLike,
    brake: ArrayLike,
    gear: ArrayLike,
    road_heights: ArrayLike | None = None,
) -> Array:
    """Rows of steering-wheel angle [rad], throttle, brake and gear, one for each step of the longest of them.

    Parameters
    ----------
    steering_wheel_angle, throttle, brake, gear, road_heights
        As for `MultibodyVehicle.advance`: for each step, or one value for all.

    Raises
    ------
    InputError
        An input is not finite or has another number of steps; every such input is named.
    """
    given = {"steering_wheel_angle": steering_wheel_angle, "throttle": throttle, "brake": brake, "gear": gear}
    columns = {name: np.atleast_1d(np.asarray(values, dtype=float)) for name, values in given.items()}
    longest = max(columns, key=lambda name: columns[name].size)
    heights = {} if road_heights is None else {"road_heights": np.asarray(road_heights, dtype=float)}
    steps = columns[longest].size
    problems = (_wrong(name, values, longest, steps) for name, values in (columns | heights).items())
    raise_if_errors(problem for problem in problems if problem is not None)
    return np.column_stack([np.broadcast_to(values, steps) for values in columns.values()])


def with_environment(controls: Array, wheels: WheelInputs | None, environment: Array | None) -> Array:
    """Rows of a driver with what acts beside him: those of the wheels, and behind them those of `ENVIRONMENT`.

    Parameters
    ----------
    controls
        A row for each step.
    wheels, environment
        None where nothing acts at the wheels; where the road is as it was set.
    """
    if wheels is None and environment is None:
        return controls
    steps = len(controls)
    at_wheels = np.zeros((steps, WHEEL_COLUMNS.size)) if wheels is None else wheels.rows(steps)
    around = np.zeros((steps, 0)) if environment is None else np.broadcast_to(environment, (steps, ENVIRONMENT.size))
    return np.concatenate((controls, at_wheels, around), axis=1)


def _wrong(name: str, values: Array, longest: str, steps: int) -> Problem | None:
    if len(values) not in (1, steps):
        return Problem(f"{name} is given for {len(values)} steps, {longest} for {steps}")
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        return Problem(f"{name} of step {row + 1} is {np.ravel(values[row])}, not a finite number")
    return None

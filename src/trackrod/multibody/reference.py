"""Runs with an error bar: the same inputs at steps h, h/2 and h/4, extrapolated to step zero (Richardson).

Implicit Euler errs by c h + d h² + …; two runs give a result of second order, three tell its error. The step is halved
until that error is within the tolerance asked for, or the budget of steps is spent.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.series import Run
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["DriverInputs", "ReferenceRun", "reference_run"]

Array = NDArray[np.float64]

#: Columns whose errors decide, unless others are named.
DECISIVE = ("yaw_rate_radps", "ay_mps2", "roll_rad", "vx_mps")


@dataclass(frozen=True, slots=True, eq=False)
class DriverInputs:
    """What a driver does over time, linear between samples; gears are held.

    Attributes
    ----------
    time
        From 0, uniform [s].
    steering_wheel_angle
        [rad], positive to the left.
    throttle, brake
        0 to 1.
    gear
        From 1; 0 lets the shift speeds decide, −1 is neutral.
    """

    time: Array
    steering_wheel_angle: Array
    throttle: Array
    brake: Array
    gear: Array

    def __post_init__(self) -> None:
        for name in ("steering_wheel_angle", "throttle", "brake", "gear"):
            if np.shape(getattr(self, name)) != self.time.shape:
                raise InputError(f"{name} has {np.size(getattr(self, name))} samples, time has {self.time.size}")

    @classmethod
    def of(cls, run: Run) -> DriverInputs:
        """The inputs that led to a run."""
        columns = (signals.TIME, signals.STEERING_WHEEL_ANGLE, signals.THROTTLE, signals.BRAKE, signals.GEAR)
        return cls(*(np.array(run[column]) for column in columns))

    def at(self, time: Array) -> tuple[Array, Array, Array, Array]:
        """Steering-wheel angle, throttle, brake and gear at other times."""
        held = np.clip(np.searchsorted(self.time, time, side="right") - 1, 0, self.time.size - 1)
        angle, throttle, brake = (
            np.interp(time, self.time, values) for values in (self.steering_wheel_angle, self.throttle, self.brake)
        )
        return angle, throttle, brake, self.gear[held]


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceRun:
    """A run with the estimated error of every column.

    Attributes
    ----------
    run
        Extrapolated to step zero.
    error
        Estimated error of each column, in the unit of the column, sample by sample.
    relative_error
        Largest RMS error of a decisive column, over the largest magnitude of that column.
    step
        Finest step that was taken [s].
    seconds
        Time of the computation.
    """

    run: Run
    error: Run
    relative_error: float
    step: float
    seconds: float


def reference_run(
    vehicle: Vehicle,
    inputs: DriverInputs,
    speed: float,
    *,
    tolerance: float = 1e-3,
    first_step: float = 2e-3,
    sample: float = 0.01,
    most_halvings: int = 3,
    decisive: tuple[str, ...] = DECISIVE,
) -> ReferenceRun:
    """Drive the inputs with a tolerance.

    Parameters
    ----------
    vehicle, inputs, speed
        Who drives what, from which speed [m/s].
    tolerance
        RMS error of each decisive column over its largest magnitude [-].
    first_step
        Coarsest step [s].
    sample
        Distance of samples [s], a multiple of `first_step`.
    most_halvings
        How often the step is halved at most beyond the three runs that every estimate needs.

    Raises
    ------
    ConvergenceError
        The tolerance was not met within the budget; the message says what was reached.
    """
    duration = float(inputs.time[-1])
    runs: dict[float, Run] = {}
    seconds = 0.0
    steps = [first_step, first_step / 2, first_step / 4]
    for _ in range(most_halvings + 1):
        missing = [step for step in steps if step not in runs]
        with ThreadPoolExecutor(max_workers=2) as pool:
            found = pool.map(lambda step: _drive(vehicle, inputs, speed, duration, step, sample), missing)
            for step, (run, spent) in zip(missing, found, strict=True):
                runs[step] = run
                seconds += spent
        coarse, middle, fine = (runs[step] for step in steps)
        first, second = _extrapolated(coarse, middle), _extrapolated(middle, fine)
        error = {column: np.abs(second[column] - first[column]) / 3.0 for column in fine if column != "time_s"}
        relative = max(_relative(error[column], second[column]) for column in decisive)
        if relative <= tolerance:
            metadata = {**fine.metadata, "integrator": "reference", "step_s": steps[-1], "relative_error": relative}
            run = Run({**second, signals.TIME.column: fine.time, signals.GEAR.column: fine[signals.GEAR]}, metadata)
            return ReferenceRun(run, Run({"time_s": fine.time, **error}), relative, steps[-1], seconds)
        steps = [step / 2 for step in steps]
    raise ConvergenceError(
        f"the error of '{vehicle.name}' is {relative:.2g} at a step of {steps[-1] * 2:g} s, {tolerance:g} was asked for"
    )


def _drive(
    vehicle: Vehicle, inputs: DriverInputs, speed: float, duration: float, step: float, sample: float
) -> tuple[Run, float]:
    model = MultibodyVehicle(vehicle, step=step, iterations=2)
    model.settle()
    model.start(speed)
    time: Array = step * np.arange(1, round(duration / step) + 1, dtype=np.float64)
    run = model.advance(*inputs.at(time), every=round(sample / step))
    return run, model.seconds


def _extrapolated(coarse: Run, fine: Run) -> dict[str, Array]:
    return {column: 2.0 * fine[column] - coarse[column] for column in fine if column != "time_s"}


def _relative(error: Array, values: Array) -> float:
    largest = float(np.abs(values).max())
    return float(np.sqrt(np.mean(error**2))) / largest if largest > 0 else 0.0

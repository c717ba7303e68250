"""Runs with an error bar: the same inputs at steps h, h/2 and h/4, extrapolated to step zero (Richardson).

Implicit Euler errs by c h + d h² + …; two runs give a result of second order, three tell its error. The step is halved
until that error is within the tolerance asked for, or the budget of steps is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError, RangeError
from trackrod.core.executors import executor
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WHEEL_SIGNALS, WheelInputs
from trackrod.multibody.driving import BrokenOffError, MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["DECISIVE", "TOLERANCE", "DriverInputs", "ExtrapolatedRun", "extrapolated_run", "reference_run"]

Array = NDArray[np.float64]

#: Error over the largest magnitude that a reference keeps unless another is asked for [-].
TOLERANCE = 1e-3
#: Columns whose errors decide unless others are named, and magnitudes below which an error counts against these instead
#: of the largest of the run: a car that drives straight ahead has no yaw rate to compare with.
DECISIVE: Mapping[str, float] = {
    signals.YAW_RATE.column: 0.02,
    signals.AY.column: 0.2,
    signals.ROLL.column: 0.002,
    signals.VX.column: 1.0,
}


class BesideDriver(TypedDict):
    """What acts beside a driver, as `MultibodyVehicle.advance` takes it."""

    road_heights: Array | None
    wheels: WheelInputs | None
    environment: Array | None


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
    road_heights
        Height of the road under each tyre, shape (samples, tyres) [m]; None on a level road.
    at_wheels
        What assistance systems do, rows of `WHEEL_COLUMNS`; None where nothing acts beside the driver.
    environment
        Rows of `ENVIRONMENT`; None where road and air are as they were set.
    """

    time: Array
    steering_wheel_angle: Array
    throttle: Array
    brake: Array
    gear: Array
    road_heights: Array | None = None
    at_wheels: Array | None = None
    environment: Array | None = None

    def __post_init__(self) -> None:
        for name in ("steering_wheel_angle", "throttle", "brake", "gear"):
            if np.shape(getattr(self, name)) != self.time.shape:
                raise InputError(f"{name} has {np.size(getattr(self, name))} samples, time has {self.time.size}")
        for name in ("road_heights", "at_wheels", "environment"):
            rows = getattr(self, name)
            if rows is not None and len(rows) != self.time.size:
                raise InputError(f"{name} has {len(rows)} samples, time has {self.time.size}")

    @classmethod
    def of(cls, run: Run) -> DriverInputs:
        """The inputs that led to a run, the road apart."""
        columns = (signals.TIME, signals.STEERING_WHEEL_ANGLE, signals.THROTTLE, signals.BRAKE, signals.GEAR)
        known = [signal.column for family in WHEEL_SIGNALS.values() for signal in family.signals]
        given = np.column_stack([run[column] if column in run else np.zeros(run.time.size) for column in known])
        time, angle, throttle, brake, gear = (np.array(run[column]) for column in columns)
        return cls(time, angle, throttle, brake, gear, at_wheels=given if given.any() else None)

    def at(self, time: Array) -> tuple[Array, Array, Array, Array]:
        """Steering-wheel angle, throttle, brake and gear at other times."""
        held = np.clip(np.searchsorted(self.time, time + 1e-9, side="right") - 1, 0, self.time.size - 1)
        angle, throttle, brake = (
            np.interp(time, self.time, values) for values in (self.steering_wheel_angle, self.throttle, self.brake)
        )
        return angle, throttle, brake, self.gear[held]

    def beside_driver(self, time: Array) -> BesideDriver:
        """What else acts at other times: heights of the road under each tyre, wheels, environment."""
        wheels = self._between(self.at_wheels, time)
        return {
            "road_heights": self._between(self.road_heights, time),
            "wheels": None if wheels is None else WheelInputs.of_rows(wheels),
            "environment": self._between(self.environment, time),
        }

    def _between(self, rows: Array | None, time: Array) -> Array | None:
        return None if rows is None else np.column_stack([np.interp(time, self.time, column) for column in rows.T])


@dataclass(frozen=True, slots=True, eq=False)
class ExtrapolatedRun:
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
    tolerance: float = TOLERANCE,
    first_step: float = 2e-3,
    sample: float = 0.01,
    most_halvings: int = 3,
    decisive: Mapping[str, float] = DECISIVE,
    steering: SteeringModel = SteeringModel.RATIO,
) -> ExtrapolatedRun:
    """Drive known inputs with a tolerance.

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
    decisive
        Columns whose errors count, and the smallest magnitude that an error is compared with [SI unit].
    steering
        What lies between steering wheel and rack.

    Raises
    ------
    ConvergenceError
        The tolerance was not met within the budget; the message says what was reached.
    """

    def drive(step: float) -> tuple[Run, float]:
        model = MultibodyVehicle(vehicle, step=step, iterations=2, steering=steering)
        model.settle()
        model.start(speed)
        time: Array = step * np.arange(1, round(float(inputs.time[-1]) / step) + 1, dtype=np.float64)
        run = model.advance(*inputs.at(time), every=round(sample / step), **inputs.beside_driver(time))
        return run, model.seconds

    return extrapolated_run(vehicle.name, drive, tolerance, first_step, most_halvings, decisive)


def extrapolated_run(
    name: str,
    drive: Callable[[float], tuple[Run, float]],
    tolerance: float,
    first_step: float,
    most_halvings: int,
    decisive: Mapping[str, float] = DECISIVE,
) -> ExtrapolatedRun:
    """The limit of runs with ever shorter steps.

    Parameters
    ----------
    name
        Of the vehicle, for messages.
    drive
        Gives for a step [s] the run, with the same samples whatever the step, and the time that it took [s].
    tolerance, first_step, most_halvings, decisive
        As for `reference_run`.

    Raises
    ------
    RangeError
        The tolerance is not greater than zero.
    ConvergenceError
        The tolerance was not met within the budget.
    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise RangeError(f"the tolerance is {tolerance}, it must be greater than zero")
    runs: dict[float, Run | BrokenOffError] = {}
    seconds = 0.0
    steps = [first_step, first_step / 2, first_step / 4]
    reached = "no run came to its end"
    for _ in range(most_halvings + 1):
        missing = [step for step in reversed(steps) if step not in runs]  # the longest run first
        with executor(2) as pool:
            for step, (found, spent) in zip(missing, pool.map(lambda step: _tried(drive, step), missing), strict=True):
                runs[step] = found
                seconds += spent
        three = [run for run in (runs[step] for step in steps) if isinstance(run, Run)]
        if len(three) == len(steps):
            coarse, middle, fine = three
            first, second = _extrapolated(coarse, middle), _extrapolated(middle, fine)
            error = {column: np.abs(second[column] - first[column]) / 3.0 for column in second}
            relative = max(_relative(error[column], second[column], least) for column, least in decisive.items())
            if relative <= tolerance:
                metadata = {**fine.metadata, "integrator": "reference", "step_s": steps[-1], "tolerance": tolerance}
                held = {column: fine[column] for column in (signals.TIME.column, signals.GEAR.column)}
                run = Run({**second, **held}, {**metadata, "relative_error": relative})
                return ExtrapolatedRun(run, Run({"time_s": fine.time, **error}), relative, steps[-1], seconds)
            reached = f"{relative:.2g}"
        steps = [step / 2 for step in steps]
    text = f"the error of '{name}' is {reached} at a step of {steps[-1] * 2:g} s, {tolerance:g} was asked for"
    raise ConvergenceError(text)


def _tried(drive: Callable[[float], tuple[Run, float]], step: float) -> tuple[Run | BrokenOffError, float]:
    """A run, or why there is none: a step may be too long for a solution where a shorter one is not."""
    try:
        return drive(step)
    except BrokenOffError as error:
        return error, 0.0


def _extrapolated(coarse: Run, fine: Run) -> dict[str, Array]:
    return {column: 2.0 * fine[column] - coarse[column] for column in fine if column != "time_s"}


def _relative(error: Array, values: Array, least: float) -> float:
    return float(np.sqrt(np.mean(error**2))) / max(float(np.abs(values).max()), least)

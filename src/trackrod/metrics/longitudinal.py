"""Characteristic values of driving straight ahead: acceleration, braking, coast-down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.events import first_crossing, first_time, largest
from trackrod.metrics.trace import Array

__all__ = [
    "AccelerationValues",
    "BrakingValues",
    "CoastDownValues",
    "acceleration_values",
    "axle_load",
    "braking_part",
    "braking_values",
    "coast_down_values",
    "rolling_part",
]

#: Speeds to which times are taken [km/h].
_SPEEDS_KMH = (50, 80, 100, 120, 150, 200)
#: Speed at which a braked vehicle counts as standing [m/s].
_STANDING = 0.1
#: Mean fully developed deceleration is that between these shares of the first speed (UN Regulation 13, annex 4).
_DEVELOPED = (0.8, 0.1)


@dataclass(frozen=True, slots=True)
class AccelerationValues:
    """Acceleration through the gears.

    Attributes
    ----------
    first_speed, largest_speed
        [m/s]
    times
        From the beginning of the full throttle to a speed [s], by the speed in km/h; only those that were reached.
    largest_acceleration
        [m/s²]
    largest_pitch_change
        Magnitude, from the first sample [rad].
    """

    first_speed: float
    largest_speed: float
    times: Mapping[int, float]
    largest_acceleration: float
    largest_pitch_change: float


@dataclass(frozen=True, slots=True)
class BrakingValues:
    """Straight braking, ISO 21994.

    Attributes
    ----------
    first_speed
        When the pedal is first pressed [m/s].
    distance, time
        From then to standstill [m], [s].
    mean_deceleration
        First speed² / (2 distance) [m/s²].
    developed_deceleration
        Mean fully developed deceleration, over the distance from 80 % to 10 % of the first speed [m/s²].
    largest_deceleration
        [m/s²]
    largest_pitch_change
        Magnitude, from the beginning of braking [rad].
    """

    first_speed: float
    distance: float
    time: float
    mean_deceleration: float
    developed_deceleration: float
    largest_deceleration: float
    largest_pitch_change: float


@dataclass(frozen=True, slots=True)
class CoastDownValues:
    """Rolling out, ISO 10521-1: deceleration = constant + quadratic · speed², by least squares.

    Attributes
    ----------
    first_speed, last_speed
        [m/s]
    time, distance
        [s], [m]
    constant
        Part that does not depend on the speed, of rolling resistance and bearings [m/s²].
    quadratic
        Part of the air; times twice the effective mass it is air density × drag coefficient × frontal area [1/m].
    """

    first_speed: float
    last_speed: float
    time: float
    distance: float
    constant: float
    quadratic: float


def axle_load(run: Run, axle: Axle) -> Array:
    """Load on both wheels of an axle [N]."""
    return np.asarray(np.sum([run[signals.FZ[c]] for c in Corner if c.axle is axle], axis=0))


def acceleration_values(run: Run) -> AccelerationValues:
    """Values of a run of acceleration; time counts from where the throttle begins to grow to its largest value."""
    speed, throttle, pitch = run[signals.VX], run[signals.THROTTLE], run[signals.PITCH]
    if not throttle.max() > 0:
        raise InputError(f"the run has no acceleration: '{signals.THROTTLE.column}' is never greater than zero")
    full = int(np.argmax(throttle >= throttle.max()))
    # The pedal is pressed within a moment: what counts is where the growth to full throttle began.
    begin = full
    while begin > 0 and throttle[begin - 1] < throttle[begin]:
        begin -= 1
    time = run.time[begin:] - run.time[begin]
    times = {}
    for target in _SPEEDS_KMH:
        reached = first_crossing(time, speed[begin:], target / 3.6)
        if reached is not None and reached > 0:
            times[target] = reached
    return AccelerationValues(
        first_speed=float(speed[begin]),
        largest_speed=float(speed.max()),
        times=times,
        largest_acceleration=float(run[signals.AX].max()),
        largest_pitch_change=largest(pitch - pitch[0]),
    )


def braking_part(run: Run) -> Run:
    """The run from the last sample before the pedal is pressed to standstill, or to the end if it does not stand.

    Raises
    ------
    InputError
        The brake is never pressed.
    """
    begin = first_time(run, signals.BRAKE, "braking")
    standing = (run.time > begin) & (run[signals.VX] <= _STANDING)
    end = run.time[int(np.argmax(standing))] if standing.any() else run.time[-1]
    return run.slice(begin, float(end))


def rolling_part(part: Run) -> Run:
    """What is left of braking before the last tenth of the speed: there a vehicle nods to a standstill.

    The end of the developed deceleration of UN Regulation 13; the whole where it does not get so slow.
    """
    slow = part[signals.VX] < _DEVELOPED[1] * part[signals.VX][0]
    return part.slice(float(part.time[0]), float(part.time[int(np.argmax(slow))])) if slow.any() else part


def braking_values(run: Run) -> BrakingValues:
    """Values of a run of straight braking to standstill; InputError if it does not brake or does not stand."""
    part = braking_part(run)
    time, speed, pitch = part.time, part[signals.VX], part[signals.PITCH]
    first = float(speed[0])
    if speed[-1] > _STANDING:
        raise InputError(f"the vehicle does not come to a standstill: its last speed is {speed[-1]:.3g} m/s")
    travelled = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(time) * (speed[1:] + speed[:-1]))))
    distance = float(travelled[-1])
    upper, lower = (share * first for share in _DEVELOPED)
    at = [first_crossing(time, -speed, -level) for level in (upper, lower)]
    between = np.diff(np.interp(np.array(at, dtype=float), time, travelled))[0]
    return BrakingValues(
        first_speed=first,
        distance=distance,
        time=float(time[-1] - time[0]),
        mean_deceleration=first**2 / (2 * distance),
        developed_deceleration=float((upper**2 - lower**2) / (2 * between)),
        largest_deceleration=float(-part[signals.AX].min()),
        largest_pitch_change=largest(pitch - pitch[0]),
    )


def coast_down_values(run: Run) -> CoastDownValues:
    """Values of a run of rolling out: the samples with both pedals released.

    Raises
    ------
    InputError
        There are fewer than ten such samples, or their speed does not fall.
    """
    free = (run[signals.THROTTLE] <= 0.0) & (run[signals.BRAKE] <= 0.0)
    begin = free.size - int(np.argmax(~free[::-1])) if not free.all() else 0
    time, speed = run.time[begin:], run[signals.VX][begin:]
    if time.size < 10 or not speed[0] > speed[-1]:
        raise InputError("the run does not end with rolling out: ten samples or more with both pedals released")
    # dv/dt = −c0 − c2 v², integrated from the first sample, so that nothing is differentiated
    squared = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(time) * (speed[1:] ** 2 + speed[:-1] ** 2))))
    columns = np.column_stack((time - time[0], squared))
    constant, quadratic = np.linalg.lstsq(columns, speed[0] - speed, rcond=None)[0]
    return CoastDownValues(
        first_speed=float(speed[0]),
        last_speed=float(speed[-1]),
        time=float(time[-1] - time[0]),
        distance=float(np.trapezoid(speed, time)),
        constant=float(constant),
        quadratic=float(quadratic),
    )

"""Virtual measurement: what a set of sensors would have recorded of a run whose truth is known.

A campaign draws the zero error and the gain error of each sensor once; every run of it has these errors, and noise of
its own. Each sensor samples at its own rate, late by its delay, inside its range, in steps of its resolution.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.measured.imu import LEVEL_AT_CENTRE, Mounting, to_sensor
from trackrod.measured.recording import Recording, Samples, recording_of
from trackrod.measured.road import against_horizon
from trackrod.measured.sensors import Sensor, SensorSet
from trackrod.measured.wheel_forces import outer_part

__all__ = ["Campaign", "Installation", "SensorError", "exposed"]

Array = NDArray[np.float64]

_ACCELERATIONS = (signals.AX, signals.AY, signals.AZ)
_RATES = (signals.ROLL_RATE, signals.PITCH_RATE, signals.YAW_RATE)
_RATE_CHANGES = (signals.ROLL_ACCELERATION, signals.PITCH_ACCELERATION, signals.YAW_ACCELERATION)


@dataclass(frozen=True, slots=True)
class SensorError:
    """What stays wrong with a sensor over a campaign: relative gain error [-], zero error [SI unit of its column]."""

    gain: float
    zero: float


@dataclass(frozen=True, slots=True)
class Installation:
    """How the sensors are installed in a vehicle.

    Attributes
    ----------
    imu
        How the IMU is mounted.
    outer_mass
        Of a wheel-force transducer with what is outside of it [kg].
    wheels
        Wheel centres from the centre of gravity, forward and to the left [m].
    """

    imu: Mounting = LEVEL_AT_CENTRE
    outer_mass: float = 0.0
    wheels: Mapping[Corner, tuple[float, float]] = field(default_factory=dict)


def exposed(run: Run, installation: Installation) -> Run:
    """What the sensors are exposed to: accelerations where the IMU is, forces that reach the transducers.

    Angles are those against the horizon.

    Parameters
    ----------
    run
        Of a model: accelerations of the centre of gravity, forces of the road.
    """
    columns = dict(run)
    if installation.imu != LEVEL_AT_CENTRE:
        shown = to_sensor(*motion_of(run), installation.imu)
        columns |= {signal.column: shown[:, i] for i, signal in enumerate(_ACCELERATIONS)}
    if installation.outer_mass > 0.0:
        for corner in Corner:
            missed = outer_part(run, corner, installation.outer_mass, installation.wheels[corner])
            columns |= {column: run[column] - values for column, values in missed.items()}
    return Run({**columns, **against_horizon(columns)}, run.metadata)


def motion_of(run: Run) -> tuple[Array, Array, Array, Array]:
    """Accelerations, angular rates and their changes, roll and pitch of a run, a row for each sample."""
    changes = [
        run[change] if change.column in run else np.gradient(run[rate], run.time)
        for rate, change in zip(_RATES, _RATE_CHANGES, strict=True)
    ]
    acceleration, rates, angles = (
        np.column_stack([run[signal] for signal in found])
        for found in (_ACCELERATIONS, _RATES, (signals.ROLL, signals.PITCH))
    )
    return acceleration, rates, np.column_stack(changes), angles


@dataclass(frozen=True)
class Campaign:
    """A day of measurements with one set of sensors.

    Parameters
    ----------
    sensors
        What measures.
    seed
        Of all errors; two campaigns of one seed are the same.
    """

    sensors: SensorSet
    seed: int = 1

    @cached_property
    def errors(self) -> Mapping[str, SensorError]:
        """Of each sensor, by column."""
        found = {}
        for column, sensor in self.sensors.items():
            gain, zero = self._generator(column).uniform(-1.0, 1.0, 2)
            found[column] = SensorError(float(gain) * sensor.scale_error, float(zero) * sensor.accuracy)
        return found

    def measure(self, run: Run, number: int = 0) -> dict[str, Samples]:
        """Samples of every sensor whose column the run has, in SI units, by column.

        Parameters
        ----------
        run
            What the sensors are exposed to.
        number
            Of the run in the campaign: each has noise of its own.
        """
        return {
            column: self._samples(run, sensor, self._generator(column, 1 + number))
            for column, sensor in self.sensors.items()
            if column in run
        }

    def record(self, run: Run, number: int = 0) -> Recording:
        """The same as a recording in memory, its channels called like the columns."""
        found = self.measure(run, number)
        name = Path(str(run.metadata.get("name", "run")))
        return recording_of(name, {column: (self.sensors[column].kind.unit, s) for column, s in found.items()})

    def _samples(self, run: Run, sensor: Sensor, generator: np.random.Generator) -> Samples:
        start, end = float(run.time[0]), float(run.time[-1])
        time = start + np.arange(int(np.floor((end - start) * sensor.rate * (1.0 + 1e-12))) + 1) / sensor.rate
        error = self.errors[sensor.column]
        true = run.series(sensor.column).at(np.clip(time - sensor.delay, start, end))
        values = (1.0 + error.gain) * true + error.zero + sensor.noise * generator.standard_normal(time.size)
        if sensor.resolution > 0.0:
            values = sensor.resolution * np.round(values / sensor.resolution)
        return Samples(time, np.clip(values, *sensor.range))

    def _generator(self, column: str, number: int = 0) -> np.random.Generator:
        return np.random.default_rng([self.seed, number, zlib.crc32(column.encode())])

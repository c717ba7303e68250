"""Brakes: torque over pressure, distribution, largest torque, pressure over pedal.

Reference: paper 001, eq. 22 and 23, with its filter: pressed, and no throttle. Wheels that are locked or stand are left
out: their brakes hold, whatever the pressure.

The torque of brake and half-shaft on a wheel is what a wheel-force transducer calls M_y. It holds neither the rolling
resistance of the tyre nor what slows down the wheel itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import Kind, kind
from trackrod.core.signals import CornerSignal
from trackrod.estimate.estimator import Channels, Estimator, Law, of_axle, spans
from trackrod.estimate.kinds import BRAKE_FACTOR, PER_KELVIN
from trackrod.estimate.known import Known
from trackrod.measured.columns import WHEEL_TORQUE

__all__ = [
    "DISC_TEMPERATURE",
    "BrakeDistribution",
    "BrakeFactor",
    "BrakeFade",
    "LargestBrakeTorque",
    "PedalPressure",
]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

DISC_TEMPERATURE = CornerSignal("disc_temperature", kind("temperature"), "of the brake disc")
_BAR = 1e5
#: Temperature of a warm brake [K]; time over which a pedal is held [s].
_WARM, _HELD = 373.15, 0.2


@dataclass(frozen=True, kw_only=True)
class _Braking(Estimator):
    """Braking.

    Attributes
    ----------
    least_pressure
        Of the wheel's brake [Pa].
    largest_throttle
        [-]
    least_speed
        Of the vehicle [m/s]; and the wheel turns at least half as fast as it would roll freely.
    """

    least_pressure: float = 10.0 * _BAR
    largest_throttle: float = 0.05
    least_speed: float = 2.0

    def corners(self) -> tuple[Corner, ...]:
        """Wheels that it looks at."""
        return tuple(Corner)

    def needs(self) -> tuple[str, ...]:
        """Torques, pressures, speeds, throttle."""
        families = (WHEEL_TORQUE, signals.BRAKE_PRESSURE, signals.WHEEL_SPEED)
        others = (signals.THROTTLE, signals.VX)
        return tuple(s.column for s in (*(family[c] for family in families for c in self.corners()), *others))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Pressed, no throttle, not locked."""
        mask = (run[signals.THROTTLE] < self.largest_throttle) & (run[signals.VX] > self.least_speed)
        for corner in self.corners():
            turns = run[signals.WHEEL_SPEED[corner]] * known[f"rolling_radius_{corner.axle}"]
            mask &= (run[signals.BRAKE_PRESSURE[corner]] > self.least_pressure) & (turns > 0.5 * run[signals.VX])
        return np.asarray(mask)

    def wanted(self) -> str:
        """Braking."""
        return f"braking with more than {self.least_pressure / _BAR:g} bar that locks no wheel"


@dataclass(frozen=True, kw_only=True)
class BrakeFactor(_Braking):
    """Torque of a wheel's brake over its pressure [N·m/Pa]: eq. 22, as a slope.

    Attributes
    ----------
    offset
        Whether the line need not go through the origin, so that the zeros of both sensors do not count; if not given,
        where the pressures of the runs tell one.
    least_span
        Of pressures that do, the largest over the smallest (5 % of the samples beyond both) [-].
    """

    offset: bool | None = None
    least_span: float = 1.5
    corner: Corner

    parameter: ClassVar[str] = "brake_factor_{corner}"
    of: ClassVar[Kind] = BRAKE_FACTOR

    def corners(self) -> tuple[Corner, ...]:
        """One."""
        return (self.corner,)

    def over(self, runs: Sequence[Channels], known: Known) -> BrakeFactor:
        """Whether pressures tell an offset."""
        if self.offset is not None:
            return self
        pressed = [run[signals.BRAKE_PRESSURE[self.corner]][self.admissible(run, known)] for run in runs]
        return replace(self, offset=spans(pressed, self.least_span))

    def law(self, run: Channels, known: Known) -> Law:
        """−M_y = factor · pressure, and an offset."""
        del known
        pressure = run[signals.BRAKE_PRESSURE[self.corner]]
        X = [pressure, *([np.ones(pressure.size)] if self.offset else [])]
        return Law(-run[WHEEL_TORQUE[self.corner]], np.column_stack(X))


@dataclass(frozen=True, kw_only=True)
class BrakeFade(BrakeFactor):
    """Relative change of the brake factor over the temperature of the disc, from that at 100 °C [1/K]."""

    parameter: ClassVar[str] = "brake_fade_{corner}"
    of: ClassVar[Kind] = PER_KELVIN

    def needs(self) -> tuple[str, ...]:
        """The temperature too."""
        return (*super().needs(), DISC_TEMPERATURE[self.corner].column)

    def law(self, run: Channels, known: Known) -> Law:
        """−M_y = pressure · (factor + slope · (temperature − 100 °C))."""
        torque, pressure = super().law(run, known).y, run[signals.BRAKE_PRESSURE[self.corner]]
        warmer = run[DISC_TEMPERATURE[self.corner]] - _WARM
        return Law(torque, np.column_stack((pressure, pressure * warmer)))

    def value(self, coefficients: Array) -> float:
        """Slope over factor."""
        return float(coefficients[1] / coefficients[0])


@dataclass(frozen=True, kw_only=True)
class BrakeDistribution(_Braking):
    """Share of the front axle in the torque of all brakes: eq. 23, as the slope of the one sum over the other."""

    parameter: ClassVar[str] = "brake_distribution"
    of: ClassVar[Kind] = kind("number")

    def law(self, run: Channels, known: Known) -> Law:
        """Front torque = share · whole torque."""
        del known
        front = sum((run[WHEEL_TORQUE[corner]] for corner in of_axle(Axle.FRONT)), np.zeros(1))
        rear = sum((run[WHEEL_TORQUE[corner]] for corner in of_axle(Axle.REAR)), np.zeros(1))
        return Law(-front, -(front + rear)[:, None])


@dataclass(frozen=True, kw_only=True)
class LargestBrakeTorque(_Braking):
    """Torque of both brakes of an axle at the largest pressure that was reached [N·m].

    Samples are picked by pressure, because the largest of noisy torques is larger than any true one.

    Attributes
    ----------
    near
        Share of the largest pressure from which on samples count [-].
    largest
        That pressure, of both brakes together [Pa]; the largest of all runs if not given.
    """

    axle: Axle
    near: float = 0.97
    largest: float | None = None

    parameter: ClassVar[str] = "largest_brake_torque_{axle}"
    of: ClassVar[Kind] = kind("torque")

    def corners(self) -> tuple[Corner, ...]:
        """Of the axle."""
        return of_axle(self.axle)

    def over(self, runs: Sequence[Channels], known: Known) -> LargestBrakeTorque:
        """With the largest pressure of all runs."""
        if self.largest is not None:
            return self
        pressed = [self._pressure(run)[_Braking.admissible(self, run, known)] for run in runs]
        return replace(self, largest=max((float(p.max()) for p in pressed if p.size), default=0.0))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Near the largest pressure."""
        assert self.largest is not None
        return np.asarray(super().admissible(run, known) & (self._pressure(run) > self.near * self.largest))

    def _pressure(self, run: Channels) -> Array:
        return sum((run[signals.BRAKE_PRESSURE[corner]] for corner in self.corners()), np.zeros(1))

    def law(self, run: Channels, known: Known) -> Law:
        """Mean."""
        del known
        torque = -sum((run[WHEEL_TORQUE[corner]] for corner in self.corners()), np.zeros(1))
        return Law(torque, np.ones((torque.size, 1)))

    def note(self, law: Law) -> str:
        """Not what the brake can do at most."""
        del law
        return "at the largest pressure of these runs; the brake may give more at a higher one"


@dataclass(frozen=True, kw_only=True)
class PedalPressure(Estimator):
    """Pressure of an axle's brakes over the pedal, from 0 to 1 [Pa].

    Attributes
    ----------
    least_pedal
        [-]
    largest_rate
        Of the pedal [1/s]: where it moves, a sensor that is slower than the other counts.
    """

    axle: Axle
    least_pedal: float = 0.02
    largest_rate: float = 0.05

    parameter: ClassVar[str] = "pedal_pressure_{axle}"
    of: ClassVar[Kind] = kind("pressure")

    def needs(self) -> tuple[str, ...]:
        """Pressures and pedal."""
        return (*(signals.BRAKE_PRESSURE[c].column for c in of_axle(self.axle)), signals.BRAKE.column)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Pressed, and held."""
        del known
        held = np.abs(run.rate(signals.BRAKE, _HELD)) < self.largest_rate
        return np.asarray(held & (run[signals.BRAKE] > self.least_pedal))

    def law(self, run: Channels, known: Known) -> Law:
        """Through the origin: two levels of a coarse pedal tell no offset."""
        del known
        left, right = (run[signals.BRAKE_PRESSURE[corner]] for corner in of_axle(self.axle))
        return Law(0.5 * (left + right), run[signals.BRAKE][:, None])

    def wanted(self) -> str:
        """Braking."""
        return f"the brake pedal pressed by more than {self.least_pedal:.0%}"

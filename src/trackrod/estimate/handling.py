"""Steady handling: steering ratio, understeer gradient, roll gradient.

A vehicle lags behind slow steering by a constant time: what that makes of an angle goes with the rate of the lateral
acceleration, and is a term of its own.

Limits: gradients are those of the linear range, by samples of slow steering.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import Kind, kind
from trackrod.estimate.estimator import Channels, Estimator, Law, of_axle, spans
from trackrod.estimate.kinds import ANGLE_GRADIENT
from trackrod.estimate.known import Known

__all__ = ["RollGradient", "SteeringRatio", "UndersteerGradient"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Smoothing [s]: of filters and laws, of the rate of lateral acceleration.
_WINDOW, _LAG = 0.2, 0.5


@dataclass(frozen=True, kw_only=True)
class SteeringRatio(Estimator):
    """Steering-wheel angle over the mean steer angle of the front wheels [-], without lateral forces.

    Lateral forces turn the wheels back by some per cent at 80 km/h. Where the runs have several speeds, a term of the
    lateral acceleration takes that; else it is known before, with a bound.

    Attributes
    ----------
    largest_angle, least_angle
        Of the steering wheel [rad].
    largest_ay
        [m/s²]
    yields
        Whether there is a term of lateral acceleration; if not given, where the runs tell one.
    least_span
        Of lateral acceleration over angle that does, the largest over the smallest (5 % of the samples beyond both).
    """

    largest_angle: float = math.radians(60.0)
    least_angle: float = math.radians(2.0)
    largest_ay: float = 2.0
    yields: bool | None = None
    least_span: float = 3.0

    parameter: ClassVar[str] = "steering_ratio"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Angles."""
        front = (signals.STEER[corner].column for corner in of_axle(Axle.FRONT))
        return (signals.STEERING_WHEEL_ANGLE.column, signals.AY.column, *front)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Turned."""
        del known
        angle = np.abs(run[signals.STEERING_WHEEL_ANGLE])
        mask = (angle < self.largest_angle) & (angle > self.least_angle)
        return np.asarray(mask & (np.abs(run.smoothed(signals.AY, _WINDOW)) < self.largest_ay))

    def over(self, runs: Sequence[Channels], known: Known) -> SteeringRatio:
        """Whether speeds tell what forces take away."""
        if self.yields is not None:
            return self
        masks = [self.admissible(run, known) for run in runs]
        ratios = [
            np.abs(run.smoothed(signals.AY, _WINDOW)[mask] / run[signals.STEERING_WHEEL_ANGLE][mask])
            for run, mask in zip(runs, masks, strict=True)
        ]
        return replace(self, yields=spans(ratios, self.least_span))

    def law(self, run: Channels, known: Known) -> Law:
        """δ_H = i (δ + yield · a_y) + δ₀."""
        left, right = (run[signals.STEER[corner]] for corner in of_axle(Axle.FRONT))
        wheels, ay = 0.5 * (left + right), run.smoothed(signals.AY, _WINDOW)
        terms = [wheels, ay] if self.yields else [wheels + known["steering_yield"] * ay]
        return Law(run[signals.STEERING_WHEEL_ANGLE], np.column_stack((*terms, np.ones(ay.size))))

    def wanted(self) -> str:
        """Turning."""
        low, high = math.degrees(self.least_angle), math.degrees(self.largest_angle)
        return f"the steering wheel turned by {low:.0f} to {high:.0f}°"


@dataclass(frozen=True, kw_only=True)
class _Cornering(Estimator):
    """Slow changes of lateral acceleration in its linear range.

    Attributes
    ----------
    least_ay, largest_ay, largest_ax
        [m/s²]
    least_speed
        [m/s]
    largest_yaw_acceleration, largest_steering_rate
        Steady: [rad/s²], of the steering wheel [rad/s].
    """

    least_ay: float = 0.5
    largest_ay: float = 4.0
    largest_ax: float = 1.0
    least_speed: float = 5.0
    largest_yaw_acceleration: float = math.radians(8.0)
    largest_steering_rate: float = math.radians(30.0)

    def needs(self) -> tuple[str, ...]:
        """Motion and steering."""
        needed = (signals.AX, signals.AY, signals.VX, signals.YAW_RATE, signals.STEERING_WHEEL_ANGLE)
        return tuple(signal.column for signal in needed)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Steady cornering."""
        del known
        ay = np.abs(run.smoothed(signals.AY, _WINDOW))
        mask = (ay > self.least_ay) & (ay < self.largest_ay) & (run[signals.VX] > self.least_speed)
        mask &= np.abs(run.smoothed(signals.AX, _WINDOW)) < self.largest_ax
        mask &= np.abs(run.rate(signals.YAW_RATE, _WINDOW)) < self.largest_yaw_acceleration
        return np.asarray(mask & (np.abs(run.rate(signals.STEERING_WHEEL_ANGLE, _WINDOW)) < self.largest_steering_rate))

    def terms(self, run: Channels) -> list[Array]:
        """Lateral acceleration, a constant, and what lags."""
        ay = run.smoothed(signals.AY, _WINDOW)
        return [ay, np.ones(ay.size), run.rate(signals.AY, _LAG)]

    def wanted(self) -> str:
        """Cornering."""
        return f"slow cornering from {self.least_ay:g} to {self.largest_ay:g} m/s² of lateral acceleration"


@dataclass(frozen=True, kw_only=True)
class UndersteerGradient(_Cornering):
    """What the road wheels must turn more for lateral acceleration than a tyre without slip needs [rad·s²/m].

    ISO 8855:2011, 12.2.5: d(δ_H / i_S − l ψ̇ / v) / d a_y.
    """

    parameter: ClassVar[str] = "understeer_gradient"
    of: ClassVar[Kind] = ANGLE_GRADIENT

    def needs_known(self) -> tuple[str, ...]:
        """Ratio and wheelbase."""
        return ("steering_ratio", *(f"wheel_x_{corner}" for corner in Corner))

    def law(self, run: Channels, known: Known) -> Law:
        """A straight line, and what lags."""
        turned = run[signals.STEERING_WHEEL_ANGLE] / known["steering_ratio"]
        free = known.wheelbase * run[signals.YAW_RATE] / np.maximum(run[signals.VX], self.least_speed)
        return Law(run.smoothed_values(turned - free, _WINDOW), np.column_stack(self.terms(run)))


@dataclass(frozen=True, kw_only=True)
class RollGradient(_Cornering):
    """Roll angle over lateral acceleration [rad·s²/m].

    Attributes
    ----------
    sloping
        Whether the road may slope: runs that turn all the way round tell its slope, and the roll angle by it is taken
        off; other runs are left out.
    """

    sloping: bool = False

    parameter: ClassVar[str] = "roll_gradient"
    of: ClassVar[Kind] = ANGLE_GRADIENT

    def needs(self) -> tuple[str, ...]:
        """The roll angle too."""
        return (*super().needs(), signals.ROLL.column, *((signals.YAW.column,) if self.sloping else ()))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """On a slope only runs that turn round."""
        if self.sloping and np.ptp(run[signals.YAW]) < 2.0 * math.pi:
            return np.zeros(run.time.size, dtype=bool)
        return super().admissible(run, known)

    def law(self, run: Channels, known: Known) -> Law:
        """A straight line, what lags, and what the slope of the road adds over the heading."""
        del known
        terms = self.terms(run)
        if self.sloping:
            terms += [np.cos(run[signals.YAW]), np.sin(run[signals.YAW])]
        return Law(run.smoothed(signals.ROLL, _WINDOW), np.column_stack(terms))

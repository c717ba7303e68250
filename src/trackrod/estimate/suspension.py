"""Kinematics of the suspension as driving shows it: what a rig measures better, where there is none.

Static angles and ratios of damper sensors are there to be compared with those of the workshop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import Kind, kind
from trackrod.estimate.estimator import Channels, Estimator, Law, of_axle
from trackrod.estimate.kinds import ANGLE_PER_LENGTH
from trackrod.estimate.known import Known
from trackrod.estimate.masses import Quiet

__all__ = ["BumpSlope", "DamperRatio", "RollSlope", "StaticAngle", "WheelAngle"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
_WINDOW = 0.1


class WheelAngle(StrEnum):
    """Which angle of a wheel."""

    STEER = "steer"
    CAMBER = "camber"

    def of(self, run: Channels, corner: Corner) -> Array:
        """Of one wheel [rad]: inward toe, outward camber."""
        if self is WheelAngle.CAMBER:
            return run[signals.CAMBER[corner]]
        return -corner.side.sign * run[signals.STEER[corner]]

    def column(self, corner: Corner) -> str:
        """Of one wheel."""
        return (signals.CAMBER if self is WheelAngle.CAMBER else signals.STEER)[corner].column


@dataclass(frozen=True, kw_only=True)
class BumpSlope(Estimator):
    """Toe-in or camber of an axle over parallel travel of its wheels, straight ahead [rad/m].

    Attributes
    ----------
    largest_ay
        [m/s²]
    """

    axle: Axle
    angle: WheelAngle
    largest_ay: float = 0.5

    parameter: ClassVar[str] = "bump_{angle}_{axle}"
    of: ClassVar[Kind] = ANGLE_PER_LENGTH

    def needs(self) -> tuple[str, ...]:
        """Travel, angles and longitudinal forces of the wheels."""
        found = [signals.AY.column]
        for corner in of_axle(self.axle):
            found += [self.angle.column(corner), signals.WHEEL_TRAVEL[corner].column, signals.FX[corner].column]
        return tuple(found)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Straight ahead."""
        del known
        return np.asarray(np.abs(run.smoothed(signals.AY, _WINDOW)) < self.largest_ay)

    def law(self, run: Channels, known: Known) -> Law:
        """Means of both wheels: the steering cancels, what longitudinal forces give is a term of its own."""
        del known
        left, right = of_axle(self.axle)
        angle = 0.5 * (self.angle.of(run, left) + self.angle.of(run, right))
        travel = 0.5 * (run[signals.WHEEL_TRAVEL[left]] + run[signals.WHEEL_TRAVEL[right]])
        force = 0.5 * (run[signals.FX[left]] + run[signals.FX[right]])
        return Law(angle, np.column_stack((travel, force, np.ones(travel.size))))

    def wanted(self) -> str:
        """Travel."""
        return "travel of the wheels straight ahead: braking and driving, uneven road"


@dataclass(frozen=True, kw_only=True)
class RollSlope(Estimator):
    """Steer or camber of the wheels of an axle that does not steer, over the roll of the body [rad/rad].

    Steer is that of the mean, left turn positive; camber is the mean of left and right, in the sense of the left wheel.

    Attributes
    ----------
    least_ay, largest_ay
        [m/s²]

    Limits: at steady cornering roll and lateral forces grow together: what forces bend is part of the value unless the
    runs have quick steering too, which tells them apart.
    """

    axle: Axle = Axle.REAR
    angle: WheelAngle = WheelAngle.STEER
    least_ay: float = 0.3
    largest_ay: float = 5.0

    parameter: ClassVar[str] = "roll_{angle}_{axle}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Roll, angles and lateral forces of the wheels."""
        found = [signals.AY.column, signals.ROLL.column]
        for corner in of_axle(self.axle):
            found += [self.angle.column(corner), signals.FY[corner].column]
        return tuple(found)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Cornering."""
        del known
        ay = np.abs(run.smoothed(signals.AY, _WINDOW))
        return np.asarray((ay > self.least_ay) & (ay < self.largest_ay))

    def law(self, run: Channels, known: Known) -> Law:
        """A term of roll and one of the lateral forces."""
        del known
        left, right = (Corner.of(self.axle, side) for side in Side)
        # Toe-in of the left wheel is steer to the right, of the right wheel to the left.
        turned = 0.5 * (self.angle.of(run, left) - self.angle.of(run, right))
        angle = -turned if self.angle is WheelAngle.STEER else turned
        force = run[signals.FY[left]] + run[signals.FY[right]]
        roll = run[signals.ROLL]
        return Law(angle, np.column_stack((roll, force, np.ones(roll.size))))

    def wanted(self) -> str:
        """Roll."""
        return "steady and quick cornering"


@dataclass(frozen=True, kw_only=True)
class StaticAngle(Quiet):
    """Toe-in or camber of a wheel at quiet driving straight ahead [rad], by sensors at the wheel."""

    corner: Corner
    angle: WheelAngle
    largest_steering_wheel_angle: float = math.radians(0.5)

    of: ClassVar[Kind] = kind("angle")

    @property
    def name(self) -> str:
        """With angle and corner."""
        return f"static_{'toe' if self.angle is WheelAngle.STEER else self.angle}_{self.corner}"

    def corners(self) -> tuple[Corner, ...]:
        """No loads are needed."""
        return ()

    def needs(self) -> tuple[str, ...]:
        """The angle too."""
        return (*super().needs(), self.angle.column(self.corner))

    def law(self, run: Channels, known: Known) -> Law:
        """Mean."""
        del known
        angle = self.angle.of(run, self.corner)
        return Law(angle, np.ones((angle.size, 1)))


@dataclass(frozen=True, kw_only=True)
class DamperRatio(Estimator):
    """Travel of a wheel over that of its damper sensor [-], both in bump, about the standing height.

    Attributes
    ----------
    least_travel
        Standard deviation of the wheel's travel that tells it [m].
    """

    corner: Corner
    least_travel: float = 0.002

    parameter: ClassVar[str] = "damper_ratio_{corner}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Both travels."""
        return signals.WHEEL_TRAVEL[self.corner].column, signals.DAMPER_LENGTH[self.corner].column

    def admissible(self, run: Channels, known: Known) -> Mask:
        """All of it."""
        del known
        return np.isfinite(run[signals.DAMPER_LENGTH[self.corner]])

    def enough(self, law: Law, known: Known) -> bool:
        """It moves."""
        return super().enough(law, known) and float(law.y.std()) > self.least_travel

    def law(self, run: Channels, known: Known) -> Law:
        """A straight line."""
        del known
        shorter = -run[signals.DAMPER_LENGTH[self.corner]]
        return Law(run[signals.WHEEL_TRAVEL[self.corner]], np.column_stack((shorter, np.ones(shorter.size))))

    def wanted(self) -> str:
        """Travel."""
        return f"travel of the wheel by more than {1e3 * self.least_travel:g} mm (standard deviation)"

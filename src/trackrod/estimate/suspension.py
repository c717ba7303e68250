"""Kinematics of the suspension as driving shows it: what a rig measures better, where there is none.

Forces bend a suspension while its wheels travel. Those that are measured are terms of their own; others go with the
travel itself (loads, inertia of the wheels), and stay in the value with a bound.

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
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import Kind, kind
from trackrod.estimate.estimator import Channels, Estimator, Law, of_axle
from trackrod.estimate.kinds import ANGLE_PER_LENGTH
from trackrod.estimate.known import Known
from trackrod.estimate.masses import Quiet

__all__ = ["BumpSlope", "DamperRatio", "RollSlope", "StaticAngle", "WheelAngle"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Smoothing [s]: of filters, and of laws, so that wheel hop does not count.
_WINDOW, _SLOW = 0.1, 0.2


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
    largest_ax, largest_ay
        Neither braked nor driven, because torque bends more than force; straight ahead [m/s²].
    """

    axle: Axle
    angle: WheelAngle
    largest_ax: float = 0.5
    largest_ay: float = 0.5

    parameter: ClassVar[str] = "bump_{angle}_{axle}"
    of: ClassVar[Kind] = ANGLE_PER_LENGTH

    def needs(self) -> tuple[str, ...]:
        """Travel, angles and forces of the wheels."""
        families = (signals.WHEEL_TRAVEL, signals.FX, signals.FY)
        wheels = (family[c].column for family in families for c in of_axle(self.axle))
        angles = (self.angle.column(corner) for corner in of_axle(self.axle))
        return (signals.AX.column, signals.AY.column, *angles, *wheels)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Straight ahead, at constant speed."""
        del known
        straight = np.abs(run.smoothed(signals.AY, _WINDOW)) < self.largest_ay
        return np.asarray(straight & (np.abs(run.smoothed(signals.AX, _SLOW)) < self.largest_ax))

    def law(self, run: Channels, known: Known) -> Law:
        """Means of both wheels, in which the steering cancels; forces along and inward are terms of their own."""
        left, right = of_axle(self.axle)
        angle = 0.5 * (self.angle.of(run, left) + self.angle.of(run, right))
        travel = 0.5 * (run[signals.WHEEL_TRAVEL[left]] + run[signals.WHEEL_TRAVEL[right]])
        along = 0.5 * (run[signals.FX[left]] + run[signals.FX[right]])
        inward = 0.5 * (run[signals.FY[right]] - run[signals.FY[left]])
        y, *terms = (
            run.smoothed_values(values, _SLOW)
            for values in (angle - known["travel_bends"] * travel, travel, along, inward)
        )
        return Law(y, np.column_stack((*terms, np.ones(y.size))))

    def wanted(self) -> str:
        """Travel."""
        return "uneven road, straight ahead at constant speed"


@dataclass(frozen=True, kw_only=True)
class RollSlope(Estimator):
    """Steer or camber of the wheels of an axle that does not steer, over the roll of the body on its wheels [rad/rad].

    The roll is that of the wheels' travel against each other, over the track: the body's own roll angle holds what the
    tyres give way, and goes with the lateral forces. Steer is that of the mean, left turn positive; camber is the mean
    of left and right, in the sense of the left wheel.

    Attributes
    ----------
    largest_ax, largest_ay
        [m/s²]

    Limits: in steady cornering roll and lateral forces grow together; uneven road or quick steering tells them apart.
    """

    axle: Axle = Axle.REAR
    angle: WheelAngle = WheelAngle.STEER
    largest_ax: float = 0.5
    largest_ay: float = 5.0

    parameter: ClassVar[str] = "roll_{angle}_{axle}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Travel, angles and lateral forces of the wheels."""
        families = (signals.WHEEL_TRAVEL, signals.FY)
        wheels = (family[c].column for family in families for c in of_axle(self.axle))
        angles = (self.angle.column(corner) for corner in of_axle(self.axle))
        return (signals.AX.column, signals.AY.column, *angles, *wheels)

    def needs_known(self) -> tuple[str, ...]:
        """The track."""
        return tuple(f"wheel_y_{corner}" for corner in of_axle(self.axle))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Not at the limit, neither braked nor driven."""
        del known
        linear = np.abs(run.smoothed(signals.AY, _WINDOW)) < self.largest_ay
        return np.asarray(linear & (np.abs(run.smoothed(signals.AX, _SLOW)) < self.largest_ax))

    def law(self, run: Channels, known: Known) -> Law:
        """A term of roll and one of the lateral forces."""
        left, right = of_axle(self.axle)
        # Toe-in of the left wheel is steer to the right, of the right wheel to the left.
        turned = 0.5 * (self.angle.of(run, left) - self.angle.of(run, right))
        angle = -turned if self.angle is WheelAngle.STEER else turned
        apart = run[signals.WHEEL_TRAVEL[right]] - run[signals.WHEEL_TRAVEL[left]]
        roll = apart / (known[f"wheel_y_{left}"] - known[f"wheel_y_{right}"])
        force = run[signals.FY[left]] + run[signals.FY[right]]
        y, *terms = (
            run.smoothed_values(values, _SLOW) for values in (angle - 0.5 * known["travel_bends"] * apart, roll, force)
        )
        return Law(y, np.column_stack((*terms, np.ones(y.size))))

    def wanted(self) -> str:
        """Roll."""
        return "uneven road, or steady and quick cornering"


@dataclass(frozen=True, kw_only=True)
class StaticAngle(Quiet):
    """Toe-in or camber of a wheel [rad], by sensors at the wheel, standing after it rolled straight ahead.

    While it rolls faster, its forces and an uneven road turn it by some hundredths of a degree.
    """

    corner: Corner
    angle: WheelAngle
    largest_steering_wheel_angle: float = math.radians(0.5)
    largest_speed: float = 2.0

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
        Standard deviation of the wheel's travel in a run that tells it [m].
    largest_acceleration
        Along and across, where they were recorded [m/s²]: forces and brakes turn the part that holds the damper.
    """

    corner: Corner
    least_travel: float = 0.002
    largest_acceleration: float = 0.5

    parameter: ClassVar[str] = "damper_ratio_{corner}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Both travels."""
        return signals.WHEEL_TRAVEL[self.corner].column, signals.DAMPER_LENGTH[self.corner].column

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Straight ahead, neither braked nor driven."""
        del known
        found = np.isfinite(run[signals.DAMPER_LENGTH[self.corner]])
        for signal in (signals.AX, signals.AY):
            if signal in run:
                found &= np.abs(run.smoothed(signal, _SLOW)) < self.largest_acceleration
        travel = run[signals.WHEEL_TRAVEL[self.corner]][found]
        return found if travel.size and travel.std() > self.least_travel else np.zeros_like(found)

    def law(self, run: Channels, known: Known) -> Law:
        """A straight line."""
        del known
        shorter = -run.smoothed(signals.DAMPER_LENGTH[self.corner], _SLOW)
        travel = run.smoothed(signals.WHEEL_TRAVEL[self.corner], _SLOW)
        return Law(travel, np.column_stack((shorter, np.ones(shorter.size))))

    def wanted(self) -> str:
        """Travel."""
        return f"travel of the wheel by more than {1e3 * self.least_travel:g} mm (standard deviation), straight ahead"

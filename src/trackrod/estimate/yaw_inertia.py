"""Yaw inertia from the moment of the wheel forces in a step of the steering wheel.

Reference: paper 001, eq. 10 to 12 and 14. Its eq. 13 and 15 to 19 give the forces of the right wheels, and the lateral
forces in the moments of the longitudinal ones, signs that contradict each other. What holds for every wheel i, in the
axes of the chassis, is the cross product

    M_z = Σ (x_i − x_c) F_y,i − (y_i − y_c) F_x,i + Σ M_z,i

with the forces of the wheel turned by its steer angle δ: F_x = F_x' cos δ − F_y' sin δ, F_y = F_x' sin δ + F_y' cos δ.
Where roll rate p and wheel speeds ω were recorded, the gyroscopic moment Σ I ω p of the wheels is taken off: 1.5 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import Kind, kind
from trackrod.estimate.estimator import Channels, Estimator, Law
from trackrod.estimate.known import Known

__all__ = ["YawInertia", "steer_of", "yaw_moment"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def steer_of(run: Channels, known: Known, corner: Corner) -> Array:
    """Steer angle of a wheel [rad]: measured, else by the steering ratio and the static toe."""
    if signals.STEER[corner] in run:
        return run[signals.STEER[corner]]
    toe = -corner.side.sign * known[f"toe_{corner}"]
    if corner.axle is Axle.REAR:
        return np.full(run.time.size, toe)
    return run[signals.STEERING_WHEEL_ANGLE] / known["steering_ratio"] + toe


def yaw_moment(run: Channels, known: Known) -> Array:
    """Of the road on the vehicle about z through the centre of gravity, less that of spinning wheels [N·m]."""
    moment: Array = np.zeros(run.time.size)
    for corner in Corner:
        steer = steer_of(run, known, corner)
        along, across = run[signals.FX[corner]], run[signals.FY[corner]]
        fx = along * np.cos(steer) - across * np.sin(steer)
        fy = along * np.sin(steer) + across * np.cos(steer)
        moment = moment + (known[f"wheel_x_{corner}"] - known["cg_x"]) * fy + run[signals.MZ[corner]]
        moment = moment - (known[f"wheel_y_{corner}"] - known["cg_y"]) * fx
        if signals.ROLL_RATE in run and signals.WHEEL_SPEED[corner] in run:
            spin = known[f"spin_inertia_{corner.axle}"] * run[signals.WHEEL_SPEED[corner]]
            moment = moment - spin * run[signals.ROLL_RATE]
    return moment


@dataclass(frozen=True, kw_only=True)
class YawInertia(Estimator):
    """Yaw inertia of the whole vehicle about its centre of gravity [kg·m²].

    The paper takes the mean of M_z over the yaw acceleration of each sample. Noise of the acceleration makes that mean
    too large where it stands in the denominator, and picking samples by it makes it wrong again; so the value is the
    slope of M_z over the acceleration, with the rate of the yaw rate, another sensor, as instrument and as filter.

    Attributes
    ----------
    least_moment, least_acceleration
        [N·m], [rad/s²]
    window
        Both sides of the law are smoothed over it, without phase [s].
    """

    least_moment: float = 4000.0
    least_acceleration: float = math.radians(50.0)
    window: float = 0.03
    least_samples: int = 12

    parameter: ClassVar[str] = "yaw_inertia"
    of: ClassVar[Kind] = kind("inertia")

    def needs(self) -> tuple[str, ...]:
        """Wheel forces and aligning moments, yaw acceleration and rate, steering."""
        families = (signals.FX, signals.FY, signals.MZ)
        others = (signals.YAW_ACCELERATION, signals.YAW_RATE, signals.STEERING_WHEEL_ANGLE)
        return tuple(s.column for s in (*(family[c] for family in families for c in Corner), *others))

    def needs_known(self) -> tuple[str, ...]:
        """Where wheels and centre of gravity are."""
        return ("cg_x", *(f"wheel_{axis}_{corner}" for axis in "xy" for corner in Corner))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Enough moment, enough acceleration."""
        if "steering_ratio" not in known and signals.STEER[Corner.FL] not in run:
            return np.zeros(run.time.size, dtype=bool)
        turning = np.abs(run.rate(signals.YAW_RATE, self.window)) > self.least_acceleration
        moment = np.abs(run.smoothed_values(yaw_moment(run, known), self.window))
        return np.asarray(turning & (moment > self.least_moment))

    def law(self, run: Channels, known: Known) -> Law:
        """M_z = I_zz ψ̈ + P dp/dt: a vehicle that rolls while it turns needs moment for that too."""
        moment = run.smoothed_values(yaw_moment(run, known), self.window)
        X, Z = [run.smoothed(signals.YAW_ACCELERATION, self.window)], [run.rate(signals.YAW_RATE, self.window)]
        if signals.ROLL_RATE in run:
            rolls = run.rate(signals.ROLL_RATE, self.window)
            X, Z = [*X, rolls], [*Z, rolls]
        return Law(moment, np.column_stack(X), np.column_stack(Z), _ratio(run, known))

    def wanted(self) -> str:
        """A step."""
        limits = f"{self.least_moment:g} N·m and {math.degrees(self.least_acceleration):.0f} °/s²"
        return f"a step of the steering wheel with more than {limits} of yaw, and steer angles or the steering ratio"


def _ratio(run: Channels, known: Known) -> Array:
    """Eq. 10 of each sample, as it is measured."""
    acceleration = run[signals.YAW_ACCELERATION]
    return np.asarray(yaw_moment(run, known) / np.where(acceleration == 0.0, np.nan, acceleration))

"""Mass, wheel loads, their distribution and where the centre of gravity lies, from wheel forces at quiet driving.

Reference: paper 001, eq. 2 to 7, with its filter: small accelerations, straight ahead, slow enough for the air.

What the equations leave out and this adds: the air lifts the axles; what accelerates or brakes a little shifts load by
the height of the centre of gravity; a tyre that rolls carries its load ahead of the wheel centre; a body that leans
moves its centre of gravity against the wheels.
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
from trackrod.estimate.estimator import Channels, Estimator, Law, of_axle
from trackrod.estimate.known import Known

__all__ = ["AxleMass", "CgX", "CgY", "FrontShare", "Quiet", "TotalMass", "WheelMass", "standing_loads"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Below this speed [m/s] a vehicle stands.
_STANDING = 0.1
#: Noise is smoothed over this time before it is filtered by [s].
_WINDOW = 0.2


def standing_loads(run: Channels, known: Known) -> dict[Corner, Array]:
    """Load under each wheel [N] as the road carries it, without the lift of the air."""
    speed = run[signals.VX]
    return {
        corner: run[signals.FZ[corner]]
        + known[f"outer_mass_{corner.axle}"] * known["gravity"]
        + 0.5 * known[f"lift_{corner.axle}"] * speed**2
        for corner in Corner
    }


@dataclass(frozen=True, kw_only=True)
class Quiet(Estimator):
    """Driving that leaves the wheels nearly their static loads.

    Attributes
    ----------
    largest_ax, largest_ay
        [m/s²]
    largest_steering_wheel_angle
        [rad]: beyond, the steering axis lifts the wheels.
    largest_speed
        [m/s]: beyond, the air lifts the vehicle.
    largest_pitch_rate
        [rad/s]: beyond, it still swings; only where the rate was recorded.
    """

    largest_ax: float = 0.5
    largest_ay: float = 0.5
    largest_steering_wheel_angle: float = math.radians(10.0)
    largest_speed: float = 50.0 / 3.6
    largest_pitch_rate: float = math.radians(0.5)

    def corners(self) -> tuple[Corner, ...]:
        """Wheels whose loads it needs."""
        return tuple(Corner)

    def needs(self) -> tuple[str, ...]:
        """Loads, accelerations, steering, speed."""
        others = (signals.AX, signals.AY, signals.STEERING_WHEEL_ANGLE, signals.VX)
        return tuple(s.column for s in (*(signals.FZ[c] for c in self.corners()), *others))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Inside the limits."""
        del known
        inside = (
            (signals.AX, self.largest_ax),
            (signals.AY, self.largest_ay),
            (signals.STEERING_WHEEL_ANGLE, self.largest_steering_wheel_angle),
            (signals.VX, self.largest_speed),
        )
        within = [np.abs(run.smoothed(signal, _WINDOW)) < limit for signal, limit in inside]
        if signals.PITCH_RATE in run:
            within.append(np.abs(run.smoothed(signals.PITCH_RATE, _WINDOW)) < self.largest_pitch_rate)
        return np.asarray(np.logical_and.reduce(within))

    def wanted(self) -> str:
        """Quiet driving."""
        return f"standing, or driving straight ahead below {3.6 * self.largest_speed:.0f} km/h"


@dataclass(frozen=True, kw_only=True)
class WheelMass(Quiet):
    """Mass that one wheel carries [kg]."""

    corner: Corner

    parameter: ClassVar[str] = "wheel_mass_{corner}"
    of: ClassVar[Kind] = kind("mass")

    def corners(self) -> tuple[Corner, ...]:
        """One."""
        return (self.corner,)

    def law(self, run: Channels, known: Known) -> Law:
        """Eq. 2 to 4 for one wheel."""
        return _mean(_mass(run, known, self.corner))


@dataclass(frozen=True, kw_only=True)
class AxleMass(Quiet):
    """Mass that one axle carries [kg]: eq. 3 and 4."""

    axle: Axle

    parameter: ClassVar[str] = "axle_mass_{axle}"
    of: ClassVar[Kind] = kind("mass")

    def corners(self) -> tuple[Corner, ...]:
        """Of the axle."""
        return of_axle(self.axle)

    def law(self, run: Channels, known: Known) -> Law:
        """Eq. 3 and 4."""
        return _mean(sum((_mass(run, known, corner) for corner in self.corners()), np.zeros(1)))


@dataclass(frozen=True, kw_only=True)
class TotalMass(Quiet):
    """Mass of the vehicle [kg]: eq. 2."""

    parameter: ClassVar[str] = "mass"
    of: ClassVar[Kind] = kind("mass")

    def law(self, run: Channels, known: Known) -> Law:
        """Eq. 2."""
        return _mean(sum((_mass(run, known, corner) for corner in Corner), np.zeros(1)))


@dataclass(frozen=True, kw_only=True)
class CgX(Quiet):
    """Place of the centre of gravity along x of V [m]: eq. 6, with the wheels where each of them is."""

    parameter: ClassVar[str] = "cg_x"
    of: ClassVar[Kind] = kind("length")

    def needs_known(self) -> tuple[str, ...]:
        """Where the wheels are."""
        return tuple(f"wheel_x_{corner}" for corner in Corner)

    def law(self, run: Channels, known: Known) -> Law:
        """Moments about y: the loads, the inertia of the vehicle, the drag, the rolling tyres."""
        loads = standing_loads(run, known)
        total = sum(loads.values())
        moment = sum(known[f"wheel_x_{corner}"] * load for corner, load in loads.items())
        moment = moment + known["drag_height"] * known["drag"] * run[signals.VX] ** 2
        rolls = np.abs(run[signals.VX]) > _STANDING
        ahead = known["rolling_resistance"] * known["loaded_radius_front"] * rolls
        dips = -run[signals.PITCH] * _above_wheels(known, Axle.FRONT) if signals.PITCH in run else 0.0
        return _mean(moment / total + ahead + dips + known["cg_height"] * run[signals.AX] / known["gravity"])


@dataclass(frozen=True, kw_only=True)
class CgY(Quiet):
    """Place of the centre of gravity along y of V [m]."""

    parameter: ClassVar[str] = "cg_y"
    of: ClassVar[Kind] = kind("length")

    def needs_known(self) -> tuple[str, ...]:
        """Where the wheels are."""
        return tuple(f"wheel_y_{corner}" for corner in Corner)

    def law(self, run: Channels, known: Known) -> Law:
        """Moments about x: the loads, and the inertia of the vehicle."""
        loads = standing_loads(run, known)
        centre = sum(known[f"wheel_y_{corner}"] * load for corner, load in loads.items()) / sum(loads.values())
        leans = run[signals.ROLL] * _above_wheels(known, Axle.FRONT) if signals.ROLL in run else 0.0
        return _mean(centre + leans + known["cg_height"] * run[signals.AY] / known["gravity"])


@dataclass(frozen=True, kw_only=True)
class FrontShare(CgX):
    """Share of the weight on the front axle, standing: eq. 5."""

    parameter: ClassVar[str] = "front_share"
    of: ClassVar[Kind] = kind("number")

    def law(self, run: Channels, known: Known) -> Law:
        """From the place of the centre of gravity, so that a push or a brake does not count."""
        rear = 0.5 * sum(known[f"wheel_x_{corner}"] for corner in of_axle(Axle.REAR))
        return _mean(1.0 - super().law(run, known).y / rear)


def _mass(run: Channels, known: Known, corner: Corner) -> Array:
    lift = 0.5 * known[f"lift_{corner.axle}"] * run[signals.VX] ** 2
    return (run[signals.FZ[corner]] + lift) / known["gravity"] + known[f"outer_mass_{corner.axle}"]


def _above_wheels(known: Known, axle: Axle) -> float:
    """Height of the centre of gravity above the wheel centres [m]: so far it moves with a body that leans."""
    return known["cg_height"] - known[f"loaded_radius_{axle}"]


def _mean(values: Array) -> Law:
    return Law(values, np.ones((values.size, 1)))

"""Height of the centre of gravity from the load that braking or cornering shifts.

Reference: paper 001, eq. 8 and 9, with its filter for steady braking. The equation takes the vehicle for a rigid block:
on a compact car it is 5 % wrong by what moves in it. Moments about y on the ground, of a body whose nose dips by θ:

    h (m a_x − θ ΣF_z) = Σ F_z,i (x_c − x_i − C_i F_x,i − r θ) − f r ΣF_z − h_D D − Σ I_i a_x / r

with the recession C of wheels under force, rolling resistance f, drag D, and wheels of inertia I that slow down; h is
less by what the centre of gravity sinks with the nose. The
place x_c of the centre of gravity is told by quiet driving of the same runs, so that a transducer whose gain is wrong
is wrong in both, and most of its error cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.quantities import Kind, kind
from trackrod.estimate.estimator import Channels, Estimator, Law
from trackrod.estimate.known import Known
from trackrod.estimate.masses import standing_loads

__all__ = ["HeightByBraking", "HeightByCornering"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Smoothing before a rate is taken [s]; from this speed on a vehicle rolls [m/s].
_WINDOW, _ROLLING = 0.05, 0.5


@dataclass(frozen=True, kw_only=True)
class HeightByBraking(Estimator):
    """Height of the centre of gravity above the road [m], from steady braking.

    Attributes
    ----------
    largest_ay, least_ax
        No cornering, but load that shifts [m/s²].
    largest_pitch_rate, largest_jerk
        Steady: [rad/s], [m/s³].
    largest_quiet_ax, largest_quiet_speed
        Of quiet driving, which tells where the centre of gravity is along x [m/s²], [m/s].
    """

    largest_ay: float = 0.5
    least_ax: float = 5.0
    largest_quiet_ax: float = 0.5
    largest_quiet_speed: float = 50.0 / 3.6
    largest_pitch_rate: float = math.radians(1.0)
    largest_jerk: float = 20.0

    parameter: ClassVar[str] = "cg_height_braking"
    of: ClassVar[Kind] = kind("length")

    def needs(self) -> tuple[str, ...]:
        """Wheel forces, accelerations, pitch, speed."""
        families = (signals.FX, signals.FZ)
        others = (signals.AX, signals.AY, signals.PITCH, signals.PITCH_RATE, signals.VX)
        return tuple(s.column for s in (*(family[c] for family in families for c in Corner), *others))

    def needs_known(self) -> tuple[str, ...]:
        """Where the wheels are."""
        return tuple(f"wheel_x_{corner}" for corner in Corner)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Steady braking, and quiet driving."""
        del known
        ax = np.abs(run.smoothed(signals.AX, _WINDOW))
        steady = np.abs(run.rate(signals.AX, _WINDOW)) < self.largest_jerk
        steady &= np.abs(run.smoothed(signals.PITCH_RATE, _WINDOW)) < self.largest_pitch_rate
        straight = np.abs(run.smoothed(signals.AY, _WINDOW)) < self.largest_ay
        quiet = (ax < self.largest_quiet_ax) & (run[signals.VX] < self.largest_quiet_speed)
        return np.asarray(steady & straight & ((ax > self.least_ax) | quiet) & (run[signals.VX] > _ROLLING))

    def enough(self, law: Law, known: Known) -> bool:
        """Samples of braking among them, and of quiet driving."""
        lever = np.abs(law.X[:, 0])
        braking = int((lever > 0.5 * self.least_ax / known["gravity"]).sum())
        return min(braking, lever.size - braking) >= self.least_samples

    def law(self, run: Channels, known: Known) -> Law:
        """Moments about y over the load: x_c − h (a_x / g − θ)."""
        loads = standing_loads(run, known)
        total = sum(loads.values(), np.zeros(1))
        ax, pitch, speed = run[signals.AX], run[signals.PITCH], run[signals.VX]
        moment = known["drag_height"] * known["drag"] * speed**2
        for corner, load in loads.items():
            axle = corner.axle
            radius = known[f"loaded_radius_{axle}"]
            place = known[f"wheel_x_{corner}"] + known[f"recession_{axle}"] * run[signals.FX[corner]]
            moment = moment + load * (place + radius * (pitch + known["rolling_resistance"]))
            moment = moment + known[f"spin_inertia_{axle}"] * ax / known[f"rolling_radius_{axle}"]
        lever = pitch - ax / known["gravity"]
        # Where the nose dips about a point behind it, the centre of gravity sinks: h is that of the standing vehicle.
        sunk = known["pitch_arm"] * pitch * lever
        return Law(moment / total + sunk, np.column_stack((lever, np.ones(lever.size))))

    def wanted(self) -> str:
        """Braking."""
        return f"straight braking that holds more than {self.least_ax:g} m/s², and quiet driving"


@dataclass(frozen=True, kw_only=True)
class HeightByCornering(Estimator):
    """Height of the centre of gravity above the road [m], from steady cornering.

    Attributes
    ----------
    largest_ax, least_ay, most_ay, largest_quiet_ay
        Of cornering, and of driving straight ahead [m/s²].
    largest_roll_rate
        [rad/s]

    Limits: where the load acts under a tyre that leans and bends sideways is not known; the bound of that is large.
    """

    largest_ax: float = 0.7
    least_ay: float = 2.0
    most_ay: float = 6.0
    largest_quiet_ay: float = 0.3
    largest_roll_rate: float = math.radians(2.0)

    parameter: ClassVar[str] = "cg_height_cornering"
    of: ClassVar[Kind] = kind("length")

    def needs(self) -> tuple[str, ...]:
        """Wheel forces, accelerations, roll, speed."""
        others = (signals.AX, signals.AY, signals.ROLL, signals.ROLL_RATE, signals.VX)
        return tuple(s.column for s in (*(f[c] for f in (signals.FY, signals.FZ) for c in Corner), *others))

    def needs_known(self) -> tuple[str, ...]:
        """Where the wheels are."""
        return tuple(f"wheel_y_{corner}" for corner in Corner)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Steady cornering, or straight ahead."""
        del known
        ay = np.abs(run.smoothed(signals.AY, _WINDOW))
        steady = np.abs(run.smoothed(signals.ROLL_RATE, _WINDOW)) < self.largest_roll_rate
        straight = np.abs(run.smoothed(signals.AX, _WINDOW)) < self.largest_ax
        cornering = (ay > self.least_ay) & (ay < self.most_ay)
        return np.asarray(steady & straight & (cornering | (ay < self.largest_quiet_ay)) & (run[signals.VX] > _ROLLING))

    def enough(self, law: Law, known: Known) -> bool:
        """Samples of cornering among them, and of driving straight ahead."""
        lever = np.abs(law.X[:, 0])
        cornering = int((lever > 0.5 * self.least_ay / known["gravity"]).sum())
        return min(cornering, lever.size - cornering) >= self.least_samples

    def law(self, run: Channels, known: Known) -> Law:
        """Moments about x over the load: y_c − h (a_y / g + φ); the body leans about the roll centres."""
        loads = standing_loads(run, known)
        total = sum(loads.values(), np.zeros(1))
        ay, roll = run[signals.AY], run[signals.ROLL]
        moment: Array = np.zeros(ay.size)
        for corner, load in loads.items():
            bent = known[f"lateral_compliance_{corner.axle}"] * run[signals.FY[corner]]
            moment = moment + load * (known[f"wheel_y_{corner}"] + bent - known[f"roll_centre_{corner.axle}"] * roll)
        lever = -(ay / known["gravity"] + roll)
        return Law(moment / total, np.column_stack((lever, np.ones(lever.size))))

    def wanted(self) -> str:
        """Cornering."""
        return f"steady cornering that holds {self.least_ay:g} to {self.most_ay:g} m/s²"

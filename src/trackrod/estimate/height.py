"""Height of the centre of gravity from the load that braking or cornering shifts.

Reference: paper 001, eq. 8 and 9, with its filter for steady braking. The equation takes the vehicle for a rigid block:
on a compact car it is 5 % wrong by what moves in it. Moments about y on the ground, of a body whose nose dips by θ:

    h (m a_x − θ ΣF_z) = Σ F_z,i (x_c − x_i − C_i F_x,i − r θ) − f r ΣF_z − h_D D − Σ I_i a_x / r

with the recession C of wheels under force, the rolling resistance f, the drag D, and wheels of inertia I that slow down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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
#: Smoothing before a rate is taken [s].
_WINDOW = 0.05


@dataclass(frozen=True, kw_only=True)
class HeightByBraking(Estimator):
    """Height of the centre of gravity above the road [m], from steady braking.

    Attributes
    ----------
    largest_ay, least_ax
        No cornering, but load that shifts [m/s²].
    largest_pitch_rate, largest_jerk
        Steady: [rad/s], [m/s³].
    """

    largest_ay: float = 0.5
    least_ax: float = 5.0
    largest_pitch_rate: float = math.radians(1.0)
    largest_jerk: float = 20.0

    @property
    def name(self) -> str:
        """Of the parameter."""
        return "cg_height_braking"

    @property
    def kind(self) -> Kind:
        """A length."""
        return kind("length")

    def needs(self) -> tuple[str, ...]:
        """Wheel forces, accelerations, pitch, speed."""
        families = (signals.FX, signals.FZ)
        others = (signals.AX, signals.AY, signals.PITCH, signals.PITCH_RATE, signals.VX)
        return tuple(s.column for s in (*(family[c] for family in families for c in Corner), *others))

    def needs_known(self) -> tuple[str, ...]:
        """Where the wheels are, and the centre of gravity along x."""
        return ("cg_x", *(f"wheel_x_{corner}" for corner in Corner))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Steady braking."""
        del known
        steady = np.abs(run.rate(signals.AX, _WINDOW)) < self.largest_jerk
        steady &= np.abs(run.smoothed(signals.PITCH_RATE, _WINDOW)) < self.largest_pitch_rate
        straight = np.abs(run.smoothed(signals.AY, _WINDOW)) < self.largest_ay
        return np.asarray(steady & straight & (np.abs(run.smoothed(signals.AX, _WINDOW)) > self.least_ax))

    def law(self, run: Channels, known: Known) -> Law:
        """Moments about y."""
        loads = standing_loads(run, known)
        total = sum(loads.values(), np.zeros(1))
        ax, pitch, speed = run[signals.AX], run[signals.PITCH], run[signals.VX]
        y = -known["drag_height"] * known["drag"] * speed**2
        for corner, load in loads.items():
            axle = corner.axle
            radius = known[f"loaded_radius_{axle}"]
            back = known[f"wheel_x_{corner}"] + known[f"recession_{axle}"] * run[signals.FX[corner]]
            y = y + load * (known["cg_x"] - back - radius * (pitch + known["rolling_resistance"]))
            y = y - known[f"spin_inertia_{axle}"] * ax / known[f"rolling_radius_{axle}"]
        return Law(y, (total * (ax / known["gravity"] - pitch))[:, None])

    def wanted(self) -> str:
        """Braking."""
        return f"straight braking or driving that holds more than {self.least_ax:g} m/s²"


@dataclass(frozen=True, kw_only=True)
class HeightByCornering(Estimator):
    """Height of the centre of gravity above the road [m], from steady cornering.

    Attributes
    ----------
    largest_ax, least_ay, most_ay
        [m/s²]
    largest_roll_rate
        [rad/s]

    Limits: where the load acts under a tyre that leans and bends sideways is not known; the bound of that is large.
    """

    largest_ax: float = 0.7
    least_ay: float = 2.0
    most_ay: float = 6.0
    largest_roll_rate: float = math.radians(2.0)

    @property
    def name(self) -> str:
        """Of the parameter."""
        return "cg_height_cornering"

    @property
    def kind(self) -> Kind:
        """A length."""
        return kind("length")

    def needs(self) -> tuple[str, ...]:
        """Wheel forces, accelerations, roll, speed."""
        others = (signals.AX, signals.AY, signals.ROLL, signals.ROLL_RATE, signals.VX)
        return tuple(s.column for s in (*(f[c] for f in (signals.FY, signals.FZ) for c in Corner), *others))

    def needs_known(self) -> tuple[str, ...]:
        """Where the wheels are."""
        return tuple(f"wheel_y_{corner}" for corner in Corner)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Steady cornering."""
        del known
        ay = np.abs(run.smoothed(signals.AY, _WINDOW))
        steady = np.abs(run.smoothed(signals.ROLL_RATE, _WINDOW)) < self.largest_roll_rate
        straight = np.abs(run.smoothed(signals.AX, _WINDOW)) < self.largest_ax
        return np.asarray(steady & straight & (ay > self.least_ay) & (ay < self.most_ay))

    def law(self, run: Channels, known: Known) -> Law:
        """Moments about x."""
        loads = standing_loads(run, known)
        total = sum(loads.values(), np.zeros(1))
        ay, roll = run[signals.AY], run[signals.ROLL]
        y: Array = np.zeros(ay.size)
        for corner, load in loads.items():
            radius = known[f"loaded_radius_{corner.axle}"]
            bent = known[f"lateral_compliance_{corner.axle}"] * run[signals.FY[corner]]
            y = y + load * (known["cg_y"] - known[f"wheel_y_{corner}"] - bent + radius * roll)
        return Law(y, (total * (ay / known["gravity"] + roll))[:, None])

    def wanted(self) -> str:
        """Cornering."""
        return f"steady cornering that holds {self.least_ay:g} to {self.most_ay:g} m/s²"

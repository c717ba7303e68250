"""Tyres on the vehicle: longitudinal slip, relaxation, and slip angles of tyres from those of wheels."""

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
from trackrod.estimate.known import Known
from trackrod.estimate.yaw_inertia import steer_of

__all__ = ["RelaxationLength", "SlipStiffness", "tyre_slip_angle"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def tyre_slip_angle(run: Channels, known: Known, corner: Corner, *, window: float = 0.05) -> Array:
    """Slip angle of a tyre [rad] from that of its wheel.

    A sensor on the wheel sees the wheel. While the lateral force grows, the contact patch moves sideways against it by
    F_y / c_y, and the tyre slips by less: α = α_wheel + (dF_y/dt) / (c_y v).

    Parameters
    ----------
    run, known
        With the wheel's slip angle, lateral force and the speed; with the lateral compliance 1 / c_y of the tyre.
    corner
        Which.
    window
        Over which the rate of the force is smoothed [s].
    """
    bends = known[f"lateral_compliance_{corner.axle}"] * run.rate(signals.FY[corner], window)
    return np.asarray(run[signals.SLIP_ANGLE[corner]] + bends / np.maximum(np.abs(run[signals.VX]), 1.0))


@dataclass(frozen=True, kw_only=True)
class SlipStiffness(Estimator):
    """Slope of longitudinal force over load against longitudinal slip, at zero slip [-].

    The slip is regressed on the force, which is measured better: noise of the slip would make the slope too small.
    Tyres grow with the square of speed, and roll on less radius under more load, which braking shifts: a tenth of the
    slip of gentle braking.

    Attributes
    ----------
    largest_share
        Of longitudinal force in the load, up to which the curve is straight [-].
    largest_rate
        Of that share, and of the load relative to it [1/s]: beyond, the force follows the slip with a lag.
    largest_ay, least_speed
        [m/s²], [m/s]
    window
        Both sides of the law are smoothed over it [s].
    grows
        Whether there is a term over v²; if not given, where the speeds of the runs tell one.
    least_span
        Of speeds that do, the largest over the smallest (5 % of the samples beyond both) [-].
    """

    axle: Axle
    largest_share: float = 0.2
    largest_rate: float = 0.1
    largest_ay: float = 0.5
    least_speed: float = 5.0
    window: float = 0.2
    grows: bool | None = None
    least_span: float = 1.5

    parameter: ClassVar[str] = "slip_stiffness_{axle}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Forces and speeds of the wheels."""
        families = (signals.FX, signals.FZ, signals.WHEEL_SPEED)
        wheels = (family[c].column for family in families for c in of_axle(self.axle))
        return (*wheels, signals.AY.column, signals.VX.column)

    def needs_known(self) -> tuple[str, ...]:
        """The rolling radius."""
        return (f"rolling_radius_{self.axle}",)

    def _sum(self, run: Channels, family: CornerSignal) -> Array:
        return sum((run.smoothed(family[corner], self.window) for corner in of_axle(self.axle)), np.zeros(1))

    def _share(self, run: Channels) -> Array:
        return np.asarray(self._sum(run, signals.FX) / self._sum(run, signals.FZ))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Straight ahead and steady, in the linear range."""
        del known
        straight = np.abs(run.smoothed(signals.AY, self.window)) < self.largest_ay
        share, mask = self._share(run), straight & (run[signals.VX] > self.least_speed)
        for changing in (share, np.log(np.maximum(self._sum(run, signals.FZ), 1.0))):
            rate = run.smoothed_values(np.gradient(changing, run.time), self.window)
            mask = mask & (np.abs(rate) < self.largest_rate)
        return np.asarray(mask & (np.abs(share) < self.largest_share))

    def over(self, runs: Sequence[Channels], known: Known) -> SlipStiffness:
        """Whether speeds tell that the tyres grow."""
        if self.grows is not None:
            return self
        fast = [run[signals.VX][self.admissible(run, known)] for run in runs]
        return replace(self, grows=spans(fast, self.least_span))

    def law(self, run: Channels, known: Known) -> Law:
        """κ = μ / C + κ₀; κ₀ is the error of the rolling radius, with the term over v² where tyres grow."""
        speeds, loads = self._sum(run, signals.WHEEL_SPEED), self._sum(run, signals.FZ)
        speed = np.maximum(run.smoothed(signals.VX, self.window), 0.1)
        radius = known[f"rolling_radius_{self.axle}"]
        slip = 0.5 * speeds * radius / speed - 1.0 - 0.5 * loads * known["rolling_radius_load"] / radius
        terms = [self._share(run), np.ones(speed.size), *([speed**2] if self.grows else [])]
        return Law(slip, np.column_stack(terms))

    def value(self, coefficients: Array) -> float:
        """The inverse slope."""
        return 1.0 / float(coefficients[0]) if coefficients[0] else np.inf

    def wanted(self) -> str:
        """Force."""
        return "gentle braking and driving straight ahead, and coasting"


@dataclass(frozen=True, kw_only=True)
class RelaxationLength(Estimator):
    """Distance over which the lateral force of an axle follows its slip angle [m], with all that gives way sideways.

    F_y + σ/v dF_y/dt = −C α: the slip angle of the wheels by the motion of the body and their steer angles. The rate of
    the force is noisy; that of the slip angle, from other sensors, is its instrument.

    Attributes
    ----------
    largest_ay, least_speed
        The linear range [m/s²], [m/s].
    least_rate
        Of the slip angle [rad/s]: without it there is nothing to follow.
    window
        Both sides of the law are smoothed over it [s].
    """

    axle: Axle
    largest_ay: float = 3.0
    least_speed: float = 10.0
    least_rate: float = 0.01
    window: float = 0.06

    parameter: ClassVar[str] = "relaxation_length_{axle}"
    of: ClassVar[Kind] = kind("length")

    def needs(self) -> tuple[str, ...]:
        """Lateral forces, motion of the body, steering."""
        others = (signals.VX, signals.VY, signals.AY, signals.YAW_RATE, signals.STEERING_WHEEL_ANGLE)
        return tuple(s.column for s in (*(signals.FY[c] for c in of_axle(self.axle)), *others))

    def needs_known(self) -> tuple[str, ...]:
        """Where wheels and centre of gravity are."""
        steered = ("steering_ratio",) if self.axle is Axle.FRONT else ()
        return ("cg_x", *(f"wheel_x_{corner}" for corner in of_axle(self.axle)), *steered)

    def _slip(self, run: Channels, known: Known) -> Array:
        speed = np.maximum(run[signals.VX], 1.0)
        total: Array = np.zeros(speed.size)
        for corner in of_axle(self.axle):
            lever = known[f"wheel_x_{corner}"] - known["cg_x"]
            sideways = (run[signals.VY] + lever * run[signals.YAW_RATE]) / speed
            total = total + 0.5 * (np.arctan(sideways) - steer_of(run, known, corner))
        return total

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Lively, in the linear range."""
        linear = np.abs(run.smoothed(signals.AY, self.window)) < self.largest_ay
        rate = np.gradient(run.smoothed_values(self._slip(run, known), self.window), run.time)
        return np.asarray(linear & (run[signals.VX] > self.least_speed) & (np.abs(rate) > self.least_rate))

    def law(self, run: Channels, known: Known) -> Law:
        """F_y = −C α − σ dF_y/dt / v + F₀."""
        force = sum((run[signals.FY[corner]] for corner in of_axle(self.axle)), np.zeros(1))
        force = run.smoothed_values(force, self.window)
        slip = run.smoothed_values(self._slip(run, known), self.window)
        speed = np.maximum(run[signals.VX], 1.0)
        late, lively = (np.gradient(values, run.time) / speed for values in (force, slip))
        one = np.ones(force.size)
        X, Z = np.column_stack((late, slip, one)), np.column_stack((lively, slip, one))
        return Law(-force, X, Z)

    def wanted(self) -> str:
        """Quick steering."""
        return "quick steering below the limit: a sweep or a step"

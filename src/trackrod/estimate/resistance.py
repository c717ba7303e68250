"""Resistance of air and tyres from coasting, lift of the axles, radii of the wheels.

Coasting is fitted in its integral: the speed lost since the beginning, over the integrals of 1, v and v² (ISO 10521-1).
An accelerometer whose zero is 0.01 m/s² off would be wrong by a tenth of the rolling resistance, and a rate of the
speed is noisy. Resistance of tyres that grows with the fourth power of speed looks like drag: it is known before, with
a bound, or it is drag.
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
from trackrod.core.series import Run
from trackrod.core.signals import CornerSignal, Signal
from trackrod.estimate.estimator import Channels, Estimator, Law, of_axle, spans
from trackrod.estimate.kinds import FORCE_PER_SPEED_SQUARED
from trackrod.estimate.known import Known
from trackrod.measured.columns import WHEEL_TORQUE

__all__ = [
    "AIR_SPEED",
    "AxleLift",
    "Drag",
    "LoadedRadius",
    "RollingRadius",
    "RollingResistance",
    "both_directions",
]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: 100 km/h [m/s]; what noise may make of a speed that falls slowly [m/s²].
_FAST, _GAINS = 100.0 / 3.6, 0.2
AIR_SPEED = Signal("air_speed", kind("velocity"), "of the air against the vehicle, from the front", "from the front")


def both_directions(runs: Sequence[Run]) -> bool:
    """Whether runs were driven there and back, by their heading."""
    headings = [float(np.mean(np.cos(run[signals.YAW]))) for run in runs if signals.YAW.column in run]
    return bool(headings) and min(headings) < -0.8 and max(headings) > 0.8


@dataclass(frozen=True, kw_only=True)
class _Coasting(Estimator):
    """Rolling out in neutral, straight ahead.

    Attributes
    ----------
    there_and_back
        Whether runs in both directions are there: wind and slope are then found too. Without them, the speed of the air
        is that of a channel, or that of the vehicle with the head wind that is known.
    linear
        Whether there is a term of v: below some 70 km/h nothing tells it apart from the others.
    largest_ay, least_speed
        [m/s²], [m/s]
    largest_pedal
        Of throttle and brake, where they were recorded [-].
    largest_deceleration
        Beyond, it is braked [m/s²].
    least_span
        From the fastest to the slowest sample of a stretch [m/s].
    """

    there_and_back: bool = False
    linear: bool = True
    largest_ay: float = 0.5
    least_speed: float = 2.0
    largest_pedal: float = 0.01
    largest_deceleration: float = 1.0
    least_span: float = 5.0

    def needs(self) -> tuple[str, ...]:
        """The speed."""
        return (signals.VX.column, *((signals.YAW.column,) if self.there_and_back else ()))

    def needs_known(self) -> tuple[str, ...]:
        """The mass."""
        return ("mass",)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """The longest stretch of coasting."""
        del known
        slows = -run.rate(signals.VX, 2.0)
        mask = (run[signals.VX] > self.least_speed) & (slows > -_GAINS) & (slows < self.largest_deceleration)
        for pedal in (signals.THROTTLE, signals.BRAKE):
            if pedal in run:
                mask &= run[pedal] < self.largest_pedal
        if signals.GEAR in run:
            mask &= np.rint(run[signals.GEAR]) == 0.0
        if signals.AY in run:
            mask &= np.abs(run.smoothed(signals.AY, 0.5)) < self.largest_ay
        found = _longest(np.asarray(mask))
        speeds = run[signals.VX][found]
        return found if speeds.size and np.ptp(speeds) > self.least_span else np.zeros(found.size, dtype=bool)

    def law(self, run: Channels, known: Known) -> Law:
        """m_eff (v₀ − v) = ∫ (f m g + k v + c v_air²) dt, less the mean of each run, so that v₀ need not be known."""
        mask = self.admissible(run, known)
        time, speed = run.time, run[signals.VX]
        air = run[AIR_SPEED] if AIR_SPEED in run else speed + known["head_wind"] * (not self.there_and_back)
        terms = [np.ones(time.size), air**2, *([speed] if self.linear else [])]
        if self.there_and_back:
            along = np.sign(np.cos(np.mean(run[signals.YAW][mask])))
            terms += [along * speed, np.full(time.size, along)]
        X = np.column_stack([_integral(term, time) for term in terms])
        y = -(known["mass"] + _turning_mass(known)) * speed
        faster = _integral((speed / _FAST) ** 4, time)
        y = y - known["mass"] * known["gravity"] * known["rolling_growth"] * faster
        if not self.there_and_back:
            y = y - known["mass"] * known["gravity"] * known["slope"] * (time - time[0])
        inside = mask if mask.any() else np.ones(time.size, dtype=bool)
        return Law(y - y[inside].mean(), X - X[inside].mean(axis=0), None, np.full(time.size, np.nan))

    def possible(self, value: float) -> bool:
        """Nothing pushes."""
        return value > 0.0

    def wanted(self) -> str:
        """Coasting."""
        return "coasting in neutral on a level road over a wide range of speeds"


@dataclass(frozen=True, kw_only=True)
class RollingResistance(_Coasting):
    """Rolling resistance over the weight at low speed [-]."""

    parameter: ClassVar[str] = "rolling_resistance"
    of: ClassVar[Kind] = kind("number")

    def law(self, run: Channels, known: Known) -> Law:
        """Over the weight."""
        law = super().law(run, known)
        weight = known["mass"] * known["gravity"]
        return law._replace(y=law.y / weight)


@dataclass(frozen=True, kw_only=True)
class Drag(_Coasting):
    """Rearward force of the air over v², ½ρAc [N·s²/m²]."""

    parameter: ClassVar[str] = "drag"
    of: ClassVar[Kind] = FORCE_PER_SPEED_SQUARED

    def value(self, coefficients: Array) -> float:
        """The second coefficient."""
        return float(coefficients[1])


@dataclass(frozen=True, kw_only=True)
class AxleLift(Estimator):
    """Upward force of the air at an axle over v² [N·s²/m²].

    Attributes
    ----------
    largest_ay, largest_jerk
        [m/s²], [m/s³]
    least_span
        Largest less smallest v² [m²/s²].
    """

    axle: Axle
    largest_ay: float = 0.5
    largest_jerk: float = 5.0
    least_span: float = 400.0

    parameter: ClassVar[str] = "lift_{axle}"
    of: ClassVar[Kind] = FORCE_PER_SPEED_SQUARED

    def needs(self) -> tuple[str, ...]:
        """Loads, accelerations, speed."""
        others = (signals.AX, signals.AY, signals.VX)
        return tuple(s.column for s in (*(signals.FZ[c] for c in of_axle(self.axle)), *others))

    def needs_known(self) -> tuple[str, ...]:
        """The wheelbase, over which the drag shifts load."""
        return tuple(f"wheel_x_{corner}" for corner in Corner)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Straight and steady, in a run that spans enough of speed."""
        del known
        mask = np.abs(run.smoothed(signals.AY, 0.2)) < self.largest_ay
        mask &= np.abs(run.rate(signals.AX, 0.5)) < self.largest_jerk
        if not mask.any() or np.ptp(run[signals.VX][mask] ** 2) < self.least_span:
            return np.zeros(mask.size, dtype=bool)
        return np.asarray(mask)

    def law(self, run: Channels, known: Known) -> Law:
        """F_z = static − lift v² − k a_x, less the load that the drag shifts."""
        speed = run[signals.VX]
        sign = 1.0 if self.axle is Axle.FRONT else -1.0
        shifted = sign * known["drag"] * known["drag_height"] / known.wheelbase * speed**2
        load = sum((run[signals.FZ[corner]] for corner in of_axle(self.axle)), np.zeros(1)) + shifted
        ax = run.smoothed(signals.AX, 0.2)
        X = np.column_stack((-(speed**2), np.ones(speed.size), ax))
        return Law(run.smoothed_values(load, 0.2), X)

    def wanted(self) -> str:
        """Different speeds."""
        return "driving straight ahead from slow to fast, with and without acceleration"


@dataclass(frozen=True, kw_only=True)
class RollingRadius(Estimator):
    """Speed over angular velocity of wheels that roll freely [m], at one speed: tyres grow with its square.

    Attributes
    ----------
    largest_pedal, largest_ay, least_speed
        [-], [m/s²], [m/s]
    at
        Speed that it is told for [m/s].
    grows
        Whether there is a term over v²; if not given, where the speeds of the runs tell one.
    least_span
        Of speeds that do, the largest over the smallest (5 % of the samples beyond both) [-].
    """

    axle: Axle
    largest_pedal: float = 0.01
    largest_ay: float = 0.3
    least_speed: float = 5.0
    at: float = 60.0 / 3.6
    grows: bool | None = None
    least_span: float = 1.5

    parameter: ClassVar[str] = "rolling_radius_{axle}"
    of: ClassVar[Kind] = kind("length")

    def needs(self) -> tuple[str, ...]:
        """Speeds, pedals, lateral acceleration."""
        others = (signals.VX, signals.AY, signals.THROTTLE, signals.BRAKE)
        return tuple(s.column for s in (*(signals.WHEEL_SPEED[c] for c in of_axle(self.axle)), *others))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Freely."""
        del known
        mask = (run[signals.VX] > self.least_speed) & (np.abs(run.smoothed(signals.AY, 0.2)) < self.largest_ay)
        mask &= (run[signals.THROTTLE] < self.largest_pedal) & (run[signals.BRAKE] < self.largest_pedal)
        return np.asarray(mask & (np.rint(run[signals.GEAR]) == 0.0) if signals.GEAR in run else mask)

    def over(self, runs: Sequence[Channels], known: Known) -> RollingRadius:
        """Whether speeds tell that it grows."""
        if self.grows is not None:
            return self
        return replace(
            self, grows=spans([run[signals.VX][self.admissible(run, known)] for run in runs], self.least_span)
        )

    def law(self, run: Channels, known: Known) -> Law:
        """V = (R + k (v² − v₀²)) ω."""
        del known
        left, right = (run[signals.WHEEL_SPEED[corner]] for corner in of_axle(self.axle))
        turns = 0.5 * (left + right)
        faster = turns * (run[signals.VX] ** 2 - self.at**2)
        return Law(run[signals.VX], np.column_stack((turns, faster)) if self.grows else turns[:, None])

    def wanted(self) -> str:
        """Coasting."""
        return "coasting straight ahead in neutral"


@dataclass(frozen=True, kw_only=True)
class LoadedRadius(Estimator):
    """Height of an axle's wheel centres above the road [m]: by how much torque over longitudinal force changes.

    Braking shifts load, and the radius with it: a term of force times load takes that, so that the value is that of
    the axle's quiet load. Without it the slope counts the change twice.

    Attributes
    ----------
    largest_ay, least_speed
        [m/s²], [m/s]
    window
        Both sides of the law are smoothed over it [s].
    load
        Of the axle that it is told for [N]; that of the samples with hardly any force if not given. Zero without loads.
    quiet
        Longitudinal force over the load that counts as hardly any [-].
    """

    axle: Axle
    largest_ay: float = 0.5
    least_speed: float = 3.0
    window: float = 0.1
    load: float | None = None
    quiet: float = 0.05

    parameter: ClassVar[str] = "loaded_radius_{axle}"
    of: ClassVar[Kind] = kind("length")

    def needs(self) -> tuple[str, ...]:
        """Torques, forces, speeds of the wheels."""
        families = (WHEEL_TORQUE, signals.FX, signals.WHEEL_SPEED)
        wheels = (family[c].column for family in families for c in of_axle(self.axle))
        return (*wheels, signals.AY.column, signals.VX.column)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Straight ahead."""
        del known
        straight = np.abs(run.smoothed(signals.AY, 0.2)) < self.largest_ay
        return np.asarray(straight & (run[signals.VX] > self.least_speed))

    def over(self, runs: Sequence[Channels], known: Known) -> LoadedRadius:
        """The load of quiet samples, where all runs have loads."""
        if self.load is not None:
            return self
        if not all(signals.FZ[corner] in run for corner in of_axle(self.axle) for run in runs):
            return replace(self, load=0.0)
        quiet = []
        for run in runs:
            force, carried = (self._sum(run, family) for family in (signals.FX, signals.FZ))
            quiet.append(carried[self.admissible(run, known) & (np.abs(force) < self.quiet * carried)])
        found = np.concatenate(quiet)
        return replace(self, load=float(np.median(found)) if found.size else 0.0)

    def _sum(self, run: Channels, family: CornerSignal) -> Array:
        return sum((run.smoothed(family[corner], self.window) for corner in of_axle(self.axle)), np.zeros(1))

    def law(self, run: Channels, known: Known) -> Law:
        """M_y − I dω/dt = (r + r' ΔF_z) (F_x + f F_z): rolling resistance goes with the load, which braking shifts."""
        torque, force = self._sum(run, WHEEL_TORQUE), self._sum(run, signals.FX)
        terms = [np.ones(force.size)]
        if self.load:
            carried = self._sum(run, signals.FZ)
            growth = known["rolling_growth"] * (run[signals.VX] / _FAST) ** 4
            force = force + (known["rolling_resistance"] + growth) * carried
            terms.append(force * (carried / self.load - 1.0))
        rates = sum((run.rate(signals.WHEEL_SPEED[c], self.window) for c in of_axle(self.axle)), np.zeros(1))
        return Law(torque - known[f"spin_inertia_{self.axle}"] * rates, np.column_stack((force, *terms)))

    def wanted(self) -> str:
        """Force."""
        return "braking or driving straight ahead"

    def note(self, law: Law) -> str:
        """Not always that of the standing vehicle."""
        del law
        if self.load:
            return ""
        return "at the loads of these runs: braking lets the front sink and the rear rise by some millimetres"


def _integral(values: Array, time: Array) -> Array:
    """Since the beginning, by trapezoids."""
    parts = 0.5 * (values[1:] + values[:-1]) * np.diff(time)
    return np.concatenate(([0.0], np.cumsum(parts)))


def _turning_mass(known: Known) -> float:
    """What wheels and driveline add to the mass [kg]."""
    total = 0.0
    for axle in Axle:
        total += 2.0 * known[f"spin_inertia_{axle}"] / known[f"rolling_radius_{axle}"] ** 2
    if "driveline_inertia" in known and "final_drive" in known:
        share = known.get("front_drive_share", 1.0)
        radius = share * known["rolling_radius_front"] + (1.0 - share) * known["rolling_radius_rear"]
        total += known["driveline_inertia"] * known["final_drive"] ** 2 / radius**2
    return total


def _longest(mask: Mask) -> Mask:
    """The longest stretch without a gap, all others out."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    found = np.zeros(mask.size, dtype=bool)
    if edges.size:
        begins, ends = edges[0::2], edges[1::2]
        k = int(np.argmax(ends - begins))
        found[begins[k] : ends[k]] = True
    return found

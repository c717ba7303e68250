"""Powertrain: torque of the engine over its speed for each gear and throttle, ratios, efficiency.

Reference: paper 001, eq. 20 and 21, with its filter: throttle, no brake, one gear. What the wheels get is less than
what the engine gives by what accelerates engine and driveline, 6 % in the second gear of a compact car; that is added:

    η T = (Σ M_y / i_f + I_d dω_out/dt) / i_g + η I_e dω_e/dt

The efficiency η of the gears remains in it, as in the paper: it can be told where the engine's own torque is recorded.
In the small term, which does not pass through the gears, it is what is usual.
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
from trackrod.core.signals import Signal
from trackrod.estimate.estimator import Channels, Estimator, Law
from trackrod.estimate.known import Known
from trackrod.measured.columns import WHEEL_TORQUE

__all__ = ["ENGINE_TORQUE", "EngineTorque", "GearEfficiency", "GearRatio"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ENGINE_TORQUE = Signal("engine_torque", kind("torque"), "of the engine at the clutch", "driving")
#: Smoothing before a rate is taken [s]; what a ratio may change by in a second [-].
_WINDOW, _CHANGE = 0.1, 0.005


def driven(known: Known) -> tuple[Corner, ...]:
    """Wheels that the engine drives."""
    share = known["front_drive_share"]
    return tuple(c for c in Corner if (share > 0.0 if c.axle is Axle.FRONT else share < 1.0))


@dataclass(frozen=True, kw_only=True)
class _InGear(Estimator):
    """Driving in one gear.

    Attributes
    ----------
    gear
        From 1.
    settled
        Time before and after a sample in which the gear does not change [s].
    largest_brake
        Of the pedal [-].
    largest_slip
        Of the clutch, over the speed of the engine [-].
    """

    gear: int
    settled: float = 1.0
    largest_brake: float = 0.01
    largest_slip: float = 0.003

    def needs(self) -> tuple[str, ...]:
        """Gear, pedals, engine speed."""
        return tuple(s.column for s in (signals.GEAR, signals.THROTTLE, signals.BRAKE, signals.ENGINE_SPEED))

    def needs_known(self) -> tuple[str, ...]:
        """Which wheels are driven."""
        return ("front_drive_share",)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """In the gear for some time."""
        del known
        gear = np.rint(run[signals.GEAR])
        step = float(np.median(np.diff(run.time))) if run.time.size > 1 else 1.0
        half = max(round(self.settled / step), 1)
        other = np.convolve(gear != self.gear, np.ones(2 * half + 1))[half : half + gear.size] > 0.5
        return np.asarray(~other & (run[signals.BRAKE] < self.largest_brake))

    def wheel_acceleration(self, run: Channels, known: Known) -> Array:
        """Mean of the driven wheels [rad/s²]."""
        rates = [run.rate(signals.WHEEL_SPEED[corner], _WINDOW) for corner in driven(known)]
        return np.asarray(sum(rates, np.zeros(1)) / len(rates))

    def clutch_closed(self, run: Channels, known: Known) -> Mask:
        """Where engine and wheels turn as the ratio says."""
        wanted = known[f"gear_ratio_{self.gear}"] * known["final_drive"] * _wheel_speed(run, known)
        off = run.smoothed_values(run[signals.ENGINE_SPEED] - wanted, _WINDOW)
        return np.asarray(np.abs(off) < self.largest_slip * run[signals.ENGINE_SPEED])

    def wanted(self) -> str:
        """Driving."""
        return f"driving in gear {self.gear}"


@dataclass(frozen=True, kw_only=True)
class EngineTorque(_InGear):
    """Torque of the engine, as the wheels get it, at one speed, throttle and gear [N·m]: eq. 21.

    Attributes
    ----------
    throttle
        Pedal [-].
    speed
        Of the crankshaft [rad/s].
    near_throttle, near_speed
        How far samples may be from these [-], [rad/s].
    """

    throttle: float
    speed: float
    near_throttle: float = 0.02
    near_speed: float = 26.0
    least_samples: int = 15

    of: ClassVar[Kind] = kind("torque")

    @property
    def name(self) -> str:
        """With gear, throttle and speed."""
        turns = round(self.speed * 30.0 / math.pi)
        return f"engine_torque_gear_{self.gear}_throttle_{round(100 * self.throttle)}_at_{turns}"

    def needs(self) -> tuple[str, ...]:
        """Torques of the wheels too."""
        families = (WHEEL_TORQUE, signals.WHEEL_SPEED)
        return (*super().needs(), *(family[c].column for family in families for c in Corner))

    def needs_known(self) -> tuple[str, ...]:
        """Ratios and inertias."""
        names = ("final_drive", f"gear_ratio_{self.gear}", "engine_inertia", "driveline_inertia")
        return (*super().needs_known(), *names)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Near speed and throttle."""
        near = np.abs(run[signals.ENGINE_SPEED] - self.speed) < self.near_speed
        near &= np.abs(run[signals.THROTTLE] - self.throttle) < self.near_throttle
        return np.asarray(super().admissible(run, known) & near & self.clutch_closed(run, known))

    def enough(self, law: Law, known: Known) -> bool:
        """On both sides of the speed."""
        return super().enough(law, known) and law.X[:, 1].min() < 0.0 < law.X[:, 1].max()

    def law(self, run: Channels, known: Known) -> Law:
        """A straight line over the speed, whose value in the middle counts."""
        gear, final = known[f"gear_ratio_{self.gear}"], known["final_drive"]
        output = final * self.wheel_acceleration(run, known)
        wheels = sum((run[WHEEL_TORQUE[corner]] for corner in driven(known)), np.zeros(1))
        torque = (wheels / final + known["driveline_inertia"] * output) / gear
        torque = torque + known["gear_efficiency"] * known["engine_inertia"] * gear * output
        off = run[signals.ENGINE_SPEED] - self.speed
        return Law(torque * self._as_pressed(run), np.column_stack((np.ones(off.size), off)))

    def _as_pressed(self, run: Channels) -> Array:
        """What the torque would be with the throttle that is meant, over what it is.

        Between proportional to the throttle and saturated: as its root; and saturated where it is full.
        """
        pressed = run[signals.THROTTLE]
        near = (np.abs(pressed - self.throttle) < self.near_throttle) & (pressed > 0.0)
        full = self.throttle > 1.0 - self.near_throttle
        return np.ones(pressed.size) if full else np.sqrt(self.throttle / np.where(near, pressed, self.throttle))

    def wanted(self) -> str:
        """Driving through this point."""
        turns = f"{self.speed * 30.0 / math.pi:.0f} 1/min"
        return f"driving in gear {self.gear} with a throttle of {self.throttle:.0%} through {turns}"


@dataclass(frozen=True, kw_only=True)
class GearRatio(_InGear):
    """Engine speed over mean speed of the driven wheels in a gear [-], final drive included.

    Attributes
    ----------
    least_speed, least_throttle
        Of the driven wheels [rad/s], and of the pedal [-]: the clutch is closed, and slips always by as much.
    """

    least_speed: float = 10.0
    least_throttle: float = 0.5

    parameter: ClassVar[str] = "total_ratio_gear_{gear}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Wheel speeds too."""
        return (*super().needs(), *(signals.WHEEL_SPEED[c].column for c in Corner))

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Clutch closed: the ratio does not change."""
        wheels = run.smoothed_values(_wheel_speed(run, known), _WINDOW)
        mask = super().admissible(run, known) & (wheels > self.least_speed)
        ratio = run.smoothed(signals.ENGINE_SPEED, _WINDOW) / np.maximum(wheels, self.least_speed)
        changes = run.smoothed_values(np.gradient(ratio, run.time), 0.5)
        return np.asarray(mask & (run[signals.THROTTLE] > self.least_throttle) & (np.abs(changes) < _CHANGE * ratio))

    def law(self, run: Channels, known: Known) -> Law:
        """A straight line: what the clutch slips by is its intercept."""
        wheels = _wheel_speed(run, known)
        return Law(run[signals.ENGINE_SPEED], np.column_stack((wheels, np.ones(wheels.size))))


@dataclass(frozen=True, kw_only=True)
class GearEfficiency(_InGear):
    """Torque at the wheels over that of the engine times the ratio, in a gear [-].

    Attributes
    ----------
    least_torque
        Of the engine [N·m].
    """

    least_torque: float = 50.0

    parameter: ClassVar[str] = "efficiency_gear_{gear}"
    of: ClassVar[Kind] = kind("number")

    def needs(self) -> tuple[str, ...]:
        """Torques of wheels and engine too."""
        families = (WHEEL_TORQUE, signals.WHEEL_SPEED)
        return (*super().needs(), ENGINE_TORQUE.column, *(f[c].column for f in families for c in Corner))

    def needs_known(self) -> tuple[str, ...]:
        """Ratios and inertias."""
        names = ("final_drive", f"gear_ratio_{self.gear}", "engine_inertia", "driveline_inertia")
        return (*super().needs_known(), *names)

    def admissible(self, run: Channels, known: Known) -> Mask:
        """Enough torque."""
        pulls = run[ENGINE_TORQUE] > self.least_torque
        return np.asarray(super().admissible(run, known) & pulls & self.clutch_closed(run, known))

    def law(self, run: Channels, known: Known) -> Law:
        """What leaves the gears over what enters them."""
        gear, final = known[f"gear_ratio_{self.gear}"], known["final_drive"]
        output = final * self.wheel_acceleration(run, known)
        wheels = sum((run[WHEEL_TORQUE[corner]] for corner in driven(known)), np.zeros(1))
        left = wheels / final + known["driveline_inertia"] * output
        entered = gear * (run[ENGINE_TORQUE] - known["engine_inertia"] * gear * output)
        return Law(left, entered[:, None])


def _wheel_speed(run: Channels, known: Known) -> Array:
    wheels = driven(known)
    return np.asarray(sum((run[signals.WHEEL_SPEED[corner]] for corner in wheels), np.zeros(1)) / len(wheels))

"""Straight ahead: acceleration through the gears, braking, coasting."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.manoeuvres.controls import HoldSpeed, Pedals, PressBrake, straight_ahead
from trackrod.manoeuvres.ends import Above, After, Below, Stalled
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, KEEP_GEAR, NEUTRAL, Drive, End, Manoeuvre, Phase, Start
from trackrod.manoeuvres.settings import g, kmh, setting

__all__ = ["Acceleration", "Braking", "Clutch", "CoastDown", "brake_pedal"]

#: For how long the speed must hardly grow to be the top speed [s].
_TOP_SPEED_TIME = 5.0
_NEAR, _TRIALS = 0.005, 10
_LEAST_PEDAL = 0.001
#: Long open-loop phases are driven a tenth of a second at a time.
_BLIND = 10


class Clutch(StrEnum):
    """Whether the engine stays connected."""

    ENGAGED = "engaged"
    DISENGAGED = "disengaged"

    @property
    def gear(self) -> int:
        """What to do with the gear."""
        return KEEP_GEAR if self is Clutch.ENGAGED else NEUTRAL


@dataclass(frozen=True, kw_only=True)
class Acceleration(Manoeuvre):
    """Full throttle through the gears, up to the speed that is not exceeded any more."""

    name: ClassVar[str] = "acceleration"
    title: ClassVar[str] = "Full acceleration through the gears to top speed"
    serves: ClassVar[tuple[str, ...]] = ("top speed", "times to speeds", "pitch gradient", "axle loads")

    first_speed_kmh: float = setting(25.0, "speed at the beginning", 1.0, 300.0)
    last_speed_kmh: float | None = setting(None, "speed to stop at; top speed if not given", 5.0, 500.0)
    slowest_mps2: float = setting(0.014, "growth of the speed that ends it", 0.001, 1.0)
    throttle: float = setting(1.0, "pedal", 0.05, 1.0)
    rise_s: float = setting(0.2, "time in which the pedal is pressed", 0.0, 5.0)
    delay_s: float = setting(0.5, "constant speed before", 0.0, 10.0)
    longest_s: float = setting(180.0, "time after which it is broken off", 1.0, 1000.0)

    def contradictions(self) -> Iterator[str]:
        """It must become faster."""
        if self.last_speed_kmh is not None and self.last_speed_kmh <= self.first_speed_kmh:
            yield f"last_speed_kmh={self.last_speed_kmh:g} must be above first_speed_kmh={self.first_speed_kmh:g}"

    def start(self) -> Start:
        """Straight ahead at the first speed."""
        return Start(kmh(self.first_speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Constant speed, acceleration."""

        def throttle(t: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
            return self.throttle * np.clip(t / max(self.rise_s, 1e-6), 0.0, 1.0)

        ends: tuple[End, ...] = (Stalled(signals.VX, self.slowest_mps2 * _TOP_SPEED_TIME, _TOP_SPEED_TIME),)
        if self.last_speed_kmh is not None:
            ends = (Above(signals.VX, kmh(self.last_speed_kmh)), *ends)
        hold = HoldSpeed(kmh(self.first_speed_kmh))
        return (
            Phase("constant speed", straight_ahead, hold, (After(self.delay_s),)),
            Phase("acceleration", straight_ahead, Pedals(throttle), ends, self.longest_s, AUTOMATIC, _BLIND),
        )


@dataclass(frozen=True, kw_only=True)
class Braking(Manoeuvre):
    """Straight braking to standstill with a constant pedal.

    Without a pedal position the one is found that gives the wanted mean deceleration from 80 % to 20 % of the speed.

    Limits: there is no anti-lock system; a pedal that locks wheels is an event in the run.
    """

    name: ClassVar[str] = "braking"
    title: ClassVar[str] = "Straight braking to standstill"
    standard: ClassVar[str] = "ISO 21994, without anti-lock system"
    serves: ClassVar[tuple[str, ...]] = ("stopping distance", "mean deceleration", "pitch gradient", "axle loads")

    speed_kmh: float = setting(100.0, "speed at the beginning", 5.0, 300.0)
    deceleration_g: float = setting(0.5, "mean deceleration, used where no pedal is given", 0.01, 1.2)
    brake: float | None = setting(None, "pedal, 0 to 1; found for the deceleration if not given", _LEAST_PEDAL, 1.0)
    rise_s: float = setting(0.2, "time in which the pedal is pressed", 0.0, 5.0)
    clutch: Clutch = setting(Clutch.DISENGAGED, "whether the engine stays connected")
    delay_s: float = setting(0.5, "constant speed before", 0.0, 10.0)
    after_s: float = setting(1.0, "standing after", 0.0, 10.0)
    friction_factor: float = setting(1.0, "of the road, over that which the tyres were measured on", 0.05, 2.0)

    def friction(self) -> float:
        """Of the road."""
        return self.friction_factor

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Constant speed, braking, standing."""
        pedals = PressBrake(self.brake or 0.0, self.rise_s)
        gear = self.clutch.gear
        return (
            Phase("constant speed", straight_ahead, HoldSpeed(kmh(self.speed_kmh)), (After(self.delay_s),)),
            Phase("braking", straight_ahead, pedals, (Below(signals.VX, 0.05),), 120.0, gear),
            Phase("standing", straight_ahead, PressBrake(self.brake or 0.0, 0.0), (After(self.after_s),), gear=gear),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the pedal for the deceleration."""
        return self if self.brake is not None else self.changed(brake=brake_pedal(drive, self))


def brake_pedal(drive: Drive, braking: Braking) -> float:
    """Pedal, 0 to 1, that gives a straight braking its wanted mean deceleration.

    Raises
    ------
    ConvergenceError
        The brakes or the tyres do not reach it.
    """
    pedal, wanted = 0.3, braking.deceleration_g
    speed = kmh(braking.speed_kmh)
    low, high = 0.0, 1.0
    reached, locked = 0.0, False
    for _ in range(_TRIALS):
        run = drive(braking.changed(brake=pedal, after_s=0.0))
        v, x = run[signals.VX], run[signals.X]
        between = np.flatnonzero((v < 0.8 * speed) & (v > 0.2 * speed))
        first, last = int(between[0]), int(between[-1])
        reached = float(v[first] ** 2 - v[last] ** 2) / float(2 * (x[last] - x[first])) / g(1.0)
        locked = any(event["event"] == "wheel_lock" for event in run.metadata["events"])
        if abs(reached / wanted - 1) <= _NEAR:
            return pedal
        if locked or reached > wanted:
            high = min(high, pedal)
        else:
            low = max(low, pedal)
        if high - low < 1e-4 or low >= 1.0 or high <= _LEAST_PEDAL:
            break
        proportional = pedal * wanted / max(reached, 1e-3)
        pedal = proportional if low < proportional < high else 0.5 * (low + high)
        pedal = max(1.0 if proportional >= 1.0 and high == 1.0 else pedal, _LEAST_PEDAL)
    raise ConvergenceError(
        f"a mean deceleration of {wanted:g} g from {braking.speed_kmh:g} km/h is out of reach: "
        f"{reached:.3g} g with the pedal at {pedal:.3g}{', where wheels lock' if locked else ''}"
    )


@dataclass(frozen=True, kw_only=True)
class CoastDown(Manoeuvre):
    """Rolling out in neutral."""

    name: ClassVar[str] = "coast_down"
    title: ClassVar[str] = "Coast-down in neutral"
    standard: ClassVar[str] = "ISO 10521-1, coast-down"
    serves: ClassVar[tuple[str, ...]] = ("aerodynamic drag", "rolling resistance")

    first_speed_kmh: float = setting(100.0, "speed at the beginning", 5.0, 300.0)
    last_speed_kmh: float = setting(60.0, "speed to stop at", 1.0, 299.0)
    delay_s: float = setting(0.5, "constant speed before", 0.0, 10.0)

    def contradictions(self) -> Iterator[str]:
        """It must become slower."""
        if self.last_speed_kmh >= self.first_speed_kmh:
            yield f"last_speed_kmh={self.last_speed_kmh:g} must be below first_speed_kmh={self.first_speed_kmh:g}"

    def start(self) -> Start:
        """Straight ahead at the first speed."""
        return Start(kmh(self.first_speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Constant speed, coasting."""
        end = Below(signals.VX, kmh(self.last_speed_kmh))
        hold = HoldSpeed(kmh(self.first_speed_kmh))
        return (
            Phase("constant speed", straight_ahead, hold, (After(self.delay_s),)),
            Phase("coasting", straight_ahead, Pedals(), (end,), gear=NEUTRAL, blind=_BLIND),
        )

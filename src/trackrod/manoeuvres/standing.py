"""At rest or nearly so: steering at standstill, parking, the four-post rig."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner, Side
from trackrod.manoeuvres.controls import HoldSpeed, Pedals, SteerBy, straight_ahead
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import NEUTRAL, Manoeuvre, Phase, Start
from trackrod.manoeuvres.settings import degrees, falling_sweep, kmh, setting
from trackrod.manoeuvres.sweeps import Sweep

__all__ = ["FourPost", "HillHold", "Parking", "PostMode", "StandstillSteering"]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class StandstillSteering(Manoeuvre):
    """Steering from side to side with the brake applied."""

    name: ClassVar[str] = "standstill_steering"
    title: ClassVar[str] = "Steering at standstill"
    serves: ClassVar[tuple[str, ...]] = ("turning moment of the tyres at standstill",)

    steering_wheel_angle_deg: float = setting(180.0, "amplitude", 1.0, 1000.0)
    frequency_Hz: float = setting(0.2, "of the sine", 0.01, 2.0)
    periods: int = setting(2, "how many", 1, 20)
    brake: float = setting(0.3, "pedal, 0 to 1", 0.0, 1.0)

    def start(self) -> Start:
        """At rest."""
        return Start(0.0)

    def phases(self) -> tuple[Phase, ...]:
        """Steering."""
        amplitude, w = degrees(self.steering_wheel_angle_deg), 2 * np.pi * self.frequency_Hz

        def angle(t: Array) -> Array:
            return amplitude * np.sin(w * t)

        pedals = Pedals(brake=lambda t: np.full(t.size, self.brake))
        return (Phase("steering", SteerBy(angle), pedals, (After(self.periods / self.frequency_Hz),), gear=NEUTRAL),)


@dataclass(frozen=True, kw_only=True)
class HillHold(Manoeuvre):
    """Standing on a slope with the brake applied."""

    name: ClassVar[str] = "hill_hold"
    title: ClassVar[str] = "Holding on a hill with the brake"
    serves: ClassVar[tuple[str, ...]] = ("creep on a slope", "axle loads on a slope")

    grade_pct: float = setting(15.0, "rise of the road ahead", -40.0, 40.0)
    brake: float = setting(0.5, "pedal, 0 to 1", 0.0, 1.0)
    duration_s: float = setting(10.0, "how long", 0.5, 600.0)

    def start(self) -> Start:
        """At rest, held by the brake."""
        return Start(0.0)

    def grade(self) -> float:
        """The slope."""
        return self.grade_pct / 100.0

    def phases(self) -> tuple[Phase, ...]:
        """Holding."""
        pedals = Pedals(brake=lambda t: np.full(t.size, self.brake))
        return (Phase("holding", straight_ahead, pedals, (After(self.duration_s),), gear=NEUTRAL),)


@dataclass(frozen=True, kw_only=True)
class Parking(Manoeuvre):
    """Rolling slowly with the steering wheel from one side to the other."""

    name: ClassVar[str] = "parking"
    title: ClassVar[str] = "Parking: large steering at low speed"
    serves: ClassVar[tuple[str, ...]] = ("turning circle", "steer angles of both front wheels")

    speed_kmh: float = setting(10.0, "speed, held", 1.0, 30.0)
    steering_wheel_angle_deg: float = setting(360.0, "to both sides", 10.0, 1000.0)
    rate_degps: float = setting(120.0, "rate of the steering wheel", 1.0, 1000.0)
    hold_s: float = setting(3.0, "at each side", 0.0, 60.0)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Left, right, straight."""
        largest = degrees(self.steering_wheel_angle_deg)
        turn = self.steering_wheel_angle_deg / self.rate_degps
        times = np.cumsum([0.0, 0.5, turn, self.hold_s, 2 * turn, self.hold_s, turn])
        angles = largest * np.array([0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.0])

        def angle(t: Array) -> Array:
            return np.interp(t, times, angles)

        hold = HoldSpeed(kmh(self.speed_kmh))
        return (Phase("parking", SteerBy(angle), hold, (After(float(times[-1]) + 0.5),)),)


class PostMode(StrEnum):
    """How the four posts move together."""

    HEAVE = "heave"
    PITCH = "pitch"
    ROLL = "roll"
    WARP = "warp"

    def sign(self, corner: Corner) -> float:
        """+1 or −1: up first at the front left wheel, in heave at all."""
        front = 1.0 if corner.axle is Axle.FRONT else -1.0
        left = 1.0 if corner.side is Side.LEFT else -1.0
        return {PostMode.HEAVE: 1.0, PostMode.PITCH: front, PostMode.ROLL: left, PostMode.WARP: front * left}[self]


@dataclass(frozen=True, kw_only=True)
class FourPost(Manoeuvre):
    """A sweep of the posts under the wheels with constant peak velocity: the height is V/ω sin φ.

    The amplitude grows over the first second and fades over the last.

    Limits: with steps of 1 ms the implicit integration of the multibody model damps wheel hop; ride work wants 0.5 ms
    or less.
    """

    name: ClassVar[str] = "four_post"
    title: ClassVar[str] = "Four-post rig: heave, pitch, roll or warp sweep"
    serves: ClassVar[tuple[str, ...]] = ("transfer functions from road to body and wheels", "ride frequencies")

    mode: PostMode = setting(PostMode.HEAVE, "how the posts move together")
    velocity_mmps: float = setting(30.0, "peak velocity of a post", 1.0, 1000.0)
    first_frequency_Hz: float = setting(0.5, "frequency at the beginning", 0.05, 50.0)
    last_frequency_Hz: float = setting(6.0, "frequency at the end", 0.05, 50.0)
    duration_s: float = setting(30.0, "of the sweep", 1.0, 600.0)
    sweep: Sweep = setting(Sweep.LINEAR, "how the frequency grows")

    def contradictions(self) -> Iterator[str]:
        """The frequency must not fall."""
        yield from falling_sweep(self.first_frequency_Hz, self.last_frequency_Hz)

    def start(self) -> Start:
        """At rest, the wheels free to roll."""
        return Start(0.0, free=True)

    def phases(self) -> tuple[Phase, ...]:
        """Sweep, rest."""
        return (Phase("sweep", straight_ahead, Pedals(), (After(self.duration_s + 1.0),), gear=NEUTRAL),)

    def road(self) -> FourPost:
        """The posts."""
        return self

    def heights(self, corner: Corner, times: Array, positions: Array) -> Array:
        """Height of the post under a wheel [m]."""
        del positions
        t = np.clip(times, 0.0, self.duration_s)
        fade = np.clip(np.minimum(times, self.duration_s - times), 0.0, 1.0)  # one second in, one second out
        angle = self.sweep.angle(self.first_frequency_Hz, self.last_frequency_Hz, self.duration_s, t)
        amplitude = 1e-3 * self.velocity_mmps / (2 * np.pi * self.frequency(t))
        return np.asarray(self.mode.sign(corner) * fade * amplitude * np.sin(angle))

    def frequency(self, times: Array) -> Array:
        """Of the posts at times from the beginning to the end of the sweep [s], increasing [Hz]."""
        return self.sweep.frequency(self.first_frequency_Hz, self.last_frequency_Hz, self.duration_s, times)

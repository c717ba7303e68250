"""In a turn: constant radius, braking, throttle released."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from trackrod.core import signals
from trackrod.manoeuvres.controls import (
    FollowPath,
    HoldSpeed,
    HoldSteering,
    Pedals,
    PressBrake,
    SteerTo,
    straight_ahead,
)
from trackrod.manoeuvres.ends import Above, After, Below, Stalled, Steady
from trackrod.manoeuvres.longitudinal import Braking, Clutch, brake_pedal
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, Corridor, Drive, Manoeuvre, Phase, Start
from trackrod.manoeuvres.paths import Path, circle_path
from trackrod.manoeuvres.settings import Direction, degrees, g, kmh, setting
from trackrod.manoeuvres.steady_turn import curvature_gain
from trackrod.manoeuvres.steering import StepSteer

__all__ = ["BrakeInTurn", "ConstantRadius", "ThrottleOff"]

#: A turn is steady when these stay within their bands for this long [s].
_STEADY_TURN = Steady({signals.YAW_RATE: 0.004, signals.AY: 0.08, signals.ROLL: 0.002, signals.VX: 0.1}, 1.0)
#: Rate at which a turn is entered [rad/s].
_ENTRY = degrees(60.0)


@dataclass(frozen=True, kw_only=True)
class ConstantRadius(Manoeuvre):
    """On a circle with slowly growing speed, the driver keeps to the circle.

    It ends at the wanted lateral acceleration, when the speed no longer grows, or off the circle.
    """

    name: ClassVar[str] = "constant_radius"
    title: ClassVar[str] = "Constant radius, growing speed"
    standard: ClassVar[str] = "ISO 4138, constant radius"
    serves: ClassVar[tuple[str, ...]] = ("understeer gradient", "roll gradient", "sideslip gradient")

    radius_m: float = setting(100.0, "of the circle", 10.0, 1000.0)
    first_speed_kmh: float = setting(30.0, "speed at the beginning", 5.0, 200.0)
    target_ay_g: float = setting(0.6, "lateral acceleration to stop at", 0.05, 1.5)
    rate_kmhps: float = setting(1.5, "growth of the speed", 0.1, 10.0)
    direction: Direction = setting(Direction.LEFT, "to which side")
    preview_s: float = setting(0.6, "how far the driver looks ahead", 0.1, 5.0)
    angle_per_curvature_radm: float | None = setting(None, "of the driver; found by driving if not given", 1.0, 1000.0)
    half_width_m: float = setting(3.0, "distance from the circle that counts as off the road", 0.1, 50.0)

    def contradictions(self) -> Iterator[str]:
        """The wanted lateral acceleration must lie ahead."""
        first_ay_g = kmh(self.first_speed_kmh) ** 2 / self.radius_m / g(1.0)
        if first_ay_g >= self.target_ay_g:
            yield (
                f"first_speed_kmh={self.first_speed_kmh:g} on a circle of {self.radius_m:g} m is {first_ay_g:.2f} g "
                f"already, target_ay_g={self.target_ay_g:g} must be more"
            )

    def start(self) -> Start:
        """Straight ahead at the first speed."""
        return Start(kmh(self.first_speed_kmh))

    def _path(self) -> Path:
        return circle_path(self.radius_m, self.direction.sign, straight=10.0, transition=30.0, turns=12.0)

    def corridor(self) -> Corridor:
        """Around the circle."""
        return Corridor(self._path(), self.half_width_m)

    def phases(self) -> tuple[Phase, ...]:
        """Onto the circle, growing speed."""
        speed, rate = kmh(self.first_speed_kmh), kmh(self.rate_kmhps)
        follow = FollowPath(self._path(), self.preview_s, self.angle_per_curvature_radm or 0.0)
        onto = After((40.0 + 0.25 * self.radius_m) / speed)
        ends = (Above(signals.AY, g(self.target_ay_g)), Stalled(signals.VX, 0.2, 5.0))
        return (
            Phase("onto the circle", follow, HoldSpeed(speed), (onto,)),
            Phase("growing speed", follow, HoldSpeed(speed, rate), ends, gear=AUTOMATIC),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the gain of the driver."""
        if self.angle_per_curvature_radm is not None:
            return self
        return self.changed(angle_per_curvature_radm=curvature_gain(drive, max(self.first_speed_kmh, 30.0)))


@dataclass(frozen=True, kw_only=True)
class _FromTurn(Manoeuvre):
    """Something done in a steady turn with the steering wheel held."""

    radius_m: float = setting(100.0, "of the turn", 10.0, 1000.0)
    target_ay_g: float = setting(0.4, "steady lateral acceleration before", 0.05, 1.0)
    steering_wheel_angle_deg: float | None = setting(None, "found for the target if not given", 0.1, 1500.0)
    direction: Direction = setting(Direction.LEFT, "to which side")
    friction_factor: float = setting(1.0, "of the road, over that which the tyres were measured on", 0.05, 2.0)

    @property
    def speed(self) -> float:
        """At which the turn has the wanted lateral acceleration [m/s]."""
        return math.sqrt(g(self.target_ay_g) * self.radius_m)

    def friction(self) -> float:
        """Of the road."""
        return self.friction_factor

    def start(self) -> Start:
        """Straight ahead at the speed of the turn."""
        return Start(self.speed)

    def _into_the_turn(self) -> tuple[Phase, ...]:
        angle = self.direction.sign * degrees(self.steering_wheel_angle_deg or 0.0)
        hold = HoldSpeed(self.speed)
        return (
            Phase("straight", straight_ahead, hold, (After(0.5),)),
            Phase("into the turn", SteerTo(angle, _ENTRY), hold, (_STEADY_TURN,), 20.0),
        )

    def _with_angle(self, drive: Drive) -> Self:
        if self.steering_wheel_angle_deg is not None:
            return self
        step = StepSteer(
            speed_kmh=3.6 * self.speed,
            target_ay_g=self.target_ay_g,
            rate_degps=60.0,
            friction_factor=self.friction_factor,
        )
        return self.changed(steering_wheel_angle_deg=step.prepare(drive).steering_wheel_angle_deg)


@dataclass(frozen=True, kw_only=True)
class BrakeInTurn(_FromTurn):
    """Braking from a steady turn, the steering wheel held."""

    name: ClassVar[str] = "brake_in_turn"
    title: ClassVar[str] = "Braking in a turn"
    standard: ClassVar[str] = "ISO 7975"
    serves: ClassVar[tuple[str, ...]] = ("yaw rate ratio 1 s after", "deviation from the circle", "sideslip angle")

    deceleration_g: float = setting(0.4, "mean deceleration of the same pedal straight ahead", 0.01, 1.0)
    brake: float | None = setting(None, "pedal, 0 to 1; found for the deceleration if not given", 0.001, 1.0)
    rise_s: float = setting(0.2, "time in which the pedal is pressed", 0.0, 5.0)
    clutch: Clutch = setting(Clutch.DISENGAGED, "whether the engine stays connected")

    def phases(self) -> tuple[Phase, ...]:
        """Into the turn, braking."""
        pedals = PressBrake(self.brake or 0.0, self.rise_s)
        end = Below(signals.VX, 0.1 * self.speed)
        braking = Phase("braking", HoldSteering(), pedals, (end,), 60.0, self.clutch.gear)
        return (*self._into_the_turn(), braking)

    def prepare(self, drive: Drive) -> Self:
        """With the angle of the turn and the pedal."""
        known = self._with_angle(drive)
        if known.brake is not None:
            return known
        straight = Braking(
            speed_kmh=3.6 * self.speed,
            deceleration_g=self.deceleration_g,
            clutch=self.clutch,
            friction_factor=self.friction_factor,
        )
        return known.changed(brake=brake_pedal(drive, straight))


@dataclass(frozen=True, kw_only=True)
class ThrottleOff(_FromTurn):
    """The throttle is released in a steady turn, the steering wheel held, the gear engaged."""

    name: ClassVar[str] = "throttle_off"
    title: ClassVar[str] = "Throttle released in a turn"
    standard: ClassVar[str] = "ISO 9816"
    serves: ClassVar[tuple[str, ...]] = ("yaw rate ratio 1 s after", "deviation from the circle", "sideslip angle")

    after_s: float = setting(3.0, "time after the release", 0.5, 30.0)

    def phases(self) -> tuple[Phase, ...]:
        """Into the turn, released."""
        released = Phase("throttle released", HoldSteering(), Pedals(), (After(self.after_s),))
        return (*self._into_the_turn(), released)

    def prepare(self, drive: Drive) -> Self:
        """With the angle of the turn."""
        return self._with_angle(drive)

"""Steering, pedals and an obstacle at once: one point of a plan that fills the range in which a vehicle is driven."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner, Side
from trackrod.manoeuvres.controls import HoldThrottle, SteerBy, straight_ahead
from trackrod.manoeuvres.ends import After, Below
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, NEUTRAL, Manoeuvre, PedalControl, Phase, Sample, Start
from trackrod.manoeuvres.settings import Direction, degrees, kmh, setting

__all__ = ["Excitation", "Obstacle", "SteeringShape", "Wheels"]

Array = NDArray[np.float64]

#: Speed at which braking ends [m/s]: both models come here, and what follows is standing.
_SLOW = 2.0
#: Time in which a pedal is pressed [s].
_PRESSING = 0.1
#: Decisions driven at once where nothing depends on what the driver sees.
_BLIND = 10


class SteeringShape(StrEnum):
    """How the steering wheel moves; its frequency is that of a sine as fast."""

    STEP = "step"
    SINE = "sine"
    SINGLE_SINE = "single_sine"
    DWELL = "dwell"

    def angle(self, times: Array, frequency: float) -> Array:
        """Over the amplitude, at times since the beginning [s]."""
        along: Array = times * frequency  # periods
        if self is SteeringShape.STEP:
            return np.sin(0.5 * np.pi * np.clip(4.0 * along, 0.0, 1.0))
        if self is SteeringShape.SINE:
            return np.sin(2 * np.pi * along)
        if self is SteeringShape.DWELL:
            along = np.where(along < 0.75, along, np.maximum(along - 0.5 * frequency, 0.75))
        return np.where(along < 1.0, np.sin(2 * np.pi * along), 0.0)


class Wheels(StrEnum):
    """Which wheels run over the obstacle."""

    ALL = "all"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A hump across the road, h/2·(1 − cos 2πs/L), or under the left wheels alone.

    Attributes
    ----------
    height, length
        h and L [m].
    start
        Where it begins [m].
    wheels
        Under which it lies.
    """

    height: float
    length: float
    start: float
    wheels: Wheels

    def heights(self, corner: Corner, times: Array, positions: Array) -> Array:
        """Height under a wheel [m]."""
        del times
        if self.wheels is Wheels.LEFT and corner.side is not Side.LEFT:
            return np.zeros(positions.size)
        along = np.clip((positions - self.start) / self.length, 0.0, 1.0)
        return np.asarray(0.5 * self.height * (1.0 - np.cos(2 * np.pi * along)))


@dataclass(frozen=True, kw_only=True)
class Excitation(Manoeuvre):
    """Steering and pedals move at once, and an obstacle may lie on the road; nothing is held by a controller."""

    name: ClassVar[str] = "excitation"
    title: ClassVar[str] = "Steering, pedals and an obstacle at once"
    serves: ClassVar[tuple[str, ...]] = ("domain of validity of a model",)

    speed_kmh: float = setting(80.0, "speed at the beginning", 10.0, 300.0)
    shape: SteeringShape = setting(SteeringShape.SINGLE_SINE, "of the steering input")
    steering_wheel_angle_deg: float = setting(45.0, "amplitude", 0.0, 1500.0)
    frequency_Hz: float = setting(0.5, "of the sine, or of a sine as fast as the step", 0.05, 20.0)
    direction: Direction = setting(Direction.LEFT, "to which side first")
    brake: float = setting(0.0, "pedal, 0 to 1; the clutch is disengaged then", 0.0, 1.0)
    throttle: float | None = setting(None, "pedal, 0 to 1; that of the straight run if not given", 0.0, 1.0)
    pedals_after_s: float = setting(1.0, "from the beginning of steering to that of the pedals", 0.0, 60.0)
    obstacle_mm: float = setting(0.0, "height of the obstacle, 0 for none", 0.0, 300.0)
    obstacle_length_m: float = setting(0.5, "of the obstacle along the road", 0.1, 20.0)
    obstacle_under: Wheels = setting(Wheels.ALL, "which wheels run over it")
    friction_factor: float = setting(1.0, "of the road, over that which the tyres were measured on", 0.05, 2.0)
    duration_s: float = setting(4.0, "of steering and pedals together", 1.0, 60.0)
    delay_s: float = setting(0.3, "straight ahead before", 0.0, 10.0)

    def contradictions(self) -> Iterator[str]:
        """There is time for the pedals, and one foot."""
        if self.pedals_after_s >= self.duration_s:
            yield f"pedals_after_s={self.pedals_after_s:g} must be below duration_s={self.duration_s:g}"
        if self.brake > 0.0 and self.throttle is not None:
            yield f"brake={self.brake:g} and throttle={self.throttle:g}: one of both can be pressed"

    def friction(self) -> float:
        """Of the road."""
        return self.friction_factor

    def road(self) -> Obstacle | None:
        """The obstacle, one second ahead when steering begins."""
        if self.obstacle_mm == 0.0:
            return None
        ahead = kmh(self.speed_kmh) * (self.delay_s + 1.0)
        return Obstacle(1e-3 * self.obstacle_mm, self.obstacle_length_m, ahead, self.obstacle_under)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Straight, steering with pedals."""
        amplitude = self.direction.sign * degrees(self.steering_wheel_angle_deg)
        steering = SteerBy(lambda t: amplitude * self.shape.angle(t, self.frequency_Hz))
        pedals = _OneFoot(self.pedals_after_s, self.brake, self.throttle)
        ends = (Below(signals.VX, _SLOW), After(self.duration_s))
        return (
            Phase("straight", straight_ahead, HoldThrottle(), (After(self.delay_s),)),
            Phase(
                "excitation",
                steering,
                pedals,
                ends,
                gears=pedals.gears if self.brake > 0.0 else None,
                blind=1 if self.obstacle_mm else _BLIND,
            ),
        )


@dataclass(frozen=True, slots=True)
class _OneFoot:
    """The throttle stays as it is for a time [s]; then the brake or the throttle is pressed, 0 to 1."""

    after: float
    brake: float
    throttle: float | None

    def begin(self, now: Sample) -> PedalControl:
        """From now on."""
        first = now[signals.THROTTLE]
        last = 0.0 if self.brake > 0.0 else first if self.throttle is None else self.throttle

        def control(times: Array, _: Sample) -> tuple[Array, Array]:
            pressed = np.clip((times - self.after) / _PRESSING, 0.0, 1.0)
            return first + (last - first) * pressed, self.brake * pressed

        return control

    def gears(self, times: Array) -> Array:
        """The clutch is disengaged while the brake is pressed."""
        return np.where(times < self.after, AUTOMATIC, NEUTRAL)

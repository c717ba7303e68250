"""Laws for the steering wheel and the pedals: open loop, held speed, and a driver who looks ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.core import signals
from trackrod.core.wheel_inputs import WheelInputs
from trackrod.manoeuvres.manoeuvre import DECISION, AssistanceControl, PedalControl, Sample, SteeringControl
from trackrod.manoeuvres.paths import Path, Tracker

__all__ = [
    "AssistBy",
    "FollowPath",
    "FollowSpeed",
    "HoldSpeed",
    "HoldSteering",
    "HoldThrottle",
    "Pedals",
    "PressBrake",
    "SteerBy",
    "SteerTo",
    "straight_ahead",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HoldSteering:
    """The steering wheel stays where it is."""

    def begin(self, now: Sample) -> SteeringControl:
        """From now on."""
        angle = now[signals.STEERING_WHEEL_ANGLE]
        return lambda times, _: np.full(times.size, angle)


@dataclass(frozen=True, slots=True)
class SteerTo:
    """From where the steering wheel is to an angle [rad] at a rate [rad/s], then held."""

    angle: float
    rate: float

    def begin(self, now: Sample) -> SteeringControl:
        """From now on."""
        first = now[signals.STEERING_WHEEL_ANGLE]
        change = self.angle - first

        def control(times: Array, _: Sample) -> Array:
            turned = np.minimum(self.rate * times, abs(change))
            return first + np.copysign(turned, change)

        return control


@dataclass(frozen=True, slots=True)
class SteerBy:
    """Steering-wheel angle [rad] as a function of the time since the beginning of the phase [s]."""

    angle: Callable[[Array], Array]

    def begin(self, now: Sample) -> SteeringControl:
        """From now on."""
        del now
        return lambda times, _: np.asarray(self.angle(times), dtype=float)


@dataclass(frozen=True, slots=True)
class AssistBy:
    """Inputs of the wheels as a function of the times since the beginning of the manoeuvre [s]."""

    inputs: Callable[[Array], WheelInputs]

    def begin(self, now: Sample) -> AssistanceControl:
        """From now on."""
        del now
        return lambda times, _: self.inputs(times)


#: The steering wheel straight ahead.
straight_ahead = SteerBy(np.zeros_like)


@dataclass(frozen=True, slots=True)
class FollowPath:
    """A driver who looks ahead along a path.

    The law: seen from the centre of gravity, in the frame of its course (heading plus sideslip angle), the point of
    the path one preview distance L = v·T ahead of the nearest one has the distance d and the lateral offset e. The
    circle that leaves along the course and goes through this point has the curvature κ = 2 e/d²; the steering wheel
    goes to κ times the angle that one unit of curvature takes in steady state, not farther than the largest angle and
    not faster than the largest rate.

    Attributes
    ----------
    path
        In E [m].
    preview
        T [s].
    angle_per_curvature
        Steering-wheel angle over curvature in steady state at this speed [rad·m].
    rate, largest
        The largest rate [rad/s] and angle [rad] of the steering wheel.
    shortest
        L at low speeds [m].
    """

    path: Path
    preview: float
    angle_per_curvature: float
    rate: float = np.radians(1000.0)
    largest: float = np.radians(540.0)
    shortest: float = 3.0

    def begin(self, now: Sample) -> SteeringControl:
        """From now on, wherever along the path that is: an earlier phase may have followed it already."""
        tracker = Tracker.at(self.path, now[signals.X], now[signals.Y])
        last = now[signals.STEERING_WHEEL_ANGLE]
        began = now.time

        def control(times: Array, now: Sample) -> Array:
            nonlocal last, began
            x, y = now[signals.X], now[signals.Y]
            course = now[signals.YAW] + now[signals.SIDESLIP]
            speed = float(np.hypot(now[signals.VX], now[signals.VY]))
            s, _ = tracker.locate(x, y)
            px, py = self.path.point(s + max(speed * self.preview, self.shortest))
            dx, dy = px - x, py - y
            offset = -np.sin(course) * dx + np.cos(course) * dy
            wanted = self.angle_per_curvature * 2.0 * offset / (dx * dx + dy * dy)
            wanted = min(max(wanted, -self.largest), self.largest)
            most = self.rate * DECISION
            wanted = float(min(max(wanted, last - most), last + most))
            # Reached at the next decision, in a straight line: the wheel of a driver does not jump.
            angles = np.interp(times, [began, times[-1]], [last, wanted])
            last, began = wanted, float(times[-1])
            return angles

        return control


@dataclass(frozen=True, slots=True)
class HoldSpeed:
    """A driver who holds a speed with both pedals: the law is that of the core, `cpp/trackrod/driver/hold_speed.hpp`.

    Attributes
    ----------
    speed
        [m/s]
    rate
        How fast the wanted speed grows from the beginning of the phase on [m/s²].
    brakes
        Whether the brake is used; without it the throttle alone.
    """

    speed: float
    rate: float = 0.0
    brakes: bool = True

    def begin(self, now: Sample) -> PedalControl:
        """From now on."""
        holder = _core.SpeedHolder()
        holder.begin(self.speed, now[signals.VX], now[signals.THROTTLE])

        def control(times: Array, now: Sample) -> tuple[Array, Array]:
            wanted = self.speed + self.rate * now.time
            throttle, brake = holder.decide(wanted, now[signals.VX], DECISION, self.brakes)
            return np.full(times.size, throttle), np.full(times.size, brake)

        return control


@dataclass(frozen=True, slots=True)
class FollowSpeed:
    """A driver who follows a speed [m/s] over the time since the beginning of the phase [s], as `HoldSpeed` does."""

    speed: Callable[[Array], Array]

    def begin(self, now: Sample) -> PedalControl:
        """From now on."""
        holder = _core.SpeedHolder()
        holder.begin(float(self.speed(np.zeros(1))[0]), now[signals.VX], now[signals.THROTTLE])

        def control(times: Array, now: Sample) -> tuple[Array, Array]:
            wanted = float(self.speed(np.array([now.time]))[0])
            throttle, brake = holder.decide(wanted, now[signals.VX], DECISION, True)
            return np.full(times.size, throttle), np.full(times.size, brake)

        return control


@dataclass(frozen=True, slots=True)
class HoldThrottle:
    """The throttle stays where it is, the brake is released."""

    def begin(self, now: Sample) -> PedalControl:
        """From now on."""
        throttle = now[signals.THROTTLE]
        return lambda times, _: (np.full(times.size, throttle), np.zeros(times.size))


@dataclass(frozen=True, slots=True)
class Pedals:
    """Both pedals as functions of the time since the beginning of the phase [s]."""

    throttle: Callable[[Array], Array] = np.zeros_like
    brake: Callable[[Array], Array] = np.zeros_like

    def begin(self, now: Sample) -> PedalControl:
        """From now on."""
        del now
        return lambda times, _: (np.asarray(self.throttle(times)), np.asarray(self.brake(times)))


@dataclass(frozen=True, slots=True)
class PressBrake:
    """The brake pedal goes from where it is to a position, 0 to 1, in a time [s]; the throttle is released at once."""

    brake: float
    seconds: float

    def begin(self, now: Sample) -> PedalControl:
        """From now on."""
        first = now[signals.BRAKE]

        def control(times: Array, _: Sample) -> tuple[Array, Array]:
            share = np.minimum(times / self.seconds, 1.0) if self.seconds > 0 else np.ones(times.size)
            return np.zeros(times.size), first + (self.brake - first) * share

        return control

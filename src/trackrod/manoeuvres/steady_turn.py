"""Slowly increasing steering, and what other manoeuvres learn from it: angles for a lateral acceleration."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.core.series import Run
from trackrod.manoeuvres.controls import HoldSpeed, HoldThrottle, SteerTo, straight_ahead
from trackrod.manoeuvres.ends import Above, After, Below, Stalled
from trackrod.manoeuvres.manoeuvre import Drive, End, Manoeuvre, PedalLaw, Phase, Start
from trackrod.manoeuvres.settings import Direction, degrees, g, kmh, setting

__all__ = ["Propulsion", "RampSteer", "curvature_gain", "quasi_static_angle"]

#: The lateral acceleration of a ramp counts as saturated when it has not grown by this [m/s²] for this long [s].
_STALLED = (0.02, 1.5)


class Propulsion(StrEnum):
    """What keeps the vehicle going: a controller that holds the speed, or the throttle of the straight run before."""

    SPEED = "speed"
    THROTTLE = "throttle"

    def pedals(self, speed: float) -> PedalLaw:
        """The law, for a speed [m/s]."""
        return HoldSpeed(speed) if self is Propulsion.SPEED else HoldThrottle()


@dataclass(frozen=True, kw_only=True)
class RampSteer(Manoeuvre):
    """Steering at a constant slow rate and constant speed, up to the limit of adhesion.

    It ends when the lateral acceleration no longer grows, or at the wanted one, at the largest angle, or when the
    speed cannot be held any more.
    """

    name: ClassVar[str] = "ramp_steer"
    title: ClassVar[str] = "Slowly increasing steering at constant speed"
    standard: ClassVar[str] = "ISO 4138, constant speed, slowly increasing steering-wheel angle"
    serves: ClassVar[tuple[str, ...]] = (
        "understeer gradient",
        "roll gradient",
        "sideslip gradient",
        "lateral load transfer",
        "largest lateral acceleration",
    )

    speed_kmh: float = setting(80.0, "speed, held", 5.0, 300.0)
    rate_degps: float = setting(5.0, "rate of the steering wheel", 0.1, 200.0)
    target_ay_g: float | None = setting(
        None, "lateral acceleration to stop at; up to the limit if not given", 0.01, 2.0
    )
    largest_angle_deg: float = setting(360.0, "steering-wheel angle to stop at", 1.0, 1500.0)
    direction: Direction = setting(Direction.LEFT, "to which side")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    gear: int = setting(0, "gear, 0 for the vehicle's own choice", 0, 20)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh), self.gear)

    def phases(self) -> tuple[Phase, ...]:
        """Straight, ramp."""
        pedals = HoldSpeed(kmh(self.speed_kmh))
        largest = degrees(self.largest_angle_deg)
        ends: tuple[End, ...] = (
            Stalled(signals.AY, *_STALLED),
            Above(signals.STEERING_WHEEL_ANGLE, largest * (1 - 1e-9)),
            Below(signals.VX, 0.95 * kmh(self.speed_kmh)),
        )
        if self.target_ay_g is not None:
            ends = (Above(signals.AY, g(self.target_ay_g)), *ends)
        ramp = SteerTo(self.direction.sign * largest, degrees(self.rate_degps))
        return (
            Phase("straight", straight_ahead, pedals, (After(self.delay_s),)),
            Phase("ramp", ramp, pedals, ends),
        )


def quasi_static_angle(drive: Drive, speed_kmh: float, target_ay_g: float, gear: int = 0) -> float:
    """Steering-wheel angle [°] at which a slow ramp to the left reaches a lateral acceleration.

    Raises
    ------
    ConvergenceError
        The vehicle does not reach it; the message says what it reaches.
    """
    run = drive(RampSteer(speed_kmh=speed_kmh, target_ay_g=target_ay_g, gear=gear))
    reached = run[signals.AY]
    if reached[-1] < g(target_ay_g):
        raise ConvergenceError(
            f"a lateral acceleration of {target_ay_g:g} g at {speed_kmh:g} km/h is out of reach: the slow ramp "
            f"ended at {reached.max() / g(1.0):.3g} g ({_last_reason(run)})"
        )
    after = int(np.argmax(reached >= g(target_ay_g)))
    angles = run[signals.STEERING_WHEEL_ANGLE]
    share = (g(target_ay_g) - reached[after - 1]) / (reached[after] - reached[after - 1])
    return float(np.degrees(angles[after - 1] + share * (angles[after] - angles[after - 1])))


def curvature_gain(drive: Drive, speed_kmh: float) -> float:
    """Steering-wheel angle over curvature of the path in a gentle turn at a speed [rad·m].

    The slope over the second half of a ramp, where the lag of the vehicle behind the ramp is constant.
    """
    run = drive(RampSteer(speed_kmh=speed_kmh, rate_degps=15.0, target_ay_g=0.15, largest_angle_deg=180.0))
    angle, curvature = run[signals.STEERING_WHEEL_ANGLE], run[signals.YAW_RATE] / run[signals.VX]
    half = int(np.argmax(angle >= 0.5 * angle[-1]))
    change = float(curvature[-1] - curvature[half])
    if not change > 0:
        raise ConvergenceError(f"the vehicle does not turn when it is steered at {speed_kmh:g} km/h")
    return float(angle[-1] - angle[half]) / change


def _last_reason(run: Run) -> str:
    return str(run.metadata["phases"][-1]["ended"])

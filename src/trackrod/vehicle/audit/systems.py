"""Are steering, powertrain and brakes plausible."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.vehicle.audit.finding import Finding, out_of_range, warning
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["check_brakes", "check_powertrain", "check_steering"]

_RACK_TRAVEL = (0.03, 0.15)  # [m], to either side
_TRAVEL_PER_TURN = (0.02, 0.12)  # [m] per turn of the pinion
_TOP_SPEED = (20.0, 110.0)  # [m/s]
_DECELERATION = (0.6, 5.0)  # [g]


def check_steering(vehicle: Vehicle) -> Iterator[Finding]:
    """Rack travel of a turn and at full lock in the usual range."""
    steering = vehicle.steering
    if steering is None:
        return
    hint = "look at the ratio of the gear between pinion and rack and at its unit"
    turn = abs(steering.ratio) * 2 * math.pi
    what = "the rack travel of one turn of the pinion"
    yield from out_of_range(what, turn, _TRAVEL_PER_TURN, "m", steering.rack_joint, what="joint", hint=hint)
    travel = abs(steering.ratio) * steering.largest_angle
    what = f"the rack travel at full lock, {math.degrees(steering.largest_angle):.0f} deg of the steering wheel,"
    yield from out_of_range(
        what, travel, _RACK_TRAVEL, "m", steering.rack_joint, what="joint", hint=f"{hint}, or at the largest angle"
    )


def check_powertrain(vehicle: Vehicle) -> Iterator[Finding]:
    """Gears, speeds and torques that fit together."""
    powertrain = vehicle.powertrain
    if powertrain is None or not any(wheel.tyres for wheel in vehicle.wheels):
        return
    gearbox, engine, limit = powertrain.gearbox, powertrain.engine, powertrain.speed_limit
    speed = limit / (gearbox.ratios[-1] * gearbox.final_drive) * _radius(vehicle)
    what = f"the speed in the highest gear at the limit of the engine, {_rpm(limit)},"
    hint = "look at the ratios, at the final drive and at the unit of the engine speeds"
    yield from out_of_range(what, speed, _TOP_SPEED, "m/s", hint=hint)
    if engine.speed[-1] < limit:
        says = f"the engine map ends at {_rpm(engine.speed[-1])}, the limit is {_rpm(limit)}"
        yield warning(says, hint="lengthen the map or lower the limit")
    if engine.speed[0] > powertrain.idle_speed:
        says = f"the engine map begins at {_rpm(engine.speed[0])}, idle is {_rpm(powertrain.idle_speed)}"
        yield warning(says, hint="the map must hold the idle speed")
    late = [speed for speed in gearbox.upshift if speed > limit]
    if late:
        says = f"changing up at {_rpm(max(late))} is above the limit of the engine, {_rpm(limit)}"
        yield warning(says, hint="the gear would never be changed")
    torque = float(engine.torque.max())
    if torque <= 0:
        yield warning(f"the largest torque of the engine is {torque:.4g} N·m, it must drive", hint="look at the signs")
    elif powertrain.clutch_capacity < torque:
        says = f"the clutch holds {powertrain.clutch_capacity:.4g} N·m, the engine gives up to {torque:.4g} N·m"
        yield warning(says, hint="it would slip at full throttle; look at its capacity and unit")


def check_brakes(vehicle: Vehicle) -> Iterator[Finding]:
    """Deceleration of the full pedal, as far as the brakes go: the grip of the tyres may be less."""
    brakes = vehicle.brakes
    mass = sum(body.mass for body in vehicle.bodies)
    if brakes is None or not mass > 0 or not any(wheel.tyres for wheel in vehicle.wheels):
        return
    force = 2 * (brakes.front_torque + brakes.rear_torque) * brakes.largest_pressure / _radius(vehicle)
    what = f"the deceleration that the brakes give at full pressure, {brakes.largest_pressure:.3g} Pa,"
    hint = "look at pressure, piston area and friction of the brakes and at their units"
    yield from out_of_range(what, force / mass / STANDARD_GRAVITY, _DECELERATION, "g", hint=hint)


def _radius(vehicle: Vehicle) -> float:
    """Mean free radius of the tyres [m]."""
    places = [place.tyre for wheel in vehicle.wheels for place in wheel.tyres]
    return float(np.mean([vehicle.tyres[name].coefficients["UNLOADED_RADIUS"] for name in places]))


def _rpm(speed: float) -> str:
    return f"{speed * 30 / math.pi:.0f} 1/min"

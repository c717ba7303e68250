"""Do the springs carry the body at the design position, and how does it ride on them.

Both wheels of an axle travel alike with ideal joints; what springs and torsion springs do along that motion is the
force and the rate at the wheels (principle of virtual work).

Limits: leaf springs, bushings and anti-roll bars in parallel motion are not counted; an axle with beams is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.vehicle.audit.finding import Finding, out_of_range
from trackrod.vehicle.audit.masses import axle_loads
from trackrod.vehicle.audit.mechanism import axle_mechanism
from trackrod.vehicle.mobility import Mobility
from trackrod.vehicle.systems import AxleLayout
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["check_ride"]

Array = NDArray[np.float64]

_FREQUENCY = (0.7, 3.5)  # [Hz], from soft cars to hard trucks
_SUPPORT = (0.7, 1.3)  # [-]


def check_ride(vehicle: Vehicle) -> Iterator[Finding]:
    """Spring forces near the load they carry at the design position; ride frequency in the usual range."""
    loads = axle_loads(vehicle)
    if loads is None:
        return
    for axle in vehicle.axles:
        suspended = _suspended(vehicle, axle, loads[axle.position])
        if suspended is None:
            continue
        weight = suspended.mass * STANDARD_GRAVITY
        what = f"what the springs carry of the {axle.position} axle, {suspended.force:.0f} N, over its sprung load, "
        what += f"{weight:.0f} N,"
        hint = "look at installed lengths and preloads; the vehicle will settle away from the design position"
        yield from out_of_range(what, suspended.force / weight, _SUPPORT, "", hint=hint)
        frequency = math.sqrt(max(suspended.rate, 0.0) / suspended.mass) / (2 * math.pi)
        what = (
            f"the ride frequency of the {axle.position} axle, {suspended.rate:.4g} N/m under {suspended.mass:.0f} kg,"
        )
        yield from out_of_range(what, frequency, _FREQUENCY, "Hz", hint="look at the spring rates")


@dataclass(frozen=True, slots=True)
class _Suspended:
    """Sprung mass [kg] on an axle, and force [N] and rate [N/m] of its springs at both wheels together."""

    mass: float
    force: float
    rate: float


def _suspended(vehicle: Vehicle, axle: AxleLayout, load: float) -> _Suspended | None:
    mechanism = axle_mechanism(vehicle, axle)
    own = set(mechanism.bodies)
    springs = [spring for spring in vehicle.springs if own & set(spring.bodies)]
    mass = load - sum((1 - b.sprung_fraction) * b.mass for b in vehicle.bodies if b.name in own)
    if mechanism.beams or not springs or not mass > 0:
        return None
    motion = _parallel_travel(vehicle, axle, mechanism.mobility())
    if motion is None:
        return None
    force = rate = 0.0
    for spring in springs:
        curve, at = spring.characteristic.curve, spring.design_compression
        line = np.subtract(*spring.ends) / spring.design_length
        first, second = (_velocity(motion, b, end) for b, end in zip(spring.bodies, spring.ends, strict=True))
        ratio = -float(line @ (first - second))  # compression over wheel travel
        force += ratio * float(np.interp(at, curve.x, curve.y))
        rate += ratio**2 * curve.slope(at)
    for bar in (bar for bar in vehicle.torsion_springs if own & set(bar.bodies)):
        first, second = (motion.get(body, np.zeros(6))[3:] for body in bar.bodies)
        ratio = float(np.dot(bar.axis, first - second))
        force += ratio * bar.preload
        rate += ratio**2 * bar.curve.slope(0.0)
    return _Suspended(mass, force, rate)


def _parallel_travel(vehicle: Vehicle, axle: AxleLayout, found: Mobility) -> dict[str, Array] | None:
    """Twists of the bodies when both wheel centres rise at unit speed without spin; None if they cannot."""
    twists = found.motions.reshape(found.freedoms, len(found.bodies), 6)
    index = {body: i for i, body in enumerate(found.bodies)}
    wheels = [vehicle.wheel(Corner.of(axle.position, side)) for side in Side]
    if any(wheel.body not in index for wheel in wheels) or not found.freedoms:
        return None
    heights = np.array([_at(twists[:, index[w.body]], w.centre)[:, 2] for w in wheels])
    amounts = np.linalg.lstsq(heights, np.ones(2), rcond=None)[0]
    if not np.allclose(heights @ amounts, 1.0, atol=1e-6):
        return None
    return dict(zip(found.bodies, np.einsum("a,abi->bi", amounts, twists), strict=True))


def _velocity(motion: dict[str, Array], body: str, point: tuple[float, float, float]) -> Array:
    return _at(motion.get(body, np.zeros(6)), point)


def _at(twist: Array, point: tuple[float, float, float]) -> Array:
    """Velocity of a point of a body."""
    return np.asarray(twist[..., :3] + np.cross(twist[..., 3:], point))

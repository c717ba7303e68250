"""Variants of a vehicle: the same one with softer or stiffer bushings."""

from __future__ import annotations

from dataclasses import replace

from trackrod.core.errors import RangeError
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["with_bushings"]


def with_bushings(vehicle: Vehicle, factor: float) -> Vehicle:
    """The vehicle with forces, torques and damping of all bushings of its suspensions times a factor.

    What a bushing carries at the design position stays. The torsion bar of the steering is no bushing, though it may be
    described as one.

    Raises
    ------
    RangeError
        The factor is not greater than zero.
    """
    if not factor > 0:
        raise RangeError(f"bushings cannot be {factor:g} times as stiff")
    if factor == 1.0:
        return vehicle
    pinion = _pinion(vehicle)
    scaled = (b if pinion in b.bodies else _scaled(b, factor) for b in vehicle.bushings)
    return replace(vehicle, bushings=tuple(scaled))


def _pinion(vehicle: Vehicle) -> str | None:
    """The body that the torsion bar of the steering turns."""
    rack = None if vehicle.steering is None else vehicle.steering.rack_joint
    joints = next((gear.joints for gear in vehicle.gears if rack in gear.joints), ())
    return next((joint.bodies[0] for joint in vehicle.joints if joint.name in joints and joint.name != rack), None)


def _scaled(bushing: Bushing, factor: float) -> Bushing:
    found = bushing.characteristic
    curves = tuple(replace(curve, y=factor * curve.y) for curve in found.curves)
    damping = tuple(factor * value for value in found.damping)
    return replace(bushing, characteristic=replace(found, curves=curves, damping=damping))

"""Variants of a vehicle: the same one with softer or stiffer bushings."""

from __future__ import annotations

from dataclasses import replace

from trackrod.core.errors import RangeError
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["with_bushings"]


def with_bushings(vehicle: Vehicle, factor: float) -> Vehicle:
    """The vehicle with forces, torques and damping of all bushings times a factor.

    What a bushing carries at the design position stays.

    Raises
    ------
    RangeError
        The factor is not greater than zero.
    """
    if not factor > 0:
        raise RangeError(f"bushings cannot be {factor:g} times as stiff")
    if factor == 1.0:
        return vehicle
    return replace(vehicle, bushings=tuple(_scaled(bushing, factor) for bushing in vehicle.bushings))


def _scaled(bushing: Bushing, factor: float) -> Bushing:
    found = bushing.characteristic
    curves = tuple(replace(curve, y=factor * curve.y) for curve in found.curves)
    damping = tuple(factor * value for value in found.damping)
    return replace(bushing, characteristic=replace(found, curves=curves, damping=damping))

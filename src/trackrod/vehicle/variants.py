"""Variants of a vehicle: the same one with other bushings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trackrod.core.errors import InputError, RangeError
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["with_bushings", "with_linear_bushings"]


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


def with_linear_bushings(vehicle: Vehicle, name: str, stiffness: float, damping: float) -> Vehicle:
    """The vehicle with one stiffness and one damping of some bushings along all three axes; turning stays as it is.

    Parameters
    ----------
    vehicle
        Where the bushings are.
    name
        Part of the names of the bushings, such as ``rear_suspension.subframe``.
    stiffness, damping
        Of each of them [N/m], [N·s/m].

    Raises
    ------
    InputError
        No bushing has such a name.
    """
    if not any(name in bushing.name for bushing in vehicle.bushings):
        raise InputError(f"no bushing of '{vehicle.name}' has '{name}' in its name")

    def changed(bushing: Bushing) -> Bushing:
        found = bushing.characteristic
        curves = (*(_straight(curve, stiffness) for curve in found.curves[:3]), *found.curves[3:])
        law = replace(found, curves=curves, damping=(*(damping,) * 3, *found.damping[3:]))
        return replace(bushing, characteristic=law)

    return replace(vehicle, bushings=tuple(changed(b) if name in b.name else b for b in vehicle.bushings))


def _straight(curve: Characteristic, slope: float) -> Characteristic:
    reach = float(np.abs(curve.x).max())
    return Characteristic.linear(slope, reach, curve.x_kind, curve.y_kind)


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

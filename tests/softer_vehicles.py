"""Vehicles with other bushings than their own."""

from __future__ import annotations

from dataclasses import replace

from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle


def softer(of: Vehicle, factor: float) -> Vehicle:
    """Bushings with so much of their stiffness and damping."""

    def changed(bushing: Bushing) -> Bushing:
        law = bushing.characteristic
        curves = tuple(replace(curve, y=factor * curve.y) for curve in law.curves)
        damping = tuple(factor * value for value in law.damping)
        return replace(bushing, characteristic=replace(law, curves=curves, damping=damping))

    return replace(of, bushings=tuple(map(changed, of.bushings)))

"""What is shown beside an element of a vehicle: its properties in words and in the units of drawings."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

import numpy as np

from trackrod.vehicle.characteristics import BUSHING_DIRECTIONS
from trackrod.vehicle.connectors import (
    Beam,
    Bushing,
    Connector,
    Damper,
    Friction,
    Spring,
    Stop,
    TorsionSpring,
    TravelForce,
)
from trackrod.vehicle.elements import Body, Joint, Vector

__all__ = ["body_details", "connector_details", "in_mm"]


@singledispatch
def _properties(connector: Connector) -> tuple[str, ...]:
    raise NotImplementedError(type(connector).__name__)


@_properties.register
def _(joint: Joint) -> tuple[str, ...]:
    return (f"{joint.type} joint, {joint.mode}",)


@_properties.register
def _(bushing: Bushing) -> tuple[str, ...]:
    rates = bushing.characteristic.stiffness
    forces = ", ".join(
        f"{name[1:]} {rate / 1e3:.4g}" for name, rate in zip(BUSHING_DIRECTIONS[:3], rates[:3], strict=True)
    )
    torques = ", ".join(f"{name[1:]} {rate:.4g}" for name, rate in zip(BUSHING_DIRECTIONS[3:], rates[3:], strict=True))
    return (f"bushing, {bushing.mode}", f"{forces} N/mm", f"{torques} N·m/rad")


@_properties.register
def _(spring: Spring) -> tuple[str, ...]:
    curve, compression = spring.characteristic.curve, spring.design_compression
    force = float(np.interp(compression, curve.x, curve.y))
    return (
        f"spring, {curve.slope(compression) / 1e3:.4g} N/mm and {force:.0f} N at the design position",
        f"installed length {spring.installed_length * 1e3:.1f} mm",
    )


@_properties.register
def _(damper: Damper) -> tuple[str, ...]:
    curve = damper.characteristic.curve
    bump, rebound = (float(np.interp(velocity, curve.x, curve.y)) for velocity in (-0.3, 0.3))
    return (f"damper, {bump:.0f} N in bump and {rebound:.0f} N in rebound at 0.3 m/s",)


@_properties.register
def _(friction: Friction) -> tuple[str, ...]:
    return (f"friction, {friction.force:.0f} N",)


@_properties.register
def _(stop: Stop) -> tuple[str, ...]:
    return (f"{'rebound' if stop.rebound else 'bump'} stop, clearance {stop.clearance * 1e3:.1f} mm",)


@_properties.register
def _(spring: TorsionSpring) -> tuple[str, ...]:
    return (f"torsion spring, {spring.curve.slope(0.0):.4g} N·m/rad",)


@_properties.register
def _(force: TravelForce) -> tuple[str, ...]:
    return (f"force over travel, up to {np.abs(force.curve.y).max():.0f} N",)


@_properties.register
def _(beam: Beam) -> tuple[str, ...]:
    return (f"beam, length {beam.length * 1e3:.1f} mm", f"E·I {beam.section.bending_y:.4g} N·m² about its y axis")


def connector_details(connector: Connector, points: Iterable[Vector]) -> tuple[str, ...]:
    """What it is, what it joins, and the points of V at which it does [m]."""
    places = " to ".join(in_mm(point) for point in points)
    return (*_properties(connector), " – ".join(connector.bodies), places)


def body_details(body: Body) -> tuple[str, ...]:
    """Mass and centre of mass."""
    return (f"{body.mass:.4g} kg", f"centre of mass {in_mm(body.centre)}")


def in_mm(point: Vector) -> str:
    """A point of V [m] in millimetres."""
    return "({:.1f}, {:.1f}, {:.1f}) mm".format(*(1e3 * value + 0.0 for value in point))

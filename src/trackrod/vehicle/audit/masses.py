"""Is the mass possible and plausible: total, centre, axle loads, inertia of every body."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.vehicle.audit.finding import Finding, error, mirrored, note, out_of_range, pairs, warning
from trackrod.vehicle.connectors import Bushing, Connector, TorsionSpring, TravelForce
from trackrod.vehicle.elements import Body, Joint, JointType, Vector
from trackrod.vehicle.mass import is_possible_inertia
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "axle_loads",
    "check_centre_of_mass",
    "check_inertia",
    "check_mass_asymmetry",
    "check_radius_of_gyration",
    "check_total_mass",
    "ground_height",
    "tyre_load",
]

_MASS = (300.0, 60000.0)  # [kg], from a small three-wheeler to a heavy truck
_HEIGHT_OVER_TRACK = (0.15, 0.8)  # [-]
_FRONT_SHARE = (0.25, 0.75)  # [-]
_LATERAL_OFFSET = 0.05  # of the track
_ROLL_OVER = 0.7  # [g]
_ROUNDING = 1e-3  # excess of a principal moment over the sum of the others that rounded numbers of a file can cause
_GYRATION = (1e-3, 3.0)  # [m]
_REACH = 3.0  # radius of gyration over the distance of the farthest attachment
_EXTENDED = 0.05  # [m], from which the farthest attachment says something about the size of a body
_POINT_MASS = 0.1  # [kg], below which a body may well be a point
_MASS_DIFFERENCE = 0.01  # of the mass
_CENTRE_DIFFERENCE = 1e-3  # [m]


def axle_loads(vehicle: Vehicle) -> dict[Axle, float] | None:
    """Masses that rest on the axles [kg]; None if the vehicle has no mass or its axles are not one behind the other."""
    if not (sum(body.mass for body in vehicle.bodies) > 0 and vehicle.wheelbase > 0):
        return None
    return {axle: vehicle.axle_load(axle) for axle in Axle}


def tyre_load(vehicle: Vehicle, corner: Corner) -> float | None:
    """Mass that rests on each tyre of a corner when the vehicle stands level, left and right alike [kg]."""
    loads = axle_loads(vehicle)
    tyres = len(vehicle.wheel(corner).tyres)
    return None if loads is None or not tyres else loads[corner.axle] / (2 * tyres)


def ground_height(vehicle: Vehicle, axle: Axle) -> float | None:
    """Height in V of the ground under an axle that carries its static load on its tyres [m]; None without load."""
    heights = []
    for corner in (corner for corner in Corner if corner.axle is axle):
        load = tyre_load(vehicle, corner)
        if load is None:
            return None
        wheel = vehicle.wheel(corner)
        tyre = vehicle.tyres[wheel.tyres[0].tyre].coefficients
        deflection = max(load, 0.0) * STANDARD_GRAVITY / tyre["VERTICAL_STIFFNESS"]
        heights.append(wheel.centre[2] - tyre["UNLOADED_RADIUS"] + deflection)
    return float(np.mean(heights))


def check_total_mass(vehicle: Vehicle) -> Iterator[Finding]:
    """Total mass in the range of road vehicles."""
    total = sum(body.mass for body in vehicle.bodies)
    if total <= 0:
        yield error(
            "the vehicle has no mass", hint="give the bodies masses; 300 to 60000 kg together are usual for a vehicle"
        )
        return
    yield from out_of_range("the total mass", total, _MASS, "kg", hint="look at the unit of mass in the files")


def check_centre_of_mass(vehicle: Vehicle) -> Iterator[Finding]:
    """Centre of mass between the axles, near the middle, above the ground and not too high."""
    loads = axle_loads(vehicle)
    if loads is None:
        return
    total = vehicle.mass_properties
    share = loads[Axle.FRONT] / total.mass
    hint = "look at the position of the heavy bodies"
    if not 0.0 < share < 1.0:
        says = f"the centre of mass lies outside the wheelbase: x = {total.centre[0]:.3f} m, the axles are at "
        front, rear = (vehicle.wheel(corner).centre[0] for corner in (Corner.FL, Corner.RL))
        yield error(f"{says}{front:.3f} and {rear:.3f} m; the vehicle would tip over", hint=hint)
    else:
        yield from out_of_range("the share of the mass on the front axle", share, _FRONT_SHARE, "", hint=hint)
    track = min(vehicle.track(axle) for axle in Axle)
    if not track > 0:
        return
    middle = np.mean([wheel.centre[1] for wheel in vehicle.wheels])
    offset = float(total.centre[1] - middle)
    if abs(offset) > _LATERAL_OFFSET * track:
        says = f"the centre of mass lies {abs(offset):.3f} m {'left' if offset > 0 else 'right'} of the middle"
        yield warning(
            f"{says}, up to {_LATERAL_OFFSET * track:.3f} m ({_LATERAL_OFFSET:.0%} of the track) is usual", hint=hint
        )
    yield from _centre_height(vehicle, float(total.centre[2]))


def _centre_height(vehicle: Vehicle, z: float) -> Iterator[Finding]:
    grounds = [ground for axle in Axle if (ground := ground_height(vehicle, axle)) is not None]
    if not grounds:
        return
    track = float(np.mean([vehicle.track(axle) for axle in Axle]))
    height = z - float(np.mean(grounds))
    hint = "look at the height of the heavy bodies and at the radii of the tyres"
    if height <= 0:
        yield error(f"the centre of mass lies {-height:.3f} m below the ground", hint=hint)
        return
    what = f"the height of the centre of mass, {height:.3f} m, over the track, {track:.3f} m,"
    yield from out_of_range(what, height / track, _HEIGHT_OVER_TRACK, "", hint=hint)
    threshold = track / (2 * height)
    if threshold < _ROLL_OVER:
        says = f"the static roll-over threshold, half the track over the height of the centre, is {threshold:.2f} g"
        yield note(f"{says}; below {_ROLL_OVER:g} g the vehicle tips over before most tyres slide", hint=hint)


def check_inertia(vehicle: Vehicle) -> Iterator[Finding]:
    """Inertia tensors that some distribution of mass has."""
    for body in vehicle.bodies:
        inertia = np.array(body.inertia)
        if is_possible_inertia(inertia):
            continue
        moments = np.linalg.eigvalsh(inertia)
        excess = float(max(-moments[0], moments[2] - moments[0] - moments[1]) / np.abs(moments).max())
        listed = ", ".join(f"{moment:.4g}" for moment in moments)
        says = f"principal moments of inertia {listed} kg·m²: none may be negative or exceed the sum of the other two"
        hint = "look at the signs of the products of inertia and at the units"
        if excess > _ROUNDING:
            yield error(says, body.name, what="body", hint=hint)
        else:
            yield note(f"{says}; the excess of {excess:.1e} looks like rounding", body.name, what="body")


def check_radius_of_gyration(vehicle: Vehicle) -> Iterator[Finding]:
    """Inertia that fits the mass and the size of each body."""
    points: dict[str, list[Vector]] = {}
    fixed: set[str] = set()
    for connector in vehicle.connectors():
        is_fixed = isinstance(connector, Joint) and connector.type is JointType.FIXED
        for index, name in enumerate(connector.bodies):
            points.setdefault(name, []).append(_attachment(connector, index))
        if is_fixed:
            fixed.add(connector.bodies[0])
    for body in vehicle.bodies:
        yield from _gyration(vehicle, body, points.get(body.name, []), is_fixed=body.name in fixed)


def _attachment(connector: Connector, index: int) -> Vector:
    if isinstance(connector, Joint | Bushing | TorsionSpring | TravelForce):
        return connector.position
    return connector.ends[index]


def _gyration(vehicle: Vehicle, body: Body, points: list[Vector], *, is_fixed: bool) -> Iterator[Finding]:
    largest = float(np.linalg.eigvalsh(np.array(body.inertia))[-1])
    if body.mass <= 0:
        if largest > 0:
            yield warning(
                f"no mass, yet a moment of inertia of {largest:.4g} kg·m²",
                body.name,
                what="body",
                hint="give it a mass",
            )
        return
    radius = math.sqrt(max(largest, 0.0) / body.mass)
    low, high = _GYRATION
    high = max(high, vehicle.wheelbase) if body.name in vehicle.sprung_bodies else high
    says = f"radius of gyration {radius:.4g} m at a mass of {body.mass:.4g} kg, {low:g} to {high:g} m is usual"
    hint = "look at the unit of the moments of inertia"
    if radius > high:
        yield warning(says, body.name, what="body", hint=hint)
    elif radius < low and body.mass > _POINT_MASS:
        yield (
            note(f"{says}; it is fixed to another body", body.name, what="body")
            if is_fixed
            else warning(says, body.name, what="body", hint=hint)
        )
    reach = max((math.dist(point, body.centre) for point in points), default=0.0)
    if reach > _EXTENDED and _REACH * reach < radius <= high:
        says = f"radius of gyration {radius:.4g} m, yet no attachment lies farther than {reach:.4g} m from its centre"
        yield warning(f"{says}; up to {_REACH:g} times that is usual", body.name, what="body", hint=hint)


def check_mass_asymmetry(vehicle: Vehicle) -> Iterator[Finding]:
    """Masses and centres of left and right bodies alike."""
    for left, right in pairs(vehicle.bodies):
        names = (left.name, right.name)
        hint = "is one side meant to be different?"
        if abs(left.mass - right.mass) > _MASS_DIFFERENCE * max(left.mass, right.mass):
            says = (
                f"masses {left.mass:.4g} and {right.mass:.4g} kg, up to {_MASS_DIFFERENCE:.0%} of difference is usual"
            )
            yield warning(says, *names, what="body", hint=hint)
        distance = math.dist(left.centre, mirrored(right.centre))
        if distance > _CENTRE_DIFFERENCE:
            says = f"the centres of mass are {1e3 * distance:.3g} mm from being mirror images"
            yield note(f"{says}, up to {1e3 * _CENTRE_DIFFERENCE:g} mm is usual", *names, what="body", hint=hint)

"""Is the geometry plausible: wheelbase, track, ground, hardpoints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from trackrod.core.corners import Axle, Side
from trackrod.vehicle.audit.finding import Finding, error, mirrored, note, out_of_range, warning
from trackrod.vehicle.audit.masses import ground_height
from trackrod.vehicle.elements import JointType, Mode, Vector
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = [
    "check_coincident_hardpoints",
    "check_ground",
    "check_hardpoint_asymmetry",
    "check_shared_hardpoints",
    "check_wheel_positions",
]

_WHEELBASE = (1.0, 10.0)  # [m]
_TRACK = (0.7, 2.6)  # [m]
_TRACK_RATIO = (0.7, 1.4)  # [-]
_GROUND = 0.02  # [m], more than loaded and unloaded cars differ in attitude
_SAME_POINT = 1e-4  # [m], below what files and parts resolve
_ASYMMETRY = 1e-3  # [m], above rounding
#: Joints that let both ends of a rod turn: two of them at one point leave a rod of no length.
_ROD_ENDS = (JointType.SPHERICAL, JointType.HOOKE, JointType.CONVEL)


def check_wheel_positions(vehicle: Vehicle) -> Iterator[Finding]:
    """Wheelbase and tracks in the range of road vehicles, left and right wheels opposite each other."""
    base = vehicle.wheelbase
    if base <= 0:
        says = f"the front axle is not ahead of the rear axle: the wheelbase is {base:.3f} m"
        yield error(says, hint="look at the roles of the suspensions; x points forward")
        return
    hint = "look at the wheel centres and at the unit of length"
    yield from out_of_range("the wheelbase", base, _WHEELBASE, "m", hint=hint)
    tracks = {axle: vehicle.track(axle) for axle in Axle}
    for axle, track in tracks.items():
        if track <= 0:
            says = f"the left {axle} wheel is not left of the right one: the track is {track:.3f} m"
            yield error(says, hint="y points to the left")
            return
        yield from out_of_range(f"the {axle} track", track, _TRACK, "m", hint=hint)
    ratio = tracks[Axle.FRONT] / tracks[Axle.REAR]
    yield from out_of_range("the front track over the rear track", ratio, _TRACK_RATIO, "", hint=hint)


def check_ground(vehicle: Vehicle) -> Iterator[Finding]:
    """One ground under both axles: wheel centres and tyre radii fit together."""
    front, rear = (ground_height(vehicle, axle) for axle in Axle)
    if front is None or rear is None or abs(front - rear) <= _GROUND:
        return
    radii = [
        f"{axle}: wheel centre at {1e3 * wheel.centre[2]:.0f} mm, free radius of the tyre "
        f"{1e3 * vehicle.tyres[wheel.tyres[0].tyre].coefficients['UNLOADED_RADIUS']:.0f} mm"
        for axle, wheel in ((Axle.FRONT, vehicle.wheels[0]), (Axle.REAR, vehicle.wheels[2]))
    ]
    says = f"the tyres of the axles, loaded, stand on grounds {1e3 * abs(front - rear):.0f} mm apart in height, up to "
    says += f"{1e3 * _GROUND:g} mm is usual ({'; '.join(radii)})"
    yield warning(says, hint="do the tyres belong to this vehicle? it will settle pitched")


def check_coincident_hardpoints(vehicle: Vehicle) -> Iterator[Finding]:
    """Hardpoints of one subsystem at one place, and rods of no length because of it; both sides are said once."""
    by_subsystem: dict[str, list[tuple[str, Vector]]] = {}
    for name, point in vehicle.hardpoints.items():
        by_subsystem.setdefault(subsystem_of(name), []).append((name, point))
    for points in by_subsystem.values():
        for (first, a), (second, b) in combinations(points, 2):
            if math.dist(a, b) >= _SAME_POINT or _left_ones_coincide(vehicle, first, second):
                continue
            says = f"both hardpoints are at ({', '.join(f'{1e3 * value:.1f}' for value in a)}) mm"
            rods = _rods_without_length(vehicle, a)
            if rods:
                says += f", so that {', '.join(rods)} has no length and can turn freely"
                yield warning(says, first, second, what="hardpoint", hint="was one of them left at a default position?")
            else:
                yield note(says, first, second, what="hardpoint", hint="fine if two parts meet there")


def _left_ones_coincide(vehicle: Vehicle, first: str, second: str) -> bool:
    """Whether two points are right ones, and the left ones have been found already."""
    if not (first.endswith(f"_{Side.RIGHT}") and second.endswith(f"_{Side.RIGHT}")):
        return False
    a, b = (vehicle.hardpoints.get(f"{n.removesuffix(Side.RIGHT)}{Side.LEFT}") for n in (first, second))
    return a is not None and b is not None and math.dist(a, b) < _SAME_POINT


def _rods_without_length(vehicle: Vehicle, point: Vector) -> list[str]:
    """Bodies that two joints hold at the same point."""
    others: dict[str, set[str]] = {}
    for joint in vehicle.joints:
        if (
            joint.type in _ROD_ENDS
            and joint.mode.acts_in(Mode.KINEMATIC)
            and math.dist(joint.position, point) < _SAME_POINT
        ):
            first, second = joint.bodies
            others.setdefault(first, set()).add(second)
            others.setdefault(second, set()).add(first)
    return sorted(body for body, found in others.items() if len(found) > 1 and body not in vehicle.sprung_bodies)


def check_hardpoint_asymmetry(vehicle: Vehicle) -> Iterator[Finding]:
    """Left and right hardpoints mirror images of each other."""
    suspensions = {axle.subsystem for axle in vehicle.axles}
    for name, point in vehicle.hardpoints.items():
        if not name.endswith(f"_{Side.LEFT}"):
            continue
        other = f"{name.removesuffix(Side.LEFT)}{Side.RIGHT}"
        if other not in vehicle.hardpoints:
            continue
        distance = math.dist(point, mirrored(vehicle.hardpoints[other]))
        if distance <= _SAME_POINT:
            continue
        says = f"{1e3 * distance:.3g} mm from being mirror images, up to {1e3 * _SAME_POINT:g} mm is usual"
        make = warning if distance > _ASYMMETRY and subsystem_of(name) in suspensions else note
        yield make(says, name, other, what="hardpoint", hint="is one side meant to be different?")


def check_shared_hardpoints(vehicle: Vehicle) -> Iterator[Finding]:
    """Hardpoints that the steering and the front (or only) suspension both have, at one place."""
    if vehicle.steering is None:
        return
    steering = subsystem_of(vehicle.steering.rack_joint)
    suspension = vehicle.axles[0].subsystem
    for name, point in vehicle.hardpoints.items():
        other = f"{suspension}.{name.removeprefix(f'{steering}.')}"
        if subsystem_of(name) != steering or other not in vehicle.hardpoints:
            continue
        distance = math.dist(point, vehicle.hardpoints[other])
        if distance > _SAME_POINT:
            says = f"{1e3 * distance:.4g} mm apart, though steering and suspension mean the same point"
            yield warning(
                says,
                name,
                other,
                what="hardpoint",
                hint="move one of them; the joint is where its own subsystem has it",
            )

"""Does the mechanism move as it should, and does everything that moves have mass.

An axle is judged with ideal joints, rigid beams, its frame held and its steering held: travel and spin of each wheel
must be left, unless its layout says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.vehicle.audit.finding import Finding, error, note, warning
from trackrod.vehicle.connectors import Beam, Gear
from trackrod.vehicle.elements import GROUND, Body, Joint, JointType, Mode, Vector
from trackrod.vehicle.mobility import Mobility, mobility
from trackrod.vehicle.systems import AxleLayout
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["AxleMechanism", "axle_mechanism", "check_axle_freedoms", "check_massless_motion", "check_vehicle_freedoms"]

Array = NDArray[np.float64]
_Rigid = TypeVar("_Rigid", Joint, Beam)

_RIGID_BODY = 6
_NO_MASS = 1e-9  # [kg], of a motion scaled to unit length; rounding of a ten-tonne vehicle is far below
_TAKES_PART = 1e-3  # of the largest motion


@dataclass(frozen=True, slots=True)
class AxleMechanism:
    """An axle with ideal joints; the chassis and the steering are ground.

    Attributes
    ----------
    bodies
        Those of its subsystem and what hangs on them.
    wheels
        Bodies of its wheels.
    """

    bodies: tuple[str, ...]
    joints: tuple[Joint, ...]
    beams: tuple[Beam, ...]
    gears: tuple[Gear, ...]
    wheels: tuple[str, ...]

    def mobility(self) -> Mobility:
        """Its freedoms."""
        return mobility(self.bodies, self.joints, self.beams, self.gears)

    def idle(self, found: Mobility) -> int:
        """How many of its freedoms are rotations of struts and rods about themselves."""
        return found.idle((*self.joints, *self.beams), self.wheels)


def axle_mechanism(vehicle: Vehicle, axle: AxleLayout) -> AxleMechanism:
    """The mechanism of an axle in kinematic mode."""
    steering = subsystem_of(vehicle.steering.rack_joint) if vehicle.steering is not None else None
    held = {GROUND, *vehicle.sprung_bodies} | {
        body.name for body in vehicle.bodies if subsystem_of(body.name) == steering
    }
    joints = [
        joint for joint in vehicle.joints if joint.mode.acts_in(Mode.KINEMATIC) and subsystem_of(joint.name) != steering
    ]
    links = [joint.bodies for joint in joints] + [beam.bodies for beam in vehicle.beams]
    reached = {body.name for body in vehicle.bodies if subsystem_of(body.name) == axle.subsystem} - held
    front = set(reached)
    while front:
        front = {b for pair in links if front & set(pair) for b in pair} - held - reached
        reached |= front
    own_joints = tuple(_grounded(joint, held) for joint in joints if reached & set(joint.bodies))
    return AxleMechanism(
        bodies=tuple(body.name for body in vehicle.bodies if body.name in reached),
        joints=own_joints,
        beams=tuple(_grounded(beam, held) for beam in vehicle.beams if reached & set(beam.bodies)),
        gears=_gears_on(vehicle, own_joints),
        wheels=tuple(wheel.body for wheel in vehicle.wheels),
    )


def _grounded(connector: _Rigid, held: set[str]) -> _Rigid:
    first, second = (GROUND if body in held else body for body in connector.bodies)
    return replace(connector, bodies=(first, second))


def _gears_on(vehicle: Vehicle, joints: Iterable[Joint]) -> tuple[Gear, ...]:
    """Gears whose joints are all there."""
    names = {joint.name for joint in joints}
    return tuple(gear for gear in vehicle.gears if names.issuperset(gear.joints))


def check_axle_freedoms(vehicle: Vehicle) -> Iterator[Finding]:
    """Each axle leaves the freedoms free that its layout says."""
    for axle in vehicle.axles:
        mechanism = axle_mechanism(vehicle, axle)
        found = mechanism.mobility()
        what = f"the {axle.position} axle '{axle.subsystem}' with ideal joints"
        what += " and rigid beams" if mechanism.beams else ""
        idle = mechanism.idle(found) if found.freedoms > axle.freedoms else 0
        if idle and found.freedoms - idle == axle.freedoms:
            says = f"{what} has {found.freedoms} freedoms, of which {idle} are bodies that turn about themselves"
            yield note(says, hint="usual for struts on rod ends; the models hold these rotations weakly")
        elif found.freedoms != axle.freedoms:
            says = f"{what} has {found.freedoms} freedoms, {axle.freedoms} are needed; "
            if found.freedoms > axle.freedoms:
                says += f"these bodies can move: {', '.join(found.moving())}"
                hint = "a joint of kinematic mode is missing, or hardpoints coincide"
            else:
                says += f"{found.redundant} constraints are redundant"
                hint = "a joint of kinematic mode takes away too much, or axes that should be parallel are not"
            yield error(says, hint=hint)
        elif found.redundant:
            hint = "harmless for the motion; the forces in the joints are not unique"
            yield note(f"{what} has {found.redundant} redundant constraints", hint=hint)


def check_vehicle_freedoms(vehicle: Vehicle) -> Iterator[Finding]:
    """Freedoms of the whole vehicle with ideal joints: the body, the axles and the steering."""
    steering = 0 if vehicle.steering is None else 1 if vehicle.steering.torsion_bar is None else 2
    axles = sum(axle.freedoms for axle in vehicle.axles)
    joints = [joint for joint in vehicle.joints if joint.mode.acts_in(Mode.KINEMATIC)]
    found = _whole(vehicle, _rigid_groups(vehicle, joints), joints, vehicle.beams)
    frame = len(vehicle.sprung_bodies) - 1
    wanted = _RIGID_BODY + axles + steering + frame
    says = f"the vehicle with ideal joints has {found.freedoms} freedoms"
    parts = f"{wanted} = {_RIGID_BODY} of the body + {axles} of the axles + {steering} of the steering"
    parts += " + 1 of the frame" if frame else ""
    idle = 0
    if found.freedoms > wanted:
        mechanisms = [axle_mechanism(vehicle, axle) for axle in vehicle.axles]
        idle = sum(mechanism.idle(mechanism.mobility()) for mechanism in mechanisms)
    if found.freedoms - idle == wanted:
        yield note(f"{says}: {parts}" + (f", and {idle} bodies that turn about themselves" if idle else ""))
    else:
        yield warning(f"{says}, {parts} are usual", hint="look at the axles, and at what is not fixed to anything")


def check_massless_motion(vehicle: Vehicle) -> Iterator[Finding]:
    """No motion without inertia in the modes that the vehicle has now: its acceleration would not be defined."""
    joints = vehicle.acting(vehicle.joints)
    groups = _rigid_groups(vehicle, joints)
    found = _whole(vehicle, groups, joints, ())
    if not found.freedoms:
        return
    motions = found.motions / np.linalg.norm(found.motions, axis=1, keepdims=True)
    twists = motions.reshape(found.freedoms, -1, 6)
    masses = dict.fromkeys(found.bodies, np.zeros((6, 6)))
    for body in vehicle.bodies:
        if groups[body.name] != GROUND:
            masses[groups[body.name]] = masses[groups[body.name]] + _mass_matrix(body)
    energy = np.einsum("abi,bij,cbj->ac", twists, np.array(list(masses.values())), twists, optimize=True)
    values, vectors = np.linalg.eigh(energy)
    without = vectors[:, values < _NO_MASS].T
    if not len(without):
        return
    speed = np.abs((without @ motions).reshape(len(without), -1, 6)).max(axis=(0, 2))
    moving = [name for name, value in zip(found.bodies, speed, strict=True) if value > _TAKES_PART * speed.max()]
    says = f"{len(without)} {'motions have' if len(without) > 1 else 'motion has'} no inertia, so that "
    says += "the acceleration is not defined"
    yield error(says, *moving, what="body", hint="give these bodies mass and inertia, or fix them to others")


def _rigid_groups(vehicle: Vehicle, joints: Iterable[Joint]) -> dict[str, str]:
    """For each body one that stands for all bodies fixed to it; fewer bodies make the rank much cheaper."""
    group = {body.name: body.name for body in vehicle.bodies} | {GROUND: GROUND}

    def find(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for joint in joints:
        if joint.type is JointType.FIXED:
            first, second = (find(body) for body in joint.bodies)
            first, second = (second, first) if first == GROUND else (first, second)
            group[first] = second
    return {name: find(name) for name in group}


def _whole(vehicle: Vehicle, groups: Mapping[str, str], joints: Iterable[Joint], beams: Iterable[Beam]) -> Mobility:
    """Freedoms of the vehicle, bodies that are fixed to each other taken as one."""
    bodies = [name for name, stands_for in groups.items() if name == stands_for]
    moving = list(_between_groups(joints, groups))
    return mobility(bodies, moving, list(_between_groups(beams, groups)), _gears_on(vehicle, moving))


def _between_groups(connectors: Iterable[_Rigid], groups: Mapping[str, str]) -> Iterator[_Rigid]:
    for connector in connectors:
        first, second = (groups[body] for body in connector.bodies)
        if first != second:
            yield replace(connector, bodies=(first, second))


def _mass_matrix(body: Body) -> Array:
    """Mass matrix over the velocity of the origin of V and the angular velocity."""
    cross = _cross(body.centre)
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = body.mass * np.eye(3)
    matrix[:3, 3:] = -body.mass * cross
    matrix[3:, :3] = body.mass * cross
    matrix[3:, 3:] = np.array(body.inertia) - body.mass * cross @ cross
    return matrix


def _cross(p: Vector) -> Array:
    x, y, z = p
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])

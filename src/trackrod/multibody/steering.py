"""What lies between steering wheel and rack, as parts of a mechanism."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from trackrod.core.errors import InputError
from trackrod.vehicle.connectors import Gear
from trackrod.vehicle.elements import GROUND, Joint, JointType
from trackrod.vehicle.mobility import mobility
from trackrod.vehicle.placed import Law, follows, unit
from trackrod.vehicle.systems import Steering
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["SteeringColumn", "SteeringModel", "column_bodies", "usual_steering"]


class SteeringModel(StrEnum):
    """What lies between steering wheel and rack.

    ``ratio``: nothing; the rack follows the steering wheel by its ratio, and the column moves with the sprung body.
    ``mechanism``: column, universal joints, torsion bar, pinion, gear and assistance as the vehicle has them.
    """

    RATIO = "ratio"
    MECHANISM = "mechanism"


def usual_steering(vehicle: Vehicle) -> SteeringModel:
    """The mechanism where the vehicle has a torsion bar and a gear, the ratio where it has not."""
    steering = vehicle.steering
    if steering is None or steering.torsion_bar is None:
        return SteeringModel.RATIO
    geared = any(steering.rack_joint in gear.joints for gear in vehicle.gears)
    return SteeringModel.MECHANISM if geared else SteeringModel.RATIO


def _joint(vehicle: Vehicle, name: str) -> Joint:
    return next(joint for joint in vehicle.joints if joint.name == name)


def column_bodies(vehicle: Vehicle) -> list[str]:
    """Bodies of the steering between the steering wheel and the rack."""
    steering = vehicle.steering
    if steering is None:
        return []
    rack = _joint(vehicle, steering.rack_joint)
    subsystem = subsystem_of(steering.rack_joint)
    names = [body.name for body in vehicle.bodies if subsystem_of(body.name) == subsystem]
    return [name for name in names if name not in rack.bodies]


@dataclass(frozen=True, slots=True)
class SteeringColumn:
    """The parts of a steering that is a mechanism.

    Attributes
    ----------
    wheel, rack
        Joints of the steering wheel and of the rack.
    gear, geared
        The gear to the rack and its two joints.
    twist
        The twist of the torsion bar as if it were a joint: steering shaft against pinion, about the axis of the pinion;
        None if there is no bar.
    assist
        Force on the rack, along its joint [N], over the twist [rad]; None if there is none.
    joints
        All joints of the vehicle that act, with a spline where the column would be too long or too short without one.
    """

    wheel: Joint
    rack: Joint
    gear: Gear
    geared: tuple[Joint, Joint]
    twist: Joint | None
    assist: tuple[list[float], list[float]] | None
    joints: tuple[Joint, ...]

    @classmethod
    def of(cls, vehicle: Vehicle, steering: Steering) -> SteeringColumn:
        """The parts of a vehicle's steering.

        Raises
        ------
        InputError
            No gear moves the rack, or there is assistance and no torsion bar that controls it.
        """
        rack, wheel = (_joint(vehicle, name) for name in (steering.rack_joint, steering.wheel_joint))
        gear = next((gear for gear in vehicle.gears if rack.name in gear.joints), None)
        if gear is None:
            raise InputError(f"the steering of '{vehicle.name}' has no gear at '{rack.name}'; drive it by its ratio")
        first, second = (_joint(vehicle, name) for name in gear.joints)
        pinion = second if first is rack else first
        bar = next((b for b in vehicle.acting(vehicle.bushings) if pinion.bodies[0] in b.bodies), None)
        twist = assist = None
        if bar is not None:
            shaft = next(body for body in bar.bodies if body != pinion.bodies[0])
            twist = replace(pinion, name=bar.name, bodies=(shaft, pinion.bodies[0]))
        if steering.assist is not None:
            if bar is None:
                raise InputError(f"the steering of '{vehicle.name}' has assistance and no torsion bar to control it")
            pressure, area = steering.assist.pressure, float(np.copysign(steering.assist.piston_area, steering.ratio))
            assist = pressure.x.tolist(), (pressure.y * area).tolist()
        joints = _with_spline(tuple(vehicle.acting(vehicle.joints)), column_bodies(vehicle))
        return cls(wheel, rack, gear, (first, second), twist, assist, joints)


def _with_spline(joints: tuple[Joint, ...], column: list[str]) -> tuple[Joint, ...]:
    """Joints of which one lets a shaft of the column slide, if they hold it more than once.

    A shaft of fixed length between two universal joints would pin the rack housing to the sprung body; real ones have a
    spline. Where the column slides elsewhere, nothing is changed.
    """
    held = [joint for joint in joints if set(column).intersection(joint.bodies)]
    fixed = [replace(j, bodies=_grounded(j.bodies, column)) for j in held]
    if not mobility(column, [j for j in fixed if j.bodies != (GROUND, GROUND)]).redundant:
        return joints
    universal = [joint for joint in held if joint.type is JointType.HOOKE]
    for shaft in column:
        ends = [joint for joint in universal if shaft in joint.bodies]
        if len(ends) != 2:
            continue
        sliding, other = ends
        way = np.array(other.position) - np.array(sliding.position)
        axis = follows(unit(*way.tolist()), Law.DIRECTION, sliding.position, other.position)
        beyond = next(body for body in sliding.bodies if body != shaft)
        spline = Joint(f"{sliding.name}_spline", JointType.INLINE, (beyond, shaft), sliding.position, axis)
        cross = replace(sliding, type=JointType.PERPENDICULAR)
        return tuple(part for joint in joints for part in ((cross, spline) if joint is sliding else (joint,)))
    return joints


def _grounded(bodies: tuple[str, str], moving: list[str]) -> tuple[str, str]:
    first, second = (body if body in moving else GROUND for body in bodies)
    return first, second

"""The elastic steering of the real-time model from the description of a vehicle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.core.errors import InputError, Problem
from trackrod.rtm.spec import AssistMap, Curve, SteeringSpec
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.elements import Body, Joint, JointType
from trackrod.vehicle.systems import Steering
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["column_angle", "elastic_steering"]

Array = NDArray[np.float64]

#: Joints that hand on the rotation of a shaft to a shaft at an angle.
_SHAFT_JOINTS = (JointType.HOOKE, JointType.CONVEL)
#: Direction of the torsion bar's own axis among those of its bushing.
_TORSION = 5
#: Knots of the column: angle of the steering wheel from one to the next [rad].
_COLUMN_STEP = np.radians(10.0)


def elastic_steering(vehicle: Vehicle) -> SteeringSpec:
    """Steering wheel, torsion bar, pinion, rack and assistance of a vehicle.

    The description knows no friction and no damping but that of the bar: both are zero.

    Raises
    ------
    InputError
        The vehicle has no torsion bar, or its numbers make no steering.
    """
    steering = vehicle.steering
    if steering is None or steering.torsion_bar is None:
        raise InputError(f"'{vehicle.name}' has no torsion bar for an elastic steering")
    wheel, rack = (_joint(vehicle, name) for name in (steering.wheel_joint, steering.rack_joint))
    gear = next((gear for gear in vehicle.gears if rack.name in gear.joints), None)
    if gear is None:
        raise InputError(f"the steering of '{vehicle.name}' has no gear at '{rack.name}' for an elastic steering")
    pinion = _joint(vehicle, next(name for name in gear.joints if name != rack.name))
    element = next((b for b in vehicle.acting(vehicle.bushings) if pinion.bodies[0] in b.bodies), None)
    bar = steering.torsion_bar if element is None else element.characteristic.curves[_TORSION]
    try:
        made = SteeringSpec(
            torsion_bar=Curve(bar.x, bar.y),
            column=_column(vehicle, steering),
            wheel_inertia=sum(_inertia(body, axis) for body, axis in _shafts(vehicle, wheel)),
            pinion_inertia=_inertia(vehicle.body(pinion.bodies[0]), np.array(pinion.axis)),
            rack_mass=vehicle.body(rack.bodies[0]).mass,
            torsion_bar_damping=0.0 if element is None else element.characteristic.damping[_TORSION],
            rack_damping=0.0,
        )
        return replace(made, assist=_assist(steering, bar))
    except InputError as error:
        where = f"'{vehicle.name}', steering" if element is None else f"'{vehicle.name}', torsion bar '{element.name}'"
        raise InputError([Problem(f"{where}: {problem.text}") for problem in error.problems]) from error


def column_angle(vehicle: Vehicle, angles: Array) -> Array:
    """Angle of the shaft at the torsion bar over that of the steering wheel [rad], by the crosses of universal joints.

    Parameters
    ----------
    angles
        Of the steering wheel [rad], increasing, with zero among them.

    Holds: constant-velocity joints hand on the angle as it is.
    """
    steering = vehicle.steering
    if steering is None:
        return angles
    wheel = _joint(vehicle, steering.wheel_joint)
    joints = _shaft_joints(vehicle, wheel.bodies[0])
    turned, about = angles, np.array(wheel.axis)
    for i, (joint, driving_first) in enumerate(joints):
        if i + 1 < len(joints):
            way = np.array(joint.position) - np.array(joints[i + 1][0].position)
        else:
            driven = joint.bodies[1 if driving_first else 0]
            own = next((j for j in vehicle.joints if j.bodies[0] == driven and j.type is JointType.REVOLUTE), None)
            way = about if own is None else np.array(own.axis)
        axis = way / np.linalg.norm(way)
        axis = axis if axis @ about > 0 else -axis
        if joint.type is JointType.HOOKE:
            arms = [np.array(joint.axis), np.array(joint.second_axis)]
            arm, other = arms if driving_first else arms[::-1]
            turned = _through_cross(turned, arm, about, other, axis, int(np.abs(angles).argmin()))
        about = axis
    return turned


def _through_cross(angles: Array, arm: Array, about: Array, other: Array, axis: Array, middle: int) -> Array:
    """Angle of a shaft on `axis` that a cross with the arms `arm`, on the driving shaft, and `other` turns.

    The arms stay normal to each other: other(φ) · arm(θ) = 0.
    """
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    moved = c * arm + s * np.cross(about, arm)
    found = np.unwrap(np.arctan2(-(moved @ other), moved @ np.cross(axis, other)), period=np.pi)
    return np.asarray(found - found[middle])


def _column(vehicle: Vehicle, steering: Steering) -> Curve:
    count = int(np.ceil(1.2 * steering.largest_angle / _COLUMN_STEP))
    angles = _COLUMN_STEP * np.arange(-count, count + 1)
    shaft = column_angle(vehicle, angles)
    return Curve() if np.allclose(shaft, angles, atol=1e-9) else Curve(angles, shaft)


def _assist(steering: Steering, bar: Characteristic) -> AssistMap | None:
    if steering.assist is None:
        return None
    pressure = steering.assist.pressure
    torque = PchipInterpolator(bar.x, bar.y, extrapolate=True)(pressure.x)
    return AssistMap(torque, np.zeros(1), (pressure.y * steering.assist.piston_area)[:, None])


def _joint(vehicle: Vehicle, name: str) -> Joint:
    return next(joint for joint in vehicle.joints if joint.name == name)


def _shaft_joints(vehicle: Vehicle, start: str) -> list[tuple[Joint, bool]]:
    """Joints from shaft to shaft, beginning at a body, and whether their first body is the driving one."""
    found: list[tuple[Joint, bool]] = []
    here, seen = start, {start}
    while True:
        step = next(
            (
                (joint, joint.bodies[0] == here)
                for joint in vehicle.joints
                if here in joint.bodies
                and joint.type in (*_SHAFT_JOINTS, JointType.FIXED)
                and not seen.issuperset(joint.bodies)
                and vehicle.chassis not in joint.bodies
            ),
            None,
        )
        if step is None:
            return found
        joint, first = step
        here = joint.bodies[1 if first else 0]
        seen.add(here)
        if joint.type in _SHAFT_JOINTS:
            found.append(step)


def _shafts(vehicle: Vehicle, wheel: Joint) -> list[tuple[Body, Array]]:
    """Bodies that turn with the steering wheel, and the axes that they turn about."""
    joints = _shaft_joints(vehicle, wheel.bodies[0])
    fixed = {wheel.bodies[0]}
    for joint in vehicle.joints:
        if joint.type is JointType.FIXED and fixed.intersection(joint.bodies) and vehicle.chassis not in joint.bodies:
            fixed.update(joint.bodies)
    found = [(vehicle.body(name), np.array(wheel.axis)) for name in sorted(fixed)]
    for i, (joint, first) in enumerate(joints):
        name = joint.bodies[1 if first else 0]
        own = next((j for j in vehicle.joints if j.bodies[0] == name and j.type is JointType.REVOLUTE), None)
        if own is not None:
            axis = np.array(own.axis)
        elif i + 1 < len(joints):
            axis = np.array(joints[i + 1][0].position) - np.array(joint.position)
        else:
            continue
        found.append((vehicle.body(name), axis / np.linalg.norm(axis)))
    return found


def _inertia(body: Body, axis: Array) -> float:
    return float(axis @ np.array(body.inertia) @ axis)

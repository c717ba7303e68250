"""Poses of bodies over time as what an engineer reads: positions, angles, wheel travel, steer, camber."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner
from trackrod.multibody.compile import CompiledModel
from trackrod.vehicle.elements import Joint

__all__ = ["BodyAngles", "body_angles", "joint_angles", "joint_travel", "rotation_matrices", "wheel_positions"]

Array = NDArray[np.float64]


def rotation_matrices(quaternions: Array) -> Array:
    """Rotation matrices of quaternions w, x, y, z, shape (…, 4) to (…, 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array([[*row] for row in rows]), (0, 1), (-2, -1))


class BodyAngles:
    """Yaw, pitch and roll of a body in the order of ISO 8855 (about z, y, x) [rad]; yaw without jumps."""

    def __init__(self, R: Array) -> None:
        self.yaw: Array = np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
        self.pitch: Array = np.arcsin(np.clip(-R[:, 2, 0], -1.0, 1.0))
        self.roll: Array = np.arctan2(R[:, 2, 1], R[:, 2, 2])

    def heading(self, vectors: Array) -> Array:
        """Vectors of E in the horizontal frame that turns with the yaw angle, shape (n, 3)."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x, y, z = vectors.T
        return np.column_stack((c * x + s * y, c * y - s * x, z))


def body_angles(model: CompiledModel, poses: Array) -> BodyAngles:
    """Angles of the sprung body, from poses of shape (n, bodies, 7)."""
    return BodyAngles(rotation_matrices(poses[:, model.index[model.vehicle.chassis], 3:]))


def wheel_positions(model: CompiledModel, poses: Array, corner: Corner) -> tuple[Array, Array, Array]:
    """Travel [m], steer angle [rad] and camber [rad] of a wheel against the sprung body.

    Travel is along z of V, positive in bump; steer about z of V, positive to the left; camber positive top outward.
    """
    vehicle = model.vehicle
    wheel = vehicle.wheel(corner)
    body, chassis = model.index[wheel.body], model.index[vehicle.chassis]
    R_body, R_chassis = (rotation_matrices(poses[:, index, 3:]) for index in (body, chassis))
    arm = np.array(wheel.centre) - model.centres[body]
    centre_E = poses[:, body, :3] + R_body @ arm
    centre_V = np.einsum("nji,nj->ni", R_chassis, centre_E - poses[:, chassis, :3]) + model.centres[chassis]
    axis_V = np.einsum("nji,nj->ni", R_chassis, R_body @ np.array(wheel.axis))
    travel = centre_V[:, 2] - wheel.centre[2]
    steer = np.arctan2(-axis_V[:, 0], axis_V[:, 1])
    camber = -corner.side.sign * np.arcsin(np.clip(axis_V[:, 2], -1.0, 1.0))
    return travel, steer, camber


def joint_travel(model: CompiledModel, poses: Array, joint: Joint) -> Array:
    """How far a joint has slid along its axis, its first body against its second [m]; poses of shape (n, bodies, 7)."""
    (_, first), (R_second, second) = (_moved(model, poses, body, joint) for body in joint.bodies)
    return np.asarray(np.einsum("ni,ni->n", R_second @ np.array(joint.axis), first - second))


def joint_angles(model: CompiledModel, poses: Array, joint: Joint) -> Array:
    """How far a joint has turned about its axis: its first body against its second [rad]; without jumps over time."""
    axis = np.array(joint.axis)
    across = np.cross(np.eye(3)[int(np.abs(axis).argmin())], axis)
    across /= np.linalg.norm(across)
    (R_first, _), (R_second, _) = (_moved(model, poses, body, joint) for body in joint.bodies)
    mark = np.einsum("nji,nj->ni", R_second, R_first @ across)
    return np.asarray(np.unwrap(np.arctan2(mark @ np.cross(axis, across), mark @ across)))


def _moved(model: CompiledModel, poses: Array, body: str, joint: Joint) -> tuple[Array, Array]:
    """Rotation of a body, and where its point at the joint is; a body that is not in the model stands still."""
    place, index = np.array(joint.position), model.index.get(body)
    if index is None:
        return np.broadcast_to(np.eye(3), (len(poses), 3, 3)), np.broadcast_to(place, (len(poses), 3))
    R = rotation_matrices(poses[:, index, 3:])
    return R, poses[:, index, :3] + R @ (place - model.centres[index])

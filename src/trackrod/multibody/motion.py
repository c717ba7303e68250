"""Rows of the multibody model, and the motion that stands in them."""

# ruff: noqa: D102 - documented in `Motion`

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.core.motion import FIRST, Attitude, BrakeLine, Motion, Values, Vector, WheelPose, once, rotation_matrices
from trackrod.core.wheel_inputs import WHEEL_COLUMNS
from trackrod.multibody.compile import UPRIGHT, CompiledModel
from trackrod.vehicle.elements import Joint
from trackrod.vehicle.frame import frame_hinge

__all__ = ["MultibodyMotion", "Rows", "joint_angles", "joint_travel", "wheel_pose"]

Array = NDArray[np.float64]

_POSE, _TYRE = 7, 10
#: Index of what stands still.
_GROUND = -1
#: Columns of a row: the driver's inputs, time, pose and angular velocity of the sprung body, then what the core says of
#: the whole vehicle: position, velocity and acceleration of its centre of gravity in E, engine speed, gear; angular
#: acceleration of the sprung body, torque of the driver, what assistance systems do at the wheels.
_CHASSIS, _RATES = slice(FIRST, 11), slice(11, 14)
_POSITION, _VELOCITY, _ACCELERATION, _ENGINE, _GEAR = slice(14, 17), slice(17, 20), slice(20, 23), 23, 24
_ANGULAR, _TORQUE, _AT_WHEELS = slice(25, 28), 28, 29
_SPINS = _AT_WHEELS + WHEEL_COLUMNS.size


@dataclass(frozen=True)
class Rows:
    """How the rows of a model are laid out: after what all have, spins, wheel poses, tyres and dampers of each model.

    Last come the poses of the bodies whose joints are read: rack and torsion bar where the steering is a mechanism,
    both halves of a frame that twists. What the joints do is worked out when somebody asks.

    Attributes
    ----------
    model
        What the rows are of.
    road
        Height of the level road in V at the design position [m].
    """

    model: CompiledModel
    road: float = 0.0

    @cached_property
    def bodies(self) -> list[int]:
        """Bodies of the wheels, in the order of `CompiledModel.corners`."""
        vehicle = self.model.vehicle
        return [self.model.index[vehicle.wheel(corner).body] for corner in self.model.corners]

    @cached_property
    def chassis(self) -> int:
        """Body of the sprung mass."""
        return self.model.index[self.model.vehicle.chassis]

    @cached_property
    def number(self) -> dict[Corner, int]:
        """Number of each wheel."""
        return {corner: i for i, corner in enumerate(self.model.corners)}

    @cached_property
    def wheels(self) -> int:
        """First column of the poses of the wheels."""
        return _SPINS + len(self.model.corners)

    @cached_property
    def tyres(self) -> dict[Corner, list[int]]:
        """First column of each tyre, by the corner of its wheel."""
        first = self.wheels + _POSE * len(self.model.corners)
        return {
            corner: [first + _TYRE * i for i, where in enumerate(self.model.tyres) if where is corner]
            for corner in self.model.corners
        }

    @cached_property
    def dampers(self) -> int:
        """First column of lengths [m] and rates [m/s] of the dampers, two for each wheel."""
        return self.wheels + _POSE * len(self.model.corners) + _TYRE * len(self.model.tyres)

    @cached_property
    def axle_points(self) -> Sequence[Vector]:
        """Middle between the wheel centres of each axle, from the centre of mass of the sprung body [m]."""
        centres = {corner: np.array(self.model.vehicle.wheel(corner).centre) for corner in Corner}
        sprung = self.model.centres[self.chassis]
        return [np.mean([centres[c] for c in Corner if c.axle is axle], axis=0) - sprung for axle in Axle]

    @cached_property
    def brakes(self) -> BrakeLine | None:
        """Pressure and torques at full pedal."""
        brakes = self.model.vehicle.brakes
        if brakes is None:
            return None
        full = brakes.largest_pressure
        return BrakeLine(full, {Axle.FRONT: full * brakes.front_torque, Axle.REAR: full * brakes.rear_torque})

    def of_wheels(self, given: Array) -> Array:
        """Rows of `WHEEL_COLUMNS` with the wheels in the order of the model."""
        order = self._wheel_order
        return np.ascontiguousarray(given.reshape(len(given), -1, len(order))[:, :, order].reshape(len(given), -1))

    @cached_property
    def _wheel_order(self) -> list[int]:
        return [corner.index for corner in self.model.corners]

    @cached_property
    def ratio(self) -> float:
        """Rack travel over steering-wheel angle [m/rad]."""
        steering = self.model.vehicle.steering
        return 0.0 if steering is None else steering.ratio

    @cached_property
    def hinge(self) -> Joint | None:
        """About which a frame twists."""
        vehicle = self.model.vehicle
        return None if vehicle.frame is None else frame_hinge(vehicle)

    @cached_property
    def jointed(self) -> Mapping[str, int]:
        """Bodies of the model whose poses come last, with their places there."""
        column = self.model.column
        joints = [self.hinge] if column is None else [column.rack, column.twist, self.hinge]
        names = [body for joint in joints if joint is not None for body in joint.bodies]
        moving = (name for name in names if self.model.index.get(name, _GROUND) != _GROUND)
        return {body: i for i, body in enumerate(dict.fromkeys(moving))}

    @cached_property
    def _jointed_bodies(self) -> list[int]:
        return [self.model.index[body] for body in self.jointed]

    def pose(self, body: str) -> slice:
        """Columns of the pose of a body whose joint is read."""
        first = self.dampers + 2 * len(self.model.corners) + _POSE * self.jointed[body]
        return slice(first, first + _POSE)

    def joined(
        self,
        inputs: Array,
        at_wheels: Array,
        time: Array,
        poses: Array,
        twists: Array,
        spins: Array,
        tyres: Array,
        drives: Array,
        lines: Array,
        other: Array,
    ) -> Array:
        """Rows from what the core gives."""
        n = len(time)
        chassis = self.chassis
        parts = [
            inputs,
            time[:, None],
            poses[:, chassis],
            twists[:, chassis, 3:],
            other[:, :11],
            other[:, 12:],
            self._torque(drives)[:, None],
            at_wheels,
            spins,
            poses[:, self.bodies].reshape(n, -1),
            tyres.reshape(n, -1),
            lines[:, : len(self.model.corners)].reshape(n, -1),
        ]
        if self.jointed:
            parts.append(poses[:, self._jointed_bodies].reshape(n, -1))
        return np.concatenate(parts, axis=1)

    def _torque(self, drives: Array) -> Array:
        """Of the driver [N·m]: what turns the steering wheel, or by virtual power what moves the rack."""
        if self.model.column is not None:
            return drives[:, self.model.drives["steering_wheel"]]
        rack = self.model.drives.get("rack")
        return np.zeros(len(drives)) if rack is None else self.ratio * drives[:, rack]


class MultibodyMotion(Motion):
    """What stands in one row of the multibody model, or in the rows of many samples."""

    def __init__(self, rows: Array, layout: Rows) -> None:
        super().__init__(rows)
        self._layout = layout

    @property
    def rack_travel(self) -> Values:
        column = self._layout.model.column
        if column is None:
            return self._layout.ratio * self.steering_wheel_angle
        return joint_travel(self._layout.model, self._joint_poses, column.rack, self._layout.jointed)

    @once
    def _joint_poses(self) -> Array:
        """Of the bodies whose joints are read, shape (…, bodies, 7)."""
        poses = [np.stack(self._cells[self._layout.pose(body)], axis=-1) for body in self._layout.jointed]
        return np.stack(poses, axis=-2)

    def _joint_angle(self, joint: Joint) -> Values:
        return joint_angles(self._layout.model, self._joint_poses, joint, self._layout.jointed)

    @property
    def steering_torque(self) -> Values | None:
        return self._cells[_TORQUE] if self._layout.model.drives else None

    @property
    def torsion_bar_twist(self) -> Values | None:
        column = self._layout.model.column
        if column is None:
            return None
        return 0.0 * self.time if column.twist is None else self._joint_angle(column.twist)

    @property
    def frame_twist(self) -> Values | None:
        hinge = self._layout.hinge
        return None if hinge is None else self._joint_angle(hinge)

    @property
    def gear(self) -> Values:
        return self._cells[_GEAR]

    @property
    def engine_speed(self) -> Values:
        return self._cells[_ENGINE]

    @once
    def attitude(self) -> Attitude:
        return Attitude(*self._cells[_CHASSIS][3:])

    @property
    def position(self) -> Vector:
        return self._cells[_POSITION]

    @property
    def velocity(self) -> Vector:
        return self._cells[_VELOCITY]

    @property
    def acceleration(self) -> Vector:
        return self._cells[_ACCELERATION]

    @property
    def rates(self) -> Vector:
        return self._cells[_RATES]

    @property
    def angular_acceleration(self) -> Vector:
        return self._cells[_ANGULAR]

    @once
    def ride_heights(self) -> Vector:
        height = self._cells[_CHASSIS][2] - self._layout.road
        return [height + self.attitude.turn(point)[2] for point in self._layout.axle_points]

    @property
    def brake_line(self) -> BrakeLine | None:
        return self._layout.brakes

    def damper(self, corner: Corner) -> Vector:
        first = self._layout.dampers + 2 * self._layout.number[corner]
        stands_for_one = corner in self._layout.model.undamped
        return self._cells[first] - (UPRIGHT if stands_for_one else 0.0), self._cells[first + 1]

    def wheel_input(self, name: str, corner: Corner) -> Values:
        return self._cells[_AT_WHEELS + WHEEL_COLUMNS.column(name) + corner.index]

    @property
    def tyres(self) -> Mapping[Corner, Sequence[int]]:
        return self._layout.tyres

    def wheel_speed(self, corner: Corner) -> Values:
        return self._cells[_SPINS + self._layout.number[corner]]

    def wheel(self, corner: Corner) -> WheelPose:
        first = self._layout.wheels + _POSE * self._layout.number[corner]
        frame, sprung = self._layout.model.vehicle.frame, _CHASSIS
        if frame is not None and corner.axle is Axle.REAR:
            sprung = self._layout.pose(frame.rear)
        wheel, body = (np.stack(self._cells[part], axis=-1) for part in (slice(first, first + _POSE), sprung))
        pose = wheel_pose(self._layout.model, corner, wheel, body)
        return replace(pose, steer=pose.steer + self.wheel_input("steer_offset", corner))


def wheel_pose(model: CompiledModel, corner: Corner, wheel: Array, chassis: Array) -> WheelPose:
    """A wheel that is not steered against its carrier against the sprung body, from poses of both in E, shape (…, 7).

    Where the frame twists, the sprung body is that half which carries the wheel. Travel is along z of V, positive in
    bump; steer about z of V, positive to the left; camber positive top outward.
    """
    vehicle = model.vehicle
    declared = vehicle.wheel(corner)
    body, sprung = model.index[declared.body], model.index[vehicle.sprung_body(corner.axle)]
    R_wheel, R_chassis = rotation_matrices(wheel[..., 3:]), rotation_matrices(chassis[..., 3:])
    arm = np.array(declared.centre) - model.centres[body]
    centre_E = wheel[..., :3] + R_wheel @ arm
    centre_V = np.einsum("...ji,...j->...i", R_chassis, centre_E - chassis[..., :3]) + model.centres[sprung]
    axis_V = np.einsum("...ji,...j->...i", R_chassis, R_wheel @ np.array(declared.axis))
    return WheelPose(
        travel=centre_V[..., 2] - declared.centre[2],
        steer=np.arctan2(-axis_V[..., 0], axis_V[..., 1]),
        camber=-corner.side.sign * np.arcsin(np.clip(axis_V[..., 2], -1.0, 1.0)),
    )


def joint_travel(model: CompiledModel, poses: Array, joint: Joint, index: Mapping[str, int] | None = None) -> Array:
    """How far a joint has slid along its axis, its first body against its second [m].

    Poses have the shape (…, bodies, 7); the index says where a body is among them, that of the model if not given.
    """
    (_, first), (R_second, second) = (_moved(model, poses, body, joint, index) for body in joint.bodies)
    return np.asarray(np.einsum("...i,...i->...", R_second @ np.array(joint.axis), first - second))


def joint_angles(model: CompiledModel, poses: Array, joint: Joint, index: Mapping[str, int] | None = None) -> Array:
    """How far a joint has turned about its axis, its first body against its second [rad]; without jumps over time.

    Poses and index as of `joint_travel`.
    """
    across, normal = _plane(tuple(joint.axis))
    (R_first, _), (R_second, _) = (_moved(model, poses, body, joint, index) for body in joint.bodies)
    mark = np.einsum("...ji,...j->...i", R_second, R_first @ across)
    angle = np.asarray(np.arctan2(mark @ normal, mark @ across))
    return np.unwrap(angle) if angle.ndim else angle


@lru_cache(64)
def _plane(axis: tuple[float, ...]) -> tuple[Array, Array]:
    """Two unit vectors across an axis, the second a quarter turn about it from the first."""
    across = np.cross(np.eye(3)[int(np.abs(axis).argmin())], axis)
    across /= np.linalg.norm(across)
    return across, np.cross(axis, across)


def _moved(
    model: CompiledModel, poses: Array, body: str, joint: Joint, index: Mapping[str, int] | None
) -> tuple[Array, Array]:
    """Rotation of a body, and where its point at the joint is; a body that is not in the model stands still."""
    place, among = np.array(joint.position), (model.index if index is None else index).get(body, _GROUND)
    if among == _GROUND:
        return np.broadcast_to(np.eye(3), (*poses.shape[:-2], 3, 3)), np.broadcast_to(place, (*poses.shape[:-2], 3))
    pose = poses[..., among, :]
    R = rotation_matrices(pose[..., 3:])
    return R, pose[..., :3] + R @ (place - model.centres[model.index[body]])

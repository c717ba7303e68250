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

    Behind these, where the steering is a mechanism, rack travel [m] and twist of the torsion bar [rad]; last, where the
    frame twists, its twist [rad] and the pose of its rear half.

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
        wheels = [corner.index for corner in self.model.corners]
        return np.ascontiguousarray(given.reshape(len(given), -1, len(Corner))[:, :, wheels].reshape(len(given), -1))

    @cached_property
    def ratio(self) -> float:
        """Rack travel over steering-wheel angle [m/rad]."""
        steering = self.model.vehicle.steering
        return 0.0 if steering is None else steering.ratio

    @cached_property
    def steering(self) -> int | None:
        """First column of a steering that is a mechanism."""
        if self.model.column is None:
            return None
        return self.dampers + 2 * len(self.model.corners)

    @cached_property
    def frame(self) -> int | None:
        """First column of a frame that twists."""
        if self.model.vehicle.frame is None:
            return None
        return self.dampers + 2 * len(self.model.corners) + (0 if self.model.column is None else 2)

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
        column = self.model.column
        if column is not None:
            travel = joint_travel(self.model, poses, column.rack)
            twist = np.zeros(n) if column.twist is None else joint_angles(self.model, poses, column.twist)
            parts.append(np.column_stack((travel, twist)))
        frame = self.model.vehicle.frame
        if frame is not None:
            twist = joint_angles(self.model, poses, frame_hinge(self.model.vehicle))
            parts += [twist[:, None], poses[:, self.model.index[frame.rear]]]
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
        first = self._layout.steering
        return self._layout.ratio * self.steering_wheel_angle if first is None else self._cells[first]

    @property
    def steering_torque(self) -> Values | None:
        return self._cells[_TORQUE] if self._layout.model.drives else None

    @property
    def torsion_bar_twist(self) -> Values | None:
        first = self._layout.steering
        return None if first is None else self._cells[first + 1]

    @property
    def frame_twist(self) -> Values | None:
        first = self._layout.frame
        return None if first is None else self._cells[first]

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
        frame, sprung = self._layout.frame, _CHASSIS
        if frame is not None and corner.axle is Axle.REAR:
            sprung = slice(frame + 1, frame + 1 + _POSE)
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


def joint_travel(model: CompiledModel, poses: Array, joint: Joint) -> Array:
    """How far a joint has slid along its axis, its first body against its second [m]; poses of shape (n, bodies, 7)."""
    (_, first), (R_second, second) = (_moved(model, poses, body, joint) for body in joint.bodies)
    return np.asarray(np.einsum("ni,ni->n", R_second @ np.array(joint.axis), first - second))


def joint_angles(model: CompiledModel, poses: Array, joint: Joint) -> Array:
    """How far a joint has turned about its axis: its first body against its second [rad]; without jumps over time."""
    across, normal = _plane(tuple(joint.axis))
    (R_first, _), (R_second, _) = (_moved(model, poses, body, joint) for body in joint.bodies)
    mark = np.einsum("nji,nj->ni", R_second, R_first @ across)
    return np.asarray(np.unwrap(np.arctan2(mark @ normal, mark @ across)))


@lru_cache(64)
def _plane(axis: tuple[float, ...]) -> tuple[Array, Array]:
    """Two unit vectors across an axis, the second a quarter turn about it from the first."""
    across = np.cross(np.eye(3)[int(np.abs(axis).argmin())], axis)
    across /= np.linalg.norm(across)
    return across, np.cross(axis, across)


def _moved(model: CompiledModel, poses: Array, body: str, joint: Joint) -> tuple[Array, Array]:
    """Rotation of a body, and where its point at the joint is; a body that is not in the model stands still."""
    place, index = np.array(joint.position), model.index.get(body)
    if index is None:
        return np.broadcast_to(np.eye(3), (len(poses), 3, 3)), np.broadcast_to(place, (len(poses), 3))
    R = rotation_matrices(poses[:, index, 3:])
    return R, poses[:, index, :3] + R @ (place - model.centres[index])

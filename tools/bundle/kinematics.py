"""Rigid kinematics of one side of a suspension, by the ideal joints of its template.

The velocities that the joints allow follow from their Jacobian; they are integrated over the wheel travel with the
classical Runge-Kutta method. Frame V and SI units, as in the templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

from trackrod.core.corners import Side
from trackrod.vehicle.elements import GROUND, Joint, JointType, Mode
from trackrod.vehicle.instantiate import Instance, Line, instantiate
from trackrod.vehicle.mobility import constraint_jacobian
from trackrod.vehicle.template import Template

__all__ = ["Sweep", "Wheel", "in_vehicle_frame", "mechanism"]

Array = NDArray[np.float64]
_STEP = 1e-2  # of wheel travel in one step of the integration [m]
_SECOND_CARRIES = (JointType.INLINE, JointType.INPLANE)


def in_vehicle_frame(point: tuple[float, float, float]) -> Array:
    """A point of a data sheet in V [m]; its x is measured from the front wheel centres already."""
    x, y, z = point
    return np.array([-x, -y, z]) / 1000.0


def mechanism(
    template: Template,
    hardpoints: Mapping[str, tuple[float, float, float]],
    singles: Mapping[str, tuple[float, float, float]],
    parameters: Mapping[str, float],
    values: Mapping[str, float] | None = None,
) -> Instance:
    """The elements of a subsystem from the hardpoints of its data sheet, those of pairs for the left side."""
    points: dict[str, tuple[float, float, float]] = {}
    for name, point in hardpoints.items():
        x, y, z = in_vehicle_frame(point).tolist()
        points |= {f"{name}_left": (x, y, z), f"{name}_right": (x, -y, z)}
    for name, point in singles.items():
        x, y, z = in_vehicle_frame(point).tolist()
        points[name] = (x, y, z)
    return instantiate(template, points, parameters, values)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What happens over the travel of the left wheel.

    Attributes
    ----------
    travel
        Of the wheel centre [m], positive in bump.
    toe, camber
        Change against the design position [rad]; toe in and top outward positive.
    contact
        Displacement of the contact point, which turns with the upright [m], one row each.
    lengths
        Of springs, dampers and stops [m], by name.
    """

    travel: Array
    toe: Array
    camber: Array
    contact: Array
    lengths: Mapping[str, Array]

    def slope(self, values: Array) -> float:
        """Derivative over the travel at the design position."""
        return float(np.gradient(values, self.travel)[int(np.argmin(np.abs(self.travel)))])

    def curvature(self, values: Array) -> float:
        """Second derivative over the travel at the design position."""
        return float(np.gradient(np.gradient(values, self.travel), self.travel)[int(np.argmin(np.abs(self.travel)))])

    def at(self, values: Array, travel: float) -> float:
        """Value at a wheel travel [m]."""
        return float(np.interp(travel, self.travel, values))


_Pose = tuple[Array, Array]


class Wheel:
    """The left half of a suspension, whose wheel is moved up and down and whose rack is moved sideways."""

    def __init__(self, instance: Instance) -> None:
        def kept(body: str) -> bool:
            # A leaf bends and constrains nothing.
            return not body.endswith(f"_{Side.RIGHT}") and not body.startswith("leaf")

        place = instance.wheels[Side.LEFT]
        self.place = place
        self.centre = np.array(place.centre)
        self.axis = np.array(place.axis)
        self.lines: tuple[Line, ...] = tuple(line for line in instance.lines if line.side is Side.LEFT)
        joints = [self._grounded(joint) for joint in instance.joints_in(Mode.KINEMATIC) if all(map(kept, joint.bodies))]
        # The wheel does not spin against the upright; the rack slides sideways.
        joints = [replace(j, type=JointType.FIXED) if j.name == place.joint else j for j in joints]
        self.joints: list[Joint] = joints
        self.has_rack = any("rack" in joint.bodies for joint in joints)
        if self.has_rack:
            x, y, z = place.centre
            rack = Joint("rack", JointType.TRANSLATIONAL, ("rack", GROUND), (x, y, z), (0.0, 1.0, 0.0))
            self.joints.append(rack)
        names = dict.fromkeys(body for joint in self.joints for body in joint.bodies if body != GROUND)
        self.bodies = tuple(names)

    @staticmethod
    def _grounded(joint: Joint) -> Joint:
        first, second = (GROUND if body == "body" else body for body in joint.bodies)
        return replace(joint, bodies=(first, second))

    def rates(self, poses: Mapping[str, _Pose], bump: float, rack: float) -> dict[str, Array]:
        """Velocity of the origin and angular velocity of each body, for speeds of wheel centre and rack [m/s]."""
        joints = [self._moved(joint, poses) for joint in self.joints]
        jacobian = constraint_jacobian(self.bodies, joints)
        drive = np.zeros((2, jacobian.shape[1]))
        start = 6 * self.bodies.index(self.place.body)
        centre = _moved_point(poses.get(self.place.body), self.centre)
        drive[0, start + 2] = 1.0
        drive[0, start + 3 : start + 6] = np.cross(centre, [0.0, 0.0, 1.0])  # z part of ω × p
        wanted = [bump]
        if self.has_rack:
            drive[1, 6 * self.bodies.index("rack") + 1] = 1.0
            wanted.append(rack)
        right = np.concatenate([np.zeros(len(jacobian)), wanted])
        motion = lstsq(np.vstack([jacobian, drive[: len(wanted)]]), right, lapack_driver="gelsy")[0]
        return dict(zip(self.bodies, motion.reshape(-1, 6), strict=True))

    @staticmethod
    def _moved(joint: Joint, poses: Mapping[str, _Pose]) -> Joint:
        first, second = (poses.get(body) for body in joint.bodies)
        carrier = second if joint.type in _SECOND_CARRIES else first
        position = _moved_point(first if first is not None else second, np.array(joint.position))
        axis = _turned(carrier, np.array(joint.axis))
        other = _turned(second, np.array(joint.second_axis))
        return Joint(joint.name, joint.type, joint.bodies, _triple(position), _triple(axis), _triple(other))

    def sweep(self, reach: float) -> Sweep:
        """Wheel travel from −`reach` to `reach` [m]."""
        rows = [self._run(-reach)[::-1], self._run(reach)[1:]]
        return self._results([item for half in rows for item in half])

    def steering(self) -> float:
        """Steer angle of the left wheel over rack travel to the left at the design position [rad/m]."""
        return float(self.rates({}, 0.0, 1.0)[self.place.body][5])

    def _run(self, reach: float) -> list[tuple[float, dict[str, _Pose]]]:
        steps = max(1, round(abs(reach) / _STEP))
        h = reach / steps
        poses: dict[str, _Pose] = {body: (np.eye(3), np.zeros(3)) for body in self.bodies}
        found = [(0.0, poses)]
        for step in range(steps):
            k1 = self._derivative(poses)
            k2 = self._derivative(_stepped(poses, k1, h / 2))
            k3 = self._derivative(_stepped(poses, k2, h / 2))
            k4 = self._derivative(_stepped(poses, k3, h))
            mean = {
                body: tuple((k1[body][i] + 2 * k2[body][i] + 2 * k3[body][i] + k4[body][i]) / 6 for i in (0, 1))
                for body in self.bodies
            }
            poses = _stepped(poses, mean, h)
            found.append(((step + 1) * h, poses))
        return found

    def _derivative(self, poses: Mapping[str, _Pose]) -> dict[str, tuple[Array, ...]]:
        rates = self.rates(poses, 1.0, 0.0)
        return {
            body: (
                np.cross(rates[body][3:], poses[body][0], axisb=0, axisc=0),
                rates[body][:3] + np.cross(rates[body][3:], poses[body][1]),
            )
            for body in self.bodies
        }

    def _results(self, run: list[tuple[float, dict[str, _Pose]]]) -> Sweep:
        contact0 = self.centre * [1.0, 1.0, 0.0]
        toe, camber, contact = [], [], []
        lengths: dict[str, list[float]] = {line.element: [] for line in self.lines}
        for _, poses in run:
            pose = poses[self.place.body]
            axis = _turned(pose, self.axis)
            # Left wheel, axis towards +y: toe in turns it forward, camber outward lowers it.
            toe.append(np.arctan2(axis[0], axis[1]))
            camber.append(-np.arcsin(axis[2]))
            contact.append(_moved_point(pose, contact0) - contact0)
            for line in self.lines:
                ends = [
                    _moved_point(poses.get(body), np.array(end))
                    for body, end in zip(line.bodies, line.ends, strict=True)
                ]
                lengths[line.element].append(float(np.linalg.norm(ends[1] - ends[0])))
        travel = np.array([t for t, _ in run])
        middle = int(np.argmin(np.abs(travel)))
        return Sweep(
            travel,
            np.array(toe) - toe[middle],
            np.array(camber) - camber[middle],
            np.array(contact),
            {name: np.array(values) for name, values in lengths.items()},
        )


def _moved_point(pose: _Pose | None, point: Array) -> Array:
    return point if pose is None else pose[0] @ point + pose[1]


def _turned(pose: _Pose | None, direction: Array) -> Array:
    return direction if pose is None else pose[0] @ direction


def _stepped(poses: Mapping[str, _Pose], rates: Mapping[str, tuple[Array, ...]], h: float) -> dict[str, _Pose]:
    return {body: (_orthogonal(r + h * rates[body][0]), p + h * rates[body][1]) for body, (r, p) in poses.items()}


def _orthogonal(matrix: Array) -> Array:
    u, _, vt = np.linalg.svd(matrix)
    return np.asarray(u @ vt)


def _triple(array: Array) -> tuple[float, float, float]:
    x, y, z = array.tolist()
    return (x, y, z)

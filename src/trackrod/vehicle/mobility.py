"""Degrees of freedom of a mechanism of ideal joints, from the rank of its constraints at the design position.

Beams count as rigid, gears tie the motions of two joints; everything else that carries forces lets bodies move.
Counting constraints (Gruebler) misjudges mechanisms with redundant ones; the rank of the constraint Jacobian does not,
and its null space shows which bodies can still move.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.vehicle.connectors import Beam, Gear
from trackrod.vehicle.elements import GROUND, Joint, JointType, Vector

__all__ = ["Mobility", "constraint_jacobian", "mobility"]

Array = NDArray[np.float64]

# Largest velocity of a point that counts as still, at an angular velocity of about 1 rad/s [m/s].
_IDLE = 1e-6

# Pivots below this fraction of the largest count as zero. Rows are scaled to unit length [1, m], so that
# millimetres of geometry stand far above it and rounding far below.
_RANK_TOLERANCE = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Mobility:
    """Freedom of a mechanism.

    Attributes
    ----------
    freedoms
        Independent motions.
    redundant
        Constraints that add nothing to the others.
    motions
        One row for each freedom: velocity and angular velocity of each body, scaled to a largest entry of 1.
    bodies
        Order of the bodies in `motions`.
    """

    freedoms: int
    redundant: int
    motions: Array
    bodies: tuple[str, ...]

    def moving(self) -> tuple[str, ...]:
        """Bodies that take part in some free motion."""
        speed = np.abs(self.motions.reshape(self.freedoms, len(self.bodies), 6)).max(axis=(0, 2), initial=0.0)
        return tuple(body for body, value in zip(self.bodies, speed, strict=True) if value > 1e-6)

    def idle(self, links: Sequence[Joint | Beam], watched: Collection[str]) -> int:
        """How many freedoms are rotations of bodies about lines through all points where they are linked.

        Such a rotation, of a strut or rod on ball joints about itself, moves nothing else. What moves one of the
        `watched` bodies, the wheels, counts in any case, and so does a body that hangs on a single point.
        """
        points: dict[str, set[Vector]] = {body: set() for body in self.bodies}
        for link in links:
            for body in points.keys() & link.bodies:
                points[body].update(_points(link))
        rows = []
        for body, twist in zip(self.bodies, self.motions.reshape(-1, len(self.bodies), 6).swapaxes(0, 1), strict=True):
            if body in watched or len(points[body]) < 2:
                rows.append(twist)
            rows += [twist[:, :3] + np.cross(twist[:, 3:], point) for point in points[body]]
        return self.freedoms - int(np.linalg.matrix_rank(np.hstack(rows), tol=_IDLE)) if self.freedoms else 0


def mobility(
    bodies: Iterable[str], joints: Sequence[Joint], beams: Sequence[Beam] = (), gears: Sequence[Gear] = ()
) -> Mobility:
    """Degrees of freedom of `bodies` under `joints`, rigid `beams` and `gears`.

    The body ``ground`` stands still and need not be listed.

    Raises
    ------
    UnknownNameError
        A joint or a beam names a body, or a gear a joint, that is not there.
    InputError
        A gear is on a joint that neither turns about nor slides along one axis.
    """
    names = tuple(body for body in bodies if body != GROUND)
    jacobian = constraint_jacobian(names, joints, beams, gears)
    columns = 6 * len(names)
    if not columns:
        return Mobility(0, len(jacobian), np.zeros((0, 0)), names)
    if not len(jacobian):
        return Mobility(columns, 0, np.eye(columns), names)
    # Rank-revealing QR of the transpose: several times cheaper than singular values, and its last columns span the
    # motions that no constraint feels.
    basis, triangle, _ = qr(jacobian.T, mode="full", pivoting=True, check_finite=False)
    pivots = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(pivots > _RANK_TOLERANCE * pivots[0]))
    motions = basis[:, rank:].T
    scale = np.abs(motions).max(axis=1, keepdims=True, initial=1e-300)
    return Mobility(columns - rank, len(jacobian) - rank, motions / scale, names)


def constraint_jacobian(
    bodies: Sequence[str], joints: Sequence[Joint], beams: Sequence[Beam] = (), gears: Sequence[Gear] = ()
) -> Array:
    """Rows that must vanish: relative velocities at joints and along beams, differences of geared motions.

    Column 6 i + k is component k of the velocity of the origin of V (k < 3) or of the angular velocity (k ≥ 3) of body
    i; rows are scaled to unit length.
    """
    index = {body: i for i, body in enumerate(bodies)}

    def relative(what: str, pair: tuple[str, str], position: Vector) -> Array:
        """Velocity and angular velocity of the first body against the second at a point, in the columns."""
        rows = np.zeros((6, 6 * len(bodies)))
        for sign, body in zip((1.0, -1.0), pair, strict=True):
            if body == GROUND:
                continue
            if body not in index:
                raise UnknownNameError(f"body in {what}", body, [*bodies, GROUND])
            start = 6 * index[body]
            rows[:3, start : start + 3] += sign * np.eye(3)
            rows[:3, start + 3 : start + 6] -= sign * _skew(position)  # v + omega × p
            rows[3:, start + 3 : start + 6] += sign * np.eye(3)
        return rows

    by_name = {joint.name: joint for joint in joints}

    def motion(gear: Gear, name: str) -> Array:
        """What the gear ties at one of its joints."""
        if name not in by_name:
            raise UnknownNameError(f"joint in gear '{gear.name}'", name, by_name)
        joint = by_name[name]
        first = _MOTION.get(joint.type)
        if first is None:
            text = f"gear '{gear.name}' is on joint '{name}', which is {joint.type}"
            raise InputError(f"{text}; revolute and translational ones can be geared")
        return np.asarray(joint.axis @ relative(f"joint '{name}'", joint.bodies, joint.position)[first : first + 3])

    rows = [_directions(j) @ relative(f"joint '{j.name}'", j.bodies, j.position) for j in joints]
    rows += [relative(f"beam '{beam.name}'", beam.bodies, beam.ends[0]) for beam in beams]
    rows += [(motion(gear, gear.joints[0]) - gear.ratio * motion(gear, gear.joints[1]))[None] for gear in gears]
    if not rows:
        return np.zeros((0, 6 * len(bodies)))
    jacobian = np.vstack(rows)
    length = np.linalg.norm(jacobian, axis=1, keepdims=True)
    return np.asarray(jacobian / np.where(length > 0, length, 1.0))


#: First row of the velocities that a gear takes from a joint.
_MOTION = {JointType.TRANSLATIONAL: 0, JointType.REVOLUTE: 3}


def _points(link: Joint | Beam) -> tuple[Vector, ...]:
    """Points of a body that a link holds; of one with an axis a second point on it."""
    if isinstance(link, Beam):
        return link.ends
    if link.type not in _WITH_AXIS:
        return (link.position,)
    x, y, z = np.add(link.position, link.axis).tolist()
    return link.position, (x, y, z)


#: Joints about whose axis both bodies can turn together, and about no other.
_WITH_AXIS = (JointType.REVOLUTE, JointType.TRANSLATIONAL, JointType.CYLINDRICAL)


def _skew(p: Vector) -> Array:
    x, y, z = p
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _directions(joint: Joint) -> Array:
    """Rows over (relative velocity, relative angular velocity) at the joint that it forbids."""
    axis, second = np.array(joint.axis), np.array(joint.second_axis)
    move, turn = np.hstack([np.eye(3), np.zeros((3, 3))]), np.hstack([np.zeros((3, 3)), np.eye(3)])
    across = _perpendicular(axis)
    forbidden = {
        JointType.FIXED: [move, turn],
        JointType.REVOLUTE: [move, across @ turn],
        JointType.TRANSLATIONAL: [across @ move, turn],
        JointType.CYLINDRICAL: [across @ move, across @ turn],
        JointType.SPHERICAL: [move],
        JointType.HOOKE: [move, np.cross(axis, second)[None] @ turn],
        JointType.CONVEL: [move, _bisector(axis, second)[None] @ turn],
        JointType.INPLANE: [axis[None] @ move],
        JointType.INLINE: [across @ move],
        JointType.ORIENTATION: [turn],
        JointType.PERPENDICULAR: [np.cross(axis, second)[None] @ turn],
    }
    return np.vstack(forbidden[joint.type])


def _perpendicular(axis: Array) -> Array:
    """Two unit vectors across an axis."""
    helper = np.eye(3)[int(np.abs(axis).argmin())]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first)])


def _bisector(axis: Array, second: Array) -> Array:
    """Direction about which a constant-velocity joint lets its bodies not turn against each other."""
    total = axis + second if axis @ second >= 0 else axis - second
    return np.asarray(total / np.linalg.norm(total))

"""Degrees of freedom of a mechanism of ideal joints, from the rank of its constraints at the design position.

Counting constraints (Gruebler) misjudges mechanisms with redundant ones; the rank of the constraint Jacobian does not,
and its null space shows which bodies can still move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import UnknownNameError
from trackrod.vehicle.elements import GROUND, Joint, JointType, Vector

__all__ = ["Mobility", "constraint_jacobian", "mobility"]

Array = NDArray[np.float64]

# Singular values below this fraction of the largest count as zero. Rows are scaled to unit length [1, m], so that
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


def mobility(bodies: Iterable[str], joints: Sequence[Joint]) -> Mobility:
    """Degrees of freedom of `bodies` under `joints`; the body ``ground`` stands still and need not be listed.

    Raises
    ------
    UnknownNameError
        A joint names a body that is not there.
    """
    names = tuple(body for body in bodies if body != GROUND)
    jacobian = constraint_jacobian(names, joints)
    columns = 6 * len(names)
    if not columns:
        return Mobility(0, len(jacobian), np.zeros((0, 0)), names)
    if not len(jacobian):
        return Mobility(columns, 0, np.eye(columns), names)
    _, singular, vt = np.linalg.svd(jacobian)
    rank = int(np.count_nonzero(singular > _RANK_TOLERANCE * singular[0]))
    motions = vt[rank:]
    scale = np.abs(motions).max(axis=1, keepdims=True, initial=1e-300)
    return Mobility(columns - rank, len(jacobian) - rank, motions / scale, names)


def constraint_jacobian(bodies: Sequence[str], joints: Sequence[Joint]) -> Array:
    """Rows that must vanish: relative velocities at the joints, in the velocities of the bodies.

    Column 6 i + k is component k of the velocity of the origin of V (k < 3) or of the angular velocity (k ≥ 3) of body
    i; rows are scaled to unit length.
    """
    index = {body: i for i, body in enumerate(bodies)}
    rows: list[Array] = []
    for joint in joints:
        blocks = []
        for body in joint.bodies:
            if body != GROUND and body not in index:
                raise UnknownNameError(f"body in joint '{joint.name}'", body, [*bodies, GROUND])
            block = np.zeros((6, 6 * len(bodies)))
            if body != GROUND:
                start = 6 * index[body]
                block[:3, start : start + 3] = np.eye(3)
                block[:3, start + 3 : start + 6] = -_skew(joint.position)  # v + omega × p
                block[3:, start + 3 : start + 6] = np.eye(3)
            blocks.append(block)
        rows.append(_directions(joint) @ (blocks[0] - blocks[1]))
    if not rows:
        return np.zeros((0, 6 * len(bodies)))
    jacobian = np.vstack(rows)
    length = np.linalg.norm(jacobian, axis=1, keepdims=True)
    return np.asarray(jacobian / np.where(length > 0, length, 1.0))


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

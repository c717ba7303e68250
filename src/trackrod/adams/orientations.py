"""Orientations as Adams gives them: body-fixed 3-1-3 angles, and rotations that points define.

Rotations are matrices that turn components in the rotated axes into components in the axes of origin.

Limits: a direction alone leaves the turn about it open; the rule of `along_axis` was read off files that Adams wrote,
for x and z in general position, for y from a single example in the x-y plane; that of `in_plane` for points on one
line from eight markers with ``Z_ZX``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import RangeError

__all__ = [
    "UndefinedDirectionError",
    "along_axis",
    "body313_from_rotation",
    "in_plane",
    "rotation_from_body313",
    "unit_vector",
]

Array = NDArray[np.float64]
#: Sine of the angle below which two directions count as one.
_PARALLEL = 1e-9


class UndefinedDirectionError(RangeError):
    """Points coincide or lie on one line, so that they do not define the orientation that is asked for."""


def rotation_from_body313(angles: ArrayLike) -> Array:
    """Rotation matrix of body-fixed 3-1-3 angles.

    Parameters
    ----------
    angles
        About z, the new x and the new z, shape (3,) [rad].

    Returns
    -------
    ndarray
        Turns components in the rotated axes into components in the axes of origin, shape (3, 3).
    """
    psi, theta, phi = np.asarray(angles, dtype=float)
    return _about_z(psi) @ _about_x(theta) @ _about_z(phi)


def body313_from_rotation(rotation: ArrayLike) -> Array:
    """Body-fixed 3-1-3 angles of a rotation matrix, shape (3,) [rad], the second from 0 to π.

    Holds: ``rotation_from_body313(body313_from_rotation(R))`` is R.
    """
    r = np.asarray(rotation, dtype=float)
    sine = math.hypot(r[0, 2], r[1, 2])
    theta = math.atan2(sine, r[2, 2])
    if sine < _PARALLEL:  # only the sum or the difference of the other two is defined
        return np.array([math.atan2(r[1, 0], r[0, 0]), theta, 0.0])
    return np.array([math.atan2(r[0, 2], -r[1, 2]), theta, math.atan2(r[2, 0], r[2, 1])])


def along_axis(start: ArrayLike, end: ArrayLike, axis: str) -> Array:
    """Rotation matrix whose `axis` points from `start` to `end`.

    The turn about the direction is chosen as Adams does: with x or z along it, the new y leans towards global y as
    far as it can; with y along it, the new z leans towards global z. Where the direction is that global axis itself,
    the new x (z for the axis x) is the global one.

    Holds: the matrix is a rotation; its column of `axis` is the direction.
    """
    direction = unit_vector(np.asarray(end, dtype=float) - np.asarray(start, dtype=float))
    _, y, z = np.eye(3)
    if axis == "x":
        other, across = 2, np.cross(direction, y)
    elif axis == "y":
        other, across = 0, np.cross(direction, z)
    else:
        other, across = 0, np.cross(y, direction)
    if np.linalg.norm(across) < _PARALLEL:
        across = np.eye(3)[other]
    return _from_columns("xyz".index(axis), direction, other, across)


def in_plane(start: ArrayLike, end: ArrayLike, point: ArrayLike, axis: str, other: str) -> Array:
    """Rotation matrix whose `axis` points from `start` to `end` and whose `other` axis leans towards `point`.

    Where the three points lie on one line, `other` leans towards the global axis of the same name instead, as in the
    files that Adams writes.

    Raises
    ------
    UndefinedDirectionError
        `end` or `point` coincides with `start`, or the line of all three is that global axis.

    Holds: the matrix is a rotation; `point` lies in the plane of the two axes, on the positive side of `other`.
    """
    origin = np.asarray(start, dtype=float)
    direction = unit_vector(np.asarray(end, dtype=float) - origin)
    towards = unit_vector(np.asarray(point, dtype=float) - origin)
    second = "xyz".index(other)
    for leaning in (towards, np.eye(3)[second]):
        across = leaning - (leaning @ direction) * direction
        if np.linalg.norm(across) > _PARALLEL:
            return _from_columns("xyz".index(axis), direction, second, across)
    raise UndefinedDirectionError("the three points lie on one line and define no plane")


def _from_columns(along: int, direction: Array, second: int, across: Array) -> Array:
    rotation = np.empty((3, 3))
    rotation[:, along] = direction
    across = unit_vector(across)
    rotation[:, second] = unit_vector(
        across - (across @ direction) * direction
    )  # again: a difference of near equals is rough
    third = 3 - along - second
    sign = 1.0 if (along + 1) % 3 == second else -1.0
    rotation[:, third] = sign * np.cross(rotation[:, along], rotation[:, second])
    return rotation


def unit_vector(vector: Array) -> Array:
    """The direction of a vector, of length 1; `UndefinedDirectionError` where it has none."""
    length = float(np.linalg.norm(vector))
    if not length > 0 or not math.isfinite(length):
        raise UndefinedDirectionError("two points coincide and define no direction")
    return vector / length


def _about_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])

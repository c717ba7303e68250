"""How the rotation of a wheel carrier is told: the one place where the angles and their signs are defined.

The wheel frame W turns with the carrier, not with the wheel's spin; its y axis is the spin axis, towards +y of V. Its
orientation in V is

    R_VW = Rz(steer) · Rx(inclination) · Ry(pitch)

with the axis-signed angles of a right-handed frame: steer positive to the left, inclination positive with the top to
the right, pitch positive with the top forward. Pitch is zero at the design position. The mirror-symmetric angles of
one wheel follow with the sign s of its side (+1 left, −1 right): toe = −s·steer, positive in; camber = −s·inclination,
positive with the top outward.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["design_frame", "mirrored", "rotation_of", "wheel_angles"]

Array = NDArray[np.float64]


def wheel_angles(rotation: Array) -> Array:
    """Inclination, pitch and steer [rad] of wheel frames R_VW of shape (..., 3, 3); shape (..., 3).

    Holds: ``rotation_of(wheel_angles(R))`` is R; the angles are those about x, y and z, in this order.
    """
    inclination = np.arcsin(np.clip(rotation[..., 2, 1], -1.0, 1.0))
    pitch = np.arctan2(-rotation[..., 2, 0], rotation[..., 2, 2])
    steer = np.arctan2(-rotation[..., 0, 1], rotation[..., 1, 1])
    return np.stack((inclination, pitch, steer), axis=-1)


def rotation_of(angles: Array) -> Array:
    """Wheel frames R_VW of angles (inclination, pitch, steer) [rad]: the inverse of `wheel_angles`."""
    inclination, pitch, steer = np.moveaxis(np.asarray(angles, dtype=np.float64), -1, 0)
    ci, si, cp, sp, cs, ss = (f(a) for a in (inclination, pitch, steer) for f in (np.cos, np.sin))
    rows = (
        (cs * cp - ss * si * sp, -ss * ci, cs * sp + ss * si * cp),
        (ss * cp + cs * si * sp, cs * ci, ss * sp - cs * si * cp),
        (-ci * sp, si, ci * cp),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def design_frame(axis: Array) -> Array:
    """Wheel frame at the design position of a wheel whose spin axis (towards +y) is `axis`; its pitch is zero."""
    x, y, z = axis
    return rotation_of(np.array([np.arcsin(z), 0.0, np.arctan2(-x, y)]))


def mirrored(axis_signed: Array, side_sign: int) -> Array:
    """Toe of a steer angle, camber of an inclination [rad], for the wheel on the side of this sign of y."""
    return -side_sign * axis_signed

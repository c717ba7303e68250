"""Accelerations at one point of the body from those at another, and what an IMU feels of them.

Frames: S the sensor, V the body, H the horizontal frame that turns with the heading (the frame of ``ax``, ``ay``,
``az`` of a run). The body is rigid: a_P = a_C + ω̇ × p + ω × (ω × p), with p from the centre of gravity C to P.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.quantities import STANDARD_GRAVITY

__all__ = ["LEVEL_AT_CENTRE", "Mounting", "heading_from_body", "to_centre", "to_sensor", "turning"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mounting:
    """How an IMU is mounted.

    Attributes
    ----------
    position
        From the centre of gravity of the vehicle to the sensor, in V [m].
    turned
        Angles of the sensor against the body about x, y, z of V, in the order z, y, x [rad].
    felt
        Whether its accelerations are what it feels: along its own axes, with gravity (1 g upward at rest). Otherwise
        they are level and free of gravity, as an inertial navigation system gives them.
    """

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turned: tuple[float, float, float] = (0.0, 0.0, 0.0)
    felt: bool = False


#: Accelerations as runs have them.
LEVEL_AT_CENTRE = Mounting()


def heading_from_body(roll: Array, pitch: Array) -> Array:
    """Rotations R_HV that turn vectors of V into H, shape (n, 3, 3); angles as in runs [rad]."""
    return _about_y(pitch) @ _about_x(roll)


def turning(rates: Array, rate_changes: Array, p: Array) -> Array:
    """What a point at p [m] accelerates more than the centre of gravity, ω̇ × p + ω × (ω × p), in V [m/s²].

    Parameters
    ----------
    rates, rate_changes
        Angular velocity [rad/s] and acceleration [rad/s²] about the axes of V, shape (n, 3).
    p
        In V [m].
    """
    return np.cross(rate_changes, p) + np.cross(rates, np.cross(rates, p))


def to_sensor(acceleration: Array, rates: Array, rate_changes: Array, angles: Array, mounting: Mounting) -> Array:
    """What an IMU shows where the centre of gravity accelerates by `acceleration`, in H [m/s²]; shapes (n, 3).

    Parameters
    ----------
    angles
        Roll and pitch, shape (n, 2) [rad].

    Holds: `to_centre` of it is `acceleration`.
    """
    R_HV = heading_from_body(angles[:, 0], angles[:, 1])
    at_point = acceleration + _turn(R_HV, turning(rates, rate_changes, np.array(mounting.position)))
    if not mounting.felt:
        return at_point
    felt = at_point + np.array([0.0, 0.0, STANDARD_GRAVITY])
    return _turn_back(R_HV, felt) @ _body_from_sensor(mounting)


def to_centre(shown: Array, rates: Array, rate_changes: Array, angles: Array, mounting: Mounting) -> Array:
    """Acceleration of the centre of gravity in H [m/s²] from what an IMU shows; parameters as of `to_sensor`."""
    R_HV = heading_from_body(angles[:, 0], angles[:, 1])
    at_point = shown
    if mounting.felt:
        at_point = _turn(R_HV, shown @ _body_from_sensor(mounting).T) - np.array([0.0, 0.0, STANDARD_GRAVITY])
    return at_point - _turn(R_HV, turning(rates, rate_changes, np.array(mounting.position)))


def _body_from_sensor(mounting: Mounting) -> Array:
    roll, pitch, yaw = (np.array([angle]) for angle in mounting.turned)
    R: Array = (_about_z(yaw) @ heading_from_body(roll, pitch))[0]
    return R


def _turn(R: Array, vectors: Array) -> Array:
    turned: Array = np.einsum("nij,nj->ni", R, vectors)
    return turned


def _turn_back(R: Array, vectors: Array) -> Array:
    return _turn(np.swapaxes(R, 1, 2), vectors)


def _about_x(angle: Array) -> Array:
    c, s, one, zero = _parts(angle)
    return _matrices([[one, zero, zero], [zero, c, -s], [zero, s, c]])


def _about_y(angle: Array) -> Array:
    c, s, one, zero = _parts(angle)
    return _matrices([[c, zero, s], [zero, one, zero], [-s, zero, c]])


def _about_z(angle: Array) -> Array:
    c, s, one, zero = _parts(angle)
    return _matrices([[c, -s, zero], [s, c, zero], [zero, zero, one]])


def _parts(angle: Array) -> tuple[Array, Array, Array, Array]:
    return np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)


def _matrices(rows: list[list[Array]]) -> Array:
    return np.moveaxis(np.array(rows), -1, 0)

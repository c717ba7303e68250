"""What an engineer reads: quantities that follow from the motion of the wheels at an equilibrium.

All of them come from differential kinematics, so that they hold for every suspension: velocities of the wheel carriers
when the wheels or the rack move a little. Definitions with sketches are in ``docs/kc.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.kc.measure import Measured, Neighbours
from trackrod.kc.points import SIDES

__all__ = [
    "SteeringAxis",
    "ackermann",
    "instantaneous_steering_axis",
    "projected_slopes",
    "roll_centre",
    "slopes_of_paths",
    "steering_axis_through",
    "support",
]

Array = NDArray[np.float64]

#: A carrier that turns less than this has no axis [rad/m]; numbers that belong to an axis are then not a number.
_NO_TURN = 1e-6
_SIGNS = np.array([side.sign for side in SIDES], dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class SteeringAxis:
    """The axis that a wheel turns about when it is steered; arrays of shape (n, 2), left and right.

    Attributes
    ----------
    caster
        Angle to the vertical seen from the side, positive with the top rearward [rad].
    kingpin
        Kingpin inclination: angle to the vertical seen from the front, positive with the top inward [rad].
    scrub_radius
        From the axis to the contact point on the ground, across the wheel's heading, positive with the axis inboard
        [m].
    mechanical_trail
        From the contact point to the axis on the ground, along the wheel's heading, positive with the axis ahead [m].
    """

    caster: Array
    kingpin: Array
    scrub_radius: Array
    mechanical_trail: Array


def instantaneous_steering_axis(at: Measured, rack: Neighbours) -> SteeringAxis:
    """Axis of the screw that each carrier moves along when the rack moves and the wheel centre keeps its height."""
    turn, velocity = rack.spin(), rack.rate("centre")
    rate = np.linalg.norm(turn, axis=-1, keepdims=True)
    turn = np.where(rate > _NO_TURN, turn, np.nan)
    point = at.centre + np.cross(turn, velocity) / rate**2
    return _steering_axis(at, point, turn)


def steering_axis_through(at: Measured, lower: Array, upper: Array) -> SteeringAxis:
    """Axis through two points of each carrier, such as its ball joints, shape (n, 2, 3) [m]."""
    return _steering_axis(at, lower, upper - lower)


def _steering_axis(at: Measured, point: Array, direction: Array) -> SteeringAxis:
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = direction / direction[..., 2:]
        on_ground = point + slope * (at.contact[..., 2:] - point[..., 2:])
    steer = at.angles[..., 2]
    heading = np.stack((np.cos(steer), np.sin(steer)), axis=-1)
    outward = _SIGNS[:, None] * np.stack((-np.sin(steer), np.cos(steer)), axis=-1)
    arm = at.contact[..., :2] - on_ground[..., :2]
    return SteeringAxis(
        np.arctan(-slope[..., 0]),
        np.arctan(-_SIGNS * slope[..., 1]),
        np.einsum("nki,nki->nk", arm, outward),
        -np.einsum("nki,nki->nk", arm, heading),
    )


def slopes_of_paths(motion: Neighbours) -> Array:
    """Slopes dz/dy of the lines through the contact points normal to their paths, shape (n, 2).

    The path is that of the contact point against the body in a motion: when one wheel rises and the other falls.
    """
    velocity = motion.rate("contact")
    return np.asarray(-velocity[..., 1] / velocity[..., 2])


def projected_slopes(at: Measured, motion: Neighbours) -> Array:
    """Slopes dz/dy of the lines from the contact points to the instant centres of the carriers, shape (n, 2).

    The motion of each carrier is projected on the transverse plane, where it turns about one point: the instant centre
    of the front view. A carrier that does not turn has it at infinity; the line is then normal to the path of the
    wheel centre.
    """
    turn, velocity = motion.spin()[..., 0], motion.rate("centre")
    arm = at.contact - at.centre
    # from the contact point to the instant centre, times the rate of turning, which may vanish
    y = -velocity[..., 2] - arm[..., 1] * turn
    z = velocity[..., 1] - arm[..., 2] * turn
    return np.asarray(z / y)


def roll_centre(at: Measured, slopes: Array) -> tuple[Array, Array]:
    """Where the lines of both wheels meet: height above the ground and y in V [m].

    Lines that are parallel meet the middle of the axle; the height is then their mean there.
    """
    y, z = at.contact[..., 1], at.contact[..., 2]
    ground = z.mean(axis=-1)
    difference = slopes[:, 0] - slopes[:, 1]
    level = (z[:, 1] - slopes[:, 1] * y[:, 1]) - (z[:, 0] - slopes[:, 0] * y[:, 0])
    parallel = np.abs(difference) < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.where(parallel, y.mean(axis=-1), level / np.where(parallel, 1.0, difference))
    height = (z + slopes * (place[:, None] - y)).mean(axis=-1) - ground
    return height, place


def support(parallel: Neighbours, at: Measured, turn: str) -> Array:
    """How far a longitudinal force at the contact patches carries the wheels forward as they rise [-], shape (n, 2).

    This is dx/dz of the contact point if the torque about the spin axis is held by the carrier, and dx/dz of the wheel
    centre if it is held by the body: by virtual power, the force times this number acts on the wheel travel.

    Parameters
    ----------
    turn
        ``brake_turn`` or ``drive_turn``: which body takes the torque.
    """
    forward = parallel.rate("centre")[..., 0]
    axis = at.rotation[..., 1]
    moment = np.cross(at.contact - at.centre, np.array([1.0, 0.0, 0.0]))
    torque = np.einsum("nki,nki->nk", moment, axis)[..., None] * axis
    carrier, reaction = parallel.spin(), parallel.rate(turn)
    return np.asarray(
        forward + np.einsum("nki,nki->nk", moment - torque, carrier) + np.einsum("nki,nki->nk", torque, reaction)
    )


def ackermann(steer: Array, straight: Array, track: float, wheelbase: float) -> tuple[Array, Array]:
    """Ackermann error [rad] and percentage [%] of steer angles of shape (n, 2), measured from those of straight ahead.

    The error is the inner wheel's angle less the one that would let both wheels roll about one centre, given that of
    the outer wheel. The percentage is the difference of both wheels over that of ideal steering; it is not a number
    near straight ahead.
    """
    turned = steer - straight
    left_turn = turned.sum(axis=1) >= 0
    inner = np.where(left_turn, turned[:, 0], -turned[:, 1])
    outer = np.where(left_turn, turned[:, 1], -turned[:, 0])
    ideal = np.arctan2(np.sin(outer), np.cos(outer) - track / wheelbase * np.sin(outer))
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = np.where(np.abs(ideal - outer) > 1e-4, 100.0 * (inner - outer) / (ideal - outer), np.nan)
    return inner - ideal, percent

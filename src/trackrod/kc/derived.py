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
    "projected_slopes",
    "roll_centre",
    "slopes_of_carriers",
    "slopes_of_paths",
    "steering_axis_at_height",
    "steering_axis_at_springs",
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
    kingpin_offset, caster_offset
        The same two at the height of the wheel centre: from the axis to the wheel centre across the heading, and from
        the wheel centre to the axis along it [m].
    """

    caster: Array
    kingpin: Array
    scrub_radius: Array
    mechanical_trail: Array
    kingpin_offset: Array
    caster_offset: Array


def steering_axis_at_height(at: Measured, rack: Neighbours) -> SteeringAxis:
    """Axis of the screw that each carrier moves along when the rack moves and the wheel centre keeps its height."""
    return _screw_axis(at, rack.spin(), rack.rate("centre"))


def steering_axis_at_springs(
    at: Measured, rack: Neighbours, along: Neighbours, across: Neighbours, springs: Array
) -> SteeringAxis:
    """Axis of the screw that each carrier moves along when the rack moves and its spring keeps its length.

    The motion is that of the rack with as much travel as keeps the readings of both springs. With ball joints it is
    the line through them: a locked spring holds the arm that carries it, and so both joints.

    Parameters
    ----------
    rack, along, across
        Motions of the rack, and of both wheels in parallel and in opposite travel. Where `across` is `along`, each
        wheel travels for itself.
    springs
        Shares of the readings in what is locked at the left and at the right wheel, shape (2, gauges).
    """
    by_rack, by_along, by_across = (motion.rate("readings") @ springs.T for motion in (rack, along, across))
    with np.errstate(divide="ignore", invalid="ignore"):
        if across is along:
            parallel, opposite = -by_rack / by_along, np.zeros_like(by_rack)
        else:
            left, right = np.moveaxis(np.stack((by_along, by_across), axis=-1), 1, 0)  # (n, motions) of each wheel
            size = left[:, 0] * right[:, 1] - left[:, 1] * right[:, 0]
            parallel = ((left[:, 1] * by_rack[:, 1] - right[:, 1] * by_rack[:, 0]) / size)[:, None]
            opposite = ((right[:, 0] * by_rack[:, 0] - left[:, 0] * by_rack[:, 1]) / size)[:, None]
    turn, velocity = (
        of(rack) + parallel[..., None] * of(along) + opposite[..., None] * of(across)
        for of in (Neighbours.spin, lambda motion: motion.rate("centre"))
    )
    return _screw_axis(at, turn, velocity)


def _screw_axis(at: Measured, turn: Array, velocity: Array) -> SteeringAxis:
    """Axis of the screw of carriers that turn [rad/m] while their wheel centres move [-], shapes (n, 2, 3)."""
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
    steer = at.angles[..., 2]
    heading = np.stack((np.cos(steer), np.sin(steer)), axis=-1)
    outward = _SIGNS[:, None] * np.stack((-np.sin(steer), np.cos(steer)), axis=-1)

    def offsets(place: Array) -> tuple[Array, Array]:
        """From the axis to a place across the heading, and back along it, at the height of the place."""
        arm = (place - point - slope * (place[..., 2:] - point[..., 2:]))[..., :2]
        return np.einsum("nki,nki->nk", arm, outward), -np.einsum("nki,nki->nk", arm, heading)

    return SteeringAxis(
        np.arctan(-slope[..., 0]), np.arctan(-_SIGNS * slope[..., 1]), *offsets(at.contact), *offsets(at.centre)
    )


def slopes_of_paths(motion: Neighbours) -> Array:
    """Slopes dz/dy of the lines through the contact points normal to their paths, shape (n, 2).

    The path is that of the contact point against the body in a motion: when one wheel rises and the other falls.
    """
    velocity = motion.rate("contact")
    return np.asarray(-velocity[..., 1] / velocity[..., 2])


def slopes_of_carriers(at: Measured, motion: Neighbours) -> Array:
    """Slopes dz/dy of the lines normal to the paths of the carriers' own points at the contact, shape (n, 2).

    The point is fixed to the carrier, as a wheel that is braked fast has it: it swings with the carrier's pitch and
    steer, where the contact point of `slopes_of_paths` stays below the wheel centre.
    """
    velocity = motion.rate("centre") + np.cross(motion.spin(), at.contact - at.centre)
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

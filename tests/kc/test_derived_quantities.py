"""Quantities derived from the motion of wheels, for carriers moved by hand: left and right differ everywhere."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.kc.derived import (
    SteeringAxis,
    ackermann,
    projected_slopes,
    roll_centre,
    slopes_of_carriers,
    slopes_of_paths,
    steering_axis_at_height,
    steering_axis_at_springs,
    steering_axis_through,
    support,
)
from trackrod.kc.measure import Measured, Neighbours
from trackrod.kc.orientation import rotation_of, wheel_angles

Array = NDArray[np.float64]

ANGLES = np.array([[0.02, 0.01, 0.30], [-0.03, 0.02, 0.22]])  # inclination, pitch, steer
CENTRE = np.array([[1.3, 0.75, 0.31], [1.2, -0.70, 0.28]])
CONTACT = np.array([[1.31, 0.77, 0.02], [1.19, -0.73, -0.01]])
WAY = 2e-4


def at_rest() -> Measured:
    nothing = np.zeros((1, 2, 3))
    return Measured(
        centre=CENTRE[None],
        contact=CONTACT[None],
        rotation=rotation_of(ANGLES)[None],
        angles=ANGLES[None],
        wheel_load=np.zeros((1, 2)),
        rack_force=np.zeros(1),
        readings=np.zeros((1, 0)),
        brake_turn=nothing,
        drive_turn=nothing,
    )


def moved(velocity: Array, spin: Array, way: float = WAY, *, brake: Array | None = None) -> Neighbours:
    """Neighbours of a motion with these velocities of the wheel centres and spins of the carriers, per metre."""

    def beside(part: float) -> Measured:
        turn = Rotation.from_rotvec(part * spin).as_matrix()
        centre = CENTRE + part * velocity
        contact = centre + np.einsum("kij,kj->ki", turn, CONTACT - CENTRE)
        rotation = turn @ rotation_of(ANGLES)
        held = np.zeros((1, 2, 3)) if brake is None else part * brake[None]
        return replace(
            at_rest(), centre=centre[None], contact=contact[None], rotation=rotation[None],
            angles=wheel_angles(rotation)[None], brake_turn=held,
        )  # fmt: skip

    return Neighbours(beside(0.5 * way), beside(-0.5 * way), np.array([way]))


def test_rates_and_spins_are_those_of_the_motion() -> None:
    velocity = np.array([[0.1, -0.2, 1.0], [0.3, 0.4, 1.1]])
    spin = np.array([[0.5, -0.7, 0.9], [-0.2, 0.3, 1.4]])
    motion = moved(velocity, spin)
    np.testing.assert_allclose(motion.rate("centre")[0], velocity, rtol=1e-9)
    np.testing.assert_allclose(motion.spin()[0], spin, rtol=1e-6)
    far = moved(velocity, spin, way=0.8)  # a turn of up to 1.1 rad
    np.testing.assert_allclose(far.spin()[0], spin, rtol=1e-9)
    assert not moved(velocity, np.zeros((2, 3))).spin().any()


#: Ball joints: the left axis leans 100 mm rearward and 40 mm inward over 250 mm, the right one forward and outward.
LOWER = np.array([[1.32, 0.70, 0.20], [1.21, -0.66, 0.18]])
UPPER = np.array([[1.22, 0.66, 0.45], [1.23, -0.69, 0.46]])


def by_hand(side: int) -> list[float]:
    """Caster, kingpin inclination, scrub radius, mechanical trail, and both offsets at the wheel centre."""
    sign = (1.0, -1.0)[side]
    dx, dy, dz = UPPER[side] - LOWER[side]
    found = [float(np.arctan(-dx / dz)), float(np.arctan(-sign * dy / dz))]
    steer = ANGLES[side, 2]
    for place in (CONTACT[side], CENTRE[side]):
        share = (place[2] - LOWER[side, 2]) / dz
        to_axis = (LOWER[side] + share * (UPPER[side] - LOWER[side]) - place)[:2]
        left = float(to_axis @ [-np.sin(steer), np.cos(steer)])
        found += [-sign * left, float(to_axis @ [np.cos(steer), np.sin(steer)])]
    return found


@pytest.mark.parametrize("side", [0, 1])
def test_steering_axis(side: int) -> None:
    turn = (UPPER - LOWER) / np.linalg.norm(UPPER - LOWER, axis=1)[:, None] * np.array([[9.0], [7.0]])
    velocity = np.cross(turn, CENTRE - LOWER)
    for axis in (
        steering_axis_through(at_rest(), LOWER[None], UPPER[None]),
        steering_axis_at_height(at_rest(), moved(velocity, turn)),
    ):
        assert of_axis(axis, side) == pytest.approx(by_hand(side), rel=1e-5)


def of_axis(axis: SteeringAxis, side: int) -> list[float]:
    return [float(getattr(axis, field.name)[0, side]) for field in fields(axis)]


@pytest.mark.parametrize("side", [0, 1])
def test_springs_are_locked_by_travel_of_both_wheels(side: int) -> None:
    """Motion about the joints, with travel of both kinds mixed into that of the rack: the springs tell how much."""
    turn = (UPPER - LOWER) * 30.0
    along, across = (
        (np.array([[0.1, s * 0.2, 1.0], [0.1, -0.2, s]]), np.array([[0.3, 0.1, 0.2], [0.2, 0.1, s * 0.3]]))
        for s in (1.0, -1.0)
    )
    mixed = 0.4, -0.7
    velocity = np.cross(turn, CENTRE - LOWER) + mixed[0] * along[0] + mixed[1] * across[0]
    rate = {"along": np.array([0.6, 0.5, 9.0]), "across": np.array([0.7, -0.3, 9.0])}
    of_rack = mixed[0] * rate["along"] + mixed[1] * rate["across"]
    motions = (
        with_readings(moved(velocity, turn + mixed[0] * along[1] + mixed[1] * across[1]), of_rack),
        with_readings(moved(*along), rate["along"]),
        with_readings(moved(*across), rate["across"]),
    )
    locked = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    axis = steering_axis_at_springs(at_rest(), *motions, springs=locked)
    assert of_axis(axis, side) == pytest.approx(by_hand(side), rel=1e-5)


def with_readings(motion: Neighbours, rate: Array) -> Neighbours:
    half = 0.5 * WAY * rate[None]
    return replace(motion, ahead=replace(motion.ahead, readings=half), behind=replace(motion.behind, readings=-half))


def test_a_wheel_that_is_not_steered_has_no_axis() -> None:
    turn = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 0.0]])
    axis = steering_axis_at_height(at_rest(), moved(np.zeros((2, 3)), turn))
    assert axis.caster[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(axis.caster[0, 1])
    assert np.isnan(axis.scrub_radius[0, 1])


#: Instant centres of the front view (y, z) of both carriers.
POLES = np.array([[-0.6, 0.25], [0.9, 0.12]])


def about_poles(rates: Array) -> Neighbours:
    """Both carriers turn about their poles in the transverse plane."""
    spin = np.zeros((2, 3))
    spin[:, 0] = rates
    poles = np.column_stack((CENTRE[:, 0], POLES))
    return moved(np.cross(spin, CENTRE - poles), spin)


def test_slopes_lead_to_the_instant_centres() -> None:
    motion = about_poles(np.array([0.7, -0.6]))
    towards = (POLES[:, 1] - CONTACT[:, 2]) / (POLES[:, 0] - CONTACT[:, 1])
    np.testing.assert_allclose(projected_slopes(at_rest(), motion)[0], towards, rtol=1e-6)
    np.testing.assert_allclose(slopes_of_paths(motion)[0], towards, rtol=1e-6)
    sliding = moved(np.array([[0.0, 0.2, 1.0], [0.0, -0.1, 1.0]]), np.zeros((2, 3)))  # poles at infinity
    np.testing.assert_allclose(projected_slopes(at_rest(), sliding)[0], [-0.2, 0.1], rtol=1e-9)


def test_a_point_of_the_carrier_swings_with_its_pitch_where_the_lowest_point_does_not() -> None:
    """A wheel that only pitches about its spin axis: the contact stays below the centre, the carrier's point leaves."""
    axis = rotation_of(ANGLES)[..., 1]
    rising = np.array([[0.0, 0.0, 1.0]] * 2)
    motion = moved(rising, 2.0 * axis)
    path = rising + np.cross(2.0 * axis, CONTACT - CENTRE)
    np.testing.assert_allclose(slopes_of_carriers(at_rest(), motion)[0], -path[:, 1] / path[:, 2], rtol=1e-6)
    below = replace(motion, ahead=lowest(motion.ahead), behind=lowest(motion.behind))
    np.testing.assert_allclose(slopes_of_paths(below)[0], 0.0, atol=1e-9)
    assert (np.abs(slopes_of_carriers(at_rest(), below)) > 0.1).all()


def lowest(at: Measured) -> Measured:
    axis = at.rotation[..., 1]
    down = axis * axis[..., 2:] - np.array([0.0, 0.0, 1.0])
    return replace(at, contact=at.centre + 0.3 * down / np.linalg.norm(down, axis=-1, keepdims=True))


def test_roll_centre_is_where_the_lines_meet() -> None:
    y, z = 0.11, 0.09
    slopes = (z - CONTACT[:, 2]) / (y - CONTACT[:, 1])
    height, place = roll_centre(at_rest(), slopes[None])
    assert place[0] == pytest.approx(y)
    assert height[0] == pytest.approx(z - CONTACT[:, 2].mean())
    height, place = roll_centre(at_rest(), np.array([[0.1, 0.1]]))  # parallel: the mean of both in the middle
    assert place[0] == pytest.approx(CONTACT[:, 1].mean())
    assert height[0] == pytest.approx(0.0, abs=1e-12)


def test_support_is_the_path_of_what_the_force_acts_on() -> None:
    """A brake held by the carrier carries the contact point, a torque held by the body the wheel centre."""
    velocity = np.array([[0.05, -0.02, 1.0], [-0.03, 0.04, 1.0]])
    spin = np.array([[0.3, -0.8, 0.2], [0.1, -0.5, -0.4]])
    motion = moved(velocity, spin, brake=spin)
    path_of_contact = velocity + np.cross(spin, CONTACT - CENTRE)
    np.testing.assert_allclose(support(motion, at_rest(), "brake_turn")[0], path_of_contact[:, 0], rtol=1e-6)
    # the part of the spin about the wheel's own axis does not reach the force when the body holds the torque
    axis = rotation_of(ANGLES)[:, :, 1]
    across = spin - np.einsum("ki,ki->k", spin, axis)[:, None] * axis
    expected = velocity + np.cross(across, CONTACT - CENTRE)
    np.testing.assert_allclose(support(motion, at_rest(), "drive_turn")[0], expected[:, 0], rtol=1e-6)


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_ackermann_counts_from_straight_ahead(turn: float) -> None:
    """To the left the left wheel is the inner one; with parallel steering 0 %, with half of the ideal 50 %."""
    track, wheelbase, outer = 1.5, 2.7, 0.3
    # both wheels roll about one centre: cot(outer) − cot(inner) = track / wheelbase
    ideal = float(np.arctan(1.0 / (1.0 / np.tan(outer) - track / wheelbase)))
    straight = np.array([-0.004, 0.007])
    for share in (0.0, 0.5, 1.0):
        inner = outer + share * (ideal - outer)
        wheels = (inner, outer) if turn > 0 else (-outer, -inner)
        error, percent = ackermann(straight + np.array([wheels]), straight, track, wheelbase)
        assert percent[0] == pytest.approx(100.0 * share, abs=1e-9)
        assert error[0] == pytest.approx(inner - ideal, abs=1e-12)
    assert np.isnan(ackermann(straight[None], straight, track, wheelbase)[1]).all()

"""The laws of the driver, number by number, as their descriptions say them."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.manoeuvres.controls import FollowPath, HoldSpeed, PressBrake, SteerTo
from trackrod.manoeuvres.manoeuvre import DECISION, PedalControl, Sample
from trackrod.manoeuvres.paths import Path, Tracker, circle_path, lane_path

STEPS = np.arange(1, 11) * 1e-3


def sample(time: float = 0.0, **values: float) -> Sample:
    known = {
        "x_m": 0.0,
        "y_m": 0.0,
        "steering_wheel_angle_rad": 0.0,
        "throttle": 0.0,
        "brake": 0.0,
        "vx_mps": 20.0,
        "vy_mps": 0.0,
    }
    return Sample(time, {**known, **values})


def pedals(control: PedalControl, time: float, speed: float) -> tuple[float, float]:
    """Throttle and brake, which are constant until the next decision."""
    throttle, brake = control(time + STEPS, sample(time, vx_mps=speed))
    assert throttle.shape == brake.shape == STEPS.shape
    assert np.ptp(throttle) == np.ptp(brake) == 0.0
    return float(throttle[0]), float(brake[0])


def test_speed_law_of_a_fast_vehicle() -> None:
    """P = 1.2 s/m, I = 1 1/m, a fifth on the brake; the integral stops where a pedal is at its end."""
    control = HoldSpeed(25.0).begin(sample(vx_mps=24.0, throttle=0.1))  # integral 0.1 − 1.2·1, cut to 0
    assert pedals(control, 0.00, 24.0) == (1.0, 0.0)  # 1.2, at its end: no integral
    assert pedals(control, 0.01, 24.8) == pytest.approx((1.2 * 0.2 + 0.002, 0.0))
    assert pedals(control, 0.02, 26.0) == pytest.approx((0.0, 0.2))  # −1.2 + 0.002, at its end
    assert pedals(control, 0.03, 25.5) == pytest.approx((0.0, 0.2 * (1.2 * 0.5 - 0.002 + 0.005)))
    assert pedals(control, 0.04, 25.0) == pytest.approx((0.0, 0.2 * 0.003))


def test_speed_law_begins_at_the_present_throttle() -> None:
    control = HoldSpeed(25.0).begin(sample(vx_mps=24.9, throttle=0.5))
    assert pedals(control, 0.0, 24.9) == pytest.approx((0.5 + 0.001, 0.0))
    full = HoldSpeed(25.0).begin(sample(vx_mps=25.5, throttle=0.9))  # 0.9 + 0.6, cut to 1
    assert pedals(full, 0.0, 25.5) == pytest.approx((1.0 - 0.6 - 0.005, 0.0))


def test_speed_law_leaves_an_end_again() -> None:
    """At full throttle with an error below zero, and at full brake above zero, the integral goes on."""
    control = HoldSpeed(25.0).begin(sample(vx_mps=25.0, throttle=1.0))
    assert pedals(control, 0.00, 25.001)[0] == pytest.approx(1.0 - 0.0012 - 0.00001)
    growing = HoldSpeed(25.0, rate=1.0).begin(sample(vx_mps=25.0, throttle=0.2))
    assert pedals(growing, 0.5, 25.4) == pytest.approx((1.2 * 0.1 + 0.2 + 0.001, 0.0))  # wanted are 25.5 m/s


def test_speed_law_stops_its_integral_by_the_whole_law() -> None:
    """0.995 of the integral and 0.012 of the error are at the end together: nothing is added."""
    control = HoldSpeed(25.0).begin(sample(vx_mps=25.0, throttle=0.995))
    assert pedals(control, 0.00, 24.99) == (1.0, 0.0)
    assert pedals(control, 0.01, 25.0) == pytest.approx((0.995, 0.0))


def test_speed_law_at_walking_pace() -> None:
    """At half of 13 m/s half of P and all of I, at half of 6.5 m/s a quarter of both."""
    control = HoldSpeed(6.5).begin(sample(vx_mps=6.5))
    assert pedals(control, 0.0, 6.4) == pytest.approx((0.6 * 0.1 + 0.1 * DECISION, 0.0))
    control = HoldSpeed(3.25).begin(sample(vx_mps=3.25))
    assert pedals(control, 0.0, 3.15) == pytest.approx((0.3 * 0.1 + 0.25 * 0.1 * DECISION, 0.0))


def test_speed_law_without_the_brake() -> None:
    control = HoldSpeed(25.0, brakes=False).begin(sample(vx_mps=25.0, throttle=0.3))
    assert pedals(control, 0.00, 26.0) == (0.0, 0.0)  # 0.3 − 1.2, at its end
    assert pedals(control, 0.01, 25.0) == pytest.approx((0.3, 0.0))  # nothing was lost


STRAIGHT = Path(np.array([0.0, 500.0]), np.array([0.0, 0.0]))


def wanted(law: FollowPath, **now: float) -> np.ndarray:
    return law.begin(sample())(STEPS, sample(**now))


def test_path_follower_steers_along_a_circle_through_the_point_ahead() -> None:
    """κ = 2 e/d², e across the course, which is heading plus sideslip angle."""
    law = FollowPath(STRAIGHT, preview=0.5, angle_per_curvature=3.0, rate=1e6)
    angles = wanted(law, x_m=7.0, y_m=1.0, yaw_rad=0.10, sideslip_rad=0.05, vx_mps=20.0, vy_mps=1.0)
    ahead = 0.5 * np.hypot(20.0, 1.0)
    to_point = np.array([ahead, -1.0])
    e = to_point @ np.array([-np.sin(0.15), np.cos(0.15)])
    angle = 3.0 * 2.0 * e / (to_point @ to_point)
    assert angles == pytest.approx(angle * np.arange(1, 11) / 10.0)  # reached in a straight line at the next decision
    slow = wanted(law, x_m=7.0, y_m=0.5, yaw_rad=0.0, sideslip_rad=0.0, vx_mps=1.0)  # L is 3 m at least
    assert slow[-1] == pytest.approx(-3.0 * 2.0 * 0.5 / (9.0 + 0.25))


def test_path_follower_has_a_largest_rate_and_angle() -> None:
    now = {"x_m": 7.0, "y_m": 3.0, "yaw_rad": 0.0, "sideslip_rad": 0.0}
    fast = FollowPath(STRAIGHT, 0.5, angle_per_curvature=30.0, rate=2.0)
    control = fast.begin(sample(steering_wheel_angle_rad=0.1))
    assert control(STEPS, sample(**now))[[0, -1]] == pytest.approx([0.098, 0.08])
    assert control(0.01 + STEPS, sample(0.01, **now))[[0, -1]] == pytest.approx([0.078, 0.06])
    now["y_m"] = -3.0
    assert control(0.02 + STEPS, sample(0.02, **now))[-1] == pytest.approx(0.08)
    far = FollowPath(STRAIGHT, 0.5, angle_per_curvature=3000.0, rate=1e6, largest=0.7)
    assert wanted(far, **now)[-1] == pytest.approx(0.7)
    assert wanted(far, **{**now, "y_m": 3.0})[-1] == pytest.approx(-0.7)
    assert FollowPath(STRAIGHT, 0.5, 1.0).largest == pytest.approx(3 * np.pi)
    assert FollowPath(STRAIGHT, 0.5, 1.0).rate == pytest.approx(1000.0 * np.pi / 180.0)


def test_brake_pedal_goes_from_where_it_is() -> None:
    throttle, brake = PressBrake(0.5, 0.4).begin(sample(brake=0.1))(np.array([0.1, 0.4, 0.9]), sample())
    assert brake == pytest.approx([0.2, 0.5, 0.5])
    assert not throttle.any()
    _, at_once = PressBrake(0.5, 0.0).begin(sample(brake=0.1))(np.array([1e-3]), sample())
    assert at_once == pytest.approx([0.5])


def test_steering_goes_both_ways_from_where_it_is() -> None:
    right = SteerTo(-0.3, 2.0).begin(sample(steering_wheel_angle_rad=0.1))
    assert right(np.array([0.1, 0.2, 0.5]), sample()) == pytest.approx([-0.1, -0.3, -0.3])


# paths ------------------------------------------------------------------------------------------------------


def test_place_along_and_beside_a_bent_path() -> None:
    """3 m along x, then on along (0.8, 0.6); left of the path is positive."""
    path = Path(np.array([0.0, 3.0, 11.0]), np.array([0.0, 0.0, 6.0]))
    assert path.length == pytest.approx([0.0, 3.0, 13.0])
    assert path.point(5.0) == pytest.approx((3.0 + 1.6, 1.2))
    assert path.point(18.0) == pytest.approx((11.0 + 4.0, 6.0 + 3.0))
    tracker = Tracker(path)
    assert tracker.locate(1.0, -0.5) == pytest.approx((1.0, -0.5))
    # 2.5 m along the second piece, 1.5 m to its right
    assert tracker.locate(3.0 + 2.0 + 0.9, 1.5 - 1.2) == pytest.approx((5.5, -1.5))
    # 7 m beyond the end, 2 m to the left
    tracker.s = 12.0
    assert tracker.locate(11.0 + 5.6 - 1.2, 6.0 + 4.2 + 1.6) == pytest.approx((20.0, 2.0))
    behind = Tracker(path)
    assert behind.locate(-2.0, 1.0) == pytest.approx((0.0, np.hypot(2.0, 1.0)))  # before the beginning


def test_a_tracker_stays_on_its_branch() -> None:
    """Where a path comes back to itself, the nearest point is looked for 5 m behind and 20 m ahead only."""
    there_and_back = Path(
        np.concatenate((np.arange(0.0, 101.0), np.arange(100.0, -1.0, -1.0))),
        np.concatenate((np.zeros(101), np.ones(101))),
    )
    tracker = Tracker(there_and_back)
    tracker.s = 38.0
    assert tracker.locate(40.0, 0.9) == pytest.approx((40.0, 0.9))
    tracker.s = 160.0
    assert tracker.locate(40.0, 0.9) == pytest.approx((161.0, 0.1))
    assert (Tracker.BEHIND, Tracker.AHEAD) == (5.0, 20.0)


def test_lane_change_is_half_a_cosine() -> None:
    path = lane_path([(0.0, 1.0), (8.0, 1.0), (20.0, 4.0), (26.0, 4.0)])
    x = np.array([4.0, 8.0, 11.0, 14.0, 17.0, 20.0, 26.0])
    rise = 1.5 * (1.0 - np.cos(np.pi * np.clip((x - 8.0) / 12.0, 0.0, 1.0)))
    assert np.interp(x, path.x, path.y) == pytest.approx(1.0 + rise, abs=1e-3)
    assert (path.x[0], path.x[-1]) == (0.0, 26.0)
    assert np.diff(path.x).max() <= 0.25 + 1e-12


def test_circle_comes_after_a_straight_and_a_transition() -> None:
    path = circle_path(50.0, 1.0, straight=10.0, transition=20.0, turns=0.5)
    assert path.length[-1] == pytest.approx(30.0 + np.pi * 50.0, rel=1e-4)
    heading = np.arctan2(path.dy, path.dx)
    middle = 0.5 * (path.length[1:] + path.length[:-1])
    # curvature grows over the transition: heading (s − 10)²/(2·20·50), then (s − 20)/50
    expected = np.where(middle < 30.0, np.maximum(middle - 10.0, 0.0) ** 2 / 2000.0, (middle - 20.0) / 50.0)
    assert heading[middle < 150.0] == pytest.approx(expected[middle < 150.0], abs=1e-3)
    assert np.diff(path.length).max() <= 0.25 + 1e-9

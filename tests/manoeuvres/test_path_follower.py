"""The driver who looks ahead: the law of the path follower at states without zeros."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.manoeuvres.controls import FollowPath
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.manoeuvre import DECISION, Sample
from trackrod.manoeuvres.paths import Path, Tracker, circle_path

PREVIEW, GAIN = 1.0, 30.0
STRAIGHT = Path(np.array([0.0, 500.0]), np.array([0.0, 0.0]))


def commanded(x: float, y: float, yaw: float, sideslip: float, speed: float, path: Path = STRAIGHT) -> float:
    """Steering-wheel angle at the next decision [rad] of a driver who turns the wheel as fast as he likes."""
    values = {"x_m": x, "y_m": y, "yaw_rad": yaw, "sideslip_rad": sideslip, "steering_wheel_angle_rad": 0.0}
    values |= {"vx_mps": speed * np.cos(sideslip), "vy_mps": speed * np.sin(sideslip)}
    now = Sample(0.0, values)
    law = FollowPath(path, PREVIEW, GAIN, rate=1e6, largest=1e3).begin(now)
    return float(law(np.array([0.5, 1.0]) * DECISION, now)[-1])


angles = st.floats(-0.3, 0.3)


@given(yaw=angles, sideslip=angles, y=st.floats(-2.0, 2.0), speed=st.floats(5.0, 40.0))
def test_the_circle_leaves_along_the_course(yaw: float, sideslip: float, y: float, speed: float) -> None:
    """The circle that is tangent to the velocity in E and goes through the point ahead, found by its centre.

    The centre lies on the normal to the velocity at the distance R; |centre − point ahead| = R gives R.
    """
    velocity = speed * np.array([np.cos(yaw + sideslip), np.sin(yaw + sideslip)])
    here, ahead = np.array([50.0, y]), np.array([50.0 + max(PREVIEW * speed, 3.0), 0.0])
    normal = np.array([-velocity[1], velocity[0]]) / speed
    way = ahead - here
    curvature = 2.0 * (normal @ way) / (way @ way)
    if abs(curvature) > 1e-9:
        centre = here + normal / curvature
        assert np.linalg.norm(centre - ahead) == pytest.approx(abs(1.0 / curvature), rel=1e-6)
    assert commanded(*here, yaw, sideslip, speed) == pytest.approx(GAIN * curvature, rel=1e-9, abs=1e-12)


def test_who_slides_along_the_path_does_not_steer() -> None:
    """Yaw and sideslip cancel: the vehicle points off the path and moves along it."""
    assert commanded(30.0, 0.0, -0.08, 0.08, 20.0) == pytest.approx(0.0, abs=1e-12)
    assert commanded(30.0, 0.0, -0.08, 0.0, 20.0) > 0.1
    assert commanded(30.0, 0.0, 0.0, 0.08, 20.0) < -0.1


def test_he_looks_ahead_by_speed_and_no_less_than_the_shortest() -> None:
    assert commanded(30.0, -1.0, 0.0, 0.0, 20.0) == pytest.approx(GAIN * 2.0 / (20.0**2 + 1.0), rel=1e-9)
    assert commanded(30.0, -1.0, 0.0, 0.0, 1.0) == pytest.approx(GAIN * 2.0 / (3.0**2 + 1.0), rel=1e-9)


def test_he_takes_up_the_path_where_he_is() -> None:
    """A phase that begins far along the path goes on as the one before it: nothing is steered for what lies behind."""
    course = DoubleLaneChange(speed_kmh=72.0).path()
    assert commanded(float(course.x[-1]) + 0.1, 0.0, 0.0, 0.0, 20.0, course) == pytest.approx(0.0, abs=1e-12)
    circle = circle_path(100.0, 1.0, straight=10.0, transition=30.0, turns=12.0)
    (x, y), (ahead_x, ahead_y) = circle.point(65.0), circle.point(65.01)
    heading = float(np.arctan2(ahead_y - y, ahead_x - x))
    assert commanded(x, y, heading, 0.0, 10.0, circle) == pytest.approx(GAIN / 100.0, rel=0.05)


def test_on_a_circle_he_begins_with_the_first_lap() -> None:
    circle = circle_path(100.0, 1.0, straight=10.0, transition=30.0, turns=12.0)
    tracker = Tracker.at(circle, *circle.point(65.0 + 5 * 200.0 * np.pi))
    assert tracker.s == pytest.approx(65.0, abs=0.25)


def test_the_wheel_turns_no_faster_and_no_farther_than_allowed() -> None:
    now = Sample(
        0.0,
        {"x_m": 30.0, "y_m": -3.0, "yaw_rad": 0.0, "sideslip_rad": 0.0, "steering_wheel_angle_rad": 0.05}
        | {"vx_mps": 5.0, "vy_mps": 0.0},
    )
    times = np.array([0.5, 1.0]) * DECISION
    slow = FollowPath(STRAIGHT, PREVIEW, GAIN, rate=2.0).begin(now)
    assert slow(times, now) == pytest.approx([0.05 + 0.5 * 2.0 * DECISION, 0.05 + 2.0 * DECISION])
    stopped = FollowPath(STRAIGHT, PREVIEW, GAIN, rate=1e6, largest=0.3).begin(now)
    assert stopped(times, now)[-1] == pytest.approx(0.3)

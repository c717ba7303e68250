"""What a tyre makes of an uneven road: two cams against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.constants import constant
from trackrod.road.surface import RoadSurface

RADIUS, WIDTH, DEFLECTION = 0.33, 0.2, 0.025
FINE = 0.001  # from row to row of the road [m]


def half_distance(deflection: float = DEFLECTION) -> float:
    """Half the distance of the cams [m]: that of the contact's length by its two coefficients."""
    part = deflection / RADIUS
    return 0.8 * RADIUS * (0.671 * part + 0.733 * np.sqrt(part))


def cam(ahead: np.ndarray) -> np.ndarray:
    """Height of an ellipse of order 1.8, half axes R, above its lowest point [m]."""
    inside = np.minimum(np.abs(ahead) / RADIUS, 1.0)
    return np.where(inside < 1.0, RADIUS * (1.0 - (1.0 - inside**1.8) ** (1.0 / 1.8)), np.inf)


def step(height: float, at: float = 2.0) -> RoadSurface:
    x = FINE * np.arange(round(4.0 / FINE) + 1)
    return RoadSurface.profile("step", FINE, np.where(x >= at - 1e-9, height, 0.0))


def planes(road: RoadSurface, places: np.ndarray, deflection: float = DEFLECTION, y: float = 1.0) -> np.ndarray:
    """Height, slope along x, slope along y at places along x."""
    follower = road.follower(np.array([[RADIUS, WIDTH, deflection]]), (0.0, 0.0, 0.0))
    return np.array([follower.under(0, (x, y), (1.0, 0.0))[:3] for x in places])


@pytest.mark.parametrize("height", [0.02, 0.06])
def test_a_step_up_is_met_as_the_ellipse_meets_its_edge(height: float) -> None:
    """Each cam stands as high as its surface lets it over the edge; the plane has their mean and their difference."""
    places, half = np.linspace(1.5, 2.3, 81), half_distance()

    def touched(x: np.ndarray) -> np.ndarray:
        return np.where(x >= 2.0, height, np.maximum(height - cam(2.0 - x), 0.0))

    front, rear = touched(places + half), touched(places - half)
    found = planes(step(height), places)
    np.testing.assert_allclose(found[:, 0], 0.5 * (front + rear), atol=8e-4)
    np.testing.assert_allclose(found[:, 1], 0.5 * (front - rear) / half, atol=0.01)
    np.testing.assert_allclose(found[:, 2], 0.0, atol=1e-12)


def test_the_first_touch_is_where_the_ellipse_is_as_high_as_the_step() -> None:
    """L = a (1 − (1 − h/b)^c)^(1/c) ahead of the edge, with the front cam."""
    reach = RADIUS * (1.0 - (1.0 - 0.04 / RADIUS) ** 1.8) ** (1.0 / 1.8)
    first = 2.0 - reach - half_distance()
    before, after = planes(step(0.04), np.array([first - 0.004, first + 0.004]))
    assert before[0] == 0.0
    assert after[0] > 0.0


def test_a_step_down_is_left_as_it_was_met() -> None:
    """A road that is driven backwards: the same heights, the opposite slopes."""
    places = np.linspace(1.6, 2.4, 41)
    up, down = (
        planes(step(0.05), places),
        planes(RoadSurface.profile("down", FINE, step(0.05).heights[::-1, 2]), 4.0 - places),
    )
    np.testing.assert_allclose(down[:, 0], up[:, 0], atol=1e-12)
    np.testing.assert_allclose(down[:, 1], -up[:, 1], atol=1e-12)


def test_a_gap_narrower_than_the_cam_is_hardly_felt() -> None:
    """The cam sinks in by the height of its surface above half the gap."""
    x = FINE * np.arange(4001)
    gap = RoadSurface.profile("gap", FINE, np.where(np.abs(x - 2.0) < 0.0255, -0.1, 0.0))
    lowest = planes(gap, np.linspace(1.7, 2.3, 601))[:, 0].min()
    assert lowest == pytest.approx(-0.5 * float(cam(np.array(0.026))), abs=1e-4)


def test_a_slope_is_a_slope() -> None:
    x = FINE * np.arange(4001)
    for slope in (0.1, -0.25):
        found = planes(RoadSurface.profile("slope", FINE, slope * x), np.array([1.5, 2.0, 2.5]))
        np.testing.assert_allclose(found[:, 1], slope, atol=1e-9)
        above = found[:, 0] - slope * np.array([1.5, 2.0, 2.5])  # the cam stands a little higher on a slope
        np.testing.assert_allclose(above, float(np.max(abs(slope) * x[:300] - cam(x[:300]))), atol=1e-9)


def test_slope_and_banking_of_the_line_are_no_unevenness() -> None:
    """They are the plane of the road itself: no cam rolls over them."""
    road = RoadSurface(
        "banked", 0.0, 1.0, np.zeros(4), 0.1 * np.arange(5.0), np.full(5, 0.2), np.array([-5.0, 5.0]), np.zeros((5, 2))
    )
    for height, ahead, left in planes(road, np.array([1.5]), y=1.5).tolist():
        assert (height, ahead, left) == pytest.approx((0.15 + 0.3, 0.1, 0.2), abs=1e-12)


def test_half_a_tread_on_a_kerb_leans() -> None:
    """The seam of two tracks under the middle of a tread: half the height, and a lean that the tread's width says."""
    x = FINE * np.arange(4001)
    road = RoadSurface.profile("left", FINE, np.full(x.size, 0.03), np.zeros(x.size))
    height, ahead, left = planes(road, np.array([2.0]), y=0.0)[0]
    track = constant("tread_half_width") * WIDTH / np.sqrt(3.0)
    assert (height, ahead) == pytest.approx((0.015, 0.0), abs=1e-9)
    assert left == pytest.approx(0.03 * min(track / 0.05, 1.0) / (2.0 * track), rel=1e-6)


def test_a_pressed_tyre_is_longer() -> None:
    """The more its load deflects it, the farther apart are its cams, the smoother is a step."""
    steepest = [planes(step(0.03), np.linspace(1.6, 2.2, 121), d)[:, 1].max() for d in (0.01, 0.03, 0.06)]
    assert steepest[0] > steepest[1] > steepest[2]

"""Roads as objects: kinds of roads, friction, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import InputError
from trackrod.road.surface import FrictionPatch, RoadSurface

LEVEL = RoadSurface.level(40.0, 8.0)


def under(road: RoadSurface, x: float, y: float, *, radius: float = 0.0) -> tuple[float, float, float, float]:
    """Height, slopes along x and y, and friction under a wheel that rolls along x."""
    follower = road.follower(np.array([[radius, 0.2, 0.02]]), (0.0, 0.0, 0.0))
    return tuple(follower.under(0, (x, y), (1.0, 0.0)))  # type: ignore[return-value]


def test_a_level_road_is_level() -> None:
    for radius in (0.0, 0.3):
        assert under(LEVEL, 3.0, -1.0, radius=radius) == (0.0, 0.0, 0.0, 1.0)


def test_a_function_is_looked_up() -> None:
    """A plane and a saddle are what they are on any grid: heights, and slopes by differences."""
    road = RoadSurface.function("saddle", lambda x, y: 0.02 * x - 0.03 * y + 0.01 * x * y, length=10.0, width=4.0)
    height, ahead, left, _ = under(road, 4.0, 1.0)
    assert (height, ahead, left) == pytest.approx((0.02 * 4 - 0.03 + 0.04, 0.03, 0.01), abs=1e-12)
    assert road.core.height_at(7.3, -0.7) == pytest.approx(float(road.height(7.3, -0.7)), abs=1e-12)


def test_a_profile_of_each_track() -> None:
    x = np.arange(101) * 0.1
    road = RoadSurface.profile("two tracks", 0.1, 0.01 * x, -0.02 * x)
    assert under(road, 6.0, 0.8)[:3] == pytest.approx((0.06, 0.01, 0.0), abs=1e-12)
    assert under(road, 6.0, -0.8)[:3] == pytest.approx((-0.12, -0.02, 0.0), abs=1e-12)


def test_slopes_are_those_of_earth_whatever_the_heading() -> None:
    """The plane z = 0.05 x + 0.02 y of the road, turned by 0.7 rad and moved; the vehicle heads anywhere."""
    road = RoadSurface.function("plane", lambda x, y: 0.05 * x + 0.02 * y, length=40.0, width=40.0, increment=0.5)
    yaw = 0.7
    follower = road.follower(np.array([[0.0, 0.2, 0.0]]), (3.0, -2.0, yaw), 0.5)
    c, s = np.cos(yaw), np.sin(yaw)
    x, y = 3.0 + c * 20.0 - s * 4.0, -2.0 + s * 20.0 + c * 4.0  # u = 20 m, v = 4 m
    for heading in (0.0, 1.1, -2.3):
        plane = follower.under(0, (x, y), (np.cos(heading), np.sin(heading)))
        assert plane[0] == pytest.approx(0.5 + 0.05 * 20.0 + 0.02 * 4.0)
        assert plane[1:3] == pytest.approx((0.05 * c - 0.02 * s, 0.05 * s + 0.02 * c))


def test_a_road_rises_from_level_ground() -> None:
    """With 3 r² − 2 r³ over the approach; the run begins 4 m before it."""
    road = RoadSurface.straight("step", 1.0, (-2.0, 2.0), np.full((5, 2), 0.3)).changed(approach=10.0)
    assert road.run_up == 14.0
    for u, share in ((-12.0, 0.0), (-7.5, 0.15625), (-5.0, 0.5), (-2.0, 0.896), (1.0, 1.0)):
        assert under(road, road.run_up + u, 0.0)[0] == pytest.approx(0.3 * share, abs=2e-4)


def test_friction_has_sides_and_patches() -> None:
    road = LEVEL.slippery(0.3, 0.9).changed(patches=(FrictionPatch((10.0, 12.0), (-4.0, 4.0), 0.1),))
    for x, y, expected in ((5.0, 1.0, 0.3), (5.0, -1.0, 0.9), (11.0, 1.0, 0.1), (12.5, -1.0, 0.9)):
        assert under(road, x, y)[3] == expected
    follower = road.follower(np.array([[0.3, 0.2, 0.02]]), (0.0, 0.0, 0.0), friction=0.5)
    assert follower.under(0, (5.0, 1.0), (1.0, 0.0))[3] == pytest.approx(0.15)


def test_uneven_columns_are_found() -> None:
    v = np.array([-3.0, -2.9, -0.5, 0.0, 2.0])
    road = RoadSurface.straight("columns", 1.0, v, np.tile(v**2, (4, 1)))
    for y in (-2.95, -1.0, -0.2, 0.7, 1.9):
        assert road.core.height_at(1.5, y) == pytest.approx(float(np.interp(y, v, v**2)))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"increment": 0.0}, "the distance of its rows is 0 m"),
        ({"heights": np.zeros((3, 3))}, "heights has the shape (3, 3), (3, 2) is needed"),
        ({"heights": np.array([[0.0, 0.0], [0.0, np.nan], [0.0, 0.0]])}, "heights[1, 1] is nan"),
        ({"sections": np.array([1.0, -1.0])}, "the columns of heights must lie from right to left"),
        ({"banking": np.array([0.0, 2.0, 0.0])}, "banking[1] is 2; a finite number up to 1"),
        ({"line_heights": np.array([0.0, 0.0, 60.0])}, "the line rises by 3 m for each metre"),
        ({"friction": (1.0, 0.0)}, "a friction factor is 0, 0.02 to 3 is allowed"),
        ({"headings": np.zeros(0)}, "two rows and two columns or more, this has 1 and 2"),
    ],
)
def test_roads_that_are_none_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        LEVEL.changed(**values)
    assert said in str(caught.value)

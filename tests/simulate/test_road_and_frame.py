"""The frame of a run and the road under its wheels, on a point that slides: no angle and no side is zero."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from simulate.test_drive import Point
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.manoeuvres.controls import HoldSpeed, SteerBy
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import Manoeuvre, Phase, Start
from trackrod.simulate.drive import simulate

Array = NDArray[np.float64]

PLACES = {Corner.FL: (1.2, 0.7), Corner.FR: (1.1, -0.8), Corner.RL: (-1.5, 0.6), Corner.RR: (-1.4, -0.9)}
SLIDE = 2.0  # velocity to the left [m/s]


class Sliding(Point):
    """A point on four wheels at different places, with twin tyres behind on the left, that slides to the left."""

    def __init__(self) -> None:
        super().__init__(drift=0.01)
        wheels = [
            SimpleNamespace(corner=c, centre=(*place, 0.3), tyres=(None,) * (2 if c is Corner.RL else 1))
            for c, place in PLACES.items()
        ]
        self.vehicle = SimpleNamespace(name="point", wheels=wheels)

    def columns(self, rows: Array) -> dict[Any, Any]:
        found = super().columns(rows)
        slide = SLIDE + 0.0 * found[signals.TIME]
        return {**found, signals.VY: slide, signals.SIDESLIP: np.arctan2(slide, found[signals.VX])}


class Slope:
    """A road whose height tells where and when it was asked, and for which wheel."""

    def __init__(self) -> None:
        self.asked: list[tuple[Corner, Array, Array]] = []

    def heights(self, corner: Corner, times: Array, positions: Array) -> Array:
        self.asked.append((corner, times.copy(), positions.copy()))
        return np.asarray(1e-3 * positions + 10.0 * list(Corner).index(corner))


ROAD = Slope()


@dataclass(frozen=True, kw_only=True)
class TurnOnRoad(Manoeuvre):
    name: ClassVar[str] = "turn_on_road"
    title: ClassVar[str] = "for tests"

    def start(self) -> Start:
        return Start(20.0)

    def phases(self) -> tuple[Phase, ...]:
        return (Phase("turn", SteerBy(lambda t: np.full(t.size, 0.5)), HoldSpeed(20.0), (After(2.0),)),)

    def road(self) -> Slope:
        return ROAD


@pytest.fixture
def driven() -> tuple[Sliding, Any]:
    ROAD.asked.clear()
    model = Sliding()
    return model, simulate(model, TurnOnRoad())


def test_each_tyre_stands_on_the_road_at_its_place(driven: tuple[Sliding, Any]) -> None:
    model, run = driven
    heights = np.concatenate(model.heights[1:])  # the first two steps of a run set everything to zero
    order = [Corner.FL, Corner.FR, Corner.RL, Corner.RL, Corner.RR]
    assert heights.shape == (200, 5)
    yaw, course = (run[signals.YAW][:-1], run[signals.YAW][:-1] + run[signals.SIDESLIP][:-1])
    speed = np.hypot(run[signals.VX][:-1], SLIDE)
    for column, corner in enumerate(order):
        x, y = PLACES[corner]
        there = run[signals.X][:-1] + np.cos(yaw) * x - np.sin(yaw) * y + speed * np.cos(course) * 0.01
        np.testing.assert_allclose(heights[:, column], 1e-3 * there + 10.0 * list(Corner).index(corner), rtol=1e-9)
    assert np.abs(run[signals.YAW][-1]) > 0.5  # a turn, otherwise left and right would be alike


def test_the_road_is_asked_for_the_times_of_the_steps_ahead(driven: tuple[Sliding, Any]) -> None:
    _, run = driven
    times = [times[0] for corner, times, _ in ROAD.asked if corner is Corner.FL]
    np.testing.assert_allclose(times, run.time[1:], atol=1e-9)


def test_the_run_is_told_in_the_frame_of_its_beginning(driven: tuple[Sliding, Any]) -> None:
    """The point has drifted while it settled; distances and turns from its first sample on are those of the model."""
    _, run = driven
    length = run.time.size
    again = Sliding()
    rows: list[Array] = []
    advance = again.advance_rows

    def noted(*inputs: Any) -> Array:
        rows.append(advance(*inputs))
        return rows[-1]

    again.advance_rows = noted  # type: ignore[method-assign]
    simulate(again, TurnOnRoad())
    x, y, yaw = np.concatenate(rows)[-length:, 4:7].T
    assert abs(yaw[0]) > 0.01
    turn = np.array([[np.cos(yaw[0]), np.sin(yaw[0])], [-np.sin(yaw[0]), np.cos(yaw[0])]])
    np.testing.assert_allclose(
        np.array([run[signals.X], run[signals.Y]]), turn @ np.array([x - x[0], y - y[0]]), atol=1e-9
    )
    np.testing.assert_allclose(run[signals.YAW], yaw - yaw[0], atol=1e-12)

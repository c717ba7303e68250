"""The speed of a lane change for a share of the limit, on vehicles whose acceleration is a power of the speed."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.core.series import Run
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.steady_turn import RampSteer

LIMIT, LENGTH = 8.0, 15.0  # m/s², and steering-wheel angle over curvature [rad·m]


class Vehicle:
    """Reaches its limit at a speed [km/h], and cannot drive the lane change faster than another one.

    With a driver whose gain is above `calm` [rad·m] it swings on behind the course.
    """

    def __init__(self, at_limit: float, power: float, fastest: float = np.inf, calm: float = np.inf) -> None:
        self.at_limit, self.power, self.fastest, self.calm = at_limit, power, fastest, calm
        self.speeds: list[float] = []
        self.gains: list[float] = []

    def share(self, speed: float) -> float:
        return (speed / self.at_limit) ** self.power

    def __call__(self, made: Manoeuvre) -> Run:
        time = np.linspace(0.0, 4.0, 401)
        angle, speed, completed = time, np.full(time.size, 20.0), True
        if isinstance(made, RampSteer):
            ay = -LIMIT * time / time[-1]  # to the other side
        else:
            assert isinstance(made, DoubleLaneChange)
            assert made.angle_per_curvature_radm is not None
            self.speeds.append(made.speed_kmh)
            self.gains.append(made.angle_per_curvature_radm)
            completed = made.speed_kmh < self.fastest
            swings = made.angle_per_curvature_radm > self.calm
            ay = LIMIT * self.share(made.speed_kmh) * np.sin(2 * np.pi * time)
            ay[time > 2.5] *= min(0.5 * made.angle_per_curvature_radm / max(self.calm, 0.1), 0.9) if swings else 0.1
        columns = {signals.TIME: time, signals.STEERING_WHEEL_ANGLE: angle, signals.AY: ay, signals.VX: speed}
        columns |= {signals.YAW_RATE: angle / LENGTH * speed}
        return Run({signal.column: values for signal, values in columns.items()}, {"completed": completed})


@pytest.mark.parametrize("power", [1.9, 3.6])
@pytest.mark.parametrize("at_limit", [50.0, 120.0])
def test_the_speed_is_found_in_few_runs(at_limit: float, power: float) -> None:
    vehicle = Vehicle(at_limit, power)
    found = DoubleLaneChange(limit_share=0.9).prepare(vehicle)
    assert vehicle.share(found.speed_kmh) == pytest.approx(0.9, rel=0.1)
    assert len(vehicle.speeds) <= 5
    assert found.limit_share is None
    assert found.prepare(vehicle) is found
    assert vehicle.gains == pytest.approx(np.full(len(vehicle.gains), LENGTH))


def test_a_driver_who_swings_steers_less() -> None:
    vehicle = Vehicle(70.0, 2.5, calm=0.8 * LENGTH)
    found = DoubleLaneChange(limit_share=0.9).prepare(vehicle)
    assert found.angle_per_curvature_radm == pytest.approx(0.85**2 * LENGTH)
    assert vehicle.share(found.speed_kmh) == pytest.approx(0.9, rel=0.1)


def test_a_vehicle_that_swings_by_itself_is_driven_all_the_same() -> None:
    vehicle = Vehicle(70.0, 2.5, calm=0.0)
    found = DoubleLaneChange(limit_share=0.9).prepare(vehicle)
    assert min(vehicle.gains) == pytest.approx(0.85 * LENGTH)  # did not help
    assert found.angle_per_curvature_radm == pytest.approx(LENGTH)
    assert vehicle.share(found.speed_kmh) == pytest.approx(0.9, rel=0.1)


def test_what_the_vehicle_cannot_drive_is_too_fast() -> None:
    vehicle = Vehicle(70.0, 2.5, fastest=69.0)
    found = DoubleLaneChange(limit_share=0.9).prepare(vehicle)
    assert vehicle.speeds[0] > 69.0
    assert found.speed_kmh < 69.0
    assert vehicle.share(found.speed_kmh) == pytest.approx(0.9, rel=0.1)


def test_no_speed_has_the_share() -> None:
    with pytest.raises(ConvergenceError, match=r"0.73 g was found; the last one had .* km/h"):
        DoubleLaneChange(limit_share=0.9).prepare(Vehicle(70.0, 2.5, fastest=30.0))


def test_without_a_share_the_speed_is_the_given_one() -> None:
    vehicle = Vehicle(70.0, 2.5)
    assert DoubleLaneChange(speed_kmh=42.0).prepare(vehicle).speed_kmh == 42.0
    assert vehicle.speeds == []

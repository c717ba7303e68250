"""Largest values and ratios that can be read off."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import run_from
from trackrod.core.errors import InputError
from trackrod.metrics.handling import brake_in_turn_values, lane_change_values

TIME = np.arange(0.0, 6.0, 0.01)


def test_lane_change() -> None:
    wave = np.sin(2 * np.pi * TIME / 2.0)
    values = lane_change_values(run_from(TIME, steering_wheel_angle=0.5 * wave, ay=-3 * wave, roll=0.02 * wave))
    assert values.steering_wheel_angle == pytest.approx(0.5)
    assert values.steering_wheel_rate == pytest.approx(0.5 * np.pi, rel=1e-3)
    assert values.lateral_acceleration == pytest.approx(3.0)
    assert values.roll == pytest.approx(0.02)
    assert values.yaw_rate == 0.0


@pytest.mark.parametrize("ratio", [0.9, 1.0, 1.2])
def test_brake_in_turn(ratio: float) -> None:
    t = np.maximum(TIME - 1.0, 0.0)
    speed = np.maximum(20.0 - 4.0 * t, 0.0)
    yaw_rate = 0.2 * speed / 20.0 * (1 + (ratio - 1) * np.minimum(t, 1.0))
    run = run_from(TIME, vx=speed, yaw_rate=yaw_rate, sideslip=0.01 * t, brake=np.where(TIME > 1.005, 0.3, 0.0))
    values = brake_in_turn_values(run)
    assert values.yaw_rate_ratio == pytest.approx(ratio, rel=1e-6)
    assert values.mean_deceleration == pytest.approx(4.0, rel=1e-6)
    assert values.largest_sideslip_change == pytest.approx(0.01, rel=1e-6)
    assert values.speed == pytest.approx(20.0)


def test_braking_straight_ahead_is_no_braking_in_a_turn() -> None:
    with pytest.raises(InputError, match="turn"):
        brake_in_turn_values(run_from(TIME, brake=np.where(TIME > 1.0, 0.3, 0.0)))

"""Braking, accelerating and rolling out by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import braking, run_from
from trackrod.core.errors import InputError
from trackrod.metrics.longitudinal import acceleration_values, braking_values, coast_down_values


def test_constant_deceleration() -> None:
    values = braking_values(braking(5.0, 30.0))
    assert values.first_speed == pytest.approx(30.0)
    assert values.distance == pytest.approx(30.0**2 / 10.0, rel=1e-3)
    assert values.time == pytest.approx(6.0, abs=0.03)  # standing begins at 0.1 m/s
    assert values.mean_deceleration == pytest.approx(5.0, rel=1e-3)
    assert values.developed_deceleration == pytest.approx(5.0, rel=1e-3)
    assert values.largest_deceleration == pytest.approx(5.0)
    assert values.largest_pitch_change == pytest.approx(0.004 * 5.0)


def test_acceleration_to_a_top_speed() -> None:
    time = np.arange(0.0, 60.0, 0.01)
    pressed = np.clip((time - 0.5) / 0.2, 0.0, 1.0)
    throttle = np.where(time <= 0.5, 0.1, np.maximum(pressed, 0.1))
    begin = time[np.argmax(throttle > 0.1) - 1]
    t = np.maximum(time - begin, 0.0)
    speed = 50.0 - 43.0 * np.exp(-t / 10.0)
    values = acceleration_values(run_from(time, vx=speed, throttle=throttle, ax=4.3 * np.exp(-t / 10), pitch=-0.01))
    assert values.first_speed == pytest.approx(7.0)
    assert values.times[100] == pytest.approx(-10 * np.log((50 - 100 / 3.6) / 43), abs=0.01)
    assert set(values.times) == {50, 80, 100, 120, 150}
    assert values.largest_speed == pytest.approx(speed[-1])
    assert values.largest_acceleration == pytest.approx(4.3)


def test_coast_down() -> None:
    constant, quadratic = 0.12, 2.5e-4
    time = np.arange(0.0, 40.0, 0.01)
    t = np.maximum(time - 0.5, 0.0)
    root = np.sqrt(constant * quadratic)
    phase = np.arctan(30.0 * np.sqrt(quadratic / constant)) - root * t
    speed = np.sqrt(constant / quadratic) * np.tan(phase)  # the solution of dv/dt = −c0 − c2 v²
    values = coast_down_values(run_from(time, vx=speed, throttle=np.where(time <= 0.5, 0.2, 0.0)))
    assert values.constant == pytest.approx(constant, rel=1e-3)
    assert values.quadratic == pytest.approx(quadratic, rel=1e-3)
    assert values.first_speed == pytest.approx(30.0, abs=0.01)


def test_runs_that_hold_nothing() -> None:
    time = np.arange(0.0, 5.0, 0.01)
    with pytest.raises(InputError, match="no braking"):
        braking_values(run_from(time))
    with pytest.raises(InputError, match="standstill"):
        braking_values(run_from(time, brake=np.where(time > 1, 0.5, 0.0)))
    with pytest.raises(InputError, match="throttle"):
        acceleration_values(run_from(time))
    with pytest.raises(InputError, match="rolling out"):
        coast_down_values(run_from(time))

"""Step responses of first and second order against their closed forms (any book on control)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from metrics.synthetic_runs import AY_GAIN, OMEGA, SPEED, TAU, ZETA, mirrored, run_from, step_steer
from trackrod.core.errors import InputError
from trackrod.metrics.step import lasting_swing, step_response, step_steer_values

TIME = np.arange(0.0, 20.0, 0.002)  # the slowest oscillation below has died out to 1e-6 where the steady value is taken
AT = 0.501  # between two samples


def test_first_order() -> None:
    values = step_response(TIME, np.where(TIME > AT, 2.0, 0.0), 6.0 * first_order(TIME - 0.501, 0.2))
    assert values.steady == pytest.approx(6.0, rel=1e-6)
    assert values.gain == pytest.approx(3.0, rel=1e-6)
    assert values.response_time == pytest.approx(0.2 * np.log(10), abs=1e-3)
    assert values.overshoot < 1e-4
    assert not values.has_peak


def first_order(t: np.ndarray, tau: float) -> np.ndarray:
    return np.where(t > 0, 1.0 - np.exp(-np.maximum(t, 0.0) / tau), 0.0)


@settings(max_examples=25)
@given(st.floats(0.2, 0.7), st.floats(4.0, 12.0))
def test_second_order(zeta: float, omega: float) -> None:
    t = np.maximum(TIME - AT, 0.0)
    damped = omega * np.sqrt(1 - zeta**2)
    decay = np.exp(-zeta * omega * t)
    response = np.where(TIME > AT, 1 - decay * (np.cos(damped * t) + zeta * omega / damped * np.sin(damped * t)), 0.0)
    values = step_response(TIME, np.where(TIME > AT, 1.0, 0.0), response)
    assert values.overshoot == pytest.approx(np.exp(-np.pi * zeta / np.sqrt(1 - zeta**2)), abs=2e-3)
    assert values.peak_time == pytest.approx(np.pi / damped, abs=2e-3)
    reached, found = signal.step(signal.lti([omega**2], [1, 2 * zeta * omega, omega**2]), T=np.arange(0, 1.5, 5e-4))
    assert values.response_time == pytest.approx(reached[np.argmax(found >= 0.9)], abs=2e-3)


def test_a_ramp_counts_from_its_half() -> None:
    given_angle = np.clip((TIME - 0.5) / 0.2, 0.0, 1.0)
    assert step_response(TIME, given_angle, given_angle).response_time == pytest.approx(0.4 * 0.2, abs=1e-9)


def test_values_of_a_run() -> None:
    values = step_steer_values(step_steer(0.5))
    assert values.steering_wheel_angle == pytest.approx(0.5)
    assert values.speed == pytest.approx(SPEED)
    assert values.lateral_acceleration.gain == pytest.approx(AY_GAIN, rel=1e-6)
    assert values.lateral_acceleration.response_time == pytest.approx(TAU * np.log(10), abs=3e-3)
    assert values.yaw_rate.overshoot == pytest.approx(np.exp(-np.pi * ZETA / np.sqrt(1 - ZETA**2)), abs=2e-3)
    assert values.yaw_rate.peak_time == pytest.approx(np.pi / (OMEGA * np.sqrt(1 - ZETA**2)), abs=3e-3)
    assert values.steady_sideslip < 0
    assert values.tb_factor == pytest.approx(-values.steady_sideslip * values.yaw_rate.peak_time)


def test_left_and_right_are_mirror_images() -> None:
    left, right = step_steer_values(step_steer()), step_steer_values(mirrored(step_steer()))
    assert right.lateral_acceleration.steady == -left.lateral_acceleration.steady
    for name in ("gain", "response_time", "peak_time", "overshoot"):
        assert getattr(right.yaw_rate, name) == getattr(left.yaw_rate, name)


def test_a_run_without_a_step() -> None:
    with pytest.raises(InputError, match="no step"):
        step_steer_values(run_from(TIME))
    with pytest.raises(InputError, match="mean over 1 s"):
        step_response(TIME[:251], TIME[:251], TIME[:251])


@pytest.mark.parametrize("swing", [0.0, 0.3])
def test_what_swings_on_is_not_steady(swing: float) -> None:
    run = run_from(TIME, ay=-4.0 * (1.0 + swing * np.sin(2 * np.pi * 2.0 * TIME)))
    assert lasting_swing(run) == pytest.approx(swing, abs=1e-3)

"""Frequency responses of systems whose transfer functions are known."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import AY_GAIN, SPEED, TAU, mirrored, run_from, second_order, sine_sweep
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.frequency import frequency_response, sine_sweep_values


@pytest.fixture(scope="module")
def sweep() -> Run:
    return sine_sweep()


def test_second_order(sweep: Run) -> None:
    found = sine_sweep_values(sweep).yaw_rate
    _, exact = second_order().freqresp(2 * np.pi * found.frequency)
    exact = exact * AY_GAIN / SPEED
    assert np.abs(found.gain - np.abs(exact)).max() < 0.01 * np.abs(exact).max()
    assert np.degrees(np.abs(found.phase - np.unwrap(np.angle(exact)))).max() < 1.5
    assert found.frequency[0] == pytest.approx(0.2)
    assert found.frequency[-1] == pytest.approx(4.0)
    assert found.coherence.min() > 0.97
    assert found.coherence.max() <= 1 + 1e-9


def test_first_order_bandwidth_and_lag(sweep: Run) -> None:
    found = sine_sweep_values(sweep).lateral_acceleration
    corner = 1 / (2 * np.pi * TAU)
    assert found.static_gain == pytest.approx(AY_GAIN / np.hypot(1, 0.2 / corner), rel=0.01)
    fall = np.sqrt(2 * (1 + (0.2 / corner) ** 2) - 1)
    assert found.bandwidth == pytest.approx(fall * corner, rel=0.02)
    assert found.cutoff_phase == pytest.approx(corner, rel=0.02)


def test_peak(sweep: Run) -> None:
    found = sine_sweep_values(sweep).yaw_rate
    at, top = found.peak
    frequency = np.linspace(0.2, 4.0, 5000)
    _, exact = second_order().freqresp(2 * np.pi * frequency)
    assert at == pytest.approx(frequency[np.argmax(np.abs(exact))], abs=0.03)
    assert top == pytest.approx(np.abs(exact).max() / np.abs(exact[0]), rel=0.01)


def test_a_response_without_delay_is_its_factor(sweep: Run) -> None:
    values = sine_sweep_values(sweep)
    assert values.roll.gain / values.lateral_acceleration.gain == pytest.approx(0.006, rel=1e-9)


def test_beyond_the_band_there_is_no_bandwidth() -> None:
    time = np.arange(0.0, 31.5, 0.01)
    given = np.random.default_rng(3).normal(size=time.size) * ((time > 0.5) & (time < 30.5))  # at rest at both ends
    found = frequency_response(time, given, 2.0 * given, (0.5, 5.0))
    assert found.bandwidth is None
    assert found.cutoff_phase is None
    assert found.gain == pytest.approx(np.full(found.gain.size, 2.0), rel=1e-9)


def test_mirrored_runs_have_the_same_response(sweep: Run) -> None:
    one, two = (sine_sweep_values(run).yaw_rate for run in (sweep, mirrored(sweep)))
    assert two.gain == pytest.approx(one.gain, rel=1e-12)


def test_runs_without_a_response() -> None:
    time = np.arange(0.0, 31.5, 0.01)
    with pytest.raises(InputError, match="never changes"):
        sine_sweep_values(run_from(time))
    with pytest.raises(InputError, match="20 s or more"):
        sine_sweep_values(run_from(time[:500], steering_wheel_angle=np.sin(time[:500])))
    uneven = np.concatenate((time[:2000], time[2000:] + 0.003))
    with pytest.raises(InputError, match="equally spaced"):
        frequency_response(uneven, np.sin(time), np.sin(time))

"""Crossings, peaks, steady values and slopes of samples written by hand; signs and messages that depend on them."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import run_from
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.metrics.events import first_crossing, first_time, largest, slope, steady_value, vertex
from trackrod.metrics.steady_turn import (
    SteeringGeometry,
    constant_radius_values,
    lateral_load_transfer,
    ramp_steer_values,
    turn_sign,
)

TIME = np.array([0.0, 1.0, 3.0, 4.0, 6.0])


def test_first_crossing_lies_between_samples() -> None:
    values = np.array([1.0, 2.0, 6.0, 3.0, 9.0])
    assert first_crossing(TIME, values, 5.0) == pytest.approx(1.0 + 2.0 * 3.0 / 4.0)
    assert first_crossing(TIME, values, 6.0) == pytest.approx(3.0)
    assert first_crossing(TIME, values, 8.0) == pytest.approx(4.0 + 2.0 * 5.0 / 6.0)
    assert first_crossing(TIME, values, 0.5) == 0.0  # reached before the first sample
    assert first_crossing(TIME, values, 9.5) is None
    assert first_crossing(TIME[1:], values[1:], 1.5) == 1.0


def test_first_time_is_the_sample_before() -> None:
    run = run_from(TIME, brake=np.array([0.0, 0.0, 0.2, 0.0, 0.3]))
    assert first_time(run, signals.BRAKE, "braking") == 1.0
    at_once = run_from(TIME, brake=np.full(5, 0.1))
    assert first_time(at_once, signals.BRAKE, "braking") == 0.0
    with pytest.raises(InputError, match="no braking"):
        first_time(run_from(TIME), signals.BRAKE, "braking")


def test_vertex_of_a_parabola_is_exact() -> None:
    """y = 7 − 2 (t − 2.6)², on samples that are not equally spaced."""
    at, top = vertex(TIME, 7.0 - 2.0 * (TIME - 2.6) ** 2)
    assert (at, top) == pytest.approx((2.6, 7.0))
    rising = vertex(TIME, TIME**2)
    assert rising == (6.0, 36.0)  # an end is no vertex
    falling = vertex(TIME, -TIME)
    assert falling == (0.0, 0.0)
    flat = vertex(TIME, np.ones(5))
    assert flat == (0.0, 1.0)


def test_steady_value_is_the_mean_over_the_last_seconds() -> None:
    values = np.array([9.0, 9.0, 1.0, 2.0, 6.0])
    assert steady_value(TIME, values, 3.0) == pytest.approx(3.0)
    assert steady_value(TIME, values, 2.5) == pytest.approx(4.0)
    assert steady_value(TIME, values, 6.0) == pytest.approx(5.4)
    with pytest.raises(InputError, match=r"mean over 6\.5 s, the run has 6 s"):
        steady_value(TIME, values, 6.5)


def test_slope_takes_what_lies_between() -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    y = np.array([90.0, 1.0, 4.0, 5.0, -90.0])
    assert slope(x, y, 1.0, 3.0) == pytest.approx(2.0)  # least squares through (1, 1), (2, 4), (3, 5)
    assert slope(x, y, 1.1, 3.0) is None  # two points
    assert slope(np.ones(4), np.arange(4.0), 0.0, 2.0) is None  # one abscissa
    assert largest(y) == 90.0
    assert largest(-y) == 90.0


def test_turn_sign_is_one_or_minus_one() -> None:
    """By the largest magnitude, wherever it is."""
    assert turn_sign(run_from(TIME, ay=np.array([0.0, -3.0, 4.0, 0.0, 1.0]))) == 1.0
    assert turn_sign(run_from(TIME, ay=np.array([0.0, 3.0, -4.0, 0.0, 1.0]))) == -1.0
    assert turn_sign(run_from(TIME)) == 1.0


def test_load_transfer_of_loads_that_are_all_different() -> None:
    loads = {f"Fz_{corner}": 1000.0 * (i + 1) ** 2 for i, corner in enumerate(Corner)}  # fl, fr, rl, rr
    run = run_from(TIME, **loads)
    assert lateral_load_transfer(run) == pytest.approx(0.5 * (4000.0 + 16000.0 - 1000.0 - 9000.0))


def test_the_range_of_gradients_is_told_in_g() -> None:
    with pytest.raises(InputError, match=r"from 0\.1 g to 0\.3 g"):
        ramp_steer_values(run_from(TIME, ay=np.linspace(0.0, 0.5, 5)))


def test_the_radius_is_that_of_the_linear_range() -> None:
    """Radius 40 m between 0.1 g and 0.3 g, another one before and behind; mirrored it is the same."""
    ay = np.linspace(0.2, 6.0, 200)
    radius = np.where((ay > 0.98) & (ay < 2.95), 40.0, np.where(ay < 2.0, 25.0, 90.0))
    time = 0.1 * np.arange(ay.size)
    for sign in (1.0, -1.0):
        odd = {"ay": ay, "steering_wheel_angle": 0.05 * ay, "roll": 0.01 * ay, "sideslip": -0.02 * ay}
        columns = {name: sign * values for name, values in odd.items()}
        run = run_from(time, vx=np.sqrt(radius * ay), pitch=0.3 * ay, **columns)
        found = constant_radius_values(run, SteeringGeometry(2.7, 16.0))
        assert found.radius == pytest.approx(40.0)
        assert found.largest_lateral_acceleration == pytest.approx(6.0)
        gradients = (found.steering_gradient, found.understeer_gradient, found.sideslip_gradient, found.roll_gradient)
        assert gradients == pytest.approx((0.05, 0.05 / 16.0, -0.02, 0.01))

"""Differences of curves and numbers in percent: closed forms, integrals by other means, invariances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from trackrod.core.errors import InputError, RangeError
from trackrod.metrics.trace import Scale, Trace, covered_share, relative_percent, rising_part, rmse_percent

X = np.linspace(0.0, 10.0, 4001)


def trace(x: np.ndarray, y: np.ndarray) -> Trace:
    return Trace(x, y, "time", "s", "thing", "m")


def test_constant_offset() -> None:
    assert rmse_percent(trace(X, 4.0 * X), trace(X, 4.0 * X + 2.0)) == pytest.approx(100 * 2.0 / 40.0, rel=1e-12)


def test_missing_sine() -> None:
    x = np.linspace(0.0, 2 * np.pi, 20001)
    value = rmse_percent(trace(x, np.sin(x)), trace(x, np.zeros(x.size)))
    assert value == pytest.approx(100 / np.sqrt(2), rel=1e-3)  # 1001 points, both ends counted


def test_agrees_with_an_integral_by_scipy_on_other_samples() -> None:
    def first(x: float) -> float:
        return float(np.sin(x) + 0.1 * x)

    def second(x: float) -> float:
        return float(1.05 * np.sin(x - 0.1) + 0.1 * x)

    model_x = np.sort(np.random.default_rng(1).uniform(1.0, 12.0, 3000))
    square, _ = integrate.quad(lambda x: (first(x) - second(x)) ** 2, model_x[0], 10.0)
    scale = max(abs(first(x)) for x in X)
    expected = 100 * np.sqrt(square / (10.0 - model_x[0])) / scale
    found = rmse_percent(trace(X, np.sin(X) + 0.1 * X), trace(model_x, 1.05 * np.sin(model_x - 0.1) + 0.1 * model_x))
    assert found == pytest.approx(expected, rel=2e-3)


def test_scale_is_the_whole_reference_and_coverage_says_what_was_compared() -> None:
    reference, model = trace(X, X), trace(X[X <= 5.0], X[X <= 5.0] + 1.0)
    assert rmse_percent(reference, model) == pytest.approx(10.0, rel=1e-12)
    assert covered_share(reference, model) == pytest.approx(0.5)


@given(st.floats(0.01, 100.0), st.floats(0.01, 100.0), st.sampled_from([-1.0, 1.0]))
def test_units_and_signs_play_no_part(factor: float, stretch: float, sign: float) -> None:
    y, other = np.cos(X), np.cos(1.02 * X)
    plain = rmse_percent(trace(X, y), trace(X, other))
    scaled = rmse_percent(trace(stretch * X, sign * factor * y), trace(stretch * X, sign * factor * other))
    assert scaled == pytest.approx(plain, rel=1e-9)


def test_equal_curves_are_zero_apart() -> None:
    assert rmse_percent(trace(X, np.cos(X)), trace(X, np.cos(X))) == 0.0


def test_nothing_in_common_and_no_scale() -> None:
    with pytest.raises(InputError, match="no time in common"):
        rmse_percent(trace(X, X), trace(X + 20.0, X))
    with pytest.raises(InputError, match="zero everywhere"):
        rmse_percent(trace(X, 0 * X), trace(X, X))


@pytest.mark.parametrize(
    ("x", "y", "says"),
    [
        ([0.0, 1.0], [0.0, np.nan], "not finite"),
        ([0.0, 0.0], [0.0, 1.0], "does not increase"),
        ([0.0], [1.0], "two points or more"),
        ([0.0, 1.0], [1.0, 2.0, 3.0], "equal length"),
    ],
)
def test_bad_curves(x: list[float], y: list[float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        trace(np.array(x), np.array(y))


def test_ends_of_a_curve_are_not_extrapolated() -> None:
    with pytest.raises(RangeError, match="only"):
        trace(X, X).at(11.0)


@pytest.mark.parametrize(
    ("reference", "model", "floor", "expected"),
    [(2.0, 2.1, 0.1, 5.0), (-2.0, -2.1, 0.1, 5.0), (0.0, 0.01, 0.1, 10.0), (0.05, 0.06, 0.1, 10.0), (3.0, 3.0, 1, 0)],
)
def test_numbers(reference: float, model: float, floor: float, expected: float) -> None:
    assert relative_percent(reference, model, floor) == pytest.approx(expected)


def test_numbers_that_cannot_be_compared() -> None:
    with pytest.raises(RangeError, match="finite"):
        relative_percent(float("nan"), 1.0, 0.1)
    with pytest.raises(RangeError, match="floor"):
        relative_percent(1.0, 1.0, 0.0)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30))
def test_rising_part_is_a_function(values: list[float]) -> None:
    x, y = rising_part(values, values)
    assert (np.diff(x) > 0).all()
    assert x[-1] == max(values)
    assert (x == y).all()


def test_angles_a_whole_turn_apart_are_the_same() -> None:
    x = np.linspace(0.0, 4.0, 50)
    phase = Trace(x, -x, "frequency", "Hz", "phase", "rad", Scale.ONE, period=2 * np.pi)
    other = replace(phase, y=phase.y + 0.1 + 2 * np.pi * np.round(np.sin(x)))
    assert rmse_percent(phase, other) > 100.0
    assert rmse_percent(phase, other.near(phase)) == pytest.approx(10.0)
    assert trace(x, x).near(trace(x, x + 100.0)).y == pytest.approx(x)  # what has no period stays


def test_what_the_reference_does_not_tell_does_not_count() -> None:
    """Half of the curve is off by one, and tells nothing; the other half is off by a tenth."""
    x = np.linspace(0.0, 1.0, 1001)
    reference = Trace(x, np.ones_like(x), "x", "-", "y", "-", told=x > 0.5)
    model = replace(reference, y=np.where(x > 0.5, 1.1, 2.0), told=None)
    assert rmse_percent(reference, model) == pytest.approx(10.0, rel=1e-3)
    with pytest.raises(InputError, match="tells nothing"):
        rmse_percent(replace(reference, told=x < 0.0), model)

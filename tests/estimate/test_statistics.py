"""Intervals hold: independent and autocorrelated samples, rectangular errors, errors in variables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binomtest, t

from trackrod.estimate.statistics import autocorrelation_time, fit, half_width, smooth


def autocorrelated(random: np.random.Generator, n: int, memory: float) -> np.ndarray:
    """First order, with this integrated autocorrelation time (1 + a) / (1 − a)."""
    a = (memory - 1.0) / (memory + 1.0)
    start = random.standard_normal(300 + n)
    return lfilter([np.sqrt(1.0 - a * a)], [1.0, -a], start)[300:]


def test_autocorrelation_time() -> None:
    random = np.random.default_rng(1)
    assert autocorrelation_time(random.standard_normal(20_000)) == pytest.approx(1.0, abs=0.1)
    assert autocorrelation_time(autocorrelated(random, 50_000, 19.0)) == pytest.approx(19.0, rel=0.2)


@pytest.mark.parametrize("memory", [1.0, 15.0])
def test_interval_of_a_mean_holds(memory: float) -> None:
    """As often as it says, whether samples are independent or not."""
    held, seeds = 0, 150
    for seed in range(seeds):
        values = autocorrelated(np.random.default_rng(seed), 1500, memory)
        found = fit(values, np.ones((values.size, 1)), np.zeros(values.size, dtype=int))
        assert found is not None
        deviation, freedom = found.spread(np.ones(1))
        held += abs(found.coefficients[0]) < t.ppf(0.975, freedom) * deviation
    assert binomtest(held, seeds, 0.95).pvalue > 1e-3, held
    assert held < seeds


def test_repeats_that_differ_as_runs_count_as_runs() -> None:
    """Samples of a run agree with each other; the runs do not."""
    held, seeds = 0, 100
    runs = np.repeat(np.arange(5), 200)
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        values = np.repeat(random.standard_normal(5), 200) + 0.01 * random.standard_normal(1000)
        found = fit(values, np.ones((values.size, 1)), runs)
        assert found is not None
        deviation, freedom = found.spread(np.ones(1))
        held += abs(found.coefficients[0]) < t.ppf(0.975, freedom) * deviation
    assert binomtest(held, seeds, 0.95).pvalue > 1e-3, held


def test_instruments_take_out_errors_in_variables() -> None:
    random = np.random.default_rng(2)
    true = 3.0 * random.standard_normal(20_000)
    measured, other = true + random.standard_normal(true.size), true + random.standard_normal(true.size)
    runs = np.zeros(true.size, dtype=int)
    plain, right = fit(2.0 * true, measured[:, None], runs), fit(2.0 * true, measured[:, None], runs, other[:, None])
    assert plain is not None and right is not None  # noqa: PT018
    assert plain.coefficients[0] == pytest.approx(1.8, rel=0.02)  # too small by the share of noise, 1 / (9 + 1)
    assert right.coefficients[0] == pytest.approx(2.0, rel=0.01)


def test_regressors_that_tell_nothing_apart_are_refused() -> None:
    x = np.linspace(0.0, 1.0, 50)
    assert fit(x, np.column_stack((x, 2.0 * x)), np.zeros(50, dtype=int)) is None


def test_half_width_of_rectangles_and_scatter() -> None:
    assert half_width([2.0], 0.0, 1) == pytest.approx(1.9, rel=1e-3)
    assert half_width([], 1.0, 4) == pytest.approx(t.ppf(0.975, 4), rel=0.01)
    # Two equal rectangles make a triangle from −2 to 2: P(|x| < q) = 1 − (1 − q/2)².
    assert half_width([1.0, 1.0], 0.0, 1) == pytest.approx(2.0 * (1.0 - np.sqrt(0.05)), rel=0.01)
    # Many make a normal distribution.
    assert half_width([1.0] * 60, 0.0, 1) == pytest.approx(1.96 * np.sqrt(20.0), rel=0.02)


def test_smoothing_is_linear_and_has_no_phase() -> None:
    time = np.arange(0.0, 2.0, 0.01)
    ramp = smooth(3.0 * time, time, 0.1)
    assert np.allclose(ramp[20:-20], 3.0 * time[20:-20])

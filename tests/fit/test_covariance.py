"""Confidence: against closed forms, and against the scatter of many repeated experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fit.problems import two_manoeuvres
from trackrod.core.errors import InputError
from trackrod.fit.blocks import Array, Block
from trackrod.fit.covariance import confidence
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.methods import minimise
from trackrod.fit.objective import Objective

PLAIN = Objective(penalty=0.0)
BOX = 1 / math.sqrt(3)


def test_one_index_is_the_textbook_formula() -> None:
    random = np.random.default_rng(0)
    jacobian = random.normal(size=(200, 3))
    block = Block("m", "i", 0.01 * random.normal(size=200), jacobian)
    found = confidence(("a", "b", "c"), np.zeros(3), [block], PLAIN, noise_pct=0.5)
    textbook = 0.5**2 / 200 * np.linalg.inv(jacobian.T @ jacobian)
    np.testing.assert_allclose(found.covariance, textbook, rtol=1e-4)
    np.testing.assert_allclose(found.std, np.sqrt(np.diag(textbook)), rtol=1e-4)
    np.testing.assert_allclose(found.std_pct(20.0), 20.0 * found.std)
    assert found.determined == (True, True, True)
    assert np.all(np.diag(found.correlation) == pytest.approx(1.0))


@pytest.mark.parametrize("curves", [1, 2])
@pytest.mark.parametrize("samples", [24, 60])
def test_a_straight_line_takes_two_degrees_of_freedom(samples: int, curves: int) -> None:
    """The residual tells the noise: σ² = Σr²/(n − 2), whether the line is one index or cut into two.

    With S = Σ(x − x̄)² the variance of the slope is σ²/S, of the intercept σ² (1/n + x̄²/S), the covariance −σ² x̄/S.

    Reference: Draper and Smith, Applied Regression Analysis, 3rd edition (1998), chapter 1.
    """
    sigma = 0.02
    x = np.linspace(0.0, 3.0, samples)
    line = np.column_stack([np.ones(samples), x])
    signs = np.where(np.arange(samples) % 2, -1.0, 1.0)  # no sample repeats its neighbour
    residual = signs - line @ np.linalg.lstsq(line, signs)[0]  # what a fit leaves
    residual *= sigma * math.sqrt(samples - 2) / np.linalg.norm(residual)

    cut = [Block("m", str(k), *part) for k, part in enumerate(_cut(residual, line, curves))]
    found = confidence(("intercept", "slope"), np.zeros(2), cut, PLAIN)

    mean, spread = x.mean(), np.sum((x - x.mean()) ** 2)
    wanted = sigma**2 * np.array([[1 / samples + mean**2 / spread, -mean / spread], [-mean / spread, 1 / spread]])
    np.testing.assert_allclose(found.covariance, wanted, rtol=1e-3)  # the bounds of the box tell a little more


def _cut(residual: Array, jacobian: Array, parts: int) -> list[tuple[Array, Array]]:
    return list(zip(np.split(residual, parts), np.split(jacobian, parts), strict=True))


def test_stated_confidence_covers_the_planted_truth() -> None:
    """50 noisy experiments with 3 parameters: the 95 % intervals hold the truth in about 95 % of the cases."""
    covered, deviations = [], []
    for seed in range(50):
        problem, truth = two_manoeuvres(seed=100, n=3, noise=1.0)
        scatter = np.random.default_rng(seed)
        noise = [scatter.normal(size=120) for _ in range(2)]
        calm = two_manoeuvres(seed=100, n=3, noise=0.0)[0].residuals

        def residuals(z, calm=calm, noise=noise):
            return [(r + e / np.sqrt(120), j) for (r, j), e in zip(calm(z), noise, strict=True)]

        problem.residuals = residuals
        outcome = minimise(problem, PLAIN, method=GaussNewton(prior_pct=0.0))
        found = confidence(problem.names, outcome.z, problem.linearise(outcome.z), PLAIN)
        low, high = found.interval(0.95)
        covered.append((low <= truth) & (truth <= high))
        deviations.append((outcome.z - truth) / found.std)
    assert 0.88 <= np.mean(covered) <= 1.0
    assert 0.8 < np.std(deviations) < 1.2


def test_a_variable_that_nothing_sees_keeps_the_variance_of_the_box() -> None:
    jacobian = np.column_stack([np.linspace(1, 2, 50), np.zeros(50)])
    found = confidence(("seen", "unseen"), np.zeros(2), [Block("m", "i", np.full(50, 0.01), jacobian)])
    assert found.std[1] == pytest.approx(BOX)
    assert found.determined == (True, False)
    low, high = found.interval(0.99)
    assert (low[1], high[1]) == (-1.0, 1.0)


def test_two_variables_that_do_the_same() -> None:
    column = np.linspace(1, 2, 50)
    found = confidence(("a", "b"), np.zeros(2), [Block("m", "i", np.full(50, 0.001), np.column_stack([column] * 2))])
    assert np.all(np.isfinite(found.covariance))
    # Their sum is known, their difference is not: each has half the variance of the box.
    np.testing.assert_allclose(found.std, BOX / math.sqrt(2), rtol=1e-3)
    assert found.correlation[0, 1] == pytest.approx(-1.0, abs=1e-3)
    assert found.determined == (False, False)


def test_on_a_bound() -> None:
    random = np.random.default_rng(0)
    jacobian = random.normal(size=(50, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    block = Block("m", "i", 0.1 * random.normal(size=50), jacobian)
    free = confidence(("a", "b"), np.array([0.5, 0.0]), [block], noise_pct=1.0)
    bound = confidence(("a", "b"), np.array([1.0, 0.0]), [block], noise_pct=1.0)
    assert (free.on_bound, bound.on_bound) == ((False, False), (True, False))
    assert bound.std[0] == pytest.approx(free.std[0])
    assert bound.std[1] < free.std[1]  # given that a stays where it is
    assert not bound.covariance[0].any()
    assert bound.correlation[0, 0] == 0.0


def test_a_perfect_fit_is_not_called_undetermined() -> None:
    found = confidence(("a",), np.zeros(1), [Block("m", "i", np.zeros(30), np.ones((30, 1)))])
    assert found.determined == (True,)
    assert found.std[0] > 0


def test_smooth_differences_count_for_fewer_samples() -> None:
    """The same size of residual, once as noise and once as a slow wave: the wave leaves more doubt."""
    jacobian = np.ones((400, 1))
    noise = np.random.default_rng(1).normal(size=400)
    wave = np.sin(np.linspace(0, 6 * np.pi, 400))
    std = [
        confidence(("a",), np.zeros(1), [Block("m", "i", r / np.linalg.norm(r), jacobian)]).std[0]
        for r in (noise, wave)
    ]
    assert std[1] > 3 * std[0]
    given = confidence(("a",), np.zeros(1), [Block("m", "i", noise / np.linalg.norm(noise), jacobian)], noise_pct=1.0)
    assert std[0] == pytest.approx(given.std[0], rel=0.4)


def test_finer_sampling_of_a_smooth_difference_brings_no_certainty() -> None:
    def std(samples: int) -> float:
        x = np.linspace(0, 1, samples)
        residual, jacobian = np.sin(20 * x) / np.sqrt(samples), (5.0 * x / np.sqrt(samples))[:, None]
        return float(confidence(("a",), np.zeros(1), [Block("m", "i", residual, jacobian)]).std[0])

    assert std(2000) == pytest.approx(std(200), rel=0.1)


def test_bad_input() -> None:
    block = Block("m", "i", np.ones(3), np.ones((3, 1)))
    with pytest.raises(InputError, match="no index"):
        confidence(("a",), np.zeros(1), [])
    with pytest.raises(InputError, match="2 numbers are needed"):
        confidence(("a", "b"), np.zeros(1), [block])
    with pytest.raises(InputError, match="no Jacobian with 2 columns: m: i"):
        confidence(("a", "b"), np.zeros(2), [block])
    with pytest.raises(InputError, match="positive"):
        confidence(("a",), np.zeros(1), [block], noise_pct=0.0)
    with pytest.raises(InputError, match="probability"):
        confidence(("a",), np.zeros(1), [block]).interval(1.5)

"""Confidence of tuned values in closed form, where a curve tells its own noise."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.fit.blocks import Block
from trackrod.fit.covariance import confidence
from trackrod.fit.objective import Objective

PLAIN = Objective(penalty=0.0)


def alternating(samples: int, size: float) -> np.ndarray:
    """A residual of this Euclidean norm whose neighbours do not say the same."""
    return size / np.sqrt(samples) * (-1.0) ** np.arange(samples)


def orthogonal(samples: int, lengths: list[float]) -> np.ndarray:
    columns = np.random.default_rng(4).normal(size=(samples, len(lengths)))
    return np.linalg.qr(columns)[0] * lengths


@pytest.mark.parametrize("n", [1, 3, 8])
def test_a_fit_takes_as_many_degrees_of_freedom_as_it_has_variables(n: int) -> None:
    """Variance of the samples e²/(m − n), of a variable that over the square of its column, joined with the box."""
    m, e, length = 12, 0.2, 3.0
    block = Block("m", "i", alternating(m, e), orthogonal(m, [length] * n))
    found = confidence(tuple("abcdefgh"[:n]), np.zeros(n), [block], PLAIN)
    variance = e**2 / (m - n) / length**2
    np.testing.assert_allclose(found.covariance, np.eye(n) / (1.0 / variance + 3.0), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found.std, np.sqrt(1.0 / (1.0 / variance + 3.0)), rtol=1e-9)


def test_with_more_variables_than_samples_one_degree_is_left() -> None:
    block = Block("m", "i", alternating(10, 0.2), np.eye(10))
    wide = Block("m", "i", alternating(10, 0.2), np.hstack([np.eye(10), np.zeros((10, 3))]))
    full = confidence(tuple("abcdefghij"), np.zeros(10), [block], PLAIN)
    more = confidence(tuple("abcdefghijklm"), np.zeros(13), [wide], PLAIN)
    expected = np.sqrt(1.0 / (1.0 / 0.2**2 + 3.0))  # e²/1 in both
    np.testing.assert_allclose(full.std, expected, rtol=1e-9)
    np.testing.assert_allclose(more.std[:10], expected, rtol=1e-9)


def test_each_index_counts_by_its_weight_and_its_own_noise() -> None:
    """C = A⁻¹ B A⁻¹ with A = Σ w JᵀJ, B = Σ w² s² JᵀJ, w the slope of the objective over the index."""
    m, sizes, weights = 20, (0.3, 0.8), (1.0, 2.5)
    jacobians = [np.random.default_rng(seed).normal(size=(m, 2)) for seed in (1, 2)]
    residuals = [alternating(m, e) for e in sizes]
    blocks = [Block("m", n, r, j) for n, r, j in zip("pq", residuals, jacobians, strict=True)]
    objective = Objective(penalty=0.0, weights={("m", "p"): weights[0], ("m", "q"): weights[1]})
    found = confidence(("a", "b"), np.zeros(2), blocks, objective)
    left = (2 * m - 2) / (2 * m)
    squares = [j.T @ j for j in jacobians]
    w = [weight / e for weight, e in zip(weights, sizes, strict=True)]
    a = sum(k * s for k, s in zip(w, squares, strict=True))
    b = sum(k**2 * e**2 / (m * left) * s for k, e, s in zip(w, sizes, squares, strict=True))
    textbook = np.linalg.inv(a) @ b @ np.linalg.inv(a)
    joined = np.linalg.inv(np.linalg.inv(textbook) + 3.0 * np.eye(2))
    np.testing.assert_allclose(found.covariance, joined, rtol=1e-9)


def test_a_scalar_takes_the_mean_square_of_all_indices() -> None:
    """Both are single numbers, so that neither tells its own noise."""
    blocks = [Block("m", "p", np.array([0.3]), np.array([[5.0]])), Block("m", "q", np.array([0.9]), np.array([[0.0]]))]
    found = confidence(("a",), np.zeros(1), blocks, PLAIN)
    variance = 0.5 * (0.3**2 + 0.9**2) / (1.0 * 0.5) / 25.0  # one of two degrees of freedom is left
    assert found.std[0] == pytest.approx(np.sqrt(1.0 / (1.0 / variance + 3.0)), rel=1e-9)


def test_intervals_are_those_of_the_normal_distribution() -> None:
    block = Block("m", "i", alternating(100, 1.0), orthogonal(100, [2.0]))
    found = confidence(("a",), np.array([0.3]), [block], PLAIN)
    low, high = found.interval(0.95)
    assert (high - low)[0] == pytest.approx(2 * 1.959964 * found.std[0], rel=1e-6)
    assert (high + low)[0] == pytest.approx(0.6)
    near = confidence(("a",), np.array([0.98]), [Block("m", "i", alternating(100, 9.0), orthogonal(100, [2.0]))], PLAIN)
    assert near.interval(0.95)[1][0] == 1.0
    assert not near.on_bound[0]
    assert near.std_pct(np.array([10.0]))[0] == pytest.approx(10.0 * near.std[0])


def test_repeated_samples_count_once() -> None:
    """Noise in which each sample stands k times: τ is k, so that the doubt is that of the noise itself."""
    noise = np.random.default_rng(6).normal(size=4000)
    for k in (1, 4):
        residual = np.repeat(noise, k) / np.linalg.norm(np.repeat(noise, k))
        block = Block("m", "i", residual, np.full((4000 * k, 1), 1.0 / np.sqrt(4000 * k)))
        found = confidence(("a",), np.zeros(1), [block], PLAIN)
        variance = found.std[0] ** 2 / (1.0 - 3.0 * found.std[0] ** 2)
        assert variance == pytest.approx(1.0 / 3999, rel=0.2), k

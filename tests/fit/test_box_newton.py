"""The smallest value in a box: bounds that hold, valleys that bend, hills to begin on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear, rosen, rosen_der, rosen_hess

from trackrod.fit.box_newton import minimum_in_box


def test_least_squares_with_bounds() -> None:
    """The same as a method made for them; most variables end on a bound."""
    random = np.random.default_rng(1)
    A, b = random.normal(size=(12, 8)), 3.0 * random.normal(size=12)
    lower, upper = -np.full(8, 0.2), np.full(8, 0.3)

    def squares(z: np.ndarray) -> tuple[float, np.ndarray]:
        residual = A @ z - b
        return float(residual @ residual), 2.0 * A.T @ residual

    found, value = minimum_in_box(squares, lambda _: 2.0 * A.T @ A, lower, upper, np.full(8, 9.0))
    expected = lsq_linear(A, b, (lower, upper), tol=1e-14).x
    assert found == pytest.approx(expected, abs=1e-6)
    assert value == pytest.approx(squares(expected)[0])
    assert np.sum((found == lower) | (found == upper)) >= 4


@pytest.mark.parametrize("start", [(-1.2, 1.0, -0.5, 2.0), (2.0, -2.0, 2.0, -2.0), (0.0, 0.0, 0.0, 0.0)])
def test_a_bent_valley_and_one_that_a_bound_cuts(start: tuple[float, ...]) -> None:
    def valley(z: np.ndarray) -> tuple[float, np.ndarray]:
        return float(rosen(z)), rosen_der(z)

    wide, narrow = np.full(4, 2.0), np.array([0.5, 2.0, 2.0, 2.0])
    found, value = minimum_in_box(valley, rosen_hess, -wide, wide, np.array(start))
    assert value <= rosen(np.clip(start, -wide, wide))
    gradient = rosen_der(found)
    assert np.abs(gradient).max() < 1e-5 or np.all((np.abs(found) == 2.0) | (np.abs(gradient) < 1e-5))
    cut, value = minimum_in_box(valley, rosen_hess, -wide, narrow, np.array(start))
    assert cut[0] <= 0.5
    assert value >= 0.2  # nothing better lies left of the bound


def test_it_leaves_a_hilltop_and_stays_where_it_cannot_go() -> None:
    def bump(z: np.ndarray) -> tuple[float, np.ndarray]:
        return float(np.cos(z).sum()), -np.sin(z)

    found, value = minimum_in_box(
        bump, lambda z: np.diag(-np.cos(z)), -np.full(2, 4.0), np.full(2, 4.0), np.full(2, 0.1)
    )
    assert np.abs(found) == pytest.approx(np.pi)
    assert value == pytest.approx(-2.0)
    held, _ = minimum_in_box(bump, lambda z: np.diag(-np.cos(z)), np.zeros(2), np.zeros(2), np.ones(2))
    assert held.tolist() == [0.0, 0.0]

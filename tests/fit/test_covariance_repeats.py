"""How many samples of a residual count as one, by sums written out; and when a variable is on its bound."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.fit.blocks import Block
from trackrod.fit.covariance import _repeats, confidence


def by_hand(residual: np.ndarray) -> float:
    """Sums of pairs of the autocorrelation until the first that is not positive."""
    size = residual.size
    correlation = [float(residual[: size - k] @ residual[k:] / (residual @ residual)) for k in range(size)]
    total = 0.0
    for k in range(0, size - 1, 2):
        if correlation[k] + correlation[k + 1] <= 0.0:
            break
        total += correlation[k] + correlation[k + 1]
    return min(max(2.0 * total - 1.0, 1.0), float(size))


@pytest.mark.parametrize("period", [7.0, 16.0, 50.0])
def test_neighbours_that_say_the_same_are_counted_whatever_the_size_of_the_residual(period: float) -> None:
    """The autocorrelation of a wave goes below zero and comes back: what comes back does not count."""
    wave = np.cos(2 * np.pi * np.arange(80) / period)
    assert _repeats(wave) == pytest.approx(by_hand(wave))
    assert _repeats(0.05 * wave) == pytest.approx(by_hand(wave))
    assert 1.5 < by_hand(wave) < 30.0


def test_a_variable_is_on_its_bound_within_a_thousandth() -> None:
    block = Block("m", "i", 0.1 * (-1.0) ** np.arange(12), np.random.default_rng(2).normal(size=(12, 4)))
    z = np.array([0.99905, 0.99895, -0.99905, -0.99895])
    assert confidence(tuple("abcd"), z, [block]).on_bound == (True, False, True, False)

"""How far a curve lies behind another: the shift of best correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import correlate

from trackrod.metrics.pair import Pair

__all__ = ["Shift", "find_shift"]

Array = NDArray[np.float64]

#: A correlation that close to the best one is as good: one period later a sine is itself again.
AS_GOOD = 1e-6
#: What rounding leaves of two correlations that are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Shift:
    """A shift between two curves.

    Attributes
    ----------
    steps
        By which the model lies behind the test; negative ahead of it.
    guarded
        The smallest of all that correlate as well: on a sine one period more or less is as good, and means nothing.
    correlation
        Pearson's at `steps`; not a number where a curve is constant.
    """

    steps: int
    guarded: int
    correlation: float


def find_shift(pair: Pair, largest: int) -> Shift:
    """The shift of up to `largest` steps either way with the best correlation of what overlaps.

    Constant curves correlate with nothing: no shift.
    """
    found = _correlations(pair.test, pair.model, largest)
    if np.isnan(found).all():
        return Shift(0, 0, float("nan"))
    shifts = np.arange(-largest, largest + 1)
    best = float(np.nanmax(found))

    def nearest(tolerance: float) -> int:
        near = shifts[found >= best - tolerance]
        return int(near[np.abs(near).argmin()])

    return Shift(nearest(_ROUNDING), nearest(AS_GOOD), best)


def shifted(pair: Pair, steps: int) -> tuple[Array, Array]:
    """What overlaps of test and model, when the model is drawn forward by `steps`."""
    n = pair.x.size
    if steps >= 0:
        return pair.test[: n - steps], pair.model[steps:]
    return pair.test[-steps:], pair.model[: n + steps]


def _correlations(test: Array, model: Array, largest: int) -> Array:
    """Pearson's correlation of ``test[i]`` with ``model[i + n]`` for n from −largest to largest."""
    n = test.size
    a, b = test - test.mean(), model - model.mean()  # sums of squares then keep their digits
    products = correlate(b, a, mode="full")[n - 1 - largest : n + largest]
    shifts = np.arange(-largest, largest + 1)
    count = n - np.abs(shifts)
    first_a, last_a = np.maximum(-shifts, 0), n - np.maximum(shifts, 0)
    first_b, last_b = np.maximum(shifts, 0), n - np.maximum(-shifts, 0)

    def window(row: Array, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Array, Array]:
        sums, squares = (np.concatenate(([0.0], np.cumsum(values))) for values in (row, row**2))
        return sums[last] - sums[first], squares[last] - squares[first]

    (sum_a, square_a), (sum_b, square_b) = window(a, first_a, last_a), window(b, first_b, last_b)
    spread_a, spread_b = square_a - sum_a**2 / count, square_b - sum_b**2 / count
    known = (spread_a > 1e-12 * square_a.max()) & (spread_b > 1e-12 * square_b.max())
    root = np.sqrt(np.where(known, spread_a * spread_b, 1.0))
    return np.where(known, (products - sum_a * sum_b / count) / root, np.nan)

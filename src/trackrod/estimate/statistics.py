"""Numbers from samples that are not independent, with intervals that hold.

A parameter is the solution of a linear law y = X β over samples. Their residuals go on for some time in one direction,
so that n samples tell less than n independent ones: the samples are cut into batches that are longer than the memory
of the residuals, and the scatter of the batches, or of whole runs where there are several, is what counts.

What sensors add is no scatter: a gain or a zero that is wrong stays wrong over a whole campaign. Errors of this kind
are equally likely inside a bound (GUM, type B), and the interval is that of the sum of all of them and of the scatter
(GUM, supplement 1): no factor 2, which would be too wide where one rectangular error dominates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

__all__ = ["Fit", "autocorrelation_time", "fit", "half_width", "smooth"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Probability that an interval holds the truth.
CONFIDENCE = 0.95
#: Batches are this many times as long as the memory of the residuals, and no more than so many.
_LENGTHS, _MOST_BATCHES = 5.0, 40
#: From this number of runs on their scatter is looked at too.
_RUNS = 4
#: How many bounds count as rectangular, the largest first; the sum of all others is nearly normal.
_RECTANGULAR, _DRAWS = 24, 20_000


def autocorrelation_time(values: Array) -> float:
    """How many samples follow each other until they are as good as independent, 1 or more.

    The sum of the autocorrelation from minus to plus infinity, ended where its lag is five times the sum so far.

    Reference: A. Sokal, Monte Carlo methods in statistical mechanics, 1997, section 3.
    """
    n = values.size
    deviation = values - values.mean()
    if n < 4 or not deviation.any():
        return 1.0
    spectrum = np.abs(np.fft.rfft(deviation, 2 * n)) ** 2
    correlation = np.fft.irfft(spectrum)[:n]
    time = 2.0 * np.cumsum(correlation / correlation[0]) - 1.0
    ended = np.arange(n) >= _LENGTHS * time
    return float(max(time[int(np.argmax(ended))] if ended.any() else n / 2.0, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Coefficients of a law.

    Attributes
    ----------
    coefficients, residuals
        Shapes (k,) and (n,).
    spreads
        Covariances of the coefficients, shape (k, k), with their degrees of freedom: from batches of samples, and from
        whole runs where there are enough.
    independent
        Covariance of the coefficients if all samples were independent.
    """

    coefficients: Array
    residuals: Array
    spreads: tuple[tuple[Array, int], ...]
    independent: Array

    def spread(self, gradient: Array) -> tuple[float, int]:
        """Standard deviation of a value by its gradient over the coefficients, and degrees of freedom: the worst."""
        found = [(math.sqrt(max(float(gradient @ c @ gradient), 0.0)), freedom) for c, freedom in self.spreads]
        return max(found, key=lambda item: item[0] * student.ppf(0.5 + CONFIDENCE / 2, item[1]))

    def independent_samples(self, gradient: Array, precision: float) -> float:
        """How many independent samples would tell a value with this standard deviation; no more than there are."""
        count = float(self.residuals.size)
        variance = float(gradient @ self.independent @ gradient)
        return min(count * variance / precision**2, count) if precision > 0.0 else count


def fit(y: Array, X: Array, runs: Integers, instruments: Array | None = None) -> Fit | None:
    """Least squares with the covariance of residuals that are not independent.

    Parameters
    ----------
    y, X
        Ordinates, shape (n,), and regressors, shape (n, k).
    runs
        Number of the run that each sample is from, ascending.
    instruments
        Regressors from other sensors, shape (n, k): noise of X, which would make coefficients too small (errors in
        variables), is then averaged out. X itself if not given.

    Returns
    -------
    Fit or None
        None where the regressors do not tell all coefficients apart.

    Holds: exact where y is X β; the covariance does not change where every sample is repeated in place.
    """
    Z = X if instruments is None else instruments
    scale = np.sqrt((X * X).mean(axis=0))
    if X.shape[0] < 2 * X.shape[1] or not (scale > 0).all():
        return None
    normal = (Z / scale).T @ (X / scale)
    if not np.isfinite(normal).all() or np.linalg.cond(normal) > 1e8:
        return None
    beta: Array = np.asarray(np.linalg.solve(normal, (Z / scale).T @ y) / scale, dtype=np.float64)
    residuals = y - X @ beta
    scores = Z * residuals[:, None]
    inverse: Array = np.asarray(np.linalg.inv(Z.T @ X), dtype=np.float64)
    found = [_covariance(scores, inverse, _batches(scores @ inverse.T, runs))]
    if np.unique(runs).size >= _RUNS:
        found.append(_covariance(scores, inverse, runs))
    freedom = max(y.size - beta.size, 1)
    independent = inverse @ (Z.T @ Z) @ inverse.T * float(residuals @ residuals) / freedom
    return Fit(beta, residuals, tuple(found), independent)


def _covariance(scores: Array, inverse: Array, clusters: Integers) -> tuple[Array, int]:
    """Sandwich over clusters, and its degrees of freedom."""
    _, index = np.unique(clusters, return_inverse=True)
    sums = np.zeros((int(index.max()) + 1, scores.shape[1]))
    np.add.at(sums, index, scores)
    count = len(sums)
    return inverse @ (sums.T @ sums) @ inverse.T * count / (count - 1.0), count - 1


def _batches(influence: Array, runs: Integers) -> Integers:
    """A number for each sample: that of its batch. No batch reaches from one run into the next."""
    memory = max(
        (autocorrelation_time(influence[runs == run, k]) for run in np.unique(runs) for k in range(influence.shape[1])),
        default=1.0,
    )
    length = max(math.ceil(_LENGTHS * memory), math.ceil(len(runs) / _MOST_BATCHES))
    numbers, first = np.zeros(len(runs), dtype=np.int64), 0
    for run in np.unique(runs):
        chosen = np.flatnonzero(runs == run)
        # Three at least: parts of a run may be dependent, but fewer of them would say next to nothing.
        count = max(chosen.size // length, 3)
        numbers[chosen] = first + np.minimum(np.arange(chosen.size) * count // chosen.size, count - 1)
        first += count
    return numbers


def half_width(bounds: Sequence[float], precision: float, freedom: int) -> float:
    """Half the interval that holds the sum of errors with a probability of 95 %.

    Parameters
    ----------
    bounds
        Of errors that are equally likely inside them.
    precision
        Standard deviation of the scatter, with `freedom` degrees of freedom (Student).

    Holds: 0.95 a for one bound a alone, the quantile of Student for scatter alone.
    """
    magnitudes = np.sort(np.abs(np.asarray(bounds, dtype=float)))[::-1]
    first, rest = magnitudes[:_RECTANGULAR], magnitudes[_RECTANGULAR:]
    uniform, normal, order = _draws()
    total = first @ uniform[: first.size] + math.sqrt(float((rest**2).sum()) / 3.0) * normal
    if precision > 0.0:
        total = total + precision * _student(freedom)[order]
    return float(np.quantile(np.abs(total), CONFIDENCE))


@cache
def _draws() -> tuple[Array, Array, Integers]:
    """Always the same ones, so that equal runs give equal intervals."""
    random = np.random.default_rng(0)
    uniform = random.uniform(-1.0, 1.0, (_RECTANGULAR, _DRAWS))
    # Evenly spread in every row: one bound alone then has exactly its own quantile.
    uniform = (2.0 * np.argsort(np.argsort(uniform, axis=1), axis=1) + 1.0) / _DRAWS - 1.0
    return uniform, random.standard_normal(_DRAWS), random.permutation(_DRAWS)


@cache
def _student(freedom: int) -> Array:
    return np.asarray(student.ppf((np.arange(_DRAWS) + 0.5) / _DRAWS, freedom))


def smooth(values: Array, time: Array, window: float) -> Array:
    """Mean over a window that tapers to both sides (triangular, without phase), `window` [s] wide at half height.

    Holds: linear, so that a linear law between signals holds as well between smoothed ones.
    """
    step = float(np.median(np.diff(time))) if time.size > 1 else 1.0
    half = round(window / step)
    if half < 2 or values.size < 2 * half:
        return values
    weights = np.convolve(np.ones(half), np.ones(half)) / half**2
    padded = np.pad(values, (half - 1, half - 1), mode="edge")
    return np.convolve(padded, weights, mode="valid")

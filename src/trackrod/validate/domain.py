"""The domain of validity from a few comparisons with a better model and many runs of the model itself.

The better model is expensive, so that few manoeuvres are compared. What they say is carried to all runs of the model by
a Gaussian process over the operating points, which knows how little it knows. The domain is a box, because a box can be
told in a sentence and checked in a step; it is peeled until hardly anything in it is expected to violate a criterion
(Friedman and Fisher 1999, patient rule induction). How careful that must be is found by cross-validation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from trackrod.core.errors import ConvergenceError
from trackrod.core.validity import QUANTITIES, Bound

__all__ = ["WRONGLY_INSIDE", "Domain", "Surrogate", "find_bounds", "find_domain", "most_spread", "most_uncertain"]

Array = NDArray[np.float64]
Chosen = NDArray[np.bool_]

#: Share of all manoeuvres that may be taken for inside and violate a criterion, by cross-validation [-].
WRONGLY_INSIDE = 0.025
#: Expected share of violations among what is inside that peeling begins with; halved until cross-validation agrees [-].
_EXPECTED, _TRIALS = 0.04, 6
#: Share of what is left that one cut takes off, and of all runs that must stay inside [-].
_CUT, _LEAST = 0.03, 0.02
#: Parts of the cross-validation, and runs that are enough for it.
_FOLDS, _ENOUGH = 10, 500
#: Ratios are told apart between these; beyond, both models have parted [-].
_RATIOS = (0.02, 5.0)
#: Length scales in standard deviations, and noise over the signal, that are tried [-].
_LENGTHS, _NOISES = (1.0, 2.0, 4.0), (0.1, 0.3, 1.0)


class Surrogate:
    """What comparisons at some operating points say about all others.

    Parameters
    ----------
    points
        Operating points of all runs, a row for each, in any units.
    known
        Rows that were compared.
    ratios
        Their worst error over what is allowed; 1 at the limit, infinite where both models did not end alike.

    Attributes
    ----------
    violates
        Probability that a run violates a criterion, 0 to 1.
    """

    def __init__(self, points: Array, known: NDArray[np.intp], ratios: Array) -> None:
        deviation = points.std(axis=0)
        scaled = (points - points.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
        values = np.log(np.clip(ratios, *_RATIOS))
        mean = float(values.mean())
        fits = [_Process(scaled[known], values - mean, length, noise) for length in _LENGTHS for noise in _NOISES]
        best = max(fits, key=lambda process: process.predictive)
        centre, spread = best.at(scaled)
        self.violates = ndtr((centre + mean) / spread)


class _Process:
    """A Gaussian process with a linear part, fitted to values at points."""

    def __init__(self, points: Array, values: Array, length: float, noise: float) -> None:
        self._points, self._length = points, length
        covariance = self._covariance(points) + noise**2 * np.eye(len(points))
        self._scale = 1.0
        factor = cho_factor(covariance, lower=True)
        weights = cho_solve(factor, values)
        self._scale = max(float(values @ weights) / values.size, 1e-6)  # of the prior, by likelihood
        self._factor, self._weights, self._noise = factor, weights, noise
        inverse = np.diag(cho_solve(factor, np.eye(len(points))))
        left_out, variance = weights / inverse, self._scale / inverse
        self.predictive = float(-0.5 * np.sum(left_out**2 / variance + np.log(variance)))

    def _covariance(self, points: Array) -> Array:
        square = np.sum((points[:, None, :] - self._points[None, :, :]) ** 2, axis=2)
        linear = points @ self._points.T / points.shape[1]
        return np.asarray(np.exp(-0.5 * square / self._length**2) + linear)

    def at(self, points: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of a new value at points."""
        across = self._covariance(points)
        prior = 1.0 + np.sum(points**2, axis=1) / points.shape[1] + self._noise**2
        explained = np.sum(across * cho_solve(self._factor, across.T).T, axis=1)
        return across @ self._weights, np.sqrt(self._scale * np.maximum(prior - explained, self._noise**2))


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """A box of operating points.

    Attributes
    ----------
    bounds
        That were needed: of the other quantities, how far comparisons went.
    wrongly_inside
        Share of compared runs that a domain found without them took for inside, and that violate a criterion [-].
    wrongly_outside
        The same the other way round: how much is given away [-].
    expected
        Share of violations that the surrogate expects inside [-].
    share
        Of all runs that lie inside [-].
    """

    bounds: tuple[Bound, ...]
    wrongly_inside: float
    wrongly_outside: float
    expected: float
    share: float

    def holds(self, points: Array, quantities: Sequence[str]) -> Chosen:
        """Which operating points lie inside; columns as of `quantities`."""
        inside = np.ones(len(points), dtype=bool)
        for bound in self.bounds:
            inside &= bound.keeps(points[:, list(quantities).index(bound.quantity)])
        return inside


def find_domain(points: Array, quantities: Sequence[str], known: NDArray[np.intp], ratios: Array) -> Domain:
    """The largest box in which hardly anything is expected to violate a criterion.

    Parameters
    ----------
    points
        Operating points of all runs [SI], a row for each.
    quantities
        Names of the columns, of `QUANTITIES`.
    known, ratios
        As of `Surrogate`.

    Raises
    ------
    ConvergenceError
        Nowhere are the criteria met.

    Holds: of the compared runs a share of `WRONGLY_INSIDE` lies inside and violates a criterion at most; no bound lies
    beyond the compared runs that meet all.
    """
    rising = _signs(quantities) * points  # the critical side is up
    expected = _EXPECTED
    for _ in range(_TRIALS):
        inside, outside = _cross_validated(rising, known, ratios, expected)
        if inside <= WRONGLY_INSIDE:
            break
        expected *= 0.5
    bounds = find_bounds(points, quantities, known, ratios, expected)
    found = Domain(bounds, inside, outside, expected, 0.0)
    return replace(found, share=float(found.holds(points, quantities).mean()))


def find_bounds(
    points: Array, quantities: Sequence[str], known: NDArray[np.intp], ratios: Array, expected: float
) -> tuple[Bound, ...]:
    """The box in which a share of violations is expected, and no more; else as of `find_domain`."""
    signs = _signs(quantities)
    corner = signs * _peeled(signs * points, known, ratios, expected)
    return tuple(Bound(name, float(limit)) for name, limit in zip(quantities, corner, strict=True))


def _signs(quantities: Sequence[str]) -> Array:
    return np.array([-1.0 if QUANTITIES[name].from_below else 1.0 for name in quantities])


def _cross_validated(rising: Array, known: NDArray[np.intp], ratios: Array, expected: float) -> tuple[float, float]:
    """Shares of compared runs that a domain found without them takes for inside wrongly, and for outside."""
    others = np.setdiff1d(np.arange(len(rising)), known)
    rising = np.concatenate((rising[known], rising[others[:: max(others.size // _ENOUGH, 1)]]))
    known = np.arange(known.size)
    order = np.argsort(ratios, kind="stable")  # every part has its share of large ratios
    wrong = np.zeros(2)
    for part in range(_FOLDS):
        out = order[part::_FOLDS]
        rest = np.setdiff1d(np.arange(known.size), out)
        try:
            corner = _peeled(rising, known[rest], ratios[rest], expected)
        except ConvergenceError:
            corner = np.full(rising.shape[1], -np.inf)
        inside = (rising[known[out]] <= corner).all(axis=1)
        met = ratios[out] <= 1.0
        wrong += np.count_nonzero(inside & ~met), np.count_nonzero(~inside & met)
    return float(wrong[0]) / known.size, float(wrong[1]) / known.size


def _peeled(rising: Array, known: NDArray[np.intp], ratios: Array, expected: float) -> Array:
    """The upper corner of the box."""
    met = known[ratios <= 1.0]
    if met.size == 0:
        raise ConvergenceError("no manoeuvre of the plan meets the criteria: there is no domain of validity")
    violates = Surrogate(rising, known, ratios).violates
    violated = np.zeros(len(rising), dtype=bool)
    violated[known[ratios > 1.0]] = True
    corner = rising[met].max(axis=0)

    def allowed(inside: Chosen) -> bool:
        known_wrong = int(np.count_nonzero(violated & inside))
        return bool(known_wrong <= WRONGLY_INSIDE * known.size and violates[inside].mean() <= expected)

    inside = (rising <= corner).all(axis=1)
    while not allowed(inside):
        cuts = list(_cuts(rising, violates, inside))
        if not cuts:
            raise ConvergenceError("the criteria are met nowhere but in single manoeuvres: there is no domain")
        _, column, limit = max(cuts)
        corner[column] = limit
        inside = (rising <= corner).all(axis=1)
    return _pasted(rising, corner, rising[met].max(axis=0), allowed)


def _cuts(rising: Array, violates: Array, inside: Chosen) -> Iterator[tuple[float, int, float]]:
    """For each quantity the mean probability of what a cut takes off, the quantity, and the new limit."""
    count = np.count_nonzero(inside)
    if count <= _LEAST * len(rising) + 1:
        return
    left, chances = rising[inside], violates[inside]
    limits = np.sort(left, axis=0)[int((1.0 - _CUT) * (count - 1))]
    for column, most in enumerate(limits.tolist()):
        limit = most
        taken = left[:, column] > limit
        if not taken.any():  # many have the largest value
            below = left[left[:, column] < limit, column]
            if not below.size:
                continue
            limit = float(below.max())
            taken = left[:, column] > limit
        yield float(chances[taken].mean()), column, limit


def _pasted(rising: Array, corner: Array, most: Array, allowed: Callable[[Chosen], bool]) -> Array:
    """Limits that later cuts made needless go back as far as they may."""
    for column, share in itertools.product(range(corner.size), (1.0, 0.5, 0.25, 0.1)):
        wider = corner.copy()
        wider[column] += share * (most[column] - corner[column])
        if allowed(np.asarray((rising <= wider).all(axis=1))):
            corner = wider
    return corner


# ---- which manoeuvres are compared


def most_spread(points: Array, count: int, first: Sequence[int] = ()) -> NDArray[np.intp]:
    """Rows that fill the space: each the farthest from all before, those of `first` included.

    Parameters
    ----------
    points
        A row for each manoeuvre, in any units.
    count
        How many rows are asked for.
    """
    deviation = points.std(axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    chosen: list[int] = []
    distance = np.full(len(points), np.inf)
    for row in first:
        distance = np.minimum(distance, np.linalg.norm(scaled - scaled[row], axis=1))
    if not len(first):
        chosen.append(int(np.linalg.norm(scaled, axis=1).argmin()))
        distance = np.linalg.norm(scaled - scaled[chosen[0]], axis=1)
    while len(chosen) < min(count, len(points) - len(first)):
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
    return np.array(chosen, dtype=np.intp)


def most_uncertain(points: Array, known: NDArray[np.intp], ratios: Array, count: int) -> NDArray[np.intp]:
    """Rows at the boundary: where it is least known whether the criteria are met, apart from each other."""
    violates = Surrogate(points, known, ratios).violates
    doubt = np.abs(violates - 0.5)
    doubt[known] = np.inf
    near = np.sort(np.argsort(doubt, kind="stable")[: 8 * count])
    rows = np.concatenate((known, near))
    return rows[most_spread(points[rows], count, range(known.size))]

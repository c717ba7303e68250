"""Distributions of one number, by their quantile functions: a point between 0 and 1 becomes a value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

__all__ = ["Distribution", "Shape", "standard_normal"]

Array = NDArray[np.float64]

#: Points nearer to 0 and 1 than this count as this: the ends of a normal distribution are infinitely far away.
_END = 2.0**-40
#: How many deviations away a normal distribution that is not cut off is looked at.
_FAR = 6.0


class Shape(StrEnum):
    """What a distribution looks like."""

    UNIFORM = "uniform"
    NORMAL = "normal"
    TRIANGULAR = "triangular"
    CHOICE = "choice"


def standard_normal(u: Array) -> Array:
    """Quantiles of the standard normal distribution at points between 0 and 1."""
    return np.asarray(ndtri(np.clip(u, _END, 1.0 - _END)))


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of one number; what a shape does not need is None or empty.

    Attributes
    ----------
    shape
        Uniform and triangular go from `low` to `high`, the second with its peak at `mode`; normal has a mean and a
        deviation and is cut off at `low` and `high` where these are given; a choice has values.
    low, high, mode, mean, deviation
        Numbers of these.
    values
        Of a choice; their number in `words` where it is one of words.
    probabilities
        Of the values; all alike if empty.
    words
        Of a choice of words.
    levels
        How many values a grid takes; 0 where it is not known.
    """

    shape: Shape
    low: float | None = None
    high: float | None = None
    mode: float | None = None
    mean: float | None = None
    deviation: float | None = None
    values: tuple[float, ...] = ()
    probabilities: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    levels: int = 0

    def faults(self) -> Iterator[tuple[str, str]]:
        """What is wrong: the key and a sentence."""
        low, high = self._cut
        if self.shape is Shape.CHOICE:
            yield from self._faults_of_choice()
        elif not low < high:
            yield "low", f"goes from {low:g} to {high:g}; the second must be the larger one"
        elif self.shape is Shape.TRIANGULAR and not low <= _given(self.mode) <= high:
            yield "mode", f"has its peak at {_given(self.mode):g}, which is not between {low:g} and {high:g}"
        elif self.shape is Shape.NORMAL:
            if not _given(self.deviation) > 0.0:
                yield "deviation", f"has the deviation {_given(self.deviation):g}, it must be greater than zero"
            elif self._share[1] - self._share[0] < 1e-6:
                yield "low", f"is cut off between {low:g} and {high:g}, where a normal distribution has nothing"

    def _faults_of_choice(self) -> Iterator[tuple[str, str]]:
        if not self.values:
            yield "values", "has nothing to choose from"
        if self.probabilities and len(self.probabilities) != len(self.values):
            yield "probabilities", f"has {len(self.values)} values and {len(self.probabilities)} probabilities"
        elif self.probabilities and not (min(self.probabilities) >= 0.0 and abs(sum(self.probabilities) - 1.0) <= 1e-9):
            yield "probabilities", f"has probabilities whose sum is {sum(self.probabilities):g}, it must be 1"

    @property
    def _cut(self) -> tuple[float, float]:
        return (-math.inf if self.low is None else self.low), (math.inf if self.high is None else self.high)

    @property
    def _share(self) -> tuple[float, float]:
        """Of the whole normal distribution: what lies below the ends."""
        first, last = (float(ndtr((end - _given(self.mean)) / _given(self.deviation))) for end in self._cut)
        return first, last

    def at(self, u: Array) -> Array:
        """Quantiles at points between 0 and 1; for a choice of words their numbers.

        Holds: they never fall where `u` grows, and lie between the ends.
        """
        low, high = self._cut
        if self.shape is Shape.UNIFORM:
            return np.asarray(low + (high - low) * u)
        if self.shape is Shape.NORMAL:
            first, last = self._share
            values = _given(self.mean) + _given(self.deviation) * standard_normal(first + (last - first) * u)
            return np.asarray(np.clip(values, low, high))
        if self.shape is Shape.TRIANGULAR:
            span, left = high - low, _given(self.mode) - low
            rising = low + np.sqrt(u * span * left)
            falling = high - np.sqrt((1.0 - u) * span * (span - left))
            return np.asarray(np.where(u < left / span, rising, falling))
        shares = self.probabilities or (1.0 / len(self.values),) * len(self.values)
        return np.asarray(np.array(self.values)[np.searchsorted(np.cumsum(shares)[:-1], u, side="right")])

    def grid(self) -> Array:
        """The values of a grid, all of a choice.

        Of a uniform distribution both ends and what lies evenly between them; of others quantiles in the middles of
        equal shares.
        """
        if self.shape is Shape.CHOICE:
            return np.array(self.values)
        if self.shape is Shape.UNIFORM and self.levels > 1:
            return np.linspace(*self._cut, self.levels)
        return self.at((np.arange(self.levels) + 0.5) / self.levels)

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest value; of a normal distribution that is not cut off six deviations away."""
        if self.shape is Shape.CHOICE:
            return min(self.values), max(self.values)
        low, high = self._cut
        if self.shape is Shape.NORMAL:
            reach = _FAR * _given(self.deviation)
            return max(low, _given(self.mean) - reach), min(high, _given(self.mean) + reach)
        return low, high

    def __str__(self) -> str:
        low, high = self._cut
        if self.shape is Shape.CHOICE:
            named = self.words or tuple(f"{value:g}" for value in self.values)
            return f"one of {', '.join(named)}"
        if self.shape is Shape.NORMAL:
            cut = f", {low:g} to {high:g}" if math.isfinite(low) or math.isfinite(high) else ""
            return f"normal, {_given(self.mean):g} ± {_given(self.deviation):g}{cut}"
        peak = f", most often {_given(self.mode):g}" if self.shape is Shape.TRIANGULAR else ""
        return f"{self.shape}, {low:g} to {high:g}{peak}"


def _given(number: float | None) -> float:
    """A number that the shape has; the reader of the file sees to that."""
    return math.nan if number is None else number

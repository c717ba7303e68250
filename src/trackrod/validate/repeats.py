"""What repeated measurements tell: the mean, its interval, and how far a test lies from itself.

Reference: Oberkampf and Barone (2006), validation metrics from confidence intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from trackrod.core.errors import InputError
from trackrod.metrics.trace import Trace

__all__ = ["Corridor", "corridor", "mean_interval", "mean_trace"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Corridor:
    """The mean of repeats, and where the true mean lies with the confidence asked for.

    Attributes
    ----------
    mean
        Of all repeats over the time that they have in common.
    half_width
        Of the interval at each sample [unit of the signal].
    repeats
        How many there are.
    confidence
        Of the interval, 0 to 1.
    """

    mean: Trace
    half_width: Array
    repeats: int
    confidence: float

    def error(self, model: Trace) -> tuple[Array, Array, Array]:
        """Model less mean, and its lower and upper bound at each sample that the model has; not a number elsewhere."""
        inside = (self.mean.x >= model.x[0]) & (self.mean.x <= model.x[-1])
        values = np.where(inside, np.interp(self.mean.x, model.x, model.y), np.nan)
        off = values - self.mean.y
        return off, off - self.half_width, off + self.half_width


def mean_trace(repeats: Sequence[Trace]) -> Trace:
    """The mean of repeats on the time base of the first, over what all have."""
    first = repeats[0]
    if len(repeats) == 1:
        return first
    low, high = max(trace.x[0] for trace in repeats), min(trace.x[-1] for trace in repeats)
    x = first.x[(first.x >= low) & (first.x <= high)]
    if x.size < 2:
        raise InputError(f"{first.y_name}: {len(repeats)} repeats have no {first.x_name} in common")
    y = np.mean([trace.at(x) for trace in repeats], axis=0)
    return Trace(x, y, first.x_name, first.x_unit, first.y_name, first.y_unit, first.scale, first.floor)


def corridor(repeats: Sequence[Trace], confidence: float = 0.95) -> Corridor:
    """The interval of the mean at every sample, by Student's distribution.

    Raises
    ------
    InputError
        Fewer than two repeats, or none of the abscissa in common.
    """
    if len(repeats) < 2:
        raise InputError(f"{repeats[0].y_name}: an interval needs two repeats or more")
    mean = mean_trace(repeats)
    deviation = np.std([trace.at(mean.x) for trace in repeats], axis=0, ddof=1)
    return Corridor(mean, _factor(len(repeats), confidence) * deviation, len(repeats), confidence)


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> float:
    """Half width of the interval of a mean; not a number for fewer than two values."""
    if len(values) < 2:
        return math.nan
    return _factor(len(values), confidence) * float(np.std(values, ddof=1))


def _factor(count: int, confidence: float) -> float:
    return float(student.ppf(0.5 + 0.5 * confidence, count - 1)) / math.sqrt(count)

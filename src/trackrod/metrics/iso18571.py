"""ISO/TS 18571: objective rating of a non-ambiguous signal by corridor, phase, magnitude and slope.

As the standard writes it, and guarded. A signal that repeats itself correlates as well one period later, and the
standard may then find a large phase error where there is none: the guarded rating takes the smallest of the shifts that
correlate as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.metrics.pair import Pair
from trackrod.metrics.shift import find_shift, shifted

__all__ = ["Iso18571", "Rating", "rate"]

Array = NDArray[np.float64]

#: Half widths of the inner and outer corridor, as shares of the largest magnitude of the test, and the power between.
INNER, OUTER, CORRIDOR_POWER = 0.05, 0.5, 2
#: Largest shift, as a share of the points; band of the warping, as a share of those that overlap.
LARGEST_SHIFT, BAND = 0.2, 0.1
#: Errors of magnitude and slope that leave a score of zero.
WORST_MAGNITUDE, WORST_SLOPE = 0.5, 2.0
#: Points of the mean that smooths slopes.
SMOOTHED = 9
#: Weights of corridor, phase, magnitude and slope.
WEIGHTS = (0.4, 0.2, 0.2, 0.2)


@dataclass(frozen=True, slots=True)
class Rating:
    """Scores from 0 to 1, 1 is perfect: overall `R`, corridor `Z`, phase `EP`, magnitude `EM`, slope `ES`; the shift.

    `shift` is the time by which the model lies behind the test [abscissa].
    """

    R: float
    Z: float
    EP: float
    EM: float
    ES: float
    shift: float


@dataclass(frozen=True, slots=True)
class Iso18571:
    """The rating as written, and the guarded one."""

    written: Rating
    guarded: Rating


def rate(pair: Pair) -> Iso18571:
    """Rate a model by ISO/TS 18571:2024."""
    corridor = corridor_score(pair)
    shift = find_shift(pair, math.floor(LARGEST_SHIFT * pair.x.size))
    written = _rated(pair, corridor, shift.steps)
    return Iso18571(written, written if shift.guarded == shift.steps else _rated(pair, corridor, shift.guarded))


def corridor_score(pair: Pair) -> float:
    """Mean of the score of each point: 1 inside the inner corridor, 0 outside the outer one, a parabola between."""
    off = np.abs(pair.residual) / pair.largest
    return float(np.mean(np.clip((OUTER - off) / (OUTER - INNER), 0.0, 1.0) ** CORRIDOR_POWER))


def _rated(pair: Pair, corridor: float, steps: int) -> Rating:
    furthest = LARGEST_SHIFT * pair.x.size
    test, model = shifted(pair, steps)
    i, j, _ = _core.warp(test, model, math.ceil(BAND * test.size))
    phase = (furthest - abs(steps)) / furthest
    magnitude = 1.0 - relative_difference(test[i], model[j]) / WORST_MAGNITUDE
    slope = 1.0 - relative_difference(smooth_slope(test), smooth_slope(model)) / WORST_SLOPE
    phase, magnitude, slope = (min(max(score, 0.0), 1.0) for score in (phase, magnitude, slope))
    overall = float(np.dot(WEIGHTS, (corridor, phase, magnitude, slope)))
    return Rating(overall, corridor, phase, magnitude, slope, steps * pair.step)


def relative_difference(test: Array, model: Array) -> float:
    """Sum of the magnitudes of the difference over that of the test; infinite where the test has none."""
    total = float(np.abs(test).sum())
    return float(np.abs(model - test).sum()) / total if total > 0.0 else math.inf


def smooth_slope(row: Array) -> Array:
    """Differences by step, smoothed by a mean over nine points, over fewer at the ends."""
    slope = np.gradient(row)
    sums = np.concatenate(([0.0], np.cumsum(slope)))
    place = np.arange(row.size)
    reach = np.minimum(SMOOTHED // 2, np.minimum(place, row.size - 1 - place))
    return np.asarray((sums[place + reach + 1] - sums[place - reach]) / (2 * reach + 1))

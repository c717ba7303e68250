"""Measures of the difference between two curves: norms, residuals, correlation, magnitude and phase, warping."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trackrod import _core
from trackrod.metrics.iso18571 import relative_difference
from trackrod.metrics.pair import Pair
from trackrod.metrics.shift import find_shift, shifted

__all__ = [
    "Earth",
    "MagnitudePhase",
    "Residual",
    "correlation",
    "earth",
    "nise",
    "residual",
    "russell",
    "sprague_geers",
    "warping_distance",
]

#: Largest shift of EARTH as a share of the points.
_EARTH_SHIFT = 0.2


@dataclass(frozen=True, slots=True)
class Residual:
    """Model less test, in the unit of the signal where nothing else is said.

    Attributes
    ----------
    mean, deviation
        Average residual, and its standard deviation.
    rmse, mae, largest
        Root mean square, mean magnitude and largest magnitude.
    l1, l2, l_infinity
        The same over the norm of the test, or over the floor of the pair if that is larger [-].
    of_largest
        Root mean square over the largest magnitude of the test, or over the floor (paper 002, eq. 8) [-].
    """

    mean: float
    deviation: float
    rmse: float
    mae: float
    largest: float
    l1: float
    l2: float
    l_infinity: float
    of_largest: float


@dataclass(frozen=True, slots=True)
class MagnitudePhase:
    """Errors of magnitude `M`, phase `P` and both together `C` [-]; 0 is perfect."""

    M: float
    P: float
    C: float


@dataclass(frozen=True, slots=True)
class Earth:
    """Error assessment of response time histories: phase, magnitude and topology [-]; 0 is perfect.

    `phase` is the shift over the duration, `shift` by how much the model lies behind the test [abscissa].
    """

    phase: float
    magnitude: float
    topology: float
    shift: float


def residual(pair: Pair) -> Residual:
    """Statistics and norms of the residual."""
    off, test = pair.residual, pair.test
    rmse, mae = math.sqrt(float(np.mean(off**2))), float(np.abs(off).mean())
    largest = max(pair.largest, pair.floor)
    return Residual(
        mean=float(off.mean()),
        deviation=float(off.std()),
        rmse=rmse,
        mae=mae,
        largest=float(np.abs(off).max()),
        l1=mae / max(float(np.abs(test).mean()), pair.floor),
        l2=rmse / max(math.sqrt(float(np.mean(test**2))), pair.floor),
        l_infinity=float(np.abs(off).max()) / largest,
        of_largest=rmse / largest,
    )


def correlation(pair: Pair) -> float:
    """Pearson's; not a number where a curve is constant."""
    a, b = pair.test - pair.test.mean(), pair.model - pair.model.mean()
    root = math.sqrt(float(a @ a) * float(b @ b))
    # a constant leaves the rounding of its mean
    known = min(np.ptp(pair.test) / pair.largest, np.ptp(pair.model) / max(np.abs(pair.model).max(), 1e-300)) > 1e-12
    return float(a @ b) / root if known else math.nan


def sprague_geers(pair: Pair) -> MagnitudePhase:
    """Sprague and Geers (2004)."""
    cc, mm, mc = _products(pair)
    magnitude = math.sqrt(cc / mm) - 1.0
    phase = _phase(cc, mm, mc)
    return MagnitudePhase(magnitude, phase, math.hypot(magnitude, phase))


def russell(pair: Pair) -> MagnitudePhase:
    """Russell (1997): symmetric in test and model, magnitude on a logarithmic scale."""
    cc, mm, mc = _products(pair)
    if cc == 0.0:
        return MagnitudePhase(-math.inf, 0.5, math.inf)
    off = (cc - mm) / math.sqrt(cc * mm)
    magnitude = math.copysign(math.log10(1.0 + abs(off)), off)
    phase = _phase(cc, mm, mc)
    return MagnitudePhase(magnitude, phase, math.sqrt(math.pi / 4.0) * math.hypot(magnitude, phase))


def nise(pair: Pair) -> float:
    """Normalised integral square error, 1 − 2 Σ ab / (Σ a² + Σ b²): 0 is perfect, 2 the opposite sign."""
    cc, mm, mc = _products(pair)
    return 1.0 - 2.0 * mc / (cc + mm)


def warping_distance(pair: Pair) -> float:
    """Root mean square of the difference along the cheapest warping within a tenth of the duration [unit]."""
    i, _, cost = _core.warp(pair.test, pair.model, math.ceil(0.1 * pair.x.size))
    return math.sqrt(cost / i.size)


def earth(pair: Pair) -> Earth:
    """EARTH (Sarin et al. 2010): curves are shifted, warped by values, times and slopes, then compared."""
    n = pair.x.size
    steps = find_shift(pair, math.floor(_EARTH_SHIFT * n)).guarded
    test, model = (row / pair.largest for row in shifted(pair, steps))
    slopes = np.gradient(test), np.gradient(model)
    i, j, _ = _core.warp(test, model, math.ceil(0.1 * test.size), 1.0 / test.size, slopes)
    return Earth(
        phase=abs(steps) / n,
        magnitude=relative_difference(test[i], model[j]),
        topology=relative_difference(slopes[0][i], slopes[1][j]),
        shift=steps * pair.step,
    )


def _products(pair: Pair) -> tuple[float, float, float]:
    """Mean products of the model with itself, of the test with itself, and of both."""
    return float(np.mean(pair.model**2)), float(np.mean(pair.test**2)), float(np.mean(pair.model * pair.test))


def _phase(cc: float, mm: float, mc: float) -> float:
    """Angle between the curves as vectors over π; half a turn's half where the model is zero."""
    if cc == 0.0:
        return 0.5
    return math.acos(min(max(mc / math.sqrt(mm * cc), -1.0), 1.0)) / math.pi

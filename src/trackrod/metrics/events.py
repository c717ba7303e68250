"""When something happens in a signal: crossings, peaks, steady values, straight lines through samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.core.signals import Signal

__all__ = ["first_crossing", "first_time", "largest", "slope", "steady_value", "vertex"]

Array = NDArray[np.float64]


def first_crossing(time: Array, values: Array, level: float) -> float | None:
    """Time at which values first reach a level from below, linear between samples [s]; None if they never do."""
    reached = values >= level
    if not reached.any():
        return None
    i = int(np.argmax(reached))
    if i == 0:
        return float(time[0])
    share = (level - values[i - 1]) / (values[i] - values[i - 1])
    return float(time[i - 1] + share * (time[i] - time[i - 1]))


def first_time(run: Run, signal: Signal, what: str) -> float:
    """Time of the last sample before a signal is first greater than zero [s]; InputError if it never is."""
    pressed = run[signal] > 0.0
    if not pressed.any():
        raise InputError(f"the run has no {what}: '{signal.column}' is never greater than zero")
    return float(run.time[max(int(np.argmax(pressed)) - 1, 0)])


def vertex(time: Array, values: Array) -> tuple[float, float]:
    """Time [s] and value of the largest sample, refined by the parabola through it and its two neighbours."""
    i = int(np.argmax(values))
    if i in (0, values.size - 1):
        return float(time[i]), float(values[i])
    t, y = time[i - 1 : i + 2] - time[i], values[i - 1 : i + 2]
    a, b, c = np.linalg.solve(np.vander(t), y)
    if not a < 0:
        return float(time[i]), float(values[i])
    at = -b / (2 * a)
    return float(time[i] + at), float(c - b * b / (4 * a))


def steady_value(time: Array, values: Array, window: float) -> float:
    """Mean over the last `window` seconds."""
    if time[-1] - time[0] < window:
        raise InputError(f"a steady value is the mean over {window:g} s, the run has {time[-1] - time[0]:g} s")
    return float(values[time >= time[-1] - window].mean())


def slope(x: Array, y: Array, low: float, high: float) -> float | None:
    """Slope of the straight line of least squares through the points with `low` ≤ x ≤ `high`; None below 3 points."""
    chosen = (x >= low) & (x <= high)
    if np.count_nonzero(chosen) < 3 or np.ptp(x[chosen]) == 0.0:
        return None
    return float(np.polyfit(x[chosen] - x[chosen].mean(), y[chosen], 1)[0])


def largest(values: Array) -> float:
    """Largest magnitude."""
    return float(np.abs(values).max())

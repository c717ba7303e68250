"""Comfort against road holding: two numbers of a run.

Reference: ISO 2631-1:1997, weighting W_k of vertical vibration, annex A.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run

__all__ = ["dynamic_wheel_load", "vertical_weighting", "weighted_acceleration"]

Array = NDArray[np.float64]

#: Corner frequencies [Hz] and qualities of W_k: band, transition from acceleration to velocity, upward step.
_F1, _F2, _F3, _F4, _Q4, _F5, _Q5, _F6, _Q6 = 0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91


def vertical_weighting(frequency: ArrayLike) -> Array:
    """Magnitude of W_k at frequencies [Hz]."""
    s = 2j * np.pi * np.asarray(frequency, dtype=np.float64)
    w1, w2, w3, w4, w5, w6 = (2 * np.pi * f for f in (_F1, _F2, _F3, _F4, _F5, _F6))
    high = s**2 / (s**2 + np.sqrt(2) * w1 * s + w1**2)
    low = w2**2 / (s**2 + np.sqrt(2) * w2 * s + w2**2)
    transition = (1 + s / w3) / (1 + s / (_Q4 * w4) + (s / w4) ** 2)
    step = (1 + s / (_Q5 * w5) + (s / w5) ** 2) / (1 + s / (_Q6 * w6) + (s / w6) ** 2) * (w5 / w6) ** 2
    return np.asarray(np.abs(high * low * transition * step))


def weighted_acceleration(run: Run) -> float:
    """RMS of the vertical acceleration of the centre of gravity, weighted by W_k [m/s²]."""
    z = run[signals.Z] - run[signals.Z].mean()
    step = float(run.time[1] - run.time[0])
    window = np.hanning(z.size)
    frequency = np.fft.rfftfreq(z.size, step)
    spectrum = np.fft.rfft(z * window) * (2 * np.pi * frequency) ** 2 * vertical_weighting(frequency)
    weighted = np.fft.irfft(spectrum, z.size)
    return float(np.sqrt(np.mean(weighted**2) / np.mean(window**2)))


def dynamic_wheel_load(run: Run) -> float:
    """RMS of the change of the wheel loads over their mean, mean of the four wheels [-]."""
    loads = [run[signals.FZ[corner]] for corner in Corner]
    return float(np.mean([np.std(load) / np.mean(load) for load in loads]))

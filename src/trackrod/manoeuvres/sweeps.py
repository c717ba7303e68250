"""Sines of growing frequency."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sweep"]

Array = NDArray[np.float64]


class Sweep(StrEnum):
    """How the frequency of a sweep grows: by equal factors in equal times, or by equal steps."""

    LOGARITHMIC = "logarithmic"
    LINEAR = "linear"

    def frequency(self, first: float, last: float, duration: float, t: Array) -> Array:
        """Frequency [Hz] at times from the beginning to the end of a sweep [s] between two frequencies [Hz]."""
        if self is Sweep.LINEAR:
            return np.asarray(first + (last - first) * t / duration)
        return np.asarray(first * (last / first) ** (t / duration))

    def angle(self, first: float, last: float, duration: float, t: Array) -> Array:
        """The integral of the frequency [rad]; parameters as for `frequency`."""
        if self is Sweep.LINEAR or first == last:
            return np.asarray(2 * np.pi * (first * t + 0.5 * (last - first) / duration * t * t))
        k = np.log(last / first) / duration
        return np.asarray(2 * np.pi * first * np.expm1(k * t) / k)

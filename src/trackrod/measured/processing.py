"""What is done to samples before they are a run: resampling, zero-phase filters, and the delay of a late channel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.signal import butter, sosfiltfilt

from trackrod.core.errors import InputError
from trackrod.measured.recording import Samples

__all__ = ["Delay", "differentiate", "find_delay", "low_pass", "low_pass_nan", "resample", "segments", "shift"]

Array = NDArray[np.float64]

#: A low-pass filter before samples are thinned out: over half of the new rate, and its order.
_ANTI_ALIASING, _STEEP = 0.8, 4
#: Samples further apart than this many usual steps have a gap between them.
GAP_STEPS = 5.0
#: Delays are found on signals below this frequency [Hz], which all sensors follow.
_DELAY_BAND = 12.0
#: Least correlation at the delay, and the most that the delay may be uncertain (standard deviation) [s].
_LEAST_CORRELATION, _LARGEST_DEVIATION = 0.85, 1.5e-3
#: Parts of a record whose scatter tells how uncertain a delay is: residuals are no white noise.
_PARTS = 16


def low_pass(values: Array, rate: float, frequency: float, order: int = 2) -> Array:
    """Samples without what is faster than a frequency, not shifted in time (Butterworth, forward and backward).

    Parameters
    ----------
    values
        Evenly spaced, all finite.
    rate, frequency
        Of the samples, and where the filter lets half of the power through [Hz].
    order
        Of each of both passes.

    Raises
    ------
    InputError
        The frequency is not below half of the rate.
    """
    if not 0.0 < frequency < 0.5 * rate:
        raise InputError(f"a low-pass filter of {frequency:g} Hz needs more than {2 * frequency:g} samples per second")
    beyond = min(values.size - 1, int(3 * rate / frequency))
    filtered: Array = sosfiltfilt(_sections(frequency / rate, order), values, padlen=beyond)
    return filtered


@lru_cache(maxsize=64)
def _sections(share: float, order: int) -> Array:
    """Of a filter for a frequency over the rate; both passes together halve the power: each alone lets pass more."""
    corner = math.tan(math.pi * share) / (math.sqrt(2.0) - 1.0) ** (0.5 / order)
    return np.asarray(butter(order, 2.0 / math.pi * math.atan(corner), output="sos"))


def segments(time: Array) -> list[slice]:
    """Stretches of samples without a gap between them."""
    if time.size < 3:
        return [slice(0, time.size)]
    steps = np.diff(time)
    breaks = np.flatnonzero(steps > GAP_STEPS * np.median(steps)) + 1
    return [slice(a, b) for a, b in zip([0, *breaks.tolist()], [*breaks.tolist(), time.size], strict=True)]


def resample(samples: Samples, time: Array, *, held: bool = False) -> Array:
    """Values at other, evenly spaced times; not a number in gaps and outside.

    Linear between samples; before samples are thinned out, what the new rate cannot show is filtered away.

    Parameters
    ----------
    samples
        Time increasing.
    time
        New times [s].
    held
        Whether a value stays until the next sample.
    """
    found = np.full(time.size, np.nan)
    step = (time[-1] - time[0]) / max(time.size - 1, 1)
    for part in segments(samples.time):
        t, values = samples.time[part], samples.values[part]
        inside = (time >= t[0] - 1e-9) & (time <= t[-1] + 1e-9)
        if not inside.any():
            continue
        wanted = np.clip(time[inside], t[0], t[-1])
        if held:
            found[inside] = values[np.searchsorted(t, wanted, side="right") - 1]
            continue
        own = (t[-1] - t[0]) / max(t.size - 1, 1)
        if t.size > 8 and own < 0.9 * step:
            even = np.linspace(t[0], t[-1], t.size)
            values = low_pass(np.interp(even, t, values), 1.0 / own, _ANTI_ALIASING * 0.5 / step, _STEEP)
            t = even
        found[inside] = np.interp(wanted, t, values)
    return found


def shift(time: Array, values: Array, delay: float) -> Array:
    """Evenly spaced values as they would be without a delay [s]; not a number where none were recorded."""
    known = np.isfinite(values)
    if not known.any() or delay == 0.0:
        return values
    earlier = time + delay
    found = np.asarray(CubicSpline(time[known], values[known], extrapolate=False)(earlier), dtype=np.float64)
    missing = np.interp(earlier, time, (~known).astype(float)) > 1e-9
    found[missing] = np.nan
    return found


def low_pass_nan(time: Array, values: Array, frequency: float) -> Array:
    """As `low_pass` on each stretch of values between missing ones."""
    found = values.copy()
    rate = (time.size - 1) / (time[-1] - time[0])
    known = np.isfinite(values)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(int)))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if end - start > 8:
            found[start:end] = low_pass(values[start:end], rate, frequency)
    return found


def differentiate(time: Array, values: Array, frequency: float) -> Array:
    """Rate of change of evenly spaced values after a zero-phase low-pass filter [Hz]."""
    return np.gradient(low_pass_nan(time, values, frequency), time)


@dataclass(frozen=True, slots=True)
class Delay:
    """By how much one signal comes later than others that it follows from.

    Attributes
    ----------
    value, standard_deviation
        [s]; not a number where it cannot be told.
    correlation
        Between the signal and what the others make of it, at the delay.
    missing
        Why it cannot be told; empty if it can.
    """

    value: float
    standard_deviation: float
    correlation: float
    missing: str = ""


def find_delay(time: Array, late: Array, causes: Array, longest: float = 0.3) -> Delay:
    """The delay τ at which a signal is best explained by others: late(t + τ) ≈ Σ βₖ causesₖ(t) + constant.

    All gains β are free, so that masses, radii and units play no part; with one cause this is the maximum of the
    cross-correlation. Between samples it is found by Gauss-Newton steps.

    Parameters
    ----------
    time
        Evenly spaced [s].
    late
        One value for each time.
    causes
        A column for each signal.
    longest
        Delay that is looked for, to both sides [s].
    """
    known = np.isfinite(late) & np.isfinite(causes).all(axis=1)
    stretch = _longest_stretch(known)
    time, late, causes = time[stretch], late[stretch], causes[stretch]
    if time.size < 16 or time[-1] - time[0] < 4 * longest:
        return _cannot_tell(f"{4 * longest:g} s without a gap are needed")
    rate = (time.size - 1) / (time[-1] - time[0])
    band = min(_DELAY_BAND, 0.2 * rate)
    late = low_pass(late, rate, band)
    causes = np.column_stack([low_pass(column, rate, band) for column in causes.T])
    lags = math.ceil(longest * rate)
    core = slice(lags, time.size - lags)
    scale = np.ptp(causes[core], axis=0)
    if np.ptp(late[core]) == 0.0 or not (scale > 0.0).any():
        return _cannot_tell("nothing moves")
    basis = np.linalg.qr(np.column_stack([np.ones(time.size), causes[:, scale > 0.0]])[core])[0]
    correlations = np.array([_explained(basis, late[core.start + k : core.stop + k]) for k in range(-lags, lags + 1)])
    best = int(np.argmax(correlations))
    if correlations[best] < _LEAST_CORRELATION:
        return _cannot_tell(f"the correlation is {correlations[best]:.2f}, {_LEAST_CORRELATION} is needed")
    if best in (0, correlations.size - 1):
        return _cannot_tell(f"it is {longest:g} s or more")
    return _refined(time, late, basis, core, (best - lags) / rate, float(correlations[best]))


def _refined(time: Array, late: Array, basis: Array, core: slice, first: float, correlation: float) -> Delay:
    curve = CubicSpline(time, late)
    slope = curve.derivative()
    value, step = first, (time[-1] - time[0]) / (time.size - 1)
    for _ in range(8):
        residual, rate = (_rest(basis, f(time[core] + value)) for f in (curve, slope))
        change = float(residual @ rate / (rate @ rate))
        value -= change
        if abs(change) < 1e-7:
            break
    if abs(value - first) > 2 * step:
        return _cannot_tell("the excitation does not tell")
    parts = np.array([part.sum() for part in np.array_split(residual * rate, _PARTS)])
    deviation = math.sqrt(_PARTS * float(parts.var(ddof=1))) / float(rate @ rate)
    if deviation > _LARGEST_DEVIATION:
        return _cannot_tell(f"{1e3 * value:.1f} ms would be uncertain by {1e3 * deviation:.1f} ms")
    return Delay(float(value), deviation, correlation)


def _cannot_tell(missing: str) -> Delay:
    return Delay(math.nan, math.nan, math.nan, missing)


def _rest(basis: Array, values: Array) -> Array:
    """What the columns of an orthonormal basis do not explain."""
    return np.asarray(values - basis @ (basis.T @ values), dtype=np.float64)


def _explained(basis: Array, values: Array) -> float:
    around = values - values.mean()
    return math.sqrt(max(0.0, 1.0 - float(np.sum(_rest(basis, values) ** 2) / max(float(around @ around), 1e-300))))


def _longest_stretch(known: NDArray[np.bool_]) -> slice:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(int)))
    if edges.size == 0:
        return slice(0, 0)
    starts, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - starts))
    return slice(int(starts[longest]), int(ends[longest]))

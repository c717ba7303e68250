"""Frequency responses to the steering wheel, from a sweep or any other input with power over a band.

Reference: ISO 7401, frequency response. The transfer function is estimated as cross power over input power of windowed
segments (Welch), which does not see what is not caused by the input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import signal as spectral

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.events import first_crossing, vertex
from trackrod.metrics.trace import Trace

__all__ = ["FrequencyResponse", "SineSweepValues", "frequency_response", "sine_sweep_values"]

Array = NDArray[np.float64]

#: Length of a segment [s]: the resolution is its inverse; how far segments overlap [-].
SEGMENT, OVERLAP = 20.0, 0.9
#: Where no band is given, frequencies count where the input has this share of its largest power or more [-].
POWER = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyResponse:
    """What an input turns into, over frequency.

    Attributes
    ----------
    frequency
        Increasing [Hz].
    gain
        Magnitude of the transfer function [unit of the output / unit of the input].
    phase
        Angle of the transfer function, without jumps; negative where the output lags [rad].
    coherence
        Share of the output's power that the input explains, 0 to 1 [-].
    """

    frequency: Array
    gain: Array
    phase: Array
    coherence: Array

    @property
    def static_gain(self) -> float:
        """Gain at the lowest frequency of the band [unit of the output / unit of the input]."""
        return float(self.gain[0])

    @property
    def peak(self) -> tuple[float, float]:
        """Frequency of the largest gain [Hz], and that gain over the static one [-]."""
        at, top = vertex(self.frequency, self.gain)
        return at, top / self.static_gain

    @property
    def bandwidth(self) -> float | None:
        """Frequency at which the gain has fallen to 1/√2 of the static one [Hz]; None beyond the band."""
        return first_crossing(self.frequency, -self.gain, -self.static_gain / np.sqrt(2.0))

    @property
    def cutoff_phase(self) -> float | None:
        """Frequency at which the output lags by 45° [Hz]; None beyond the band."""
        return first_crossing(self.frequency, -self.phase, np.pi / 4)

    def gain_trace(self, name: str, unit: str) -> Trace:
        """The gain over frequency."""
        return Trace(self.frequency, self.gain, "frequency", "Hz", name, unit)


@dataclass(frozen=True, slots=True, eq=False)
class SineSweepValues:
    """Frequency responses to the steering-wheel angle, ISO 7401.

    Attributes
    ----------
    lateral_acceleration, yaw_rate, roll, sideslip
        Outputs over the steering-wheel angle [(m/s²)/rad], [1/s], [-], [-].
    """

    lateral_acceleration: FrequencyResponse
    yaw_rate: FrequencyResponse
    roll: FrequencyResponse
    sideslip: FrequencyResponse


def frequency_response(
    time: Array, given: Array, answer: Array, band: tuple[float, float] | None = None
) -> FrequencyResponse:
    """Transfer function from an input to an output.

    Parameters
    ----------
    time
        Equally spaced, one segment of 20 s or more [s].
    given, answer
        Input and output, as changes from their first samples.
    band
        Lowest and highest frequency [Hz]; where the input has power if not given.

    Raises
    ------
    InputError
        The run is too short, not equally spaced, or has no input in the band.

    Limits: the system is taken as linear and at rest before the first sample. Segments smear resonances that are
    narrower than about 0.1 Hz: the peak of a second-order system at 1.2 Hz with a damping ratio of 0.3 comes out within
    1 %, with 0.15 within 3 %.
    """
    step = float(time[1] - time[0])
    if np.ptp(np.diff(time)) > 1e-6 * step:
        raise InputError("a frequency response needs equally spaced samples; resample the run first")
    length = round(SEGMENT / step)
    if time.size < length:
        raise InputError(f"a frequency response needs {SEGMENT:g} s or more, the run has {time[-1] - time[0]:g} s")
    # Rest before the run: the first and the last samples stand in the middle of a window too.
    rest = np.zeros(length // 2)
    u, y = (np.concatenate((rest, values - values[0], rest + values[-1] - values[0])) for values in (given, answer))
    overlap = round(OVERLAP * length)

    def power(a: Array, b: Array) -> NDArray[np.complex128]:
        found = spectral.csd(
            a, b, 1.0 / step, window="hann", nperseg=length, noverlap=overlap, nfft=4 * length, detrend=False
        )
        return np.asarray(found[1], dtype=np.complex128)

    frequency = np.asarray(np.fft.rfftfreq(4 * length, step), dtype=np.float64)
    input_power, cross = power(u, u).real, power(u, y)
    if not input_power.max() > 0:
        raise InputError("a frequency response needs an input: it never changes")
    powerful = input_power >= POWER * input_power.max()
    if band is None:
        band = (float(frequency[powerful][0]), float(frequency[powerful][-1]))
    within = np.flatnonzero((frequency > 0) & (frequency >= band[0] - 1e-9) & (frequency <= band[1] + 1e-9))
    if within.size < 2 or not powerful[within].any():
        raise InputError(f"the input has no power from {band[0]:g} to {band[1]:g} Hz")
    transfer = cross[within] / input_power[within]
    explained = np.abs(cross[within]) ** 2
    total = input_power[within] * power(y, y).real[within]
    coherence = np.divide(explained, total, out=np.zeros_like(total), where=total > 0)
    return FrequencyResponse(frequency[within], np.abs(transfer), np.unwrap(np.angle(transfer)), coherence)


def sine_sweep_values(run: Run) -> SineSweepValues:
    """Frequency responses of a run, over the band of its settings if it has them.

    Raises
    ------
    InputError
        The run is too short or has no steering.
    """
    angle = run[signals.STEERING_WHEEL_ANGLE]
    settings = run.metadata.get("settings", {})
    first, last = settings.get("first_frequency_Hz"), settings.get("last_frequency_Hz")
    band = None if first is None or last is None else (float(first), float(last))
    ay, yaw_rate, roll, sideslip = (
        frequency_response(run.time, angle, run[s], band)
        for s in (signals.AY, signals.YAW_RATE, signals.ROLL, signals.SIDESLIP)
    )
    return SineSweepValues(ay, yaw_rate, roll, sideslip)

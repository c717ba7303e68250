"""Frequency responses to the steering wheel, from a sweep or any other input with power over a band.

Reference: ISO 7401, frequency response. The transfer function is estimated as cross power over input power of windowed
segments (Welch), which does not see what is not caused by the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.metrics.events import first_crossing, vertex
from trackrod.metrics.trace import Scale, Trace

__all__ = [
    "COHERENCE",
    "FrequencyResponse",
    "SineSweepValues",
    "frequency_response",
    "frequency_responses",
    "sine_sweep_values",
    "steering_responses",
]

Array = NDArray[np.float64]

#: Length of a segment [s]: the resolution is its inverse; how far segments overlap [-].
SEGMENT, OVERLAP = 20.0, 0.9
#: Responses tell something where the input explains this share of the output or more [-].
COHERENCE = 0.9
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

    def phase_trace(self, name: str) -> Trace:
        """The phase over frequency; its differences count in rad, so that 5 % move the response as 5 % of gain do.

        Where the input explains too little of the output, as where the gain is nearly zero, there is no phase.
        """
        clear, turn = self.coherence >= COHERENCE, 2.0 * np.pi
        return Trace(self.frequency, self.phase, "frequency", "Hz", name, "rad", Scale.ONE, period=turn, told=clear)


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
    """Transfer function from an input to an output; see `frequency_responses`."""
    return frequency_responses(time, given, [answer], band)[0]


def frequency_responses(
    time: Array, given: Array, answers: Sequence[Array], band: tuple[float, float] | None = None
) -> tuple[FrequencyResponse, ...]:
    """Transfer functions from an input to outputs.

    Parameters
    ----------
    time
        Equally spaced, one segment of 20 s or more [s].
    given, answers
        Input and outputs; their changes from the first samples count.
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
    signal = np.stack([given, *answers])
    changes = signal - signal[:, :1]
    padded = np.pad(changes, ((0, 0), (length // 2, length // 2)), mode="edge")
    overlap = round(OVERLAP * length)

    from scipy import signal as spectral  # noqa: PLC0415 - half a second to import, and only sweeps need it

    def power(a: Array, b: Array) -> NDArray[np.complex128]:
        found = spectral.csd(
            a, b, 1.0 / step, window="hann", nperseg=length, noverlap=overlap, nfft=4 * length, detrend=False
        )
        return np.asarray(found[1], dtype=np.complex128)

    frequency = np.asarray(np.fft.rfftfreq(4 * length, step), dtype=np.float64)
    own, cross = power(padded, padded).real, power(padded[:1], padded[1:])
    input_power = own[0]
    if not input_power.max() > 0:
        raise InputError("a frequency response needs an input: it never changes")
    powerful = input_power >= POWER * input_power.max()
    if band is None:
        band = (float(frequency[powerful][0]), float(frequency[powerful][-1]))
    within = np.flatnonzero((frequency > 0) & (frequency >= band[0] - 1e-9) & (frequency <= band[1] + 1e-9))
    if within.size < 2 or not powerful[within].any():
        raise InputError(f"the input has no power from {band[0]:g} to {band[1]:g} Hz")
    result = []
    for output_power, both in zip(own[1:, within], cross[:, within], strict=True):
        transfer = both / input_power[within]
        total = input_power[within] * output_power
        coherence = np.divide(np.abs(both) ** 2, total, out=np.zeros_like(total), where=total > 0)
        phase = np.unwrap(np.angle(transfer))
        result.append(FrequencyResponse(frequency[within], np.abs(transfer), phase, coherence))
    return tuple(result)


def sine_sweep_values(run: Run) -> SineSweepValues:
    """Frequency responses of a run, over the band of its settings if it has them; errors as `frequency_responses`."""
    answers = (signals.AY, signals.YAW_RATE, signals.ROLL, signals.SIDESLIP)
    return SineSweepValues(*steering_responses(run, answers))


def steering_responses(run: Run, answers: Sequence[Signal]) -> tuple[FrequencyResponse, ...]:
    """Transfer functions from the steering wheel to signals of a run; errors as `frequency_responses`."""
    settings = run.metadata.get("settings", {})
    first, last = settings.get("first_frequency_Hz"), settings.get("last_frequency_Hz")
    band = None if first is None or last is None else (float(first), float(last))
    return frequency_responses(run.time, run[signals.STEERING_WHEEL_ANGLE], [run[s] for s in answers], band)

"""One chain of processing for simulated and measured signals: both go through the same, and the result says which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt

from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.metrics.trace import Trace

__all__ = ["Processing"]

Array = NDArray[np.float64]

#: Order of the filters; they run forwards and backwards, so that nothing is late, and count twice.
ORDER = 4
#: A band needs this many samples for each period of its highest frequency [-].
_SAMPLES = 4.0


@dataclass(frozen=True, slots=True)
class Processing:
    """What is done with a signal before it is compared.

    Attributes
    ----------
    step
        Of the common time base [s]; that of the reference if not given.
    band
        Frequencies that are kept [Hz]; zero as the lower end leaves the mean in. All are kept if not given.
    from_rest
        Seconds at the beginning whose mean is taken off: a sensor's offset [s]; none if zero.
    """

    step: float | None = None
    band: tuple[float, float] | None = None
    from_rest: float = 0.0

    def apply(self, trace: Trace) -> Trace:
        """The signal on a uniform time base, without its offset, filtered.

        Raises
        ------
        InputError
            The band is too high for the samples, or the signal too short for the band.
        """
        step = self.step if self.step is not None else float(np.diff(trace.x).mean())
        time = trace.x[0] + step * np.arange(int((trace.x[-1] - trace.x[0]) / step * (1.0 + 1e-12)) + 1)
        values = trace.at(np.minimum(time, trace.x[-1]))
        if self.from_rest > 0.0:
            values = values - values[time <= time[0] + self.from_rest].mean()
        if self.band is not None:
            values = self._filter(values, step, trace.y_name)
        return Trace(time, values, trace.x_name, trace.x_unit, trace.y_name, trace.y_unit, trace.scale, trace.floor)

    def record(self) -> dict[str, Plain]:
        """For the result: what was done, in the order in which it was done."""
        done: dict[str, Plain] = {"resampled_s": self.step if self.step is not None else "step of the reference"}
        if self.from_rest > 0.0:
            done["offset_taken_off_over_s"] = self.from_rest
        if self.band is not None:
            done["band_Hz"] = list(self.band)
            done["filter"] = f"Butterworth of order {ORDER}, forwards and backwards"
        return done

    def _filter(self, values: Array, step: float, name: str) -> Array:
        assert self.band is not None
        low, high = self.band
        if high * _SAMPLES * step > 1.0:
            raise InputError(
                f"{name}: a band up to {high:g} Hz needs samples every {1e3 / (_SAMPLES * high):.3g} ms, "
                f"there is one every {1e3 * step:.3g} ms"
            )
        lowest = low if low > 0.0 else high
        if values.size * step < 1.0 / lowest:
            raise InputError(f"{name}: {values.size * step:.3g} s are too short for frequencies of {lowest:g} Hz")
        if low > 0.0:
            filters = butter(ORDER, (low, high), btype="bandpass", fs=1.0 / step, output="sos")
        else:
            filters = butter(ORDER, high, btype="lowpass", fs=1.0 / step, output="sos")
        pad = min(values.size - 1, int(3.0 / (lowest * step)))
        return np.asarray(sosfiltfilt(filters, values, padlen=pad))

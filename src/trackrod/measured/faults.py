"""Faults of single channels: time that does not increase, gaps, values that are stuck or clipped; what a finding is.

What takes several channels to see (units, signs, sides, drift) is in `relations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import Place, Problem, Severity
from trackrod.core.series import find_time_fault
from trackrod.measured.processing import segments
from trackrod.measured.recording import Samples
from trackrod.measured.sensors import Sensor

__all__ = ["Fault", "Finding", "clipped_stretches", "find_channel_faults", "stuck_stretches"]

Array = NDArray[np.float64]

#: A value that stays exactly the same for this long is suspicious [s].
_STUCK_FOR = 1.0
#: Equal samples that make a plateau, and by how many steps between values the signal would have gone on.
_PLATEAU, _OVERSHOOT = 4, 5.0
#: Gaps that are named one by one.
_NAMED_GAPS = 3
#: Columns that stay at a value, or at an end of their range, with nothing wrong.
_RESTING = {signals.THROTTLE.column, signals.BRAKE.column, signals.GEAR.column}
#: Columns that a driver may hold exactly, after he has moved them fast.
_HELD_BY_DRIVER = {signals.STEERING_WHEEL_ANGLE.column, *(signal.column for signal in signals.BRAKE_PRESSURE.signals)}


class Fault(StrEnum):
    """What can be wrong with a channel."""

    MISSING = "missing"
    TIME = "time"
    GAP = "gap"
    STUCK = "stuck"
    CLIPPED = "clipped"
    UNIT = "unit"
    SIGN = "sign"
    SWAPPED = "swapped"
    DRIFT = "drift"
    DELAY = "delay"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, or worth knowing, in a recording.

    Attributes
    ----------
    fault
        What.
    columns, channels
        Where: columns of the run, and the channels that they come from.
    severity
        An error makes the recording useless until it is mended; a warning does not.
    text, hint
        In a sentence, with times and values; what to do.
    start, end
        When [s]; None for all the time.
    """

    fault: Fault
    columns: tuple[str, ...]
    channels: tuple[str, ...]
    severity: Severity
    text: str
    hint: str = ""
    start: float | None = None
    end: float | None = None

    def problem(self, place: Place | None = None) -> Problem:
        """The finding as a message."""
        return Problem(self.text, place or Place(), self.severity, self.hint)


def find_channel_faults(column: str, channel: str, samples: Samples) -> Iterator[Finding]:
    """Faults of time and gaps; an error where time does not increase."""
    where = ((column,), (channel,))
    named = f"channel '{channel}' ({column})"
    if fault := find_time_fault(samples.time):
        index, text = fault
        hint = "the logger repeated or mixed up samples: export again, or cut the file there"
        yield Finding(Fault.TIME, *where, Severity.ERROR, f"{named}, sample {index}: {text}", hint)
        return
    missing = ~np.isfinite(samples.values)
    if missing.any():
        first = float(samples.time[np.argmax(missing)])
        text = f"{named} has {np.count_nonzero(missing)} samples that are no numbers, the first at {first:.10g} s"
        yield Finding(Fault.GAP, *where, Severity.WARNING, text, "they are left out", first, first)
    parts = segments(samples.time)
    gaps = [(float(samples.time[a.stop - 1]), float(samples.time[b.start])) for a, b in pairwise(parts)]
    for start, end in gaps[:_NAMED_GAPS]:
        text = f"{named} has a gap from {start:.10g} to {end:.10g} s"
        yield Finding(Fault.GAP, *where, Severity.WARNING, text, "nothing is put in there", start, end)
    if len(gaps) > _NAMED_GAPS:
        text = f"{named} has {len(gaps)} gaps, {sum(end - start for start, end in gaps):.3g} s in all"
        yield Finding(Fault.GAP, *where, Severity.WARNING, text, "nothing is put in there", gaps[0][0], gaps[-1][1])


def stuck_stretches(column: str, samples: Samples) -> list[tuple[float, float, float]]:
    """Start, end and value of stretches in which a channel that otherwise moves shows one value [s], [unit].

    Whether that is a fault is seen by what other channels do meanwhile.
    """
    if column in _RESTING:
        return []
    starts, ends = _plateaus(samples.values)
    lengths = samples.time[ends - 1] - samples.time[starts]
    usual = np.median(ends - starts) if starts.size > 1 else 0.0
    long = (lengths >= _STUCK_FOR) & (ends - starts > 10 * usual)
    if column in _HELD_BY_DRIVER:
        long &= starts.size == 1
    return [
        (float(samples.time[start]), float(samples.time[end - 1]), float(samples.values[start]))
        for start, end in zip(starts[long], ends[long], strict=True)
    ]


def clipped_stretches(column: str, samples: Samples, sensor: Sensor | None = None) -> list[tuple[float, float, float]]:
    """Start, end and value of stretches at the largest or smallest value that the signal ran into [s], [unit].

    Holds: the top of a smooth curve in steps of a resolution is none, because its slope falls to zero before it.
    """
    if column in _RESTING:
        return []
    time, values = samples
    starts, ends = _plateaus(values)
    steps = np.abs(np.diff(values))
    quantum = float(np.percentile(steps[steps > 0.0], 5.0)) if (steps > 0.0).any() else 0.0
    limits = {float(np.nanmin(values)), float(np.nanmax(values))} - {0.0}
    ranges = set(sensor.range) if sensor is not None else set()
    found = []
    long = (ends - starts >= _PLATEAU) & (starts >= _PLATEAU) & np.isin(values[starts], list(limits))
    for start, end in zip(starts[long], ends[long], strict=True):
        value = float(values[start])
        approach = abs(float(values[start - 1] - values[start - _PLATEAU])) / (_PLATEAU - 1)
        ran_on = column not in _HELD_BY_DRIVER and approach * (end - start) / 4.0 > _OVERSHOOT * quantum
        if value in ranges or ran_on:
            found.append((float(time[start]), float(time[end - 1]), value))
    return found


def _plateaus(values: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last + 1 sample of each stretch of equal values."""
    changes = np.flatnonzero(np.diff(values) != 0.0) + 1
    return np.concatenate([[0], changes]), np.concatenate([changes, [values.size]])

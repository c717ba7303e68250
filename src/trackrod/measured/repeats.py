"""Repeated runs brought into time with each other, and runs to the left and to the right as a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.signals import TIME, Signal, parse_column
from trackrod.measured.processing import find_delay, shift

__all__ = ["aligned", "mean_and_scatter", "mirrored"]

Array = NDArray[np.float64]

#: Names of what changes its sign when left and right are exchanged; of wheels without their ending.
_TURNED = {
    *(
        signal.name
        for signal in (
            signals.STEERING_WHEEL_ANGLE,
            signals.RACK_TRAVEL,
            signals.STEERING_TORQUE,
            signals.TORSION_BAR_TWIST,
            signals.FRAME_TWIST,
            signals.Y,
            signals.VY,
            signals.AY,
            signals.ROLL,
            signals.ROLL_RATE,
            signals.ROLL_ACCELERATION,
            signals.YAW,
            signals.YAW_RATE,
            signals.YAW_ACCELERATION,
            signals.SIDESLIP,
        )
    ),
    *(family.name for family in (signals.FY, signals.MZ, signals.SLIP_ANGLE, signals.STEER, signals.STEER_OFFSET)),
    "Mx",
}


def mirrored(run: Run) -> Run:
    """The run as seen in a mirror: left and right wheels exchanged, turns to the other side.

    Holds: mirrored twice it is the same run.
    """
    columns = {}
    for column, values in run.items():
        signal = parse_column(column)
        stem, _, ending = signal.name.rpartition("_")
        wheel = bool(stem) and ending in tuple(Corner)
        sign = -1.0 if (stem if wheel else signal.name) in _TURNED else 1.0
        name = f"{stem}_{Corner(ending).opposite}" if wheel else signal.name
        columns[Signal(name, signal.kind).column] = sign * values
    return Run(columns, run.metadata)


def aligned(runs: Sequence[Run], by: Signal) -> list[Run]:
    """Repeated runs on the time base of the first one, each shifted so that one signal fits best.

    Parameters
    ----------
    runs
        Of one manoeuvre; those to the right mirrored.
    by
        What is compared, for example the angle of the steering wheel.

    Raises
    ------
    InputError
        The signal does not tell by how much a run is late.
    """
    first = runs[0]
    step = float(first.time[1] - first.time[0])
    found = [first]
    for number, run in enumerate(runs[1:], 2):
        own = run.resample(step)
        count = min(first.time.size, own.time.size)
        coarse = _lag(own[by][:count], first[by][:count]) * step
        near = shift(first.time[:count], own[by][:count], coarse)
        fine = find_delay(first.time[:count], near, first[by][:count, None], longest=10 * step)
        if fine.missing:
            raise InputError(f"run {number} cannot be brought into time by '{by.column}': {fine.missing}")
        late = coarse + fine.value
        columns = {c: shift(first.time[:count], own[c][:count], late) for c in own if c != TIME.column}
        found.append(Run({TIME.column: first.time[:count], **columns}, run.metadata))
    return found


def _lag(late: Array, first: Array) -> int:
    """Samples by which one signal is late against another of the same size and sign, up to a fifth of its length."""
    most = late.size // 5
    core = slice(most, late.size - most)
    lags = range(-most, most + 1)
    return min(lags, key=lambda k: float(np.nanmean((late[core.start + k : core.stop + k] - first[core]) ** 2)))


def mean_and_scatter(runs: Sequence[Run]) -> tuple[Run, Run]:
    """Mean of aligned runs, and their standard deviation, over the columns and the time that all have."""
    count = min(run.time.size for run in runs)
    common = [column for column in runs[0] if column != TIME.column and all(column in run for run in runs)]
    stacked = {column: np.array([run[column][:count] for run in runs]) for column in common}
    time = {TIME.column: runs[0].time[:count]}
    mean = {column: values.mean(axis=0) for column, values in stacked.items()}
    scatter = {column: values.std(axis=0, ddof=1) for column, values in stacked.items()}
    described: dict[str, Plain] = {"name": str(runs[0].metadata.get("name", "run")), "repeats": len(runs)}
    return Run({**time, **mean}, described), Run({**time, **scatter}, described)

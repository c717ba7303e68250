"""Turning at the limit of adhesion: histories of the motion and of the wheel loads, and when wheels lift."""

from __future__ import annotations

import math

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.metrics.trace import Array, Scale, Trace

__all__ = ["FLOORS", "WHEELS", "lift_times", "limit_histories", "load_change", "nrms_history"]

#: Wheels as people call them.
WHEELS = {corner: f"{corner.axle} {corner.side}" for corner in Corner}
#: Smallest root mean square that a difference is divided by: of a history that hardly moves it would say nothing.
FLOORS = {
    signals.AY: 0.2,
    signals.YAW_RATE: math.radians(0.5),
    signals.ROLL: math.radians(0.1),
    signals.SIDESLIP: math.radians(0.1),
}
#: The same as a share of the standing wheel load [-].
LOAD_FLOOR = 0.02
#: A wheel with less than this share of its first load is off the road [-].
LIFTED = 0.01

_NAMES = {
    signals.AY: "lateral acceleration",
    signals.YAW_RATE: "yaw rate",
    signals.ROLL: "roll angle",
    signals.SIDESLIP: "sideslip angle",
}


def nrms_history(run: Run, signal: Signal, name: str, floor: float) -> Trace:
    """A signal over time, whose difference is divided by its root mean square or the floor [unit of the signal]."""
    return Trace(run.time, run[signal], "time", "s", name, signal.kind.unit, Scale.RMS, floor)


def load_change(run: Run, corner: Corner) -> tuple[Array, float]:
    """How much the load of a wheel differs from its first one, and that one [N]."""
    load = run[signals.FZ[corner]]
    return np.asarray(load - load[0]), float(load[0])


def limit_histories(run: Run) -> dict[str, Trace]:
    """Lateral acceleration, yaw rate, roll and sideslip angle, changes of all wheel loads, each over time."""
    found = {name: nrms_history(run, signal, name, FLOORS[signal]) for signal, name in _NAMES.items()}
    for corner, wheel in WHEELS.items():
        change, first = load_change(run, corner)
        name = f"wheel load {wheel}"
        found[name] = Trace(run.time, change, "time", "s", name, "N", Scale.RMS, LOAD_FLOOR * first)
    return found


def lift_times(run: Run) -> dict[Corner, float]:
    """When wheels first leave the road [s], linear between samples; those that never do are left out."""
    found = {}
    for corner in Corner:
        load = run[signals.FZ[corner]]
        level = LIFTED * load[0]
        off = np.flatnonzero(load <= level)
        if off.size and off[0] > 0:
            i = int(off[0])
            share = (load[i - 1] - level) / (load[i - 1] - load[i])
            found[corner] = float(run.time[i - 1] + share * (run.time[i] - run.time[i - 1]))
    return found

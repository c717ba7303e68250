"""Over an obstacle: the largest loads, longitudinal forces and vertical acceleration, and their histories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.metrics.limit import WHEELS
from trackrod.metrics.ride import FLOORS, LOAD_FLOOR
from trackrod.metrics.trace import Array, Scale, Trace

__all__ = ["Peak", "obstacle_histories", "peaks"]


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest magnitude of a signal [`unit`], with its sign, and the smallest that a difference is divided by."""

    name: str
    signal: Signal
    value: float
    floor: float

    @property
    def unit(self) -> str:
        """SI."""
        return self.signal.kind.unit


def peaks(run: Run) -> tuple[Peak, ...]:
    """Largest wheel load and longitudinal force of each wheel, and vertical acceleration of the centre of gravity.

    Holds: unchanged where the left and the right side of a run are exchanged, but for the names.
    """
    found = []
    for corner, wheel in WHEELS.items():
        load, along = signals.FZ[corner], signals.FX[corner]
        floor = LOAD_FLOOR * float(run[load][0])
        found.append(Peak(f"peak wheel load {wheel}", load, float(run[load].max()), floor))
        found.append(Peak(f"peak longitudinal force {wheel}", along, _largest(run[along]), floor))
    az = signals.AZ
    return (*found, Peak("peak vertical acceleration", az, _largest(run[az]), FLOORS[az]))


def obstacle_histories(run: Run) -> dict[str, Trace]:
    """Wheel loads, longitudinal forces and vertical acceleration over time."""
    found = {}
    for peak in peaks(run):
        name, values = peak.name.removeprefix("peak "), run[peak.signal]
        found[name] = Trace(run.time, values - values[0], "time", "s", name, peak.unit, Scale.RMS, peak.floor)
    return found


def _largest(values: Array) -> float:
    """The value of largest magnitude."""
    return float(values[np.abs(values).argmax()])

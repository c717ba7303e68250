"""Models in step with the clock: how long each step takes, and a driver at the other end of a socket.

The loop runs in the core, without the lock of Python: it waits until a step is due, takes inputs, steps, and tells
all signals. Only Linux has the clock and the socket that it needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError, Problem
from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.multibody.compile import compile_vehicle
from trackrod.multibody.data import vehicle_data
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.motion import brake_line
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["PERCENTILES", "SILENCE", "SKIPPED", "Timing", "in_step", "multibody_in_step", "rtm_in_step", "script_of"]

Array = NDArray[np.float64]

#: Shares of the steps that took no longer [%].
PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)
#: Steps at the beginning that do not count as overruns: caches are cold.
SKIPPED = 10
#: A client that says nothing for so long is silent [s].
SILENCE = 0.5


def _require_linux() -> None:
    if not hasattr(_core, "RealTimeRun"):
        raise InputError(Problem("models run in step with the clock on Linux alone"))


def multibody_in_step(vehicle: Vehicle, speed: float, *, steering: SteeringModel) -> _core.RealTimeRun:
    """The multibody model of a vehicle, rolling straight ahead [m/s], ready to be run."""
    _require_linux()
    data = vehicle_data(compile_vehicle(vehicle, steering=steering)).data
    try:
        ready: _core.RealTimeRun = _core.RealTimeRun.of_multibody(data, 0.0, speed)
    except ValueError as error:
        raise InputError(str(error)) from error
    return ready


def rtm_in_step(model: RealTimeVehicle, speed: float) -> _core.RealTimeRun:
    """A real-time model, rolling straight ahead [m/s], ready to be run."""
    _require_linux()
    model.settle()
    model.start(speed)
    line = brake_line(model.spec)
    pressure = 0.0 if line is None else line.pressure
    numbers = (model.block(), model.spec.values(), model.state().values)
    ready: _core.RealTimeRun = _core.RealTimeRun.of_rtm(*numbers, pressure)
    return ready


def script_of(run: Run, step: float) -> Array:
    """What the driver did in a run, for each step [s]: steering-wheel angle [rad], throttle, brake, any gear."""
    time = np.arange(run.time[0] + step, run.time[-1], step)
    columns = [
        np.interp(time, run.time, run[each]) for each in (signals.STEERING_WHEEL_ANGLE, signals.THROTTLE, signals.BRAKE)
    ]
    return np.ascontiguousarray(np.column_stack((*columns, np.zeros(time.size))))


def in_step(model: _core.RealTimeRun, step: float, duration: float, script: Array, *, priority: bool = False) -> Timing:
    """Run in step with the clock.

    Parameters
    ----------
    model
        What to run.
    step, duration
        [s]
    script
        Inputs of each step, from the start again at their end; without rows, those of the client or none.
    priority
        Whether to lock memory and to ask for a fixed priority (``SCHED_FIFO``); `Timing` says what was given.

    Raises
    ------
    ConvergenceError
        A step has no solution.
    """
    if not (np.isfinite(step) and step > 0 and np.isfinite(duration) and duration >= step):
        raise InputError(
            f"step {step} s and duration {duration} s: a step is longer than zero, and at least one is run"
        )
    wanted = round(duration / step)
    timing = Timing(step, *model.run(step, wanted, script, priority))
    if (done := timing.turnaround.size) < wanted:
        raise ConvergenceError(
            f"the step after {done * step:.4g} s of {duration:g} s has no solution; is the step of {step:g} s too long?"
        )
    return timing


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """How long steps took.

    Attributes
    ----------
    step
        Length of a step [s].
    turnaround
        Of each step: from its begin until all signals are told [s].
    lateness
        Of each step: how long after it was due it began [s].
    locked, prioritised
        Whether memory was locked, and whether the fixed priority was given.
    """

    step: float
    turnaround: Array
    lateness: Array
    locked: bool
    prioritised: bool

    @property
    def overruns(self) -> int:
        """Steps that were not done when the next was due, but for the first `SKIPPED`."""
        return int(np.count_nonzero((self.turnaround + self.lateness)[SKIPPED:] > self.step))

    @property
    def percentiles(self) -> Mapping[float, float]:
        """Turnaround that a share of the steps [%] kept within [s]."""
        return dict(zip(PERCENTILES, np.percentile(self.turnaround, PERCENTILES).tolist(), strict=True))

    def histogram(self) -> tuple[Array, Array]:
        """Steps by their turnaround: edges of the classes [s], a quarter of a step in fifty, and how many steps."""
        edges = np.append(np.linspace(0.0, self.step, 201), np.inf)
        return edges, np.histogram(self.turnaround, edges)[0].astype(float)

    def figure(self, title: str) -> Figure:
        """Histogram of the turnaround, and the turnaround over the run."""
        edges, counts = self.histogram()
        last = int(np.flatnonzero(counts)[-1]) + 2
        x: Array = np.repeat(1e3 * edges[:last], 2)[1:-1]
        y = np.repeat(counts[: last - 1], 2)
        time: Array = self.step * np.arange(1, self.turnaround.size + 1, dtype=float)
        given = "fixed priority" if self.prioritised else "ordinary priority"
        panels = (
            Panel(f"Turnaround, {given}", "turnaround [ms]", "steps [-]", (Line(x, y),)),
            Panel("Over the run", "time [s]", "turnaround [ms]", (Line(time, 1e3 * self.turnaround),)),
        )
        return Figure(title, panels, columns=2)

    def as_data(self) -> dict[str, Plain]:
        """All of it in plain numbers, times in seconds; the histogram without its empty classes."""
        edges, counts = self.histogram()
        filled = np.flatnonzero(counts)
        return {
            "step_s": self.step,
            "steps": int(self.turnaround.size),
            "mean_s": float(self.turnaround.mean()),
            "percentiles_s": {f"{share:g}": value for share, value in self.percentiles.items()},
            "worst_s": float(self.turnaround.max()),
            "worst_after_first_s": float(self.turnaround[SKIPPED:].max(initial=0.0)),
            "worst_lateness_s": float(self.lateness.max()),
            "overruns": self.overruns,
            "memory_locked": self.locked,
            "fixed_priority": self.prioritised,
            "histogram": [[float(edges[i]), int(counts[i])] for i in filled],
        }

"""Two ways to integrate behind one interface: in real time, or as a reference with an error bar.

An integrator gets a vehicle and a task, a function that drives a model to and fro and returns a run. The task does not
know how it is integrated: open-loop inputs, a manoeuvre with a driver, a search for settings are all tasks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.environment import LEVEL
from trackrod.core.errors import InputError
from trackrod.core.model_state import ModelState
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WHEEL_COLUMNS
from trackrod.multibody.driving import Equilibrium, MultibodyVehicle
from trackrod.multibody.layout import road_height
from trackrod.multibody.reference import TOLERANCE, DriverInputs, extrapolated_run
from trackrod.multibody.steering import SteeringModel
from trackrod.road.surface import RoadSurface
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["DrivenRun", "Extrapolated", "Integrator", "RealTime", "Task"]

Array = NDArray[np.float64]
Task: TypeAlias = Callable[[MultibodyVehicle], Run]

#: Longest time between the samples of a replay [s]: that of a driver's decisions, at which manoeuvres begin.
_LONGEST_SAMPLE = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class DrivenRun:
    """What an integrator returns.

    Attributes
    ----------
    run
        Its metadata name the ``integrator`` and the step; those of a reference also ``tolerance`` and
        ``relative_error``.
    error
        Estimated error of each column, in the unit of the column, sample by sample; None in real time.
    """

    run: Run
    error: Run | None = None


class Integrator(Protocol):
    """What both have in common."""

    def drive(self, vehicle: Vehicle, task: Task) -> DrivenRun:
        """Carry out a task with a model of the vehicle."""
        ...


@dataclass(frozen=True, slots=True)
class RealTime:
    """Implicit Euler with a fixed step: bounded work in every step, no allocation.

    Attributes
    ----------
    step
        [s]; 0.25 to 2 ms are usual.
    iterations
        Newton iterations of each step; None for as many as a step of this length needs: one up to 1 ms, else two.
    steering
        What lies between steering wheel and rack.
    """

    step: float = 1e-3
    iterations: int | None = None
    steering: SteeringModel = SteeringModel.RATIO

    def drive(self, vehicle: Vehicle, task: Task) -> DrivenRun:
        """Carry out a task with a model of the vehicle."""
        run = task(MultibodyVehicle(vehicle, step=self.step, iterations=self.iterations, steering=self.steering))
        return DrivenRun(Run(dict(run), {**run.metadata, "integrator": "realtime", "step_s": self.step}))


@dataclass(frozen=True, slots=True)
class Extrapolated:
    """Extrapolation to step zero, of second order, with a tolerance that is asked for and met.

    The task is driven once in real time, which settles what a driver does and when; then the same inputs from the
    same state on are driven with two Newton iterations at ever shorter steps and extrapolated. A driver that decided
    anew at every step length would change phases at other times, and the runs would not tend to a limit evenly.

    Attributes
    ----------
    tolerance
        RMS error of yaw rate, lateral acceleration, roll angle and speed over their largest magnitudes [-].
    step
        Of the run in which the driver decides [s].
    first_step
        Longest step of the extrapolation [s].
    most_halvings
        How often it is halved at most beyond the three runs that every estimate needs.
    steering
        What lies between steering wheel and rack.

    Limits: the result is what the vehicle does under these inputs. Where the real-time run differs, a driver would have
    answered a little differently.
    """

    tolerance: float = TOLERANCE
    step: float = 1e-3
    first_step: float = 2e-3
    most_halvings: int = 3
    steering: SteeringModel = SteeringModel.RATIO

    def drive(self, vehicle: Vehicle, task: Task) -> DrivenRun:
        """Carry out a task with a model of the vehicle.

        Raises
        ------
        RangeError
            The tolerance is not greater than zero.
        InputError
            The task did not settle and drive the model, or returned less than two samples.
        ConvergenceError
            The tolerance was not met within the budget; the message says what was reached.
        """
        recorder = _Recorder(vehicle, step=self.step, steering=self.steering)
        run = task(recorder)
        begun = recorder.begun
        if run.time.size < 2 or begun is None:
            raise InputError(f"'{vehicle.name}' was not driven: there is nothing to extrapolate")
        inputs = recorder.inputs()
        sample = min(float(run.time[1] - run.time[0]), _LONGEST_SAMPLE)
        lead = float(inputs.time[-1]) - _duration(run)
        wanted = np.round((lead + run.time) / sample).astype(int) - 1

        def replay(step: float) -> tuple[Run, float]:
            model = MultibodyVehicle(vehicle, step=step, iterations=2, steering=self.steering)
            model.set_state(begun)
            if recorder.laid is not None:
                model.lay_road(*recorder.laid)  # level where the vehicle was before
            time: Array = step * np.arange(1, round(float(inputs.time[-1]) / step) + 1, dtype=np.float64)
            driven = model.advance(*inputs.at(time), every=round(sample / step), **inputs.beside_driver(time))
            columns = {column: values[wanted] for column, values in driven.items()}
            return Run({**columns, **_from_start(columns), signals.TIME.column: run.time}, run.metadata), model.seconds

        first_step = min(self.first_step, sample)
        found = extrapolated_run(vehicle.name, replay, self.tolerance, first_step, self.most_halvings)
        return DrivenRun(found.run, found.error)


class _Recorder(MultibodyVehicle):
    """A vehicle that notes its state when it begins to drive, and the inputs from there on."""

    def __init__(self, vehicle: Vehicle, *, step: float, steering: SteeringModel) -> None:
        super().__init__(vehicle, step=step, steering=steering)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.begun: ModelState | None = None
        self.controls: list[Array] = []
        self.heights: list[Array | None] = []
        self.laid: tuple[RoadSurface, tuple[float, float, float], float] | None = None

    def lay_road(self, road: RoadSurface, place: tuple[float, float, float], friction: float = 1.0) -> None:
        super().lay_road(road, place, friction)
        self.laid = (road, place, friction)

    def settle(self) -> Equilibrium:
        self._begin_anew()
        return super().settle()

    def start(self, speed: float, gear: int | None = None) -> None:
        self._begin_anew()
        super().start(speed, gear)

    def set_state(self, state: ModelState) -> None:
        self._begin_anew()
        super().set_state(state)

    def advance_rows(self, controls: Array, every: int, road_heights: Array | None = None) -> Array:
        self.begun = self.begun or self.state()
        rows = super().advance_rows(controls, every, road_heights)
        self.controls.append(np.array(controls, dtype=float))
        self.heights.append(road_heights)
        return rows

    def inputs(self) -> DriverInputs:
        """What was done since it began. The first value holds from the beginning on."""
        widest = max(controls.shape[1] for controls in self.controls)
        rest = np.array((0.0,) * (4 + WHEEL_COLUMNS.size) + LEVEL)  # in those with less nothing acts
        filled = [
            np.hstack((c, np.broadcast_to(rest[c.shape[1] : widest], (len(c), widest - c.shape[1]))))
            for c in self.controls
        ]
        every = np.concatenate([filled[0][:1], *filled])
        angle, throttle, brake, gear = every[:, :4].T.copy()
        time: Array = self.step * np.arange(angle.size, dtype=np.float64)
        wheels, around = np.split(every[:, 4:], [WHEEL_COLUMNS.size], axis=1)
        beside = (wheels if wheels.size else None, around if around.size else None)
        return DriverInputs(time, angle, throttle, brake, gear, self._road(), *beside)

    def _road(self) -> Array | None:
        if self.begun is None or all(heights is None for heights in self.heights):
            return None
        now = np.array([self.begun[road_height(tyre)] for tyre in range(len(self.model.tyres))])
        rows = [now[None]]
        for controls, heights in zip(self.controls, self.heights, strict=True):
            rows.append(np.tile(now, (len(controls), 1)) if heights is None else heights)  # as it was
            now = rows[-1][-1]
        return np.concatenate(rows)


def _duration(run: Run) -> float:
    """From the first sample to the end of what was driven, which may lie behind the last sample [s]."""
    phases = run.metadata.get("phases")
    return float(phases[-1]["end_s"]) if phases else float(run.time[-1])


def _from_start(columns: dict[str, Array]) -> dict[str, Array]:
    """Place and yaw in the frame of the first sample: origin under the centre of gravity, x along the heading."""
    x, y, yaw = (columns[signal.column] for signal in (signals.X, signals.Y, signals.YAW))
    c, s = np.cos(yaw[0]), np.sin(yaw[0])
    moved = (c * (x - x[0]) + s * (y - y[0]), c * (y - y[0]) - s * (x - x[0]), yaw - yaw[0])
    return dict(zip((signals.X.column, signals.Y.column, signals.YAW.column), moved, strict=True))

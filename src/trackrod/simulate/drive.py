"""A model and a manoeuvre give a run.

The vehicle is settled, started and held straight ahead at the manoeuvre's first speed until nothing changes any more;
only then the manoeuvre begins, at t = 0, and only from there on samples are kept. The frame E of the run has its origin
under the centre of gravity at t = 0, with x along the heading there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod import __version__
from trackrod.core import signals
from trackrod.core.driver_inputs import with_environment
from trackrod.core.errors import ConvergenceError, InputError, RangeError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.manoeuvres.controls import HoldSpeed, Pedals, SteerBy, straight_ahead
from trackrod.manoeuvres.ends import Steady
from trackrod.manoeuvres.manoeuvre import (
    DECISION,
    KEEP_GEAR,
    NEUTRAL,
    Assistance,
    AssistanceControl,
    End,
    Manoeuvre,
    PedalLaw,
    Phase,
    Sample,
    Start,
)
from trackrod.road.surface import RoadSurface
from trackrod.simulate.events import Event, EventKind, RoadEdges, Watch
from trackrod.simulate.model import VehicleModel, tyre_places

__all__ = ["Progress", "drive", "prepared", "require_periods", "require_settled", "simulate"]

Array = NDArray[np.float64]
T = TypeVar("T", float, Array)

#: Called with the name of the phase and the time since its manoeuvre began [s], ten times a second of that time.
Progress: TypeAlias = Callable[[str, float], None]

#: What must stay within which bands for how long before a manoeuvre begins [SI units], [s].
_SETTLED = {
    signals.VX: 0.02,
    signals.AX: 0.03,
    signals.YAW_RATE: 5e-4,
    signals.ROLL: 1e-4,
    signals.PITCH: 2e-4,
    signals.Z: 5e-4,
}
_SETTLED_FOR, _SETTLED_WITHIN = 0.5, 30.0
_SETTLING = "settling"  # the phase before a manoeuvre
_REPORTED = 10  # decisions
_POSE_COLUMNS = tuple(signal.column for signal in (signals.X, signals.Y, signals.YAW))


def simulate(
    model: VehicleModel,
    manoeuvre: Manoeuvre,
    *,
    sample: float = 0.01,
    progress: Progress | None = None,
    assistance: Assistance | None = None,
) -> Run:
    """Drive a manoeuvre; parameters, errors and the run as of `drive`."""
    return drive(model, manoeuvre, sample=sample, progress=progress, assistance=assistance)[1]


def drive(
    model: VehicleModel,
    manoeuvre: Manoeuvre,
    *,
    sample: float = 0.01,
    progress: Progress | None = None,
    assistance: Assistance | None = None,
) -> tuple[Manoeuvre, Run]:
    """Drive a manoeuvre, and tell what was driven.

    Parameters
    ----------
    model
        The vehicle; its state is replaced.
    manoeuvre
        What to drive. Settings that depend on the vehicle are found first, by driving.
    sample
        Time from one sample of the run to the next [s]: a whole number of steps of the model, and a whole part or a
        whole multiple of the driver's 10 ms.
    progress
        Told how far it is.
    assistance
        What acts at the wheels beside the driver; that of the manoeuvre if not given. Settings are found without it.

    Returns
    -------
    Manoeuvre
        As it was driven, with every setting known: another model can get exactly the same inputs.
    Run
        Its metadata hold the manoeuvre, all its settings, the phases with their times and what ended them, and the
        events; ``completed`` says whether every phase came to its end.

    Raises
    ------
    InputError
        The sample time does not fit.
    ConvergenceError
        There is no equilibrium, or a setting that the manoeuvre needs cannot be found with this vehicle.

    Holds: equal models that have not been driven before and equal manoeuvres give the same run, bit for bit.
    """
    every, keep = require_periods(model.step, sample)
    ready = prepared(model, manoeuvre, progress=progress)
    acting = assistance if assistance is not None else ready.assistance()
    return ready, _Drive(model, ready, every=every, keep=keep, progress=progress, assistance=acting).run()


def prepared(model: VehicleModel, manoeuvre: Manoeuvre, *, progress: Progress | None = None) -> Manoeuvre:
    """The manoeuvre with every setting known; those that depend on the vehicle are found by driving this model.

    Raises
    ------
    ConvergenceError
        What is asked for cannot be reached with this vehicle.
    """
    every, _ = require_periods(model.step, DECISION)
    return manoeuvre.prepare(lambda other: _Drive(model, other, every=every, keep=1, progress=progress).run())


def require_settled(run: Run) -> None:
    """Refuse a run that ended before its manoeuvre began: it holds nothing but the settling.

    Raises
    ------
    ConvergenceError
        The vehicle never ran steadily straight ahead; the message says what was reached.
    """
    if not run.metadata["completed"] and run.metadata["phases"][0]["name"] == _SETTLING:
        text = run.metadata["events"][0]["text"]
        raise ConvergenceError(f"'{run.metadata['name']}' was not driven, because the vehicle did not settle: {text}")


def require_periods(step: float, sample: float) -> tuple[int, int]:
    """Steps from one sample of a block to the next, and which of these samples are kept."""
    if not (np.isfinite(step) and step > 0):
        raise RangeError(f"the step is {step:g} s, it must be greater than zero")
    if not (np.isfinite(sample) and sample > 0):
        raise RangeError(f"the sample time is {sample} s, it must be greater than zero")
    short = min(sample, DECISION)
    every, blocks, keep = round(short / step), round(DECISION / short), round(sample / short)
    fits = every >= 1 and all(
        abs(whole * part - total) <= 1e-9
        for whole, part, total in ((every, step, short), (blocks, short, DECISION), (keep, short, sample))
    )
    if not fits:
        raise InputError(
            f"a sample time of {sample:g} s does not fit: it must be a whole number of the model's steps of {step:g} s "
            f"and a whole part or multiple of {DECISION:g} s"
        )
    return every, keep


class _Drive:
    """One run while it is driven."""

    def __init__(
        self,
        model: VehicleModel,
        manoeuvre: Manoeuvre,
        *,
        every: int,
        keep: int,
        progress: Progress | None,
        assistance: Assistance | None = None,
    ) -> None:
        self.model = model
        self.manoeuvre = manoeuvre
        self.every = every
        self.keep = keep
        self.progress = progress
        self.steps = round(DECISION / model.step)
        road = manoeuvre.road()
        self.surface = road if isinstance(road, RoadSurface) else None
        self.road = None if isinstance(road, RoadSurface) else road
        self.edges: RoadEdges | None = None  # of a road that ends
        self.environment = manoeuvre.environment()
        self.watch = Watch(manoeuvre.corridor())
        self.blocks: list[Array] = []
        self.events: list[Event] = []
        self.phases: list[dict[str, Plain]] = []
        self.origin = _Origin(0.0, 0.0, 0.0)
        self.decisions = 0
        self.started = False  # whether the manoeuvre has begun
        self.assistance = assistance
        self.assist: AssistanceControl | None = None  # once the manoeuvre has begun
        self.tyres = tyre_places(model)

    @property
    def time(self) -> float:
        """Since the manoeuvre began [s]."""
        return round(self.decisions * DECISION, 9)

    def run(self) -> Run:
        start = self.manoeuvre.start()
        self._release_controls()
        self.model.tilt(self.manoeuvre.grade())
        self.model.set_friction(self.manoeuvre.friction())
        self.model.settle()
        self.model.start(start.speed, start.gear if start.gear > 0 else None)
        first_gear = NEUTRAL if start.speed == 0 else start.gear
        blind = self._complete(_controls(self.steps, first_gear), None, np.zeros(self.steps))
        self.blocks = [self.model.advance_rows(blind, self.every)]
        before = self._drive_phase(_settling(start))
        if before is not None:
            self.events.append(before)
        else:
            self._begin()
            for phase in self.manoeuvre.phases():
                if (event := self._drive_phase(phase)) is not None:
                    self.events.append(event)
                    break
        return self._result()

    def _release_controls(self) -> None:
        """Steering, pedals and road of an earlier run may still be set, and would bias the equilibrium."""
        rest = _controls(2, NEUTRAL)  # the second step sets their rates to zero too
        heights = np.zeros((2, len(self.tyres)))
        # What the vehicle does in these two steps does not matter, even if they have no solution: it is settled next.
        with contextlib.suppress(ConvergenceError):
            self.model.advance_rows(rest, 1, heights)

    def _begin(self) -> None:
        """The settling is over: what comes now is the run, in its own frame."""
        last = self.blocks[-1][-1:]
        read = self.model.reading(last[0])
        self.origin = _Origin(*(read(signal.column) for signal in (signals.X, signals.Y, signals.YAW)))
        self.blocks = [last]
        self.decisions = 0
        self.phases = []
        self.started = True
        if self.surface is not None:
            self.model.lay_road(self.surface, (self.origin.x, self.origin.y, self.origin.yaw))  # with its own friction
            if self.surface.approach > 0.0:
                self.edges = RoadEdges(self.surface, self.tyres)
        if self.assistance is not None:
            self.assist = self.assistance.begin(self._sample(0))

    def _drive_phase(self, phase: Phase) -> Event | None:
        """Drive one phase; the event that ends the run, if there is one."""
        began, first = self.time, self.decisions
        now = self._sample(first)
        steering, pedals = phase.steering.begin(now), phase.pedals.begin(now)
        ends = [(end, end.begin()) for end in phase.ends]
        steps = self.steps * phase.blind
        ahead: Array = self.model.step * np.arange(1.0, steps + 1)
        engaged = round(now[signals.GEAR])  # 0 in neutral
        controls = _controls(steps, phase.gear if phase.gear != KEEP_GEAR else engaged or NEUTRAL)
        while True:
            ended = self._ended(ends, now)
            if ended is None and now.time >= phase.longest - 1e-9:
                kind = EventKind.BROKEN_OFF if self.started else EventKind.NOT_SETTLED
                event = Event(kind, self.time, _broken_off(phase, now, settling=not self.started))
                self._note(phase, began, event.text)
                return event
            if ended is not None:
                self._note(phase, began, ended)
                return None
            times = now.time + ahead
            controls[:, 0] = steering(times, now)
            if phase.gears is not None:
                controls[:, 3] = phase.gears(times)
            controls[:, 1], controls[:, 2] = pedals(times, now)
            try:
                block = self.model.advance_rows(
                    self._complete(controls, now, ahead), self.every, self._heights(now, ahead)
                )
            except ConvergenceError as error:
                self._note(phase, began, "no solution")
                return Event(EventKind.NO_SOLUTION, self.time, str(error))
            self.blocks.append(block)
            self.decisions += phase.blind
            now = self._sample(first)
            if self.progress is not None and self.decisions % _REPORTED == 0:
                self.progress(f"{self.manoeuvre.name}: {phase.name}", self.time)
            if self.started:
                events: list[Event] = self.watch.look(now, self.time)
                if self.edges is not None:
                    events += self.edges.look(now, self.time)
                for event in events:
                    if event.kind.ends_the_run:
                        self._note(phase, began, str(event.kind))
                        return event
                    self.events.append(event)

    @staticmethod
    def _ended(ends: list[tuple[End, Callable[[Sample], bool]]], now: Sample) -> str | None:
        # Every condition is asked at every decision, because some remember what they saw.
        come = [end.reason for end, has_come in ends if has_come(now)]
        return come[0] if come else None

    def _note(self, phase: Phase, began: float, ended: str) -> None:
        self.phases.append({"name": phase.name, "start_s": began, "end_s": self.time, "ended": ended})

    def _sample(self, phase_began: int) -> Sample:
        read = self.model.reading(self.blocks[-1][-1])
        return Sample((self.decisions - phase_began) * DECISION, _Reading(read, self.origin))

    def _complete(self, controls: Array, now: Sample | None, ahead: Array) -> Array:
        """The driver's controls, what an assistance system does at the wheels beside them, and road and air."""
        wheels = None if self.assist is None or now is None else self.assist(self.time + ahead, now)
        around = None if self.environment is None else self.environment.at((self.time + ahead) * self.started)
        return with_environment(controls, wheels, around)

    def _heights(self, now: Sample, ahead: Array) -> Array | None:
        # The front axle counts as being at the centre of gravity: where the road begins does not matter, only how far
        # the rear wheels are behind.
        if self.road is None or not self.started:
            return None
        course = now[signals.YAW] + now[signals.SIDESLIP]
        travelled = np.hypot(now[signals.VX], now[signals.VY]) * np.cos(course) * ahead
        c, s = np.cos(now[signals.YAW]), np.sin(now[signals.YAW])
        under = {  # twin tyres are at the same place
            place: self.road.heights(
                place[0], self.time + ahead, now[signals.X] + c * place[1] - s * place[2] + travelled
            )
            for place in set(self.tyres)
        }
        return np.column_stack([under[place] for place in self.tyres])

    def _result(self) -> Run:
        made = self.model.run(np.concatenate(self.blocks)[:: self.keep])
        count, period = made.time.size, self.keep * self.every * self.model.step
        pose = self.origin.pose(made[signals.X], made[signals.Y], np.unwrap(made[signals.YAW]))
        columns = {**made, signals.TIME.column: np.round(np.arange(count) * period, 9)}
        columns |= dict(zip(_POSE_COLUMNS, pose, strict=True))
        if self.environment is not None:
            columns |= self.environment.columns(columns[signals.TIME.column])
        for entry in made.metadata.get("beyond_maps", ()):
            time = float(columns[signals.TIME.column][entry["first"]])
            text = f"{entry['variable']} beyond its map by up to {1e3 * entry['farthest_m']:.1f} mm"
            samples = f"{entry['samples']} of {count} samples; the map goes on straight there"
            self.events.append(Event(EventKind.BEYOND_MAPS, time, f"{text}, in {samples}"))
        return Run(columns, self._metadata(made))

    def _metadata(self, made: Run) -> dict[str, Plain]:
        ended = any(event.kind.ends_the_run for event in self.events)
        return {
            "name": f"{made.metadata.get('vehicle', 'vehicle')} {self.manoeuvre.name}",
            **made.metadata,
            "manoeuvre": self.manoeuvre.name,
            "standard": self.manoeuvre.standard,
            "settings": self.manoeuvre.values(),
            "phases": list(self.phases),
            "events": [event.to_plain() for event in self.events],
            "completed": not ended,
            "step_s": self.model.step,
            "trackrod": __version__,
        }


@dataclass(frozen=True)
class _Origin:
    """The frame E of a run in that of the model: position x, y [m] and yaw angle [rad]."""

    x: float
    y: float
    yaw: float

    @cached_property
    def _turn(self) -> tuple[float, float]:
        return float(np.cos(self.yaw)), float(np.sin(self.yaw))

    def pose(self, x: T, y: T, yaw: T) -> tuple[T, T, T]:
        """Position and yaw of something in this frame; numbers or arrays."""
        c, s = self._turn
        return c * (x - self.x) + s * (y - self.y), c * (y - self.y) - s * (x - self.x), yaw - self.yaw


class _Reading(dict[str, float]):
    """Columns of one sample, in the frame of the run; each is worked out when it is asked for the first time."""

    def __init__(self, read: Callable[[str], float], origin: _Origin) -> None:
        super().__init__()
        self._read = read
        self._origin = origin

    def __missing__(self, column: str) -> float:
        if column in _POSE_COLUMNS:
            pose = (self._read(each) for each in _POSE_COLUMNS)
            self.update(zip(_POSE_COLUMNS, self._origin.pose(*pose), strict=True))
        else:
            self[column] = self._read(column)
        return self[column]


def _controls(steps: int, gear: int) -> Array:
    """Nothing pressed, straight ahead, in a gear."""
    controls = np.zeros((steps, 4))
    controls[:, 3] = gear
    return controls


def _settling(start: Start) -> Phase:
    """Straight ahead until nothing changes any more."""
    pedals: PedalLaw = HoldSpeed(start.speed)
    gear = start.gear
    if start.speed == 0:
        pedal = 0.0 if start.free else 1.0
        pedals = Pedals(brake=lambda t: np.full(t.size, pedal))
        gear = NEUTRAL
    settled = Steady(_SETTLED, _SETTLED_FOR, {signals.VX: start.speed})
    steering = SteerBy(lambda t: np.full(t.size, start.steering)) if start.steering else straight_ahead
    return Phase(_SETTLING, steering, pedals, (settled,), _SETTLED_WITHIN, gear)


def _broken_off(phase: Phase, now: Sample, *, settling: bool) -> str:
    if settling:
        return (
            f"no steady running straight ahead within {phase.longest:g} s; the speed is "
            f"{3.6 * now[signals.VX]:.1f} km/h with the throttle at {now[signals.THROTTLE]:.2f}"
        )
    return f"'{phase.name}' was broken off after {phase.longest:g} s"

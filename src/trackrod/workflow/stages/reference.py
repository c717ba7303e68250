"""Stage ``reference``: the multibody model drives every manoeuvre; results of another program have been driven."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from threading import Event

from trackrod.core.errors import ConvergenceError, InputError, Problem, Severity
from trackrod.core.executors import executor
from trackrod.core.series import Run
from trackrod.metrics.step import lasting_swing
from trackrod.reference import Reference, Replay
from trackrod.report.study_sections import index_section, manoeuvre_sections, standing_section
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.script import can_be_scripted, scripted
from trackrod.tune.test import Test
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.found_settings import find_settings
from trackrod.workflow.multibody_runs import STEP, step_of
from trackrod.workflow.reference_runs import reference_run
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.convert import Converted, convert_origin
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.study_settings import PlannedTest, StudySettings

__all__ = ["REFERENCE", "Driven"]

#: A step after which the lateral acceleration swings by more of its mean has no steady state.
_SWINGS = 0.1
#: Of a test that is driven once more, because the gears of the reference were taken to tune with.
_OWN_GEARS = "its own gears"


@dataclass(frozen=True, slots=True, eq=False)
class Driven:
    """What the reference has driven.

    Attributes
    ----------
    tests
        To tune with, then to hold out.
    models
        The nominal model by the payload of a test.
    problems
        What could not be driven, and why.
    """

    tests: tuple[Test, ...]
    models: Mapping[PayloadLevel | None, RtmSpec]
    problems: tuple[Problem, ...]

    @property
    def tuned_with(self) -> tuple[Test, ...]:
        """Tests to tune with."""
        return tuple(test for test in self.tests if not test.hold_out)

    @property
    def held_out(self) -> tuple[Test, ...]:
        """Tests that tuning never sees."""
        return tuple(test for test in self.tests if test.hold_out)


def _drive(work: Work) -> Driven:
    origin, settings = work[Subject].origin, work[StudySettings]
    if isinstance(origin, Reference):
        return _recorded(origin, work[Converted].conversion.spec, settings)
    return _Drives(work, origin, settings).drive()


def _recorded(reference: Reference, nominal: RtmSpec, settings: StudySettings) -> Driven:
    """Which manoeuvres are tuned with and which are held out is said in the folder of the reference."""
    tests = []
    for label, recorded in sorted(reference.runs.items(), key=lambda item: item[1].hold_out):
        replay = Replay(source=recorded)
        driver = scripted(replay, recorded.run, step=STEP) if can_be_scripted(replay) else replay
        title = recorded.manoeuvre.replace("_", " ")
        tests.append(Test(label, title, recorded.manoeuvre, recorded.run, driver, recorded.hold_out))
    if all(test.hold_out for test in tests):
        raise InputError("the reference holds no manoeuvre to tune with: all are held out")
    default, problems = StudySettings(), []
    if (settings.tests, settings.hold_out) != (default.tests, default.hold_out):
        text = "of [tune] and [hold_out] only the weights count: the manoeuvres are those of the reference"
        problems.append(Problem(text, severity=Severity.WARNING))
    return Driven(tuple(tests), {None: nominal}, tuple(problems))


class _Drives:
    """Runs of the multibody model, from the cache or driven side by side."""

    def __init__(self, work: Work, vehicle: Vehicle, settings: StudySettings) -> None:
        self.work = work
        self.settings = settings
        self.problems: list[Problem] = []
        self._done = 0
        self._stopped = Event()
        self._vehicles: dict[PayloadLevel | None, Vehicle] = {None: vehicle}
        self._models: dict[PayloadLevel | None, RtmSpec] = {None: work[Converted].conversion.spec}
        for planned in (*settings.tests, *settings.hold_out):
            if planned.payload is not None and planned.payload not in self._vehicles:
                self._load(planned, planned.payload)

    def _load(self, planned: PlannedTest, level: PayloadLevel) -> None:
        vehicle = self._vehicles[None]
        if vehicle.payload is None or vehicle.payload.level is level:
            why = "has no payload" if vehicle.payload is None else f"is already loaded '{level}'"
            text = f"'{planned.label}' is left out: '{vehicle.name}' {why}"
            self.problems.append(Problem(text, severity=Severity.NOTE))
            return
        self._vehicles[level] = vehicle.with_payload(level)
        maps, settings = self.work[Measured].maps, self.settings
        self._models[level] = convert_origin(
            self._vehicles[level],
            maps,
            settings.detail,
            compliance=settings.compliance,
            steering=settings.steering,
            start=settings.start,
        ).spec

    def drive(self) -> Driven:
        tests = [planned for planned in self.settings.tests if planned.payload in self._vehicles]
        held = [planned for planned in self.settings.hold_out if planned.payload in self._vehicles]
        if not tests:
            raise InputError("there is no manoeuvre to tune with")
        total = len(tests) + len(held)

        def one(planned: PlannedTest, *, hold_out: bool) -> list[Test]:
            try:
                found = self._tests(planned, hold_out=hold_out)
            except (ConvergenceError, InputError) as error:
                if not hold_out:
                    raise
                text = f"'{planned.label}' is not held out: {error}"
                self.problems.append(Problem(text, severity=Severity.WARNING))
                found = []
            self._done += 1
            self.work.tell(planned.label, self._done / total)
            return found

        with executor() as pool:
            # the order in which they are begun: what takes longest first, so that none is waited for in the end
            futures = {planned.label: pool.submit(one, planned, hold_out=False) for planned in tests}
            for planned in sorted(held, key=lambda planned: step_of(planned.manoeuvre)):
                futures[planned.label] = pool.submit(one, planned, hold_out=True)
            try:
                found = [test for planned in (*tests, *held) for test in futures[planned.label].result()]
            finally:  # after a failure or Ctrl-C nothing more is begun, and what is being driven ends
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
        return Driven(tuple(sorted(found, key=lambda test: test.hold_out)), self._models, tuple(self.problems))

    def _go_on(self, _phase: str, _time: float) -> None:
        if self._stopped.is_set():
            raise CancelledError

    def _tests(self, planned: PlannedTest, *, hold_out: bool) -> list[Test]:
        """A test; to tune with, the model gets the gears of the reference, and proves itself with its own."""
        vehicle = self._vehicles[planned.payload]
        steering = self.settings.steering
        found = find_settings(vehicle, planned.manoeuvre, steering=steering, progress=self._go_on)
        run = reference_run(vehicle, found, steering=steering, progress=self._go_on)
        if not run.metadata["completed"]:
            events = "; ".join(str(event["text"]) for event in run.metadata["events"])
            raise ConvergenceError(f"the multibody model does not complete '{planned.label}': {events}")
        self.problems += _not_steady(planned.label, found.name, run)
        if not can_be_scripted(found):
            return [Test(planned.label, found.title, found.name, run, found, hold_out, planned.payload)]
        own = scripted(found, run, step=STEP, own_gears=True)
        by_itself = Test(planned.label, found.title, found.name, run, own, hold_out, planned.payload)
        as_driven = scripted(found, run, step=STEP)
        if hold_out or as_driven.key == own.key:
            return [by_itself]
        label, title = f"{planned.label}, {_OWN_GEARS}", f"{found.title}, {_OWN_GEARS}"
        return [replace(by_itself, driver=as_driven), replace(by_itself, label=label, title=title, hold_out=True)]


def _not_steady(label: str, name: str, run: Run) -> list[Problem]:
    """A warning where the multibody model itself swings on after a step."""
    swing = lasting_swing(run) if name == "step_steer" else 0.0
    if swing <= _SWINGS:
        return []
    text = (
        f"'{label}': the multibody model has no steady state: the lateral acceleration still swings by "
        f"±{100 * swing:.0f} % in the last second, so that indices compare two swings"
    )
    hint = "look at the compliance steer of the axles: the vehicle may oscillate by itself"
    return [Problem(text, severity=Severity.WARNING, hint=hint)]


REFERENCE = Stage(
    name="reference",
    title="driving the multibody model",
    needs=(Subject, Measured, Converted, StudySettings),
    makes=Driven,
    run=_drive,
    sections=(standing_section, manoeuvre_sections, index_section),
)

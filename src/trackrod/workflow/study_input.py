"""What a study starts from: a real-time model made by direct conversion, and runs of a reference to compare it with.

It comes from a vehicle, whose multibody model is then the reference, or from a folder of results of another program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from threading import Event
from typing import TypeAlias

from trackrod import __version__
from trackrod.convert.conversion import Conversion, Detail, assemble, convert
from trackrod.convert.masses import SplitFactors
from trackrod.core.artefact import Artefact
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError, Problem, Severity
from trackrod.core.executors import executor
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.kc.maps import KcMaps
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.reference import Reference, Replay
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import prepared, simulate
from trackrod.simulate.script import can_be_scripted, scripted
from trackrod.tune.space import SplitParameters, TuningSpace, tuning_space
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.cache import cached_run
from trackrod.workflow.stages import characterised, with_found_settings
from trackrod.workflow.study_settings import PlannedTest, StudySettings

__all__ = ["Announce", "StudyInput", "StudyTest", "input_from_reference", "input_from_vehicle"]

#: Told what is being done: the stage, what exactly, and how much of the stage is done, 0 to 1.
Announce: TypeAlias = Callable[[str, str, float], None]

#: Packages whose code a run of the multibody model depends on.
_RUN_CODE = ("core", "tyre", "vehicle", "multibody", "kc", "convert", "rtm", "manoeuvres", "simulate")
_SAMPLE, _STEP = 0.01, 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class StudyTest:
    """A manoeuvre that the reference has driven.

    Attributes
    ----------
    label, title
        Unique name, and what it is in words.
    name
        Of the manoeuvre; decides which indices there are.
    reference
        The run.
    nominal
        The real-time model as it was converted, with the payload of this test.
    script
        What the driver did; None if he closed a loop that a script cannot hold.
    manoeuvre
        With all settings known, for a model that must drive it itself; None where only the record is known.
    """

    label: str
    title: str
    name: str
    reference: Run
    nominal: RtmSpec
    script: Script | None
    manoeuvre: Manoeuvre | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StudyInput:
    """What a study starts from.

    Attributes
    ----------
    name
        Of the vehicle.
    description
        Lines for people, by heading.
    problems
        Of the files.
    maps
        K&C of both axles.
    conversion
        The direct conversion.
    space
        What is tuned in it.
    variant
        The model with less detail, or without compliance, for the error budget; None where it cannot be made.
    tests, hold_out
        What the reference has driven.
    seconds
        By stage.
    vehicle
        Where the study started from one.
    """

    name: str
    description: Mapping[str, str]
    problems: tuple[Problem, ...]
    maps: Mapping[Axle, KcMaps]
    conversion: Conversion
    space: TuningSpace
    tests: tuple[StudyTest, ...]
    hold_out: tuple[StudyTest, ...]
    seconds: Mapping[str, float]
    variant: Callable[[Detail, bool], RtmSpec] | None = None
    vehicle: Vehicle | None = None


def input_from_vehicle(
    vehicle: Vehicle,
    settings: StudySettings,
    *,
    source: str = "",
    problems: tuple[Problem, ...] = (),
    announce: Announce | None = None,
) -> StudyInput:
    """Put a vehicle on the rig, convert it, and drive every manoeuvre of a study with its multibody model.

    Parameters
    ----------
    vehicle
        With the payload of the study.
    settings
        Of the study.
    source, problems
        Where the vehicle came from, and what was found while it was read.
    announce
        Told what is being done.

    Raises
    ------
    InputError
        The vehicle cannot be converted, or parameters and bounds do not fit it; said before anything is driven.
    ConvergenceError
        The multibody model cannot drive a manoeuvre to tune with.
    """
    tell = announce or (lambda _stage, _what, _share: None)
    began = time.perf_counter()
    tell("kc", "both axles on the rig", 0.0)
    maps = characterised(vehicle)
    measured = time.perf_counter()
    conversion = convert(vehicle, maps, detail=settings.detail)

    def split(factors: SplitFactors) -> Mapping[str, float]:
        return convert(vehicle, maps, factors=factors).spec.parameters

    space = _space(conversion, settings, split)
    converted = time.perf_counter()
    runs = _References(vehicle, maps, settings, tell)
    tests, hold_out = runs.drive()
    driven = time.perf_counter()
    mass = vehicle.mass_properties
    description = {
        "vehicle": vehicle.name,
        "source": source or vehicle.name,
        "reference": "multibody model, 1 ms steps",
        "mass": f"{mass.mass:.1f} kg",
        "centre of gravity": ", ".join(f"{x:.3f}" for x in mass.centre) + " m in V",
        "wheelbase": f"{vehicle.wheelbase:.3f} m",
        "payload": "none" if vehicle.payload is None else str(vehicle.payload.level),
        "axles": ", ".join(f"{axle.position}: {axle.template}" for axle in vehicle.axles),
        "kinematics kept": str(settings.detail),
        "vehicle hash": Artefact(VEHICLE, vehicle).sha256[:16],
        "Trackrod": __version__,
    }

    def variant(detail: Detail, compliance: bool) -> RtmSpec:
        return convert(vehicle, maps, detail=detail, compliance=compliance).spec

    return StudyInput(
        name=vehicle.name,
        description=description,
        problems=(*problems, *runs.problems),
        maps=maps,
        conversion=conversion,
        space=space,
        tests=tests,
        hold_out=hold_out,
        seconds={"kc": measured - began, "convert": converted - measured, "reference": driven - converted},
        variant=variant,
        vehicle=vehicle,
    )


def input_from_reference(reference: Reference, settings: StudySettings, *, source: str = "") -> StudyInput:
    """A study against results of another program.

    Parameters
    ----------
    reference
        As it was read from its folder. Which manoeuvres are tuned with and which are held out is said there.
    settings
        Of the study; its own manoeuvres are not driven.
    source
        Where the reference came from.

    Raises
    ------
    InputError
        No recorded manoeuvre is left to tune with, or parameters and bounds do not fit the model.
    """
    began = time.perf_counter()
    conversion = assemble(reference.data, reference.maps, detail=settings.detail)
    tests: list[StudyTest] = []
    hold_out: list[StudyTest] = []
    for label, recorded in reference.runs.items():
        replay = Replay(source=recorded)
        script = scripted(replay, recorded.run, step=_STEP) if can_be_scripted(replay) else None
        test = StudyTest(
            label,
            recorded.manoeuvre.replace("_", " "),
            recorded.manoeuvre,
            recorded.run,
            conversion.spec,
            script,
            replay,
        )
        (hold_out if recorded.hold_out else tests).append(test)
    if not tests:
        raise InputError("the reference holds no manoeuvre to tune with: all are held out")
    default, problems = StudySettings(), list(reference.problems)
    if (settings.tests, settings.hold_out) != (default.tests, default.hold_out):
        text = "of [tune] and [hold_out] only the weights count: the manoeuvres are those of the reference"
        problems.append(Problem(text, severity=Severity.WARNING))
    masses = reference.data.masses
    description = {
        "vehicle": reference.name,
        "source": source or reference.name,
        "reference": "runs of another program",
        "mass": f"{masses.sprung_mass + sum(masses.unsprung.values()):.1f} kg",
        "kinematics kept": str(settings.detail),
        "Trackrod": __version__,
    }
    return StudyInput(
        name=reference.name,
        description=description,
        problems=tuple(problems),
        maps=reference.maps,
        conversion=conversion,
        space=_space(conversion, settings, None),
        tests=tuple(tests),
        hold_out=tuple(hold_out),
        seconds={"kc": 0.0, "convert": time.perf_counter() - began, "reference": 0.0},
        variant=lambda detail, compliance: (
            assemble(reference.data, reference.maps, detail=detail, compliance=compliance).spec
        ),
    )


def _space(conversion: Conversion, settings: StudySettings, split: SplitParameters | None) -> TuningSpace:
    return tuning_space(
        conversion.spec,
        names=settings.parameters,
        bounds=settings.bounds,
        split=split,
        relative=settings.relative,
        ranges=settings.ranges,
    )


class _References:
    """Runs of the multibody model, from the cache or driven side by side."""

    def __init__(
        self, vehicle: Vehicle, maps: Mapping[Axle, KcMaps], settings: StudySettings, announce: Announce
    ) -> None:
        self.vehicle = vehicle
        self.maps = maps
        self.settings = settings
        self.announce = announce
        self.problems: list[Problem] = []
        self._done = 0
        self._stopped = Event()
        self._loaded: dict[PayloadLevel | None, Vehicle] = {None: vehicle}
        for planned in (*settings.tests, *settings.hold_out):
            if planned.payload is not None and planned.payload not in self._loaded:
                self._load(planned)

    def _load(self, planned: PlannedTest) -> None:
        level, payload = planned.payload, self.vehicle.payload
        if level is None or payload is None or payload.level is level:
            why = "has no payload" if payload is None else f"is already loaded '{level}'"
            text = f"'{planned.label}' is left out: '{self.vehicle.name}' {why}"
            self.problems.append(Problem(text, severity=Severity.NOTE))
            return
        self._loaded[level] = self.vehicle.with_payload(level)

    def drive(self) -> tuple[tuple[StudyTest, ...], tuple[StudyTest, ...]]:
        tests = [planned for planned in self.settings.tests if planned.payload in self._loaded]
        held = [planned for planned in self.settings.hold_out if planned.payload in self._loaded]
        if not tests:
            raise InputError("there is no manoeuvre to tune with")
        total = len(tests) + len(held)

        def one(planned: PlannedTest, *, needed: bool) -> StudyTest | None:
            try:
                found = self._test(planned)
            except (ConvergenceError, InputError) as error:
                if needed:
                    raise
                text = f"'{planned.label}' is not held out: {error}"
                self.problems.append(Problem(text, severity=Severity.WARNING))
                found = None
            self._done += 1
            self.announce("reference", planned.label, self._done / total)
            return found

        with executor() as pool:
            # the order in which they are begun: what takes longest first
            futures = [pool.submit(one, planned, needed=True) for planned in tests]
            others = [pool.submit(one, planned, needed=False) for planned in held]
            try:
                found = [future.result() for future in futures]
                kept = [future.result() for future in others]
            finally:  # after a failure or Ctrl-C nothing more is begun, and what is being driven ends
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
        return tuple(t for t in found if t is not None), tuple(t for t in kept if t is not None)

    def _go_on(self, _phase: str, _time: float) -> None:
        if self._stopped.is_set():
            raise CancelledError

    def _test(self, planned: PlannedTest) -> StudyTest:
        vehicle, wanted = self._loaded[planned.payload], planned.manoeuvre
        made_from: dict[str, Plain] = {
            "vehicle": Artefact(VEHICLE, vehicle).sha256,
            "manoeuvre": wanted.name,
            "settings": wanted.values(),
            "step": _STEP,
            "sample": _SAMPLE,
        }
        spec = convert(vehicle, self.maps, detail=self.settings.detail).spec

        def make() -> Run:
            # Amplitudes and pedals are found with the real-time model, which is near enough and twenty times as fast.
            ready = prepared(RealTimeVehicle(spec, step=_STEP), wanted)
            return simulate(MultibodyVehicle(vehicle, step=_STEP), ready, sample=_SAMPLE, progress=self._go_on)

        run, _ = cached_run(made_from, _RUN_CODE, make)
        if not run.metadata["completed"]:
            events = "; ".join(str(event["text"]) for event in run.metadata["events"])
            raise ConvergenceError(f"the multibody model does not complete '{planned.label}': {events}")
        known = with_found_settings(wanted, run)
        script = scripted(known, run, step=_STEP) if can_be_scripted(known) else None
        return StudyTest(planned.label, wanted.title, wanted.name, run, spec, script, known)

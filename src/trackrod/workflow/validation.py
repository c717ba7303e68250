"""A model held against recorded tests, by criteria.

Tests lie in a folder: a file is a test, a folder of files are repeats of one; recordings have their channel map beside
them. A model that can be driven drives the
inputs of each test again, once more with half the step; runs that were made elsewhere lie in a second folder under the
same names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.core.artefact import Schema, load
from trackrod.core.errors import InputError, MissingFileError, Problem, raise_if_errors
from trackrod.core.series import Run
from trackrod.core.signals import STEERING_WHEEL_ANGLE, THROTTLE, VX
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.multibody.integrators import RealTime
from trackrod.multibody.steering import usual_steering
from trackrod.reference.replay import Replay
from trackrod.reference.runs import Longitudinal, ReferenceRun
from trackrod.rtm.spec import RTM, HasModel, RtmSpec
from trackrod.simulate.drive import Progress
from trackrod.single_track.description import SINGLE_TRACK, SingleTrack
from trackrod.single_track.drive import drive
from trackrod.validate.criteria import Criteria
from trackrod.validate.verdict import Comparison, Verdict, judge
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.multibody_runs import STEP, multibody_run
from trackrod.workflow.recorded_runs import Reader
from trackrod.workflow.runs import model_run

__all__ = ["Model", "Validation", "drive_again", "manoeuvre_of", "read_model", "replay_of", "validate_model"]

#: How far a file is read to see what it holds [byte].
_TAIL = 4096
_ASSEMBLIES = (".asy",)

#: What drives: real-time model, single-track model, vehicle as multibody model.
Model: TypeAlias = RtmSpec | SingleTrack | Vehicle


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """A verdict with the runs behind it.

    Attributes
    ----------
    model, tests
        Where they were found.
    comparisons
        Tests and model.
    verdict
        What the criteria say.
    domain
        Where the model says to be valid, in a sentence; empty where it does not.
    """

    model: Path
    tests: Path
    comparisons: tuple[Comparison, ...]
    verdict: Verdict
    domain: str = ""


def validate_model(
    model: Path | HasModel | SingleTrack | Vehicle,
    tests: Path,
    criteria: Criteria,
    *,
    reader: Reader | None = None,
    progress: Progress | None = None,
) -> Validation:
    """Judge a model, a study folder, or a folder of its runs by recorded tests.

    Parameters
    ----------
    model
        Real-time model (``rtm.json``), single-track model (``.json``), folder of a study, vehicle as multibody model (a
        file or the name of a bundled one), or folder of runs under the names of the tests; or the model itself.
    tests
        Folder of recordings.
    criteria
        What is asked of the model.
    reader
        Of the recordings, with their channel map; one that looks for it beside them if not given.
    progress
        Called with the name of a test and the share that is done, 0 to 1.

    Raises
    ------
    MissingFileError, InputError
        A file or folder is missing or wrong; a model or a test lacks what a criterion needs.
    """
    recorded = (reader or Reader()).tests(tests)
    spec: Model | None
    runs: dict[str, Run] = {}
    if isinstance(model, Path):
        spec, runs = read_model(model, recorded)
        name_of_model = model
    else:
        spec = model if isinstance(model, SingleTrack | Vehicle) else model.spec
        name_of_model = Path("single_track" if isinstance(spec, SingleTrack) else spec.name)
    comparisons = []
    for done, (name, repeats) in enumerate(recorded.items()):
        manoeuvre = manoeuvre_of(name, repeats[0])
        if spec is None:
            comparisons.append(Comparison(name, manoeuvre, repeats, runs[name]))
        else:
            driven, refined = (drive_again(spec, name, manoeuvre, repeats[0], step) for step in (STEP, STEP / 2.0))
            comparisons.append(Comparison(name, manoeuvre, repeats, driven, refined))
        if progress is not None:
            progress(name, (done + 1) / len(recorded))
    domain = spec.validity.sentence if isinstance(spec, RtmSpec) and spec.validity is not None else ""
    return Validation(name_of_model, tests, tuple(comparisons), judge(criteria, comparisons), domain)


def drive_again(spec: Model, name: str, manoeuvre: str, test: Run, step: float = STEP) -> Run:
    """A model with the driver's inputs of a test, on its road and by its clock; errors as `validate_model`."""
    replay = replay_of(name, manoeuvre, test)
    if isinstance(spec, SingleTrack):
        return _single_track_run(spec, test, step)
    sample = _whole(float(np.diff(test.time).mean()), step)
    if isinstance(spec, Vehicle):
        driven = multibody_run(spec, replay, RealTime(step, steering=usual_steering(spec)), sample)
    else:
        driven = model_run(spec, replay, step, sample)
    begun = float(test.time[0] - driven.time[0])
    return Run({**driven, "time_s": driven.time + begun}, driven.metadata)


def replay_of(name: str, manoeuvre: str, test: Run) -> Replay:
    """A test as something to be driven again; InputError if it lacks what that needs."""
    return Replay(source=ReferenceRun(manoeuvre, test, _longitudinal(name, test)))


def read_model(path: Path, tests: Mapping[str, tuple[Run, ...]]) -> tuple[Model | None, dict[str, Run]]:
    """A model that can be driven, or the runs of one by the names of the tests; errors as `validate_model`."""
    if str(path) in BUNDLED or path.suffix.casefold() in _ASSEMBLIES:
        return open_vehicle(path).vehicle, {}
    if path.is_file():
        # The schema of a file stands at its end.
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _TAIL))
            end = stream.read()
        schemas: tuple[Schema[Any], ...] = (SINGLE_TRACK, VEHICLE)
        schema = next((each for each in schemas if f'"{each.name}"'.encode() in end), RTM)
        return load(path, schema).content, {}
    if not path.is_dir():
        hint = f"bundled vehicles: {', '.join(BUNDLED)}"
        raise MissingFileError(Problem(f"there is no file or folder {path}", hint=hint))
    if (path / "rtm.json").is_file():
        return load(path / "rtm.json", RTM).content, {}
    runs = {name: repeats[0] for name, repeats in Reader().tests(path).items()}
    raise_if_errors(
        Problem(f"{path} holds no run '{name}', which {name} of the tests needs") for name in tests if name not in runs
    )
    return None, runs


def _single_track_run(model: SingleTrack, test: Run, step: float) -> Run:
    """At the samples of the test, driven in steps of 5 ms or less where others take `STEP`, and in parts of them."""
    sample = float(np.diff(test.time).mean())
    steps = max(round(STEP / step), 1) * math.ceil(sample / 5e-3)
    run = drive(model, test, step=sample / steps).run
    return Run({column: run[column][::steps] for column in run.columns}, run.metadata)


def manoeuvre_of(name: str, run: Run) -> str:
    """What was driven: as the run says, or as the file is called."""
    said = run.metadata.get("manoeuvre")
    return said if isinstance(said, str) else next((known for known in MANOEUVRES if name.startswith(known)), name)


def _longitudinal(name: str, run: Run) -> Longitudinal:
    """The recorded pedals where there are any, the recorded speed otherwise."""
    for needed in (STEERING_WHEEL_ANGLE, VX):
        if needed.column not in run:
            raise InputError(
                f"{name}: the test has no column '{needed.column}', without which it cannot be driven again"
            )
    return Longitudinal.PEDALS if THROTTLE.column in run else Longitudinal.SPEED


def _whole(sample: float, step: float) -> float:
    """The nearest period that is a whole number of steps."""
    return max(round(sample / step), 1) * step

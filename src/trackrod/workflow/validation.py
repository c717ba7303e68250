"""A model held against recorded tests, by criteria.

Tests lie in a folder: a file is a test, a folder of files are repeats of one; recordings have their channel map beside
them. A model that can be driven drives the
inputs of each test again, once more with half the step; runs that were made elsewhere lie in a second folder under the
same names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trackrod.core.artefact import load
from trackrod.core.errors import InputError, MissingFileError, Problem, raise_if_errors
from trackrod.core.series import Run
from trackrod.core.signals import STEERING_WHEEL_ANGLE, THROTTLE, VX
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.reference.replay import Replay
from trackrod.reference.runs import Longitudinal, ReferenceRun
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.simulate.drive import Progress
from trackrod.single_track.description import SINGLE_TRACK, SingleTrack
from trackrod.single_track.drive import drive
from trackrod.validate.criteria import Criteria
from trackrod.validate.verdict import Comparison, Verdict, judge
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.recorded_runs import Reader
from trackrod.workflow.runs import model_run

__all__ = ["Validation", "drive_again", "manoeuvre_of", "read_model", "replay_of", "validate_model"]

#: How far a file is read to see what it holds [byte].
_TAIL = 4096


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
    model: Path,
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
        Real-time model (``rtm.json``), single-track model (``.json``), folder of a study, or folder of runs under the
        names of the tests.
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
    spec, runs = read_model(model, recorded)
    comparisons = []
    for done, (name, repeats) in enumerate(recorded.items()):
        manoeuvre = manoeuvre_of(name, repeats[0])
        if spec is None:
            comparisons.append(Comparison(name, manoeuvre, repeats, runs[name]))
        elif isinstance(spec, SingleTrack):
            _longitudinal(name, repeats[0])
            driven, refined = (_single_track_run(spec, repeats[0], parts) for parts in (1, 2))
            comparisons.append(Comparison(name, manoeuvre, repeats, driven, refined))
        else:
            driven, refined = (drive_again(spec, name, manoeuvre, repeats[0], step) for step in (STEP, STEP / 2.0))
            comparisons.append(Comparison(name, manoeuvre, repeats, driven, refined))
        if progress is not None:
            progress(name, (done + 1) / len(recorded))
    domain = spec.validity.sentence if isinstance(spec, RtmSpec) and spec.validity is not None else ""
    return Validation(model, tests, tuple(comparisons), judge(criteria, comparisons), domain)


def drive_again(spec: RtmSpec, name: str, manoeuvre: str, test: Run, step: float = STEP) -> Run:
    """A model with the driver's inputs of a test, by the test's clock; errors as `validate_model`."""
    driven = model_run(spec, replay_of(name, manoeuvre, test), step, _whole(float(np.diff(test.time).mean()), step))
    begun = float(test.time[0] - driven.time[0])
    return Run({**driven, "time_s": driven.time + begun}, driven.metadata)


def replay_of(name: str, manoeuvre: str, test: Run) -> Replay:
    """A test as something to be driven again; InputError if it lacks what that needs."""
    return Replay(source=ReferenceRun(manoeuvre, test, _longitudinal(name, test)))


def read_model(path: Path, tests: dict[str, tuple[Run, ...]]) -> tuple[RtmSpec | SingleTrack | None, dict[str, Run]]:
    """A model that can be driven, or the runs of one by the names of the tests; errors as `validate_model`."""
    if path.is_file():
        # The schema of a file stands at its end.
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _TAIL))
            single_track = f'"{SINGLE_TRACK.name}"'.encode() in stream.read()
        return (load(path, SINGLE_TRACK) if single_track else load(path, RTM)).content, {}
    if not path.is_dir():
        raise MissingFileError(Problem(f"there is no file or folder {path}"))
    if (path / "rtm.json").is_file():
        return load(path / "rtm.json", RTM).content, {}
    runs = {name: repeats[0] for name, repeats in Reader().tests(path).items()}
    raise_if_errors(
        Problem(f"{path} holds no run '{name}', which {name} of the tests needs") for name in tests if name not in runs
    )
    return None, runs


def _single_track_run(model: SingleTrack, test: Run, parts: int) -> Run:
    """At the samples of the test, driven in steps of 5 ms or less, or in parts of them."""
    sample = float(np.diff(test.time).mean())
    steps = parts * math.ceil(sample / 5e-3)
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

"""Stage ``report``: everything that a study found is put together and written into its folder."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.conversion import Compliance
from trackrod.core import signals
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.errors import Problem, Severity
from trackrod.core.files import hash_bytes, write_atomically
from trackrod.core.notebook import data_frame
from trackrod.core.numbers import interval
from trackrod.core.plain import Plain, canonical_json, pretty_json
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.fit.blocks import Block
from trackrod.kc.maps import KC_MAPS
from trackrod.report.notebook import study_columns, study_html, study_line, study_plot
from trackrod.report.study import write_study_report
from trackrod.report.study_sections import limit_section, note_section, value_section
from trackrod.report.study_summary import summary_section
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.tune.study import StudyResult, TestResult
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.stage import Phase, Results, Stage, Work
from trackrod.workflow.stages.convert import Converted
from trackrod.workflow.stages.error_budget import ErrorBudget
from trackrod.workflow.stages.hold_out import Proven
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.optimise import Tuned
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.stages.sensitivity import SensitivityResult
from trackrod.workflow.step_time import step_time
from trackrod.workflow.study_folder import StudyFolder, file_names
from trackrod.workflow.study_settings import StudySettings

__all__ = ["REPORT", "FinishedStudy", "study_result"]

#: Smallest acceleration that counts as reached [m/s²].
_REACHED = 0.05
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FinishedStudy:
    """What a study left.

    Attributes
    ----------
    result
        What was found.
    folder
        Where it lies.
    files
        What was written.
    summary
        What the summary holds; numbers that are not finite are None.
    """

    result: StudyResult
    folder: StudyFolder
    files: tuple[Path, ...]
    summary: Mapping[str, Plain]

    def __repr__(self) -> str:
        return f"FinishedStudy({study_line(self.result)}; report {self.folder.page})"

    def _repr_html_(self) -> str:
        return study_html(self.result)

    def to_pandas(self) -> Any:
        """Every index before and after tuning as a table of pandas; MissingPackageError where it is not installed."""
        return data_frame(study_columns(self.result), "a study as a table of pandas")

    def plot(self, manoeuvre: str | None = None) -> Any:
        """Reference and model in one manoeuvre, over each other: a figure of matplotlib.

        Parameters
        ----------
        manoeuvre
            Its label in the report; that with the largest index if not given.

        Raises
        ------
        UnknownNameError
            The study has no such manoeuvre.
        """
        return study_plot(self.result, manoeuvre)

    @property
    def spec(self) -> RtmSpec:
        """The tuned model: a study may stand wherever a real-time model is wanted."""
        return self.result.tuned


def _write(work: Work) -> FinishedStudy:
    """Write everything that a study leaves.

    Holds: as of `StudyFolder.renewed`; every file is whole or not there.
    """
    folder, result = work[Subject].folder, study_result(work)
    with folder.renewed() as new:
        work.tell("model, maps and runs", 0.0)
        files = [folder.place(path) for path in _write_model(result, new)]
        files += _write_runs(result, folder, new)
        work.tell("page and PDF", 0.5)
        written = write_study_report(result, new.page, new.document, sections=work.sections)
        files += [*map(folder.place, written), folder.summary]
        seconds = work.seconds_so_far()
        seconds = {**seconds, "total": sum(seconds.values())}
        rounded = {stage: round(value, 3) for stage, value in seconds.items()}
        phases = {phase: round(value, 3) for phase, value in work.phase_seconds_so_far().items()}
        summary = _finite({**result.summary(), "seconds": rounded, "phase_seconds": phases})
        write_atomically(new.summary, pretty_json(summary))
    return FinishedStudy(result, folder, tuple(files), summary)


def study_result(found: Work | Results) -> StudyResult:
    """What the stages found, as one object."""
    subject, converted, sensitivity, tuned = found[Subject], found[Converted], found[SensitivityResult], found[Tuned]
    driven, proven, settings = found[Driven], found[Proven], found[StudySettings]
    unstable = (*converted.unstable, *tuned.unstable)
    return StudyResult(
        name=subject.name,
        description=subject.describe(settings.detail, converted.conversion.spec),
        problems=(
            *subject.problems,
            *(Problem(why, severity=Severity.WARNING) for why in settings.left),
            *unstable,
            *driven.problems,
            *proven.problems,
            *_not_enough(settings, proven.tests),
            *_derivative_notes((*sensitivity.local.blocks, *tuned.outcome.blocks)),
        ),
        maps=found[Measured].maps,
        round_trip=converted.round_trip,
        unstable=tuple(problem.text for problem in unstable),
        nominal=converted.space.nominal,
        tuned=tuned.model,
        sources=converted.conversion.sources,
        tests=proven.tests,
        objective=settings.objective,
        objective_nominal=settings.objective.value(sensitivity.local.blocks),
        outcome=tuned.outcome,
        parameters=tuned.parameters,
        standing_height=tuned.standing_height,
        posterior=tuned.posterior,
        sensitivity=sensitivity.local,
        identifiability=sensitivity.identifiability,
        candidates=sensitivity.candidates,
        ranges=sensitivity.ranges,
        error_budget=found[ErrorBudget].entries,
        seconds=found.seconds,
        limits=_limits(proven.tests),
        screening=sensitivity.screening,
        variance=sensitivity.variance,
        vehicle=subject.origin if isinstance(subject.origin, Vehicle) else None,
        made_on=_today(),
        step_time=step_time(tuned.model, [test.test for test in proven.tests]),
    )


def _today() -> str:
    """The day, in words; that of ``SOURCE_DATE_EPOCH`` where who builds documents twice has set one."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(given), UTC) if given.isdigit() else datetime.now(UTC)
    return f"{now.day} {_MONTHS[now.month - 1]} {now.year}"


def _not_enough(settings: StudySettings, tests: Sequence[TestResult]) -> tuple[Problem, ...]:
    """A warning where a model whose axles do not move stays above the tolerance, and nobody tried one with more."""
    indices = [(test.label, index) for test in tests if not test.hold_out for index in test.tuned_indices]
    label, worst = max(indices, key=lambda item: item[1].value_pct)
    if settings.compliance is Compliance.MOVING or worst.value_pct <= settings.objective.tolerance_pct:
        return ()
    off = f"{label}: {worst.name} is still {worst.value_pct:.1f} % off after tuning"
    text = f"{off}; the compliance of the model is '{settings.compliance}'"
    hint = f'write compliance = ["{settings.compliance}", "{Compliance.MOVING}"] in [study], and the study goes on'
    return (Problem(text, severity=Severity.WARNING, hint=hint),)


def _derivative_notes(blocks: Sequence[Block]) -> tuple[Problem, ...]:
    """What is special about the derivatives of a manoeuvre, once for each."""
    notes = {block.manoeuvre: block.note for block in reversed(blocks) if block.note}
    text = "'{}' is no smooth function of the parameters somewhere: {}"
    return tuple(
        Problem(text.format(label, note), severity=Severity.WARNING) for label, note in reversed(notes.items())
    )


def _limits(tests: Sequence[TestResult]) -> tuple[str, ...]:
    lateral = _both_reach(tests, signals.AY, lambda values: np.abs(values).max())
    braking = max(_both_reach(tests, signals.AX, lambda values: (-values).max()), 0.0)
    fastest = _both_reach(tests, signals.VX, lambda values: values.max())
    slowest = -_both_reach(tests, signals.VX, lambda values: (-values).max())
    reached = [f"{lateral:.1f} m/s² lateral acceleration"] if lateral >= _REACHED else []
    reached += [f"{braking:.1f} m/s² deceleration"] if braking >= _REACHED else []
    up_to = f"up to {' and '.join(reached)}, " if reached else ""
    speeds = interval(max(round(3.6 * slowest), 0), round(3.6 * fastest), 1)
    return (
        f"Reference and model were compared {up_to}at {speeds} km/h; outside this range the model is untried.",
        "The road is level and has the friction of the tyre files, unless a manoeuvre says otherwise. Beyond the "
        "travel of the K&C maps the model extrapolates in a straight line.",
        "Bodies are rigid, except for a frame where the model has one. Frequencies above about 15 Hz are not "
        "represented.",
        "The model has no anti-lock brakes, no stability control and no driver assistance.",
    )


def _both_reach(tests: Sequence[TestResult], signal: Signal, largest: Callable[[NDArray[np.float64]], Any]) -> float:
    """The largest value that reference and tuned model both reach, in any test whose record holds the signal."""
    runs = ((test.reference, test.tuned) for test in tests)
    reached = [[float(largest(run[signal])) for run in pair] for pair in runs if all(signal.column in r for r in pair)]
    return max((min(pair) for pair in reached), default=0.0)


# ---- files


def _finite(value: Any) -> Any:
    """Plain data without numbers that JSON cannot hold."""
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write_model(result: StudyResult, folder: StudyFolder) -> list[Path]:
    settings = {"vehicle": result.name, "objective_pct": result.outcome.value}
    save(Artefact(RTM, result.tuned, Provenance(settings=settings)), folder.model)
    files = [folder.model]
    for axle, maps in result.maps.items():
        files.append(folder.maps(axle))
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        save(Artefact(KC_MAPS, maps, Provenance(settings={"vehicle": result.name})), files[-1])
    return files


def _write_runs(result: StudyResult, folder: StudyFolder, new: StudyFolder) -> list[Path]:
    """Runs as CSV; what is there already, by its hash and size, is not written again."""
    files, known, found = [], _read_manifest(folder.written_runs), {}
    for test, name in zip(result.tests, file_names(test.label for test in result.tests), strict=True):
        for kind, run in (("reference", test.reference), ("nominal", test.nominal), ("tuned", test.tuned)):
            path = folder.runs / f"{name}_{kind}.csv"
            content = _hash(run)
            there = path
            if not path.is_file() or known.get(path.name) != f"{content} {path.stat().st_size}":
                there = new.runs / path.name
                write_run(run, there, make_parents=True)
            found[path.name] = f"{content} {there.stat().st_size}"
            files.append(path)
    write_atomically(new.written_runs, pretty_json(found), make_parents=True)
    return files


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # not there, or damaged: everything is written anew
    return data if isinstance(data, dict) else {}


def _hash(run: Run) -> str:
    columns = b"".join(name.encode() + np.ascontiguousarray(values).tobytes() for name, values in run.items())
    return hash_bytes(columns + canonical_json(dict(run.metadata)).encode())


REPORT = Stage(
    name="report",
    title="writing the report",
    needs=(
        Subject,
        Measured,
        Converted,
        Driven,
        SensitivityResult,
        Tuned,
        Proven,
        ErrorBudget,
        StudySettings,
    ),
    makes=FinishedStudy,
    run=_write,
    sections=(summary_section, value_section, limit_section, note_section),
    phase=Phase.PROOF,
)

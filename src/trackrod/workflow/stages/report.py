"""Stage ``report``: everything that a study found is put together and written into its folder."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.files import hash_bytes, write_atomically
from trackrod.core.plain import Plain, canonical_json, pretty_json
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.fit.blocks import Block
from trackrod.kc.maps import KC_MAPS
from trackrod.report.study import write_study_report
from trackrod.report.study_sections import SectionMaker, limit_section, time_section
from trackrod.report.study_summary import summary_section
from trackrod.rtm.spec import RTM
from trackrod.tune.study import StudyResult, TestResult
from trackrod.workflow.stage import Results, Stage, Work
from trackrod.workflow.stages.convert import Converted
from trackrod.workflow.stages.error_budget import ErrorBudget
from trackrod.workflow.stages.hold_out import Proven
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.optimise import Tuned
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.stages.sensitivity import SensitivityResult
from trackrod.workflow.study_folder import StudyFolder, file_names
from trackrod.workflow.study_settings import StudySettings

__all__ = ["REPORT", "FinishedStudy", "study_result"]


@dataclass(frozen=True, slots=True, eq=False)
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
    problems
        What could not be, for want of a package.
    summary
        What the summary holds; numbers that are not finite are None.
    """

    result: StudyResult
    folder: StudyFolder
    files: tuple[Path, ...]
    problems: tuple[Problem, ...]
    summary: Mapping[str, Plain]


def _write(work: Work) -> FinishedStudy:
    """Write everything that a study leaves.

    Holds: every file is whole or not there. The summary of an earlier study goes first and that of this one comes last:
    a folder with a summary is complete and of one piece.
    """
    folder, result = work[Subject].folder, study_result(work)
    folder.summary.unlink(missing_ok=True)
    work.tell("model, maps and runs", 0.0)
    files = [*_write_model(result, folder), *_write_runs(result, folder)]
    work.tell("page and PDF", 0.5)
    written, problems = _write_report(result, work.sections, folder)
    files += [*written, folder.summary]
    seconds = work.seconds_so_far()
    seconds = {**seconds, "total": sum(seconds.values())}
    rounded = {stage: round(value, 3) for stage, value in seconds.items()}
    summary = _finite({**result.summary(), "seconds": rounded})
    write_atomically(folder.summary, pretty_json(summary))
    return FinishedStudy(result, folder, tuple(files), tuple(problems), summary)


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
            *unstable,
            *driven.problems,
            *proven.problems,
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
        sensitivity=sensitivity.local,
        identifiability=sensitivity.identifiability,
        candidates=sensitivity.candidates,
        ranges=sensitivity.ranges,
        error_budget=found[ErrorBudget].entries,
        seconds=found.seconds,
        limits=_limits(proven.tests),
        screening=sensitivity.screening,
        variance=sensitivity.variance,
    )


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
    return (
        f"Compared up to {lateral:.1f} m/s² sideways and {braking:.1f} m/s² when braking, at "
        f"{max(3.6 * slowest, 0.0):.0f} to {3.6 * fastest:.0f} km/h: what both the reference and the model reach.",
        "Smooth level road with the friction of the tyre files; beyond their travel the maps are extended straight.",
        "Bodies are rigid; the frame of a van does not twist. Frequencies above about 15 Hz are not represented.",
        "No anti-lock system, stability control or driver assistance is part of the model.",
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


def _write_runs(result: StudyResult, folder: StudyFolder) -> list[Path]:
    """Runs as CSV; what is there already, by its hash and size, is not written again."""
    folder.runs.mkdir(parents=True, exist_ok=True)
    files, known, found = [], _read_manifest(folder.written_runs), {}
    for test, name in zip(result.tests, file_names(test.label for test in result.tests), strict=True):
        for kind, run in (("reference", test.reference), ("nominal", test.nominal), ("tuned", test.tuned)):
            path = folder.runs / f"{name}_{kind}.csv"
            content = _hash(run)
            if not path.is_file() or known.get(path.name) != f"{content} {path.stat().st_size}":
                write_run(run, path)
            found[path.name] = f"{content} {path.stat().st_size}"
            files.append(path)
    write_atomically(folder.written_runs, pretty_json(found), make_parents=True)
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


def _write_report(
    result: StudyResult, sections: tuple[SectionMaker, ...], folder: StudyFolder
) -> tuple[list[Path], list[Problem]]:
    problems: list[Problem] = []
    for document in (folder.document, None):  # the page alone where the PDF cannot be made
        try:
            return write_study_report(result, folder.page, document, sections=sections), problems
        except MissingExtraError as error:
            problems = [Problem(str(error), severity=Severity.WARNING)]
    return [], problems


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
    sections=(summary_section, time_section, limit_section),
)

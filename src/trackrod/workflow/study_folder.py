"""The folder that a study leaves: model, maps, runs, report, summary."""

from __future__ import annotations

import time
from pathlib import Path

from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.files import write_atomically
from trackrod.core.plain import pretty_json
from trackrod.core.run_files import write_run
from trackrod.kc.maps import KC_MAPS
from trackrod.optimise.study import StudyResult
from trackrod.report.study import write_study_report
from trackrod.rtm.spec import RTM
from trackrod.workflow.study_input import Announce

__all__ = ["SUMMARY", "write_study"]

SUMMARY = "summary.json"


def write_study(
    result: StudyResult, folder: Path, *, announce: Announce | None = None
) -> tuple[list[Path], list[Problem]]:
    """Write everything that a study leaves; the summary last, so that a folder with one is complete.

    Returns
    -------
    files, problems
        What was written; what could not be, for want of a package.

    Holds: every file is whole or not there.
    """
    tell = announce or (lambda _stage, _what, _share: None)
    began = time.perf_counter()
    tell("report", "model, maps and runs", 0.0)
    files = [*_write_model(result, folder), *_write_runs(result, folder)]
    tell("report", "page and PDF", 0.5)
    written, problems = _write_report(result, folder)
    files += written
    seconds = dict(result.seconds)
    seconds["report"] = time.perf_counter() - began
    seconds["total"] = sum(seconds.values())
    rounded = {stage: round(value, 3) for stage, value in seconds.items()}
    files.append(folder / SUMMARY)
    write_atomically(files[-1], pretty_json({**result.summary(), "seconds": rounded}))
    return files, problems


def _write_model(result: StudyResult, folder: Path) -> list[Path]:
    (folder / "kc").mkdir(parents=True, exist_ok=True)
    model = folder / "rtm.json"
    settings = {"vehicle": result.name, "objective_pct": result.outcome.value}
    save(Artefact(RTM, result.tuned, Provenance(settings=settings)), model)
    files = [model]
    for axle, maps in result.maps.items():
        files.append(folder / "kc" / f"{axle}.json")
        save(Artefact(KC_MAPS, maps, Provenance(settings={"vehicle": result.name})), files[-1])
    return files


def _write_runs(result: StudyResult, folder: Path) -> list[Path]:
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    files = []
    for test in result.tests:
        name = test.label.replace(", ", "_").replace(" ", "_")
        for kind, run in (("reference", test.reference), ("nominal", test.nominal), ("tuned", test.tuned)):
            files.append(folder / "runs" / f"{name}_{kind}.csv")
            write_run(run, files[-1])
    return files


def _write_report(result: StudyResult, folder: Path) -> tuple[list[Path], list[Problem]]:
    page = folder / "report.html"
    problems: list[Problem] = []
    for pdf in (folder / "report.pdf", None):  # the page alone where the PDF cannot be made
        try:
            return write_study_report(result, page, pdf), problems
        except MissingExtraError as error:
            problems = [Problem(str(error), severity=Severity.WARNING)]
    return [], problems

"""The folder that a study leaves: model, maps, runs, report, summary."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.files import hash_bytes, write_atomically
from trackrod.core.plain import Plain, canonical_json, pretty_json
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.kc.maps import KC_MAPS
from trackrod.report.study import write_study_report
from trackrod.rtm.spec import RTM
from trackrod.tune.study import StudyResult
from trackrod.workflow.study import EVALUATIONS
from trackrod.workflow.study_input import Announce

__all__ = ["SUMMARY", "WrittenStudy", "write_study"]

SUMMARY = "summary.json"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenStudy:
    """What a study left.

    Attributes
    ----------
    files
        What was written.
    problems
        What could not be, for want of a package.
    summary
        What the summary holds; numbers that are not finite are None.
    """

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]
    summary: Mapping[str, Plain]


def write_study(result: StudyResult, folder: Path, *, announce: Announce | None = None) -> WrittenStudy:
    """Write everything that a study leaves.

    Holds: every file is whole or not there. The summary of an earlier study goes first and that of this one comes last:
    a folder with a summary is complete and of one piece.
    """
    tell = announce or (lambda _stage, _what, _share: None)
    began = time.perf_counter()
    (folder / SUMMARY).unlink(missing_ok=True)
    tell("report", "model, maps and runs", 0.0)
    files = [*_write_model(result, folder), *_write_runs(result, folder)]
    tell("report", "page and PDF", 0.5)
    written, problems = _write_report(result, folder)
    files += written
    seconds = dict(result.seconds)
    seconds["report"] = time.perf_counter() - began
    seconds["total"] = sum(seconds.values())
    rounded = {stage: round(value, 3) for stage, value in seconds.items()}
    summary = _finite({**result.summary(), "seconds": rounded})
    files.append(folder / SUMMARY)
    write_atomically(files[-1], pretty_json(summary))
    return WrittenStudy(tuple(files), tuple(problems), summary)


def _finite(value: Any) -> Any:
    """Plain data without numbers that JSON cannot hold."""
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
    """Runs as CSV; what is there already, by its hash and size, is not written again."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    manifest = folder / EVALUATIONS / "written_runs.json"
    files, known, found = [], _read_manifest(manifest), {}
    for test, name in zip(result.tests, _file_names(test.label for test in result.tests), strict=True):
        for kind, run in (("reference", test.reference), ("nominal", test.nominal), ("tuned", test.tuned)):
            path = folder / "runs" / f"{name}_{kind}.csv"
            content = _hash(run)
            if not path.is_file() or known.get(path.name) != f"{content} {path.stat().st_size}":
                write_run(run, path)
            found[path.name] = f"{content} {path.stat().st_size}"
            files.append(path)
    write_atomically(manifest, pretty_json(found), make_parents=True)
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


def _file_names(labels: Iterable[str]) -> Iterator[str]:
    """A file name for each label, all different."""
    taken: set[str] = set()
    for label in labels:
        plain = name = re.sub(r"\W+", "_", label).strip("_") or "run"
        count = 1
        while name.casefold() in taken:
            count += 1
            name = f"{plain}_{count}"
        taken.add(name.casefold())
        yield name


def _write_report(result: StudyResult, folder: Path) -> tuple[list[Path], list[Problem]]:
    page = folder / "report.html"
    problems: list[Problem] = []
    for pdf in (folder / "report.pdf", None):  # the page alone where the PDF cannot be made
        try:
            return write_study_report(result, page, pdf), problems
        except MissingExtraError as error:
            problems = [Problem(str(error), severity=Severity.WARNING)]
    return [], problems

"""What is checked in every file of a run: columns, units, metadata, time."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, InputError, Place, Problem, close_matches
from trackrod.core.plain import Plain
from trackrod.core.series import Run, find_time_fault
from trackrod.core.signals import SIGNALS, TIME, parse_column

__all__ = [
    "METADATA_KEY",
    "MOST_PROBLEMS",
    "check_columns",
    "check_unit",
    "checked_run",
    "damaged_file",
    "parse_metadata",
    "raise_first",
]

#: Name of the run's metadata in files that have room for those of several programs.
METADATA_KEY = "trackrod"
#: Enough to see what is wrong with a file; a recording in the wrong format has a fault in every line.
MOST_PROBLEMS = 20


def check_columns(
    path: Path,
    columns: list[str],
    problems: list[Problem],
    line: int | None = None,
    separators: str = "",
    *,
    any_name: bool = False,
) -> None:
    """Every column must be known or say its unit, or have `any_name`, none may come twice, and there must be time."""
    if len(columns) == 1 and re.search("[;\t]", separators):
        problems.append(
            Problem("the columns are not separated by commas", Place(path, line), hint="save as CSV with commas")
        )
        return
    for index, column in enumerate(columns):
        place = Place(path, line, index + 1 if line else None)
        if column in columns[:index]:
            problems.append(Problem(f"column '{column}' occurs more than once", place))
            continue
        if any_name:
            continue
        try:
            parse_column(column)
        except InputError:
            near = " or ".join(f"'{match}'" for match in close_matches(column, SIGNALS))
            hint = f"did you mean {near}? " if near else ""
            hint += "a column is a declared signal or ends in a unit such as _m, _N or _radps"
            problems.append(Problem(f"'{column}' is not a column of a run", place, hint=hint))
    if TIME.column not in columns:
        problems.append(Problem(f"the column '{TIME.column}' is missing", Place(path, line)))


def check_unit(path: Path, column: str, unit: str, problems: list[Problem]) -> None:
    """A unit written beside a column, if there is one, must be the one that the column's name says."""
    with contextlib.suppress(InputError):  # unknown columns are reported elsewhere
        expected = parse_column(column).kind.unit
        if unit and unit != expected:
            problems.append(
                Problem(f"column '{column}' has the unit '{unit}', its name says '{expected}'", Place(path))
            )


def parse_metadata(path: Path, text: str | bytes) -> dict[str, Plain]:
    """The metadata of a run, written as JSON."""
    try:
        metadata = json.loads(text)
    except ValueError as error:  # not JSON, or not even Unicode
        raise FileFormatError(Problem(f"the metadata is not JSON: {error}", Place(path))) from error
    if not isinstance(metadata, dict):
        raise FileFormatError(Problem("the metadata is not a JSON object", Place(path)))
    return metadata


def checked_run(
    path: Path,
    columns: Mapping[str, NDArray[Any]],
    metadata: Mapping[str, Plain],
    step: float | None,
    first_line: int | None = None,
) -> Run:
    """The run, or its faults with their place in the file."""
    time = columns[TIME.column]
    if time.size == 0:
        raise FileFormatError(Problem("the file has column names but no samples", Place(path)))
    if time.dtype.kind in "biuf" and time.ndim == 1 and (fault := find_time_fault(time.astype(np.float64))):
        index, text = fault
        place = Place(path, first_line + index) if first_line else Place(path)
        raise FileFormatError(Problem(text if first_line else f"sample {index}: {text}", place))
    try:
        run = Run(columns, metadata)
    except InputError as error:
        raise FileFormatError([Problem(problem.text, Place(path)) for problem in error.problems]) from error
    return run if step is None else run.resample(step)


def raise_first(problems: list[Problem]) -> None:
    """Raise what was found, the first `MOST_PROBLEMS` of it; nothing if there is none."""
    if len(problems) > MOST_PROBLEMS:
        place = Place(problems[0].place.file)
        problems = [*problems[:MOST_PROBLEMS], Problem("there are more problems, not listed here", place)]
    if problems:
        raise FileFormatError(problems)


def damaged_file(path: Path, what: str, error: Exception) -> FileFormatError:
    """The error for a file that a foreign reader gave up on."""
    text = f"the file is not a complete {what} file: {str(error).strip() or type(error).__name__}"
    return FileFormatError(Problem(text, Place(path), hint="it was cut off, damaged, or is of another format"))

"""Points to evaluate a tyre at, and the results, as CSV files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, Place, Problem, close_matches
from trackrod.core.files import atomic_path, read_bytes
from trackrod.tyre.model import TyreForces

__all__ = ["POINT_COLUMNS", "RESULT_COLUMNS", "read_points", "write_points"]

#: Columns of a file of points, in the order of the arguments of `Tyre.evaluate`.
POINT_COLUMNS = ("Fz_N", "kappa", "alpha_rad", "gamma_rad", "Vx_mps", "p_Pa")
#: Columns that a file of results adds.
RESULT_COLUMNS = ("Fx_N", "Fy_N", "Mx_Nm", "My_Nm", "Mz_Nm")

Array = NDArray[np.float64]
_MOST_PROBLEMS = 10
_ROWS_AT_ONCE = 8192


def read_points(path: Path | str) -> tuple[Array, ...]:
    """Read the columns of `POINT_COLUMNS` from a CSV file with a header; other columns are passed over.

    A pressure of zero stands for that of the property file.

    Raises
    ------
    FileFormatError
        A column is missing, a line has too few values, a value is not a finite number or not a possible one; the
        first problems are named with line and column.
    """
    path = Path(path)
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileFormatError(Problem("the file is not text in UTF-8", Place(path))) from None
    head = [name.strip().strip('"') for line in lines[:1] for name in line.split(",")]
    missing = [name for name in POINT_COLUMNS if name not in head]
    if missing:
        near = [match for name in missing for match in close_matches(name, head, 1)]
        hint = f"it must have {', '.join(POINT_COLUMNS)}"
        if near:
            hint += f"; the file has {', '.join(dict.fromkeys(near))}"
        raise FileFormatError(Problem(f"the header has no column {', '.join(missing)}", Place(path, 1), hint=hint))
    if not any(line.strip() for line in lines[1:]):
        raise FileFormatError(Problem("the file has a header and no points", Place(path, 1)))
    columns = [head.index(name) for name in POINT_COLUMNS]
    try:
        table = np.loadtxt(lines[1:], delimiter=",", usecols=columns, ndmin=2, comments=None)
    except (ValueError, IndexError):
        table = None
    if table is None or not np.isfinite(table).all() or (table[:, -1] < 0).any():
        raise FileFormatError(_find_problems(path, lines, head))
    return tuple(table.T)


def _find_problems(path: Path, lines: list[str], head: list[str]) -> list[Problem]:
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], 2):
        row = line.split(",")
        if not line:
            continue
        for name in POINT_COLUMNS:
            index = head.index(name)
            place = Place(path, number, index + 1)
            if index >= len(row):
                text = f"the line has {len(row)} values, {name} is column {index + 1}"
                problems.append(Problem(text, Place(path, number)))
                break
            try:
                value = float(row[index])
            except ValueError:
                problems.append(Problem(f"{name} = '{row[index]}' is not a number", place))
                continue
            if not math.isfinite(value):
                problems.append(Problem(f"{name} = {row[index].strip()} is not a finite number", place))
            elif name == "p_Pa" and value < 0:
                text = f"{name} = {row[index].strip()} must not be negative"
                problems.append(Problem(text, place, hint="0 stands for the pressure of the property file"))
        if len(problems) >= _MOST_PROBLEMS:
            break
    return problems[:_MOST_PROBLEMS] or [Problem("the points cannot be read as numbers", Place(path))]


def write_points(path: Path | str, inputs: tuple[Array, ...], forces: TyreForces) -> None:
    """Write points and results with full precision; an existing file is replaced whole or not at all."""
    results = (forces.Fx, forces.Fy, forces.Mx, forces.My, forces.Mz)
    table = np.column_stack([*inputs, *results])
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(",".join((*POINT_COLUMNS, *RESULT_COLUMNS)) + "\n")
        for start in range(0, len(table), _ROWS_AT_ONCE):
            rows = table[start : start + _ROWS_AT_ONCE].tolist()
            stream.write("".join(",".join(map(repr, row)) + "\n" for row in rows))

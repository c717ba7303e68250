"""Files of runs: CSV, Parquet, MATLAB and MDF 4, chosen by the suffix.

All four keep every number exactly and the metadata with it.

``.csv``
    Comma-separated, UTF-8, one header line of column names, numbers in the shortest form that reads back
    exactly. The metadata stands before the header, one line ``# key: value`` for each entry, the value as
    JSON; without metadata there is no such line. In pandas: ``read_csv(path, comment="#")``. A missing
    sample is ``nan``; an empty cell is read as one.
``.parquet``
    One double-precision column each; the unit in the metadata of its field, the run's metadata as JSON in
    the schema under ``trackrod``. Needs pyarrow.
``.mat``
    MATLAB version 5: struct ``run`` with one column vector for each column, struct ``units`` with the units
    under the same names, text ``metadata`` (JSON, for ``jsondecode``).
``.mf4``
    MDF 4.1: one channel for each column with its unit, time as the master channel, the metadata as JSON in
    the header's comment. Needs asammdf. Recordings of loggers are read too: see `read_run`.

Limits: a file that was cut off is recognised, but a CSV file only if the cut leaves too few values in its last
line. Single damaged bytes are recognised only where the format itself checks them; in the structure of a MATLAB
or MDF file they can even crash the reader that SciPy or asammdf brings.
"""

from __future__ import annotations

import csv
import json
import math
import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat, savemat

from trackrod import _core
from trackrod.core.errors import (
    FileFormatError,
    InputError,
    MissingExtraError,
    Place,
    Problem,
)
from trackrod.core.files import atomic_path, read_bytes, require_file
from trackrod.core.mdf4 import read_mf4, write_mf4
from trackrod.core.plain import Plain, canonical_json
from trackrod.core.run_checks import (
    METADATA_KEY,
    MOST_PROBLEMS,
    check_columns,
    check_unit,
    checked_run,
    damaged_file,
    parse_metadata,
    raise_first,
)
from trackrod.core.series import Run, find_time_fault
from trackrod.core.signals import TIME

__all__ = ["RUN_SUFFIXES", "load_matlab", "read_columns", "read_run", "write_run"]

_CSV_ENTRY = re.compile(r"#\s*([A-Za-z][A-Za-z0-9_]*):(.*)", re.DOTALL)


def write_run(run: Run, path: Path | str, *, make_parents: bool = False) -> None:
    """Write a run to a file, atomically, in the format of its suffix.

    Parameters
    ----------
    run
        The run.
    path
        File to write: ``.csv``, ``.parquet``, ``.mat`` or ``.mf4``. It is replaced if it exists.
    make_parents
        Create missing folders above it.

    Raises
    ------
    InputError
        The suffix is none of these.
    MissingExtraError
        The format needs a package that is not installed.

    Holds: ``read_run(path) == run``, number by number, in every format.
    """
    path = Path(path)
    write = _format_of(path).write
    with atomic_path(path, make_parents=make_parents) as temporary:
        write(run, temporary)


def read_run(path: Path | str, *, step: float | None = None) -> Run:
    """Read a run from a file in the format of its suffix.

    A column must be a declared signal, or end in a unit suffix (``oil_temperature_K``).

    Recordings of loggers in MDF 4 hold channels with names and units of their own, in groups with different
    time bases. A channel that is no column is read under its own name and converted by its unit (km/h,
    deg/s, g, bar, …) into SI. All channels are brought onto the time base of the first one that can be
    read, or onto a uniform one if `step` is given, over the time that all of them cover. What was
    resampled, renamed or left out is said in the metadata under ``notes``.

    Parameters
    ----------
    path
        File to read: ``.csv``, ``.parquet``, ``.mat`` or ``.mf4``.
    step
        Resample onto a uniform time base with this step [s].

    Raises
    ------
    MissingFileError, InputError, MissingExtraError
        No such file; a suffix that is not supported; a package that is not installed.
    FileFormatError
        With the faults of the file, by line and column where it has lines.
    """
    path = Path(path)
    return _format_of(path).read(require_file(path), step)


# CSV --------------------------------------------------------------------------------------------------------


def _write_csv(run: Run, path: Path) -> None:
    table = np.column_stack([run[column] for column in run.columns])
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for key, value in run.metadata.items():
            stream.write(f"# {key}: {json.dumps(value, ensure_ascii=False, default=dict)}\n")
        stream.write(",".join(run.columns) + "\n")
        stream.write(_core.comma_separated(table).decode("ascii"))


def _read_csv(path: Path, step: float | None) -> Run:
    columns, metadata, first_line = _csv_columns(path)
    return checked_run(path, columns, metadata, step, first_line=first_line)


def read_columns(path: Path | str) -> dict[str, NDArray[np.float64]]:
    """The columns of a CSV file by name, whatever their names: those that are no signals have no known unit.

    Raises
    ------
    MissingFileError, FileFormatError
        No such file; with the faults of the file by line and column. ``time_s`` must be there, finite and growing.
    """
    path = Path(path)
    columns, _, first_line = _csv_columns(require_file(path), any_name=True)
    fault = find_time_fault(columns[TIME.column])
    if fault is not None:
        row, text = fault
        raise FileFormatError(Problem(text, Place(path, first_line + row)))
    return columns


def _csv_columns(path: Path, *, any_name: bool = False) -> tuple[dict[str, NDArray[np.float64]], dict[str, Plain], int]:
    """Columns, metadata, and the number of the first line of values."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(Problem(f"the file is not UTF-8 text: {error.reason}", Place(path))) from error
    # Not splitlines: text in the metadata may hold the rarer line separators of Unicode.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    metadata, header = _read_csv_comments(lines)
    if header == len(lines) or not lines[header].strip():
        raise FileFormatError(Problem("the file is empty: no line of column names", Place(path)))
    problems: list[Problem] = []
    try:
        columns = next(csv.reader([lines[header]]))
    except csv.Error as error:
        raise FileFormatError(Problem(f"this is no line of column names: {error}", Place(path, header + 1))) from error
    check_columns(path, columns, problems, line=header + 1, separators=lines[header], any_name=any_name)
    table = _read_csv_rows(path, lines[header + 1 :], header + 2, columns, problems)
    raise_first(problems)
    return dict(zip(columns, table.T, strict=True)), metadata, header + 2


def _read_csv_comments(lines: list[str]) -> tuple[dict[str, Plain], int]:
    """Metadata in front of the header, and the index of the header's line."""
    metadata: dict[str, Plain] = {}
    for index, line in enumerate(lines):
        if not line.startswith("#"):
            return metadata, index
        if entry := _CSV_ENTRY.match(line):  # other lines are remarks of another program
            key, value = entry.groups()
            try:
                metadata[key] = json.loads(value)
            except json.JSONDecodeError:
                metadata[key] = value.strip()  # written without quotation marks: the text itself is meant
    return metadata, len(lines)


def _read_csv_rows(
    path: Path, lines: list[str], first_line: int, columns: list[str], problems: list[Problem]
) -> NDArray[np.float64]:
    numbers = array("d")
    for line_number, line in enumerate(lines, first_line):
        cells = line.split(",")
        if len(cells) != len(columns):
            text = f"the line has {len(cells) if line else 0} values, the header names {len(columns)} columns"
            problems.append(Problem(text, Place(path, line_number)))
        elif "_" in line:  # Python would read 1_000 as a number
            numbers.extend(_read_cells(path, line_number, cells, columns, problems))
        else:
            try:
                numbers.extend([float(cell) for cell in cells])
            except ValueError:
                numbers.extend(_read_cells(path, line_number, cells, columns, problems))
        if len(problems) > MOST_PROBLEMS:
            break
    if problems:
        return np.empty((0, len(columns)))
    return np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(columns))


def _read_cells(
    path: Path, line: int, cells: list[str], columns: list[str], problems: list[Problem]
) -> Iterator[float]:
    """Numbers of a line, cell by cell, to say which one is wrong; an empty cell is a missing sample."""
    for index, cell in enumerate(cells):
        try:
            yield math.nan if not cell.strip() else float(cell.replace("_", "?"))
        except ValueError:
            text = f"'{cell.strip()}' in column '{columns[index]}' is not a number"
            problems.append(Problem(text, Place(path, line, index + 1)))
            yield math.nan


# Parquet ----------------------------------------------------------------------------------------------------


def _write_parquet(run: Run, path: Path) -> None:
    arrow, parquet = _import_pyarrow()
    fields = [
        arrow.field(signal.column, arrow.float64(), metadata={"unit": signal.kind.unit}) for signal in run.signals
    ]
    schema = arrow.schema(fields, metadata={METADATA_KEY: canonical_json(run.metadata)})
    parquet.write_table(arrow.table([run[column] for column in run.columns], schema=schema), path)


def _read_parquet(path: Path, step: float | None) -> Run:
    arrow, parquet = _import_pyarrow()
    try:
        table = parquet.read_table(arrow.BufferReader(read_bytes(path)))
    except (arrow.ArrowException, OSError) as error:
        raise damaged_file(path, "Parquet", error) from error
    problems: list[Problem] = []
    check_columns(path, table.column_names, problems)
    columns = {}
    for field, values in zip(table.schema, table.columns, strict=True):
        if not (arrow.types.is_floating(field.type) or arrow.types.is_integer(field.type)):
            problems.append(Problem(f"column '{field.name}' holds {field.type}, numbers are needed", Place(path)))
            continue
        unit = (field.metadata or {}).get(b"unit", b"").decode(errors="replace")
        check_unit(path, field.name, unit, problems)
        columns[field.name] = values.cast(arrow.float64()).to_numpy()
    raise_first(problems)
    metadata = parse_metadata(path, (table.schema.metadata or {}).get(METADATA_KEY.encode(), b"{}"))
    return checked_run(path, columns, metadata, step)


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # noqa: PLC0415 - optional
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("pyarrow", "data", "reading and writing Parquet files") from None
    return pyarrow, pyarrow.parquet


# MATLAB -----------------------------------------------------------------------------------------------------


def _write_mat(run: Run, path: Path) -> None:
    content = {
        "units": {signal.column: signal.kind.unit for signal in run.signals},
        "metadata": canonical_json(run.metadata),
        "run": dict(run),  # last, so that a file that was cut off cannot pass for a complete one
    }
    savemat(str(path), content, appendmat=False, oned_as="column", long_field_names=True)


def load_matlab(path: Path) -> dict[str, Any]:
    """Variables of a MATLAB file by name, structs as objects with fields.

    Raises
    ------
    FileFormatError
        The file is damaged, or of a version that SciPy does not read.
    """
    try:
        content: dict[str, Any] = loadmat(str(path), appendmat=False, squeeze_me=True, struct_as_record=False)
    except NotImplementedError as error:
        text = "MATLAB files of version 7.3 cannot be read"
        raise FileFormatError(Problem(text, Place(path), hint="save with the option -v7")) from error
    except Exception as error:  # SciPy raises whatever its parser meets in a damaged file
        raise damaged_file(path, "MATLAB", error) from error
    return content


def _read_mat(path: Path, step: float | None) -> Run:
    content = load_matlab(path)
    if not hasattr(content.get("run"), "_fieldnames"):
        names = ", ".join(name for name in content if not name.startswith("_"))
        text = f"the file has no struct 'run'; it has {names or 'nothing'}"
        raise FileFormatError(Problem(text, Place(path), hint="save one struct 'run' with a field for each column"))
    run, units = content["run"], content.get("units")
    problems: list[Problem] = []
    check_columns(path, run._fieldnames, problems)
    columns = {}
    for column in run._fieldnames:
        columns[column] = np.atleast_1d(getattr(run, column))
        unit = getattr(units, column, "")
        check_unit(path, column, unit if isinstance(unit, str) else "", problems)  # MATLAB's '' is an array
    raise_first(problems)
    return checked_run(path, columns, parse_metadata(path, str(content.get("metadata", "{}"))), step)


# All of them ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Format:
    write: Callable[[Run, Path], None]
    read: Callable[[Path, float | None], Run]


_FORMATS: Mapping[str, _Format] = {
    ".csv": _Format(_write_csv, _read_csv),
    ".parquet": _Format(_write_parquet, _read_parquet),
    ".mat": _Format(_write_mat, _read_mat),
    ".mf4": _Format(write_mf4, read_mf4),
}

#: Suffixes of the formats in which runs can be read and written.
RUN_SUFFIXES: tuple[str, ...] = tuple(_FORMATS)


def _format_of(path: Path) -> _Format:
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        text = f"'{path.suffix}' is not the suffix of a run file"
        raise InputError(Problem(text, Place(path), hint=f"supported are {', '.join(RUN_SUFFIXES)}"))
    return _FORMATS[suffix]

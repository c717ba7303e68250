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

import contextlib
import csv
import json
import math
import re
import traceback
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat, savemat

from trackrod.core.errors import (
    FileFormatError,
    InputError,
    MissingExtraError,
    Place,
    Problem,
    close_matches,
)
from trackrod.core.files import atomic_path, read_bytes, require_file
from trackrod.core.plain import Plain, canonical_json
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY, Kind
from trackrod.core.series import Run, TimeSeries, find_time_fault, uniform_time
from trackrod.core.signals import SIGNALS, TIME, Signal, parse_column

__all__ = ["RUN_SUFFIXES", "damaged_file", "load_matlab", "read_run", "write_run"]

_METADATA_KEY = "trackrod"
# Enough to see what is wrong with a file; a recording in the wrong format has a fault in every line.
_MOST_PROBLEMS = 20
_ROWS_AT_ONCE = 4096
_CSV_ENTRY = re.compile(r"#\s*([A-Za-z][A-Za-z0-9_]*):(.*)", re.DOTALL)
_MF4_HEADER_SIZE = 64 + 104  # identification and header block


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
        for start in range(0, len(table), _ROWS_AT_ONCE):
            rows = table[start : start + _ROWS_AT_ONCE].tolist()
            stream.write("\n".join([",".join(map(repr, row)) for row in rows]) + "\n")


def _read_csv(path: Path, step: float | None) -> Run:
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
    columns = next(csv.reader([lines[header]]))
    _check_columns(path, columns, problems, line=header + 1, separators=lines[header])
    table = _read_csv_rows(path, lines[header + 1 :], header + 2, columns, problems)
    _raise_first(problems)
    return _checked_run(path, dict(zip(columns, table.T, strict=True)), metadata, step, first_line=header + 2)


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
        if len(problems) > _MOST_PROBLEMS:
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
    schema = arrow.schema(fields, metadata={_METADATA_KEY: canonical_json(run.metadata)})
    parquet.write_table(arrow.table([run[column] for column in run.columns], schema=schema), path)


def _read_parquet(path: Path, step: float | None) -> Run:
    arrow, parquet = _import_pyarrow()
    try:
        table = parquet.read_table(arrow.BufferReader(read_bytes(path)))
    except (arrow.ArrowException, OSError) as error:
        raise damaged_file(path, "Parquet", error) from error
    problems: list[Problem] = []
    _check_columns(path, table.column_names, problems)
    columns = {}
    for field, values in zip(table.schema, table.columns, strict=True):
        if not (arrow.types.is_floating(field.type) or arrow.types.is_integer(field.type)):
            problems.append(Problem(f"column '{field.name}' holds {field.type}, numbers are needed", Place(path)))
            continue
        unit = (field.metadata or {}).get(b"unit", b"").decode(errors="replace")
        _check_unit(path, field.name, unit, problems)
        columns[field.name] = values.cast(arrow.float64()).to_numpy()
    _raise_first(problems)
    metadata = _parse_metadata(path, (table.schema.metadata or {}).get(_METADATA_KEY.encode(), b"{}"))
    return _checked_run(path, columns, metadata, step)


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
    _check_columns(path, run._fieldnames, problems)
    columns = {}
    for column in run._fieldnames:
        columns[column] = np.atleast_1d(getattr(run, column))
        unit = getattr(units, column, "")
        _check_unit(path, column, unit if isinstance(unit, str) else "", problems)  # MATLAB's '' is an array
    _raise_first(problems)
    return _checked_run(path, columns, _parse_metadata(path, str(content.get("metadata", "{}"))), step)


# MDF 4 ------------------------------------------------------------------------------------------------------


def _write_mf4(run: Run, path: Path) -> None:
    mdf = _import_asammdf()
    channels = [
        mdf.Signal(samples=run[signal.column], timestamps=run.time, name=signal.column, unit=signal.kind.unit)
        for signal in run.signals
        if signal is not TIME
    ]
    with mdf.MDF(version="4.10") as file:
        if not channels:  # a group needs a channel besides its master
            channels = [mdf.Signal(samples=run.time, timestamps=run.time, name=TIME.column, unit=TIME.kind.unit)]
        file.append(channels, comment="trackrod run", common_timebase=True)
        file.header.description = canonical_json({_METADATA_KEY: run.metadata})
        file.save(path, overwrite=True)


def _read_mf4(path: Path, step: float | None) -> Run:
    mdf = _import_asammdf()
    _check_mf4_header(path)
    notes: list[str] = []
    try:
        with mdf.MDF(path) as file:
            channels = list(_mf4_channels(file, notes))
            metadata = _mf4_metadata(path, file.header.description)
    except InputError:
        raise
    except Exception as error:  # asammdf raises whatever its parser meets in a damaged file
        _abandon_half_read_file(error)
        raise damaged_file(path, "MDF 4", error) from error
    if not channels:
        left_out = "; ".join(notes[:_MOST_PROBLEMS])
        raise FileFormatError(Problem(f"the file has no channel that can be read: {left_out}", Place(path)))
    for channel in channels:
        if fault := find_time_fault(channel.time):
            text = f"channel '{channel.name}', sample {fault[0]}: {fault[1]}"
            raise FileFormatError(Problem(text, Place(path)))
    columns = _on_one_time_base(path, channels, step, notes)
    if notes:
        metadata = {**metadata, "notes": notes}
    return _checked_run(path, columns, metadata, None)


def _check_mf4_header(path: Path) -> None:
    with path.open("rb") as stream:
        start = stream.read(_MF4_HEADER_SIZE)
    if len(start) < _MF4_HEADER_SIZE or start[:8] not in (b"MDF     ", b"UnFinMF ") or start[8:10] != b"4.":
        text = f"the file is not a complete MDF 4 file: it starts with {start[:12]!r}"
        raise FileFormatError(Problem(text, Place(path), hint="it was cut off, or is of another format"))


@dataclass(frozen=True, slots=True)
class _Channel:
    name: str
    signal: Signal
    time: NDArray[np.float64]
    values: NDArray[np.float64]


def _mf4_channels(file: Any, notes: list[str]) -> Iterator[_Channel]:
    """The channels that a run can hold, in SI units; says in `notes` what is left out or renamed."""
    taken: set[str] = set()
    places = [
        (None, group, index)
        for group, content in enumerate(file.groups)
        for index in range(len(content.channels))
        if index != file.masters_db.get(group)
    ]
    for channel in file.select(places):  # reads each group once
        name, samples = channel.name, channel.samples
        if samples.dtype.kind not in "biuf" or samples.ndim != 1:
            notes.append(f"'{name}' left out: it holds no single numbers")
            continue
        if samples.size == 0:
            notes.append(f"'{name}' left out: it has no samples")
            continue
        found = _foreign_signal(name, channel.unit or "", held=samples.dtype.kind in "biu")
        if isinstance(found, str):
            notes.append(f"'{name}' left out: {found}")
            continue
        signal, factor, offset = found
        if signal.column in taken:
            notes.append(f"'{name}' [{channel.unit}] left out: there is a column '{signal.column}' already")
            continue
        taken.add(signal.column)
        if signal.column != name:
            notes.append(f"'{name}' [{channel.unit}] is column '{signal.column}'")
        values = samples.astype(np.float64)
        if (factor, offset) != (1.0, 0.0):
            values = values * factor + offset
        yield _Channel(name, signal, channel.timestamps.astype(np.float64), values)


def _foreign_signal(name: str, unit: str, *, held: bool) -> tuple[Signal, float, float] | str:
    """Signal of a channel with factor and offset into SI, or the reason why there is none."""
    conversion = _CONVERSIONS.get(unit.strip().casefold())
    with contextlib.suppress(InputError):
        signal = parse_column(name)
        if unit.strip() in ("", signal.kind.unit):
            return signal, 1.0, 0.0
        if conversion is None or conversion[0] is not signal.kind:
            return f"the column name asks for [{signal.kind.unit}], the channel has [{unit}]"
        return signal, *conversion[1:]
    if conversion is None:
        return f"the unit '{unit}' is not known" if unit.strip() else "it has no unit"
    kind, factor, offset = conversion
    identifier = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    try:
        return Signal(identifier, kind, held=held), factor, offset
    except InputError:
        return "it cannot be a column name"


def _on_one_time_base(
    path: Path, channels: list[_Channel], step: float | None, notes: list[str]
) -> dict[str, NDArray[np.float64]]:
    base = channels[0].time
    shared = all(np.array_equal(channel.time, base) for channel in channels)
    if not shared:
        start = max(channel.time[0] for channel in channels)
        end = min(channel.time[-1] for channel in channels)
        base = np.unique(np.clip(base, start, end)) if start <= end else base[:0]
        if base.size == 0:
            raise FileFormatError(Problem("the channels have no time in common", Place(path)))
        onto = f"the time base of '{channels[0].name}'" if step is None else f"steps of {step} s"
        notes.append(f"time bases differ: all resampled onto {onto}, from {base[0]} to {base[-1]} s")
    if step is not None:
        base = uniform_time(base, step)
    return {TIME.column: base} | {
        channel.signal.column: channel.values
        if np.array_equal(channel.time, base)
        else TimeSeries(channel.signal, channel.time, channel.values).at(base)
        for channel in channels
        if channel.signal is not TIME
    }


def _mf4_metadata(path: Path, description: str) -> dict[str, Plain]:
    """Metadata of a run in the header's comment; none if another program wrote the comment."""
    prefix = f'{{"{_METADATA_KEY}":'
    return _parse_metadata(path, description[len(prefix) : -1]) if description.startswith(prefix) else {}


def _import_asammdf() -> Any:
    try:
        import asammdf  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtraError("asammdf", "data", "reading and writing MDF files") from None
    return asammdf


def _abandon_half_read_file(error: Exception) -> None:
    # asammdf's destructor fails on a file whose reading failed, and Python would print that beside our own
    # message.
    for frame, _ in traceback.walk_tb(error.__traceback__):
        reader: Any = frame.f_locals.get("self")
        if hasattr(reader, "_tempfile") and hasattr(reader, "_closed"):
            reader._tempfile.close()
            reader._closed = True


def _conversions() -> dict[str, tuple[Kind, float, float]]:
    """Kind, factor and offset into SI of the units that loggers write, by the unit in lower case."""
    table: dict[str, tuple[Kind, float, float]] = {}
    for kind in KINDS.values():
        for dot in ("·", "*", ""):
            for square, cube in (("²", "³"), ("^2", "^3"), ("2", "3")):
                word = kind.unit.replace("·", dot).replace("²", square).replace("³", cube)
                table[word.casefold()] = (kind, 1.0, 0.0)
    degree = math.pi / 180.0
    for kind_name, factor, offset, *words in (
        ("velocity", 1.0 / 3.6, 0.0, "km/h", "kph", "kmh"),
        ("length", 1e-3, 0.0, "mm"),
        ("length", 1e-2, 0.0, "cm"),
        ("length", 1e3, 0.0, "km"),
        ("angle", degree, 0.0, "deg", "°"),
        ("angular_velocity", degree, 0.0, "deg/s", "°/s"),
        ("angular_velocity", math.pi / 30.0, 0.0, "rpm", "1/min", "u/min", "r/min"),
        ("acceleration", STANDARD_GRAVITY, 0.0, "g"),  # loggers record no masses in grams
        ("force", 1e3, 0.0, "kn"),
        ("pressure", 1e5, 0.0, "bar"),
        ("pressure", 1e3, 0.0, "kpa"),
        ("power", 1e3, 0.0, "kw"),
        ("temperature", 1.0, 273.15, "°c", "degc", "deg c"),
        ("time", 1e-3, 0.0, "ms"),
    ):
        for word in words:
            table[word] = (KINDS[kind_name], factor, offset)
    del table[""]  # pure numbers say nothing about what they are
    return table


_CONVERSIONS = _conversions()


# What the formats share -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Format:
    write: Callable[[Run, Path], None]
    read: Callable[[Path, float | None], Run]


_FORMATS: Mapping[str, _Format] = {
    ".csv": _Format(_write_csv, _read_csv),
    ".parquet": _Format(_write_parquet, _read_parquet),
    ".mat": _Format(_write_mat, _read_mat),
    ".mf4": _Format(_write_mf4, _read_mf4),
}

#: Suffixes of the formats in which runs can be read and written.
RUN_SUFFIXES: tuple[str, ...] = tuple(_FORMATS)


def _format_of(path: Path) -> _Format:
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        text = f"'{path.suffix}' is not the suffix of a run file"
        raise InputError(Problem(text, Place(path), hint=f"supported are {', '.join(RUN_SUFFIXES)}"))
    return _FORMATS[suffix]


def _check_columns(
    path: Path, columns: list[str], problems: list[Problem], line: int | None = None, separators: str = ""
) -> None:
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
        try:
            parse_column(column)
        except InputError:
            near = " or ".join(f"'{match}'" for match in close_matches(column, SIGNALS))
            hint = f"did you mean {near}? " if near else ""
            hint += "a column is a declared signal or ends in a unit such as _m, _N or _radps"
            problems.append(Problem(f"'{column}' is not a column of a run", place, hint=hint))
    if TIME.column not in columns:
        problems.append(Problem(f"the column '{TIME.column}' is missing", Place(path, line)))


def _check_unit(path: Path, column: str, unit: str, problems: list[Problem]) -> None:
    """A unit written beside a column, if there is one, must be the one that the column's name says."""
    with contextlib.suppress(InputError):  # unknown columns are reported elsewhere
        expected = parse_column(column).kind.unit
        if unit and unit != expected:
            problems.append(
                Problem(f"column '{column}' has the unit '{unit}', its name says '{expected}'", Place(path))
            )


def _parse_metadata(path: Path, text: str | bytes) -> dict[str, Plain]:
    try:
        metadata = json.loads(text)
    except ValueError as error:  # not JSON, or not even Unicode
        raise FileFormatError(Problem(f"the metadata is not JSON: {error}", Place(path))) from error
    if not isinstance(metadata, dict):
        raise FileFormatError(Problem("the metadata is not a JSON object", Place(path)))
    return metadata


def _checked_run(
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


def _raise_first(problems: list[Problem]) -> None:
    if len(problems) > _MOST_PROBLEMS:
        place = Place(problems[0].place.file)
        problems = [*problems[:_MOST_PROBLEMS], Problem("there are more problems, not listed here", place)]
    if problems:
        raise FileFormatError(problems)


def damaged_file(path: Path, what: str, error: Exception) -> FileFormatError:
    """The error for a file that a foreign reader gave up on."""
    text = f"the file is not a complete {what} file: {str(error).strip() or type(error).__name__}"
    return FileFormatError(Problem(text, Place(path), hint="it was cut off, damaged, or is of another format"))

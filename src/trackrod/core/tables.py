"""Tables of other programs as they are: named columns of numbers, with the unit where the file says it.

``.csv``, ``.txt``, ``.tab``, ``.req``
    Text: titles if any, a line of column names, a line of units if there is one, then numbers; separated by commas,
    semicolons, tabs or blanks, names in quotation marks or not. With semicolons a comma may be the decimal point.
    This is what Adams/PostProcessor exports as a table.
    The same packed by gzip: ``.csv.gz`` and so on.
``.mat``
    MATLAB up to version 7: every vector, also those in structs (``run.ay`` is the column ``ay``).
``.parquet``, ``.mf4``
    Every column or channel of numbers; channels of MDF with other time bases are put onto that of the first.

Limits: binary results and request files in blocks, as Adams/Solver writes them, are refused; export a table instead.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, InputError, MissingExtraError, Place, Problem
from trackrod.core.files import read_bytes
from trackrod.core.mdf4 import open_mf4
from trackrod.core.run_checks import damaged_file
from trackrod.core.run_files import load_matlab

__all__ = ["TABLE_SUFFIXES", "Table", "read_table"]

Array = NDArray[np.float64]

_MOST_PROBLEMS = 10
#: Suffix of a packed file, and the most that one may hold [bytes].
_PACKED, _LARGEST_UNPACKED = ".gz", 2**30
#: Read at once [bytes]: what is asked for is set aside, however little there is.
_PIECE = 2**20
_SEPARATORS = {",": ",", ";": ";", "\t": "\t"}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of numbers.

    Attributes
    ----------
    path
        Where it was read.
    columns
        Values by name; not a number where a cell is empty.
    units
        What the file says about units, by the name of the column.
    first_line
        Line of the first row of numbers, None where the file has no lines.
    """

    path: Path
    columns: Mapping[str, Array]
    units: Mapping[str, str] = field(default_factory=dict)
    first_line: int | None = None

    def place(self, row: int) -> Place:
        """Where a row stands, counted from 0."""
        return Place(self.path, None if self.first_line is None else self.first_line + row)


def read_table(path: Path, *, nameless: bool = False) -> Table:
    """Read a table in the format of its suffix.

    Parameters
    ----------
    path
        The file.
    nameless
        Whether a text without a line of column names is read too: its columns are ``column_1``, ``column_2`` and on.

    Raises
    ------
    MissingFileError, InputError, MissingExtraError
        No such file; a suffix that is not supported; a package that is not installed.
    FileFormatError
        With the faults of the file, by line where it has lines.
    """
    packed = path.suffix.lower() == _PACKED
    reader = _READERS.get(Path(path.stem).suffix.lower() if packed else path.suffix.lower())
    if packed and reader is not _read_text:
        reader = None
    if reader is None:
        text = f"'{path.suffix}' is not the suffix of a table"
        raise InputError(Problem(text, Place(path), hint=f"supported are {', '.join(TABLE_SUFFIXES)}"))
    try:
        table = _read_text(path, nameless=nameless) if reader is _read_text else reader(path)
    except csv.Error as error:
        raise FileFormatError(Problem(f"this is no table: {error}", Place(path))) from error
    if not table.columns or not next(iter(table.columns.values())).size:
        raise FileFormatError(Problem("the file has no column of numbers", Place(path)))
    return table


# Text -------------------------------------------------------------------------------------------------------


def _content(path: Path) -> bytes:
    """Of a file, unpacked if its name says that it is packed."""
    content = read_bytes(path)
    if path.suffix.lower() != _PACKED:
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            unpacked = b"".join(islice(iter(lambda: stream.read(_PIECE), b""), _LARGEST_UNPACKED // _PIECE + 1))
    except (OSError, EOFError, zlib.error) as error:
        raise damaged_file(path, "gzip", error) from error
    if len(unpacked) > _LARGEST_UNPACKED:
        text = f"unpacked, the file is larger than {_LARGEST_UNPACKED // 2**20} MiB"
        raise FileFormatError(Problem(text, Place(path)))
    return unpacked


def _read_text(path: Path, *, nameless: bool = False) -> Table:
    content = _content(path)
    if b"\0" in content[:4096]:
        hint = "export the results as a table of text"
        raise FileFormatError(Problem("the file is binary, a table of text is needed", Place(path), hint=hint))
    text = content.decode("utf-8-sig", errors="replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    first = next((i for i, line in enumerate(lines) if _is_numbers(_cells(line))), None)
    if first is None:
        raise FileFormatError(Problem("the file has no row of numbers", Place(path)))
    width = len(_cells(lines[first]))
    heads = [i for i in range(first) if len(_cells(lines[i])) == width and not lines[i].startswith("#")]
    if not heads and nameless:
        names = [f"column_{i}" for i in range(1, width + 1)]
        return Table(path, dict(zip(names, _numbers(path, lines, first, names).T, strict=True)), {}, first + 1)
    if not heads:
        text = f"no line of {width} column names stands above the first row of {width} numbers"
        raise FileFormatError(Problem(text, Place(path, first + 1)))
    units: list[str] = []
    names = _cells(lines[heads[-1]])
    if len(heads) > 1 and heads[-1] == heads[-2] + 1 and _are_units(names):
        units, names = names, _cells(lines[heads[-2]])
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        text = f"columns occur more than once: {', '.join(twice)}"
        raise FileFormatError(Problem(text, Place(path, heads[-1] + 1)))
    values = _numbers(path, lines, first, names)
    given = {name: unit.strip("[]() ") for name, unit in zip(names, units, strict=False)}
    return Table(path, dict(zip(names, values.T, strict=True)), given, first + 1)


def _cells(line: str) -> list[str]:
    separator = next((mark for mark in _SEPARATORS if mark in line), None) if ";" not in line else ";"
    if separator is None:
        return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', line)]
    return [cell.strip().strip('"') for cell in next(csv.reader([line], delimiter=separator))]


def _is_numbers(cells: list[str]) -> bool:
    """Whether a row holds numbers in at least half of its cells, the first or the second among them."""
    numbers = [_number(cell) is not None for cell in cells]
    return len(cells) > 1 and any(numbers[:2]) and 2 * sum(numbers) >= len(numbers)


def _are_units(cells: list[str]) -> bool:
    return all(re.fullmatch(r"[\[(].*[\])]|[A-Za-z°%/*^²·\d.-]{0,8}", cell) for cell in cells) and any(
        re.fullmatch(r"[\[(].*[\])]|.*/.*|s|m|mm|N|deg|rad", cell) for cell in cells
    )


def _number(cell: str) -> float | None:
    try:
        return float(cell) if "_" not in cell else None
    except ValueError:
        pass
    try:
        return float(cell.replace(",", ".")) if cell.count(",") == 1 and "." not in cell else None
    except ValueError:
        return None


def _numbers(path: Path, lines: list[str], first: int, names: list[str]) -> Array:
    """Rows of numbers; columns of texts are kept as not a number, a text in a column of numbers is a fault."""
    start = _cells(lines[first])
    texts = {i for i, cell in enumerate(start) if cell and _number(cell) is None}
    rows = np.full((len(lines) - first, len(names)), np.nan)
    problems: list[Problem] = []
    separator = "," if "," in lines[first] and ";" not in lines[first] else None
    for i, line in enumerate(lines[first:]):
        quick = line.split(separator)
        if len(quick) == len(names) and "_" not in line:
            try:
                rows[i] = [float(cell) for cell in quick]
                continue
            except ValueError:  # a text, an empty cell or a decimal comma: cell by cell
                pass
        cells = _cells(line)
        if len(cells) != len(names):
            text = f"the line has {len(cells)} values, there are {len(names)} columns"
            problems.append(Problem(text, Place(path, first + i + 1)))
        else:
            for k, cell in enumerate(cells):
                value = _number(cell)
                if value is not None:
                    rows[i, k] = value
                elif cell and k not in texts:
                    text = f"'{cell}' in column '{names[k]}' is not a number"
                    problems.append(Problem(text, Place(path, first + i + 1, k + 1)))
        if len(problems) >= _MOST_PROBLEMS:
            break
    if problems:
        raise FileFormatError(problems)
    return rows


# MATLAB, Parquet, MDF ---------------------------------------------------------------------------------------


def _read_mat(path: Path) -> Table:
    content = load_matlab(path)
    columns: dict[str, Array] = {}
    units: dict[str, str] = {}
    for name, value in content.items():
        if not name.startswith("_"):
            _collect_mat(name, value, columns, units)
    return _equal_lengths(path, columns, units)


def _collect_mat(name: str, value: Any, columns: dict[str, Array], units: dict[str, str]) -> None:
    if hasattr(value, "_fieldnames"):
        for inner in value._fieldnames:
            item = getattr(value, inner)
            if name == "units" and isinstance(item, str):
                units[inner] = item
            else:
                _collect_mat(inner, item, columns, units)
    elif isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        columns[name] = value.astype(np.float64)


def _read_parquet(path: Path) -> Table:
    try:
        import pyarrow  # noqa: PLC0415 - optional
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("pyarrow", "data", "reading Parquet files") from None
    try:
        table = pyarrow.parquet.read_table(pyarrow.BufferReader(read_bytes(path)))
    except (pyarrow.ArrowException, OSError) as error:
        raise damaged_file(path, "Parquet", error) from error
    columns, units = {}, {}
    for item, values in zip(table.schema, table.columns, strict=True):
        if pyarrow.types.is_floating(item.type) or pyarrow.types.is_integer(item.type):
            columns[item.name] = values.cast(pyarrow.float64()).to_numpy()
            units[item.name] = (item.metadata or {}).get(b"unit", b"").decode(errors="replace")
    return _equal_lengths(path, columns, units)


def _read_mf4(path: Path) -> Table:
    with open_mf4(path) as file:
        channels = list(_mf4_channels(file))
    if not channels:
        raise FileFormatError(Problem("the file has no channel of numbers", Place(path)))
    base = channels[0].timestamps.astype(np.float64)
    columns, units = {"time": base}, {"time": "s"}
    for channel in channels:
        time = channel.timestamps.astype(np.float64)
        inside = (base >= time[0]) & (base <= time[-1])
        values = np.full(base.size, np.nan)
        values[inside] = np.interp(base[inside], time, channel.samples.astype(np.float64))
        columns.setdefault(channel.name, values)
        units.setdefault(channel.name, channel.unit or "")
    return Table(path, columns, units)


def _mf4_channels(file: Any) -> Iterator[Any]:
    places = [
        (None, group, index)
        for group, content in enumerate(file.groups)
        for index in range(len(content.channels))
        if index != file.masters_db.get(group)
    ]
    for channel in file.select(places):
        if channel.samples.dtype.kind in "biuf" and channel.samples.ndim == 1 and channel.samples.size:
            yield channel


def _equal_lengths(path: Path, columns: Mapping[str, Array], units: Mapping[str, str]) -> Table:
    """The columns of the most frequent length: a file may hold other vectors beside its table."""
    sizes = [values.size for values in columns.values() if values.size > 1]
    most = max(set(sizes), key=lambda size: (sizes.count(size), size), default=0)
    return Table(path, {name: values for name, values in columns.items() if values.size == most}, units)


_READERS: Mapping[str, Callable[[Path], Table]] = {
    ".csv": _read_text,
    ".txt": _read_text,
    ".tab": _read_text,
    ".req": _read_text,
    ".mat": _read_mat,
    ".parquet": _read_parquet,
    ".mf4": _read_mf4,
}

#: Suffixes of the tables that can be read.
TABLE_SUFFIXES: tuple[str, ...] = (*_READERS, ".csv.gz")

"""OpenCRG files: roads as curved regular grids, in text or binary.

A file begins with named blocks of text. ``$ROAD_CRG`` describes the line and the columns, ``$KD_Definition`` the data
and their format; behind a line of ``$$$$`` follow the data in records of 80 bytes: numbers of 10 or 20 characters
(LRFI, LDFI), or big-endian floats of 4 or 8 bytes (KRBI, KDBI). A row of text begins in a new record; binary rows
follow each other, and what is left of the last record is not a number. Headings and slopes belong to the segment that
ends at their row, so those of the first row count for nothing; banking belongs to the row.

Limits: options that say how a road goes on beyond its ends or is searched are not heeded: it goes on straight, as high.
Modifiers that scale a road are refused. Names of coordinate systems are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.files import read_bytes, write_atomically
from trackrod.road.surface import RoadSurface

__all__ = ["CRG_SUFFIX", "read_crg", "write_crg"]

Array = NDArray[np.float64]
Lines = NDArray[np.int64]

CRG_SUFFIX = ".crg"
#: Largest file that is read [byte].
_LARGEST = 2 << 30
_RECORD = 80
#: By the name of a format: characters or bytes of a number, and its type where it is binary.
_FORMATS: Mapping[str, tuple[int, str | None]] = {
    "LRFI": (10, None),
    "LDFI": (20, None),
    "KRBI": (4, ">f4"),
    "KDBI": (8, ">f8"),
}
_AT_V = re.compile(r"long section at v\s*=\s*(\S+)")
_NUMBERED = re.compile(r"long section (\d{1,6})")
#: Faults of one block that are told.
_MOST_PROBLEMS = 50
#: What may lie along the line, as the file calls it.
_HEADING, _SLOPE, _BANKING = "reference line phi", "reference line slope", "reference line banking"
#: Digits of a length that count [m].
_SAME = 1e-4


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a block."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Header:
    """What stands before the data.

    Attributes
    ----------
    blocks
        Lines by the name of their block, in capitals.
    numbers
        Of the block that describes the road, by name in capitals, with their lines.
    end, line
        Where the data begin [byte], and in which line.
    """

    blocks: Mapping[str, tuple[_Entry, ...]]
    numbers: Mapping[str, tuple[float, int]]
    end: int
    line: int

    def get(self, name: str) -> float | None:
        """A number of the road; None where it is not given."""
        found = self.numbers.get(name)
        return None if found is None else found[0]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Format and columns of the data: what lies along the line by name, and the v of each column of heights [m]."""

    format: str
    channels: int
    along: Mapping[str, int]
    sections: Array
    columns: tuple[int, ...]


def read_crg(path: Path | str) -> RoadSurface:
    """A road from an OpenCRG file; its line begins at the origin of its own axes, along x, at height zero.

    Raises
    ------
    FileFormatError
        The file breaks the format, is cut off, or has holes in the road; with file, line and what to do.
    InputError
        The road is none that can be driven on.
    """
    path = Path(path)
    data = read_bytes(path, _LARGEST)
    reader = _Reader(path, data)
    header = reader.header()
    layout = reader.layout(header)
    rows, lines = reader.rows(header, layout)
    return reader.road(header, layout, rows, lines)


def write_crg(road: RoadSurface, path: Path | str, *, binary: bool = False, comment: str = "") -> None:
    """Write a road as an OpenCRG file of double precision; friction, patches and approach have no place there.

    Parameters
    ----------
    road, path
        What, and where to.
    binary
        KDBI in place of LDFI.
    comment
        For people, in one line or several.
    """
    channels = [_HEADING, _SLOPE, _BANKING]
    units = ["rad", "m/m", "m/m"]
    names = [*channels, *(f"long section at v = {v:.6f}" for v in road.sections)]
    labels = [f"D:{name},{unit}" for name, unit in zip(names, [*units, *["m"] * road.sections.size], strict=True)]
    kind = "KDBI" if binary else "LDFI"
    head = [
        "$CT",
        *(comment or road.name).splitlines(),
        "$",
        "$ROAD_CRG",
        f"REFERENCE_LINE_START_U = {road.start_u:.9g}",
        f"REFERENCE_LINE_END_U = {road.end_u:.9g}",
        f"REFERENCE_LINE_INCREMENT = {road.increment:.9g}",
        f"REFERENCE_LINE_START_PHI = {road.headings[0]:.15g}",
        f"REFERENCE_LINE_END_PHI = {road.headings[-1]:.15g}",
        f"LONG_SECTION_V_RIGHT = {road.sections[0]:.9g}",
        f"LONG_SECTION_V_LEFT = {road.sections[-1]:.9g}",
        "$",
        "$KD_Definition",
        f"#:{kind}",
        f"U:reference line u,m,{road.start_u:.9g},{road.increment:.9g}",
        *labels,
        "$",
        "$" * _RECORD,
    ]
    slopes = np.diff(road.line_heights) / road.increment
    unused = np.full(1, np.nan)
    heights = road.heights.copy()
    if road.edges is not None:
        right, left = road.edges[:, :1], road.edges[:, 1:]
        heights[(road.sections < right - 1e-9) | (road.sections > left + 1e-9)] = np.nan
    table = np.column_stack(
        [np.concatenate((unused, road.headings)), np.concatenate((unused, slopes)), road.banking, heights]
    )
    text = ("\n".join(head) + "\n").encode("latin-1", "replace")
    write_atomically(path, text + (_as_binary(table) if binary else _as_text(table)))


def _as_binary(table: Array) -> bytes:
    count = _RECORD // 8
    values = np.concatenate((table.ravel(), np.full(-table.size % count, np.nan)))
    return values.astype(">f8").tobytes()


def _as_text(table: Array) -> bytes:
    lines = []
    for row in table:
        numbers = ["*missing***********".rjust(20) if np.isnan(x) else f"{x:20.12e}" for x in row]
        lines += ["".join(numbers[k : k + 4]) for k in range(0, len(numbers), 4)]
    return ("\n".join(lines) + "\n").encode("ascii")


def _number(text: str) -> float:
    """A number; not a number where it is none."""
    try:
        return float(text)
    except ValueError:
        return np.nan


class _Reader:
    """One file while it is read."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data

    def wrong(self, text: str, line: int | None = None, hint: str = "") -> FileFormatError:
        """The error to raise."""
        return FileFormatError(Problem(text, Place(self.path, line), hint=hint))

    def header(self) -> _Header:
        """The blocks before the data."""
        blocks: dict[str, list[_Entry]] = {}
        block: list[_Entry] | None = None
        for number, begin, text in self._lines():
            if text.startswith("$$$$"):
                end = self.data.index(b"\n", begin) + 1 if b"\n" in self.data[begin:] else len(self.data)
                found = {name: tuple(lines) for name, lines in blocks.items()}
                return _Header(found, self._numbers(found), end, number + 1)
            plain = text.split("!", 1)[0].strip()
            if text.startswith("$"):
                name = plain[1:].split()[0].upper() if plain[1:].split() else ""
                block = blocks.setdefault(name, []) if name else None
            elif block is not None and plain and not text.startswith("*"):
                block.append(_Entry(number, plain))
        raise self.wrong("the line '$$$$' that the data follow is missing", hint="is this an OpenCRG file?")

    def _lines(self) -> Iterator[tuple[int, int, str]]:
        """Number, beginning and text of each line of the header."""
        begin = number = 0
        while begin < len(self.data):
            end = self.data.find(b"\n", begin)
            end = len(self.data) if end < 0 else end
            number += 1
            yield number, begin, self.data[begin:end].decode("latin-1").rstrip("\r")
            begin = end + 1

    def _numbers(self, blocks: Mapping[str, tuple[_Entry, ...]]) -> dict[str, tuple[float, int]]:
        if "ROAD_CRG" not in blocks:
            found = ", ".join(f"${name}" for name in blocks) or "none"
            text = f"the block '$ROAD_CRG' is missing; there are: {found}"
            if "ROAD_CRG_FILE" in blocks:
                raise self.wrong(text, blocks["ROAD_CRG_FILE"][0].line, "give the file that this one refers to")
            raise self.wrong(text, hint="is this an OpenCRG file?")
        numbers = {}
        problems: list[Problem] = []
        for entry in blocks["ROAD_CRG"]:
            if len(problems) >= _MOST_PROBLEMS:
                break
            name, equals, value = entry.text.partition("=")
            number = _number(value) if equals else np.nan
            if np.isfinite(number):
                numbers[name.strip().upper()] = (number, entry.line)
            else:
                text = f"'{entry.text}' is no name with a finite number"
                problems.append(Problem(text, Place(self.path, entry.line)))
        for entry in blocks.get("ROAD_CRG_MODS", ()):
            name, _, value = entry.text.partition("=")
            if name.strip().upper().startswith("SCALE_") and value.strip() not in ("1", "1.0"):
                text = f"'{entry.text}' scales the road, which is not done here"
                problems.append(Problem(text, Place(self.path, entry.line), hint="apply the modifiers to the data"))
        if problems:
            raise FileFormatError(problems)
        return numbers

    def layout(self, header: _Header) -> _Layout:
        """Format and columns of the data."""
        entries = header.blocks.get("KD_DEFINITION")
        if entries is None:
            raise self.wrong("the block '$KD_Definition' that describes the data is missing")
        kind, channels, along = "KRBI", 0, {}
        at_v: dict[int, tuple[float, int]] = {}
        numbered: dict[int, tuple[int, int]] = {}
        for entry in entries:
            if entry.text.startswith("#:"):
                kind = entry.text[2:].strip().upper()
                if kind not in _FORMATS:
                    text = f"the format '{kind}' is not known; known are {', '.join(_FORMATS)}"
                    raise self.wrong(text, entry.line)
            if not entry.text.upper().startswith("D:"):
                continue
            name = " ".join(entry.text[2:].split(",", 1)[0].lower().split())
            if match := _AT_V.fullmatch(name.replace("= ", "=").replace("=", "= ")):
                if not np.isfinite(place := _number(match[1])):
                    raise self.wrong(f"'{match[1]}' is no distance from the line", entry.line)
                at_v[channels] = (place, entry.line)
            elif match := _NUMBERED.fullmatch(name):
                numbered[channels] = (int(match[1]), entry.line)
            elif name in (_HEADING, _SLOPE, _BANKING):
                along[name] = channels
            else:
                known = f"'{_HEADING}', '{_SLOPE}', '{_BANKING}' and long sections are"
                raise self.wrong(f"the channel '{name}' is not known; {known}", entry.line)
            channels += 1
        line = entries[0].line if entries else header.line
        found = self._sections(header, at_v, numbered, line)
        order = sorted(found, key=lambda column: found[column])
        v = np.array([found[column] for column in order])
        if v.size < 2 or not np.isfinite(v).all() or not (v[1:] > v[:-1]).all():
            text = f"the long sections lie at v = {', '.join(f'{x:g}' for x in v) or 'nowhere'} m"
            raise self.wrong(text, line, "two or more, each at a place of its own, are needed")
        return _Layout(kind, channels, along, v, tuple(order))

    def _sections(
        self,
        header: _Header,
        at_v: Mapping[int, tuple[float, int]],
        numbered: Mapping[int, tuple[int, int]],
        line: int,
    ) -> dict[int, float]:
        """Place of each column of heights to the left of the line [m]."""
        if not numbered:
            return {column: v for column, (v, _) in at_v.items()}
        if at_v:
            text = "long sections are given by their place and by their number"
            raise self.wrong(text, next(iter(numbered.values()))[1], "one of both is needed")
        count = len(numbered)
        right, left = header.get("LONG_SECTION_V_RIGHT"), header.get("LONG_SECTION_V_LEFT")
        step = header.get("LONG_SECTION_V_INCREMENT")
        if step is None:
            if right is None or left is None or count < 2:
                text = "nothing says where the long sections lie"
                raise self.wrong(text, line, "LONG_SECTION_V_INCREMENT, or _V_RIGHT and _V_LEFT, are needed")
            step = (left - right) / (count - 1)
        if right is None:
            right = -0.5 * step * (count - 1) if left is None else left - step * (count - 1)
        return {column: right + step * (k - 1) for column, (k, _) in numbered.items()}

    def rows(self, header: _Header, layout: _Layout) -> tuple[Array, Lines | None]:
        """The data, a row for each u, and the line that each begins in; None where they are binary."""
        width, binary = _FORMATS[layout.format]
        expected = self._expected(header)
        rows, lines = self._text(header, layout, width) if binary is None else self._binary(header, layout, binary)
        if expected is not None and len(rows) < expected:
            last = header.line if lines is None or not lines.size else int(lines[-1])
            text = f"the file is cut off: it has {len(rows)} of {expected} rows"
            raise self.wrong(text, last, "is REFERENCE_LINE_END_U right?")
        if len(rows) < 2:
            raise self.wrong(f"the road has {len(rows)} rows of data, two or more are needed", header.line)
        count = expected if expected is not None else len(rows)
        return rows[:count], None if lines is None else lines[:count]

    def _expected(self, header: _Header) -> int | None:
        """How many rows the header says; None where it does not."""
        step = header.get("REFERENCE_LINE_INCREMENT")
        if step is None or not 1e-4 <= step <= 1e3:
            line = header.numbers.get("REFERENCE_LINE_INCREMENT", (0.0, None))[1]
            text = "is missing" if step is None else f"is {step:g} m"
            raise self.wrong(f"REFERENCE_LINE_INCREMENT {text}", line, "0.0001 to 1000 m are needed")
        end = header.get("REFERENCE_LINE_END_U")
        if end is None:
            return None
        start, line = header.get("REFERENCE_LINE_START_U") or 0.0, header.numbers["REFERENCE_LINE_END_U"][1]
        parts = (end - start) / step
        if parts < 0.5 or abs(parts - round(parts)) > 0.01:
            text = f"from u = {start:g} to {end:g} m there is no whole number of rows {step:g} m apart"
            raise self.wrong(text, line)
        return round(parts) + 1

    def _binary(self, header: _Header, layout: _Layout, kind: str) -> tuple[Array, None]:
        payload = self.data[header.end :]
        left = len(payload) % _RECORD
        if left:
            text = f"the file is cut off: its data are {len(payload)} bytes long, no whole number of {_RECORD}"
            raise self.wrong(text, header.line, "was it copied as text?")
        values = np.frombuffer(payload, dtype=kind).astype(float)
        rows = values[: values.size // layout.channels * layout.channels].reshape(-1, layout.channels)
        spare = _RECORD // int(kind[-1])  # numbers of the last record, which is filled up
        while len(rows) and rows.size > values.size - spare and np.isnan(rows[-1]).all():
            rows = rows[:-1]
        return rows, None

    def _text(self, header: _Header, layout: _Layout, width: int) -> tuple[Array, Lines]:
        per_record = _RECORD // width
        records = -(-layout.channels // per_record)
        texts = [line.rstrip(b"\r") for line in self.data[header.end :].split(b"\n")]
        while texts and not texts[-1].strip():
            texts.pop()
        if len(texts) % records:
            begin = header.line + len(texts) // records * records
            text = f"the file is cut off: the row that begins here has {len(texts) % records} of {records} records"
            raise self.wrong(text, begin)
        lines: Lines = header.line + records * np.arange(len(texts) // records, dtype=np.int64)
        padded = np.frombuffer(b"".join(text[:_RECORD].ljust(_RECORD) for text in texts), dtype=f"S{width}")
        numbers = np.char.strip(padded.reshape(-1, records * per_record)[:, : layout.channels])
        try:  # all at once; where one is wrong, the first such is looked for
            return np.asarray(np.where(np.char.startswith(numbers, b"*"), b"nan", numbers), dtype=np.float64), lines
        except ValueError:
            pass
        rows = np.empty((lines.size, layout.channels))
        for i in range(len(rows)):
            for k in range(records):
                number, record = header.line + i * records + k, texts[i * records + k]
                count = min(per_record, layout.channels - k * per_record)
                rows[i, k * per_record : k * per_record + count] = self._record(record, width, count, number)
        return rows, lines

    def _record(self, record: bytes, width: int, count: int, line: int) -> list[float]:
        found = []
        for k in range(count):
            text = record[k * width : (k + 1) * width].strip()
            if text.startswith(b"*"):
                found.append(np.nan)
                continue
            try:
                found.append(float(text))
            except ValueError:
                shown = text.decode("latin-1") or "nothing"
                place = f"from column {k * width + 1} on"
                raise self.wrong(f"'{shown}' is no number, {place}", line, f"each has {width} characters") from None
        return found

    def road(self, header: _Header, layout: _Layout, rows: Array, lines: Lines | None) -> RoadSurface:
        """The road that the data are."""
        count = len(rows)
        step = header.get("REFERENCE_LINE_INCREMENT") or 1.0
        start = header.get("REFERENCE_LINE_START_U") or 0.0

        def line_of(row: int) -> int:
            return header.line if lines is None else int(lines[row])

        def column(name: str, constant: str, first: int) -> Array:
            if name not in layout.along:
                return np.full(count - first, header.get(constant) or 0.0)
            values = rows[first:, layout.along[name]]
            wrong = np.flatnonzero(~np.isfinite(values))
            if wrong.size:
                row = int(wrong[0]) + first
                where = f"at u = {start + row * step:g} m"
                raise self.wrong(f"the {name} is missing {where}", line_of(row), "it is needed along the whole road")
            return np.ascontiguousarray(values)

        headings = column(_HEADING, "REFERENCE_LINE_START_PHI", 1)
        slopes = column(_SLOPE, "REFERENCE_LINE_START_S", 1)
        banking = column(_BANKING, "REFERENCE_LINE_START_B", 0)
        heights, edges = self._filled(rows[:, layout.columns], layout.sections, start, step, line_of)
        return RoadSurface(
            self.path.stem,
            start,
            step,
            headings - headings[0],
            np.concatenate(([0.0], np.cumsum(slopes * step))),
            banking,
            layout.sections,
            heights,
            edges=edges,
            source=self.path,
        )

    def _filled(
        self, heights: Array, sections: Array, start: float, step: float, line_of: Callable[[int], int]
    ) -> tuple[Array, Array | None]:
        """Heights with those at the edges held beyond them, and where the edges are; None where nothing is missing."""
        there = np.isfinite(heights)
        if there.all():
            return np.ascontiguousarray(heights), None
        last = sections.size - 1
        first_there, last_there = there.argmax(axis=1), last - there[:, ::-1].argmax(axis=1)
        bare = np.flatnonzero(~there.any(axis=1))
        inner = (np.arange(last + 1) >= first_there[:, None]) & (np.arange(last + 1) <= last_there[:, None])
        holes = np.argwhere(inner & ~there)
        if bare.size:
            row = int(bare[0])
            text = f"there is no road at u = {start + row * step:g} m: all heights of the row are missing"
            raise self.wrong(text, line_of(row), f"{bare.size} such rows; fill them in")
        if holes.size:
            row, k = (int(i) for i in holes[0])
            text = f"the road has a hole at u = {start + row * step:g} m, v = {sections[k]:g} m"
            raise self.wrong(text, line_of(row), f"{len(holes)} heights are missing between others; fill them in")
        reached = np.clip(np.arange(last + 1), first_there[:, None], last_there[:, None])
        filled = np.take_along_axis(heights, reached, axis=1)
        return np.ascontiguousarray(filled), np.column_stack((sections[first_there], sections[last_there]))

"""TYDEX files: measurements of a tyre as tables, with what was constant, and the axis system of every channel.

Columns of the file: a key of 10 characters, a comment of 30, a unit of 10, then the value; of a channel in its place
factor and two offsets: value = factor · (number + offset 1) + offset 2. The last letter of forces and moments is their
axis system: C (at the wheel carrier), H (at the hub, horizontal), W (at the road, in the wheel plane). Nothing is
turned from one into another. A file may hold several tables, each with channels of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, Place, Problem, UnitError
from trackrod.core.files import read_bytes
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.teimorbit.messages import shown
from trackrod.core.written_units import factor_of

__all__ = ["AxisSystem", "Channel", "TydexFile", "TydexTable", "read_tydex"]

Array = NDArray[np.float64]

_LARGEST_FILE = 32 * 2**20
_KEY, _COMMENT, _UNIT, _VALUE = slice(0, 10), slice(10, 40), slice(40, 50), slice(50, None)
_FORCE = re.compile(r"(F|M)[XYZ]([CHW])\Z")
_OTHERS = {
    "SLIPANGL": "angle",
    "INCLANGL": "angle",
    "LONGSLIP": "number",
    "TRAJVELH": "velocity",
    "LONGVEL": "velocity",
    "WHROTSPD": "angular_velocity",
    "INFLPRES": "pressure",
    "RUNTIME": "time",
    "MEASNUMB": "count",
}
#: Words for units that only TYDEX has.
_UNITS = {"deg c": "", "grad": "deg", "1/min": "rpm"}


class AxisSystem(StrEnum):
    """Where forces and moments act and along which axes, after TYDEX."""

    CARRIER = "C"
    HUB = "H"
    ROAD = "W"


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A column.

    Attributes
    ----------
    name
        Key of the file.
    comment
        As the file says it.
    kind
        Quantity; None for a channel that is not known here, whose numbers are then in the unit of the file.
    unit
        Of the file.
    axes
        Of forces and moments, None of others.
    values
        [SI unit of the kind]
    """

    name: str
    comment: str
    kind: Kind | None
    unit: str
    axes: AxisSystem | None
    values: Array


@dataclass(frozen=True, slots=True, eq=False)
class TydexTable:
    """Channels that were measured together, by name."""

    channels: Mapping[str, Channel]
    place: Place

    @property
    def points(self) -> int:
        """How many were measured."""
        return int(next(iter(self.channels.values())).values.size)

    @property
    def axes(self) -> tuple[AxisSystem, ...]:
        """Axis systems of its forces and moments."""
        return tuple(dict.fromkeys(item.axes for item in self.channels.values() if item.axes is not None))


@dataclass(frozen=True, slots=True, eq=False)
class TydexFile:
    """What a file holds.

    Attributes
    ----------
    path
        Where it was read.
    header, constants, parameters
        Texts by key, as they stand there; those of constants and parameters with the unit behind.
    tables
        Measurements.
    """

    path: Path
    header: Mapping[str, str]
    constants: Mapping[str, str]
    parameters: Mapping[str, str]
    tables: tuple[TydexTable, ...]


@dataclass(slots=True)
class _Block:
    name: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)


def read_tydex(path: Path) -> TydexFile:
    """Read a TYDEX file.

    Raises
    ------
    MissingFileError, FileFormatError
        No such file; it is not TYDEX, or something in it is wrong.
    """
    content = read_bytes(path, _LARGEST_FILE)
    if b"\0" in content:
        raise FileFormatError(Problem("the file is binary, TYDEX is text", Place(path)))
    blocks = list(_blocks(path, content.decode("utf-8-sig", errors="replace")))
    texts: dict[str, dict[str, str]] = {"HEADER": {}, "CONSTANTS": {}, "MODELPARAMETERS": {}}
    tables = []
    channels: _Block | None = None
    for block in blocks:
        if block.name in texts:
            for _, line in block.lines:
                value = f"{line[_VALUE].strip()} {line[_UNIT].strip()}".strip()
                texts[block.name].setdefault(line[_KEY].strip(), value)
        elif block.name == "MEASURCHANNELS":
            channels = block
        elif block.name == "MEASURDATA":
            if channels is None:
                text = "'**MEASURDATA' has no '**MEASURCHANNELS' before it: which channels are its columns?"
                raise FileFormatError(Problem(text, Place(path, block.line)))
            tables.append(_table(path, channels, block))
    if not tables:
        raise FileFormatError(Problem("the file has no '**MEASURDATA'", Place(path)))
    return TydexFile(path, texts["HEADER"], texts["CONSTANTS"], texts["MODELPARAMETERS"], tuple(tables))


def _blocks(path: Path, text: str) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):
        if line.lstrip().startswith("**"):
            if block is not None:
                yield block
            block = _Block(line.strip()[2:].strip().upper(), number)
        elif line.strip() and not line.startswith("!"):
            if block is None:
                hint = "a TYDEX file begins with '**HEADER'"
                raise FileFormatError(Problem(f"'{shown(line)}' is not in a block", Place(path, number), hint=hint))
            block.lines.append((number, line))
    if block is not None:
        yield block


def _table(path: Path, described: _Block, data: _Block) -> TydexTable:
    rows = []
    width = len(described.lines)
    for number, line in data.lines:
        words = line.split()
        if len(words) != width:
            text = f"the line has {len(words)} values, there are {width} channels"
            raise FileFormatError(Problem(text, Place(path, number)))
        rows.append([_number(word, Place(path, number)) for word in words])
    if not rows or not width:
        raise FileFormatError(Problem("'**MEASURDATA' has no numbers", Place(path, data.line)))
    found: dict[str, Channel] = {}
    for (number, line), column in zip(described.lines, np.array(rows).T, strict=True):
        item = _channel(line, column, Place(path, number))
        if item.name in found:
            raise FileFormatError(Problem(f"channel '{shown(item.name)}' occurs twice", Place(path, number)))
        found[item.name] = item
    return TydexTable(found, Place(path, data.line))


def _channel(line: str, column: Array, place: Place) -> Channel:
    name, unit = line[_KEY].strip(), line[_UNIT].strip()
    rest = [_number(word, place) for word in line[_VALUE].split()]
    scale, first, second = [*rest, *(1.0, 0.0, 0.0)[len(rest) :]][:3]
    force = _FORCE.match(name)
    kind = KINDS["force" if force[1] == "F" else "torque"] if force else KINDS.get(_OTHERS.get(name, ""))
    factor = 1.0
    if kind is not None:
        try:
            factor = factor_of(_UNITS.get(unit.casefold(), unit), kind, place)
        except UnitError as error:
            problem = error.problems[0]
            raise FileFormatError(Problem(f"channel '{name}': {shown(problem.text)}", place)) from error
    values = factor * (scale * (column + first) + second)
    return Channel(name, line[_COMMENT].strip(), kind, unit, AxisSystem(force[2]) if force else None, values)


def _number(word: str, place: Place) -> float:
    try:
        number = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        number = math.nan
    if not abs(number) <= 1e30:
        raise FileFormatError(Problem(f"'{shown(word)}' is not a number", place))
    return number

"""From the blocks and tables of subsystems and assemblies to numbers in SI units; what is wrong is collected.

The frames of parts and bushings that depend on hardpoints stand only in comments (``$   ZP vector = …``): Adams writes
them as a snapshot and computes them anew from the template.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trackrod.adams.database import FileReference
from trackrod.adams.elements import Axes, Element, Hardpoint, Inertia, Parameter, Symmetry, Vector
from trackrod.core import teimorbit
from trackrod.core.errors import FileFormatError, Place, Problem, Severity, UnitError
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.teimorbit.literals import number_or_word
from trackrod.core.teimorbit.messages import shown
from trackrod.core.units import UnitSystem

__all__ = [
    "BlockReader",
    "FileLog",
    "base_units",
    "check_unique",
    "note_unknown_blocks",
    "read_hardpoints",
    "read_parameters",
]

_FRAME_COMMENT = re.compile(r"(X\s*,\s*Y\s*,\s*Z location|ZP vector|XP vector)\s*=(.*)", re.IGNORECASE)
_ORTHOGONAL = 1e-6  # files give ten digits
_DEGENERATE = 1e-3


def base_units(document: teimorbit.Document, problems: list[Problem]) -> UnitSystem:
    """Units of the file; if they are wrong the errors are added to `problems` and SI stands in."""
    try:
        return document.units()
    except UnitError as error:
        problems += error.problems
        return UnitSystem()


def note_unknown_blocks(blocks: Sequence[teimorbit.Block], problems: list[Problem]) -> None:
    """A note for each name among blocks that are kept but not understood, at the first of them."""
    names: dict[str, list[teimorbit.Block]] = {}
    for block in blocks:
        names.setdefault(block.name.upper(), []).append(block)
    for name, same in names.items():
        times = f" ({len(same)} of them)" if len(same) > 1 else ""
        problems.append(Problem(f"the block [{shown(name)}] is not read{times}", same[0].place, Severity.NOTE))


def read_hardpoints(document: teimorbit.Document, units: UnitSystem, problems: list[Problem]) -> tuple[Hardpoint, ...]:
    """The rows of every [HARDPOINT]; what is wrong is added to `problems`."""
    columns = ("hardpoint_name", "symmetry", "x_value", "y_value", "z_value")
    found = []
    for row, cells in _rows(document, "HARDPOINT", columns, problems):
        if len(row.values) > len(columns):
            problems.append(Problem(f"a hardpoint has {len(row.values)} values, five are needed", row.place))
            continue
        name, symmetry = str(cells[0]), _symmetry(str(cells[1]), row.place, problems)
        wrong = [shown(str(cell)) for cell in cells[2:] if isinstance(cell, str) or not math.isfinite(cell)]
        if wrong:
            text = f"the hardpoint '{shown(name)}' has {', '.join(wrong)}, where finite numbers are needed"
            problems.append(Problem(text, row.place))
            continue
        x, y, z = (_to_si(float(cell), KINDS["length"], units, f"'{name}'", row.place, problems) for cell in cells[2:])
        found.append(Hardpoint(name=name, symmetry=symmetry, position=(x, y, z), place=row.place))
    check_unique("[HARDPOINT]", found, problems)
    return tuple(found)


def read_parameters(document: teimorbit.Document, units: UnitSystem, problems: list[Problem]) -> tuple[Parameter, ...]:
    """The rows of every [PARAMETER]; what is wrong is added to `problems`.

    A row of a single text is the comment of the parameter above it.
    """
    columns = ("parameter_name", "symmetry", "type", "value")
    found: list[Parameter] = []
    comments: list[list[str]] = []
    for row, cells in _rows(document, "PARAMETER", columns, problems, comments=True):
        if len(row.values) == 1:
            if comments:
                comments[-1].append(str(cells[0]))
            continue
        name, type_ = str(cells[0]), str(cells[2]).casefold()
        values = (cells[3], *row.values[len(columns) :])
        wrong = _wrong_values(type_, values)
        if wrong:
            problems.append(Problem(f"the parameter '{shown(name)}' {wrong}", row.place))
            continue
        raw = document.lines[(row.place.line or 1) - 1].strip()
        symmetry = _symmetry(str(cells[1]), row.place, problems)
        found.append(
            Parameter(name=name, symmetry=symmetry, place=row.place, type=type_, values=values, raw=raw, units=units)
        )
        comments.append([])
    check_unique("[PARAMETER]", found, problems)
    return tuple(replace(one, comment=" ".join(lines)) for one, lines in zip(found, comments, strict=True))


def _wrong_values(type_: str, values: Sequence[float | int | str]) -> str:
    """What is wrong with the values of a parameter of this type; empty if nothing is."""
    listed = shown(", ".join(str(value) for value in values))
    if type_ not in ("real", "integer", "string"):
        return f"has the type '{shown(type_)}'; real, integer and string are allowed"
    if type_ == "string":
        return "" if all(isinstance(value, str) for value in values) else f"= {listed} is not text in quotes"
    if any(isinstance(value, str) or not math.isfinite(value) for value in values):
        return f"= {listed} is not a finite number"
    if type_ == "integer" and any(float(value) != int(value) for value in values):
        return f"= {listed} is not a whole number"
    return ""


def _rows(
    document: teimorbit.Document,
    block_name: str,
    columns: Sequence[str],
    problems: list[Problem],
    *,
    comments: bool = False,
) -> Iterator[tuple[teimorbit.Row, list[float | int | str]]]:
    """Rows of the tables of all blocks of a name, with the cells of `columns` in this order.

    With `comments` a row of one text is given too, its text as the only cell.
    """
    for block in document.all_blocks(block_name):
        _note_subblocks(block, problems)
        for table in block.tables:
            names = [name.casefold() for name in table.columns] or list(columns)
            missing = [column for column in columns if column not in names]
            if missing:
                text = f"the table of [{block_name}] has no column {', '.join(missing)}"
                problems.append(Problem(text, table.place, hint=f"it must have {', '.join(columns)}"))
                continue
            order = [names.index(column) for column in columns]
            for row in table.rows:
                if comments and len(row.values) == 1 and isinstance(row.values[0], str):
                    yield row, [row.values[0]]
                elif len(row.values) <= max(order):
                    text = f"a row of [{block_name}] has {len(row.values)} values, {len(columns)} are needed"
                    problems.append(Problem(text, row.place, hint=", ".join(columns)))
                else:
                    yield row, [row.values[index] for index in order]


def _note_subblocks(block: teimorbit.Block, problems: list[Problem]) -> None:
    for subblock in block.subblocks:
        if subblock.name.upper() != "COMMENTS":
            text = f"({shown(subblock.name)}) in [{block.name}] is not read"
            problems.append(Problem(text, subblock.place, Severity.NOTE))


def _symmetry(word: str, place: Place, problems: list[Problem]) -> Symmetry:
    try:
        return Symmetry(word.strip().casefold())
    except ValueError:
        allowed = ", ".join(f"'{symmetry}'" for symmetry in Symmetry)
        problems.append(Problem(f"'{shown(word)}' is not a symmetry", place, hint=f"allowed: {allowed}"))
        return Symmetry.SINGLE


def _to_si(value: float, kind: Kind, units: UnitSystem, what: str, place: Place, problems: list[Problem]) -> float:
    si = units.to_si(value, kind)
    if not kind.admits(si):
        hint = f"from {kind.low:g} to {kind.high:g} {kind.unit} is allowed"
        problems.append(Problem(f"{shown(what)} has {value:g}, not a possible {kind.meaning}", place, hint=hint))
    return si


def check_unique(what: str, records: Sequence[Element], problems: list[Problem]) -> None:
    """An error for every record that speaks of an object that an earlier one described."""
    earlier: dict[str, dict[Symmetry, Element]] = {}
    for record in records:
        same = earlier.setdefault(record.name.casefold(), {})
        clash = next((other for other in same.values() if other.symmetry.overlaps(record.symmetry)), None)
        if clash is not None:
            text = f"{what} '{shown(record.name)}' ({record.symmetry}) is given on line {clash.place.line} already"
            problems.append(Problem(text, record.place))
        same.setdefault(record.symmetry, record)


class FileLog:
    """What is wrong or worth knowing in one file, and the units its numbers have."""

    def __init__(self, units: UnitSystem, problems: list[Problem]) -> None:
        self.units = units
        self.problems = problems
        self.defaults: dict[str, dict[str, float]] = {}
        self.unused: dict[str, dict[str, None]] = {}

    def finish(self, file: Path) -> None:
        """One note for each kind of block with defaults, and one with keys that mean nothing here."""
        for name, values in self.defaults.items():
            taken = ", ".join(f"{key} = {value:g}" for key, value in values.items())
            self._note(f"not in every [{name}], default taken: {taken}", file)
        for name, keys in self.unused.items():
            self._note(f"keys of [{name}] that are not read: {', '.join(shown(key) for key in keys)}", file)

    def _note(self, text: str, file: Path) -> None:
        self.problems.append(Problem(text, Place(file), Severity.NOTE))


class BlockReader:
    """Turns the attributes of one block into numbers and collects what is wrong with them.

    After an error a stand-in is returned, which nobody sees: the file is refused in the end.
    """

    def __init__(self, block: teimorbit.Block, log: FileLog) -> None:
        self.block = block
        self.log = log
        self.used: set[str] = set()
        self.name = self.text("USAGE")
        self.symmetry = _symmetry(self.text("SYMMETRY", "single"), self._place("SYMMETRY"), log.problems)
        if not self.has("SYMMETRY"):
            text = f"SYMMETRY is missing from {self.title}"
            self.record(text, block.place, Severity.WARNING, "'single' is taken")

    def _place(self, key: str) -> Place:
        attribute = self.block.get(key)
        return self.block.place if attribute is None else attribute.place

    def record(self, text: str, place: Place, severity: Severity = Severity.ERROR, hint: str = "") -> None:
        """Record a problem."""
        self.log.problems.append(Problem(text, place, severity, hint))

    @property
    def title(self) -> str:
        """Block and name, for messages."""
        return f"[{self.block.name}] '{shown(self.name)}'"

    def has(self, key: str) -> bool:
        """Whether the attribute is there."""
        return self.block.get(key) is not None

    def find(self, key: str) -> teimorbit.Attribute | None:
        """The attribute, which counts as read from now on."""
        self.used.add(key)
        return self.block.get(key)

    def missing(self, key: str) -> None:
        """Record that a key that is needed is not there."""
        name = f" '{shown(self.name)}'" if key != "USAGE" else ""
        self.record(f"{key} is missing from [{self.block.name}]{name}", self.block.place)

    def text(self, key: str, default: str | None = None) -> str:
        """The value as text; without a default the key must be there."""
        attribute = self.find(key)
        if attribute is not None and attribute.value is not None:
            return attribute.string()
        if default is None:
            self.missing(key)
        return default or ""

    def number(self, key: str, kind: str = "number", default: float | None = None) -> float:
        """The value in SI units; without a default the key must be there."""
        attribute = self.find(key)
        if attribute is None:
            if default is None:
                self.missing(key)
                return 0.0
            self.log.defaults.setdefault(self.block.name, {})[key] = default
            return default
        try:
            value = attribute.number()
        except FileFormatError as error:
            self.log.problems += error.problems
            return 0.0
        return _to_si(value, KINDS[kind], self.log.units, key, attribute.place, self.log.problems)

    def triple(self, keys: Sequence[str], kind: str = "number", default: float | None = None) -> Vector:
        """Three numbers, as `number`."""
        x, y, z = (self.number(key, kind, default) for key in keys)
        return x, y, z

    def not_negative(self, key: str, kind: str) -> float:
        """As `number`, and zero or more."""
        value = self.number(key, kind)
        if value < 0:
            self.record(f"{key} of {self.title} must not be negative", self._place(key))
        return value

    def whole(self, key: str) -> int:
        """A whole number."""
        value = self.number(key)
        if value != int(value):
            self.record(f"{key} of {self.title} must be a whole number", self._place(key))
        return int(value)

    def flag(self, key: str) -> bool:
        """Yes or no, as a word or as 1 or 0."""
        word = self.text(key).casefold()
        if word not in ("", "yes", "no", "on", "off", "true", "false", "1", "0"):
            self.record(f"{key} = '{shown(word)}' is neither yes nor no", self._place(key))
        return word in ("yes", "on", "true", "1")

    def sprung_fraction(self, default: float) -> float:
        """SPRUNG_PERCENTAGE as a fraction, 0 to 1."""
        percent = self.number("SPRUNG_PERCENTAGE", default=100.0 * default)
        if not 0.0 <= percent <= 100.0:
            text = f"SPRUNG_PERCENTAGE of {self.title} is {percent:g}"
            self.record(text, self._place("SPRUNG_PERCENTAGE"), hint="from 0 to 100 is allowed")
        return percent / 100.0

    def inertia(self) -> Inertia:
        """The six moments, or three where the file has no products."""
        xx, yy, zz = (self.not_negative(key, "inertia") for key in ("IXX", "IYY", "IZZ"))
        if not any(self.has(key) for key in ("IXY", "IZX", "IYZ")):  # a wheel has none
            return Inertia(xx, yy, zz)
        return Inertia(xx, yy, zz, *self.triple(("IXY", "IZX", "IYZ"), "inertia", 0.0))

    def property_file(self) -> FileReference | None:
        """PROPERTY_FILE, or the first entry of PROPERTY_FILE_LIST as newer releases write it."""
        single, several = self.find("PROPERTY_FILE"), self.find("PROPERTY_FILE_LIST")
        attribute = single if single is not None else several
        entries: list[str] = []
        try:
            texts = attribute.strings() if attribute is not None and attribute.value is not None else ()
        except FileFormatError as error:
            self.log.problems += error.problems
            return None
        for text in texts:  # a whole list may also stand in one pair of quotes
            entries += [text] if attribute is single else text.split(",")
        entries = [entry.strip() for entry in entries if entry.strip()]
        if attribute is None or not entries:
            place = self.block.place if attribute is None else attribute.place
            self.record(f"{self.title} names no property file", place, Severity.WARNING)
            return None
        if len(entries) > 1:
            text = f"{self.title} lists {len(entries)} property files, the first is taken"
            self.record(text, attribute.place, Severity.NOTE)
        return FileReference(entries[0], attribute.place)

    def location(self) -> tuple[Vector | None, bool]:
        """Origin of the part's frame [m] and whether it comes from a comment."""
        keys = ("PART_LOC_X", "PART_LOC_Y", "PART_LOC_Z")
        comment = self._frame_comment("x,y,z location")
        if any(self.has(key) for key in keys):
            return self.triple(keys, "length"), False
        if comment is None:
            self.record(f"the location of {self.title} is not given", self.block.place, Severity.WARNING)
            return None, True
        values, place = comment
        x, y, z = (
            _to_si(value, KINDS["length"], self.log.units, self.name, place, self.log.problems) for value in values
        )
        return (x, y, z), True

    def axes(self, prefix: str) -> Axes | None:
        """Directions of the frame, from the keys that begin with `prefix` or from comments."""
        z_keys, x_keys = ([f"{prefix}_{axis}{index}" for index in (1, 2, 3)] for axis in ("ZP", "XP"))
        z_comment, x_comment = self._frame_comment("zp vector"), self._frame_comment("xp vector")
        if any(self.has(key) for key in (*z_keys, *x_keys)):
            place = self._place(z_keys[0])
            axes = Axes(self.triple(z_keys), self.triple(x_keys))
        elif z_comment is not None and x_comment is not None:
            place = z_comment[1]
            axes = Axes(z_comment[0], x_comment[0], dependent=True)
        else:
            self.record(f"the orientation of {self.title} is not given", self.block.place, Severity.WARNING)
            return None
        lengths = math.hypot(*axes.z), math.hypot(*axes.x)
        skew = sum(a * b for a, b in zip(axes.z, axes.x, strict=True))
        if not all(abs(length - 1) < _DEGENERATE for length in lengths) or not abs(skew) < _DEGENERATE:
            text = f"ZP and XP of {self.title} are not unit vectors normal to each other"
            self.record(text, place, hint=f"lengths {lengths[0]:.4g} and {lengths[1]:.4g}, scalar product {skew:.4g}")
        elif abs(skew) > _ORTHOGONAL:
            text = f"ZP and XP of {self.title} are not quite normal to each other: scalar product {skew:.2g}"
            self.record(text, place, Severity.WARNING)
        return axes

    def _frame_comment(self, wanted: str) -> tuple[Vector, Place] | None:
        """Three numbers that Adams wrote into a comment, such as ``ZP vector = 0.0,  -1.0,  0.0``."""
        for comment in self.block.comments:
            match = _FRAME_COMMENT.match(comment.text)
            if match is None or "".join(match[1].split()).casefold() != "".join(wanted.split()):
                continue
            values = [number_or_word(word.strip()) for word in match[2].split(",")]
            numbers = [float(value) for value in values if not isinstance(value, str) and math.isfinite(value)]
            if len(values) == len(numbers) == 3:
                return (numbers[0], numbers[1], numbers[2]), comment.place
            text = f"the comment '{shown(comment.text, 80)}' of {self.title} must give three numbers"
            self.record(text, comment.place)
            return (0.0, 0.0, 0.0), comment.place
        return None

    def finish(self) -> None:
        """Remember the keys that nobody asked for."""
        used = {key.casefold() for key in self.used}
        for attribute in self.block.attributes:
            if attribute.name.casefold() not in used:
                self.log.unused.setdefault(self.block.name.upper(), {})[attribute.name.upper()] = None
        _note_subblocks(self.block, self.log.problems)

"""Reader and writer of TeimOrbit text, the format of Adams property, subsystem and assembly files.

::

    $ comment                         a line that starts with $ or !
    [BLOCK]                           blocks may repeat
     KEY          =  'text'           attribute; $, or ! after a blank, starts a comment
     key <unit>   =  1.5,2.5          with a unit, with a list of numbers
    {column  other <unit>}            table of the block, rows below
     1.0     2.0
    (SUBBLOCK)                        child of the block, with attributes and tables of its own

A document keeps every line as it stands in the file, so that writing it again gives the same bytes; what was
understood of the lines (blocks, attributes, tables, comments) lies beside them, each piece with its place.

Names are compared without regard to case. Strings are blank-padded in files and stripped here. Blanks and
commas separate values alike, so the row ``'shift'  'real'  60.0,90.0`` has four values.

Holds: ``parse(text).text() == text`` for every text that parses; ``parse(compose(blocks)).blocks`` has the
values of ``blocks``; reading takes time proportional to the length of the text.

Limits: a document can change the value of an attribute, not a table; the meaning of blocks, the references to
other files and the Adams/View commands inside a template are not read here.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import (
    FileFormatError,
    InputError,
    Place,
    Problem,
    Severity,
    UnitError,
    UnknownNameError,
    raise_if_errors,
)
from trackrod.core.files import read_bytes, write_atomically
from trackrod.core.quantities import KINDS, Dimension, Kind
from trackrod.core.units import UNIT_WORDS, UnitSystem, unit_factor

__all__ = [
    "Attribute",
    "Block",
    "Comment",
    "Document",
    "Row",
    "Section",
    "SubBlock",
    "Table",
    "UserUnits",
    "Value",
    "compose",
    "parse",
    "read",
    "read_header",
]

#: What stands behind ``KEY =``: a number, a text, a list of numbers, or nothing.
Value: TypeAlias = float | int | str | tuple[float, ...] | None

_Named = TypeVar("_Named", bound="Attribute | Section")

_BASE_UNITS = ("length", "force", "angle", "mass", "time")
_BYTE_ORDER_MARK = "\ufeff"
_BLANK = _BYTE_ORDER_MARK + " \t\r\n"
_INTEGER_DIGITS = 18  # longer digit strings are read as floating point
_PROBLEMS_SHOWN = 50  # a garbled file would otherwise fill the screen
_HEADER_BYTES = 65536  # a template header has about twenty lines; megabytes of other data follow

# Matching takes linear time: no pattern has two parts that can share out the same characters in several ways.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
_TOKEN = re.compile(r"\s*(?:(?P<comment>[$!].*)|(?P<comma>,)|'(?P<quoted>[^']*)'|(?P<open>'.*)|(?P<word>[^\s,$]+))")
_COLUMN = re.compile(r"[\s,]*(?:<(?P<unit>[^<>]*)>|(?P<name>[^\s,<>]+)|(?P<stray>[<>].*))")
_COMMENTED_OUT_BLOCK = re.compile(r"\[([A-Z][A-Z0-9_]{2,})\]")
_RULE = re.compile(r"[-=*_#]{3}")
_NAME = re.compile(r"[^\s,'$!=<>\[\](){}]+")

# What can be written so that it is read back the same.
_BLOCK_NAME = re.compile(r"[^\s\[\](){}](?:[^\[\](){}\r\n]*[^\s\[\](){}])?")
_COLUMN_NAME = re.compile(r"[^\s,<>{}]+")
_UNIT_NAME = re.compile(r"[^\s<>{}='$!](?:[^<>{}='$!\r\n]*[^\s<>{}='$!])?")
_COMMENT_TEXT = re.compile(r"(?:\S(?:[^\r\n]*\S)?)?")
_QUOTABLE = re.compile(r"(?:[^\s'](?:[^'\r\n]*[^\s'])?)?")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One ``KEY = value`` line.

    Attributes
    ----------
    name
        Key as written.
    value
        Number, stripped text, list of numbers, or None where nothing follows the equals sign. Whatever is
        none of these, such as unquoted text, is kept as text.
    unit
        Name in angle brackets behind the key.
    comment
        Comment at the end of the line.
    raw
        Value as written, with its quotes, without the comment.
    place
        Where the value starts.
    """

    name: str
    value: Value
    unit: str | None = None
    comment: str | None = None
    raw: str = field(default="", compare=False)
    place: Place = field(default=Place(), compare=False)

    def number(self) -> float:
        """The value as one finite number; FileFormatError if it is anything else."""
        if not isinstance(self.value, float | int) or not math.isfinite(self.value):
            raise FileFormatError(self._wrong("a finite number"))
        return float(self.value)

    def numbers(self) -> tuple[float, ...]:
        """The value as a list of finite numbers, of length one for a single number."""
        if isinstance(self.value, tuple):
            if all(math.isfinite(number) for number in self.value):
                return tuple(float(number) for number in self.value)
            raise FileFormatError(self._wrong("a list of finite numbers"))
        return (self.number(),)

    def string(self) -> str:
        """The value as text: what the quotes hold, or an unquoted value as written."""
        if self.value is None:
            raise FileFormatError(self._wrong("text"))
        return self.value if isinstance(self.value, str) else self.raw or _literal(self.value, self.name)

    def _wrong(self, wanted: str) -> Problem:
        if self.value is None:
            return Problem(f"{self.name} has no value", self.place, hint=f"{wanted} is needed")
        hint = ""
        if isinstance(self.value, tuple) and len(self.value) == 2:
            hint = "is the comma a decimal comma?"
        elif isinstance(self.value, str) and _NUMBER.fullmatch(self.value):
            hint = "write the number without quotes"
        return Problem(f"{self.name} = {_shown(self.raw or repr(self.value))} is not {wanted}", self.place, hint=hint)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table; `place` is where its first value starts."""

    values: tuple[float | int | str, ...]
    comment: str | None = None
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a ``{...}`` header, or rows without a header.

    Attributes
    ----------
    columns
        Names in the header; empty for a table without one. A row may have more or fewer values than there are
        names: engine maps repeat the last column, parameter tables put a comment in a row of its own.
    units
        Name in angle brackets behind each column, None where there is none.
    rows
        Rows in order.
    place
        Where the header, or else the first row, starts.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    units: tuple[str | None, ...] = ()
    place: Place = field(default=Place(), compare=False)

    def __post_init__(self) -> None:
        if not self.units:
            object.__setattr__(self, "units", (None,) * len(self.columns))
        if len(self.units) != len(self.columns):
            raise InputError(f"a table has {len(self.columns)} columns and {len(self.units)} units of columns")

    def array(self) -> NDArray[np.float64]:
        """The rows as a matrix of finite numbers, one line per row; FileFormatError names every unfit row."""
        width = len(self.rows[0].values) if self.rows else len(self.columns)
        problems = []
        for row in self.rows:
            wrong = [value for value in row.values if isinstance(value, str) or not math.isfinite(value)]
            if wrong:
                shown = ", ".join(_shown(str(value)) for value in wrong[:3])
                problems.append(Problem(f"table row holds {shown}, where finite numbers are needed", row.place))
            elif len(row.values) != width:
                text = f"table row has {len(row.values)} values, the first row of the table has {width}"
                problems.append(Problem(text, row.place))
        _raise_shortened(problems)
        return np.array([row.values for row in self.rows], dtype=np.float64).reshape(len(self.rows), width)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a line of its own.

    Adams writes data into such lines of a subsystem: the frame of a part, where it depends on hardpoints.

    Attributes
    ----------
    text
        Text behind the ``$`` or ``!``, stripped.
    after
        Last attribute or table row above it in the same block or sub-block; None if there is none.
    place
        Where the ``$`` or ``!`` stands.
    """

    text: str
    after: Attribute | Row | None = None
    place: Place = field(default=Place(), compare=False)

    @property
    def is_rule(self) -> bool:
        """Whether the line is drawn to separate blocks, as in ``$-----------MODEL``."""
        return _RULE.match(self.text) is not None


@dataclass(frozen=True, slots=True)
class Section:
    """What blocks and sub-blocks have in common: a name, attributes, tables and comments, each in order."""

    name: str
    attributes: tuple[Attribute, ...] = ()
    tables: tuple[Table, ...] = ()
    comments: tuple[Comment, ...] = ()
    place: Place = field(default=Place(), compare=False)

    def get(self, name: str) -> Attribute | None:
        """First attribute called `name`."""
        return next(_called(self.attributes, name), None)

    def table(self, column_name: str | None = None) -> Table | None:
        """First table, or first table with a column called `column_name`."""
        if column_name is None:
            return self.tables[0] if self.tables else None
        folded = column_name.casefold()
        return next((t for t in self.tables if folded in (column.casefold() for column in t.columns)), None)


@dataclass(frozen=True, slots=True)
class SubBlock(Section):
    """A ``(NAME)`` section of a block."""


@dataclass(frozen=True, slots=True)
class Block(Section):
    """A ``[NAME]`` section; `attributes`, `tables` and `comments` are those above its first sub-block."""

    subblocks: tuple[SubBlock, ...] = ()

    def subblock(self, name: str) -> SubBlock | None:
        """First sub-block called `name`."""
        return next(_called(self.subblocks, name), None)


class UserUnits(Mapping[str, float]):
    """Factor into SI of every unit name that a file may write in angle brackets, in any case.

    Parameters
    ----------
    factors
        Factor by name. A later name replaces an earlier one that differs only in case.
    file
        The file they hold for, for messages.
    """

    def __init__(self, factors: Mapping[str, float], file: Path | None = None) -> None:
        self._by_folded = {name.casefold(): (name, factor) for name, factor in factors.items()}
        self._file = file

    def __getitem__(self, name: str) -> float:
        entry = self._by_folded.get(name.casefold())
        if entry is None:
            raise UnknownNameError("unit", name, self, Place(self._file))
        return entry[1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._by_folded.values())

    def __len__(self) -> int:
        return len(self._by_folded)

    def __repr__(self) -> str:
        return f"UserUnits({dict(self)})"


@dataclass(frozen=True, slots=True)
class Document:
    """A TeimOrbit text: its lines, unchanged, and what they say.

    Attributes
    ----------
    lines
        Every line with its line end.
    blocks
        Blocks in order; repeated names are kept.
    comments
        Comments above the first block.
    problems
        Warnings and notes; a text with an error gives no document.
    file
        Where it was read from.
    encoding
        Character encoding of the file: utf-8, cp1252 or latin-1.

    Holds: the text encoded by `encoding` has the bytes of the file.
    """

    lines: tuple[str, ...] = field(repr=False)
    blocks: tuple[Block, ...] = field(repr=False)
    comments: tuple[Comment, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = ()
    file: Path | None = None
    encoding: str = "utf-8"

    def text(self) -> str:
        """The text, character by character as it was parsed."""
        return "".join(self.lines)

    @property
    def line_end(self) -> str:
        """The line end that most lines have; a line feed for a text of a single open line."""
        ends = Counter(line[len(line.rstrip("\r\n")) :] for line in self.lines)
        del ends[""]
        return ends.most_common(1)[0][0] if ends else "\n"

    def block(self, name: str) -> Block | None:
        """First block called `name`."""
        return next(_called(self.blocks, name), None)

    def all_blocks(self, name: str) -> tuple[Block, ...]:
        """Every block called `name`, in order."""
        return tuple(_called(self.blocks, name))

    def get(self, block: str, name: str, subblock: str | None = None) -> Attribute | None:
        """First attribute called `name` in the blocks called `block`, or in their sub-blocks `subblock`."""
        found = (section.get(name) for section in self._sections(block, subblock))
        return next((attribute for attribute in found if attribute is not None), None)

    def with_value(self, block: str, name: str, value: Value, subblock: str | None = None) -> Document:
        """A document in which the attribute that `get` finds has another value; all other text is the same.

        Parameters
        ----------
        block, name, subblock
            As for `get`; UnknownNameError if there is no such attribute.
        value
            Number, text or list of numbers in the units of the file.
        """
        attribute = self.get(block, name, subblock)
        if attribute is None:
            where = f"[{block}]" if subblock is None else f"[{block}] ({subblock})"
            known = (item.name for section in self._sections(block, subblock) for item in section.attributes)
            raise UnknownNameError(f"attribute of {where}", name, dict.fromkeys(known), Place(self.file))
        index, column = (attribute.place.line or 1) - 1, (attribute.place.column or 1) - 1
        line = self.lines[index]
        before, after = line[:column], line[column + len(attribute.raw) :]
        literal = _literal(value, attribute.name)
        if not attribute.raw and literal:
            before += " "
        if after.startswith("!"):  # without a blank before it, it would become part of the value
            literal += " "
        text = "".join((*self.lines[:index], before, literal, after, *self.lines[index + 1 :]))
        return _parse(text, self.file, self.encoding)

    def write(self, path: Path | str) -> None:
        """Write the file in its encoding; an existing file is replaced whole or not at all."""
        try:
            data = self.text().encode(self.encoding)
        except UnicodeEncodeError as error:
            character = ascii(error.object[error.start])
            text = f"the character {character} is not in {self.encoding}, the encoding of this text"
            raise InputError(Problem(text, Place(Path(path)))) from None
        write_atomically(Path(path), data)

    def units(self) -> UnitSystem:
        """Base units of the file, as factors into SI.

        Reads both forms of ``[UNITS]``: attributes (LENGTH, FORCE, ANGLE, MASS, TIME, perhaps PRESSURE), or a
        one-row table in the sub-block ``(BASE)``. UnitError if a base unit is missing: Adams would take the
        unit of its session then, which is not known here.
        """
        block = self.block("UNITS")
        if block is None:
            hint = "without its units the numbers of the file mean nothing"
            raise UnitError(Problem("there is no [UNITS] block", Place(self.file), hint=hint))
        problems: list[Problem] = []
        factors: dict[str, float] = {}
        for base, (word, place) in _unit_words(block, problems).items():
            try:
                factors[base] = unit_factor(base, word, place)
            except UnitError as error:
                problems.extend(error.problems)
        if not problems:
            missing = [base.upper() for base in _BASE_UNITS if base not in factors]
            if missing:
                problems.append(Problem(f"[UNITS] says nothing about {', '.join(missing)}", block.place))
        raise_if_errors(problems, UnitError)
        return UnitSystem(**factors)

    def user_units(self) -> UserUnits:
        """Factors into SI of the unit names in angle brackets.

        Built in are all quantities of `trackrod.core.quantities` with a dimension: length, area, torque.
        The table in ``[UNITS] (USER)`` adds to them and may redefine them, by exponents over length, force,
        angle, mass and time, and a conversion into the base units of the file.
        """
        system = self.units()
        factors = {kind.name: system.factor(kind) for kind in KINDS.values() if kind.dimension != Dimension()}
        block = self.block("UNITS")
        user = block.subblock("USER") if block is not None else None
        problems: list[Problem] = []
        lines: dict[str, int | None] = {}
        for table in user.tables if user is not None else ():
            for row in table.rows:
                try:
                    name, factor = _user_unit(table, row, system)
                except UnitError as error:
                    problems.extend(error.problems)
                    continue
                line = lines.setdefault(name.casefold(), row.place.line)
                if line != row.place.line:
                    problems.append(Problem(f"the unit '{name}' is defined on line {line} already", row.place))
                factors[name] = factor
        raise_if_errors(problems, UnitError)
        return UserUnits(factors, self.file)

    def _sections(self, block: str, subblock: str | None) -> Iterator[Section]:
        for found in _called(self.blocks, block):
            yield from (found,) if subblock is None else _called(found.subblocks, subblock)


def _called(items: Iterable[_Named], name: str) -> Iterator[_Named]:
    folded = name.casefold()
    return (item for item in items if item.name.casefold() == folded)


def read(path: Path | str) -> Document:
    """Read a TeimOrbit file.

    Raises
    ------
    MissingFileError
        There is no such file.
    FileFormatError
        The file is not TeimOrbit, or lines of it break the grammar; all of them are named.
    """
    path = Path(path)
    data = read_bytes(path)
    _refuse_template(data, path)
    text, encoding = _decode(data)
    return _parse(text, path, encoding)


def read_header(path: Path | str) -> Document:
    """Read only the leading blocks that carry HEADER_SIZE, the number of lines of the block with its rule.

    That is all that can be read of an Adams/Car template: Adams/View commands or a binary dump follow.
    """
    path = Path(path)
    header = _header(read_bytes(path)[:_HEADER_BYTES])
    if not header:
        raise FileFormatError(Problem("there is no TeimOrbit header with a HEADER_SIZE", Place(path)))
    text, encoding = _decode(header)
    return _parse(text, path, encoding)


def parse(text: str, file: Path | str | None = None) -> Document:
    """Parse TeimOrbit text; `file` only appears in places and messages."""
    return _parse(text, None if file is None else Path(file), "utf-8")


# ---------------------------------------------------------------------------------------------- files to text


def _decode(data: bytes) -> tuple[str, str]:
    """Text and encoding; every one of the three encodings gives the same bytes back."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _split(text: str) -> list[str]:
    """Lines with their ends: line feed, carriage return or both; str.splitlines also cuts at form feeds."""
    return list(io.StringIO(text, newline=""))


def _header(data: bytes) -> bytes:
    """The leading lines that the HEADER_SIZE entries claim, empty if there are none."""
    lines = data.splitlines(keepends=True)  # bytes split at line feeds and carriage returns only
    end = 0
    while True:
        size = _header_size(lines, end)
        if size is None:
            return b"".join(lines[:end])
        end += size


def _header_size(lines: list[bytes], start: int) -> int | None:
    """HEADER_SIZE of the block that starts at `start`; None if no block starts there or it has none."""
    in_block = False
    for index in range(start, len(lines)):
        line = lines[index].strip()
        if not line or line[:1] in b"$!":
            continue
        if line.startswith(b"["):
            if in_block:
                return None
            in_block = True
        elif not in_block:
            return None
        key, equals, value = line.partition(b"=")
        if equals and key.strip().upper() == b"HEADER_SIZE":
            digits = value.split()[0] if value.split() else b""
            if not digits.isdigit() or len(digits) > 6:
                return None
            size = int(digits)
            # A size that ends above its own line is wrong, and would make this search quadratic.
            return size if index < start + size <= len(lines) else None
    return None


def _refuse_template(data: bytes, path: Path) -> None:
    header = _header(data[:_HEADER_BYTES])
    if not header:
        return
    text, encoding = _decode(header)
    try:
        document = _parse(text, path, encoding)
    except FileFormatError:
        return  # not a header after all; the reading of the whole text says what is wrong

    def entry(name: str) -> str:
        attribute = document.get("MDI_HEADER", name)
        return "" if attribute is None or attribute.value is None else attribute.string().casefold()

    if entry("FILE_FORMAT") == "binary":
        what = "binary Adams/Car template" if entry("FILE_TYPE") == "tpl" else "binary Adams file"
        text = f"this is a {what} (FILE_FORMAT = 'binary'), of which only the header is TeimOrbit text"
        raise FileFormatError(Problem(text, Place(path), hint="save it as ASCII in Adams/Car"))
    if entry("FILE_TYPE") == "tpl":
        text = "this is an Adams/Car template: only its header is TeimOrbit text, Adams/View commands follow"
        raise FileFormatError(Problem(text, Place(path)))


# ------------------------------------------------------------------------------------------- text to document


def _parse(text: str, file: Path | None, encoding: str) -> Document:
    lines = _split(text)
    parser = _Parser(file)
    if "\0" not in text:
        for number, line in enumerate(lines, 1):
            parser.read_line(number, line)
    if not parser.blocks:
        reason = _why_foreign(text, lines)
        raise FileFormatError(Problem(f"this is not a TeimOrbit file: {reason}", Place(file)))
    return parser.document(tuple(lines), encoding)


def _why_foreign(text: str, lines: list[str]) -> str:
    if "\0" in text:
        is_utf_16 = text.startswith(("ÿþ", "þÿ"))  # its byte order mark, decoded one byte at a time
        return "it is UTF-16 text; save it as UTF-8" if is_utf_16 else "it holds binary data"
    starts = {line.lstrip(_BLANK)[:1] for line in lines} - {""}
    if not starts:
        return "it is empty"
    if text.lstrip(_BLANK).startswith("<"):
        return "it looks like XML"
    return "it has no [BLOCK] line" + (" and looks like Matlab text" if "%" in starts else "")


@dataclass(slots=True)
class _Draft:
    """A block or sub-block while it is being read."""

    name: str
    place: Place
    title: str
    attributes: list[Attribute] = field(default_factory=list)
    tables: list[_TableDraft] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    subblocks: list[_Draft] = field(default_factory=list)
    lines_of_names: dict[str, int] = field(default_factory=dict)
    last: Attribute | Row | None = None

    def block(self) -> Block:
        subblocks = tuple(draft.subblock() for draft in self.subblocks)
        return Block(self.name, *self._content(), self.place, subblocks)

    def subblock(self) -> SubBlock:
        return SubBlock(self.name, *self._content(), self.place)

    def _content(self) -> tuple[tuple[Attribute, ...], tuple[Table, ...], tuple[Comment, ...]]:
        tables = tuple(Table(t.columns, tuple(t.rows), t.units, t.place) for t in self.tables)
        return tuple(self.attributes), tables, tuple(self.comments)


@dataclass(slots=True)
class _TableDraft:
    place: Place
    columns: tuple[str, ...] = ()
    units: tuple[str | None, ...] = ()
    rows: list[Row] = field(default_factory=list)
    has_header: bool = False
    has_words: bool = False


@dataclass(slots=True)
class _Values:
    """The values that one stretch of a line holds."""

    values: list[float | int | str] = field(default_factory=list)
    start: int = -1  # of the first value
    end: int = -1  # behind the last value
    quotes: int = 0  # how many of the values are quoted
    word: str = ""  # first unquoted value that is no number
    comment: str | None = None


class _Parser:
    """Reads line after line; collects problems instead of stopping at the first."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.comments: list[Comment] = []  # above the first block
        self.blocks: list[_Draft] = []
        self.section: _Draft | None = None  # block or sub-block that lines go to
        self.table: _TableDraft | None = None  # table that rows go to
        self.commented_out: tuple[str, int] | None = None  # name and line of a block header in a comment
        self.has_preamble_text = False

    def document(self, lines: tuple[str, ...], encoding: str) -> Document:
        blocks = tuple(draft.block() for draft in self.blocks)
        self._find_repeated(blocks)
        _raise_shortened(self.problems)
        return Document(lines, blocks, tuple(self.comments), tuple(self.problems), self.file, encoding)

    def read_line(self, number: int, line: str) -> None:
        line = line.rstrip()
        if line.startswith(_BYTE_ORDER_MARK):  # not only on the first line: files are joined, too
            line = " " + line[1:]  # a blank keeps the columns
        body = line.lstrip()
        if not body:
            return
        start = len(line) - len(body)
        match body[0]:
            case "$" | "!":
                self._read_comment(number, line, start)
            case "[":
                self._read_block(number, line, start)
            case "(":
                self._read_subblock(number, line, start)
            case "{":
                self._read_table_header(number, line, start)
            case _:
                equals = self._find_equals(line)
                if equals < 0:
                    self._read_row(number, line, start)
                else:
                    self._read_attribute(number, line, start, equals)

    def _place(self, number: int, index: int) -> Place:
        return Place(self.file, number, index + 1)

    def _report(self, text: str, place: Place, severity: Severity = Severity.ERROR, hint: str = "") -> None:
        self.problems.append(Problem(text, place, severity, hint))

    def _warn(self, text: str, place: Place, hint: str = "") -> None:
        self._report(text, place, Severity.WARNING, hint)

    # One method for each kind of line.

    def _read_comment(self, number: int, line: str, start: int) -> None:
        text = line[start + 1 :].strip()
        section = self.section
        if section is None:
            self.comments.append(Comment(text, None, self._place(number, start)))
            return
        section.comments.append(Comment(text, section.last, self._place(number, start)))
        commented_out = _COMMENTED_OUT_BLOCK.fullmatch(text)
        if commented_out:
            self.commented_out = (commented_out[1], number)

    def _read_block(self, number: int, line: str, start: int) -> None:
        name = self._bracketed(number, line, start, "]")
        self.section = _Draft(name, self._place(number, start), f"[{_shown(name)}]")
        self.blocks.append(self.section)
        self.table = None
        self.commented_out = None

    def _read_subblock(self, number: int, line: str, start: int) -> None:
        place = self._place(number, start)
        name = self._bracketed(number, line, start, ")")
        self.table = None
        if not self.blocks:
            self._report(f"the sub-block ({_shown(name)}) stands before the first [BLOCK]", place)
            return
        self._check_commented_out(place)
        block = self.blocks[-1]
        self.section = _Draft(name, place, f"{block.title} ({_shown(name)})")
        block.subblocks.append(self.section)

    def _read_table_header(self, number: int, line: str, start: int) -> None:
        place = self._place(number, start)
        end = line.find("}", start)
        if end < 0:
            self._report("the bracket { is not closed on its line", place)
            end = len(line)
        else:
            self._check_rest(number, line, end + 1)
        columns: list[str] = []
        units: list[str | None] = []
        position = start + 1
        while match := _COLUMN.match(line, position, end):
            position = match.end()
            unit, name, stray = match["unit"], match["name"], match["stray"]
            if name is not None:
                columns.append(name)
                units.append(None)
            elif unit is not None and units and units[-1] is None:
                units[-1] = unit.strip()
            elif unit is not None:
                self._report(
                    f"the unit <{_shown(unit)}> belongs to no column",
                    self._place(number, match.start("unit")),
                )
            else:
                at = self._place(number, match.start("stray"))
                self._report(f"the angle bracket {stray[0]} has no partner", at)
        if self.section is None:
            self._report("a table header stands before the first [BLOCK]", place)
            return
        self._check_commented_out(place)
        self.table = _TableDraft(place, tuple(columns), tuple(units), has_header=True)
        self.section.tables.append(self.table)

    def _read_attribute(self, number: int, line: str, start: int, equals: int) -> None:
        key, unit = self._key(number, line, start, equals)
        found = self._values(number, line, equals + 1)
        raw = line[found.start : found.end] if found.values else ""
        place = self._place(number, found.start if found.values else equals + 1)
        section = self.section
        if section is None:
            self._report(f"the attribute {_shown(key)} stands before the first [BLOCK]", self._place(number, start))
            return
        self._check_commented_out(self._place(number, start))
        self.table = None
        value: Value
        if not found.values:
            value = None
            self._warn(f"{_shown(key)} has no value", place)
        elif len(found.values) == 1:
            value = found.values[0]
        elif any(isinstance(item, str) for item in found.values):
            value = raw
            if found.quotes:
                self._warn(f"{_shown(key)} has more than one value; they are kept as the text {_shown(raw)}", place)
        else:
            value = tuple(item for item in found.values if not isinstance(item, str))
        attribute = Attribute(key, value, unit, found.comment, raw, place)
        first = section.lines_of_names.setdefault(key.casefold(), number)
        if first != number:
            self._warn(f"{_shown(key)} occurs twice in {section.title}; the value of line {first} is used", place)
        section.attributes.append(attribute)
        section.last = attribute

    def _read_row(self, number: int, line: str, start: int) -> None:
        place = self._place(number, start)
        section = self.section
        if section is None:
            if not self.has_preamble_text:
                self._warn("text before the first [BLOCK] is not read", place, "start a comment with $")
            self.has_preamble_text = True
            return
        found = self._values(number, line, start)
        self._check_commented_out(place)
        table = self.table
        if found.word:
            starts_with_word = isinstance(found.values[0], str) and line[start] != "'"
            if starts_with_word and (table is None or not table.has_header):
                shown = _shown(line[start:])
                self._report(f"'{shown}' is neither an attribute, a table row nor a comment", place)
                return
            if table is None or not table.has_words:
                self._warn(f"'{_shown(found.word)}' in a table row is neither a number nor quoted", place)
        if table is None:
            table = self.table = _TableDraft(place)
            section.tables.append(table)
        table.has_words = table.has_words or bool(found.word)
        if not found.values:
            return  # a stray comma, reported already
        row = Row(tuple(found.values), found.comment, place)
        table.rows.append(row)
        section.last = row

    # Pieces of a line.

    @staticmethod
    def _find_equals(line: str) -> int:
        """Index of the = of an attribute; -1 for a row, where it may stand in quotes or in a comment."""
        equals = line.find("=")
        if equals < 0:
            return -1
        key = line[:equals]
        if "'" in key or "$" in key or re.search(r"\s!", key):
            return -1
        return equals

    def _key(self, number: int, line: str, start: int, equals: int) -> tuple[str, str | None]:
        """Name and unit in front of the equals sign."""
        key = line[start:equals].rstrip()
        unit: str | None = None
        opening = key.find("<")
        if opening >= 0:
            closed = key.endswith(">") and key.count("<") == key.count(">") == 1
            if not closed:
                self._report(
                    f"the angle brackets of '{_shown(key)}' do not match",
                    self._place(number, start + opening),
                    hint="a unit is written as in KEY <unit> = 1.0",
                )
            unit = key[opening + 1 : -1 if closed else None].strip()
            key = key[:opening].rstrip()
        words = key.split()
        wrong = not words or _NUMBER.fullmatch(words[0]) or not all(_NAME.fullmatch(word) for word in words)
        if wrong:
            self._report(f"'{_shown(key)}' is not a name for an attribute", self._place(number, start))
        elif len(words) > 1:
            self._warn(f"the name '{_shown(key)}' holds blanks", self._place(number, start))
        return key, unit

    def _values(self, number: int, line: str, start: int) -> _Values:
        """The values from `start` on, up to a comment."""
        found = _Values()
        position = start
        comma = -1  # index of a comma that no value has followed yet
        glued = False  # whether the last value was quoted, so that a blank must follow
        while position < len(line):
            match = _TOKEN.match(line, position)
            if match is None:
                break  # only blanks are left
            kind = match.lastgroup or "word"
            at = match.start(kind)
            position = match.end()
            if kind == "comment":
                found.comment = line[at + 1 :].strip()
                break
            if kind == "comma":
                if comma >= 0 or not found.values:
                    self._report("a value is missing before a comma", self._place(number, at))
                comma, glued = at, False
                continue
            if kind == "open":
                text = f"the quote of {_shown(line[at:])} is not closed on its line"
                self._report(text, self._place(number, at))
                value: float | int | str = line[at + 1 :].strip()
            elif kind == "quoted":
                at -= 1
                value = match["quoted"].strip()
                found.quotes += 1
            else:
                value = _number_or_word(match["word"])
                if isinstance(value, str) and not found.word:
                    found.word = value
            if glued and at == found.end:
                self._report("a blank is missing behind a quoted string", self._place(number, at))
            if not found.values:
                found.start = at
            found.values.append(value)
            found.end = position
            comma, glued = -1, kind == "quoted"
        if comma >= 0:
            self._report("a value is missing behind a comma", self._place(number, comma))
        return found

    def _bracketed(self, number: int, line: str, start: int, closing: str) -> str:
        """Name between the bracket at `start` and its closing partner."""
        place = self._place(number, start)
        end = line.find(closing, start)
        if end < 0:
            self._report(f"the bracket {line[start]} is not closed on its line", place)
            end = len(line)
        else:
            self._check_rest(number, line, end + 1)
        name = line[start + 1 : end].strip()
        if not name:
            self._report(f"the name between {line[start]} and {closing} is missing", place)
        elif any(character in name for character in "[](){}"):
            self._report(f"the brackets of '{_shown(line[start : end + 1])}' do not match", place)
        return name

    def _check_rest(self, number: int, line: str, start: int) -> None:
        rest = line[start:].strip()
        if rest and rest[0] not in "$!":
            at = line.index(rest[0], start)
            self._report(f"'{_shown(rest)}' stands behind a closed bracket", self._place(number, at))

    # What concerns several lines.

    def _check_commented_out(self, place: Place) -> None:
        if self.commented_out is not None and self.section is not None:
            name, number = self.commented_out
            self.commented_out = None
            text = f"[{name}] is commented out on line {number}, so this line belongs to {self.section.title}"
            self._warn(text, place)

    def _find_repeated(self, blocks: tuple[Block, ...]) -> None:
        """Warn of a repeated block, unless the blocks of that name name objects by USAGE."""
        first: dict[str, Block] = {}
        for block in blocks:
            earlier = first.setdefault(block.name.casefold(), block)
            if earlier is not block and block.get("USAGE") is None:
                text = f"[{_shown(block.name)}] occurs again; it stands on line {earlier.place.line} already"
                self._warn(text, block.place)


def _number_or_word(word: str) -> float | int | str:
    if _NUMBER.fullmatch(word) is None:
        return word
    if len(word) <= _INTEGER_DIGITS and word.lstrip("+-").isdigit():
        return int(word)
    return float(word.replace("D", "E").replace("d", "e"))


def _shown(text: str, length: int = 40) -> str:
    """Text for a message: short, without line ends and control characters."""
    if len(text) <= length and text.isprintable():
        return text
    printable = "".join(character if character.isprintable() else "·" for character in text[: length + 1])
    return printable if len(text) <= length else printable[:length] + "…"


def _raise_shortened(problems: list[Problem]) -> None:
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if len(errors) > _PROBLEMS_SHOWN:
        place = Place(errors[0].place.file)
        errors[_PROBLEMS_SHOWN:] = [Problem(f"and {len(errors) - _PROBLEMS_SHOWN} more errors", place)]
    raise_if_errors(errors, FileFormatError)


# ------------------------------------------------------------------------------------------------------ units


def _unit_words(block: Block, problems: list[Problem]) -> dict[str, tuple[str, Place]]:
    """Unit word and its place by base unit; attributes of [UNITS] go before the table of its (BASE)."""
    words: dict[str, tuple[str, Place]] = {}
    base = block.subblock("BASE")
    for table in base.tables if base is not None else ():
        if len(table.rows) != 1:
            text = f"the table in [UNITS] (BASE) must have one row, it has {len(table.rows)}"
            problems.append(Problem(text, table.place))
            continue
        row = table.rows[0]
        place = Place(row.place.file, row.place.line)
        if len(row.values) != len(table.columns):
            text = f"[UNITS] (BASE) names {len(table.columns)} units and gives {len(row.values)} values"
            problems.append(Problem(text, place))
            continue
        for column, value in zip(table.columns, row.values, strict=True):
            words[column.casefold()] = (str(value), place)
    for attribute in block.attributes:
        if attribute.value is None:
            text = f"{_shown(attribute.name)} has no value"
            problems.append(Problem(text, attribute.place, hint="a unit is needed"))
        else:
            words[attribute.name.casefold()] = (attribute.string(), attribute.place)
    return {name: word for name, word in words.items() if name in UNIT_WORDS}


def _user_unit(table: Table, row: Row, system: UnitSystem) -> tuple[str, float]:
    """Name and factor into SI of one row of [UNITS] (USER)."""
    place = Place(row.place.file, row.place.line)
    if len(row.values) != len(table.columns):
        text = f"a row of [UNITS] (USER) has {len(row.values)} values for {len(table.columns)} columns"
        raise UnitError(Problem(text, place))
    cells = {column.casefold(): value for column, value in zip(table.columns, row.values, strict=True)}
    name = cells.get("unit_type")
    if not isinstance(name, str) or "conversion" not in cells:
        text = "[UNITS] (USER) needs a column unit_type with names and a column conversion"
        raise UnitError(Problem(text, place))
    exponents: dict[str, float] = {}
    for column in (*_BASE_UNITS, "conversion"):
        value = cells.get(column, 0)
        if isinstance(value, str):
            text = f"the unit '{name}' has '{_shown(value)}' in column {column}, where a number is needed"
            raise UnitError(Problem(text, place))
        exponents[column] = value
    conversion = exponents.pop("conversion")
    try:
        factor = conversion * system.factor(Kind("user", "", "", Dimension(**exponents), "user unit"))
    except OverflowError:
        factor = math.inf
    if not math.isfinite(factor) or factor == 0.0:
        text = f"the unit '{name}' has the factor {factor:g} into SI; it must be finite and not zero"
        raise UnitError(Problem(text, place))
    return name, factor


# ------------------------------------------------------------------------------------------- document to text


def compose(blocks: Iterable[Block], line_end: str = "\n") -> str:
    """New TeimOrbit text with aligned columns; `parse` reads it back to the same names, values and comments.

    Parameters
    ----------
    blocks
        What to write. Within a block come its attributes, then its tables, then its sub-blocks. Rules
        (`Comment.is_rule`) are drawn anew, so those that came from another file are left out.
    line_end
        Line feed, or carriage return and line feed.

    Raises
    ------
    InputError
        Something cannot be written in this format: a quote inside a text, a number that is not finite.
    """
    if line_end not in ("\n", "\r\n"):
        raise InputError(f"the line end must be '\\n' or '\\r\\n', not {line_end!r}")
    lines: list[str] = []
    for block in blocks:
        name = _checked(block.name, "the block name", _BLOCK_NAME)
        lines += [f"${name:->79}", f"[{name}]", *_section_lines(block)]
        for subblock in block.subblocks:
            name = _checked(subblock.name, "the sub-block name", _BLOCK_NAME)
            lines += [f"({name})", *_section_lines(subblock)]
    return "".join(line + line_end for line in lines)


def _section_lines(section: Section) -> list[str]:
    comments: dict[int, list[Comment]] = {}
    for comment in section.comments:
        if not comment.is_rule:
            comments.setdefault(id(comment.after), []).append(comment)

    def following(item: Attribute | Row | None) -> list[str]:
        return [f"$ {_checked(c.text, 'the comment', _COMMENT_TEXT)}" for c in comments.pop(id(item), ())]

    lines = following(None)
    for attribute, line in zip(section.attributes, _attribute_lines(section.attributes), strict=True):
        lines += [line, *following(attribute)]
    for index, table in enumerate(section.tables):
        header, *rows = _table_lines(table)
        if table.columns:
            lines.append(header)
        elif index > 0 or not rows:
            text = "a table without a header must have rows and be the first table"
            raise InputError(f"{text} of '{_shown(section.name)}'")
        for row, line in zip(table.rows, rows, strict=True):
            lines += [line, *following(row)]
    if comments:
        lost = next(iter(comments.values()))[0]
        raise InputError(f"the comment '{_shown(lost.text)}' follows nothing that stands in '{section.name}'")
    return lines


def _attribute_lines(attributes: tuple[Attribute, ...]) -> list[str]:
    keys = []
    for attribute in attributes:
        key = _checked(attribute.name, "the attribute name", _NAME)
        if _NUMBER.fullmatch(key):
            raise InputError(f"the attribute name '{key}' is a number")
        keys.append(key + _unit_suffix(attribute.unit))
    literals = [_literal(attribute.value, attribute.name) for attribute in attributes]
    key_width = max(map(len, keys), default=0)
    literal_width = max(map(len, literals), default=0)
    lines = []
    for attribute, key, literal in zip(attributes, keys, literals, strict=True):
        line = f" {key:<{key_width}}  =  {literal}"
        if attribute.comment is not None:
            comment = _checked(attribute.comment, "the comment", _COMMENT_TEXT)
            line = f" {key:<{key_width}}  =  {literal:<{literal_width}}  ${comment}"
        lines.append(line.rstrip())
    return lines


def _table_lines(table: Table) -> list[str]:
    """Header line (also for a table without one) and the lines of the rows, with aligned columns."""
    names = []
    for column, unit in zip(table.columns, table.units, strict=True):
        names.append(_checked(column, "the column name", _COLUMN_NAME) + _unit_suffix(unit))
    cells = [[_cell_literal(value, "a table row") for value in row.values] for row in table.rows]
    widths: list[int] = []
    for line in (names, *cells):
        widths += [0] * (len(line) - len(widths))
        widths[: len(line)] = [max(pair) for pair in zip(widths, map(len, line), strict=False)]

    def joined(line: list[str]) -> str:
        return "  ".join(
            f"{cell:<{width}}" if cell.startswith("'") or line is names else f"{cell:>{width}}"
            for cell, width in zip(line, widths, strict=False)
        ).rstrip()

    lines = ["{" + joined(names) + "}"]
    for row, line in zip(table.rows, cells, strict=True):
        if not line:
            raise InputError("a table row without values cannot be written")
        comment = "" if row.comment is None else f"  ${_checked(row.comment, 'the comment', _COMMENT_TEXT)}"
        lines.append(" " + joined(line) + comment)
    return lines


def _unit_suffix(unit: str | None) -> str:
    return "" if unit is None else f" <{_checked(unit, 'the unit name', _UNIT_NAME)}>"


def _checked(text: str, what: str, pattern: re.Pattern[str]) -> str:
    if pattern.fullmatch(text) is None or "\0" in text:
        raise InputError(f"{what} '{_shown(text)}' cannot be written in a TeimOrbit file")
    return text


def _literal(value: object, name: str) -> str:
    """The value of an attribute as it stands in a file."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        if len(value) < 2:
            raise InputError(f"{name}: a list needs two numbers or more, it has {len(value)}")
        return ",".join(_number_literal(number, name) for number in value)
    return _cell_literal(value, name)


def _cell_literal(value: object, name: str) -> str:
    if isinstance(value, str):
        return f"'{_checked(value, f'{name}: the text', _QUOTABLE)}'"
    return _number_literal(value, name)


def _number_literal(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{name}: {_shown(repr(value))} is not a value that TeimOrbit text can hold")
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10 ** (_INTEGER_DIGITS - 1):
            raise InputError(f"{name}: a whole number must have less than {_INTEGER_DIGITS} digits")
        return str(int(value))
    if not math.isfinite(value):
        raise InputError(f"{name}: {value} cannot be written; a number must be finite")
    return repr(float(value))

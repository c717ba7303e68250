"""From the lines of a text to its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from trackrod.core.errors import FileFormatError, Place, Problem, Severity
from trackrod.core.teimorbit.blocks import Attribute, Block, Comment, Row, SubBlock, Table
from trackrod.core.teimorbit.literals import NAME, is_number
from trackrod.core.teimorbit.messages import raise_shortened, shown
from trackrod.core.teimorbit.tokens import Columns, Fault, find_equals, split_columns, split_values

__all__ = ["Content", "parse_lines"]

_BYTE_ORDER_MARK = "\ufeff"
_BLANK = _BYTE_ORDER_MARK + " \t\r\n"
_COMMENTED_OUT_BLOCK = re.compile(r"\[([A-Z][A-Z0-9_]{2,})\]")


class Content(NamedTuple):
    """What the lines of a text say, as in `Document`."""

    blocks: tuple[Block, ...]
    comments: tuple[Comment, ...]
    problems: tuple[Problem, ...]


def parse_lines(lines: Sequence[str], file: Path | None) -> Content:
    """Read all lines; FileFormatError names every one that breaks the grammar.

    Parameters
    ----------
    lines
        Lines with or without their ends.
    file
        Where they come from, for places and messages.
    """
    parser = _Parser(file)
    is_text = not any("\0" in line for line in lines)
    if is_text:
        for number, line in enumerate(lines, 1):
            parser.read_line(number, line)
    if not parser.blocks:
        reason = _why_foreign(lines) if is_text else _why_binary(lines)
        raise FileFormatError(Problem(f"this is not a TeimOrbit file: {reason}", Place(file)))
    return parser.content()


def _why_binary(lines: Sequence[str]) -> str:
    is_utf_16 = lines[0].startswith(("ÿþ", "þÿ"))  # its byte order mark, decoded one byte at a time
    return "it is UTF-16 text; save it as UTF-8" if is_utf_16 else "it holds binary data"


def _why_foreign(lines: Sequence[str]) -> str:
    starts = [start for line in lines if (start := line.lstrip(_BLANK)[:1])]
    if not starts:
        return "it is empty"
    if starts[0] == "<":
        return "it looks like XML"
    return "it has no [BLOCK] line" + (" and looks like Matlab text" if "%" in starts else "")


class _Draft:
    """A block or sub-block while it is being read."""

    def __init__(self, name: str, place: Place, title: str) -> None:
        self.name = name
        self.place = place
        self.title = title  # for messages
        self.attributes: list[Attribute] = []
        self.tables: list[_TableDraft] = []
        self.comments: list[Comment] = []
        self.subblocks: list[_Draft] = []
        self.lines_of_names: dict[str, int] = {}
        self.last: Attribute | Row | None = None

    def block(self) -> Block:
        subblocks = tuple(draft.subblock() for draft in self.subblocks)
        return Block(self.name, *self._content(), self.place, subblocks)

    def subblock(self) -> SubBlock:
        return SubBlock(self.name, *self._content(), self.place)

    def _content(self) -> tuple[tuple[Attribute, ...], tuple[Table, ...], tuple[Comment, ...]]:
        tables = tuple(draft.table() for draft in self.tables)
        return tuple(self.attributes), tables, tuple(self.comments)


class _TableDraft:
    """A table while it is being read; `header` is None for rows without one."""

    def __init__(self, place: Place, header: Columns | None = None) -> None:
        self.place = place
        self.header = header
        self.rows: list[Row] = []
        self.has_words = False

    def table(self) -> Table:
        if self.header is None:
            return Table((), tuple(self.rows), (), self.place)
        return Table(self.header.names, tuple(self.rows), self.header.units, self.place)


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
        self.last_comment = -1  # line of a block that ended with a comment, or was one

    def content(self) -> Content:
        blocks = tuple(draft.block() for draft in self.blocks)
        self._find_repeated(blocks)
        raise_shortened(self.problems)
        return Content(blocks, tuple(self.comments), tuple(self.problems))

    def read_line(self, number: int, line: str) -> None:
        line = line.rstrip()
        if line.startswith(_BYTE_ORDER_MARK):  # not only on the first line: files are joined, too
            line = " " + line[1:]  # a blank keeps the columns
        body = line.lstrip()
        if not body:
            return
        start = len(line) - len(body)
        if self._is_wrapped(number, line, start):
            text = f"'{shown(body)}' is taken as the rest of the comment above"
            self._warn(text, self._place(number, start), "start a comment with $")
            self._read_comment(number, f"{line[:start]}${body}", start)
            return
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
                equals = find_equals(line)
                if equals < 0:
                    self._read_row(number, line, start)
                else:
                    self._read_attribute(number, line, start, equals)

    def _place(self, number: int, index: int) -> Place:
        return Place(self.file, number, index + 1)

    def _report(self, text: str, place: Place, severity: Severity = Severity.ERROR, hint: str = "") -> None:
        self.problems.append(Problem(text, place, severity, hint))

    def _report_all(self, number: int, faults: Iterable[Fault]) -> None:
        for fault in faults:
            self._report(fault.text, self._place(number, fault.index))

    def _warn(self, text: str, place: Place, hint: str = "") -> None:
        self._report(text, place, Severity.WARNING, hint)

    # One method for each kind of line.

    def _read_comment(self, number: int, line: str, start: int) -> None:
        text = line[start + 1 :].strip()
        section = self.section
        if section is None:
            self.comments.append(Comment(text, None, self._place(number, start)))
            return
        self.last_comment = number
        section.comments.append(Comment(text, section.last, self._place(number, start)))
        commented_out = _COMMENTED_OUT_BLOCK.fullmatch(text)
        if commented_out:
            self.commented_out = (commented_out[1], number)

    def _read_block(self, number: int, line: str, start: int) -> None:
        name = self._bracketed(number, line, start, "]")
        self.section = _Draft(name, self._place(number, start), f"[{shown(name)}]")
        self.blocks.append(self.section)
        self.table = None
        self.commented_out = None

    def _read_subblock(self, number: int, line: str, start: int) -> None:
        place = self._place(number, start)
        name = self._bracketed(number, line, start, ")")
        self.table = None
        if not self.blocks:
            self._report(f"the sub-block ({shown(name)}) stands before the first [BLOCK]", place)
            return
        self._check_commented_out(place)
        block = self.blocks[-1]
        self.section = _Draft(name, place, f"{block.title} ({shown(name)})")
        block.subblocks.append(self.section)

    def _read_table_header(self, number: int, line: str, start: int) -> None:
        place = self._place(number, start)
        end = self._closing(number, line, start, "}")
        columns = split_columns(line, start + 1, end)
        self._report_all(number, columns.faults)
        if self.section is None:
            self._report("a table header stands before the first [BLOCK]", place)
            return
        self._check_commented_out(place)
        self.table = _TableDraft(place, columns)
        self.section.tables.append(self.table)

    def _read_attribute(self, number: int, line: str, start: int, equals: int) -> None:
        key, unit = self._key(number, line, start, equals)
        found = split_values(line, equals + 1)
        self._report_all(number, found.faults)
        raw = line[found.start : found.end]
        place = self._place(number, found.start)
        section = self.section
        if section is None:
            text = f"the attribute {shown(key)} stands before the first [BLOCK]"
            self._report(text, self._place(number, start))
            return
        self._check_commented_out(self._place(number, start))
        self.table = None
        if not found.values:
            self._warn(f"{shown(key)} has no value", place)
        elif 0 < found.quotes < len(found.values):
            text = f"{shown(key)} has more than one value; they are kept as the text {shown(raw)}"
            self._warn(text, place)
        attribute = Attribute(key, found.as_one(raw), unit, found.comment, raw, place)
        self._keep_comment(number, found.comment)
        first = section.lines_of_names.setdefault(key.casefold(), number)
        if first != number:
            text = f"{shown(key)} occurs twice in {section.title}; the value of line {first} is used"
            self._warn(text, place)
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
        found = split_values(line, start)
        self._report_all(number, found.faults)
        self._check_commented_out(place)
        table = self.table
        if found.word:
            starts_with_word = isinstance(found.values[0], str) and line[start] != "'"
            if starts_with_word and (table is None or table.header is None):
                text = f"'{shown(line[start:])}' is neither an attribute, a table row nor a comment"
                self._report(text, place)
                return
            if table is None or not table.has_words:
                self._warn(f"'{shown(found.word)}' in a table row is neither a number nor quoted", place)
        if table is None:
            table = self.table = _TableDraft(place)
            section.tables.append(table)
        table.has_words = table.has_words or bool(found.word)
        if not found.values:
            return  # a stray comma, reported already
        row = Row(found.values, found.comment, place)
        self._keep_comment(number, found.comment)
        table.rows.append(row)
        section.last = row

    def _keep_comment(self, number: int, comment: str | None) -> None:
        self.last_comment = number if comment else self.last_comment

    # Pieces of a line.

    def _key(self, number: int, line: str, start: int, equals: int) -> tuple[str, str | None]:
        """Name and unit in front of the equals sign."""
        key = line[start:equals].rstrip()
        unit: str | None = None
        opening = key.find("<")
        if opening >= 0:
            closed = key.endswith(">") and key.count("<") == key.count(">") == 1
            if not closed:
                self._report(
                    f"the angle brackets of '{shown(key)}' do not match",
                    self._place(number, start + opening),
                    hint="a unit is written as in KEY <unit> = 1.0",
                )
            unit = key[opening + 1 : -1 if closed else None].strip()
            key = key[:opening].rstrip()
        words = key.split()
        if not words or is_number(words[0]) or not all(NAME.fullmatch(word) for word in words):
            self._report(f"'{shown(key)}' is not a name for an attribute", self._place(number, start))
        elif len(words) > 1:
            self._warn(f"the name '{shown(key)}' holds blanks", self._place(number, start))
        return key, unit

    def _bracketed(self, number: int, line: str, start: int, closing: str) -> str:
        """Name between the bracket at `start` and its closing partner."""
        place = self._place(number, start)
        end = self._closing(number, line, start, closing)
        name = line[start + 1 : end].strip()
        if not name:
            self._report(f"the name between {line[start]} and {closing} is missing", place)
        elif any(character in name for character in "[](){}"):
            self._report(f"the brackets of '{shown(line[start : end + 1])}' do not match", place)
        return name

    def _closing(self, number: int, line: str, start: int, closing: str) -> int:
        """Index of the partner of the bracket at `start`, behind which only a comment may stand."""
        end = line.find(closing, start)
        if end < 0:
            self._report(f"the bracket {line[start]} is not closed on its line", self._place(number, start))
            return len(line)
        rest = line[end + 1 :].strip()
        if rest and rest[0] not in "$!":
            at = line.index(rest[0], end + 1)
            self._report(f"'{shown(rest)}' stands behind a closed bracket", self._place(number, at))
        return end

    # What concerns several lines.

    def _is_wrapped(self, number: int, line: str, start: int) -> bool:
        """Whether a line holds words that an editor has wrapped from the comment at the end of the line above."""
        body = line[start:]
        if self.last_comment != number - 1 or (self.table is not None and self.table.header is not None):
            return False
        if body[0] == "(":
            behind = body.partition(")")[2].strip()
            return bool(behind) and behind[0] not in "$!"
        words = body.split()
        if not body[0].isalpha() or (len(words) > 1 and is_number(words[1])):  # a key that has lost its equals sign
            return False
        equals = find_equals(line)
        key = line[start:equals].partition("<")[0].split()
        return equals < 0 or not all(NAME.fullmatch(word) for word in key)

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
                text = f"[{shown(block.name)}] occurs again; it stands on line {earlier.place.line} already"
                self._warn(text, block.place)

"""The pieces of one line: its values, the columns of its header, its equals sign.

Nothing here knows of files and blocks: what is wrong with a line comes back as faults, each with its index.

Holds: matching takes time proportional to the length of the line, because no pattern has two parts that can
share out the same characters in several ways.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trackrod.core.teimorbit.literals import Cell, Value, number_or_word
from trackrod.core.teimorbit.messages import shown

__all__ = ["Columns", "Fault", "Values", "find_equals", "split_columns", "split_values"]

_TOKEN = re.compile(r"\s*(?:(?P<comment>[$!].*)|(?P<comma>,)|'(?P<quoted>[^']*)'|(?P<open>'.*)|(?P<word>[^\s,$]+))")
_COLUMN = re.compile(r"[\s,]*(?:<(?P<unit>[^<>]*)>|(?P<name>[^\s,<>]+)|(?P<stray>[<>].*))")
_COMMENT_IN_KEY = re.compile(r"\s!")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong at an index of a line."""

    text: str
    index: int


@dataclass(frozen=True, slots=True)
class Values:
    """The values that one stretch of a line holds.

    Attributes
    ----------
    values
        Numbers and texts in order.
    start, end
        Index of the first value and index behind the last one; both where the stretch starts if it has none.
    quotes
        How many of the values are quoted.
    word
        First unquoted value that is no number; empty if there is none.
    comment
        Comment behind the values, stripped.
    faults
        What is wrong, in order.
    """

    values: tuple[Cell, ...]
    start: int
    end: int
    quotes: int
    word: str
    comment: str | None
    faults: tuple[Fault, ...]

    def as_one(self, raw: str) -> Value:
        """The value of an attribute; `raw`, the values as written, if they make neither one nor a list."""
        if not self.values:
            return None
        if len(self.values) == 1:
            return self.values[0]
        texts = tuple(value for value in self.values if isinstance(value, str))
        if not texts:
            return tuple(value for value in self.values if not isinstance(value, str))
        return texts if self.quotes == len(self.values) else raw


@dataclass(frozen=True, slots=True)
class Columns:
    """Names and units of the columns in a table header, and what is wrong with them."""

    names: tuple[str, ...]
    units: tuple[str | None, ...]
    faults: tuple[Fault, ...]


def find_equals(line: str) -> int:
    """Index of the = of an attribute; -1 for a row, where it may stand in quotes or in a comment."""
    equals = line.find("=")
    if equals < 0:
        return -1
    key = line[:equals]
    if "'" in key or "$" in key or _COMMENT_IN_KEY.search(key):
        return -1
    return equals


def split_values(line: str, start: int) -> Values:
    """The values from `start` on, up to a comment."""
    values: list[Cell] = []
    faults: list[Fault] = []
    first = end = position = start
    quotes = 0
    unquoted = ""
    comment = None
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
            comment = line[at + 1 :].strip()
            break
        if kind == "comma":
            if comma >= 0 or not values:
                faults.append(Fault("a value is missing before a comma", at))
            comma, glued = at, False
            continue
        if kind == "open":
            faults.append(Fault(f"the quote of {shown(line[at:])} is not closed on its line", at))
            value: Cell = line[at + 1 :].strip()
        elif kind == "quoted":
            at -= 1
            value = match["quoted"].strip()
            quotes += 1
        else:
            value = number_or_word(match["word"])
            if isinstance(value, str) and not unquoted:
                unquoted = value
        if glued and at == end:
            faults.append(Fault("a blank is missing behind a quoted string", at))
        if not values:
            first = at
        values.append(value)
        end = position
        comma, glued = -1, kind == "quoted"
    if comma >= 0:
        faults.append(Fault("a value is missing behind a comma", comma))
    return Values(tuple(values), first, end, quotes, unquoted, comment, tuple(faults))


def split_columns(line: str, start: int, end: int) -> Columns:
    """Names and units between the brackets of a table header."""
    names: list[str] = []
    units: list[str | None] = []
    faults: list[Fault] = []
    position = start
    while match := _COLUMN.match(line, position, end):
        position = match.end()
        unit, name, stray = match["unit"], match["name"], match["stray"]
        if name is not None:
            names.append(name)
            units.append(None)
        elif unit is None:
            faults.append(Fault(f"the angle bracket {stray[0]} has no partner", match.start("stray")))
        elif units and units[-1] is None:
            units[-1] = unit.strip()
        else:
            faults.append(Fault(f"the unit <{shown(unit)}> belongs to no column", match.start("unit")))
    return Columns(tuple(names), tuple(units), tuple(faults))

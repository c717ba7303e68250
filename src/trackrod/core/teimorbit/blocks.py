"""What a TeimOrbit text says: blocks and sub-blocks with their attributes, tables and comments.

All of it is frozen. Places (file, line, column) and the text as written take no part in comparisons, so that
a block that was read equals one that was made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, InputError, Place, Problem
from trackrod.core.teimorbit.literals import Cell, Value, is_number, value_literal
from trackrod.core.teimorbit.messages import raise_shortened, shown

__all__ = ["Attribute", "Block", "Comment", "Row", "Section", "SubBlock", "Table", "called"]

_Named = TypeVar("_Named", bound="Attribute | Section")

_RULE = re.compile(r"[-=*_#]{3}")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One ``KEY = value`` line.

    Attributes
    ----------
    name
        Key as written.
    value
        Number, stripped text, list of numbers, list of stripped texts, or None where nothing follows the
        equals sign. Whatever is none of these, such as unquoted text, is kept as text.
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
            raise self._wrong("a finite number", self._number_hint())
        return float(self.value)

    def numbers(self) -> tuple[float, ...]:
        """The value as a list of finite numbers, of length one for a single number."""
        if not isinstance(self.value, tuple):
            return (self.number(),)
        numbers = tuple(float(item) for item in self.value if _is_finite(item))
        if len(numbers) < len(self.value):
            raise self._wrong("a list of finite numbers", self._number_hint())
        return numbers

    def string(self) -> str:
        """The value as one text: what the quotes hold, or an unquoted value or a list as written."""
        if self.value is None:
            raise self._wrong("text")
        return self.value if isinstance(self.value, str) else self.raw or value_literal(self.value, self.name)

    def strings(self) -> tuple[str, ...]:
        """The value as a list of texts, of length one for a single text."""
        if not isinstance(self.value, tuple):
            return (self.string(),)
        texts = tuple(item for item in self.value if isinstance(item, str))
        if len(texts) < len(self.value):
            raise self._wrong("a list of texts", "put each text in quotes")
        return texts

    def _number_hint(self) -> str:
        items = self.value if isinstance(self.value, tuple) else (self.value,)
        if all(isinstance(item, str) and is_number(item) for item in items):
            return "write the number without quotes"
        if len(items) == 2 and not any(isinstance(item, str) for item in items):
            return "is the comma a decimal comma?"
        return ""

    def _wrong(self, wanted: str, hint: str = "") -> FileFormatError:
        if self.value is None:
            problem = Problem(f"{self.name} has no value", self.place, hint=f"{wanted} is needed")
        else:
            written = shown(self.raw or repr(self.value))
            problem = Problem(f"{self.name} = {written} is not {wanted}", self.place, hint=hint)
        return FileFormatError(problem)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table; `place` is where its first value starts."""

    values: tuple[Cell, ...]
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
            wrong = [value for value in row.values if not _is_finite(value)]
            if wrong:
                listed = ", ".join(shown(str(value)) for value in wrong[:3])
                problems.append(Problem(f"table row holds {listed}, where finite numbers are needed", row.place))
            elif len(row.values) != width:
                text = f"table row has {len(row.values)} values, the first row of the table has {width}"
                problems.append(Problem(text, row.place))
        raise_shortened(problems)
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
        return next(called(name, self.attributes), None)

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
        return next(called(name, self.subblocks), None)


def called(name: str, items: Iterable[_Named]) -> Iterator[_Named]:
    """Those of the items that are called `name`, in any case."""
    folded = name.casefold()
    return (item for item in items if item.name.casefold() == folded)


def _is_finite(value: Cell) -> bool:
    return not isinstance(value, str) and math.isfinite(value)

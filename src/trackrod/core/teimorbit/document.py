"""A whole text: its lines as they stand, and what they say."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from trackrod.core.errors import InputError, Place, Problem, UnitError, UnknownNameError
from trackrod.core.files import write_atomically
from trackrod.core.teimorbit.blocks import Attribute, Block, Comment, Section, called
from trackrod.core.teimorbit.literals import Value, value_literal
from trackrod.core.teimorbit.parser import parse_lines
from trackrod.core.teimorbit.units import UserUnits, base_units, user_units
from trackrod.core.units import UnitSystem

__all__ = ["Document", "parse"]


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
        return next(called(name, self.blocks), None)

    def all_blocks(self, name: str) -> tuple[Block, ...]:
        """Every block called `name`, in order."""
        return tuple(called(name, self.blocks))

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
            Number, text, list of numbers or list of texts, in the units of the file.
        """
        attribute = self.get(block, name, subblock)
        if attribute is None:
            where = f"[{block}]" if subblock is None else f"[{block}] ({subblock})"
            known = (item.name for section in self._sections(block, subblock) for item in section.attributes)
            raise UnknownNameError(f"attribute of {where}", name, dict.fromkeys(known), Place(self.file))
        index, column = (attribute.place.line or 1) - 1, (attribute.place.column or 1) - 1
        line = self.lines[index]
        before, after = line[:column], line[column + len(attribute.raw) :]
        literal = value_literal(value, attribute.name)
        if not attribute.raw and literal:
            before += " "
        if after.startswith("!"):  # without a blank before it, it would become part of the value
            literal += " "
        text = "".join((*self.lines[:index], before, literal, after, *self.lines[index + 1 :]))
        return replace(parse(text, self.file), encoding=self.encoding)

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
        return base_units(self._units_block())

    def user_units(self) -> UserUnits:
        """Factors into SI of the unit names in angle brackets.

        Built in are all quantities of `trackrod.core.quantities` with a dimension: length, area, torque.
        The table in ``[UNITS] (USER)`` adds to them and may redefine them, by exponents over length, force,
        angle, mass and time, and a conversion into the base units of the file.
        """
        return user_units(self._units_block(), self.file)

    def _units_block(self) -> Block:
        block = self.block("UNITS")
        if block is None:
            hint = "without its units the numbers of the file mean nothing"
            raise UnitError(Problem("there is no [UNITS] block", Place(self.file), hint=hint))
        return block

    def _sections(self, block: str, subblock: str | None) -> Iterator[Section]:
        for found in called(block, self.blocks):
            yield from (found,) if subblock is None else called(subblock, found.subblocks)


def parse(text: str, file: Path | str | None = None) -> Document:
    """Parse TeimOrbit text; `file` only appears in places and messages.

    Raises
    ------
    FileFormatError
        The text is not TeimOrbit, or lines of it break the grammar; all of them are named.
    """
    path = None if file is None else Path(file)
    lines = tuple(io.StringIO(text, newline=""))  # str.splitlines also cuts at form feeds
    return Document(lines, *parse_lines(lines, path), path)

"""Adams/View command language, as far as model files and ASCII templates use it.

::

    ! comment                                   up to the end of the line
    marker create  &                            keywords; & continues the command on the next line
       marker_name = .model.part.cm  &          argument with a word
       location = 0.0, 0.0, 10.0mm  &           with a list; numbers may carry a unit
       comments = "any text"  &                 with a text
       orientation = (ORI_ALONG_AXIS(.a, .b, "Z"))       with an expression, kept as text

A command is its keywords, in lower case, and its arguments in order. What the commands mean is the matter of
``template_file``; what stands in parentheses is read by ``expressions``.

Holds: reading takes time proportional to the length of the text; nothing but trackrod errors is raised, whatever
the text; every command and argument knows its line.

Limits: macros, loops and conditions (``if``, ``for``, ``$variables``) are read as commands but not carried out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.teimorbit.messages import raise_shortened, shown

__all__ = ["Argument", "Command", "Expression", "Number", "Text", "Value", "Word", "parse_commands"]

_MOST_PROBLEMS = 50
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?)([A-Za-z_]*)\Z")
_KEYWORD = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_PLAIN = re.compile(r"""[^\s"',=(){}\[\]!&]+""")
_CONTINUATION = re.compile(r"&\s*(?:!|\Z)")
_OPEN = {"(": ")", "{": "}", "[": "]"}
_CLOSE = {closing: opening for opening, closing in _OPEN.items()}


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands in the file, with its unit word, empty if it has none."""

    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted text, without the quotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """An unquoted word: the name of an object or of a setting."""

    text: str


@dataclass(frozen=True, slots=True)
class Expression:
    """A value that starts with a parenthesis, as it stands; see ``trackrod.adams.expressions``."""

    text: str


Value = Number | Text | Word | Expression


@dataclass(frozen=True, slots=True)
class Argument:
    """One ``name = value, value …`` of a command; the name is in lower case."""

    name: str
    values: tuple[Value, ...]
    place: Place

    def word(self) -> str:
        """The only value, which must be a word or a text."""
        if len(self.values) == 1 and isinstance(self.values[0], Word | Text):
            return self.values[0].text
        raise FileFormatError(Problem(f"{self.name} must be one name or text", self.place))


@dataclass(frozen=True, slots=True)
class Command:
    """One command: keywords such as ``marker create`` and arguments."""

    keywords: tuple[str, ...]
    arguments: tuple[Argument, ...]
    place: Place

    @property
    def name(self) -> str:
        """The keywords, separated by blanks."""
        return " ".join(self.keywords)

    def get(self, name: str) -> Argument | None:
        """The argument called `name`, the last one if it is given twice; None if it is absent."""
        return next((argument for argument in reversed(self.arguments) if argument.name == name), None)


def parse_commands(text: str, file: Path | None = None, first_line: int = 1) -> tuple[Command, ...]:
    """All commands of a text.

    Parameters
    ----------
    text
        Commands, comments and blank lines, with any line ends.
    file
        Where the text comes from, for messages.
    first_line
        Number of the first line of the text in that file.

    Raises
    ------
    FileFormatError
        A quote or a bracket that is not closed, a line that is no command; all such problems are named (the first
        fifty).
    """
    parser = _Parser(file)
    lines = re.split(r"\r\n|\n|\r", text)
    number = 0
    commands = []
    while number < len(lines) and len(parser.problems) < _MOST_PROBLEMS:
        before = len(parser.problems)
        pieces, number = parser.logical_line(lines, number, first_line)
        if pieces and len(parser.problems) == before:
            command = parser.command(pieces)
            if command is not None:
                commands.append(command)
    raise_shortened(parser.problems)
    return tuple(commands)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk without blanks outside quotes and brackets, or one of ``,`` and ``=``."""

    text: str
    line: int


class _Parser:
    """Splits lines into pieces and builds commands from them; collects what is wrong."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def _error(self, text: str, line: int, hint: str = "") -> None:
        self.problems.append(Problem(text, Place(self.file, line), hint=hint))

    def logical_line(self, lines: list[str], index: int, first_line: int) -> tuple[list[_Piece], int]:
        """Pieces of the command that starts at line `index`, and the index of the line after it."""
        pieces: list[_Piece] = []
        chunk: list[str] = []  # parts of the piece that is being read
        chunk_line = 0
        open_brackets: list[tuple[str, int]] = []
        continued = True
        while continued and index < len(lines):
            line, number = lines[index], first_line + index
            index += 1
            continued = bool(pieces or chunk) and line.lstrip().startswith("!")  # a comment between continued lines
            at = 0
            while at < len(line):
                character = line[at]
                if character == "!" and not open_brackets:
                    break
                if character == "&" and _CONTINUATION.match(line, at):
                    continued = True
                    break
                if not open_brackets and (character.isspace() or character in ",="):
                    if chunk:
                        pieces.append(_Piece("".join(chunk), chunk_line))
                        chunk = []
                    if not character.isspace():
                        pieces.append(_Piece(character, number))
                    at += 1
                    continue
                if not chunk:
                    chunk_line = number
                end = self._end_of_token(line, at, number)
                if end is None:
                    return [], index
                if character in _OPEN:
                    open_brackets.append((character, number))
                elif character in _CLOSE and (not open_brackets or open_brackets.pop()[0] != _CLOSE[character]):
                    self._error(f"'{character}' closes nothing", number)
                    return [], index
                chunk.append(line[at:end])
                at = end
            if chunk and not open_brackets:
                pieces.append(_Piece("".join(chunk), chunk_line))
                chunk = []
        if open_brackets:
            self._error(f"'{open_brackets[-1][0]}' is not closed", open_brackets[-1][1])
            return [], index
        return pieces, index

    def _end_of_token(self, line: str, at: int, number: int) -> int | None:
        """End of the quoted text, the plain run or the single character at `at`."""
        quote = line[at]
        if quote in "\"'":
            end = at + 1
            while end < len(line) and line[end] != quote:
                end += 2 if line[end] == "\\" else 1
            if end >= len(line):
                self._error(f"the quote {quote} is not closed", number, "a text ends on the line on which it starts")
                return None
            return end + 1
        plain = _PLAIN.match(line, at)
        return plain.end() if plain else at + 1

    def command(self, pieces: list[_Piece]) -> Command | None:
        place = Place(self.file, pieces[0].line)
        first = next((i for i, piece in enumerate(pieces) if piece.text == "="), len(pieces) + 1) - 1
        keywords = pieces[: max(first, 0)]
        if not keywords:
            self._error("a command must start with its keywords, such as 'marker create'", pieces[0].line)
            return None
        for piece in keywords:
            if not _KEYWORD.match(piece.text):
                self._error(f"'{shown(piece.text)}' is not a keyword of a command", piece.line)
                return None
        arguments = tuple(self._arguments(pieces, first))
        return Command(tuple(piece.text.lower() for piece in keywords), arguments, place)

    def _arguments(self, pieces: list[_Piece], at: int) -> Iterator[Argument]:
        while at < len(pieces):
            name = pieces[at]
            if not _KEYWORD.match(name.text) or at + 1 >= len(pieces) or pieces[at + 1].text != "=":
                self._error(f"'{shown(name.text)}' is neither a value nor 'name = value'", name.line)
                return
            at += 2
            values: list[Value] = []
            while at < len(pieces) and pieces[at].text not in ",=":
                if at + 1 < len(pieces) and pieces[at + 1].text == "=":
                    break  # the argument has no value: the next one starts here
                values.append(_value(pieces[at].text))
                at += 1
                if at >= len(pieces) or pieces[at].text != ",":
                    break
                at += 1
                if at >= len(pieces) or pieces[at].text in ",=":
                    self._error(f"a comma without a value behind it in '{shown(name.text)}'", name.line)
                    return
            yield Argument(name.text.lower(), tuple(values), Place(self.file, name.line))


def _value(text: str) -> Value:
    if text[0] in "\"'" and text[-1] == text[0] and len(text) > 1:
        return Text(re.sub(r"\\([\"'])", r"\1", text[1:-1]))
    if text[0] == "(":
        return Expression(text)
    number = _NUMBER.match(text)
    if number:
        value = float(number[1].lower().replace("d", "e"))
        if math.isfinite(value):
            return Number(value, number[2])
    return Word(text)

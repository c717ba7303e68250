"""Messages stay short: what they show of a file, and how many there are of one file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from trackrod.core.errors import FileFormatError, InputError, Place, Problem, Severity, raise_if_errors

__all__ = ["raise_shortened", "readable", "shown"]

_PROBLEMS_SHOWN = 50  # a garbled file would otherwise fill the screen
_LONGEST_TEXT = 2000  # the longest list of names in a sound file has some hundred characters
#: What a terminal may take as a command, or a page as a new line.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def shown(text: str, length: int = 40) -> str:
    """Text for a message: short, without line ends and control characters."""
    if len(text) <= length and text.isprintable():
        return text
    printable = "".join(character if character.isprintable() else "·" for character in text[: length + 1])
    return printable if len(text) <= length else printable[:length] + "…"


def readable(problem: Problem) -> Problem:
    """The problem, shortened where it quotes too much of a file, without the control characters in what it quotes."""
    text, hint = _readable(problem.text), _readable(problem.hint)
    return problem if (text, hint) == (problem.text, problem.hint) else replace(problem, text=text, hint=hint)


def _readable(text: str) -> str:
    text = text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"
    return _CONTROL.sub("·", text)


def raise_shortened(problems: Iterable[Problem], kind: type[InputError] = FileFormatError) -> None:
    """Raise one error with the first errors, made `readable`, and the number of the others, if there are any."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if len(errors) > _PROBLEMS_SHOWN:
        place = Place(errors[0].place.file)
        errors[_PROBLEMS_SHOWN:] = [Problem(f"and {len(errors) - _PROBLEMS_SHOWN} more errors", place)]
    raise_if_errors(map(readable, errors), kind)

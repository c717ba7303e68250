"""Messages stay short: what they show of a file, and how many there are of one file."""

from __future__ import annotations

from collections.abc import Iterable

from trackrod.core.errors import FileFormatError, InputError, Place, Problem, Severity, raise_if_errors

__all__ = ["raise_shortened", "shown"]

_PROBLEMS_SHOWN = 50  # a garbled file would otherwise fill the screen


def shown(text: str, length: int = 40) -> str:
    """Text for a message: short, without line ends and control characters."""
    if len(text) <= length and text.isprintable():
        return text
    printable = "".join(character if character.isprintable() else "·" for character in text[: length + 1])
    return printable if len(text) <= length else printable[:length] + "…"


def raise_shortened(problems: Iterable[Problem], kind: type[InputError] = FileFormatError) -> None:
    """Raise one error with the first errors and the number of the others, if there are any."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if len(errors) > _PROBLEMS_SHOWN:
        place = Place(errors[0].place.file)
        errors[_PROBLEMS_SHOWN:] = [Problem(f"and {len(errors) - _PROBLEMS_SHOWN} more errors", place)]
    raise_if_errors(errors, kind)

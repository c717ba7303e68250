"""The one tree of errors.

::

    TrackrodError
    ├── InputError (ValueError)            something the user gave is wrong; the command line exits with 2
    │   ├── FileFormatError                a file breaks its format
    │   ├── MissingFileError (FileNotFoundError)
    │   ├── UnitError                      unknown or contradictory unit
    │   ├── UnknownNameError (KeyError)    a name that does not exist, with close matches
    │   └── RangeError                     a number outside its admissible range
    ├── MissingExtraError (ImportError)    an optional package is not installed
    │   └── MissingPackageError            one that is in none of our extras
    └── ConvergenceError (RuntimeError)    a computation did not reach its tolerance

A message says what is wrong, where (file, line, column), the value, what is allowed and what to do. Readers
collect every `Problem` they meet and raise once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = [
    "CacheWarning",
    "ConvergenceError",
    "FileFormatError",
    "InputError",
    "MissingExtraError",
    "MissingFileError",
    "MissingPackageError",
    "Place",
    "Problem",
    "RangeError",
    "Severity",
    "TrackrodError",
    "UnitError",
    "UnknownNameError",
    "close_matches",
    "raise_if_errors",
]


_LONGEST_TEXT = 2000  # the longest list of names in a sound file has some hundred characters
#: What a terminal may take as a command, or a page as a new line.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _readable(text: str) -> str:
    text = text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"
    return _CONTROL.sub("·", text.replace("\n", "; "))


class Severity(StrEnum):
    """How much a problem matters: an error stops the work, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands; lines and columns count from 1, None where unknown."""

    file: Path | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [str(self.file)] if self.file is not None else []
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong or worth knowing, in a sentence, with its place and what to do about it.

    Holds: whatever a message quotes of a file, it is short, and no terminal takes a part of it as a command.
    """

    text: str
    place: Place = Place()
    severity: Severity = Severity.ERROR
    hint: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _readable(self.text))
        object.__setattr__(self, "hint", _readable(self.hint))

    def __str__(self) -> str:
        place = _readable(str(self.place))
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place + ': ' if place else ''}{self.severity}: {self.text}{hint}"

    def as_dict(self) -> dict[str, str | int | None]:
        """The problem as plain data for ``--json`` output."""
        return {
            "severity": str(self.severity),
            "file": str(self.place.file) if self.place.file is not None else None,
            "line": self.place.line,
            "column": self.place.column,
            "text": self.text,
            "hint": self.hint,
        }


class TrackrodError(Exception):
    """Base of every error that Trackrod raises on purpose."""


class InputError(TrackrodError, ValueError):
    """Something the user gave is wrong.

    Parameters
    ----------
    problems
        A sentence, a problem, or all problems found; the message holds one line for each.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        if isinstance(problems, Problem):
            problems = [problems]
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class FileFormatError(InputError):
    """A file breaks the rules of its format."""


class MissingFileError(InputError, FileNotFoundError):
    """A file or folder that was named does not exist."""


class UnitError(InputError):
    """A unit is unknown or does not fit the quantity."""


class UnknownNameError(InputError, KeyError):
    """A name does not exist; the message lists close matches."""

    def __init__(self, what: str, name: str, known: Iterable[str], place: Place | None = None) -> None:
        options = list(known)
        super().__init__(Problem(f"unknown {what} '{name}'", place or Place(), hint=_did_you_mean(name, options)))

    def __str__(self) -> str:  # KeyError would print the repr
        return "\n".join(str(problem) for problem in self.problems)


class RangeError(InputError):
    """A number lies outside its admissible range."""


class MissingExtraError(TrackrodError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package '{package}': pip install 'trackrod[{extra}]'")


class MissingPackageError(MissingExtraError):
    """A package is missing that is in none of our extras: one for convenience, or one that every installation has."""

    def __init__(self, package: str, purpose: str) -> None:
        ImportError.__init__(self, f"{purpose} needs the package '{package}': pip install {package}")


class CacheWarning(UserWarning):
    """Results cannot be kept for the next time: nothing is lost but the time to make them again."""


class ConvergenceError(TrackrodError, RuntimeError):
    """A computation did not reach its tolerance."""


def close_matches(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Other names in `known` that resemble `name`, best first, compared without regard to case."""
    by_folded = {option.casefold(): option for option in known if option != name}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.5)
    return [by_folded[match] for match in found]


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    matches = close_matches(name, known)
    if matches:
        return "did you mean " + " or ".join(f"'{match}'" for match in matches) + "?"
    shown = ", ".join(f"'{option}'" for option in known[:12])
    return f"known: {shown}{', …' if len(known) > 12 else ''}" if known else ""


def raise_if_errors(problems: Iterable[Problem], kind: type[InputError] = InputError) -> None:
    """Raise one error that holds all problems of severity error; do nothing if there are none."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise kind(errors)

"""A TOML file read key by key: every fault is collected with its line, and keys that nobody asked for are named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import (
    InputError,
    Place,
    Problem,
    Severity,
    UnitError,
    UnknownNameError,
)
from trackrod.core.files import require_file
from trackrod.core.quantities import Kind
from trackrod.core.toml_files import read_toml
from trackrod.core.written_units import number_of

__all__ = ["Document", "Section"]

Array = NDArray[np.float64]
E = TypeVar("E", bound=StrEnum)

_TABLES, _TABLE, _ENTRY = (
    re.compile(pattern) for pattern in (r"\s*\[\[(.+?)\]\]", r"\s*\[([^\[\]]+)\]", r"\s*([\w.\"'-]+)\s*=")
)
_LARGEST_FILE = 16 * 2**20
#: Problems of one file that are named.
_MOST_PROBLEMS = 100


class Document:
    """A TOML file and what is wrong with it.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    MissingFileError, FileFormatError
        There is no such file; it is not TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        data, text = read_toml(path, _LARGEST_FILE)
        self.problems: list[Problem] = []
        self._lines = _lines(text)
        self._sections: dict[tuple[str, ...], Section] = {}
        self._places: dict[tuple[str, ...], Place] = {}
        self._data = data
        self.root = self.section((), data)

    def given(self, path: tuple[str, ...]) -> Any:
        """What stands at a path, None if nothing does."""
        found: Any = self._data
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def complete(self, values: Mapping[tuple[str, ...], tuple[Any, Place]]) -> None:
        """Take what the file leaves out from elsewhere, key by key: value and place by path."""
        for path, (value, place) in values.items():
            table: Any = self._data
            for key in path[:-1]:
                table = table.setdefault(key, {}) if isinstance(table, dict) else None
            if isinstance(table, dict) and path[-1] not in table:
                table[path[-1]] = value
                self._places[path] = place

    def section(self, path: tuple[str, ...], data: Mapping[str, Any]) -> Section:
        """A table of the file, one object however often it is asked for, because it remembers what was read."""
        return self._sections.setdefault(path, Section(self, path, data))

    def place(self, path: tuple[str, ...]) -> Place:
        """Where a key stands; where the table around it stands if it is inside one line."""
        if path in self._places:
            return self._places[path]
        while path and path not in self._lines:
            inside = next((line for key, line in self._lines.items() if key[: len(path)] == path), None)
            if inside is not None:  # a table that has no header of its own
                return Place(self.path, inside)
            path = path[:-1]
        return Place(self.path, self._lines.get(path))

    def report(
        self, text: str, path: tuple[str, ...] = (), *, hint: str = "", severity: Severity = Severity.ERROR
    ) -> None:
        """Note a problem, once; of very many the first."""
        if len(self.problems) < _MOST_PROBLEMS:
            problem = Problem(text, self.place(path), severity, hint)
        elif severity is Severity.ERROR:
            problem = Problem("there are more problems, not listed here", Place(self.path))
        else:
            return
        if problem not in self.problems:
            self.problems.append(problem)

    def take(self, error: InputError) -> None:
        """Note the problems of an error."""
        self.problems.extend(error.problems)

    def close(self) -> None:
        """Name the keys that nobody asked for."""
        for section in self._sections.values():
            section.name_unknown()


class Section:
    """A table of a TOML file; asked for a key that is missing or wrong it notes the problem and gives a stand-in."""

    def __init__(self, document: Document, path: tuple[str, ...], data: Mapping[str, Any]) -> None:
        self.document = document
        self.path = path
        self._data = data
        self._known: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        self._known[key] = None
        return key in self._data

    @property
    def title(self) -> str:
        """As it stands in the file."""
        return f"[{'.'.join(self.path)}]" if self.path else "the file"

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in it."""
        return not self._data

    def report(self, key: str, text: str, *, hint: str = "", severity: Severity = Severity.ERROR) -> None:
        """Note a problem of a key."""
        path = (*self.path, key) if key else self.path
        self.document.report(f"{self.title}: {text}", path, hint=hint, severity=severity)

    def place(self, key: str) -> Place:
        """Where a key stands."""
        return self.document.place((*self.path, key))

    def names(self) -> Iterator[str]:
        """The keys of a table whose names the user chooses."""
        for key in self._data:
            self._known[key] = None
            yield key

    def raw(self, key: str, meaning: str = "", *, default: Any = None, needed: bool = False) -> Any:
        """What stands there; a missing key is a problem if it is needed."""
        self._known[key] = None
        if key not in self._data and needed:
            self.report("", f"'{key}' is missing: {meaning}")
        return self._data.get(key, default)

    def text(self, key: str, meaning: str, default: str | None = None) -> str:
        """A text; needed if there is no default."""
        value = self.raw(key, meaning, default=default, needed=default is None)
        if value is not None and not isinstance(value, str):
            self.report(key, f"'{key}' is {value!r}, a text is needed: {meaning}")
            value = None
        return value or default or ""

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.raw(key, default=default)
        if not isinstance(value, bool):
            self.report(key, f"'{key}' is {value!r}, true or false is needed")
            return default
        return value

    def word(self, key: str, words: type[E], default: E | None = None) -> E:
        """One of the words of an enumeration; needed if there is no default."""
        value = self.raw(key, f"one of {', '.join(words)}", default=default, needed=default is None)
        if value not in tuple(words):
            if value is not None:
                for problem in UnknownNameError(f"word for '{key}'", str(value), words).problems:
                    self.report(key, problem.text, hint=problem.hint)
            return default if default is not None else next(iter(words))
        return words(value)

    def number(
        self, key: str, kind: Kind, meaning: str, *, default: float | None = None, low: float | None = None
    ) -> float:
        """A number, or a text with its unit [SI unit of the kind]; not a number where it is missing or wrong."""
        value = self.raw(key, f"{meaning} {kind.label}", default=default, needed=default is None)
        return float("nan") if value is None else self._number(key, value, kind, low)

    def numbers(self, key: str, kind: Kind, meaning: str, count: int | None = None) -> Array:
        """A list of numbers [SI unit of the kind], empty where it is missing or wrong."""
        value = self.raw(key, f"{meaning} {kind.label}", needed=True)
        if value is None:
            return np.zeros(count or 0)
        if not isinstance(value, list) or (count is not None and len(value) != count):
            needed = f"a list of {count} numbers" if count is not None else "a list of numbers"
            self.report(key, f"'{key}' is {_short(value)}, {needed} is needed: {meaning} {kind.label}")
            return np.zeros(count or 0)
        return np.array([self._number(key, item, kind, None) for item in value])

    def rows(self, key: str, kind: Kind, meaning: str) -> Array:
        """Lists of numbers, all of one length [SI unit of the kind]; empty where they are missing or wrong."""
        value = self.raw(key, f"{meaning} {kind.label}", needed=True)
        lists = value if isinstance(value, list) else []
        if not lists or not all(isinstance(row, list) and len(row) == len(lists[0]) for row in lists):
            if value is not None:
                self.report(key, f"'{key}' is {_short(value)}, lists of one length are needed: {meaning} {kind.label}")
            return np.zeros((0, 0))
        return np.array([[self._number(key, item, kind, None) for item in row] for row in lists])

    def pair(self, key: str, kind: Kind, meaning: str, *, default: float | None = None) -> tuple[float, float]:
        """A number for both sides, or two for left and right [SI unit of the kind]."""
        if isinstance(self._data.get(key), list):
            left, right = self.numbers(key, kind, meaning, 2)
            return float(left), float(right)
        both = self.number(key, kind, meaning, default=default, low=0.0)
        return both, both

    def _number(self, key: str, value: object, kind: Kind, low: float | None) -> float:
        try:
            number = number_of(value, kind, self.place(key))
        except UnitError as error:
            self.report(key, f"'{key}': {error.problems[0].text}", hint=error.problems[0].hint)
            return float("nan")
        if not kind.admits(number) or (low is not None and number < low):
            least = kind.low if low is None else max(low, kind.low)
            self.report(key, f"'{key}' is {number:g} {kind.unit}; from {least:g} to {kind.high:g} is possible")
            return float("nan")
        return number

    def section(self, key: str, meaning: str = "", *, needed: bool = False) -> Section:
        """A table inside; an empty one if there is none."""
        value = self.raw(key, meaning, default={}, needed=needed)
        if not isinstance(value, dict):
            self.report(key, f"'{key}' is {_short(value)}, a table is needed" + (f": {meaning}" if meaning else ""))
            value = {}
        return self.document.section((*self.path, key), value)

    def sections(self, key: str) -> list[Section]:
        """The tables of an array of tables."""
        value = self.raw(key, default=[])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.report(key, f"'{key}' must be given as tables, [[{key}]]")
            value = []
        return [self.document.section((*self.path, key, str(i)), item) for i, item in enumerate(value)]

    def file(self, key: str, meaning: str) -> Path | None:
        """A file named relative to the folder of this one; None, and a problem, if it cannot be read."""
        name = self.text(key, meaning)
        if not name:
            return None
        try:
            return require_file(self.document.path.parent / name)
        except InputError as error:
            self.report(key, f"'{name}': {error.problems[0].text}: {meaning}")
            return None

    def name_unknown(self) -> None:
        """Note the keys that nobody asked for, with close matches."""
        for key in self._data:
            if key not in self._known:
                for problem in UnknownNameError("key", key, self._known).problems:
                    self.report(key, problem.text, hint=problem.hint)


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Line of every key and table header; tables of an array carry their number."""
    found: dict[tuple[str, ...], int] = {}
    prefix: tuple[str, ...] = ()
    arrays: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLES.match(line):
            name = _split(header[1])
            arrays[name] = arrays.get(name, -1) + 1
            prefix = (*name, str(arrays[name]))
        elif header := _TABLE.match(line):
            name = _split(header[1])
            array = next((name[:n] for n in range(len(name), 0, -1) if name[:n] in arrays), None)
            prefix = name if array is None else (*array, str(arrays[array]), *name[len(array) :])
        elif entry := _ENTRY.match(line):
            found.setdefault((*prefix, *_split(entry[1])), number)
            continue
        else:
            continue
        found.setdefault(prefix, number)
    return found


def _split(name: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in name.split("."))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"

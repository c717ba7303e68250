"""Infofiles of CarMaker as they are: keys with a value, or with the lines of a table below them.

::

    #INFOFILE1.1 - Do not remove this line!
    Body.mass = 1391.1
    Body.pos = $x=2.224 0.0 0.526          a named value counts as its number
    SuspF.Damp_Push:
        0.0  0.0                           indented lines belong to the key above; "" is a line without content
        1.0  880.0
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.files import read_bytes
from trackrod.core.teimorbit.messages import readable, shown

__all__ = ["InfoFile", "read_infofile"]

Array = NDArray[np.float64]

_LARGEST_FILE = 16 * 2**20
_ENTRY = re.compile(r"([^\s=:]{1,200})\s*([=:])(.*)\Z", re.DOTALL)
_NAMED = re.compile(r"\$\w{0,100}=")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?\Z", re.ASCII)
_LARGEST_NUMBER = 1e30


@dataclass(frozen=True, slots=True)
class _Entry:
    line: int
    value: str
    rows: list[tuple[int, str]]


@dataclass(frozen=True, slots=True, eq=False)
class InfoFile:
    """Entries by key; what is asked for and is not a number raises a FileFormatError with its place.

    Attributes
    ----------
    path
        Where it was read.
    """

    path: Path
    _entries: Mapping[str, _Entry]

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def keys(self) -> Iterator[str]:
        """All keys, in the order of the file."""
        return iter(self._entries)

    def place(self, key: str) -> Place:
        """Where a key stands; the file where there is none."""
        entry = self._entries.get(key)
        return Place(self.path, entry.line if entry else None)

    def fail(self, key: str, text: str, hint: str = "") -> FileFormatError:
        """An error at a key."""
        return FileFormatError(readable(Problem(text, self.place(key), hint=hint)))

    def text(self, key: str) -> str:
        """What stands behind a key, nothing where there is none."""
        entry = self._entries.get(key)
        return entry.value if entry else ""

    def word(self, key: str) -> str:
        """The first word behind a key: the kind of an element, without the version that follows it."""
        return next(iter(self.text(key).split()), "")

    def numbers(self, key: str, count: int, meaning: str) -> Array:
        """So many numbers behind a key; words after them are left out."""
        if not self.text(key):
            raise self.fail(key, f"'{key}' is missing: {meaning}")
        words = _NAMED.sub("", self.text(key)).split()
        if len(words) < count:
            raise self.fail(key, f"'{key}' has {len(words)} values, {count} are needed: {meaning}")
        return np.array([self._number(word, self.place(key), key) for word in words[:count]])

    def number(self, key: str, meaning: str, default: float | None = None) -> float:
        """The number behind a key; needed if there is no default."""
        if default is not None and not self.text(key):
            return default
        return float(self.numbers(key, 1, meaning)[0])

    def row(self, key: str, meaning: str) -> Array:
        """All numbers behind a key."""
        return self.numbers(key, max(len(self.text(key).split()), 1), meaning)

    def table(self, key: str, width: int, meaning: str) -> Array:
        """The lines below a key, all of `width` numbers."""
        entry = self._entries.get(key)
        if entry is None:
            raise self.fail(key, f"'{key}:' is missing: {meaning}")
        rows = []
        for line, written in entry.rows:
            words = _NAMED.sub("", written).split()
            if not words or words == ['""'] or words[0].startswith("#"):
                continue
            place = Place(self.path, line)
            if len(words) != width:
                text = f"the line of '{key}' has {len(words)} values, {width} are needed: {meaning}"
                raise FileFormatError(Problem(text, place))
            rows.append([self._number(word, place, key) for word in words])
        if not rows:
            raise self.fail(key, f"'{key}:' has no lines of numbers: {meaning}")
        return np.array(rows)

    def is_table(self, key: str) -> bool:
        """Whether lines of a table stand below a key."""
        entry = self._entries.get(key)
        return entry is not None and bool(entry.rows)

    def _number(self, word: str, place: Place, key: str) -> float:
        if _NUMBER.match(word):
            number = float(word.replace("d", "e").replace("D", "e"))
            if abs(number) <= _LARGEST_NUMBER:
                return number
        raise FileFormatError(Problem(f"'{shown(word)}' at '{key}' is not a number", place))


def read_infofile(path: Path) -> InfoFile:
    """Read an infofile.

    Raises
    ------
    MissingFileError, FileFormatError
        There is no such file; it is not an infofile, or a key occurs twice.
    """
    content = read_bytes(path, _LARGEST_FILE)
    if b"\0" in content:
        raise FileFormatError(Problem("the file is binary, an infofile is text", Place(path)))
    entries: dict[str, _Entry] = {}
    rows: list[tuple[int, str]] | None = None
    for number, line in enumerate(re.split("\r\n|\n|\r", content.decode("utf-8-sig", errors="replace")), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            if rows is not None:
                rows.append((number, line.strip()))
            continue
        found = _ENTRY.match(line)
        if found is None:
            text = f"'{shown(line)}' is neither a comment nor 'key = value' nor 'key:'"
            raise FileFormatError(Problem(text, Place(path, number), hint="is this an infofile of CarMaker?"))
        key, mark, value = found.groups()
        if key in entries:
            text = f"'{shown(key)}' stands already in line {entries[key].line}"
            raise FileFormatError(Problem(text, Place(path, number), hint="delete one of both"))
        rows = [] if mark == ":" else None
        entries[key] = _Entry(number, value.strip(), rows if rows is not None else [])
    if not entries:
        raise FileFormatError(Problem("the file has no 'key = value'", Place(path)))
    return InfoFile(path, entries)

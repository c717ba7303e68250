"""Text of an infofile that knows where each of its keys came from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from trackrod.core.infofile import FIRST_LINE, InfoText

__all__ = ["KeyRow", "SourcedText"]

#: Parts of keys that stand for each other: corners, sides, loads and numbers.
_ALIKE = re.compile(r"(?<=\.)(?:fl|fr|rl|rr|\d+|L|R)(?=\.|$)")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """Keys that differ in a corner, a side or a number alone, and where their values came from."""

    key: str
    source: str


class SourcedText(InfoText):
    """An infofile as it is being written; what is put next comes from `source`."""

    def __init__(self, first: str = FIRST_LINE, *, source: str = "") -> None:
        super().__init__(first)
        self.source = source
        self._sources: dict[str, str] = {}

    def put(self, key: str, *values: float | str) -> None:
        """A key with its value, or with several."""
        self._sources[key] = self.source
        super().put(key, *values)

    def put_lines(self, key: str, lines: Iterable[str] = ()) -> None:
        """A key with lines of text below it."""
        self._sources[key] = self.source
        super().put_lines(key, lines)

    def rows(self) -> list[KeyRow]:
        """All keys in their order, those that are alike once."""
        found = dict.fromkeys((_ALIKE.sub("*", key), source) for key, source in self._sources.items())
        return [KeyRow(key, source) for key, source in found]

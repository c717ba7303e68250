"""How one value is spelled: numbers, quoted texts and lists of them, from text and to text.

Holds: a literal that is written here is read back as the same value.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

import numpy as np

from trackrod.core.errors import InputError
from trackrod.core.teimorbit.messages import shown

__all__ = [
    "NAME",
    "Cell",
    "Value",
    "cell_literal",
    "checked",
    "is_number",
    "number_or_word",
    "value_literal",
]

#: What stands in a table: a number or a text.
Cell: TypeAlias = float | int | str

#: What stands behind ``KEY =``: a number, a text, a list of numbers, a list of texts, or nothing.
Value: TypeAlias = Cell | tuple[float, ...] | tuple[str, ...] | None

_INTEGER_DIGITS = 18  # longer digit strings are read as floating point
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
_QUOTABLE = re.compile(r"(?:[^\s'](?:[^'\r\n]*[^\s'])?)?")

#: Name of an attribute, or one word of it.
NAME = re.compile(r"[^\s,'$!=<>\[\](){}]+")


def is_number(word: str) -> bool:
    """Whether the word, as a whole, is a number; NaN and inf are words."""
    return _NUMBER.fullmatch(word) is not None


def number_or_word(word: str) -> Cell:
    """The number that an unquoted word spells, in C or Fortran fashion, or the word itself."""
    if not is_number(word):
        return word
    if len(word) <= _INTEGER_DIGITS and word.lstrip("+-").isdigit():
        return int(word)
    return float(word.replace("D", "E").replace("d", "e"))


def value_literal(value: object, name: str) -> str:
    """The value of the attribute `name` as it stands in a file; InputError if none can stand for it."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        if len(value) < 2:
            raise InputError(f"{name}: a list needs two values or more, it has {len(value)}")
        if len({isinstance(item, str) for item in value}) > 1:
            raise InputError(f"{name}: a list holds numbers or texts, not both")
        return ",".join(cell_literal(item, name) for item in value)
    return cell_literal(value, name)


def cell_literal(value: object, name: str) -> str:
    """A number or a quoted text as it stands in a file; `name` is for messages."""
    if isinstance(value, str):
        return f"'{checked(value, f'{name}: the text', _QUOTABLE)}'"
    return _number_literal(value, name)


def checked(text: str, what: str, pattern: re.Pattern[str]) -> str:
    """The text, once it is certain that it can be written such that it is read back the same."""
    if pattern.fullmatch(text) is None or "\0" in text:
        raise InputError(f"{what} '{shown(text)}' cannot be written in a TeimOrbit file")
    return text


def _number_literal(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{name}: {shown(repr(value))} is not a value that TeimOrbit text can hold")
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10 ** (_INTEGER_DIGITS - 1):
            raise InputError(f"{name}: a whole number must have less than {_INTEGER_DIGITS} digits")
        return str(int(value))
    if not math.isfinite(value):
        raise InputError(f"{name}: {value} cannot be written; a number must be finite")
    return repr(float(value))

"""TOML files: what Python's parser makes of them, or what is wrong and where; and how they are written."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.files import read_bytes

__all__ = ["read_toml", "to_toml"]

#: How Python's parser says where it stopped.
_WHERE = re.compile(r" \(at line (\d+), column (\d+)\)")
#: A key of more parts than these; time and memory of the parser grow with the square of their number.
_MOST_PARTS = 100
_LONG_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}""")
_DEEP = "lists or tables are nested too deep"


def read_toml(path: Path, most: int) -> tuple[dict[str, Any], str]:
    """The content of a TOML file, and its text.

    Parameters
    ----------
    path
        The file.
    most
        Size [byte] beyond which it is refused, unread.

    Raises
    ------
    InputError
        There is no such file, or it is too large, no text or no TOML; with the line where there is one.
    """
    content = read_bytes(path, most)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(path, content.count(b"\n", 0, error.start) + 1)
        raise FileFormatError(Problem(f"the file is not TOML: it is not UTF-8 text, {error.reason}", place)) from None
    if long := _LONG_KEY.search(text):
        place = Place(path, text.count("\n", 0, long.start()) + 1)
        raise FileFormatError(Problem(f"the key has more than {_MOST_PARTS} parts", place))
    try:
        return tomllib.loads(text), text
    except RecursionError:
        raise FileFormatError(Problem(f"the file is not TOML: {_DEEP}", Place(path))) from None
    except ValueError as error:  # a TOMLDecodeError, or a number with more digits than Python reads
        where = _WHERE.search(str(error))
        place = Place(path, int(where[1]), int(where[2])) if where else Place(path)
        raise FileFormatError(Problem(f"the file is not TOML: {_WHERE.sub('', str(error))}", place)) from None


def to_toml(content: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """Lines of a TOML file: values first, then the tables below, then arrays of tables."""
    tables = {key: value for key, value in content.items() if isinstance(value, Mapping)}
    arrays = {key: value for key, value in content.items() if _is_array_of_tables(value)}
    for key, value in content.items():
        if key not in tables and key not in arrays:
            yield f"{_key(key)} = {_value(value)}"
    for key, table in tables.items():
        if table:
            if not all(isinstance(item, Mapping) for item in table.values()):
                yield f"\n[{'.'.join(_key(part) for part in (*path, key))}]"
            yield from to_toml(table, (*path, key))
    for key, rows in arrays.items():
        for row in rows:
            yield f"\n[[{'.'.join(_key(part) for part in (*path, key))}]]"
            yield from to_toml(row, (*path, key))


def _is_array_of_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return repr(number) if math.isfinite(number) else str(number)
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False)
    return f"[{', '.join(_value(item) for item in value)}]"

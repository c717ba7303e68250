"""TOML files: what Python's parser makes of them, or what is wrong and where."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.files import read_bytes

__all__ = ["read_toml"]

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

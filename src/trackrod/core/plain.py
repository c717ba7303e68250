"""Plain data: None, booleans, whole numbers, finite numbers, text, sequences and mappings with text keys.

What a run is described by, what an artefact holds and what its hash is made of is plain data, so that it
can be written as JSON, read by any other program and compared.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, TypeAlias

from trackrod.core.errors import InputError, Problem

__all__ = ["Plain", "canonical_json", "freeze", "pretty_json", "thaw"]

Plain: TypeAlias = "bool | int | float | str | Sequence[Plain] | Mapping[str, Plain] | None"


def freeze(value: object, what: str = "value") -> Any:
    """A copy of `value` that nobody can change: tuples for sequences, read-only mappings for mappings.

    NumPy scalars become Python numbers; anything that is not plain data is an error.

    Parameters
    ----------
    value
        What is to be stored.
    what
        How messages name it.

    Raises
    ------
    InputError
        With every place that does not hold plain data.

    Holds: ``freeze(freeze(x)) == freeze(x)``, and JSON and back gives the same frozen value.
    """
    problems: list[Problem] = []
    frozen = _freeze(value, what, problems)
    if problems:
        raise InputError(problems)
    return frozen


def _freeze(value: object, where: str, problems: list[Problem]) -> Any:
    if type(value) is float and math.isfinite(value):  # most of all there is, and quickly told
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not _is_unicode(value):
            problems.append(Problem(f"{where} is not valid Unicode text"))
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        if not math.isfinite(value):
            problems.append(Problem(f"{where} is {float(value)}; only finite numbers are plain data"))
        return float(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not _is_unicode(key):
                problems.append(Problem(f"{where} has the key {key!r}; keys must be text"))
        return MappingProxyType({str(key): _freeze(item, f"{where}.{key}", problems) for key, item in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return tuple(_freeze(item, f"{where}[{index}]", problems) for index, item in enumerate(value))
    problems.append(
        Problem(
            f"{where} is a {type(value).__name__}, which is not plain data",
            hint="use None, true or false, numbers, text, lists and dictionaries",
        )
    )
    return None


def thaw(value: Plain) -> Any:
    """The inverse of `freeze`: lists and dictionaries that may be changed."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [thaw(item) for item in value]
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def canonical_json(value: Plain) -> str:
    """JSON in one form only: sorted keys, no white space, ASCII, shortest exact numbers. Hashes use it.

    Holds: equal plain data gives equal text, whatever the order of the keys.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=dict)


def pretty_json(value: Plain) -> str:
    """JSON for people and version control: sorted keys, one entry a line, a row of numbers on one line.

    Holds: reading it gives the same data as `canonical_json`.
    """
    return "".join(_pretty(value, "")) + "\n"


def _pretty(value: Plain, indent: str) -> Iterator[str]:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        for index, key in enumerate(sorted(value)):
            yield f"{',' if index else '{'}\n{inner}{json.dumps(key, ensure_ascii=False)}: "
            yield from _pretty(value[key], inner)
        yield f"\n{indent}}}"
    elif isinstance(value, Sequence) and not isinstance(value, str) and any(map(_is_container, value)):
        for index, item in enumerate(value):
            yield f"{',' if index else '['}\n{inner}"
            yield from _pretty(item, inner)
        yield f"\n{indent}]"
    else:
        yield json.dumps(value, ensure_ascii=False, allow_nan=False, default=dict)


def _is_container(value: Plain) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str)

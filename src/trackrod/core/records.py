"""Frozen dataclasses as plain data and back, driven by their type hints.

A class that is saved needs no conversion of its own: numbers, texts, enumerations, tuples, mappings, arrays, quantity
kinds and other dataclasses are written and read by what its fields say they are. Fields that do not take part in the
comparison of the class, or that hold a path or the problems of a reader, belong to where it came from and are left out.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union

import numpy as np

from trackrod.core.errors import InputError, Problem
from trackrod.core.plain import Plain
from trackrod.core.quantities import KINDS, Kind

__all__ = ["from_plain", "to_plain"]

T = TypeVar("T")


def to_plain(record: Any) -> dict[str, Plain]:
    """The fields of a dataclass as plain data."""
    hints = _hints(record.__class__)
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record) if _is_saved(field, hints)}


def from_plain(kind: type[T], data: Mapping[str, Any]) -> T:
    """The dataclass `kind` made of what `to_plain` wrote.

    Raises
    ------
    InputError
        A field is missing, unknown, or not of its type; every one is named.

    Holds: ``from_plain(type(x), to_plain(x))`` is equal to x.
    """
    return _Reader().record(kind, data, kind.__name__)  # type: ignore[no-any-return]


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _is_saved(field: Field[Any], hints: Mapping[str, Any]) -> bool:
    named = {hints[field.name], *typing.get_args(hints[field.name])}
    return field.init and field.compare and not named & {Path, Problem}


def _plain(value: Any) -> Plain:
    if isinstance(value, Kind):
        return value.name
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value):
        return to_plain(value)
    if isinstance(value, np.ndarray):
        return value.tolist()  # type: ignore[no-any-return]
    if isinstance(value, Mapping):
        return {str(key.value if isinstance(key, Enum) else key): _plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(_plain(item) for item in value)  # type: ignore[type-var]
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value  # type: ignore[no-any-return]


class _Reader:
    """Reads plain data by type hints and says where it does not fit."""

    def record(self, kind: type, data: Any, where: str) -> Any:
        if not isinstance(data, Mapping):
            raise InputError(f"{where} must be a table of fields, it is {_shown(data)}")
        hints = _hints(kind)
        saved = [field for field in fields(kind) if _is_saved(field, hints)]
        names = {field.name for field in saved}
        needed = {f.name for f in saved if f.default is MISSING and f.default_factory is MISSING}
        problems = [f"{where} has the unknown field '{name}'" for name in data if name not in names]
        problems += [f"{where} lacks the field '{name}'" for name in sorted(needed - set(data))]
        if problems:
            raise InputError([Problem(text) for text in problems])
        values = self._each((hints[name], item, f"{where}.{name}") for name, item in data.items())
        return kind(**dict(zip(data, values, strict=True)))

    def value(self, hint: Any, data: Any, where: str) -> Any:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (Union, types.UnionType):
            if data is None and type(None) in arguments:
                return None
            return self.value(next(a for a in arguments if a is not type(None)), data, where)
        if hint is Kind:
            return self._kind(data, where)
        if origin is np.ndarray:
            return self._array(data, where)
        if origin is tuple:
            return self._tuple(arguments, data, where)
        if origin is frozenset:
            return frozenset(self._each((arguments[0], item, where) for item in self._sequence(data, where)))
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(arguments, data, where)
        if is_dataclass(hint):
            return self.record(typing.cast(type, hint), data, where)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return self._enum(hint, data, where)
        return self._scalar(hint, data, where)

    def _each(self, entries: Iterable[tuple[Any, Any, str]]) -> list[Any]:
        """The values of (hint, data, where); the problems of all of them are raised together."""
        values: list[Any] = []
        problems: list[Problem] = []
        for hint, data, where in entries:
            try:
                values.append(self.value(hint, data, where))
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return values

    def _scalar(self, hint: Any, data: Any, where: str) -> Any:
        fits = (
            isinstance(data, bool)
            if hint is bool
            else isinstance(data, int | float) and not isinstance(data, bool)
            if hint is float
            else isinstance(data, hint) and not isinstance(data, bool)
        )
        try:
            if fits:
                return hint(data)
        except OverflowError:  # a whole number beyond the floating-point ones
            pass
        raise InputError(f"{where} must be a {hint.__name__}, it is {_shown(data)}")

    def _enum(self, hint: type[Enum], data: Any, where: str) -> Enum:
        try:
            return hint(data)
        except ValueError:
            options = ", ".join(str(option.value) for option in hint)
            raise InputError(f"{where} is {_shown(data)}, allowed are {options}") from None

    def _kind(self, data: Any, where: str) -> Kind:
        if not isinstance(data, str) or data not in KINDS:
            raise InputError(f"{where} is {_shown(data)}, which is not a known quantity")
        return KINDS[data]

    def _sequence(self, data: Any, where: str) -> Any:
        if not isinstance(data, tuple | list):
            raise InputError(f"{where} must be a list, it is {_shown(data)}")
        return data

    def _tuple(self, arguments: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
        items = self._sequence(data, where)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(self._each((arguments[0], item, f"{where}[{i}]") for i, item in enumerate(items)))
        if len(items) != len(arguments):
            raise InputError(f"{where} must have {len(arguments)} entries, it has {len(items)}")
        pairs = enumerate(zip(arguments, items, strict=True))
        return tuple(self._each((hint, item, f"{where}[{i}]") for i, (hint, item) in pairs))

    def _mapping(self, arguments: tuple[Any, ...], data: Any, where: str) -> dict[Any, Any]:
        if not isinstance(data, Mapping):
            raise InputError(f"{where} must be a table, it is {_shown(data)}")
        key, item = arguments
        keys = self._each((key, k, f"a key of {where}") for k in data)
        return dict(zip(keys, self._each((item, v, f"{where}.{k}") for k, v in data.items()), strict=True))

    def _array(self, data: Any, where: str) -> Any:
        try:
            array = np.array(self._sequence(data, where))
        except ValueError:  # rows of different lengths
            raise InputError(f"{where} must be an array of numbers, all rows of one length") from None
        if array.dtype.kind not in "iuf":  # NumPy would take None as nan, and text that looks like a number
            raise InputError(f"{where} must be an array of numbers")
        return array.astype(np.float64)


def _shown(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:37]}…"

"""What distinguishes two vehicles: every number and name that is not the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from trackrod.core.plain import Plain
from trackrod.core.records import to_plain
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Difference", "differences"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same.

    Attributes
    ----------
    where
        Path to it: ``springs.front_suspension.ride_spring_left.installed_length``.
    first, second
        What it is in the two vehicles; None where it is not there.
    """

    where: str
    first: Plain
    second: Plain

    @property
    def change(self) -> float | None:
        """Relative change of a number [-]; None for what is not a number or was zero."""
        if _is_number(self.first) and _is_number(self.second) and self.first:
            return self.second / self.first - 1.0
        return None


def differences(first: Vehicle, second: Vehicle, tolerance: float = 1e-9) -> tuple[Difference, ...]:
    """Everything that differs by more than `tolerance` of its magnitude, in the order of the description.

    Holds: a vehicle does not differ from itself; exchanging the vehicles exchanges the sides of each difference.
    """
    return tuple(_walk("", to_plain(first), to_plain(second), tolerance))


def _walk(where: str, first: Plain, second: Plain, tolerance: float) -> Iterator[Difference]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys((*first, *second)):
            yield from _walk(f"{where}.{key}" if where else key, first.get(key), second.get(key), tolerance)
    elif _is_list(first) and _is_list(second):
        yield from _walk_lists(where, first, second, tolerance)
    elif not _same(first, second, tolerance):
        yield Difference(where, first, second)


def _walk_lists(where: str, first: Sequence[Plain], second: Sequence[Plain], tolerance: float) -> Iterator[Difference]:
    """Records by their names; lists of numbers as a whole."""
    names = [_name(item) for item in (*first, *second)]
    if names and all(name is not None for name in names):
        one, other = ({_name(item): item for item in items} for items in (first, second))
        for name in dict.fromkeys(names):
            yield from _walk(f"{where}.{name}", one.get(name), other.get(name), tolerance)
    elif len(first) != len(second):
        yield Difference(where, list(first), list(second))
    else:
        inner = [d for i, (a, b) in enumerate(zip(first, second, strict=True)) for d in _walk(f"{i}", a, b, tolerance)]
        if inner and all(isinstance(item, int | float | Sequence) for item in (*first, *second)):
            yield Difference(where, list(first), list(second))
        else:
            for difference in inner:
                yield Difference(f"{where}[{difference.where}]", difference.first, difference.second)


def _name(item: Plain) -> str | None:
    if isinstance(item, Mapping):
        return next((str(item[key]) for key in ("name", "corner", "position") if isinstance(item.get(key), str)), None)
    return None


def _is_list(value: Plain) -> TypeGuard[Sequence[Plain]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_number(value: Plain) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(first: Plain, second: Plain, tolerance: float) -> bool:
    if _is_number(first) and _is_number(second):
        return math.isclose(first, second, rel_tol=tolerance, abs_tol=1e-12)
    return first == second

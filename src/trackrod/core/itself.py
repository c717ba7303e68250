"""Things as keys by what they are, not by what they hold: for results that are worked out once for each of them."""

from __future__ import annotations

from typing import Generic, TypeVar

__all__ = ["Itself"]

T = TypeVar("T")


class Itself(Generic[T]):
    """Something that equals nothing else; as long as nobody can change it, what follows from it stays the same."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

"""Positions and directions that know which hardpoints they follow from.

A vehicle is made of numbers. Where one of its positions or directions was made from hardpoints, it says how, so that
a program that has the vehicle alone can move a hardpoint and find the same vehicle as a reader of its files would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from trackrod.vehicle.elements import Vector

__all__ = [
    "AsDrawn",
    "Law",
    "Placed",
    "Rule",
    "follows",
    "hardpoint",
    "hardpoints_of",
    "not_followed",
    "refusals_of",
    "unit",
]


class Law(IntEnum):
    """How a position or a direction follows from others; numbers of ``NodeData::Kind`` in the core."""

    HARDPOINT = 1
    MEAN = 2
    DIRECTION = 3
    MINUS = 4
    CROSS_FIRST = 5
    CROSS_SECOND = 6
    REFUSED = -1


@dataclass(frozen=True, slots=True)
class Rule:
    """A law and what it is of.

    Attributes
    ----------
    law
        How it follows.
    operands
        From what; empty for a hardpoint.
    name
        Of a hardpoint its name; of what is refused the reason.
    """

    law: Law
    operands: tuple[Vector, ...] = ()
    name: str = ""


class Placed(tuple[float, float, float]):
    """A vector with the rule that it follows; else like any other."""

    rule: Rule

    def __new__(cls, values: Vector, rule: Rule) -> Placed:
        """A vector of these values."""
        made = super().__new__(cls, values)
        made.rule = rule
        return made

    def __getnewargs__(self) -> tuple[Vector, Rule]:
        return (self[0], self[1], self[2]), self.rule


class AsDrawn(float):
    """A length that follows from the distance of the points between which it is drawn [m]."""


def hardpoint(name: str, position: Vector) -> Vector:
    """The position of a hardpoint."""
    return Placed(position, Rule(Law.HARDPOINT, name=name))


def follows(value: Vector, law: Law, *operands: Vector) -> Vector:
    """A vector made from others; a plain one if none of these follows from a hardpoint."""
    if not any(isinstance(operand, Placed) for operand in operands):
        return value
    return Placed(value, Rule(law, operands))


def not_followed(value: Vector, reason: str, *others: Vector) -> Vector:
    """A vector on whose hardpoints, and on those of others, more depends than positions and directions."""
    known = any(isinstance(vector, Placed) for vector in (value, *others))
    return Placed(value, Rule(Law.REFUSED, (value, *others), reason)) if known else value


def unit(x: float, y: float, z: float) -> Vector:
    """The unit vector along another one, by the arithmetic of the core: the same to the last bit there."""
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def hardpoints_of(vector: Vector) -> Iterator[str]:
    """Names of the hardpoints that a vector follows from."""
    if isinstance(vector, Placed):
        if vector.rule.law is Law.HARDPOINT:
            yield vector.rule.name
        for operand in vector.rule.operands:
            yield from hardpoints_of(operand)


def refusals_of(vector: Vector) -> Iterator[tuple[str, str]]:
    """Hardpoints on which more depends, and the reasons."""
    if isinstance(vector, Placed):
        if vector.rule.law is Law.REFUSED:
            yield from ((name, vector.rule.name) for name in hardpoints_of(vector))
        for operand in vector.rule.operands:
            yield from refusals_of(operand)

"""Flat structures of numbers: fields with names, units and order, declared once for both languages.

A structure is declared as a tuple of `Field`; ``tools/generate_headers.py`` writes the C++ structure of the same names
in the same order, and `Layout` says where each number lies in the flat array that crosses between the languages.
Standard library only, because the build imports it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from trackrod.core.quantities import KINDS, Kind

__all__ = [
    "AXLES",
    "ENVIRONMENT",
    "QUATERNION",
    "SIDES",
    "VECTOR",
    "WHEELS",
    "WHEEL_INPUTS",
    "Field",
    "Layout",
    "Structure",
    "field",
]

#: Labels along the axes that fields may have.
VECTOR = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
WHEELS = ("fl", "fr", "rl", "rr")
SIDES = ("left", "right")
AXLES = ("front", "rear")


@dataclass(frozen=True, slots=True)
class Field:
    """One number or an array of numbers.

    Attributes
    ----------
    name
        Identifier, also in C++.
    kind
        What it is; gives the unit. A structure inside a structure has none.
    meaning
        In a few words.
    axes
        Labels along each axis, the first the slowest; empty for one number.
    default
        Value at the beginning, of all elements or of each [SI].
    inner
        The structure that every element is, if it is one.
    """

    name: str
    kind: Kind
    meaning: str
    axes: tuple[tuple[str, ...], ...] = ()
    default: float | tuple[float, ...] = 0.0
    inner: Structure | None = None

    def elements(self) -> Iterator[tuple[str, Kind]]:
        """Names and kinds of all numbers, in order."""
        for labels in itertools.product(*self.axes):
            stem = ".".join((self.name, *labels))
            if self.inner is None:
                yield stem, self.kind
            else:
                for name, kind in self.inner.elements():
                    yield f"{stem}.{name}", kind

    def defaults(self) -> Iterator[float]:
        """Values of all numbers at the beginning, in order."""
        copies = math.prod(len(axis) for axis in self.axes)
        if self.inner is not None:
            return itertools.chain.from_iterable(self.inner.defaults() for _ in range(copies))
        return iter(self.default if isinstance(self.default, tuple) else (self.default,) * copies)

    @property
    def size(self) -> int:
        """How many numbers."""
        return sum(1 for _ in self.elements())


@dataclass(frozen=True, slots=True)
class Structure:
    """Fields in order, under the name that the structure has in C++."""

    name: str
    meaning: str
    fields: tuple[Field, ...]

    def elements(self) -> Iterator[tuple[str, Kind]]:
        """Names and kinds of all numbers, in order."""
        return itertools.chain.from_iterable(item.elements() for item in self.fields)

    def defaults(self) -> Iterator[float]:
        """Values of all numbers at the beginning, in order."""
        return itertools.chain.from_iterable(item.defaults() for item in self.fields)

    @property
    def size(self) -> int:
        """How many numbers."""
        return sum(item.size for item in self.fields)


class Layout:
    """Where the numbers of fields lie in a row.

    Parameters
    ----------
    fields
        In order.
    """

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.names = tuple(name for item in fields for name, _ in item.elements())
        self.slices: dict[str, slice] = {}
        start = 0
        for item in fields:
            self.slices[item.name] = slice(start, start + item.size)
            start += item.size
        self.size = start

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def column(self, name: str) -> int:
        """Of a single number, or the first of several."""
        return int(self.slices[name].start)


def field(
    name: str,
    kind: str | Structure,
    meaning: str,
    *axes: tuple[str, ...],
    default: float | tuple[float, ...] = 0.0,
) -> Field:
    """A field of a kind by name, or of a structure."""
    if isinstance(kind, Structure):
        return Field(name, KINDS["number"], meaning, axes, default, kind)
    return Field(name, KINDS[kind], meaning, axes, default)


#: What assistance systems do at the wheels beside the driver, alike in all models (`trackrod.core.wheel_inputs`).
WHEEL_INPUTS = (
    field("brake_torque", "torque", "of the brakes beside the pedal's, not negative", WHEELS),
    field("drive_torque", "torque", "of the half-shafts beside the driveline's, forward positive", WHEELS),
    field("steer_offset", "angle", "of the wheels against their carriers about z of V, left positive", WHEELS),
    field("damper_force", "force", "along the dampers beside their own, pushing the ends apart", WHEELS),
    field("spring_force", "force", "along the springs beside their own, pushing the ends apart", WHEELS),
)
#: What road and air are like where a vehicle drives, alike in all models (`trackrod.core.environment`).
ENVIRONMENT = Structure(
    "Environment",
    "What road and air are like where a vehicle drives.",
    (
        field("slope", "angle", "of the road along the vehicle, rising ahead"),
        field("bank", "angle", "of the road across the vehicle, the left side higher"),
        field("friction", "number", "of the road over that of the one that the tyres were measured on", default=1.0),
        field("head_wind", "velocity", "of the air along the vehicle, from the front"),
    ),
)

"""Functions that an expression of Adams/View may call, and the scope in which they look up objects.

Locations are in global axes; orientations are body-fixed 3-1-3 angles (about z, the new x, the new z) from global axes.

Only what is listed in `FUNCTIONS` can be called, and nothing of Python can be reached from an expression.

Limits: trigonometric functions are not read: whether Adams takes their argument in degrees or radians could not be
verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.expression_values import Refusal, Value, as_array, as_number, as_vector, power
from trackrod.adams.expressions import Name, Node
from trackrod.adams.orientations import (
    along_axis,
    body313_from_rotation,
    in_plane,
    rotation_from_body313,
    unit_vector,
)
from trackrod.core.units import UnitSystem

__all__ = ["FUNCTIONS", "Arguments", "Function", "Scope"]

Array = NDArray[np.float64]


class Scope(Protocol):
    """What an expression can refer to. Names are as written, lengths in the units of the model."""

    @property
    def units(self) -> UnitSystem:
        """Units of the model."""

    def location(self, name: str) -> Array:
        """Global location of an object, shape (3,)."""

    def rotation(self, name: str) -> Array:
        """Rotation from the axes of an object to global axes, shape (3, 3)."""

    def value(self, name: str) -> Value:
        """Value of a variable or of a field of an object."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call, each evaluated as what the function needs, when it asks; `at` counts from 0."""

    nodes: tuple[Node, ...]
    scope: Scope
    evaluate: Callable[[Node, Scope], Value]

    def value(self, at: int) -> Value:
        """Any value."""
        return self.evaluate(self.nodes[at], self.scope)

    def number(self, at: int) -> float:
        """One number."""
        return as_number(self.value(at))

    def vector(self, at: int) -> Array:
        """Three numbers, shape (3,)."""
        return as_vector(self.value(at))

    def name(self, at: int) -> str:
        """The name of an object, which is not evaluated."""
        node = self.nodes[at]
        if not isinstance(node, Name):
            raise Refusal(f"argument {at + 1} must be the name of an object")
        return node.name

    def location(self, at: int) -> Array:
        """Global location of the object that is named."""
        return self.scope.location(self.name(at))

    def rotation(self, at: int) -> Array:
        """Rotation from the axes of the object that is named to global axes."""
        return self.scope.rotation(self.name(at))

    def orientation(self, at: int) -> Array:
        """Angles given as three numbers, as a rotation matrix."""
        return rotation_from_body313(self.vector(at) * self.scope.units.angle)

    def angles(self, rotation: Array) -> Array:
        """A rotation matrix as angles in the units of the model, the result of a function."""
        return body313_from_rotation(rotation) / self.scope.units.angle

    def axes(self, at: int, allowed: tuple[str, ...]) -> str:
        """A text that names axes, in small letters."""
        value = self.value(at)
        if not isinstance(value, str) or value.strip().lower() not in allowed:
            raise Refusal(f"argument {at + 1} must be one of {', '.join(allowed)}, not {value!r}")
        return value.strip().lower()


_AXES = ("x", "y", "z")
_PLANES = ("xy", "yx", "yz", "zy", "zx", "xz")
_AXIS_AND_PLANE = tuple(f"{a}_{a}{b}" for a in "xyz" for b in "xyz" if a != b)


def _loc_centered(a: Arguments) -> Array:
    coordinates, count = as_array(a.value(0)), a.number(1)
    if coordinates.size != 3 * count or not coordinates.size:
        raise Refusal(f"LOC_CENTERED has {coordinates.size} coordinates for {count:g} points")
    return np.asarray(coordinates.reshape(-1, 3).mean(axis=0))


def _loc_mirror(a: Arguments) -> Array:
    plane = a.axes(2, _PLANES)
    flip = np.array([1.0 if axis in plane else -1.0 for axis in _AXES])
    rotation, origin = a.rotation(1), a.location(1)
    return origin + rotation @ (flip * (rotation.T @ (a.vector(0) - origin)))


def _loc_along_line(a: Arguments) -> Array:
    return a.location(0) + a.number(2) * unit_vector(a.location(1) - a.location(0))


def _ori_in_plane(a: Arguments) -> Array:
    axes = a.axes(3, _AXIS_AND_PLANE)
    return a.angles(in_plane(a.location(0), a.location(1), a.location(2), axes[0], axes[3]))


@dataclass(frozen=True, slots=True)
class Function:
    """How many arguments a function takes, and what it computes from them."""

    arguments: int
    compute: Callable[[Arguments], Value]


#: Functions that an expression may call, with the number of their arguments. Objects are given by name.
FUNCTIONS: Mapping[str, Function] = {
    "EVAL": Function(1, lambda a: a.value(0)),
    "ABS": Function(1, lambda a: abs(a.number(0))),
    "SQRT": Function(1, lambda a: power(a.number(0), 0.5)),
    "MIN": Function(2, lambda a: min(a.number(0), a.number(1))),
    "MAX": Function(2, lambda a: max(a.number(0), a.number(1))),
    "DM": Function(2, lambda a: float(np.linalg.norm(a.location(0) - a.location(1)))),
    "LOC_RELATIVE_TO": Function(2, lambda a: a.location(1) + a.rotation(1) @ a.vector(0)),
    "LOC_GLOBAL": Function(2, lambda a: a.location(1) + a.rotation(1) @ a.vector(0)),
    "LOC_LOCAL": Function(2, lambda a: a.rotation(1).T @ (a.vector(0) - a.location(1))),
    "LOC_ALONG_LINE": Function(3, _loc_along_line),
    "LOC_ON_AXIS": Function(3, lambda a: a.location(0) + a.number(1) * a.rotation(0)[:, "xyz".index(a.axes(2, _AXES))]),
    "LOC_CENTERED": Function(2, _loc_centered),
    "LOC_MIRROR": Function(3, _loc_mirror),
    "ORI_RELATIVE_TO": Function(2, lambda a: a.angles(a.rotation(1) @ a.orientation(0))),
    "ORI_GLOBAL": Function(2, lambda a: a.angles(a.rotation(1) @ a.orientation(0))),
    "ORI_LOCAL": Function(2, lambda a: a.angles(a.rotation(1).T @ a.orientation(0))),
    "ORI_ALONG_AXIS": Function(3, lambda a: a.angles(along_axis(a.location(0), a.location(1), a.axes(2, _AXES)))),
    "ORI_IN_PLANE": Function(4, _ori_in_plane),
}

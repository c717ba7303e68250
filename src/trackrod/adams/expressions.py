"""Expressions of Adams/View: parser and evaluator.

::

    (LOC_ALONG_LINE(.m.ground.hpl_lower, .m.ground.hpl_upper, 0.33 * DM(.m.ground.hpl_lower, .m.ground.hpl_upper)))
    (ORI_RELATIVE_TO({180d - .m.pvl_toe_angle, -90d, 180d}, .m.ground.origo))
    (.m.phs_kinematic_flag || .m.model_class == "template" ? 1 : 0)

Numbers are evaluated in the units of the model, because a number without a unit means them; one with a unit
(``10mm``, ``90d``, ``{1, 2, 3}degrees``, ``7801(kg/meter**3)``) is converted into them. Locations are in global
axes; orientations are body-fixed 3-1-3 angles (about z, the new x, the new z) from global axes. True is 1, false 0.

Only what is listed in `FUNCTIONS` can be called, and nothing of Python can be reached from an expression.

Holds: an expression is refused or evaluated, never anything but a trackrod error, in time bounded by its length.

Limits: ORI_ALONG_AXIS leaves the turn about the axis open; the rule of `along_axis` was read off files that Adams
wrote, for x and z in general position, for y from a single example in the x-y plane; that of `in_plane` for points on
one line from eight markers with ``Z_ZX``. Trigonometric functions are not
read: whether Adams takes their argument in degrees or radians could not be verified.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import FileFormatError, Place, Problem, RangeError, UnitError, close_matches
from trackrod.core.units import UNIT_WORDS, UnitSystem

__all__ = [
    "FUNCTIONS",
    "Call",
    "Node",
    "Scope",
    "UndefinedDirectionError",
    "Value",
    "along_axis",
    "body313_from_rotation",
    "evaluate",
    "in_plane",
    "in_units",
    "parse_expression",
    "rotation_from_body313",
]

_LONGEST = 20_000
_DEEPEST = 40
#: Sine of the angle below which two directions count as one.
_PARALLEL = 1e-9

Array = NDArray[np.float64]
Value = float | str | Array


class UndefinedDirectionError(RangeError):
    """Points coincide or lie on one line, so that they do not define the orientation that is asked for."""


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


# ---------------------------------------------------------------------------------------------- geometry


def rotation_from_body313(angles: ArrayLike) -> Array:
    """Rotation matrix of body-fixed 3-1-3 angles.

    Parameters
    ----------
    angles
        About z, the new x and the new z, shape (3,) [rad].

    Returns
    -------
    ndarray
        Turns components in the rotated axes into components in the axes of origin, shape (3, 3).
    """
    psi, theta, phi = np.asarray(angles, dtype=float)
    return _about_z(psi) @ _about_x(theta) @ _about_z(phi)


def body313_from_rotation(rotation: ArrayLike) -> Array:
    """Body-fixed 3-1-3 angles of a rotation matrix, shape (3,) [rad], the second from 0 to π.

    Holds: ``rotation_from_body313(body313_from_rotation(R))`` is R.
    """
    r = np.asarray(rotation, dtype=float)
    sine = math.hypot(r[0, 2], r[1, 2])
    theta = math.atan2(sine, r[2, 2])
    if sine < _PARALLEL:  # only the sum or the difference of the other two is defined
        return np.array([math.atan2(r[1, 0], r[0, 0]), theta, 0.0])
    return np.array([math.atan2(r[0, 2], -r[1, 2]), theta, math.atan2(r[2, 0], r[2, 1])])


def along_axis(start: ArrayLike, end: ArrayLike, axis: str) -> Array:
    """Rotation matrix whose `axis` points from `start` to `end`.

    The turn about the direction is chosen as Adams does: with x or z along it, the new y leans towards global y as
    far as it can; with y along it, the new z leans towards global z. Where the direction is that global axis itself,
    the new x (z for the axis x) is the global one.

    Holds: the matrix is a rotation; its column of `axis` is the direction.
    """
    direction = _unit(np.asarray(end, dtype=float) - np.asarray(start, dtype=float))
    _, y, z = np.eye(3)
    if axis == "x":
        other, across = 2, np.cross(direction, y)
    elif axis == "y":
        other, across = 0, np.cross(direction, z)
    else:
        other, across = 0, np.cross(y, direction)
    if np.linalg.norm(across) < _PARALLEL:
        across = np.eye(3)[other]
    return _from_columns("xyz".index(axis), direction, other, across)


def in_plane(start: ArrayLike, end: ArrayLike, point: ArrayLike, axis: str, other: str) -> Array:
    """Rotation matrix whose `axis` points from `start` to `end` and whose `other` axis leans towards `point`.

    Where the three points lie on one line, `other` leans towards the global axis of the same name instead, as in the
    files that Adams writes.

    Raises
    ------
    UndefinedDirectionError
        `end` or `point` coincides with `start`, or the line of all three is that global axis.

    Holds: the matrix is a rotation; `point` lies in the plane of the two axes, on the positive side of `other`.
    """
    origin = np.asarray(start, dtype=float)
    direction = _unit(np.asarray(end, dtype=float) - origin)
    towards = _unit(np.asarray(point, dtype=float) - origin)
    second = "xyz".index(other)
    for leaning in (towards, np.eye(3)[second]):
        across = leaning - (leaning @ direction) * direction
        if np.linalg.norm(across) > _PARALLEL:
            return _from_columns("xyz".index(axis), direction, second, across)
    raise UndefinedDirectionError("the three points lie on one line and define no plane")


def _from_columns(along: int, direction: Array, second: int, across: Array) -> Array:
    rotation = np.empty((3, 3))
    rotation[:, along] = direction
    across = _unit(across)
    rotation[:, second] = _unit(
        across - (across @ direction) * direction
    )  # again: a difference of near equals is rough
    third = 3 - along - second
    sign = 1.0 if (along + 1) % 3 == second else -1.0
    rotation[:, third] = sign * np.cross(rotation[:, along], rotation[:, second])
    return rotation


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > 0 or not math.isfinite(length):
        raise UndefinedDirectionError("two points coincide and define no direction")
    return vector / length


def _about_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


# ------------------------------------------------------------------------------------------------- units


_BASE_OF_WORD = {word: (base, factor) for base, words in UNIT_WORDS.items() for word, factor in words.items()}


def in_units(word: str, units: UnitSystem, place: Place | None = None) -> float:
    """Factor from the unit called `word` into the units of the model: 0.001 for ``mm`` in a model in metres."""
    found = _BASE_OF_WORD.get(word.casefold())
    if found is None:
        near = close_matches(word, _BASE_OF_WORD)
        hint = "did you mean " + " or ".join(f"'{match}'" for match in near) + "?" if near else ""
        raise UnitError(Problem(f"'{word}' is not a unit", place or Place(), hint=hint))
    base, factor = found
    if base == "pressure":
        return factor / (units.pressure or units.force / units.length**2)
    return factor / float(getattr(units, base))


# -------------------------------------------------------------------------------------------------- tree


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    units: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    text: str


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


@dataclass(frozen=True, slots=True)
class _List:
    items: tuple[Node, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A function of `FUNCTIONS`, or one that is not known, with its arguments."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Index:
    item: Node
    index: Node


@dataclass(frozen=True, slots=True)
class _Unary:
    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class _Chain:
    """Operators of one rank from left to right; a list, so that a long sum is not a deep tree."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    condition: Node
    then: Node
    otherwise: Node


Node = _Number | _Text | _Name | _List | Call | _Index | _Unary | _Chain | _Choice


# ------------------------------------------------------------------------------------------------ parser


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>\.?[A-Za-z_]\w*(?:\.\w+)*)
    | (?P<text>"[^"]*"|'[^']*')
    | (?P<operator>\*\*|\|\||&&|==|!=|<=|>=|//|[-+*/<>!?:(){}\[\],^])
    )""",
    re.VERBOSE | re.ASCII,
)
_RANKS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-", "//"), ("*", "/"))


def parse_expression(text: str, place: Place | None = None) -> Node:
    """The tree of an expression.

    Raises
    ------
    FileFormatError
        It is no expression, is longer than 20 000 characters or nested deeper than 40 brackets.
    """
    return _ExpressionParser(text, place or Place()).parse()


class _ExpressionParser:
    def __init__(self, text: str, place: Place) -> None:
        self.place = place
        self.depth = 0
        self.at = 0
        if len(text) > _LONGEST:
            raise self._error(f"the expression has {len(text)} characters, {_LONGEST} are allowed")
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise self._error(f"'{text[position : position + 20].strip()}' cannot be read in an expression")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()

    def _error(self, text: str) -> FileFormatError:
        return FileFormatError(Problem(text, self.place))

    def _peek(self) -> str:
        """The next operator, empty if something else comes."""
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        return text if kind == "operator" else ""

    def _take(self, operator: str) -> None:
        if self._peek() != operator:
            found = f"'{self.tokens[self.at][1]}'" if self.at < len(self.tokens) else "the end"
            raise self._error(f"'{operator}' is expected in the expression, found {found}")
        self.at += 1

    def parse(self) -> Node:
        node = self._choice()
        if self.at < len(self.tokens):
            raise self._error(f"'{self.tokens[self.at][1]}' is not expected in the expression")
        return node

    def _choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error(f"the expression is nested deeper than {_DEEPEST} levels")
        node = self._binary(0)
        if self._peek() == "?":
            self.at += 1
            then = self._choice()
            self._take(":")
            node = _Choice(node, then, self._choice())
        self.depth -= 1
        return node

    def _binary(self, rank: int) -> Node:
        if rank == len(_RANKS):
            return self._signed()
        first = self._binary(rank + 1)
        rest = []
        while self._peek() in _RANKS[rank] and self._peek():
            operator = self._peek()
            self.at += 1
            rest.append((operator, self._binary(rank + 1)))
        return _Chain(first, tuple(rest)) if rest else first

    def _signed(self) -> Node:
        operators = []
        while self._peek() in ("-", "+", "!"):
            operators.append(self._peek())
            self.at += 1
        if len(operators) > _DEEPEST:
            raise self._error("too many signs in the expression")
        node = self._power()
        for operator in reversed(operators):
            node = _Unary(operator, node)
        return node

    def _power(self) -> Node:
        node = self._primary()
        if self._peek() in ("**", "^"):
            self.at += 1
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._error(f"the expression is nested deeper than {_DEEPEST} levels")
            node = _Chain(node, (("**", self._signed()),))
            self.depth -= 1
        return node

    def _primary(self) -> Node:
        if self.at >= len(self.tokens):
            raise self._error("the expression ends too early")
        kind, text = self.tokens[self.at]
        self.at += 1
        node: Node
        if kind == "number":
            return self._number(text)
        if kind == "text":
            return _Text(text[1:-1])
        if kind == "name":
            node = Call(text.upper(), self._items("(", ")")) if self._peek() == "(" else _Name(text)
        elif text == "(":
            node = self._choice()
            self._take(")")
        elif text in "{[":
            self.at -= 1
            items = self._items(text, "}" if text == "{" else "]")
            node = _List(items, self._unit_word())
        else:
            raise self._error(f"'{text}' is not expected in the expression")
        if self._peek() == "[":
            indices = self._items("[", "]")
            if len(indices) != 1:
                raise self._error("an index must be one number")
            node = _Index(node, indices[0])
        return node

    def _items(self, opening: str, closing: str) -> tuple[Node, ...]:
        self._take(opening)
        items: list[Node] = []
        while self._peek() != closing:
            if items:
                self._take(",")
            items.append(self._choice())
        self.at += 1
        return tuple(items)

    def _unit_word(self) -> str:
        if self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "name" and "." not in text:
                self.at += 1
                return text
        return ""

    def _number(self, text: str) -> Node:
        value = float(text)
        if not math.isfinite(value):
            raise self._error(f"{text[:40]} is beyond the range of a number")
        word = self._unit_word()
        if word:
            return _Number(value, ((word, 1),))
        return _Number(value, self._compound_unit()) if self._peek() == "(" else _Number(value)

    def _compound_unit(self) -> tuple[tuple[str, int], ...]:
        """The unit in parentheses behind a number: ``(kg/meter**3)``."""
        self._take("(")
        found: list[tuple[str, int]] = []
        sign = 1
        while True:
            word = self._unit_word()
            if not word:
                raise self._error("a unit is expected behind the number")
            exponent = 1
            if self._peek() in ("**", "^"):
                self.at += 1
                kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
                if kind != "number" or text not in ("1", "2", "3", "4"):
                    raise self._error("the exponent of a unit must be 1, 2, 3 or 4")
                exponent = int(text)
                self.at += 1
            found.append((word, sign * exponent))
            if self._peek() not in ("*", "/"):
                break
            sign = 1 if self._peek() == "*" else -1
            self.at += 1
        self._take(")")
        return tuple(found)


# --------------------------------------------------------------------------------------------- evaluator


def evaluate(node: Node, scope: Scope, place: Place | None = None) -> Value:
    """Value of an expression, in the units of the model.

    Raises
    ------
    FileFormatError, RangeError, UnitError
        A function or operation that is not known here, a wrong argument, a result that is no finite number.
    UndefinedDirectionError
        Points that do not define the direction that is asked for.
    """
    place = place or Place()
    try:
        with np.errstate(all="ignore"):
            return _finite(_evaluate(node, scope))
    except UndefinedDirectionError as error:
        raise UndefinedDirectionError(Problem(error.problems[0].text, place)) from None
    except _Refusal as error:
        raise FileFormatError(Problem(str(error), place)) from None


class _Refusal(Exception):  # noqa: N818 - becomes a FileFormatError with the place
    """Why an expression cannot be evaluated."""


def _finite(value: Value) -> Value:
    if not isinstance(value, str) and not np.all(np.isfinite(value)):
        raise _Refusal("the result is not a finite number")
    return value


def _evaluate(node: Node, scope: Scope) -> Value:
    match node:
        case _Number(value, units):
            for word, exponent in units:
                value *= in_units(word, scope.units) ** exponent
            return value
        case _Text(text):
            return text
        case _Name(name):
            return scope.value(name)
        case _List(items, unit):
            values = [_as_array(_evaluate(item, scope)) for item in items]
            flat = np.concatenate(values) if values else np.zeros(0)
            return flat * in_units(unit, scope.units) if unit else flat
        case Call(function, arguments):
            return _call(function, arguments, scope)
        case _Index(item, index):
            return _element(_as_array(_evaluate(item, scope)), _evaluate(index, scope))
        case _Unary(operator, operand):
            value_of = _evaluate(operand, scope)
            if operator == "!":
                return float(not _truth(value_of))
            if isinstance(value_of, str):
                raise _Refusal(f"a text has no sign: '{value_of}'")
            return -value_of if operator == "-" else value_of
        case _Choice(condition, then, otherwise):
            return _evaluate(then if _truth(_evaluate(condition, scope)) else otherwise, scope)
        case _Chain(first, rest):
            result = _evaluate(first, scope)
            for operator, operand in rest:
                result = _combine(operator, result, _evaluate(operand, scope))
            return result


def _element(values: Array, index: Value) -> float:
    if not isinstance(index, float) or not index.is_integer() or not 1 <= index <= values.size:
        raise _Refusal(f"the index must be a whole number from 1 to {values.size}")
    return float(values[int(index) - 1])


def _as_array(value: Value) -> Array:
    if isinstance(value, str):
        raise _Refusal(f"a number is expected, not the text '{value}'")
    return np.atleast_1d(np.asarray(value, dtype=float)).ravel()


def _as_number(value: Value) -> float:
    array = _as_array(value)
    if array.size != 1:
        raise _Refusal(f"one number is expected, not {array.size}")
    return float(array[0])


def _as_vector(value: Value) -> Array:
    array = _as_array(value)
    if array.size != 3:
        raise _Refusal(f"three numbers are expected, not {array.size}")
    return array


def _truth(value: Value) -> bool:
    return bool(value) if isinstance(value, str) else _as_number(value) != 0


def _combine(operator: str, left: Value, right: Value) -> Value:
    if operator == "||":
        return float(_truth(left) or _truth(right))
    if operator == "&&":
        return float(_truth(left) and _truth(right))
    if operator == "//":
        if isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= _LONGEST:
            return left + right
        raise _Refusal("'//' joins two texts")
    if isinstance(left, str) or isinstance(right, str):
        if operator in ("==", "!=") and isinstance(left, str) and isinstance(right, str):
            return float((left == right) == (operator == "=="))
        raise _Refusal(f"'{operator}' does not work with a text")
    if operator in _COMPARISONS:
        return float(_COMPARISONS[operator](_as_number(left), _as_number(right)))
    if operator == "**":
        return _power(_as_number(left), _as_number(right))
    if np.size(left) != np.size(right) and 1 not in (np.size(left), np.size(right)):
        raise _Refusal(f"'{operator}' between {np.size(left)} and {np.size(right)} numbers")
    if operator == "/" and np.any(np.asarray(right) == 0):
        raise _Refusal("division by zero")
    result = _ARITHMETIC[operator](np.asarray(left, dtype=float), np.asarray(right, dtype=float))
    return _finite(float(result) if result.ndim == 0 else result)


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        raise _Refusal(f"{base:g} ** {exponent:g} is not a finite real number") from None


_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_ARITHMETIC: Mapping[str, Callable[[Array, Array], Array]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


# --------------------------------------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The arguments of one call, each evaluated as what the function needs."""

    nodes: tuple[Node, ...]
    scope: Scope

    def value(self, at: int) -> Value:
        return _evaluate(self.nodes[at], self.scope)

    def number(self, at: int) -> float:
        return _as_number(self.value(at))

    def vector(self, at: int) -> Array:
        return _as_vector(self.value(at))

    def name(self, at: int) -> str:
        node = self.nodes[at]
        if not isinstance(node, _Name):
            raise _Refusal(f"argument {at + 1} must be the name of an object")
        return node.name

    def location(self, at: int) -> Array:
        return self.scope.location(self.name(at))

    def rotation(self, at: int) -> Array:
        return self.scope.rotation(self.name(at))

    def orientation(self, at: int) -> Array:
        """Angles given as three numbers, as a rotation matrix."""
        return rotation_from_body313(self.vector(at) * self.scope.units.angle)

    def angles(self, rotation: Array) -> Array:
        return body313_from_rotation(rotation) / self.scope.units.angle

    def axes(self, at: int, allowed: tuple[str, ...]) -> str:
        value = self.value(at)
        if not isinstance(value, str) or value.strip().lower() not in allowed:
            raise _Refusal(f"argument {at + 1} must be one of {', '.join(allowed)}, not {value!r}")
        return value.strip().lower()


_AXES = ("x", "y", "z")
_PLANES = ("xy", "yx", "yz", "zy", "zx", "xz")
_AXIS_AND_PLANE = tuple(f"{a}_{a}{b}" for a in "xyz" for b in "xyz" if a != b)


def _loc_centered(a: _Arguments) -> Array:
    coordinates, count = _as_array(a.value(0)), a.number(1)
    if coordinates.size != 3 * count or not coordinates.size:
        raise _Refusal(f"LOC_CENTERED has {coordinates.size} coordinates for {count:g} points")
    return np.asarray(coordinates.reshape(-1, 3).mean(axis=0))


def _loc_mirror(a: _Arguments) -> Array:
    plane = a.axes(2, _PLANES)
    flip = np.array([1.0 if axis in plane else -1.0 for axis in _AXES])
    rotation, origin = a.rotation(1), a.location(1)
    return origin + rotation @ (flip * (rotation.T @ (a.vector(0) - origin)))


def _loc_along_line(a: _Arguments) -> Array:
    return a.location(0) + a.number(2) * _unit(a.location(1) - a.location(0))


def _ori_in_plane(a: _Arguments) -> Array:
    axes = a.axes(3, _AXIS_AND_PLANE)
    return a.angles(in_plane(a.location(0), a.location(1), a.location(2), axes[0], axes[3]))


@dataclass(frozen=True, slots=True)
class _Function:
    arguments: int
    compute: Callable[[_Arguments], Value]


#: Functions that an expression may call, with the number of their arguments. Objects are given by name.
FUNCTIONS: Mapping[str, _Function] = {
    "EVAL": _Function(1, lambda a: a.value(0)),
    "ABS": _Function(1, lambda a: abs(a.number(0))),
    "SQRT": _Function(1, lambda a: _power(a.number(0), 0.5)),
    "MIN": _Function(2, lambda a: min(a.number(0), a.number(1))),
    "MAX": _Function(2, lambda a: max(a.number(0), a.number(1))),
    "DM": _Function(2, lambda a: float(np.linalg.norm(a.location(0) - a.location(1)))),
    "LOC_RELATIVE_TO": _Function(2, lambda a: a.location(1) + a.rotation(1) @ a.vector(0)),
    "LOC_GLOBAL": _Function(2, lambda a: a.location(1) + a.rotation(1) @ a.vector(0)),
    "LOC_LOCAL": _Function(2, lambda a: a.rotation(1).T @ (a.vector(0) - a.location(1))),
    "LOC_ALONG_LINE": _Function(3, _loc_along_line),
    "LOC_ON_AXIS": _Function(
        3, lambda a: a.location(0) + a.number(1) * a.rotation(0)[:, "xyz".index(a.axes(2, _AXES))]
    ),
    "LOC_CENTERED": _Function(2, _loc_centered),
    "LOC_MIRROR": _Function(3, _loc_mirror),
    "ORI_RELATIVE_TO": _Function(2, lambda a: a.angles(a.rotation(1) @ a.orientation(0))),
    "ORI_GLOBAL": _Function(2, lambda a: a.angles(a.rotation(1) @ a.orientation(0))),
    "ORI_LOCAL": _Function(2, lambda a: a.angles(a.rotation(1).T @ a.orientation(0))),
    "ORI_ALONG_AXIS": _Function(3, lambda a: a.angles(along_axis(a.location(0), a.location(1), a.axes(2, _AXES)))),
    "ORI_IN_PLANE": _Function(4, _ori_in_plane),
}


def _call(name: str, nodes: tuple[Node, ...], scope: Scope) -> Value:
    function = FUNCTIONS.get(name)
    if function is None:
        near = close_matches(name, FUNCTIONS)
        raise _Refusal(f"the function {name[:40]} is not known" + (f", {near[0]} is" if near else ""))
    if len(nodes) != function.arguments:
        raise _Refusal(f"{name} takes {function.arguments} arguments, not {len(nodes)}")
    return _finite(function.compute(_Arguments(nodes, scope)))

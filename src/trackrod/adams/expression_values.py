"""Values of expressions of Adams/View: numbers in the units of the model, lists of them, texts; and the operators.

A number without a unit means the units of the model, one with a unit is converted into them. True is 1, false 0.
What does not fit raises `Refusal`, which knows no place; ``expression_evaluation`` adds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.expressions import LONGEST
from trackrod.core.errors import Place, Problem, UnitError, close_matches
from trackrod.core.units import UNIT_WORDS, UnitSystem

__all__ = [
    "Refusal",
    "Value",
    "as_array",
    "as_number",
    "as_vector",
    "combine",
    "finite",
    "in_units",
    "power",
    "truth",
]

Array = NDArray[np.float64]
Value = float | str | Array


class Refusal(Exception):  # noqa: N818 - becomes a FileFormatError with the place
    """Why an expression cannot be evaluated."""


def finite(value: Value) -> Value:
    """The value itself, refused where a number of it is not finite."""
    if not isinstance(value, str) and not np.all(np.isfinite(value)):
        raise Refusal("the result is not a finite number")
    return value


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


def as_array(value: Value) -> Array:
    """The numbers of a value, shape (n,)."""
    if isinstance(value, str):
        raise Refusal(f"a number is expected, not the text '{value}'")
    return np.atleast_1d(np.asarray(value, dtype=float)).ravel()


def as_number(value: Value) -> float:
    """The only number of a value."""
    array = as_array(value)
    if array.size != 1:
        raise Refusal(f"one number is expected, not {array.size}")
    return float(array[0])


def as_vector(value: Value) -> Array:
    """The three numbers of a value, shape (3,)."""
    array = as_array(value)
    if array.size != 3:
        raise Refusal(f"three numbers are expected, not {array.size}")
    return array


def truth(value: Value) -> bool:
    """Whether a value counts as true: a text that is not empty, a number that is not 0."""
    return bool(value) if isinstance(value, str) else as_number(value) != 0


def combine(operator: str, left: Value, right: Value) -> Value:
    """Result of an operator between two values."""
    if operator == "||":
        return float(truth(left) or truth(right))
    if operator == "&&":
        return float(truth(left) and truth(right))
    if operator == "//":
        if isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= LONGEST:
            return left + right
        raise Refusal("'//' joins two texts")
    if isinstance(left, str) or isinstance(right, str):
        if operator in ("==", "!=") and isinstance(left, str) and isinstance(right, str):
            return float((left == right) == (operator == "=="))
        raise Refusal(f"'{operator}' does not work with a text")
    if operator in _COMPARISONS:
        return float(_COMPARISONS[operator](as_number(left), as_number(right)))
    if operator == "**":
        return power(as_number(left), as_number(right))
    if np.size(left) != np.size(right) and 1 not in (np.size(left), np.size(right)):
        raise Refusal(f"'{operator}' between {np.size(left)} and {np.size(right)} numbers")
    if operator == "/" and np.any(np.asarray(right) == 0):
        raise Refusal("division by zero")
    result = _ARITHMETIC[operator](np.asarray(left, dtype=float), np.asarray(right, dtype=float))
    return finite(float(result) if result.ndim == 0 else result)


def power(base: float, exponent: float) -> float:
    """`base` to the power of `exponent`, refused where it is no finite real number."""
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        raise Refusal(f"{base:g} ** {exponent:g} is not a finite real number") from None


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

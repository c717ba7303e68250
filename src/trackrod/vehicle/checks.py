"""What the parts of a vehicle refuse: findings as sentences, collected and raised once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import Problem, RangeError, raise_if_errors

__all__ = [
    "frozen",
    "not_increasing",
    "not_positive",
    "refuse",
]


def frozen(values: ArrayLike) -> NDArray[np.float64]:
    """A copy that cannot be written to; −0 becomes 0, so that equal arrays have equal bytes."""
    array: NDArray[np.float64] = np.array(values, dtype=np.float64) + 0.0
    array.setflags(write=False)
    return array


def refuse(problems: list[str]) -> None:
    """Raise all problems at once, if there are any."""
    raise_if_errors([Problem(text) for text in problems], RangeError)


def not_increasing(name: str, values: NDArray[np.float64]) -> list[str]:
    """What keeps an array from being a strictly increasing abscissa of two points or more."""
    if values.ndim != 1 or values.size < 2:
        return [f"{name} needs two values or more in one row, it has the shape {values.shape}"]
    if not np.isfinite(values).all():
        return [f"{name} must be finite"]
    folds = np.flatnonzero(values[1:] <= values[:-1])
    if folds.size:
        before, after = values[folds[0]], values[folds[0] + 1]
        return [f"{name} must increase from value to value, {after:g} follows {before:g}"]
    return []


def not_positive(**values: float) -> list[str]:
    """Which of the named values are not finite and greater than zero."""
    return [
        f"{name} = {value:g} must be finite and greater than zero"
        for name, value in values.items()
        if not (math.isfinite(value) and value > 0)
    ]

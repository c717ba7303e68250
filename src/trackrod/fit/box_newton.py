"""The smallest value of a smooth function in a box: damped Newton steps, cut at the bounds.

For functions of a few variables whose second derivatives are cheap. A step takes the size of every curvature, so that
it goes downhill also where the function bends down; one that does not go down is repeated with more damping, in the
limit a short one along the gradient.

Reference: Bertsekas, Projected Newton methods for optimization problems with simple constraints, SIAM Journal on
Control and Optimization 20 (1982).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

from trackrod.fit.blocks import Array

__all__ = ["minimum_in_box"]

#: Steps at most; slope at which it ends [-]; relative improvement that is none; smallest curvature over the largest.
_STEPS, _FLAT, _NONE, _ROUND = 200, 1e-7, 1e-13, 1e-10


def minimum_in_box(
    function: Callable[[Array], tuple[float, Array]],
    curvature: Callable[[Array], Array],
    lower: Array,
    upper: Array,
    start: Array,
) -> tuple[Array, float]:
    """The point where a function is smallest, as far as one gets downhill from a start, and its value there.

    Parameters
    ----------
    function
        Value and gradient at a point.
    curvature
        Second derivatives at a point.
    lower, upper
        The box.
    start
        Where to begin; brought into the box.

    Holds: the value is not above that at the start.
    """
    z = np.clip(start, lower, upper)
    value, gradient = function(z)
    damping = 0.0
    for _ in range(_STEPS):
        free = ~(((z <= lower) & (gradient >= 0)) | ((z >= upper) & (gradient <= 0)))
        if not np.any(np.abs(gradient[free]) > _FLAT):
            break
        bends, axes = eigh(curvature(z)[np.ix_(free, free)])
        bends = np.abs(bends)
        bends = np.maximum(bends, _ROUND * bends.max())
        downhill = axes.T @ gradient[free]
        before = value
        while True:
            there = z.copy()
            there[free] -= axes @ (downhill / (bends + damping))
            np.clip(there, lower, upper, out=there)
            found, slope = function(there)
            if found < value:
                z, value, gradient = there, found, slope
                damping = 0.1 * damping if damping > _ROUND * bends.max() else 0.0
                break
            if damping > bends.max() / _ROUND:
                return z, value
            damping = max(10.0 * damping, 1e-3 * bends.max())
        if before - value <= _NONE * max(abs(value), 1.0):
            break
    return z, value

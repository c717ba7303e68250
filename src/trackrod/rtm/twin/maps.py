"""Maps and curves of the readable twin, by the rules of the core: cubic without overshoot, bicubic, straight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Variable
from trackrod.core.quantities import KINDS

__all__ = ["Line", "Surface", "straight"]

Array = NDArray[np.float64]


def straight(x: Array, rows: Array, at: float) -> Array:
    """Rows over x at a point, straight between and beyond the knots."""
    if x.size == 0:
        return np.zeros(rows.shape[1:])
    i = int(np.clip(np.searchsorted(x, at, side="right") - 1, 0, x.size - 2))
    return np.asarray(rows[i] + (at - x[i]) / (x[i + 1] - x[i]) * (rows[i + 1] - rows[i]))


class Surface:
    """Channels over two variables, bicubic with the slopes of parabolas at the nodes, straight beyond them."""

    def __init__(self, x: Array, y: Array, values: Array) -> None:
        self.x, self.y = x, y
        by_x, by_y = (np.gradient(values, knots, axis=k, edge_order=2) for k, knots in enumerate((x, y)))
        by_xy = np.gradient(by_x, y, axis=1, edge_order=2)
        self.nodes = np.array([[values, by_y], [by_x, by_xy]])  # [slope by x?][slope by y?][i][j][channel]

    def sample(self, x: float, y: float) -> tuple[Array, Array, Array]:
        """Values and their derivatives by x and by y."""
        i, wx = _hermite(x, self.x)
        j, wy = _hermite(y, self.y)
        around = self.nodes[:, :, i : i + 2, j : j + 2]
        orders = ((0, 0), (1, 0), (0, 1))
        value, by_x, by_y = (np.einsum("as,bt,abstk->k", wx[p], wy[q], around) for p, q in orders)
        return value, by_x, by_y


class Line:
    """A curve, cubic between its points without overshoot, straight beyond them; zero where there are none."""

    def __init__(self, x: Array, y: Array) -> None:
        self.x = x
        if x.size:
            axes = (Variable("x", KINDS["number"]), Variable("y", KINDS["number"]))
            rules = (Interpolation.PCHIP, Extrapolation.LINEAR)
            curve = Map1D(axes[0], x, axes[1:], y, interpolation=rules[0], extrapolation=rules[1])
            self.nodes = np.array([y, curve.slope(x)[:, 0]])

    def __call__(self, x: float) -> float:
        """The value at x."""
        if not self.x.size:
            return 0.0
        i, weights = _hermite(x, self.x)
        return float((weights[0] * self.nodes[:, i : i + 2]).sum())

    def slope(self, x: float) -> float:
        """The slope at x."""
        i, weights = _hermite(x, self.x)
        return float((weights[1] * self.nodes[:, i : i + 2]).sum())


def _hermite(x: float, knots: Array) -> tuple[int, tuple[Array, Array]]:
    """Cell of x, and the weights of values and slopes at its two ends, for the value and for the derivative."""
    inside = float(np.clip(x, knots[0], knots[-1]))
    i = int(np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, knots.size - 2))
    d = float(knots[i + 1] - knots[i])
    t = (inside - float(knots[i])) / d
    value = np.array([[(1 + 2 * t) * (1 - t) ** 2, t * t * (3 - 2 * t)], [d * t * (1 - t) ** 2, d * t * t * (t - 1)]])
    slope = np.array([[6 * t * (t - 1) / d, 6 * t * (1 - t) / d], [(1 - t) * (1 - 3 * t), t * (3 * t - 2)]])
    return i, (value + (x - inside) * slope, slope)

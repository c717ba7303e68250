"""Paths on the ground: points in E, measured along their length."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError

__all__ = ["Path", "Tracker", "circle_path", "lane_path"]

Array = NDArray[np.float64]

#: Distance of the points of a path [m].
_SPACING = 0.25
#: Distances that differ by less are the same [m]: laps of a circle have their points at different places.
_SAME = 1e-3


@dataclass(frozen=True, eq=False)
class Path:
    """A line through points x, y in E [m], extended straight ahead beyond its last one.

    `length` is that from the beginning to each point [m]; `dx` and `dy` lead from each point to the next [m].
    """

    x: Array
    y: Array
    length: Array = field(init=False, repr=False)
    dx: Array = field(init=False, repr=False)
    dy: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        dx, dy = np.diff(self.x), np.diff(self.y)
        steps = np.hypot(dx, dy)
        if self.x.size < 2 or self.x.shape != self.y.shape or not (steps > 0).all():
            raise InputError("a path needs two points or more, each different from the one before")
        for name, values in (("length", np.concatenate(([0.0], np.cumsum(steps)))), ("dx", dx), ("dy", dy)):
            object.__setattr__(self, name, values)

    def point(self, s: float) -> tuple[float, float]:
        """The point at a length along the path [m]."""
        last = float(self.length[-1])
        if s > last:
            dx, dy = float(self.dx[-1]), float(self.dy[-1])
            over = (s - last) / float(np.hypot(dx, dy))
            return float(self.x[-1]) + over * dx, float(self.y[-1]) + over * dy
        return float(np.interp(s, self.length, self.x)), float(np.interp(s, self.length, self.y))

    def nearest(self, x: float, y: float, pieces: slice) -> tuple[Array, Array]:
        """How far along each piece its nearest point to a place is, 0 to 1, and the distance from there [m]."""
        dx, dy = self.dx[pieces], self.dy[pieces]
        from_x, from_y = x - self.x[:-1][pieces], y - self.y[:-1][pieces]
        share = np.maximum((from_x * dx + from_y * dy) / (dx * dx + dy * dy), 0.0)
        ends = share if pieces.stop is not None and pieces.stop < self.dx.size else share[:-1]
        np.minimum(ends, 1.0, out=ends)  # only the last piece of the whole path goes on for ever
        return share, np.hypot(from_x - share * dx, from_y - share * dy)


class Tracker:
    """Where along a path something is that moves along it, and how far beside it."""

    #: How far behind and ahead of the last place the nearest point is looked for [m]; a circle comes back to itself.
    BEHIND, AHEAD = 5.0, 20.0

    def __init__(self, path: Path) -> None:
        self.path = path
        self.s = 0.0

    @classmethod
    def at(cls, path: Path, x: float, y: float) -> Tracker:
        """Begun at the place of the whole path that is nearest [m]; where it comes back to itself, the first time."""
        tracker = cls(path)
        _, away = path.nearest(x, y, slice(None))
        tracker.s = float(path.length[np.argmax(away <= away.min() + _SAME)])
        return tracker

    def locate(self, x: float, y: float) -> tuple[float, float]:
        """Length along the path and signed distance [m], positive to the left of it."""
        path = self.path
        first = max(int(path.length.searchsorted(self.s - self.BEHIND)) - 1, 0)
        last = min(max(int(path.length.searchsorted(self.s + self.AHEAD)), first + 2), path.length.size)
        first = min(first, last - 2)
        share, away = path.nearest(x, y, slice(first, last - 1))
        k = int(away.argmin())
        piece = first + k
        dx, dy = path.dx[piece], path.dy[piece]
        self.s = float(path.length[piece] + share[k] * np.hypot(dx, dy))
        side = float(dx * (y - path.y[piece]) - dy * (x - path.x[piece]))
        return self.s, float(np.copysign(away[k], side))


def lane_path(points: Iterable[tuple[float, float]]) -> Path:
    """Straight lanes along x joined by half waves of a cosine.

    Parameters
    ----------
    points
        Pairs x, y [m]; between two of the same y the path is straight, else it changes from one to the other.
    """
    knots = list(points)
    xs: list[Array] = []
    ys: list[Array] = []
    for (x0, y0), (x1, y1) in pairwise(knots):
        x = np.linspace(x0, x1, max(int(np.ceil((x1 - x0) / _SPACING)), 1) + 1)[:-1]
        xs.append(x)
        ys.append(y0 + (y1 - y0) * 0.5 * (1.0 - np.cos(np.pi * (x - x0) / (x1 - x0))))
    xs.append(np.array([knots[-1][0]]))
    ys.append(np.array([knots[-1][1]]))
    return Path(np.concatenate(xs), np.concatenate(ys))


def circle_path(radius: float, sign: float, *, straight: float, transition: float, turns: float) -> Path:
    """A straight, a transition of linearly growing curvature, and a circle.

    Parameters
    ----------
    radius
        Of the circle [m].
    sign
        +1 to the left, −1 to the right.
    straight, transition
        Lengths [m].
    turns
        How often it goes round.
    """
    total = straight + transition + turns * 2 * np.pi * radius
    s = np.linspace(0.0, total, int(np.ceil(total / _SPACING)) + 1)
    curvature = sign / radius * np.clip((s - straight) / transition, 0.0, 1.0)
    step = s[1] - s[0]
    heading = np.concatenate(([0.0], np.cumsum(0.5 * (curvature[1:] + curvature[:-1]) * step)))
    middle = 0.5 * (heading[1:] + heading[:-1])
    x, y = (np.concatenate(([0.0], np.cumsum(f(middle) * step))) for f in (np.cos, np.sin))
    return Path(x, y)

"""A road as a curved regular grid: heights over the length u along a line and the distance v to its left.

The line begins at the origin of the road's own axes. It is made of straight segments of equal length, each with its
heading; slope and banking lie along it, heights on a grid above it. A profile of each wheel track, a grid z(x, y) and a
function are such roads with a straight line, and so they have one law in the core (``cpp/trackrod/road/surface.hpp``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod import _core
from trackrod.core.errors import InputError, Place, Problem, raise_if_errors

__all__ = ["FRICTION_RANGE", "FrictionPatch", "RoadSurface"]

Array = NDArray[np.float64]

#: Friction factors that a road may have.
FRICTION_RANGE = (0.02, 3.0)
#: Steepest slope and banking [-], highest and lowest place against the line [m], shortest row [m].
_STEEPEST, _HIGHEST, _SHORTEST = 1.0, 1e3, 1e-4
#: Half the distance of the columns between which one wheel track ends and the other begins [m].
_SEAM = 0.05
#: How far ahead of the centre of gravity the level ground before a road reaches at the beginning of a run [m].
_AHEAD = 4.0


@dataclass(frozen=True, slots=True)
class FrictionPatch:
    """A part of the road with a friction factor of its own.

    Attributes
    ----------
    u, v
        From where to where along the road, and to the left of its line [m].
    friction
        Over that of the road that the tyres were measured on [-].
    """

    u: tuple[float, float]
    v: tuple[float, float]
    friction: float


@dataclass(frozen=True, eq=False, repr=False)
class RoadSurface:
    """A road.

    Attributes
    ----------
    name
        What it is, for people.
    start_u, increment
        Length along the line at the first row, and from row to row [m].
    headings
        Of each segment of the line [rad], left positive.
    line_heights
        Of the line at each row [m].
    banking
        At each row: height on the left over the distance from the line [-].
    sections
        v of each column, ascending, left positive [m].
    heights
        Above the line, a row for each u and a column for each v [m].
    friction
        Left and right of the line [-].
    patches
        With a friction of their own; the last that a place lies in counts.
    approach
        Length over which the road rises from level ground before its first row [m].
    offset
        v at which a run on it begins [m].
    edges
        At each row the v of the right and of the left edge [m]; the first and last column if not given.
    source
        The file that it was read from.

    Raises
    ------
    InputError
        A number is not finite or out of its range, rows and columns do not fit; every such array is named.

    Limits: a place on the road has one height. Where a road crosses itself, tyres stay on the part that they came by.
    """

    name: str
    start_u: float
    increment: float
    headings: Array
    line_heights: Array
    banking: Array
    sections: Array
    heights: Array
    friction: tuple[float, float] = (1.0, 1.0)
    patches: tuple[FrictionPatch, ...] = ()
    approach: float = 0.0
    offset: float = 0.0
    edges: Array | None = field(default=None)
    source: Path | None = None

    def __post_init__(self) -> None:
        place = Place() if self.source is None else Place(self.source)
        raise_if_errors(Problem(text, place) for text in self._faults())

    def __repr__(self) -> str:
        low, high = float(self.heights.min()), float(self.heights.max())
        size = f"{self.length:g} m by {self.width:g} m, {self.heights.shape[0]} by {self.heights.shape[1]} heights"
        return f"RoadSurface('{self.name}', {size}, {1e3 * low:.3g} to {1e3 * high:.3g} mm)"

    # ---- kinds of roads

    @classmethod
    def straight(
        cls, name: str, increment: float, sections: ArrayLike, heights: ArrayLike, *, start: float = 0.0
    ) -> RoadSurface:
        """Heights [m] on a grid: a row every `increment` [m] along x from `start` on, a column at each y [m]."""
        values = np.array(heights, dtype=float)
        rows = len(values)
        along = (np.zeros(max(rows - 1, 0)), np.zeros(rows), np.zeros(rows))
        return cls(name, start, increment, *along, np.array(sections, dtype=float), values)

    @classmethod
    def level(cls, length: float = 1e3, width: float = 20.0) -> RoadSurface:
        """A level road [m]."""
        half = 0.5 * width
        return cls.straight("level", 0.5 * length, (-half, half), np.zeros((3, 2)))

    @classmethod
    def profile(cls, name: str, increment: float, left: ArrayLike, right: ArrayLike | None = None) -> RoadSurface:
        """Heights [m] along x under the left and the right wheels, every `increment` [m]; the same for both if one.

        The tracks meet in the middle of the vehicle, within 0.1 m.
        """
        first = np.array(left, dtype=float)
        second = first if right is None else np.array(right, dtype=float)
        if first.ndim != 1 or first.shape != second.shape:
            raise InputError(f"the profiles of '{name}' have {first.size} and {second.size} heights, not as many")
        columns = np.column_stack([second, second, first, first])
        return cls.straight(name, increment, (-10.0, -_SEAM, _SEAM, 10.0), columns)

    @classmethod
    def function(
        cls,
        name: str,
        height: Callable[[Array, Array], ArrayLike],
        *,
        length: float,
        width: float = 10.0,
        increment: float = 0.01,
        spacing: float = 0.1,
    ) -> RoadSurface:
        """A function of x and y [m] that gives heights [m], looked up on a grid."""
        x: Array = increment * np.arange(round(length / increment) + 1, dtype=np.float64)
        y = np.linspace(-0.5 * width, 0.5 * width, max(round(width / spacing), 1) + 1)
        heights = np.broadcast_to(np.asarray(height(x[:, None], y[None, :]), dtype=float), (x.size, y.size))
        return cls.straight(name, increment, y, heights)

    # ---- what it is

    @property
    def length(self) -> float:
        """Along the line [m]."""
        return self.increment * float(self.headings.size)

    @property
    def end_u(self) -> float:
        """Length along the line at the last row [m]."""
        return self.start_u + self.length

    @property
    def width(self) -> float:
        """From the first column to the last [m]."""
        return float(self.sections[-1] - self.sections[0])

    @cached_property
    def line(self) -> tuple[Array, Array]:
        """The line at each row: x and y [m]."""
        x, y = (np.concatenate(([0.0], np.cumsum(self.increment * turn(self.headings)))) for turn in (np.cos, np.sin))
        return x, y

    def height(self, u: ArrayLike, v: ArrayLike) -> Array:
        """Height at a length along the line and a distance to its left [m], beyond the ends and edges as there."""
        row = np.clip((np.asarray(u, dtype=float) - self.start_u) / self.increment, 0.0, self.headings.size)
        beside = np.clip(np.asarray(v, dtype=float), self.sections[0], self.sections[-1])
        j = np.minimum(row.astype(int), self.headings.size - 1)
        k = np.clip(np.searchsorted(self.sections, beside, side="right") - 1, 0, self.sections.size - 2)
        f, g = row - j, (beside - self.sections[k]) / (self.sections[k + 1] - self.sections[k])
        near, far = (
            self.line_heights[i] + self.banking[i] * beside + (1 - g) * self.heights[i, k] + g * self.heights[i, k + 1]
            for i in (j, j + 1)
        )
        return np.asarray((1 - f) * near + f * far)

    @property
    def run_up(self) -> float:
        """From the centre of gravity at the beginning of a run to the first row [m]."""
        return self.approach + _AHEAD if self.approach > 0.0 else 0.0

    def follower(
        self, shapes: Array, place: tuple[float, float, float], height: float = 0.0, friction: float = 1.0
    ) -> _core.RoadFollower:
        """The road laid ahead of a vehicle.

        Parameters
        ----------
        shapes
            Free radius, section width and nominal deflection of each tyre [m]; a radius of 0 touches in a point.
        place
            x, y and yaw of the vehicle's centre of gravity in E [m], [rad].
        height
            Of the level road in E [m].
        friction
            Factor of the whole road.
        """
        x, y, yaw = place
        c, s = np.cos(yaw), np.sin(yaw)
        ahead, left = self.run_up, -self.offset
        there = (x + c * ahead - s * left, y + s * ahead + c * left)
        turned = yaw - float(self.headings[0])
        return _core.RoadFollower(self.core, np.ascontiguousarray(shapes), *there, height, turned, friction)

    def edges_at(self, u: float) -> tuple[float, float]:
        """The right and the left edge: v [m]."""
        if self.edges is None:
            return float(self.sections[0]), float(self.sections[-1])
        row = int(np.clip(round((u - self.start_u) / self.increment), 0, self.headings.size))
        return float(self.edges[row, 0]), float(self.edges[row, 1])

    @cached_property
    def core(self) -> _core.RoadSurface:
        """The road in the core; what cams roll over is worked out there once for every radius."""
        patches = [(*patch.u, *patch.v, patch.friction) for patch in self.patches]
        return _core.RoadSurface(
            self.start_u,
            self.increment,
            (0.0, 0.0),
            self.headings,
            self.line_heights,
            self.banking,
            self.sections,
            np.ascontiguousarray(self.heights),
            self.friction,
            np.array(patches, dtype=float).reshape(-1, 5),
            self.approach,
        )

    # ---- others like it

    def changed(self, **values: object) -> RoadSurface:
        """The same road with other attributes."""
        return dataclasses.replace(self, **values)  # type: ignore[arg-type]

    def grounded(self, offset: float) -> RoadSurface:
        """The same road with height zero at its beginning, so far to the left of its line [m]."""
        return self.changed(line_heights=self.line_heights - float(self.height(self.start_u, offset)))

    def beside(self, offset: float) -> RoadSurface:
        """The same road, of which a run begins so far to the left of its line [m]."""
        return self.changed(offset=offset)

    def slippery(self, left: float, right: float | None = None) -> RoadSurface:
        """The same road with another friction factor, or one for each side of its line."""
        return self.changed(friction=(left, left if right is None else right))

    def _faults(self) -> Iterator[str]:
        rows, columns = self.headings.size + 1, self.sections.size
        if rows < 2 or columns < 2:
            yield f"a road needs two rows and two columns or more, this has {rows} and {columns}"
            return
        if not _SHORTEST <= self.increment <= 1e3:
            yield f"the distance of its rows is {self.increment:g} m, {_SHORTEST:g} to 1000 m is allowed"
        wanted = {"line_heights": (rows,), "banking": (rows,), "heights": (rows, columns)}
        for name, shape in wanted.items():
            if np.shape(getattr(self, name)) != shape:
                yield f"{name} has the shape {np.shape(getattr(self, name))}, {shape} is needed"
                return
        if not (np.diff(self.sections) > 0).all():
            yield "the columns of heights must lie from right to left, each farther left than the one before"
        limits = {"headings": np.inf, "line_heights": 1e4, "banking": _STEEPEST, "sections": 1e3, "heights": _HIGHEST}
        for name, most in limits.items():
            values = getattr(self, name)
            wrong = np.argwhere(~(np.abs(values) <= most) | ~np.isfinite(values))
            if wrong.size:
                at = tuple(int(i) for i in wrong[0])
                yield f"{name}{list(at)} is {values[at]:g}; a finite number up to {most:g} is needed"
        if not np.isfinite(self.line_heights).all():
            return
        rise = float(np.abs(np.diff(self.line_heights)).max())
        if rise > _STEEPEST * self.increment > 0.0:
            yield f"the line rises by {rise / self.increment:.3g} m for each metre, up to {_STEEPEST:g} is allowed"
        least, most = FRICTION_RANGE
        for value in (*self.friction, *(patch.friction for patch in self.patches)):
            if not least <= value <= most:
                yield f"a friction factor is {value:g}, {least:g} to {most:g} is allowed"

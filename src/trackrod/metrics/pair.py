"""A test and a model on one uniform grid: what objective ratings compare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError, Problem, raise_if_errors
from trackrod.metrics.trace import Trace

__all__ = ["MOST_POINTS", "Pair"]

Array = NDArray[np.float64]

#: Points of a grid at most: what warps two curves takes memory that grows with their square.
MOST_POINTS = 20_001
#: Ratings need this many points [-].
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class Pair:
    """Two curves on the same grid.

    Attributes
    ----------
    x
        Uniform abscissa [`x_unit`].
    test, model
        Ordinates of what is trusted and of what is judged [`unit`].
    name, unit, x_name, x_unit
        In words.
    floor
        The smallest scale that differences are put over, where the test may be close to zero [`unit`].

    Raises
    ------
    InputError
        Fewer than ten points, rows of different lengths, values that are not finite, an abscissa that is not uniform, a
        test that is zero everywhere.
    """

    x: Array
    test: Array
    model: Array
    name: str = "signal"
    unit: str = "-"
    x_name: str = "time"
    x_unit: str = "s"
    floor: float = 0.0

    def __post_init__(self) -> None:
        for row in ("x", "test", "model"):
            values = np.array(getattr(self, row), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, row, values)
        raise_if_errors(self._faults())

    @classmethod
    def of(cls, test: Trace, model: Trace, step: float | None = None) -> Pair:
        """Both curves over the abscissa that they have in common, linear between points.

        Parameters
        ----------
        test, model
            With the same units.
        step
            Of the grid [`x_unit`]; the mean step of the test without it.

        Raises
        ------
        InputError
            Different units, no abscissa in common, a grid of more than `MOST_POINTS` points.
        """
        for what, mine, theirs in (("unit", test.y_unit, model.y_unit), ("abscissa", test.x_unit, model.x_unit)):
            if mine != theirs:
                raise InputError(f"{test.y_name}: the test has the {what} '{mine}', the model '{theirs}'")
        low, high = max(test.x[0], model.x[0]), min(test.x[-1], model.x[-1])
        if not low < high:
            raise InputError(f"{test.y_name}: test and model have no {test.x_name} in common")
        step = float(np.diff(test.x).mean()) if step is None else step
        if not step > 0.0:
            raise InputError(f"the step of a grid is {step:g} {test.x_unit}, a positive number is needed")
        steps = round((high - low) / step * (1.0 - 1e-12)) if (high - low) / step < MOST_POINTS else MOST_POINTS
        if steps + 1 > MOST_POINTS:
            raise InputError(
                f"{test.y_name}: {(high - low) / step:.0f} points with a step of {step:g} {test.x_unit}, "
                f"{MOST_POINTS} at most; give a longer step or a shorter range"
            )
        x = np.linspace(low, high, max(steps, 1) + 1)
        return cls(x, test.at(x), model.at(x), test.y_name, test.y_unit, test.x_name, test.x_unit, test.floor)

    @property
    def step(self) -> float:
        """Of the grid [`x_unit`]."""
        return float(self.x[-1] - self.x[0]) / (self.x.size - 1)

    @cached_property
    def largest(self) -> float:
        """Largest magnitude of the test [`unit`]."""
        return float(np.abs(self.test).max())

    @property
    def residual(self) -> Array:
        """Model less test [`unit`]."""
        return np.asarray(self.model - self.test)

    def _faults(self) -> list[Problem]:
        sizes = self.x.shape, self.test.shape, self.model.shape
        if len(set(sizes)) > 1 or self.x.ndim != 1:
            shown = ", ".join(map(str, sizes))
            return [Problem(f"{self.name}: abscissa, test and model need rows of equal length, they have {shown}")]
        if self.x.size < _FEWEST:
            return [Problem(f"{self.name}: {self.x.size} points in common, {_FEWEST} are needed")]
        for what, row in ((self.x_name, self.x), ("test", self.test), ("model", self.model)):
            wrong = np.flatnonzero(~np.isfinite(row))
            if wrong.size:
                return [Problem(f"{self.name}: {what} is not finite at {wrong.size} points, the first is {wrong[0]}")]
        steps = np.diff(self.x)
        if not (steps > 0).all() or np.ptp(steps) > 1e-6 * steps.mean():
            return [Problem(f"{self.name}: {self.x_name} does not grow by equal steps")]
        if not self.test.any() and self.floor == 0.0:
            return [Problem(f"{self.name}: the test is zero everywhere, nothing can be put in relation to it")]
        return []

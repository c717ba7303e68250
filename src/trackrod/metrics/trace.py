"""Curves with names and units, and measures of the difference between a reference and a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import InputError, Problem, RangeError

__all__ = [
    "GRID",
    "Scale",
    "Trace",
    "covered_share",
    "difference_percent",
    "relative_percent",
    "rising_part",
    "rmse_percent",
]

Array = NDArray[np.float64]

#: Points of the uniform grid on which two curves are compared.
GRID = 1001


class Scale(StrEnum):
    """What the difference of two curves is divided by."""

    LARGEST = "largest magnitude"
    RMS = "root mean square"
    ONE = "one unit"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One curve, both axes with name and unit.

    Attributes
    ----------
    x, y
        Abscissa, finite and strictly increasing, and ordinate, finite; two points or more [`x_unit`], [`y_unit`].
    x_name, x_unit, y_name, y_unit
        In words; the unit is "-" for pure numbers.
    scale
        What a difference from this curve is divided by, where it is the reference.
    floor
        The smallest value of that, where the curve may be close to zero [`y_unit`].
    period
        Ordinates that differ by a whole number of these are the same, as angles are [`y_unit`]; zero for none.
    told
        Whether a point tells something, where the curve is the reference: differences elsewhere do not count. All do if
        not given.

    Raises
    ------
    InputError
        With every fault of the arrays.
    """

    x: Array
    y: Array
    x_name: str
    x_unit: str
    y_name: str
    y_unit: str
    scale: Scale = Scale.LARGEST
    floor: float = 0.0
    period: float = 0.0
    told: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        problems = []
        what = f"the curve of {self.y_name} against {self.x_name}"
        for name in ("x", "y"):
            values = np.array(getattr(self, name), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        if self.x.ndim != 1 or self.x.shape != self.y.shape or self.x.size < 2:
            problems.append(Problem(f"{what} needs two rows of equal length, two points or more"))
        else:
            missing = np.flatnonzero(~(np.isfinite(self.x) & np.isfinite(self.y)))
            if missing.size:
                problems.append(Problem(f"{what} is not finite at {missing.size} points, the first is {missing[0]}"))
            elif not (np.diff(self.x) > 0).all():
                problems.append(Problem(f"{what} has an abscissa that does not increase"))
        if problems:
            raise InputError(problems)

    def tells(self, x: Array) -> NDArray[np.bool_]:
        """Whether the curve tells something at these places."""
        if self.told is None:
            return np.ones(x.size, dtype=bool)
        return np.asarray(np.interp(x, self.x, self.told.astype(float)) > 0.5)

    def at(self, x: ArrayLike) -> Array:
        """The ordinate, linear between points; RangeError outside the curve."""
        wanted = np.asarray(x, dtype=np.float64)
        if wanted.size and (wanted.min() < self.x[0] or wanted.max() > self.x[-1]):
            raise RangeError(f"{self.y_name} is known from {self.x[0]:g} to {self.x[-1]:g} {self.x_unit} only")
        return np.asarray(np.interp(wanted, self.x, self.y))

    def near(self, reference: Trace) -> Trace:
        """The curve with its ordinates moved by whole periods, each to where it is nearest to a reference."""
        if not self.period:
            return self
        turns = np.round((self.y - np.interp(self.x, reference.x, reference.y)) / self.period)
        return replace(self, y=self.y - self.period * turns)

    @property
    def largest(self) -> float:
        """Largest magnitude of the ordinate [`y_unit`]."""
        return float(np.abs(self.y).max())

    @property
    def measured_scale(self) -> float:
        """What `scale` is for this curve, without the floor [`y_unit`]."""
        if self.scale is Scale.ONE:
            return 1.0
        # the mean is one over the abscissa, whose points may lie at any distances
        square = np.trapezoid(self.y**2, self.x) / (self.x[-1] - self.x[0])
        return self.largest if self.scale is Scale.LARGEST else float(np.sqrt(square))

    @property
    def divisor(self) -> float:
        """What a difference from this curve is divided by: its measured scale, or the floor if that is larger."""
        return max(self.measured_scale, self.floor)


def rising_part(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """The samples whose abscissa exceeds all before, so that the ordinate is a function of it.

    What comes after the largest abscissa is left out: a vehicle beyond its limit has two states for one lateral
    acceleration, and a comparison at equal acceleration means the first.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    before = np.concatenate(([-np.inf], np.maximum.accumulate(x)[:-1]))
    chosen = x > before
    return x[chosen], y[chosen]


def _common_range(reference: Trace, model: Trace) -> tuple[float, float]:
    low, high = max(reference.x[0], model.x[0]), min(reference.x[-1], model.x[-1])
    if not low < high:
        raise InputError(
            f"{reference.y_name}: the curves have no {reference.x_name} in common, the reference runs from "
            f"{reference.x[0]:g} to {reference.x[-1]:g} {reference.x_unit}, the model from {model.x[0]:g} to "
            f"{model.x[-1]:g} {model.x_unit}"
        )
    return float(low), float(high)


def covered_share(reference: Trace, model: Trace) -> float:
    """Share of the reference's abscissa that both curves have, 0 to 1 [-]."""
    low, high = _common_range(reference, model)
    return (high - low) / float(reference.x[-1] - reference.x[0])


def difference_percent(reference: Trace, model: Trace) -> tuple[Array, Array]:
    """Model minus reference over the common abscissa, scaled so that its Euclidean norm is `rmse_percent`.

    Both curves are taken on `GRID` equally spaced points of the abscissa that they share, linear between their own
    points; what is divided by is the scale of the whole reference curve times the root of the number of points that
    count.

    Returns
    -------
    abscissa, difference
        [`x_unit` of the curves], [%]

    Raises
    ------
    InputError
        There is no common abscissa, the reference tells nothing there, or it is zero everywhere and has no floor.
    """
    low, high = _common_range(reference, model)
    scale = reference.divisor
    if scale == 0.0:
        raise InputError(f"the reference of {reference.y_name} is zero everywhere: it gives no scale for a percentage")
    grid = np.linspace(low, high, GRID)
    difference = model.at(grid) - reference.at(grid)
    told = reference.tells(grid)
    if not told.any():
        raise InputError(f"the reference of {reference.y_name} tells nothing where both curves are")
    return grid, 100.0 / (scale * np.sqrt(np.count_nonzero(told))) * np.where(told, difference, 0.0)


def rmse_percent(reference: Trace, model: Trace) -> float:
    """Root mean square of the difference over the common abscissa, over the scale of the reference [%].

    The scale is the largest magnitude of the reference, or what else the reference asks for; over its own root mean
    square this is the NRMS. Errors as `difference_percent`.

    Holds: zero for equal curves; unchanged if both ordinates are multiplied by one factor, or both abscissae, unless
    the scale is one unit or the floor.
    Limits: a model that ends early is compared as far as it goes; `covered_share` says how far that is.
    """
    return float(np.linalg.norm(difference_percent(reference, model)[1]))


def relative_percent(reference: float, model: float, floor: float) -> float:
    """Magnitude of the difference over the magnitude of the reference, or over the floor if that is larger [%].

    Parameters
    ----------
    reference, model
        Two values of one quantity, finite.
    floor
        The smallest scale, greater than zero: a reference near zero would make any difference look large.
    """
    if not (np.isfinite(reference) and np.isfinite(model)):
        raise RangeError(f"values of {reference} and {model} cannot be compared, both must be finite")
    if not floor > 0:
        raise RangeError(f"the floor is {floor}, it must be greater than zero")
    return 100.0 * abs(model - reference) / max(abs(reference), floor)

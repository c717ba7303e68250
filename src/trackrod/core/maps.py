"""Maps: tables with named axes and named outputs, and the rule between and beyond their knots.

A map is a description: frozen, checked on construction, convertible into plain data. The evaluation here is the
readable reference in NumPy and SciPy; the tables of the C++ core have the same rules under the same names, and a
test compares the two.

Rules between the knots
    ``linear``; or cubic Hermite pieces, which are once continuously differentiable, with slopes at the knots by
    one of four rules: ``parabolic`` (of the parabola through three neighbours: exact for parabolas, linear in
    the values), ``pchip`` (monotone where the values are), ``akima`` and ``makima`` (modified weights, less
    overshoot). Through two knots every rule is the straight line. Over two variables the pieces are tensor
    products; the mixed slope is the mean of the rule along y on the slopes by x and of the rule along x on the
    slopes by y.

Rules beyond the knots
    ``linear`` continues with the slope at the edge, ``constant`` keeps the value at the edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import Akima1DInterpolator, PchipInterpolator

from trackrod.core.artefact import Schema
from trackrod.core.errors import InputError, Problem, UnknownNameError
from trackrod.core.plain import Plain
from trackrod.core.quantities import Kind, kind

__all__ = ["MAP1D_SCHEMA", "MAP2D_SCHEMA", "Extrapolation", "Interpolation", "Map1D", "Map2D", "Variable"]

R = TypeVar("R", bound=StrEnum)

# Slopes smaller than this part of the largest one are rounding, not folding back.
_FLAT = 1e-12


class Interpolation(StrEnum):
    """Rule between the knots."""

    LINEAR = "linear"
    PARABOLIC = "parabolic"
    PCHIP = "pchip"
    AKIMA = "akima"
    MAKIMA = "makima"


class Extrapolation(StrEnum):
    """Rule beyond the outermost knots."""

    LINEAR = "linear"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Variable:
    """An axis or an output of a map: its name and its kind, which gives the unit."""

    name: str
    kind: Kind


class _Map:
    """What maps of one and two variables share: axes, outputs, values, rules and their checks."""

    __slots__ = ("_axes", "_extrapolation", "_interpolation", "_knots", "_outputs", "_values")

    def __init__(
        self,
        axes: tuple[Variable, ...],
        knots: tuple[ArrayLike, ...],
        outputs: Sequence[Variable],
        values: ArrayLike,
        rules: tuple[Interpolation | str, Extrapolation | str],
    ) -> None:
        self._axes = axes
        self._outputs = tuple(outputs)
        self._interpolation = _rule(Interpolation, rules[0])
        self._extrapolation = _rule(Extrapolation, rules[1])
        self._knots = tuple(_frozen(items) for items in knots)
        self._values = _frozen(values)
        problems = _name_problems((*axes, *self._outputs))
        for axis, items in zip(axes, self._knots, strict=True):
            problems.extend(_knot_problems(axis.name, items))
        shape = (*(items.size for items in self._knots), len(self._outputs))
        if self._values.shape == shape[:-1] and shape[-1] == 1:
            self._values = _frozen(self._values[..., np.newaxis])
        if self._values.shape != shape:
            problems.append(Problem(f"values of shape {shape} are needed, got {self._values.shape}"))
        elif not np.isfinite(self._values).all():
            where = tuple(int(index) for index in np.argwhere(~np.isfinite(self._values))[0])
            name = self._outputs[where[-1]].name
            problems.append(Problem(f"output '{name}' is {self._values[where]} at knot {where[:-1]}"))
        if problems:
            raise InputError(problems)

    @property
    def outputs(self) -> tuple[Variable, ...]:
        """The outputs in the order of the last dimension of `values`."""
        return self._outputs

    @property
    def values(self) -> NDArray[np.float64]:
        """Values at the knots [SI units]: a dimension for each axis, the last for the outputs; read-only."""
        return self._values

    @property
    def interpolation(self) -> Interpolation:
        """Rule between the knots."""
        return self._interpolation

    @property
    def extrapolation(self) -> Extrapolation:
        """Rule beyond the knots."""
        return self._extrapolation

    def output_index(self, name: str) -> int:
        """Place of an output in the last dimension; UnknownNameError with close matches if there is none."""
        names = [output.name for output in self._outputs]
        if name not in names:
            raise UnknownNameError("output of the map", name, names)
        return names.index(name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Map) or type(other) is not type(self):
            return NotImplemented
        mine = (self._axes, self._outputs, self._interpolation, self._extrapolation)
        return (
            mine == (other._axes, other._outputs, other._interpolation, other._extrapolation)
            and all(map(np.array_equal, self._knots, other._knots))
            and np.array_equal(self._values, other._values)
        )

    __hash__ = None  # type: ignore[assignment]  # compared by arrays

    def _to_dict(self) -> dict[str, Plain]:
        return {
            "outputs": [_variable_to_dict(output) for output in self._outputs],
            "values": self._values.tolist(),
            "interpolation": str(self._interpolation),
            "extrapolation": str(self._extrapolation),
        }


class Map1D(_Map):
    """Outputs over one variable.

    Parameters
    ----------
    axis
        The variable.
    knots
        Its knots, strictly increasing and finite, two or more [SI unit of the axis].
    outputs
        The outputs; names are unique and differ from the axis.
    values
        Values at the knots, shape (knots, outputs), or (knots,) for one output [SI units of the outputs].
    interpolation, extrapolation
        The rules between and beyond the knots.

    Raises
    ------
    InputError
        With every fault of knots, values and names.

    Holds: the value at a knot is the value given there; pchip is monotone where the values are.
    """

    __slots__ = ()

    def __init__(
        self,
        axis: Variable,
        knots: ArrayLike,
        outputs: Sequence[Variable],
        values: ArrayLike,
        *,
        interpolation: Interpolation | str,
        extrapolation: Extrapolation | str,
    ) -> None:
        super().__init__((axis,), (knots,), outputs, values, (interpolation, extrapolation))

    @property
    def axis(self) -> Variable:
        """The variable."""
        return self._axes[0]

    @property
    def knots(self) -> NDArray[np.float64]:
        """Knots of the axis [SI unit of the axis]; read-only."""
        return self._knots[0]

    def value(self, x: ArrayLike) -> NDArray[np.float64]:
        """Outputs at `x` (any shape) [SI units]; the last dimension of the result counts the outputs."""
        inside, beyond = _split(np.asarray(x, dtype=np.float64), self.knots)
        value = self._inside(inside, 0)
        if self._extrapolation is Extrapolation.LINEAR:
            value += beyond[..., np.newaxis] * self._inside(inside, 1)
        return value

    def slope(self, x: ArrayLike) -> NDArray[np.float64]:
        """Derivative of the outputs at `x`, from the right where it jumps [SI units of output / axis]."""
        inside, beyond = _split(np.asarray(x, dtype=np.float64), self.knots)
        slope = self._inside(inside, 1)
        if self._extrapolation is Extrapolation.CONSTANT:
            slope[np.abs(beyond) > 0.0] = 0.0
        return slope

    def folds(self, output: str) -> tuple[tuple[float, float], ...]:
        """Intervals of the axis in which an output runs against its overall direction; none if monotone.

        The overall direction is that from the first to the last knot. Between knots the interpolated curve is
        examined, not only its knots, because cubic pieces may overshoot. Neighbouring intervals are joined; an
        interval ends at knots.

        Parameters
        ----------
        output
            Name of the output.
        """
        index = self.output_index(output)
        values = self._values[:, index]
        slopes = self._data()[1][:, index] if self._is_cubic else None
        lowest, highest = _slope_range(self.knots, values, slopes)
        against = -lowest if values[-1] >= values[0] else highest
        folded = against > _FLAT * max(np.abs(lowest).max(), np.abs(highest).max())
        edges = np.flatnonzero(np.diff(np.concatenate(([False], folded, [False]))))
        return tuple((float(self.knots[start]), float(self.knots[end])) for start, end in edges.reshape(-1, 2))

    @property
    def _is_cubic(self) -> bool:
        return self._interpolation is not Interpolation.LINEAR

    def _data(self) -> list[NDArray[np.float64]]:
        """Values and, for cubic pieces, slopes at the knots."""
        if not self._is_cubic:
            return [self._values]
        return [self._values, _knot_slopes(self._interpolation, self.knots, self._values, 0)]

    def _inside(self, x: NDArray[np.float64], order: int) -> NDArray[np.float64]:
        data = self._data()
        i, weights = _weights(x, self.knots, order, cubic=self._is_cubic)
        total = np.zeros((*x.shape, len(self._outputs)))
        for (of_slope, step), weight in weights.items():
            total += weight[..., np.newaxis] * data[of_slope][i + step]
        return total

    def to_dict(self) -> dict[str, Plain]:
        """The map as plain data."""
        return {"axis": _variable_to_dict(self.axis), "knots": self.knots.tolist(), **self._to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Map1D:
        """The inverse of `to_dict`."""
        return cls(
            _variable_from_dict(data["axis"]),
            data["knots"],
            [_variable_from_dict(output) for output in data["outputs"]],
            data["values"],
            interpolation=data["interpolation"],
            extrapolation=data["extrapolation"],
        )


class Map2D(_Map):
    """Outputs over two variables, x and y, on a rectangular grid.

    Parameters
    ----------
    axes
        The two variables.
    knots
        Their knots, strictly increasing and finite, two or more each [SI units of the axes].
    outputs
        The outputs; names are unique and differ from the axes.
    values
        Values at the knots, shape (x knots, y knots, outputs), or without the last dimension for one output
        [SI units of the outputs].
    interpolation, extrapolation
        The rules between and beyond the knots.

    Raises
    ------
    InputError
        With every fault of knots, values and names.

    Holds: the value at a knot is the value given there; the value is continuous everywhere, and so are the slopes
    of cubic pieces inside the grid.

    Limits: over two variables pchip does not promise to be monotone.
    """

    __slots__ = ()

    def __init__(
        self,
        axes: tuple[Variable, Variable],
        knots: tuple[ArrayLike, ArrayLike],
        outputs: Sequence[Variable],
        values: ArrayLike,
        *,
        interpolation: Interpolation | str,
        extrapolation: Extrapolation | str,
    ) -> None:
        super().__init__(axes, knots, outputs, values, (interpolation, extrapolation))

    @property
    def axes(self) -> tuple[Variable, Variable]:
        """The two variables, x and y."""
        return self._axes[0], self._axes[1]

    @property
    def knots(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Knots of x and of y [SI units of the axes]; read-only."""
        return self._knots[0], self._knots[1]

    def value(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Outputs at `x`, `y` (shapes that broadcast) [SI units]; the last dimension counts the outputs."""
        inside_x, beyond_x, inside_y, beyond_y = self._split(x, y)
        value = self._inside(inside_x, inside_y, 0, 0)
        if self._extrapolation is Extrapolation.LINEAR:
            value += beyond_x * self._inside(inside_x, inside_y, 1, 0)
            value += beyond_y * self._inside(inside_x, inside_y, 0, 1)
            value += beyond_x * beyond_y * self._inside(inside_x, inside_y, 1, 1)
        return value

    def slopes(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives by x and by y, from the right where they jump [SI units of output / axis]."""
        inside_x, beyond_x, inside_y, beyond_y = self._split(x, y)
        by_x, by_y = self._inside(inside_x, inside_y, 1, 0), self._inside(inside_x, inside_y, 0, 1)
        if self._extrapolation is Extrapolation.CONSTANT:
            return np.where(np.abs(beyond_x) > 0.0, 0.0, by_x), np.where(np.abs(beyond_y) > 0.0, 0.0, by_y)
        mixed = self._inside(inside_x, inside_y, 1, 1)
        return by_x + beyond_y * mixed, by_y + beyond_x * mixed

    def _split(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], ...]:
        """Nearest places on the grid, shape of x and y, and the distances beyond it, with a last dimension of 1."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        inside_x, beyond_x = _split(x, self._knots[0])
        inside_y, beyond_y = _split(y, self._knots[1])
        return inside_x, beyond_x[..., np.newaxis], inside_y, beyond_y[..., np.newaxis]

    def _data(self) -> list[list[NDArray[np.float64]]]:
        """Values and, for cubic pieces, slopes at the knots, by the order of the derivative in x and in y."""
        rule, values, (x_knots, y_knots) = self._interpolation, self._values, self._knots
        if rule is Interpolation.LINEAR:
            return [[values]]
        by_x, by_y = _knot_slopes(rule, x_knots, values, 0), _knot_slopes(rule, y_knots, values, 1)
        mixed = 0.5 * (_knot_slopes(rule, y_knots, by_x, 1) + _knot_slopes(rule, x_knots, by_y, 0))
        return [[values, by_y], [by_x, mixed]]

    def _inside(
        self, x: NDArray[np.float64], y: NDArray[np.float64], order_x: int, order_y: int
    ) -> NDArray[np.float64]:
        data = self._data()
        cubic = self._interpolation is not Interpolation.LINEAR
        i, weights_x = _weights(x, self._knots[0], order_x, cubic=cubic)
        j, weights_y = _weights(y, self._knots[1], order_y, cubic=cubic)
        total = np.zeros((*x.shape, len(self._outputs)))
        for (of_slope_x, step_x), weight_x in weights_x.items():
            for (of_slope_y, step_y), weight_y in weights_y.items():
                corner = data[of_slope_x][of_slope_y][i + step_x, j + step_y]
                total += (weight_x * weight_y)[..., np.newaxis] * corner
        return total

    def to_dict(self) -> dict[str, Plain]:
        """The map as plain data."""
        axes = [_variable_to_dict(axis) for axis in self._axes]
        return {"axes": axes, "knots": [knots.tolist() for knots in self._knots], **self._to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Map2D:
        """The inverse of `to_dict`."""
        return cls(
            (_variable_from_dict(data["axes"][0]), _variable_from_dict(data["axes"][1])),
            (data["knots"][0], data["knots"][1]),
            [_variable_from_dict(output) for output in data["outputs"]],
            data["values"],
            interpolation=data["interpolation"],
            extrapolation=data["extrapolation"],
        )


#: How maps are saved as artefacts.
MAP1D_SCHEMA = Schema("trackrod.map1d", 1, Map1D.to_dict, Map1D.from_dict)
MAP2D_SCHEMA = Schema("trackrod.map2d", 1, Map2D.to_dict, Map2D.from_dict)


def _rule(rules: type[R], word: str) -> R:
    if word not in tuple(rules):
        raise UnknownNameError("rule of a map", word, rules)
    return rules(word)


def _frozen(values: ArrayLike) -> NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _name_problems(variables: Sequence[Variable]) -> list[Problem]:
    names = [variable.name for variable in variables]
    return [
        Problem(f"the name '{name}' occurs more than once among axes and outputs")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]


def _knot_problems(name: str, knots: NDArray[np.float64]) -> list[Problem]:
    if knots.ndim != 1 or knots.size < 2:
        return [Problem(f"axis '{name}' needs two or more knots in one row, got shape {knots.shape}")]
    problems = [
        Problem(f"knot {index} of axis '{name}' is {knots[index]}, knots must be finite")
        for index in np.flatnonzero(~np.isfinite(knots))
    ]
    if not problems:
        problems = [
            Problem(
                f"knots of axis '{name}' must increase: knot {index} is {knots[index]}, "
                f"knot {index + 1} is {knots[index + 1]}"
            )
            for index in np.flatnonzero(knots[1:] <= knots[:-1])
        ]
    return problems


def _knot_slopes(
    rule: Interpolation, knots: NDArray[np.float64], values: NDArray[np.float64], axis: int
) -> NDArray[np.float64]:
    """Slopes at the knots along one dimension of `values`, by one of the cubic rules."""
    if rule is Interpolation.PARABOLIC or knots.size == 2:
        return np.asarray(np.gradient(values, knots, axis=axis, edge_order=1 if knots.size == 2 else 2))
    if rule is Interpolation.PCHIP:
        return np.asarray(PchipInterpolator(knots, values, axis=axis)(knots, 1))
    method: Literal["akima", "makima"] = "akima" if rule is Interpolation.AKIMA else "makima"
    return np.asarray(Akima1DInterpolator(knots, values, axis=axis, method=method)(knots, 1))


def _split(x: NDArray[np.float64], knots: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The nearest place on the knots' range, and how far `x` lies beyond it."""
    inside = np.clip(x, knots[0], knots[-1])
    return inside, x - inside


def _weights(
    x: NDArray[np.float64], knots: NDArray[np.float64], order: int, *, cubic: bool
) -> tuple[NDArray[np.intp], dict[tuple[int, int], NDArray[np.float64]]]:
    """Interval of each place, and the weights of what is given at its two ends.

    The weights are keyed by (0 for the value or 1 for the slope given there, 0 for the left or 1 for the right
    end); `order` 0 asks for the value at `x`, 1 for the derivative.
    """
    i = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, knots.size - 2)
    width = knots[i + 1] - knots[i]
    s = (x - knots[i]) / width
    if not cubic:
        nothing = s - s  # 0, but of a NaN nothing is known
        slope = 1.0 / width + nothing
        return i, {(0, 0): 1.0 - s, (0, 1): s} if order == 0 else {(0, 0): -slope, (0, 1): slope}
    if order == 0:
        return i, {
            (0, 0): (1.0 + 2.0 * s) * (1.0 - s) ** 2,
            (0, 1): s * s * (3.0 - 2.0 * s),
            (1, 0): s * (1.0 - s) ** 2 * width,
            (1, 1): s * s * (s - 1.0) * width,
        }
    return i, {
        (0, 0): 6.0 * s * (s - 1.0) / width,
        (0, 1): 6.0 * s * (1.0 - s) / width,
        (1, 0): (1.0 - s) * (1.0 - 3.0 * s),
        (1, 1): s * (3.0 * s - 2.0),
    }


def _slope_range(
    knots: NDArray[np.float64], values: NDArray[np.float64], slopes: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest slope in each interval; without slopes at the knots the pieces are straight."""
    secant = np.diff(values) / np.diff(knots)
    if slopes is None:
        return secant, secant
    # The slope of a cubic piece is a parabola in s from 0 to 1; its vertex counts only if it lies inside.
    left, right = slopes[:-1], slopes[1:]
    bend = 3.0 * (left + right - 2.0 * secant)
    tilt = right - left - bend
    vertex = np.divide(-0.5 * tilt, bend, out=np.zeros_like(bend), where=bend != 0.0)
    vertex = np.clip(vertex, 0.0, 1.0)
    candidates = np.array([left, right, left + vertex * (tilt + vertex * bend)])
    return candidates.min(axis=0), candidates.max(axis=0)


def _variable_to_dict(variable: Variable) -> dict[str, Plain]:
    return {"name": variable.name, "kind": variable.kind.name}


def _variable_from_dict(data: Mapping[str, Any]) -> Variable:
    return Variable(data["name"], kind(data["kind"]))

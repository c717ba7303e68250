"""Maps: tables with named axes and named outputs, and the rule between and beyond their knots.

A map is a description: frozen, checked on construction, convertible into plain data. The evaluation here is
the readable reference in NumPy and SciPy; fast code elsewhere (the C++ core) must agree with it.

Rules between knots
    ``linear``, ``pchip`` (monotone where the data is), ``akima`` (SciPy's default variant) in one
    dimension; ``bilinear`` and ``bicubic`` in two. Bicubic is the tensor product of cubic Hermite pieces
    whose slopes at the knots are three-point differences (`numpy.gradient` of second order, also at the
    edges): local, once continuously differentiable, exact for polynomials up to the second degree in each
    variable.

Rules beyond the knots
    ``linear`` continues with the slope at the edge, ``constant`` keeps the value at the edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import Akima1DInterpolator, PchipInterpolator, PPoly

from trackrod.core.artefact import Schema
from trackrod.core.errors import InputError, Problem, UnknownNameError
from trackrod.core.plain import Plain
from trackrod.core.quantities import Kind, kind

__all__ = [
    "MAP1D_SCHEMA",
    "MAP2D_SCHEMA",
    "Extrapolation",
    "Interpolation1D",
    "Interpolation2D",
    "Map1D",
    "Map2D",
    "Variable",
]

R = TypeVar("R", bound=StrEnum)

# Slopes smaller than this part of the largest one are rounding, not folding back.
_FLAT = 1e-12


class Interpolation1D(StrEnum):
    """Rule between the knots of a map over one variable."""

    LINEAR = "linear"
    PCHIP = "pchip"
    AKIMA = "akima"


class Interpolation2D(StrEnum):
    """Rule between the knots of a map over two variables."""

    BILINEAR = "bilinear"
    BICUBIC = "bicubic"


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
    """What maps of one and two variables share: outputs, values and their checks."""

    __slots__ = ("_axes", "_extrapolation", "_interpolation", "_knots", "_outputs", "_values")

    _axes: tuple[Variable, ...]
    _knots: tuple[NDArray[np.float64], ...]
    _outputs: tuple[Variable, ...]
    _values: NDArray[np.float64]
    _interpolation: StrEnum
    _extrapolation: Extrapolation

    def _store(
        self,
        axes: tuple[Variable, ...],
        knots: tuple[ArrayLike, ...],
        outputs: Sequence[Variable],
        values: ArrayLike,
        fewest: int,
    ) -> None:
        self._axes = axes
        self._outputs = tuple(outputs)
        problems = _name_problems((*axes, *self._outputs))
        self._knots = tuple(_frozen(items) for items in knots)
        for axis, items in zip(axes, self._knots, strict=True):
            problems.extend(_knot_problems(axis.name, items, fewest))
        self._values = _frozen(values)
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

    Holds: the value at a knot is the value given there, to rounding; pchip is monotone where the values are.
    """

    __slots__ = ()
    _interpolation: Interpolation1D

    def __init__(
        self,
        axis: Variable,
        knots: ArrayLike,
        outputs: Sequence[Variable],
        values: ArrayLike,
        *,
        interpolation: Interpolation1D | str = Interpolation1D.LINEAR,
        extrapolation: Extrapolation | str = Extrapolation.CONSTANT,
    ) -> None:
        self._interpolation = _rule(Interpolation1D, interpolation)
        self._extrapolation = _rule(Extrapolation, extrapolation)
        self._store((axis,), (knots,), outputs, values, fewest=2)

    @property
    def axis(self) -> Variable:
        """The variable."""
        return self._axes[0]

    @property
    def knots(self) -> NDArray[np.float64]:
        """Knots of the axis [SI unit of the axis]; read-only."""
        return self._knots[0]

    @property
    def interpolation(self) -> Interpolation1D:
        """Rule between the knots."""
        return self._interpolation

    def value(self, x: ArrayLike) -> NDArray[np.float64]:
        """Outputs at `x` (any shape) [SI units]; the last dimension of the result counts the outputs."""
        x = np.asarray(x, dtype=np.float64)
        inside, beyond = _split(x, self.knots)
        pieces = self._pieces()
        value = pieces(inside)
        if self._extrapolation is Extrapolation.LINEAR:
            value = value + beyond[..., np.newaxis] * pieces(inside, 1)
        return np.asarray(value, dtype=np.float64)

    def slope(self, x: ArrayLike) -> NDArray[np.float64]:
        """Derivative of the outputs at `x`, from the right where it jumps [SI units of output / axis]."""
        x = np.asarray(x, dtype=np.float64)
        inside, beyond = _split(x, self.knots)
        slope = np.asarray(self._pieces()(inside, 1), dtype=np.float64)
        if self._extrapolation is Extrapolation.CONSTANT:
            slope[beyond != 0.0] = 0.0
        return slope

    def folds(self, output: str) -> tuple[tuple[float, float], ...]:
        """Intervals of the axis in which an output runs against its overall direction; none if monotone.

        The overall direction is that from the first to the last knot. Between knots the interpolated curve
        is examined, not only its knots, because Akima's may overshoot. Neighbouring intervals are joined;
        an interval ends at knots.

        Parameters
        ----------
        output
            Name of the output.
        """
        index = self.output_index(output)
        lowest, highest = _slope_range(self._pieces().c[..., index], np.diff(self.knots))
        values = self._values[:, index]
        against = -lowest if values[-1] >= values[0] else highest
        folded = against > _FLAT * max(np.abs(lowest).max(), np.abs(highest).max())
        edges = np.flatnonzero(np.diff(np.concatenate(([False], folded, [False]))))
        return tuple((float(self.knots[start]), float(self.knots[end])) for start, end in edges.reshape(-1, 2))

    def _pieces(self) -> PPoly:
        if self._interpolation is Interpolation1D.PCHIP:
            return PchipInterpolator(self.knots, self._values)
        # Akima's weights need a third knot; through two points every rule is the straight line.
        if self._interpolation is Interpolation1D.AKIMA and self.knots.size > 2:
            return Akima1DInterpolator(self.knots, self._values)
        slopes = np.diff(self._values, axis=0) / np.diff(self.knots)[:, np.newaxis]
        return PPoly(np.stack((slopes, self._values[:-1])), self.knots)

    def to_dict(self) -> dict[str, Plain]:
        """The map as plain data."""
        return {
            "axis": _variable_to_dict(self.axis),
            "knots": self.knots.tolist(),
            "outputs": [_variable_to_dict(output) for output in self._outputs],
            "values": self._values.tolist(),
            "interpolation": str(self._interpolation),
            "extrapolation": str(self._extrapolation),
        }

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
        Their knots, strictly increasing and finite; two or more, for bicubic three or more [SI units of the
        axes].
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

    Holds: the value at a knot is the value given there; the value is continuous everywhere.
    """

    __slots__ = ()
    _interpolation: Interpolation2D

    def __init__(
        self,
        axes: tuple[Variable, Variable],
        knots: tuple[ArrayLike, ArrayLike],
        outputs: Sequence[Variable],
        values: ArrayLike,
        *,
        interpolation: Interpolation2D | str = Interpolation2D.BILINEAR,
        extrapolation: Extrapolation | str = Extrapolation.CONSTANT,
    ) -> None:
        self._interpolation = _rule(Interpolation2D, interpolation)
        self._extrapolation = _rule(Extrapolation, extrapolation)
        fewest = 3 if self._interpolation is Interpolation2D.BICUBIC else 2
        self._store(tuple(axes), tuple(knots), outputs, values, fewest)

    @property
    def axes(self) -> tuple[Variable, Variable]:
        """The two variables, x and y."""
        return self._axes[0], self._axes[1]

    @property
    def knots(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Knots of x and of y [SI units of the axes]; read-only."""
        return self._knots[0], self._knots[1]

    @property
    def interpolation(self) -> Interpolation2D:
        """Rule between the knots."""
        return self._interpolation

    def value(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Outputs at `x`, `y` (shapes that broadcast) [SI units]; the last dimension counts the outputs."""
        inside_x, beyond_x, inside_y, beyond_y = self._split(x, y)
        value = self._inside(inside_x, inside_y, 0, 0)
        if self._extrapolation is Extrapolation.LINEAR:
            value += beyond_x[..., np.newaxis] * self._inside(inside_x, inside_y, 1, 0)
            value += beyond_y[..., np.newaxis] * self._inside(inside_x, inside_y, 0, 1)
        return value

    def slopes(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives by x and by y, from the right where they jump [SI units of output / axis]."""
        inside_x, beyond_x, inside_y, beyond_y = self._split(x, y)
        by_x, by_y = self._inside(inside_x, inside_y, 1, 0), self._inside(inside_x, inside_y, 0, 1)
        if self._extrapolation is Extrapolation.CONSTANT:
            by_x[beyond_x != 0.0] = 0.0
            by_y[beyond_y != 0.0] = 0.0
        else:
            # Beside an edge the edge's slope is itself a function of the other variable.
            mixed = self._inside(inside_x, inside_y, 1, 1)
            by_y += np.where(beyond_y == 0.0, beyond_x, 0.0)[..., np.newaxis] * mixed
            by_x += np.where(beyond_x == 0.0, beyond_y, 0.0)[..., np.newaxis] * mixed
        return by_x, by_y

    def _split(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], ...]:
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        return *_split(x, self._knots[0]), *_split(y, self._knots[1])

    def _inside(
        self, x: NDArray[np.float64], y: NDArray[np.float64], order_x: int, order_y: int
    ) -> NDArray[np.float64]:
        """Outputs or derivatives inside the grid: weights of x · data at four corners · weights of y."""
        cubic = self._interpolation is Interpolation2D.BICUBIC
        data = self._values[np.newaxis, np.newaxis]
        if cubic:
            by_x = np.gradient(self._values, self._knots[0], axis=0, edge_order=2)
            by_y = np.gradient(self._values, self._knots[1], axis=1, edge_order=2)
            mixed = np.gradient(by_x, self._knots[1], axis=1, edge_order=2)
            data = np.array([[self._values, by_y], [by_x, mixed]])
        i, weights_x = _weights(x, self._knots[0], order_x, cubic=cubic)
        j, weights_y = _weights(y, self._knots[1], order_y, cubic=cubic)
        total = np.zeros((*x.shape, len(self._outputs)))
        for (order_of_x, step_x), weight_x in weights_x.items():
            for (order_of_y, step_y), weight_y in weights_y.items():
                corner = data[order_of_x, order_of_y, i + step_x, j + step_y]
                total += (weight_x * weight_y)[..., np.newaxis] * corner
        return total

    def to_dict(self) -> dict[str, Plain]:
        """The map as plain data."""
        return {
            "axes": [_variable_to_dict(axis) for axis in self._axes],
            "knots": [knots.tolist() for knots in self._knots],
            "outputs": [_variable_to_dict(output) for output in self._outputs],
            "values": self._values.tolist(),
            "interpolation": str(self._interpolation),
            "extrapolation": str(self._extrapolation),
        }

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


def _knot_problems(name: str, knots: NDArray[np.float64], fewest: int) -> list[Problem]:
    if knots.ndim != 1 or knots.size < fewest:
        return [Problem(f"axis '{name}' needs {fewest} or more knots in one row, got shape {knots.shape}")]
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
            for index in np.flatnonzero(np.diff(knots) <= 0.0)
        ]
    return problems


def _split(x: NDArray[np.float64], knots: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The nearest place on the knots' range, and how far `x` lies beyond it."""
    inside = np.clip(x, knots[0], knots[-1])
    return inside, x - inside


def _weights(
    x: NDArray[np.float64], knots: NDArray[np.float64], order: int, *, cubic: bool
) -> tuple[NDArray[np.intp], dict[tuple[int, int], NDArray[np.float64]]]:
    """Interval of each place, and the weights of its two ends.

    The weights are keyed by (0 for the value or 1 for the slope, 0 for the left or 1 for the right end);
    `order` 0 gives the weights of the value at `x`, 1 those of the derivative.
    """
    i = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, knots.size - 2)
    width = knots[i + 1] - knots[i]
    s = (x - knots[i]) / width
    if not cubic:
        return i, {(0, 0): 1.0 - s, (0, 1): s} if order == 0 else {(0, 0): -1.0 / width, (0, 1): 1.0 / width}
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
    coefficients: NDArray[np.float64], widths: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest slope of each polynomial piece (highest power first, up to the third)."""
    padded = np.concatenate((np.zeros((4 - len(coefficients), widths.size)), coefficients))
    cubic, square, linear, _ = padded
    ends = (linear, linear + widths * (2.0 * square + 3.0 * cubic * widths))
    # The slope is a parabola in the distance from the left knot; its vertex counts only if it lies inside
    # the piece.
    vertex = np.divide(-square, 3.0 * cubic, out=np.zeros_like(square), where=cubic != 0.0)
    vertex = np.clip(vertex, 0.0, widths)
    candidates = np.array([*ends, linear + vertex * (2.0 * square + 3.0 * cubic * vertex)])
    return candidates.min(axis=0), candidates.max(axis=0)


def _variable_to_dict(variable: Variable) -> dict[str, Plain]:
    return {"name": variable.name, "kind": variable.kind.name}


def _variable_from_dict(data: Mapping[str, Any]) -> Variable:
    return Variable(data["name"], kind(data["kind"]))

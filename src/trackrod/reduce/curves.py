"""The one equivalent link: how a wheel turns and moves aside while it goes up and down.

Inclination, pitch, steer, x and y of a wheel over its vertical displacement z, from the K&C rig, both wheels moved
alike. A curve is a polynomial of second or third order, or a table that a cubic spline runs through; to whoever
evaluates it all three are piecewise polynomials. Angles and signs are those of `trackrod.kc.orientation`:
R_VW = Rz(steer) · Rx(inclination) · Ry(pitch).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, Problem, RangeError, UnknownNameError
from trackrod.kc.measure import measure
from trackrod.kc.orientation import rotation_of
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.vehicle.connectors import Damper, Spring, side_of

__all__ = ["CURVES", "TRAVEL", "Curve", "LinkCurves", "LinkReadings", "Shape", "link_curves", "own_line", "read_link"]

Array: TypeAlias = NDArray[np.float64]

#: Names of the curves, in the order of the core: three angles [rad], two displacements [m].
CURVES = ("inclination", "pitch", "steer", "x", "y")
#: How far the rig goes to either side of the ride height [m], and points on the way.
TRAVEL, POINTS = 0.06, 61
#: A wheel whose curve is this steep no longer goes up and down [rad/m] for angles, [-] for displacements: it folds.
_STEEPEST = {"inclination": 10.0, "pitch": 20.0, "steer": 10.0, "x": 2.0, "y": 2.0}
_TERMS = 4
#: Passes of Lawson's method.
_LAWSON = 200


class Shape(StrEnum):
    """What a curve is made of."""

    SECOND_ORDER = "second_order"
    THIRD_ORDER = "third_order"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Curve:
    """A piecewise polynomial over z.

    Attributes
    ----------
    knots
        Where each cell begins [m], increasing; the first and the last cell go on beyond.
    coefficients
        Four for each cell: of 1, u, u², u³ with u = z − knot.
    """

    knots: tuple[float, ...]
    coefficients: tuple[tuple[float, float, float, float], ...]

    @classmethod
    def fitted(cls, z: ArrayLike, values: ArrayLike, shape: Shape = Shape.TABLE, *, name: str = "curve") -> Curve:
        """The curve of this shape through points, or nearest to them.

        Parameters
        ----------
        z, values
            Points; z increases.
        shape
            A polynomial is the least-squares one, a table a cubic spline through every point.
        name
            What it is called where it is refused.

        Raises
        ------
        InputError
            Too few points, z that does not increase (a curve that folds), or numbers that are not finite.
        """
        x, y = np.asarray(z, dtype=np.float64), np.asarray(values, dtype=np.float64)
        if x.shape != y.shape or x.ndim != 1 or x.size < _TERMS:
            raise InputError(f"{name}: {x.size} points are given, {_TERMS} or more are needed")
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise InputError(f"{name}: a value is not finite")
        if not (np.diff(x) > 0).all():
            row = int((np.diff(x) <= 0).argmax())
            text = f"{name} folds: after z = {x[row]:g} m comes {x[row + 1]:g} m"
            raise InputError(Problem(text, hint="z must increase from point to point"))
        if shape is Shape.TABLE:
            spline = CubicSpline(x, y)
            return cls(tuple(x[:-1].tolist()), tuple(tuple(row) for row in spline.c[::-1].T.tolist()))
        order = 2 if shape is Shape.SECOND_ORDER else 3
        fit = np.polynomial.Polynomial.fit(x, y, order).convert().coef
        return cls((0.0,), (tuple(np.pad(fit, (0, _TERMS - fit.size)).tolist()),))

    @classmethod
    def nearest(cls, z: ArrayLike, values: ArrayLike, order: int) -> Curve:
        """The polynomial of this order whose largest distance to the points is smallest; of curves without noise.

        By Lawson's method: weights of a least-squares fit grow where the distance is large.
        """
        x, y = np.asarray(z, dtype=np.float64), np.asarray(values, dtype=np.float64)
        weights, best, found = np.full(x.size, 1.0 / x.size), np.inf, np.zeros(order + 1)
        for _ in range(_LAWSON):
            fit = np.polynomial.Polynomial.fit(x, y, order, w=np.sqrt(weights))
            off = np.abs(fit(x) - y)
            if off.max() < best:
                best, found = float(off.max()), np.asarray(fit.convert().coef, dtype=np.float64)
            total = float(weights @ off)
            if total <= 1e-12 * float(np.abs(y).max()):
                break
            weights = weights * off / total
        return cls((0.0,), (tuple(np.pad(found, (0, _TERMS - found.size)).tolist()),))

    def __call__(self, z: ArrayLike, derivative: int = 0) -> Array:
        """Value at z [m], or its first or second derivative."""
        at = np.asarray(z, dtype=np.float64)
        cell = np.clip(np.searchsorted(self.knots, at, side="right") - 1, 0, len(self.knots) - 1)
        u, c = at - np.asarray(self.knots)[cell], np.asarray(self.coefficients)[cell]
        powers = np.array([[1, 1, 1, 1], [0, 1, 2, 3], [0, 0, 2, 6]])[derivative]
        result: Array = np.zeros_like(u)
        for k in range(_TERMS - 1, derivative - 1, -1):
            result = result * u + powers[k] * c[..., k]
        return result

    def core_arguments(self) -> tuple[list[float], list[float]]:
        """Knots and coefficients, flat."""
        return list(self.knots), [value for row in self.coefficients for value in row]


@dataclass(frozen=True, slots=True, eq=False)
class LinkReadings:
    """What the rig says of a wheel, a row for each position.

    Attributes
    ----------
    z
        Vertical displacement of the wheel centre since the design position [m].
    angles
        Inclination, pitch and steer [rad], shape (n, 3).
    moved
        Displacement of the wheel centre along x and y of V [m], shape (n, 2).
    rotation
        Direction cosines R_VW, shape (n, 3, 3).
    wheel_load
        Of the pad [N].
    lengths
        Of spring and damper [m], shape (n, 2); not a number without them.
    rubbing
        Work of dry friction on the axle over the way of a wheel, half of it for each [N].
    """

    z: Array
    angles: Array
    moved: Array
    rotation: Array
    wheel_load: Array
    lengths: Array
    rubbing: Array

    def friction(self, z: float) -> float:
        """Dry friction at the wheel, by what of the axle rubs, at a displacement [N]."""
        return float(np.interp(z, self.z, self.rubbing))


@dataclass(frozen=True, slots=True)
class LinkCurves:
    """The five curves of a wheel.

    Attributes
    ----------
    inclination, pitch, steer
        Angles of the wheel carrier over z [rad].
    x, y
        Displacement of the wheel centre over z [m].
    shape
        What they were made as.
    """

    inclination: Curve
    pitch: Curve
    steer: Curve
    x: Curve
    y: Curve
    shape: Shape = Shape.TABLE

    def rotation(self, z: ArrayLike) -> Array:
        """Direction cosines R_VW at displacements [m], shape (..., 3, 3)."""
        return rotation_of(np.stack([curve(z) for curve in (self.inclination, self.pitch, self.steer)], axis=-1))

    def moved(self, z: ArrayLike) -> Array:
        """Displacement of the wheel centre at z [m], shape (..., 3)."""
        return np.stack([self.x(z), self.y(z), np.asarray(z, dtype=np.float64)], axis=-1)

    def with_curve(self, name: str, curve: Curve) -> LinkCurves:
        """The link with one curve replaced: what-if.

        Raises
        ------
        UnknownNameError
            There is no curve of this name.
        InputError
            The curve is so steep that the wheel folds.
        """
        if name not in CURVES:
            raise UnknownNameError("curve of the link", name, CURVES)
        _refuse_folding(name, curve)
        return replace(self, **{name: curve})  # type: ignore[arg-type]

    def core_arguments(self) -> list[tuple[list[float], list[float]]]:
        """What the core takes."""
        return [getattr(self, name).core_arguments() for name in CURVES]

    def errors(self, readings: LinkReadings) -> tuple[float, float]:
        """Largest difference of a direction cosine [-] and of a displacement [m] to what the rig said."""
        cosines = np.abs(self.rotation(readings.z) - readings.rotation).max()
        return float(cosines), float(np.abs(self.moved(readings.z)[:, :2] - readings.moved).max())


def _refuse_folding(name: str, curve: Curve) -> None:
    z = np.linspace(-TRAVEL, TRAVEL, POINTS)
    steepest = float(np.abs(curve(z, 1)).max())
    if steepest > _STEEPEST[name]:
        unit = "" if name in ("x", "y") else " rad/m"
        text = f"the curve of {name} has a slope of {steepest:.3g}{unit}, {_STEEPEST[name]:g}{unit} is the most"
        raise InputError(Problem(text, hint="the wheel folds: are z in m and angles in rad?"))


def read_link(rig: Rig, corner: Corner, travel: float = TRAVEL, *, around: float = 0.0) -> LinkReadings:
    """Move both wheels alike and read off one of them.

    Parameters
    ----------
    rig
        The axle.
    corner
        The wheel.
    travel, around
        How far to either side, and of what height [m].

    Raises
    ------
    RangeError
        The travel is not a length.
    InputError
        The rig does not get so far.
    """
    if not (np.isfinite(travel) and 0.005 <= travel <= 0.2):
        raise RangeError(f"the travel is {travel} m, 0.005 to 0.2 m is allowed")
    z = around + np.linspace(-travel, travel, POINTS)
    solution = rig.sweep(Inputs.of(np.column_stack((z, z))))
    if not solution.solved.all():
        raise InputError(solution.problems)
    at, side = measure(rig, solution, ()), [wheel.corner for wheel in rig.wheels].index(corner)
    centre = np.array(rig.wheels[side].centre)
    lines = [_line_length(rig, solution.lengths, corner, what) for what in ("spring", "damper")]
    return LinkReadings(
        z=at.centre[:, side, 2] - centre[2],
        angles=at.angles[:, side],
        moved=(at.centre[:, side] - centre)[:, :2],
        rotation=at.rotation[:, side],
        wheel_load=at.wheel_load[:, side],
        lengths=np.stack(lines, axis=-1),
        rubbing=_rubbing(rig, z, solution.lengths),
    )


def _rubbing(rig: Rig, z: Array, lengths: Array) -> Array:
    """Half of what all that rubs on an axle puts against its wheels moving alike [N]."""
    total = np.zeros(len(z))
    for one in rig.vehicle.acting(rig.vehicle.frictions):
        if one.name in rig.model.lines:
            total += 0.5 * one.force * np.abs(np.gradient(lengths[:, rig.model.lines[one.name]], z))
    return total


def _line_length(rig: Rig, lengths: Array, corner: Corner, what: str) -> Array:
    element = own_line(rig, corner, what)
    return np.full(len(lengths), np.nan) if element is None else lengths[:, rig.model.lines[element]]


def own_line(rig: Rig, corner: Corner, what: str) -> str | None:
    """Name of the spring or damper of a wheel; None where it has none of its own, or several."""
    vehicle = rig.vehicle
    elements: tuple[Spring | Damper, ...] = vehicle.springs if what == "spring" else vehicle.dampers
    found = [
        element.name
        for element in vehicle.acting(elements)
        if element.name in rig.model.lines and side_of(element) is corner.side
    ]
    return found[0] if len(found) == 1 else None


def link_curves(readings: LinkReadings, shape: Shape | Mapping[str, Shape] = Shape.TABLE) -> LinkCurves:
    """Curves of a shape through what the rig said; a mapping may name the shape of each.

    Polynomials are those whose largest distance to the rig is smallest: what the rig says has no noise.

    Raises
    ------
    InputError
        The wheel folds.
    """
    values: Sequence[Array] = [*readings.angles.T, *readings.moved.T]
    made = {}
    for name, value in zip(CURVES, values, strict=True):
        chosen = shape if isinstance(shape, Shape) else shape.get(name, Shape.TABLE)
        if chosen is Shape.TABLE:
            made[name] = Curve.fitted(readings.z, value, chosen, name=f"the curve of {name}")
        else:
            made[name] = Curve.nearest(readings.z, value, 2 if chosen is Shape.SECOND_ORDER else 3)
        _refuse_folding(name, made[name])
    return LinkCurves(**made, shape=shape if isinstance(shape, Shape) else Shape.TABLE)

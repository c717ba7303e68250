"""Curves, and the characteristics of springs, dampers, stops and bushings made of them, in SI units.

Nothing here knows where it was read from. A curve is kept as its points: how it is interpolated is for the model
that uses it. Every object refuses what cannot be, so that a model never meets it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError
from trackrod.core.quantities import KINDS, Kind
from trackrod.vehicle.checks import frozen, not_increasing, not_positive, refuse

__all__ = [
    "BUSHING_DIRECTIONS",
    "BushingCharacteristic",
    "Characteristic",
    "DamperCharacteristic",
    "SpringCharacteristic",
    "StopCharacteristic",
    "wrong_kinds",
]

#: Pressure of the air around [Pa], and of what share of its volume, with how many points, an air spring is drawn.
_ATMOSPHERE = 101325.0
_AIR_REACH = 0.85
_AIR_POINTS = 69

#: Order of the six directions of a bushing: forces over displacements, then torques over angles.
BUSHING_DIRECTIONS = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")


@dataclass(frozen=True, slots=True, eq=False)
class Characteristic:
    """A curve through points.

    Attributes
    ----------
    x, y
        Abscissa and ordinate of the points [units of the kinds]; read-only.
    x_kind, y_kind
        What they are.

    Holds: two points or more, all finite, x strictly increasing.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_kind: Kind
    y_kind: Kind

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", frozen(self.x))
        object.__setattr__(self, "y", frozen(self.y))
        problems = not_increasing("x of a characteristic", self.x)
        if self.y.shape != self.x.shape:
            problems.append(f"x and y of a characteristic have the shapes {self.x.shape} and {self.y.shape}")
        elif not np.isfinite(self.y).all():
            problems.append("y of a characteristic must be finite")
        refuse(problems)

    @classmethod
    def linear(cls, slope: float, reach: float, x_kind: Kind, y_kind: Kind) -> Characteristic:
        """The straight line through the origin, drawn from −`reach` to `reach`."""
        return cls(np.array([-reach, reach]), np.array([-slope * reach, slope * reach]), x_kind, y_kind)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Characteristic):
            return NotImplemented
        return (
            np.array_equal(self.x, other.x)
            and np.array_equal(self.y, other.y)
            and (self.x_kind, self.y_kind) == (other.x_kind, other.y_kind)
        )

    def __hash__(self) -> int:
        return hash((self.x.tobytes(), self.y.tobytes(), self.x_kind, self.y_kind))

    @property
    def mean_slope(self) -> float:
        """Slope of the secant from the first point to the last."""
        return self._secant(0, self.x.size - 1)

    def slope(self, at: float) -> float:
        """Slope of the secant through the points next to `at`.

        These are the ends of the segment that holds `at`, and the two neighbours of a point that stands in the
        table. Outside the table it is the slope of the first or the last segment.

        Holds: between the least and the greatest slope of the segments.
        """
        last = self.x.size - 1
        low = min(max(int(np.searchsorted(self.x, at, side="left")) - 1, 0), last - 1)
        high = max(min(int(np.searchsorted(self.x, at, side="right")), last), 1)
        return self._secant(low, high)

    def _secant(self, low: int, high: int) -> float:
        # Python numbers: points closer than the range of a double allows give inf, not a warning.
        rise = float(self.y[high]) - float(self.y[low])
        return rise / (float(self.x[high]) - float(self.x[low]))

    @property
    def is_monotone(self) -> bool:
        """Whether y never turns back: it does not fall anywhere, or does not rise anywhere."""
        steps = np.diff(self.y)
        return bool((steps >= 0).all() or (steps <= 0).all())


def wrong_kinds(curve: Characteristic, what: str, x: str, y: str) -> list[str]:
    """What keeps a curve from being one of the kind named `y` over the kind named `x`."""
    if (curve.x_kind.name, curve.y_kind.name) == (x, y):
        return []
    return [f"{what} is a curve of {y} over {x}, not of {curve.y_kind.name} over {curve.x_kind.name}"]


@dataclass(frozen=True, slots=True)
class SpringCharacteristic:
    """A coil spring.

    Attributes
    ----------
    curve
        Force [N] over compression from the free length [m]; compression and pushing force positive.
    free_length
        Length without force [m].
    """

    curve: Characteristic
    free_length: float

    def __post_init__(self) -> None:
        refuse(wrong_kinds(self.curve, "a spring", "length", "force") + not_positive(free_length=self.free_length))

    @classmethod
    def air(cls, pressure: float, area: float, volume: float, exponent: float, height: float) -> SpringCharacteristic:
        """An air spring of constant effective area: F = A·((p + pₐ)·(V/(V − A·s))ⁿ − pₐ), s being its compression.

        Parameters
        ----------
        pressure
            Above that of the air around it, at the design height [Pa].
        area, volume
            Effective area [m²], and volume with that of an additional tank at the design height [m³].
        exponent
            Polytropic exponent: 1 for slow motion, up to 1.4 for quick motion.
        height
            Design height, which counts as free length [m].

        Limits: the effective area does not change with the height; the temperature settles at once.
        """
        refuse(not_positive(pressure=pressure, area=area, volume=volume, exponent=exponent))
        way = volume / area * np.linspace(-_AIR_REACH, _AIR_REACH, _AIR_POINTS)
        force = area * ((pressure + _ATMOSPHERE) * (volume / (volume - area * way)) ** exponent - _ATMOSPHERE)
        return cls(Characteristic(way, force, KINDS["length"], KINDS["force"]), height)


@dataclass(frozen=True, slots=True)
class DamperCharacteristic:
    """A damper: force [N] over velocity [m/s].

    The velocity is positive in extension (rebound); the force is positive where it resists the extension.
    """

    curve: Characteristic

    def __post_init__(self) -> None:
        refuse(wrong_kinds(self.curve, "a damper", "velocity", "force"))


@dataclass(frozen=True, slots=True)
class StopCharacteristic:
    """A bump stop or a rebound stop: force [N] over penetration [m], positive where it resists.

    Holds: no penetration is negative.
    """

    curve: Characteristic

    def __post_init__(self) -> None:
        problems = wrong_kinds(self.curve, "a stop", "length", "force")
        if self.curve.x[0] < 0:
            problems.append(f"the penetration of a stop starts at {self.curve.x[0]:g} m, it must not be negative")
        refuse(problems)


@dataclass(frozen=True, slots=True)
class BushingCharacteristic:
    """A bushing with six independent directions in its own axes.

    Attributes
    ----------
    curves
        Forces [N] over displacements [m] along x, y, z, then torques [N·m] over angles [rad] about them; the sign
        is that of the resisted displacement, so a restoring bushing has rising curves.
    damping
        Viscous damping, three of [N·s/m], three of [N·m·s/rad].
    """

    curves: tuple[Characteristic, ...]
    damping: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.curves) != 6 or len(self.damping) != 6:
            raise InputError(f"a bushing has 6 curves and 6 dampings, not {len(self.curves)} and {len(self.damping)}")
        problems = []
        for name, curve in zip(BUSHING_DIRECTIONS, self.curves, strict=True):
            kinds = ("length", "force") if name.startswith("F") else ("angle", "torque")
            problems += wrong_kinds(curve, f"{name} of a bushing", *kinds)
        if not all(math.isfinite(value) for value in self.damping):
            problems.append("the damping of a bushing must be finite")
        refuse(problems)

    @property
    def stiffness(self) -> tuple[float, ...]:
        """Slopes of the six curves at zero, three of [N/m], three of [N·m/rad]."""
        return tuple(curve.slope(0.0) for curve in self.curves)

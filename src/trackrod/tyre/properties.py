"""A tyre as described by its property file: formula, coefficients, curves. The model is compiled from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError, Problem, UnknownNameError
from trackrod.tyre.coefficients import Coefficient, Version, coefficients_of

__all__ = ["Curve", "TyreProperties", "Tyreside"]


class Tyreside(StrEnum):
    """Side of the vehicle a tyre was measured for, as its property file says."""

    LEFT = "LEFT"
    RIGHT = "RIGHT"
    SYMMETRIC = "SYMMETRIC"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A force [N] over a deflection [m], both strictly or weakly increasing."""

    deflection: NDArray[np.float64]
    force: NDArray[np.float64]


_ASYMMETRIC = """
RHX1 PEY3 PHY1 PHY2 PVY1 PVY2 RBY3 RVY1 RVY2 QSX1 QBZ4 QDZ3 QDZ6 QDZ7 QEZ4 QHZ1 QHZ2 SSZ1
a9 a10 a12 a13 c12 c13 c16 c17
"""
#: Coefficients that make a tyre behave differently to the left and to the right (conicity, ply steer, test bias).
ASYMMETRIC = frozenset(_ASYMMETRIC.split())


@dataclass(frozen=True, slots=True, eq=False)
class TyreProperties:
    """What a tyre property file says, in SI units; unchangeable.

    Attributes
    ----------
    version
        The formula.
    coefficients
        Every coefficient of the formula by name [SI], defaults filled in.
    given
        Names of the coefficients that the file itself gave.
    tyreside
        Side it was measured for.
    deflection_load, bottoming
        Load over deflection instead of the formula's polynomial, and additional load of the rim, where given.
        The bottoming curve starts at BOTTOMING_RADIUS, or at the free radius if that is zero.
    name, file
        A short name, and where it was read.
    problems
        Warnings and notes of the reader.

    Raises
    ------
    InputError
        A coefficient of the formula is missing.
    """

    version: Version
    coefficients: Mapping[str, float]
    given: frozenset[str] = frozenset()
    tyreside: Tyreside = Tyreside.UNKNOWN
    deflection_load: Curve | None = None
    bottoming: Curve | None = None
    name: str = "tyre"
    file: Path | None = None
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", MappingProxyType(dict(self.coefficients)))
        if missing := [item.name for item in self.declarations if item.name not in self.coefficients]:
            raise InputError(f"the tyre '{self.name}' has no coefficient {', '.join(missing)}")

    @property
    def road_shape(self) -> tuple[float, float, float]:
        """Free radius, section width and deflection under the nominal load [m]: what an uneven road must know of it."""
        known = self.coefficients
        return known["UNLOADED_RADIUS"], known["WIDTH"], self.nominal_load / known["VERTICAL_STIFFNESS"]

    @property
    def nominal_load(self) -> float:
        """Load [N] the formula is centred on; PAC89 has none, there a load that deflects the tyre by 20 mm."""
        known = self.coefficients
        return known["FNOMIN"] if "FNOMIN" in known else 0.02 * known["VERTICAL_STIFFNESS"]

    @property
    def declarations(self) -> tuple[Coefficient, ...]:
        """Declaration of every coefficient, in the order of `values`."""
        return coefficients_of(self.version)

    @property
    def names(self) -> tuple[str, ...]:
        """Coefficients that the formula uses; the rest of `coefficients` belongs to others and keeps its default."""
        return tuple(item.name for item in self.declarations if self.version in item.versions)

    def values(self) -> NDArray[np.float64]:
        """The coefficients as the flat array that the C++ model takes."""
        return np.array([self.coefficients[item.name] for item in self.declarations])

    def with_values(self, **changes: float) -> TyreProperties:
        """The same tyre with other coefficients, e.g. ``with_values(LMUY=0.8)`` [SI]."""
        unknown = next((name for name in changes if name not in self.names), None)
        if unknown is not None:
            raise UnknownNameError(f"coefficient of {self.version}", unknown, self.names)
        return replace(self, coefficients={**self.coefficients, **changes}, given=self.given | changes.keys())

    def stiffer(self, factor: float) -> TyreProperties:
        """The same tyre with a cornering stiffness that is larger by a factor [-]."""
        scale = "a3" if self.version is Version.PAC89 else "LKY"
        return self.with_values(**{scale: factor * self.coefficients[scale]})

    def symmetric(self) -> TyreProperties:
        """The same tyre without conicity, ply steer and other differences between left and right.

        Holds: Fx and My are even, Fy, Mx and Mz odd in slip and inclination angle together.
        """
        zeros = {name: 0.0 for name in self.names if name in ASYMMETRIC}
        return replace(self, coefficients={**self.coefficients, **zeros}, tyreside=Tyreside.SYMMETRIC, given=self.given)

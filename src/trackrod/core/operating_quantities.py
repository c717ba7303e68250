"""What describes the state of motion of a vehicle where a model's domain of validity is told, declared once.

The law in C++ (``cpp/trackrod/validity.hpp``) and that in Python (`trackrod.core.validity`) take names and order from
here. Standard library only, because the build imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trackrod.core.quantities import STANDARD_GRAVITY

__all__ = ["QUANTITIES", "Quantity"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One coordinate of the domain.

    Attributes
    ----------
    name, words
        For files and for people.
    unit, factor
        That people use, and what a value in SI units is multiplied by for it.
    from_below
        Whether small values are the critical ones.
    """

    name: str
    words: str
    unit: str = ""
    factor: float = 1.0
    from_below: bool = False

    def shown(self, value: float) -> str:
        """A value as people write it."""
        return f"{self.factor * value:.3g}{' ' if self.unit else ''}{self.unit}"

    @property
    def label(self) -> str:
        """For axes of plots and heads of tables."""
        return f"{self.words} [{self.unit or '-'}]"


#: What the state of motion is described by, in the order in which it is told.
QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        found.name: found
        for found in (
            Quantity("lateral", "lateral acceleration", "g", 1.0 / STANDARD_GRAVITY),
            Quantity("longitudinal", "longitudinal acceleration", "g", 1.0 / STANDARD_GRAVITY),
            Quantity("frequency", "frequency of the yaw motion", "Hz"),
            Quantity("speed", "speed", "km/h", 3.6),
            Quantity("slowest", "lowest speed", "km/h", 3.6, from_below=True),
            Quantity("friction_used", "share of the friction that an axle uses", "%", 100.0),
            Quantity("load_transfer", "load transfer of an axle, 100 % where a wheel lifts", "%", 100.0),
            Quantity("damper_speed", "speed of a damper", "m/s"),
            Quantity("friction", "friction of the road", from_below=True),
            Quantity("mass", "mass", "t", 1e-3),
            Quantity("lightest", "lowest mass", "t", 1e-3, from_below=True),
        )
    }
)

"""Units of foreign files: unit words, a file's unit system, conversion into SI.

Inside Trackrod every number is in SI units and radians. This module is the border: it turns the unit words found
in Adams property files into factors, and a file's base units into the factor of any `Kind`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trackrod.core.errors import Place, Problem, UnitError, close_matches
from trackrod.core.quantities import STANDARD_GRAVITY, Kind

__all__ = ["UNIT_WORDS", "UnitSystem", "unit_factor"]

_POUND_FORCE = 4.4482216152605
_POUND_MASS = 0.45359237
_OUNCE_FORCE = _POUND_FORCE / 16

#: Factor into SI of every unit word, by base unit. Words are compared without regard to case.
UNIT_WORDS: dict[str, dict[str, float]] = {
    "length": {
        **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
        **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1e-3),
        **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 1e-2),
        **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), 1e3),
        **dict.fromkeys(("in", "inch", "inches"), 0.0254),
        **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
        **dict.fromkeys(("mile", "miles"), 1609.344),
    },
    "force": {
        **dict.fromkeys(("n", "newton", "newtons"), 1.0),
        **dict.fromkeys(("kn", "knewton", "kilonewton", "kilonewtons"), 1e3),
        "dyne": 1e-5,
        **dict.fromkeys(("kgf", "kilogram_force"), STANDARD_GRAVITY),
        **dict.fromkeys(("lbf", "pound_force"), _POUND_FORCE),
        "kpound_force": 1e3 * _POUND_FORCE,
        "ounce_force": _OUNCE_FORCE,
    },
    "angle": {
        **dict.fromkeys(("r", "rad", "radian", "radians"), 1.0),
        **dict.fromkeys(("d", "deg", "degree", "degrees"), math.pi / 180),
    },
    "mass": {
        **dict.fromkeys(("kg", "kilogram", "kilograms"), 1.0),
        **dict.fromkeys(("g", "gram", "grams"), 1e-3),
        **dict.fromkeys(("t", "tonne", "tonnes", "megagram"), 1e3),
        **dict.fromkeys(("lb", "lbs", "pound", "pounds", "pound_mass"), _POUND_MASS),
        "slug": 14.593902937206365,
    },
    "time": {
        **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
        **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1e-3),
        **dict.fromkeys(("min", "minute", "minutes"), 60.0),
        **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    },
    "pressure": {
        **dict.fromkeys(("pa", "pascal", "pascals"), 1.0),
        **dict.fromkeys(("kpa", "kpascal", "kilopascal"), 1e3),
        **dict.fromkeys(("mpa", "megapascal"), 1e6),
        "bar": 1e5,
        "psi": _POUND_FORCE / 0.0254**2,
    },
}


def unit_factor(base: str, word: str, place: Place | None = None) -> float:
    """Factor from the unit called `word` into SI.

    Parameters
    ----------
    base
        Base unit: length, force, angle, mass, time or pressure.
    word
        Unit word as found in a file, any case.
    place
        Where the word stands, for the message.
    """
    words = UNIT_WORDS[base]
    factor = words.get(word.strip().casefold())
    if factor is None:
        matches = close_matches(word, words) or list(words)[:8]
        hint = "allowed are for example " + ", ".join(f"'{match}'" for match in matches)
        text = f"{base.upper()} = '{word}' is not a unit of {base}"
        raise UnitError(Problem(text, place or Place(), hint=hint))
    return factor


@dataclass(frozen=True, slots=True)
class UnitSystem:
    """Base units of one file as factors into SI; every property file has its own."""

    length: float = 1.0
    force: float = 1.0
    angle: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    pressure: float | None = None

    def factor(self, kind: Kind) -> float:
        """Factor that turns a number of this file into SI units."""
        if kind.name == "pressure" and self.pressure is not None:
            return self.pressure
        d = kind.dimension
        return float(
            self.length**d.length * self.force**d.force * self.angle**d.angle * self.mass**d.mass * self.time**d.time
        )

    def to_si(self, value: float, kind: Kind) -> float:
        """Value of this file in SI units."""
        return value * self.factor(kind)

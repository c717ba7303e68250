"""Units as people write them beside columns and numbers: ``deg/s``, ``N*mm``, ``m/s^2``, ``rpm``, ``%``."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator

from trackrod.core.errors import Place, Problem, UnitError
from trackrod.core.quantities import KINDS, Dimension, Kind
from trackrod.core.units import UNIT_WORDS

__all__ = ["AIR_FORCE", "RACK_RATIO", "factor_of", "number_of"]

#: Rack travel over steering-wheel angle.
RACK_RATIO = Kind("rack_ratio", "m/rad", "", Dimension(length=1, angle=-1), "rack travel over angle", -1.0, 1.0)
#: Force over the square of a speed.
AIR_FORCE = Kind(
    "air_force", "N·s²/m²", "", Dimension(force=1, length=-2, time=2), "force over squared speed", -1e3, 1e3
)

_BASES = ("length", "force", "angle", "mass", "time")
#: Words that are short for a product of others.
_SHORT = {"nm": "n*m", "nmm": "n*mm", "knm": "kn*m", "kph": "km/h", "kmh": "km/h", "mph": "mile/h", "°": "deg"}
#: Words that mean something only for a quantity: factor into SI.
_SPECIAL = {
    "acceleration": {"g": 9.80665},
    "angular_velocity": {"rpm": math.pi / 30.0, "1/min": math.pi / 30.0, "hz": 2.0 * math.pi},
    "number": {"%": 0.01, "-": 1.0, "1": 1.0},
}
_SUPERSCRIPTS = str.maketrans({"²": "2", "³": "3", "·": "*", "×": "*", "^": None, "[": None, "]": None})
_PART = re.compile(r"([a-zµ_]+)(\d*)\Z")
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*\Z")


def factor_of(unit: str, kind: Kind, place: Place | None = None) -> float:
    """Factor from a unit into the SI unit of a quantity.

    Raises
    ------
    UnitError
        The unit is not known, or is one of another quantity.
    """
    text = unit.strip().casefold().translate(_SUPERSCRIPTS)
    if text in ("", kind.unit.casefold().translate(_SUPERSCRIPTS)):
        return 1.0
    special = _SPECIAL.get(kind.name, {})
    if text in special:
        return special[text]
    exponents = dict.fromkeys(_BASES, 0.0)
    factor = 1.0
    for word, power in _parts(text):
        known = _base_of(word)
        if known is None:
            hint = f"for {kind.meaning} for example '{kind.unit or '-'}'"
            raise UnitError(Problem(f"'{unit}' is not a unit that is known here", place or Place(), hint=hint))
        base, value = known
        factor *= value**power
        for name, share in (("force", 1), ("length", -2)) if base == "pressure" else ((base, 1),):
            exponents[name] += share * power
    if Dimension(**exponents) != kind.dimension:
        text = f"'{unit}' is not a unit of {kind.meaning}; '{kind.unit or '-'}' is needed, or another of its kind"
        raise UnitError(Problem(text, place or Place()))
    return factor


def number_of(value: object, kind: Kind, place: Place | None = None) -> float:
    """A number in SI units, or a text of a number and its unit (``"412 mm"``), in SI units.

    Raises
    ------
    UnitError
        The text is no number with a unit of the quantity.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):  # an integer without end
            return float(value)
    if isinstance(value, str) and (found := _NUMBER.match(value)):
        return float(found[1]) * factor_of(found[2], kind, place)
    unit = f" [{kind.unit}]" if kind.unit else ""
    hint = 'or a text such as "412 mm"' if kind is KINDS["length"] else ""
    raise UnitError(Problem(f"{value!r} is not a number{unit}", place or Place(), hint=hint))


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """Words with their powers, those after the first stroke negative."""
    for word, full in _SHORT.items():
        text = re.sub(rf"(?<![a-z]){word}(?![a-z])", full, text)
    for place, product in enumerate(text.split("/")):
        for part in re.split(r"[*\s.]+", product.strip().strip("()")):
            if part in ("", "1"):
                continue
            found = _PART.match(part)
            word, power = (found[1], int(found[2] or 1)) if found else (part, 1)
            yield word, power if place == 0 else -power


def _base_of(word: str) -> tuple[str, float] | None:
    for base, words in UNIT_WORDS.items():
        if word in words:
            return base, words[word]
    return None

"""Settings of manoeuvres: a name with its unit, a default, a range, a meaning; declared once, as a field.

The unit is the last part of the name (``speed_kmh``, ``rate_degps``), because a setting is a number at the border:
what a person types. Inside, `kmh`, `degrees` and `g` turn it into SI.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from trackrod.core.errors import InputError, Problem, RangeError, UnknownNameError
from trackrod.core.quantities import STANDARD_GRAVITY

__all__ = [
    "STANDARD_GRAVITY",
    "Direction",
    "Setting",
    "Value",
    "check",
    "degrees",
    "falling_sweep",
    "g",
    "kmh",
    "parse",
    "setting",
    "settings_of",
]

#: What a setting holds; None is found by driving, or means that there is no such limit.
Value: TypeAlias = float | int | str | None

_UNITS = {
    "pct": "%",
    "radm": "rad·m",
    "kmh": "km/h",
    "kmhps": "km/h/s",
    "deg": "°",
    "degps": "°/s",
    "g": "g",
    "s": "s",
    "m": "m",
    "mm": "mm",
    "mmps": "mm/s",
    "mps2": "m/s²",
    "m3": "m³",
    "Hz": "Hz",
}
_KEY = "trackrod.setting"


def kmh(value: float) -> float:
    """A speed in km/h as m/s."""
    return value / 3.6


def degrees(value: float) -> float:
    """An angle in degrees as radians, a rate in °/s as rad/s."""
    return math.radians(value)


def g(value: float) -> float:
    """An acceleration in g as m/s²."""
    return STANDARD_GRAVITY * value


class Direction(StrEnum):
    """To which side: left is positive."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def sign(self) -> float:
        """+1 to the left, −1 to the right."""
        return 1.0 if self is Direction.LEFT else -1.0


@dataclass(frozen=True, slots=True)
class Setting:
    """One number or choice of a manoeuvre.

    Attributes
    ----------
    name
        With the unit as its last part, where it has one.
    default
        None where the value is found by driving or a limit is absent.
    meaning
        In a few words.
    least, most
        What is allowed, both included.
    choices
        The words allowed; empty for a number or a free text.
    """

    name: str
    default: Value
    meaning: str
    least: float = -math.inf
    most: float = math.inf
    choices: tuple[str, ...] = ()
    whole: bool = False

    @property
    def unit(self) -> str:
        """Unit as people write it, empty for pure numbers and words."""
        return _UNITS.get(self.name.rpartition("_")[2], "")

    @property
    def title(self) -> str:
        """Name and unit as people write them: ``target_ay_g`` is the "target ay [g]"."""
        name = self.name.removesuffix(f"_{self.name.rpartition('_')[2]}") if self.unit else self.name
        return f"{name.replace('_', ' ')} [{self.unit}]" if self.unit else name.replace("_", " ")

    @property
    def is_text(self) -> bool:
        """Whether a text is wanted that is not one of the choices, such as the name of a file."""
        return isinstance(self.default, str) and not self.choices

    @property
    def allowed(self) -> str:
        """The range in words."""
        if self.choices:
            return " or ".join(self.choices)
        if math.isinf(self.least) and math.isinf(self.most):
            return "any finite number"
        unit = f" {self.unit}" if self.unit else ""
        if math.isinf(self.most):
            return f"{self.least:g}{unit} or more"
        return f"{self.least:g} to {self.most:g}{unit}"

    def faults(self, value: object) -> Iterator[str]:
        """What is wrong with a value, in sentences."""
        if self.is_text:
            if not isinstance(value, str):
                yield f"{self.name} is {value!r}, a text is needed"
        elif self.choices:
            if value not in self.choices:
                yield f"{self.name} is '{value}', allowed is {self.allowed}"
        elif value is None:
            if self.default is not None:
                yield f"{self.name} has no value, a number is needed: {self.allowed}"
        elif isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
            yield f"{self.name} is {value}, a finite number is needed: {self.allowed}"
        elif not self.least <= value <= self.most or (self.whole and value != int(value)):
            yield f"{self.name} is {value:g}, allowed is {self.allowed}{' (a whole number)' if self.whole else ''}"


def setting(
    default: Any,
    meaning: str,
    least: float = -math.inf,
    most: float = math.inf,
) -> Any:
    """Declare a field of a manoeuvre as one of its settings; an enumeration as default gives the choices."""
    choices = tuple(str(c) for c in type(default)) if isinstance(default, StrEnum) else ()
    whole = isinstance(default, int)
    declared = Setting("", default, meaning, least, most, choices, whole)
    return dataclasses.field(default=default, metadata={_KEY: declared})


def falling_sweep(first_frequency_Hz: float, last_frequency_Hz: float) -> Iterator[str]:
    """What is wrong with the frequencies of a sweep, in a sentence."""
    if last_frequency_Hz < first_frequency_Hz:
        yield f"last_frequency_Hz={last_frequency_Hz:g} is below first_frequency_Hz={first_frequency_Hz:g}"


def settings_of(manoeuvre: type) -> tuple[Setting, ...]:
    """The settings of a class of manoeuvres, in the order in which they are declared."""
    return tuple(
        dataclasses.replace(field.metadata[_KEY], name=field.name)
        for field in dataclasses.fields(manoeuvre)
        if _KEY in field.metadata
    )


def check(manoeuvre: object) -> None:
    """Raise one error with every setting that is out of its range; the words of choices become their enumeration."""
    problems = [
        Problem(text, hint=declared.meaning)
        for declared in settings_of(type(manoeuvre))
        for text in declared.faults(getattr(manoeuvre, declared.name))
    ]
    if problems:
        raise RangeError(problems)
    for declared in settings_of(type(manoeuvre)):
        if isinstance(declared.default, StrEnum):
            word = type(declared.default)(getattr(manoeuvre, declared.name))
            object.__setattr__(manoeuvre, declared.name, word)


def parse(manoeuvre: type, given: Mapping[str, str]) -> dict[str, Value]:
    """Values of settings from texts, such as those of a command line.

    Raises
    ------
    InputError
        With every name that is not a setting and every text that is not a number.
    """
    declared = {item.name: item for item in settings_of(manoeuvre)}
    problems: list[Problem] = []
    values: dict[str, Value] = {}
    for name, text in given.items():
        if name not in declared:
            problems.extend(UnknownNameError("setting", name, declared).problems)
            continue
        try:
            values[name] = _value(declared[name], text)
        except ValueError:
            item = declared[name]
            problems.append(Problem(f"{name}={text}: '{text}' is not a number; allowed is {item.allowed}"))
    if problems:
        raise InputError(problems)
    return values


def _value(declared: Setting, text: str) -> Value:
    if declared.is_text:
        return text
    if declared.choices:
        default = declared.default
        return type(default)(text) if text in declared.choices and isinstance(default, StrEnum) else text
    return int(text) if declared.whole else float(text)

"""Numbers as people read them: the one place that turns a value into text for tables, captions and axes.

Holds: no text has an exponent of the kind ``1e+02``, and no range repeats one number as ``5.0 to 5.0``.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["change", "interval", "less_than", "minus", "percent", "shown", "signed"]

#: From here on a number is written with a power of ten.
_LARGE, _SMALL = 1e9, 1e-4
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Most digits behind the point that are tried to tell two numbers apart.
_MOST_DECIMALS = 3


def shown(value: float, digits: int = 5) -> str:
    """A number with so many significant digits; a power of ten only where zeros could not be counted; – for none."""
    if not math.isfinite(value):
        return "–"
    rounded = float(f"{value:.{digits}g}")
    if rounded == 0 or _SMALL <= abs(rounded) < _LARGE:
        return np.format_float_positional(rounded, trim="-") if rounded else "0"
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}·10{str(int(power)).translate(_RAISED)}"


def minus(text: str) -> str:
    """A text with the minus sign of print instead of hyphens; for texts that are one number."""
    return text.replace("-", "−")


def percent(value: float, *, sign: bool = False, decimals: int = 2) -> str:
    """A share [%] with its sign of percent; whole numbers from 100 % on; – where there is none."""
    if not math.isfinite(value):
        return "–"
    decimals = decimals if abs(value) < 100.0 else 0
    rounded = round(value, decimals) + 0.0
    return minus(f"{rounded:+.{decimals}f} %" if sign and rounded else f"{rounded:.{decimals}f} %")


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, zero without."""
    text = shown(value, digits)
    return minus(text if text in {"0", "–"} or value < 0 else f"+{text}")


def interval(low: float, high: float, digits: int = 4) -> str:
    """Two ends with the same number of decimals; one number where they are the same as written."""
    largest = max(abs(low), abs(high))
    if not math.isfinite(largest):
        return "–"
    decimals = max(0, digits - 1 - math.floor(math.log10(largest))) if largest else 0
    first, last = (minus(f"{round(end, decimals) + 0.0:.{decimals}f}") for end in (low, high))
    return first if first == last else f"{first} to {last}"


def change(before: float, after: float, decimals: int = 1) -> str:
    """What a number was and became, with as many decimals as it takes to see it; one number where nothing shows."""
    for places in range(decimals, _MOST_DECIMALS + 1):
        first, last = (minus(f"{round(value, places) + 0.0:.{places}f}") for value in (before, after))
        if first != last:
            return f"{first} to {last}"
    return minus(f"{round(after, decimals) + 0.0:.{decimals}f}")


def less_than(value: float, resolution: float, unit: str, digits: int = 2) -> str:
    """A magnitude with its unit, or that it is below what is worth telling [the same unit]."""
    space = "" if unit == "°" else " "
    if abs(value) < resolution:
        return f"less than {shown(resolution)}{space}{unit}"
    return f"{shown(value, digits)}{space}{unit}"

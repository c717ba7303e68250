"""Tables that commands wrote, for plots: columns by name with their units."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.quantities import KINDS

__all__ = ["Columns", "read_columns"]

#: Size of a table that is read [byte].
_LARGEST = 64 * 2**20
#: Units by the suffix of a column.
_UNITS = {kind.suffix: kind.unit for kind in KINDS.values() if kind.suffix}


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Numbers by name, each with its unit.

    Attributes
    ----------
    values
        By the name of the column without its unit.
    units
        SI; empty for pure numbers.
    """

    values: dict[str, NDArray[np.float64]]
    units: dict[str, str]


def read_columns(path: Path) -> Columns | None:
    """A CSV file with units at the end of its heads; None where it is not there or is none."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        with path.open(newline="", encoding="utf-8") as stream:
            lines = (line for line in stream if not line.startswith("#"))
            heads = next(csv.reader(lines))
            data = np.genfromtxt(lines, delimiter=",", dtype=np.float64, ndmin=2)
    except (OSError, StopIteration, ValueError):
        return None
    if data.shape[1] != len(heads):
        return None
    values, units = {}, {}
    for k, head in enumerate(heads):
        suffix = max((s for s in _UNITS if head.endswith(f"_{s}")), key=len, default="")
        name = head.removesuffix(f"_{suffix}") if suffix else head
        values[name], units[name] = data[:, k], _UNITS.get(suffix, "")
    return Columns(values, units)

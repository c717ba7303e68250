"""How wrong a sensor or a parameter may be, so that criteria can still be judged.

Everything is told in one unit: the ratio of a criterion, 0 for a perfect model and 1 at the limit. What an error does
is the ratio between the run with the error and the run without it. It may fill a stated share of the limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Demand", "Filled", "alone", "fill", "rounded_down"]

#: An error that fills nothing up to this factor does not matter.
_LARGEST = 1e4
_CLOSE, _ROUNDS = 0.01, 30
#: What is left of a full row for sources that hardly matter in it [share of its square].
_LITTLE = 0.05

#: A criterion in a test, by their names.
Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Demand:
    """What one row asks of one source of errors.

    Attributes
    ----------
    source
        Its name.
    row
        Criterion and test.
    alone
        Factor on its errors at which it fills the share by itself.
    """

    source: str
    row: Row
    alone: float


@dataclass(frozen=True, slots=True)
class Filled:
    """What a source of errors is left with: the factor on its errors, and the row that rules it."""

    factor: float
    row: Row


def alone(ratio: Callable[[float], float], share: float, *, start: float = 1.0, largest: float = _LARGEST) -> float:
    """The factor at which a growing ratio comes to a share; infinite if it does not up to `largest`.

    Parameters
    ----------
    ratio
        Of a criterion over the factor, 0 at 0; linear or nearly so, or of any growing shape.
    share
        0 to 1.
    start
        Factor to begin with.
    """
    low, high, at = 0.0, math.inf, start
    for _ in range(_ROUNDS):
        found = ratio(at)
        if abs(found / share - 1.0) <= _CLOSE:
            return at
        if found > share or not math.isfinite(found):
            high = at
        else:
            low = at
            if at >= largest:
                return math.inf
        straight = at * share / found if 0.0 < found < math.inf else math.inf
        if low < straight < high and straight < 10.0 * at:
            at = straight
        elif high == math.inf:
            at = 10.0 * at
        else:
            at = math.sqrt(low * high) if low > 0.0 else at / 10.0
        at = min(at, largest)
        if high / max(low, 1e-300) < 1.0 + _CLOSE:
            break
    return at


def fill(demands: Iterable[Demand]) -> dict[str, Filled]:
    """Factors on the errors of all sources, as large as the rows allow.

    All factors grow together from zero. When a row is full the sources that matter in it stay, the others go on: no
    source could be coarser without another one being finer (max-min fairness). Sources count in a row as the root of
    the sum of their squares, for their errors have nothing to do with each other.

    Holds: no row is more than full, and every source matters in a row that is full, within some percent.
    """
    rows: dict[Row, dict[str, float]] = {}
    for demand in demands:
        if math.isfinite(demand.alone):
            rows.setdefault(demand.row, {})[demand.source] = demand.alone
    waiting = set().union(*rows.values())
    factors: dict[str, float] = {}
    ruled: dict[str, Row] = {}
    full: set[Row] = set()
    caps: dict[str, tuple[float, Row]] = {}

    def settle(source: str, factor: float, row: Row) -> None:
        factors[source], ruled[source] = factor, row
        waiting.discard(source)

    while waiting:
        levels = [
            (_level(row, factors), name) for name, row in rows.items() if name not in full and waiting & row.keys()
        ]
        level, name = min(levels, default=(math.inf, ("", "")))
        capped = min(((caps[source], source) for source in sorted(waiting & caps.keys())), default=None)
        if capped is not None and capped[0][0] <= level:
            settle(capped[1], *capped[0])
            continue
        full.add(name)
        for source in sorted(waiting & rows[name].keys()):
            little = math.sqrt(_LITTLE) * rows[name][source]
            if level >= little:
                settle(source, level, name)
            elif little < caps.get(source, (math.inf,))[0]:
                caps[source] = little, name
    fullest = max((_filled(row, factors) for row in rows.values()), default=1.0)
    return {source: Filled(factor / max(fullest, 1.0), ruled[source]) for source, factor in sorted(factors.items())}


def _level(row: Mapping[str, float], factors: Mapping[str, float]) -> float:
    """Factor of all sources without one at which a row is full."""
    taken = sum((factors[source] / most) ** 2 for source, most in row.items() if source in factors)
    slope = sum(1.0 / most**2 for source, most in row.items() if source not in factors)
    return math.sqrt(max(1.0 - taken, 0.0) / slope)


def _filled(row: Mapping[str, float], factors: Mapping[str, float]) -> float:
    return math.sqrt(sum((factors[source] / most) ** 2 for source, most in row.items()))


def rounded_down(value: float, digits: int = 2) -> float:
    """A positive number with so many significant digits, not larger than it was; others stay."""
    if not 0.0 < value < math.inf:
        return value
    scale = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    down = math.floor(value / scale * (1.0 + 1e-9))
    return float(f"{down * scale:.{digits - 1}e}")

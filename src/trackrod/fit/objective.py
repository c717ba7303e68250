"""One number out of many indices: what tuning makes small.

Reference: the conversion of a light commercial vehicle, eq. 8 to 10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from trackrod.core.errors import Problem, close_matches, raise_if_errors
from trackrod.fit.blocks import Array, Block
from trackrod.metrics.indices import TOLERANCE

__all__ = ["Objective"]

#: A manoeuvre, or one index of a manoeuvre.
WeightKey = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Objective:
    """Mean over the manoeuvres of the mean of their weighted indices, with more weight on what exceeds a tolerance.

    ::

        f = 1/N Σ_j ( 1/M_j Σ_k w_jk e'_jk ),   e' = e + PF (e − TP) where e > TP, else e

    N manoeuvres, M_j indices of manoeuvre j.

    Attributes
    ----------
    tolerance_pct
        TP, the index up to which a fit is good [%].
    penalty
        PF, what each percent above the tolerance costs in addition [-]. The reference names it and gives no value.
    weights
        w, for a manoeuvre or for a pair of manoeuvre and index; the pair prevails. 1 where nothing is given. A weight
        of zero takes an index out of the sum, not out of N and M.

    Raises
    ------
    InputError
        If a number is negative or not finite.

    Holds: f ≥ 0, and f grows with every index; without penalty f is a weighted mean of the indices [%].
    """

    tolerance_pct: float = TOLERANCE
    penalty: float = 1.0
    weights: Mapping[WeightKey, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = {"tolerance": self.tolerance_pct, "penalty factor": self.penalty}
        numbers |= {f"weight of {_label(key)}": value for key, value in self.weights.items()}
        raise_if_errors(
            Problem(f"the {what} is {value:g}", hint="a finite number, zero or more, is needed")
            for what, value in numbers.items()
            if not (math.isfinite(value) and value >= 0)
        )
        object.__setattr__(self, "weights", MappingProxyType(dict(self.weights)))

    def check(self, blocks: Sequence[Block]) -> None:
        """Whether the weights fit the indices that there are.

        Raises
        ------
        InputError
            If there is no index, a weight names what does not exist, or all weights are zero.
        """
        raise_if_errors(self._problems(blocks))

    def _problems(self, blocks: Sequence[Block]) -> Iterator[Problem]:
        known: set[WeightKey] = {(b.manoeuvre, b.name) for b in blocks} | {b.manoeuvre for b in blocks}
        for key in self.weights:
            if key not in known:
                yield Problem(f"a weight is given for {_label(key)}, which is not compared", hint=_hint(key, blocks))
        if not blocks:
            yield Problem("there is no index to make small", hint="choose at least one manoeuvre")
        elif not any(self.weight(b) for b in blocks):
            yield Problem("the weights of all indices are zero", hint="give at least one index a positive weight")

    def weight(self, block: Block) -> float:
        """Weight w of an index [-]."""
        of_manoeuvre = self.weights.get(block.manoeuvre, 1.0)
        return float(self.weights.get((block.manoeuvre, block.name), of_manoeuvre))

    def coefficients(self, blocks: Sequence[Block]) -> Array:
        """w_jk/(N M_j) of every index [-]."""
        counts = Counter(b.manoeuvre for b in blocks)
        return np.array([self.weight(b) / (len(counts) * counts[b.manoeuvre]) for b in blocks])

    def slopes(self, blocks: Sequence[Block]) -> Array:
        """Derivative of the objective to every index [-]; at the tolerance itself that from below."""
        above = np.array([b.value_pct > self.tolerance_pct for b in blocks])
        return self.coefficients(blocks) * (1.0 + self.penalty * above)

    def value(self, blocks: Sequence[Block]) -> float:
        """Objective f [%]."""
        e = np.array([b.value_pct for b in blocks])
        corrected = e + self.penalty * np.maximum(e - self.tolerance_pct, 0.0)
        return float(self.coefficients(blocks) @ corrected)


def _label(key: WeightKey) -> str:
    return f"'{key}'" if isinstance(key, str) else f"'{key[1]}' of '{key[0]}'"


def _hint(key: WeightKey, blocks: Sequence[Block]) -> str:
    manoeuvres = sorted({b.manoeuvre for b in blocks})
    manoeuvre = key if isinstance(key, str) else key[0]
    if manoeuvre in manoeuvres:
        options = [b.name for b in blocks if b.manoeuvre == manoeuvre]
        wanted = key[1]
    else:
        options, wanted = manoeuvres, manoeuvre
    found = close_matches(wanted, options) or options
    return "there are " + ", ".join(f"'{name}'" for name in found)

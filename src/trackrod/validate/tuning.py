"""Tuning by criteria: the rows of a verdict as residuals, which an optimiser makes small.

Reference: paper 001, figure 2 and section III.D. The objective is the degree of validity (eq. 1), with what lies beyond
a limit counted twice, so that a row is not bought by another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trackrod.core.errors import InputError
from trackrod.core.files import hash_bytes
from trackrod.core.series import Run
from trackrod.fit.blocks import Block
from trackrod.fit.objective import Objective, WeightKey
from trackrod.tune.test import Test
from trackrod.validate.criteria import Criteria
from trackrod.validate.verdict import Comparison, Row, judge, towards

__all__ = ["Rows"]

#: A ratio of 1, at the limit, as an index [%].
_LIMIT = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a verdict as they are read from runs of a model (a `trackrod.tune.problem.Reading`).

    Attributes
    ----------
    criteria
        What is asked.
    repeats
        Recorded runs by the label of their test.
    """

    criteria: Criteria
    repeats: Mapping[str, tuple[Run, ...]]

    @property
    def key(self) -> str:
        """Everything that determines what is read."""
        runs = [run[column].tobytes() for tests in self.repeats.values() for run in tests for column in run]
        return hash_bytes(b"\n".join([repr(self.criteria).encode(), *runs]))

    def __call__(self, test: Test, run: Run) -> Sequence[Block]:
        """Rows of a run: residuals whose length is the ratio of the row, 100 % at the limit."""
        compared = self._compared(test, run)
        blocks = []
        for row in self._rows(compared):
            if not math.isfinite(row.ratio):
                raise InputError(row.remark or f"'{row.criterion.name}' has no number in '{row.test}'")
            blocks.append(Block(self.criteria.name, label(row), _LIMIT * towards(self.criteria, row, compared)))
        return blocks

    def objective(self, blocks: Sequence[Block], *, penalty: float = 1.0) -> Objective:
        """The degree of validity [%]; what lies beyond a limit counts for so much more."""
        weights = {criterion.name: criterion.weight for criterion in self.criteria.criteria}
        of_rows = {block.name: weights[block.name.rpartition(", ")[0]] for block in blocks}
        mean = sum(of_rows.values()) / len(of_rows) or 1.0
        found: dict[WeightKey, float] = {(self.criteria.name, name): weight / mean for name, weight in of_rows.items()}
        return Objective(tolerance_pct=_LIMIT, penalty=penalty, weights=found)

    def degree(self, blocks: Sequence[Block]) -> float:
        """Degree of validity, 1 at the limits."""
        return self.objective(blocks, penalty=0.0).value(blocks) / _LIMIT

    def _compared(self, test: Test, run: Run) -> Comparison:
        return Comparison(test.label, test.name, self.repeats[test.label], run)

    def _rows(self, compared: Comparison) -> Iterator[Row]:
        """Without what is uncertain about each number, which would cost further readings."""
        bare = replace(self.criteria, bias=())
        applies = tuple(c for c in bare.criteria if c.applies_to(compared.manoeuvre))
        if applies:
            yield from judge(replace(bare, criteria=applies), [compared]).rows


def label(row: Row) -> str:
    """Of a row in a verdict: criterion and test."""
    return f"{row.criterion.name}, {row.test}"

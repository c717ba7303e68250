"""Tuning by criteria: the rows of a verdict as functions of parameters, which an optimiser makes small.

Reference: paper 001, figure 2 and section III.D. The objective is the degree of validity (eq. 1), with what lies beyond
a limit counted twice, so that a row is not bought by another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor, worker_count
from trackrod.core.files import hash_bytes
from trackrod.core.plain import pretty_json
from trackrod.core.series import Run
from trackrod.fit.blocks import Block
from trackrod.fit.objective import Objective, WeightKey
from trackrod.fit.problem import Blocks
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.derivatives import STEP, by_differences
from trackrod.tune.space import TuningSpace
from trackrod.validate.criteria import Criteria
from trackrod.validate.verdict import Comparison, Verdict, judge, towards

__all__ = ["CriteriaProblem", "Drive"]

Array = NDArray[np.float64]

#: A model in a test; ConvergenceError where it breaks down.
Drive = Callable[[RtmSpec, Comparison], Run]

#: Of a ratio: 100 % at the limit [%].
_LIMIT = 100.0


class CriteriaProblem:
    """Rows of a verdict over tunable parameters.

    Parameters
    ----------
    space
        What is tuned.
    criteria
        What is asked.
    tests
        What the model is driven in; its runs there are those of the nominal model.
    drive
        Drives a model in a test.
    workers
        How many models at a time; all processors if not given.

    Holds: `objective` of the blocks without penalty is the degree of validity in percent.
    """

    def __init__(
        self,
        space: TuningSpace,
        criteria: Criteria,
        tests: Sequence[Comparison],
        drive: Drive,
        *,
        workers: int | None = None,
    ) -> None:
        self.space = space
        self.criteria = criteria
        # Parts of numbers, such as that of the step, are of no concern here: the first repeats and one run will do.
        self.tests = tuple(replace(test, refined=None) for test in tests)
        #: Points that were linearised, with their rows: the way of the search.
        self.way: list[tuple[Array, Blocks]] = []
        self._drive = drive
        self._workers = worker_count(workers)
        rows = judge(criteria, self.tests).rows
        self._rows = tuple((row.criterion.name, row.test) for row in rows if math.isfinite(row.ratio))
        if not self._rows:
            raise InputError("no criterion has a number in these tests: there is nothing to tune by")
        self._weights = {
            (row.criterion.name, row.test): row.criterion.weight for row in rows if math.isfinite(row.ratio)
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return self.space.names

    @property
    def key(self) -> str:
        """Everything that determines the results, as one hash."""
        parts = [repr(self.space.tunables), pretty_json(dict(self.space.nominal.parameters)), repr(self.criteria)]
        for test in self.tests:
            parts.append(test.name)
            parts += [hash_bytes(np.ascontiguousarray(run[c]).tobytes()) for run in test.tests for c in run]
        return hash_bytes("\n".join(parts).encode())

    @property
    def objective(self) -> Objective:
        """The degree of validity [%], with what lies beyond a limit counted twice."""
        mean = sum(self._weights.values()) / len(self._weights)
        weights: dict[WeightKey, float] = {
            (self.criteria.name, f"{name}, {test}"): weight / mean for (name, test), weight in self._weights.items()
        }
        return Objective(tolerance_pct=_LIMIT, penalty=1.0, weights=weights)

    def degree(self, blocks: Blocks) -> float:
        """Degree of validity behind the rows of a point, 1 at the limits."""
        return replace(self.objective, penalty=0.0).value(blocks) / _LIMIT

    def guided(self, strength: float) -> CriteriaProblem:
        """The problem itself: nothing pulls a model to a recording."""
        if strength:
            raise InputError("tuning by criteria has no homotopy: choose another method")
        return self

    def compare(self, z: Array) -> tuple[Comparison, ...]:
        """The tests with the model at a point; errors as `evaluate`."""
        spec = self.space.spec(z)
        return tuple(replace(test, model=self._drive(spec, test)) for test in self.tests)

    def judge(self, z: Array) -> Verdict:
        """What the criteria say of the model at a point; errors as `evaluate`."""
        return judge(self.criteria, self.compare(z))

    def evaluate(self, z: Array) -> Blocks:
        """The rows at a point.

        Raises
        ------
        ConvergenceError
            The model breaks down, or a row has no number any more.
        """
        driven = {test.name: test for test in self.compare(z)}
        rows = {(row.criterion.name, row.test): row for row in judge(self.criteria, list(driven.values())).rows}
        blocks = []
        for name, test in self._rows:
            row = rows.get((name, test))
            if row is None or not math.isfinite(row.ratio):
                raise ConvergenceError(f"'{name}' has no number in '{test}' any more")
            off = _LIMIT * towards(self.criteria, row, driven[test])
            blocks.append(Block(self.criteria.name, f"{name}, {test}", off))
        return tuple(blocks)

    def evaluate_many(self, zs: Sequence[Array]) -> list[Blocks | None]:
        """The rows at many points, side by side; None where the model breaks down."""
        with executor(self._workers) as pool:
            return list(pool.map(self._alone, zs))

    def linearise(self, z: Array) -> Blocks:
        """The rows at a point with the Jacobian of every residual, by differences; errors as `evaluate`."""
        ways = [STEP * sign * unit for sign in (1.0, -1.0) for unit in np.eye(z.size)]
        here, *near = self.evaluate_many([z, *(z + way for way in ways)])
        if here is None:
            raise ConvergenceError("the model breaks down at this point")
        self.way.append((z.copy(), here))
        return by_differences(here, near[: z.size], near[z.size :])

    def _alone(self, z: Array) -> Blocks | None:
        try:
            return self.evaluate(z)
        except ConvergenceError:
            return None

"""Samples of the whole range for global sensitivities: evaluated in batches, failures dropped by one rule.

SALib draws samples in families whose members only count together: a trajectory of Morris, the rows of Saltelli that
share a base point. **A family with a failed member is dropped whole**, so that what remains is again a complete design.
More than a fifth dropped is an error: the answer would be about another range than the one asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from trackrod.core.errors import ConvergenceError, InputError
from trackrod.fit.blocks import Array, Block, check_parameters

__all__ = [
    "OBJECTIVE",
    "BatchDone",
    "EvaluateMany",
    "ObjectiveFunction",
    "SampleResults",
    "evaluate_families",
    "salib_problem",
]

#: Points (z in [-1, 1] each) to the indices there; None where the model could not be run.
EvaluateMany: TypeAlias = Callable[[Sequence[Array]], Sequence[tuple[Block, ...] | None]]
#: All indices to one number; not finite counts as a failure.
ObjectiveFunction: TypeAlias = Callable[[tuple[Block, ...]], float]
#: Called after each batch with the number of points done and the number of all points.
BatchDone: TypeAlias = Callable[[int, int], None]

#: What the objective is called among the outputs.
OBJECTIVE = "objective"
_LARGEST_LOSS = 0.2  # share of families
_BATCH = 256  # points


@dataclass(frozen=True, slots=True, eq=False)
class SampleResults:
    """Results of the families that are complete.

    Attributes
    ----------
    outputs
        The objective, then the label of each index.
    points
        Points of complete families, family by family, one row each [unit of z].
    values
        One row a point, one column an output [% for an index, unit of the objective].
    families, dropped
        How many families are complete, how many were dropped.
    """

    outputs: tuple[str, ...]
    points: Array
    values: Array
    families: int
    dropped: int


def evaluate_families(
    points: Array,
    size: int,
    evaluate_many: EvaluateMany,
    objective: ObjectiveFunction,
    progress: BatchDone | None = None,
) -> SampleResults:
    """Evaluate points, and keep the families without a failure.

    Parameters
    ----------
    points
        Families below each other, one row a point [unit of z].
    size
        Number of points in a family.
    evaluate_many
        The model.
    objective
        The number that tuning makes small.
    progress
        Told after each batch how many points are done, of how many.

    Raises
    ------
    ConvergenceError
        If more than a fifth of the families failed, or fewer than two are left.
    InputError
        If an evaluation gives other indices than the first one.
    """
    rows: list[list[float] | None] = []
    outputs: tuple[str, ...] = ()
    for begin in range(0, len(points), _BATCH):
        batch = points[begin : begin + _BATCH]
        results = evaluate_many(tuple(batch))
        if len(results) != len(batch):
            raise InputError(f"{len(batch)} points were to be evaluated, but {len(results)} results came back")
        for blocks in results:
            if blocks is None:
                rows.append(None)
                continue
            labels = (OBJECTIVE, *(block.label for block in blocks))
            outputs = outputs or labels
            if labels != outputs:
                other = sorted(set(labels) ^ set(outputs)) or ["their order"]
                raise InputError(f"evaluations differ in their indices: {', '.join(other)}")
            row = [objective(blocks), *(block.value_pct for block in blocks)]
            rows.append(row if np.isfinite(row).all() else None)
        if progress is not None:
            progress(len(rows), len(points))

    whole = [None not in rows[begin : begin + size] for begin in range(0, len(rows), size)]
    kept, dropped = sum(whole), len(whole) - sum(whole)
    if dropped > _LARGEST_LOSS * len(whole) or kept < 2:
        failed = sum(row is None for row in rows)
        raise ConvergenceError(
            f"{failed} of {len(rows)} evaluations failed, which spoils {dropped} of {len(whole)} families of samples; "
            f"at most {_LARGEST_LOSS:.0%} may be lost (narrow the ranges of the parameters)"
        )
    mask = np.repeat(whole, size)
    values = np.array([row for row, wanted in zip(rows, mask, strict=True) if wanted], dtype=float)
    return SampleResults(outputs, points[mask], values, kept, dropped)


def salib_problem(parameters: Sequence[str]) -> dict[str, Any]:
    """The parameters as SALib wants them, each over z in [-1, 1]."""
    check_parameters(parameters)
    return {"num_vars": len(parameters), "names": list(parameters), "bounds": [[-1.0, 1.0]] * len(parameters)}

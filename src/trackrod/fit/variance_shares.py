"""Sobol's shares of variance: how much of an output's spread over the whole range each parameter causes.

The first-order share S1 is what a parameter causes alone, the total share ST what would vanish if it were known, with
all it does together with others. ST near 0 means that it may be held anywhere; ST well above S1 means that it acts
together with others.

Reference: Saltelli and others, Computer Physics Communications 181 (2010), as in SALib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trackrod.core.errors import MissingExtraError, Problem, RangeError
from trackrod.fit.blocks import Array
from trackrod.fit.samples import BatchDone, EvaluateMany, ObjectiveFunction, evaluate_families, salib_problem

__all__ = ["VarianceShares", "share_variance", "shares_of"]

_CONSTANT = 1e-9  # spread of an output as a share of its magnitude, below which it is rounding


@dataclass(frozen=True, slots=True, eq=False)
class VarianceShares:
    """Shares of variance of all outputs; arrays have one row an output and one column a parameter.

    Attributes
    ----------
    parameters, outputs
        Names of columns and rows; the first output is the objective, then come the indices.
    first, total
        First-order and total shares [-]; 0 for an output that does not change. Estimates: a share that is 0 may come
        out a little below it.
    first_confidence, total_confidence
        Half-widths of their 95 % intervals, by resampling [-].
    mean, deviation
        Mean and standard deviation of each output over the range [unit of the output].
    base_points, dropped
        How many base points count, how many were dropped because one of their points failed.
    """

    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    first: Array
    first_confidence: Array
    total: Array
    total_confidence: Array
    mean: Array
    deviation: Array
    base_points: int
    dropped: int

    def to_plain(self) -> Mapping[str, Any]:
        """All of it as plain data."""
        return {
            "parameters": list(self.parameters),
            "outputs": list(self.outputs),
            "first": self.first.tolist(),
            "first_confidence": self.first_confidence.tolist(),
            "total": self.total.tolist(),
            "total_confidence": self.total_confidence.tolist(),
            "mean": self.mean.tolist(),
            "deviation": self.deviation.tolist(),
            "base_points": self.base_points,
            "dropped": self.dropped,
        }


def share_variance(
    parameters: Sequence[str],
    evaluate_many: EvaluateMany,
    objective: ObjectiveFunction,
    *,
    base_points: int = 256,
    seed: int = 0,
    progress: BatchDone | None = None,
) -> VarianceShares:
    """Share the variance of every output among the parameters.

    Parameters
    ----------
    parameters
        Names of the scaled parameters z, each evenly distributed in [-1, 1] and independent of the others.
    evaluate_many
        The model; it is asked for base_points × (parameters + 2) points, in batches.
    objective
        The number that tuning makes small, of the indices of one evaluation.
    base_points
        A power of two, at least 8: only then Sobol's sequence is balanced. The intervals narrow with its root.
    seed
        Of samples and confidence intervals.
    progress
        Told after each batch how many points are done, of how many.

    Raises
    ------
    MissingExtraError
        If SALib is not installed.
    ConvergenceError
        If more than a fifth of the base points have a point that failed; fewer are dropped.
    """
    if base_points < 8 or base_points & (base_points - 1):
        hint = "take 256 or 1024"
        raise RangeError(Problem(f"base_points is {base_points}; it must be a power of two, at least 8", hint=hint))
    problem = salib_problem(parameters)
    try:
        from SALib.sample import sobol as sampling  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingExtraError("SALib", "fit", "global sensitivity analysis") from None

    points = np.asarray(sampling.sample(problem, base_points, calc_second_order=False, seed=seed), dtype=float)
    outcomes = evaluate_families(points, len(parameters) + 2, evaluate_many, objective, progress)

    return shares_of(parameters, outcomes.outputs, outcomes.values, outcomes.dropped, seed=seed)


def shares_of(
    parameters: Sequence[str], outputs: Sequence[str], values: Array, dropped: int = 0, *, seed: int = 0
) -> VarianceShares:
    """Shares of variance of outputs that are known at the points of Saltelli's scheme.

    Parameters
    ----------
    parameters, outputs
        Names.
    values
        A column for each output; rows by base point: the point itself, with one coordinate of its partner after the
        other, and the partner.
    dropped
        Base points that are not among them, because one of their points failed.
    seed
        Of the confidence intervals.

    Raises
    ------
    MissingExtraError
        If SALib is not installed.
    """
    problem = salib_problem(parameters)
    try:
        from SALib.analyze import sobol as analysis  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingExtraError("SALib", "fit", "global sensitivity analysis") from None

    def analyse(values: Array) -> Mapping[str, Array]:
        if np.ptp(values) <= _CONSTANT * np.abs(values).max():
            return dict.fromkeys(("S1", "S1_conf", "ST", "ST_conf"), np.zeros(len(parameters)))
        # A generator and not the seed itself: SALib takes the seed 0 for no seed at all.
        rng = np.random.default_rng(seed)
        found: Mapping[str, Array] = analysis.analyze(problem, values, calc_second_order=False, seed=rng)
        return found

    results = [analyse(column) for column in values.T]

    def table(key: str) -> Array:
        return np.array([result[key] for result in results], dtype=float)

    return VarianceShares(
        tuple(parameters),
        tuple(outputs),
        table("S1"),
        table("S1_conf"),
        table("ST"),
        table("ST_conf"),
        values.mean(axis=0),
        values.std(axis=0),
        len(values) // (len(parameters) + 2),
        dropped,
    )

"""Morris screening: mean effects over the whole range at few evaluations, to find the parameters that do not matter.

Each trajectory walks through the range and moves one parameter at a time. The effect of such a move is the change of an
output by the change of z; its mean magnitude µ* says how much a parameter matters, its spread σ whether the effect
depends on where one stands (bent, or together with others).

Reference: Morris, Technometrics 33 (1991); µ* of Campolongo, Cariboni and Saltelli (2007), as in SALib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trackrod.core.errors import MissingExtraError, RangeError
from trackrod.fit.blocks import Array
from trackrod.fit.samples import BatchDone, EvaluateMany, ObjectiveFunction, evaluate_families, salib_problem

__all__ = ["Screening", "require_salib", "screen"]

_LEVELS = 4  # grid of Morris; a move spans two thirds of the range
_Z_SPAN = 2.0  # SALib counts effects per range; z runs from -1 to 1


@dataclass(frozen=True, slots=True, eq=False)
class Screening:
    """Effects of all parameters on all outputs; arrays have one row an output and one column a parameter.

    Attributes
    ----------
    parameters, outputs
        Names of columns and rows; the first output is the objective, then come the indices.
    mu_star
        Mean magnitude of the effects [unit of the output per unit of z].
    mu_star_confidence
        Half-width of its 95 % interval, by resampling trajectories [the same].
    mu, sigma
        Mean and standard deviation of the effects [the same].
    trajectories, dropped
        How many trajectories count, how many were dropped because a point failed.

    Holds: |mu| ≤ mu_star; for a linear output mu is its slope and sigma is 0.
    """

    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    mu_star: Array
    mu_star_confidence: Array
    mu: Array
    sigma: Array
    trajectories: int
    dropped: int

    def to_plain(self) -> Mapping[str, Any]:
        """All of it as plain data."""
        return {
            "parameters": list(self.parameters),
            "outputs": list(self.outputs),
            "mu_star": self.mu_star.tolist(),
            "mu_star_confidence": self.mu_star_confidence.tolist(),
            "mu": self.mu.tolist(),
            "sigma": self.sigma.tolist(),
            "trajectories": self.trajectories,
            "dropped": self.dropped,
        }


def require_salib() -> None:
    """MissingExtraError where the package for global sensitivity analysis is not installed."""
    try:
        import SALib  # noqa: F401, PLC0415 - optional package
    except ImportError:
        raise MissingExtraError("SALib", "fit", "global sensitivity analysis") from None


def screen(
    parameters: Sequence[str],
    evaluate_many: EvaluateMany,
    objective: ObjectiveFunction,
    *,
    trajectories: int = 20,
    seed: int = 0,
    progress: BatchDone | None = None,
) -> Screening:
    """Screen parameters by the method of Morris.

    Parameters
    ----------
    parameters
        Names of the scaled parameters z, each in [-1, 1].
    evaluate_many
        The model; it is asked for trajectories × (parameters + 1) points, in batches.
    objective
        The number that tuning makes small, of the indices of one evaluation.
    trajectories
        How many; 10 to 50 are usual.
    seed
        Of samples and confidence intervals.
    progress
        Told after each batch how many points are done, of how many.

    Raises
    ------
    MissingExtraError
        If SALib is not installed.
    ConvergenceError
        If more than a fifth of the trajectories have a point that failed; fewer are dropped.
    """
    if trajectories < 2:
        raise RangeError(f"{trajectories} trajectories are asked for; at least 2 are needed, 10 to 50 are usual")
    problem = salib_problem(parameters)
    require_salib()
    from SALib.analyze import morris as analysis  # noqa: PLC0415 - optional package
    from SALib.sample import morris as sampling  # noqa: PLC0415

    points = np.asarray(sampling.sample(problem, trajectories, num_levels=_LEVELS, seed=seed), dtype=float)
    outcomes = evaluate_families(points, len(parameters) + 1, evaluate_many, objective, progress)
    results = [
        analysis.analyze(problem, outcomes.points, values, num_levels=_LEVELS, seed=seed)
        for values in outcomes.values.T
    ]

    def table(key: str) -> Array:
        return np.array([np.asarray(result[key], dtype=float) for result in results]) / _Z_SPAN

    return Screening(
        tuple(parameters),
        outcomes.outputs,
        table("mu_star"),
        table("mu_star_conf"),
        table("mu"),
        table("sigma"),
        outcomes.families,
        outcomes.dropped,
    )

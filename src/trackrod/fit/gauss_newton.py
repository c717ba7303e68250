"""Gauss–Newton for sums of norms: linearise the residuals, minimise the convex rest in a trust region.

Reference: the prox-linear method for a convex function of a smooth map (Burke and Ferris, Mathematical Programming 71,
1995), with a box as trust region. For one index and no penalty it is Gauss–Newton.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.fit.linear_model import LinearModel
from trackrod.fit.outcome import Point, Reason
from trackrod.fit.search import Search

__all__ = ["GaussNewton"]

#: Share of the promised improvement from which a step is taken, below which the region shrinks, above which it grows.
_TAKE, _POOR, _GOOD = 1e-3, 0.25, 0.75
#: Accuracy of the subproblem as a share of the smallest improvement that matters.
_ACCURACY = 0.01


@dataclass(frozen=True, slots=True)
class GaussNewton:
    """Gauss–Newton with exact Jacobians and a trust region.

    Attributes
    ----------
    prior_pct
        What moving a variable from nominal to a bound costs [%]. It keeps a variable that no index sees at its nominal
        value, and chooses the smallest change where several do the same. The objective that is reported is without it.
    radius
        Half the width of the first trust region in z [-].

    Limits: finds the minimum of the valley it begins in. Where the indices are noisy functions of z, pattern search
    is better.
    """

    name: ClassVar[str] = "gauss-newton"

    prior_pct: float = 0.001
    radius: float = 0.5

    def __post_init__(self) -> None:
        raise_if_errors(
            [Problem(f"the prior is {self.prior_pct:g} %", hint="a finite number, zero or more, is needed")]
            * (not (math.isfinite(self.prior_pct) and self.prior_pct >= 0))
            + [Problem(f"the radius is {self.radius:g}", hint="a number above 0 and up to 2 is needed")]
            * (not 0 < self.radius <= 2)
        )

    def __call__(self, search: Search) -> Reason:
        """Search from ``search.start``; errors as `Method`."""
        return self.follow(search)[1]

    def follow(self, search: Search) -> tuple[Point, Reason]:
        """Search from ``search.start``; where it ended, and why.

        Raises
        ------
        ConvergenceError
            The model breaks down at the start.
        """
        here = search.require(search.linearise(search.start))
        radius = self.radius
        while True:
            model = LinearModel.of(here.blocks, search.objective, here.z, self.prior_pct)
            lower, upper = np.maximum(-1.0 - here.z, -radius), np.minimum(1.0 - here.z, radius)
            d = model.minimum(lower, upper, _ACCURACY * search.rules.improvement_pct)
            length = float(np.abs(d).max())
            promised = self._cost(here) - model.value(d)
            if promised <= search.rules.improvement_pct and length < radius:
                return here, search.end_iteration(length) or Reason.STATIONARY
            there = search.evaluate(np.clip(here.z + d, -1.0, 1.0))
            gain = -math.inf if there is None else self._cost(here) - self._cost(there)
            share = gain / promised if promised > 0 else -math.inf
            if share > _TAKE and there is not None:
                linearised = search.linearise(there.z)
                if linearised is None:  # the model works here but not with derivatives: no place to go on from
                    share = -math.inf
                else:
                    here = linearised
            radius = _next_radius(radius, length, share)
            if reason := search.end_iteration(min(radius, length) if share > _TAKE else radius):
                return here, reason

    def _cost(self, point: Point) -> float:
        return point.value + self.prior_pct * float(point.z @ point.z)


def _next_radius(radius: float, length: float, share: float) -> float:
    if share < _POOR:
        return 0.25 * length
    if share > _GOOD and length > 0.99 * radius:
        return min(2.0 * radius, 2.0)
    return radius

"""Homotopy: begin with a model that is pulled to the reference, and let go little by little.

A guided model follows the reference nearly whatever its parameters, so its objective is smooth and has one minimum.
Each minimum is the start for the next, less guided problem; the last problem is the unguided one.

Reference: Vyasarayani, Uchida, Carvalho and McPhee, Parameter identification in dynamic systems using the homotopy
optimization approach, Multibody System Dynamics 26 (2011).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from trackrod.core.errors import InputError, Problem
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.outcome import Reason
from trackrod.fit.search import Search

__all__ = ["Homotopy"]

#: Smallest and largest factor from one strength to the next.
_BOLDEST, _MOST_CAREFUL = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class Homotopy:
    """Gauss–Newton on problems of falling strength λ.

    λ falls by a factor that adapts itself: it is squared where the minimum hardly moved, and where the minimum moved
    far the stage is done again from the last minimum with the root of the factor.

    Attributes
    ----------
    inner
        What solves each problem.
    first
        First factor from one strength to the next [-].
    weakest
        Strength below which the guide is let go [-].
    near, far
        Movement of the minimum in z, largest component, that is small and that is too far [-].

    Limits: the problem must know how to guide its model (`FitProblem.guided`).
    """

    name: ClassVar[str] = "homotopy"

    inner: GaussNewton = field(default_factory=GaussNewton)
    first: float = 0.5
    weakest: float = 0.01
    near: float = 0.05
    far: float = 0.3

    def __post_init__(self) -> None:
        if not (0 < self.first < 1 and 0 < self.weakest < 1 and 0 < self.near < self.far):
            text = f"first = {self.first:g}, weakest = {self.weakest:g}, near = {self.near:g}, far = {self.far:g}"
            raise InputError(Problem(text, hint="0 < first, weakest < 1 and 0 < near < far are needed"))

    def __call__(self, search: Search) -> Reason:
        """Search from ``search.start``; errors as `Method`, where it is the guided model that must work there."""
        search.evaluate(search.start)  # kept if the search is broken off; a model may get lost without its guide
        z, strength, factor = search.start, 1.0, self.first
        solved = None  # strength whose minimum is z
        while strength >= self.weakest:
            point, _ = self.inner.follow(search.guided(strength, z, f"guide {strength:.3g}"))
            moved = float(np.abs(point.z - z).max())
            if solved is not None and moved > self.far and factor < _MOST_CAREFUL:
                factor = min(np.sqrt(factor), _MOST_CAREFUL)
            else:
                if solved is not None and moved < self.near:
                    factor = max(factor**2, _BOLDEST)
                z, solved = point.z, strength
                search.evaluate(z)  # of the problem itself: kept if the search is broken off
            strength = factor * (solved or strength)
        return self.inner(search.part(z, "no guide"))

"""Generalised pattern search: steps along the axes on a mesh that halves when none of them helps.

Reference: Audet and Dennis, Analysis of generalized pattern searches, SIAM Journal on Optimization 13 (2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trackrod.core.errors import InputError, Problem
from trackrod.fit.outcome import Reason
from trackrod.fit.search import Search

__all__ = ["PatternSearch"]


@dataclass(frozen=True, slots=True)
class PatternSearch:
    """Poll of 2n points, all evaluated at once; the best one is the next centre.

    A point beyond a bound is moved onto it. A poll that improves doubles the mesh, one that does not halves it. A
    point that was evaluated before is left out: it cannot be better than the centre, which is the best of all.

    Attributes
    ----------
    mesh
        First size of the mesh in z [-]. A power of two keeps all points, nominal and bounds on one mesh.
    largest
        Largest size of the mesh [-].

    Limits: needs no derivatives and no smoothness, and pays for it: a narrow valley across the axes takes many polls.
    """

    name: ClassVar[str] = "pattern-search"

    mesh: float = 0.5
    largest: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.mesh <= self.largest <= 2:
            text = f"the mesh is {self.mesh:g} and may grow to {self.largest:g}"
            raise InputError(Problem(text, hint="0 < mesh ≤ largest ≤ 2 is needed"))

    def __call__(self, search: Search) -> Reason:
        """Search from ``search.start``; errors as `Method`."""
        centre = search.require(search.evaluate(search.start))
        seen = {centre.z.tobytes()}
        directions = np.vstack([np.eye(search.dimension), -np.eye(search.dimension)])
        mesh = self.mesh
        while True:
            # Adding 0 turns −0 into 0, so that one point has one sequence of bytes.
            poll = [np.clip(centre.z + mesh * direction, -1.0, 1.0) + 0.0 for direction in directions]
            fresh = [z for z in poll if z.tobytes() not in seen]
            seen.update(z.tobytes() for z in fresh)
            points = [point for point in search.evaluate_many(fresh) if point is not None]
            best = min(points, key=lambda point: point.value, default=None)
            if best is not None and best.value < centre.value:
                centre = best
                mesh = min(2.0 * mesh, self.largest)
            else:
                mesh *= 0.5
            if reason := search.end_iteration(mesh):
                return reason

"""Several starts, spread over the box: the best minimum of many valleys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from trackrod.core.errors import ConvergenceError, InputError, Problem
from trackrod.fit.blocks import Array
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.outcome import Reason
from trackrod.fit.search import Search

__all__ = ["GlobalSearch", "latin_hypercube"]


@dataclass(frozen=True, slots=True)
class GlobalSearch:
    """Gauss–Newton from the given start and from the best points of a Latin hypercube.

    Attributes
    ----------
    samples
        Points of the hypercube, all evaluated at once.
    starts
        How many of them are followed.
    inner
        What follows them.

    Limits: no certainty to find the lowest valley; more samples make it likelier.
    """

    name: ClassVar[str] = "global"

    samples: int = 32
    starts: int = 4
    inner: GaussNewton = field(default_factory=GaussNewton)

    def __post_init__(self) -> None:
        if not 1 <= self.starts <= self.samples:
            text = f"{self.starts} starts of {self.samples} samples"
            raise InputError(Problem(text, hint="1 ≤ starts ≤ samples is needed"))

    def __call__(self, search: Search) -> Reason:
        """Search from ``search.start`` and elsewhere; errors as `Method`."""
        drawn = search.evaluate_many(latin_hypercube(self.samples, search.dimension, search.seed))
        found = sorted((point for point in drawn if point is not None), key=lambda point: point.value)
        starts = [search.start, *(point.z for point in found[: self.starts])]
        for number, start in enumerate(starts, 1):
            try:
                reason = self.inner(search.part(start, f"start {number} of {len(starts)}"))
            except ConvergenceError:  # one valley less; that no start works is told below
                continue
            if reason is Reason.TARGET:
                return reason
        search.require(search.best)
        return Reason.STARTS


def latin_hypercube(count: int, dimension: int, seed: int) -> list[Array]:
    """Points in [−1, 1]ⁿ of which each variable has one in every of `count` equal intervals."""
    random = np.random.default_rng(seed)
    cells = random.permuted(np.tile(np.arange(count), (dimension, 1)), axis=1).T
    return list(2.0 * (cells + random.random((count, dimension))) / count - 1.0)

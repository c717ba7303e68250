"""Points of the unit cube: any of them by its number alone, so that nobody keeps all, and every order gives the same.

A campaign of a million runs is driven in tasks, in any order, by any number of machines. What run 4711 draws depends on
the seed and on the number 4711, never on what was drawn before.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

__all__ = ["Method", "Sampling"]

Array = NDArray[np.float64]

#: Keys of the random numbers of a seed, one for each use.
_INSIDE, _ORDER, _PLAIN = 1, 2, 3
#: Rounds of the permutation; four are enough for a pseudo-random one.
_ROUNDS = 6


class Method(StrEnum):
    """How the cube is filled."""

    GRID = "grid"
    LHS = "lhs"
    SOBOL = "sobol"
    RANDOM = "random"
    SALTELLI = "saltelli"


@dataclass(frozen=True, slots=True)
class Sampling:
    """A sample of the unit cube.

    Attributes
    ----------
    method
        A Latin hypercube, Sobol's sequence (scrambled), independent points, or Saltelli's scheme of Sobol's sequence,
        from which shares of variance follow. Grids are none: their points are levels, not shares.
    count
        How many points there are; for Saltelli's scheme how many base points, each of which gives `dimensions` + 2.
    dimensions
        Of the cube.
    seed
        Of all random numbers.

    Holds: point i is the same whoever asks for it, alone or among others, in any order.
    """

    method: Method
    count: int
    dimensions: int
    seed: int

    @property
    def total(self) -> int:
        """How many points there are."""
        return self.count * (self.dimensions + 2) if self.method is Method.SALTELLI else self.count

    def points(self, first: int, count: int) -> Array:
        """Some points in a row, shape (`count`, dimensions)."""
        if self.dimensions == 0:
            return np.zeros((count, 0))
        if self.method is Method.SOBOL:
            return self._sobol(self.dimensions, first, count)
        if self.method is Method.SALTELLI:
            return self._saltelli(first, count)
        drawn = np.array([self._draw(_INSIDE, first + i) for i in range(count)])
        if self.method is Method.RANDOM:
            return drawn
        places = np.array([self._strata(j, first, count) for j in range(self.dimensions)], dtype=float).T
        return np.asarray((places + drawn) / self.count)

    def _draw(self, use: int, number: int) -> Array:
        """Random numbers that belong to a number."""
        return np.random.default_rng([self.seed, use, number]).random(self.dimensions)

    def _sobol(self, dimensions: int, first: int, count: int) -> Array:
        sequence = qmc.Sobol(dimensions, scramble=True, seed=np.random.default_rng([self.seed, _PLAIN]))
        if first:
            sequence.fast_forward(first)
            return np.asarray(sequence.random(count))
        # A first draw of no power of two is warned of; a task is but a part of the whole, which is one.
        return np.concatenate((sequence.random(1), sequence.random(count - 1)))

    def _saltelli(self, first: int, count: int) -> Array:
        """Each base point A and its partner B: A, then A with one coordinate of B after the other, then B."""
        size, d = self.dimensions + 2, self.dimensions
        start, end = first // size, (first + count - 1) // size + 1
        pairs = self._sobol(2 * d, start, end - start)
        rows = np.repeat(pairs[:, None, :d], size, axis=1)
        for j in range(d):
            rows[:, 1 + j, j] = pairs[:, d + j]
        rows[:, -1] = pairs[:, d:]
        skipped = first - start * size
        return np.ascontiguousarray(rows.reshape(-1, d)[skipped : skipped + count])

    def _strata(self, dimension: int, first: int, count: int) -> list[int]:
        """In which of the equal parts of a coordinate points lie: a permutation of all, computed for these alone.

        scipy's Latin hypercube draws the whole permutation at once, whose memory grows with the number of points.
        """
        half = max(1, ((self.count - 1).bit_length() + 1) // 2)
        words = np.random.SeedSequence([self.seed, _ORDER, dimension]).generate_state(_ROUNDS, np.uint64)
        keys = [int(word) for word in words]
        return [_permuted(number, self.count, half, keys) for number in range(first, first + count)]


def _permuted(number: int, count: int, half: int, keys: list[int]) -> int:
    """A Feistel network over `half` + `half` bits, walked until it is back among the numbers below `count`."""
    mask = (1 << half) - 1
    while True:
        left, right = number >> half, number & mask
        for key in keys:
            left, right = right, left ^ (_mixed(right ^ key) & mask)
        number = (left << half) | right
        if number < count:
            return number


def _mixed(word: int) -> int:
    """Bits of a word of 64 bits, mixed (Stafford's thirteenth variant of the finaliser of MurmurHash 3)."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return word ^ (word >> 31)

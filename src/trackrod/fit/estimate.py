"""What the curves say about the parameters, however many of them were tuned: estimates with intervals.

A model is never the reference. What is left of a curve when all parameters are right is a smooth difference of two
models of unknown size, so a curve, however finely sampled, is but a few observations with a variance of their own: with
e_k the length of the residual of curve k [%]

    −2 ln L(z) = Σ n_k ln(e_k(z)² + e_0²) + constant

where n_k counts the shapes that the residual is made of: (Σ E_m)²/Σ E_m², the participation number of the energies of
its cosine series, which is 1 for one shape. It ends at 1.5: curves of one manoeuvre are views of one motion and share
what is wrong with it, which planted truths show, and many shapes are noise that a smooth difference may hide under. Of
a set of single numbers, such as wheel loads, all count. e_0 is what numbers are exact to at best.
The estimate makes L largest. It trusts the curves that the model can follow and
doubts those that it cannot. The objective of tuning does not: it buys a small index of a curve that the model cannot
follow with wrong values of the parameters.

What looks like a parameter in every curve shifts its value, and the curves alone cannot tell. But part of what a model
may have wrong is known: models of the same thing with a sub-model left out, or with a better one. What such a swap
changes in the curves is a direction in which the residuals may be off, with a size a of its own, 0 for the model as it
is and 1 for the swapped one. The sizes are estimated with the parameters, each with a² in −2 ln L: a standard normal
distribution says what is known about it. A parameter that is like a swap becomes as uncertain as it is; others stay as
they are.

The interval of a parameter holds the values at which L, made largest again over all others within their bounds and over
the sizes of the swaps, is not below its maximum by more than chance explains (profile likelihood).

Reference: Venzon and Moolgavkar, A method for computing profile-likelihood-based confidence intervals, Applied
Statistics 37 (1988).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct
from scipy.optimize import brentq
from scipy.stats import norm
from scipy.stats import t as student

from trackrod.core.errors import ConvergenceError, InputError, Problem
from trackrod.fit.blocks import Array, Block, compress
from trackrod.fit.box_newton import minimum_in_box
from trackrod.fit.objective import Objective
from trackrod.fit.problem import FitProblem

__all__ = ["LEVEL", "Estimate", "estimate", "likelihood_of"]

#: Probability with which an interval holds the value.
LEVEL = 0.95
#: What the best measurement and the best model are exact to [%].
EXACT_PCT = 0.3
#: Distance from a bound at which a variable counts as being on it [-].
ON_BOUND = 1e-3
#: An interval tells something if it is shorter than this share of the range.
DETERMINED = 0.5
#: Samples from which a residual is a curve, and not a set of numbers; observations that a curve is worth at most.
_CURVE, _SHAPES = 10, 1.5
#: Inverse of the variance of an even distribution over the range of a variable, from −1 to 1.
_RANGE_PRECISION = 3.0
#: Sizes of swaps that chance does not reach [-].
_FARTHEST = 5.0
#: How exactly the ends of intervals are found [-].
_FINE = 2e-3
#: Linearisations at most; half the width of the first trust region [-]; promised gain in −2 ln L that is worth another.
_LINEARISATIONS, _RADIUS, _WORTH = 12, 0.5, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What the curves say.

    Attributes
    ----------
    names
        The variables.
    z
        Where the likelihood is largest, in [−1, 1].
    lower, upper
        Ends of the intervals in z that hold the values with the probability `LEVEL`, cut at the bounds.
    ends
        Where the likelihood is largest at the lower and at the upper end of each interval, shape (variables, 2,
        variables).
    observations
        How many independent numbers they rest on.
    contradicted
        The variables whose nominal values the curves contradict, the one that they contradict most first. With these
        moved, moving any other improves the likelihood of the model as it is by no more than chance explains.
    covariance
        Of the variables as a normal distribution, shape (variables, variables): correlations by the curvature of ln L
        at its maximum, over the sizes of the swaps, with an even distribution over the range as what is known
        beforehand; deviations such that the intervals hold the values with the probability `LEVEL`.

    Holds: the interval of every variable that is not contradicted holds its nominal value.
    """

    names: tuple[str, ...]
    z: Array
    lower: Array
    upper: Array
    ends: Array
    observations: float
    contradicted: tuple[str, ...]
    covariance: Array

    @property
    def on_bound(self) -> tuple[bool, ...]:
        """Whether a variable is on a bound: its best value is probably beyond."""
        return tuple(map(bool, np.abs(self.z) >= 1.0 - ON_BOUND))

    @property
    def determined(self) -> tuple[bool, ...]:
        """Whether the curves say much more about a variable than its bounds."""
        return tuple(map(bool, self.upper - self.lower < 2.0 * DETERMINED))


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """−2 ln L as a function of z and of the sizes of the swaps behind it, with residuals linearised at a point.

    Attributes
    ----------
    matrices, offsets
        A and b of every observation [%]: its residual has the length of A (z − centre) + b.
    counts
        n.
    centre
        Where it was linearised; 0 for the swaps.
    swaps
        How many there are.
    """

    matrices: Array
    offsets: Array
    counts: Array
    centre: Array
    swaps: int = 0

    def __call__(self, z: Array) -> tuple[float, Array]:
        """Value and gradient at a point."""
        residual = self.matrices @ (z - self.centre) + self.offsets
        square = np.einsum("km,km->k", residual, residual) + EXACT_PCT**2
        slope = np.einsum("kmn,km->kn", self.matrices, residual)
        sizes = np.where(np.arange(z.size) < z.size - self.swaps, 0.0, z)
        value = float(self.counts @ np.log(square) + sizes @ sizes)
        return value, np.asarray(2.0 * (self.counts / square) @ slope + 2.0 * sizes)

    def box(self, lower: ArrayLike = -1.0, upper: ArrayLike = 1.0) -> tuple[Array, Array]:
        """Bounds of the variables, with those of the swaps, which no size leaves by chance."""
        shape, ends = self.centre.size - self.swaps, np.full(self.swaps, _FARTHEST)
        low, high = np.broadcast_to(lower, shape), np.broadcast_to(upper, shape)
        return np.concatenate((low, -ends)), np.concatenate((high, ends))

    def curvature(self, z: Array) -> Array:
        """Second derivatives at a point."""
        residual = self.matrices @ (z - self.centre) + self.offsets
        square = np.einsum("km,km->k", residual, residual) + EXACT_PCT**2
        slope = np.einsum("kmn,km->kn", self.matrices, residual)
        weight = self.counts / square
        rows = (self.matrices * np.sqrt(weight)[:, None, None]).reshape(-1, z.size)
        sizes = np.diag(2.0 * (np.arange(z.size) >= z.size - self.swaps))
        return np.asarray(2.0 * rows.T @ rows - 4.0 * slope.T @ (slope * (weight / square)[:, None]) + sizes)

    def smallest(self, lower: Array, upper: Array, starts: Sequence[Array]) -> Array:
        """The point of a box where it is smallest, as found from some starts."""
        ends = [minimum_in_box(self, self.curvature, lower, upper, start) for start in starts]
        return min(ends, key=lambda end: end[1])[0]

    def held(self, k: int, value: float) -> Likelihood:
        """The same over the other variables, with variable k held at a value."""
        others = np.arange(self.centre.size) != k
        offsets = self.offsets + self.matrices[:, :, k] * (value - self.centre[k])
        return Likelihood(self.matrices[:, :, others], offsets, self.counts, self.centre[others], self.swaps)

    def as_it_is(self) -> Likelihood:
        """The same of the model without swaps."""
        kept = slice(self.centre.size - self.swaps)
        return Likelihood(self.matrices[:, :, kept], self.offsets, self.counts, self.centre[kept])


def likelihood_of(
    blocks: Sequence[Block], z: Array, objective: Objective, swapped: Sequence[Sequence[Block]] = ()
) -> Likelihood:
    """The likelihood of blocks with Jacobians at a point; `swapped` are the same of models with another sub-model.

    Single numbers that are read from a curve are no observations besides it; indices of weight zero are none at all.

    Raises
    ------
    InputError
        There is no observation, or a Jacobian is missing or of another width.
    """
    weighed = [block for block in blocks if objective.weight(block) > 0]
    with_curves = {block.manoeuvre for block in weighed if block.residual.size > 1}
    counted = [block for block in weighed if block.residual.size > 1 or block.manoeuvre not in with_curves]
    if not counted:
        raise InputError("there is no index to learn from")
    size = z.size + len(swapped)
    small = np.array([compress(_with_swaps(block, swapped), size) for block in counted])
    counts = np.array([_observations(block.residual) for block in counted])
    centre = np.concatenate((z, np.zeros(len(swapped))))
    return Likelihood(small[:, :, :-1], small[:, :, -1], counts, centre, len(swapped))


def _with_swaps(block: Block, swapped: Sequence[Sequence[Block]]) -> Block:
    """A block whose Jacobian has a column more for each swap: what it changes, where both have the same samples."""
    if block.jacobian is None or not swapped:
        return block
    there = [next((b.residual for b in blocks if b.label == block.label), block.residual) for blocks in swapped]
    same = [residual if residual.shape == block.residual.shape else block.residual for residual in there]
    changes = [residual - block.residual for residual in same]
    return replace(block, jacobian=np.column_stack([block.jacobian, *changes]))


def _observations(residual: Array) -> float:
    if residual.size < _CURVE:
        return float(residual.size)
    energies = dct(residual, norm="ortho") ** 2
    together = float(energies @ energies)
    return min(float(energies.sum()) ** 2 / together, _SHAPES) if together > 0 else 1.0


def estimate(
    problem: FitProblem, start: Array, objective: Objective | None = None, swaps: Sequence[FitProblem] = ()
) -> Estimate:
    """Estimate all variables of a problem.

    Parameters
    ----------
    problem
        The indices as functions of z.
    start
        Where to begin, in [−1, 1].
    objective
        Which indices count: those whose weight is not zero.
    swaps
        The same problem for models with another sub-model.

    Raises
    ------
    ConvergenceError
        The model breaks down at the start.
    InputError
        As `likelihood_of`.

    Limits: intervals are those of residuals linearised at the estimate. Noise of a measurement counts as a difference
    of the models does, so intervals from noisy curves are wider than they need be. A difference of the models that
    looks like the effect of a parameter in every curve, and is like no swap, shifts its value, and no statistics can
    tell.
    """
    objective = Objective() if objective is None else objective
    if start.shape != (len(problem.names),):
        hint = f"{len(problem.names)} numbers are needed"
        raise InputError(Problem(f"the start has the shape {start.shape}", hint=hint))
    found, size = _largest(problem, start, objective, swaps), start.size
    best = found.smallest(*found.box(), (found.centre,))
    observations = float(found.counts.sum())
    chance = _chance(observations, size)
    limit = found(best)[0] + chance
    reached = [[_reach(found, best, k, bound, limit) for bound in (-1.0, 1.0)] for k in range(size)]
    ends = np.array(reached).reshape(size, 2, -1)[:, :, :size]
    lower, upper = np.einsum("kek->ek", ends)
    against = _contradicted(found.as_it_is(), chance)
    # Swaps may take the part of one parameter and leave another outside of its interval.
    against += [k for k in range(size) if k not in against and not lower[k] <= 0.0 <= upper[k]]
    names = tuple(problem.names[k] for k in against)
    covariance = _covariance(found, best, 0.5 * (upper - lower))
    return Estimate(problem.names, best[:size], lower, upper, ends, observations, names, covariance)


def _covariance(found: Likelihood, best: Array, reach: Array) -> Array:
    """Of the variables, as wide as their intervals, which reach so far to either side.

    The correlations are those of the curvature at the maximum; directions in which the curves speak for leaving it
    count as not told by them. The deviations are not: a likelihood of few observations has a sharp top and wide skirts.
    """
    size = best.size - found.swaps
    values, vectors = np.linalg.eigh(0.5 * found.curvature(best))
    precision = (vectors * np.clip(values, 0.0, None)) @ vectors.T
    known = np.where(np.arange(best.size) < size, _RANGE_PRECISION, 0.0)
    covariance = np.linalg.inv(precision + np.diag(known))[:size, :size]
    deviations = np.sqrt(np.diag(covariance))
    wider = np.maximum(deviations, reach / norm.ppf(0.5 + 0.5 * LEVEL)) / deviations
    return np.asarray(covariance * np.outer(wider, wider))


def _chance(observations: float, variables: int) -> float:
    """What chance explains in −2 ln L of one variable: n ln(1 + t²/ν), which is t² where n is large."""
    free = max(observations - variables, 1.0)
    return float(observations * np.log1p(student.ppf(0.5 + 0.5 * LEVEL, free) ** 2 / free))


def _largest(problem: FitProblem, start: Array, objective: Objective, swaps: Sequence[FitProblem]) -> Likelihood:
    """The likelihood linearised where it is largest: Gauss–Newton in a trust region."""

    def linearised(at: Array) -> Likelihood:
        swapped = [swap.evaluate_many([at])[0] or () for swap in swaps]  # one that breaks down changes nothing
        return likelihood_of(problem.linearise(at), at, objective, swapped)

    radius, here = _RADIUS, linearised(start)
    z = here.centre
    for _ in range(_LINEARISATIONS - 1):
        own = z[: start.size]
        lower, upper = here.box(np.maximum(own - radius, -1.0), np.minimum(own + radius, 1.0))
        there = here.smallest(lower, upper, (z, 0.5 * (lower + upper)))
        value, promised = here(z)[0], here(z)[0] - here(there)[0]
        if promised < _WORTH:
            break
        try:
            moved = linearised(there[: start.size])
            share = (value - replace(moved, counts=here.counts)(there)[0]) / promised
        except ConvergenceError:
            share = -1.0
        length = float(np.abs(there[: start.size] - own).max())
        if share > 0:
            z, here = there, moved
        if share < 0.25:
            radius = 0.25 * length
        elif share > 0.75 and length > 0.9 * radius:
            radius *= 2.0
    return here


def _contradicted(found: Likelihood, chance: float) -> list[int]:
    """Forward selection from the nominal values: what improves the likelihood most, as long as it is no chance."""
    size, chosen, z = found.centre.size, list[int](), np.zeros(found.centre.size)

    def with_one_more(k: int) -> Array:
        reach = np.zeros(size)
        reach[[*chosen, k]] = 1.0
        return found.smallest(-reach, reach, (z, reach * found.centre))

    while rest := [k for k in range(size) if k not in chosen]:
        ends = {k: with_one_more(k) for k in rest}
        best = min(rest, key=lambda k: found(ends[k])[0])
        if found(z)[0] - found(ends[best])[0] <= chance:
            break
        chosen.append(best)
        z = ends[best]
    return chosen


def _reach(found: Likelihood, best: Array, k: int, bound: float, limit: float) -> Array:
    """The point as far towards a bound of variable k as it can go before −2 ln L exceeds a limit."""
    at_best = others = np.delete(best, k)
    box = found.held(k, best[k]).box()

    def excess(value: float) -> float:
        nonlocal others
        held = found.held(k, value)
        if others.size:  # near where the last value has left them, or, if that was another valley, at the best
            others = held.smallest(*box, (others, at_best))
        return held(others)[0] - limit

    end = bound if excess(bound) <= 0 else float(brentq(excess, best[k], bound, xtol=_FINE))
    return np.insert(others, k, end)

"""The objective with linearised residuals, and its minimum in a box.

With r + J d in place of every residual the objective is convex in the step d: a sum of norms with a kink where a norm
vanishes and another at the tolerance. Both are kept. A quadratic in their place would be exact at the present point
only, and its steps zigzag where a kink is the minimum, which is the rule here: an index that can be met exactly is met
exactly, and an index that cannot be brought under the tolerance cheaply stays on it.

The minimum is found on the central path: norms, kinks and bounds are rounded off by τ, Newton's method finds the
minimum, τ shrinks. Variables are few (20), so all of it takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trackrod.fit.blocks import Array, Block, compress
from trackrod.fit.objective import Objective

__all__ = ["LinearModel"]

#: Factor by which τ shrinks, and Newton steps at most for each τ.
_SHRINK = 0.2
_NEWTON_STEPS = 40
#: Share of the way to a bound that a Newton step may go.
_TO_BOUND = 0.95
#: Slope that a step must keep, as a share of that promised.
_ARMIJO = 1e-4
#: Distance from a bound, as a share of the width of the box, within which a variable is tried on the bound.
_SNAP = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Objective plus prior as a function of a step d from a point z.

    ::

        F(d) = Σ_k c_k (e_k + PF max(e_k − TP, 0)) + μ ‖z + d‖²,   e_k = ‖A_k d + b_k‖

    Attributes
    ----------
    matrices, offsets
        A and b of every index [%], shapes (K, m, n) and (K, m).
    coefficients
        c [-].
    tolerance, penalty
        TP [%] and PF [-].
    prior, centre
        μ [%] and z [-].
    """

    matrices: Array
    offsets: Array
    coefficients: Array
    tolerance: float
    penalty: float
    prior: float
    centre: Array

    @classmethod
    def of(cls, blocks: Sequence[Block], objective: Objective, z: Array, prior_pct: float) -> LinearModel:
        """The model at a point, from blocks with Jacobians.

        Raises
        ------
        InputError
            If a block has no Jacobian or one for another number of variables.
        """
        coefficients = objective.coefficients(blocks)
        counted = [block for block, c in zip(blocks, coefficients, strict=True) if c > 0]
        compressed = np.array([compress(block, z.size) for block in counted])
        return cls(
            matrices=compressed[:, :, :-1],
            offsets=compressed[:, :, -1],
            coefficients=coefficients[coefficients > 0],
            tolerance=objective.tolerance_pct,
            penalty=objective.penalty,
            prior=prior_pct,
            centre=z,
        )

    def value(self, d: Array) -> float:
        """F(d) [%]."""
        e = np.linalg.norm(self.matrices @ d + self.offsets, axis=1)
        corrected = e + self.penalty * np.maximum(e - self.tolerance, 0.0)
        return float(self.coefficients @ corrected + self.prior * np.sum((self.centre + d) ** 2))

    def minimum(self, lower: Array, upper: Array, accuracy: float) -> Array:
        """The step in the box lower ≤ d ≤ upper that makes F smallest.

        Parameters
        ----------
        lower, upper
            The box [-], which holds 0 and has a width in every direction.
        accuracy
            Distance from the smallest value that does not matter [%].

        Holds: the value is not above that of d = 0.
        """
        width = upper - lower
        d = np.clip(np.zeros_like(lower), lower + 0.1 * width, upper - 0.1 * width)
        tau = max(0.1 * float(self.coefficients @ np.linalg.norm(self.offsets, axis=1)), accuracy)
        while True:
            d = self._centre(d, lower, upper, tau)
            if tau <= accuracy:
                break
            tau = max(tau * _SHRINK, accuracy)
        return min((self._snapped(d, lower, upper), d, np.zeros_like(d)), key=self.value)

    def _centre(self, d: Array, lower: Array, upper: Array, tau: float) -> Array:
        """Newton's method on F rounded off by τ with a barrier −τ log at every bound."""
        value, gradient, hessian = self._rounded(d, lower, upper, tau)
        for _ in range(_NEWTON_STEPS):
            step = -np.linalg.solve(hessian, gradient)
            promised = -float(gradient @ step)
            if promised <= 1e-2 * tau:
                break
            room = np.where(step > 0, upper - d, lower - d)
            # A component that does not move reaches no bound.
            reach = np.divide(room, step, out=np.full_like(step, np.inf), where=step != 0)
            length = min(1.0, _TO_BOUND * float(reach.min()))
            while True:
                trial = d + length * step
                new = self._rounded(trial, lower, upper, tau)
                if new[0] <= value - _ARMIJO * length * promised:
                    break
                length *= 0.5
                if length < 1e-10:  # the rounding of numbers is all that is left
                    return d
            d, (value, gradient, hessian) = trial, new
        return d

    def _rounded(self, d: Array, lower: Array, upper: Array, tau: float) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian of F with norms, kinks and bounds rounded off.

        A norm e becomes t − τ log t with t = τ + √(τ² + e²), which is what is left of the barrier of the cone e ≤ t
        when t is at its best; the kink becomes a hyperbola.
        """
        residual = self.matrices @ d + self.offsets
        slope = np.einsum("kmn,km->kn", self.matrices, residual)
        u = np.sqrt(tau**2 + np.einsum("km,km->k", residual, residual))
        t = tau + u
        excess = u - self.tolerance
        root = np.sqrt(excess**2 + tau**2)
        hinge, hinge1, hinge2 = 0.5 * (excess + root), 0.5 * (1.0 + excess / root), 0.5 * tau**2 / root**3
        first = self.coefficients * (1.0 / t + self.penalty * hinge1 / u)
        second = self.coefficients * (-1.0 / (t**2 * u) + self.penalty * (hinge2 / u**2 - hinge1 / u**3))
        to_lower, to_upper = d - lower, upper - d
        z = self.centre + d
        value = (
            self.coefficients @ (t - tau * np.log(t) + self.penalty * hinge)
            + self.prior * np.sum(z**2)
            - tau * np.sum(np.log(to_lower) + np.log(to_upper))
        )
        gradient = first @ slope + 2.0 * self.prior * z + tau * (1.0 / to_upper - 1.0 / to_lower)
        hessian = np.einsum("k,kmi,kmj->ij", first, self.matrices, self.matrices, optimize=True)
        hessian += (slope.T * second) @ slope
        hessian += np.diag(2.0 * self.prior + tau * (1.0 / to_upper**2 + 1.0 / to_lower**2))
        return float(value), gradient, hessian

    def _snapped(self, d: Array, lower: Array, upper: Array) -> Array:
        near = _SNAP * (upper - lower)
        return np.where(d - lower < near, lower, np.where(upper - d < near, upper, d))

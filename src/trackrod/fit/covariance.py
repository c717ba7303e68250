"""How sure tuned values are: covariance of the variables from the residuals and Jacobians at the optimum.

At the optimum Σ_k w_k J_kᵀ r_k = 0 with w_k = c_k φ'(e_k)/e_k, the slope of the objective to index k over the index. If
the samples of residual k scatter independently with the variance s_k², then to first order z scatters with ::

    C = A⁻¹ B A⁻¹,   A = Σ w_k J_kᵀ J_k,   B = Σ w_k² s_k² τ_k J_kᵀ J_k

With one index this is s² (JᵀJ)⁻¹. τ_k ≥ 1 counts how many neighbouring samples say the same: what remains of a
curve after tuning is mostly a difference of the models, which is smooth, and not noise.

What the indices say is joined with what is known without them, that z lies in [−1, 1]: a variance of 1/3, that of the
uniform distribution. A variable that no index sees keeps it; nothing becomes infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from trackrod.core.errors import InputError, Problem
from trackrod.fit.blocks import BOX_VARIANCE, Array, Block
from trackrod.fit.objective import Objective

__all__ = ["Confidence", "confidence"]

#: Smallest noise of an index [%]: no model is compared more exactly than this.
NOISE_FLOOR_PCT = 1e-3
#: Distance from a bound at which a variable counts as being on it [-].
ON_BOUND = 1e-3
#: A variable is determined if its standard deviation is below this share of that of the box.
DETERMINED = 0.5
#: Samples from which a curve tells its own noise.
_CURVE = 10


@dataclass(frozen=True, slots=True, eq=False)
class Confidence:
    """How far each tuned variable may be off.

    Attributes
    ----------
    names
        The variables.
    z
        The tuned values, in [−1, 1].
    std
        Standard deviations in z [-], at most 1/√3. Of a variable on a bound: what it would be if it could move.
    covariance
        Of the variables between their bounds, given that those on a bound stay there; rows and columns of those are 0.
    on_bound
        Whether the variable lies on a bound: its best value is probably beyond.
    determined
        Whether the indices say more about it than its bounds.
    """

    names: tuple[str, ...]
    z: Array
    std: Array
    covariance: Array
    on_bound: tuple[bool, ...]
    determined: tuple[bool, ...]

    def std_pct(self, range_pct: float | Array = 20.0) -> Array:
        """Standard deviations of the parameters [% of nominal], for a range of ± `range_pct` [% of nominal]."""
        return np.asarray(self.std * range_pct)

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper end in z of what holds each value with the probability `level`, cut at the bounds."""
        if not 0 < level < 1:
            raise InputError(Problem(f"the level is {level:g}", hint="a probability between 0 and 1 is needed"))
        half = NormalDist().inv_cdf(0.5 + 0.5 * level) * self.std
        return np.maximum(self.z - half, -1.0), np.minimum(self.z + half, 1.0)

    @property
    def correlation(self) -> Array:
        """Correlations [-] between the variables; 0 with those on a bound."""
        scale = np.sqrt(np.diag(self.covariance))
        scale[scale == 0] = 1.0
        return np.asarray(self.covariance / np.outer(scale, scale))


def confidence(
    names: tuple[str, ...],
    z: Array,
    blocks: Sequence[Block],
    objective: Objective | None = None,
    noise_pct: float | None = None,
) -> Confidence:
    """Confidence of tuned values.

    Parameters
    ----------
    names, z
        The variables at the optimum.
    blocks
        The indices there, with Jacobians.
    objective
        What was made small.
    noise_pct
        What an index would be by noise alone if the model were perfect [%], independent from sample to sample. If not
        given, every curve tells it by its own residual, and a scalar index takes the root mean square of all indices.

    Raises
    ------
    InputError
        If there is no index, a Jacobian is missing or of the wrong size, or the noise is not positive.

    Limits: first order in the residuals; normal distributions; the variables on a bound are taken as known in the
    covariance of the others. A difference of the models shifts the values too, by more than scatter if it looks like
    the effect of a parameter: no statistics can tell.
    """
    _check(names, z, blocks, noise_pct)
    objective = Objective() if objective is None else objective
    n = z.size
    e = np.maximum([block.value_pct for block in blocks], NOISE_FLOOR_PCT)
    weights = objective.slopes(blocks) / e
    variances = _variances(blocks, e, n, noise_pct)
    squares = np.array([block.jacobian.T @ block.jacobian for block in blocks if block.jacobian is not None])
    a = np.tensordot(weights, squares, 1)
    b = np.tensordot(weights**2 * variances, squares, 1)
    on_bound = np.abs(z) >= 1.0 - ON_BOUND
    free = ~on_bound
    covariance = np.zeros((n, n))
    covariance[np.ix_(free, free)] = _joined(a[np.ix_(free, free)], b[np.ix_(free, free)])
    std = np.sqrt(np.where(free, np.diag(covariance), np.diag(_joined(a, b))))
    determined = std < DETERMINED * np.sqrt(BOX_VARIANCE)
    return Confidence(names, z.copy(), std, covariance, tuple(map(bool, on_bound)), tuple(map(bool, determined)))


def _joined(a: Array, b: Array) -> Array:
    """Covariance from the information A B⁻¹ A and that of the box."""
    # A and B are blind to the same directions; there the pseudo-inverse gives no information.
    information = a @ np.linalg.pinv(b, hermitian=True, rcond=1e-13) @ a
    joined = np.linalg.inv(information + np.eye(len(a)) / BOX_VARIANCE)
    return np.asarray(0.5 * (joined + joined.T))


def _variances(blocks: Sequence[Block], e: Array, n: int, noise_pct: float | None) -> Array:
    """Variance of one sample of each residual [%²], neighbours that say the same included."""
    sizes = np.array([block.residual.size for block in blocks])
    if noise_pct is not None:
        return np.asarray(noise_pct**2 / sizes)
    # A fit takes as many degrees of freedom as there are variables from all samples together.
    left = max(sizes.sum() - n, 1) / sizes.sum()
    own = np.where(sizes >= _CURVE, e, np.sqrt(np.mean(e**2)))
    repeats = np.array([_repeats(block.residual) for block in blocks])
    return np.asarray(repeats * own**2 / (sizes * left))


def _repeats(residual: Array) -> float:
    """τ: how many neighbouring samples count as one, from the autocorrelation up to where it falls to nothing.

    Reference: Geyer, Practical Markov chain Monte Carlo, Statistical Science 7 (1992), the initial positive sequence.
    """
    size = residual.size
    if size < _CURVE or not residual.any():
        return 1.0
    spectrum = np.abs(np.fft.rfft(residual, 2 * size)) ** 2
    correlation = np.fft.irfft(spectrum)[:size]
    correlation /= correlation[0]
    pairs = correlation[: size // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    kept = pairs[: ends[0]] if ends.size else pairs
    return float(np.clip(2.0 * kept.sum() - 1.0, 1.0, size))


def _check(names: tuple[str, ...], z: Array, blocks: Sequence[Block], noise_pct: float | None) -> None:
    if not blocks:
        raise InputError("there is no index to learn from")
    if z.shape != (len(names),):
        raise InputError(f"z has the shape {z.shape}, {len(names)} numbers are needed")
    if noise_pct is not None and not (np.isfinite(noise_pct) and noise_pct > 0):
        raise InputError(Problem(f"the noise is {noise_pct:g} %", hint="a positive number is needed"))
    wrong = [block.label for block in blocks if block.jacobian is None or block.jacobian.shape[1] != z.size]
    if wrong:
        raise InputError(f"no Jacobian with {z.size} columns: {', '.join(wrong)}")

"""What a tuning leaves uncertain: its parameters with their covariance, and the models that are as likely.

The curves say how likely each point is (`trackrod.fit.estimate`); near the tuned point this is a normal distribution.
The bounds of the tuning say what was known before: a parameter that the curves do not tell keeps the spread of its
range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError
from trackrod.fit.estimate import Estimate
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.space import TuningSpace

__all__ = ["Posterior", "posterior_of"]

Array = NDArray[np.float64]

#: Columns of `Posterior.directions`.
_NAMES = tuple(item.name for item in PARAMETERS)
#: Of the differences that directions are made of, over the range of the parameter.
_STEP = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Parameters of a tuning as a normal distribution.

    Attributes
    ----------
    names, units
        What was looked at: tuned or held.
    mean
        The values of the tuned model [SI].
    covariance
        Shape (names, names) [products of the units].
    directions
        How the parameters of the real-time model move with each of them, by name of what was tuned and by parameter:
        one for the parameter itself; a split factor moves mass, centre of gravity and inertia.

    Limits: normal and linear about the tuned model. Draws may lie beyond the bounds of the tuning.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    mean: Array
    covariance: Array
    directions: Mapping[str, Mapping[str, float]]

    def __post_init__(self) -> None:
        size = len(self.names)
        fits = len(self.units) == size == self.mean.size and self.covariance.shape == (size, size)
        if not fits or set(self.directions) != set(self.names):
            raise InputError("a posterior needs a unit, a mean, a row of the covariance and a direction for each name")
        if not (np.isfinite(self.covariance).all() and np.allclose(self.covariance, self.covariance.T, rtol=1e-9)):
            raise InputError("the covariance of a posterior must be finite and symmetric")

    @property
    def deviations(self) -> Array:
        """Standard deviations [SI]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def correlation(self) -> Array:
        """Shape (names, names) [-]."""
        scale = np.where(self.deviations > 0.0, self.deviations, 1.0)
        return np.asarray(self.covariance / np.outer(scale, scale))

    def values(self, normals: Array) -> Array:
        """What was tuned at points of a standard normal distribution, shape (points, names) [SI].

        Holds: the covariance of many of them is `covariance`.
        """
        scale = np.where(self.deviations > 0.0, self.deviations, 1.0)
        values, vectors = np.linalg.eigh(self.correlation)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))  # the smallest may lie below zero by rounding
        # The symmetric root does not depend on the order and the signs of the vectors, which libraries choose freely.
        return np.asarray(self.mean + (normals @ (root @ vectors.T)) * scale)

    def parameters(self, tuned: RtmSpec, values: Array) -> dict[str, float]:
        """Parameters of the real-time model for other values of what was tuned [SI].

        Holds: at the mean they are those of the tuned model.
        """
        found = dict(tuned.parameters)
        for name, change in zip(self.names, (values - self.mean).tolist(), strict=True):
            for parameter, slope in self.directions[name].items():
                found[parameter] += slope * change
        return found


def posterior_of(space: TuningSpace, z: Array, told: Estimate) -> Posterior:
    """The posterior of a tuning that ended at a point of its space, by what the curves tell of it."""
    up = np.array([item.upper - item.nominal for item in space.tunables])
    down = np.array([item.nominal - item.lower for item in space.tunables])
    spans = np.where(z > 0.0, up, np.where(z < 0.0, down, 0.5 * (up + down)))
    directions = {item.name: _direction(space, z, k) for k, item in enumerate(space.tunables)}
    return Posterior(
        space.names,
        tuple(item.unit for item in space.tunables),
        np.array([item.value(x) for item, x in zip(space.tunables, z.tolist(), strict=True)]),
        told.covariance * np.outer(spans, spans),
        directions,
    )


def _direction(space: TuningSpace, z: Array, k: int) -> dict[str, float]:
    """How the parameters of the model move with the value of one that is tuned."""
    item = space.tunables[k]
    value, step = item.value(float(z[k])), _STEP * (item.upper - item.lower)
    ends = []
    for moved in (value + step, value - step):
        there = z.copy()
        there[k] = item.scaled(moved)
        ends.append(space.parameters(there))
    slopes = {name: (ends[0][name] - ends[1][name]) / (2.0 * step) for name in _NAMES}
    return {name: slope for name, slope in slopes.items() if slope}

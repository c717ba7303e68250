"""What an estimator gives: a number with what it rests on, or what is missing for one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core.plain import Plain
from trackrod.core.quantities import Kind

__all__ = ["CannotTell", "Estimate", "Result"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A parameter from measured runs.

    Attributes
    ----------
    name
        Of the parameter.
    kind
        What it is; gives the unit of every number below.
    value
        Best estimate.
    standard_deviation
        Of the estimate: bias and precision together.
    interval
        Holds the truth with a probability of 95 %.
    bias
        Standard deviation by what stays the same over a campaign: gain and zero of sensors, bounds of what was known
        before.
    precision
        Standard deviation by the scatter of the residuals, with their autocorrelation.
    samples, independent_samples
        How many were used, and how many without autocorrelation would tell as much.
    per_sample
        Value of each sample that was used, as the equation of one sample gives it.
    mask
        Which samples of each run were used, in the order of the runs.
    note
        What its user must know.
    """

    name: str
    kind: Kind
    value: float
    standard_deviation: float
    interval: tuple[float, float]
    bias: float
    precision: float
    samples: int
    independent_samples: float
    per_sample: Array = field(repr=False)
    mask: tuple[Mask, ...] = field(repr=False)
    note: str = ""

    @property
    def sample_deviation(self) -> float:
        """Standard deviation of one sample: half of what holds 68 % of them, because a few have hardly any lever."""
        told = self.per_sample[np.isfinite(self.per_sample)]
        return float(np.diff(np.quantile(told, (0.1587, 0.8413)))[0] / 2.0) if told.size else 0.0

    def to_plain(self) -> dict[str, Plain]:
        """As plain data, without the samples."""
        return {
            "name": self.name,
            "unit": self.kind.unit,
            "value": self.value,
            "standard_deviation": self.standard_deviation,
            "interval": list(self.interval),
            "bias": self.bias,
            "precision": self.precision,
            "samples": self.samples,
            "independent_samples": self.independent_samples,
            "sample_standard_deviation": self.sample_deviation,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class CannotTell:
    """A parameter that the runs do not tell: its name, and in a sentence what is missing."""

    name: str
    missing: str

    def to_plain(self) -> dict[str, Plain]:
        """As plain data."""
        return {"name": self.name, "cannot_tell": self.missing}


Result: TypeAlias = Estimate | CannotTell

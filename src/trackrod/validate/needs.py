"""What a validation needs before it begins: how accurate sensors must be, how often to drive, what must be known.

Measured is the response of a model to itself: a curve that is off by an error of a sensor, or of a parameter, has a
ratio of its own in every criterion. Where that is a third of what is allowed or less, the criterion is about the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.tune.space import Tunable
from trackrod.validate.criteria import INDEX, Criteria
from trackrod.validate.verdict import Comparison, judge

__all__ = [
    "SHARE",
    "Driven",
    "ParameterNeed",
    "SensorNeed",
    "parameter_needs",
    "repeats_needed",
    "sensor_needs",
]

#: Of what a criterion allows, for everything that is not the model [-].
SHARE = 1.0 / 3.0
#: Errors that are tried: of a zero as a share of the largest value, of a gain, of a parameter as a share of its range.
_TRIED = 0.01
_ALONG = 0.1
#: Repeats: never fewer, and where more would help nobody.
_FEWEST, _MOST = 3, 30


@dataclass(frozen=True, slots=True, eq=False)
class Driven:
    """A test as the model drives it: its name, its manoeuvre, its run."""

    name: str
    manoeuvre: str
    run: Run


@dataclass(frozen=True, slots=True)
class SensorNeed:
    """How far a sensor may be off.

    Attributes
    ----------
    column
        What it measures.
    zero
        Largest error of its zero [SI unit]; not finite where no criterion minds.
    gain
        Largest error of its gain [-]; likewise.
    row
        The criterion and test that ask for most.
    given
        Whether the model is driven with it, rather than compared.
    """

    column: str
    zero: float
    gain: float
    row: str
    given: bool = False

    def as_dict(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "column": self.column,
            "zero": self.zero if math.isfinite(self.zero) else None,
            "gain": self.gain if math.isfinite(self.gain) else None,
            "decided_by": self.row,
            "input": self.given,
        }


@dataclass(frozen=True, slots=True)
class ParameterNeed:
    """How well a parameter must be known.

    Attributes
    ----------
    tunable
        The parameter with its range.
    influence
        Ratio of the criterion that minds most when it is wrong by its whole range; first order.
    row
        That criterion, and the test.
    needed
        Error at which it takes a third of what is allowed [unit of the parameter].
    """

    tunable: Tunable
    influence: float
    row: str
    needed: float

    @property
    def matters(self) -> bool:
        """Whether its range takes more than a third of what some criterion allows."""
        return self.influence > SHARE

    @property
    def needed_pct(self) -> float:
        """The same of its nominal value [%]."""
        nominal = abs(self.tunable.nominal)
        return 100.0 * self.needed / nominal if nominal else math.inf

    def as_dict(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "name": self.tunable.name,
            "unit": self.tunable.unit,
            "nominal": self.tunable.nominal,
            "matters": self.matters,
            "influence": self.influence,
            "needed": self.needed if math.isfinite(self.needed) else None,
            "decided_by": self.row,
        }


def ratios(criteria: Criteria, test: Driven, other: Run) -> dict[str, float]:
    """How far a run is from that of a test, by criterion; those without a number are left out."""
    verdict = judge(criteria, [Comparison(test.name, test.manoeuvre, (test.run,), other)])
    return {f"{row.criterion.name}, {row.test}": row.ratio for row in verdict.rows if math.isfinite(row.ratio)}


def sensor_needs(
    criteria: Criteria, tests: Sequence[Driven], inputs: Mapping[str, Callable[[Driven, Run], Run]]
) -> tuple[SensorNeed, ...]:
    """How accurate every sensor must be.

    Parameters
    ----------
    criteria
        What is asked.
    tests
        As the model drives them.
    inputs
        By column of an input: what the model does with a test whose input is another one.

    Limits: one error at a time; the metrics are taken as straight lines near the perfect value, which norms are.
    """
    compared = dict.fromkeys(c.signal for c in criteria.criteria if c.metric != INDEX)
    found = []
    for column in (*compared, *(c for c in inputs if c not in compared)):
        changes = []
        for test in (test for test in tests if column in test.run):
            values = test.run[column]
            size = float(np.abs(values).max())
            if size == 0.0:
                continue
            for zero, moved in ((True, values + _TRIED * size), (False, (1.0 + _TRIED) * values)):
                other = Run({**test.run, column: moved}, test.run.metadata)
                if column in inputs:
                    other = inputs[column](test, other)
                changes += [
                    (zero, _TRIED * (size if zero else 1.0) * SHARE / ratio, row)
                    for row, ratio in ratios(criteria, test, other).items()
                    if ratio > 0.0
                ]
        (of_zero, row), (of_gain, _) = (
            min(((bound, row) for is_zero, bound, row in changes if is_zero is wanted), default=(math.inf, ""))
            for wanted in (True, False)
        )
        found.append(SensorNeed(column, of_zero, of_gain, row, column in inputs))
    return tuple(found)


def parameter_needs(
    criteria: Criteria, tests: Sequence[Driven], tunables: Sequence[Tunable], moved: Callable[[Driven, int, float], Run]
) -> tuple[ParameterNeed, ...]:
    """How well every parameter must be known, the most important first.

    Parameters
    ----------
    criteria, tests
        As of `sensor_needs`.
    tunables
        The parameters, with the ranges in which they are known now.
    moved
        The run of a test with one parameter, by its number, so much along its range.
    """
    found = []
    for k, tunable in enumerate(tunables):
        worst = max(
            (
                (ratio / _ALONG, row)
                for test in tests
                for row, ratio in ratios(criteria, test, moved(test, k, _ALONG)).items()
            ),
            default=(0.0, ""),
        )
        span = tunable.upper - tunable.nominal
        needed = span * SHARE / worst[0] if worst[0] > 0.0 else math.inf
        found.append(ParameterNeed(tunable, worst[0], worst[1], needed))
    return tuple(sorted(found, key=lambda need: -need.influence))


def repeats_needed(criteria: Criteria, test: Driven, repeatability: float, confidence: float = 0.95) -> int:
    """How often to drive a test so that the interval of its mean stays below a third of every criterion.

    Parameters
    ----------
    repeatability
        How far the curves of two runs differ: standard deviation over their largest value [-].
    confidence
        Of the interval.
    """
    scatter = 0.0
    for criterion in criteria.criteria:
        if criterion.metric == INDEX or criterion.signal not in test.run or not criterion.applies_to(test.manoeuvre):
            continue
        other = Run({**test.run, criterion.signal: (1.0 + repeatability) * test.run[criterion.signal]}, {})
        scatter = max([scatter, *ratios(criteria, test, other).values()])
    for count in range(_FEWEST, _MOST):
        if student.ppf(0.5 * (1.0 + confidence), count - 1) * scatter / math.sqrt(count) <= SHARE:
            return count
    return _MOST

"""A model judged by criteria: a row for each criterion and test, the degree of validity, the verdict.

A number alone says little, so that a row has four parts beside it: what a bias of the sensor, the scatter of repeats,
the step of the simulation and the processing of the signals change in it. And it has a floor: how far a test lies from
its own repeats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.signals import parse_column
from trackrod.metrics.frequency import COHERENCE, frequency_response
from trackrod.metrics.indices import indices
from trackrod.metrics.pair import Pair
from trackrod.metrics.scores import METRICS
from trackrod.metrics.trace import Trace
from trackrod.validate.criteria import INDEX, Criteria, Criterion, Response
from trackrod.validate.processing import Processing
from trackrod.validate.repeats import mean_interval, mean_trace

__all__ = ["Comparison", "Outcome", "Parts", "Row", "Verdict", "judge", "towards"]

Array = NDArray[np.float64]

#: Metrics that look at the order of samples: of what lies in the operating range they take the longest stretch.
SHAPES = frozenset({"iso18571", "earth", "dtw"})


class Outcome(StrEnum):
    """What the rows together say."""

    VALID = "valid"
    NOT_VALID = "not valid"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A test, its repeats if there are any, and the model in the same test.

    Attributes
    ----------
    name, manoeuvre
        Of the test, and what was driven.
    tests
        The reference: one run, or repeats.
    model
        The run that is judged.
    refined
        The same by half the step or by a reference integrator.
    """

    name: str
    manoeuvre: str
    tests: tuple[Run, ...]
    model: Run
    refined: Run | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What else is in a number, each in its own unit; not a number where nothing is known of it.

    Attributes
    ----------
    bias
        Change by the largest bias of the sensor.
    precision
        Half width of the 95 % interval from repeats.
    numerical
        Change by half the step of the simulation.
    processing
        Change by filters and offsets.
    """

    bias: float = math.nan
    precision: float = math.nan
    numerical: float = math.nan
    processing: float = math.nan

    @property
    def total(self) -> float:
        """Of all that are known, as if they had nothing to do with each other."""
        return math.sqrt(sum(part**2 for part in (self.bias, self.precision, self.numerical) if math.isfinite(part)))


@dataclass(frozen=True, slots=True)
class Row:
    """A criterion in one test.

    Attributes
    ----------
    criterion, test
        What was judged, and in which test.
    value
        Of the metric.
    ratio
        Distance from perfect over that which is allowed, 1 at the limit.
    share
        Of the samples that lie in the operating range, 0 to 1.
    repeats
        How many tests there are.
    floor
        The metric of a test against the other repeats: below it nothing can be told; not a number without repeats.
    parts
        What else is in the number.
    remark
        Why there is no value.
    """

    criterion: Criterion
    test: str
    value: float
    ratio: float
    share: float
    repeats: int
    floor: float
    parts: Parts
    remark: str = ""

    @property
    def met(self) -> bool:
        """Whether the limit is kept."""
        return self.ratio <= 1.0

    @property
    def surely(self) -> bool:
        """Whether it is on the same side of its limit with all that is uncertain added or taken off."""
        away = self.parts.total / abs(self.criterion.limit - self.criterion.perfect)
        return abs(self.ratio - 1.0) >= away

    @property
    def above_floor(self) -> bool:
        """Whether model and test can be told apart: farther from each other than tests are among themselves."""
        return not math.isfinite(self.floor) or self.ratio > self.criterion.ratio(self.floor)


@dataclass(frozen=True, slots=True)
class Verdict:
    """All rows.

    Attributes
    ----------
    criteria
        What was asked.
    rows
        In the order of criteria and tests.
    untested
        Criteria that no test has a sample for.
    """

    criteria: Criteria
    rows: tuple[Row, ...]
    untested: tuple[Criterion, ...]

    @property
    def degree(self) -> float:
        """Degree of validity: mean of the ratios by weight (paper 001, eq. 1); smaller is better, 1 at the limits."""
        known = [row for row in self.rows if math.isfinite(row.ratio)]
        weight = sum(row.criterion.weight for row in known)
        return sum(row.criterion.weight * row.ratio for row in known) / weight if weight > 0.0 else math.nan

    @property
    def violated(self) -> tuple[Row, ...]:
        """Rows beyond their limit, the worst first."""
        return tuple(sorted((row for row in self.rows if not row.met), key=lambda row: -row.ratio))

    @property
    def outcome(self) -> Outcome:
        """Not valid with one row violated, however small the degree; not shown if something was not tested."""
        if any(math.isfinite(row.ratio) for row in self.violated):
            return Outcome.NOT_VALID
        return Outcome.NOT_SHOWN if self.untested or self.violated or not self.rows else Outcome.VALID

    def as_dict(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "criteria": self.criteria.name,
            "outcome": str(self.outcome),
            "degree_of_validity": _known(self.degree),
            "processing": self.criteria.processing.record(),
            "untested": [criterion.name for criterion in self.untested],
            "rows": [_plain(row) for row in self.rows],
        }


def judge(criteria: Criteria, comparisons: Sequence[Comparison]) -> Verdict:
    """Judge a model by criteria in tests.

    Raises
    ------
    InputError
        No test at all, or a run that lacks a column: with every one that is missing.
    """
    if not comparisons:
        raise InputError("there is nothing to judge: no test was given")
    _check_columns(criteria, comparisons)
    rows: list[Row] = []
    untested: list[Criterion] = []
    for criterion in criteria.criteria:
        found = [_row(criteria, criterion, test) for test in comparisons if criterion.applies_to(test.manoeuvre)]
        rows.extend(row for row in found if row.share > 0.0)
        if not any(row.share > 0.0 for row in found):
            untested.append(criterion)
    return Verdict(criteria, tuple(rows), tuple(untested))


def towards(criteria: Criteria, row: Row, test: Comparison) -> Array:
    """The difference of model and test that a row measures, as long as its ratio: what an optimiser follows.

    Holds: the norm is the ratio of the row whatever its metric, and for those that are a norm it is their residual.
    """
    criterion = row.criterion
    if criterion.metric == INDEX:
        found = next(i for i in indices(test.manoeuvre, test.tests[0], test.model) if i.name == criterion.signal)
        off = found.residual()[1]
    else:
        pair = _pair(criterion, test.tests, test.model, _chain(criteria, criterion), 0.0)
        off = pair.model - pair.test
    length = float(np.linalg.norm(off))
    return np.asarray(off * (row.ratio / length)) if length > 0.0 else np.zeros_like(off)


# ---- one row


def _chain(criteria: Criteria, criterion: Criterion) -> Processing:
    return replace(criteria.processing, band=criterion.band or criteria.processing.band)


def _row(criteria: Criteria, criterion: Criterion, test: Comparison) -> Row:
    chain = _chain(criteria, criterion)
    share = _share(criterion, test.tests[0])
    count = len(test.tests)
    if share == 0.0:
        nothing = "no sample lies in the operating range"
        return Row(criterion, test.name, math.nan, math.inf, 0.0, count, math.nan, Parts(), nothing)

    def measure(tests: Sequence[Run], model: Run, by: Processing = chain, offset: float = 0.0) -> float:
        return _value(criterion, test.manoeuvre, tests, model, by, offset)

    try:
        value = measure(test.tests, test.model)
    except InputError as error:
        text = error.problems[0].text
        return Row(criterion, test.name, math.nan, math.inf, share, count, math.nan, Parts(), text)
    parts = Parts(
        bias=_change(value, _biased(measure, criteria, criterion, test)),
        precision=mean_interval([measure([one], test.model) for one in test.tests]) if count > 1 else math.nan,
        numerical=_change(value, [measure(test.tests, test.refined)]) if test.refined is not None else math.nan,
        processing=_change(value, _unprocessed(measure, chain, test)),
    )
    floor = math.nan
    if count > 1:
        others = [[*test.tests[:i], *test.tests[i + 1 :]] for i in range(count)]
        floor = float(np.mean([measure(rest, one) for rest, one in zip(others, test.tests, strict=True)]))
    ratio = criterion.ratio(value) if math.isfinite(value) else math.inf
    remark = "" if math.isfinite(value) else "the metric is not defined: a curve is constant"
    return Row(criterion, test.name, value, ratio, share, count, floor, parts, remark)


Measure = Callable[..., float]


def _biased(measure: Measure, criteria: Criteria, criterion: Criterion, test: Comparison) -> list[float]:
    bias = dict(criteria.bias).get(criterion.signal, 0.0)
    return [measure(test.tests, test.model, offset=sign * bias) for sign in (1.0, -1.0)] if bias > 0.0 else []


def _unprocessed(measure: Measure, chain: Processing, test: Comparison) -> list[float]:
    bare = Processing(step=chain.step)
    if chain == bare:
        return []
    return [measure(test.tests, test.model, by=bare)]


def _change(value: float, others: Sequence[float]) -> float:
    return max((abs(other - value) for other in others), default=math.nan)


# ---- one number


def _value(
    criterion: Criterion, manoeuvre: str, tests: Sequence[Run], model: Run, chain: Processing, offset: float
) -> float:
    if criterion.metric == INDEX:
        values = [
            index.value_pct
            for test in tests
            for index in indices(manoeuvre, test, model)
            if index.name == criterion.signal
        ]
        if not values:
            raise InputError(f"'{criterion.signal}' is no index of {manoeuvre}")
        return float(np.mean(values))
    pair = _pair(criterion, tests, model, chain, offset)
    name, _, number = criterion.metric.partition(".")
    found: Mapping[str, Plain] = METRICS[name](pair)
    for key in number.split("."):
        if not isinstance(found, Mapping) or key not in found:
            raise InputError(f"'{number}' is no number of the metric '{name}'")
        found = found[key]  # type: ignore[assignment]
    return float(found)  # type: ignore[arg-type]


def _pair(criterion: Criterion, tests: Sequence[Run], model: Run, chain: Processing, offset: float) -> Pair:
    if criterion.response is Response.TIME:
        return _pair_over_time(criterion, tests, model, chain, offset)
    return _pair_over_frequency(criterion, tests, model)


def _pair_over_time(criterion: Criterion, tests: Sequence[Run], model: Run, chain: Processing, offset: float) -> Pair:
    reference = mean_trace([_trace(run, criterion.signal, criterion.floor) for run in tests])
    step = chain.step if chain.step is not None else float(np.diff(reference.x).mean())
    same = replace(chain, step=step)
    pair = Pair.of(same.apply(reference), same.apply(_trace(model, criterion.signal)), step)
    if offset:
        pair = replace(pair, test=pair.test + offset)
    if not criterion.ranges:
        return pair
    inside = _inside(criterion, tests[0], pair.x)
    if criterion.metric.partition(".")[0] in SHAPES:
        inside = _longest(inside)
    x = pair.step * np.arange(np.count_nonzero(inside), dtype=np.float64)
    return replace(pair, x=x, test=pair.test[inside], model=pair.model[inside])


def _pair_over_frequency(criterion: Criterion, tests: Sequence[Run], model: Run) -> Pair:
    def response(run: Run) -> tuple[Trace, Array]:
        found = frequency_response(run.time, run[criterion.given], run[criterion.signal], criterion.band)
        rows = found.gain if criterion.response is Response.GAIN else found.phase
        unit, period = ("rad", 2.0 * np.pi) if criterion.response is Response.PHASE else ("-", 0.0)
        return Trace(found.frequency, rows, "frequency", "Hz", criterion.name, unit, period=period), found.coherence

    responses = [response(run) for run in tests]
    reference = mean_trace([trace for trace, _ in responses])
    clear = np.min([coherence for _, coherence in responses], axis=0) >= COHERENCE
    if not clear.any():
        raise InputError(f"{criterion.name}: the input explains less than {COHERENCE:.0%} of the output everywhere")
    pair = Pair.of(reference, response(model)[0].near(reference))
    kept = _longest(np.interp(pair.x, responses[0][0].x, clear.astype(float)) >= 0.5)
    return replace(pair, x=pair.x[kept], test=pair.test[kept], model=pair.model[kept])


def _trace(run: Run, column: str, floor: float = 0.0) -> Trace:
    signal = parse_column(column)
    return Trace(run.time, run[column], "time", "s", column, signal.kind.unit or "-", floor=floor)


def _inside(criterion: Criterion, run: Run, time: Array) -> NDArray[np.bool_]:
    """Where the operating range is kept at these times."""
    inside = np.ones(time.size, dtype=bool)
    for column, low, high in criterion.ranges:
        values = np.interp(time, run.time, run[column])
        inside &= (values >= low) & (values <= high)
    return inside


def _share(criterion: Criterion, run: Run) -> float:
    return float(_inside(criterion, run, run.time).mean())


def _longest(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The longest stretch of chosen samples."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], chosen.astype(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    kept = np.zeros_like(chosen)
    if starts.size:
        longest = int((ends - starts).argmax())
        kept[starts[longest] : ends[longest]] = True
    return kept


# ---- what runs must have


def _check_columns(criteria: Criteria, comparisons: Sequence[Comparison]) -> None:
    missing = {
        f"{test.name}: the {who} has no column '{column}', which '{criterion.name}' needs"
        for criterion in criteria.criteria
        for test in comparisons
        if criterion.applies_to(test.manoeuvre)
        for who, runs in (("test", test.tests), ("model", (test.model,)))
        for run in runs
        for column in _needed(criterion, who)
        if column not in run
    }
    if missing:
        raise InputError("; ".join(sorted(missing)))


def _needed(criterion: Criterion, who: str) -> Iterator[str]:
    if criterion.metric != INDEX:
        yield criterion.signal
        if criterion.given:
            yield criterion.given
    if who == "test":
        yield from (column for column, _, _ in criterion.ranges)


def _plain(row: Row) -> dict[str, Plain]:
    return {
        "criterion": row.criterion.name,
        "test": row.test,
        "signal": row.criterion.signal,
        "metric": row.criterion.metric,
        "value": _known(row.value),
        "limit": row.criterion.limit,
        "ratio": _known(row.ratio),
        "weight": row.criterion.weight,
        "met": row.met,
        "beyond_doubt": row.surely,
        "share_in_range": row.share,
        "repeats": row.repeats,
        "noise_floor": _known(row.floor),
        "above_noise_floor": row.above_floor,
        "bias": _known(row.parts.bias),
        "precision": _known(row.parts.precision),
        "numerical": _known(row.parts.numerical),
        "processing": _known(row.parts.processing),
        "remark": row.remark,
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None

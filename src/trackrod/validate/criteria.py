"""Criteria: what a model must do how well, and where. A TOML file, one table for each.

name = "ride and handling"
intended_use = "choice of springs and bars"

[[criterion]]
signal = "roll_rad"
range = { ay_mps2 = [-5, 5] }
metric = "residual.l2"
limit = 0.05
weight = 0.7
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from trackrod.core.errors import InputError, UnknownNameError, raise_if_errors
from trackrod.core.files import write_atomically
from trackrod.core.quantities import kind
from trackrod.core.signals import Signal, parse_column
from trackrod.core.toml_document import Document, Section
from trackrod.core.toml_files import to_toml
from trackrod.metrics.scores import METRICS, PERFECT_IS_ONE
from trackrod.validate.processing import Processing

__all__ = [
    "MAIN_VALUE",
    "Criteria",
    "Criterion",
    "Response",
    "find_criteria",
    "read_criteria",
    "ready_made",
    "write_criteria",
]

#: The number that is meant where a criterion names a metric alone.
MAIN_VALUE = {
    "iso18571": "guarded.R",
    "sprague-geers": "C",
    "russell": "C",
    "residual": "l2",
    "correlation": "correlation",
    "nise": "nise",
    "dtw": "distance",
    "earth": "magnitude",
}
#: Characteristic values and curves of `trackrod compare`, in percent.
INDEX = "index"
_READY_MADE = Path(__file__).parent / "ready_made"


class Response(StrEnum):
    """What of a signal is compared."""

    TIME = "time"
    GAIN = "gain"
    PHASE = "phase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One row: how far a model may lie from the reference in one response quantity.

    Attributes
    ----------
    name
        In words.
    signal
        Column that is compared; for `metric` "index" the name of an index of the manoeuvre.
    response, given
        The signal over time, or gain or phase of its response to the column `given`.
    manoeuvres
        To which runs it applies; to all if empty.
    ranges
        By column the lowest and highest value of the reference at which samples count: the operating range.
    band
        Frequencies that count [Hz]: signals are filtered, responses are cut.
    metric
        Name and number, "sprague-geers.C".
    limit
        Of that number: largest, or smallest where 1 is perfect.
    floor
        For `residual`: the smallest scale that differences are put over, where the reference may be close to zero
        [unit of the column].
    weight
        In the degree of validity.
    """

    name: str
    signal: str
    metric: str
    limit: float
    weight: float = 1.0
    response: Response = Response.TIME
    given: str = ""
    manoeuvres: tuple[str, ...] = ()
    ranges: tuple[tuple[str, float, float], ...] = ()
    band: tuple[float, float] | None = None
    floor: float = 0.0

    @property
    def perfect(self) -> float:
        """Value of the metric for two equal curves."""
        return 1.0 if self.metric.rpartition(".")[2] in PERFECT_IS_ONE else 0.0

    def ratio(self, value: float) -> float:
        """Distance from perfect over that which is allowed; up to 1 the criterion is met."""
        return abs(value - self.perfect) / abs(self.limit - self.perfect)

    def applies_to(self, manoeuvre: str) -> bool:
        """Whether runs of a manoeuvre are judged by it."""
        return not self.manoeuvres or manoeuvre in self.manoeuvres


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """A file of criteria.

    Attributes
    ----------
    name
        Of the whole.
    intended_use, decision, risk, assumptions
        What the model is for, what is decided with it, what a wrong decision costs, what is taken for granted: for the
        record, word by word.
    processing
        Of all signals.
    bias
        Of the measurement, by column: what its sensor may be off by.
    criteria
        The rows.
    """

    name: str
    criteria: tuple[Criterion, ...]
    intended_use: str = ""
    decision: str = ""
    risk: str = ""
    assumptions: tuple[str, ...] = ()
    processing: Processing = field(default_factory=Processing)
    bias: tuple[tuple[str, float], ...] = ()


def ready_made() -> tuple[str, ...]:
    """Names of the criteria that come with Trackrod."""
    return tuple(sorted(path.stem for path in _READY_MADE.glob("*.toml")))


def find_criteria(source: Path | str) -> Criteria:
    """Criteria of a file, or ready-made ones by their name; errors as `read_criteria`.

    Raises
    ------
    UnknownNameError
        There is neither such a file nor such a name.
    """
    path = Path(source)
    if path.suffix or path.is_file():
        return read_criteria(path)
    if str(source) not in ready_made():
        raise UnknownNameError("criteria", str(source), ready_made())
    return read_criteria(_READY_MADE / f"{source}.toml")


def read_criteria(path: Path) -> Criteria:
    """Read a file of criteria.

    Raises
    ------
    MissingFileError, FileFormatError, InputError
        No such file; not TOML; with everything that is wrong, by line.
    """
    document = Document(path)
    root = document.root
    number = kind("number")
    chain = root.section("processing")
    band = _interval(chain, "band_Hz") if "band_Hz" in chain else None
    processing = Processing(
        step=chain.number("step_s", kind("time"), "of the common time base", low=1e-6) if "step_s" in chain else None,
        band=band,
        from_rest=chain.number("from_rest_s", kind("time"), "whose mean is the offset", default=0.0, low=0.0),
    )
    biases = root.section("bias")
    bias = [(column, biases.number(column, number, "of the sensor", low=0.0)) for column in biases.names()]
    for column, _ in bias:
        _check_column(biases, column, column)
    tables = root.sections("criterion")
    if not tables:
        document.report("there is no [[criterion]]: at least one is needed")
    criteria = tuple(_criterion(table) for table in tables)
    assumptions = root.raw("assumptions", default=[])
    if not isinstance(assumptions, list) or not all(isinstance(text, str) for text in assumptions):
        root.report("assumptions", "'assumptions' must be a list of texts")
        assumptions = []
    found = Criteria(
        name=root.text("name", "of the criteria", path.stem),
        intended_use=root.text("intended_use", "what the model is for", ""),
        decision=root.text("decision", "what is decided with it", ""),
        risk=root.text("risk", "what a wrong decision costs", ""),
        assumptions=tuple(assumptions),
        processing=processing,
        bias=tuple(bias),
        criteria=criteria,
    )
    document.close()
    raise_if_errors(document.problems)
    return found


def write_criteria(criteria: Criteria, path: Path | str) -> None:
    """Write a file of criteria.

    Holds: ``read_criteria(path)`` are the same criteria.
    """
    chain = criteria.processing
    processing: dict[str, object] = {
        **({"step_s": chain.step} if chain.step is not None else {}),
        **({"band_Hz": list(chain.band)} if chain.band is not None else {}),
        **({"from_rest_s": chain.from_rest} if chain.from_rest > 0.0 else {}),
    }
    texts = {name: getattr(criteria, name) for name in ("name", "intended_use", "decision", "risk")}
    content: dict[str, object] = {name: text for name, text in texts.items() if text}
    if criteria.assumptions:
        content["assumptions"] = list(criteria.assumptions)
    content |= {"processing": processing, "bias": dict(criteria.bias)}
    content["criterion"] = [_written(criterion) for criterion in criteria.criteria]
    write_atomically(path, "\n".join(to_toml(content)) + "\n")


def _written(c: Criterion) -> dict[str, object]:
    optional: dict[str, object] = {
        "response": str(c.response) if c.response is not Response.TIME else "",
        "input": c.given,
        "manoeuvres": list(c.manoeuvres),
        "band_Hz": list(c.band) if c.band is not None else [],
        "floor": c.floor,
        "range": {column: [low, high] for column, low, high in c.ranges},
    }
    needed = {"name": c.name, "signal": c.signal, "metric": c.metric, "limit": c.limit, "weight": c.weight}
    return {**needed, **{key: value for key, value in optional.items() if value}}


def _criterion(table: Section) -> Criterion:
    number = kind("number")
    metric = _metric(table)
    signal = table.text("signal", "column that is compared, such as yaw_rate_radps")
    response = table.word("response", Response, Response.TIME)
    given = (
        table.text("input", "column of the input", "") if response is Response.TIME else table.text("input", "column")
    )
    if metric != INDEX:
        _check_column(table, "signal", signal)
    if given:
        _check_column(table, "input", given)
    limit = table.number("limit", number, "largest value of the metric, smallest where 1 is perfect")
    weight = table.number("weight", number, "in the degree of validity", default=1.0)
    manoeuvres = table.raw("manoeuvres", default=[])
    if not isinstance(manoeuvres, list) or not all(isinstance(name, str) for name in manoeuvres):
        table.report("manoeuvres", "'manoeuvres' must be a list of names")
        manoeuvres = []
    found = Criterion(
        name=table.text("name", "in words", signal),
        signal=signal,
        response=response,
        given=given,
        manoeuvres=tuple(manoeuvres),
        ranges=tuple(_ranges(table.section("range"))),
        band=_interval(table, "band_Hz") if "band_Hz" in table else None,
        metric=metric,
        limit=limit,
        floor=table.number("floor", number, "smallest scale of the reference", default=0.0, low=0.0),
        weight=weight,
    )
    if limit == found.perfect:
        table.report("limit", f"a limit of {limit:g} is met by nothing but the reference itself; give a wider one")
    elif found.perfect == 1.0 and not limit < 1.0:
        table.report("limit", f"the limit is {limit:g}, but 1 is perfect: it must be smaller")
    elif found.perfect == 0.0 and limit < 0.0:
        table.report("limit", f"the limit is {limit:g}, but 0 is perfect: it must be larger")
    if not (math.isnan(weight) or weight > 0.0):
        table.report("weight", f"the weight is {weight:g}, it must be positive; leave a row out that does not count")
    return found


def _metric(table: Section) -> str:
    name = table.text("metric", f"one of {', '.join((*METRICS, INDEX))}, with a number after a dot if need be")
    metric, dot, value = name.partition(".")
    if metric == INDEX:
        return INDEX
    if metric not in METRICS:
        if name:
            for problem in UnknownNameError("metric", metric, (*METRICS, INDEX)).problems:
                table.report("metric", problem.text, hint=problem.hint)
        return "residual.l2"
    return f"{metric}.{value if dot else MAIN_VALUE[metric]}"


def _check_column(table: Section, key: str, column: str) -> Signal | None:
    if not column:
        return None
    try:
        return parse_column(column)
    except InputError as error:
        for problem in error.problems:
            table.report(key, problem.text, hint=problem.hint)
    return None


def _ranges(table: Section) -> Iterator[tuple[str, float, float]]:
    for column in table.names():
        _check_column(table, column, column)
        low, high = _interval(table, column)
        yield column, low, high


def _interval(table: Section, key: str) -> tuple[float, float]:
    low, high = table.numbers(key, kind("number"), "from and to", 2)
    if not low < high:
        table.report(key, f"'{key}' goes from {low:g} to {high:g}; the second must be larger")
    return float(low), float(high)

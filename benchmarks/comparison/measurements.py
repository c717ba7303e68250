"""What one process does: a row of a case."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field

from benchmarks.comparison.cases import Case, Variant
from benchmarks.comparison.measures import Measure
from benchmarks.comparison.rows import FINE, ROWS
from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import TrackrodError

__all__ = ["COLUMNS", "Result", "converted", "leave_to_the_first", "measured", "result"]

#: What stands in the table: the default, and the paper's model.
COLUMNS = (Compliance.MOVING, Compliance.QUASI_STATIC)
#: Sub-models that are swapped where the default misses a target, to see what part they have in it.
SWAPS = {
    "quasi-static compliance": Variant(Compliance.QUASI_STATIC),
    "no compliance": Variant(Compliance.NONE),
    "1-D kinematics": Variant(detail=Detail.ONE_DIMENSIONAL),
    f"step of {1e3 * FINE:g} ms": Variant(step=FINE),
}


@dataclass(frozen=True)
class Result:
    """What a row gave for a case with one compliance: its numbers, or why there are none.

    Attributes
    ----------
    swaps
        Every number that is above its target with sub-models swapped [its unit]: by its name and by what was swapped.
    seconds
        Of one processor; those of the multibody model count for the first compliance.
    """

    case: Case
    row: str
    compliance: Compliance
    measures: tuple[Measure, ...]
    failure: str = ""
    swaps: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def worst(self) -> tuple[Measure, ...]:
        """Of every kind the number that is farthest above its target, or nearest below it; remarks are left out."""
        kinds: dict[str, Measure] = {}
        for measure in self.measures:
            before = kinds.get(measure.kind)
            if math.isfinite(measure.target) and (before is None or measure.badness > before.badness):
                kinds[measure.kind] = measure
        return tuple(kinds.values())

    @property
    def badness(self) -> float:
        """The largest value over target [-]; infinite where nothing was measured."""
        return max((measure.badness for measure in self.worst), default=math.inf)

    def __str__(self) -> str:
        return f"{self.case}, {self.row}, {self.compliance}: {self.cell()}"

    def cell(self) -> str:
        """In the table of all cases."""
        return self._cell(self.worst)

    def worst_cell(self) -> str:
        """In the summary: what is above its target, or else the number nearest to it."""
        ordered = sorted(self.worst, key=lambda measure: -measure.badness)
        missed = sum(measure.badness > 1 for measure in ordered)
        return self._cell(tuple(ordered[: max(missed, 1)]))

    def _cell(self, measures: tuple[Measure, ...]) -> str:
        if self.failure or not measures:
            return f"**{self.failure or 'nothing measured'}**"
        return "; ".join(f"**{measure}**" if measure.badness > 1 else str(measure) for measure in measures)

    def as_data(self) -> dict[str, object]:
        """For a file: every number, with null where there is none."""

        def plain(value: object) -> object:
            return None if isinstance(value, float) and not math.isfinite(value) else value

        measures = [{key: plain(value) for key, value in asdict(measure).items()} for measure in self.measures]
        return {
            "vehicle": self.case.name,
            "bushings": self.case.bushings,
            "compliance": str(self.compliance),
            "row": self.row,
            "measures": measures,
            "failure": self.failure,
            "swaps": {name: dict(values) for name, values in self.swaps.items()},
            "seconds": self.seconds,
        }


def leave_to_the_first() -> None:
    """Ctrl-C is for the first process, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def measured(case: Case, row: str) -> tuple[Result, ...]:
    """Drive one row of one case, with every compliance of the table."""
    return tuple(result(case, row, compliance) for compliance in COLUMNS)


def result(case: Case, row: str, compliance: Compliance) -> Result:
    """The same with one compliance; where the default misses a target its sub-models are swapped."""
    begin = time.process_time()
    try:
        measures, failure = tuple(ROWS[row].measure(case, Variant(compliance))), ""
    except TrackrodError as error:
        measures, failure = (), str(error).splitlines()[0]
    swaps = _swapped(case, row, measures) if compliance is COLUMNS[0] else {}
    return Result(case, row, compliance, measures, failure, swaps, time.process_time() - begin)


def _swapped(case: Case, row: str, measures: Iterable[Measure]) -> dict[str, dict[str, float]]:
    missed = {m.what: m.value for m in measures if m.badness > 1 and math.isfinite(m.value) and m.target}
    found: dict[str, dict[str, float]] = {what: {} for what in missed}
    for name, variant in SWAPS.items() if missed else ():
        for measure in _without_failure(case, row, variant):
            # a number of the multibody model alone does not move
            if math.isfinite(measure.value) and measure.value != missed.get(measure.what, measure.value):
                found[measure.what][name] = measure.value
    return {what: values for what, values in found.items() if values}


def _without_failure(case: Case, row: str, variant: Variant) -> Iterator[Measure]:
    try:
        yield from ROWS[row].measure(case, variant)
    except TrackrodError:
        return  # a worse model may not get through


def converted(case: Case) -> tuple[Case, float]:
    """The K&C maps of a case are in the cache then; the time of one processor that this took [s]."""
    begin = time.process_time()
    case.spec()
    return case, time.process_time() - begin

"""What one process does: a row of a case."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass

from benchmarks.comparison.cases import Case
from benchmarks.comparison.rows import ROWS, Measure
from trackrod.core.errors import TrackrodError

__all__ = ["Result", "converted", "measured"]


@dataclass(frozen=True)
class Result:
    """What a row gave for a case: its numbers, or why there are none."""

    case: Case
    row: str
    measures: tuple[Measure, ...]
    failure: str = ""
    seconds: float = 0.0

    @property
    def worst(self) -> Measure | None:
        """The number that is farthest above its target, or nearest below it."""
        return max(self.measures, key=lambda measure: measure.badness, default=None)

    def cell(self) -> str:
        """In the table."""
        if self.failure or self.worst is None:
            return f"**{self.failure or 'nothing measured'}**"
        worst = self.worst
        unit = "" if worst.unit == "%" else f" {worst.unit}"
        text = worst.what if math.isnan(worst.value) else f"{worst.value:.3g}{unit} {worst.what}"
        return f"**{text}**" if worst.badness > 1 else text

    def as_data(self) -> dict[str, object]:
        """For a file: every number, with null where there is none."""
        measures = [
            {**asdict(measure), "value": measure.value if math.isfinite(measure.value) else None}
            for measure in self.measures
        ]
        case = {"vehicle": self.case.name, "bushings": self.case.bushings}
        return {**case, "row": self.row, "measures": measures, "failure": self.failure, "seconds": self.seconds}


def measured(case: Case, row: str) -> Result:
    """Drive one row of one case."""
    begin = time.perf_counter()
    try:
        measures, failure = tuple(ROWS[row].measure(case)), ""
    except TrackrodError as error:
        measures, failure = (), str(error).splitlines()[0]
    return Result(case, row, measures, failure, time.perf_counter() - begin)


def converted(case: Case) -> Case:
    """The K&C maps of a case are in the cache then."""
    case.spec()
    return case

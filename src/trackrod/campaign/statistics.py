"""What a campaign says: distributions with their worst cases, how runs ended, shares of variance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.campaign.plan import COMPLETED, EVENTS
from trackrod.campaign.sampling import Method
from trackrod.campaign.table import CampaignTable
from trackrod.fit.variance_shares import VarianceShares, shares_of

__all__ = ["PERCENTILES", "Counts", "Spread", "counts", "spread", "variance_shares"]

Array = NDArray[np.float64]

#: Percentiles that are told.
PERCENTILES = (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0)
#: Worst cases at each end.
_WORST = 5
_QUANTILE = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """One column of the runs of a model in a manoeuvre.

    Attributes
    ----------
    column, unit
        Which one.
    values
        Those that there are, in the order of the runs [`unit`].
    runs
        Their numbers.
    missing
        Runs without this value.
    """

    column: str
    unit: str
    values: Array
    runs: NDArray[np.int64]
    missing: int

    @property
    def mean(self) -> float:
        """[`unit`]; not a number without values."""
        return float(self.values.mean()) if self.values.size else math.nan

    @property
    def deviation(self) -> float:
        """Standard deviation [`unit`]; not a number below two values."""
        return float(self.values.std(ddof=1)) if self.values.size > 1 else math.nan

    @property
    def half_width(self) -> float:
        """Of the 95 % interval of the mean, as of independent runs [`unit`]."""
        return _QUANTILE * self.deviation / math.sqrt(self.values.size) if self.values.size > 1 else math.nan

    @property
    def percentiles(self) -> dict[float, float]:
        """By `PERCENTILES` [`unit`]; empty without values."""
        if not self.values.size:
            return {}
        return dict(zip(PERCENTILES, np.percentile(self.values, PERCENTILES).tolist(), strict=True))

    @property
    def smallest(self) -> list[tuple[int, float]]:
        """Runs with the smallest values, the smallest first."""
        order = np.argsort(self.values, kind="stable")[:_WORST]
        return [(int(self.runs[k]), float(self.values[k])) for k in order]

    @property
    def largest(self) -> list[tuple[int, float]]:
        """Runs with the largest values, the largest first."""
        order = np.argsort(-self.values, kind="stable")[:_WORST]
        return [(int(self.runs[k]), float(self.values[k])) for k in order]

    def as_dict(self) -> dict[str, object]:
        """As plain data."""
        return {
            "column": self.column,
            "unit": self.unit,
            "count": int(self.values.size),
            "missing": self.missing,
            "mean": self.mean,
            "half_width": self.half_width,
            "deviation": self.deviation,
            "percentiles": {f"{key:g}": value for key, value in self.percentiles.items()},
            "smallest": [{"run": run, "value": value} for run, value in self.smallest],
            "largest": [{"run": run, "value": value} for run, value in self.largest],
        }


@dataclass(frozen=True, slots=True)
class Counts:
    """How runs ended.

    Attributes
    ----------
    runs
        That are driven.
    statuses
        How many of each.
    events
        How many runs had an event of each kind.
    reasons
        Why runs were not driven, with how many there are of each: the first sentence.
    """

    runs: int
    statuses: Mapping[str, int]
    events: Mapping[str, int]
    reasons: Mapping[str, int]

    @property
    def not_completed(self) -> int:
        """Runs that an event ended, or that were not driven."""
        return self.runs - self.statuses.get(COMPLETED, 0)


def counts(table: CampaignTable) -> Counts:
    """How the runs of a campaign ended; read in parts."""
    statuses, events, reasons, runs = Counter[str](), Counter[str](), Counter[str](), 0
    for batch in table.batches(["status", "text", *EVENTS]):
        runs += batch.num_rows
        statuses.update(batch.column("status").to_pylist())
        for name, kind in EVENTS.items():
            if had := batch.num_rows - batch.column(name).null_count:
                events[str(kind)] += had
        told = zip(batch.column("status").to_pylist(), batch.column("text").to_pylist(), strict=True)
        reasons.update(text.split("\n")[0] for status, text in told if status != COMPLETED)
    return Counts(runs, dict(statuses), dict(events), dict(reasons.most_common(10)))


def spread(table: CampaignTable, column: str, model: str, manoeuvre: str) -> Spread:
    """One column of the runs of a model in a manoeuvre."""
    where = {"model": model, "manoeuvre": manoeuvre}
    values, runs = table.column(column, where), table.column("run", where)
    there = np.isfinite(values)
    numbers = runs[there].astype(np.int64)
    return Spread(column, table.columns[column], values[there], numbers, int((~there).sum()))


def variance_shares(
    table: CampaignTable, columns: tuple[str, ...], model: str, manoeuvre: str
) -> VarianceShares | None:
    """Shares of the variance of columns that each variable causes; None where the sampling does not tell them.

    A base point counts where all its runs have all these values.

    Raises
    ------
    MissingExtraError
        SALib is not installed.
    """
    plan = table.plan
    if plan.description.method is not Method.SALTELLI or not columns:
        return None
    where, size = {"model": model, "manoeuvre": manoeuvre}, plan.sampling.dimensions + 2
    points = table.column("point", where).astype(np.int64)
    values = np.column_stack([table.column(name, where) for name in columns])
    whole = points.size - points.size % size if points.size and points[-1] == points.size - 1 else 0
    families = values[:whole].reshape(-1, size, len(columns))
    complete = families[np.isfinite(families).all(axis=(1, 2))]
    if len(complete) < 2:
        return None
    names = tuple(variable.name for variable in plan.description.variables)
    dropped = len(families) - len(complete)
    return shares_of(names, columns, complete.reshape(-1, len(columns)), dropped, seed=plan.description.seed)

"""The results of a campaign as a table that is read lazily: columns when they are asked for, rows in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.campaign.folder import CampaignFolder, require_parquet, table_schema
from trackrod.campaign.plan import Plan
from trackrod.core.errors import MissingExtraError, MissingPackageError, UnknownNameError

__all__ = ["CampaignTable"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CampaignTable:
    """Rows of the runs that are done, in the order of their numbers; nothing is read before it is asked for.

    Parameters
    ----------
    folder
        Of the campaign.

    Holds: what is read at a time does not grow with the number of runs, but for the columns that are asked for whole.
    """

    folder: CampaignFolder

    def __repr__(self) -> str:
        return f"CampaignTable({str(self.folder.path)!r}, {len(self)} of {self.plan.runs} runs)"

    def __len__(self) -> int:
        plan = self.plan
        return sum(len(plan.numbers(task)) for task in self.folder.done())

    @property
    def plan(self) -> Plan:
        """What the campaign is."""
        return self.folder.plan()

    @property
    def files(self) -> list[Path]:
        """Parquet files in the order of their runs."""
        return [self.folder.task_file(task) for task in sorted(self.folder.done())]

    @property
    def dataset(self) -> Any:
        """The table as a `pyarrow.dataset`: lazily filtered, projected, read in batches."""
        require_parquet()
        import pyarrow.dataset as ds  # noqa: PLC0415 - optional package

        return ds.dataset(list(map(str, self.files)), schema=table_schema(self.plan), format="parquet")

    @property
    def signals(self) -> Any:
        """The signals as a `pyarrow.dataset`: run, times and samples; empty where none are kept."""
        require_parquet()
        import pyarrow.dataset as ds  # noqa: PLC0415

        names = [path for path in sorted(self.folder.signals.glob("*.parquet")) if path.stem.isdigit()]
        return ds.dataset(list(map(str, names)), format="parquet")

    @property
    def columns(self) -> dict[str, str]:
        """Names with their units."""
        return {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table_schema(self.plan)}

    def batches(self, columns: Iterable[str]) -> Iterator[Any]:
        """The rows in parts: a `pyarrow.RecordBatch` of some columns for each file."""
        pq = require_parquet().parquet
        wanted = self._known(columns)
        for path in self.files:
            yield from pq.ParquetFile(path).iter_batches(columns=wanted)

    def column(self, name: str, where: Mapping[str, str] | None = None) -> Array:
        """A column of numbers, not a number where a run has none.

        Parameters
        ----------
        name
            Of the column.
        where
            Words that other columns must be: ``{"model": "tuned", "manoeuvre": "step"}``.
        """
        parts = [np.zeros(0)]
        for batch in self.batches([name, *(where or {})]):
            values = batch.column(name).to_numpy(zero_copy_only=False).astype(float)
            chosen = np.ones(values.size, dtype=bool)
            for key, word in (where or {}).items():
                chosen &= np.asarray(batch.column(key).to_numpy(zero_copy_only=False) == word)
            parts.append(values[chosen])
        return np.concatenate(parts)

    def row(self, number: int) -> dict[str, Any] | None:
        """The row of a run; None where it is not done."""
        plan = self.plan
        task = number // plan.description.runs_per_task
        if not (0 <= number < plan.runs and self.folder.task_file(task).is_file()):
            return None
        table = require_parquet().parquet.read_table(self.folder.task_file(task))
        row: dict[str, Any] = table.slice(number - plan.numbers(task)[0], 1).to_pylist()[0]
        return row

    def query(self, sql: str) -> Any:
        """The answer to a question in SQL, of the table ``runs``, by DuckDB: ``.fetchall()``, ``.df()``, ``.arrow()``.

        Raises
        ------
        MissingExtraError
            DuckDB is not installed.
        """
        try:
            import duckdb  # noqa: PLC0415 - optional package
        except ImportError:
            raise MissingExtraError("duckdb", "campaign", "a question in SQL") from None
        connection = duckdb.connect()
        connection.register("runs", self.dataset)
        return connection.sql(sql)

    def to_pandas(self) -> Any:
        """The whole table as a data frame."""
        try:
            import pandas  # noqa: F401, PLC0415 - optional package
        except ImportError:
            raise MissingPackageError("pandas", "a data frame") from None
        return self.dataset.to_table().to_pandas()

    def _known(self, columns: Iterable[str]) -> list[str]:
        known, wanted = self.columns, list(dict.fromkeys(columns))
        for name in wanted:
            if name not in known:
                raise UnknownNameError("column", name, known)
        return wanted

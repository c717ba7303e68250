"""Results of a test on the rig: named columns with their kinds, and the file they go into."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.corners import Axle
from trackrod.core.errors import FileFormatError, Place, Problem, UnknownNameError
from trackrod.core.files import read_bytes, write_atomically
from trackrod.core.notebook import data_frame
from trackrod.core.quantities import KINDS, Kind

__all__ = ["Column", "KcTest", "read_test"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One quantity at all points of a test [SI unit of the kind]."""

    name: str
    kind: Kind
    values: Array

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @classmethod
    def of(cls, name: str, kind: str, values: ArrayLike) -> Column:
        """A column of the kind called `kind`."""
        return cls(name, KINDS[kind], np.asarray(values, dtype=np.float64))

    @property
    def heading(self) -> str:
        """Name with the suffix of its unit: ``toe_left_rad``."""
        return f"{self.name}_{self.kind.suffix}" if self.kind.suffix else self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KcTest:
    """A test on the rig.

    Attributes
    ----------
    name
        What was done: ``parallel``, ``opposite``, ``steer``, ``fx`` …
    axle
        Which axle.
    columns
        A value for each point; not a number where a point was not reached, and where a quantity is not defined.
    problems
        Why points were not reached.

    Holds: all columns have one value for each point; the column ``solved`` is 1 where the point was reached, else 0.
    """

    name: str
    axle: Axle
    columns: tuple[Column, ...]
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return f"KcTest({self.name}, {self.axle} axle, {len(self)} points, {len(self.columns)} columns)"

    def __getitem__(self, name: str) -> Array:
        """Values of a column by its name, without unit [SI unit]."""
        for column in self.columns:
            if column.name == name:
                return column.values
        raise UnknownNameError(f"column of the test '{self.name}'", name, [column.name for column in self.columns])

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns[0].values)

    @property
    def failures(self) -> int:
        """Points that were not reached."""
        return len(self) - int(self["solved"].sum())

    def to_pandas(self) -> Any:
        """The columns by their names with units, by point; MissingPackageError where pandas is not installed."""
        columns = {"point": range(len(self)), **{column.heading: column.values for column in self.columns}}
        return data_frame(columns, "a test on the rig as a table of pandas")

    def write(self, path: Path | str, remark: str = "") -> None:
        """Write one CSV file with a header of names and units; what is not a number is an empty cell.

        A remark stands in a line of its own above the header, after ``#``.
        """
        text = io.StringIO(f"# {remark}\n" if remark else "")
        text.seek(0, io.SEEK_END)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.heading for column in self.columns])
        writer.writerows(_cells(row) for row in np.column_stack([column.values for column in self.columns]))
        write_atomically(path, text.getvalue())


def read_test(path: Path | str, name: str, axle: Axle) -> KcTest:
    """A test from the CSV file that `KcTest.write` has written.

    Raises
    ------
    InputError
        The file cannot be read, or is no table of numbers with names and units of the rig.
    """
    path = Path(path)
    content = read_bytes(path)
    try:
        lines = content.decode("utf-8").splitlines()
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]], dtype=np.float64)
    except (ValueError, csv.Error) as error:  # no UTF-8, no numbers, a cell without end
        raise FileFormatError(Problem(f"no table of numbers: {error}", Place(path))) from None
    heads = rows[0] if rows else []
    if values.ndim != 2 or values.shape[1] != len(heads) or "solved" not in heads:
        raise FileFormatError(
            Problem("no table of the rig: a head with 'solved' and rows as long are needed", Place(path))
        )
    return KcTest(name, axle, tuple(_column(head, values[:, i]) for i, head in enumerate(heads)))


#: Kinds by the suffix of their unit, the longest first.
_SUFFIXES = sorted(((k.suffix, k) for k in KINDS.values() if k.suffix), key=lambda pair: -len(pair[0]))


def _column(heading: str, values: Array) -> Column:
    for suffix, kind in _SUFFIXES:
        if heading.endswith(f"_{suffix}"):
            return Column(heading.removesuffix(f"_{suffix}"), kind, values)
    return Column(heading, KINDS["number"], values)


def _cells(row: Iterable[float]) -> list[str]:
    return ["" if np.isnan(value) else f"{value:.12g}" for value in row]

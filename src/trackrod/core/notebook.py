"""Objects that show themselves: a line at a prompt, a table with a picture in a notebook.

Pictures are made by `trackrod.report`, which lies above everything that is shown; it is asked by name, when a notebook
asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from trackrod.core.errors import MissingPackageError

__all__ = ["Plotted", "Shown", "data_frame", "draw_run"]

_DRAWS = "trackrod.report.notebook"


def draw_run(run: object, columns: tuple[str, ...]) -> Any:
    """A figure of matplotlib with columns of a run, or with what matters in most runs."""
    return import_module(_DRAWS).draw_run(run, columns)


def data_frame(columns: Mapping[str, Any], purpose: str) -> Any:
    """Columns as a table of pandas, the first one its index; MissingPackageError where pandas is not installed."""
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingPackageError("pandas", purpose) from None
    return pandas.DataFrame(columns).set_index(next(iter(columns)))


class Shown:
    """Something that a notebook shows as a table with a picture."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return import_module(_DRAWS).html(self)  # type: ignore[no-any-return]


class Plotted(Shown):
    """Something that is also had as a table and as a figure of its own."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """The table of a notebook as one of pandas, numbers in SI; MissingPackageError where it is not installed."""
        return data_frame(import_module(_DRAWS).columns(self), f"{type(self).__name__} as a table of pandas")

    def plot(self) -> Any:
        """The picture of a notebook as a figure of matplotlib."""
        return import_module(_DRAWS).plot(self)

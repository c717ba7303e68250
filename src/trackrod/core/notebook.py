"""Objects that show themselves: a line at a prompt, a table with a picture in a notebook.

Pictures are made by `trackrod.report`, which lies above everything that is shown; it is asked by name, when a notebook
asks.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["Shown", "draw_run"]

_DRAWS = "trackrod.report.notebook"


def draw_run(run: object, columns: tuple[str, ...]) -> Any:
    """A figure of matplotlib with columns of a run, or with what matters in most runs."""
    return import_module(_DRAWS).draw_run(run, columns)


class Shown:
    """Something that a notebook shows as a table with a picture."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return import_module(_DRAWS).html(self)  # type: ignore[no-any-return]

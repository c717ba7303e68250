"""Figures as data: what is drawn, with units on every axis, apart from how it is drawn.

Every package can describe its plots; `trackrod.report.figures` renders them as PNG files and interactive pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figure", "Legend", "Line", "Panel", "Stroke"]


class Stroke(StrEnum):
    """How a line is drawn."""

    SOLID = "solid"
    DASHED = "dashed"
    POINTS = "points"


class Legend(StrEnum):
    """Where the legend of a panel stands: where its curves are not."""

    RIGHT = "upper right"
    LEFT = "upper left"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One curve: abscissa, ordinate, and what the legend calls it; lines of one colour index share a colour."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    label: str = ""
    stroke: Stroke = Stroke.SOLID
    color: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One pair of axes; the labels carry the unit in brackets."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    legend: Legend = Legend.RIGHT
    equal_axes: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Panels side by side, `columns` in a row."""

    title: str
    panels: tuple[Panel, ...]
    columns: int = 3

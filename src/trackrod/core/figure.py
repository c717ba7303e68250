"""Figures as data: what is drawn, with units on every axis, apart from how it is drawn.

Every package can describe its plots; `trackrod.report.svg` draws them for pages, documents and PNG files. Legends
stand outside the axes, so nobody has to say where they cover nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figure", "Line", "Panel", "Stroke"]


class Stroke(StrEnum):
    """How a line is drawn."""

    SOLID = "solid"
    DASHED = "dashed"
    POINTS = "points"
    #: Pale and thick: a curve that another one may lie on and both are seen.
    WIDE = "wide"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One curve.

    Attributes
    ----------
    x, y
        Abscissa and ordinate.
    label
        What the legend calls it; "" for nothing.
    stroke
        How it is drawn.
    color
        Lines of one index share a colour; its place in the panel if None.
    band
        Half the width of a pale band about it [unit of y]; 0 for none.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    label: str = ""
    stroke: Stroke = Stroke.SOLID
    color: int | None = None
    band: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One pair of axes; the labels carry the unit in brackets.

    Attributes
    ----------
    title, x_label, y_label
        Above, below and beside it.
    lines
        What is drawn.
    equal_axes
        Whether a unit is as long up as across.
    differences
        Lines of a strip below with the same abscissa: how far curves lie apart that cannot be told apart above.
    marks
        Places on the abscissa with a text each, such as gear shifts.
    """

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    equal_axes: bool = False
    differences: tuple[Line, ...] = ()
    marks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Panels side by side, `columns` in a row."""

    title: str
    panels: tuple[Panel, ...]
    columns: int = 3

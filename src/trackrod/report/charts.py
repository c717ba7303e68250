"""Charts as data: bars and heat maps, apart from how they are drawn (`trackrod.report.svg`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bar", "Bars", "HeatMap"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of a bar chart.

    Attributes
    ----------
    label
        What the row is about.
    values
        One for each series of the chart [unit of its axis].
    group
        Rows that follow each other with the same group stand under one heading; "" for none.
    interval
        Ends of an error bar [the same]; None for none.
    bounds
        Ends of what is allowed [the same]; None for none.
    alarm
        Whether the row is drawn in the colour of alarm.
    faint
        Whether the row is drawn faintly, as something not to rely on.
    """

    label: str
    values: tuple[float, ...]
    group: str = ""
    interval: tuple[float, float] | None = None
    bounds: tuple[float, float] | None = None
    alarm: bool = False
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars from zero.

    Attributes
    ----------
    x_label
        What the bars measure, with the unit in brackets.
    series
        Names of the values of each row; one name without legend.
    bars
        The rows, from the top.
    limit
        A line across all rows [unit of the axis] and its name; None for none.
    end
        Where the axis ends [the same]; longer bars are cut, the number beside them is not. None: the longest bar.
    """

    x_label: str
    series: tuple[str, ...]
    bars: tuple[Bar, ...]
    limit: tuple[float, str] | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """Numbers in a grid, coloured by magnitude.

    Attributes
    ----------
    rows, columns
        Their labels.
    values
        Shape (rows, columns).
    label
        What the numbers are, with the unit in brackets.
    signed
        Whether positive numbers are red and negative ones blue; otherwise all are blue.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: NDArray[np.float64]
    label: str
    signed: bool = False

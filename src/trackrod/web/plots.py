"""Figures of pages as plain data for Plotly: title, units, a legend outside the curves; thinned out on the server."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.report.svg import COLORS

__all__ = ["Curve", "Plot", "bars", "csv_of", "curves", "surface", "thinned", "unit_for"]

Array = NDArray[np.float64]

#: Points of a curve that are sent; more are thinned out so that no peak is lost.
MOST_POINTS = 2000
#: On dark ground black and the darkest blue give way.
_DARK = ("#56B4E9", "#FF8C3B", "#2fd3a3", "#e79cc5", "#F0E442", "#c9a0ee", "#ffffff")
_DASHES = ("solid", "dash", "dot", "dashdot")
#: Engineering units by SI unit: factor, and how it is written.
_ENGINEERING = {
    "m": (1e3, "mm"),
    "rad": (180.0 / np.pi, "°"),
    "rad/s": (180.0 / np.pi, "°/s"),
    "rad/s²": (180.0 / np.pi, "°/s²"),
    "m/s": (3.6, "km/h"),
    "N": (1e-3, "kN"),
    "N/m": (1e-3, "N/mm"),
    "N·m/rad": (np.pi / 180.0, "N·m/°"),
}


def unit_for(unit: str, *, engineering: bool) -> tuple[float, str]:
    """Factor from SI and the unit as it is shown."""
    return _ENGINEERING.get(unit, (1.0, unit)) if engineering else (1.0, unit)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One curve: abscissa, ordinate, what the legend calls it."""

    x: Array
    y: Array
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """A figure for Plotly and the table behind it.

    Attributes
    ----------
    title
        Also the name of files that it is saved to.
    figure
        ``data``, ``layout``, ``config``.
    heads, columns
        The table: every number, none left out.
    """

    title: str
    figure: dict[str, Any]
    heads: tuple[str, ...]
    columns: tuple[Any, ...]


def thinned(x: Array, y: Array, most: int = MOST_POINTS) -> tuple[Array, Array]:
    """At most so many points of a curve: lowest and highest of each piece.

    Holds: ends, minimum and maximum are those of the whole curve.
    """
    if len(x) <= most:
        return x, y
    pieces = np.array_split(np.arange(len(x)), most // 2 - 1)
    keep = {0, len(x) - 1}
    for piece in pieces:
        values = y[piece]
        if np.isfinite(values).any():
            keep |= {int(piece[np.nanargmin(values)]), int(piece[np.nanargmax(values)])}
    chosen = np.array(sorted(keep))
    return x[chosen], y[chosen]


def curves(title: str, x_label: str, y_label: str, found: Iterable[Curve], *, dark: bool) -> Plot:
    """Curves over one abscissa."""
    lines = list(found)
    palette = _DARK if dark else COLORS
    data = []
    for number, line in enumerate(lines):
        x, y = thinned(np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64))
        style = {"color": palette[number % len(palette)], "width": 2, "dash": _DASHES[number % len(_DASHES)]}
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": _plain(x),
                "y": _plain(y),
                "name": html.escape(line.label),
                "line": style,
                "showlegend": bool(line.label),
            }
        )
    layout = _layout(title, dark=dark) | {"xaxis": _axis(x_label, dark), "yaxis": _axis(y_label, dark)}
    heads: list[str] = []
    columns: list[Any] = []
    for line in lines:
        heads += [x_label, f"{line.label}: {y_label}" if line.label else y_label]
        columns += [line.x, line.y]
    return Plot(title, {"data": data, "layout": layout, "config": _CONFIG}, tuple(heads), tuple(columns))


def bars(title: str, x_label: str, names: Sequence[str], series: Mapping[str, Sequence[float]], *, dark: bool) -> Plot:
    """Horizontal bars, a group for each name."""
    palette = _DARK if dark else COLORS
    shown = [html.escape(name) for name in names]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "y": shown,
            "x": list(values),
            "name": html.escape(label),
            "marker": {"color": palette[k % len(palette)]},
        }
        for k, (label, values) in enumerate(series.items())
    ]
    y_axis = _axis("", dark) | {"autorange": "reversed", "automargin": True}
    layout = _layout(title, dark=dark) | {"xaxis": _axis(x_label, dark), "yaxis": y_axis, "barmode": "group"}
    layout["height"] = max(240, 110 + 14 * len(names) * max(len(series), 1))
    columns = (list(names), *(list(values) for values in series.values()))
    return Plot(title, {"data": data, "layout": layout, "config": _CONFIG}, ("name", *series), columns)


def surface(title: str, labels: tuple[str, str, str], x: Array, y: Array, z: Array, *, dark: bool) -> Plot:
    """A map over two quantities; z has shape (y, x)."""
    scale = "Cividis"
    grid = [[None if not np.isfinite(v) else float(v) for v in row] for row in z]
    one: dict[str, Any] = {"type": "surface", "x": _plain(x), "y": _plain(y), "z": grid, "colorscale": scale}
    one["colorbar"] = {"title": {"text": labels[2]}, "thickness": 12, "len": 0.7, "tickfont": {"color": _ink(dark)}}
    axes = {
        name: {"title": {"text": label, "font": {"size": 11}}, "color": _ink(dark), "gridcolor": _line(dark)}
        for name, label in zip(("xaxis", "yaxis", "zaxis"), labels, strict=True)
    }
    layout = _layout(title, dark=dark) | {"scene": axes | {"aspectmode": "cube"}, "height": 430}
    layout["scene"]["camera"] = {"eye": {"x": 1.8, "y": -2.0, "z": 1.05}, "center": {"x": 0, "y": 0, "z": -0.12}}
    layout["margin"] = {"l": 0, "r": 0, "t": 36, "b": 0}
    points = np.array([(a, b, z[j, i]) for j, b in enumerate(y) for i, a in enumerate(x)])
    return Plot(title, {"data": [one], "layout": layout, "config": _CONFIG}, labels, tuple(points.T))


def csv_of(plot: Plot) -> bytes:
    """The table of a plot; columns of unequal length end where they end."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(plot.heads)
    longest = max((len(column) for column in plot.columns), default=0)
    for row in range(longest):
        writer.writerow([_cell(column[row]) if row < len(column) else "" for column in plot.columns])
    return stream.getvalue().encode("utf-8")


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else f"{float(value):.9g}"


_CONFIG = {"displaylogo": False, "displayModeBar": False, "responsive": True}


def _plain(values: Array) -> list[float | None]:
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in values]


def _ink(dark: bool) -> str:
    return "#e6edf3" if dark else "#24292f"


def _line(dark: bool) -> str:
    return "#3d444d" if dark else "#d9dee3"


def _axis(label: str, dark: bool) -> dict[str, Any]:
    return {
        "title": {"text": html.escape(label), "standoff": 8},
        "color": _ink(dark),
        "gridcolor": _line(dark),
        "zerolinecolor": _line(dark),
        "automargin": True,
    }


def _layout(title: str, *, dark: bool) -> dict[str, Any]:
    return {
        "title": {"text": html.escape(title), "x": 0.01, "xanchor": "left", "font": {"size": 14, "color": _ink(dark)}},
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": _ink(dark)},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 55, "r": 15, "t": 40, "b": 45},
        "legend": {"orientation": "h", "y": -0.22, "x": 0, "yanchor": "top"},
        "height": 320,
        "uirevision": "kept",
    }

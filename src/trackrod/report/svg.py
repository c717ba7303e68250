"""Drawings as SVG: figures, bars and heat maps for paper, and for pages that must be readable without a script.

Everything is drawn `WIDTH` units wide; who includes a drawing scales it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.figure import Figure, Legend, Line, Panel, Stroke
from trackrod.report.charts import Bar, Bars, HeatMap
from trackrod.report.figures import COLORS

__all__ = ["WIDTH", "Drawing", "Picture", "draw"]

Drawing = Figure | Bars | HeatMap

#: Width of every drawing [units of the drawing].
WIDTH = 720.0

#: On paper the first family, on screens the second.
_FONT = "Libertinus Serif, system-ui, sans-serif"
#: Mean width of a character over the size of the font [-]: an estimate on the wide side.
_CHARACTER = 0.52
_SMALL, _NORMAL = 10.0, 11.5
_INK, _FAINT, _GRID, _ALARM = "#1b1f24", "#57606a", "#e1e5e9", "#c00000"
_RED, _BLUE = (192, 40, 0), (0, 90, 160)
_SERIES = (COLORS[5], COLORS[2], COLORS[0], COLORS[3])
_ROW = 15.0
#: Spans below this are none.
_NOTHING = 1e-15

_Array = NDArray[np.float64]
_Ends = tuple[float, float]
#: From a value to its place.
_Across = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG element and its height over its width [-]."""

    svg: str
    aspect: float


def draw(drawing: Drawing) -> Picture:
    """Draw what is described."""
    if isinstance(drawing, Figure):
        return _figure(drawing)
    return _bars(drawing) if isinstance(drawing, Bars) else _heat_map(drawing)


def _picture(parts: Iterable[str], height: float) -> Picture:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH:g} {height:.0f}' font-family='{_FONT}'>"
    return Picture("".join((head, *parts, "</svg>")), height / WIDTH)


def _text(
    x: float, y: float, text: str, *, size: float = _SMALL, anchor: str = "start", color: str = _INK, more: str = ""
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size:g}' text-anchor='{anchor}' fill='{color}'{more}>"
        f"{html.escape(text)}</text>"
    )


def _segment(x: tuple[float, float], y: tuple[float, float], color: str, more: str = "") -> str:
    return (
        f"<line x1='{x[0]:.1f}' y1='{y[0]:.1f}' x2='{x[1]:.1f}' y2='{y[1]:.1f}' stroke='{color}' "
        f"stroke-width='1'{more}/>"
    )


def _box(x: float, y: float, width: float, height: float, color: str, more: str = "", inside: str = "") -> str:
    where = f"x='{x:.1f}' y='{y:.1f}' width='{max(width, 0.0):.1f}' height='{height:.1f}'"
    return f"<rect {where} fill='{color}'{more}>{inside}</rect>"


def _width(text: str, size: float) -> float:
    return _CHARACTER * size * len(text)


def _ticks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    """About `count` round numbers between two ends, with their texts."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= 0.999 * rough)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
    return [(number, _number(number, digits)) for number in numbers]


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}" if abs(value) < 1e6 and digits < 6 else f"{value:.3g}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


# ---- curves


def _figure(figure: Figure) -> Picture:
    columns = min(figure.columns, len(figure.panels))
    width = WIDTH / columns
    height = 0.5 * width + 52.0
    rows = math.ceil(len(figure.panels) / columns)
    parts = [
        _panel(panel, (k % columns) * width, (k // columns) * height, width, height)
        for k, panel in enumerate(figure.panels)
    ]
    return _picture(parts, rows * height)


def _panel(panel: Panel, left: float, top: float, width: float, height: float) -> str:
    x_low, x_high = _range([line.x for line in panel.lines], 0.0)
    y_low, y_high = _range([line.y for line in panel.lines], 0.05)
    x_ticks, y_ticks = _ticks(x_low, x_high, 5), _ticks(y_low, y_high, 5)
    x0 = left + 24.0 + max((_width(text, _SMALL) for _, text in y_ticks), default=0.0)
    x1, y0, y1 = left + width - 12.0, top + 22.0, top + height - 38.0
    if panel.equal_axes:
        scale = max((x_high - x_low) / (x1 - x0), (y_high - y_low) / (y1 - y0))
        x_low, x_high = _widened(x_low, x_high, scale * (x1 - x0))
        y_low, y_high = _widened(y_low, y_high, scale * (y1 - y0))
        x_ticks, y_ticks = _ticks(x_low, x_high, 5), _ticks(y_low, y_high, 5)

    def across(values: _Array | float) -> _Array:
        return np.asarray(x0 + (x1 - x0) * (np.asarray(values) - x_low) / (x_high - x_low))

    def down(values: _Array | float) -> _Array:
        return np.asarray(y1 - (y1 - y0) * (np.asarray(values) - y_low) / (y_high - y_low))

    parts = [_text((x0 + x1) / 2, top + 14.0, panel.title, size=_NORMAL, anchor="middle")]
    for value, text in x_ticks:
        x = float(across(value))
        parts += [_segment((x, x), (y0, y1), _GRID), _text(x, y1 + 13.0, text, anchor="middle")]
    for value, text in y_ticks:
        y = float(down(value))
        parts += [_segment((x0, x1), (y, y), _GRID), _text(x0 - 4.0, y + 3.5, text, anchor="end")]
    parts.append(_box(x0, y0, x1 - x0, y1 - y0, "none", f" stroke='{_FAINT}' stroke-width='.8'"))
    curves = [(across(line.x), down(line.y), line.stroke, _color(line, k)) for k, line in enumerate(panel.lines)]
    parts.append(_legend(panel, (x0, x1), (y0, y1), [(x, y) for x, y, *_ in curves]))  # beneath the curves
    parts += [_curve(*curve) for curve in curves]
    middle = (y0 + y1) / 2
    turned = f" transform='rotate(-90 {left + 12.0:.1f} {middle:.1f})'"
    parts += [
        _text((x0 + x1) / 2, y1 + 29.0, panel.x_label, anchor="middle"),
        _text(left + 12.0, middle, panel.y_label, anchor="middle", more=turned),
    ]
    return "".join(parts)


def _range(arrays: Sequence[_Array], margin: float) -> tuple[float, float]:
    values = np.concatenate([np.ravel(array) for array in arrays]) if arrays else np.zeros(0)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    span = high - low
    largest = max(abs(low), abs(high))
    if span <= max(1e-9 * largest, _NOTHING):  # a flat line, or rounding
        span = 0.2 * largest if largest > _NOTHING else 1.0
        return low - 0.5 * span, high + 0.5 * span
    return low - margin * span, high + margin * span


def _widened(low: float, high: float, span: float) -> tuple[float, float]:
    middle = 0.5 * (low + high)
    return middle - 0.5 * span, middle + 0.5 * span


def _curve(x: _Array, y: _Array, stroke: Stroke, color: str) -> str:
    good = np.isfinite(x) & np.isfinite(y)
    if stroke is Stroke.POINTS:
        return "".join(
            f"<circle cx='{a:.1f}' cy='{b:.1f}' r='1.8' fill='{color}'/>" for a, b in zip(x[good], y[good], strict=True)
        )
    dashes = " stroke-dasharray='4 3' stroke-width='1'" if stroke is Stroke.DASHED else " stroke-width='1.4'"
    parts = []
    edges = np.flatnonzero(np.diff(np.concatenate(([False], good, [False])).astype(int)))
    for begin, end in zip(edges[::2], edges[1::2], strict=True):  # gaps of NaN stay gaps
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[begin:end], y[begin:end], strict=True))
        parts.append(f"<polyline points='{points}' fill='none' stroke='{color}'{dashes}/>")
    return "".join(parts)


def _color(line: Line, index: int) -> str:
    return COLORS[(index if line.color is None else line.color) % len(COLORS)]


def _legend(panel: Panel, x: _Ends, y: _Ends, curves: Sequence[tuple[_Array, _Array]]) -> str:
    named = [(k, line) for k, line in enumerate(panel.lines) if line.label]
    if not named:
        return ""
    width = 26.0 + max(_width(line.label, 9.0) for _, line in named)
    height = 12.0 * len(named) + 4.0
    left, top = _free_place(panel.legend, x, y, (width, height), curves)
    parts = [_box(left, top, width, height, "#ffffff", " fill-opacity='.8'")]
    for row, (k, line) in enumerate(named):
        at = top + 8.0 + 12.0 * row
        ends = np.array([left + 3.0, left + 19.0])
        parts.append(_curve(ends, np.array([at, at]), line.stroke, _color(line, k)))
        parts.append(_text(left + 23.0, at + 3.0, line.label, size=9.0))
    return "".join(parts)


def _free_place(
    wanted: Legend, x: _Ends, y: _Ends, size: tuple[float, float], curves: Sequence[tuple[_Array, _Array]]
) -> tuple[float, float]:
    """Left and top of a box that covers the fewest points: where it is wanted, in another corner or in the middle."""
    left, right = x[0] + 4.0, x[1] - size[0] - 4.0
    top, bottom = y[0] + 4.0, y[1] - size[1] - 4.0
    middle = (0.5 * (left + right), 0.5 * (top + bottom))
    first = {Legend.RIGHT: (right, top), Legend.LEFT: (left, top)}.get(wanted, middle)
    places = (first, (right, top), (left, top), (right, bottom), (left, bottom), middle)

    def covered(place: tuple[float, float]) -> int:
        inside = (
            (px > place[0]) & (px < place[0] + size[0]) & (py > place[1]) & (py < place[1] + size[1])
            for px, py in curves
        )
        return sum(int(found.sum()) for found in inside)

    return min(places, key=covered)


# ---- bars


def _bars(chart: Bars) -> Picture:
    x0 = 14.0 + max((_width(bar.label, _SMALL) for bar in chart.bars), default=0.0)
    x0, x1, top = min(x0, 0.45 * WIDTH), WIDTH - 46.0, 20.0
    numbers: list[float] = [v for bar in chart.bars for v in (*bar.values, *(bar.interval or ()), *(bar.bounds or ()))]
    numbers += [] if chart.limit is None else [1.1 * chart.limit[0]]
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    high = min(high, chart.end) if chart.end is not None else high
    if high <= low:
        high = low + 1.0
    if low < 0.0:
        x0 += 34.0  # room for the numbers of negative bars

    def across(value: float) -> float:
        return x0 + (x1 - x0) * (min(max(value, low), high) - low) / (high - low)

    thick = _ROW - 4.0 if len(chart.series) == 1 else 9.0
    row = thick * len(chart.series) + 5.0
    rows, y, group = [], top, ""
    for bar in chart.bars:
        if bar.group != group:
            group, y = bar.group, y + 18.0
            rows.append(_text(4.0, y - 5.0, group, size=_NORMAL, more=" font-weight='bold'"))
        rows.append(_row(bar, chart, across, y, thick))
        y += row
    grid = []
    for value, text in _ticks(low, high, 6):
        x = across(value)
        grid += [_segment((x, x), (top, y), _GRID), _text(x, y + 13.0, text, anchor="middle")]
    zero = across(0.0)
    grid.append(_segment((zero, zero), (top, y), _FAINT))
    grid.append(_text((x0 + x1) / 2, y + 29.0, chart.x_label, anchor="middle"))
    if chart.limit is not None:
        x = across(chart.limit[0])
        grid.append(_segment((x, x), (top - 2.0, y), _ALARM, " stroke-dasharray='5 3'"))
        rows.append(_text(x, top - 7.0, chart.limit[1], anchor="middle", color=_ALARM))
    return _picture([*grid, *rows, *_keys(chart)], y + 36.0)


def _row(bar: Bar, chart: Bars, across: _Across, y: float, thick: float) -> str:
    height = thick * len(bar.values)
    parts = [_text(10.0, y + height / 2 + 3.5, bar.label, color=_ALARM if bar.alarm else _INK)]
    if bar.bounds is not None:
        left, right = (across(value) for value in bar.bounds)
        parts.append(_box(left, y, right - left, height, "#eef1f4"))
        parts += [_segment((x, x), (y, y + height), _FAINT) for x in (left, right)]
    for k, value in enumerate(bar.values):
        color = _ALARM if bar.alarm and len(bar.values) == 1 else _SERIES[k + (len(chart.series) == 1)]
        zero, end = sorted((across(0.0), across(value)))
        title = f"<title>{html.escape(f'{bar.label}, {chart.series[k]}: {value:.4g}')}</title>"
        more = " fill-opacity='.35'" if bar.faint else ""
        parts.append(_box(zero, y + k * thick + 0.5, end - zero, thick - 1.0, color, more, title))
        above = chart.limit is not None and round(value, 2) > chart.limit[0]  # as it is written
        parts.append(_value(bar, value, across, y + (k + 0.5) * thick + 3.2, alarm=above))
    if bar.interval is not None:
        left, right = (across(value) for value in bar.interval)
        middle = y + height / 2
        parts.append(_segment((left, right), (middle, middle), _INK))
        parts += [_segment((x, x), (middle - 3.0, middle + 3.0), _INK) for x in (left, right)]
    return "".join(parts)


def _value(bar: Bar, value: float, across: _Across, y: float, *, alarm: bool) -> str:
    """The number at the outer end of a bar, beyond error bar and bounds."""
    ends = (value, 0.0, *(bar.interval or ()), *(bar.bounds or ()))
    right = value >= 0.0
    x = across(max(ends)) + 4.0 if right else across(min(ends)) - 4.0
    text = (f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}").replace("-", "−")
    wide = _width(text, 9.0)
    behind = _box(
        x - 1.0 if right else x - wide, y - 7.0, wide, 8.5, "#ffffff"
    )  # the line of the limit stays behind it
    anchor, color = "start" if right else "end", _ALARM if alarm else _INK
    return behind + _text(x, y, text, size=9.0, anchor=anchor, color=color)


def _keys(chart: Bars) -> list[str]:
    if len(chart.series) == 1:
        return []
    parts, x = [], 10.0
    for k, name in enumerate(chart.series):
        parts += [_box(x, 4.0, 10.0, 9.0, _SERIES[k]), _text(x + 14.0, 12.0, name)]
        x += 30.0 + _width(name, _SMALL)
    return parts


# ---- heat maps


def _heat_map(chart: HeatMap) -> Picture:
    x0 = min(12.0 + max((_width(name, _SMALL) for name in chart.rows), default=0.0), 0.42 * WIDTH)
    cell = (WIDTH - x0 - 34.0) / max(len(chart.columns), 1)
    cell = min(cell, 70.0)
    top = 14.0 + 0.75 * max((_width(name, _SMALL) for name in chart.columns), default=0.0)
    parts = []
    for j, name in enumerate(chart.columns):
        x = x0 + (j + 0.5) * cell
        parts.append(_text(x, top - 5.0, name, more=f" transform='rotate(-48 {x:.1f} {top - 5.0:.1f})'"))
    largest = float(np.nanmax(np.abs(chart.values), initial=0.0)) or 1.0
    for i, name in enumerate(chart.rows):
        y = top + i * _ROW
        parts.append(_text(x0 - 5.0, y + 11.0, name, anchor="end"))
        for j, column in enumerate(chart.columns):
            value = float(chart.values[i, j])
            share = math.sqrt(abs(value) / largest) if math.isfinite(value) else 0.0
            title = f"<title>{html.escape(f'{name}, {column}: {value:.4g}')}</title>"
            parts.append(
                _box(
                    x0 + j * cell,
                    y,
                    cell - 1.0,
                    _ROW - 1.0,
                    _shade(share, _RED if chart.signed and value > 0 else _BLUE),
                    "",
                    title,
                )
            )
            color = "#ffffff" if share > 0.6 else _INK
            parts.append(
                _text(x0 + (j + 0.5) * cell - 0.5, y + 10.5, _brief(value), size=8.5, anchor="middle", color=color)
            )
    y = top + len(chart.rows) * _ROW + 14.0
    parts.append(_text(x0, y, chart.label, color=_FAINT))
    return _picture(parts, y + 6.0)


def _shade(share: float, full: tuple[int, int, int]) -> str:
    """From white to the full colour."""
    return "#" + "".join(f"{round(255 + share * (c - 255)):02x}" for c in full)


def _brief(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    if abs(value) < 0.05:
        return "0"
    return f"{value:.{1 if abs(value) < 10 else 0}f}".replace("-", "−")

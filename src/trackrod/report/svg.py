"""Drawings as SVG: figures, bars and heat maps, the one source of pages, documents and PNG files.

On paper a drawing is one picture, `WIDTH` units wide; who includes it scales it. A page takes a figure panel by panel
(`draw_panels`) and bars in two widths, so that they can be read on a phone too.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.numbers import minus, shown
from trackrod.report.charts import Bar, Bars, HeatMap

__all__ = [
    "COLORS",
    "MOST_POINTS",
    "NARROW",
    "WIDTH",
    "Drawing",
    "Picture",
    "draw",
    "draw_panels",
    "row_aspect",
    "thinned",
]


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG element and its height over its width [-]."""

    svg: str
    aspect: float


Drawing = Figure | Bars | HeatMap | Picture

#: Colour-blind safe palette (Okabe and Ito), darkest first.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: Width of a drawing on paper, of one panel on a page, and of bars on a phone [units of the drawing].
WIDTH, _PANEL, NARROW = 720.0, 360.0, 360.0
#: Points of a curve at most; what is between them cannot be seen.
MOST_POINTS = 320

#: On paper the first family, on screens the second.
_FONT = "Libertinus Serif, system-ui, sans-serif"
#: Mean width of a character over the size of the font [-]: an estimate on the wide side.
_CHARACTER = 0.58
_TINY, _SMALL, _NORMAL = 9.0, 10.0, 11.5
_INK, _FAINT, _GRID, _ALARM = "#1b1f24", "#57606a", "#e1e5e9", "#c00000"
_RED, _BLUE = (192, 40, 0), (0, 90, 160)
_SERIES = (COLORS[5], COLORS[2], COLORS[0], COLORS[3])
_ROW = 15.0
#: Height of the strip of differences, with the gap above it.
_STRIP, _GAP = 46.0, 9.0
#: Spans below this are none.
_NOTHING = 1e-15

_Array = NDArray[np.float64]
_Ends = tuple[float, float]
#: From a value to its place.
_Across = Callable[[float], float]
#: What a legend tells lines apart by.
_Key = tuple[str, Stroke, str, bool]


def draw(drawing: Drawing, width: float = WIDTH) -> Picture:
    """Draw what is described, so wide; a picture is drawn already."""
    if isinstance(drawing, Picture):
        return drawing
    if isinstance(drawing, Figure):
        return _figure(drawing)
    return _bars(drawing, width) if isinstance(drawing, Bars) else _heat_map(drawing)


def draw_panels(figure: Figure) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The legend that all panels share, as SVG elements and their texts, and each panel as an SVG element.

    There is no such legend where each panel has its own.
    """
    shared = _shared_keys(figure)
    legend = tuple((_picture([_key(0.0, 6.0, *key)], 12.0, 18.0).svg, key[0]) for key in shared)
    height = _height(figure, _PANEL, own_legend=not shared)
    panels = tuple(
        _picture([_panel(panel, 0.0, 0.0, _PANEL, height, own_legend=not shared)], height, _PANEL).svg
        for panel in figure.panels
    )
    return legend, panels


def _picture(parts: Iterable[str], height: float, width: float = WIDTH) -> Picture:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:.0f}' font-family='{_FONT}'>"
    return Picture("".join((head, *parts, "</svg>")), height / width)


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


def _wrapped(text: str, size: float, width: float) -> list[str]:
    """A text in as many lines as it takes."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _ticks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    """About `count` round numbers between two ends, with their texts."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= 0.999 * rough)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
    return [(number, _number(number, digits)) for number in numbers]


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}" if abs(value) < 1e6 and digits < 6 else shown(value, 3)
    return minus(text) if text.strip("-0.") else "0"


# ---- curves


def _figure(figure: Figure) -> Picture:
    columns = min(figure.columns, len(figure.panels))
    width = WIDTH / columns
    shared = _shared_keys(figure)
    drawn, top = _legend(shared, 0.0, 0.0, WIDTH) if shared else ([], 0.0)
    height = _height(figure, width, own_legend=not shared)
    rows = math.ceil(len(figure.panels) / columns)
    parts = [
        _panel(panel, (k % columns) * width, top + (k // columns) * height, width, height, own_legend=not shared)
        for k, panel in enumerate(figure.panels)
    ]
    return _picture([*drawn, *parts], top + rows * height)


def row_aspect(figure: Figure) -> float:
    """Height of a row of panels on paper over the width of the figure [-]."""
    width = WIDTH / min(figure.columns, len(figure.panels))
    return _height(figure, width, own_legend=not _shared_keys(figure)) / WIDTH


def _keys_of(panel: Panel) -> tuple[_Key, ...]:
    found: dict[_Key, None] = {}
    for lines in (panel.lines, panel.differences):
        for k, line in enumerate(lines):
            if line.label:
                found.setdefault((line.label, line.stroke, _color(line, k), line.band > 0.0))
    return tuple(found)


def _shared_keys(figure: Figure) -> tuple[_Key, ...]:
    """The legend of all panels, if they have one between them."""
    found = set(map(_keys_of, figure.panels))
    return found.pop() if len(found) == 1 and len(figure.panels) > 1 else ()


def _legend(keys: Sequence[_Key], left: float, top: float, width: float) -> tuple[list[str], float]:
    """Entries in rows, and how high they are."""
    parts, x, y = [], left + 4.0, top + 8.0
    for label, stroke, color, band in keys:
        wide = 32.0 + _width(label, _TINY)
        if x > left + 4.0 and x + wide > left + width:
            x, y = left + 4.0, y + 13.0
        parts += [_key(x, y, label, stroke, color, band), _text(x + 22.0, y + 3.0, label, size=_TINY)]
        x += wide
    return parts, y - top + 10.0


def _key(x: float, y: float, _label: str, stroke: Stroke, color: str, band: bool) -> str:
    """How a line looks, 18 units long."""
    behind = _box(x, y - 5.0, 18.0, 10.0, color, " fill-opacity='.15'") if band else ""
    ends = np.array([x, x + 18.0]) if stroke is not Stroke.POINTS else np.array([x + 4.0, x + 14.0])
    return behind + _curve(ends, np.array([y, y]), stroke, color)


def _head(panel: Panel, width: float, *, own_legend: bool) -> tuple[list[str], float]:
    """Lines of the title, and the height of everything above the axes."""
    title = _wrapped(panel.title, _NORMAL, width - 16.0) if panel.title else []
    legend = _legend(_keys_of(panel), 0.0, 0.0, width - 20.0)[1] if own_legend and _keys_of(panel) else 0.0
    return title, 8.0 + 13.0 * len(title) + legend + (11.0 if panel.marks else 0.0)


def _height(figure: Figure, width: float, *, own_legend: bool) -> float:
    head = max(_head(panel, width, own_legend=own_legend)[1] for panel in figure.panels)
    strip = _STRIP + _GAP if any(panel.differences for panel in figure.panels) else 0.0
    return head + (0.5 if width >= _PANEL else 0.46) * width + strip + 36.0


def _panel(panel: Panel, left: float, top: float, width: float, height: float, *, own_legend: bool) -> str:
    x_low, x_high = _range([line.x for line in panel.lines], 0.0)
    y_low, y_high = _range([line.y + side * line.band for line in panel.lines for side in (-1.0, 1.0)], 0.05)
    title, head = _head(panel, width, own_legend=own_legend)
    y0, y1 = top + head, top + height - 36.0
    strip = (y1 - _STRIP, y1)
    if panel.differences:
        y1 = strip[0] - _GAP
    low, high = _range([line.y for line in panel.differences] or [np.zeros(1)], 0.1)
    y_ticks, strip_ticks = _ticks(y_low, y_high, 5), _few_ticks(low, high) if panel.differences else []
    x0 = left + 24.0 + max((_width(text, _SMALL) for _, text in (*y_ticks, *strip_ticks)), default=0.0)
    x1 = left + width - 12.0
    if panel.equal_axes:
        scale = max((x_high - x_low) / (x1 - x0), (y_high - y_low) / (y1 - y0))
        x_low, x_high = _widened(x_low, x_high, scale * (x1 - x0))
        y_low, y_high = _widened(y_low, y_high, scale * (y1 - y0))
        y_ticks = _ticks(y_low, y_high, 5)
    across = (x_low, x_high), (x0, x1)
    parts = [
        _text((x0 + x1) / 2, top + 14.0 + 13.0 * k, line, size=_NORMAL, anchor="middle") for k, line in enumerate(title)
    ]
    if own_legend:
        parts += _legend(_keys_of(panel), left + 12.0, top + 8.0 + 13.0 * len(title), width - 20.0)[0]
    bottom = strip[1] if panel.differences else y1
    for value, text in _x_ticks(x_low, x_high, x1 - x0):
        x = _place(value, *across)
        parts += [_segment((x, x), (y0, bottom), _GRID), _text(x, bottom + 13.0, text, anchor="middle")]
    parts += _marks(panel, across, (y0, bottom))
    parts.append(_axes(panel.lines, across, ((y_low, y_high), (y1, y0)), y_ticks))
    middle = (y0 + bottom) / 2
    if panel.differences:
        parts.append(_axes(panel.differences, across, ((low, high), (strip[1], strip[0])), strip_ticks))
        place = left + 12.0, (strip[0] + strip[1]) / 2
        parts.append(_text(*place, "difference", size=_TINY, anchor="middle", more=_turned(*place)))
        middle = (y0 + y1) / 2
    parts += [
        _text((x0 + x1) / 2, bottom + 29.0, panel.x_label, anchor="middle"),
        _text(left + 12.0, middle, panel.y_label, anchor="middle", more=_turned(left + 12.0, middle)),
    ]
    return "".join(parts)


def _x_ticks(low: float, high: float, room: float) -> list[tuple[float, str]]:
    """As many ticks as have room for their texts."""
    for count in (6, 5, 4, 3, 2):
        found = _ticks(low, high, count)
        if sum(_width(text, _SMALL) + 8.0 for _, text in found) <= room:
            break
    return found


def _few_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Two ticks, or as few more as it takes."""
    return next((found for count in (2, 3, 4, 6) if len(found := _ticks(low, high, count)) > 1), [])


def _turned(x: float, y: float) -> str:
    return f" transform='rotate(-90 {x:.1f} {y:.1f})'"


def _marks(panel: Panel, across: tuple[_Ends, _Ends], ends: _Ends) -> list[str]:
    """Lines at places of the abscissa, their texts above the axes; a text without room is left out."""
    parts, free = [], -math.inf
    for value, text in panel.marks:
        x = _place(value, *across)
        parts.append(_segment((x, x), ends, _FAINT, " stroke-dasharray='1.5 2.5'"))
        half = 0.5 * _width(text, 8.5)
        if x - half >= free:
            parts.append(_text(x, ends[0] - 3.0, text, size=8.5, anchor="middle", color=_FAINT))
            free = x + half + 2.0
    return parts


def _place(value: float, ends: _Ends, room: _Ends) -> float:
    return room[0] + (room[1] - room[0]) * (value - ends[0]) / (ends[1] - ends[0])


def _axes(
    lines: Sequence[Line], across: tuple[_Ends, _Ends], up: tuple[_Ends, _Ends], ticks: Sequence[tuple[float, str]]
) -> str:
    """Curves in a frame; the group says for scripts what its units are."""
    (x0, x1), (bottom, top) = across[1], up[1]
    parts = []
    for value, text in ticks:
        y = _place(value, *up)
        parts += [_segment((x0, x1), (y, y), _GRID), _text(x0 - 4.0, y + 3.5, text, anchor="end")]
    parts.append(_box(x0, top, x1 - x0, bottom - top, "none", f" stroke='{_FAINT}' stroke-width='.8'"))

    def places(values: _Array, ends: _Ends, room: _Ends) -> _Array:
        return np.asarray(room[0] + (room[1] - room[0]) * (values - ends[0]) / (ends[1] - ends[0]))

    for k, line in enumerate(lines):
        thin = thinned(line)
        x = places(thin.x, *across)
        if line.band > 0.0:
            upper, lower = (places(thin.y + side * line.band, *up) for side in (1.0, -1.0))
            outline = _steps(np.concatenate((x, x[::-1])), np.concatenate((upper, lower[::-1])))
            parts.append(f"<path d='{outline}z' fill='{_color(line, k)}' fill-opacity='.15'/>")
        parts.append(_curve(x, places(thin.y, *up), line.stroke, _color(line, k), line.label))
    numbers = " ".join(f"{number:.6g}" for number in (*across[0], *across[1], *up[0], *up[1]))
    return f"<g class='axes' data-scale='{numbers}'>{''.join(parts)}</g>"


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


def thinned(line: Line) -> Line:
    """A line with `MOST_POINTS` points or fewer: the lowest and the highest of each stretch, so that peaks stay.

    Gaps, which are not finite, stay gaps.
    """
    count = line.y.size
    if count <= MOST_POINTS:
        return line
    good = np.isfinite(line.y)
    edges = np.linspace(0, count, MOST_POINTS // 2 - 1, dtype=int)  # room for the ends and for gaps
    kept = {0, count - 1}
    for begin, end in pairwise(edges.tolist()):
        inside = begin + np.flatnonzero(good[begin:end])
        if inside.size:
            part = line.y[inside]
            kept |= {int(inside[part.argmin()]), int(inside[part.argmax()])}
        if inside.size < end - begin:
            kept.add(begin + int(np.flatnonzero(~good[begin:end])[0]))
    chosen = np.array(sorted(kept))
    return Line(line.x[chosen], line.y[chosen], line.label, line.stroke, line.color, line.band)


_LOOKS = {
    Stroke.SOLID: " stroke-width='1.4'",
    Stroke.DASHED: " stroke-width='1.2' stroke-dasharray='5 3'",
    Stroke.WIDE: " stroke-width='4' stroke-opacity='.4'",
}


def _curve(x: _Array, y: _Array, stroke: Stroke, color: str, label: str = "") -> str:
    good = np.isfinite(x) & np.isfinite(y)
    if stroke is Stroke.POINTS:
        return "".join(
            f"<circle cx='{a:.1f}' cy='{b:.1f}' r='1.8' fill='{color}'/>" for a, b in zip(x[good], y[good], strict=True)
        )
    edges = np.flatnonzero(np.diff(np.concatenate(([False], good, [False])).astype(int)))
    gaps = zip(edges[::2], edges[1::2], strict=True)  # gaps stay gaps
    d = "".join(_steps(x[begin:end], y[begin:end]) for begin, end in gaps)
    name = f" data-label='{html.escape(label)}'" if label else ""
    return f"<path d='{d}' fill='none' stroke='{color}' stroke-linejoin='round'{_LOOKS[stroke]}{name}/>"


def _steps(x: _Array, y: _Array) -> str:
    """A path through points in relative steps of a tenth, which is half as long as their places."""
    places = np.round(10.0 * np.column_stack((x, y))).astype(int)
    places = places[np.concatenate(([True], np.any(np.diff(places, axis=0) != 0, axis=1)))]
    first, steps = places[0] / 10.0, np.diff(places, axis=0) / 10.0
    pairs = (f"{_short(a)}{' ' if b >= 0 else ''}{_short(b)}" for a, b in steps.tolist())
    return f"M{first[0]:g} {first[1]:g}l{' '.join(pairs) or '0 0'}"


def _short(value: float) -> str:
    """A number as SVG reads it in the fewest letters."""
    text = f"{value:g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _color(line: Line, index: int) -> str:
    return COLORS[(index if line.color is None else line.color) % len(COLORS)]


# ---- bars


def _bars(chart: Bars, width: float) -> Picture:
    longest = max((_width(bar.label, _SMALL) for bar in chart.bars), default=0.0)
    stacked = longest > 0.45 * width  # labels above their bars, where there is no room beside them
    x0, x1, top = 14.0 + (0.0 if stacked else longest), width - 46.0, 20.0 if len(chart.series) == 1 else 34.0
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
        if stacked:
            y += 12.0
        color = _ALARM if bar.alarm else _INK
        at = y - 3.0 if stacked else y + 0.5 * thick * len(chart.series) + 3.5
        rows += [_text(10.0, at, bar.label, color=color), _row(bar, chart, across, y, thick)]
        y += row
    grid = []
    for value, text in _x_ticks(low, high, x1 - x0):
        x = across(value)
        grid += [_segment((x, x), (top, y), _GRID), _text(x, y + 13.0, text, anchor="middle")]
    zero = across(0.0)
    grid.append(_segment((zero, zero), (top, y), _FAINT))
    grid.append(_text((x0 + x1) / 2, y + 29.0, chart.x_label, anchor="middle"))
    if chart.limit is not None:
        x = across(chart.limit[0])
        grid.append(_segment((x, x), (top - 2.0, y), _ALARM, " stroke-dasharray='5 3'"))
        rows.append(_text(x, top - 7.0, chart.limit[1], anchor="middle", color=_ALARM))
    return _picture([*grid, *rows, *_keys(chart)], y + 36.0, width)


def _row(bar: Bar, chart: Bars, across: _Across, y: float, thick: float) -> str:
    height = thick * len(bar.values)
    parts = []
    if bar.bounds is not None:
        left, right = (across(value) for value in bar.bounds)
        parts.append(_box(left, y, right - left, height, "#eef1f4"))
        parts += [_segment((x, x), (y, y + height), _FAINT) for x in (left, right)]
    for k, value in enumerate(bar.values):
        color = _ALARM if bar.alarm and len(bar.values) == 1 else _SERIES[k + (len(chart.series) == 1)]
        zero, end = sorted((across(0.0), across(value)))
        title = f"<title>{html.escape(f'{bar.label}, {chart.series[k]}: {_rounded(value)}')}</title>"
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
    text = _rounded(value)
    wide = _width(text, 9.0)
    behind = _box(
        x - 1.0 if right else x - wide, y - 7.0, wide, 8.5, "#ffffff"
    )  # the line of the limit stays behind it
    anchor, color = "start" if right else "end", _ALARM if alarm else _INK
    return behind + _text(x, y, text, size=9.0, anchor=anchor, color=color)


def _rounded(value: float) -> str:
    """A number beside its bar."""
    if not math.isfinite(value):
        return "–"
    return minus(f"{round(value, 2) + 0.0:.2f}" if abs(value) < 100.0 else f"{value:.0f}")


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
    longest = max((_width(name, _SMALL) for name in chart.columns), default=0.0)
    x0 = min(12.0 + max((_width(name, _SMALL) for name in chart.rows), default=0.0), 0.42 * WIDTH)
    lean = math.radians(60.0)
    cell = min((WIDTH - x0 - math.cos(lean) * longest) / max(len(chart.columns), 1), 70.0)
    top = 14.0 + math.sin(lean) * longest
    parts = []
    for j, name in enumerate(chart.columns):
        x = x0 + (j + 0.5) * cell + 3.0
        parts.append(_text(x, top - 5.0, name, more=f" transform='rotate(-60 {x:.1f} {top - 5.0:.1f})'"))
    largest = float(np.nanmax(np.abs(chart.values), initial=0.0)) or 1.0
    for i, name in enumerate(chart.rows):
        y = top + i * _ROW
        parts.append(_text(x0 - 5.0, y + 11.0, name, anchor="end"))
        for j, column in enumerate(chart.columns):
            value = float(chart.values[i, j])
            share = math.sqrt(abs(value) / largest) if math.isfinite(value) else 0.0
            title = f"<title>{html.escape(f'{name}, {column}: {_rounded(value)}')}</title>"
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
    return minus(f"{value:.{1 if abs(value) < 10 else 0}f}")

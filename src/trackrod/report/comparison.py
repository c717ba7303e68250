"""Two runs of one manoeuvre over each other, and the indices of their difference."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.errors import Problem
from trackrod.core.figure import Figure, Legend, Line, Panel, Stroke
from trackrod.core.series import Run
from trackrod.metrics.indices import TOLERANCE, Index
from trackrod.metrics.trace import Array, Trace
from trackrod.report.figures import COLORS, write_png
from trackrod.report.page import Fragment, Section, Table, problem_table, shown, write_page

__all__ = [
    "BAND",
    "comparison_figure",
    "index_figure",
    "index_table",
    "overlay_figure",
    "write_comparison_page",
    "write_comparison_picture",
]

#: Half the width of the band about the reference, over its largest magnitude [-].
BAND = 0.05

#: Units of plots: factor from SI, and how it is written.
_SHOWN = {
    "rad": (180.0 / np.pi, "°"),
    "rad/s": (180.0 / np.pi, "°/s"),
    "(rad/s)/rad": (1.0, "1/s"),
    "(m/s²)/rad": (np.pi / 180.0, "(m/s²)/°"),
    "m/s": (3.6, "km/h"),
    "N": (1e-3, "kN"),
}
_REFERENCE, _MODEL, _BAND = 0, 1, 4  # colours
_GOOD, _BAD, _LIMIT = 2, 1, 6


def _in_plot_units(values: Array, unit: str) -> tuple[Array, str]:
    factor, written = _SHOWN.get(unit, (1.0, unit))
    return factor * values, written


def _label(name: str, unit: str) -> str:
    return f"{name} [{_SHOWN.get(unit, (1.0, unit))[1]}]"


def _line(trace: Trace, label: str, color: int, stroke: Stroke = Stroke.SOLID, offset: float = 0.0) -> Line:
    x, y = _in_plot_units(trace.x, trace.x_unit)[0], _in_plot_units(trace.y + offset, trace.y_unit)[0]
    return Line(x, y, label, stroke, color)


def _overlay(index: Index, names: tuple[str, str]) -> Panel:
    reference, model = index.reference, index.model
    width = BAND * reference.divisor
    lines = (
        _line(reference, f"{names[0]} ± {100 * BAND:g} %", _BAND, Stroke.DASHED, width),
        _line(reference, "", _BAND, Stroke.DASHED, -width),
        _line(reference, names[0], _REFERENCE),
        _line(model, names[1], _MODEL),
    )
    return Panel(
        f"{index.name}: {index.value_pct:.2f} %",
        _label(reference.x_name, reference.x_unit),
        _label(reference.y_name, reference.y_unit),
        lines,
        _free_place(reference),
    )


def _free_place(trace: Trace) -> Legend:
    """Where a legend covers the smallest part of a curve."""
    grid = np.linspace(trace.x[0], trace.x[-1], 200)
    x, y = np.linspace(0.0, 1.0, 200), trace.at(grid)
    y = (y - y.min()) / max(float(np.ptp(y)), 1e-300)
    covered = {
        Legend.LEFT: (x < 0.4) & (y > 0.65),
        Legend.RIGHT: (x > 0.6) & (y > 0.65),
        Legend.CENTRE: (np.abs(x - 0.5) < 0.2) & (np.abs(y - 0.5) < 0.25),
    }
    return min(covered, key=lambda place: int(covered[place].sum()))


def overlay_figure(indices: Sequence[Index], title: str, names: tuple[str, str] = ("reference", "model")) -> Figure:
    """The curves of every index that compares curves, with the band of ±5 % of the reference's largest magnitude.

    Parameters
    ----------
    indices
        Of one manoeuvre.
    title
        Of the figure.
    names
        How the legend calls reference and model.
    """
    return Figure(title, tuple(_overlay(index, names) for index in indices if index.is_curve), columns=2)


def _bars(indices: Sequence[Index], tolerance: float) -> Panel:
    lines = []
    for number, index in enumerate(indices, 1):
        x = index.value_pct * np.array([0.0, 1.0, 1.0, 0.0, 0.0])
        y = -number + 0.35 * np.array([-1.0, -1.0, 1.0, 1.0, -1.0])
        color = _GOOD if index.value_pct <= tolerance else _BAD
        lines.append(Line(x, y, f"{number}  {index.name}: {index.value_pct:.2f} %", color=color))
    ends = np.array([-0.4, -len(indices) - 0.6])
    lines.append(Line(np.full(2, tolerance), ends, f"tolerance {tolerance:g} %", Stroke.DASHED, _LIMIT))
    longest = max(tolerance, *(index.value_pct for index in indices))
    lines.append(Line(np.array([4.5 * longest]), np.array([-1.0])))  # a point out of sight: room for the legend
    return Panel("Indices", "index [%]", "− number of the index [-]", tuple(lines), Legend.RIGHT)


def index_figure(indices: Sequence[Index], title: str, *, tolerance: float = TOLERANCE) -> Figure:
    """All indices as bars, with the line of the tolerance [%]; the legend names the bars by their numbers."""
    return Figure(title, (_bars(indices, tolerance),), columns=1)


def comparison_figure(
    indices: Sequence[Index],
    title: str,
    names: tuple[str, str] = ("reference", "model"),
    *,
    tolerance: float = TOLERANCE,
) -> Figure:
    """Overlays and bars in one figure."""
    panels = (*overlay_figure(indices, title, names).panels, _bars(indices, tolerance))
    return Figure(title, panels, columns=2 if len(panels) == 4 else 3)


def index_table(indices: Iterable[Index]) -> Table:
    """Name, value, the two numbers of a scalar index, how much of the reference was compared, floors that were used."""
    rows: list[tuple[str | float, ...]] = []
    for index in indices:
        pair = index.scalar
        numbers: tuple[str, str, str] = ("", "", "")
        if pair is not None:
            numbers = (shown(pair.reference), shown(pair.model), pair.unit)
        compared = f"{100 * index.coverage:.0f} %"
        rows.append((index.name, round(index.value_pct, 3), *numbers, compared, index.divisor_text))
    return Table(("index", "value [%]", "reference", "model", "unit", "compared", "divided by"), tuple(rows))


def _bar_fragment(indices: Sequence[Index], tolerance: float) -> Fragment:
    """Bars with their names; the vertical line is the tolerance."""
    longest = max([1.2 * tolerance, *(index.value_pct for index in indices)])
    at = 100 * tolerance / longest
    rows = []
    for index in indices:
        color = COLORS[_GOOD if index.value_pct <= tolerance else _BAD]
        rows.append(
            f"<tr><td>{html.escape(index.name)}</td><td class='number'>{index.value_pct:.2f} %</td>"
            "<td style='width:34rem'><div style='position:relative;height:1rem'>"
            f"<div style='height:100%;width:{100 * index.value_pct / longest:.2f}%;background:{color}'></div>"
            f"<div style='position:absolute;top:-.3rem;bottom:-.3rem;left:{at:.2f}%;border-left:2px dashed #000'></div>"
            "</div></td></tr>"
        )
    head = f"<th>index</th><th>value</th><th>dashed: tolerance of {tolerance:g} %</th>"
    return Fragment(f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def _names(reference: Run, model: Run) -> tuple[str, str]:
    first, second = (str(run.metadata.get("model", name)) for run, name in ((reference, "reference"), (model, "model")))
    return (first, second) if first != second else ("reference", "model")


def _title(reference: Run) -> str:
    vehicle, manoeuvre = (reference.metadata.get(key) for key in ("vehicle", "manoeuvre"))
    return f"{vehicle}: {manoeuvre}" if vehicle and manoeuvre else str(reference.metadata.get("name", "comparison"))


def write_comparison_picture(
    reference: Run, model: Run, indices: Sequence[Index], path: Path | str, *, tolerance: float = TOLERANCE
) -> None:
    """Overlays and bars as a PNG file."""
    figure = comparison_figure(indices, _title(reference), _names(reference, model), tolerance=tolerance)
    write_png(figure, path)


def write_comparison_page(
    reference: Run,
    model: Run,
    indices: Sequence[Index],
    path: Path | str,
    *,
    tolerance: float = TOLERANCE,
    problems: Iterable[Problem] = (),
) -> None:
    """Indices, overlays, settings, events and what is warned of as one page that opens without a network."""
    names = _names(reference, model)
    exceeded = [index.name for index in indices if index.value_pct > tolerance]
    verdict = f"above it: {', '.join(exceeded)}" if exceeded else "all are within it"
    lead = f"{names[1]} against {names[0]}: {len(indices)} indices, tolerance {tolerance:g} %, {verdict}."
    explained = (
        "The index of a curve is the root mean square of the difference over the common abscissa, over the largest "
        "magnitude of the reference; that of a number is the difference over the reference. Dashed curves are the "
        f"reference ± {100 * BAND:g} % of its largest magnitude."
    )
    sections = [
        Section("Indices", (explained, _bar_fragment(indices, tolerance), index_table(indices))),
        Section("Curves", (overlay_figure(indices, _title(reference), names),)),
    ]
    settings = reference.metadata.get("settings", {})
    if settings:
        rows = tuple((name, "–" if value is None else str(value)) for name, value in settings.items())
        sections.append(Section("Settings", (Table(("setting", "value"), rows),)))
    events = tuple(
        (name, event["event"], float(event["time_s"]), event["text"])
        for name, run in zip(names, (reference, model), strict=True)
        for event in run.metadata.get("events", ())
    )
    if events:
        sections.append(Section("Events", (Table(("model", "event", "time [s]", "what happened"), events),)))
    if warned := tuple(problems):
        sections.append(Section("Warnings", (problem_table(warned),)))
    write_page(_title(reference), lead, sections, path, footer=f"trackrod {__version__}")

"""Two runs of one manoeuvre over each other, and the indices of their difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core import signals
from trackrod.core.errors import Problem
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.numbers import percent, shown
from trackrod.core.series import Run
from trackrod.metrics.indices import TOLERANCE, Index
from trackrod.metrics.trace import Array, Trace
from trackrod.report.charts import Bar, Bars
from trackrod.report.figures import write_png
from trackrod.report.flat_panels import flat_sentence, without_flat
from trackrod.report.page import Captioned, Section, Table, notes_table, problem_table, write_page

__all__ = [
    "BAND",
    "gear_marks",
    "index_bars",
    "index_table",
    "overlay_figure",
    "overlay_panel",
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
_REFERENCE, _MODEL = 0, 1  # colours


def _in_plot_units(values: Array, unit: str) -> tuple[Array, str]:
    factor, written = _SHOWN.get(unit, (1.0, unit))
    return factor * values, written


def _label(name: str, unit: str) -> str:
    return f"{name} [{_SHOWN.get(unit, (1.0, unit))[1]}]".lstrip()


def overlay_panel(
    title: str,
    reference: tuple[str, Trace],
    models: Sequence[tuple[str, Trace, int]],
    run: Run | None = None,
) -> Panel:
    """Curves of models on that of a reference, with its band of ±5 %, and their differences below.

    Parameters
    ----------
    title
        Of the panel; it says what is drawn, the axis only its unit.
    reference
        Its name and curve.
    models
        Name, curve and colour of each.
    run
        Of the reference, to mark where it shifts gears.
    """
    name, curve = reference
    x, _ = _in_plot_units(curve.x, curve.x_unit)
    y, _ = _in_plot_units(curve.y, curve.y_unit)
    factor = _SHOWN.get(curve.y_unit, (1.0, ""))[0]
    label = f"{name} ± {100 * BAND:g} %"
    lines = [Line(x, y, label, Stroke.WIDE, _REFERENCE, factor * BAND * curve.divisor)]
    differences = []
    for model, trace, color in models:
        own_x, own_y = _in_plot_units(trace.x, trace.x_unit)[0], _in_plot_units(trace.y, trace.y_unit)[0]
        lines.append(Line(own_x, own_y, model, Stroke.SOLID, color))
        common = curve.x[(curve.x >= trace.x[0]) & (curve.x <= trace.x[-1])]
        if common.size:
            apart = trace.at(common) - curve.at(common)
            across, up = _in_plot_units(common, curve.x_unit)[0], _in_plot_units(apart, curve.y_unit)[0]
            differences.append(Line(across, up, model, Stroke.SOLID, color))
    return Panel(
        title,
        _label(curve.x_name, curve.x_unit),
        _label("", curve.y_unit),
        tuple(lines),
        differences=tuple(differences),
        marks=() if run is None else gear_marks(run, curve),
    )


def gear_marks(run: Run, curve: Trace) -> tuple[tuple[float, str], ...]:
    """When a run shifts gears [s], and to which, for a curve over all of its time; opening the clutch is no shift."""
    whole = curve.x_name == "time" and np.allclose(curve.x[[0, -1]], run.time[[0, -1]])
    if signals.GEAR.column not in run or not whole:
        return ()
    gear = np.round(run[signals.GEAR])
    shifts = [k for k in np.flatnonzero(np.diff(gear) != 0.0) + 1 if gear[k] > 0.0]
    return tuple((float(run.time[k]), f"gear {gear[k]:.0f}" if k == shifts[0] else f"{gear[k]:.0f}") for k in shifts)


def overlay_figure(
    indices: Sequence[Index],
    title: str,
    names: tuple[str, str] = ("reference", "model"),
    run: Run | None = None,
) -> Figure:
    """The curves of every index that compares curves, with the band of ±5 % of the reference's largest magnitude.

    Parameters
    ----------
    indices
        Of one manoeuvre.
    title
        Of the figure.
    names
        How the legend calls reference and model.
    run
        As of `overlay_panel`.
    """
    panels = tuple(
        overlay_panel(
            f"{index.name}: {percent(index.value_pct)}",
            (names[0], index.reference),
            [(names[1], index.model, _MODEL)],
            run,
        )
        for index in indices
        if index.is_curve
    )
    return Figure(title, panels, columns=2)


def index_bars(indices: Sequence[Index], tolerance: float = TOLERANCE) -> Bars:
    """All indices as bars, with the line of the tolerance [%]."""
    bars = tuple(Bar(index.name, (index.value_pct,), alarm=round(index.value_pct, 2) > tolerance) for index in indices)
    longest = max([0.0, *(index.value_pct for index in indices)])
    limit = (tolerance, f"tolerance {tolerance:g} %")
    return Bars("index [%]", ("index",), bars, limit, end=max(2.0 * tolerance, 1.05 * longest))


def index_table(indices: Iterable[Index]) -> Table:
    """Name, value, the two numbers of a scalar index, how much of the reference was compared, floors that were used."""
    rows: list[tuple[str | float, ...]] = []
    for index in indices:
        pair = index.scalar
        numbers: tuple[str, str, str] = ("", "", "")
        if pair is not None:
            numbers = (shown(pair.reference), shown(pair.model), pair.unit)
        compared = f"{100 * index.coverage:.0f} %"
        rows.append((index.name, f"{index.value_pct:.2f}", *numbers, compared, index.divisor_text))
    return Table(("index", "value [%]", "reference", "model", "unit", "compared", "divided by"), tuple(rows))


def _names(reference: Run, model: Run) -> tuple[str, str]:
    first, second = (str(run.metadata.get("model", name)) for run, name in ((reference, "reference"), (model, "model")))
    return (first, second) if first != second else ("reference", "model")


def _title(reference: Run) -> str:
    vehicle, manoeuvre = (reference.metadata.get(key) for key in ("vehicle", "manoeuvre"))
    return f"{vehicle}: {manoeuvre}" if vehicle and manoeuvre else str(reference.metadata.get("name", "comparison"))


def write_comparison_picture(
    reference: Run, model: Run, indices: Sequence[Index], path: Path | str, *, tolerance: float = TOLERANCE
) -> None:
    """Bars of the indices and overlays as a PNG file."""
    figure = overlay_figure(indices, _title(reference), _names(reference, model), reference)
    panels, _ = without_flat(figure.panels)
    drawn = [[Figure(figure.title, panels, columns=2)]] if panels else []
    write_png([[index_bars(indices, tolerance)], *drawn], path, title=figure.title)


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
        "magnitude of the reference; that of a number is the difference over the reference."
    )
    drawn, flat = without_flat(overlay_figure(indices, _title(reference), names, reference).panels)
    caption = (
        f"{names[1]} on {names[0]}; the pale band is {names[0]} ± {100 * BAND:g} % of its largest magnitude, the strip "
        f"below each panel shows the difference.{flat_sentence(flat)}"
    )
    told = "indices above the tolerance are red" if exceeded else "none is above the tolerance"
    bars = Captioned(index_bars(indices, tolerance), f"All indices: {told}.")
    sections = [
        Section("Indices", (explained, bars, index_table(indices))),
        Section("Curves", (Captioned(Figure(_title(reference), drawn, columns=2), caption),) if drawn else (caption,)),
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
        sections.append(Section("Warnings", (problem_table(warned), *notes_table(warned))))
    write_page(_title(reference), lead, sections, path, footer=f"trackrod {__version__}")

"""How objects look in a notebook: a line, a table, a picture; everything inside one fragment of HTML."""

from __future__ import annotations

import base64
import html as escaping
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.conversion import Conversion
from trackrod.convert.round_trip import ModelRig
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import MissingPackageError, UnknownNameError
from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.series import Run
from trackrod.core.signals import parse_column
from trackrod.kc.study import AxleStudy, KcResult, key_figures
from trackrod.metrics.indices import Index
from trackrod.report.canvas import drawn
from trackrod.report.comparison import overlay_figure
from trackrod.report.flat_panels import without_flat
from trackrod.report.kc import SHOWN_UNITS, kinematics_figure
from trackrod.report.page import shown
from trackrod.report.run import run_figure
from trackrod.report.study_drawings import manoeuvre_figure
from trackrod.report.svg import draw
from trackrod.report.vehicle import write_vehicle_picture
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.study import StudyResult
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "columns",
    "comparison_html",
    "comparison_plot",
    "draw_run",
    "figure",
    "html",
    "index_columns",
    "plot",
    "study_columns",
    "study_html",
    "study_line",
    "study_plot",
]

Array = NDArray[np.float64]

#: Of the indices of a study, as its summary calls them.
_INDEX_COLUMNS = ("manoeuvre", "index", "nominal_pct", "optimised_pct", "coverage", "hold_out")

#: Rows of a table that a notebook shows.
_MOST_ROWS = 24


@singledispatch
def html(thing: Any) -> str | None:
    """A fragment that shows an object; None where there is nothing to show but its line."""
    del thing
    return None


@html.register
def _(vehicle: Vehicle) -> str:
    mass = vehicle.mass_properties
    rows: list[tuple[str, ...]] = [("mass", f"{mass.mass:.1f} kg"), ("sprung mass", f"{vehicle.sprung_mass:.1f} kg")]
    if not vehicle.is_half:
        rows += [(f"mass on the {axle} axle", f"{vehicle.axle_load(axle):.1f} kg") for axle in Axle]
        rows.append(("wheelbase", f"{vehicle.wheelbase:.3f} m"))
    rows += [(f"{axle.position} axle", f"{axle.template}, {axle.mode}") for axle in vehicle.axles]
    rows += [(f"{axle.position} track", f"{vehicle.track(axle.position):.3f} m") for axle in vehicle.axles]
    rows.append(("centre of mass", ", ".join(f"{x:.3f}" for x in mass.centre) + " m in V"))
    if vehicle.problems:
        rows.append(("audit", f"{len(vehicle.problems)} findings: see .problems"))
    return _fragment(f"Vehicle {vehicle.name}", _table(("", ""), rows), _photograph(vehicle))


@html.register
def _(spec: RtmSpec) -> str:
    units = {item.name: item.kind.unit or "-" for item in PARAMETERS}
    meanings = {item.name: item.meaning for item in PARAMETERS}
    rows = [(name, shown(value), units[name], meanings[name]) for name, value in spec.parameters.items()]
    return _fragment(f"Real-time model {spec.name}", _table(("parameter", "value", "unit", "meaning"), rows))


@html.register
def _(conversion: Conversion) -> str:
    return _table_and_picture(f"Conversion of {conversion.spec.name}", conversion)


@html.register
def _(study: AxleStudy) -> str:
    return _table_and_picture(f"{study.vehicle.name}, {study.axle} axle on the K&C rig", study)


@html.register
def _(result: KcResult) -> str:
    return "".join(html(study) or "" for study in result.values())


@html.register
def _(run: Run) -> str:
    rows = [
        (key, str(run.metadata[key])) for key in ("vehicle", "model", "manoeuvre", "completed") if key in run.metadata
    ]
    rows.append(("samples", f"{run.time.size}, {run.time[0]:g} to {run.time[-1]:g} s"))
    rows += [("event", f"{event['time_s']:.2f} s: {event['text']}") for event in run.metadata.get("events", ())]
    picture = run_figure(run)
    return _fragment(
        f"Run {run.metadata.get('name', '')}", _table(("", ""), rows), draw(picture).svg if picture.panels else ""
    )


def draw_run(run: Run, names: tuple[str, ...]) -> Any:
    """A figure of matplotlib: a panel for each column, or what matters in most runs."""
    if not names:
        return drawn(run_figure(run))
    panels = []
    for column in names:
        signal = parse_column(column)
        label = f"{signal.name} [{signal.kind.unit or '-'}]"
        panels.append(Panel(signal.meaning or signal.name, "time [s]", label, (Line(run.time, run[column]),)))
    return drawn(Figure(str(run.metadata.get("name", "run")), tuple(panels)))


# ---- as a table and a figure


@singledispatch
def columns(thing: Any) -> Mapping[str, Sequence[Any]]:
    """The table of something by its columns, numbers in SI; the first column says what a row is about."""
    raise TypeError(f"a {type(thing).__name__} has no table")


@singledispatch
def figure(thing: Any) -> Figure:
    """The picture of something."""
    raise TypeError(f"a {type(thing).__name__} has no picture")


def plot(thing: Any) -> Any:
    """The picture of something as a figure of matplotlib, without panels whose curves are zero."""
    picture = figure(thing)
    panels, flat = without_flat(picture.panels)
    return drawn(replace(picture, panels=panels or flat))


@columns.register
def _(conversion: Conversion) -> Mapping[str, Sequence[Any]]:
    known = {item.name: item for item in PARAMETERS}
    names, sources = list(conversion.spec.parameters), conversion.sources
    return {
        "parameter": names,
        "value": [conversion.spec.parameters[name] for name in names],
        "unit": [known[name].kind.unit or "-" for name in names],
        "meaning": [known[name].meaning for name in names],
        "from": [sources[name].text if name in sources else "" for name in names],
    }


@figure.register
def _(conversion: Conversion) -> Figure:
    """The unloaded left wheel of each axle over parallel travel, and the load under it."""
    spec, rigs = conversion.spec, {axle: ModelRig(conversion.spec, axle) for axle in Axle}
    travels = {axle: spec.wheels[Corner.of(axle, Side.LEFT).index].first for axle in Axle}
    panels = [
        _over_travel(title, unit, {axle: (travels[axle], _pose(rigs[axle], travels[axle], channel)) for axle in Axle})
        for title, unit, channel in (
            ("Steer angle", "angle", "rz"),
            ("Inclination", "angle", "rx"),
            ("Lateral displacement", "length", "ty"),
        )
    ]
    loads = {axle: (travels[axle], rigs[axle].load(travels[axle], travels[axle])[0]) for axle in Axle}
    return Figure(
        f"{spec.name}, left wheels, parallel travel", (*panels, _over_travel("Wheel load", "force", loads)), 2
    )


def _pose(rig: ModelRig, travel: Array, channel: str) -> Array:
    return np.asarray(rig.pose(Side.LEFT, travel, travel)[..., CHANNELS.index(channel)])


def _over_travel(title: str, kind: str, curves: Mapping[Axle, tuple[Array, Array]]) -> Panel:
    factor, unit = SHOWN_UNITS[kind]
    lines = tuple(Line(1e3 * travel, factor * values, str(axle)) for axle, (travel, values) in curves.items())
    return Panel(title, "parallel travel [mm]", f"[{unit}]", lines)


@columns.register
def _(study: AxleStudy) -> Mapping[str, Sequence[Any]]:
    found = key_figures(study)
    return {
        "quantity": [each.name for each in found],
        "value": [each.value for each in found],
        "unit": [each.kind.unit or "-" for each in found],
        "meaning": [each.meaning for each in found],
    }


@figure.register
def _(study: AxleStudy) -> Figure:
    return kinematics_figure(study)


@columns.register
def _(result: KcResult) -> Mapping[str, Sequence[Any]]:
    each = {axle: columns(study) for axle, study in result.items()}
    heads = next(iter(each.values()))
    whole = {head: [cell for table in each.values() for cell in table[head]] for head in heads}
    return {"axle": [str(axle) for axle, table in each.items() for _ in table["quantity"]], **whole}


@figure.register
def _(result: KcResult) -> Figure:
    figures = {axle: kinematics_figure(study) for axle, study in result.items()}
    panels = (replace(panel, title=f"{axle}: {panel.title}") for axle, each in figures.items() for panel in each.panels)
    name = next(iter(result.values())).vehicle.name
    return Figure(name, tuple(panels))


# ---- comparisons and studies


def index_columns(indices: Sequence[Index]) -> Mapping[str, Sequence[Any]]:
    """Indices as a table by its columns: the difference [%], and both values of those that compare scalars [SI]."""
    pairs = [index.scalar for index in indices]
    return {
        "index": [index.name for index in indices],
        "value_pct": [index.value_pct for index in indices],
        "reference": [math.nan if pair is None else pair.reference for pair in pairs],
        "model": [math.nan if pair is None else pair.model for pair in pairs],
        "unit": ["" if pair is None else pair.unit for pair in pairs],
        "coverage": [index.coverage for index in indices],
    }


def comparison_html(title: str, indices: Sequence[Index], names: tuple[str, str]) -> str:
    """Indices with the curves behind them."""
    rows = [(index.name, f"{index.value_pct:.2f} %") for index in indices]
    picture = overlay_figure(indices, title, names)
    shown_as = draw(picture).svg if picture.panels else ""
    return _fragment(title, _table(("index", "difference"), rows), shown_as)


def comparison_plot(title: str, indices: Sequence[Index], names: tuple[str, str]) -> Any:
    """The curves behind indices as a figure of matplotlib."""
    return drawn(overlay_figure(indices, title, names))


def study_columns(result: StudyResult) -> Mapping[str, Sequence[Any]]:
    """Every index of a study before and after tuning."""
    found: Any = result.summary()["indices"]
    return {key: [row[key] for row in found] for key in _INDEX_COLUMNS}


def study_plot(result: StudyResult, label: str | None) -> Any:
    """Reference and model in one manoeuvre as a figure of matplotlib; that with the largest index if none is named.

    Raises
    ------
    UnknownNameError
        The study has no such manoeuvre.
    """
    tests = {test.label: test for test in result.tests}
    if label is None:
        label = max(tests, key=lambda each: max(index.value_pct for index in tests[each].tuned_indices))
    elif label not in tests:
        raise UnknownNameError("manoeuvre of the study", label, tests)
    return drawn(manoeuvre_figure(tests[label]))


def study_line(result: StudyResult) -> str:
    """A study in a line."""
    found = [(what, result.worst(hold_out=held)) for held, what in ((False, "used for tuning"), (True, "held out"))]
    said = [f"{worst[1].value_pct:.2f} % {what} ({worst[0]}, {worst[1].name})" for what, worst in found if worst]
    return f"{result.name!r}, largest index {', '.join(said)}"


def study_html(result: StudyResult) -> str:
    """Largest index of every manoeuvre, before and after tuning."""
    rows = []
    for test in result.tests:
        before, after = (max(i.value_pct for i in found) for found in (test.nominal_indices, test.tuned_indices))
        rows.append((test.label, f"{before:.2f} %", f"{after:.2f} %", "held out" if test.hold_out else ""))
    heads = ("manoeuvre", "largest index, nominal", "tuned", "")
    return _fragment(f"Study of {result.name}", _table(heads, rows))


def _table_and_picture(title: str, thing: Any) -> str:
    table = columns(thing)
    rows = zip(
        *([shown(x) if isinstance(x, float) else str(x) for x in cells] for cells in table.values()), strict=True
    )
    picture = figure(thing)
    panels, _ = without_flat(picture.panels)
    return _fragment(title, _table(tuple(table), rows), draw(replace(picture, panels=panels)).svg if panels else "")


def _fragment(title: str, *parts: str) -> str:
    return f"<div><strong>{escaping.escape(title)}</strong>{''.join(parts)}</div>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    every = list(rows)
    cells = ["<tr>" + "".join(f"<td>{escaping.escape(cell)}</td>" for cell in row) + "</tr>" for row in every]
    if len(cells) > _MOST_ROWS:
        rest = "".join(cells[_MOST_ROWS:])
        more = f"<details><summary>{len(cells) - _MOST_ROWS} more</summary><table>{rest}</table></details>"
        return _table(heads, every[:_MOST_ROWS]) + more
    top = "".join(f"<th>{escaping.escape(head)}</th>" for head in heads) if any(heads) else ""
    return f"<table>{f'<tr>{top}</tr>' if top else ''}{''.join(cells)}</table>"


def _photograph(vehicle: Vehicle) -> str:
    """Four views as a picture inside the page; nothing where they cannot be drawn."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "vehicle.png"
        try:
            write_vehicle_picture(vehicle, path)
        except MissingPackageError:
            return ""
        content = base64.b64encode(path.read_bytes()).decode()
    return f"<img alt='{escaping.escape(vehicle.name)}' style='max-width: 100%' src='data:image/png;base64,{content}'>"

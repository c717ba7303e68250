"""How objects look in a notebook: a line, a table, a picture; everything inside one fragment of HTML."""

from __future__ import annotations

import base64
import html as escaping
from collections.abc import Iterable, Sequence
from functools import singledispatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trackrod.convert.conversion import Conversion
from trackrod.core.corners import Axle
from trackrod.core.errors import MissingExtraError
from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.series import Run
from trackrod.core.signals import parse_column
from trackrod.kc.study import AxleStudy, KcResult, key_figures
from trackrod.metrics.indices import Index
from trackrod.report.canvas import drawn
from trackrod.report.comparison import overlay_figure
from trackrod.report.kc import kinematics_figure
from trackrod.report.page import shown
from trackrod.report.run import run_figure
from trackrod.report.svg import draw
from trackrod.report.vehicle import write_vehicle_picture
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.study import StudyResult
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["comparison_html", "draw_run", "html", "study_html", "study_line"]

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
    units = {item.name: item.kind.unit or "-" for item in PARAMETERS}
    rows = []
    for name, value in conversion.spec.parameters.items():
        source = conversion.sources.get(name)
        rows.append((name, shown(value), units[name], "" if source is None else source.text))
    heads = ("parameter", "value", "unit", "from")
    return _fragment(f"Conversion of {conversion.spec.name}", _table(heads, rows))


@html.register
def _(study: AxleStudy) -> str:
    rows = [(each.name, shown(each.value), each.kind.unit or "-", each.meaning) for each in key_figures(study)]
    title = f"{study.vehicle.name}, {study.axle} axle on the K&C rig"
    table = _table(("quantity", "value", "unit", "meaning"), rows)
    return _fragment(title, table, draw(kinematics_figure(study)).svg)


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


def draw_run(run: Run, columns: tuple[str, ...]) -> Any:
    """A figure of matplotlib: a panel for each column, or what matters in most runs."""
    if not columns:
        return drawn(run_figure(run))
    panels = []
    for column in columns:
        signal = parse_column(column)
        label = f"{signal.name} [{signal.kind.unit or '-'}]"
        panels.append(Panel(signal.meaning or signal.name, "time [s]", label, (Line(run.time, run[column]),)))
    return drawn(Figure(str(run.metadata.get("name", "run")), tuple(panels)))


def comparison_html(title: str, indices: Sequence[Index], names: tuple[str, str]) -> str:
    """Indices with the curves behind them."""
    rows = [(index.name, f"{index.value_pct:.2f} %") for index in indices]
    curves = [index for index in indices if index.is_curve]
    picture = draw(overlay_figure(curves, title, names)).svg if curves else ""
    return _fragment(title, _table(("index", "difference"), rows), picture)


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
        except MissingExtraError:
            return ""
        content = base64.b64encode(path.read_bytes()).decode()
    return f"<img alt='{escaping.escape(vehicle.name)}' style='max-width: 100%' src='data:image/png;base64,{content}'>"

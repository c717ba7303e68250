"""Picture and page of one run: what the driver did and what the vehicle did."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.report.figures import write_png
from trackrod.report.page import Section, Table, write_page

__all__ = ["PLOT_SUFFIXES", "run_figure", "write_run_plot"]

#: Kinds of plot files.
PLOT_SUFFIXES = (".png", ".html")

_TIME = "time [s]"


def run_figure(run: Run) -> Figure:
    """Inputs, speed, motions, wheel loads and path of a run; signals that it does not have are left out."""
    degrees = 180.0 / np.pi
    panels = [
        _panel(run, "Steering wheel", "angle [°]", {"": (signals.STEERING_WHEEL_ANGLE, degrees)}),
        _panel(
            run,
            "Pedals and gear",
            "pedal [-], gear / 10 [-]",
            {"throttle": (signals.THROTTLE, 1.0), "brake": (signals.BRAKE, 1.0), "gear / 10": (signals.GEAR, 0.1)},
        ),
        _panel(run, "Speed", "vx [km/h]", {"": (signals.VX, 3.6)}),
        _panel(run, "Acceleration", "[m/s²]", {"longitudinal": (signals.AX, 1.0), "lateral": (signals.AY, 1.0)}),
        _panel(run, "Yaw rate", "[°/s]", {"": (signals.YAW_RATE, degrees)}),
        _panel(run, "Sideslip angle", "[°]", {"": (signals.SIDESLIP, degrees)}),
        _panel(run, "Body angles", "[°]", {"roll": (signals.ROLL, degrees), "pitch": (signals.PITCH, degrees)}),
        _panel(run, "Wheel loads", "Fz [kN]", {str(corner): (signals.FZ[corner], 1e-3) for corner in Corner}),
    ]
    if signals.X.column in run and signals.Y.column in run:
        path = Line(run[signals.X], run[signals.Y])
        panels.append(Panel("Path of the centre of gravity", "x [m]", "y [m]", (path,), equal_axes=True))
    return Figure(str(run.metadata.get("name", "run")), tuple(panel for panel in panels if panel.lines))


def _panel(run: Run, title: str, y_label: str, wanted: dict[str, tuple[Signal, float]]) -> Panel:
    lines = tuple(
        Line(run.time, factor * run[signal], label)
        for label, (signal, factor) in wanted.items()
        if signal.column in run
    )
    return Panel(title, _TIME, y_label, lines)


def write_run_plot(run: Run, path: Path | str) -> None:
    """Draw a run into a PNG file or an interactive page, by the suffix.

    Raises
    ------
    InputError
        The suffix is neither .png nor .html.
    """
    path = Path(path)
    suffix = path.suffix.casefold()
    if suffix == ".png":
        write_png(run_figure(run), path)
    elif suffix == ".html":
        figure = run_figure(run)
        sections = [Section("Signals over time", (figure,)), *_tables(run)]
        lead = (
            "Axes of ISO 8855: x forward, y left, z up. Positive: left turn, right side down, nose down. The frame of "
            "the path begins at the centre of gravity at t = 0."
        )
        write_page(figure.title, lead, sections, path, footer=f"trackrod {__version__}")
    else:
        hint = f"supported are {', '.join(PLOT_SUFFIXES)}"
        raise InputError(Problem(f"the suffix '{path.suffix}' is no kind of plot", Place(path), hint=hint))


def _tables(run: Run) -> list[Section]:
    phases = run.metadata.get("phases", ())
    events = run.metadata.get("events", ())
    settings = run.metadata.get("settings", {})
    sections = []
    if settings:
        rows = tuple((name, "–" if value is None else str(value)) for name, value in settings.items())
        sections.append(Section("Settings", (Table(("setting", "value"), rows),)))
    if phases:
        cells = tuple((p["name"], float(p["start_s"]), float(p["end_s"]), p["ended"]) for p in phases)
        sections.append(Section("Phases", (Table(("phase", "from [s]", "to [s]", "ended"), cells),)))
    if events:
        found = tuple((e["event"], float(e["time_s"]), e["text"]) for e in events)
        sections.append(Section("Events", (Table(("event", "time [s]", "what happened"), found),)))
    return sections

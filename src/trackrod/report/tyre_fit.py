"""Page on a tyre that was fitted to bench data: curves over points, what is missed, every coefficient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.estimate.tyre_fit import TyreFit
from trackrod.report.page import Section, Table, write_page
from trackrod.tyre.model import Tyre

__all__ = ["fit_figure", "write_fit_page"]


def fit_figure(fit: TyreFit) -> Figure:
    """Points of the bench and curves of the fit: side force at every camber, aligning moment, longitudinal force."""
    panels = [
        panel
        for camber in fit.sweeps.levels("camber")
        for panel in [_panel(fit, "Fy", "alpha", float(camber), 1e-3, "Fy [kN]")]
        if panel is not None
    ]
    for output, slip, scale, label in (("Mz", "alpha", 1.0, "Mz [N·m]"), ("Fx", "kappa", 1e-3, "Fx [kN]")):
        panel = _panel(fit, output, slip, float(fit.sweeps.levels("camber")[0]), scale, label)
        if panel is not None:
            panels.append(panel)
    return Figure(f"{fit.properties.name}: points of the bench and the fitted tyre", tuple(panels))


def _panel(fit: TyreFit, output: str, slip: str, camber: float, scale: float, label: str) -> Panel | None:
    """At the nominal pressure, a colour for each load."""
    points, sweeps = fit.sweeps.points, fit.sweeps.sweeps
    nominal = fit.properties.coefficients["NOMPRES"]
    chosen = [
        k
        for k, s in enumerate(sweeps)
        if not s.warm_up and s.swept == slip and s.camber == camber and s.pressure == nominal
    ]
    if output not in points or not chosen:
        return None
    tyre = Tyre(fit.properties)
    degrees = slip == "alpha"
    lines = []
    for color, load in enumerate(sorted({sweeps[k].load for k in chosen})):
        for k in (k for k in chosen if sweeps[k].load == load):
            own = points.at(points.sweep == k)
            own = own.at(np.argsort(own[slip]))
            x = np.degrees(own[slip]) if degrees else own[slip]
            forces = tyre.evaluate(*own.inputs())
            lines.append(Line(x, scale * own[output], stroke=Stroke.POINTS, color=color))
            first = not any(line.label == f"{load:.0f} N" for line in lines)
            lines.append(Line(x, scale * getattr(forces, output), f"{load:.0f} N" if first else "", color=color))
    x_label = "slip angle α [deg]" if degrees else "longitudinal slip κ [-]"
    title = f"{output}, camber {np.degrees(camber):.1f}°, {nominal / 1e3:.0f} kPa"
    return Panel(title, x_label, label, tuple(lines))


def write_fit_page(fit: TyreFit, source: str, notes: Sequence[str], unseen: Mapping[float, float], path: Path) -> None:
    """Write the page; `unseen` is what a fit without a load misses of Fy there [N], by load [N]."""
    coefficients = Table(
        ("coefficient", "value", "standard deviation", "95 % from", "to", ""),
        tuple(
            (c.name, c.value, c.standard_deviation, *c.interval, "on its bound, held" if c.on_bound else "")
            for c in fit.coefficients.values()
        ),
    )
    missed = Table(
        ("output", "load [N]", "camber [deg]", "samples", "RMS [N, N·m]", "largest measured"),
        tuple(
            (
                m.output,
                "all" if m.load is None else f"{m.load:.0f}",
                "all" if m.camber is None else f"{np.degrees(m.camber):.1f}",
                str(m.samples),
                m.rms,
                m.largest,
            )
            for m in fit.misfits
        ),
    )
    sections = [
        Section("Points and curves", (fit_figure(fit),)),
        Section("What the fit misses, over all samples of both directions", (missed,)),
        Section("Coefficients", (coefficients,)),
        Section(
            "Coefficients that the data do not tell, at neutral values",
            (Table(("coefficient", "why"), tuple(fit.not_told.items())),),
        ),
    ]
    if unseen:
        rows = tuple((f"{load:.0f}", rms) for load, rms in unseen.items())
        sections.insert(2, Section("Loads left out of the fit", (Table(("load [N]", "RMS of Fy [N]"), rows),)))
    if notes:
        sections.append(Section("Notes", tuple(notes)))
    lead = f"Magic Formula 6.1 fitted to {source}. Contact frame W of ISO 8855."
    write_page(f"Tyre {fit.properties.name}", lead, sections, path, footer=f"trackrod {__version__}")

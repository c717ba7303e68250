"""Two results of the K&C rig in one picture: curves over each other, and a page with all differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.corners import Axle
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.kc.comparison import SHOWN_CURVES, CurveDifference
from trackrod.report.figures import write_png
from trackrod.report.kc import SHOWN_UNITS
from trackrod.report.page import Section, Table, write_page

__all__ = ["comparison_figure", "write_kc_comparison_page", "write_kc_comparison_pictures"]


def comparison_figure(found: Sequence[CurveDifference], names: tuple[str, str], axle: Axle) -> Figure:
    """Curves of the left wheel, both results over each other."""
    by_key = {(d.test, d.quantity): d for d in found if d.axle is axle}
    panels = []
    for test, quantity, title in SHOWN_CURVES:
        difference = by_key.get((test, quantity))
        if difference is None:
            continue
        (across, unit_x), (up, unit_y) = (
            SHOWN_UNITS.get(kind.name, (1.0, kind.unit or "-")) for kind in (difference.over_kind, difference.kind)
        )
        curve = difference.curve
        lines = tuple(
            Line(across * curve.x, up * y, name, stroke)
            for y, name, stroke in zip((curve.first, curve.second), names, (Stroke.SOLID, Stroke.DASHED), strict=True)
        )
        panels.append(Panel(title, f"{difference.over.replace('_', ' ')} [{unit_x}]", f"[{unit_y}]", lines))
    return Figure(f"{axle} axle: {names[0]} and {names[1]}", tuple(panels))


def write_kc_comparison_pictures(found: Sequence[CurveDifference], names: tuple[str, str], folder: Path) -> None:
    """Draw a PNG file for each axle that both results have."""
    for axle in _axles(found):
        write_png(comparison_figure(found, names, axle), folder / f"{axle}_kc_comparison.png")


def write_kc_comparison_page(found: Sequence[CurveDifference], names: tuple[str, str], path: Path | str) -> None:
    """Write one page: curves of both results, and every difference."""
    sections = [Section(f"{a.capitalize()} axle", (comparison_figure(found, names, a),)) for a in _axles(found)]
    heads = ("axle", "test", "quantity", "largest", "rms", "unit", "at", "of", "rms of largest [%]")
    rows = tuple(
        (str(d.axle), d.test, d.quantity, d.largest, d.rms, d.kind.unit or "-", d.at, d.over, _percent(d.share))
        for d in found
    )
    lead = f"First: {names[0]}. Second: {names[1]}. Differences are second less first, over what both have in common."
    sections.append(Section("Differences", (Table(heads, rows),)))
    write_page("Two K&C results", lead, sections, path, footer=f"trackrod {__version__}")


def _percent(share: float) -> float | str:
    return round(100.0 * share, 3) if np.isfinite(share) else ""


def _axles(found: Sequence[CurveDifference]) -> list[Axle]:
    return [axle for axle in Axle if any(difference.axle is axle for difference in found)]

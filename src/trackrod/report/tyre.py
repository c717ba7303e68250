"""Report on one tyre: figures of merit and characteristic curves, as a picture and as a page."""

from __future__ import annotations

from pathlib import Path

from trackrod import __version__
from trackrod.report.figures import write_png
from trackrod.report.page import Section, Table, write_page
from trackrod.tyre.characteristics import characteristics, figure
from trackrod.tyre.model import Tyre

__all__ = ["write_tyre_report"]


def write_tyre_report(tyre: Tyre, folder: Path) -> list[Path]:
    """Write NAME.png and NAME.html into a folder, which is created; the paths of both."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = characteristics(tyre)
    png, page = (folder / f"{tyre.properties.name}.{suffix}" for suffix in ("png", "html"))
    curves = figure(tyre)
    write_png(curves, png)
    merit = Table(
        ("quantity", "value", "unit", "meaning"),
        tuple((row.name, row.value, row.kind.unit or "-", row.meaning) for row in rows),
    )
    notes = tuple(str(problem) for problem in tyre.properties.problems)
    sections = [
        Section("Figures of merit", (merit,)),
        Section("Characteristics", (curves,)),
        *((Section("Notes of the reader", notes),) if notes else ()),
    ]
    lead = (
        f"{tyre.properties.version}, measured for: {tyre.properties.tyreside.lower()}. Contact frame W of ISO 8855: "
        "forces of the road on the tyre, x forward, y left, z up; a positive slip angle gives a negative lateral force."
    )
    write_page(f"Tyre {tyre.properties.name}", lead, sections, page, footer=f"trackrod {__version__}")
    return [png, page]

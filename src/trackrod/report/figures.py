"""Drawings as PNG files: the SVG of `trackrod.report.svg`, set on a page of its own size by Typst."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from trackrod.core.figure import Figure
from trackrod.core.files import write_atomically
from trackrod.report.svg import WIDTH, Drawing, draw

__all__ = ["compile_typst", "write_png"]

#: Width of a picture [pt]: the units of drawings.
_TEMPLATE = """
#let content = json("content.json")
#set page(width: content.width * 1pt + 24pt, height: auto, margin: 12pt)
#set text(font: "Libertinus Serif", size: 10pt)
#if content.title != "" { align(center, text(13pt, weight: "bold", content.title)) }
#for (row, files) in content.rows.enumerate() {
  grid(columns: files.map(it => it.share * 1fr), column-gutter: 12pt, ..files.map(it => image(it.file, width: 100%)))
}
"""


def write_png(
    drawings: Drawing | Sequence[Sequence[Drawing]], path: Path | str, *, title: str = "", dots_per_inch: int = 150
) -> None:
    """Draw into a PNG file; an existing file is replaced whole or not at all.

    Parameters
    ----------
    drawings
        One, or rows of them.
    path
        The file.
    title
        Above everything; that of a single figure if empty.
    dots_per_inch
        A drawing is 10 inches wide.
    """
    rows = [[drawings]] if isinstance(drawings, Drawing) else [list(row) for row in drawings]
    if not title and isinstance(drawings, Figure):
        title = drawings.title
    with tempfile.TemporaryDirectory(prefix="trackrod-") as name:
        folder = Path(name)
        files = []
        for i, row in enumerate(rows):
            pictures = [draw(drawing) for drawing in row]
            for j, picture in enumerate(pictures):
                (folder / f"{i}_{j}.svg").write_text(picture.svg, encoding="utf-8")
            files.append([{"file": f"{i}_{j}.svg", "share": 1.0 / p.aspect} for j, p in enumerate(pictures)])
        content = {"title": title, "rows": files, "width": WIDTH}
        (folder / "content.json").write_text(json.dumps(content), encoding="utf-8")
        data = compile_typst(_TEMPLATE, folder, "png", ppi=dots_per_inch)
    write_atomically(Path(path), data)


def compile_typst(template: str, folder: Path, kind: Literal["pdf", "png"], *, ppi: float | None = None) -> bytes:
    """A document whose data lie in a folder, as bytes of a kind of file; fonts of the machine play no part."""
    import typst  # noqa: PLC0415 - takes a while to load

    source = folder / "document.typ"
    source.write_text(template, encoding="utf-8")
    return typst.compile(source, root=folder, ignore_system_fonts=True, format=kind, ppi=ppi, timestamp=0)

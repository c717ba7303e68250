"""PDF documents of the same sections as pages: A4, page numbers, the first section on page one by itself.

The text goes into the document as data, not as markup, so nothing in it needs to be escaped.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from trackrod.core.errors import MissingExtraError
from trackrod.core.figure import Figure
from trackrod.core.files import write_atomically
from trackrod.core.plain import Plain
from trackrod.report.page import Captioned, Fragment, Item, Notice, Section, Table, is_number, shown
from trackrod.report.svg import Drawing, draw

__all__ = ["write_pdf"]

#: Room on a page between the margins [cm].
_WIDTH, _HEIGHT = 17.4, 22.5
#: Characters of a row that stand beside each other, and of a column that is broken into lines in a longer row.
_ROW, _LONG = 100, 20
#: Where a line may be broken without a sign.
_BREAK = "\u200b"

_TEMPLATE = """
#let content = json("content.json")
#set document(title: content.title, date: none)
#set page(paper: "a4", margin: (x: 1.8cm, top: 2cm, bottom: 2cm),
  footer: context [#set text(8pt, fill: luma(90)); #content.footer #h(1fr)
    #counter(page).display() / #counter(page).final().first()])
#set text(font: "Libertinus Serif", size: 10pt, lang: "en")
#set par(justify: false)
#show heading.where(level: 1): set text(13pt)
#show heading.where(level: 1): set block(above: 1.4em, below: .8em)
#show figure.caption: it => align(left, text(9pt, fill: luma(70), it))
#show figure: set block(below: 1.4em)

#let cell(it) = if it.number { align(right, it.text) } else { it.text }
#let width(it) = if it == 0 { auto } else { it * 1fr }
#let item(it) = {
  if it.kind == "text" { block(sticky: true, it.text) }
  else if it.kind == "notice" {
    let color = if it.good { rgb("#009e73") } else { rgb("#d55e00") }
    block(width: 100%, inset: 8pt, fill: color.lighten(90%), stroke: (left: 4pt + color), text(11pt, it.text))
  } else if it.kind == "table" {
    set text(8.5pt)
    table(columns: it.widths.map(width), stroke: (x, y) => (bottom: .4pt + luma(190)), inset: (x: 4pt, y: 3pt),
      table.header(..it.heads.map(strong)), ..it.cells.map(cell))
  } else {
    figure(image(it.file, width: it.width * 1cm), caption: it.caption, placement: none)
  }
}

#text(19pt, weight: "bold", content.title) \\
#text(fill: luma(80), content.lead)
#for (number, section) in content.sections.enumerate() {
  heading(section.title)
  for it in section.items { item(it) }
  if number == 0 { pagebreak(weak: true); outline(title: "Contents", depth: 1) }
}
"""


@dataclass(slots=True)
class _Files:
    """Drawings of a document, written into a folder."""

    folder: Path
    count: int = field(default=0)

    def add(self, drawing: Drawing, caption: str) -> dict[str, Plain]:
        picture = draw(drawing)
        self.count += 1
        name = f"{self.count}.svg"
        (self.folder / name).write_text(picture.svg, encoding="utf-8")
        return {"kind": "figure", "file": name, "width": min(_WIDTH, _HEIGHT / picture.aspect), "caption": caption}


def write_pdf(title: str, lead: str, sections: Iterable[Section], path: Path | str, *, footer: str = "") -> None:
    """Write a document; an existing file is replaced whole or not at all.

    Parameters
    ----------
    title, lead, sections
        What stands in it; fragments of HTML are left out. The first section has page one, contents follow.
    path
        PDF file.
    footer
        On every page, beside its number.

    Raises
    ------
    MissingExtraError
        Typst is not installed.

    Holds: the same content gives the same bytes; fonts of the machine play no part.
    """
    try:
        import typst  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingExtraError("typst", "report", "writing PDF reports") from None
    with tempfile.TemporaryDirectory(prefix="trackrod-") as name:
        files = _Files(Path(name))
        content = {
            "title": title,
            "lead": lead,
            "footer": footer,
            "sections": [
                {"title": s.title, "items": [_plain(i, files) for i in s.items if not isinstance(i, Fragment)]}
                for s in sections
            ],
        }
        (files.folder / "content.json").write_text(json.dumps(content), encoding="utf-8")
        source = files.folder / "document.typ"
        source.write_text(_TEMPLATE, encoding="utf-8")
        data = typst.compile(source, root=files.folder, ignore_system_fonts=True, format="pdf", timestamp=0)
    write_atomically(path, data)


def _plain(item: Item, files: _Files) -> dict[str, Plain]:
    if isinstance(item, Table):
        return _table(item)
    if isinstance(item, Notice):
        return {"kind": "notice", "text": item.text, "good": item.good}
    if isinstance(item, Captioned):
        return files.add(item.drawing, item.caption)
    if isinstance(item, Figure):
        return files.add(item, item.title)
    return {"kind": "text", "text": str(item)}


def _table(table: Table) -> dict[str, Plain]:
    texts = [[_breakable(value) if isinstance(value, str) else shown(value) for value in row] for row in table.rows]
    longest = [max(len(row[k]) for row in (table.heads, *texts)) for k in range(len(table.heads))]
    cells: list[Plain] = [
        {"text": text, "number": is_number(value)}
        for row, written in zip(table.rows, texts, strict=True)
        for value, text in zip(row, written, strict=True)
    ]
    fits = sum(longest) <= _ROW
    # what has neither a space nor a place to break cannot be broken
    spaced = [any(" " in row[k] or _BREAK in row[k] for row in texts) for k in range(len(table.heads))]
    widths = [
        min(length, 4 * _LONG) if breaks and length > _LONG and not fits else 0
        for length, breaks in zip(longest, spaced, strict=True)
    ]
    return {"kind": "table", "heads": list(table.heads), "cells": cells, "widths": widths}


def _breakable(text: str) -> str:
    """A long path may be broken behind its slashes: unbroken it would take the room of all other columns."""
    return text.replace("/", f"/{_BREAK}") if len(text) > _LONG else text

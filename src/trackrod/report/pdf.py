"""PDF documents of the same sections as pages: A4, page numbers, the first section on page one by itself.

The text goes into ``templates/document.typ`` as data, not as markup, so nothing in it needs to be escaped.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from trackrod.core.figure import Figure
from trackrod.core.files import write_atomically
from trackrod.core.plain import Plain
from trackrod.report.figures import compile_typst
from trackrod.report.page import Beside, Captioned, Fragment, Item, Notice, Section, Table, cell_text, is_number
from trackrod.report.svg import NARROW, Drawing, draw, row_aspect

__all__ = ["write_pdf"]

#: Room on a page between the margins, and between the parts that stand beside each other [cm].
_WIDTH, _HEIGHT, _GUTTER = 17.4, 23.0, 0.6
#: Panels of a figure side by side.
_COLUMNS = 3
#: Characters of a row that stand beside each other, and of a word that may be broken.
_ROW, _LONG = 100, 16
#: Where a line may be broken without a sign.
_BREAK = "\u200b"


@dataclass(slots=True)
class _Files:
    """Drawings of a document, written into a folder."""

    folder: Path
    count: int = field(default=0)

    def add(self, drawing: Drawing, caption: str, room: float) -> Iterator[dict[str, Plain]]:
        """A drawing as entries of the document, so wide [cm]; a figure that is higher than a page in pieces."""
        pieces = list(_pieces(drawing, room))
        for number, piece in enumerate(pieces, 1):
            picture = draw(piece, NARROW if room < 0.6 * _WIDTH else 2.0 * NARROW)
            self.count += 1
            name = f"{self.count}.svg"
            (self.folder / name).write_text(picture.svg, encoding="utf-8")
            width = min(room, _HEIGHT / picture.aspect)
            last = caption if number == len(pieces) else ""
            yield {"kind": "figure", "file": name, "width": width, "caption": last}


def _pieces(drawing: Drawing, room: float) -> Iterator[Drawing]:
    """Rows of panels that fit on a page together."""
    if not isinstance(drawing, Figure):
        yield drawing
        return
    columns = 2 if len(drawing.panels) == 4 else min(_COLUMNS, len(drawing.panels))  # four stand as a square
    drawing = replace(drawing, columns=columns)
    rows = math.ceil(len(drawing.panels) / columns)
    fitting = max(1, int((_HEIGHT - 1.0) / (room * row_aspect(drawing))))  # and a legend
    even = columns * math.ceil(rows / math.ceil(rows / fitting))
    for begin in range(0, len(drawing.panels), even):
        yield replace(drawing, panels=drawing.panels[begin : begin + even])


def write_pdf(title: str, lead: str, sections: Iterable[Section], path: Path | str, *, footer: str = "") -> None:
    """Write a document; an existing file is replaced whole or not at all.

    Parameters
    ----------
    title, lead, sections
        What stands in it; Plotly figures are left out. The first section has page one, contents follow.
    path
        PDF file.
    footer
        On every page, beside its number.

    Holds: the same content gives the same bytes; fonts of the machine play no part.
    """
    with tempfile.TemporaryDirectory(prefix="trackrod-") as name:
        drawings = _Files(Path(name))
        content = {
            "title": title,
            "lead": lead,
            "footer": footer,
            "sections": [
                {"title": s.title, "items": [entry for item in s.items for entry in _entries(item, drawings, _WIDTH)]}
                for s in sections
            ],
        }
        (drawings.folder / "content.json").write_text(json.dumps(content), encoding="utf-8")
        template = (files("trackrod.report") / "templates" / "document.typ").read_text(encoding="utf-8")
        data = compile_typst(template, drawings.folder, "pdf")
    write_atomically(path, data)


def _entries(item: Item, drawings: _Files, room: float) -> Iterator[dict[str, Plain]]:
    if isinstance(item, Fragment):
        return
    if isinstance(item, Table):
        yield _table(item, room)
    elif isinstance(item, Notice):
        yield {"kind": "notice", "text": item.text, "good": item.good}
    elif isinstance(item, Captioned):
        yield from drawings.add(item.drawing, item.caption, room)
    elif isinstance(item, Figure):
        yield from drawings.add(item, item.title, room)
    elif isinstance(item, Beside):
        share = (room - _GUTTER * (len(item.parts) - 1)) / len(item.parts)
        parts: list[Plain] = [list(_entries(part, drawings, share)) for part in item.parts]
        yield {"kind": "beside", "parts": parts}
    else:
        yield {"kind": "text", "text": item}


def _table(table: Table, room: float) -> dict[str, Plain]:
    texts = [[_breakable(cell_text(value)) for value in row] for row in table.rows]
    columns = range(len(table.heads))
    longest = [max(len(row[k]) for row in (table.heads, *texts)) for k in columns]
    cells: list[Plain] = [
        {"text": text, "number": is_number(value)}
        for row, written in zip(table.rows, texts, strict=True)
        for value, text in zip(row, written, strict=True)
    ]
    fits = sum(longest) <= _ROW * room / _WIDTH
    widths = [0.0 if fits or longest[k] <= _LONG else _weight([row[k] for row in texts]) for k in columns]
    return {"kind": "table", "heads": list(table.heads), "cells": cells, "widths": widths}


def _weight(texts: list[str]) -> float:
    """What a column of long texts needs of the room: between their mean and their largest length."""
    lengths = [len(text) for text in texts]
    return math.pow(max(_LONG, math.sqrt(max(lengths) * sum(lengths) / len(lengths))), 0.75)


def _breakable(text: str) -> str:
    """A long word may be broken where its parts meet: unbroken it would take the room of all other columns."""
    return re.sub(rf"\S{{{_LONG},}}", lambda word: re.sub(r"(?<=[/_.:])(?=\w)", _BREAK, word[0]), text)

"""Self-contained HTML pages: text, tables and figures in one file that opens without a network.

A page is a list of sections, and a section a list of items that know nothing about what they are written to; each kind
of item has a template in ``templates/``, here for pages and in `trackrod.report.pdf` for documents.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trackrod.core.errors import MissingPackageError, Place, Problem, Severity
from trackrod.core.figure import Figure
from trackrod.core.files import write_atomically
from trackrod.core.numbers import minus, shown
from trackrod.report.charts import Bars, HeatMap
from trackrod.report.svg import NARROW, Drawing, draw, draw_panels

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "Beside",
    "Captioned",
    "Fragment",
    "Item",
    "Notice",
    "Section",
    "Table",
    "is_number",
    "notes_table",
    "problem_table",
    "shown",
    "without_folders",
    "write_page",
]

_NUMBER = re.compile(r"[+−-]?\d+(\.\d+)?(·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?( %)?")
#: A path from the root of a machine.
_PATH = re.compile(r"(?<![\w<.])(?:[A-Za-z]:[\\/]|/)(?:[\w.@+~-]+[\\/])+[\w.@+~-]*")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads; cells that are numbers align to the right."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A Plotly figure as HTML, which goes into the page as it stands; documents leave it out."""

    html: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence that stands out: a verdict, good or bad."""

    text: str
    good: bool


@dataclass(frozen=True, slots=True, eq=False)
class Captioned:
    """A drawing with a sentence that says what to see in it."""

    drawing: Drawing
    caption: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Items side by side; below each other where there is no room."""

    parts: tuple[Item, ...]


#: What a section is made of; a plain text is a paragraph.
Item = str | Table | Figure | Fragment | Notice | Captioned | Beside


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with items in order; no text in them is markup."""

    title: str
    items: tuple[Item, ...]


def write_page(
    title: str,
    lead: str,
    sections: Iterable[Section],
    path: Path | str,
    *,
    footer: str = "",
    contents: bool = False,
) -> None:
    """Write one page; an existing file is replaced whole or not at all.

    Parameters
    ----------
    title, lead, sections
        What stands on it, from the top.
    path
        HTML file.
    footer
        Its last line.
    contents
        Whether links to the sections follow the first of them.

    Raises
    ------
    MissingPackageError
        A section holds a Plotly figure, and Plotly is not installed.
    InputError
        The file cannot be written.
    """
    chosen = tuple(sections)
    library = _plotly() if any(isinstance(item, Fragment) for section in chosen for item in section.items) else ""
    text = (
        _templates()
        .get_template("page.html")
        .render(
            title=title,
            lead=lead,
            footer=footer,
            contents=contents,
            library=library,
            sections=[{"title": s.title, "entries": [_entry(item) for item in s.items]} for s in chosen],
        )
    )
    write_atomically(Path(path), text)


@functools.cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader  # noqa: PLC0415 - takes a while to load

    return Environment(
        loader=PackageLoader("trackrod.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingPackageError("plotly", "writing interactive pages") from None
    return str(get_plotlyjs())


def _entry(item: Item) -> dict[str, Any]:
    """What the template of an item needs, and which one that is."""
    if isinstance(item, str):
        return {"template": "paragraph.html", "text": item}
    if isinstance(item, Notice):
        return {"template": "notice.html", "text": item.text, "good": item.good}
    if isinstance(item, Table):
        return _table_entry(item)
    if isinstance(item, Fragment):
        return {"template": "fragment.html", "html": item.html}
    if isinstance(item, Beside):
        return {"template": "beside.html", "parts": [_entry(part) for part in item.parts]}
    drawing, caption = (item, "") if isinstance(item, Figure) else (item.drawing, item.caption)
    return {"template": "figure.html", "caption": caption, **_drawing(drawing)}


def _drawing(drawing: Drawing) -> dict[str, Any]:
    if isinstance(drawing, Figure):
        legend, panels = draw_panels(drawing)
        return {
            "legend": [{"svg": svg, "text": text} for svg, text in legend],
            "panels": panels,
            "columns": min(drawing.columns, len(panels)),
        }
    narrow = draw(drawing, NARROW).svg if isinstance(drawing, Bars) else ""
    return {"svg": draw(drawing).svg, "narrow": narrow, "map": isinstance(drawing, HeatMap)}


def _table_entry(table: Table) -> dict[str, Any]:
    rows = [[{"text": cell_text(value), "number": is_number(value)} for value in row] for row in table.rows]
    columns = [all(row[k]["number"] or not row[k]["text"] for row in rows) for k in range(len(table.heads))]
    heads = [{"text": head, "number": bool(rows) and column} for head, column in zip(table.heads, columns, strict=True)]
    return {"template": "table.html", "heads": heads if any(table.heads) else [], "rows": rows}


def cell_text(value: str | float) -> str:
    """What stands in a cell."""
    return value if isinstance(value, str) else minus(shown(value))


def is_number(value: str | float) -> bool:
    """Whether a cell is a number, or reads like one that was rounded for people."""
    return not isinstance(value, str) or _NUMBER.fullmatch(value) is not None


# ---- problems


def problem_table(problems: Iterable[Problem]) -> Table | str:
    """Errors and warnings as a table, and how many notes there are; a sentence if there is nothing."""
    found = tuple(problems)
    notes = sum(problem.severity is Severity.NOTE for problem in found)
    order = (Severity.ERROR, Severity.WARNING)
    serious = sorted((p for p in found if p.severity in order), key=lambda p: order.index(p.severity))
    if not serious:
        more = f" {notes} note{'' if notes == 1 else 's'} only." if notes else ""
        return f"No errors and no warnings.{more}"
    cells = [(str(p.severity), without_folders(p.text), without_folders(p.hint), _where(p.place)) for p in serious]
    heads = ("severity", "problem", "what to do", "where")
    told = [k for k in range(len(heads)) if any(row[k] for row in cells)]  # no column that says nothing
    return Table(tuple(heads[k] for k in told), tuple(tuple(row[k] for k in told) for row in cells))


def notes_table(problems: Iterable[Problem]) -> tuple[Table, ...]:
    """Notes, which ask for nothing, as a table; none if there are none."""
    rows = tuple(
        (" – ".join(without_folders(text) for text in (p.text, p.hint) if text), _where(p.place))
        for p in problems
        if p.severity is Severity.NOTE
    )
    return (Table(("note", "where"), rows),) if rows else ()


def without_folders(text: str) -> str:
    """A text without folders of the machine: paths begin at the database, or at the last folder."""
    return _PATH.sub(lambda found: _from_database(found[0]), text)


def _where(place: Place) -> str:
    if place.file is None:
        return str(place)
    line = "" if place.line is None else f":{place.line}"
    return f"{_from_database(str(place.file))}{line}"


def _from_database(path: str) -> str:
    parts = re.split(r"[\\/]", path.rstrip("\\/"))
    database = next((k for k, part in enumerate(parts) if part.endswith(".cdb")), None)
    if database is None:
        return "/".join(part for part in parts[-2:] if part)
    return "/".join(parts[database + 1 :]) or parts[database]

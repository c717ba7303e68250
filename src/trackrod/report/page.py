"""Self-contained HTML pages: text, tables and interactive figures in one file that opens without a network."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.figure import Figure
from trackrod.core.files import write_atomically
from trackrod.report.figures import figure_html
from trackrod.report.svg import Drawing, draw

__all__ = [
    "Captioned",
    "Fragment",
    "Item",
    "Notice",
    "Section",
    "Table",
    "is_number",
    "problem_table",
    "shown",
    "write_page",
]

_NUMBER = re.compile(r"[+−-]?\d+(\.\d+)?(e[+-]?\d+)?( %)?")
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 1320px; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .25rem .9rem .25rem 0; text-align: left;
border-bottom: 1px solid #d9dee3; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
p.notice { padding: .6rem 1rem; border-left: 6px solid; font-size: 1.05rem; }
p.good { border-color: #009e73; background: #eef8f4; } p.bad { border-color: #d55e00; background: #fdf3ec; }
figure { margin: 1rem 0; } figure > svg { width: 100%; } figure > svg, figcaption { max-width: 1000px; }
figcaption { color: #57606a; }
nav ol { columns: 2; max-width: 60rem; } @media print { nav { display: none; } }
p.lead, footer { color: #57606a; } footer { margin-top: 2.5rem; font-size: .85rem; }
"""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads; cells that are numbers align to the right."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """HTML that goes into the page as it stands; who makes one escapes the text in it."""

    html: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence that stands out: a verdict, good or bad."""

    text: str
    good: bool


@dataclass(frozen=True, slots=True, eq=False)
class Captioned:
    """A drawing with a sentence that says what to see in it. Curves are interactive on a page, charts are not."""

    drawing: Drawing
    caption: str


#: What a section is made of; a plain text is a paragraph.
Item = str | Table | Figure | Fragment | Notice | Captioned


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with items in order; the text of paragraphs, notices and captions is escaped."""

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
    """
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingExtraError("plotly", "plot", "writing interactive pages") from None
    chosen = tuple(sections)
    parts = [_section(section, number) for number, section in enumerate(chosen, 1)]
    if contents:
        parts.insert(1, _contents(chosen))
    body = "\n".join(parts)
    write_atomically(
        Path(path),
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style>"
        f"<script>{get_plotlyjs()}</script></head>\n<body><h1>{html.escape(title)}</h1>"
        f"<p class='lead'>{html.escape(lead)}</p>\n{body}\n<footer>{html.escape(footer)}</footer></body></html>\n",
    )


def _contents(sections: Sequence[Section]) -> str:
    links = (f"<li><a href='#section-{k}'>{html.escape(s.title)}</a></li>" for k, s in enumerate(sections, 1))
    return f"<nav><h2>Contents</h2><ol>{''.join(links)}</ol></nav>"


def _section(section: Section, number: int) -> str:
    parts = [f"<section id='section-{number}'><h2>{html.escape(section.title)}</h2>"]
    for item in section.items:
        if isinstance(item, Figure):
            parts.append(figure_html(item))
        elif isinstance(item, Captioned):
            inside = figure_html(item.drawing) if isinstance(item.drawing, Figure) else draw(item.drawing).svg
            parts.append(f"<figure>{inside}<figcaption>{html.escape(item.caption)}</figcaption></figure>")
        elif isinstance(item, Notice):
            parts.append(f"<p class='notice {'good' if item.good else 'bad'}'>{html.escape(item.text)}</p>")
        elif isinstance(item, Table):
            parts.append(_table(item.heads, item.rows))
        elif isinstance(item, Fragment):
            parts.append(item.html)
        else:
            parts.append(f"<p>{html.escape(item)}</p>")
    return "\n".join((*parts, "</section>"))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: str | float) -> str:
    text = html.escape(value) if isinstance(value, str) else shown(value)
    return f"<td class='number'>{text}</td>" if is_number(value) else f"<td>{text}</td>"


def is_number(value: str | float) -> bool:
    """Whether a cell is a number, or reads like one that was rounded for people."""
    return not isinstance(value, str) or _NUMBER.fullmatch(value) is not None


def problem_table(problems: Iterable[Problem]) -> Table | str:
    """Problems, errors first, as a table; a sentence if there are none."""
    order = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    ordered = sorted(problems, key=lambda problem: order.index(problem.severity))
    rows = tuple((str(p.severity), p.text, p.hint, str(p.place)) for p in ordered)
    return Table(("severity", "problem", "what to do", "where"), rows) if rows else "No problem was found."


def shown(value: float) -> str:
    """A number with five significant digits, without exponent as long as that can be read."""
    if value == 0 or not 1e-4 <= abs(value) < 1e9:
        return f"{value:.5g}"
    return np.format_float_positional(float(f"{value:.5g}"), trim="-")

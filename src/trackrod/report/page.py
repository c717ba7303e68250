"""Self-contained HTML pages: text, tables and interactive figures in one file that opens without a network."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trackrod.core.errors import MissingExtraError
from trackrod.core.figure import Figure
from trackrod.core.files import write_atomically
from trackrod.report.figures import figure_html

__all__ = ["Fragment", "Section", "Table", "shown", "write_page"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 1320px; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .25rem .9rem .25rem 0; text-align: left;
border-bottom: 1px solid #d9dee3; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
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
class Section:
    """A heading with paragraphs, tables, figures and fragments in order; the text of a paragraph is escaped."""

    title: str
    items: tuple[str | Table | Figure | Fragment, ...]


def write_page(title: str, lead: str, sections: Iterable[Section], path: Path | str, *, footer: str = "") -> None:
    """Write one page; an existing file is replaced whole or not at all."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingExtraError("plotly", "plot", "writing interactive pages") from None
    body = "\n".join(_section(section) for section in sections)
    write_atomically(
        Path(path),
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style>"
        f"<script>{get_plotlyjs()}</script></head>\n<body><h1>{html.escape(title)}</h1>"
        f"<p class='lead'>{html.escape(lead)}</p>\n{body}\n<footer>{html.escape(footer)}</footer></body></html>\n",
    )


def _section(section: Section) -> str:
    parts = [f"<h2>{html.escape(section.title)}</h2>"]
    for item in section.items:
        if isinstance(item, Figure):
            parts.append(figure_html(item))
        elif isinstance(item, Table):
            parts.append(_table(item.heads, item.rows))
        elif isinstance(item, Fragment):
            parts.append(item.html)
        else:
            parts.append(f"<p>{html.escape(item)}</p>")
    return "\n".join(parts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f"<td>{html.escape(value)}</td>"
    return f"<td class='number'>{shown(value)}</td>"


def shown(value: float) -> str:
    """A number with five significant digits, without exponent as long as that can be read."""
    if value == 0 or not 1e-4 <= abs(value) < 1e9:
        return f"{value:.5g}"
    return np.format_float_positional(float(f"{value:.5g}"), trim="-")

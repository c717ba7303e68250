"""Write the tables of docs/vocabulary.md from the declarations in trackrod.core.

usage: write_vocabulary.py

The text between the lines ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->`` is replaced; a test compares
the page with what this script would write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from trackrod.core import signals
from trackrod.core.axes import FRAMES, SIGNS
from trackrod.core.corners import Corner
from trackrod.core.files import write_atomically
from trackrod.core.quantities import KINDS
from trackrod.core.signals import SIGNALS, Signal

PAGE = Path(__file__).resolve().parent.parent / "docs" / "vocabulary.md"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def kinds_table() -> str:
    def span(low: float, high: float) -> str:
        return f"{low:g} to {high:g}".replace("-inf to inf", "any")

    rows = (
        (
            code(kind.name),
            kind.unit or "-",
            code(f"_{kind.suffix}") if kind.suffix else "",
            span(kind.low, kind.high),
        )
        for kind in KINDS.values()
    )
    return table(("Kind", "Unit", "Suffix", "Admissible"), rows)


def frames_table() -> str:
    rows = ((frame.letter, frame.name, frame.origin, frame.x, frame.y, frame.z) for frame in FRAMES.values())
    return table(("Letter", "Frame", "Origin", "x", "y", "z"), rows)


def signs_table() -> str:
    rows = ((rule.quantity, rule.positive, "mirror" if rule.mirrors else "axis") for rule in SIGNS)
    return table(("Quantity", "Positive when", "Signed by"), rows)


def signals_table() -> str:
    def row(signal: Signal) -> tuple[str, ...]:
        names = (code(signal.adams), code(signal.carmaker), code(signal.fmi))
        meaning = signal.meaning.removesuffix(f", {Corner.FL}")
        return code(signal.column), signal.kind.unit or "-", meaning, signal.sign, signal.iso_clause, *names

    others = {
        signal
        for family in vars(signals).values()
        if isinstance(family, signals.CornerSignal)
        for signal in family.signals[1:]
    }
    rows = (row(signal) for signal in SIGNALS.values() if signal not in others)
    return table(("Column", "Unit", "Meaning", "Positive", "ISO 8855", "Adams/Car", "CarMaker", "FMU"), rows)


TABLES = {"kinds": kinds_table, "frames": frames_table, "signs": signs_table, "signals": signals_table}


def with_tables(page: str) -> str:
    """The page with fresh tables."""
    for name, make in TABLES.items():
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(f"{begin}.*?{end}", re.DOTALL)
        text = f"{begin}\n{make()}\n{end}"
        page, count = pattern.subn(lambda _match, text=text: text, page)
        if count != 1:
            raise SystemExit(f"{PAGE.name}: exactly one block '{name}' is needed, found {count}")
    return page


if __name__ == "__main__":
    write_atomically(PAGE, with_tables(PAGE.read_text(encoding="utf-8")))

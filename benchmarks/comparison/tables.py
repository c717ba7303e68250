"""The table as text for a page: a summary, every case, and what lies beyond the targets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.comparison.measurements import COLUMNS, Result
from benchmarks.comparison.rows import GROUPS, ROWS

__all__ = ["page"]


def page(results: Sequence[Result]) -> str:
    """All tables of some results."""
    return "\n".join((_summary(results), *_groups(results), _beyond(results)))


def _table(lines: Iterable[Sequence[str]]) -> str:
    head, *body = lines
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ("---",) * len(head), *body))


def _driven(results: Sequence[Result]) -> list[str]:
    """Rows that were driven, in their order."""
    return [name for names in GROUPS.values() for name in names if any(result.row == name for result in results)]


def _summary(results: Sequence[Result]) -> str:
    """For each row the case that is farthest from its target, and how many are within it."""
    lines = [("row", "target", *(f"{column}: {what}" for column in COLUMNS for what in ("within", "worst")))]
    for name in _driven(results):
        line = [ROWS[name].title, ROWS[name].target]
        for column in COLUMNS:
            found = [result for result in results if result.row == name and result.compliance is column]
            worst = max(found, key=lambda result: result.badness)
            within = sum(result.badness <= 1 for result in found)
            line += [f"{within} of {len(found)}", f"{worst.worst_cell()} ({worst.case})"]
        lines.append(tuple(line))
    return f"### Summary\n\n{_table(lines)}"


def _groups(results: Sequence[Result]) -> Iterator[str]:
    """A table for each group of rows, a line for each case and compliance."""
    found = {(result.case, result.compliance, result.row): result for result in results}
    for group, names in GROUPS.items():
        rows = [name for name in _driven(results) if name in names]
        cases = dict.fromkeys(result.case for result in results if result.row in rows)
        if not cases:
            continue
        lines = [("vehicle", "compliance", *(ROWS[row].title for row in rows))]
        for case in cases:
            for column in COLUMNS:
                results_here = [found.get((case, column, row)) for row in rows]
                cells = ("" if result is None else result.cell() for result in results_here)
                lines.append((str(case), str(column), *cells))
        yield f"### {group.capitalize()}\n\n{_table(lines)}"


def _beyond(results: Sequence[Result]) -> str:
    """Every missed target of the default model, with the sub-model whose swap moves it most."""
    lines = []
    for name in _driven(results):
        for result in results:
            if result.row == name and result.compliance is COLUMNS[0] and result.badness > 1:
                lines += [f"- {ROWS[name].title}, {result.case}: {text}\n" for text in _why(result)]
    body = "".join(lines) or "Every target is met.\n"
    return f"### Beyond the targets ({COLUMNS[0]} compliance)\n\n{body}"


def _why(result: Result) -> Iterator[str]:
    if result.failure:
        yield result.failure
    remarks = "".join(f"; {measure}" for measure in result.measures if math.isinf(measure.target))
    for measure in result.worst:
        if measure.badness <= 1:
            continue
        swaps = result.swaps.get(measure.what, {})
        times = f", {measure.badness:.3g} times the target" if math.isfinite(measure.badness) else ""
        # the largest change first
        order = sorted(swaps.items(), key=lambda swap: -abs(swap[1] - measure.value))
        other = "; ".join(f"{value:.3g} with {name}" for name, value in order)
        yield f"{measure}{times}{f' ({other})' if other else ''}{remarks}"

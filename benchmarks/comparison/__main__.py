"""The command; see the package."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import benchmarks.comparison
from benchmarks.comparison.cases import WHOLE, Case
from benchmarks.comparison.measurements import Result, converted, measured
from benchmarks.comparison.rows import GROUPS, ROWS
from trackrod.core.files import write_atomically
from trackrod.vehicle.catalogue import BUNDLED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparison.md"
BEGIN, END = "<!-- begin: comparison -->\n", "<!-- end: comparison -->"


def tables(results: Iterable[Result]) -> str:
    """A table for each group of rows that was driven, a line for each case."""
    found = {(str(result.case), result.row): result for result in results}
    cases = list(dict.fromkeys(case for case, _ in found))
    parts = []
    for group, names in GROUPS.items():
        rows = [ROWS[name] for name in names if any((case, name) in found for case in cases)]
        if not rows:
            continue
        lines = [
            ("vehicle", *(f"{row.title} ({row.target})" for row in rows)),
            ("---",) * (len(rows) + 1),
            *(
                (case, *(found[case, row.name].cell() if (case, row.name) in found else "" for row in rows))
                for case in cases
            ),
        ]
        body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        parts.append(f"**{group.capitalize()}**\n\n{body}")
    return "\n".join(parts)


def write_page(text: str) -> None:
    """Put the tables between the marks of the page."""
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    write_atomically(PAGE, f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


def chosen_rows(text: str) -> list[str]:
    """Rows by their names or those of their groups."""
    found: list[str] = []
    for name in text.split(",") if text else ROWS:
        group = next((rows for group, rows in GROUPS.items() if group == name), (name,))
        found += group
    unknown = [name for name in found if name not in ROWS]
    if unknown:
        sys.exit(f"there is no row {', '.join(unknown)}; there are {', '.join((*ROWS, *GROUPS))}")
    return list(dict.fromkeys(found))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=benchmarks.comparison.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vehicles", nargs="+")
    parser.add_argument("--bushings", nargs="+", type=float)
    parser.add_argument("--rows", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=2)
    given = parser.parse_args()
    chosen = [Case(name, factor) for name in given.vehicles or BUNDLED for factor in given.bushings or [1.0]]
    cases = chosen if given.vehicles or given.bushings else list(WHOLE)
    rows = chosen_rows(given.rows)
    results = []
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        for case in pool.map(converted, cases):
            print(f"converted {case}", file=sys.stderr)
        work = [(case, row) for case in cases for row in rows]
        for result in pool.map(measured, *zip(*work, strict=True)):
            print(f"{result.seconds:6.1f} s  {result.case}, {result.row}: {result.cell()}", file=sys.stderr, flush=True)
            results.append(result)
    text = tables(results)
    print(text)
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(given.json, json.dumps([result.as_data() for result in results], indent=1) + "\n")
    if given.write:
        write_page(text)


if __name__ == "__main__":
    main()

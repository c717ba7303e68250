"""The command; see the package."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import benchmarks.comparison
from benchmarks.comparison.cases import WHOLE, Case
from benchmarks.comparison.measurements import Result, converted, leave_to_the_first, measured
from benchmarks.comparison.rows import GROUPS, ROWS
from benchmarks.comparison.tables import page
from trackrod.core.files import write_atomically
from trackrod.vehicle.catalogue import BUNDLED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparison.md"
BEGIN, END = "<!-- begin: comparison -->\n", "<!-- end: comparison -->"


def write_page(text: str) -> None:
    """Put the tables between the marks of the page."""
    before, rest = PAGE.read_text().split(BEGIN)
    write_atomically(PAGE, f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")


def chosen_rows(text: str) -> list[str]:
    """Rows by their names or those of their groups."""
    found: list[str] = []
    for name in text.split(",") if text else ROWS:
        found += GROUPS.get(name, (name,))
    unknown = [name for name in found if name not in ROWS]
    if unknown:
        sys.exit(f"there is no row {', '.join(unknown)}; there are {', '.join((*ROWS, *GROUPS))}")
    return list(dict.fromkeys(found))


def drive(cases: Sequence[Case], rows: Sequence[str], jobs: int) -> list[Result]:
    """All results, in the order of the rows; what was driven is kept, so that a second call goes on."""
    # Row by row: what one row needs of another, the slow ramp above all, is kept when it is asked for.
    work = [(case, row) for row in rows for case in cases if ROWS[row].holds_for(case)]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results: list[Result] = []
    bars = Progress(*columns, console=Console(stderr=True, soft_wrap=True, highlight=False, markup=False))
    with bars, ProcessPoolExecutor(jobs, get_context("spawn"), initializer=leave_to_the_first) as pool:
        try:
            shown = bars.add_task("converting", total=len(cases))
            for case, seconds in pool.map(converted, cases):
                bars.print(f"{seconds:6.1f} s  {case}, converted")
                bars.advance(shown)
            shown = bars.add_task("driving", total=len(work))
            for found in pool.map(measured, *zip(*work, strict=True)):
                results += found
                for result in found:
                    bars.print(f"{result.seconds:6.1f} s  {result}")
                bars.advance(shown)
        except KeyboardInterrupt:
            for process in active_children():
                process.terminate()  # files are written whole or not at all
            raise
    return results


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
    try:
        results = drive(cases, chosen_rows(given.rows), given.jobs)
    except KeyboardInterrupt:
        sys.exit("stopped; what was driven is kept, and the same command goes on from there")
    text = page(results)
    print(text)
    if given.json:
        write_atomically(
            given.json, json.dumps([result.as_data() for result in results], indent=1) + "\n", make_parents=True
        )
    if given.write:
        write_page(text)


if __name__ == "__main__":
    main()

"""Run every benchmark, print one table, write ``benchmarks/results.json``.

usage: python -m benchmarks [NAME …]

With names, only the modules ``bench_NAME.py`` are run, and nothing is written.

A benchmark is a function in a module ``bench_*.py`` of this folder, listed in its ``BENCHMARKS``, that returns rows. A
row names what was measured, our value, and the peer's value in the same run; the ratio is ours over the peer's.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.row import Row
from trackrod.core.files import write_atomically

FOLDER = Path(__file__).parent


def main() -> None:
    console = Console(width=max(Console().width, 130))
    rows: list[Row] = []
    wanted = [f"bench_{name}" for name in sys.argv[1:]]
    for stem in wanted or sorted(path.stem for path in FOLDER.glob("bench_*.py")):
        module = importlib.import_module(f"benchmarks.{stem}")
        for benchmark in module.BENCHMARKS:
            with console.status(f"{stem}: {benchmark.__name__}"):
                rows += benchmark()
    table = Table(title="Trackrod benchmarks (smaller is better; ratio = ours / peer)")
    for head in ("what", "ours", "unit", "peer", "peer's", "ratio"):
        table.add_column(head, justify="right" if head in ("ours", "peer's", "ratio") else "left")
    for row in rows:
        table.add_row(row.name, f"{row.value:.4g}", row.unit, row.peer, f"{row.peer_value:.4g}", f"{row.ratio:.3g}")
    console.print(table)
    if wanted:
        return
    target = FOLDER / "results.json"
    write_atomically(target, json.dumps([row.as_dict() for row in rows], indent=2, ensure_ascii=False) + "\n")
    console.print(f"wrote {target.relative_to(FOLDER.parent)}", highlight=False)


if __name__ == "__main__":
    main()

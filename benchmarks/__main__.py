"""Run every benchmark, print one table, write ``benchmarks/results.json``.

usage: python -m benchmarks [NAME …]

With names, only the modules ``bench_NAME.py`` are run, and nothing is written.

A benchmark is a function in a module ``bench_*.py`` of this folder, listed in its ``BENCHMARKS``, that returns rows. A
row names what was measured, our value, and the peer's value in the same run; the ratio is ours over the peer's. The
file keeps our values of the last runs on this machine as well, and the table shows the change from the last one.
"""

from __future__ import annotations

import importlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.row import Row
from trackrod.core.files import write_atomically

FOLDER = Path(__file__).parent
#: Runs that are kept.
KEPT = 10


def kept_runs(file: Path) -> list[dict[str, Any]]:
    """The runs that a file of results keeps, oldest first; none where it is not one."""
    try:
        found = json.loads(file.read_text())["history"]
    except (OSError, ValueError, TypeError, KeyError):
        return []
    return list(found)


def results(rows: list[Row], history: list[dict[str, Any]], now: str) -> dict[str, Any]:
    """What is written: the rows, and our values of the last runs with this one."""
    this = {"when": now, "values": {f"{row.name} [{row.unit}]": row.value for row in rows}}
    return {"rows": [row.as_dict() for row in rows], "history": [*history, this][-KEPT:]}


def change(row: Row, history: list[dict[str, Any]]) -> str:
    """Our value over that of the last run that has one [%]."""
    name = f"{row.name} [{row.unit}]"
    before = next((run["values"][name] for run in reversed(history) if run["values"].get(name)), None)
    return "" if before is None else f"{100 * (row.value / before - 1):+.0f} %"


def main() -> None:
    console = Console(width=max(Console().width, 130))
    rows: list[Row] = []
    wanted = [f"bench_{name}" for name in sys.argv[1:]]
    for stem in wanted or sorted(path.stem for path in FOLDER.glob("bench_*.py")):
        module = importlib.import_module(f"benchmarks.{stem}")
        for benchmark in module.BENCHMARKS:
            with console.status(f"{stem}: {benchmark.__name__}"):
                rows += benchmark()
    target = FOLDER / "results.json"
    history = kept_runs(target)
    table = Table(
        title="Trackrod benchmarks (smaller is better; ratio = ours / peer; change: of ours from the last run)"
    )
    for head in ("what", "ours", "unit", "peer", "peer's", "ratio", "change"):
        table.add_column(head, justify="left" if head in ("what", "unit", "peer") else "right")
    for row in rows:
        peer = row.peer, f"{row.peer_value:.4g}", f"{row.ratio:.3g}"
        table.add_row(row.name, f"{row.value:.4g}", row.unit, *peer, change(row, history))
    console.print(table)
    if wanted:
        return
    found = results(rows, history, datetime.now(UTC).isoformat(timespec="seconds"))
    write_atomically(target, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    console.print(f"wrote {target.relative_to(FOLDER.parent)}", highlight=False)


if __name__ == "__main__":
    main()

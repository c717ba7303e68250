"""What ``make demo`` runs: a report on every bundled tyre.

usage: demo.py OUTPUT_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import track

from trackrod.cli.output import console
from trackrod.report.tyre import write_tyre_report
from trackrod.tyre import load_tyre
from trackrod.tyre.samples import SAMPLES


def main(folder: Path) -> None:
    """Write one page and one picture a tyre, and say where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        path
        for sample in track(SAMPLES.values(), description="tyre reports", console=console)
        for path in write_tyre_report(load_tyre(sample), folder)
    ]
    for path in written:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    console.print("Open the HTML pages in a browser: curves can be zoomed and read off.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

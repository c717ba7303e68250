"""What ``make demo`` runs: a bundled van drawn, converted and driven with both models; a report on every bundled tyre.

usage: demo.py OUTPUT_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import track

from trackrod.cli.compare import compare
from trackrod.cli.output import console
from trackrod.cli.vehicle import inspect
from trackrod.report.tyre import write_tyre_report
from trackrod.tyre import load_tyre
from trackrod.tyre.samples import SAMPLES

VEHICLE = "lcv_7t"


def main(folder: Path) -> None:
    """Write pages and pictures of the van, of both its models in a step steer and of each tyre; say where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    inspect(VEHICLE, html=folder / f"{VEHICLE}.html", picture=folder / f"{VEHICLE}.png")
    compare(VEHICLE, "step_steer", out=folder)
    written = [
        path
        for sample in track(SAMPLES.values(), description="tyre reports", console=console)
        for path in write_tyre_report(load_tyre(sample), folder)
    ]
    for path in written:
        console.print(f"tyre: {path}", highlight=False, soft_wrap=True)
    console.print("Open the HTML pages in a browser: the van can be turned, curves can be zoomed and read off.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

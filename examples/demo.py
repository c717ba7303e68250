"""What ``make demo`` runs: the main job on a bundled van.

usage: demo.py OUTPUT_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from trackrod.cli.convert import convert
from trackrod.cli.output import console
from trackrod.cli.vehicle import inspect

VEHICLE = "lcv_7t"


def main(folder: Path) -> None:
    """Draw the van, convert, tune and prove it; say where everything is."""
    folder.mkdir(parents=True, exist_ok=True)
    inspect(VEHICLE, html=folder / f"{VEHICLE}.html", picture=folder / f"{VEHICLE}.png")
    convert(VEHICLE, out=folder / f"{VEHICLE}_conversion")
    console.print("Open the HTML pages in a browser: the van can be turned, curves can be read off.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

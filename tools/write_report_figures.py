"""Draw the picture of a conversion that the README shows: ``docs/images/conversion_double_wishbone_car.png``.

A car goes through the whole study; the chart is that of page one of its report.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import trackrod as tr
from trackrod.report.figures import write_png
from trackrod.report.study_drawings import worst_bars

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
VEHICLE = "double_wishbone_car"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = tr.study(VEHICLE, out=folder).result
    path = IMAGES / f"conversion_{VEHICLE}.png"
    title = f"{VEHICLE}: largest difference from the multibody model in each manoeuvre [%]"
    write_png([[worst_bars(result)]], path, title=title, dots_per_inch=100)
    print(f"wrote {path.relative_to(IMAGES.parent.parent)}")


if __name__ == "__main__":
    main()

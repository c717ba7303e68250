"""Vehicles that come with the package, each a complete Adams/Car database, for examples and tests.

Their numbers are engineering estimates for the class of vehicle; SOURCE.md in each folder has the design figures.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["BUNDLED"]

#: Assemblies (.asy) by name: cla_class, double_wishbone_car, integral_link, lcv_3t5, lcv_7t, suv.
BUNDLED: dict[str, Path] = {
    folder.stem: folder / "assemblies.tbl" / f"{folder.stem}.asy"
    for folder in sorted(Path(__file__).parent.glob("*.cdb"))
}

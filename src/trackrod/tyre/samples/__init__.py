"""Tyres that come with the package, one of each formula, for examples and tests.

Their coefficients are engineering estimates for the class of tyre, not measurements of a product.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["SAMPLES"]

#: Property files by name: car_mf61, car_pac89, lcv_mf52, suv_mf62.
SAMPLES: dict[str, Path] = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.tir"))}

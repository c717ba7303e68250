"""Neutral property files that stand in for missing ones where the user asks for it; docs/vehicles.md lists them.

A leaf spring has none, because its shape is that of the axle; nor has a subsystem. The tyre is a sample of the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from trackrod.tyre.samples import SAMPLES

__all__ = ["STAND_INS"]

_FOLDER = Path(__file__).parent
#: File by what it is used for, in the words of `trackrod.adams.subsystem.Use.what`.
STAND_INS: Mapping[str, Path] = MappingProxyType(
    {
        "spring": _FOLDER / "stand_in_spring.spr",
        "damper": _FOLDER / "stand_in_damper.dpr",
        "bump stop": _FOLDER / "stand_in_bump_stop.bum",
        "rebound stop": _FOLDER / "stand_in_rebound_stop.reb",
        "bushing": _FOLDER / "stand_in_bushing.bus",
        "tyre": SAMPLES["car_mf61"],
        "engine map": _FOLDER / "stand_in_engine.pwr",
        "differential": _FOLDER / "stand_in_differential.dif",
        "steering assistance": _FOLDER / "stand_in_steering_assistance.ste",
    }
)

"""Sizes: the state of either model, and the compiled real-time model as one block of numbers."""

from __future__ import annotations

import json

from benchmarks.bench_rtm import converted
from benchmarks.row import Row
from trackrod.adams.source import open_vehicle
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.spec import RTM

VEHICLES = ("integral_link", "lcv_7t")


def sizes() -> list[Row]:
    """States of both models beside each other, and the block beside the file that describes the same model."""
    rows = []
    for name in VEHICLES:
        quick, detailed = converted(name), MultibodyVehicle(open_vehicle(name).vehicle)
        own, other = (1e-3 * model.state().values.nbytes for model in (quick, detailed))
        rows.append(Row(f"{name}: state of the real-time model", own, "kB", "of the multibody model", other))
        block, file = 1e-3 * quick.block().nbytes, 1e-3 * len(json.dumps(RTM.to_plain(quick.spec)))
        rows.append(Row(f"{name}: compiled block of it", block, "kB", "its description as JSON", file))
    return rows


BENCHMARKS = (sizes,)

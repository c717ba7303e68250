"""Vehicle: a database from its files to an audited vehicle."""

from __future__ import annotations

from functools import partial

from benchmarks.row import Row, best_of
from trackrod.adams.source import open_vehicle
from trackrod.adams.vehicle import read_vehicle
from trackrod.vehicle.catalogue import BUNDLED

DATABASE_TARGET_S = 1.0


def database() -> list[Row]:
    """The slowest bundled vehicle against the target, and all of them against reading and assembling without audit."""
    audited = {name: best_of(partial(open_vehicle, name), 3) for name in BUNDLED}
    read = [best_of(partial(read_vehicle, vehicle.assembly), 3) for vehicle in BUNDLED.values()]
    slowest = max(audited, key=lambda name: audited[name])
    every = f"read, assemble and audit all {len(audited)} bundled databases"
    return [
        Row(f"read, assemble and audit a database ({slowest})", audited[slowest], "s", "target", DATABASE_TARGET_S),
        Row(every, sum(audited.values()), "s", "without audit", sum(read)),
    ]


BENCHMARKS = (database,)

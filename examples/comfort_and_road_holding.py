"""Comfort against road holding: springs and dampers of a vehicle of quarter cars, and the Pareto curve of both.

usage: comfort_and_road_holding.py [VEHICLE] [OUTPUT.png]

The axles are reduced once. Then every combination of factors on springs and dampers drives the same random road; those
that no other one beats in both numbers make the Pareto curve.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Axle
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.reduce.comfort import dynamic_wheel_load, weighted_acceleration
from trackrod.reduce.reduction import reduce_axle
from trackrod.reduce.vehicle import reduced_vehicle
from trackrod.report.figures import write_png

SPRINGS = (0.6, 0.8, 1.0, 1.3)
DAMPERS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6)


def main(name: str, picture: Path, duration: float = 10.0) -> None:
    """Drive all variants, print the best, draw the curve."""
    vehicle = open_vehicle(name).vehicle
    joined = reduced_vehicle(vehicle, *(reduce_axle(vehicle, axle).car for axle in Axle))
    road = RandomRoad(speed_kmh=80.0, road_class="C", duration_s=duration)
    found, begun = [], process_time()
    for spring in SPRINGS:
        for damper in DAMPERS:
            run = joined.with_springs_and_dampers(spring, damper).drive_road(road)
            found.append((spring, damper, weighted_acceleration(run), 100.0 * dynamic_wheel_load(run)))
    table = np.array(found)
    comfort, load = table[:, 2], table[:, 3]
    best = [i for i in range(len(table)) if not np.any((comfort < comfort[i]) & (load < load[i]))]
    best.sort(key=lambda i: comfort[i])
    print(f"{len(table)} vehicles on {road.duration_s:g} s of road in {process_time() - begun:.1f} s CPU")
    for i in best:
        print(f"springs x {table[i, 0]:.1f}, dampers x {table[i, 1]:.1f}: {comfort[i]:.3f} m/s2, {load[i]:.1f} %")
    lines = [
        Line(comfort[table[:, 0] == s], load[table[:, 0] == s], f"springs × {s:g}", Stroke.DASHED, k)
        for k, s in enumerate(SPRINGS)
    ]
    lines.append(Line(comfort[best], load[best], "not beaten in both", color=5))
    is_now = (table[:, 0] == 1.0) & (table[:, 1] == 1.0)
    lines.append(Line(comfort[is_now], load[is_now], "as it is", Stroke.POINTS, 6))
    panel = Panel(
        f"{name}, {road.speed_kmh:g} km/h, class {road.road_class}; dampers × {DAMPERS[0]:g} to {DAMPERS[-1]:g}",
        "weighted body acceleration (ISO 2631, Wk) [m/s²]",
        "dynamic wheel load over static [%]",
        tuple(lines),
    )
    write_png(Figure("Comfort against road holding", (panel,), columns=1), picture)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(given[0] if given else "suv", Path(given[1]) if len(given) > 1 else Path("comfort_and_road_holding.png"))

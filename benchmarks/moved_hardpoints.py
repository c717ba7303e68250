"""Every hardpoint that a data file offers, moved, against the vehicle that is read with them.

usage: python -m benchmarks.moved_hardpoints [VEHICLE …]

All at once by up to 5 mm, for every bundled vehicle and sample axle; the largest difference of any number of
the mechanism, over the greater of its size and one.
"""

from __future__ import annotations

import sys

import numpy as np

from trackrod import _core
from trackrod.adams.vehicle import read_vehicle
from trackrod.multibody.compile import compile_vehicle
from trackrod.multibody.data import vehicle_data
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.vehicle.catalogue import BUNDLED, SAMPLES
from trackrod.vehicle.elements import Vector

MOST = 5e-3


def difference(name: str, steering: SteeringModel | None = None) -> tuple[float, int, int]:
    """Largest difference, and how many hardpoints are offered and fixed."""
    sample = SAMPLES.get(name)
    assembly, aliases = (BUNDLED[name].assembly, None) if sample is None else (sample.assembly, sample.aliases)
    drawn = read_vehicle(assembly, aliases).vehicle
    steering = steering or usual_steering(drawn)
    data = vehicle_data(compile_vehicle(drawn, steering=steering))
    random = np.random.default_rng(1)
    offered = [parameter for parameter in data.parameters if parameter.name.startswith("hardpoints.")]
    values = {p.name: float(np.clip(p.value + random.uniform(-MOST, MOST), p.low, p.high)) for p in offered}
    points: dict[str, Vector] = {}
    for point in {parameter.name.split(".", 1)[1].rpartition(".")[0] for parameter in offered}:
        x, y, z = (values[f"hardpoints.{point}.{axis}"] for axis in "xyz")
        points[point] = (x, y, z)
    moved = vehicle_data(compile_vehicle(read_vehicle(assembly, aliases, hardpoints=points).vehicle, steering=steering))
    found = _core.MultibodyData(data.data).numbers(data.values(values))
    expected = _core.MultibodyData(moved.data).numbers(moved.values({}))
    if found.size != expected.size:
        return np.inf, len(points), len(data.fixed)
    return float(np.nanmax(np.abs(found - expected) / np.maximum(1.0, np.abs(expected)))), len(points), len(data.fixed)


if __name__ == "__main__":
    for vehicle in sys.argv[1:] or [*BUNDLED, *SAMPLES]:
        largest, count, fixed = difference(vehicle)
        print(f"{vehicle:28s} {largest:8.1e}   {count} hardpoints moved, {fixed} fixed", flush=True)

"""Axles that give: how far their shapes are off all bodies of the axle in vibration, and shapes under loads alone.

Ways of the points of loads (wheel centre, contact patch, turns of the wheel, damper) under each load, over the root of
the product of what both loads give to themselves; the worst of bushings × 0.6, 1 and 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.row import Row
from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Axle
from trackrod.kc.elasticity import _Linear, find_elasticity
from trackrod.rtm.elasticity import MIRROR, regularised
from trackrod.rtm.layout import AXLE_LOADS
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.variants import with_bushings
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]
BUSHINGS = (0.6, 1.0, 2.0)
FREQUENCIES = (8.0, 16.0, 25.0)
LOADS = len(AXLE_LOADS)
#: Compliance that counts as none [m/N], [rad/(N·m)].
STIFF = np.array([2e-8, 2e-8, 2e-8, 2e-7, 2e-7, 2e-8])


def vibrations() -> list[Row]:
    """All axles of the bundled vehicles at some frequencies."""
    rows = []
    for name in BUNDLED:
        vehicles = [with_bushings(open_vehicle(name).vehicle, factor) for factor in BUSHINGS]
        for axle in Axle:
            worst = np.max([_off(vehicle, axle) for vehicle in vehicles], axis=0)
            for frequency, (ours, alone) in zip(FREQUENCIES, 100.0 * worst, strict=True):
                rows.append(Row(f"{name}, {axle}: off at {frequency:g} Hz", ours, "%", "shapes under loads", alone))
    return rows


def _off(vehicle: Vehicle, axle: Axle) -> Array:
    """By frequency: of all shapes, of those under loads alone."""
    linear, of = _Linear(vehicle, axle), find_elasticity(vehicle, axle)
    found = np.zeros((len(FREQUENCIES), 2))
    for mode, sign in ((of.symmetric, 1.0), (of.antisymmetric, -1.0)):
        loads = linear.loads @ np.vstack((np.eye(LOADS), np.diag(sign * MIRROR)))
        for k, frequency in enumerate(FREQUENCIES):
            s = 2j * np.pi * frequency
            full = 0.5 * loads.T @ np.linalg.solve(linear.stiffness + s * linear.damping + s**2 * linear.mass, loads)
            sizes = np.sqrt(np.maximum(np.abs(np.diag(full)), STIFF))
            for j, count in enumerate((len(mode.mass), LOADS)):
                M, D, C = (part[:count, :count] for part in regularised(mode))
                reduced = C[:LOADS] @ np.linalg.solve(C + s * D + s**2 * M, C[:, :LOADS])
                found[k, j] = max(found[k, j], float((np.abs(full - reduced) / np.outer(sizes, sizes)).max()))
    return found


BENCHMARKS = (vibrations,)

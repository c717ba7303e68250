"""Multibody: maps of an axle on the rig and steps of a whole car, beside exudyn.

exudyn gets what it does quickest: straight characteristics, which it evaluates itself, its own bushings, and a sparse
solver. Without exudyn there is nothing to compare with, and no row.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from benchmarks.row import Row, best_of
from trackrod.core.corners import Axle
from trackrod.multibody.compile import compile_axle, compile_vehicle
from trackrod.vehicle.elements import Mode

TOE_TARGET_DEG = 0.005
POSITION_TARGET_MM = 0.01
STEP = 1e-3
#: Lengths of two runs whose difference is steps alone, without preparing and reading [s].
SHORT, LONG = 0.03, 0.08


def axle_map() -> list[Row]:
    """41 × 41 points of wheel travel and rack travel, both wheels of the front axle, one core."""
    from tests.reference.correlation import WheelMap, bundled, grid, map_by_core, map_by_exudyn  # noqa: PLC0415
    from tests.reference.exudyn_vehicle import build, linearised  # noqa: PLC0415

    rows = []
    targets = grid(41, travel=0.06, rack=0.06)
    for mode in (Mode.KINEMATIC, Mode.COMPLIANT):
        model = compile_axle(linearised(bundled("double_wishbone_car", mode)), Axle.FRONT)
        ours = best_of(lambda model=model: map_by_core(model, targets), 3)
        maps: list[WheelMap] = []
        mechanisms = [build(model, own_bushings=True) for _ in range(2)]
        peer = best_of(lambda maps=maps, left=mechanisms: maps.append(map_by_exudyn(left.pop(), targets)), 2)
        label = f"K&C map 41 × 41, double wishbones, {mode}"
        rows.append(Row(label, ours, "s", "exudyn", peer))
        if mode is Mode.KINEMATIC:
            wheels, theirs = map_by_core(model, targets), maps[0]
            toe = float(np.degrees(np.abs(wheels.toe - theirs.toe).max()))
            place = float(np.abs(wheels.centre - theirs.centre).max()) * 1e3
            rows.append(Row(f"{label}: toe, ours − exudyn's", toe, "°", "target", TOE_TARGET_DEG))
            rows.append(Row(f"{label}: wheel centre, ours − exudyn's", place, "mm", "target", POSITION_TARGET_MM))
    return rows


def car_step() -> list[Row]:
    """A step of 1 ms of a car with bushings and without tyres, falling; ours with one Newton iteration, as in use."""
    from tests.reference.correlation import bundled, on_spring  # noqa: PLC0415
    from tests.reference.exudyn_vehicle import build, linearised  # noqa: PLC0415

    rows = []
    for name in ("integral_link", "lcv_7t"):
        model = compile_vehicle(on_spring(linearised(bundled(name, Mode.COMPLIANT))), with_tyres=False)
        poses, rest = model.core.poses(), np.zeros((model.core.body_count, 6))
        count = round((LONG - SHORT) / STEP)

        def ours(model=model, poses=poses, rest=rest, count=count) -> object:  # type: ignore[no-untyped-def]
            model.core.set_poses(poses)
            model.core.set_twists(rest)
            return model.core.step(STEP, 1, count)

        mechanism = build(model, own_bushings=True)
        short, long = (best_of(lambda t=t, m=mechanism: m.run(t, STEP, t), 3) for t in (SHORT, LONG))
        label = f"{name}, {model.core.body_count} bodies, a step of 1 ms"
        rows.append(Row(label, best_of(ours) / count * 1e6, "µs", "exudyn", (long - short) / count * 1e6))
    return rows


BENCHMARKS = () if find_spec("exudyn") is None else (axle_map, car_step)

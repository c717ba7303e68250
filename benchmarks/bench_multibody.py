"""Multibody: steps of whole cars on the road, maps and reference runs beside their targets; some beside exudyn.

exudyn gets what it does quickest: straight characteristics, which it evaluates itself, its own bushings, and a sparse
solver. Without exudyn there is nothing to compare with, and none of those rows.
"""

from __future__ import annotations

from importlib.util import find_spec
from time import perf_counter, perf_counter_ns

import numpy as np

from benchmarks.row import Row, best_of
from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Axle
from trackrod.multibody.compile import compile_axle, compile_vehicle
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.reference import DriverInputs, reference_run
from trackrod.vehicle.elements import Mode

TOE_TARGET_DEG = 0.005
POSITION_TARGET_MM = 0.01
STEP = 1e-3
#: Lengths of two runs whose difference is steps alone, without preparing and reading [s].
SHORT, LONG = 0.03, 0.08

#: Time of a step of 1 ms that a vehicle may take [µs], of a map of 41 × 41 points and of a reference run of 10 s [s].
STEP_TARGETS_US = {"integral_link": 100.0, "lcv_7t": 150.0}
MAP_TARGET_S = 0.5
REFERENCE_TARGET_S = 10.0
#: RMS error of the yaw rate at 1 ms against the reference, over its peak [%].
ERROR_TARGET_PCT = 0.1
SPEED = 80 / 3.6


def step_steer(seconds: float) -> DriverInputs:
    """25° in a tenth of a second, with a little throttle."""
    time = 0.01 * np.arange(round(seconds / 0.01) + 1)
    nothing = np.zeros(time.size)
    angle = np.radians(25.0) * np.clip((time - 0.3) / 0.1, 0.0, 1.0)
    return DriverInputs(time, angle, nothing + 0.1, nothing, nothing)


def road_step() -> list[Row]:
    """Steps of 1 ms on the road with tyres and driveline: their times, and their error against the reference."""
    rows = []
    given = step_steer(2.5)
    for name, target in STEP_TARGETS_US.items():
        vehicle = open_vehicle(name).vehicle
        model = MultibodyVehicle(vehicle, step=STEP)
        model.settle()
        model.start(SPEED)
        times = []
        for _ in range(5000):
            start = perf_counter_ns()
            model.model.core.step(STEP, 1, 1)
            times.append((perf_counter_ns() - start) * 1e-3)
        label = f"{name} on the road, {model.model.core.body_count} bodies, a step of 1 ms"
        rows.append(Row(f"{label}, median", float(np.median(times)), "µs", "target", target))
        for part, value in (("99 %", float(np.percentile(times, 99))), ("longest", max(times))):
            rows.append(Row(f"{label}, {part}", value, "µs", "real time", 1e6 * STEP))
        exact = reference_run(vehicle, given, SPEED).run
        model.settle()
        model.start(SPEED)
        fine = STEP * np.arange(1, round(2.5 / STEP) + 1)
        run = model.advance(*given.at(fine), every=10)
        wrong = run["yaw_rate_radps"] - exact["yaw_rate_radps"]
        error = 100 * float(np.sqrt(np.mean(wrong**2)) / np.abs(exact["yaw_rate_radps"]).max())
        rows.append(Row(f"{label}: yaw rate against the reference", error, "%", "target", ERROR_TARGET_PCT))
    return rows


def compliant_map() -> list[Row]:
    """41 × 41 points of wheel travel and rack travel of an axle with all its curves, by the core alone."""
    model = compile_axle(open_vehicle("double_wishbone_car").vehicle.with_mode(Mode.COMPLIANT), Axle.FRONT)
    z, rack = np.meshgrid(np.linspace(-0.06, 0.06, 41), np.linspace(-0.06, 0.06, 41))
    z[1::2] = z[1::2, ::-1]
    targets = np.zeros((z.size, len(model.drives)))
    for name, values in (("rack", rack), ("pad_fl", z), ("pad_fr", z)):
        targets[:, model.drives[name]] = values.ravel()
    targets = np.vstack((np.linspace(0.0, 1.0, 10, endpoint=False)[:, None] * targets[0], targets))

    def sweep() -> None:
        model.core.reset()
        if not all(model.core.sweep(targets, 50, 1e-9, 0.05)[-1]):
            raise RuntimeError("a point of the map was not reached")

    return [Row("K&C map 41 × 41, both wheels, bushings and curves", best_of(sweep, 3), "s", "target", MAP_TARGET_S)]


def reference() -> list[Row]:
    """10 s with an error bar: wall-clock time of the three runs that it takes, on two threads, and the error bar."""
    vehicle = open_vehicle("integral_link").vehicle
    start = perf_counter()
    found = reference_run(vehicle, step_steer(10.0), SPEED)
    seconds = perf_counter() - start
    label = "reference run of 10 s, integral_link"
    return [
        Row(label, seconds, "s", "target", REFERENCE_TARGET_S),
        Row(f"{label}: error bar", 100 * found.relative_error, "%", "target", ERROR_TARGET_PCT),
    ]


def axle_map() -> list[Row]:
    """41 × 41 points of wheel travel and rack travel, both wheels of the front axle, one core."""
    from tests.multibody.correlation import WheelMap, bundled, grid, map_by_core, map_by_exudyn  # noqa: PLC0415
    from tests.multibody.exudyn_vehicle import build, linearised  # noqa: PLC0415

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
    from tests.multibody.correlation import bundled, on_spring  # noqa: PLC0415
    from tests.multibody.exudyn_vehicle import build, linearised  # noqa: PLC0415

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


_BESIDE_EXUDYN = () if find_spec("exudyn") is None else (axle_map, car_step)
BENCHMARKS = (road_step, compliant_map, reference, *_BESIDE_EXUDYN)

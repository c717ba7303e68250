"""Real-time model: a step, a run from Python, derivatives, threads, and a published model in Python beside it."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import odeint

from benchmarks.row import Row, best_of
from trackrod import _core
from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance, convert
from trackrod.core.corners import Axle
from trackrod.core.instructions import INSTRUCTIONS, in_use
from trackrod.kc.study import KcSettings, characterise
from trackrod.road.surface import RoadSurface
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.vehicle.catalogue import BUNDLED

STEP = 1e-3
#: Of a step of four tyres, and of six [µs].
STEP_TARGET_US, SIX_TYRES_TARGET_US = 1.5, 2.2
RUN_TARGET_MS = 30.0
#: Of the step with compliance that moves, over the quasi-static one.
MOVING_TARGET = 1.5
#: Of the step on an uneven road, over that on level ground.
ROAD_TARGET = 1.5
DERIVATIVES_TARGET = 4.0
CAR = "integral_link"
SPEED = 20.0  # [m/s]
#: The size of the maps counts, not how finely they were measured.
SETTINGS = KcSettings(
    travel=np.linspace(-0.08, 0.08, 17), rack=np.linspace(-0.07, 0.07, 11), map_points=11, load_steps=2
)
#: The thirteen parameters whose derivatives are taken at once.
VARIED = (
    "sprung_mass",
    "Ixx",
    "Iyy",
    "Izz",
    "cg_to_front",
    "cg_height",
    "spring_factor_front",
    "spring_factor_rear",
    "damper_factor_front",
    "damper_factor_rear",
    "antiroll_factor_front",
    "antiroll_factor_rear",
    "compliance_factor_rear",
)


@cache
def converted(name: str, compliance: Compliance = Compliance.MOVING) -> RealTimeVehicle:
    """A bundled vehicle with everything on: maps of two variables, compliance, measured tyres, powertrain."""
    vehicle = open_vehicle(name).vehicle
    studies = {axle: characterise(vehicle, axle, SETTINGS) for axle in Axle}
    maps = {axle: study.maps for axle, study in studies.items() if study.maps is not None}
    return RealTimeVehicle(convert(vehicle, maps, compliance=compliance).spec, step=STEP)


def rolling(name: str, compliance: Compliance = Compliance.MOVING) -> RealTimeVehicle:
    """The vehicle settled and under way."""
    vehicle = converted(name, compliance)
    vehicle.settle()
    vehicle.start(SPEED)
    return vehicle


def step_steer(seconds: float) -> NDArray[np.float64]:
    """Controls of each step: straight, the steering wheel to 40 degrees within 0.2 s, held; a little throttle."""
    t = np.arange(round(seconds / STEP)) * STEP
    angle = np.radians(40.0) * np.clip((t - 0.1) / 0.2, 0.0, 1.0)
    return np.column_stack((angle, np.full_like(t, 0.1), np.zeros_like(t), np.zeros_like(t)))


def seconds_of(vehicle: RealTimeVehicle, controls: NDArray[np.float64], repeats: int) -> float:
    """Shortest time of the processor [s] for a run, rows kept every 100 steps."""
    no_heights = np.zeros((len(controls), 0))
    times = []
    for _ in range(repeats):
        vehicle.start(SPEED)
        begin = time.thread_time()
        vehicle._core.run(STEP, 100, controls, no_heights)
        times.append(time.thread_time() - begin)
    return min(times)


def steps() -> list[Row]:
    """One step on one core, as the mean over short runs of a step steer."""
    rows, slowest = [], 0.0
    controls = step_steer(0.5)
    for name in BUNDLED:
        vehicle = rolling(name)
        time = seconds_of(vehicle, controls, 60) / len(controls) * 1e6
        tyres = sum(len(wheel.tyres) for wheel in vehicle.spec.wheels)
        target = STEP_TARGET_US if tyres == 4 else SIX_TYRES_TARGET_US
        rows.append(Row(f"{name}: real-time step, {tyres} tyres", time, "µs", "target", target))
        slowest = max(slowest, time)
    rows.append(Row("the slowest of these vehicles, a step of 1 ms", slowest, "µs", "real time", STEP * 1e6))
    return rows


def uneven_roads() -> list[Row]:
    """A step on a grid of waves with enveloping tyres, beside the same steps on level ground; both in turn."""
    controls, v = step_steer(0.5), np.linspace(-5.0, 5.0, 101)
    waves = RoadSurface.function(
        "waves", lambda x, y: 0.01 * np.sin(3.0 * x + y), length=60.0, width=10.0, increment=0.01, spacing=v[1] - v[0]
    )
    rows = []
    for name in BUNDLED:
        vehicle = rolling(name)

        def seconds(road: RoadSurface | None, model: RealTimeVehicle = vehicle) -> float:
            model._core.set_surface(None)
            if road is not None:
                model.lay_road(road, (-20.0, 0.0, 0.0))
            return seconds_of(model, controls, 3)

        times = np.array([[seconds(road) for road in (waves, None)] for _ in range(20)])
        uneven, level = times.min(axis=0)
        rows.append(Row(f"{name}: step on an uneven road", uneven / level, "level steps", "target", ROAD_TARGET))
    return rows


def compliance_that_moves() -> list[Row]:
    """A step beside the quasi-static one, both in turn."""
    controls = step_steer(0.5)
    rows = []
    for name in BUNDLED:
        models = [rolling(name, compliance) for compliance in (Compliance.MOVING, Compliance.QUASI_STATIC)]
        times = np.array([[seconds_of(model, controls, 3) for model in models] for _ in range(20)])
        moving, still = times.min(axis=0)
        rows.append(
            Row(
                f"{name}: step with compliance that moves",
                moving / still,
                "quasi-static steps",
                "target",
                MOVING_TARGET,
            )
        )
    return rows


def run_from_python() -> list[Row]:
    """Ten seconds through the Python call, from inputs to named columns."""
    vehicle, controls = rolling(CAR), step_steer(10.0)
    rows = []
    for every in (10, 1):
        time = best_of(partial(vehicle.advance, *controls.T, every=every), 15) * 1e3
        rows.append(Row(f"{CAR}: 10 s by the Python call, a row each {every} ms", time, "ms", "target", RUN_TARGET_MS))
    return rows


def derivatives() -> list[Row]:
    """Every column of a run by thirteen parameters, in plain runs; differences would take fourteen."""
    vehicle, controls = rolling(CAR), step_steer(0.1)
    vehicle.keep_start()
    seeds = [k for k, item in enumerate(PARAMETERS) if item.name in VARIED]
    no_heights = np.zeros((len(controls), 0))
    usual = in_use()
    names = [name for name in INSTRUCTIONS if _core.use_instructions(name)]
    exact, plain = dict.fromkeys(names, np.inf), dict.fromkeys(names, np.inf)
    for _ in range(20):  # in turn, so that all of them meet the same machine
        for name in names:
            _core.use_instructions(name)
            found = best_of(
                lambda: vehicle._core.derivatives(STEP, 100, controls, no_heights, seeds), 3, time.thread_time
            )
            exact[name], plain[name] = min(exact[name], found), min(plain[name], seconds_of(vehicle, controls, 5))
    _core.use_instructions(usual)
    label = f"{CAR}: exact derivatives of a run by {len(seeds)} parameters"
    rows = [
        Row(label, exact[usual] / plain[usual], "plain runs", "target", DERIVATIVES_TARGET),
        Row(label, exact[usual] / plain[usual], "plain runs", "one-sided differences", len(seeds) + 1.0),
    ]
    for name in names:
        for what, times in (("a step", plain), ("a step with derivatives", exact)):
            value, peer = (1e6 * times[each] / len(controls) for each in (name, names[0]))
            rows.append(Row(f"{CAR}: {what}, {name}", value, "µs", names[0], peer))
    return rows


def threads() -> list[Row]:
    """As many runs at once as there are cores, beside one: the ratio is 1 when they do not wait for each other."""
    count = os.cpu_count() or 1
    spec, controls = converted(CAR).spec, step_steer(10.0)
    no_heights = np.zeros((len(controls), 0))
    vehicles = [RealTimeVehicle(spec, step=STEP) for _ in range(count)]
    for vehicle in vehicles:
        vehicle.settle()
        vehicle.start(SPEED)

    def drive(vehicle: RealTimeVehicle) -> None:
        vehicle._core.run(STEP, 100, controls, no_heights)

    with ThreadPoolExecutor(count) as pool:
        together = best_of(lambda: list(pool.map(drive, vehicles)), 9, time.perf_counter)
    alone = best_of(lambda: drive(vehicles[0]), 9, time.perf_counter)
    return [Row(f"{CAR}: {count} runs in {count} threads", together * 1e3, "ms", "one run", alone * 1e3)]


def published_model() -> list[Row]:
    """The multi-body model of CommonRoad (29 states, Magic Formula tyres, Python) through a step steer of its own."""
    try:
        from vehiclemodels.init_mb import init_mb  # noqa: PLC0415 - a peer that need not be installed
        from vehiclemodels.parameters_vehicle2 import parameters_vehicle2  # noqa: PLC0415
        from vehiclemodels.vehicle_dynamics_mb import vehicle_dynamics_mb  # noqa: PLC0415
    except ImportError:
        return []
    seconds = 2.0
    p = parameters_vehicle2()
    start = init_mb([0.0, 0.0, 0.0, SPEED, 0.0, 0.0, 0.0], p)

    def slope(x: NDArray[np.float64], t: float) -> list[float]:
        return vehicle_dynamics_mb(x, [0.2 if 0.1 < t < 0.3 else 0.0, 0.0], p)

    peer = best_of(lambda: odeint(slope, start, np.arange(0.0, seconds, 0.01), hmax=0.05), 2)
    vehicle, controls = rolling(CAR), step_steer(seconds)
    ours = best_of(lambda: vehicle.advance(*controls.T, every=10), 15)
    label = f"{CAR}: a second of a step steer from Python"
    return [Row(label, ours / seconds * 1e3, "ms", "CommonRoad multi-body, odeint", peer / seconds * 1e3)]


BENCHMARKS = (steps, uneven_roads, compliance_that_moves, run_from_python, derivatives, threads, published_model)

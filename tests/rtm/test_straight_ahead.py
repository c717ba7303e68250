"""Stability straight ahead: bundled vehicles have it; what is planted is found, with eigenvalue, axle and cause."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rtm.converted_vehicles import spec_of
from trackrod.convert.conversion import Compliance
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.corners import Axle, Corner, Side
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import AXLE_LOADS, GIVEN_POSE
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.rtm.stability import GROWTH, SPEEDS, find_instability, modes, stability_problems
from trackrod.tyre.model import Tyre
from trackrod.vehicle.catalogue import BUNDLED

Array = NDArray[np.float64]

CAR = "cla_class"


def steering_by_force(axle: Axle, slope: float) -> RtmSpec:
    """A car of which both wheels of an axle steer under the lateral force on them [rad/N], with all its lag."""
    spec = spec_of(CAR)
    axles = dict(zip(Axle, spec.axles, strict=True))
    elasticity = axles[axle].elasticity
    assert elasticity is not None
    mode, rz = elasticity.antisymmetric, GIVEN_POSE.index("rz")
    pose = mode.pose.copy()
    pose[0, AXLE_LOADS.index("fy"), [rz, len(GIVEN_POSE) + rz]] += slope
    planted = replace(elasticity, antisymmetric=replace(mode, pose=pose))
    axles[axle] = replace(axles[axle], elasticity=planted)
    return replace(spec, axles=tuple(axles.values()))


def driven(spec: RtmSpec, speed: float, seconds: float) -> tuple[Array, Array]:
    """Time [s] and what a touch at the steering wheel changes in the yaw rate [rad/s], in neutral."""
    vehicle = RealTimeVehicle(spec)
    vehicle.settle()
    vehicle.start(speed)
    begin, runs = vehicle.state(), []
    steps = np.arange(round(seconds / vehicle.step))
    for angle in (0.0, 1e-5):
        vehicle.set_state(begin)
        runs.append(vehicle.advance(np.where(steps < 100, angle, 0.0), 0.0, 0.0, -1))
    return steps * vehicle.step, runs[1]["yaw_rate_radps"] - runs[0]["yaw_rate_radps"]


@pytest.mark.parametrize("compliance", [Compliance.MOVING, Compliance.QUASI_STATIC])
@pytest.mark.parametrize("name", list(BUNDLED))
def test_bundled_vehicles_are_stable(name: str, compliance: Compliance) -> None:
    spec = spec_of(name, compliance=compliance)
    assert find_instability(spec) is None
    assert stability_problems(spec) == ()


def test_the_slowest_motion_is_coasting() -> None:
    """Nothing neutral is left in the eigenvalues: place and heading are out, the speed is lost slowly."""
    first, second = modes(spec_of(CAR), 100 / 3.6)[:2]
    assert -GROWTH < first.growth < 0
    assert first.frequency == 0.0
    assert first.part == "body"
    assert second.growth < -1.0


def test_steering_by_the_lateral_force_swings_up() -> None:
    """A rear axle that steers into the corner under its force, with a lag: the run swings as the eigenvalue says.

    So little that the run stays linear: with 3e-5 rad/N what is left at the start grows to 0.3 rad/s in these seconds.
    """
    spec = steering_by_force(Axle.REAR, 2e-5)
    found = find_instability(spec)
    assert found is not None
    assert found.speed == SPEEDS[0]
    assert found.axle is Axle.REAR
    assert found.mode.axle is Axle.REAR
    assert "compliance steer of the rear axle" in found.cause
    time_s, rate = driven(spec, found.speed, 3.0)
    tops = np.flatnonzero((rate[1:-1] > rate[:-2]) & (rate[1:-1] >= rate[2:])) + 1
    tops = tops[time_s[tops] > 0.5]
    assert len(tops) > 4
    assert (len(tops) - 1) / (time_s[tops[-1]] - time_s[tops[0]]) == pytest.approx(found.mode.frequency, rel=0.05)
    assert np.polyfit(time_s[tops], np.log(rate[tops]), 1)[0] == pytest.approx(found.mode.growth, rel=0.1)


def test_steering_out_of_the_corner_runs_away() -> None:
    """A rear axle that steers out of the corner under its force oversteers: the run grows without swinging."""
    spec = steering_by_force(Axle.REAR, -4e-5)
    found = find_instability(spec)
    assert found is not None
    assert found.axle is Axle.REAR
    assert found.mode.frequency == 0.0
    assert found.mode.part == "body"
    assert "compliance steer of the rear axle" in found.cause
    assert find_instability(spec, [speed for speed in SPEEDS if speed < found.speed]) is None
    time_s, rate = driven(spec, found.speed, 3.0)
    late = time_s > 1.5
    assert np.polyfit(time_s[late], np.log(np.abs(rate[late])), 1)[0] == pytest.approx(found.mode.growth, rel=0.1)


def test_the_axle_of_the_cause_is_told() -> None:
    """The same at the front axle: steering into the corner under its force makes the front axle oversteer."""
    found = find_instability(steering_by_force(Axle.FRONT, 2e-5))
    assert found is not None
    assert found.axle is Axle.FRONT
    assert "front axle" in found.cause


def test_an_oversteering_vehicle_has_the_eigenvalue_of_the_single_track_model() -> None:
    """Centre of gravity moved to the rear, on weaker tyres there; stiff bars: the formula has no roll."""
    spec = spec_of("double_wishbone_car", compliance=Compliance.NONE)
    rear = spec.wheels[Corner.RL.index].tyres[0].tyre
    spec = replace(spec, tyres={**spec.tyres, rear: spec.tyres[rear].with_values(LKY=0.6)}).with_parameters(
        cg_to_front=spec.parameters["cg_to_front"] + 0.5,
        antiroll_factor_front=30.0,
        antiroll_factor_rear=30.0,
        lift_front=0.0,
        lift_rear=0.0,
    )
    speed = 130 / 3.6
    expected = single_track_eigenvalue(spec, speed)
    assert expected > 1.0
    found = find_instability(spec, [speed])
    assert found is not None
    assert found.mode.frequency == 0.0
    assert found.mode.growth == pytest.approx(expected, rel=0.1)
    assert found.axle is Axle.REAR
    assert "oversteers" in found.cause
    assert single_track_eigenvalue(spec, 60 / 3.6) < 0
    assert find_instability(spec, [60 / 3.6]) is None


def single_track_eigenvalue(spec: RtmSpec, speed: float) -> float:
    """The largest of m v̇ and I r̈ under axle forces −C α that act by the pneumatic trail behind the wheels."""
    vehicle = RealTimeVehicle(spec)
    loads = vehicle.settle()
    x = {axle: spec.wheels[Corner.of(axle, Side.LEFT).index].centre[0] for axle in Axle}
    share = (loads[Corner.RL] + loads[Corner.RR]) / sum(loads.values())
    ahead = {
        Axle.FRONT: share * (x[Axle.FRONT] - x[Axle.REAR]),
        Axle.REAR: (share - 1) * (x[Axle.FRONT] - x[Axle.REAR]),
    }
    p = spec.parameters
    sprung = x[Axle.FRONT] - p["cg_to_front"]
    centre = x[Axle.FRONT] - ahead[Axle.FRONT]
    # parallel axes, about the centre of gravity of all
    inertia = p["Izz"] + p["sprung_mass"] * (sprung - centre) ** 2
    system = np.zeros((2, 2))
    for axle in Axle:
        wheel = spec.wheels[Corner.of(axle, Side.LEFT).index]
        track = 2 * wheel.centre[1]
        unsprung = p[f"unsprung_mass_{axle}"]
        inertia += 2 * (unsprung * (ahead[axle] ** 2 + track**2 / 4) + p[f"unsprung_yaw_inertia_{axle}"])
        load, small = loads[wheel.corner], 1e-4
        tyre = Tyre(spec.tyres[wheel.tyres[0].tyre], mounted=Side.LEFT)
        forces = tyre.evaluate(load, 0.0, np.array([-small, small]), 0.0, speed)
        stiffness = -2 * float(np.diff(forces.Fy)[0]) / (2 * small)
        trail = -float(np.diff(forces.Mz)[0] / np.diff(forces.Fy)[0])
        # slip where the wheel is, force behind it; α = (v + x r)/V
        system -= stiffness / speed * np.outer([1.0, ahead[axle] - trail], [1.0, ahead[axle]])
    system = np.diag([1 / spec.mass, 1 / inertia]) @ system
    system[0, 1] -= speed
    return float(np.linalg.eigvals(system).real.max())


def test_it_is_quick(tmp_path: Path) -> None:
    """Half a second for a vehicle, in a process of its own with one thread: threads wait where others are at work."""
    path = tmp_path / "model.json"
    save(Artefact(RTM, spec_of(CAR), Provenance.of()), path)
    code = (
        "import sys, time; from pathlib import Path; from trackrod.core.artefact import load; "
        "from trackrod.rtm.spec import RTM; from trackrod.rtm.stability import find_instability; "
        "spec = load(Path(sys.argv[1]), RTM).content; begin = time.thread_time(); find_instability(spec); "
        "print(time.thread_time() - begin)"
    )
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], env=alone, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.5

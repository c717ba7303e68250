"""What an FMU drives is what the Python model drives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from open_fmus import (
    CAR,
    DETAILED_CAR,
    DETAILED_VAN,
    ELASTIC_CAR,
    VAN,
    VERSIONS,
    Fmu,
    content,
    exported,
    reals_of,
    spec,
)

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.export.check import TOLERANCE, Driven, check_fmu, compare, drive_rtm, usual_drive
from trackrod.export.model_description import FmiVersion
from trackrod.rtm.driving import RealTimeVehicle

Unzipped = Callable[[str, FmiVersion], Path]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
@pytest.mark.parametrize("name", [CAR, ELASTIC_CAR, VAN])
def test_valid_and_as_python(name: str, version: FmiVersion, tmp_path: Path) -> None:
    require_valid_and_as_python(name, version, tmp_path, exported(name).driven, 0.8)


def test_the_multibody_model_too(tmp_path: Path) -> None:
    """Against Python's model, and against the one that the FMU holds."""
    require_valid_and_as_python(DETAILED_CAR, FmiVersion.FMI2, tmp_path, exported(DETAILED_CAR).driven, 0.4)
    require_valid_and_as_python(DETAILED_VAN, FmiVersion.FMI3, tmp_path, None, 0.4)


def require_valid_and_as_python(
    name: str, version: FmiVersion, folder: Path, driven: Driven | None, seconds: float
) -> None:
    path = folder / f"{name}.fmu"
    path.write_bytes(content(name, version))
    result = check_fmu(path, driven, seconds=seconds)
    assert result.problems == ()
    assert result.difference <= TOLERANCE, result
    assert result.outputs > 75
    assert result.passed


def drive(fmu: Fmu, settings: Mapping[str, float], inputs: Mapping[str, np.ndarray], every: int = 1) -> np.ndarray:
    """Outputs after every so many steps, inputs held meanwhile."""
    fmu.start(settings)
    rows = []
    for i in range(0, max(map(len, inputs.values())), every):
        fmu.set_all({name: float(values[i]) for name, values in inputs.items()})
        fmu.step(every * 1e-3)
        rows.append(fmu.outputs())
    return np.array(rows)


def differences(name: str, rows: np.ndarray, run: Run) -> float:
    found = dict(zip(reals_of(name), rows.T, strict=True)) | {"powertrain.gear": run[signals.GEAR]}
    return max(compare(run, found).values())


def test_other_parameters_find_another_equilibrium(unzipped: Unzipped) -> None:
    changed = {"sprung_mass": 1650.0, "cg_to_front": 1.35, "spring_factor_front": 1.1, "friction_rear": 40.0}
    usual = usual_drive(seconds=0.3)
    run = drive_rtm(spec(CAR).with_parameters(**changed), usual)
    fmu = Fmu(unzipped(CAR, FmiVersion.FMI2))
    rows = drive(fmu, {**usual.settings, **{f"parameter.{k}": v for k, v in changed.items()}}, usual.inputs)
    assert differences(CAR, rows, run) <= TOLERANCE
    fmu.close()


def test_a_payload_is_a_mass_at_a_place(unzipped: Unzipped) -> None:
    """Of a point: mass, centre and inertia of both bodies together, worked out here by integration over the bodies."""
    car, mass, place = spec(CAR), 300.0, np.array([-1.8, 0.2, 0.4])
    p = dict(car.parameters)
    centre = np.array([car.wheels[0].centre[0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + car.road_height])
    tensor = np.array([[p["Ixx"], p["Ixy"], p["Ixz"]], [p["Ixy"], p["Iyy"], p["Iyz"]], [p["Ixz"], p["Iyz"], p["Izz"]]])
    both = (p["sprung_mass"] * centre + mass * place) / (p["sprung_mass"] + mass)
    for m, at in ((p["sprung_mass"], centre), (mass, place)):
        d = at - both
        tensor = tensor + m * (d @ d * np.eye(3) - np.outer(d, d))
    names = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
    loaded = car.with_parameters(
        sprung_mass=p["sprung_mass"] + mass,
        cg_to_front=float(car.wheels[0].centre[0] - both[0]),
        cg_y=float(both[1]),
        cg_height=float(both[2] - car.road_height),
        **dict(zip(names, (float(tensor[i, j]) for i in range(3) for j in range(i, 3)), strict=True)),
    )
    usual = usual_drive(seconds=0.3)
    fmu = Fmu(unzipped(CAR, FmiVersion.FMI3))
    settings = {"payload.mass": mass, **{f"payload.{axis}": float(x) for axis, x in zip("xyz", place, strict=True)}}
    rows = drive(fmu, {**usual.settings, **settings}, usual.inputs)
    assert differences(CAR, rows, drive_rtm(loaded, usual)) < 1e-7  # the sums are those of other expressions
    fmu.close()


def test_inputs_hold_over_a_communication_step(car: Fmu) -> None:
    usual = usual_drive(seconds=0.3)
    held = {name: np.repeat(values[::10], 10) for name, values in usual.inputs.items()}
    run = drive_rtm(spec(CAR), replace(usual, inputs=held), every=10)
    assert differences(CAR, drive(car, usual.settings, usual.inputs, every=10), run) <= TOLERANCE


def test_ramped_inputs_go_evenly(car: Fmu) -> None:
    angle = 0.02 * np.arange(1, 31)
    usual = usual_drive(seconds=0.3)
    even = np.linspace(0.0, 0.6, 301)[1:]
    run = drive_rtm(spec(CAR), replace(usual, inputs={"driver.steering_wheel_angle": even}), every=10)
    inputs = {"driver.steering_wheel_angle": np.repeat(angle, 10)}
    rows = drive(car, {**usual.settings, "solver.ramp": 1}, inputs, every=10)
    assert differences(CAR, rows, run) < 1e-6


def test_a_torque_steers(unzipped: Unzipped) -> None:
    fmu = Fmu(unzipped(ELASTIC_CAR, FmiVersion.FMI2))
    torque = 2.0 * np.sin(np.arange(300) * 0.02)
    rows = drive(
        fmu,
        {"initial.speed": 20.0, "driver.steered_by_torque": 1},
        {"driver.steering_wheel_torque": torque},
    )
    model = RealTimeVehicle(spec(ELASTIC_CAR))
    model.settle()
    model.start(20.0)
    run = model.advance(0.0, 0.0, 0.0, 0.0, steering_wheel_torque=torque)
    assert differences(ELASTIC_CAR, rows, run) <= TOLERANCE
    assert np.abs(run[signals.TORSION_BAR_TWIST]).max() > 1e-3
    fmu.close()


def test_friction_slope_and_external_force(unzipped: Unzipped) -> None:
    fmu = Fmu(unzipped(VAN, FmiVersion.FMI3))
    model = RealTimeVehicle(spec(VAN))
    model.tilt(0.05)
    model.set_friction(0.4)
    model.settle()
    model.start(15.0, 3)
    model.push([0.0, 1500.0, 0.0], [0.5, 0.0, 1.2])
    run = model.advance(np.zeros(300), 0.1, 0.6, 3.0)
    angle = np.arctan(0.05)
    settings = {"initial.speed": 15.0, "initial.gear": 3, "road.down.x": -np.sin(angle), "road.down.z": -np.cos(angle)}
    settings |= {f"{corner}.friction": 0.4 for corner in Corner}
    settings |= {"external.force.y": 1500.0, "external.point.x": 0.5, "external.point.z": 1.2}
    inputs = {"driver.throttle": np.full(300, 0.1), "driver.brake": np.full(300, 0.6), "driver.gear": np.full(300, 3)}
    rows = drive(fmu, settings, inputs)
    assert differences(VAN, rows, run) <= TOLERANCE
    fmu.close()


#: What the tyres of a vehicle feel, and how it moves on its plane.
FELT = ("body.yaw_rate", *(f"{corner}.{force}" for corner in Corner for force in ("Fx", "Fy", "Fz")))


def steered_on(fmu: Fmu, settings: Mapping[str, float], bank: float) -> np.ndarray:
    """What is felt while the steering wheel turns, on ground z = −bank·y that is given where the FMU says it looks."""
    fmu.call("reset")
    rows = []
    fmu.start({"initial.speed": 15.0, **settings})
    for i in range(400):
        ys = fmu.get(*(f"{corner}.y" for corner in Corner))
        fmu.set_all({f"{corner}.road_height": -bank * y for corner, y in zip(Corner, ys, strict=True)})
        fmu.set(driver__steering_wheel_angle=0.3 * min(1.0, i / 200.0))
        fmu.step()
        rows.append(fmu.get(*FELT))
    return np.array(rows)


@pytest.mark.parametrize("name", [CAR, VAN, DETAILED_CAR])
def test_a_banked_road_is_turned_gravity(name: str, unzipped: Unzipped) -> None:
    """Heights and normals of a plane that falls to the left, against a level road whose gravity is turned as much."""
    bank = 0.04
    fmu = Fmu(unzipped(name, FmiVersion.FMI2))
    plane = {f"{corner}.road_normal.y": bank for corner in Corner}
    for _ in range(3):  # a vehicle that leans looks elsewhere; a jump of heights would be a blow
        ys = fmu.start({"initial.speed": 15.0, **plane}).get(*(f"{corner}.y" for corner in Corner))
        plane |= {f"{corner}.road_height": -bank * y for corner, y in zip(Corner, ys, strict=True)}
        fmu.call("reset")
    angle = np.arctan(bank)
    felt = steered_on(fmu, plane, bank)
    expected = steered_on(fmu, {"road.down.y": np.sin(angle), "road.down.z": -np.cos(angle)}, 0.0)
    level = steered_on(fmu, {}, 0.0)
    fmu.close()
    felt, expected, level = (rows[100:] for rows in (felt, expected, level))  # tyres that stood roll out first
    largest = np.abs(expected).max(axis=0)
    scale = np.append(largest[0], np.repeat(largest[3::3], 3))  # forces over the load of their wheel
    off = np.abs(felt - expected).max(axis=0) / scale
    assert off.max() < 0.01, dict(zip(FELT, off, strict=True))
    assert (np.abs(level - expected).max(axis=0) / scale).max() > 0.03


def test_an_external_moment_turns_the_body(car: Fmu) -> None:
    """About z, in the air of a frictionless road: the yaw acceleration is that of moment over inertia."""
    car.start({"initial.speed": 0.0, **{f"{corner}.friction": 1e-3 for corner in Corner}})
    car.set(external__moment__z=800.0)
    car.step(count=50)
    p = spec(CAR).parameters
    (found,) = car.get("body.yaw_acceleration")
    sprung_alone = 800.0 / p["Izz"]
    assert 0.4 * sprung_alone < found < sprung_alone  # the wheels turn with the body


@pytest.mark.parametrize("name", [CAR, DETAILED_CAR])
def test_a_head_wind_brakes_and_a_side_wind_does_nothing(name: str, unzipped: Unzipped) -> None:
    """Of drag: c ((v + u)² − v²) more than in still air, in closed form; a force at its point does the same."""
    fmu = Fmu(unzipped(name, FmiVersion.FMI3))
    speed, wind, p = 20.0, 12.0, spec(CAR).parameters
    force = p["drag"] * ((speed + wind) ** 2 - speed**2)
    lift = [p[f"lift_{axle}"] * ((speed + wind) ** 2 - speed**2) for axle in ("front", "rear")]

    def after(steps: int, **given: float) -> np.ndarray:
        fmu.call("reset")
        fmu.start({"initial.speed": speed + 0.15})  # it rolls out first
        fmu.set(driver__gear=-1)  # the engine would turn with the wheels
        fmu.step(count=300)
        fmu.set(**given)
        fmu.step(count=steps)
        return np.array(fmu.get("body.vx", "body.ax", "body.pitch", "body.y", "fl.Fz", "rl.Fz"))

    still, blown = after(300), after(300, wind__x=-wind)
    assert (blown - still)[1] == pytest.approx(-force / spec(CAR).mass, rel=0.05)  # it has become slower meanwhile
    assert (blown - still)[0] == pytest.approx(-0.3 * force / spec(CAR).mass, rel=0.05)
    level = spec(CAR).road_height + p["drag_height"]
    pushed = after(300, external__force__x=-force, external__force__z=sum(lift), external__point__z=level)
    assert pushed[:2] == pytest.approx(blown[:2], abs=2e-3)
    assert (np.abs(after(300, wind__y=wind) - still) / np.maximum(1.0, np.abs(still))).max() < 1e-6
    assert after(300, wind__x=speed)[0] > still[0]  # a tail wind as fast as the vehicle takes its drag away
    fmu.close()


def test_where_a_run_begins(car: Fmu) -> None:
    car.start({"initial.speed": 10.0, "initial.x": 100.0, "initial.y": -20.0, "initial.yaw": 0.5})
    before = np.array(car.get("body.x", "body.y", "body.yaw", "fl.x", "fl.y"))
    assert before[2] == pytest.approx(0.5, abs=1e-3)
    car.step(1e-3, 200)
    x, y = np.array(car.get("body.x", "body.y")) - before[:2]
    assert np.arctan2(y, x) == pytest.approx(0.5, abs=2e-3)
    assert np.hypot(*(before[3:] - before[:2])) == pytest.approx(1.5, abs=0.6)


def test_the_yaw_angle_does_not_jump(car: Fmu) -> None:
    car.start({"initial.speed": 8.0, "initial.yaw": 3.1})
    car.set(driver__steering_wheel_angle=3.0, driver__throttle=0.1)
    yaw = []
    for _ in range(60):
        car.step(0.02)
        yaw += car.get("body.yaw")
    assert yaw[-1] > np.pi
    assert np.abs(np.diff(yaw)).max() < 0.1

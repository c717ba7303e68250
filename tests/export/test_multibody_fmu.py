"""The multibody model as FMU: hardpoints, factors and property files are changed before it is initialised."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from open_fmus import CAR, DETAILED_CAR, DETAILED_VAN, Fmu, RefusedError, exported, reals_of

from trackrod.adams.vehicle import read_vehicle
from trackrod.export.check import TOLERANCE, CheckDrive, compare, drive_data, drive_multibody, usual_drive
from trackrod.export.model_description import FmiVersion
from trackrod.multibody.steering import SteeringModel
from trackrod.vehicle.catalogue import BUNDLED

Unzipped = Callable[[str, FmiVersion], Path]
TIE_ROD = "front_suspension.tierod_outer_left"


@pytest.fixture
def folder(unzipped: Unzipped) -> Path:
    return unzipped(DETAILED_CAR, FmiVersion.FMI2)


@pytest.fixture
def car(folder: Path) -> Iterator[Fmu]:
    made = Fmu(folder)
    yield made
    made.close()


def drive(fmu: Fmu, drive: CheckDrive, settings: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
    """Outputs after each step."""
    fmu.start({**drive.settings, **(settings or {})})
    rows = []
    for i in range(drive.steps):
        fmu.set_all({name: float(values[i]) for name, values in drive.inputs.items()})
        fmu.step(drive.step)
        rows.append(fmu.outputs())
    return dict(zip(reals_of(DETAILED_CAR), np.array(rows).T, strict=True))


def go_on(fmu: Fmu, first: int, last: int) -> np.ndarray:
    """A part of a manoeuvre: outputs after each step."""
    rows = []
    for i in range(first, last):
        fmu.set(driver__steering_wheel_angle=0.1 * np.sin(0.02 * i), driver__brake=0.2 if i > 20 else 0.0)
        fmu.step()
        rows.append(fmu.outputs())
    return np.array(rows)


def test_a_tie_rod_moved_by_five_millimetres(car: Fmu) -> None:
    usual = usual_drive(seconds=0.2)
    x, y, z = read_vehicle(BUNDLED[CAR].assembly).vehicle.hardpoints[TIE_ROD]
    moved = read_vehicle(BUNDLED[CAR].assembly, hardpoints={TIE_ROD: (x, y, z + 5e-3)}).vehicle
    run = drive_multibody(moved, usual, steering=SteeringModel.MECHANISM)
    found = drive(car, usual, {f"hardpoints.{TIE_ROD}.z": z + 5e-3})
    assert max(compare(run, found).values()) <= TOLERANCE
    assert max(compare(exported(DETAILED_CAR).driven(usual), found).values()) > 1e-3


def test_long_steps_have_the_iterations_of_the_model(car: Fmu) -> None:
    usual = usual_drive(seconds=0.1, step=2e-3)
    found = drive(car, usual, {"solver.step": usual.step})
    assert max(compare(exported(DETAILED_CAR).driven(usual), found).values()) <= TOLERANCE


def test_a_replaced_property_file_is_another_spring(folder: Path, tmp_path: Path) -> None:
    """The points of a spring's file a fifth higher are the factor 1.2 on its force."""
    usual = usual_drive(seconds=0.05)
    name = "springs.front_suspension.ride_spring_left"
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    file = other / "resources" / "properties" / f"{name}.csv"
    head, *rows = file.read_text().splitlines()
    points = [row.split(",") for row in rows]
    file.write_text("\n".join([head, *(f"{part},{x},{1.2 * float(y)!r}" for part, x, y in points)]) + "\n")
    stiffer, same = Fmu(other), Fmu(folder)
    found, expected = drive(stiffer, usual), drive(same, usual, {f"{name}.force": 1.2})
    for output, values in expected.items():
        assert np.array_equal(found[output], values), output
    assert abs(found["fl.Fz"] - exported(DETAILED_CAR).driven(usual)["Fz_fl_N"]).max() > 10.0
    with pytest.raises(RefusedError, match="another vehicle"):
        same.read(stiffer.written(stiffer.keep()))
    file.write_text(f"{head}\nforce,0.0\n")
    with pytest.raises(Exception, match="instantiate"):
        Fmu(other)
    stiffer.close()
    same.close()


def test_road_normals_and_a_torque_that_steers(car: Fmu) -> None:
    steps = 60
    inputs = {"driver.steering_wheel_torque": np.linspace(0.0, 2.0, steps), "driver.steered_by_torque": np.ones(steps)}
    inputs |= {f"{corner}.road_normal.y": np.full(steps, 0.03) for corner in ("fl", "fr", "rl", "rr")}
    given = CheckDrive({"initial.speed": 15.0}, inputs)
    found = drive(car, given)
    assert max(compare(drive_data(exported(DETAILED_CAR).data, given), found).values()) <= TOLERANCE
    level = replace(given, inputs={name: values for name, values in inputs.items() if "normal" not in name})
    assert abs(drive_data(exported(DETAILED_CAR).data, level)["ay_mps2"][-1] - found["body.ay"][-1]) > 0.01


def test_states_go_on_bit_for_bit_also_in_another_instance(car: Fmu, folder: Path) -> None:
    """The model keeps a matrix over steps, which belongs to the state; taking a state changes nothing."""
    other = Fmu(folder)
    undisturbed = go_on(other.start({"initial.speed": 20.0}), 0, 60)
    first = go_on(car.start({"initial.speed": 20.0}), 0, 20)
    state, time = car.keep(), car.time
    written = car.written(state)
    rest = go_on(car, 20, 60)
    assert np.array_equal(np.vstack((first, rest)), undisturbed)
    car.restore(state)
    car.time = time
    assert np.array_equal(go_on(car, 20, 60), rest)
    other.call("reset")
    moved = float(car.variables[f"hardpoints.{TIE_ROD}.z"].start) + 2e-3
    other.start({"initial.speed": 12.0, "payload.mass": 100.0, f"hardpoints.{TIE_ROD}.z": moved})
    other.step()
    other.restore(other.read(written))
    other.time = time
    assert np.array_equal(go_on(other, 20, 60), rest)
    other.close()


def test_instances_in_threads_drive_as_one(unzipped: Unzipped) -> None:
    folder = unzipped(DETAILED_VAN, FmiVersion.FMI3)

    def run(speed: float) -> np.ndarray:
        fmu = Fmu(folder)
        rows = go_on(fmu.start({"initial.speed": speed}), 0, 15)
        fmu.close()
        return rows

    speeds = [10.0, 14.0] * 4
    alone = {speed: run(speed) for speed in set(speeds)}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, speeds))
    assert all(np.array_equal(rows, alone[speed]) for rows, speed in zip(together, speeds, strict=True))


def test_what_has_no_equilibrium_says_so_and_can_be_reset(car: Fmu) -> None:
    with pytest.raises(RefusedError, match=r"error: the initialisation failed: .* no equilibrium"):
        car.start({"payload.mass": 1e6})
    car.call("reset")
    spring = next(name for name in car.variables if name.startswith("springs."))
    with pytest.raises(RefusedError, match=r"discard: .* is allowed"):
        car.set_all({spring: 1000.0})
    go_on(car.start({"initial.speed": 10.0}), 0, 2)

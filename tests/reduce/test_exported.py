"""Quarter cars as FMUs: valid, as Python drives them, with states and parameters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from trackrod.core.artefact import Artefact, save
from trackrod.core.errors import InputError
from trackrod.export.check import check_fmu, drive_fmu
from trackrod.export.fmu import write_fmu
from trackrod.export.model_description import FmiVersion
from trackrod.export.runtimes import host_platform
from trackrod.export.vehicle import ExportedVehicle
from trackrod.reduce.exported import exported_file, exported_quarter_car, exported_reduced_vehicle
from trackrod.reduce.model import QUARTER_CAR
from trackrod.reduce.reduction import AxleReduction
from trackrod.reduce.vehicle import REDUCED_VEHICLE, ReducedVehicle, reduced_vehicle
from trackrod.vehicle.vehicle import Vehicle

fmpy = pytest.importorskip("fmpy")


@pytest.fixture(scope="module")
def joined(suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> ReducedVehicle:
    return reduced_vehicle(suv, front.car, rear.car)


def write(exported: ExportedVehicle, version: FmiVersion, path: Path, *, check: bool = True):
    platform = host_platform()
    assert platform is not None
    return write_fmu(exported, version, [platform], path.parent, path, check=check)


@pytest.mark.parametrize("version", FmiVersion)
def test_drives_as_python_does(
    joined: ReducedVehicle, rear: AxleReduction, tmp_path: Path, version: FmiVersion
) -> None:
    for exported, outputs in ((exported_quarter_car(rear.car), 4), (exported_reduced_vehicle(joined), 18)):
        result = write(exported, version, tmp_path / f"{exported.model}.fmu")
        assert result is not None
        assert result.passed
        assert result.outputs == outputs


def test_forces_of_a_quarter_car_balance(rear: AxleReduction, tmp_path: Path) -> None:
    """Spring, damper, load and weight move the effective mass: the damper's force is told, mount and all."""
    car = rear.car
    exported = exported_quarter_car(car)
    write(exported, FmiVersion.FMI2, tmp_path / "car.fmu", check=False)
    assert exported.drive is not None
    names = ["wheel.z", "wheel.vz", "wheel.az", "spring.force", "damper.force"]
    z, v, a, spring, damper = drive_fmu(tmp_path / "car.fmu", exported.drive, names).values()
    g = car.core.geometry(np.ascontiguousarray(z))
    links = car.parameters["unsprung_share"] * car.known["link_mass"]
    mass, slope = g[:, 4, 0] + links * g[:, 5, 0], g[:, 4, 1] + links * g[:, 5, 1]
    weight = 9.80665 * (links + g[:, 3, 1] * car.known["mass"])
    load = exported.drive.value("wheel.Fz") * g[:, 2, 1]
    left = mass * a + 0.5 * slope * v**2 - spring * g[:, 0, 1] - damper * g[:, 1, 1] + weight - load
    np.testing.assert_allclose(left, 0.0, atol=1e-5 * np.abs(load).max())


def test_parameters_are_those_of_python(joined: ReducedVehicle, tmp_path: Path) -> None:
    """Springs that are set in the FMU do what they do in Python."""
    exported = exported_reduced_vehicle(joined)
    stiff = exported_reduced_vehicle(joined.with_springs_and_dampers(spring=1.3))
    write(exported, FmiVersion.FMI3, tmp_path / "car.fmu", check=False)
    assert exported.drive is not None
    names = [f"{c}.spring_{n}" for c in ("fl", "fr", "rl", "rr") for n in ("rate", "second", "third")]
    start = {v.name: v.start for v in stiff.variables if v.name in names}
    assert len(start) == 12
    drive = type(exported.drive)({**start, "initial.speed": 15.0}, exported.drive.inputs, exported.drive.step)
    told = drive_fmu(tmp_path / "car.fmu", drive, ["body.z", "fl.Fz"])
    run = stiff.driven(drive)
    for name, column in (("body.z", "z_m"), ("fl.Fz", "Fz_fl_N")):
        np.testing.assert_allclose(told[name], run[column], rtol=1e-9, atol=1e-12)


def test_a_state_goes_on(joined: ReducedVehicle, tmp_path: Path) -> None:
    write(exported_reduced_vehicle(joined), FmiVersion.FMI2, tmp_path / "car.fmu", check=False)
    description = fmpy.read_model_description(str(tmp_path / "car.fmu"))
    places = {v.name: v.valueReference for v in description.modelVariables}
    unpacked = fmpy.extract(str(tmp_path / "car.fmu"), str(tmp_path / "unpacked"))
    fmu = fmpy.fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=unpacked, modelIdentifier=description.coSimulation.modelIdentifier
    )
    fmu.instantiate()
    fmu.setupExperiment()
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()

    def go(first: int, count: int) -> list[float]:
        for i in range(first, first + count):
            fmu.setReal([places["fl.road_height"]], [0.01 * np.sin(0.02 * i)])
            fmu.doStep(1e-3 * i, 1e-3)
        return list(fmu.getReal([places["fl.Fz"], places["body.roll"]]))

    go(0, 100)
    state = fmu.getFMUState()
    once = go(100, 50)
    fmu.setFMUState(state)
    assert go(100, 50) == once
    fmu.terminate()
    fmu.freeInstance()


def test_saved_files(joined: ReducedVehicle, rear: AxleReduction, tmp_path: Path) -> None:
    save(Artefact(QUARTER_CAR, rear.car), tmp_path / "corner.json")
    save(Artefact(REDUCED_VEHICLE, joined), tmp_path / "vehicle.json")
    (tmp_path / "other.json").write_text(json.dumps({}))
    found = [exported_file(tmp_path / f"{name}.json") for name in ("corner", "vehicle", "other")]
    assert [one.model if one else None for one in found] == ["quarter_car", "reduced_vehicle", None]
    write(exported_quarter_car(rear.car), FmiVersion.FMI3, tmp_path / "corner.fmu", check=False)
    with pytest.raises(InputError, match="quarter cars are checked where they are exported"):
        check_fmu(tmp_path / "corner.fmu")

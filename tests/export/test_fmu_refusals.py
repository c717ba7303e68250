"""What an FMU refuses: a status and a sentence, never a crash, and the instance can go on or be reset."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from open_fmus import CAR, VERSIONS, Fmu, RefusedError

from trackrod.export.model_description import FmiVersion

Unzipped = Callable[[str, FmiVersion], Path]


def test_calls_in_the_wrong_state(car: Fmu) -> None:
    with pytest.raises(RefusedError, match=r"error: values cannot be read before the initialisation"):
        car.outputs()
    with pytest.raises(RefusedError, match=r"error: a step cannot be made before the initialisation"):
        car.step()
    with pytest.raises(RefusedError, match=r"error: there is no initialisation to end before"):
        car.call("exitInitializationMode")
    with pytest.raises(RefusedError, match=r"error: there is nothing to end"):
        car.call("terminate")
    car.start({"initial.speed": 10.0})
    with pytest.raises(RefusedError, match=r"error: parameter\.sprung_mass is fixed"):
        car.set(parameter__sprung_mass=1500.0)
    with pytest.raises(RefusedError, match=r"error: body\.ay is an output"):
        car.set(body__ay=1.0)
    car.step()
    car.call("terminate")
    with pytest.raises(RefusedError, match=r"error: a step cannot be made after the end"):
        car.step()
    assert np.isfinite(car.outputs()).all()
    car.call("reset")
    car.start().step()


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (0.0, "error: the communication step is 0 s"),
        (-1e-3, "error: the communication step is -0.001 s"),
        (math.nan, "error: the communication step is nan s"),
        (math.inf, "error: the communication step is inf s"),
        (1.5e-3, "discard: the communication step 0.0015 s is no multiple"),
        (1e-4, "discard: the communication step 0.0001 s is no multiple"),
    ],
)
def test_steps_that_do_not_fit(car: Fmu, length: float, said: str) -> None:
    car.start({"initial.speed": 10.0})
    before = car.outputs()
    with pytest.raises(RefusedError) as refused:
        car.step(length)
    assert str(refused.value).startswith(said)
    assert np.array_equal(car.outputs(), before)
    car.time = 0.0
    car.step()  # it goes on


def test_a_step_from_elsewhere(car: Fmu) -> None:
    car.start(stop=0.002)
    car.step()
    car.time = 0.5
    with pytest.raises(RefusedError, match=r"error: a step from 0\.5 s was asked for, the vehicle is at 0\.001 s"):
        car.step()
    car.time = 0.001
    with pytest.raises(RefusedError, match="behind the stop time"):
        car.step(0.01)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1.5, -0.1])
def test_inputs_out_of_range_change_nothing(car: Fmu, value: float) -> None:
    car.start({"driver.brake": 0.25})
    with pytest.raises(RefusedError, match=r"discard: driver\.brake is"):
        car.set(driver__brake=value)
    assert car.get("driver.brake") == [0.25]
    car.step()


def test_parameters_out_of_range(car: Fmu) -> None:
    with pytest.raises(RefusedError, match=r"discard: parameter\.sprung_mass is -5, 1e-06 to 1000000 is allowed"):
        car.set(parameter__sprung_mass=-5.0)
    with pytest.raises(RefusedError, match=r"the initialisation failed: the inertia .* not positive definite"):
        car.start({"parameter.Ixz": 1e6})
    with pytest.raises(RefusedError, match=r"error: values cannot be read after an error"):
        car.outputs()
    car.call("reset")
    car.start({"initial.speed": 10.0}).step()


def test_a_mass_that_no_spring_carries(car: Fmu) -> None:
    with pytest.raises(RefusedError, match="the initialisation failed"):
        car.start({"parameter.sprung_mass": 9e5})
    car.call("reset")
    car.start().step()


def test_inputs_that_do_not_fit_together(car: Fmu) -> None:
    car.start()
    car.set(road__down__x=0.5)
    with pytest.raises(RefusedError, match=r"error: road\.down is no unit vector"):
        car.step()
    car.set(road__down__x=0.0)
    car.step()
    assert "driver.steered_by_torque" not in car.variables  # a rigid steering has none


def test_unknown_references(car: Fmu) -> None:
    car.start()
    real = "Float64" if car.three else "Real"
    for reference in (7, 299_999, 200_001, 399_000, 4_000_000_000):
        with pytest.raises(RefusedError, match=f"error: there is no real variable with the reference {reference}"):
            car.call(f"get{real}", [reference])
    with pytest.raises(RefusedError, match="error: there is no real variable"):
        car.call(f"set{real}", [car.variables["driver.gear"].valueReference], [1.0])


@pytest.fixture
def damaged(tmp_path: Path, unzipped: Unzipped) -> Path:
    return Path(shutil.copytree(unzipped(CAR, FmiVersion.FMI2), tmp_path / "damaged"))


def test_damaged_resources(damaged: Path) -> None:
    """No byte of the file may be another one, or missing, without being noticed."""
    file = damaged / "resources" / "vehicle.bin"
    whole = file.read_bytes()
    rng = np.random.default_rng(1)
    changed = [whole[:size] for size in (0, 10, 63, 64, 200, len(whole) - 1)] + [whole + b"\0"]
    for place in (*range(0, 48, 3), *rng.integers(64, len(whole), 12)):
        broken = bytearray(whole)
        broken[place] ^= 1 << int(rng.integers(8))
        changed.append(bytes(broken))
    for content in changed:
        file.write_bytes(content)
        with pytest.raises(Exception, match="Failed to instantiate"):
            Fmu(damaged)
    file.unlink()
    with pytest.raises(Exception, match="Failed to instantiate"):
        Fmu(damaged)
    file.write_bytes(whole)
    Fmu(damaged).close()


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_another_token(version: FmiVersion, tmp_path: Path, unzipped: Unzipped) -> None:
    folder = Path(shutil.copytree(unzipped(CAR, version), tmp_path / "other"))
    file = folder / "modelDescription.xml"
    name = 'guid="{' if version is FmiVersion.FMI2 else 'instantiationToken="{'
    file.write_text(file.read_text().replace(name, f"{name}0"))
    with pytest.raises(Exception, match="Failed to instantiate"):
        Fmu(folder)

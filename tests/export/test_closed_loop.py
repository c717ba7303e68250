"""Two FMUs in a loop: the vehicle, and a brake control that is another model behind the same shell."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssv
from fmpy.validation import validate_fmu
from open_fmus import CAR, content

from trackrod.export.model_description import FmiVersion

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "abs" / "closed_loop.py"


@pytest.mark.skipif(shutil.which("c++") is None, reason="the controller needs a C++ compiler")
def test_a_brake_control_keeps_the_wheels_turning(tmp_path: Path) -> None:
    found = importlib.util.spec_from_file_location("closed_loop", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    loop = importlib.util.module_from_spec(found)
    found.loader.exec_module(loop)
    vehicle, controller = tmp_path / "car.fmu", tmp_path / "abs.fmu"
    vehicle.write_bytes(content(CAR, FmiVersion.FMI2))
    loop.build_controller(controller)
    assert validate_fmu(str(controller)) == []
    pedal = loop.brake(vehicle, None, tmp_path / "pedal", 9.0)
    control = loop.brake(vehicle, controller, tmp_path / "control", 9.0)
    assert loop.slowest_wheel(pedal) < 0.1
    assert loop.slowest_wheel(control) > 0.7
    assert control[-1, 0] < 0.95 * pedal[-1, 0]

    package = tmp_path / "braking.ssp"
    loop.write_ssp(vehicle, controller, package)
    values = tmp_path / "manoeuvre.ssv"
    shutil.unpack_archive(package, tmp_path / "unpacked", "zip")
    values = tmp_path / "unpacked" / "resources" / "manoeuvre.ssv"
    result = simulate_ssp(str(package), stop_time=0.3, step_size=1e-3, parameter_set=read_ssv(str(values)))
    assert 18.9 < result["car.body.vx"][-1] < 19.7
    assert result["abs.fl.torque"].max() > 100.0
    if importlib.util.find_spec("libcosimpy") is not None:
        assert in_cosim(tmp_path / "unpacked", 300) == pytest.approx(result["car.body.vx"][-1], rel=1e-12)


def in_cosim(folder: Path, steps: int) -> float:
    """Speed of the vehicle after so many steps in the Open Simulation Platform."""
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver

    execution = CosimExecution.from_ssp_file(ssp_path=str(folder), step_size=1e6)  # nanoseconds
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    car = execution.slave_index_from_instance_name("car")
    (speed,) = (item.reference for item in execution.slave_variables(car) if item.name == b"body.vx")
    for _ in range(steps):
        execution.step()
    return float(observer.last_real_values(car, [speed])[0])

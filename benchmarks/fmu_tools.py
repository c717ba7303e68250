"""One FMU (FMI 2.0, Co-Simulation) in three programs, with inputs from one CSV file, and how far they lie apart.

usage: python -m benchmarks.fmu_tools VEHICLE.fmu [SECONDS]

Needs fmpy, ecospy (with tbb) and libcosimpy. All three must agree to 1e-9 of the largest value of each output.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from trackrod.export.check import TOLERANCE, CheckDrive, drive_fmu, usual_drive

#: What is compared.
OUTPUTS = ("body.x", "body.y", "body.yaw_rate", "body.ay", "body.roll", "fl.Fz", "rr.Fy", "fr.wheel_speed")
Rows = dict[str, np.ndarray]


def write_inputs(drive: CheckDrive, path: Path) -> None:
    """The inputs of a drive as a CSV file with a head."""
    columns = np.column_stack([drive.value(name) for name in drive.inputs])
    np.savetxt(path, columns, delimiter=",", header=",".join(drive.inputs), comments="", fmt="%.17g")


def read_inputs(path: Path) -> Rows:
    """The columns of such a file."""
    names = path.read_text().partition("\n")[0].split(",")
    return dict(zip(names, np.loadtxt(path, delimiter=",", skiprows=1).T, strict=True))


def in_fmpy(fmu: Path, settings: Mapping[str, float], inputs: Rows) -> Rows:
    """With fmpy."""
    return drive_fmu(fmu, CheckDrive(settings, inputs), OUTPUTS)


def in_ecos(fmu: Path, settings: Mapping[str, float], inputs: Rows) -> Rows:
    """With ecospy, which looks for the library of the package ``tbb``."""
    for library in (Path(sys.prefix) / "lib").glob("libtbb.so.12"):
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    from ecospy import EcosSimulation, EcosSimulationStructure  # noqa: PLC0415

    structure = EcosSimulationStructure()
    structure.add_model("car", str(fmu))
    structure.add_parameter_set("start", {f"car::{name}": value for name, value in settings.items()})
    simulation = EcosSimulation(structure=structure, step_size=1e-3)
    simulation.init(parameter_set="start")
    found: dict[str, list[float]] = {name: [] for name in OUTPUTS}
    for i in range(len(next(iter(inputs.values())))):
        for name, values in inputs.items():
            simulation.set_real(f"car::{name}", float(values[i]))
        simulation.step(1)
        for name in OUTPUTS:
            found[name].append(simulation.get_real(f"car::{name}"))
    simulation.terminate()
    simulation.free()
    return {name: np.array(values) for name, values in found.items()}


def in_cosim(fmu: Path, settings: Mapping[str, float], inputs: Rows) -> Rows:
    """With libcosimpy, the Open Simulation Platform."""
    from libcosimpy.CosimExecution import CosimExecution  # noqa: PLC0415
    from libcosimpy.CosimManipulator import CosimManipulator  # noqa: PLC0415
    from libcosimpy.CosimObserver import CosimObserver  # noqa: PLC0415
    from libcosimpy.CosimSlave import CosimLocalSlave  # noqa: PLC0415

    execution = CosimExecution.from_step_size(step_size=1e6)  # nanoseconds
    car = execution.add_local_slave(CosimLocalSlave(fmu_path=str(fmu), instance_name="car"))
    observer, manipulator = CosimObserver.create_last_value(), CosimManipulator.create_override()
    execution.add_observer(observer)
    execution.add_manipulator(manipulator)
    names = {item.name.decode(): item.reference for item in execution.slave_variables(car)}
    for name, value in settings.items():
        execution.real_initial_value(car, names[name], value)
    given, told = [names[name] for name in inputs], [names[name] for name in OUTPUTS]
    rows = []
    for values in zip(*inputs.values(), strict=True):
        manipulator.slave_real_values(car, given, [float(value) for value in values])
        execution.step()
        rows.append(observer.last_real_values(car, told))
    return dict(zip(OUTPUTS, np.array(rows).T, strict=True))


PROGRAMS: dict[str, Callable[[Path, Mapping[str, float], Rows], Rows]] = {
    "fmpy": in_fmpy,
    "ecospy": in_ecos,
    "libcosimpy": in_cosim,
}


def main(fmu: Path, seconds: float) -> int:
    drive = usual_drive(seconds=seconds)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "inputs.csv"
        write_inputs(drive, file)
        inputs = read_inputs(file)
    reference, worst = None, 0.0
    for name, run in PROGRAMS.items():
        found = run(fmu, drive.settings, inputs)
        reference = reference or found
        apart = max(np.abs(found[o] - reference[o]).max() / max(1.0, np.abs(reference[o]).max()) for o in OUTPUTS)
        worst = max(worst, float(apart))
        print(f"{name:>10}: {len(found[OUTPUTS[0]])} steps, {apart:.2g} from fmpy", flush=True)
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0))

"""A closed loop of two FMUs: a vehicle and a brake control, braking on a slippery road; then the same as one SSP file.

usage: python closed_loop.py VEHICLE.fmu FOLDER

The controller is compiled with the machine's C++ compiler from ``abs_model.cpp`` and the sources of Trackrod's runtime.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
import fmpy.fmi2
import numpy as np

from trackrod.core.quantities import KINDS
from trackrod.export.data_file import data_file
from trackrod.export.layout import GROUPS, Group, Type
from trackrod.export.model_description import Description, FmiVersion, model_description
from trackrod.export.runtimes import host_platform, source_files
from trackrod.export.variables import Variable

HERE = Path(__file__).resolve().parent
CORNERS = ("fl", "fr", "rl", "rr")
TOKEN, OWN_MODEL = "{6d0a6f4e-0a4f-4f0e-9a51-7d1d0b6f3a11}", 100
#: From which output to which input; True: from the vehicle to the controller.
WIRES = (
    ("body.vx", "speed", True),
    *((f"{corner}.wheel_speed", f"{corner}.wheel_speed", True) for corner in CORNERS),
    *((f"{corner}.torque", f"{corner}.added_brake_torque", False) for corner in CORNERS),
)


def variables() -> list[Variable]:
    """What the controller takes and tells, in the order of ``abs_model.cpp``."""
    parameters = (
        ("radius", "length", 0.3, "of the wheels"),
        ("slip", "number", 0.12, "that is allowed"),
        ("torque", "torque", 3000.0, "of each wheel at full pedal"),
        ("rate", "torque", 4000.0, "at which the torque rises, in N.m/s; it falls twenty times as fast"),
    )
    inputs = (("pedal", "number", 0.0, "0 to 1"), ("speed", "velocity", 0.0, "of the vehicle"))
    inputs += tuple((f"{c}.wheel_speed", "angular_velocity", 0.0, "of the wheel") for c in CORNERS)
    outputs = tuple((f"{c}.torque", "torque", 0.0, "of the wheel's brake") for c in CORNERS)
    groups = {Group.PARAMETERS: parameters, Group.INPUTS: inputs, Group.OUTPUTS: outputs}
    return [
        Variable(GROUPS[group] + place, name, group, Type.REAL, KINDS[kind], meaning, start)
        for group, rows in groups.items()
        for place, (name, kind, start, meaning) in enumerate(rows)
    ]


def build_controller(path: Path) -> None:
    """Write the FMU of the controller."""
    folder = path.parent / "controller_sources"
    shutil.rmtree(folder, ignore_errors=True)
    for name, source in source_files().items():
        if name not in ("models.cpp", "rtm_model.hpp", "fmi3.cpp"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    shutil.copy(HERE / "abs_model.cpp", folder)
    host = host_platform()
    library = folder / f"abs{host.suffix}"
    compiler = next(name for name in ("c++", "g++", "clang++") if shutil.which(name))
    sources = [str(folder / name) for name in ("fmi2.cpp", "instance.cpp", "abs_model.cpp")]
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{folder}"]
    subprocess.run([compiler, *flags, *sources, "-o", str(library)], check=True)
    listed = variables()
    about = Description("abs", "abs", TOKEN, "a brake control that keeps wheels turning")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", model_description(FmiVersion.FMI2, about, listed))
        archive.write(library, f"binaries/{host.name}/abs{host.suffix}")
        archive.writestr("resources/vehicle.bin", data_file(OWN_MODEL, TOKEN, listed, {}))


class Slave:
    """An instance of an FMU of FMI 2, variables by name."""

    def __init__(self, path: Path, folder: Path) -> None:
        found = fmpy.read_model_description(str(path))
        fmpy.extract(str(path), str(folder))
        identifier = found.coSimulation.modelIdentifier
        self.fmu = fmpy.fmi2.FMU2Slave(guid=found.guid, unzipDirectory=str(folder), modelIdentifier=identifier)
        self.fmu.instantiate()
        self.references = {v.name: v.valueReference for v in found.modelVariables}

    def set(self, values: dict[str, float]) -> None:
        """Real variables."""
        self.fmu.setReal([self.references[name] for name in values], list(values.values()))

    def get(self, names: list[str]) -> list[float]:
        """Real variables."""
        return self.fmu.getReal([self.references[name] for name in names])

    def start(self) -> None:
        """Initialise."""
        self.fmu.setupExperiment()
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()


def brake(vehicle: Path, controller: Path | None, folder: Path, speed: float = 20.0) -> np.ndarray:
    """Full braking from a speed [m/s] where the friction is 0.3, without a controller by the pedal.

    Rows of time, speed and the speeds of the wheels.
    """
    car = Slave(vehicle, folder / "car")
    car.set({"initial.speed": speed, **{f"{corner}.friction": 0.3 for corner in CORNERS}})
    car.fmu.setInteger([car.references["driver.gear"]], [-1])  # the clutch is open
    car.start()
    abs_control = None
    if controller is None:
        car.set({"driver.brake": 1.0})
    else:
        abs_control = Slave(controller, folder / "abs")
        abs_control.start()
        abs_control.set({"pedal": 1.0})
    told, rows = ["body.vx", *(f"{corner}.wheel_speed" for corner in CORNERS)], []
    to_controller = {source: target for source, target, forward in WIRES if forward}
    to_car = {source: target for source, target, forward in WIRES if not forward}
    for i in range(9000):
        time = i * 1e-3
        now = dict(zip(told, car.get(told), strict=True))
        rows.append([time, *now.values()])
        if now["body.vx"] < 2.0:
            break
        if abs_control is not None:
            abs_control.set({to_controller[name]: value for name, value in now.items()})
            torques = abs_control.get(list(to_car))
            car.set(dict(zip(to_car.values(), torques, strict=True)))
            abs_control.fmu.doStep(time, 1e-3)
        car.fmu.doStep(time, 1e-3)
    return np.array(rows)


def slowest_wheel(rows: np.ndarray) -> float:
    """Least speed of a wheel over that of a rolling one, above 4 m/s."""
    over = rows[:, 2:].min(axis=1) / rows[:, 1]
    return float((over / over[0])[rows[:, 1] > 4.0].min())


def write_ssp(vehicle: Path, controller: Path, path: Path) -> None:
    """Both FMUs, their wires and the values of the manoeuvre in one file."""
    wires = "\n".join(
        f'<ssd:Connection startElement="{"car" if forward else "abs"}" startConnector="{source}" '
        f'endElement="{"abs" if forward else "car"}" endConnector="{target}"/>'
        for source, target, forward in WIRES
    )
    values = {"car": {"initial.speed": 20.0, **{f"{c}.friction": 0.3 for c in CORNERS}, "driver.gear": -1}}
    values["abs"] = {"pedal": 1.0}
    connectors = {
        "car": [(s if forward else t, "output" if forward else "input") for s, t, forward in WIRES],
        "abs": [(t if forward else s, "input" if forward else "output") for s, t, forward in WIRES],
    }
    parts = "\n".join(
        f'<ssd:Component name="{name}" type="application/x-fmu-sharedlibrary" source="resources/{name}.fmu">'
        "<ssd:Connectors>"
        + "".join(
            f'<ssd:Connector name="{c}" kind="{kind}"><ssc:Real/></ssd:Connector>' for c, kind in connectors[name]
        )
        + f'</ssd:Connectors><ssd:ParameterBindings><ssd:ParameterBinding source="resources/{name}.ssv"/>'
        "</ssd:ParameterBindings></ssd:Component>"
        for name in ("car", "abs")
    )
    system = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ssd:SystemStructureDescription version="1.0" name="abs" '
        'xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
        'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">'
        '<ssd:System name="braking">'
        f"<ssd:Elements>{parts}</ssd:Elements>"
        f"<ssd:Connections>{wires}</ssd:Connections></ssd:System>"
        '<ssd:DefaultExperiment startTime="0" stopTime="4"/></ssd:SystemStructureDescription>\n'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SystemStructure.ssd", system)
        archive.write(vehicle, "resources/car.fmu")
        archive.write(controller, "resources/abs.fmu")
        for name, given in values.items():
            archive.writestr(f"resources/{name}.ssv", parameter_values(given))
        # all of them once more, for programs that are given one set and look at no bindings, as fmpy
        joined = {f"{name}.{key}": value for name, given in values.items() for key, value in given.items()}
        archive.writestr("resources/manoeuvre.ssv", parameter_values(joined))


def parameter_values(given: dict[str, float]) -> str:
    """An ``.ssv`` file."""
    rows = "".join(
        f'<ssv:Parameter name="{name}"><ssv:{"Integer" if isinstance(value, int) else "Real"} value="{value!r}"/>'
        "</ssv:Parameter>"
        for name, value in given.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ssv:ParameterSet version="1.0" name="manoeuvre" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">'
        f"<ssv:Parameters>{rows}</ssv:Parameters></ssv:ParameterSet>\n"
    )


def main(vehicle: Path, folder: Path) -> None:
    """Brake without and with the controller, and write the SSP file."""
    folder.mkdir(parents=True, exist_ok=True)
    controller = folder / "abs.fmu"
    build_controller(controller)
    for name, with_control in (("pedal alone", None), ("brake control", controller)):
        rows = brake(vehicle, with_control, folder / name.replace(" ", "_"))
        print(
            f"{name}: {rows[-1, 0]:.2f} s to {rows[-1, 1]:.1f} m/s, slowest wheel {slowest_wheel(rows):.2f} of rolling"
        )
    write_ssp(vehicle, controller, folder / "braking.ssp")
    print(f"wrote {folder / 'braking.ssp'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

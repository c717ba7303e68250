"""FMUs of all bundled vehicles, both models, FMI 2.0 and 3.0: valid, as the Python run, alike in many threads.

usage: python -m benchmarks.fmu_vehicles [--seconds 3] [--instances 100] [VEHICLE ...]

Each FMU is validated by fmpy and driven against the model of this package; then so many instances drive in eight
threads and must tell the numbers of one that drives alone. The K&C maps of the real-time models have few points: what
is compared are two programs with the same numbers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fmpy
import fmpy.fmi2
import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import convert
from trackrod.core.corners import Axle
from trackrod.export.check import check_fmu
from trackrod.export.fmu import write_fmu
from trackrod.export.model_description import FmiVersion
from trackrod.export.runtimes import host_platform
from trackrod.export.vehicle import ExportedVehicle, exported_multibody, exported_rtm
from trackrod.kc.study import KcSettings, characterise
from trackrod.multibody.steering import usual_steering
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.workflow.cache import cache_folder

FEW = KcSettings(travel=np.linspace(-0.08, 0.08, 5), rack=np.linspace(-0.04, 0.04, 5), map_points=5, load_steps=1)


def exported(name: str) -> Iterator[ExportedVehicle]:
    """Both models of a vehicle."""
    vehicle = open_vehicle(name).vehicle
    yield exported_multibody(vehicle, usual_steering(vehicle))
    yield exported_rtm(convert(vehicle, {axle: characterise(vehicle, axle, FEW).maps for axle in Axle}).spec)


class Instance:
    """An FMU (FMI 2.0) that is unzipped; loaded here, because fmpy changes the folder of the process to do it."""

    def __init__(self, folder: str, about: fmpy.model_description.ModelDescription) -> None:
        self.references = {v.name: v.valueReference for v in about.modelVariables}
        self.told = [v.valueReference for v in about.modelVariables if v.causality == "output" and v.type == "Real"]
        self.car = fmpy.fmi2.FMU2Slave(
            guid=about.guid, unzipDirectory=folder, modelIdentifier=about.coSimulation.modelIdentifier
        )

    def drive(self, number: int, steps: int = 60) -> np.ndarray:
        """All outputs at the end of a drive from one of four speeds."""
        car = self.car
        car.instantiate()
        car.setReal([self.references["initial.speed"]], [10.0 + number % 4])
        car.setupExperiment(None, 0.0, None)
        car.enterInitializationMode()
        car.exitInitializationMode()
        for i in range(steps):
            car.setReal([self.references["driver.steering_wheel_angle"]], [0.1 * np.sin(0.02 * i)])
            car.doStep(1e-3 * i, 1e-3)
        found = np.array(car.getReal(self.told))
        car.terminate()
        car.fmi2FreeInstance(car.component)
        return found


def threads_differ(path: Path, instances: int) -> int:
    """How many of the instances in eight threads tell other numbers than one alone."""
    with tempfile.TemporaryDirectory() as folder:
        fmpy.extract(str(path), folder)
        about = fmpy.read_model_description(folder, validate=False)
        alone = [Instance(folder, about).drive(number) for number in range(4)]
        loaded = [Instance(folder, about) for _ in range(instances)]
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(Instance.drive, loaded, range(instances)))
    return sum(not np.array_equal(rows, alone[number % 4]) for number, rows in enumerate(together))


def main(names: Sequence[str], seconds: float, instances: int) -> int:
    host = host_platform()
    assert host is not None
    bad = 0
    print("vehicle               model      FMI   valid  outputs  worst difference           threads", flush=True)
    for name in names:
        for vehicle in exported(name):
            for version in FmiVersion:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / f"{vehicle.identifier}.fmu"
                    write_fmu(vehicle, version, [host], cache_folder(), path)
                    result = check_fmu(path, vehicle.driven, seconds=seconds)
                    other = threads_differ(path, instances) if version is FmiVersion.FMI2 and instances else 0
                bad += not result.passed or other > 0
                drove = f"{instances - other} of {instances} alike" if version is FmiVersion.FMI2 else "–"
                print(
                    f"{name:21} {vehicle.model:10} {version}   {'yes' if not result.problems else 'NO':5}  "
                    f"{result.outputs:7}  {result.difference:.2g} ({result.worst}){'':4} {drove}",
                    flush=True,
                )
    print(f"{bad} failed")
    return int(bad > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vehicles", nargs="*", default=tuple(BUNDLED))
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--instances", type=int, default=100)
    given = parser.parse_args()
    sys.exit(main(given.vehicles, given.seconds, given.instances))

"""FMUs under test: made once of a few vehicles, and driven call by call through fmpy, alike for FMI 2 and 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import fmpy
import fmpy.fmi2
import fmpy.fmi3
import numpy as np
from fmpy.fmi1 import FMICallException

import asymmetric_vehicles
from trackrod.export.fmu import fmu_bytes
from trackrod.export.layout import Group, Type
from trackrod.export.model_description import FmiVersion
from trackrod.export.runtimes import host_platform
from trackrod.export.vehicle import ExportedVehicle, exported_multibody, exported_rtm
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.spec import RtmSpec

CAR, ELASTIC_CAR, VAN = "double_wishbone_car", asymmetric_vehicles.CAR, asymmetric_vehicles.VAN
#: Multibody models: a car whose steering is a mechanism, an asymmetric van with six tyres.
DETAILED_CAR, DETAILED_VAN = "detailed_car", "detailed_van"
_DETAILED = {DETAILED_CAR: (CAR, SteeringModel.MECHANISM), DETAILED_VAN: (VAN, SteeringModel.RATIO)}
VERSIONS = tuple(FmiVersion)


@cache
def spec(name: str) -> RtmSpec:
    """A car, an asymmetric car with an elastic steering, an asymmetric van with six tyres."""
    return asymmetric_vehicles.converted(name, elastic_steering=name == ELASTIC_CAR).spec


@cache
def exported(name: str) -> ExportedVehicle:
    """A vehicle made ready."""
    if name not in _DETAILED:
        return exported_rtm(spec(name))
    base, steering = _DETAILED[name]
    return exported_multibody(asymmetric_vehicles.vehicle(base), steering)


@cache
def content(name: str, version: FmiVersion) -> bytes:
    """The bytes of its FMU."""
    host = host_platform()
    assert host is not None
    return fmu_bytes(exported(name), version, [host], Path("no kept runtimes"))


class RefusedError(Exception):
    """A call was refused: status by name, and what was logged."""


class Fmu:
    """An instance of an unzipped FMU."""

    STATUS = ("ok", "warning", "discard", "error", "fatal")

    def __init__(self, folder: Path, *, between: Callable[..., None] | None = None, early: bool = False) -> None:
        self.description = fmpy.read_model_description(str(folder), validate=False)
        self.messages: list[str] = []
        three = self.description.fmiVersion.startswith("3")
        given = {
            "guid": self.description.guid,
            "unzipDirectory": str(folder),
            "modelIdentifier": self.description.coSimulation.modelIdentifier,
            "instanceName": "vehicle",
        }
        self.raw: Any = fmpy.fmi3.FMU3Slave(**given) if three else fmpy.fmi2.FMU2Slave(**given)
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.three = three
        self.time = 0.0
        if three:
            log: Any = lambda _environment, _status, _category, message: self.messages.append(message.decode())  # noqa: E731
            self.raw.instantiate(logMessage=log, intermediateUpdate=between, earlyReturnAllowed=early)
        else:
            functions = fmpy.fmi2.fmi2CallbackFunctions()
            functions.logger = fmpy.fmi2.fmi2CallbackLoggerTYPE(
                lambda _environment, _name, _status, _category, message: self.messages.append(message.decode())
            )
            functions.allocateMemory = fmpy.fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
            functions.freeMemory = fmpy.fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
            self.raw.instantiate(callbacks=functions)

    def call(self, name: str, *arguments: Any) -> Any:
        """A call of fmpy's; `RefusedError` with the status and the last message."""
        try:
            return getattr(self.raw, name)(*arguments)
        except FMICallException as error:
            raise RefusedError(f"{self.STATUS[error.status]}: {self.messages[-1] if self.messages else ''}") from None

    def set(self, **values: float) -> None:
        """Variables by name, dots written as double underscores."""
        self.set_all({name.replace("__", "."): value for name, value in values.items()})

    def set_all(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            found = self.variables[name]
            real = found.type in ("Real", "Float64")
            self.call(f"set{found.type}", [found.valueReference], [value if real else int(value)])

    def get(self, *names: str) -> list[float]:
        found = []
        for name in names:
            variable = self.variables[name]
            found += self.call(f"get{variable.type}", [variable.valueReference])
        return found

    def outputs(self) -> np.ndarray:
        """All real outputs."""
        kind = "Float64" if self.three else "Real"
        references = [
            v.valueReference for v in self.description.modelVariables if v.causality == "output" and v.type == kind
        ]
        return np.array(self.call(f"get{kind}", references))

    def start(self, settings: Mapping[str, float] | None = None, stop: float | None = None) -> Fmu:
        """Set, and initialise."""
        self.set_all(settings or {})
        if self.three:
            self.call("enterInitializationMode", None, 0.0, stop)
        else:
            self.call("setupExperiment", None, 0.0, stop)
            self.call("enterInitializationMode")
        self.call("exitInitializationMode")
        self.time = 0.0
        return self

    def step(self, length: float = 1e-3, count: int = 1) -> None:
        for _ in range(count):
            self.call("doStep", self.time, length)
            self.time += length

    def keep(self) -> Any:
        return self.call("getFMUState" if self.three else "getFMUstate")

    def restore(self, state: Any) -> None:
        self.call("setFMUState" if self.three else "setFMUstate", state)

    def written(self, state: Any) -> bytes:
        return bytes(self.call("serializeFMUState" if self.three else "serializeFMUstate", state))

    def read(self, content: bytes) -> Any:
        return self.call("deserializeFMUState" if self.three else "deSerializeFMUstate", content)

    def close(self) -> None:
        self.raw.freeInstance()


def unzipped(name: str, version: FmiVersion, folder: Path) -> Path:
    """The FMU of a vehicle, unzipped."""
    file = folder / f"{name}_{version.name}.fmu"
    file.write_bytes(content(name, version))
    target = folder / file.stem
    fmpy.extract(str(file), str(target))
    return target


def reals_of(name: str) -> list[str]:
    """Real outputs of a vehicle."""
    return [v.name for v in exported(name).variables if v.group is Group.OUTPUTS and v.type is Type.REAL]

"""FMUs: the runtime of each platform, the data of a vehicle and the XML of the standard in one ZIP file."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from trackrod.core.errors import ConvergenceError
from trackrod.core.files import write_atomically
from trackrod.export.check import CheckResult, check_fmu, write_check
from trackrod.export.model_description import (
    Description,
    FmiVersion,
    build_description,
    model_description,
    terminals,
)
from trackrod.export.page import documentation
from trackrod.export.runtimes import Platform, find_runtime, source_files
from trackrod.export.vehicle import ExportedVehicle

__all__ = ["fmu_bytes", "write_fmu"]

_SHELLS = {FmiVersion.FMI2: "fmi2.cpp", FmiVersion.FMI3: "fmi3.cpp"}
#: Equal vehicles give equal files: every entry has the first date that ZIP files know.
_DATE = (1980, 1, 1, 0, 0, 0)


def fmu_bytes(
    vehicle: ExportedVehicle,
    version: FmiVersion,
    platforms: Iterable[Platform],
    runtimes: Path,
    further: Mapping[str, bytes] | None = None,
) -> bytes:
    """An FMU for Co-Simulation.

    Parameters
    ----------
    vehicle
        What is exported.
    version
        Of FMI.
    platforms
        Whose runtimes go in.
    runtimes
        Folder of runtimes that are kept.
    further
        Files to put in beside these, by their paths.

    Raises
    ------
    InputError
        There is no runtime for a platform.
    """
    other = _SHELLS[FmiVersion.FMI3 if version is FmiVersion.FMI2 else FmiVersion.FMI2]
    wanted = {name: path for name, path in source_files().items() if name != other}
    compiled = tuple(name for name in wanted if name.endswith(".cpp"))
    about = f"{vehicle.name}: vehicle dynamics, {_MODELS[vehicle.model]}, by Trackrod"
    description = Description(
        vehicle.name, vehicle.identifier, vehicle.token, about, sources=compiled, derivatives=vehicle.derivatives
    )
    files = {"modelDescription.xml": model_description(version, description, vehicle.variables)}
    for item in platforms:
        folder = item.name if version is FmiVersion.FMI2 else item.fmi3
        library = find_runtime(item, runtimes)
        files[f"binaries/{folder}/{vehicle.identifier}{item.suffix}"] = library.read_bytes()
    files["resources/vehicle.bin"] = vehicle.data
    files |= {f"resources/{name}": content for name, content in vehicle.beside.items()}
    files["documentation/index.html"] = documentation(vehicle).encode()
    files |= {f"sources/{name}": path.read_bytes() for name, path in wanted.items()}
    if version is FmiVersion.FMI2:
        files["model.png"] = vehicle.picture
    else:
        files["terminalsAndIcons/icon.png"] = vehicle.picture
        files["sources/buildDescription.xml"] = build_description(description)
        files["terminalsAndIcons/terminalsAndIcons.xml"] = terminals(vehicle.variables)
    return _zipped({**files, **(further or {})})


def write_fmu(
    vehicle: ExportedVehicle,
    version: FmiVersion,
    platforms: Iterable[Platform],
    runtimes: Path,
    path: Path,
    *,
    check: bool = False,
) -> CheckResult | None:
    """Write an FMU; with `check` only one that passes, with the result in its documentation and in a file beside it.

    Raises
    ------
    ConvergenceError
        It does not pass.
    """
    wanted = tuple(platforms)
    content = fmu_bytes(vehicle, version, wanted, runtimes)
    if not check:
        write_atomically(path, content)
        return None
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "trial.fmu"
        trial.write_bytes(content)
        result = check_fmu(trial, vehicle.driven, drive=vehicle.drive)
    if not result.passed:
        raise ConvergenceError(f"{result.sentence()} Nothing was written. {' '.join(result.problems)}")
    told = replace(vehicle, notes={**vehicle.notes, "Self-test": result.sentence()})
    found = {"documentation/check.json": (json.dumps(result.to_plain(), indent=2) + "\n").encode()}
    write_atomically(path, fmu_bytes(told, version, wanted, runtimes, found))
    write_check(result, path.with_suffix(".check.json"))
    return result


_MODELS = {
    "rtm": "real-time model",
    "multibody": "multibody model",
    "quarter_car": "quarter car with one equivalent link",
    "reduced_vehicle": "four quarter cars under a body",
}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()

"""A vehicle by whatever the user names: a bundled vehicle, an assembly file, or a saved vehicle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from trackrod.adams.audit import audit_database, audit_with_places, experiment_files
from trackrod.adams.vehicle import VehicleReading, read_vehicle
from trackrod.core.artefact import load
from trackrod.core.errors import InputError, MissingFileError, Place, Problem, close_matches
from trackrod.vehicle.audit import audit
from trackrod.vehicle.catalogue import BUNDLED, SAMPLES
from trackrod.vehicle.vehicle import VEHICLE

__all__ = ["open_vehicle"]


def open_vehicle(
    source: Path | str,
    aliases: Mapping[str, Path | str] | None = None,
    *,
    templates: Iterable[Path | str] = (),
    allow_outside: bool = False,
    stand_in: bool = False,
    parameters: Mapping[str, float] | None = None,
) -> VehicleReading:
    """Read a vehicle and audit it; the load cases and driver controls of its database are read and reported too.

    Parameters
    ----------
    source
        Name of a bundled vehicle or sample axle, an assembly (.asy), or a vehicle saved by Trackrod (.json).
    aliases, templates, allow_outside, stand_in, parameters
        For an assembly, as for `trackrod.adams.vehicle.read_vehicle`.

    Raises
    ------
    InputError
        There is no such vehicle or folder of templates, or the vehicle cannot be read.
    """
    path = _path(source)
    if str(source) in SAMPLES:
        aliases = SAMPLES[str(source)].aliases
    folders = [Path(folder) for folder in templates]
    missing = [Problem("there is no such folder of templates", Place(f)) for f in folders if not f.is_dir()]
    if missing:
        raise MissingFileError(missing)
    if path.suffix.casefold() == ".json":
        if parameters:
            hint = "give the assembly (.asy) that it was read from"
            raise InputError(Problem("a saved vehicle has no parameters that could be changed", Place(path), hint=hint))
        vehicle = load(path, VEHICLE).content
        return VehicleReading(vehicle, (path,), audit(vehicle))
    if path.suffix.casefold() != ".asy":
        hint = f"an assembly (.asy), a saved vehicle (.json), or one of {', '.join(BUNDLED)}"
        raise InputError(Problem(f"'{path.name}' is not a vehicle", Place(path), hint=hint))
    reading = read_vehicle(
        path, aliases, templates=folders, allow_outside=allow_outside, stand_in=stand_in, parameters=parameters
    )
    problems = (*reading.problems, *audit_database(path, reading), *audit_with_places(path, reading))
    return VehicleReading(reading.vehicle, (*reading.files_read, *experiment_files(path)), problems)


def _path(source: Path | str) -> Path:
    bundled = BUNDLED | SAMPLES
    if str(source) in bundled:
        return bundled[str(source)].assembly
    path = Path(source)
    if not path.exists():
        near = close_matches(str(source), bundled, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"bundled vehicles: {', '.join(BUNDLED)}"
        raise MissingFileError(Problem(f"there is no file and no bundled vehicle '{source}'", Place(path), hint=hint))
    return path

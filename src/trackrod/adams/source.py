"""A vehicle by whatever the user names: a bundled vehicle, an assembly, a suspension alone, or a saved vehicle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from trackrod.adams.audit import audit_database, audit_with_places, experiment_files
from trackrod.adams.vehicle import VehicleReading, read_vehicle
from trackrod.core.artefact import load
from trackrod.core.errors import InputError, MissingFileError, Place, Problem, close_matches
from trackrod.vehicle.audit import audit
from trackrod.vehicle.catalogue import BUNDLED, SAMPLES
from trackrod.vehicle.vehicle import VEHICLE, Vehicle

__all__ = ["open_vehicle"]


def open_vehicle(
    source: Path | str,
    aliases: Mapping[str, Path | str] | None = None,
    *,
    templates: Iterable[Path | str] = (),
    allow_outside: bool = False,
    stand_in: bool = False,
    parameters: Mapping[str, float] | None = None,
    half: bool = False,
) -> VehicleReading:
    """Read a vehicle and audit it; the load cases and driver controls of its database are read and reported too.

    Parameters
    ----------
    source
        Name of a bundled vehicle or sample axle, an assembly (.asy), a suspension subsystem (.sub), or a vehicle saved
        by Trackrod (.json).
    aliases, templates, allow_outside, stand_in, parameters
        For an assembly, as for `trackrod.adams.vehicle.read_vehicle`.
    half
        Whether half a vehicle will do: an axle alone cannot be driven.

    Raises
    ------
    InputError
        There is no such vehicle or folder of templates, the vehicle cannot be read, or it is half a one.
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
        _require_whole(vehicle, path, half=half)
        return VehicleReading(vehicle, (path,), audit(vehicle))
    if path.suffix.casefold() not in (".asy", ".sub"):
        hint = f"an assembly (.asy), a suspension (.sub), a saved vehicle (.json), or one of {', '.join(BUNDLED)}"
        raise InputError(Problem(f"'{path.name}' is not a vehicle", Place(path), hint=hint))
    reading = read_vehicle(
        path, aliases, templates=folders, allow_outside=allow_outside, stand_in=stand_in, parameters=parameters
    )
    _require_whole(reading.vehicle, path, half=half)
    problems = (*reading.problems, *audit_database(path, reading), *audit_with_places(path, reading))
    return VehicleReading(reading.vehicle, (*reading.files_read, *experiment_files(path)), problems)


def _require_whole(vehicle: Vehicle, path: Path, *, half: bool) -> None:
    if vehicle.is_half and not half:
        text = (
            f"'{path.name}' is half a vehicle, a {vehicle.axles[0].position} axle alone; a full vehicle is needed here"
        )
        raise InputError(Problem(text, Place(path), hint="inspect, kc and vehicle diff take half a vehicle, too"))


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

"""A reference folder: results of another program, read and checked, as a conversion with runs to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from trackrod.convert.conversion import Conversion, assemble
from trackrod.convert.vehicle_data import VehicleData
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, MissingFileError, Place, Problem, Severity, raise_if_errors
from trackrod.core.toml_document import Document
from trackrod.kc.maps import KcMaps
from trackrod.reference.carmaker_vehicle import complete_from_carmaker
from trackrod.reference.kc import AxleFigures, read_maps
from trackrod.reference.runs import ReferenceRun, needs_drive, read_runs
from trackrod.reference.stand_in import complete_dampers, stand_in_powertrain
from trackrod.reference.vehicle import axle_loads, even_rack, read_vehicle_data, total_centre
from trackrod.tyre.model import Tyre

__all__ = ["FILE_NAME", "Reference", "read_reference"]

#: Name of the file that describes a reference folder.
FILE_NAME = "reference.toml"


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """What a folder of results holds.

    Attributes
    ----------
    name
        Of the vehicle.
    data
        Masses, wheels, tyres and the like, as they were given.
    maps
        K&C maps of both axles.
    conversion
        The real-time model by the direct conversion.
    runs
        Recorded manoeuvres by name.
    problems
        Warnings and notes: what was resampled, bridged, mirrored or left out.
    without_meaning
        Parameters of the model that only belong to a stand-in: not to be tuned.
    """

    name: str
    data: VehicleData
    maps: Mapping[Axle, KcMaps]
    conversion: Conversion
    runs: Mapping[str, ReferenceRun]
    problems: tuple[Problem, ...]
    without_meaning: tuple[str, ...] = ()


def read_reference(folder: Path | str) -> Reference:
    """Read a folder with a ``reference.toml``; the format is in ``docs/reference_folder.md``.

    Parameters
    ----------
    folder
        The folder, or the TOML file itself; other files are named relative to it.

    Raises
    ------
    MissingFileError
        There is no such folder or no ``reference.toml`` in it.
    InputError
        With every problem of all files.
    """
    path = Path(folder)
    path = path / FILE_NAME if path.is_dir() else path
    if not path.exists():
        hint = f"a reference folder is described by a '{FILE_NAME}'"
        raise MissingFileError(Problem("the file does not exist", Place(path), hint=hint))
    document = Document(path)
    complete_from_carmaker(document)
    raise_if_errors(document.problems)
    data = read_vehicle_data(document.root)
    without: tuple[str, ...] = ()
    if data is not None and data.powertrain is None and needs_drive(document.root):
        data, without = replace(data, powertrain=stand_in_powertrain(data)), ("engine_factor",)
    even = even_rack(document.root)
    maps = {axle: read_maps(document, axle, replace(_figures(data, axle), even_rack=even)) for axle in Axle}
    runs, recordings = read_runs(document.root, data)
    found = {axle: kc for axle, kc in maps.items() if kc is not None}
    if data is not None and len(found) == len(maps):
        data = complete_dampers(document.root.section("dampers"), data, found, recordings)
    document.close()
    raise_if_errors(document.problems)
    if data is None or len(found) < len(maps):  # cannot be without an error above
        raise InputError(Problem("the folder could not be read", Place(path)))
    if "road_height" not in document.root:
        data = replace(data, road_height=_road_height(data, found))
    problems = [*document.problems, *_static_problems(data, found, path), *_steering_problems(data, found, path)]
    raise_if_errors(problems)
    return Reference(
        name=data.name,
        data=data,
        maps=MappingProxyType(found),
        conversion=assemble(data, found),
        runs=MappingProxyType(runs),
        problems=tuple(problems),
        without_meaning=without,
    )


def _figures(data: VehicleData | None, axle: Axle) -> AxleFigures:
    if data is None:  # only so that the tables are checked, too
        return AxleFigures("", 0.0, 0.0, 0.0, (0.0, 0.0), lambda _side, _load: 0.0)
    left, right = (Corner.of(axle, side) for side in Side)
    known = data

    def radius(side: Side, load: float) -> float:
        places = known.places[Corner.of(axle, side)]
        tyre = Tyre(known.tyres[places[0].tyre], mounted=side)
        return float(tyre.loaded_radius(max(load / len(places), 0.0)))

    return AxleFigures(
        vehicle=data.name,
        load=axle_loads(data.masses, data.centres)[axle],
        track=data.centres[left][1] - data.centres[right][1],
        wheelbase=data.centres[Corner.FL][0] - data.centres[Corner.RL][0],
        unsprung_mass=(data.masses.unsprung[left], data.masses.unsprung[right]),
        loaded_radius=radius,
    )


def _road_height(data: VehicleData, maps: Mapping[Axle, KcMaps]) -> float:
    """Height of the road in V under the centre of gravity, where the springs carry the vehicle on its tyres [m]."""
    places = []
    for axle, load in axle_loads(data.masses, data.centres).items():
        left, right = (Corner.of(axle, side) for side in Side)
        height = 0.5 * (data.centres[left][2] + data.centres[right][2]) + _standing_travel(maps[axle], load)
        radius = _figures(data, axle).loaded_radius(Side.LEFT, 0.5 * load)
        places.append((data.centres[left][0], height - radius))
    (front, first), (rear, second) = places
    centre = float(total_centre(data)[1][0])
    return second + (first - second) * (centre - rear) / (front - rear)


def _standing_travel(maps: KcMaps, load: float) -> float:
    """Travel at which both wheels carry a load [m]; the end of the table where they do not."""
    ride = maps.ride
    carried = ride.values[:, [ride.output_index(f"Fz_{side}") for side in Side]].sum(axis=1)
    return float(np.interp(load, carried, ride.knots))


def _static_problems(data: VehicleData, maps: Mapping[Axle, KcMaps], path: Path) -> list[Problem]:
    """Whether the springs of the tables carry the masses inside the travel of the tables."""
    problems = []
    for axle, load in axle_loads(data.masses, data.centres).items():
        ride = maps[axle].ride
        carried = ride.values[:, [ride.output_index(f"Fz_{side}") for side in Side]].sum(axis=1)
        if carried[0] <= load <= carried[-1]:
            travel = _standing_travel(maps[axle], load)
            text = f"the {axle} axle carries its {load:.0f} N at a travel of {1e3 * travel:+.1f} mm"
            problems.append(Problem(text, Place(path), Severity.NOTE))
            continue
        text = f"the {axle} axle weighs {load:.0f} N, its table goes from {carried[0]:.0f} to {carried[-1]:.0f} N"
        far = not 0.2 * carried[0] <= load <= 5.0 * carried[-1]
        severity = Severity.ERROR if far else Severity.WARNING
        hint = "Fz is the force under one wheel [N], weight of the wheel included; check its unit, and [masses]"
        problems.append(Problem(text, Place(path), severity, hint))
    return problems


def _steering_problems(data: VehicleData, maps: Mapping[Axle, KcMaps], path: Path) -> list[Problem]:
    """Whether the steering wheel turns the wheels, and to its own side."""
    steered = [kc for kc in maps.values() if kc.steered]
    if not steered:
        text = "nothing steers: no axle has a table [kc.….steer] or a grid over the rack travel"
        return [Problem(text, Place(path))]
    found = []
    for kc in steered:
        kinematics = kc.left.kinematics
        gain = float(kinematics.slopes(0.0, 0.0)[1][kinematics.output_index("rz")])
        if gain * (data.steering_ratio or 0.0) <= 0.0:
            text = f"turned to the left, the steering wheel steers the {kc.axle} wheels to the right: "
            text += f"{data.steering_ratio} m of rack travel for each rad, {gain:.3g} rad of steer angle for each m"
            hint = "rack travel is positive to the left; the ratio is negative if the rack lies behind the axle"
            found.append(Problem(text, Place(path), hint=hint))
    return found

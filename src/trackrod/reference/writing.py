"""A vehicle, its K&C maps and its runs written as a reference folder, as a user of another program would."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.vehicle_data import VehicleData, vehicle_data
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.files import write_atomically
from trackrod.core.maps import Map1D
from trackrod.core.quantities import KINDS
from trackrod.core.run_files import write_run
from trackrod.core.toml_files import to_toml
from trackrod.kc.maps import POSE, KcMaps
from trackrod.reference.columns import heading
from trackrod.reference.reading import FILE_NAME
from trackrod.reference.runs import ReferenceRun
from trackrod.reference.sweeps import LOADS
from trackrod.reference.vehicle import STEERING_KEYS, MassesOf
from trackrod.rtm.spec import Curve
from trackrod.tyre.tir import write_tir
from trackrod.vehicle.systems import Powertrain
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["write_reference"]

Array = NDArray[np.float64]

_LENGTH, _FORCE = KINDS["length"], KINDS["force"]


def write_reference(
    folder: Path | str,
    vehicle: Vehicle | VehicleData,
    maps: Mapping[Axle, KcMaps],
    runs: Mapping[str, ReferenceRun] | None = None,
) -> Path:
    """Write a reference folder; the format is in ``docs/reference_folder.md``.

    Parameters
    ----------
    folder
        Where to write; it is made if it does not exist, files of the same names are replaced.
    vehicle
        Its masses, tyres, steering, powertrain, brakes and aerodynamics; what `vehicle_data` makes of it may be given
        in its place, for other split factors or an elastic steering.
    maps
        K&C maps of both axles.
    runs
        Recorded manoeuvres by name.

    Returns
    -------
    Path
        The ``reference.toml``, written last.

    Raises
    ------
    InputError
        Maps are missing, or a file cannot be written.

    Holds: `read_reference` gives the real-time model that `convert` gives, number by number.
    """
    missing = [str(axle) for axle in Axle if axle not in maps]
    if missing:
        raise InputError(f"the K&C maps of the {' and '.join(missing)} axle are missing")
    folder = Path(folder)
    data = vehicle if isinstance(vehicle, VehicleData) else vehicle_data(vehicle)
    files = {name: f"tyres/{_file_name(name)}.tir" for name in data.tyres}
    for part in ("tyres", "kc", "runs"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, file in files.items():
        write_tir(data.tyres[name], folder / file)
    content = _vehicle(data)
    content["tyres"] = {name: {"file": file} for name, file in files.items()}
    content["kc"] = {str(axle): _write_axle(folder, maps[axle]) for axle in Axle}
    if runs:
        content["runs"] = [_write_run(folder, name, run) for name, run in runs.items()]
    path = folder / FILE_NAME
    write_atomically(path, "\n".join(to_toml(content)) + "\n")
    return path


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII) or "unnamed"


# The vehicle ------------------------------------------------------------------------------------------------


def _vehicle(data: VehicleData) -> dict[str, Any]:
    masses = data.masses
    inertia = masses.sprung_inertia
    content: dict[str, Any] = {
        "name": data.name,
        "road_height": data.road_height,
        "masses": {
            "of": str(MassesOf.SPRUNG),
            "mass": masses.sprung_mass,
            "centre": masses.sprung_centre,
            "inertia": {
                f"I{'xyz'[i]}{'xyz'[j]}": inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            },
            "unsprung": {
                str(axle): {
                    name: [values[Corner.of(axle, side)] for side in Side]
                    for name, values in (
                        ("mass", masses.unsprung),
                        ("roll_inertia", masses.roll_inertia),
                        ("yaw_inertia", masses.yaw_inertia),
                        ("spin_inertia", masses.spin_inertia),
                    )
                }
                for axle in Axle
            },
        },
        "wheels": {str(axle): _wheels(data, axle) for axle in Axle},
        "dampers": {str(axle): _dampers(data, axle) for axle in Axle},
    }
    for axle, value in data.shaft_inertia.items():
        content["masses"]["unsprung"][str(axle)]["shaft_inertia"] = value
    if data.friction:
        content["friction"] = {str(axle): {"force": f.force, "base": f.base} for axle, f in data.friction.items()}
    steering: dict[str, Any] = {}
    if data.steering_ratio is not None:
        steering["ratio"] = data.steering_ratio
    if data.steering is not None:
        elastic = data.steering
        steering["torsion_bar"] = _points(elastic.torsion_bar, "angle", "torque")
        if elastic.column.x.size:
            steering["column"] = {"wheel": elastic.column.x.tolist(), "shaft": elastic.column.y.tolist()}
        if elastic.assist is not None:
            assist = elastic.assist
            steering["assist"] = {
                "torque": assist.torque.tolist(),
                "speed": assist.speed.tolist(),
                "force": assist.force.T.tolist(),
            }
        for name, (table, key) in STEERING_KEYS.items():
            steering.setdefault(table, {})[key] = getattr(elastic, name)
    content["steering"] = steering
    if data.brake_torques is not None:
        content["brakes"] = {str(axle): data.brake_torques[axle] for axle in Axle}
        if data.brake_pressure is not None:
            content["brakes"]["pressure"] = data.brake_pressure
    if data.air is not None:
        names = ("drag", "lift_front", "lift_rear", "drag_height")
        content["air"] = {name: getattr(data.air, name) for name in names}
    if data.powertrain is not None:
        content["powertrain"] = _powertrain(data.powertrain)
    return content


def _wheels(data: VehicleData, axle: Axle) -> dict[str, Any]:
    left, right = (Corner.of(axle, side) for side in Side)
    places = data.places[left]
    return {
        "centre": list(data.centres[left]),
        "centre_right": list(data.centres[right]),
        "tyres": [place.tyre for place in places],
        "tyre_offsets": [place.offset for place in places],
        "drive_reaction": str(data.drive_reactions[axle]),
    }


def _dampers(data: VehicleData, axle: Axle) -> dict[str, Any]:
    """One curve where both wheels have the same; without any the axle says that it has none."""
    if not any(data.dampers[Corner.of(axle, side)].x.size for side in Side):
        return {"damping_ratio": 0.0}
    sides = {str(side): _points(data.dampers[Corner.of(axle, side)], "velocity", "force") for side in Side}
    left, right = sides.values()
    alike = left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)
    return left if alike else sides


def _points(curve: Curve, x: str, y: str) -> dict[str, Array]:
    return {x: curve.x, y: curve.y} if curve.x.size else {}


def _powertrain(powertrain: Powertrain) -> dict[str, Any]:
    gearbox, engine = powertrain.gearbox, powertrain.engine
    names = ("engine_inertia", "idle_speed", "speed_limit", "clutch_capacity", "front_share", "driveline_inertia")
    gears = ("ratios", "final_drive", "efficiency", "upshift", "downshift", "shift_time")
    content: dict[str, Any] = {name: getattr(powertrain, name) for name in names}
    content["engine"] = {"speed": engine.speed, "throttle": engine.throttle, "torque": engine.torque}
    content["gearbox"] = {name: getattr(gearbox, name) for name in gears}
    if powertrain.centre_locked:
        content["centre_locked"] = True
    for axle, lock in zip(Axle, (powertrain.front_differential, powertrain.rear_differential), strict=True):
        if lock is not None:
            content[f"{axle}_differential"] = {"slip_speed": lock.curve.x, "torque": lock.curve.y}
    return content


# Tables -----------------------------------------------------------------------------------------------------


def _write_axle(folder: Path, maps: KcMaps) -> dict[str, Any]:
    content: dict[str, Any] = {}

    def write(test: str, columns: Mapping[str, Array]) -> None:
        file = f"kc/{maps.axle}_{test}.csv"
        rows = np.column_stack(list(columns.values())).tolist()
        lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
        write_atomically(folder / file, "\n".join(lines) + "\n")
        content[test] = {"file": file}

    write("grid", _grid(maps))
    for test, curve in (("parallel", maps.ride), ("opposite", maps.roll)):
        write(test, _loads(curve))
    for load in LOADS:
        for side in Side if load in maps.left.own else ():
            write(f"{load}_{side}", _give(maps, load, side))
    return content


def _grid(maps: KcMaps) -> dict[str, Array]:
    first, second = maps.left.kinematics.knots
    grids = np.meshgrid(first, second, indexing="ij")
    columns = {
        heading(axis.name, axis.kind): grid.ravel() for axis, grid in zip(maps.left.kinematics.axes, grids, strict=True)
    }
    for side in Side:
        kinematics = maps.wheel(side).kinematics
        for output in kinematics.outputs:
            if output in POSE or output.name in ("damper_length", "spring_length"):
                values = kinematics.values[..., kinematics.output_index(output.name)]
                columns[heading(f"{output.name}_{side}", output.kind)] = values.ravel()
    return columns


def _loads(curve: Map1D) -> dict[str, Array]:
    columns = {heading(curve.axis.name, curve.axis.kind): curve.knots}
    known = [output.name for output in curve.outputs]
    for suffix in ("", "_without_stops", "_of_bar"):
        for side in (side for side in Side if f"Fz_{side}{suffix}" in known):
            values = curve.values[:, curve.output_index(f"Fz_{side}{suffix}")]
            columns[heading(f"Fz{suffix}_{side}", _FORCE)] = values
    return columns


def _give(maps: KcMaps, load: Any, loaded: Side) -> dict[str, Array]:
    """Changes of both wheels over a load on one of them."""
    columns: dict[str, Array] = {}
    for side in Side:
        curve = (maps.wheel(side).own if side is loaded else maps.wheel(side).opposite)[load]
        columns.setdefault(heading(curve.axis.name, curve.axis.kind), curve.knots)
        for output in curve.outputs:
            columns[heading(f"{output.name}_{side}", output.kind)] = curve.values[:, curve.output_index(output.name)]
    return columns


def _write_run(folder: Path, name: str, run: ReferenceRun) -> dict[str, Any]:
    file = f"runs/{_file_name(name)}.csv"
    write_run(run.run, folder / file)
    content: dict[str, Any] = {
        "name": name,
        "manoeuvre": run.manoeuvre,
        "file": file,
        "longitudinal": str(run.longitudinal),
        "hold_out": run.hold_out,
    }
    settings = {key: value for key, value in run.settings.items() if value is not None}
    return content | ({"settings": settings} if settings else {})

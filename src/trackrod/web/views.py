"""What pages draw of a job: scenes, poses and frames as plain data, made by the worker after its command.

Pages never open the files of a vehicle; the worker does, and leaves numbers and texts.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.source import open_vehicle
from trackrod.adams.vehicle import VehicleReading
from trackrod.core.errors import TrackrodError
from trackrod.core.files import write_atomically
from trackrod.core.run_files import read_run
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.measured.channel_map import ChannelMap
from trackrod.measured.recording import open_recording
from trackrod.measured.suggestions import suggest
from trackrod.multibody.mechanism import free_rotations
from trackrod.report.animation import animation_frames
from trackrod.report.vehicle_scene import Layer, vehicle_scene
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.vehicle.connectors import Beam, Damper, Friction, Spring, Stop
from trackrod.vehicle.vehicle import Vehicle
from trackrod.web.jobs import Job
from trackrod.web.meshes import meshes_beside
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["make_views", "poses_of", "scene_data"]

Array = NDArray[np.float64]

#: Positions on the rig that the sliders know: wheel travel and rack travel [m].
_TRAVEL = np.linspace(-0.08, 0.08, 17)
_RACK = np.linspace(-0.06, 0.06, 13)
#: Frames of an animation; more are thinned out.
_MOST_FRAMES = 400


def make_views(job: Job, folder: Path) -> None:
    """What the page of a job draws; what cannot be drawn is left out, and the log says why."""
    if job.kind not in (*_VIEWS, "channels"):
        return
    try:
        if job.kind == "channels":
            data = channels_of(Path(job.command[1]), dict(pairwise(job.command[2:])))
        else:
            data = _VIEWS[job.kind](open_vehicle(job.command[1]), folder)
    except (TrackrodError, ArithmeticError, LookupError, ValueError) as error:
        print(f"this cannot be drawn: {error}")
        return
    write_atomically(folder / "view.json", json.dumps(data, separators=(",", ":"), allow_nan=False))


def channels_of(log: Path, options: Mapping[str, str]) -> dict[str, Any]:
    """What ``trackrod channels`` tells of a recording: its channels, and what each may be."""
    given = ChannelMap.read(options["--map"]).time if "--map" in options else None
    recording = open_recording(log, time=options.get("--time") or given)
    return {
        "channels": [{"name": each.name, "unit": each.unit} for each in recording.channels.values()],
        "suggestions": [
            {
                "column": said.column,
                "channels": list(said.channels),
                "unit": said.unit,
                "reason": said.reason,
                "certain": said.is_certain,
            }
            for said in suggest(recording)
        ],
    }


def scene_data(vehicle: Vehicle, database: Path | None = None) -> dict[str, Any]:
    """A scene: lines and marks by layer, each with its name, its details and the bodies that it moves with."""
    scene = vehicle_scene(vehicle)
    ends = {}
    for each in vehicle.connectors():
        if isinstance(each, Spring | Damper | Friction | Stop | Beam):
            ends[each.name] = (each.bodies, each.ends)
    items: list[dict[str, Any]] = []
    for part in scene.parts:
        items += [_item(p.layer, p.name, p.details, p.points, [part.body], weight=str(p.weight)) for p in part.paths]
    for path in scene.paths:
        bodies, between = ends.get(path.name, ((), None))
        items.append(
            _item(path.layer, path.name, path.details, path.points, list(bodies), between, weight=str(path.weight))
        )
    for mark in scene.marks:
        if mark.acting:
            held = [name for each in vehicle.connectors() if each.name == mark.name for name in each.bodies][:1]
            items.append(_item(mark.layer, mark.name, mark.details, (mark.position,), held, kind=mark.kind))
    carriers = [wheel.body for wheel in vehicle.wheels for _ in wheel.tyres]
    for tyre, body in zip(scene.tyres, carriers, strict=True):
        for radius, offset in ((tyre.radius, -0.5), (tyre.radius, 0.0), (tyre.radius, 0.5), (tyre.rim_radius, 0.5)):
            circle = tyre.circle(radius, offset * tyre.width, 40)
            items.append(_item(Layer.WHEELS, tyre.name, tyre.details, circle, [body], weight="thin"))
    found = {
        "name": scene.name,
        "items": items,
        "ground": [[round(x, 4) for x in corner] for corner in scene.ground()],
        "layers": [str(layer) for layer in Layer if any(item["layer"] == str(layer) for item in items)],
    }
    if database is not None:
        found["meshes"] = list(meshes_beside(database, {body.name for body in vehicle.bodies}))
    return found


def _item(
    layer: Layer,
    name: str,
    details: tuple[str, ...],
    points: Any,
    bodies: list[str],
    between: Any = None,
    **more: str,
) -> dict[str, Any]:
    rounded = np.round(np.array(points, dtype=np.float64), 4)
    item: dict[str, Any] = {
        "layer": str(layer),
        "name": name,
        "details": list(details),
        "points": rounded.tolist(),
        "bodies": bodies,
        **more,
    }
    if between is not None:  # how far each point is from the first body to the second
        first, last = np.array(between[0]), np.array(between[1])
        way = last - first
        item["share"] = np.round(np.clip((rounded - first) @ way / max(way @ way, 1e-12), 0.0, 1.0), 3).tolist()
    return item


def _inspect(reading: VehicleReading, folder: Path) -> dict[str, Any]:
    job = Job.of(json.loads((folder / "job.json").read_text(encoding="utf-8")))
    source, vehicle = Path(job.command[1]), reading.vehicle
    database = None
    with contextlib.suppress(OSError):
        database = (folder / source).resolve().parent.parent if source.suffix == ".asy" else None
    problems = (*reading.problems, *free_rotations(vehicle))
    return {
        "scene": scene_data(vehicle, database),
        "figures": [list(row) for row in _figures(vehicle)],
        "problems": [problem.as_dict() for problem in problems],
    }


def _figures(vehicle: Vehicle) -> Iterator[tuple[str, float | str, str]]:
    """Name, value [SI] and unit of what one wants to know first."""
    total = vehicle.mass_properties
    yield "mass", float(total.mass), "kg"
    yield "sprung mass", vehicle.sprung_mass, "kg"
    if not vehicle.is_half:
        yield "wheelbase", vehicle.wheelbase, "m"
    for layout in vehicle.axles:
        yield f"{layout.position} track", vehicle.track(layout.position), "m"
    if not vehicle.is_half:
        for layout in vehicle.axles:
            yield f"mass on the {layout.position} axle", vehicle.axle_load(layout.position), "kg"
    for axis, value in zip("xyz", total.centre, strict=True):
        yield f"centre of mass, {axis}", float(value), "m"
    for index, axis in enumerate("xyz"):
        yield f"inertia I{axis * 2}", float(total.inertia[index, index]), "kg·m²"
    for layout in vehicle.axles:
        yield f"{layout.position} axle", f"{layout.template}, {layout.mode}", ""


def poses_of(vehicle: Vehicle) -> dict[str, Any]:
    """Where every body of each axle is, over travel and rack, as the rig computes it."""
    axles: dict[str, Any] = {}
    for layout in vehicle.axles:
        rig = Rig(vehicle, layout.position)
        rack = _RACK if rig.steered else np.zeros(1)
        lines = [Inputs.of(np.tile([z, z], (len(rack), 1)), rack) for z in _TRAVEL]
        solutions = rig.grid(lines)
        bodies = {name: index for name, index in rig.model.index.items() if index >= 0}
        poses = np.stack([solution.poses for solution in solutions])  # travel, rack, body, 7
        solved = np.stack([solution.solved for solution in solutions])
        axles[str(layout.position)] = {
            "travel": _TRAVEL.tolist(),
            "rack": rack.tolist(),
            "solved": solved.tolist(),
            "bodies": {
                name: {
                    "centre": np.round(np.asarray(rig.model.centres[index]), 5).tolist(),
                    "poses": _finite(np.round(poses[:, :, index], 6)),
                }
                for name, index in bodies.items()
            },
        }
    return axles


def _finite(values: Array) -> Any:
    """Rows that were not reached are null."""
    return [
        [row.tolist() if np.isfinite(row).all() else None for row in line] for line in np.asarray(values, np.float64)
    ]


def _kc(reading: VehicleReading, _folder: Path) -> dict[str, Any]:
    vehicle = reading.vehicle
    return {"scene": scene_data(vehicle), "axles": poses_of(vehicle)}


def _compare(reading: VehicleReading, folder: Path) -> dict[str, Any]:
    """Both runs in motion: body and wheels in every frame."""
    vehicle = reading.vehicle
    scene = scene_data(vehicle)
    runs = {}
    for kind, path in _runs(folder / "out"):
        frames = animation_frames(read_run(path), vehicle)
        keep = np.unique(np.linspace(0, len(frames.time) - 1, min(len(frames.time), _MOST_FRAMES)).astype(int))
        runs[kind] = {
            "time": np.round(frames.time[keep], 4).tolist(),
            "origin": np.round(frames.origin[keep], 4).tolist(),
            "rotation": np.round(frames.rotation[keep].reshape(-1, 9), 5).tolist(),
            "wheels": {
                str(corner): {
                    "centre": np.round(wheel.centre[keep], 4).tolist(),
                    "axis": np.round(wheel.axis[keep], 5).tolist(),
                    "force": np.round(wheel.force[keep], 0).tolist(),
                }
                for corner, wheel in frames.wheels.items()
            },
        }
    tyres = {str(wheel.corner): tyre for wheel, tyre in zip(vehicle.wheels, _first_tyres(vehicle), strict=True)}
    return {"scene": scene, "runs": runs, "tyres": tyres}


def _first_tyres(vehicle: Vehicle) -> Iterator[dict[str, float]]:
    shapes = iter(vehicle_scene(vehicle).tyres)
    for wheel in vehicle.wheels:
        shape = next(next(shapes) for _ in wheel.tyres)
        yield {"radius": shape.radius, "rim": shape.rim_radius, "width": shape.width}


def _runs(out: Path) -> Iterator[tuple[str, Path]]:
    for kind in ("multibody", "rtm"):
        for path in sorted(out.glob(f"*_{kind}.csv")):
            yield kind, path


def _convert(reading: VehicleReading, _folder: Path) -> dict[str, Any]:
    """Where the numbers of the direct conversion came from, and which of them are certain."""
    found = convert_directly(reading.vehicle)
    known = {item.name: item for item in PARAMETERS}
    rows = []
    for name, source in found.sources.items():
        value = found.spec.parameters.get(name)
        unit = known[name].kind.unit if name in known else ""
        rows.append({"name": name, "value": value, "unit": unit, "text": source.text, "certain": source.certain})
    return {"sources": rows}


_VIEWS: Mapping[str, Callable[[VehicleReading, Path], dict[str, Any]]] = {
    "inspect": _inspect,
    "kc": _kc,
    "compare": _compare,
    "convert": _convert,
}

"""A small database of axles, one for each template that no bundled vehicle has, on the bundled double wishbone car.

A data sheet is one TOML file in ``sample_axles/``. Axes and units are those of the files, points are given for the left
side; x counts from the wheel centres of its axle. What is not in a sheet (dampers, stops, rubber, the other axle, body,
wheels) is that of the car.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tools.bundle.database import LINES, bushing_block, bushing_text, direction, hardpoints_block, part_block
from tools.bundle.design import TEMPLATES
from tools.bundle.sheet import Part, Point, Rubber
from tools.bundle.solids import of_part
from tools.bundle.text import block, curve, document, parameters

from trackrod.core.teimorbit import Block, Value
from trackrod.vehicle.catalogue import CAR_OF_SAMPLES, SAMPLE_DATABASE
from trackrod.vehicle.template import LineType

__all__ = ["SHEETS", "axle_texts", "sample_texts"]

_FOLDER = Path(__file__).parent / "sample_axles"
#: Data sheets by the name of their assembly.
SHEETS: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.toml"))
}

_WHEELBASE = 2560.0  # of the car [mm]
_OTHERS = {  # subsystems of the car that an axle is completed by
    "front": ("rear_suspension", "steering", "rear_anti_roll_bar"),
    "rear": ("front_suspension", "steering", "front_anti_roll_bar"),
}
_ALWAYS = ("front_wheels", "rear_wheels", "body", "powertrain", "brakes")
_TRAVEL = {LineType.BUMP_STOP: 70.0, LineType.REBOUND_STOP: 75.0}  # of stops until they touch [mm]
_TIME = 0.006  # damping over stiffness of rubber [s]
_SPRING_REACH = 200.0  # of the curves of springs [mm]


def sample_texts() -> dict[str, str]:
    """Texts of all files by their path in the database."""
    return {path: text for name, sheet in SHEETS.items() for path, text in axle_texts(name, sheet).items()}


def axle_texts(name: str, sheet: dict[str, Any]) -> dict[str, str]:
    """Texts of the files of one data sheet by their path in the database."""
    return dict(_files(name, sheet))


def _files(name: str, sheet: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield f"subsystems.tbl/{name}.sub", _suspension(sheet)
    own = [f"<{SAMPLE_DATABASE}>/subsystems.tbl/{name}.sub"]
    if "steering" in sheet:
        own.append(f"<{SAMPLE_DATABASE}>/subsystems.tbl/{sheet['steering']}.sub")
    if TEMPLATES[sheet["template"]].role == "steering":
        return
    others = [one for one in (*_OTHERS[sheet["axle"]], *_ALWAYS) if not (one == "steering" and "steering" in sheet)]
    usages = [*own, *(f"<{CAR_OF_SAMPLES}>/subsystems.tbl/{other}.sub" for other in others)]
    blocks = [block("SUBSYSTEM", {"USAGE": usage}) for usage in usages]
    meta = [block("ASSEMBLY_HEADER", {"ASSEMBLY_CLASS": "full_vehicle"})]
    yield f"assemblies.tbl/{name}.asy", document("asy", [f"{sheet['title']}, on a car"], blocks, meta=meta)
    for bushing, (file, _) in sheet.get("bushings", {}).items():
        if isinstance(file, dict):  # rubber of its own
            radial, turning = (file["radial"],) * 2, (file["turning"],) * 3
            yield f"bushings.tbl/{bushing}.bus", bushing_text(Rubber(bushing, radial, file["axial"], turning), _TIME)
    for rate, _ in sheet.get("springs", {}).values():
        yield f"springs.tbl/{_spring_file(rate)}", _spring(rate)


def _suspension(sheet: dict[str, Any]) -> str:
    template, offset = TEMPLATES[sheet["template"]], _WHEELBASE if sheet["axle"] == "rear" else 0.0

    def moved(key: str) -> dict[str, Point]:
        return {name: (x + offset, y, z) for name, (x, y, z) in sheet.get(key, {}).items()}

    pairs, singles = moved("hardpoints"), moved("single_hardpoints")
    points = pairs | singles
    blocks = [hardpoints_block(pairs, singles)]
    for name, part in sheet["parts"].items():
        single = name in template.bodies.single
        # A single part lies in the middle of the pairs that it is drawn by.
        at = tuple(np.mean([points[one] for one in part["at"]], axis=0) * (1.0, 1.0 - single, 1.0))
        radii = (part["radius"],) * 3
        blocks.append(part_block(of_part(Part(name, part["mass"], at, radii, part.get("sprung", 0.0), single), points)))
    for name, (file, axis) in sheet.get("bushings", {}).items():
        z = direction(tuple(axis) if isinstance(axis, list) else axis, points)
        own = isinstance(file, dict)
        reference = f"<{SAMPLE_DATABASE if own else CAR_OF_SAMPLES}>/bushings.tbl/{name if own else file}.bus"
        blocks.append(bushing_block(name, reference, z, single=name in template.hardpoints.single))
    blocks += [_line(sheet, entry.name, entry.type) for entry in template.lines]
    for gear in template.gears:
        values: dict[str, Value] = {"USAGE": gear.name, "SYMMETRY": "single", "REDUCTION_RATIO": sheet["gear_ratio"]}
        blocks.append(block("GEAR_ASSEMBLY", values | {"INVERT_INPUT": "no"}))
    sides = dict.fromkeys(("toe_angle", "camber_angle"), "left/right")
    given = sheet.get("parameters", {}).items()
    blocks.append(parameters((name, sides.get(name, "single"), value, "") for name, value in given))
    header = {
        "TEMPLATE_NAME": f"<{SAMPLE_DATABASE}>/templates.tbl/{template.adams_names[0]}.tpl",
        "MAJOR_ROLE": template.role,
        "MINOR_ROLE": sheet["axle"],
    }
    return document("sub", [sheet["title"]], blocks, meta=[block("SUBSYSTEM_HEADER", header)])


def _line(sheet: dict[str, Any], name: str, kind: LineType) -> Block:
    what, definition, table, suffix = LINES[kind]
    values: dict[str, Value] = {"DEFINITION": f".ACAR.forces.{definition}", "USAGE": name, "SYMMETRY": "left/right"}
    if kind is LineType.SPRING:
        rate, force = sheet["springs"][name]
        values["PROPERTY_FILE"] = f"<{SAMPLE_DATABASE}>/springs.tbl/{_spring_file(rate)}"
        return block(what, values | {"VALUE_TYPE": "preload", "USER_VALUE": force})
    shared = {LineType.DAMPER: "ride_damper", LineType.BUMP_STOP: "jounce_stop", LineType.REBOUND_STOP: "rebound_stop"}
    values["PROPERTY_FILE"] = f"<{CAR_OF_SAMPLES}>/{table}.tbl/{sheet['axle']}_{shared[kind]}.{suffix}"
    if kind in _TRAVEL:
        values |= {"DISTANCE_TYPE": "clearance", "USER_DISTANCE": _TRAVEL[kind]}
    return block(what, values)


def _spring_file(rate: float) -> str:
    return f"spring_{rate:g}.spr".replace(".", "_", rate != int(rate))


def _spring(rate: float) -> str:
    way = np.array([-_SPRING_REACH, _SPRING_REACH])
    table = curve(("disp", "force"), way, rate * way)
    blocks = [block("SPRING_DATA", {"FREE_LENGTH": 400.0}), block("CURVE", {}, tables=[table])]
    return document("spr", [f"coil spring, {rate:g} N/mm", "compression is positive"], blocks)

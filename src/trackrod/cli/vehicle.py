"""``trackrod inspect``, ``vehicle diff``, ``copy``, ``tune-leaf``: what a vehicle is, and how two differ."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from trackrod.adams.source import open_vehicle
from trackrod.adams.spring_file import write_spring
from trackrod.adams.vehicle import VehicleReading
from trackrod.cli.output import console, exit_with_errors, print_json, print_problems
from trackrod.cli.targets import file_option, folder_option
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Problem, Severity, raise_if_errors
from trackrod.core.files import copy_folder
from trackrod.kc.leaf_tuning import tune_leaf
from trackrod.multibody.mechanism import free_rotations
from trackrod.report.page import shown
from trackrod.report.vehicle import write_vehicle_page, write_vehicle_picture
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.difference import Difference, differences
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.systems import AxleLayout, PayloadLevel
from trackrod.vehicle.vehicle import VEHICLE, Vehicle

__all__ = ["app", "inspect"]

app = typer.Typer(help="Vehicles: compare two, copy a bundled one, tune a leaf spring.", no_args_is_help=True)

VehicleArgument = Annotated[
    str,
    typer.Argument(
        help="Bundled vehicle or sample axle, assembly file (.asy) or saved vehicle (.json).", show_default=False
    ),
]
HalfOrWhole = Annotated[
    str,
    typer.Argument(
        help="Bundled vehicle, assembly file (.asy), suspension alone (.sub) or saved vehicle (.json).",
        show_default=False,
    ),
]
Aliases = Annotated[list[str] | None, typer.Option("--alias", help="Another database: NAME=FOLDER; repeatable.")]
TemplateFolders = Annotated[
    list[Path] | None, typer.Option("--templates", help="Folder with templates of your own; repeatable.")
]
AllowOutside = Annotated[bool, typer.Option("--allow-outside", help="Follow references out of the database folders.")]
StandIn = Annotated[
    bool, typer.Option("--stand-in", help="Use neutral property files for missing ones; results are marked.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def inspect(
    vehicle: HalfOrWhole,
    payload: Annotated[PayloadLevel | None, typer.Option(help="How much is loaded.")] = None,
    mode: Annotated[
        str | None, typer.Option(help="kinematic (ideal joints) or compliant (bushings), whatever the files say.")
    ] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", help="Another value of a file: SUBSYSTEM.PARAMETER=NUMBER; repeatable."),
    ] = None,
    html: Annotated[Path | None, file_option(help="Write a page with an interactive 3-D picture.")] = None,
    picture: Annotated[Path | None, file_option(help="Write a picture of four views (PNG).")] = None,
    out: Annotated[Path | None, file_option("--save", help="Save the vehicle in one file (.json).")] = None,
    notes: Annotated[bool, typer.Option("--notes", help="Show notes too, not only warnings and errors.")] = False,
    json: Json = False,
) -> None:
    """Show mass, dimensions and axles of a vehicle or half a one, and every problem with its file and line.

    Exit code 1 if the audit finds an error.
    """
    reading = open_vehicle(
        vehicle,
        parse_aliases(alias or []),
        templates=templates or [],
        allow_outside=allow_outside,
        stand_in=stand_in,
        parameters=_parse_parameters(parameter or []),
        half=True,
    )
    found = _configured(reading.vehicle, payload, mode)
    problems = (*reading.problems, *free_rotations(found))
    if html is not None:
        write_vehicle_page(found, problems, html)
    if picture is not None:
        write_vehicle_picture(found, picture)
    if out is not None:
        save(Artefact(VEHICLE, found, Provenance.of(reading.files_read)), out)
    if json:
        print_json(_as_data(found, reading, problems))
    else:
        _print(found, reading)
        for what, path in (("page", html), ("picture", picture), ("vehicle", out)):
            if path is not None:
                console.print(f"{what}: {path}", highlight=False)
        print_problems(p for p in problems if notes or p.severity is not Severity.NOTE)
    exit_with_errors(problems)


@app.command("diff")
def diff(
    first: HalfOrWhole,
    second: HalfOrWhole,
    tolerance: Annotated[float, typer.Option(help="Relative difference that counts as equal.")] = 1e-9,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Show every number and name that is not the same in two vehicles; exit code 1 if there is one."""
    readings = [
        open_vehicle(
            name,
            parse_aliases(alias or []),
            templates=templates or [],
            allow_outside=allow_outside,
            stand_in=stand_in,
            half=True,
        )
        for name in (first, second)
    ]
    problems = [p for reading in readings for p in reading.problems if p.severity is not Severity.NOTE]
    one, other = (reading.vehicle for reading in readings)
    found = differences(one, other, tolerance)
    if json:
        rows = [{"where": d.where, "first": d.first, "second": d.second, "change": d.change} for d in found]
        print_json({"first": one.name, "second": other.name, "differences": rows})
    else:
        table = Table(title=f"{one.name} and {other.name}: {len(found)} differences")
        for column in ("where", one.name, other.name, "change"):
            table.add_column(column, overflow="fold", justify="left" if column == "where" else "right")
        for difference in found:
            table.add_row(difference.where, *_values(difference))
        console.print(table)
        print_problems(problems)
    exit_with_errors(problems)
    if found:
        raise typer.Exit(1)


@app.command("copy")
def copy(
    vehicle: Annotated[str, typer.Argument(help="A bundled vehicle; `trackrod vehicles` lists them.")],
    folder: Annotated[Path, typer.Argument(help="Database to make, for instance my_car.cdb; it must not exist.")],
    json: Json = False,
) -> None:
    """Copy the database of a bundled vehicle, as the beginning of one of your own."""
    if vehicle not in BUNDLED:
        raise InputError(f"'{vehicle}' is no bundled vehicle (there are {', '.join(BUNDLED)})")
    assembly = copy_folder(BUNDLED[vehicle].database, folder) / BUNDLED[vehicle].assembly.relative_to(
        BUNDLED[vehicle].database
    )
    if json:
        print_json({"database": str(folder), "assembly": str(assembly)})
    else:
        console.print(f"assembly: {assembly}", highlight=False)


def parse_aliases(given: list[str]) -> dict[str, Path]:
    """NAME=FOLDER as a mapping."""
    aliases = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise InputError(f"--alias {text} is not NAME=FOLDER")
        aliases[name] = Path(folder)
    return aliases


def _parse_parameters(given: list[str]) -> dict[str, float]:
    """NAME=NUMBER as a mapping; InputError with every one that is not."""
    problems, found = [], {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            problems.append(Problem(f"--parameter {text} is not SUBSYSTEM.PARAMETER=NUMBER"))
    raise_if_errors(problems)
    return found


def _configured(vehicle: Vehicle, payload: PayloadLevel | None, mode: str | None) -> Vehicle:
    if payload is not None:
        vehicle = vehicle.with_payload(payload)
    if mode is not None:
        if mode not in (Mode.KINEMATIC, Mode.COMPLIANT):
            raise InputError(f"--mode {mode} is unknown; kinematic and compliant are the two modes")
        vehicle = vehicle.with_mode(Mode(mode))
    return vehicle


def figures(vehicle: Vehicle) -> dict[str, object]:
    """Key figures for ``--json``; of half a vehicle those that it has, and what it is told about the whole one."""
    total = vehicle.mass_properties
    positions = [axle.position for axle in vehicle.axles]
    wheelbase = {} if vehicle.is_half else {"wheelbase_m": vehicle.wheelbase}
    whole = {f"axle_load_{axle}_kg": vehicle.axle_load(axle) for axle in positions if not vehicle.is_half}
    if vehicle.surroundings is not None:
        found = vehicle.surroundings
        told = {"wheelbase_m": found.wheelbase, "cg_height_m": found.cg_height}
        told |= {"front_brake_share": found.front_brake_share, "front_drive_share": found.front_drive_share}
        whole = {name: value for name, value in told.items() if value is not None}
    return {
        "mass_kg": float(total.mass),
        **wheelbase,
        **{f"track_{axle}_m": vehicle.track(axle) for axle in positions},
        "cg_m": total.centre.tolist(),
        "inertia_kgm2": total.inertia.tolist(),
        "sprung_mass_kg": vehicle.sprung_mass,
        **whole,
    }


def _as_data(vehicle: Vehicle, reading: VehicleReading, problems: Iterable[Problem]) -> dict[str, object]:
    return {
        "name": vehicle.name,
        "half": vehicle.is_half,
        **figures(vehicle),
        "payload": str(vehicle.payload.level) if vehicle.payload is not None else None,
        "axles": [_axle(axle) for axle in vehicle.axles],
        "bodies": len(vehicle.bodies),
        "files_read": [str(path) for path in reading.files_read],
        "problems": [problem.as_dict() for problem in problems],
    }


def _axle(axle: AxleLayout) -> dict[str, object]:
    return {
        "position": str(axle.position),
        "subsystem": axle.subsystem,
        "template": axle.template,
        "dependent": axle.dependent,
        "driven": axle.driven,
        "dual_tyres": axle.dual_tyres,
        "mode": str(axle.mode),
    }


def _print(vehicle: Vehicle, reading: VehicleReading) -> None:
    total = vehicle.mass_properties
    what = f"{vehicle.name}{', half a vehicle' if vehicle.is_half else ''}"
    table = Table(title=f"{what}: {len(vehicle.bodies)} bodies, {len(reading.files_read)} files")
    table.add_column("quantity")
    table.add_column("value", justify="right")
    for name, value in figures(vehicle).items():
        if isinstance(value, float):
            table.add_row(name, shown(value))
    table.add_row("cg_m", ", ".join(shown(round(float(x), 4) + 0.0) for x in total.centre))
    table.add_row("inertia Ixx, Iyy, Izz [kg·m²]", ", ".join(shown(float(x)) for x in total.inertia.diagonal()))
    if vehicle.payload is not None:
        table.add_row("payload", str(vehicle.payload.level))
    for axle in vehicle.axles:
        words = [axle.template, str(axle.mode)]
        words += [word for word, holds in (("dependent", axle.dependent), ("driven", axle.driven)) if holds]
        words += ["twin tyres"] if axle.dual_tyres else []
        table.add_row(f"{axle.position} axle", ", ".join(words))
    console.print(table)


def _values(difference: Difference) -> tuple[str, str, str]:
    change = difference.change
    first, second = (shown(v) if isinstance(v, float) else _brief(v) for v in (difference.first, difference.second))
    return first, second, "" if change is None else f"{100 * change:+.3g} %"


def _brief(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


@app.command("tune-leaf")
def tune_leaf_of(
    vehicle: VehicleArgument,
    out: Annotated[Path, folder_option(help="Folder for the property files of the springs.")],
    axle: Annotated[Axle, typer.Option(help="Where the leaf is.")] = Axle.REAR,
    travel_mm: Annotated[float, typer.Option(help="Largest wheel travel, up and down [mm].")] = 60.0,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    json: Json = False,
) -> None:
    """Tune the simple transverse leaf (switch leaf_simplified) to the leaf of beams, on the rig."""
    beams, simple = (
        open_vehicle(
            vehicle,
            parse_aliases(alias or []),
            templates=templates or [],
            allow_outside=allow_outside,
            parameters={"leaf_simplified": simplified},
        ).vehicle
        for simplified in (0, 1)
    )
    reach = 1e-3 * travel_mm
    leaf = tune_leaf(beams, simple, axle, np.linspace(-reach, reach, 13))
    files = {name: out / f"{axle}_{name}.spr" for name in leaf.springs}
    for name, path in files.items():
        write_spring(leaf.springs[name], path, f"{vehicle}: {name}, tuned to the leaf of beams")
    if json:
        data = {"before": dict(leaf.before), "after": dict(leaf.after)}
        print_json({**data, "files": {name: str(path) for name, path in files.items()}})
        return
    table = Table(title=f"{axle} axle: root mean square of the differences from the leaf of beams")
    for column in ("quantity", "springs as they are", "tuned"):
        table.add_column(column, justify="left" if column == "quantity" else "right")
    for name, value in leaf.before.items():
        table.add_row(name, f"{value:.3g}", f"{leaf.after[name]:.3g}")
    console.print(table)
    console.print(f"property files: {out}", highlight=False)

"""``trackrod inspect``: what a vehicle database holds, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.adams.assembly import read_assembly
from trackrod.adams.axles import AxleDescription, describe_axles
from trackrod.adams.bodies import AssembledBodies, assemble_bodies
from trackrod.adams.characteristics import read_characteristics
from trackrod.cli.output import console, print_json, print_problems
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.report.page import shown
from trackrod.vehicle.mass import MassProperties, mass_properties
from trackrod.vehicle.template import load_templates

__all__ = ["inspect"]


def inspect(
    vehicle: Annotated[Path, typer.Argument(help="Assembly file (.asy) of an Adams/Car database.", show_default=False)],
    alias: Annotated[
        list[str] | None, typer.Option(help="Another database: NAME=FOLDER; may be given several times.")
    ] = None,
    templates: Annotated[
        list[Path] | None, typer.Option(help="Folder with templates of your own; may be given several times.")
    ] = None,
    allow_outside: Annotated[
        bool, typer.Option("--allow-outside", help="Follow references out of the database folders.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Show mass, dimensions and axles of a vehicle, and every problem with its file and line."""
    assembly = read_assembly(vehicle, _aliases(alias or []), allow_outside=allow_outside)
    bodies = assemble_bodies(assembly)
    axles, found = describe_axles(assembly, bodies, load_templates(templates or []))
    total = mass_properties(bodies.bodies)
    properties = read_characteristics(assembly)
    files = (*assembly.files_read, *properties.files_read)
    problems = (*assembly.problems, *bodies.problems, *found, *properties.problems)
    if json:
        print_json(
            {
                "name": assembly.name,
                **_figures(total, bodies),
                "axles": [_axle(axle) for axle in axles],
                "files_read": [str(path) for path in files],
                "problems": [problem.as_dict() for problem in problems],
            }
        )
        return
    table = Table(title=f"{assembly.name}: {len(bodies.bodies)} bodies, {len(files)} files")
    table.add_column("quantity")
    table.add_column("value", justify="right")
    for name, value in _figures(total, bodies).items():
        if isinstance(value, float):
            table.add_row(name, shown(value))
    table.add_row("cg_m", ", ".join(shown(float(x)) for x in total.centre))
    for axle in axles:
        name = axle.template.name if axle.template is not None else "ASCII template" if axle.topology else "no template"
        table.add_row(f"{axle.position} axle", f"{name}, {axle.mode}{', driven' if axle.driven else ''}")
    console.print(table)
    print_problems(problems)


def _aliases(given: list[str]) -> dict[str, Path]:
    aliases = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise InputError(f"--alias {text} is not NAME=FOLDER")
        aliases[name] = Path(folder)
    return aliases


def _figures(total: MassProperties, bodies: AssembledBodies) -> dict[str, object]:
    return {
        "mass_kg": float(total.mass),
        "wheelbase_m": bodies.wheelbase,
        "track_front_m": bodies.track(Axle.FRONT),
        "track_rear_m": bodies.track(Axle.REAR),
        "cg_m": total.centre.tolist(),
        "inertia_kgm2": total.inertia.tolist(),
        "sprung_mass_kg": float(bodies.sprung_mass),
    }


def _axle(axle: AxleDescription) -> dict[str, object]:
    return {
        "position": str(axle.position),
        "subsystem": axle.subsystem,
        "template": axle.template.name if axle.template is not None else None,
        "ascii_template_joints": len(axle.topology.joints) if axle.topology is not None else None,
        "mode": str(axle.mode),
        "driven": axle.driven,
        "kinematic_freedoms": axle.kinematic.freedoms if axle.kinematic is not None else None,
        "redundant_constraints": axle.kinematic.redundant if axle.kinematic is not None else None,
    }

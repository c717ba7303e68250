"""``trackrod export``: a real-time model as another program takes it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trackrod.cli.inputs import Payload, open_loaded
from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders
from trackrod.convert.conversion import Compliance
from trackrod.export.carmaker import export_carmaker
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.systems import PayloadLevel
from trackrod.workflow.models import find_model
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["export"]


class Format(StrEnum):
    """What is written."""

    CARMAKER = "carmaker"


ModelArgument = Annotated[
    str,
    typer.Argument(
        help="Saved model (rtm.json), folder of a study, vehicle file of CarMaker, or a vehicle, which is converted.",
        show_default=False,
    ),
]


def export(
    model: ModelArgument,
    form: Annotated[Format, typer.Option("--format", help="What is written.")],
    out: Annotated[Path, typer.Option(help="Folder to write into: that of a project of CarMaker, or a new one.")],
    carmaker_version: Annotated[int, typer.Option(help="Version of CarMaker, 9 to 15.")] = 12,
    tyre: Annotated[
        Path | None, typer.Option(help="Tyre property file for all wheels of a vehicle of CarMaker.")
    ] = None,
    payload: Payload = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Write a real-time model as another program takes it."""
    found = find_model(model, tyre=tyre)
    if found is not None:
        print_problems(found.problems)
        spec = found.spec
    else:
        spec = _converted(model, payload, alias, templates, allow_outside=allow_outside, stand_in=stand_in)
    _export_carmaker(spec, out, carmaker_version, json=json)


def _converted(
    model: str,
    payload: PayloadLevel | None,
    alias: list[str] | None,
    templates: list[Path] | None,
    *,
    allow_outside: bool,
    stand_in: bool,
) -> RtmSpec:
    """A vehicle as CarMaker can hold it: compliance by tables, a rack by its ratio."""
    vehicle, _ = open_loaded(model, payload, alias, templates, allow_outside=allow_outside, stand_in=stand_in)
    return convert_directly(vehicle, compliance=Compliance.QUASI_STATIC, steering=SteeringModel.RATIO).spec


def _export_carmaker(spec: RtmSpec, out: Path, version: int, *, json: bool) -> None:
    made, files = export_carmaker(spec, out, version)
    if json:
        print_json({"name": spec.name, "files": [str(path) for path in files], "lost": list(made.lost)})
        return
    console.print(f"{spec.name} as a vehicle of CarMaker {version}:", highlight=False)
    for path in files:
        console.print(f"  {path}", highlight=False, soft_wrap=True)
    console.print("the files do not hold:", highlight=False)
    for text in made.lost:
        console.print(f"  {text}", highlight=False, markup=False, soft_wrap=True)

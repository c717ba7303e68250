"""``trackrod envelope``: where a real-time model is valid."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from trackrod.cli.inputs import open_loaded
from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.errors import InputError, MissingExtraError, Problem, Severity
from trackrod.core.files import make_folder, write_atomically
from trackrod.core.plain import pretty_json
from trackrod.core.validity import QUANTITIES
from trackrod.report.envelope import write_envelope_page
from trackrod.rtm.spec import RTM
from trackrod.validate.criteria import find_criteria
from trackrod.validate.envelope import Envelope
from trackrod.validate.plan import EnvelopePlan, read_plan
from trackrod.workflow.envelope import Both, find_envelope, models_of
from trackrod.workflow.models import FoundModel, find_model

__all__ = ["envelope"]


def envelope(
    source: Annotated[
        str,
        typer.Argument(
            help="Vehicle (bundled, .asy or .json), whose direct conversion is judged for each payload; or the folder "
            "of a study or its rtm.json.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, folder_option(help="Folder for model, page and numbers.")],
    plan: Annotated[Path | None, typer.Option(help="What to drive: a TOML file.")] = None,
    criteria: Annotated[
        str, typer.Option(help="What is asked: a TOML file, or the name of ready-made criteria.")
    ] = "within_5_percent",
    vehicle: Annotated[
        str | None, typer.Option(help="Vehicle that a study was made of; its name in the model if not given.")
    ] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Drive both models over a plan, limits included, and find where the real-time model keeps the criteria.

    The folder gets the model with its domain (rtm.json), which its runs and exports then tell of.
    """
    asked, planned = find_criteria(criteria), EnvelopePlan() if plan is None else read_plan(plan)
    saved = find_model(source)
    name = source if saved is None else vehicle or _origin(saved)
    found, _ = open_loaded(name, None, alias, templates, allow_outside=allow_outside, stand_in=stand_in)
    make_folder(out)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=errors, transient=True, disable=json
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(what: str, share: float) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=1.0)
            bars.update(tasks[what], completed=share)

        tell("converting", 0.0)
        models = models_of(found) if saved is None else [Both(found, saved.spec)]
        tell("converting", 1.0)
        result = find_envelope(models, planned, asked, tell=tell)
    files, problems = _write(result, out)
    if json:
        told = {"files": [str(path) for path in files], "problems": [problem.as_dict() for problem in problems]}
        print_json({**result.as_dict(), **told})
        return
    console.print(_table(result))
    console.print(result.validity.sentence, highlight=False, soft_wrap=True)
    print_problems(problems)
    for path in files:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _origin(saved: FoundModel) -> str:
    name = saved.provenance.settings.get("vehicle")
    if not isinstance(name, str):
        raise InputError(Problem("the model does not say what it was made of", hint="name the vehicle with --vehicle"))
    return name


def _write(result: Envelope, out: Path) -> tuple[list[Path], list[Problem]]:
    model, numbers = out / "rtm.json", out / "envelope.json"
    save(Artefact(RTM, result.model, Provenance(settings={"vehicle": result.model.name})), model)
    write_atomically(numbers, pretty_json(result.as_dict()))
    files, problems = [model, numbers], []
    for pdf in (out / "envelope.pdf", None):  # the page alone where the PDF cannot be made
        try:
            files += write_envelope_page(result, out / "envelope.html", pdf)
            break
        except MissingExtraError as error:
            problems.append(Problem(str(error), severity=Severity.WARNING))
    return files, problems


def _table(result: Envelope) -> Table:
    table = Table(title=f"{result.model.name}: where '{result.criteria.name}' is kept")
    for head in ("quantity", "bound"):
        table.add_column(head, justify="left" if head == "quantity" else "right")
    for bound in result.domain.bounds:
        quantity = QUANTITIES[bound.quantity]
        table.add_row(quantity.words, f"{'≥' if quantity.from_below else '≤'} {quantity.shown(bound.limit)}")
    return table

"""``trackrod plan``: what must be driven, measured and known so that criteria can be judged."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from trackrod.cli.inputs import open_loaded
from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.cli.vehicle import Json
from trackrod.core.errors import MissingExtraError, MissingFileError, Place, Problem, Severity
from trackrod.core.files import make_folder, try_folder, write_atomically
from trackrod.core.plain import pretty_json
from trackrod.measured.measurement_plan import find_plan
from trackrod.measured.sensors import SensorSet, case_study
from trackrod.report.plan import plan_sentence, with_unit, write_plan_page
from trackrod.validate.criteria import find_criteria, write_criteria
from trackrod.validate.validation_plan import ValidationPlan
from trackrod.workflow.models import find_model
from trackrod.workflow.planning import PARAMETER_SHARE, SHARE, plan_validation, require_shares, require_signals
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["plan"]

_CASE_STUDY = "case_study"


@dataclass(frozen=True, slots=True)
class _Files:
    """Where a plan is written."""

    page: Path
    pdf: Path
    numbers: Path
    measurement: Path
    sensors: Path
    criteria: Path

    @classmethod
    def at(cls, out: Path) -> _Files:
        """In a folder, or beside a file with its name."""
        if out.suffix and not out.is_dir():
            folder, stem = out.parent, out.stem
            names = (f"{stem}_measurement.toml", f"{stem}_sensors.toml", f"{stem}_criteria.toml")
        else:
            folder, stem, names = out, "plan", ("measurement.toml", "sensors.toml", "criteria.toml")
        first = (folder / f"{stem}.html", folder / f"{stem}.pdf", folder / f"{stem}.json")
        return cls(*first, *(folder / name for name in names))


def plan(
    criteria: Annotated[
        str,
        typer.Argument(
            help="What will be asked of a model: a TOML file, or the name of ready-made criteria.", show_default=False
        ),
    ],
    vehicle: Annotated[
        str,
        typer.Option(help="Bundled vehicle, assembly file (.asy) or saved vehicle (.json); or a real-time model."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the plan, or the name of its page (.html); 'VEHICLE_plan' if not given."),
    ] = None,
    tests: Annotated[str, typer.Option(help="Tests to begin with: a measurement plan.")] = _CASE_STUDY,
    sensors: Annotated[
        str | None, typer.Option(help="Sensors to begin with: a TOML file; those of the tests if not given.")
    ] = None,
    share: Annotated[float, typer.Option(help="Of each limit that measurement may fill.")] = SHARE,
    parameter_share: Annotated[
        float, typer.Option(help="Of each limit that a wrong parameter may fill.")
    ] = PARAMETER_SHARE,
    json: Json = False,
) -> None:
    """Plan a validation: tests, sensors and parameters, each with the accuracy that the criteria ask for.

    Writes one document (page, PDF, JSON), and what `trackrod measure --plan` and `trackrod validate --criteria` take.
    """
    require_shares(share, parameter_share)
    asked = find_criteria(criteria)
    begun = find_plan(tests)
    if sensors is not None:
        begun = replace(begun, sensors=case_study() if sensors == _CASE_STUDY else SensorSet.read(sensors))
    folder_or_file = out if out is not None else Path(f"{Path(vehicle).stem}_plan")
    files = _Files.at(folder_or_file)
    _require_writable(files.page.parent, is_new=files.page.parent == folder_or_file)
    known = find_model(vehicle)
    found = None
    if known is None:
        found, _ = open_loaded(vehicle, None, None, None, allow_outside=False)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=json) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(what: str, done: float) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=1.0)
            bars.update(tasks[what], completed=done)

        if known is not None:
            spec = known.spec
        else:
            assert found is not None
            tell("converting", 0.0)
            spec = convert_directly(found).spec
            tell("converting", 1.0)
        require_signals(asked, spec)
        make_folder(files.page.parent)
        made = plan_validation(
            asked, spec, begun, vehicle=found, share=share, parameter_share=parameter_share, tell=tell
        )
    written, problems = _write(made, files)
    if json:
        told = {"files": [str(path) for path in written], "problems": [problem.as_dict() for problem in problems]}
        print_json({**made.as_dict(), **told})
        return
    for table in _tables(made):
        console.print(table)
    console.print(plan_sentence(made), markup=False, highlight=False)
    print_problems(problems)
    for path in written:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _require_writable(folder: Path, *, is_new: bool) -> None:
    """Refuse a place that cannot be written to, before anything is made there; a folder of the plan may be new."""
    if not is_new and not folder.is_dir():
        raise MissingFileError(
            Problem("the folder to write into does not exist", Place(folder), hint="create it first")
        )
    try_folder(folder)


def _write(made: ValidationPlan, files: _Files) -> tuple[list[Path], list[Problem]]:
    numbers = pretty_json(made.as_dict())
    made.measurement.write(files.measurement, files.sensors)
    write_criteria(made.criteria, files.criteria)
    write_atomically(files.numbers, numbers)
    written, problems = [files.numbers, files.measurement, files.sensors, files.criteria], []
    for pdf in (files.pdf, None):  # the page alone where the PDF cannot be made
        try:
            write_plan_page(made, files.page, pdf=pdf)
            written = [files.page, *([pdf] if pdf is not None else []), *written]
            break
        except MissingExtraError as error:
            problems.append(Problem(str(error), severity=Severity.WARNING))
    return written, problems


def _tables(made: ValidationPlan) -> tuple[Table, Table]:
    sensors = Table(title=f"Sensors: measurement fills up to {made.share:.0%} of each limit")
    for head in ("sensor", "accuracy", "gain", "noise", "rate", "ruled by"):
        sensors.add_column(head, justify="left" if head in ("sensor", "ruled by") else "right", overflow="fold")
    for need in made.sensors:
        first = need.sensors[0]
        unit = first.kind.unit
        numbers = (with_unit(first.accuracy, unit), f"{100.0 * first.scale_error:.2g} %", with_unit(first.noise, unit))
        sensors.add_row(need.name, *numbers, f"{need.rate:g} Hz", " in ".join(need.rows.get("zero", need.serves[:1])))
    parameters = Table(title=f"Parameters: each fills up to {made.parameter_share:.0%} of each limit")
    for head in ("parameter", "needed ±", "in %", "method", "ruled by"):
        parameters.add_column(head, justify="right" if head in ("needed ±", "in %") else "left", overflow="fold")
    for item in made.parameters:
        if math.isfinite(item.accuracy):
            needed, percent = f"{item.accuracy:.2g} {item.tunable.unit}", f"{100.0 * item.relative:.2g}"
            parameters.add_row(item.tunable.name, needed, percent, str(item.method), " in ".join(item.row))
        else:
            parameters.add_row(item.tunable.name, "any", "", str(item.method), "")
    return sensors, parameters

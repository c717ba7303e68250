"""``trackrod validate``: a model held against recorded tests by criteria."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from trackrod.cli.estimate import MAP
from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Json
from trackrod.core.artefact import Artefact, Provenance, Schema, save
from trackrod.core.errors import InputError, MissingExtraError, Problem, Severity
from trackrod.core.files import make_folder, write_atomically
from trackrod.core.plain import pretty_json
from trackrod.core.run_files import write_run
from trackrod.estimate.known import Known
from trackrod.fit.outcome import SearchProgress
from trackrod.measured.sensors import SensorSet
from trackrod.report.validation import road_sentence, verdict_sentence, write_validation_page
from trackrod.report.validation_loop import loop_section
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.single_track.description import SINGLE_TRACK
from trackrod.validate.criteria import Criteria, find_criteria
from trackrod.validate.loop import Loop
from trackrod.validate.verdict import Outcome, Verdict
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.known_vehicle import what_is_known
from trackrod.workflow.recorded_runs import Reader, sensors_beside
from trackrod.workflow.validation import Validation, validate_model
from trackrod.workflow.validation_loop import tune_model

__all__ = ["validate"]


def validate(
    model: Annotated[
        Path,
        typer.Argument(
            help="Real-time or single-track model, study folder, vehicle (as multibody model), or folder of runs.",
            show_default=False,
        ),
    ],
    tests: Annotated[
        Path, typer.Argument(help="Folder of recordings: a file is a test, a folder holds repeats.", show_default=False)
    ],
    criteria: Annotated[
        str, typer.Option(help="What is asked of the model: a TOML file, or the name of ready-made criteria.")
    ],
    channel_map: Annotated[Path | None, MAP] = None,
    out: Annotated[Path | None, folder_option(help="Folder for runs, page and verdict.")] = None,
    tune: Annotated[
        bool, typer.Option("--tune", help="Tune the model until every criterion is met, or nothing is gained.")
    ] = False,
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="What --tune may move, again for more; the standard set if not given."),
    ] = None,
    vehicle: Annotated[
        str | None,
        typer.Option(help="With --tune: whose geometry tells further parameters from the tests; a file or a name."),
    ] = None,
    workshop: Annotated[Path | None, typer.Option(help="With --tune: what was measured while it stood.")] = None,
    sensors: Annotated[str | None, typer.Option(help="With --tune: errors of the sensors, a file or a name.")] = None,
    json: Json = False,
) -> None:
    """Judge a model by recorded tests: a number for each criterion, the degree of validity, the verdict.

    A model drives the inputs of each test again, on its road; with --tune it is brought to its criteria first.
    Exit code 1 if it is not valid, or if that was not shown.
    """
    asked = find_criteria(criteria)
    if not tune and (parameter or vehicle or workshop or sensors):
        raise InputError("--parameter, --vehicle, --workshop and --sensors are for --tune: give it too")
    if out is not None:
        make_folder(out)
    reader = Reader(channel_map)
    if tune:
        _, known, measured = what_is_known(vehicle, workshop, sensors or sensors_beside([tests]))
        told = known if vehicle is not None or workshop is not None else None
        reader = Reader(channel_map, measured)
        found, loop = _tuned(model, tests, asked, told, measured, parameter, reader)
        _finish(found, out, loop, reader, json=json)
        return
    bars = Progress(TextColumn("{task.description}"), BarColumn(), console=errors, transient=True)
    with bars:
        bar = bars.add_task("tests", total=1.0)
        found = validate_model(
            model,
            tests,
            asked,
            reader=reader,
            progress=lambda name, share: bars.update(bar, description=name, completed=share),
        )
    _finish(found, out, None, reader, json=json)


def _tuned(
    model: Path,
    tests: Path,
    criteria: Criteria,
    known: Known | None,
    sensors: SensorSet | None,
    names: list[str] | None,
    reader: Reader,
) -> tuple[Validation, Loop]:
    text = TextColumn("{task.description}")
    with Progress(SpinnerColumn(), text, TimeElapsedColumn(), console=errors, transient=True) as bars:
        bar = bars.add_task("estimating and filling in")

        def tell(now: SearchProgress) -> None:
            bars.update(bar, description=f"round {now.iteration}, objective {now.value / 100.0:.3g}")

        loop = tune_model(model, tests, criteria, known, sensors, names=names, reader=reader, progress=tell)
    return Validation(model, tests, loop.comparisons, loop.verdict), loop


def _finish(found: Validation, out: Path | None, loop: Loop | None, reader: Reader, *, json: bool) -> None:
    """Write and print; exit code 1 where the model is not valid."""
    problems = [*reader.warnings(), *(_write(found, out, loop) if out is not None else [])]
    if json:
        verdict = found.verdict.as_dict() if loop is None else loop.as_dict()
        recordings = [recorded.to_plain() for recorded in reader.recorded]
        print_json({**verdict, "recordings": recordings, "problems": [problem.as_dict() for problem in problems]})
    else:
        if loop is not None:
            console.print(_rounds(loop))
        console.print(_table(found.verdict))
        if loop is not None:
            console.print(loop.sentence, markup=False, highlight=False)
        console.print(verdict_sentence(found.verdict), markup=False, highlight=False)
        console.print(f"Road: {road_sentence(found.comparisons)}.", markup=False, highlight=False)
        print_problems(problems)
    if found.verdict.outcome is not Outcome.VALID:
        raise typer.Exit(1)


def _write(found: Validation, out: Path, loop: Loop | None) -> list[Problem]:
    for comparison in found.comparisons:
        write_run(comparison.model, out / "runs" / f"{comparison.name}.csv", make_parents=True)
    write_atomically(out / "verdict.json", pretty_json(found.verdict.as_dict()))
    if loop is not None:
        write_atomically(out / "loop.json", pretty_json(loop.as_dict()))
        schema, name = _saved_as(loop)
        save(Artefact(schema, loop.spec, Provenance(settings={"criteria": found.verdict.criteria.name})), out / name)
    problems = []
    for pdf in (out / "validation.pdf", None):  # the page alone where the PDF cannot be made
        try:
            write_validation_page(
                found.verdict,
                found.comparisons,
                found.model.stem,
                out / "validation.html",
                pdf=pdf,
                domain=found.domain,
                way=() if loop is None else (loop_section(loop),),
            )
            break
        except MissingExtraError as error:
            problems.append(Problem(str(error), severity=Severity.WARNING))
    return problems


def _saved_as(loop: Loop) -> tuple[Schema[Any], str]:
    if isinstance(loop.spec, Vehicle):
        return VEHICLE, "vehicle.json"
    return (RTM, "rtm.json") if isinstance(loop.spec, RtmSpec) else (SINGLE_TRACK, "single_track.json")


def _rounds(loop: Loop) -> Table:
    table = Table(title="rounds")
    for head in ("parameter", *(one.title for one in loop.rounds), "may lie"):
        table.add_column(head, justify="left" if head == "parameter" else "right", overflow="fold")
    for item in loop.space.tunables:
        values = (_number(one.parameters[item.name]) for one in loop.rounds)
        table.add_row(item.name, *values, f"{_number(item.lower)} to {_number(item.upper)} {item.unit}")
    table.add_row("degree of validity", *(_number(one.degree) for one in loop.rounds), "")
    return table


def _table(verdict: Verdict) -> Table:
    table = Table(title=verdict.criteria.name)
    for head in ("criterion", "test", "metric", "value", "limit", "share", "floor", "verdict"):
        left = head in ("criterion", "test", "metric", "verdict")
        table.add_column(head, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for row in verdict.rows:
        c = row.criterion
        said = ("met" if row.met else row.remark or "violated") + ("" if row.surely else " (uncertain)")
        numbers = (_number(row.value), _number(c.limit), _number(row.ratio), _number(row.floor))
        table.add_row(c.name, row.test, c.metric, *numbers, said, style="" if row.met else "red")
    return table


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "-"

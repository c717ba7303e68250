"""``trackrod validate``: a model held against recorded tests by criteria."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.cli.vehicle import Json
from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.files import make_folder, write_atomically
from trackrod.core.plain import pretty_json
from trackrod.core.run_files import write_run
from trackrod.report.validation import verdict_sentence, write_validation_page
from trackrod.validate.criteria import find_criteria
from trackrod.validate.verdict import Outcome, Verdict
from trackrod.workflow.validation import Validation, validate_model

__all__ = ["validate"]


def validate(
    model: Annotated[
        Path,
        typer.Argument(
            help="Real-time or single-track model, study folder, or folder of runs named as the tests.",
            show_default=False,
        ),
    ],
    tests: Annotated[
        Path, typer.Argument(help="Folder of recordings: a file is a test, a folder holds repeats.", show_default=False)
    ],
    criteria: Annotated[
        str, typer.Option(help="What is asked of the model: a TOML file, or the name of ready-made criteria.")
    ],
    out: Annotated[Path | None, typer.Option(help="Folder for runs, page and verdict.")] = None,
    json: Json = False,
) -> None:
    """Judge a model by recorded tests: a number for each criterion, the degree of validity, the verdict.

    A model drives the inputs of each test again. Exit code 1 if it is not valid, or if that was not shown.
    """
    asked = find_criteria(criteria)
    bars = Progress(TextColumn("{task.description}"), BarColumn(), console=errors, transient=True)
    with bars:
        bar = bars.add_task("tests", total=1.0)
        found = validate_model(
            model, tests, asked, progress=lambda name, share: bars.update(bar, description=name, completed=share)
        )
    problems = _write(found, out) if out is not None else []
    if json:
        print_json({**found.verdict.as_dict(), "problems": [problem.as_dict() for problem in problems]})
    else:
        console.print(_table(found.verdict))
        console.print(verdict_sentence(found.verdict), markup=False, highlight=False)
        print_problems(problems)
    if found.verdict.outcome is not Outcome.VALID:
        raise typer.Exit(1)


def _write(found: Validation, out: Path) -> list[Problem]:
    make_folder(out)
    for comparison in found.comparisons:
        write_run(comparison.model, out / "runs" / f"{comparison.name}.csv", make_parents=True)
    write_atomically(out / "verdict.json", pretty_json(found.verdict.as_dict()))
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
            )
            break
        except MissingExtraError as error:
            problems.append(Problem(str(error), severity=Severity.WARNING))
    return problems


def _table(verdict: Verdict) -> Table:
    table = Table(title=verdict.criteria.name)
    for head in ("criterion", "test", "metric", "value", "limit", "share", "floor", "verdict"):
        left = head in ("criterion", "test", "metric", "verdict")
        table.add_column(head, justify="left" if left else "right")
    for row in verdict.rows:
        c = row.criterion
        said = ("met" if row.met else row.remark or "violated") + ("" if row.surely else " (uncertain)")
        numbers = (_number(row.value), _number(c.limit), _number(row.ratio), _number(row.floor))
        table.add_row(c.name, row.test, c.metric, *numbers, said, style="" if row.met else "red")
    return table


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "-"

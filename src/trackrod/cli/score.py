"""``trackrod score``: how close a run is to another, by the metrics of the field."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.vehicle import Json
from trackrod.core.errors import InputError, Problem, Severity, UnknownNameError
from trackrod.core.files import require_file
from trackrod.core.run_files import read_columns, read_run
from trackrod.core.signals import TIME, parse_column
from trackrod.metrics.pair import Array, Pair
from trackrod.metrics.scores import METRICS
from trackrod.metrics.trace import Trace

__all__ = ["score"]

MetricName = StrEnum("MetricName", {name.replace("-", "_"): name for name in METRICS})  # type: ignore[misc]
_File = Annotated[Path, typer.Argument(show_default=False)]


def score(
    reference: Annotated[Path, typer.Argument(help="The run that is trusted: CSV with `time_s`, or any run file.")],
    run: Annotated[Path, typer.Argument(help="The run that is judged.")],
    signal: Annotated[
        list[str] | None, typer.Option(help="Column, with or without its unit; all in common without it. Repeatable.")
    ] = None,
    metric: Annotated[list[MetricName] | None, typer.Option(help="ISO/TS 18571 without it. Repeatable.")] = None,
    step: Annotated[float | None, typer.Option(help="Of the grid [s]; that of the reference without it.")] = None,
    json: Json = False,
) -> None:
    """Score a run against a reference, signal by signal.

    Columns of CSV files may have any name; those that are no signals have no unit. Neither file is changed.
    """
    trusted, judged = _columns(reference), _columns(run)
    wanted = (
        [_find(name, trusted, reference) for name in signal] if signal else _common(trusted, judged, reference, run)
    )
    metrics = [str(name) for name in metric] if metric else ["iso18571"]
    problems: list[Problem] = []
    scores: list[dict[str, object]] = []
    for column in wanted:
        _find(column, judged, run)
        try:
            pair = Pair.of(_trace(column, trusted, reference), _trace(column, judged, run), step)
        except InputError as error:
            if signal or len(wanted) == 1:
                raise
            problems.extend(Problem(problem.text, severity=Severity.WARNING) for problem in error.problems)
            continue
        head = {"signal": column, "unit": pair.unit, "points": pair.x.size, "from_s": pair.x[0], "to_s": pair.x[-1]}
        scores.extend({**head, "metric": name, **METRICS[name](pair)} for name in metrics)
    if json:
        only = scores[0] if len(scores) == 1 else {"scores": scores}
        files = {"reference": str(reference), "run": str(run)}
        print_json({**files, **only, "problems": [problem.as_dict() for problem in problems]})
        return
    for name in metrics:
        console.print(_table(name, [entry for entry in scores if entry["metric"] == name]))
    print_problems(problems)


def _columns(path: Path) -> dict[str, Array]:
    if path.suffix.lower() == ".csv":
        return read_columns(path)
    return dict(read_run(require_file(path)))


def _unit(column: str) -> str:
    try:
        return parse_column(column).kind.unit or "-"
    except InputError:
        return "-"


def _find(name: str, columns: dict[str, Array], path: Path) -> str:
    """A column by its whole name, or by its name without the unit."""
    if name in columns and name != TIME.column:
        return name
    near = [column for column in columns if column.rpartition("_")[0] == name and _unit(column) != "-"]
    if len(near) == 1:
        return near[0]
    raise UnknownNameError(f"column of {path}", name, [column for column in columns if column != TIME.column])


def _common(trusted: dict[str, Array], judged: dict[str, Array], reference: Path, run: Path) -> list[str]:
    found = [column for column in trusted if column in judged and column != TIME.column]
    if not found:
        raise InputError(f"{reference} and {run} have no column in common besides '{TIME.column}'")
    return found


def _trace(column: str, columns: dict[str, Array], path: Path) -> Trace:
    try:
        return Trace(columns[TIME.column], columns[column], "time", "s", column, _unit(column))
    except InputError as error:
        raise InputError([Problem(f"{path}: {problem.text}") for problem in error.problems]) from error


def _table(metric: str, scores: list[dict[str, object]]) -> Table:
    table = Table(title=metric)
    left_out = ("signal", "unit", "points", "from_s", "to_s", "metric", "guarded")
    names = [name for name in scores[0] if name not in left_out] if scores else []
    guarded = scores and "guarded" in scores[0]
    for head in ("signal", "points", *names, *(("guarded R",) if guarded else ())):
        table.add_column(head, justify="left" if head == "signal" else "right")
    for entry in scores:
        numbers = [_number(entry[name]) for name in names]
        if guarded:
            numbers.append(_number(entry["guarded"]["R"]))  # type: ignore[index]
        table.add_row(f"{entry['signal']}", f"{entry['points']}", *numbers)
    return table


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) and math.isfinite(value) else "-"

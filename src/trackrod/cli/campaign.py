"""``trackrod campaign``: many runs from one file, by threads or by a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

from trackrod.campaign.runner import Ended, Progress
from trackrod.campaign.statistics import Counts, Spread, counts, spread
from trackrod.campaign.table import CampaignTable
from trackrod.cli.output import console, errors, print_json
from trackrod.cli.targets import file_option, folder_option
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.executors import ExecutorKind
from trackrod.core.numbers import minus, shown
from trackrod.core.run_files import RUN_SUFFIXES, write_run
from trackrod.report.campaign import write_campaign_page
from trackrod.workflow.campaign import open_campaign, replay_run, run_campaign

__all__ = ["app"]

app = typer.Typer(help="Many runs from one file, by threads or by a cluster.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="What is driven (TOML).", show_default=False)]
FileOrFolder = Annotated[
    Path, typer.Argument(help="The file of the campaign, or the folder of its results.", show_default=False)
]
Out = Annotated[
    Path | None, folder_option(help="Folder of the results; FILE without its suffix and with _campaign if not given.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.command()
def run(
    file: File,
    executor: Annotated[ExecutorKind, typer.Option(help="Who drives.")] = ExecutorKind.THREADS,
    address: Annotated[
        str | None, typer.Option(help="Of the Dask scheduler (tcp://host:8786), or the file that it writes.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many threads; as many as processors if not given.")
    ] = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Drive a campaign, or what is left of it after Ctrl-C, a kill or a lost machine.

    Every file in the folder is there whole or not at all: what is done is never done again.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, TimeRemainingColumn(), console=errors, transient=True, disable=json) as bars:
        task = bars.add_task("preparing", total=None)

        def show(now: Progress) -> None:
            what = f"runs, {now.workers} worker{'' if now.workers == 1 else 's'}"
            bars.update(task, description=what, completed=now.runs, total=now.of)

        folder, summary = run_campaign(
            file, out=out, executor=executor, workers=workers, address=address, progress=show
        )
    table = CampaignTable(folder)
    told = counts(table)
    if json:
        print_json(
            {
                "folder": str(folder.path),
                "ended": str(summary.ended),
                "runs": summary.runs,
                "of": table.plan.runs,
                "driven_now": summary.driven,
                "seconds": summary.seconds,
                **_counts_data(told),
            }
        )
        return
    rate = f", {summary.driven / summary.seconds:.3g} runs/s" if summary.driven else ""
    console.print(
        f"{summary.ended}: {summary.runs} of {table.plan.runs} runs, {summary.driven} of them now in "
        f"{summary.seconds:.1f} s{rate}",
        highlight=False,
    )
    _print_counts(told)
    console.print(f"results in {folder.path}", highlight=False, soft_wrap=True)
    if summary.ended is Ended.TIME:
        console.print("the same command drives the rest", highlight=False)


@app.command()
def status(file: FileOrFolder, out: Out = None, json: Json = False) -> None:
    """Show how far a campaign is, and what its runs say so far; also while another process drives it."""
    folder = open_campaign(file, out)
    table = CampaignTable(folder)
    plan, told = table.plan, counts(table)
    spreads = _spreads(table)
    if json:
        print_json(
            {
                "folder": str(folder.path),
                "runs": told.runs,
                "of": plan.runs,
                **_counts_data(told),
                "values": [{"model": m, "manoeuvre": t, **found.as_dict()} for m, t, found in spreads],
            }
        )
        return
    console.print(f"{plan.description.name}: {told.runs} of {plan.runs} runs in {folder.path}", soft_wrap=True)
    _print_counts(told)
    _print_spreads(spreads)


@app.command()
def replay(
    file: FileOrFolder,
    number: Annotated[int, typer.Argument(help="Of the run.", show_default=False)],
    out: Out = None,
    run_file: Annotated[
        Path | None, file_option("--run", help="File for the run: .csv, .parquet, .mat or .mf4.")
    ] = None,
    json: Json = False,
) -> None:
    """Drive one run of a campaign again and write it; its numbers are compared with those of the table.

    Exit code 1 if the table has other numbers.
    """
    folder = open_campaign(file, out)
    target = run_file if run_file is not None else Path(f"run_{number}.csv")
    if target.suffix.casefold() not in RUN_SUFFIXES:
        hint = f"supported are {', '.join(RUN_SUFFIXES)}"
        raise InputError(Problem(f"the suffix '{target.suffix}' is not supported", Place(target), hint=hint))
    found = replay_run(folder, number)
    if found.run is not None:
        write_run(found.run, target)
    same = None if found.kept is None else not found.differences
    if json:
        written = [str(target)] if found.run is not None else []
        print_json({"row": found.row, "kept": found.kept is not None, "same": same, "files": written})
    else:
        _print_row(found.row, CampaignTable(folder).columns)
        if found.run is not None:
            console.print(f"wrote {target}", highlight=False, soft_wrap=True)
        if same is None:
            console.print("the table does not have this run yet")
        elif same:
            console.print("every number is that of the table, bit for bit")
        else:
            errors.print(f"the table has other numbers: {', '.join(found.differences)}", style="bold red")
    if same is False:
        raise typer.Exit(1)


@app.command()
def report(
    file: FileOrFolder,
    out: Out = None,
    page: Annotated[
        Path | None, file_option("--page", help="HTML file; report.html in the folder of the results if not given.")
    ] = None,
    pdf: Annotated[Path | None, file_option(help="The same as a PDF.")] = None,
    json: Json = False,
) -> None:
    """Write a page: distributions, percentiles, worst cases with their numbers, shares of variance."""
    folder = open_campaign(file, out)
    files = write_campaign_page(CampaignTable(folder), page or folder.report, pdf)
    if json:
        print_json({"files": [str(path) for path in files]})
        return
    for path in files:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _spreads(table: CampaignTable) -> list[tuple[str, str, Spread]]:
    description = table.plan.description
    found = []
    for model in description.models:
        for test in description.tests:
            for value in table.plan.values_of(test):
                found.append((model.label, test.label, spread(table, value.name, model.label, test.label)))
    return found


def _counts_data(told: Counts) -> dict[str, Any]:
    return {"statuses": dict(told.statuses), "events": dict(told.events), "reasons": dict(told.reasons)}


def _print_counts(told: Counts) -> None:
    if not told.not_completed:
        return
    parts = [f"{number} {status}" for status, number in sorted(told.statuses.items())]
    console.print(f"{', '.join(parts)}", highlight=False)
    for kind, number in told.events.items():
        console.print(f"  {number} × {kind.replace('_', ' ')}", highlight=False)
    for reason, number in list(told.reasons.items())[:3]:
        console.print(f"  {number} × {reason}", style="yellow", highlight=False)


def _print_spreads(spreads: list[tuple[str, str, Spread]]) -> None:
    for model, manoeuvre in dict.fromkeys((model, manoeuvre) for model, manoeuvre, _ in spreads):
        table = Table(title=f"{model}, {manoeuvre}: values so far")
        table.add_column("value", no_wrap=True)
        for head in ("runs", "mean", "5 %", "median", "95 %"):
            table.add_column(head, justify="right")
        for of, within, found in spreads:
            if (of, within) != (model, manoeuvre) or not found.values.size:
                continue
            told = found.percentiles
            cells = (minus(shown(number, 3)) for number in (found.mean, told[5.0], told[50.0], told[95.0]))
            table.add_row(found.column, str(found.values.size), *cells)
        console.print(table)


def _print_row(row: dict[str, Any], units: dict[str, str]) -> None:
    table = Table(title=f"Run {row['run']}")
    for head in ("column", "value", "unit"):
        table.add_column(head, justify="right" if head == "value" else "left")
    for name, value in row.items():
        text = minus(shown(value, 6)) if isinstance(value, float) else str(value)
        table.add_row(name, text, units.get(name, ""))
    console.print(table)

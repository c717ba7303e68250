"""``trackrod convert``: from a vehicle, or from results of another program, to a tuned and proven real-time model."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from trackrod.adams.source import open_vehicle
from trackrod.cli.inputs import Payload, make_folder
from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, TemplateFolders, parse_aliases
from trackrod.core.errors import InputError, Problem, Severity, UnknownNameError, raise_if_errors
from trackrod.fit.methods import METHODS
from trackrod.fit.outcome import SearchProgress
from trackrod.reference import read_reference
from trackrod.tune.study import StudyResult
from trackrod.vehicle.systems import PayloadLevel
from trackrod.workflow.study import run_study
from trackrod.workflow.study_folder import write_study
from trackrod.workflow.study_input import StudyInput, input_from_reference, input_from_vehicle
from trackrod.workflow.study_settings import Mode, StudySettings, read_study_file

__all__ = ["convert"]

_STAGES = {
    "read": "reading the vehicle",
    "kc": "on the K&C rig",
    "reference": "driving the multibody model",
    "sensitivity": "sensitivity and identifiability",
    "optimise": "tuning",
    "hold_out": "manoeuvres that were held out",
    "error_budget": "error budget",
    "report": "writing the report",
}


def convert(
    vehicle: Annotated[str | None, typer.Argument(help="Bundled name, .asy file or saved vehicle.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; NAME_conversion without it.")] = None,
    mode: Annotated[Mode | None, typer.Option(help="expert: any parameter by name in the study file.")] = None,
    config: Annotated[Path | None, typer.Option(help="Study file (TOML): manoeuvres, parameters, weights.")] = None,
    optimiser: Annotated[str | None, typer.Option(help="One of " + ", ".join(METHODS) + ".")] = None,
    seed: Annotated[int | None, typer.Option(help="For optimisers that draw random numbers.", min=0)] = None,
    payload: Payload = None,
    reference: Annotated[
        Path | None, typer.Option(help="Folder with results of another program instead of a vehicle.")
    ] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    json: Json = False,
) -> None:
    """Convert a vehicle into a real-time model, tune it within its bounds, prove it on manoeuvres it has not seen."""
    settings = _settings(config, mode, optimiser, seed)
    if (vehicle is None) == (reference is None):
        raise InputError("give a vehicle, or results of another program with --reference, and not both")
    if reference is not None and payload is not None:
        raise InputError("--payload is that of a vehicle; a reference has been driven as it is")
    with _display(quiet=json) as display:
        display.announce("read", vehicle or str(reference), 0.0)
        began = time.perf_counter()
        start: Callable[[], StudyInput]
        if vehicle is not None:
            name, start = _from_vehicle(vehicle, settings, payload, alias, templates, display, allow=allow_outside)
        else:
            results = read_reference(reference or Path())
            name, start = results.name, partial(input_from_reference, results, settings, source=str(reference))
        folder = out or Path(f"{name}_conversion")
        make_folder(folder)
        read = time.perf_counter() - began
        given = start()
        given = replace(given, seconds={"read": read, **given.seconds})
        with _ctrl_c():
            result = run_study(given, settings, folder, announce=display.announce, progress=display.search)
        written = write_study(result, folder, announce=display.announce)
    if json:
        print_json({**written.summary, "files": [str(path) for path in written.files]})
        return
    print_problems(
        problem for problem in (*result.problems, *written.problems) if problem.severity is not Severity.NOTE
    )
    _print(result, folder)


def _settings(config: Path | None, mode: Mode | None, optimiser: str | None, seed: int | None) -> StudySettings:
    settings = read_study_file(config, mode) if config is not None else StudySettings(mode=mode or Mode.STANDARD)
    if optimiser is not None:
        if optimiser not in METHODS:
            raise UnknownNameError("method of optimisation", optimiser, METHODS)
        settings = replace(settings, optimiser=optimiser)
    return settings if seed is None else replace(settings, seed=seed)


def _from_vehicle(
    name: str,
    settings: StudySettings,
    payload: PayloadLevel | None,
    alias: list[str] | None,
    templates: list[Path] | None,
    display: _Display,
    *,
    allow: bool,
) -> tuple[str, Callable[[], StudyInput]]:
    """Name of the vehicle, and what makes a study of it."""
    reading = open_vehicle(name, parse_aliases(alias or []), templates=templates or [], allow_outside=allow)
    raise_if_errors(reading.problems)
    loaded = reading.vehicle if payload is None else reading.vehicle.with_payload(payload)
    problems: tuple[Problem, ...] = tuple(reading.problems)
    return loaded.name, partial(
        input_from_vehicle, loaded, settings, source=name, problems=problems, announce=display.announce
    )


@contextmanager
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C ends the search, which then keeps its best point; elsewhere it ends the program."""
    try:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not in the main thread: whoever called takes care of it
        yield
        return
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, before)
        signal.raise_signal(signal.SIGINT)
        raise
    finally:
        signal.signal(signal.SIGINT, before)


class _Display:
    """Stages on the way, as a bar on a terminal and as lines elsewhere."""

    def __init__(self, bars: Progress | None) -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._stage = ""

    def announce(self, stage: str, what: str, share: float) -> None:
        """A stage is being done, this much of it is."""
        if self._bars is None:
            return
        if stage != self._stage:
            if self._task is not None:
                self._bars.update(self._task, completed=1.0, what="")
            self._stage = stage
            self._task = self._bars.add_task(_STAGES.get(stage, stage), total=1.0, what="")
        if self._task is not None:
            self._bars.update(self._task, completed=share, what=what)

    def search(self, now: SearchProgress) -> None:
        """The search goes on."""
        if self._bars is None or self._task is None:
            return
        left = "" if now.seconds_left is None else f", about {now.seconds_left:.0f} s left"
        text = (
            f"{now.stage + ': ' if now.stage else ''}objective {now.value:.3f} %, step {now.step:.2g}, "
            f"{now.evaluations + now.linearisations} evaluations{left}"
        )
        share = 0.0 if now.seconds_left is None else now.seconds / max(now.seconds + now.seconds_left, 1e-9)
        self._bars.update(self._task, completed=min(share, 0.99), what=text)


@contextmanager
def _display(*, quiet: bool) -> Iterator[_Display]:
    if quiet:
        yield _Display(None)
        return
    shown = Console(stderr=True)
    columns = (
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[what]}", style="dim"),
    )
    with Progress(*columns, console=shown) as bars:
        yield _Display(bars)


def _print(result: StudyResult, folder: Path) -> None:
    limit = result.tolerance_pct
    table = Table(title=f"{result.name}: difference from the reference, tolerance {limit:g} %")
    table.add_column("index", no_wrap=True)
    for head in ("nominal [%]", "tuned [%]"):
        table.add_column(head, justify="right", no_wrap=True)
    for test in result.tests:
        table.add_row(f"{test.label}, held out" if test.hold_out else test.label, style="bold")
        for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True):
            style = "red" if after.value_pct > limit else ""
            table.add_row(f"  {after.name}", f"{before.value_pct:.2f}", f"{after.value_pct:.2f}", style=style)
        table.add_section()
    console.print(table)
    tuned = Table(title="parameters: change from the nominal value, and its standard deviation")
    for head in ("parameter", "tuned", "change [%]", "std [%]", "remark"):
        tuned.add_column(head, justify="left" if head in ("parameter", "remark") else "right", no_wrap=True)
    for item in result.parameters:
        remark = "on its bound" if item.on_bound else "" if item.identifiable else "unidentifiable"
        value = f"{item.value:.5g} {'' if item.tunable.unit == '-' else item.tunable.unit}"
        change = (f"{item.tunable.change_pct(item.z):+.2f}", f"{item.std_pct:.2f}", remark)
        tuned.add_row(item.tunable.name, value, *change, style="yellow" if item.on_bound else "")
    console.print(tuned)
    outcome = result.outcome
    points = outcome.evaluations + outcome.linearisations
    console.print(
        f"objective {result.objective_nominal:.3f} % to {outcome.value:.3f} % with {outcome.method}, {points} "
        f"evaluations: {outcome.reason}",
        highlight=False,
    )
    for hold_out, what in ((False, "tuned with"), (True, "held out")):
        if (worst := result.worst(hold_out=hold_out)) is not None:
            text = f"largest index of what was {what}: {worst[1].value_pct:.2f} % ({worst[0]}, {worst[1].name})"
            console.print(text, highlight=False)
    console.print(f"the report is {folder / 'report.html'}", highlight=False, soft_wrap=True)

"""``trackrod convert``: from a vehicle, or from results of another program, to a tuned and proven real-time model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from trackrod.cli.inputs import FrameStiffness, Giving, MapTravel, Payload, Plugins, SteeringKind
from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders, parse_aliases
from trackrod.core.errors import InputError, Problem, Severity
from trackrod.fit.methods import METHODS
from trackrod.fit.outcome import SearchProgress
from trackrod.tune.study import StudyResult
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.stage import Stage
from trackrod.workflow.study import run_study
from trackrod.workflow.study_folder import StudyFolder
from trackrod.workflow.study_settings import NOT_TUNED, Mode

__all__ = ["convert"]

#: Share of the reference from which a manoeuvre counts as compared in full [-].
_COVERED = 0.95


def convert(
    vehicle: Annotated[str | None, typer.Argument(help="Bundled name, .asy file or saved vehicle.")] = None,
    out: Annotated[Path | None, folder_option(help="Folder for the results; NAME_conversion without it.")] = None,
    mode: Annotated[Mode | None, typer.Option(help="expert: any parameter by name in the study file.")] = None,
    config: Annotated[Path | None, typer.Option(help="Study file (TOML): manoeuvres, parameters, weights.")] = None,
    optimiser: Annotated[
        str | None, typer.Option(help="One of " + ", ".join((*METHODS.built_in, NOT_TUNED)) + ".")
    ] = None,
    no_tune: Annotated[
        bool, typer.Option("--no-tune", help="The direct conversion alone, compared and reported; nothing is tuned.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="For optimisers that draw random numbers.", min=0)] = None,
    payload: Payload = None,
    frame_stiffness: FrameStiffness = None,
    travel_mm: MapTravel = None,
    compliance: Giving = None,
    steering: SteeringKind = None,
    reference: Annotated[
        Path | None, typer.Option(help="Folder with results of another program instead of a vehicle.")
    ] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Convert a vehicle into a real-time model, tune it within its bounds, prove it on manoeuvres it has not seen."""
    if no_tune and optimiser not in (None, NOT_TUNED):
        raise InputError(Problem(f"--no-tune and --optimiser {optimiser} are both given", hint="leave one out"))
    request = StudyRequest(
        vehicle=vehicle,
        reference=reference,
        out=out,
        config=config,
        mode=mode,
        optimiser=NOT_TUNED if no_tune else optimiser,
        seed=seed,
        payload=payload,
        frame_stiffness=frame_stiffness,
        travel=None if travel_mm is None else 1e-3 * travel_mm,
        compliance=compliance,
        steering=steering,
        aliases=parse_aliases(alias or []),
        templates=tuple(templates or ()),
        allow_outside=allow_outside,
        stand_in=stand_in,
        plugins=tuple(plugin or ()),
    )
    with _display(quiet=json) as display:
        study = run_study(request, display)
    if json:
        print_json({**study.summary, "files": [str(path) for path in study.files]})
        return
    print_problems(problem for problem in study.result.problems if problem.severity is not Severity.NOTE)
    _print(study.result, study.folder, page=study.folder.page in study.files)


class _Display:
    """Stages on the way, as a bar on a terminal and as lines elsewhere."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._title = ""

    def announce(self, stage: Stage[Any], what: str, share: float) -> None:
        """A stage is being done, this much of it is."""
        if stage.title != self._title:
            self._bars.start()  # not before there is something to show
            if self._task is not None:
                self._bars.update(self._task, completed=1.0, what="")
            self._title = stage.title
            self._task = self._bars.add_task(stage.title, total=1.0, what="")
        if self._task is not None:
            self._bars.update(self._task, completed=share, what=what)

    def search(self, now: SearchProgress) -> None:
        """The search goes on."""
        if self._task is None:
            return
        left = "" if now.seconds_left is None else f", about {now.seconds_left:.0f} s left"
        text = (
            f"{now.stage + ': ' if now.stage else ''}objective {now.value:.3f} %, step {now.step:.2g}, "
            f"{now.evaluations + now.linearisations} evaluations{left}"
        )
        share = 0.0 if now.seconds_left is None else now.seconds / max(now.seconds + now.seconds_left, 1e-9)
        self._bars.update(self._task, completed=min(share, 0.99), what=text)


@contextmanager
def _display(*, quiet: bool) -> Iterator[_Display | None]:
    if quiet:
        yield None
        return
    shown = Console(stderr=True)
    columns = (
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[what]}", style="dim"),
    )
    bars = Progress(*columns, console=shown)
    try:
        yield _Display(bars)
    finally:
        if bars.live.is_started:
            bars.stop()


def _print(result: StudyResult, folder: StudyFolder, *, page: bool) -> None:
    limit = result.tolerance_pct
    table = Table(title=f"{result.name}: difference from the reference, tolerance {limit:g} %")
    table.add_column("index", no_wrap=True)
    for head in ("nominal [%]", "tuned [%]") if result.was_tuned else ("converted [%]",):
        table.add_column(head, justify="right", no_wrap=True)

    def row(name: str, before: float, after: float, style: str = "") -> None:
        values = (before, after) if result.was_tuned else (after,)
        table.add_row(name, *(f"{value:.2f}" for value in values), style=style)

    for loads in result.standing_loads:
        table.add_row(f"{loads.label}, held out" if loads.hold_out else loads.label, style="bold")
        row("  wheel loads", loads.nominal_pct, loads.tuned_pct)
        table.add_section()
    for test in result.tests:
        table.add_row(f"{test.label}, held out" if test.hold_out else test.label, style="bold")
        for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True):
            style = "red" if after.value_pct > limit else ""
            row(f"  {after.name}", before.value_pct, after.value_pct, style)
        table.add_section()
    console.print(table)
    if result.was_tuned:
        _print_tuning(result)
    for hold_out, what in ((False, "used for tuning" if result.was_tuned else "driven"), (True, "held out")):
        if (worst := result.worst(hold_out=hold_out)) is not None:
            text = f"largest index of the manoeuvres {what}: {worst[1].value_pct:.2f} % ({worst[0]}, {worst[1].name})"
            console.print(text, highlight=False)
    if result.limits:
        console.print(result.limits[0], highlight=False, soft_wrap=True)
    for test in result.tests:
        if test.coverage < _COVERED:
            text = f"{test.label}: only {100 * test.coverage:.0f} % of the reference is compared, the model ends there"
            console.print(text, highlight=False, soft_wrap=True)
        for event in test.incidents:
            console.print(f"{test.label}: {event}", highlight=False, soft_wrap=True)
    console.print(f"the model is {folder.model}", highlight=False, soft_wrap=True)
    if page:
        console.print(f"the report is {folder.page}", highlight=False, soft_wrap=True)


def _print_tuning(result: StudyResult) -> None:
    tuned = Table(title="parameters: change from the nominal value, and the interval that holds the value with 95 %")
    for head in ("parameter", "tuned", "change [%]", "interval", "remark"):
        words = head in ("parameter", "remark")
        # a remark may need a second line; names and numbers are never cut
        tuned.add_column(head, justify="left" if words else "right", no_wrap=head != "remark", overflow="fold")
    for item in result.parameters:
        remark = "on its bound" if item.on_bound else "out of its interval" if item.makes_up else ""
        remark = remark or item.held
        value = f"{item.value:.5g} {'' if item.tunable.unit == '-' else item.tunable.unit}"
        change = (f"{item.tunable.change_pct(item.z):+.2f}", "{:.5g} to {:.5g}".format(*item.interval_values), remark)
        tuned.add_row(item.tunable.name, value, *change, style="yellow" if item.on_bound else "")
    if (height := result.standing_height) is not None:
        interval = "{:.5g} to {:.5g}".format(*height.interval)
        told = (f"{height.tuned:.5g} m", f"{height.change_pct:+.2f}", interval, "above the road that it stands on")
        tuned.add_row("cg_height, standing", *told)
    console.print(tuned)
    outcome = result.outcome
    points = outcome.evaluations + outcome.linearisations
    console.print(
        f"objective {result.objective_nominal:.3f} % to {outcome.value:.3f} % with {outcome.method}, {points} "
        f"evaluations: {outcome.reason}",
        highlight=False,
    )

"""Page Reduce: axles as quarter cars with one equivalent link."""

from __future__ import annotations

from nicegui import ui

from trackrod.web import commands
from trackrod.web.bench import Bench
from trackrod.web.components import attempt, command_button, empty, frame, head, job_card, live, push
from trackrod.web.jobs import State

__all__ = ["page"]


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    del dark  # the page of the command has colours of its own
    options: dict[str, str] = {}
    flags: set[str] = set()
    with head("Reduce", "Each axle as a quarter car with one equivalent link, identified by homotopy."):
        command_button(lambda: _command(bench, options, flags))
        push("Reduce", icon="play_arrow", on_click=lambda: _run(bench, options, flags)).props(
            "no-caps unelevated"
        ).classes("main")
    if bench.preferences.expert:
        with ui.row().classes("row-of-fields"):
            ui.select(
                {"": "both", "front": "front", "rear": "rear"},
                value="",
                label="axle",
                on_change=lambda e: options.update(axle=e.value),
            ).props("dense").style("width: 8rem")
            ui.input(
                "searches from wrong starts",
                placeholder="0",
                on_change=lambda e: options.update(starts=e.value.strip()),
            ).props("dense stack-label").style("width: 14rem")
            ui.checkbox(
                "compare on four posts too",
                on_change=lambda e: (flags.add if e.value else flags.discard)("--posts"),
            )
    live(lambda: bench.outline_of_vehicle("reduce"), lambda: _result(bench))


def _command(bench: Bench, options: dict[str, str], flags: set[str]) -> commands.Command:
    source, name, _ = bench.source()
    return commands.reduce(source, name, options, sorted(flags))


def _run(bench: Bench, options: dict[str, str], flags: set[str]) -> None:
    attempt(lambda: bench.run(_command(bench, options, flags), bench.preferences.vehicle))


def _result(bench: Bench) -> None:
    job = bench.latest("reduce")
    if job is None:
        text = "There are no quarter cars yet: press Reduce." if bench.vehicle else "Choose a vehicle first."
        empty(text, "" if bench.vehicle else "Choose a vehicle", "/")
        return
    job_card(bench, job)
    if job.state is State.DONE:
        frame(job, "reduce.html", "quarter cars")

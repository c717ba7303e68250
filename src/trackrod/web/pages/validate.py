"""Page Validate: recordings, their channels, a plan, estimates, criteria, the degree of validity, the envelope."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nicegui import events, ui

from trackrod.core.errors import InputError, TrackrodError
from trackrod.core.signals import SIGNALS
from trackrod.validate.criteria import ready_made
from trackrod.web import commands
from trackrod.web.bench import Bench
from trackrod.web.channel_table import Row, read_map, rows_of, write_map
from trackrod.web.components import (
    attempt,
    command_button,
    empty,
    frame,
    head,
    job_card,
    live,
    problem_list,
    push,
    quoted,
    upload,
    what_is_wrong,
)
from trackrod.web.jobs import State

__all__ = ["page"]

#: Channels that the table lists at once.
_MOST_ROWS = 60
KINDS = ("validate", "plan", "estimate", "envelope", "channels", "measure")


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    del dark  # pages of the commands have colours of their own
    chosen: dict[str, Any] = {"campaign": "", "criteria": "tolerance_5_percent", "study": None, "time": ""}
    errors: list[Any] = []
    with head("Validate", "A model against recorded tests: criteria, verdict, degree of validity, envelope."):
        command_button(lambda: _validation(bench, chosen))
        push("Validate", icon="play_arrow", on_click=lambda: _run(bench, _validation, chosen, errors[0])).props(
            "no-caps unelevated"
        ).classes("main")
    errors.append(ui.column().classes("problems"))
    live(lambda: _kept(bench), lambda: _choices(bench, chosen, errors[0]))
    name = ui.input("campaign of what is uploaded", value="measured").props("dense").style("width: 14rem")
    upload(
        "Recordings (.csv, .mat, .mf4, .parquet), channel map and criteria (.toml), or a .zip",
        ".csv,.mat,.mf4,.parquet,.toml,.zip",
        lambda event: _uploaded(bench, str(name.value), event, errors[0]),
        multiple=True,
        max_file_size=bench.workspace.limits.packed,
        max_files=200,
    )
    if bench.preferences.expert:
        live(lambda: bench.outline("channels"), lambda: _mapping(bench, chosen))
    live(lambda: bench.outline(*KINDS), lambda: _results(bench))


async def _uploaded(bench: Bench, campaign: str, event: events.UploadEventArguments, errors: Any) -> None:
    errors.clear()
    with TemporaryDirectory(prefix="trackrod-") as folder:
        kept = Path(folder) / "upload"
        await event.file.save(kept)
        try:
            bench.workspace.add_recording(campaign, event.file.name, kept)
        except TrackrodError as error:
            with errors:
                problem_list(what_is_wrong(error))


def _kept(bench: Bench) -> Hashable:
    """What can be chosen: recordings, and studies that are done."""
    campaigns = bench.workspace.campaigns()
    return tuple(path for name in campaigns for path in bench.workspace.recordings(name)), bench.outline("convert")


def _choices(bench: Bench, chosen: dict[str, Any], errors: Any) -> None:
    campaigns = bench.workspace.campaigns()
    done = [job for job in bench.queue.jobs("convert") if job.state is State.DONE]
    studies = {job.number: f"{job.number}. {job.title}" for job in done}
    if chosen["campaign"] not in campaigns:
        chosen["campaign"] = campaigns[0] if campaigns else ""
    if chosen["study"] not in studies:
        chosen["study"] = next(iter(studies), None)
    own = {
        path.relative_to(bench.workspace.recordings_folder).as_posix(): path.name
        for campaign in campaigns
        for path in bench.workspace.recordings(campaign)
        if path.suffix == ".toml"
    }
    criteria = {**{name: name.replace("_", " ") for name in ready_made()}, **own}
    with ui.row().classes("row-of-fields"):
        for key, options, label in (
            ("study", studies, "model: a finished study"),
            ("campaign", {name: name for name in campaigns}, "recorded tests"),
            ("criteria", criteria, "criteria"),
        ):
            ui.select(
                options,
                value=chosen[key] if chosen[key] in options else None,
                label=label,
                on_change=lambda e, key=key: chosen.update({key: e.value}),
            ).props("dense options-dense").style("width: 20rem")
    with ui.row().classes("row-of-fields"):
        for text, icon, make in (
            ("Plan", "checklist", _plan),
            ("List channels", "cable", _channels),
            ("Estimate parameters", "calculate", _estimate),
            ("Find the envelope", "hexagon", _envelope),
            ("Measure virtually", "sensors", _measure),
        ):
            if bench.preferences.expert or make in (_plan, _envelope):
                push(text, icon=icon, on_click=lambda _, make=make: _run(bench, make, chosen, errors)).props(
                    "outline no-caps"
                )
    if campaigns:
        files = bench.workspace.recordings(chosen["campaign"])
        more = f" and {len(files) - 12} more" if len(files) > 12 else ""
        ui.label(f"{chosen['campaign']}: {', '.join(path.name for path in files[:12])}{more}").classes("about")


def _run(bench: Bench, make: Any, chosen: dict[str, Any], errors: Any) -> None:
    attempt(lambda: bench.run(make(bench, chosen), bench.preferences.vehicle), errors)


def _validation(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    return commands.validate(bench.workspace, chosen["study"], chosen["campaign"], chosen["criteria"])


def _plan(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    source, name, _ = bench.source()
    return commands.plan(bench.workspace, source, name, chosen["criteria"])


def _channels(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    return commands.channels(bench.workspace, chosen["campaign"], chosen["time"].strip())


def _estimate(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    source, name, _ = bench.source()
    return commands.estimate(bench.workspace, source, name, chosen["campaign"])


def _envelope(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    source, name, _ = bench.source()
    return commands.envelope(bench.workspace, source, name, chosen["criteria"])


def _measure(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    del chosen
    source, name, _ = bench.source()
    return commands.measure(source, name)


def _mapping(bench: Bench, chosen: dict[str, Any]) -> None:
    """The channels of the recording that were listed last, as a table that makes the channel map of its campaign."""
    found = ((job, bench.queue.read(job, "view.json")) for job in bench.queue.jobs("channels"))
    job, view = next(((job, view) for job, view in found if isinstance(view, dict)), (None, None))
    if job is None or view is None:
        return
    log = Path(job.command[1])
    campaign = log.relative_to("../../recordings").parts[0]
    with ui.expansion(f"Channels of {log.name}, campaign {campaign}", icon="cable").classes("job-log card"):
        ui.label(
            "Which channel is which signal. What is certain by name and unit is filled in; the rest is for you to say. "
            "Saved, it is the channel map of the campaign, and is checked at once."
        ).classes("about")
        errors = ui.column().classes("problems")
        try:
            path = bench.workspace.channel_map(campaign)
            given = read_map(path)
        except InputError as error:
            with errors:
                problem_list(what_is_wrong(error))
            return
        rows = rows_of(view, given)
        time = ui.input("channel of time, where it is not found", value=(given.time if given else None) or "")
        time.props("dense").style("width: 20rem").on_value_change(lambda e: chosen.update(time=str(e.value or "")))
        options = {"": "not used", **{column: f"{column}: {signal.meaning}" for column, signal in SIGNALS.items()}}
        for row in rows[:_MOST_ROWS]:
            _channel(row, options | ({row.column: row.column} if row.column not in options else {}))
        if len(rows) > _MOST_ROWS:
            ui.label(f"{len(rows) - _MOST_ROWS} more channels are not listed: name them in the file.").classes("about")

        def save() -> None:
            write_map(path, rows, given, str(time.value or "").strip())
            bench.run(commands.channels(bench.workspace, campaign, str(time.value or "").strip()))

        push("Save and check the map", icon="save", on_click=lambda: attempt(save, errors)).props("outline no-caps")


def _channel(row: Row, options: dict[str, str]) -> None:
    with ui.row().classes("row-of-fields"):
        with ui.column().classes("field").style("width: 15rem"):
            ui.label(f"{row.channel} [{row.stated}]" if row.stated else row.channel).classes("job-title")
            ui.label(row.hint).classes("about")
        ui.select(
            options,
            value=row.column,
            label=f"signal of {row.channel}",
            on_change=lambda e: setattr(row, "column", e.value or ""),
        ).props("dense options-dense use-input hide-selected fill-input").style("width: 20rem")
        ui.input(
            "unit, if it is another",
            value=row.unit,
            on_change=lambda e: setattr(row, "unit", str(e.value or "").strip()),
        ).props(f'dense aria-label="unit of {quoted(row.channel)}"').style("width: 9rem")
        ui.select(
            {1: "+", -1: "−"}, value=row.sign, label="sign", on_change=lambda e: setattr(row, "sign", e.value)
        ).props("dense options-dense").style("width: 4.5rem")


def _results(bench: Bench) -> None:
    jobs = bench.queue.jobs(*KINDS)
    if not jobs:
        empty("Upload recordings, choose criteria, and press Validate. Plan says what to drive and measure.")
        return
    is_first = True
    for job in jobs[:6]:
        job_card(bench, job, small=job.state is State.DONE)
        pages = sorted(bench.queue.out(job).glob("*.html")) if job.state in (State.DONE, State.FAILED) else []
        if pages:
            with ui.expansion(f"Page of job {job.number}: {job.title}", value=is_first).classes("job-log card"):
                frame(job, pages[0].name, job.title)
            is_first = False

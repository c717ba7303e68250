"""``trackrod measure`` and ``channels``: virtual measurement, and what is in a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from trackrod.cli.inputs import open_loaded
from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.cli.simulate import ModelKind
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Json
from trackrod.core.errors import InputError, Place, Problem, Severity, raise_if_errors
from trackrod.core.files import write_atomically
from trackrod.measured.channel_map import ChannelMap
from trackrod.measured.faults import Finding
from trackrod.measured.measurement_plan import find_plan
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import Recording, open_recording
from trackrod.measured.suggestions import Suggestion, map_text, suggest
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import usual_steering
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.model import VehicleModel
from trackrod.workflow.measurement import measure as measure_plan
from trackrod.workflow.models import find_model
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["channels", "measure"]


def measure(
    vehicle: Annotated[
        str,
        typer.Argument(
            help="Bundled vehicle, assembly file (.asy) or saved vehicle (.json); or a real-time model.",
            show_default=False,
        ),
    ],
    plan: Annotated[str, typer.Option(help="What is measured: a TOML file, or `case_study`.")],
    out: Annotated[Path, folder_option(help="Folder for recordings, channel map and truth.")],
    model: Annotated[ModelKind, typer.Option(help="Which model of a vehicle is driven.")] = ModelKind.RTM,
    json: Json = False,
) -> None:
    """Measure a vehicle virtually: a model drives a plan, and the sensors of the plan record it with their errors."""
    asked = find_plan(plan)
    known = find_model(vehicle)
    if known is not None:
        spec = known.spec
        driven: VehicleModel = RealTimeVehicle(spec)
    else:
        found, _ = open_loaded(vehicle, None, None, None, allow_outside=False)
        spec = convert_directly(found).spec
        if model is ModelKind.RTM:
            driven = RealTimeVehicle(spec)
        else:
            driven = MultibodyVehicle(found, steering=usual_steering(found))
    bars = Progress(TextColumn("{task.description}"), BarColumn(), console=errors, transient=True)
    with bars:
        bar = bars.add_task("tests", total=1.0)
        written = measure_plan(
            driven,
            spec,
            asked,
            out,
            progress=lambda name, share: bars.update(bar, description=name, completed=share),
        )
    if json:
        print_json(
            {
                "plan": asked.name,
                "recordings": {name: [str(path) for path in paths] for name, paths in written.recordings.items()},
                "warm_up": [str(path) for path in written.warm_up],
                "truth": {name: str(path) for name, path in written.truth.items()},
                "channel_map": str(written.channel_map),
                "sensors": str(written.sensors),
                "errors": str(written.errors),
            }
        )
        return
    table = Table(title=f"{asked.name}: {spec.name}")
    for head in ("test", "manoeuvre", "recordings"):
        table.add_column(head)
    for test in asked.tests:
        paths = written.recordings[test.name]
        names = paths[0].name if len(paths) == 1 else f"{paths[0].name} to {paths[-1].name}"
        table.add_row(test.name, test.manoeuvre.name, names)
    console.print(table)
    for path in (written.channel_map, written.sensors, written.errors):
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def channels(
    log: Annotated[Path, typer.Argument(help="Recording: .mf4, .csv, .csv.gz, .mat or .parquet.", show_default=False)],
    channel_map: Annotated[
        Path | None, typer.Option("--map", help="Channel map: which channel is which of our columns.")
    ] = None,
    write: Annotated[Path | None, typer.Option(help="Write a channel map to be edited.")] = None,
    time: Annotated[str | None, typer.Option(help="Channel of time, where the file does not tell.")] = None,
    json: Json = False,
) -> None:
    """List the channels of a recording: unit, rate, what each may be, and what is wrong with them.

    With a map everything is checked as for an estimate; exit code 2 if an error is found.
    """
    if write is not None and write.resolve() == log.resolve():
        raise InputError(Problem("the recording itself is never written to", Place(write)))
    given = ChannelMap.read(channel_map) if channel_map is not None else None
    recording = open_recording(log, time=time or (given.time if given is not None else None))
    proposals = suggest(recording)
    findings: tuple[Finding, ...] = ()
    if given is not None:
        findings = prepare(recording, given, refuse=False).findings
    if write is not None:
        write_atomically(write, map_text(recording, proposals, time))
    if json:
        print_json(_as_data(recording, proposals, findings))
    else:
        console.print(_table(recording, proposals, given))
        for note in recording.notes:
            console.print(note, markup=False, highlight=False)
        if write is not None:
            console.print(f"wrote {write}", highlight=False, soft_wrap=True)
    problems = [finding.problem(Place(log)) for finding in findings]
    print_problems(problem for problem in problems if problem.severity is not Severity.ERROR)
    raise_if_errors(problems)


def _table(recording: Recording, proposals: list[Suggestion], given: ChannelMap | None) -> Table:
    table = Table(title=recording.path.name)
    for head in ("channel", "unit", "rate [Hz]", "samples", "from [s]", "to [s]", "may be"):
        number = head.startswith(("rate", "samples", "from", "to "))
        table.add_column(head, justify="right" if number else "left", overflow="fold")
    said = {name: found for found in proposals for name in found.channels}
    mapped = {entry.channel: column for column, entry in given.entries.items()} if given is not None else {}
    for channel in recording.channels.values():
        found = said.get(channel.name)
        column = mapped.get(channel.name) or (
            f"{found.column}{'' if found.is_certain else ' ?'}" if found is not None else ""
        )
        numbers = (f"{channel.rate:.6g}", str(channel.samples), f"{channel.start:.7g}", f"{channel.end:.7g}")
        table.add_row(channel.name, channel.unit or "–", *numbers, column)
    return table


def _as_data(recording: Recording, proposals: list[Suggestion], findings: tuple[Finding, ...]) -> dict[str, object]:
    return {
        "file": str(recording.path),
        "channels": [
            {
                "name": channel.name,
                "unit": channel.unit,
                "rate_Hz": channel.rate,
                "samples": channel.samples,
                "start_s": channel.start,
                "end_s": channel.end,
            }
            for channel in recording.channels.values()
        ],
        "suggestions": [
            {
                "column": found.column,
                "channels": list(found.channels),
                "unit": found.unit,
                "reason": found.reason,
                "certain": found.is_certain,
            }
            for found in proposals
        ],
        "findings": [
            {
                "fault": str(finding.fault),
                "columns": list(finding.columns),
                "channels": list(finding.channels),
                "start_s": finding.start,
                "end_s": finding.end,
                **finding.problem().as_dict(),
            }
            for finding in findings
        ],
        "notes": list(recording.notes),
    }

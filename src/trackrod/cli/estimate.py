"""``trackrod estimate``: parameters of a vehicle from measured tests."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.targets import file_option
from trackrod.cli.vehicle import Json
from trackrod.core.errors import UnknownNameError
from trackrod.estimate.campaign import Estimates, estimate_all
from trackrod.estimate.estimator import Estimator, moving_window
from trackrod.estimate.powertrain import EngineTorque
from trackrod.estimate.result import Estimate, Result
from trackrod.estimate.workshop import Compared, compared
from trackrod.report.estimate import write_estimate_page
from trackrod.report.page import shown
from trackrod.workflow.known_vehicle import CASE_STUDY, what_is_known
from trackrod.workflow.recorded_runs import CHANNEL_MAP, SENSORS, Reader, sensors_beside

__all__ = ["MAP", "estimate"]

#: The option of the channel map.
MAP = typer.Option(
    "--map", help=f"Channel map of the recordings; {CHANNEL_MAP} beside them if there, else runs in our columns."
)


def estimate(
    logs: Annotated[
        list[Path],
        typer.Argument(help="Recordings, or runs in our columns: files, or folders of them.", show_default=False),
    ],
    vehicle: Annotated[
        str | None, typer.Option(help="For its geometry: a file, or the name of a bundled vehicle.")
    ] = None,
    workshop: Annotated[Path | None, typer.Option(help="What was measured while it stood: a TOML file.")] = None,
    channel_map: Annotated[Path | None, MAP] = None,
    sensors: Annotated[
        str | None,
        typer.Option(help=f"Errors of the sensors: a TOML file, or '{CASE_STUDY}'; {SENSORS} beside them if there."),
    ] = None,
    follow: Annotated[
        list[str] | None, typer.Option(help="Parameter to follow over a moving window (--window); may be repeated.")
    ] = None,
    window: Annotated[float, typer.Option(help="Length of that window [s]; each begins half a window later.")] = 60.0,
    report: Annotated[Path | None, file_option(help="HTML page with tables and samples.")] = None,
    json: Json = False,
) -> None:
    """Estimate every parameter that the runs tell, each with a 95 % interval; say what is missing for the others."""
    entries, known, errors = what_is_known(vehicle, workshop, sensors or sensors_beside(logs))
    reader = Reader(channel_map, errors, imu=entries.imu_from_centre(known))
    runs = reader.logs(logs)
    found = estimate_all(runs, known, errors)
    followed = {
        name: moving_window(_of(found, name), runs, found.known, errors, window=window) for name in follow or ()
    }
    told = entries.estimates(found.known)
    rows = compared(told, found.results)
    if report is not None:
        made = {recorded.path.name: recorded.prepared for recorded in reader.recorded if recorded.prepared is not None}
        write_estimate_page(found, rows, vehicle or "the vehicle", report, workshop=told, recordings=made)
    if json:
        print_json(
            {
                **found.to_plain(),
                "workshop": [row.to_plain() for row in rows],
                "workshop_entries": [entry.to_plain() for entry in told.values()],
                "recordings": [recorded.to_plain() for recorded in reader.recorded],
                "followed": {
                    name: [{"middle_s": middle, **result.to_plain()} for middle, result in results]
                    for name, results in followed.items()
                },
            }
        )
        return
    print_problems(reader.warnings())
    console.print(_table(found))
    if (torques := _engine_map(found)) is not None:
        console.print(torques)
    if rows:
        console.print(_compared(rows))
    for name, results in followed.items():
        console.print(_followed(name, results))
    for names, why in found.missing.items():
        console.print(f"{names}: cannot be told, {why}", markup=False, highlight=False, soft_wrap=True)


def _of(found: Estimates, name: str) -> Estimator:
    if name not in found.estimators:
        raise UnknownNameError("parameter", name, found.estimators)
    return found.estimators[name]


def _followed(name: str, results: list[tuple[float, Result]]) -> Table:
    """A window in each row; a dash where it tells nothing, for which the JSON has the reason."""
    table = Table(title=f"{name} over a moving window")
    for head in ("middle [s]", "value", "95 % from", "to"):
        table.add_column(head, justify="right")
    for middle, result in results:
        if isinstance(result, Estimate):
            table.add_row(f"{middle:.1f}", *_numbers(result))
        else:
            table.add_row(f"{middle:.1f}", "-", "-", "-")
    return table


def _table(found: Estimates) -> Table:
    """As wide as a terminal; bias, precision and notes stand on the page and in the JSON."""
    table = Table(title="Estimates")
    for head in ("parameter", "value", "95 % from", "to", "unit"):
        left = head in ("parameter", "unit")
        table.add_column(head, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for name, e in found.values.items():
        if not isinstance(found.estimators[name], EngineTorque):
            table.add_row(name, *_numbers(e), e.kind.unit or "-")
    return table


def _engine_map(found: Estimates) -> Table | None:
    """Torque of the engine by gear, throttle and speed; None where no point was told."""
    table = Table(title="Torque of the engine at the wheels [N·m]")
    for head in ("gear", "throttle", "speed [1/min]", "torque", "95 % from", "to"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, e in found.values.items():
        point = found.estimators[name]
        if isinstance(point, EngineTorque):
            turns = f"{point.speed * 30.0 / math.pi:.0f}"
            table.add_row(str(point.gear), f"{point.throttle:.0%}", turns, *_numbers(e))
    return table if table.row_count else None


def _numbers(e: Estimate) -> tuple[str, ...]:
    return tuple(f"{number:.4g}" for number in (e.value, *e.interval))


def _compared(rows: list[Compared]) -> Table:
    table = Table(title="Workshop and driving")
    for head in ("parameter", "workshop", "driving", "difference", "agree"):
        table.add_column(head, justify="left" if head == "parameter" else "right")
    for row in rows:
        numbers = (shown(row.workshop.value), shown(row.driven.value), shown(row.difference))
        table.add_row(row.name, *numbers, "yes" if row.agree else "no")
    return table

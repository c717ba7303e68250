"""``trackrod simulate``, ``manoeuvres``, ``equilibrium``: drive a vehicle, list what can be driven, let it stand."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import typer
from rich.table import Table

from trackrod.cli.inputs import (
    FrameStiffness,
    Integration,
    IntegratorKind,
    ManoeuvreName,
    Payload,
    Plugins,
    RoadFile,
    RoadFriction,
    Settings,
    SteeringKind,
    open_loaded,
    parse_settings,
    surrounded,
)
from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.targets import file_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders, VehicleArgument
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import MissingFileError, Place, Problem, Severity, raise_if_errors
from trackrod.core.registry import load_plugins
from trackrod.core.run_files import RUN_SUFFIXES, write_run
from trackrod.core.series import Run
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre_class
from trackrod.manoeuvres.settings import STANDARD_GRAVITY, Setting
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import DrivenRun, Extrapolated, RealTime
from trackrod.multibody.reference import TOLERANCE
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.report.page import shown
from trackrod.report.run import PLOT_SUFFIXES, write_run_plot
from trackrod.rtm.driving import RealTimeVehicle, require_step
from trackrod.simulate.drive import require_periods, require_settled
from trackrod.simulate.drive import simulate as drive
from trackrod.simulate.model import VehicleModel
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.models import find_model
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["equilibrium", "manoeuvres", "simulate"]


Task: TypeAlias = Callable[[VehicleModel], Run]


class ModelKind(StrEnum):
    """Which model of the vehicle is driven."""

    MULTIBODY = "multibody"
    RTM = "rtm"


def simulate(
    vehicle: Annotated[
        str,
        typer.Argument(
            help="Bundled vehicle, assembly file (.asy) or saved vehicle (.json); or a real-time model: saved "
            "(rtm.json), the folder of a study, a vehicle file of CarMaker.",
            show_default=False,
        ),
    ],
    manoeuvre: ManoeuvreName,
    out: Annotated[Path | None, file_option(help="File for the run: .csv, .parquet, .mat or .mf4.")] = None,
    model: Annotated[ModelKind, typer.Option(help="Multibody or real-time model.")] = ModelKind.MULTIBODY,
    given: Settings = None,
    road: RoadFile = None,
    friction: RoadFriction = None,
    plot: Annotated[Path | None, file_option(help="Plot of the run: .png or .html.")] = None,
    payload: Payload = None,
    frame_stiffness: FrameStiffness = None,
    sample: Annotated[float, typer.Option(help="Time from sample to sample [s].")] = 0.01,
    step: Annotated[float, typer.Option(help="Step of the integration [s].")] = 0.001,
    integrator: Integration = IntegratorKind.REALTIME,
    tolerance: Annotated[
        float | None, typer.Option(help="Of the reference: error over the largest value, 1e-3 if not given.")
    ] = None,
    steering: SteeringKind = None,
    tyre: Annotated[
        Path | None, typer.Option(help="Tyre property file for all wheels of a vehicle of CarMaker.")
    ] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Drive a manoeuvre and write the run; with `--integrator reference` its errors too, in a second file."""
    load_plugins(plugin or [])
    wanted = surrounded(manoeuvre_class(manoeuvre).from_text(parse_settings(given)), road, friction)
    _check_targets(out, plot)
    _check_integration(model, integrator, tolerance)
    require_periods(step, sample)
    known = find_model(vehicle, tyre=tyre)
    if known is not None or model is ModelKind.RTM:
        require_step(step)
    if known is not None:
        print_problems(problem for problem in known.problems if problem.severity is not Severity.NOTE)
        _check_model(payload, frame_stiffness, integrator, steering)
        spec = known.spec

        def drive_it(task: Task) -> DrivenRun:
            return DrivenRun(task(RealTimeVehicle(spec, step=step)))
    else:
        found, _ = open_loaded(
            vehicle,
            payload,
            alias,
            templates,
            allow_outside=allow_outside,
            stand_in=stand_in,
            frame_stiffness=frame_stiffness,
        )

        def drive_it(task: Task) -> DrivenRun:
            return _drive_vehicle(found, task, model, integrator, tolerance, step, steering or usual_steering(found))

    with console.status("", spinner="dots") as status:
        quiet = json or not console.is_terminal

        def show(phase: str, time: float) -> None:
            status.update(f"{phase}, t = {time:.1f} s")

        def task(driven: VehicleModel) -> Run:
            return drive(driven, wanted, sample=sample, progress=None if quiet else show)

        done = drive_it(task)
    run, files = done.run, []
    if out is not None:
        write_run(run, out)
        files.append(out)
        if done.error is not None:
            files.append(out.with_name(f"{out.stem}_error{out.suffix}"))
            write_run(done.error, files[-1])
    if plot is not None:
        write_run_plot(run, plot)
        files.append(plot)
    if json:
        print_json(_as_data(run, files))
    else:
        _print(run, files)
    require_settled(run)


def manoeuvres(plugin: Plugins = None, json: Json = False) -> None:
    """List what can be driven, with the settings, their units and defaults."""
    load_plugins(plugin or [])
    if json:
        print_json(
            [
                {
                    "name": name,
                    "title": found.title,
                    "standard": found.standard,
                    "serves": list(found.serves),
                    "settings": [_setting(item) for item in found.settings()],
                }
                for name, found in MANOEUVRES.items()
            ]
        )
        return
    table = Table(title="Manoeuvres", show_lines=True)
    for column in ("name", "what it is", "settings"):
        table.add_column(column, overflow="fold")
    for name, found in MANOEUVRES.items():
        what = f"{found.title}\n{found.standard}" if found.standard else found.title
        table.add_row(name, what, "\n".join(_line(item) for item in found.settings()))
    console.print(table)


def equilibrium(
    vehicle: VehicleArgument,
    payload: Payload = None,
    frame_stiffness: FrameStiffness = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Let a vehicle stand on level ground: wheel loads, wheel travels, height and angles of the body."""
    found, _ = open_loaded(
        vehicle,
        payload,
        alias,
        templates,
        allow_outside=allow_outside,
        stand_in=stand_in,
        frame_stiffness=frame_stiffness,
    )
    standing = MultibodyVehicle(found).settle()
    if json:
        print_json(
            {
                "name": found.name,
                "wheel_loads_N": {str(c): standing.wheel_loads[c] for c in Corner},
                "wheel_travels_m": {str(c): standing.travels[c] for c in Corner},
                "body_rise_m": standing.body_rise,
                "pitch_rad": standing.pitch,
                "roll_rad": standing.roll,
                "iterations": standing.iterations,
                "residual_N": standing.residual,
            }
        )
        return
    table = Table(title=f"{found.name} on level ground")
    for column in ("quantity", *map(str, Corner)):
        table.add_column(column, justify="left" if column == "quantity" else "right")
    table.add_row("wheel load [N]", *(f"{standing.wheel_loads[c]:.1f}" for c in Corner))
    table.add_row("wheel travel [mm]", *(f"{1e3 * standing.travels[c]:.2f}" for c in Corner))
    console.print(table)
    angles = f"pitch {np.degrees(standing.pitch):.4f}°, roll {np.degrees(standing.roll):.4f}°"
    console.print(f"body {1e3 * standing.body_rise:+.2f} mm against its design position, {angles}", highlight=False)


def _drive_vehicle(
    vehicle: Vehicle,
    task: Task,
    model: ModelKind,
    integrator: IntegratorKind,
    tolerance: float | None,
    step: float,
    steering: SteeringModel,
) -> DrivenRun:
    if model is ModelKind.RTM:
        return DrivenRun(task(RealTimeVehicle(convert_directly(vehicle, steering=steering).spec, step=step)))
    if integrator is IntegratorKind.REALTIME:
        return RealTime(step=step, steering=steering).drive(vehicle, task)
    asked = TOLERANCE if tolerance is None else tolerance
    return Extrapolated(asked, step, steering=steering).drive(vehicle, task)


def _check_model(
    payload: PayloadLevel | None,
    frame_stiffness: float | None,
    integrator: IntegratorKind,
    steering: SteeringModel | None,
) -> None:
    """Options that say what a vehicle is made of have no meaning for a model that is there already."""
    given = {
        "--payload": payload,
        "--frame-stiffness": frame_stiffness,
        "--steering": steering,
        "--integrator reference": integrator is IntegratorKind.REFERENCE or None,
    }
    hint = "it is driven as it is"
    raise_if_errors(
        Problem(f"{name} is for vehicles, this is a real-time model", hint=hint)
        for name, value in given.items()
        if value is not None
    )


def _check_integration(model: ModelKind, integrator: IntegratorKind, tolerance: float | None) -> None:
    problems = []
    if model is ModelKind.RTM and integrator is IntegratorKind.REFERENCE:
        problems.append(Problem("--integrator reference is for --model multibody", hint="rtm has fixed steps"))
    if tolerance is not None and integrator is IntegratorKind.REALTIME:
        problems.append(Problem("--tolerance is for --integrator reference", hint="fixed steps have --step"))
    if tolerance is not None and not (math.isfinite(tolerance) and 0.0 < tolerance < 1.0):
        problems.append(Problem(f"--tolerance is {tolerance:g}, it must lie between 0 and 1"))
    raise_if_errors(problems)


def _check_targets(out: Path | None, plot: Path | None) -> None:
    """Before anything is driven: a run of minutes must not end in a mistyped name."""
    problems = []
    for path, suffixes in ((out, RUN_SUFFIXES), (plot, PLOT_SUFFIXES)):
        if path is None:
            continue
        if path.suffix.casefold() not in suffixes:
            text = f"the suffix '{path.suffix}' is not supported"
            problems.append(Problem(text, Place(path), hint=f"supported are {', '.join(suffixes)}"))
        if not path.parent.is_dir():
            raise MissingFileError(Problem("the folder to write into does not exist", Place(path.parent)))
    raise_if_errors(problems)


def _setting(item: Setting) -> dict[str, object]:
    return {
        "name": item.name,
        "default": item.default,
        "unit": item.unit,
        "allowed": item.allowed,
        "meaning": item.meaning,
    }


def _line(item: Setting) -> str:
    default = "–" if item.default is None else item.default
    return f"{item.name}={default}{f' {item.unit}' if item.unit else ''}: {item.meaning}"


def _extremes(run: Run) -> dict[str, float]:
    """Largest magnitudes, in units that people use."""
    degrees = 180.0 / np.pi
    wanted = {
        "largest_speed_kmh": (signals.VX, 3.6),
        "largest_ax_g": (signals.AX, 1.0 / STANDARD_GRAVITY),
        "largest_ay_g": (signals.AY, 1.0 / STANDARD_GRAVITY),
        "largest_yaw_rate_degps": (signals.YAW_RATE, degrees),
        "largest_roll_deg": (signals.ROLL, degrees),
        "largest_pitch_deg": (signals.PITCH, degrees),
    }
    return {name: float(np.abs(run[signal]).max() * factor) for name, (signal, factor) in wanted.items()}


#: What a run says of how it was integrated.
_INTEGRATION = ("integrator", "step_s", "tolerance", "relative_error")


def _as_data(run: Run, files: list[Path]) -> dict[str, object]:
    described = run.metadata
    return {
        **{key: described[key] for key in ("name", "vehicle", "model", "manoeuvre", "standard", "completed")},
        "settings": dict(described["settings"]),
        "phases": [dict(phase) for phase in described["phases"]],
        "events": [dict(event) for event in described["events"]],
        "integration": {key: described[key] for key in _INTEGRATION if key in described},
        "samples": int(run.time.size),
        "duration_s": float(run.time[-1]),
        **_extremes(run),
        "files": [str(path) for path in files],
    }


def _print(run: Run, files: list[Path]) -> None:
    described = run.metadata
    table = Table(title=f"{described['name']} ({described['model']})")
    for head in ("phase", "from [s]", "to [s]", "ended"):
        table.add_column(head, justify="right" if "[" in head else "left")
    for phase in described["phases"]:
        table.add_row(phase["name"], f"{phase['start_s']:.2f}", f"{phase['end_s']:.2f}", phase["ended"])
    console.print(table)
    settings = ", ".join(
        f"{name}={shown(value) if isinstance(value, float) else value}"
        for name, value in described["settings"].items()
        if value is not None
    )
    console.print(f"settings: {settings}", highlight=False, markup=False)
    if "relative_error" in described:
        text = f"error {described['relative_error']:.2g} of the largest value, {described['tolerance']:g} asked for"
        console.print(f"{text}; finest step {1e3 * described['step_s']:g} ms", highlight=False)
    extremes = ", ".join(f"{name} {value:.4g}" for name, value in _extremes(run).items())
    console.print(extremes, highlight=False)
    for event in described["events"]:
        console.print(f"event at {event['time_s']:.2f} s: {event['text']}", style="yellow", highlight=False)
    for path in files:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)

"""``trackrod compare``: one manoeuvre with the multibody and the real-time model of a vehicle, and how they differ."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.cli.inputs import (
    FrameStiffness,
    Giving,
    Integration,
    IntegratorKind,
    ManoeuvreName,
    MapTravel,
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
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders, VehicleArgument
from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import MissingExtraError, Problem, Severity, UnknownNameError
from trackrod.core.files import make_folder
from trackrod.core.registry import load_plugins
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.kc.study import KcSettings
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre_class
from trackrod.metrics.indices import TOLERANCE, Index, has_indices, with_indices
from trackrod.multibody.integrators import Extrapolated, Integrator, RealTime
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.report.comparison import write_comparison_page, write_comparison_picture
from trackrod.report.page import shown
from trackrod.rtm.driving import require_step
from trackrod.rtm.stability import stability_problems
from trackrod.simulate.drive import require_periods, require_settled
from trackrod.workflow.comparison import Comparison, compare_models
from trackrod.workflow.multibody_runs import STEP, sample_of, step_of
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["compare"]

#: Share of the reference's abscissa from which a curve counts as compared whole.
_WHOLE = 0.95


def compare(
    vehicle: VehicleArgument,
    manoeuvre: ManoeuvreName,
    given: Settings = None,
    road: RoadFile = None,
    friction: RoadFriction = None,
    out: Annotated[Path | None, folder_option(help="Folder for both runs, a page and a picture.")] = None,
    payload: Payload = None,
    frame_stiffness: FrameStiffness = None,
    detail: Annotated[Detail, typer.Option(help="How much of the kinematics is kept.")] = Detail.TWO_DIMENSIONAL,
    compliance: Giving = None,
    travel_mm: MapTravel = None,
    sample: Annotated[
        float | None, typer.Option(help="Time from sample to sample [s]; 0.01, on uneven roads 0.002 if not given.")
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(help="Step of both models [s]; 0.001, multibody on uneven roads 0.00025 if not given."),
    ] = None,
    integrator: Integration = IntegratorKind.REALTIME,
    steering: SteeringKind = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Convert a vehicle, drive both models and say in percent how far they lie apart."""
    load_plugins(plugin or [])
    wanted = surrounded(manoeuvre_class(manoeuvre).from_text(parse_settings(given)), road, friction)
    if not has_indices(manoeuvre):
        raise UnknownNameError("manoeuvre with indices", manoeuvre, with_indices())
    require_step(STEP if step is None else step)
    require_periods(step_of(wanted) if step is None else step, sample_of(wanted) if sample is None else sample)
    rig = None if travel_mm is None else KcSettings.over(1e-3 * travel_mm)
    if out is not None:
        make_folder(out)
    found, warnings = open_loaded(
        vehicle,
        payload,
        alias,
        templates,
        allow_outside=allow_outside,
        stand_in=stand_in,
        frame_stiffness=frame_stiffness,
    )
    with console.status("on the K&C rig", spinner="dots") as status:
        steering, compliance = steering or usual_steering(found), compliance or Compliance.MOVING
        conversion = convert_directly(found, detail=detail, compliance=compliance, steering=steering, settings=rig)

        def show(phase: str, time: float) -> None:
            status.update(f"{phase}, t = {time:.1f} s")

        quiet = json or not console.is_terminal
        result = compare_models(
            found,
            wanted,
            conversion,
            sample=sample,
            step=step or STEP,
            integrator=_integrator(integrator, step, steering, wanted),
            progress=None if quiet else show,
        )
    unstable = stability_problems(conversion.spec, "the real-time model", step=step or STEP)
    files, undrawn = ([], []) if out is None else _write(result, out, (*warnings, *unstable))
    if json:
        print_json(_as_data(result, detail, compliance, files, (*warnings, *unstable, *undrawn)))
    else:
        _print(result, files)
        print_problems((*undrawn, *unstable))
    for run in (result.reference, result.model):
        require_settled(run)


def _integrator(kind: IntegratorKind, step: float | None, steering: SteeringModel, wanted: Manoeuvre) -> Integrator:
    if kind is IntegratorKind.REFERENCE:
        return Extrapolated(step=step or STEP, steering=steering)
    return RealTime(step or step_of(wanted), steering=steering)


def _write(result: Comparison, out: Path, problems: Iterable[Problem]) -> tuple[list[Path], list[Problem]]:
    """Runs, page and picture; what could not be drawn for want of a package is said."""
    name = result.manoeuvre.name
    files = []
    for kind, run in (("multibody", result.reference), ("rtm", result.model)):
        files.append(out / f"{name}_{kind}.csv")
        write_run(run, files[-1])
    try:
        page, picture = (out / f"{name}.{suffix}" for suffix in ("html", "png"))
        write_comparison_page(result.reference, result.model, result.indices, page, problems=problems)
        files.append(page)
        write_comparison_picture(result.reference, result.model, result.indices, picture)
        files.append(picture)
    except MissingExtraError as error:
        return files, [Problem(str(error), severity=Severity.WARNING)]
    return files, []


def _index(index: Index) -> dict[str, object]:
    found: dict[str, object] = {"name": index.name, "value_pct": index.value_pct, "coverage": index.coverage}
    if index.scalar is not None:
        pair = index.scalar
        found |= {"reference": pair.reference, "model": pair.model, "unit": pair.unit}
    if index.divisor is not None:
        found["divided_by"] = index.divisor
    return found


def _run(run: Run) -> dict[str, object]:
    return {
        "completed": run.metadata["completed"],
        "duration_s": float(run.time[-1]),
        "events": [dict(event) for event in run.metadata["events"]],
    }


def _as_data(
    result: Comparison, detail: Detail, compliance: Compliance, files: list[Path], problems: Iterable[Problem]
) -> dict[str, object]:
    return {
        "vehicle": result.reference.metadata["vehicle"],
        "manoeuvre": result.manoeuvre.name,
        "settings": result.manoeuvre.values(),
        "detail": str(detail),
        "compliance": str(compliance),
        "tolerance_pct": TOLERANCE,
        "indices": [_index(index) for index in result.indices],
        "multibody": _run(result.reference),
        "rtm": _run(result.model),
        "files": [str(path) for path in files],
        "problems": [problem.as_dict() for problem in problems],
    }


def _print(result: Comparison, files: list[Path]) -> None:
    metadata = result.reference.metadata
    table = Table(title=f"{metadata['vehicle']}, {result.manoeuvre.name}: real-time against multibody model")
    for head in ("index", "value [%]", "multibody", "rtm", "unit"):
        left = head in ("index", "unit")
        table.add_column(head, justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for index in result.indices:
        pair = index.scalar
        numbers = ("", "", "") if pair is None else (shown(pair.reference), shown(pair.model), pair.unit)
        style = "red" if index.value_pct > TOLERANCE else ""
        floor = f"of {index.divisor_text}: " if index.divisor is not None else ""
        table.add_row(index.name, f"{floor}{index.value_pct:.2f}", *numbers, style=style)
    console.print(table)
    exceeded = sum(index.value_pct > TOLERANCE for index in result.indices)
    console.print(f"{exceeded} of {len(result.indices)} indices exceed {TOLERANCE:g} %", highlight=False)
    for index in result.indices:
        if index.coverage < _WHOLE:
            text = f"{index.name}: only {100 * index.coverage:.0f} % of the multibody curve has a counterpart"
            console.print(text, style="yellow", highlight=False)
    for name, run in (("multibody", result.reference), ("rtm", result.model)):
        for event in run.metadata["events"]:
            console.print(f"{name}: event at {event['time_s']:.2f} s: {event['text']}", style="yellow", highlight=False)
    for path in files:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)

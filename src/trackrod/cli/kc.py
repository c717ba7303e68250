"""``trackrod kc``: the axles of a vehicle on the virtual K&C rig."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track
from rich.table import Table

from trackrod.adams.half_vehicle import NO_TYRE, RIG_TYRE, carrying_tyre
from trackrod.adams.property_files.experiments import read_load_case
from trackrod.adams.source import open_vehicle
from trackrod.adams.vehicle import STAND_IN_MARK
from trackrod.cli.output import console, exit_with_errors, print_json, print_problems
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Aliases, AllowOutside, HalfOrWhole, Json, StandIn, TemplateFolders, parse_aliases
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.corners import Axle
from trackrod.core.errors import (
    InputError,
    MissingExtraError,
    Problem,
    RangeError,
    Severity,
    UnknownNameError,
    raise_if_errors,
)
from trackrod.core.files import make_folder
from trackrod.kc.further import TwoWheelCase, further_tests, require_possible
from trackrod.kc.maps import KC_MAPS
from trackrod.kc.points import Hold, Load
from trackrod.kc.rig import FARTHEST
from trackrod.kc.study import AxleStudy, KcSettings, characterise, key_figures
from trackrod.report.kc import write_further_pictures, write_kc_page, write_kc_picture
from trackrod.report.page import shown
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.systems import Surroundings
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["kc", "parse_cases"]

#: No more values than these are taken from a range on the command line.
_MOST_VALUES = 2001
_CASE_KEYS = ("travel_mm", "rack_mm", *Load)


class LoadsAt(StrEnum):
    """Where forces act."""

    PATCH = "patch"
    CENTRE = "centre"


def kc(
    vehicle: HalfOrWhole,
    axle: Annotated[Axle | None, typer.Option(help="One axle only; both without it.")] = None,
    mode: Annotated[
        str | None, typer.Option(help="kinematic (ideal joints) or compliant (bushings), whatever the files say.")
    ] = None,
    travel_mm: Annotated[str, typer.Option(help="Wheel travel FROM:TO:STEP [mm].")] = "-80:80:2",
    rack_mm: Annotated[str, typer.Option(help="Rack travel FROM:TO:STEP [mm], positive to the left.")] = "-70:70:2",
    map_points: Annotated[int, typer.Option(help="Points of the map along each axis.")] = 41,
    hold: Annotated[
        list[Hold] | None,
        typer.Option(
            help="What pads keep: the height of the wheel centres (always), the ground under the tyre, or the design "
            "load; repeatable, each adds its tests."
        ),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            help="Load case of both wheels: NAME:KEY=LEFT/RIGHT,… with travel_mm, rack_mm, forces [N] fx, fx_drive, "
            "fy at the contact patch, fx_centre, fy_centre at the wheel centre, moments [N·m] mx, my, mz; one value "
            "is for both wheels; repeatable.",
        ),
    ] = None,
    loadcase: Annotated[
        list[Path] | None, typer.Option("--loadcase", help="Load case (.lcf) to run as well; repeatable.")
    ] = None,
    loads_at: Annotated[LoadsAt, typer.Option(help="Where forces of load case files act.")] = LoadsAt.PATCH,
    wheel_radius_mm: Annotated[
        float | None, typer.Option(help="Half a vehicle: free radius of its tyres [mm].")
    ] = None,
    tyre_stiffness: Annotated[
        float | None, typer.Option(help="Half a vehicle: vertical stiffness of its tyres [N/mm].")
    ] = None,
    wheelbase_mm: Annotated[float | None, typer.Option(help="Half a vehicle: wheelbase of the whole one [mm].")] = None,
    cg_height_mm: Annotated[
        float | None, typer.Option(help="Half a vehicle: height of the whole one's centre of mass above ground [mm].")
    ] = None,
    out: Annotated[Path | None, folder_option(help="Folder for tables, maps, pictures and a page.")] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Put the axles of a vehicle on the K&C rig: travel, roll, steering, loads; maps of them."""
    settings = KcSettings(
        travel=_range(travel_mm, "--travel-mm"), rack=_range(rack_mm, "--rack-mm"), map_points=map_points
    )
    wanted = _mode(mode)
    files = [(path.stem, *read_load_case(path)) for path in loadcase or []]
    cases = parse_cases(case or [])
    require_possible(cases, hold or [])
    told = {"wheelbase": wheelbase_mm, "cg_height": cg_height_mm}
    tyre = {"radius": wheel_radius_mm, "stiffness": tyre_stiffness}
    reading = open_vehicle(
        vehicle,
        parse_aliases(alias or []),
        templates=templates or [],
        allow_outside=allow_outside,
        stand_in=stand_in,
        half=True,
    )
    found = reading.vehicle if wanted is None else reading.vehicle.with_mode(wanted)
    found = _told(found, told, tyre)
    start = perf_counter()
    axles = [axle] if axle is not None else [layout.position for layout in found.axles]
    quiet = json or not console.is_terminal
    studies = [
        characterise(found, one, settings)
        for one in track(axles, "on the rig", transient=True, disable=quiet, console=console)
    ]
    programmes = [(name, programme) for name, programme, _ in files]
    at_centre = loads_at is LoadsAt.CENTRE
    studies = [further_tests(s, settings, hold or [], cases, programmes, at_centre=at_centre) for s in studies]
    seconds = perf_counter() - start
    given = None not in tyre.values()  # then nothing is assumed about the tyre of half a vehicle
    shown_problems = (p for p in reading.problems if p.severity is not Severity.NOTE)
    audit = [p for p in shown_problems if not (given and p.text.startswith(NO_TYRE))]
    problems = [*audit, *(p for _, _, found_in in files for p in found_in), *(p for s in studies for p in s.problems)]
    if out is not None:
        provenance = Provenance.of(reading.files_read, {"mode": mode, "travel_mm": travel_mm, "rack_mm": rack_mm})
        problems += _write(out, found, studies, audit, provenance)
    if json:
        print_json(_as_data(found, studies, problems, seconds))
    else:
        for study in studies:
            console.print(_table(study))
        if out is not None:
            console.print(f"tables, maps and page: {out}", highlight=False)
        print_problems(problem for problem in problems if problem.severity is not Severity.NOTE)
    exit_with_errors(audit)


def _mode(text: str | None) -> Mode | None:
    if text is not None and text not in (Mode.KINEMATIC, Mode.COMPLIANT):
        raise InputError(f"--mode {text} is unknown; kinematic and compliant are the two modes")
    return None if text is None else Mode(text)


def _range(text: str, option: str) -> NDArray[np.float64]:
    """FROM:TO:STEP [mm] as values [m]."""
    try:
        low, high, step = (float(part) for part in text.split(":"))
    except ValueError:
        raise InputError(Problem(f"{option} {text} is not FROM:TO:STEP", hint=f"such as {option}=-80:80:2")) from None
    if not (np.isfinite([low, high, step]).all() and step > 0 and low < high):
        raise InputError(Problem(f"{option} {text}: FROM must be less than TO, and STEP greater than 0"))
    count = (high - low) / step
    if count > _MOST_VALUES:
        raise InputError(Problem(f"{option} {text} has {count + 1:.0f} values, up to {_MOST_VALUES} are taken"))
    return np.round((low + step * np.arange(int(count + 1e-9) + 1)) * 1e-3, 12)


def parse_cases(given: list[str]) -> list[TwoWheelCase]:
    """NAME:KEY=LEFT/RIGHT,… as load cases; InputError with everything that is wrong."""
    problems: list[Problem] = []
    cases = []
    for text in given:
        name, colon, rest = text.partition(":")
        if not (colon and rest and re.fullmatch(r"\w+", name)):
            hint = "such as --case corner:fy=3000/1500,fx=-500"
            problems.append(Problem(f"--case {text} is not NAME:KEY=LEFT/RIGHT,…", hint=hint))
            continue
        values: dict[str, tuple[float, float]] = {}
        if (parts := rest.count(",") + 1) > len(_CASE_KEYS):
            problems.append(Problem(f"--case {name} has {parts} values, there are {len(_CASE_KEYS)} keys"))
            continue
        for part in rest.split(","):
            key, _, value = part.partition("=")
            try:
                left, right = (float(v) for v in (value.split("/") if "/" in value else [value, value]))
            except ValueError:
                left = right = float("nan")
            if key not in _CASE_KEYS:
                problems += UnknownNameError(f"key of --case {name}", key, _CASE_KEYS).problems
            elif key in values or not np.isfinite([left, right]).all() or (key == "rack_mm" and "/" in value):
                what = "one finite value" if key == "rack_mm" else "one or two finite values, LEFT/RIGHT"
                problems.append(Problem(f"--case {name}: {part} is given twice or is not {what}"))
            values[key] = (left, right)
        travel, rack = values.pop("travel_mm", (0.0, 0.0)), values.pop("rack_mm", (0.0, 0.0))
        loads = tuple((Load(key), both) for key, both in values.items() if key in tuple(Load))
        problems += [
            Problem(f"--case {name}: {what} of {far:g} mm: up to {1e3 * FARTHEST:g} mm is possible")
            for what, far in (("travel", max(map(abs, travel))), ("rack travel", abs(rack[0])))
            if far > 1e3 * FARTHEST
        ]
        cases.append(TwoWheelCase(name, (1e-3 * travel[0], 1e-3 * travel[1]), 1e-3 * rack[0], loads))
    raise_if_errors(problems)
    return cases


def _told(vehicle: Vehicle, around: dict[str, float | None], tyre: dict[str, float | None]) -> Vehicle:
    """Half a vehicle with what the user tells about the whole one [mm], [N/mm]."""
    given = {name: 1e-3 * value for name, value in around.items() if value is not None}
    of_tyre = {name: value for name, value in tyre.items() if value is not None}
    if not given and not of_tyre:
        return vehicle
    if not vehicle.is_half:
        hint = "--wheel-radius-mm, --tyre-stiffness, --wheelbase-mm and --cg-height-mm are for half a vehicle"
        raise InputError(Problem(f"'{vehicle.name}' is a whole vehicle: its files tell these numbers", hint=hint))
    vehicle = replace(vehicle, surroundings=replace(vehicle.surroundings or Surroundings(), **given))
    if not of_tyre:
        return vehicle
    if RIG_TYRE not in vehicle.tyres:
        raise InputError(
            f"'{vehicle.name}' has tyres of its own: --wheel-radius-mm and --tyre-stiffness are not for it"
        )
    wrong = [f"{name} = {value:g} must be greater than 0" for name, value in of_tyre.items() if not 0 < value < np.inf]
    raise_if_errors([Problem(text) for text in wrong], RangeError)
    old = vehicle.tyres[RIG_TYRE].coefficients
    radius = 1e-3 * of_tyre.get("radius", 1e3 * old["UNLOADED_RADIUS"])
    stiffness = 1e3 * of_tyre.get("stiffness", 1e-3 * old["VERTICAL_STIFFNESS"])
    return replace(vehicle, tyres={RIG_TYRE: carrying_tyre(radius, stiffness)})


def _write(
    out: Path, vehicle: Vehicle, studies: list[AxleStudy], audit: list[Problem], provenance: Provenance
) -> list[Problem]:
    """Files of all axles; what could not be drawn for want of a package is said."""
    make_folder(out)
    remark = f"vehicle: {vehicle.name}" if vehicle.name.endswith(STAND_IN_MARK) else ""
    for study in studies:
        for test in study.tests.values():
            test.write(out / f"{study.axle}_{test.name}.csv", remark)
        if study.maps is not None:
            save(Artefact(KC_MAPS, study.maps, provenance), out / f"{study.axle}_maps.json")
    try:
        for study in studies:
            write_kc_picture(study, out / f"{study.axle}_kc.png")
            write_further_pictures(study, out)
        write_kc_page(vehicle, studies, out / "kc.html", audit)
    except MissingExtraError as error:
        return [Problem(str(error), severity=Severity.WARNING)]
    return []


def _as_data(vehicle: Vehicle, studies: list[AxleStudy], problems: list[Problem], seconds: float) -> dict[str, object]:
    return {
        "vehicle": vehicle.name,
        "points": sum(study.points for study in studies),
        "failures": sum(study.failures for study in studies),
        "seconds": seconds,
        "axles": {str(study.axle): dict(_axle(study)) for study in studies},
        "problems": [problem.as_dict() for problem in problems],
    }


def _axle(study: AxleStudy) -> Iterator[tuple[str, object]]:
    yield "mode", str(study.vehicle.axle(study.axle).mode)
    yield "points", study.points
    yield "failures", study.failures
    yield "seconds", dict(study.seconds)
    yield "tests", {name: {"points": len(test), "failures": test.failures} for name, test in study.tests.items()}
    yield "key_figures", {_heading(figure.name, figure.kind.suffix): figure.value for figure in key_figures(study)}


def _heading(name: str, suffix: str) -> str:
    return f"{name}_{suffix}" if suffix else name


def _table(study: AxleStudy) -> Table:
    layout = study.vehicle.axle(study.axle)
    title = f"{study.axle} axle, {layout.template}, {layout.mode}: {study.points} points, {study.failures} not reached"
    table = Table(title=title)
    for column in ("quantity", "value", "unit", "meaning"):
        table.add_column(column, justify="right" if column == "value" else "left")
    for figure in key_figures(study):
        table.add_row(figure.name, shown(figure.value), figure.kind.unit or "-", figure.meaning)
    return table

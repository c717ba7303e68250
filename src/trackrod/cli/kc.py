"""``trackrod kc``: the axles of a vehicle on the virtual K&C rig."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track
from rich.table import Table

from trackrod.adams.property_files.experiments import read_load_case
from trackrod.adams.source import open_vehicle
from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.vehicle import Aliases, AllowOutside, HalfOrWhole, Json, TemplateFolders, parse_aliases
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, MissingExtraError, Problem, Severity
from trackrod.core.files import make_folder
from trackrod.kc.maps import KC_MAPS
from trackrod.kc.programme import run_load_case
from trackrod.kc.rig import Rig
from trackrod.kc.study import AxleStudy, KcSettings, characterise, key_figures
from trackrod.report.kc import write_kc_page, write_kc_picture
from trackrod.report.page import shown
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.experiments import LoadCase
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["kc"]

#: No more values than these are taken from a range on the command line.
_MOST_VALUES = 2001


def kc(
    vehicle: HalfOrWhole,
    axle: Annotated[Axle | None, typer.Option(help="One axle only; both without it.")] = None,
    mode: Annotated[
        str | None, typer.Option(help="kinematic (ideal joints) or compliant (bushings), whatever the files say.")
    ] = None,
    travel_mm: Annotated[str, typer.Option(help="Wheel travel FROM:TO:STEP [mm].")] = "-80:80:2",
    rack_mm: Annotated[str, typer.Option(help="Rack travel FROM:TO:STEP [mm], positive to the left.")] = "-70:70:2",
    map_points: Annotated[int, typer.Option(help="Points of the map along each axis.")] = 41,
    loadcase: Annotated[
        list[Path] | None, typer.Option("--loadcase", help="Load case (.lcf) to run as well; repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for tables, maps, pictures and a page.")] = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    json: Json = False,
) -> None:
    """Put the axles of a vehicle on the K&C rig: travel, roll, steering, loads; maps of them."""
    settings = KcSettings(
        travel=_range(travel_mm, "--travel-mm"), rack=_range(rack_mm, "--rack-mm"), map_points=map_points
    )
    wanted = _mode(mode)
    cases = [(path.stem, *read_load_case(path)) for path in loadcase or []]
    reading = open_vehicle(
        vehicle, parse_aliases(alias or []), templates=templates or [], allow_outside=allow_outside, half=True
    )
    found = reading.vehicle if wanted is None else reading.vehicle.with_mode(wanted)
    start = perf_counter()
    axles = [axle] if axle is not None else [layout.position for layout in found.axles]
    quiet = json or not console.is_terminal
    studies = [
        characterise(found, one, settings)
        for one in track(axles, "on the rig", transient=True, disable=quiet, console=console)
    ]
    studies = [_with_cases(study, [(name, case) for name, case, _ in cases]) for study in studies]
    seconds = perf_counter() - start
    problems = [*(p for _, _, given in cases for p in given), *(p for study in studies for p in study.problems)]
    if found.is_half:  # what was assumed about the rest of the vehicle
        problems = [*(p for p in reading.problems if p.severity is not Severity.NOTE), *problems]
    if out is not None:
        provenance = Provenance.of(reading.files_read, {"mode": mode, "travel_mm": travel_mm, "rack_mm": rack_mm})
        problems += _write(out, found, studies, provenance)
    if json:
        print_json(_as_data(found, studies, problems, seconds))
        return
    for study in studies:
        console.print(_table(study))
    if out is not None:
        console.print(f"tables, maps and page: {out}", highlight=False)
    print_problems(problem for problem in problems if problem.severity is not Severity.NOTE)


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


def _with_cases(study: AxleStudy, cases: Iterable[tuple[str, LoadCase]]) -> AxleStudy:
    """The study with the tests of load case files added."""
    found = {name: run_load_case(Rig(study.vehicle, study.axle, check=False), case, name) for name, case in cases}
    taken = [name for name in found if name in study.tests]
    if taken:
        raise InputError(f"a load case file cannot be called '{taken[0]}': the rig has a test of this name")
    problems = (*study.problems, *(problem for test in found.values() for problem in test.problems))
    return AxleStudy(study.vehicle, study.axle, {**study.tests, **found}, study.maps, problems, study.seconds)


def _write(out: Path, vehicle: Vehicle, studies: list[AxleStudy], provenance: Provenance) -> list[Problem]:
    """Files of all axles; what could not be drawn for want of a package is said."""
    make_folder(out)
    for study in studies:
        for test in study.tests.values():
            test.write(out / f"{study.axle}_{test.name}.csv")
        if study.maps is not None:
            save(Artefact(KC_MAPS, study.maps, provenance), out / f"{study.axle}_maps.json")
    try:
        for study in studies:
            write_kc_picture(study, out / f"{study.axle}_kc.png")
        write_kc_page(vehicle, studies, out / "kc.html")
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

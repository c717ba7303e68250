"""``trackrod export``: a vehicle for other programs, and the check of what was exported."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trackrod.cli.inputs import FrameStiffness, Giving, Payload, SteeringKind, open_loaded
from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders
from trackrod.convert.conversion import Compliance
from trackrod.core.errors import InputError, Place, Problem, raise_if_errors
from trackrod.core.files import try_file, try_folder
from trackrod.export.c_source import write_c_source
from trackrod.export.carmaker import export_carmaker
from trackrod.export.check import CheckResult, check_fmu, write_check
from trackrod.export.fmu import write_fmu
from trackrod.export.model_description import FmiVersion
from trackrod.export.runtimes import build_runtimes, host_platform, platforms_of
from trackrod.export.vehicle import ExportedVehicle, exported_multibody, exported_rtm
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.reduce.exported import exported_file
from trackrod.rtm.spec import RtmSpec
from trackrod.workflow.cache import cache_folder
from trackrod.workflow.models import FoundModel, find_model
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["export"]


class Format(StrEnum):
    """What is written."""

    FMU2 = "fmu2"
    FMU3 = "fmu3"
    C = "c"
    CARMAKER = "carmaker"


class ModelKind(StrEnum):
    """Which model of the vehicle is exported."""

    RTM = "rtm"
    MULTIBODY = "multibody"


_VERSIONS = {Format.FMU2: FmiVersion.FMI2, Format.FMU3: FmiVersion.FMI3}


def export(
    model: Annotated[
        str | None,
        typer.Argument(help="rtm.json, folder of a study, vehicle, assembly, quarter car; an .fmu with --check."),
    ] = None,
    form: Annotated[Format | None, typer.Option("--format", help="What to write.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="File of an FMU, folder of sources or of CarMaker; the check's .json.")
    ] = None,
    kind: Annotated[ModelKind, typer.Option("--model", help="Which model of the vehicle.")] = ModelKind.RTM,
    platforms: Annotated[
        str | None, typer.Option(help="linux64, win64, aarch64-linux, darwin64, aarch64-darwin, with commas; or all.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Validate the FMU and drive it against Python.")] = False,
    build: Annotated[
        str | None, typer.Option("--build-runtimes", help="Build the runtimes of platforms, once; as --platforms.")
    ] = None,
    carmaker_version: Annotated[int, typer.Option(help="Version of CarMaker, 9 to 15.")] = 12,
    tyre: Annotated[
        Path | None, typer.Option(help="Tyre property file for all wheels of a vehicle of CarMaker.")
    ] = None,
    payload: Payload = None,
    frame_stiffness: FrameStiffness = None,
    compliance: Giving = None,
    steering: SteeringKind = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Write an FMU, C++ sources or a data set of CarMaker; check an FMU; build runtimes for other platforms."""
    if build is not None:
        quiet = json or model is not None
        built = build_runtimes(platforms_of(build), cache_folder(), None if quiet else _tell)
        if model is None:
            _report({"runtimes": [str(path) for path in built]}, json=json)
            return
    if model is None:
        raise InputError(Problem("there is nothing to export", hint="name a model, or --build-runtimes"))
    if model.endswith(".fmu"):
        _check_existing(Path(model), form, out, check=check, json=json)
        return
    problems = []
    if form is None:
        problems.append(Problem("--format is missing", hint=f"one of {', '.join(Format)}"))
    if out is None:
        problems.append(Problem("--out is missing", hint="a file for an FMU, a folder for sources"))
    if form in (Format.C, Format.CARMAKER) and (check or platforms is not None):
        problems.append(Problem("--check and --platforms are for FMUs"))
    if form in _VERSIONS and out is not None and out.suffix != ".fmu":
        problems.append(Problem(f"--out {out} must end in .fmu"))
    if kind is ModelKind.MULTIBODY and form is Format.CARMAKER:
        problems.append(Problem("a data set of CarMaker is made of the real-time model", hint="leave --model out"))
    if kind is ModelKind.MULTIBODY and compliance is not None:
        problems.append(Problem("--compliance is for the real-time model"))
    raise_if_errors(problems)
    if form is None or out is None:
        return
    (try_file if form in _VERSIONS else try_folder)(out)
    quarter = exported_file(model)
    if quarter is not None:
        if form not in _VERSIONS:
            hint = f"--format {Format.FMU2} or {Format.FMU3}"
            raise InputError(Problem("quarter cars are exported as FMUs", Place(Path(model)), hint=hint))
        _write(quarter, form, out, platforms, check=check, json=json)
        return
    source = find_model(model, tyre=tyre)
    if source is None:
        found, _ = open_loaded(
            model,
            payload,
            alias,
            templates,
            allow_outside=allow_outside,
            stand_in=stand_in,
            frame_stiffness=frame_stiffness,
        )
        if kind is ModelKind.MULTIBODY:
            detailed = exported_multibody(found, steering or usual_steering(found))
            _write(detailed, form, out, platforms, check=check, json=json)
            return
        if form is Format.CARMAKER:  # what its files can hold: compliance by tables, a rack by its ratio
            compliance, steering = compliance or Compliance.QUASI_STATIC, steering or SteeringModel.RATIO
        source = FoundModel(convert_directly(found, compliance=compliance or Compliance.MOVING, steering=steering).spec)
    elif kind is ModelKind.MULTIBODY:
        hint = "name the vehicle or the assembly that it was made of"
        raise InputError(Problem(f"'{model}' holds a real-time model alone", hint=hint))
    print_problems(source.problems)
    if form is Format.CARMAKER:
        _export_carmaker(source.spec, out, carmaker_version, json=json)
        return
    vehicle = exported_rtm(source.spec, source.provenance, source.notes)
    _write(vehicle, form, out, platforms, check=check, json=json)


def _write(
    vehicle: ExportedVehicle, form: Format, out: Path, platforms: str | None, *, check: bool, json: bool
) -> None:
    """Sources or an FMU, and a report about it."""
    if form is Format.C:
        files = write_c_source(vehicle, out)
        _report({"format": str(form), "vehicle": vehicle.name, "files": [str(path) for path in files[:3]]}, json=json)
        return
    host = host_platform()
    wanted = platforms_of(platforms) if platforms is not None else (host,) if host is not None else ()
    if not wanted:
        raise InputError(Problem("this machine is none of the known platforms", hint="name some with --platforms"))
    result = write_fmu(vehicle, _VERSIONS[form], wanted, cache_folder(), out, check=check)
    said: dict[str, object] = {"format": str(form), "vehicle": vehicle.name, "model": vehicle.model, "file": str(out)}
    said |= {"bytes": out.stat().st_size, "platforms": [item.name for item in wanted]}
    if result is not None:
        said["check"] = result.to_plain()
    _report(said, json=json, sentence=None if result is None else result.sentence())


def _check_existing(path: Path, form: Format | None, out: Path | None, *, check: bool, json: bool) -> None:
    if not check or form is not None:
        raise InputError(Problem(f"'{path}' is an FMU already", hint="check it with --check, without --format"))
    target = out or path.with_suffix(".check.json")
    try_file(target)
    result = check_fmu(path)
    write_check(result, target)
    _report(
        {"file": str(path), "check": result.to_plain(), "wrote": str(target)}, json=json, sentence=result.sentence()
    )
    _exit_unless(result)


def _exit_unless(result: CheckResult) -> None:
    if not result.passed:
        raise typer.Exit(1)


def _tell(platform: str) -> None:
    console.print(f"building the runtime for {platform}", highlight=False)


def _report(said: dict[str, object], *, json: bool, sentence: str | None = None) -> None:
    if json:
        print_json(said)
        return
    for name, value in said.items():
        if name != "check":
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            console.print(f"{name}: {shown}", highlight=False, markup=False, soft_wrap=True)
    if sentence is not None:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)


def _export_carmaker(spec: RtmSpec, out: Path, version: int, *, json: bool) -> None:
    made, files = export_carmaker(spec, out, version)
    if json:
        print_json({"name": spec.name, "files": [str(path) for path in files], "lost": list(made.lost)})
        return
    console.print(f"{spec.name} as a vehicle of CarMaker {version}:", highlight=False)
    for path in files:
        console.print(f"  {path}", highlight=False, soft_wrap=True)
    console.print("the files do not hold:", highlight=False)
    for text in made.lost:
        console.print(f"  {text}", highlight=False, markup=False, soft_wrap=True)

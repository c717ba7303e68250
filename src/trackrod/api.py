"""The verbs of ``import trackrod as tr``: one function each, over the packages below; nothing below imports them.

Numbers are SI units and radians, except settings of manoeuvres, whose names say their unit (``speed_kmh``). Functions
whose work takes long keep their results for the next time, under everything that these depend on: ``cache=False``
neither looks for them nor keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trackrod.adams import source
from trackrod.campaign.runner import Progress as CampaignProgress
from trackrod.campaign.table import CampaignTable
from trackrod.convert.conversion import Compliance, Conversion, Detail
from trackrod.core import artefact
from trackrod.core.artefact import Artefact, Provenance, Schema
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Place, Problem, UnknownNameError, raise_if_errors
from trackrod.core.files import read_bytes
from trackrod.core.run_files import RUN_SUFFIXES, read_run, write_run
from trackrod.core.series import Run
from trackrod.estimate.campaign import Estimates, estimate_all
from trackrod.export.c_source import write_c_source
from trackrod.export.carmaker import export_carmaker
from trackrod.export.fmu import write_fmu
from trackrod.export.model_description import FmiVersion
from trackrod.export.runtimes import host_platform, platforms_of
from trackrod.export.vehicle import exported_multibody, exported_rtm
from trackrod.fit.outcome import SearchProgress
from trackrod.kc.maps import KC_MAPS, KcMaps
from trackrod.kc.study import KcResult, KcSettings
from trackrod.kc.study import characterise as characterise_axle
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import MANOEUVRE
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import RealTime
from trackrod.multibody.mechanism import free_rotations
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.reduce.reduction import AxleReduction, reduce_axle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM, HasModel, RtmSpec
from trackrod.simulate.drive import Progress
from trackrod.simulate.drive import simulate as drive
from trackrod.single_track import SINGLE_TRACK, SingleTrack
from trackrod.validate.criteria import Criteria, find_criteria
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.cache import cache_folder, caching, kept_run
from trackrod.workflow.campaign import run_campaign
from trackrod.workflow.comparison import Comparison, compare_models
from trackrod.workflow.known_vehicle import what_is_known
from trackrod.workflow.models import find_model
from trackrod.workflow.multibody_runs import STEP, multibody_run, sample_of, step_of
from trackrod.workflow.recorded_runs import Reader, sensors_beside
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.runs import model_run
from trackrod.workflow.stage import Watcher
from trackrod.workflow.stages.convert import convert_directly, convert_origin
from trackrod.workflow.stages.report import FinishedStudy
from trackrod.workflow.study import run_study
from trackrod.workflow.tuning import Tuning, tune_model
from trackrod.workflow.validation import Validation, validate_model

__all__ = [
    "campaign",
    "characterise",
    "compare",
    "convert",
    "estimate",
    "export",
    "load",
    "open_vehicle",
    "reduce",
    "save",
    "simulate",
    "study",
    "tune",
    "validate",
]

#: What a saved file may hold.
_SCHEMAS: tuple[Schema[Any], ...] = (VEHICLE, RTM, KC_MAPS, SINGLE_TRACK, MANOEUVRE)
_FORMATS = ("fmu2", "fmu3", "c", "carmaker")
#: How far a file is read to see what it holds [byte]: the name of its schema stands at its end.
_TAIL = 4096


def open_vehicle(
    name: Path | str,
    *,
    payload: PayloadLevel | None = None,
    aliases: Mapping[str, Path | str] | None = None,
    templates: Iterable[Path | str] = (),
    allow_outside: bool = False,
    stand_in: bool = False,
    parameters: Mapping[str, float] | None = None,
    half: bool = False,
) -> Vehicle:
    """Read a vehicle and audit it.

    Parameters
    ----------
    name
        Of a bundled vehicle; or an assembly (.asy), a suspension (.sub) or a saved vehicle (.json).
    payload
        How much is loaded; as it is read if not given.
    aliases, templates, allow_outside, stand_in, parameters
        Of a database, as of `trackrod.adams.vehicle.read_vehicle`.
    half
        Whether half a vehicle will do: an axle alone cannot be driven.

    Returns
    -------
    Vehicle
        What the audit says about it is in ``problems``: warnings and notes, each with its place.

    Raises
    ------
    InputError
        A file is missing or wrong, or the audit found an error; all of them are named.
    """
    reading = source.open_vehicle(
        name,
        aliases,
        templates=templates,
        allow_outside=allow_outside,
        stand_in=stand_in,
        parameters=parameters,
        half=half,
    )
    raise_if_errors(reading.problems)
    vehicle = replace(reading.vehicle, problems=(*reading.problems, *free_rotations(reading.vehicle)))
    return vehicle if payload is None else vehicle.with_payload(payload)


def campaign(
    file: Path | str,
    *,
    out: Path | str | None = None,
    executor: str = "threads",
    workers: int | None = None,
    address: str | None = None,
    progress: Callable[[CampaignProgress], None] | None = None,
) -> CampaignTable:
    """Drive many runs that a file describes, or what is left of them; ``campaign.run`` is the same.

    Parameters
    ----------
    file
        What to drive (TOML).
    out
        Folder for the results; beside the file, with its name and ``_campaign``, if not given.
    executor, workers, address
        ``threads`` of this process, as many as asked for; or ``dask``: the workers of the scheduler at an address.
    progress
        Told now and then how far it is.

    Returns
    -------
    CampaignTable
        A row for each run, read when it is asked for.

    Raises
    ------
    InputError
        Something in the file is wrong, with its line; the folder holds another campaign; nobody is at the address.
    MissingExtraError
        PyArrow, or for a cluster Dask, is not installed.
    """
    folder, _ = run_campaign(file, out=out, executor=executor, workers=workers, address=address, progress=progress)
    return CampaignTable(folder)


def characterise(vehicle: Vehicle, *, settings: KcSettings | None = None) -> KcResult:
    """Put the axles of a vehicle on the K&C rig; it takes some seconds, and nothing is kept.

    Parameters
    ----------
    vehicle
        A whole one, or half a one, with its present modes.
    settings
        What the rig is asked for; ±80 mm of wheel travel, ±70 mm of the rack if not given.

    Raises
    ------
    InputError
        An axle cannot stand on the rig. Points that are not reached are marked, and said in ``problems``.
    """
    return KcResult({each.position: characterise_axle(vehicle, each.position, settings) for each in vehicle.axles})


def convert(
    vehicle: Vehicle,
    *,
    kc: Mapping[Axle, KcMaps] | KcResult | None = None,
    detail: Detail = Detail.TWO_DIMENSIONAL,
    compliance: Compliance = Compliance.MOVING,
    steering: SteeringModel | None = None,
    travel: float | None = None,
    cache: bool = True,
) -> Conversion:
    """The direct conversion of a vehicle into a real-time model; nothing is tuned.

    Parameters
    ----------
    vehicle
        With its present modes and payload.
    kc
        Its K&C, as of `characterise`, or maps by axle; measured as wide as driving needs it if not given.
    detail, compliance
        How much of the kinematics is kept, and how wheels give way.
    steering
        Rack by its ratio, or torsion bar, gear and assistance; the latter where the vehicle has them if not given.
    travel
        Wheel travel of the rig to either side [m], where `kc` is not given.
    cache
        Whether maps are kept for the next time.

    Raises
    ------
    InputError
        An axle cannot be put on the rig, or a part of its maps was not reached.
    """
    if kc is not None:
        if travel is not None:
            raise InputError("kc and travel are both given: the travel of kc is what it is")
        maps = kc.maps if isinstance(kc, KcResult) else kc
        return convert_origin(vehicle, maps, detail, compliance=compliance, steering=steering)
    rig = None if travel is None else KcSettings.over(travel)
    with caching(cache):
        return convert_directly(vehicle, detail=detail, compliance=compliance, steering=steering, settings=rig)


def simulate(
    model: Vehicle | HasModel | RealTimeVehicle | MultibodyVehicle,
    manoeuvre: Manoeuvre,
    *,
    sample: float | None = None,
    step: float | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> Run:
    """Drive a manoeuvre.

    Parameters
    ----------
    model
        A vehicle is driven as a multibody model; a conversion, a study or a real-time model as such; a
        `MultibodyVehicle` or `RealTimeVehicle` from the state that it is in, and its run is not kept.
    manoeuvre
        What to drive; settings that depend on the vehicle are found first, by driving.
    sample, step
        From sample to sample, and of the integration [s]; as the manoeuvre needs it if not given.
    progress
        Told how far it is: the phase and the time in it.
    cache
        Whether the run is kept for the next time.

    Raises
    ------
    InputError
        Sample and step do not fit.
    ConvergenceError
        There is no equilibrium, or a setting that the manoeuvre needs cannot be found.
    """
    with caching(cache):
        if isinstance(model, Vehicle):
            fixed = RealTime(step or step_of(manoeuvre), steering=usual_steering(model))
            return kept_run(multibody_run, model, manoeuvre, fixed, sample, progress=progress)
        if isinstance(model, RealTimeVehicle | MultibodyVehicle):
            if step is not None:
                raise InputError("the step is that of the model, which has one")
            return drive(model, manoeuvre, sample=sample or sample_of(manoeuvre), progress=progress)
        return kept_run(model_run, model.spec, manoeuvre, step or STEP, sample, progress=progress)


def compare(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    model: HasModel | None = None,
    *,
    sample: float | None = None,
    step: float | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> Comparison:
    """Drive a manoeuvre with the multibody and with a real-time model of a vehicle; say how far they lie apart.

    Parameters
    ----------
    vehicle
        Whose multibody model is the reference.
    manoeuvre
        What to drive; settings that depend on the vehicle are found with the reference, and both get the same.
    model
        The other model; the direct conversion of the vehicle if not given.
    sample, step
        From sample to sample, and of the real-time model [s]; as the manoeuvre needs it if not given.
    progress
        Told how far it is.
    cache
        Whether the runs of the reference are kept for the next time.

    Raises
    ------
    InputError
        There are no indices for this manoeuvre, or nothing can be compared.
    ConvergenceError
        The reference does not find the settings of the manoeuvre.
    """
    with caching(cache):
        return compare_models(vehicle, manoeuvre, model, sample=sample, step=step or STEP, progress=progress)


def tune(
    model: HasModel,
    comparisons: Sequence[Comparison],
    *,
    parameters: Iterable[str] | None = None,
    optimiser: str = "gauss-newton",
    seed: int = 0,
    progress: Callable[[SearchProgress], None] | None = None,
) -> Tuning:
    """Bring a real-time model nearer to the reference of some comparisons; the search alone.

    A `study` does more: it says which values the runs can tell, how sure they are, and proves the result on manoeuvres
    that were held out. Parameters and errors as of `trackrod.workflow.tuning.tune_model`.
    """
    return tune_model(model, comparisons, parameters=parameters, optimiser=optimiser, seed=seed, progress=progress)


def study(
    vehicle: Vehicle | str | None = None,
    *,
    reference: Path | str | None = None,
    out: Path | str | None = None,
    config: Path | str | None = None,
    optimiser: str | None = None,
    seed: int | None = None,
    payload: PayloadLevel | None = None,
    travel: float | None = None,
    compliance: Compliance | None = None,
    steering: SteeringModel | None = None,
    plugins: Iterable[Path | str] = (),
    watcher: Watcher | None = None,
    cache: bool = True,
) -> FinishedStudy:
    """Convert, tune, prove and report: what the command ``trackrod convert`` does.

    Parameters
    ----------
    vehicle
        A vehicle, or what `open_vehicle` takes.
    reference
        Folder with results of another program instead.
    out
        Folder for the results; ``NAME_conversion`` if not given.
    config
        Study file.
    optimiser
        Name of a method, or ``none`` for the direct conversion alone; prevails over the study file, as do all others.
    seed, payload, travel, compliance, steering
        As of `convert`, and the seed of methods that draw random numbers.
    plugins
        Python files that add manoeuvres, indices, templates or optimisers.
    watcher
        Told how far it is.
    cache
        Whether maps and runs are kept for the next time.

    Returns
    -------
    FinishedStudy
        It may stand wherever a real-time model is wanted.
    """
    request = StudyRequest(
        vehicle=vehicle,
        reference=None if reference is None else Path(reference),
        out=None if out is None else Path(out),
        config=None if config is None else Path(config),
        optimiser=optimiser,
        seed=seed,
        payload=payload,
        travel=travel,
        compliance=compliance,
        steering=steering,
        plugins=tuple(map(Path, plugins)),
    )
    with caching(cache):
        return run_study(request, watcher)


def validate(
    model: HasModel | SingleTrack | Vehicle | Path | str,
    tests: Path | str,
    criteria: Criteria | Path | str,
    *,
    channel_map: Path | str | None = None,
) -> Validation:
    """Judge a model by recorded tests.

    Parameters
    ----------
    model
        A real-time or single-track model, a vehicle as multibody model, or where one or its runs are saved.
    tests
        Folder of recordings.
    criteria
        What is asked of the model: a TOML file, or the name of ready-made criteria.
    channel_map
        Of the recordings; the one beside them if not given.

    Raises
    ------
    InputError
        A file is missing or wrong; a model or a test lacks what a criterion needs.
    """
    asked = criteria if isinstance(criteria, Criteria) else find_criteria(str(criteria))
    reader = Reader(None if channel_map is None else Path(channel_map))
    where = Path(model) if isinstance(model, str | Path) else model
    return validate_model(where, Path(tests), asked, reader=reader)


def estimate(
    logs: Sequence[Path | str] | Path | str,
    *,
    vehicle: Vehicle | str | None = None,
    workshop: Path | str | None = None,
    sensors: Path | str | None = None,
    channel_map: Path | str | None = None,
) -> Estimates:
    """Estimate every parameter that recordings tell, each with a 95 % interval.

    Parameters
    ----------
    logs
        Recordings or runs: files, or folders of them.
    vehicle
        For its geometry.
    workshop
        What was measured while it stood (TOML).
    sensors
        Errors of the sensors (TOML); those beside the recordings if not given.
    channel_map
        Of the recordings; the one beside them if not given.

    Raises
    ------
    InputError
        A file is missing or wrong.
    """
    paths = [Path(each) for each in ([logs] if isinstance(logs, str | Path) else logs)]
    entries, known, errors = what_is_known(
        vehicle, None if workshop is None else Path(workshop), sensors or sensors_beside(paths)
    )
    reader = Reader(None if channel_map is None else Path(channel_map), errors, imu=entries.imu_from_centre(known))
    return estimate_all(reader.logs(paths), known, errors)


def reduce(vehicle: Vehicle, *, starts: int = 0) -> dict[Axle, AxleReduction]:
    """Reduce the axles of a vehicle to quarter cars with one equivalent link.

    Parameters
    ----------
    vehicle
        A whole one.
    starts
        Searches from starts that are 50 % wrong, to see how the search fares.
    """
    return {axle: reduce_axle(vehicle, axle, starts=starts) for axle in Axle}


def export(
    model: Vehicle | HasModel,
    path: Path | str,
    *,
    form: str = "fmu3",
    platforms: str | None = None,
    check: bool = False,
) -> list[Path]:
    """Write a vehicle for other programs.

    Parameters
    ----------
    model
        A vehicle is exported as a multibody model; a conversion, a study or a real-time model as such.
    path
        File of an FMU, folder of sources or of a data set of CarMaker.
    form
        ``fmu2``, ``fmu3``, ``c`` or ``carmaker``.
    platforms
        Of an FMU, with commas, or ``all``; this machine's if not given.
    check
        Whether an FMU is validated and driven against this package first.

    Returns
    -------
    list
        What was written.

    Raises
    ------
    InputError
        The form is unknown, or the vehicle cannot be exported so.
    ConvergenceError
        The FMU does not pass its check.
    """
    path = Path(path)
    if form not in _FORMATS:
        raise UnknownNameError("format", form, _FORMATS)
    if form == "carmaker":
        if isinstance(model, Vehicle):
            raise InputError(Problem("a data set of CarMaker is made of the real-time model", hint="convert it first"))
        return list(export_carmaker(model.spec, path)[1])
    made = exported_multibody(model, usual_steering(model)) if isinstance(model, Vehicle) else exported_rtm(model.spec)
    if form == "c":
        return list(write_c_source(made, path))
    host = host_platform()
    wanted = platforms_of(platforms) if platforms is not None else (host,) if host is not None else ()
    if not wanted:
        raise InputError(Problem("this machine is none of the known platforms", hint="name some as platforms"))
    write_fmu(made, FmiVersion.FMI2 if form == "fmu2" else FmiVersion.FMI3, wanted, cache_folder(), path, check=check)
    return [path]


def load(path: Path | str) -> Any:
    """Whatever was saved: a vehicle, a real-time or single-track model, K&C maps, a manoeuvre, a run.

    Parameters
    ----------
    path
        A file that `save` or a command wrote, a run (.csv, .parquet, .mat, .mf4), or the folder of a study, whose
        model it is.

    Raises
    ------
    InputError
        There is no such file, or it holds nothing of these.
    """
    path = Path(path)
    if path.suffix.casefold() in RUN_SUFFIXES:
        return read_run(path)
    if (found := find_model(path)) is not None:
        return found.spec
    tail = read_bytes(path)[-_TAIL:]
    for schema in _SCHEMAS:
        if f'"{schema.name}"'.encode() in tail:
            return artefact.load(path, schema).content
    known = ", ".join(schema.name for schema in _SCHEMAS)
    raise InputError(Problem("the file holds nothing that can be loaded", Place(path), hint=f"known are {known}"))


def save(thing: Vehicle | HasModel | KcMaps | SingleTrack | Manoeuvre | Run, path: Path | str) -> None:
    """Save something so that `load` gives it again.

    Parameters
    ----------
    thing
        A vehicle, a conversion, a study or a real-time model, K&C maps, a single-track model, a manoeuvre (.json); a
        run (.csv, .parquet, .mat, .mf4).
    path
        The file; replaced whole or not at all.

    Raises
    ------
    InputError
        The file cannot be written, or its suffix is none of a run.
    """
    if isinstance(thing, Run):
        write_run(thing, Path(path))
        return
    kinds = {Vehicle: VEHICLE, RtmSpec: RTM, KcMaps: KC_MAPS, SingleTrack: SINGLE_TRACK, Manoeuvre: MANOEUVRE}
    content = getattr(thing, "spec", thing)
    for kind, schema in kinds.items():
        if isinstance(content, kind):
            artefact.save(Artefact(schema, content, Provenance()), path)
            return
    raise InputError(f"it is not known how a {type(thing).__name__} is saved")

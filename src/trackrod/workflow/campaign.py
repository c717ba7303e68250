"""A campaign from its file to its table: models are found, a folder is begun or continued, runs are driven."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackrod.adams.source import open_vehicle
from trackrod.campaign.description import CampaignModel
from trackrod.campaign.file import CampaignFile, read_campaign
from trackrod.campaign.folder import CampaignFolder, require_parquet
from trackrod.campaign.plan import Plan, make_plan
from trackrod.campaign.runner import Progress, Summary, drive_campaign
from trackrod.campaign.table import CampaignTable
from trackrod.core.errors import InputError, Place, Problem, raise_if_errors
from trackrod.core.executors import ExecutorKind, workers_of
from trackrod.core.records import from_plain
from trackrod.core.series import Run
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.posterior import Posterior
from trackrod.vehicle.systems import PayloadLevel
from trackrod.workflow.models import find_model
from trackrod.workflow.stages.convert import convert_directly
from trackrod.workflow.study_folder import StudyFolder

__all__ = ["Replay", "campaign_folder", "open_campaign", "prepare_campaign", "replay_run", "run_campaign"]

#: Told what is being done before the first run.
Tell = Callable[[str], None]


def campaign_folder(file: Path, out: Path | None = None) -> CampaignFolder:
    """Where the campaign of a file is kept: beside it, with its name, if nothing else is asked for."""
    return CampaignFolder(out if out is not None else file.with_name(f"{file.stem}_campaign"))


def open_campaign(source: Path, out: Path | None = None) -> CampaignFolder:
    """The campaign that a file or a folder stands for.

    Raises
    ------
    MissingFileError
        Nothing was driven yet.
    InputError
        The folder holds another campaign than the file describes.
    """
    if source.is_dir():
        folder = CampaignFolder(source)
    else:
        folder = campaign_folder(source, out)
        if folder.is_there:
            _require_same(folder, read_campaign(source))
    folder.plan()
    return folder


def prepare_campaign(file: Path, out: Path | None = None, *, tell: Tell | None = None) -> CampaignFolder:
    """The folder of a campaign, begun if there is none yet.

    Raises
    ------
    InputError
        Something in the file is wrong; the folder holds another campaign.
    MissingExtraError
        PyArrow is not installed.
    """
    require_parquet()
    found = read_campaign(file)
    folder = campaign_folder(file, out)
    if folder.is_there:
        _require_same(folder, found)
        return folder
    folder.write(plan_of(found, tell=tell))
    return folder


def plan_of(file: CampaignFile, *, tell: Tell | None = None) -> Plan:
    """The plan of a file: its models found or converted, its manoeuvres prepared; errors as of `make_plan`."""
    specs: dict[str, RtmSpec] = {}
    posteriors: dict[str, Posterior] = {}
    problems: list[Problem] = []
    for model in file.description.models:
        if tell is not None:
            tell(f"model '{model.label}'")
        place = file.places.get(model.label, Place(file.path))
        try:
            specs[model.label], posterior = _model(model, place)
        except InputError as error:
            problems += [
                Problem(f"'{model.source}': {problem}", place, hint=problem.hint) for problem in error.problems
            ]
            continue
        if posterior is not None:
            posteriors[model.label] = posterior
    raise_if_errors(problems)
    if tell is not None:
        tell("settings of the manoeuvres")
    return make_plan(file, specs, posteriors)


def run_campaign(
    file: Path | str,
    *,
    out: Path | str | None = None,
    executor: ExecutorKind | str = ExecutorKind.THREADS,
    workers: int | None = None,
    address: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[CampaignFolder, Summary]:
    """Drive a campaign, or what is left of it.

    Parameters
    ----------
    file
        What to drive (TOML).
    out
        Folder for the results; beside the file if not given.
    executor, workers, address
        As of `trackrod.core.executors.workers_of`.
    progress
        Told now and then how far it is.

    Raises
    ------
    InputError
        Something in the file is wrong, nobody answers at the address, or the folder holds another campaign.
    """
    try:
        kind = ExecutorKind(executor)
    except ValueError:
        raise InputError(f"there is no executor '{executor}'; there are {', '.join(ExecutorKind)}") from None
    with workers_of(kind, count=workers, address=address) as hands:  # whether they are there is known before any work
        folder = prepare_campaign(Path(file), None if out is None else Path(out))
        return folder, drive_campaign(folder, hands, progress=progress)


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """One run of a campaign, driven again.

    Attributes
    ----------
    row, run
        What it gave now; None where it never began.
    kept
        Its row of the table; None where it is not done.
    """

    row: dict[str, Any]
    run: Run | None
    kept: dict[str, Any] | None

    @property
    def differences(self) -> tuple[str, ...]:
        """Columns whose numbers are not the same, bit for bit."""
        kept = self.kept or {}
        return tuple(name for name, value in kept.items() if self.row.get(name) != value)


def replay_run(folder: CampaignFolder, number: int) -> Replay:
    """Drive one run of a campaign again; InputError if it has no such run."""
    plan = folder.plan()
    if not 0 <= number < plan.runs:
        raise InputError(f"there is no run {number}; the campaign has the runs 0 to {plan.runs - 1}")
    (each,) = plan.circumstances(range(number, number + 1))
    row, run = plan.drive(each)
    if run is not None:
        run = Run(dict(run.items()), {**run.metadata, "campaign": plan.description.name, "inputs": dict(each.inputs)})
    return Replay(row, run, CampaignTable(folder).row(number))


def _require_same(folder: CampaignFolder, file: CampaignFile) -> None:
    told = folder.differences(file.description)
    hint = "name another folder with --out, or take the changes back"
    raise_if_errors(
        Problem(f"the folder {folder.path} holds another campaign: {text}", Place(file.path), hint=hint)
        for text in told
    )


def _model(model: CampaignModel, place: Place) -> tuple[RtmSpec, Posterior | None]:
    """A model, and what its tuning left uncertain if that is asked for and known."""
    found = find_model(model.source)
    if found is None:
        reading = open_vehicle(model.source)
        raise_if_errors(reading.problems)
        vehicle = reading.vehicle
        if model.payload is not None:
            vehicle = vehicle.with_payload(PayloadLevel(model.payload))
        return convert_directly(vehicle).spec, None
    if model.payload is not None:
        text = "a payload level is for vehicles, this is a real-time model"
        raise InputError(Problem(text, place, hint="draw a payload with [vary.payload]"))
    return found.spec, _posterior(Path(model.source)) if model.posterior else None


def _posterior(source: Path) -> Posterior | None:
    if not source.is_dir():
        return None
    try:
        data = json.loads(StudyFolder(source).summary.read_bytes())
    except (OSError, ValueError):
        return None
    return from_plain(Posterior, data["posterior"]) if "posterior" in data else None

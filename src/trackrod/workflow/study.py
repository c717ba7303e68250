"""A study from beginning to end: the one function that a face calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trackrod.fit.outcome import Outcome
from trackrod.workflow.progress_file import with_progress_file
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.runner import run_stages
from trackrod.workflow.stage import Stage, Watcher
from trackrod.workflow.stages.convert import CONVERT
from trackrod.workflow.stages.direct import NOTHING_ANALYSED, NOTHING_SWAPPED, NOTHING_TUNED
from trackrod.workflow.stages.error_budget import ERROR_BUDGET
from trackrod.workflow.stages.hold_out import HOLD_OUT
from trackrod.workflow.stages.kc import KC
from trackrod.workflow.stages.optimise import OPTIMISE, Tuned
from trackrod.workflow.stages.read import READ
from trackrod.workflow.stages.reference import REFERENCE
from trackrod.workflow.stages.report import REPORT, FinishedStudy
from trackrod.workflow.stages.sensitivity import SENSITIVITY
from trackrod.workflow.study_settings import NOT_TUNED, StudySettings

__all__ = ["DIRECT_STAGES", "STAGES", "run_study"]

#: In the order in which they are done.
STAGES: tuple[Stage[Any], ...] = (
    READ,
    KC,
    CONVERT,
    REFERENCE,
    SENSITIVITY,
    OPTIMISE,
    HOLD_OUT,
    ERROR_BUDGET,
    REPORT,
)

#: Where nothing is tuned.
DIRECT_STAGES: tuple[Stage[Any], ...] = (
    READ,
    KC,
    CONVERT,
    REFERENCE,
    NOTHING_ANALYSED,
    NOTHING_TUNED,
    HOLD_OUT,
    NOTHING_SWAPPED,
    REPORT,
)

#: Until there is a tuned model.
_TUNING = STAGES[: STAGES.index(OPTIMISE) + 1]


def run_study(request: StudyRequest, watcher: Watcher | None = None) -> FinishedStudy:
    """Convert a vehicle into a real-time model, tune it, prove it, and write everything into a folder.

    Parameters
    ----------
    request
        What is asked for.
    watcher
        Told how far it is; ``$TRACKROD_PROGRESS`` may name a file that tells it as well.

    Returns
    -------
    FinishedStudy
        Also after Ctrl-C during the search, with the best so far.

    Raises
    ------
    InputError
        Something that was given is wrong: the study file, the vehicle or the reference, parameters, bounds, weights.
    ConvergenceError
        A manoeuvre to tune with cannot be driven, or the nominal model breaks down.
    """
    settings = request.settings()
    direct = settings.optimiser == NOT_TUNED
    watched = with_progress_file(DIRECT_STAGES if direct else STAGES, watcher)
    if direct:
        return run_stages(DIRECT_STAGES, (request, settings), watched)[FinishedStudy]
    tuned = run_stages(_TUNING, (request, settings), watched)
    while settings.further and (why := _outside(settings, tuned[Tuned].outcome)):
        following, *further = settings.further
        settings = replace(settings, compliance=following, further=tuple(further), left=(*settings.left, why))
        tuned = run_stages(_TUNING, (request, settings), watched)
    return run_stages(STAGES, tuned, watched)[FinishedStudy]


def _outside(settings: StudySettings, outcome: Outcome) -> str:
    """How the best that tuning found misses the tolerance, in words; empty where it does not, or was interrupted."""
    worst, tolerance = max(outcome.blocks, key=lambda block: block.value_pct), settings.objective.tolerance_pct
    if outcome.interrupted or worst.value_pct <= tolerance:
        return ""
    return (
        f"with {settings.compliance} compliance {worst.label} is still {worst.value_pct:.1f} % off after tuning "
        f"({tolerance:g} % are allowed): the study went on with {settings.further[0]} compliance"
    )

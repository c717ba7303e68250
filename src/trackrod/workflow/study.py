"""A study from beginning to end: the one function that a face calls."""

from __future__ import annotations

from typing import Any

from trackrod.workflow.request import StudyRequest
from trackrod.workflow.runner import run_stages
from trackrod.workflow.stage import Stage, Watcher
from trackrod.workflow.stages.convert import CONVERT
from trackrod.workflow.stages.error_budget import ERROR_BUDGET
from trackrod.workflow.stages.hold_out import HOLD_OUT
from trackrod.workflow.stages.kc import KC
from trackrod.workflow.stages.optimise import OPTIMISE
from trackrod.workflow.stages.read import READ
from trackrod.workflow.stages.reference import REFERENCE
from trackrod.workflow.stages.report import REPORT, FinishedStudy
from trackrod.workflow.stages.sensitivity import SENSITIVITY

__all__ = ["STAGES", "run_study"]

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


def run_study(request: StudyRequest, watcher: Watcher | None = None) -> FinishedStudy:
    """Convert a vehicle into a real-time model, tune it, prove it, and write everything into a folder.

    Parameters
    ----------
    request
        What is asked for.
    watcher
        Told how far it is.

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
    return run_stages(STAGES, (request, request.settings()), watcher)[FinishedStudy]

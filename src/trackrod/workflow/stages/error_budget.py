"""Stage ``error_budget``: the tuned model with one sub-model swapped at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import ConvergenceError
from trackrod.report.study_sections import error_budget_section
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace
from trackrod.tune.study import ErrorBudgetEntry
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.convert import convert_origin
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.optimise import Tuned
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.study_settings import StudySettings

__all__ = ["ERROR_BUDGET", "ErrorBudget"]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorBudget:
    """The tuned model, then the swaps."""

    entries: tuple[ErrorBudgetEntry, ...]


def _swap(work: Work) -> ErrorBudget:
    tuned, origin, maps = work[Tuned].model, work[Subject].origin, work[Measured].maps
    settings = work[StudySettings]
    entries = [ErrorBudgetEntry("the tuned model", _values(work, tuned))]
    swaps = {
        "without compliance": (settings.detail, Compliance.NONE),
        "1-D kinematics": (Detail.ONE_DIMENSIONAL, settings.compliance),
        "linear kinematics": (Detail.LINEAR, settings.compliance),
    }
    if Compliance.of(tuned) is Compliance.MOVING:
        swaps["quasi-static compliance"] = (settings.detail, Compliance.QUASI_STATIC)
    for k, (what, (detail, compliance)) in enumerate(swaps.items()):
        work.tell(what, k / len(swaps))
        model = convert_origin(origin, maps, detail, compliance=compliance, steering=settings.steering).spec
        try:
            entries.append(ErrorBudgetEntry(what, _values(work, model.with_parameters(**tuned.parameters))))
        except ConvergenceError:
            continue
    return ErrorBudget(tuple(entries))


def _values(work: Work, model: RtmSpec) -> dict[str, float]:
    problem = work[Subject].folder.journal(TuningProblem(TuningSpace(model, ()), work[Driven].tuned_with))
    return {block.label: block.value_pct for block in problem.evaluate(np.zeros(0))}


ERROR_BUDGET = Stage(
    name="error_budget",
    title="error budget",
    needs=(Subject, Measured, Driven, Tuned, StudySettings),
    makes=ErrorBudget,
    run=_swap,
    sections=(error_budget_section,),
)

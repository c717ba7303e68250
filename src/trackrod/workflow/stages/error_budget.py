"""Stage ``error_budget``: the tuned model with one sub-model swapped at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import ConvergenceError
from trackrod.core.executors import executor
from trackrod.report.study_sections import error_budget_section
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace
from trackrod.tune.study import ErrorBudgetEntry
from trackrod.workflow.stage import Phase, Stage, Work
from trackrod.workflow.stages.convert import convert_origin
from trackrod.workflow.stages.hold_out import Proven
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
    swaps = {
        "without compliance": (settings.detail, Compliance.NONE),
        "1-D kinematics": (Detail.ONE_DIMENSIONAL, settings.compliance),
        "linear kinematics": (Detail.LINEAR, settings.compliance),
    }
    if Compliance.of(tuned) is Compliance.MOVING:
        swaps["quasi-static compliance"] = (settings.detail, Compliance.QUASI_STATIC)
    done = count()

    def swap(what: str) -> ErrorBudgetEntry | None:
        detail, compliance = swaps[what]
        model = convert_origin(origin, maps, detail, compliance=compliance, steering=settings.steering).spec
        try:
            return ErrorBudgetEntry(what, _values(work, model.with_parameters(**tuned.parameters)))
        except ConvergenceError:
            return None
        finally:
            work.tell(what, (next(done) + 1) / len(swaps))

    with executor() as pool:
        found = list(pool.map(swap, swaps))
    proven = ErrorBudgetEntry("the tuned model", _proven_values(work[Proven]))
    return ErrorBudget((proven, *(entry for entry in found if entry is not None)))


def _values(work: Work, model: RtmSpec) -> dict[str, float]:
    problem = work[Subject].folder.journal(TuningProblem(TuningSpace(model, ()), work[Driven].tuned_with))
    return {block.label: block.value_pct for block in problem.evaluate(np.zeros(0))}


def _proven_values(proven: Proven) -> dict[str, float]:
    """The same of the tuned model, which has driven already."""
    tests = (test for test in proven.tests if not test.hold_out)
    return {f"{test.label}: {index.name}": index.value_pct for test in tests for index in test.tuned_indices}


ERROR_BUDGET = Stage(
    name="error_budget",
    title="error budget",
    needs=(Subject, Measured, Driven, Tuned, Proven, StudySettings),
    makes=ErrorBudget,
    run=_swap,
    sections=(error_budget_section,),
    phase=Phase.PROOF,
)

"""Stages of a study in which nothing is tuned: what stands for sensitivity, search and error budget in it.

The direct conversion is compared and reported as it is; there is nothing about parameters to say, so these stages have
no section in the report.
"""

from __future__ import annotations

import numpy as np

from trackrod.fit.identifiability import Criteria, Identifiability
from trackrod.fit.local_sensitivity import LocalSensitivity
from trackrod.fit.outcome import Outcome, Reason
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace
from trackrod.workflow.stage import Phase, Stage, Work
from trackrod.workflow.stages.convert import Converted
from trackrod.workflow.stages.error_budget import ErrorBudget
from trackrod.workflow.stages.optimise import Tuned
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.stages.sensitivity import SensitivityResult
from trackrod.workflow.study_settings import NOT_TUNED, StudySettings

__all__ = ["NOTHING_ANALYSED", "NOTHING_SWAPPED", "NOTHING_TUNED"]


def _analyse(work: Work) -> SensitivityResult:
    space = TuningSpace(work[Converted].space.nominal, ())
    work.tell("indices of the direct conversion", 0.0)
    problem = work[Subject].folder.journal(TuningProblem(space, work[Driven].tuned_with))
    blocks = problem.evaluate(np.zeros(0))
    work[StudySettings].objective.check(blocks)
    nothing = Identifiability((), (), (), np.zeros(0), np.zeros((0, 0)), Criteria())
    return SensitivityResult(LocalSensitivity((), tuple(blocks)), nothing, (), (), None, None)


def _tune(work: Work) -> Tuned:
    blocks = work[SensitivityResult].local.blocks
    value = work[StudySettings].objective.value(blocks)
    outcome = Outcome(np.zeros(0), value, blocks, (), 1, 0, 0.0, Reason.NOT_ASKED, NOT_TUNED)
    return Tuned(outcome, work[Converted].space.nominal, (), (), None, None)


def _swap(work: Work) -> ErrorBudget:
    del work
    return ErrorBudget(())


NOTHING_ANALYSED = Stage(
    name="sensitivity",
    title="comparing",
    needs=(Subject, Converted, Driven, StudySettings),
    makes=SensitivityResult,
    run=_analyse,
    phase=Phase.OPTIMISATION,
)
NOTHING_TUNED = Stage(
    name="optimise",
    title="not tuned",
    needs=(Converted, SensitivityResult, StudySettings),
    makes=Tuned,
    run=_tune,
    phase=Phase.OPTIMISATION,
)
NOTHING_SWAPPED = Stage(
    name="error_budget", title="no error budget", needs=(), makes=ErrorBudget, run=_swap, phase=Phase.PROOF
)

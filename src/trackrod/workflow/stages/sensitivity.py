"""Stage ``sensitivity``: what each parameter does to each index, and what these manoeuvres can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor
from trackrod.fit.candidates import Candidate, rank_candidates
from trackrod.fit.identifiability import Identifiability, identify
from trackrod.fit.journal import JournalledProblem
from trackrod.fit.local_sensitivity import LocalSensitivity
from trackrod.fit.problem import Blocks
from trackrod.fit.ranges import Range, ranges_by_tolerance
from trackrod.fit.screening import Screening, screen
from trackrod.fit.variance_shares import VarianceShares, share_variance
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.report.study_sections import candidate_section, identifiability_section, sensitivity_section
from trackrod.simulate.script import scripted
from trackrod.tune.problem import TuningProblem
from trackrod.tune.standing import STANDING
from trackrod.tune.test import Test
from trackrod.workflow.cache import kept_run
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.runs import model_run
from trackrod.workflow.stage import Phase, Stage, Work
from trackrod.workflow.stages.convert import Converted
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.study_settings import StudySettings

__all__ = ["SENSITIVITY", "SensitivityResult"]

#: Manoeuvres whose worth for the identification is looked at, with settings that need no reference.
_CANDIDATES = ("single_sine", "pulse", "throttle_off", "brake_in_turn")


@dataclass(frozen=True, slots=True, eq=False)
class SensitivityResult:
    """What is known about the parameters of the nominal model.

    Attributes
    ----------
    local
        Exact derivatives of every index by every parameter.
    identifiability
        What these manoeuvres can tell.
    candidates
        What other manoeuvres would tell.
    ranges
        How far each parameter may go before something is lost.
    screening, variance
        Over the whole ranges; None if it was not asked for.
    """

    local: LocalSensitivity
    identifiability: Identifiability
    candidates: tuple[Candidate, ...]
    ranges: tuple[Range, ...]
    screening: Screening | None
    variance: VarianceShares | None


def _analyse(work: Work) -> SensitivityResult:
    space, objective = work[Converted].space, work[StudySettings].objective
    problem = work[Subject].folder.journal(TuningProblem(space, work[Driven].tuned_with))
    work.tell("exact derivatives of every index, and which manoeuvre would tell more", 0.0)
    with executor() as pool:  # one of the tests is as long as all others: who is done with them goes on with candidates
        derivatives = pool.submit(problem.linearise, np.zeros(len(space.names)))
        others = pool.submit(_candidates, work)
        nominal, told = derivatives.result(), others.result()
    objective.check(nominal)
    found = identify(space.names, nominal)
    candidates = tuple(rank_candidates(space.names, nominal, told)) if told else ()
    ranges = ranges_by_tolerance(space.names, nominal, tolerance_pct=objective.tolerance_pct)
    screening, variance = _over_the_ranges(work, problem)
    return SensitivityResult(
        LocalSensitivity(space.names, nominal), found, candidates, tuple(ranges), screening, variance
    )


def _over_the_ranges(work: Work, problem: JournalledProblem) -> tuple[Screening | None, VarianceShares | None]:
    settings = work[StudySettings]
    names, evaluate, objective = problem.names, problem.evaluate_many, settings.objective.value

    def told(what: str) -> Callable[[int, int], None]:
        return lambda done, total: work.tell(f"{what}: {done} of {total} points", done / total)

    screening, variance = None, None
    if settings.screening:
        screening = screen(
            names, evaluate, objective, trajectories=settings.screening, seed=settings.seed, progress=told("Morris")
        )
    if settings.variance:
        variance = share_variance(
            names, evaluate, objective, base_points=settings.variance, seed=settings.seed, progress=told("Sobol")
        )
    return screening, variance


def _candidates(work: Work) -> Blocks:
    """Derivatives of other manoeuvres: the model itself is the reference, for only its derivatives count."""
    space = work[Converted].space
    known = {test.name for test in work[Driven].tuned_with}
    tests = []
    for name in _CANDIDATES:
        if name in known:
            continue
        try:
            found = manoeuvre(name, {}).prepare(lambda trial: kept_run(model_run, space.nominal, trial))
            run = kept_run(model_run, space.nominal, found)
            if run.metadata["completed"]:
                tests.append(Test(name, found.title, name, run, scripted(found, run, step=STEP)))
        except (ConvergenceError, InputError):
            continue  # this vehicle cannot drive it: it is no candidate
    if not tests:
        return ()
    problem = work[Subject].folder.journal(TuningProblem(space, tests))
    # the loads before a candidate are those before any other manoeuvre
    return tuple(b for b in problem.linearise(np.zeros(len(space.names))) if not b.manoeuvre.startswith(STANDING))


SENSITIVITY = Stage(
    name="sensitivity",
    title="sensitivity and identifiability",
    needs=(Subject, Converted, Driven, StudySettings),
    makes=SensitivityResult,
    run=_analyse,
    sections=(sensitivity_section, identifiability_section, candidate_section),
    phase=Phase.OPTIMISATION,
)

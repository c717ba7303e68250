"""Stage ``optimise``: tuning, and how sure its values are."""

from __future__ import annotations

from dataclasses import dataclass

from trackrod.core.errors import Problem
from trackrod.fit.covariance import Confidence, confidence
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.identifiability import Identifiability, Verdict
from trackrod.fit.methods import minimise
from trackrod.fit.outcome import Outcome, StopRules
from trackrod.report.study_sections import parameter_section, search_section
from trackrod.rtm.spec import RtmSpec
from trackrod.rtm.stability import stability_problems
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace
from trackrod.tune.study import TunedParameter
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.convert import Converted
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.stages.sensitivity import SensitivityResult
from trackrod.workflow.study_settings import StudySettings

__all__ = ["OPTIMISE", "Tuned"]

#: A change to a bound must improve the objective by this much: what hardly matters stays as it was converted.
_METHODS = {GaussNewton.name: GaussNewton(prior_pct=0.02)}
_STOP = StopRules(improvement_pct=0.005)


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The tuned model.

    Attributes
    ----------
    outcome
        Of the search.
    model
        The best that it found.
    parameters
        Each before and after.
    unstable
        Whether the model does not go straight ahead by itself, and why.
    """

    outcome: Outcome
    model: RtmSpec
    parameters: tuple[TunedParameter, ...]
    unstable: tuple[Problem, ...]


def _tune(work: Work) -> Tuned:
    settings, space = work[StudySettings], work[Converted].space
    problem = work[Subject].folder.journal(TuningProblem(space, work[Driven].tuned_with))
    work.tell(settings.optimiser, 0.0)
    outcome = minimise(
        problem,
        settings.objective,
        method=_METHODS.get(settings.optimiser, settings.optimiser),
        stop=_STOP,
        budget=settings.budget,
        seed=settings.seed,
        progress=work.tell_search,
    )
    work.tell("confidence of the tuned values", 1.0)
    sure = confidence(space.names, outcome.z, problem.linearise(outcome.z), settings.objective)
    parameters = _parameters(space, outcome, sure, work[SensitivityResult].identifiability)
    model = space.spec(outcome.z)
    return Tuned(outcome, model, parameters, stability_problems(model, "the tuned model"))


def _parameters(
    space: TuningSpace, outcome: Outcome, sure: Confidence, found: Identifiability
) -> tuple[TunedParameter, ...]:
    result = []
    for k, item in enumerate(space.tunables):
        finding = found[item.name]
        half = 0.5 * (item.upper - item.lower)
        std_pct = 100.0 * float(sure.std[k]) * half / abs(item.nominal) if item.nominal else float("nan")
        seen = finding.verdict is Verdict.IDENTIFIABLE
        result.append(TunedParameter(item, float(outcome.z[k]), std_pct, sure.on_bound[k], seen, finding.text))
    return tuple(result)


OPTIMISE = Stage(
    name="optimise",
    title="tuning",
    needs=(Subject, Converted, Driven, SensitivityResult, StudySettings),
    makes=Tuned,
    run=_tune,
    sections=(parameter_section, search_section),
)

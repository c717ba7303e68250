"""Stage ``optimise``: tuning, and how sure its values are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import ConvergenceError, InputError, Problem
from trackrod.fit.estimate import ON_BOUND, Estimate, estimate
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.identifiability import Identifiability
from trackrod.fit.methods import minimise
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Outcome, Point, Reason, StopRules
from trackrod.fit.problem import FitProblem
from trackrod.reference import Reference
from trackrod.report.study_sections import parameter_section, search_section
from trackrod.rtm.spec import RtmSpec
from trackrod.rtm.stability import stability_problems
from trackrod.tune.other_tyres import other_tyres
from trackrod.tune.posterior import Posterior, posterior_of
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace
from trackrod.tune.standing import StandingHeight
from trackrod.tune.study import TunedParameter
from trackrod.workflow.stage import Phase, Stage, Work
from trackrod.workflow.stages.convert import Converted, convert_origin
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import Driven
from trackrod.workflow.stages.sensitivity import SensitivityResult
from trackrod.workflow.study_settings import StudySettings

__all__ = ["OPTIMISE", "Tuned"]

#: A change to a bound must improve the objective by this much [%]: what hardly matters stays as it was converted.
PRIOR = 0.1
_METHODS = {GaussNewton.name: GaussNewton(prior_pct=PRIOR)}
_STOP = StopRules(improvement_pct=0.02, step=0.01)


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
    standing_height
        Of its centre of gravity; None where that is not tuned, or where a model does not come to rest.
    posterior
        What the curves leave uncertain; None where nothing was estimated.
    """

    outcome: Outcome
    model: RtmSpec
    parameters: tuple[TunedParameter, ...]
    unstable: tuple[Problem, ...]
    standing_height: StandingHeight | None
    posterior: Posterior | None


def _tune(work: Work) -> Tuned:
    settings, space, tests = work[StudySettings], work[Converted].space, work[Driven].tuned_with
    identified = work[SensitivityResult].identifiability
    journal = work[Subject].folder.journal
    work.tell("what the curves say about the values", 0.0)
    problem, *swaps = (journal(TuningProblem(each, tests)) for each in (space, *_swapped(work)))
    told = estimate(problem, np.zeros(len(space.names)), settings.objective, swaps)
    # What the manoeuvres cannot tell is held, for it would only take the part of another parameter; so is what nothing
    # speaks against, unless the user names what to tune: small gains in one manoeuvre are paid for in others.
    moved = space.only(identified.subset if settings.parameters else told.contradicted)
    places = [space.names.index(name) for name in moved.names]
    work.tell(settings.optimiser, 0.1)
    problem = journal(TuningProblem(moved, tests))
    outcome = _searched(work, problem, told.z[places])
    z = np.zeros(len(space.names))
    z[places] = outcome.z
    parameters = _parameters(space, moved, z, told, identified)
    model = space.spec(z)
    unstable = stability_problems(model, "the tuned model")
    height = _standing_height(space, model, told)
    return Tuned(outcome, model, parameters, unstable, height, posterior_of(space, z, told))


def _swapped(work: Work) -> Iterator[TuningSpace]:
    """The same parameters of models with a sub-model that may be wrong: kinematics, compliance.

    What another program or a test track calls a tyre is never quite the tyre of the folder.
    """
    space, settings = work[Converted].space, work[StudySettings]
    now = (settings.detail, Compliance.of(space.nominal))
    other = Detail.TWO_DIMENSIONAL if settings.detail is Detail.LINEAR else Detail.LINEAR
    gives = Compliance.MOVING if now[1] is Compliance.NONE else Compliance.NONE
    for detail, compliance in ((other, now[1]), (now[0], gives)):
        origin, maps = work[Subject].origin, work[Measured].maps
        model = convert_origin(origin, maps, detail, compliance=compliance, steering=settings.steering).spec
        if (detail, Compliance.of(model)) != now:  # a reference may know no compliance
            yield replace(space, nominal=model.with_parameters(**space.nominal.parameters))
    if isinstance(work[Subject].origin, Reference):
        yield from (replace(space, nominal=model) for model in other_tyres(space.nominal))


def _standing_height(space: TuningSpace, tuned: RtmSpec, told: Estimate) -> StandingHeight | None:
    if "cg_height" not in space.names:
        return None
    ends = told.ends[space.names.index("cg_height")]
    try:  # at the ends any inertia will do that lets the model come to rest
        models = [space.nominal.with_parameters(**space.parameters(z)) for z in ends]
        return StandingHeight.of(space.nominal, tuned, models)
    except (ConvergenceError, InputError):
        return None


def _searched(work: Work, problem: FitProblem, elsewhere: NDArray[np.float64]) -> Outcome:
    """Search from the nominal values, then from another start: a minimum that both end at is no accident."""
    settings = work[StudySettings]

    def search(start: NDArray[np.float64] | None) -> Outcome:
        return minimise(
            problem,
            settings.objective,
            method=_METHODS.get(settings.optimiser, settings.optimiser),
            start=start,
            stop=_STOP,
            budget=settings.budget,
            seed=settings.seed,
            progress=work.tell_search,
        )

    if not problem.names:
        return _nothing_moved(problem, settings.objective)
    first = search(None)
    if first.interrupted or settings.optimiser != GaussNewton.name:  # the others look around by themselves
        return first
    second = search(elsewhere)
    better, other = sorted((first, second), key=lambda end: end.value + PRIOR * float(end.z @ end.z))
    return replace(
        better,
        history=first.history + second.history,
        evaluations=first.evaluations + second.evaluations,
        linearisations=first.linearisations + second.linearisations,
        seconds=first.seconds + second.seconds,
        other=Point(other.z, other.value, other.blocks),
    )


def _nothing_moved(problem: FitProblem, objective: Objective) -> Outcome:
    z = np.zeros(0)
    blocks = problem.evaluate(z)
    return Outcome(z, objective.value(blocks), blocks, (), 1, 0, 0.0, Reason.SUPPORTED, GaussNewton.name)


def _parameters(
    space: TuningSpace, moved: TuningSpace, z: NDArray[np.float64], told: Estimate, found: Identifiability
) -> tuple[TunedParameter, ...]:
    return tuple(
        TunedParameter(
            tunable=item,
            z=float(z[k]),
            interval=(float(told.lower[k]), float(told.upper[k])),
            on_bound=bool(abs(z[k]) >= 1.0 - ON_BOUND),
            moved=item.name in moved.names,
            identifiable=item.name in found.subset,
            verdict=found[item.name].text,
        )
        for k, item in enumerate(space.tunables)
    )


OPTIMISE = Stage(
    name="optimise",
    title="tuning",
    needs=(Subject, Measured, Converted, Driven, SensitivityResult, StudySettings),
    makes=Tuned,
    run=_tune,
    sections=(parameter_section, search_section),
    phase=Phase.OPTIMISATION,
)

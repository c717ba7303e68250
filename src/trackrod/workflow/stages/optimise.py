"""Stage ``optimise``: tuning, and how sure its values are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import Problem
from trackrod.fit.estimate import ON_BOUND, Estimate, estimate
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.identifiability import Identifiability
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
_METHODS = {GaussNewton.name: GaussNewton(prior_pct=0.02, starts=2)}
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
    settings, space, tests = work[StudySettings], work[Converted].space, work[Driven].tuned_with
    identified = work[SensitivityResult].identifiability
    # What the manoeuvres cannot tell is held: moved, it would only take the part of another parameter.
    moved = space.only(identified.subset or space.names)
    journal = work[Subject].folder.journal
    work.tell(settings.optimiser, 0.0)
    outcome = minimise(
        journal(TuningProblem(moved, tests)),
        settings.objective,
        method=_METHODS.get(settings.optimiser, settings.optimiser),
        stop=_STOP,
        budget=settings.budget,
        seed=settings.seed,
        progress=work.tell_search,
    )
    work.tell("what the curves say about the values", 1.0)
    z = np.zeros(len(space.names))
    z[[space.names.index(name) for name in moved.names]] = outcome.z
    told = estimate(journal(TuningProblem(space, tests)), z, settings.objective)
    parameters = _parameters(space, z, told, identified)
    model = space.spec(z)
    return Tuned(outcome, model, parameters, stability_problems(model, "the tuned model"))


def _parameters(
    space: TuningSpace, z: NDArray[np.float64], told: Estimate, found: Identifiability
) -> tuple[TunedParameter, ...]:
    return tuple(
        TunedParameter(
            tunable=item,
            z=float(z[k]),
            interval=(float(told.lower[k]), float(told.upper[k])),
            on_bound=bool(abs(z[k]) >= 1.0 - ON_BOUND),
            identifiable=item.name in found.subset,
            verdict=found[item.name].text,
        )
        for k, item in enumerate(space.tunables)
    )


OPTIMISE = Stage(
    name="optimise",
    title="tuning",
    needs=(Subject, Converted, Driven, SensitivityResult, StudySettings),
    makes=Tuned,
    run=_tune,
    sections=(parameter_section, search_section),
)

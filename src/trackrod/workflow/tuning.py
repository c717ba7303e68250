"""A real-time model tuned against runs that were compared: the search alone, without what a study adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trackrod.core.errors import InputError
from trackrod.fit.methods import minimise
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Budget, Outcome, SearchProgress
from trackrod.rtm.spec import HasModel, RtmSpec
from trackrod.simulate.script import scripted
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import tuning_space
from trackrod.tune.test import Test
from trackrod.workflow.comparison import Comparison
from trackrod.workflow.multibody_runs import STEP

__all__ = ["Tuning", "tune_model"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuning:
    """A tuned real-time model.

    Attributes
    ----------
    spec
        The model.
    parameters
        Values of what was tuned, before and after [SI].
    before, after
        Objective [%].
    outcome
        Of the search.
    """

    spec: RtmSpec
    parameters: Mapping[str, tuple[float, float]]
    before: float
    after: float
    outcome: Outcome

    def __repr__(self) -> str:
        said = f"objective {self.before:.3f} % to {self.after:.3f} % with {self.outcome.method}"
        return f"Tuning({self.spec.name!r}, {len(self.parameters)} parameters, {said})"


def tune_model(
    model: HasModel,
    comparisons: Sequence[Comparison],
    *,
    parameters: Iterable[str] | None = None,
    optimiser: str = "gauss-newton",
    objective: Objective | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    progress: Callable[[SearchProgress], None] | None = None,
) -> Tuning:
    """Search values of parameters within ±20 % that bring a model nearer to the reference of some comparisons.

    Parameters
    ----------
    model
        Where the search begins.
    comparisons
        What the reference has driven; the model need not be the one that was compared.
    parameters
        Names of what is tuned; the paper's set if not given.
    optimiser
        Name of the method.
    objective, budget, seed, progress
        As of `trackrod.fit.methods.minimise`.

    Raises
    ------
    InputError
        A name is unknown; a manoeuvre closes a loop that cannot be written down; there is nothing to compare.

    Limits: unlike a study, it judges neither whether the runs can tell the values nor how sure they are.
    """
    if not comparisons:
        raise InputError("there is no comparison to tune with")
    tests = []
    for number, found in enumerate(comparisons, 1):
        name, run = found.manoeuvre.name, found.reference
        tests.append(Test(f"{number}: {name}", found.manoeuvre.title, name, run, scripted(found.manoeuvre, run)))
    space = tuning_space(model.spec, names=parameters)
    problem = TuningProblem(space, tests, step=STEP)
    aim = objective or Objective()
    start = np.zeros(len(space.names))
    outcome = minimise(problem, aim, method=optimiser, budget=budget, seed=seed, progress=progress)
    tuned = space.spec(outcome.z)
    ends = zip(space.tunables, outcome.z, strict=True)
    values = {item.name: (item.nominal, item.value(float(z))) for item, z in ends}
    return Tuning(tuned, values, aim.value(problem.evaluate(start)), outcome.value, outcome)

"""Every method by its name, and the one function that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.registry import Registry
from trackrod.fit.blocks import Array
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.global_search import GlobalSearch
from trackrod.fit.homotopy import Homotopy
from trackrod.fit.journal import JournalledProblem
from trackrod.fit.nomad import Nomad
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Budget, Outcome, Reason, SearchProgress, StopRules
from trackrod.fit.pattern_search import PatternSearch
from trackrod.fit.problem import FitProblem
from trackrod.fit.search import BudgetSpentError, Method, Search

__all__ = ["METHODS", "find_method", "minimise", "register_optimiser", "require_installed"]

_ALL: tuple[Method, ...] = (GaussNewton(), PatternSearch(), Nomad(), Homotopy(), GlobalSearch())


def _faults(found: Any) -> Iterator[str]:
    if not (callable(found) and isinstance(getattr(found, "name", None), str)):
        yield f"{found!r} is no method: it needs a name, and is called with a search"


#: The methods with their default settings, the preferred one first.
METHODS: Registry[Method] = Registry(
    "method of optimisation", "trackrod.optimisers", {method.name: method for method in _ALL}, _faults
)


def register_optimiser(method: Method) -> Method:
    """Add a way to search under its name, with the settings that it has; InputError if it is none."""
    METHODS.add(str(getattr(method, "name", method)), method)
    return method


def find_method(name: str) -> Method:
    """The method of that name with its default settings.

    Raises
    ------
    UnknownNameError
        There is none, with close matches.
    """
    return METHODS.find(name)


def require_installed(name: str) -> None:
    """MissingExtraError where a method needs a package that is not installed; errors as `find_method`."""
    require = getattr(find_method(name), "require", None)
    if require is not None:
        require()


def minimise(
    problem: FitProblem,
    objective: Objective | None = None,
    *,
    method: str | Method = GaussNewton.name,
    start: Sequence[float] | Array | None = None,
    budget: Budget | None = None,
    stop: StopRules | None = None,
    seed: int = 0,
    progress: Callable[[SearchProgress], None] | None = None,
    journal: Path | str | None = None,
) -> Outcome:
    """Search the point with the smallest objective.

    Parameters
    ----------
    problem
        The indices as functions of z.
    objective
        What to make small.
    method
        One of `METHODS` by name, or one with settings of its own.
    start
        Where to begin, in [−1, 1]; the nominal values, z = 0, if not given.
    budget, stop
        What it may cost and when it has done enough.
    seed
        For the methods that draw random numbers, zero or more.
    progress
        Called after each iteration.
    journal
        Folder in which every evaluation is kept. A search that was killed and is started again with the same folder
        takes from it what was done and goes on; the result is that of a search that was not killed.

    Returns
    -------
    Outcome
        Also after Ctrl-C, with the best point so far.

    Raises
    ------
    InputError
        If the start, the seed, the weights or the method do not fit.
    ConvergenceError
        If the model breaks down at the start.
    KeyboardInterrupt
        If Ctrl-C comes before the first point is done.
    """
    chosen = find_method(method) if isinstance(method, str) else method
    z = np.zeros(len(problem.names)) if start is None else np.array(start, dtype=float)
    raise_if_errors(_problems(problem, z, seed))
    search = Search(
        problem if journal is None else JournalledProblem(problem, Path(journal)),
        Objective() if objective is None else objective,
        z + 0.0,  # −0 becomes 0
        budget=Budget() if budget is None else budget,
        rules=StopRules() if stop is None else stop,
        seed=seed,
        progress=progress,
    )
    try:
        reason = chosen(search)
    except BudgetSpentError as spent:
        reason = spent.reason
    except KeyboardInterrupt:
        if search.best is None:
            raise
        reason = Reason.INTERRUPTED
    best = search.require(search.best)
    return Outcome(
        z=best.z,
        value=best.value,
        blocks=best.blocks,
        history=search.history,
        evaluations=search.evaluations,
        linearisations=search.linearisations,
        seconds=search.seconds,
        reason=reason,
        method=chosen.name,
    )


def _problems(problem: FitProblem, z: Array, seed: int) -> Iterator[Problem]:
    names = problem.names
    if not names:
        yield Problem("there is no variable to tune", hint="choose at least one parameter")
    if z.shape != (len(names),):
        yield Problem(f"the start has the shape {z.shape}", hint=f"{len(names)} numbers are needed")
    else:
        for name, value in zip(names, z, strict=True):
            if not -1 <= value <= 1:
                yield Problem(f"the start of '{name}' is z = {value:g}", hint="between −1 and 1 is needed")
    if seed < 0:
        yield Problem(f"the seed is {seed}", hint="zero or more is needed")

"""The loop of paper 001, figure 2: fill in what was estimated, drive, judge and tune until every criterion is met.

What was estimated may move within its uncertainty; what was not, within ±20 %. Each round is kept with its parameters
and the ratio of every criterion, so that a report can show the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.series import Run
from trackrod.estimate.campaign import estimate_all
from trackrod.estimate.known import Known
from trackrod.fit.blocks import Array
from trackrod.fit.estimate import estimate
from trackrod.fit.methods import minimise
from trackrod.fit.outcome import Budget, SearchProgress, StopRules
from trackrod.fit.problem import Blocks, FitProblem
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.measured.sensors import SensorSet
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.script import scripted
from trackrod.tune.driven_problem import DrivenProblem
from trackrod.tune.model_space import ModelSpace, multibody_space, single_track_space
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace, tuning_space
from trackrod.tune.test import Test
from trackrod.validate.criteria import Criteria
from trackrod.validate.loop import Given, Loop, Round, fill_in, filled_space, given_by
from trackrod.validate.tuning import Rows
from trackrod.validate.verdict import Comparison, judge
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.recorded_runs import Reader
from trackrod.workflow.validation import Model, drive_again, manoeuvre_of, read_model, replay_of

__all__ = ["close_loop", "tune_model"]

#: The degree of validity moves by less than this in a round: no further gain [%]; rounds within which it must move.
_GAIN_PCT, _PATIENCE = 0.2, 3


def tune_model(
    model: Path,
    tests: Path,
    criteria: Criteria,
    known: Known | None = None,
    sensors: SensorSet | None = None,
    *,
    names: Iterable[str] | None = None,
    reader: Reader | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> Loop:
    """`close_loop` with the files of a model and of tests, as `trackrod.workflow.validation.validate_model` takes them.

    Parameters
    ----------
    model, tests, criteria, names, progress
        As there, and as of `close_loop`.
    known
        What is known of the vehicle, with which its tests tell further parameters; None estimates none.
    sensors
        What measured the tests.
    reader
        Of the recordings, as of `validate_model`.

    Raises
    ------
    MissingFileError, InputError, ConvergenceError
        As `close_loop`; or the model is none that can be tuned.
    """
    recorded = (reader or Reader()).tests(tests)
    spec, _ = read_model(model, recorded)
    if spec is None:
        raise InputError(f"{model} holds runs, no model that could be tuned")
    given = {}
    if known is not None:
        runs = [run for repeats in recorded.values() for run in repeats]
        given = given_by(estimate_all(runs, known, sensors).values, spec)
    return close_loop(spec, recorded, criteria, given, names=names, progress=progress)


def close_loop(
    spec: Model,
    tests: Mapping[str, tuple[Run, ...]],
    criteria: Criteria,
    given: Mapping[str, Given] | None = None,
    *,
    names: Iterable[str] | None = None,
    budget: Budget | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> Loop:
    """Fill in what was estimated, drive, judge and tune until every criterion is met or nothing is gained any more.

    Parameters
    ----------
    spec
        The model as it is: real-time, single-track, or a vehicle as multibody model. The derivatives of the first are
        exact, the others are driven twice for every number that may move.
    tests
        Recorded runs by name, with their repeats.
    criteria
        What is asked of the model.
    given
        What was estimated, as of `fill_in`.
    names
        What else may move, within ±20 %; the standard set if not given.
    budget
        What tuning may cost.
    progress
        Called after each round.

    Raises
    ------
    InputError
        A test lacks what a criterion or a drive needs; a name is unknown.
    ConvergenceError
        The model as filled in cannot drive a test.
    """
    tests = {name: tuple(_from_zero(run) for run in repeats) for name, repeats in tests.items()}
    rows = Rows(criteria, tests)
    recorded = [_test(name, repeats[0]) for name, repeats in tests.items()]
    filled, space, problem, as_given = _prepared(spec, recorded, rows, given or {}, names)
    judge(criteria, _driven(filled, tests))  # what is missing is said before long work begins
    stop = StopRules(improvement_pct=_GAIN_PCT, patience=_PATIENCE)
    first = as_given()
    objective = rows.objective(first)
    followed = _Followed(problem)
    # The likelihood trusts rows that the model can follow and doubts the others, so that its search is not caught where
    # a parameter makes up for another one; from there the degree of validity itself is made small.
    start = estimate(followed, np.zeros(len(space.names)), objective).z
    found = minimise(followed, objective, start=start, stop=stop, budget=budget, progress=progress)
    rounds = [_round("as given", _numbers(spec, space), first, space, rows)]
    for z, blocks in (*followed.way, (found.z, found.blocks)):
        title = f"tuned, round {len(rounds) - 1}" if len(rounds) > 1 else "filled in"
        one = _round(title, space.parameters(z), blocks, space, rows)
        if one.parameters != rounds[-1].parameters:
            rounds.append(one)
    model: Model = space.spec(found.z) if isinstance(space, TuningSpace) else space.model(found.z)
    comparisons = tuple(_driven(model, tests, refine=True))
    return Loop(space, tuple(rounds), model, comparisons, judge(criteria, comparisons), str(found.reason))


class _Prepared(NamedTuple):
    """A model with what was estimated, what may move in it, its rows over that, and those of the model as given."""

    filled: Model
    space: TuningSpace | ModelSpace[Any]
    problem: FitProblem
    as_given: Callable[[], Blocks]


def _prepared(
    spec: Model, tests: Sequence[Test], rows: Rows, given: Mapping[str, Given], names: Iterable[str] | None
) -> _Prepared:
    if isinstance(spec, RtmSpec):
        filled, bounds = fill_in(spec, given)
        free = tuple(names) if names is not None else tuple(tuning_space(filled).names)
        space = tuning_space(filled, names=dict.fromkeys((*bounds, *free)), bounds=bounds)
        scripts = [_scripted(test) for test in tests]
        bare = TuningProblem(TuningSpace(spec, ()), scripts, step=STEP, reading=rows)
        problem = TuningProblem(space, scripts, step=STEP, reading=rows)
        return _Prepared(filled, space, problem, lambda: bare.evaluate(np.zeros(0)))
    space_of: Any = multibody_space if isinstance(spec, Vehicle) else single_track_space
    whole = space_of(spec, tuple(given) or None)
    other, ends = filled_space(whole, {name: known for name, known in given.items() if name in whole.names})
    movable = space_of(other, names if names is None else (*ends, *names), ends)

    def drive(model: Model, test: Test) -> Run:
        return drive_again(model, test.label, test.name, test.reference)

    as_it_was = DrivenProblem(ModelSpace(spec, (), whole.change), tests, drive, rows)
    return _Prepared(
        other, movable, DrivenProblem(movable, tests, drive, rows), lambda: as_it_was.evaluate(np.zeros(0))
    )


def _numbers(spec: Model, space: TuningSpace | ModelSpace[Any]) -> Mapping[str, float]:
    """Those that may move, of the model as it was given."""
    if isinstance(spec, RtmSpec):
        return spec.parameters
    whole: ModelSpace[Any] = (
        multibody_space(spec, space.names) if isinstance(spec, Vehicle) else single_track_space(spec, space.names)
    )
    return {item.name: item.nominal for item in whole.tunables}


class _Followed:
    """A problem that keeps the points that were linearised: the rounds of the search."""

    def __init__(self, problem: FitProblem) -> None:
        self._problem = problem
        self.way: list[tuple[Array, Blocks]] = []

    @property
    def names(self) -> tuple[str, ...]:
        """As of the problem, like all that follows."""
        return self._problem.names

    @property
    def key(self) -> str:
        return self._problem.key

    def evaluate(self, z: Array) -> Blocks:
        return self._problem.evaluate(z)

    def evaluate_many(self, zs: Sequence[Array]) -> Sequence[Blocks | None]:
        return self._problem.evaluate_many(zs)

    def guided(self, strength: float) -> FitProblem:
        return self._problem.guided(strength)

    def linearise(self, z: Array) -> Blocks:
        found = self._problem.linearise(z)
        self.way.append((z.copy(), found))
        return found


def _from_zero(run: Run) -> Run:
    """By a clock that begins with the run, as scripts do."""
    return Run({**run, "time_s": run.time - run.time[0]}, run.metadata)


def _test(name: str, run: Run) -> Test:
    manoeuvre = manoeuvre_of(name, run)
    return Test(name, name, manoeuvre, run, replay_of(name, manoeuvre, run))


def _scripted(test: Test) -> Test:
    assert isinstance(test.driver, Manoeuvre)
    return replace(test, driver=scripted(test.driver, test.reference, step=STEP))


def _driven(spec: Model, tests: Mapping[str, tuple[Run, ...]], *, refine: bool = False) -> list[Comparison]:
    made = []
    for name, repeats in tests.items():
        manoeuvre = manoeuvre_of(name, repeats[0])
        try:
            steps = (STEP, STEP / 2.0) if refine else (STEP,)
            runs = [drive_again(spec, name, manoeuvre, repeats[0], step) for step in steps]
        except ConvergenceError as error:
            raise ConvergenceError(f"'{name}' cannot be driven again: {error}") from error
        made.append(Comparison(name, manoeuvre, repeats, runs[0], runs[1] if refine else None))
    return made


def _round(
    title: str, parameters: Mapping[str, float], blocks: Blocks, space: TuningSpace | ModelSpace[Any], rows: Rows
) -> Round:
    ratios = {block.name: block.value_pct / 100.0 for block in blocks}
    return Round(title, {name: parameters[name] for name in space.names}, ratios, rows.degree(blocks))

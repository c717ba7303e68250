"""The account of a search: what was evaluated, what was best, what is left of the budget.

A method asks the search for points and tells it where each iteration ends; counting, budgets, stop rules and progress
are the same for all and stand here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

import numpy as np

from trackrod.core.errors import ConvergenceError
from trackrod.fit.blocks import Array
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Budget, Point, Reason, SearchProgress, StopRules
from trackrod.fit.problem import Blocks, FitProblem

__all__ = ["BudgetSpentError", "Method", "Search"]


class BudgetSpentError(Exception):
    """The search must end, wherever its method stands; nothing is lost."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(str(reason))


@dataclass(slots=True)
class _Ledger:
    """What the parts of one search share."""

    budget: Budget
    progress: Callable[[SearchProgress], None] | None
    began: float = field(init=False)
    evaluations: int = 0
    linearisations: int = 0
    history: list[SearchProgress] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began = perf_counter()

    @property
    def seconds(self) -> float:
        return perf_counter() - self.began

    @property
    def points(self) -> int:
        return self.evaluations + self.linearisations

    def affordable(self, wanted: int) -> int:
        """How many of the wanted points may still be computed; raises when it is none."""
        if self.points and self.seconds >= self.budget.seconds:  # one point is needed for a result
            raise BudgetSpentError(Reason.SECONDS)
        left = self.budget.evaluations - self.points
        if left <= 0:
            raise BudgetSpentError(Reason.EVALUATIONS)
        return min(wanted, left)


class Search:
    """One search on one problem, as a method sees it.

    Attributes
    ----------
    start
        Where to begin, in [−1, 1].
    seed
        For methods that draw random numbers.
    rules
        When to stop.
    best
        The best point so far.
    """

    def __init__(
        self,
        problem: FitProblem,
        objective: Objective,
        start: Array,
        *,
        budget: Budget,
        rules: StopRules,
        seed: int = 0,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        self.problem = problem
        self.objective = objective
        self.start = start
        self.rules = rules
        self.seed = seed
        self.best: Point | None = None
        self._ledger = _Ledger(budget, progress)
        self._stage = ""
        self._parent: Search | None = None
        self._breakdown: ConvergenceError | None = None
        self._values: list[float] = []
        self._steps: list[tuple[float, float]] = []

    @property
    def dimension(self) -> int:
        """Number of variables."""
        return self.start.size

    @property
    def evaluations(self) -> int:
        """Points evaluated without derivatives so far, in all parts of the search."""
        return self._ledger.evaluations

    @property
    def linearisations(self) -> int:
        """Points evaluated with derivatives so far, in all parts of the search."""
        return self._ledger.linearisations

    @property
    def history(self) -> tuple[SearchProgress, ...]:
        """All iterations so far, of all parts of the search."""
        return tuple(self._ledger.history)

    @property
    def seconds(self) -> float:
        """Time since the beginning [s]."""
        return self._ledger.seconds

    def part(self, start: Array, stage: str) -> Search:
        """The same problem from another start: what is found counts for the whole."""
        child = self._offspring(self.problem, start, stage)
        child._parent = self
        return child

    def guided(self, strength: float, start: Array, stage: str) -> Search:
        """The guided problem: it costs from the same budget, but what is found does not count for the whole."""
        return self._offspring(self.problem.guided(strength), start, stage)

    def _offspring(self, problem: FitProblem, start: Array, stage: str) -> Search:
        child = Search(
            problem, self.objective, start, budget=self._ledger.budget, rules=self.rules, seed=self.seed, progress=None
        )
        child._ledger = self._ledger
        child._stage = stage
        return child

    # --- points ---

    def evaluate(self, z: Array) -> Point | None:
        """A point; None where the model breaks down.

        Raises
        ------
        BudgetSpentError
            Nothing may be computed any more.
        """
        self._ledger.affordable(1)
        self._ledger.evaluations += 1
        try:
            return self._point(z, self.problem.evaluate(z))
        except ConvergenceError as error:
            self._breakdown = error
            return None

    def evaluate_many(self, zs: Sequence[Array]) -> list[Point | None]:
        """Many points at once; as many as the budget allows count before it is spent."""
        if not zs:
            return []
        chosen = zs[: self._ledger.affordable(len(zs))]
        self._ledger.evaluations += len(chosen)
        many = self.problem.evaluate_many(chosen)
        points = [None if blocks is None else self._point(z, blocks) for z, blocks in zip(chosen, many, strict=True)]
        if len(chosen) < len(zs):
            raise BudgetSpentError(Reason.EVALUATIONS)
        return points

    def linearise(self, z: Array) -> Point | None:
        """A point whose blocks have Jacobians; errors as `evaluate`."""
        self._ledger.affordable(1)
        self._ledger.linearisations += 1
        try:
            return self._point(z, self.problem.linearise(z))
        except ConvergenceError as error:
            self._breakdown = error
            return None

    def require(self, point: Point | None) -> Point:
        """The first point, without which a method cannot begin.

        Raises
        ------
        ConvergenceError
            The model breaks down there.
        """
        if point is None:
            raise ConvergenceError(f"the model breaks down where the search begins: {self._breakdown}")
        return point

    def _point(self, z: Array, blocks: Blocks) -> Point:
        if self.best is None:
            self.objective.check(blocks)
        point = Point(z.copy(), self.objective.value(blocks), blocks)
        self._note(point)
        return point

    def _note(self, point: Point) -> None:
        if self.best is None or point.value < self.best.value:
            self.best = point
        if self._parent is not None:
            self._parent._note(point)

    # --- iterations ---

    def end_iteration(self, step: float) -> Reason | None:
        """Tell where the search stands, and say whether a rule ends it.

        Parameters
        ----------
        step
            Size of the step or mesh that comes next [-].
        """
        value = math.inf if self.best is None else self.best.value
        self._values.append(value)
        self._steps.append((self.seconds, step))
        ledger = self._ledger
        entry = SearchProgress(
            iteration=len(ledger.history) + 1,
            evaluations=ledger.evaluations,
            linearisations=ledger.linearisations,
            value=value,
            step=step,
            seconds=ledger.seconds,
            seconds_left=self._seconds_left(),
            stage=self._stage,
            best={} if self.best is None else dict(zip(self.problem.names, map(float, self.best.z), strict=True)),
        )
        ledger.history.append(entry)
        if ledger.progress is not None:
            ledger.progress(entry)
        if value <= self.rules.target_pct:
            return Reason.TARGET
        if step < self.rules.step:
            return Reason.STEP
        patience = self.rules.patience
        if len(self._values) > patience and self._values[-1 - patience] - value < self.rules.improvement_pct:
            return Reason.NO_IMPROVEMENT
        return None

    def _seconds_left(self) -> float | None:
        """From the rate at which the step shrinks, at most what the budget allows."""
        now, step = self._steps[-1]
        ledger = self._ledger
        points_left = ledger.budget.evaluations - ledger.points
        guesses = [ledger.budget.seconds - now, points_left * now / max(ledger.points, 1)]
        began, largest = max(self._steps, key=lambda entry: entry[1])
        if 0 < step < largest and now > began:
            guesses.append(np.log(max(step / self.rules.step, 1.0)) * (now - began) / np.log(largest / step))
        return max(float(min(guesses)), 0.0)


class Method(Protocol):
    """A way to search."""

    @property
    def name(self) -> str:
        """Its name in a study."""

    def __call__(self, search: Search) -> Reason:
        """Search from ``search.start`` until a rule ends it.

        Raises
        ------
        BudgetSpentError
            Passed on from the search.
        """

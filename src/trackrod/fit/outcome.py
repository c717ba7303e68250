"""What every optimiser is given besides the problem, tells on the way and returns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.fit.blocks import Array
from trackrod.fit.problem import Blocks

__all__ = ["Budget", "Outcome", "Point", "Reason", "SearchProgress", "StopRules"]


#: Ends of a search are one minimum if their objectives differ by less [%] and their variables by less [-].
AS_LOW_PCT, SAME_PLACE = 0.05, 0.1


class Reason(StrEnum):
    """Why a search ended."""

    TARGET = "the objective reached its target"
    STATIONARY = "no step promises an improvement"
    STEP = "the step became small"
    NO_IMPROVEMENT = "the objective no longer improved"
    SUPPORTED = "nothing speaks against the nominal values"
    NOT_ASKED = "nothing was to be tuned"
    STARTS = "every start was followed to its end"
    EVALUATIONS = "the evaluations were used up"
    SECONDS = "the time was used up"
    INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a search may cost.

    Attributes
    ----------
    evaluations
        Points at most; a linearisation counts as one.
    seconds
        Time at most [s], looked at between evaluations. A search that ends by it need not give the same result again.
    """

    evaluations: int = 10_000
    seconds: float = math.inf

    def __post_init__(self) -> None:
        raise_if_errors(self._problems())

    def _problems(self) -> Iterator[Problem]:
        if self.evaluations < 1:
            yield Problem(f"the budget is {self.evaluations} evaluations", hint="at least 1 is needed")
        if not self.seconds > 0:
            yield Problem(f"the budget is {self.seconds:g} s", hint="a positive time is needed")


@dataclass(frozen=True, slots=True)
class StopRules:
    """When a search has done enough; the same for every method.

    Attributes
    ----------
    target_pct
        Objective that is good enough [%].
    step
        Smallest step, or size of the mesh, in z [-]: 0.001 of a range of ±20 % is 0.02 % of the nominal value.
    improvement_pct
        Smallest improvement of the objective that matters [%].
    patience
        Iterations within which the objective must improve by that much.
    """

    target_pct: float = 0.0
    step: float = 1e-3
    improvement_pct: float = 1e-4
    patience: int = 20

    def __post_init__(self) -> None:
        raise_if_errors(self._problems())

    def _problems(self) -> Iterator[Problem]:
        if not (math.isfinite(self.target_pct) and self.target_pct >= 0):
            yield Problem(f"the target is {self.target_pct:g} %", hint="a finite number, zero or more, is needed")
        if not 0 < self.step < 1:
            yield Problem(f"the smallest step is {self.step:g}", hint="a number between 0 and 1 is needed")
        if not (math.isfinite(self.improvement_pct) and self.improvement_pct > 0):
            yield Problem(f"the smallest improvement is {self.improvement_pct:g} %", hint="a positive number is needed")
        if self.patience < 1:
            yield Problem(f"the patience is {self.patience} iterations", hint="at least 1 is needed")


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A point where the model worked: variables, objective [%], indices."""

    z: Array
    value: float
    blocks: Blocks


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Where a search stands after an iteration.

    Attributes
    ----------
    iteration, evaluations, linearisations
        Counts so far.
    value
        Best objective so far [%]; in a guided stage of the homotopy that of the guided problem.
    step
        Size of the step, the trust region or the mesh in z [-].
    seconds
        Time since the beginning [s].
    seconds_left
        Time that is still to come [s], a rough guess; None where nothing is known.
    stage
        Which part of a method with several parts, "" if there is only one.
    best
        Variables of the best point so far by name, each in [−1, 1].
    """

    iteration: int
    evaluations: int
    linearisations: int
    value: float
    step: float
    seconds: float
    seconds_left: float | None
    stage: str = ""
    best: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The best point that a search met, and how it was found.

    Attributes
    ----------
    z
        The variables, each in [−1, 1].
    value
        The objective [%].
    blocks
        The indices there, without derivatives unless the method had them.
    history
        One entry an iteration.
    evaluations, linearisations
        What it cost.
    seconds
        Time [s].
    reason
        Why it ended.
    method
        Name of the method.
    other
        Where the same search ended from another start; None if there was none.

    Holds: ``value`` is not above the objective at the start. The same problem, start, budget of evaluations, rules and
    seed give the same z, value, blocks and counts.
    """

    z: Array
    value: float
    blocks: Blocks
    history: tuple[SearchProgress, ...]
    evaluations: int
    linearisations: int
    seconds: float
    reason: Reason
    method: str
    other: Point | None = None

    @property
    def confirmed(self) -> bool:
        """Whether another start ended as low and nearly at the same place."""
        return self.other is not None and self._as_low and self._apart <= SAME_PLACE

    @property
    def confirmation(self) -> str:
        """In a sentence where another start ended; empty if there was none."""
        if self.other is None:
            return ""
        if not self._as_low:
            return f"Another start ended higher, at {self.other.value:.2f} %."
        where = "at the same place" if self.confirmed else "as low elsewhere"
        return f"Another start ended {where}: {self._apart:.2f} of a half range away at most."

    @property
    def _as_low(self) -> bool:
        return self.other is not None and self.other.value <= self.value + AS_LOW_PCT

    @property
    def _apart(self) -> float:
        return math.inf if self.other is None else float(np.abs(self.other.z - self.z).max())

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.reason is Reason.INTERRUPTED

"""Ranges for tuning, proposed from local sensitivities before the loop begins.

One parameter at a time goes up and down from where the blocks were evaluated, until a rule stops it or its bound is
reached. Along such a line each index is the length of r + J_k z, with the derivatives known: no further run is needed.
These lengths are convex in z, and so are sums of them with penalties, so what a rule allows is one interval, which
holds the starting point and all points of the line that are better.

Limits: linear residuals, one parameter at a time. Two parameters that undo each other may together go further than each
alone; where they are told apart by `identifiability` this does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.optimize import brentq

from trackrod.core.errors import RangeError
from trackrod.fit.blocks import Array, Block, jacobians
from trackrod.fit.samples import OBJECTIVE, ObjectiveFunction
from trackrod.metrics.indices import TOLERANCE

__all__ = ["BOUND", "Range", "ranges_by_objective", "ranges_by_tolerance"]

#: What stands in a `Range` where nothing but the bound stops the parameter.
BOUND = "bound"


@dataclass(frozen=True, slots=True)
class Range:
    """How far a parameter may go.

    Attributes
    ----------
    parameter
        Its name.
    lower, upper
        Ends of its range [unit of z], lower ≤ 0 ≤ upper.
    lower_limit, upper_limit
        What stops it there: `BOUND`, the objective, or the label of an index.
    """

    parameter: str
    lower: float
    upper: float
    lower_limit: str
    upper_limit: str

    @property
    def text(self) -> str:
        """The range and its reasons in a sentence."""
        return (
            f"{self.parameter}: {self.lower:+.2f} ({self.lower_limit}) to {self.upper:+.2f} ({self.upper_limit}) "
            "of its full range"
        )

    def to_plain(self) -> Mapping[str, Any]:
        """The range as plain data."""
        return {
            "parameter": self.parameter,
            "lower": self.lower,
            "upper": self.upper,
            "lower_limit": self.lower_limit,
            "upper_limit": self.upper_limit,
        }


def ranges_by_objective(
    parameters: Sequence[str],
    blocks: Sequence[Block],
    objective: ObjectiveFunction,
    *,
    worsening: float = TOLERANCE,
    bound: float = 1.0,
) -> tuple[Range, ...]:
    """How far each parameter may go until the objective has grown by a given amount.

    Parameters
    ----------
    parameters
        Names of the scaled parameters z.
    blocks
        The indices, with Jacobians.
    objective
        The number that tuning makes small, of the indices of one evaluation; convex in the indices and growing with
        them, as weighted means with penalties are.
    worsening
        By how much it may grow above its value here [unit of the objective], > 0.
    bound
        Largest magnitude of z; 1 means ±20 % of nominal by default.

    Holds: on every range the linearised objective is at most its value here plus `worsening`.
    """
    _check_positive(worsening=worsening, bound=bound)
    columns = jacobians(parameters, blocks)
    limit = objective(tuple(blocks)) + worsening

    def reach(k: int, sign: float) -> tuple[float, str]:
        def excess(step: float) -> float:
            moved = zip(blocks, columns, strict=True)
            return objective(tuple(_moved(block, j[:, k] * sign * step) for block, j in moved)) - limit

        if excess(bound) <= 0.0:
            return bound, BOUND
        return float(brentq(excess, 0.0, bound, xtol=1e-9)), OBJECTIVE

    return tuple(_range(name, reach(k, -1.0), reach(k, 1.0)) for k, name in enumerate(parameters))


def ranges_by_tolerance(
    parameters: Sequence[str], blocks: Sequence[Block], *, tolerance_pct: float = TOLERANCE, bound: float = 1.0
) -> tuple[Range, ...]:
    """How far each parameter may go until an index that is within its tolerance leaves it.

    An index that is beyond its tolerance here does not limit the range: there is something to gain.

    Parameters
    ----------
    parameters
        Names of the scaled parameters z.
    blocks
        The indices, with Jacobians.
    tolerance_pct
        Largest value of an index that counts as a good fit [%], > 0.
    bound
        Largest magnitude of z; 1 means ±20 % of nominal by default.

    Holds: on every range each linearised index that is within the tolerance here is within it.
    """
    _check_positive(tolerance_pct=tolerance_pct, bound=bound)
    columns = jacobians(parameters, blocks)

    def reach(k: int, sign: float) -> tuple[float, str]:
        steps = [(bound, BOUND)]
        for block, jacobian in zip(blocks, columns, strict=True):
            if block.value_pct <= tolerance_pct:
                steps.append((_step_to_length(block.residual, sign * jacobian[:, k], tolerance_pct), block.label))
        return min(steps, key=lambda step: step[0])

    return tuple(_range(name, reach(k, -1.0), reach(k, 1.0)) for k, name in enumerate(parameters))


def _range(name: str, down: tuple[float, str], up: tuple[float, str]) -> Range:
    return Range(name, -down[0], up[0], down[1], up[1])


def _moved(block: Block, change: Array) -> Block:
    return Block(block.manoeuvre, block.name, block.residual + change, None, block.abscissa)


def _step_to_length(start: Array, direction: Array, length: float) -> float:
    """The step s ≥ 0 at which |start + s·direction| reaches a length not below |start|; infinite if it never does."""
    square = float(direction @ direction)
    if square == 0.0:
        return math.inf
    along = float(start @ direction)
    room = max(length**2 - float(start @ start), 0.0)
    root = math.sqrt(along**2 + square * room)
    # The larger root of square·s² + 2·along·s = room, without subtracting what is nearly equal.
    return room / (along + root) if along > 0.0 else (root - along) / square


def _check_positive(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0.0 < number < math.inf:
            raise RangeError(f"{name} is {number}; it must be a number above 0")

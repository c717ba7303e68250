"""What an optimiser sees of a model: indices over scaled parameters.

The variables are z_i = (p_i/p_i0 − 1)/range_i, so that 0 is the nominal value, ±1 are the bounds and all of them are
alike to an optimiser. What lies behind them, a vehicle or a formula, is of no concern here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trackrod.fit.blocks import Array, Block

__all__ = ["Blocks", "FitProblem"]

#: The indices of one evaluation; the same ones in the same order at every point.
Blocks = tuple[Block, ...]


class FitProblem(Protocol):
    """Indices as functions of n variables in [−1, 1].

    Called so because a `Problem` is what is wrong with an input, everywhere in the project (`core/errors.py`).
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables; their number is n."""

    @property
    def key(self) -> str:
        """A text that determines the results.

        Holds: two problems with the same key give the same blocks at the same point, on any machine that counts.
        """

    def evaluate(self, z: Array) -> Blocks:
        """The indices at a point, without derivatives.

        Raises
        ------
        ConvergenceError
            The model breaks down here; to an optimiser the objective is infinite.
        """

    def evaluate_many(self, zs: Sequence[Array]) -> Sequence[Blocks | None]:
        """The indices at many points, computed side by side; None where the model breaks down.

        Holds: the same as `evaluate` at each point, in the order of the points.
        """

    def linearise(self, z: Array) -> Blocks:
        """The indices at a point with the Jacobian of every residual; errors as `evaluate`."""

    def guided(self, strength: float) -> FitProblem:
        """The problem with the model pulled to the reference, for the homotopy.

        Parameters
        ----------
        strength
            1 for a model that follows the reference whatever its parameters, 0 for the problem itself.

        Holds: problems of different strengths have different keys; ``guided(0)`` is the problem itself.
        """

"""One index as a vector: its residual, whose length is the index, and how the residual moves with the parameters.

The parameters are scaled: z is 0 at the nominal value and 1 at the upper end of the range (+20 % of nominal by
default), so that derivatives to parameters of different units can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError, Problem, raise_if_errors

__all__ = ["BOX_VARIANCE", "Array", "Block", "check_parameters", "compress", "jacobians"]

Array: TypeAlias = NDArray[np.float64]

#: Variance of a scaled parameter of which only the bounds are known: uniform in [−1, 1].
BOX_VARIANCE = 1.0 / 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The residual of one index, with its derivative.

    Attributes
    ----------
    manoeuvre, name
        What was driven, what is compared.
    residual
        Model minus reference, scaled so that its Euclidean norm is the index [%]; a scalar index has one entry.
    jacobian
        Derivative of the residual to the scaled parameters z [% per unit of z], one row a sample, one column a
        parameter; None where it was not computed.
    abscissa
        Where the samples of the residual lie (time, frequency, lateral acceleration); None for a scalar index.
    note
        What is special about the Jacobian; empty for nothing.

    Raises
    ------
    InputError
        If shapes do not agree or a number is not finite: a run that failed has no block.
    """

    manoeuvre: str
    name: str
    residual: Array
    jacobian: Array | None = None
    abscissa: Array | None = None
    note: str = ""

    def __post_init__(self) -> None:
        raise_if_errors(Problem(f"block {self.label}: {text}") for text in self._problems())

    def _problems(self) -> list[str]:
        found = []
        if self.residual.ndim != 1 or not self.residual.size:
            found.append(f"the residual has the shape {self.residual.shape}, it must be one row of samples")
        if self.jacobian is not None and (self.jacobian.ndim != 2 or len(self.jacobian) != self.residual.size):
            found.append(f"the Jacobian has the shape {self.jacobian.shape}, it must have {self.residual.size} rows")
        if self.abscissa is not None and self.abscissa.shape != self.residual.shape:
            found.append(f"the abscissa has the shape {self.abscissa.shape}, it must be {self.residual.shape}")
        arrays = {"residual": self.residual, "Jacobian": self.jacobian, "abscissa": self.abscissa}
        found += [
            f"the {what} holds {np.count_nonzero(~np.isfinite(values))} numbers that are not finite"
            for what, values in arrays.items()
            if values is not None and not np.isfinite(values).all()
        ]
        return found

    @property
    def label(self) -> str:
        """Manoeuvre and index in one text, unique within an evaluation."""
        return f"{self.manoeuvre}: {self.name}"

    @property
    def value_pct(self) -> float:
        """The index [%], ≥ 0."""
        return float(np.linalg.norm(self.residual))


def check_parameters(parameters: Sequence[str]) -> None:
    """Raise an `InputError` unless there is a parameter and no name stands twice."""
    if not parameters:
        raise InputError("no parameter is given; at least one is needed")
    twice = sorted({name for name in parameters if parameters.count(name) > 1})
    raise_if_errors(Problem(f"the parameter '{name}' is given more than once") for name in twice)


def jacobians(parameters: Sequence[str], blocks: Sequence[Block]) -> tuple[Array, ...]:
    """The Jacobians of blocks that all have one, with one column for each parameter [% per unit of z].

    Raises
    ------
    InputError
        With every block that has no Jacobian or one of another width, and if there is no block at all.
    """
    check_parameters(parameters)
    if not blocks:
        raise InputError("no index is given; sensitivities need at least one")
    found, problems = [], []
    for block in blocks:
        if block.jacobian is None:
            problems.append(Problem(f"block {block.label} has no Jacobian", hint="evaluate with derivatives"))
        elif block.jacobian.shape[1] != len(parameters):
            columns = block.jacobian.shape[1]
            text = f"block {block.label}: the Jacobian has {columns} columns for {len(parameters)} parameters"
            problems.append(Problem(text))
        else:
            found.append(block.jacobian)
    raise_if_errors(problems)
    return tuple(found)


def compress(block: Block, n: int) -> Array:
    """The (n+1)×(n+1) matrix [A b] with ‖A d + b‖ = ‖J d + r‖ for every step d of n variables.

    Raises
    ------
    InputError
        If the block has no Jacobian or one for another number of variables.
    """
    if block.jacobian is None or block.jacobian.shape[1] != n:
        shape = "no Jacobian" if block.jacobian is None else f"a Jacobian of {block.jacobian.shape[1]} columns"
        raise InputError(f"block {block.label} has {shape}, {n} columns are needed")
    stacked = np.column_stack([block.jacobian, block.residual])
    small = np.linalg.qr(stacked, mode="r") if len(stacked) > n + 1 else stacked
    return np.vstack([small, np.zeros((n + 1 - len(small), n + 1))])

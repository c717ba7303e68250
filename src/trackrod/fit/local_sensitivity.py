"""Local sensitivities: what each parameter does to each index near the point where the blocks were evaluated.

An index e is the length of its residual r, and ∂r/∂z_k is the column J_k of its Jacobian. Two numbers tell how they go
together: the *influence* |J_k|, how far the curve moves, and the *slope* ∂e/∂z_k = r·J_k / |r|, whether it moves
towards the reference. A parameter with influence but without slope bends the curve sideways: it matters, but here it
does not make the index better or worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.fit.blocks import Array, Block, jacobians

__all__ = ["LocalSensitivity"]


@dataclass(frozen=True, slots=True, eq=False)
class LocalSensitivity:
    """Exact first derivatives of every index to every parameter.

    Attributes
    ----------
    parameters
        Names of the scaled parameters z; none where nothing was to be tuned.
    blocks
        The indices with their Jacobians.

    Raises
    ------
    InputError
        If a block has no Jacobian, or not one column for each parameter.

    Limits: first order, at one point; for what happens over the whole range see `screening` and `variance`.
    """

    parameters: tuple[str, ...]
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if self.parameters:
            jacobians(self.parameters, self.blocks)

    @property
    def influence_pct(self) -> Array:
        """|J_k|, one row an index, one column a parameter [% per unit of z], ≥ 0."""
        return np.array([np.linalg.norm(j, axis=0) for j in jacobians(self.parameters, self.blocks)])

    @property
    def slope_pct(self) -> Array:
        """∂e/∂z_k, one row an index, one column a parameter [% per unit of z]; negative: more of it helps.

        Where the residual is zero the index has a kink: it grows by the influence in either direction. The mean of
        both one-sided derivatives is given there, which is 0.

        Holds: |slope| ≤ influence.
        """
        return np.array(
            [
                _direction(b.residual) @ j
                for b, j in zip(self.blocks, jacobians(self.parameters, self.blocks), strict=True)
            ]
        )

    @property
    def total_influence_pct(self) -> Array:
        """Root of the sum of squares of the influence over all indices, for each parameter [% per unit of z]."""
        return np.asarray(np.linalg.norm(self.influence_pct, axis=0))

    def ranked(self) -> tuple[str, ...]:
        """The parameters, the one that moves the indices most first."""
        order = np.argsort(-self.total_influence_pct, kind="stable")
        return tuple(self.parameters[k] for k in order)

    def resolved(self, manoeuvre: str, name: str) -> tuple[Array, Array]:
        """How an index depends on the parameters along its abscissa (over time, frequency or lateral acceleration).

        Parameters
        ----------
        manoeuvre, name
            Which index; it must compare curves.

        Returns
        -------
        tuple
            The abscissa, and for each of its samples (rows) and each parameter (columns) how far the curve moves
            [% of the reference's largest magnitude per unit of z], signed as the residual.

        Holds: the RMS of a column is the influence of its parameter.

        Limits: the samples are taken to count equally, as on an even grid.
        """
        for block, jacobian in zip(self.blocks, jacobians(self.parameters, self.blocks), strict=True):
            if (block.manoeuvre, block.name) == (manoeuvre, name):
                if block.abscissa is None:
                    raise InputError(f"the index '{block.label}' compares two numbers; it has no curve to resolve")
                return block.abscissa, jacobian * np.sqrt(len(jacobian))
        raise UnknownNameError("index", f"{manoeuvre}: {name}", [block.label for block in self.blocks])

    def to_plain(self) -> Mapping[str, Any]:
        """The table as plain data: parameters, and for each index its value, influences and slopes."""
        rows = zip(self.blocks, self.influence_pct.tolist(), self.slope_pct.tolist(), strict=True)
        return {
            "parameters": list(self.parameters),
            "indices": [
                {
                    "manoeuvre": block.manoeuvre,
                    "index": block.name,
                    "value_pct": block.value_pct,
                    "influence_pct": influence,
                    "slope_pct": slope,
                }
                for block, influence, slope in rows
            ],
        }


def _direction(residual: Array) -> Array:
    """The residual over its length; zero if it is zero."""
    largest = np.abs(residual).max()
    if largest == 0.0:
        return residual
    scaled = residual / largest  # squares of tiny numbers would vanish
    return np.asarray(scaled / np.linalg.norm(scaled))

"""Blocks of models whose residual is linear in the parameters, so that every answer is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from trackrod.fit.blocks import Block


def linear_block(
    jacobian: ArrayLike, residual: ArrayLike | None = None, manoeuvre: str = "m", name: str = "i"
) -> Block:
    rows = np.atleast_2d(np.asarray(jacobian, dtype=float))
    r = np.zeros(len(rows)) if residual is None else np.asarray(residual, dtype=float)
    return Block(manoeuvre, name, r, rows, np.arange(len(rows), dtype=float))

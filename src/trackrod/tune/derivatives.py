"""Derivatives that can be trusted: exact ones where they hold, differences where a run is not a smooth function.

The tangent of a run is exact, and for that very reason useless where a small change grows without end: in a spin,
behind the limit of grip, in a clutch that grabs and slips. It is compared with a difference along a random direction,
index by index. Where both disagree, the indices of that run get differences along every parameter; and samples whose
differences ahead and behind disagree (a chaotic part of the run) count less: nobody can say how they move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.files import hash_bytes
from trackrod.fit.problem import Blocks

__all__ = ["STEP", "by_differences", "disagreement", "random_direction"]

Array = NDArray[np.float64]

#: Step of a difference [z]: large against the noise of reading an index, small against the range of a parameter.
STEP = 0.02
#: Exact derivatives and differences agree within this factor, and this amount [% per unit of z].
_FACTOR, _AMOUNT = 2.0, 5.0
#: Samples of a curve that are judged together.
_NEIGHBOURS = 11


def random_direction(z: Array) -> Array:
    """A direction of length one that belongs to a point: the same whenever it is asked for."""
    seed = int(hash_bytes(np.ascontiguousarray(z).tobytes())[:12], 16)
    drawn = np.random.default_rng(seed).standard_normal(z.size)
    return np.asarray(drawn / max(float(np.linalg.norm(drawn)), 1e-12))


def disagreement(blocks: Blocks, moved: Blocks, direction: Array) -> str:
    """How exact derivatives contradict a difference along a direction, in words; empty where they do not.

    Parameters
    ----------
    blocks
        With Jacobians.
    moved
        The same indices `STEP` along the direction.
    """
    for block, other in zip(blocks, moved, strict=True):
        if block.jacobian is None:
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            exact = float(np.linalg.norm(block.jacobian @ direction))
        found = float(np.linalg.norm(other.residual - block.residual)) / STEP
        if not found / _FACTOR - _AMOUNT < exact < _FACTOR * found + _AMOUNT:
            return f"{block.name} moves by {exact:.3g} % along a random direction, by a difference it is {found:.3g} %"
    return ""


def by_differences(
    here: Blocks, ahead: Sequence[Blocks | None], behind: Sequence[Blocks | None], reason: str = ""
) -> Blocks:
    """Indices with Jacobians by differences along every parameter.

    Parameters
    ----------
    here
        At the point.
    ahead, behind
        `STEP` along every parameter and back; None where the model breaks down.
    reason
        Why, for the note; without one the note speaks of chaotic parts alone.
    """
    found = []
    for k, block in enumerate(here):
        sides = [[_slope(block.residual, s, k, sign) for s in side] for side, sign in ((ahead, 1.0), (behind, -1.0))]
        forward, backward = (np.column_stack(side) for side in sides)
        weights = _consistency(forward, backward)
        less = 100.0 * float(np.mean(weights < 0.5))
        counted = f"{less:.0f} % of its samples count less" if less else ""
        text = f"{reason}; taken are differences{counted and f', and {counted}'}" if reason else counted
        found.append(replace(block, jacobian=weights[:, None] * 0.5 * (forward + backward), note=text))
    return tuple(found)


def _slope(here: Array, there: Blocks | None, k: int, sign: float) -> Array:
    """One-sided difference of an index; zero where the model breaks down: nothing is known there."""
    if there is None:
        return np.zeros(here.size)
    return np.asarray(sign * (there[k].residual - here) / STEP)


def _consistency(forward: Array, backward: Array) -> Array:
    """Weight of every sample: 1 where differences ahead and behind are one slope, towards 0 where they are not.

    Samples are judged together with their neighbours, for one alone may agree by chance.
    """
    apart = _around((forward - backward) ** 2)
    size = _around(0.5 * (forward**2 + backward**2))
    floor = _AMOUNT**2 / len(forward)  # a sample's share of what does not count
    return np.asarray(1.0 / (1.0 + (apart / (size + floor)) ** 2))


def _around(squares: Array) -> Array:
    """Sum over the parameters, mean over the neighbours of a sample."""
    total = squares.sum(axis=1)
    window = np.ones(min(_NEIGHBOURS, total.size))
    return np.asarray(np.convolve(total, window, "same") / np.convolve(np.ones(total.size), window, "same"))

"""Levers of anti-roll bars: how far a bar feels the travel of a wheel.

Arms and drop links of a bar turn with the travel of their own wheel, so that the bar feels θ(z) instead of the travel
z, with θ'(0) = 1. A bar that is linear in its twist τ = (θ(z_L) − θ(z_R))/2 pushes the wheels with k τ θ'(z_L) and
−k τ θ'(z_R). In opposite travel z, −z both sum up to k d(τ²)/dz: so the forces of this one test tell τ, and the lever
θ' of either wheel is its force over k τ. It is the lever that lets a wheel in droop lose more load than the other one
gains, and in bump and roll together more than in roll alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.rtm.spec import Curve

__all__ = ["felt", "find_lever", "over_opposite_travel", "over_twist"]

Array = NDArray[np.float64]

#: Levers that a bar may have, over that at the design position: beyond them other things resist the travel.
_LEVERS = (0.5, 2.0)
#: Change of a lever that counts.
_CHANGES = 1e-3


def find_lever(opposite: Array, left: Array, right: Array) -> Curve:
    """Travel that a bar feels over the travel of a wheel [m]; empty where it is the same, or where nothing resists.

    Parameters
    ----------
    opposite
        Travel of the left wheel, that of the right one turned round [m], with 0 among its knots.
    left, right
        Forces of the bar that press the wheels down [N].
    """
    z = np.append(0.0, opposite[(opposite > 0.0) & (opposite <= -opposite[0])])
    of_left, of_right = PchipInterpolator(opposite, left), PchipInterpolator(opposite, right)
    up, down = 0.5 * (of_left(z) + of_right(-z)), 0.5 * (of_left(-z) + of_right(z))  # of the mean of both sides
    apart = PchipInterpolator(z, up - down)
    stiffness, energy = 0.5 * float(apart.derivative()(0.0)), apart.antiderivative()(z)
    if z.size < 3 or not stiffness > 0.0 or not (energy[1:] > 0.0).all():
        return Curve()
    force = np.sqrt(stiffness * energy[1:])  # k τ
    both = np.concatenate((-(down[1:] / force)[::-1], [1.0], up[1:] / force))
    travel = np.concatenate((-z[:0:-1], z))
    wrong = travel[(both <= _LEVERS[0]) | (both >= _LEVERS[1])]
    near = (travel > wrong[wrong < 0.0].max(initial=-np.inf)) & (travel < wrong[wrong > 0.0].min(initial=np.inf))
    if near.sum() < 3 or np.abs(both[near] - 1.0).max() < _CHANGES:
        return Curve()
    way = PchipInterpolator(travel[near], both[near]).antiderivative()
    return Curve(travel[near], way(travel[near]) - way(0.0))


def felt(lever: Curve, travel: ArrayLike) -> tuple[Array, Array]:
    """Travel as a bar feels it [m], and the lever [-]."""
    z = np.asarray(travel, dtype=float)
    return lever.followed(z) if lever.x.size else (z, np.ones_like(z))


def over_twist(lever: Curve, opposite: Array, force: Array) -> Curve:
    """Half the difference of the forces on both wheels over opposite travel [N] as that of a bar over its twist [m]."""
    (up, lever_up), (down, lever_down) = felt(lever, opposite), felt(lever, -opposite)
    return Curve(0.5 * (up - down), force / (0.5 * (lever_up + lever_down)))


def over_opposite_travel(lever: Curve, bar: Curve, opposite: Array) -> Array:
    """The same the other way round [N]."""
    (up, lever_up), (down, lever_down) = felt(lever, opposite), felt(lever, -opposite)
    return np.asarray(bar.followed(0.5 * (up - down))[0] * 0.5 * (lever_up + lever_down))

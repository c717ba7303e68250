"""How far the rig must go: the travels that driving at the limit asks of an axle, or the mechanism's end.

Driving cannot ask for more load than the whole axle on one wheel, nor for less than none: the travels between these two
are those of the maps, with the stops in them. Where the mechanism folds, locks or finds no equilibrium before, its end
less a margin is the range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.kc.measure import measure
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.kc.study import LOCKED_LOADS, KcSettings
from trackrod.multibody.mechanism import wrong_mechanism
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Reach", "find_reach"]

Array = NDArray[np.float64]

#: Step and end of the way on which the travels are looked for [m].
STEP, LONGEST = 0.01, 0.16
#: Load of the most loaded wheel at the limit, over its standing load: the whole axle stands on it.
MOST_LOAD = 2.0
#: What is added for what links carry past the springs and for inertia; what is kept of the way to an end.
SPARE, MARGIN = 1.2, 0.95
#: Turn of a wheel within one step from which the mechanism counts as folded over [rad].
FOLD = 0.3


@dataclass(frozen=True, slots=True)
class Reach:
    """Range of the maps of an axle, to either side of the design position.

    Attributes
    ----------
    parallel, opposite
        Travel of both wheels together, and of one against the other [m].
    ends
        Whether the mechanism ends there: the range cannot be wider.
    """

    parallel: float
    opposite: float
    ends: bool = False

    def settings(self) -> KcSettings:
        """What the rig is asked for."""
        return KcSettings.over(self.parallel, self.opposite)


def find_reach(vehicle: Vehicle, axle: Axle, least: Reach | None = None) -> Reach:
    """The range that driving at the limit needs, from the springs and stops, or what the mechanism allows.

    Parameters
    ----------
    vehicle, axle
        Which axle of which vehicle, with its payload.
    least
        A range that was seen to be needed.

    Raises
    ------
    InputError
        The mechanism cannot stand on the rig or ends next to the design position.
    """
    rig = Rig(vehicle, axle)
    standing = max(float(rig.design_loads.mean()), 0.5 * STANDARD_GRAVITY * vehicle.axle_load(axle))
    needed = least or Reach(0.0, 0.0)
    opposite = max(_way(rig, np.array(way), standing) for way in ((1.0, -1.0), (-1.0, 1.0)))
    parallel = max(_way(rig, np.array(way), standing) for way in ((1.0, 1.0), (-1.0, -1.0)))
    opposite = min(max(opposite, needed.opposite), LONGEST)
    # the ride curve must hold the travel of each wheel in roll
    parallel = min(max(parallel, needed.parallel, opposite), LONGEST)
    share = min(_share_of_corner(rig, parallel, sign * other) for sign in (1, -1) for other in _second(rig, opposite))
    if share == 1.0:
        return Reach(parallel, opposite)
    if share * parallel < STEP:
        what = f"ends within {1e3 * STEP:.0f} mm of the design position: it folds, locks or finds no equilibrium"
        raise InputError(wrong_mechanism(vehicle, axle, what))
    return Reach(parallel * share * MARGIN, opposite * share * MARGIN, ends=True)


def _second(rig: Rig, opposite: float) -> tuple[float, float]:
    """Both ends of the map's second variable: rack travel where there is a rack, else opposite travel [m]."""
    if rig.steered:
        rack = KcSettings().rack
        return float(rack[0]), float(rack[-1])
    return -opposite, opposite


def _way(rig: Rig, direction: Array, standing: float) -> float:
    """Travel along a direction until a wheel has lifted or carries the axle [m]."""
    travel = np.arange(STEP, LONGEST + 0.5 * STEP, STEP)
    good, loads = _along(rig, Inputs.of(np.outer(travel, direction)))
    beyond = ~good | (loads.min(axis=1) < 0.0) | (loads.max(axis=1) > MOST_LOAD * standing)
    return SPARE * float(travel[int(beyond.argmax())] if beyond.any() else LONGEST)


def _share_of_corner(rig: Rig, parallel: float, other: float) -> float:
    """How much of the way from the design position to a corner of the map can be gone."""
    count = int(np.ceil(max(parallel, abs(other)) / STEP))
    share = np.arange(1, count + 1) / count
    both = np.outer(share, (parallel, parallel))
    apart = np.outer(share, (other, -other))
    good, _ = _along(rig, Inputs.of(both, share * other) if rig.steered else Inputs.of(both + apart))
    return 1.0 if good.all() else float(share[int((~good).argmax())] - share[0])


def _along(rig: Rig, inputs: Inputs) -> tuple[NDArray[np.bool_], Array]:
    """Up to where a way from the design position can be gone, and the loads of the pads on it [N]."""
    solution = rig.sweep(inputs)
    at = measure(rig, solution, ())
    turn = np.abs(np.diff(at.angles, axis=0, prepend=at.angles[:1])).max(axis=(1, 2))
    pushed = np.abs(at.wheel_load).max(axis=1)
    with np.errstate(invalid="ignore"):
        good = solution.solved & (turn < FOLD) & (pushed < LOCKED_LOADS * float(rig.design_loads.mean()))
    return np.logical_and.accumulate(good), at.wheel_load

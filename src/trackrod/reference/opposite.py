"""Opposite travel against parallel travel: brought to the centre of the tables, checked, replaced where it is missing.

Both wheels of a sweep in opposite travel pass one parallel travel, its centre. Where this is not the design position,
such as after an ``offset``, or where the travel does not count from it, the loads of the sweep are not those of the
design position: taken as they are, the difference of the springs would become an anti-roll bar that is not there. What
a wheel does beyond its own travel is taken to the centre instead,

    q(o) = q_parallel(±o) + [q_opposite(o) − q_parallel(c ± o)],   c parallel travel of the sweep, o opposite travel.

Holds: a sweep of wheels that do not know each other gives no anti-roll bar, wherever it was made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Side
from trackrod.core.errors import Severity
from trackrod.reference.sweeps import AxleTables, Sweep, between, knots_around_zero
from trackrod.rtm.spec import Curve

__all__ = ["centred", "without_bar"]

Array = NDArray[np.float64]

#: Distance from the centre that does not count [m], and that is worth a note [m].
_CENTRED, _WORTH_SAYING = 1e-4, 1e-3
#: Difference of the load at the centre from that of parallel travel, over the latter, from which a sweep is refused.
_SAME_LOAD = 0.02
#: Asymmetry over the range of the loads: worth a warning, refused.
_ASYMMETRY = (0.05, 0.25)
#: Points of a sweep that is made here.
_POINTS = 61


@dataclass(frozen=True, slots=True)
class _Centre:
    """Opposite travel at which both wheels are level, and their parallel travel there [m]."""

    opposite: float
    parallel: float


def centred(tables: AxleTables, parallel: Sweep, opposite: Sweep) -> Sweep | None:
    """The sweep in opposite travel around the design position; None, with a problem, if it contradicts the other."""
    if any(sweep.of("Fz", side) is None for sweep in (parallel, opposite) for side in Side):
        return opposite  # said where loads are read
    centre = _centre_of(parallel, opposite)
    if centre is None:
        text = "both wheels never carry what they carry in parallel travel: the tables contradict each other"
        opposite.section.report("file", text, hint="both must be of one vehicle, their travels and loads of one sign")
        return None
    if not _same_load(parallel, opposite, centre):
        return None
    off = max(abs(centre.opposite), abs(centre.parallel))
    if off > _WORTH_SAYING:
        tables.note(
            f"opposite travel was made around a parallel travel of {1e3 * centre.parallel:+.1f} mm, level at "
            f"{1e3 * centre.opposite:+.1f} mm of opposite travel: brought to the centre"
        )
    beyond = {side: _beyond(parallel, opposite, side, centre) for side in Side}
    if not _symmetric(opposite, beyond, centre):
        return None
    return opposite if off < _CENTRED else _moved(parallel, opposite, centre)


def without_bar(tables: AxleTables, parallel: Sweep) -> Sweep:
    """Opposite travel of wheels that do not know each other, from their own travel."""
    text = f"there is no table [kc.{tables.axle}.opposite]: the axle has no anti-roll bar"
    tables.section.report("", text, severity=Severity.WARNING)
    reach = min(-parallel.x[0], parallel.x[-1])
    knots = knots_around_zero(-reach, reach, _POINTS)
    values = {
        key: _along(parallel, key, side.sign * knots) for side in Side for key in parallel.values if key.endswith(side)
    }
    return replace(parallel, x=knots, values=values)


def _along(sweep: Sweep, key: str, at: Array) -> Array:
    """A quantity between the samples of a sweep: loads as the model follows them, others by the rule of the maps."""
    if key.startswith("Fz"):
        return Curve(sweep.x, sweep.values[key]).followed(at)[0]
    return between(sweep.x, sweep.values[key], at)


def _centre_of(parallel: Sweep, opposite: Sweep) -> _Centre | None:
    """By the travels of the wheels if the table has them, otherwise by their loads."""
    travels = [opposite.of("travel", side) for side in Side]
    if travels[0] is not None and travels[1] is not None:
        return _Centre(0.0, float(np.interp(0.0, opposite.x, 0.5 * (travels[0] + travels[1]))))
    left, right = (opposite.values[f"Fz_{side}"] for side in Side)
    at, travel = 0.0, 0.0
    for _ in range(3):  # left and right springs may differ, and by another amount at another travel
        difference = np.subtract(*(_along(parallel, f"Fz_{side}", np.array([travel]))[0] for side in Side))
        apart = left - right - difference
        if not apart[0] < 0.0 < apart[-1]:
            return None
        at = float(np.interp(0.0, np.maximum.accumulate(apart), opposite.x))
        load = float(np.interp(at, opposite.x, left + right))
        carried = parallel.values["Fz_left"] + parallel.values["Fz_right"]
        if not carried[0] <= load <= carried[-1]:
            return None
        travel = float(np.interp(load, np.maximum.accumulate(carried), parallel.x))
    return _Centre(at, travel)


def _same_load(parallel: Sweep, opposite: Sweep, centre: _Centre) -> bool:
    """Whether both wheels together carry at the centre what they carry there in parallel travel."""
    at = np.array([centre.parallel])
    expected = float(sum(_along(parallel, f"Fz_{side}", at)[0] for side in Side))
    found = float(sum(np.interp(centre.opposite, opposite.x, opposite.values[f"Fz_{side}"]) for side in Side))
    if abs(found - expected) <= _SAME_LOAD * abs(expected):
        return True
    text = f"at a parallel travel of {1e3 * centre.parallel:+.1f} mm both wheels carry {found:.0f} N in opposite and "
    text += f"{expected:.0f} N in parallel travel: the tables contradict each other"
    opposite.section.report("file", text, hint="were both made with the same load, origin and offset?")
    return False


def _own(opposite: Sweep, side: Side, centre: _Centre) -> Array:
    """Travel of a wheel along the sweep [m]."""
    own = opposite.of("travel", side)
    return centre.parallel + side.sign * (opposite.x - centre.opposite) if own is None else own


def _beyond(parallel: Sweep, opposite: Sweep, side: Side, centre: _Centre) -> Array:
    """Load that a wheel has beyond that of its own travel [N]."""
    key = f"Fz_{side}"
    return np.asarray(opposite.values[key] - _along(parallel, key, _own(opposite, side, centre)))


def _symmetric(opposite: Sweep, beyond: dict[Side, Array], centre: _Centre) -> bool:
    """Whether a wheel has beyond its own travel what the other one has in the mirror."""
    x = opposite.x - centre.opposite
    inside = (-x >= x[0]) & (-x <= x[-1])
    apart = beyond[Side.LEFT] - np.interp(-x, x, beyond[Side.RIGHT])
    span = max(float(np.ptp(opposite.values[f"Fz_{side}"])) for side in Side)
    share = float(np.abs(apart[inside]).max(initial=0.0)) / max(span, 1.0)
    if share <= _ASYMMETRY[0]:
        return True
    refused = share > _ASYMMETRY[1]
    text = f"left and right loads beyond those of parallel travel differ by {100 * share:.0f} % of their range: the "
    text += "sweep is not opposite, or not of the vehicle of the parallel one"
    hint = "opposite_travel is (left − right)/2; 'travel' of both wheels says it best"
    opposite.section.report("file", text, hint=hint, severity=Severity.ERROR if refused else Severity.WARNING)
    return not refused


def _moved(parallel: Sweep, opposite: Sweep, centre: _Centre) -> Sweep:
    """The sweep with what it has beyond parallel travel around the design position."""
    known = np.ones(opposite.x.size, dtype=bool)
    for side in Side:  # beyond the table of parallel travel there is nothing to compare with
        own = _own(opposite, side, centre)
        known &= (own >= parallel.x[0] - _CENTRED) & (own <= parallel.x[-1] + _CENTRED)
    opposite = replace(
        opposite, x=opposite.x[known], values={key: values[known] for key, values in opposite.values.items()}
    )
    x = opposite.x - centre.opposite
    knots = x if (x == 0.0).any() else np.sort(np.append(x, 0.0))
    values = {}
    for side in Side:
        own = _own(opposite, side, centre)
        for key in (key for key in opposite.values if key.endswith(f"_{side}")):
            if key == f"travel_{side}":
                values[key] = side.sign * knots
            elif key in parallel.values:
                beyond = between(x, opposite.values[key] - _along(parallel, key, own), knots)
                values[key] = _along(parallel, key, side.sign * knots) + beyond
            else:
                values[key] = between(x, opposite.values[key], knots)
    return replace(opposite, x=knots, values=values)

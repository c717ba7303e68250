"""Where a model is valid: bounds of what describes its state of motion, checked sample by sample while it runs.

A model is held against a better one in many manoeuvres; where it kept its criteria becomes a domain in a few quantities
that every run tells. The domain is part of the model: a run says of each of its samples whether it lies in it.

The law is here for many samples at once, and for one step after the other in ``cpp/trackrod/validity.hpp``, from where
exported models have it. Both were written apart; tests hold them together, sample by sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.constants import constant
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.operating_quantities import QUANTITIES, Quantity
from trackrod.core.plain import Plain
from trackrod.core.series import Run

__all__ = ["MEMORY", "QUANTITIES", "Bound", "Quantity", "Validity", "operating_point"]

Array = NDArray[np.float64]

#: How long a sample outside makes those after it count as outside too [s]: what was wrong must die away first.
MEMORY = constant("validity_memory")
#: Averaging time of the frequency [s], and the yaw rate below which a vehicle counts as going straight [rad/s].
_AVERAGING, _STRAIGHT = constant("validity_averaging"), constant("validity_straight")
#: Where a run is cut must not decide about a sample [s], nor how a mass was added up: over a bound [-].
_ROUNDING, _SLACK = constant("validity_rounding"), constant("validity_slack")
#: The least load of an axle that something is put over [N].
_LEAST_LOAD = constant("validity_least_load")


@dataclass(frozen=True, slots=True)
class Bound:
    """How far a quantity may go [SI]: the largest value, or the smallest where small ones are critical."""

    quantity: str
    limit: float

    def __post_init__(self) -> None:
        if self.quantity not in QUANTITIES:
            raise UnknownNameError("quantity of a domain of validity", self.quantity, QUANTITIES)
        if not np.isfinite(self.limit):
            raise InputError(f"the bound of '{self.quantity}' is {self.limit}, not a finite number")

    def keeps(self, values: Array) -> NDArray[np.bool_]:
        """Where values keep the bound."""
        slack = _SLACK * abs(self.limit)
        below = QUANTITIES[self.quantity].from_below
        return np.asarray(values >= self.limit - slack if below else values <= self.limit + slack)


@dataclass(frozen=True, slots=True)
class Validity:
    """A domain of validity.

    Attributes
    ----------
    bounds
        All of them are kept inside.
    criteria
        What is kept there, in words.
    sentence
        The domain in one sentence.
    references, samples
        Runs of the better model behind it, and runs of the model itself.
    wrongly_inside
        Share of manoeuvres not used to find it that it took for inside, and that violate a criterion, 0 to 1; by
        cross-validation.
    """

    bounds: tuple[Bound, ...]
    criteria: str
    sentence: str
    references: int = 0
    samples: int = 0
    wrongly_inside: float = 0.0

    def inside(self, run: Run, *, friction: float = 1.0, mass: float | None = None) -> NDArray[np.bool_]:
        """For each sample of a run whether it lies inside, and has done so for `MEMORY`.

        Parameters
        ----------
        run
            With the signals of a model.
        friction
            Of the road, over that which the tyres were measured on.
        mass
            Of the vehicle [kg]; that for which the domain was found if not given.
        """
        at = operating_point(run, friction=friction, mass=mass)
        kept = np.ones(run.time.size, dtype=bool)
        for bound in self.bounds:
            if bound.quantity in at:
                kept &= bound.keeps(at[bound.quantity])
        left = np.maximum.accumulate(np.where(kept, -np.inf, run.time))
        return np.asarray(run.time - left > MEMORY + _ROUNDING)

    def marked(self, run: Run, *, friction: float = 1.0, mass: float | None = None) -> Run:
        """The run with the signal ``inside_validity``, and the share of samples outside in its metadata."""
        inside = self.inside(run, friction=friction, mass=mass)
        said: dict[str, Plain] = {
            "sentence": self.sentence,
            "criteria": self.criteria,
            "share_outside": float(1.0 - inside.mean()),
        }
        column = {signals.INSIDE_VALIDITY.column: inside.astype(np.float64)}
        return Run({**run, **column}, {**run.metadata, "validity": said})

    @property
    def limits(self) -> tuple[float, ...]:
        """A limit for each of `QUANTITIES` [SI], infinite where there is none: what the C++ law reads."""
        given = {bound.quantity: bound.limit for bound in self.bounds}
        return tuple(
            given.get(name, -math.inf if quantity.from_below else math.inf) for name, quantity in QUANTITIES.items()
        )

    @property
    def numbers(self) -> str:
        """The bounds in words."""
        parts = [
            f"{QUANTITIES[b.quantity].words} {'≥' if QUANTITIES[b.quantity].from_below else '≤'} "
            f"{QUANTITIES[b.quantity].shown(b.limit)}"
            for b in self.bounds
        ]
        return "; ".join(parts)


def operating_point(run: Run, *, friction: float = 1.0, mass: float | None = None) -> dict[str, Array]:
    """What describes the state of motion, for each sample of a run; as of `QUANTITIES` [SI].

    Everything comes from samples until now, so that a model can tell it in a step.
    """
    speed = np.hypot(run[signals.VX], run[signals.VY])
    found = {
        "lateral": np.abs(run[signals.AY]),
        "longitudinal": np.abs(run[signals.AX]),
        "frequency": _frequency(run),
        "speed": speed,
        "slowest": speed,
        "friction_used": np.max([_used(run, axle) for axle in Axle], axis=0) / friction,
        "load_transfer": np.max([_transfer(run, axle) for axle in Axle], axis=0),
        "damper_speed": np.max([np.abs(run[signals.DAMPER_VELOCITY[corner]]) for corner in Corner], axis=0),
        "friction": np.full(speed.size, friction),
    }
    if mass is not None:
        found |= {name: np.full(speed.size, mass) for name in ("mass", "lightest")}
    return found


def _frequency(run: Run) -> Array:
    """Of a sine with the running means of yaw rate and yaw acceleration [Hz]."""
    from scipy.signal import lfilter  # noqa: PLC0415 - takes long to load, and few models have a domain

    step = float(run.time[-1] - run.time[0]) / max(run.time.size - 1, 1)
    keep = np.exp(-step / _AVERAGING)
    rate, change = (
        np.asarray(lfilter([1.0 - keep], [1.0, -keep], run[signal] ** 2))
        for signal in (signals.YAW_RATE, signals.YAW_ACCELERATION)
    )
    return np.asarray(np.sqrt(change / (rate + _STRAIGHT**2)) / (2 * np.pi))


def _corners(axle: Axle) -> Iterator[Corner]:
    return (Corner.of(axle, side) for side in Side)


def _used(run: Run, axle: Axle) -> Array:
    """Horizontal force of an axle over its load [-]."""
    along, across, load = (
        np.sum([run[family[corner]] for corner in _corners(axle)], axis=0)
        for family in (signals.FX, signals.FY, signals.FZ)
    )
    return np.asarray(np.hypot(along, across) / np.maximum(load, _LEAST_LOAD))


def _transfer(run: Run, axle: Axle) -> Array:
    """Difference of the wheel loads over their sum [-]."""
    left, right = (run[signals.FZ[corner]] for corner in _corners(axle))
    return np.asarray(np.abs(left - right) / np.maximum(left + right, _LEAST_LOAD))

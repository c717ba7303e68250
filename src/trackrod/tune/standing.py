"""The vehicle at rest, before anything is driven: what its wheels carry, and how high its centre of gravity is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.systems import PayloadLevel

__all__ = [
    "STANDING",
    "StandingHeight",
    "StandingLoads",
    "load_difference",
    "standing_height",
    "standing_label",
    "wheel_loads",
]

Array = NDArray[np.float64]

#: What wheel loads before a manoeuvre are compared under, besides the manoeuvres.
STANDING = "standing"


@dataclass(frozen=True, slots=True, eq=False)
class StandingLoads:
    """What the wheels carry before a manoeuvre begins [N], in the order of the corners.

    Attributes
    ----------
    label
        As of `standing_label`.
    hold_out
        Whether tuning never saw them.
    reference, nominal, tuned
        Of the reference, and of the model before and after tuning.
    """

    label: str
    hold_out: bool
    reference: Array
    nominal: Array
    tuned: Array

    @property
    def nominal_pct(self) -> float:
        """Their difference before tuning [%]."""
        return float(np.linalg.norm(load_difference(self.reference, self.nominal)))

    @property
    def tuned_pct(self) -> float:
        """Their difference after tuning [%]."""
        return float(np.linalg.norm(load_difference(self.reference, self.tuned)))


@dataclass(frozen=True, slots=True)
class StandingHeight:
    """Height of the sprung centre of gravity above the road on which the vehicle stands.

    The parameter ``cg_height`` counts from the road of the design position, which stays where it is when tuning makes
    the vehicle heavier: it then stands lower.

    Attributes
    ----------
    nominal, tuned
        Of the model before and after tuning [m].
    interval
        What holds it with a probability of 95 %: of the models at the ends of the interval of ``cg_height`` [m].
    """

    nominal: float
    tuned: float
    interval: tuple[float, float]

    @property
    def change_pct(self) -> float:
        """Change from the nominal value [%]."""
        return 100.0 * (self.tuned / self.nominal - 1.0)

    @classmethod
    def of(cls, nominal: RtmSpec, tuned: RtmSpec, ends: Iterable[RtmSpec]) -> StandingHeight:
        """Of two models, and of those at the ends of the interval; errors as `standing_height`."""
        lower, upper = sorted(standing_height(end) for end in ends)
        return cls(standing_height(nominal), standing_height(tuned), (lower, upper))


def standing_height(spec: RtmSpec) -> float:
    """Height of the sprung centre of gravity of a model above the road on which it stands [m].

    Raises
    ------
    ConvergenceError
        It does not come to rest.
    """
    vehicle = RealTimeVehicle(spec)
    vehicle.settle()
    return vehicle.state()["position.z"] - spec.road_height


def standing_label(payload: PayloadLevel | None) -> str:
    """`STANDING`, with the payload if it is another one than that of the study."""
    return STANDING if payload is None else f"{STANDING}, {payload}"


def wheel_loads(run: Run) -> Array | None:
    """What each wheel carries at the beginning of a run [N]; None where that is not known."""
    if not all(signals.FZ[corner].column in run for corner in Corner):
        return None
    return np.array([run[signals.FZ[corner]][0] for corner in Corner])


def load_difference(expected: Array, found: Array) -> Array:
    """Difference of wheel loads over the mean load of a wheel, its length their root mean square [%]."""
    return np.asarray(100.0 * (found - expected) / (expected.mean() * np.sqrt(expected.size)))

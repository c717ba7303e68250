"""What a model of a vehicle must be able to do to be driven: the multibody and the real-time model both can."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.series import Run
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["VehicleModel"]


class VehicleModel(Protocol):
    """A vehicle that can be settled, started and driven on; it keeps its state from one call to the next."""

    @property
    def vehicle(self) -> Vehicle:
        """What is driven."""
        ...

    @property
    def step(self) -> float:
        """Step of the integration [s]."""
        ...

    def settle(self) -> object:
        """Static equilibrium on level ground."""
        ...

    def start(self, speed: float, gear: int | None = None) -> None:
        """Let the settled vehicle roll straight ahead [m/s]."""
        ...

    def advance(
        self,
        steering_wheel_angle: ArrayLike,
        throttle: ArrayLike,
        brake: ArrayLike,
        gear: ArrayLike,
        *,
        every: int = 1,
        road_heights: NDArray[np.float64] | None = None,
    ) -> Run:
        """Drive on under inputs given for each step; ConvergenceError if a step has no solution."""
        ...

"""What a model of a vehicle must be able to do to be driven: the multibody and the real-time model both can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.road.surface import RoadSurface

__all__ = ["VehicleModel", "tyre_places"]

Array = NDArray[np.float64]


class VehicleModel(Protocol):
    """A vehicle that can be settled, started and driven on; it keeps its state from one call to the next."""

    @property
    def step(self) -> float:
        """Step of the integration [s]."""
        ...

    def tilt(self, grade: float) -> None:
        """Let the road rise ahead by this much for each metre [-]; before `settle`."""
        ...

    def set_friction(self, factors: ArrayLike) -> None:
        """Friction factor of the road under all tyres or under each from now on, 1 where the tyres were measured."""
        ...

    def settle(self) -> object:
        """Static equilibrium on the road, which is level again."""
        ...

    def lay_road(self, road: RoadSurface, place: tuple[float, float, float], friction: float = 1.0) -> None:
        """Put a road ahead of the vehicle, whose centre of gravity is at x, y and yaw [m], [rad]; until `settle`."""
        ...

    def start(self, speed: float, gear: int | None = None) -> None:
        """Let the settled vehicle roll straight ahead [m/s]."""
        ...

    def advance_rows(self, controls: Array, every: int, road_heights: Array | None = None) -> Array:
        """Drive on; a row of numbers for each sample, whose meaning is the model's own.

        Parameters
        ----------
        controls
            Steering-wheel angle [rad], throttle, brake and gear for each step, shape (steps, 4); beyond these, where
            assistance systems act, a row of `WHEEL_COLUMNS`. Without it nothing acts, whatever did before. Beyond that,
            a row of `ENVIRONMENT`; without it the road is as it was, and the air stands still.
        every
            Steps from one sample to the next.
        road_heights
            Height of the road under each tyre for each step [m]; as it was if not given.

        Raises
        ------
        ConvergenceError
            A step has no solution.
        """
        ...

    def reading(self, row: Array) -> Callable[[str], float]:
        """What one row says: the value of any column of a run [SI unit]. A driver asks for few, so nothing is made yet.

        Holds: the same numbers as those of `run`, bit for bit.
        """
        ...

    def run(self, rows: Array) -> Run:
        """The run that rows make up, with the names of vehicle and model in its metadata."""
        ...


def tyre_places(model: VehicleModel) -> list[tuple[Corner, float, float]]:
    """Corner and place x, y in V [m] of each tyre, in the order of the columns of road heights.

    A model says it by the wheels of its ``vehicle`` or, where it was made from a specification, of its ``spec``.

    Raises
    ------
    InputError
        It has neither.
    """
    described = getattr(model, "vehicle", None) or getattr(model, "spec", None)
    if described is None:
        raise InputError("the model does not say where its wheels are: it has neither a vehicle nor a spec")
    return [
        (wheel.corner, float(wheel.centre[0]), float(wheel.centre[1]))
        for wheel in described.wheels
        for _ in wheel.tyres
    ]

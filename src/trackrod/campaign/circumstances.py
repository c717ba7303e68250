"""What a run finds beside its manoeuvre: a payload in the vehicle, and a road and an air that are not as usual."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.campaign.description import PayloadPlace
from trackrod.core.driver_inputs import with_environment
from trackrod.core.environment import LEVEL
from trackrod.core.errors import InputError
from trackrod.core.layout import ENVIRONMENT, Layout
from trackrod.core.wheel_inputs import WHEEL_COLUMNS
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.motion import TotalCentre, brake_line
from trackrod.rtm.spec import RtmSpec

__all__ = ["VehicleInSurroundings", "loaded"]

Array = NDArray[np.float64]

_COLUMNS = Layout(ENVIRONMENT.fields)
_FRICTION, _SLOPE = _COLUMNS.column("friction"), _COLUMNS.column("slope")
#: Columns of a row of controls before those of the environment.
_BEFORE = 4 + WHEEL_COLUMNS.size


def loaded(spec: RtmSpec, mass: float, place: PayloadPlace) -> RtmSpec:
    """A model with a payload [kg] in its sprung body, as a point.

    Raises
    ------
    InputError
        The model has a frame in two halves, and nobody knows on which of them it lies.

    Holds: mass, centre of gravity and inertia of the sprung body are those of the two together.
    """
    if mass == 0.0:
        return spec
    if spec.frame is not None:
        raise InputError(f"'{spec.name}' has a frame that twists: a payload cannot be added to it")
    p = spec.parameters
    own = p["sprung_mass"]
    total = own + mass
    apart = np.array(
        [
            p["cg_to_front"] - place.behind_front_axle,  # forward
            place.to_the_left - p["cg_y"],
            place.height - p["cg_height"],
        ]
    )
    share = mass / total
    added = own * share * (apart @ apart * np.eye(3) - np.outer(apart, apart))
    elements = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
    return spec.with_parameters(
        sprung_mass=total,
        cg_to_front=p["cg_to_front"] - share * apart[0],
        cg_y=p["cg_y"] + share * apart[1],
        cg_height=p["cg_height"] + share * apart[2],
        **{name: p[name] + added[at] for name, at in elements.items()},
    )


class VehicleInSurroundings(RealTimeVehicle):
    """A real-time model that drives with other friction, slope, bank or wind than its manoeuvre asks for.

    Parameters
    ----------
    spec
        What drives.
    step
        Of the integration [s].
    surroundings
        By the names of `ENVIRONMENT` [SI]: the friction is a factor on that of the manoeuvre's road, everything else is
        added to what the manoeuvre asks for.

    Attributes
    ----------
    steps
        How many it has driven, without those in which it settles.
    """

    def __init__(self, spec: RtmSpec, *, step: float, surroundings: Mapping[str, float]) -> None:
        super().__init__(spec, step=step)
        self._new = self._core.state()
        self.renew(spec, surroundings)

    def renew(self, spec: RtmSpec, surroundings: Mapping[str, float]) -> None:
        """Become a vehicle with other parameters in other surroundings; its maps are those that were compiled.

        Holds: it drives as a new one does, bit for bit, whatever it drove before.
        """
        self.spec = spec
        self._centre, self._brakes = TotalCentre.of(spec), brake_line(spec)
        self._core.set_parameters(spec.values())
        self._core.set_state(self._new)
        self._tilted, self._friction = False, 1.0
        self._factor = float(surroundings.get("friction", 1.0))
        self._added = np.zeros(ENVIRONMENT.size)
        for name, value in surroundings.items():
            if name != "friction":
                self._added[_COLUMNS.column(name)] = value
        self._around = np.array(LEVEL)
        self.steps = 0

    def tilt(self, grade: float) -> None:
        """As of the model; what is added to the slope is added to it."""
        self._around[_SLOPE] = math.atan(grade)
        super().tilt(math.tan(self._around[_SLOPE] + self._added[_SLOPE]))

    def set_friction(self, factors: ArrayLike) -> None:
        """As of the model, times the factor of the surroundings."""
        self._around[_FRICTION] = float(np.min(factors))
        super().set_friction(self._factor * np.asarray(factors, dtype=float))

    def advance_rows(self, controls: Array, every: int, road_heights: Array | None = None) -> Array:
        """As of the model."""
        if controls.shape[1] > _BEFORE:
            controls = controls.copy()
            around = controls[:, _BEFORE:]
            around += self._added
            around[:, _FRICTION] *= self._factor
        elif self._added.any():
            around = self._around + self._added
            around[_FRICTION] *= self._factor
            controls = _with_rows(controls, around)
        self.steps += len(controls)
        return super().advance_rows(controls, every, road_heights)


def _with_rows(controls: Array, around: Array) -> Array:
    """Controls with or without inputs at the wheels, and a row of the environment behind them."""
    if controls.shape[1] == _BEFORE:
        return np.column_stack((controls, np.broadcast_to(around, (len(controls), around.size))))
    return with_environment(controls, None, around)

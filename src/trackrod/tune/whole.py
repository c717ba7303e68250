"""Numbers of the whole vehicle behind a real-time model, and the model that has other ones.

Tests of vehicles tell mass, centre of gravity and yaw inertia of the whole; the model has those of its sprung body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trackrod.core.corners import Corner
from trackrod.core.errors import UnknownNameError
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.motion import TotalCentre
from trackrod.rtm.spec import RtmSpec

__all__ = ["Whole", "with_whole"]

#: What the height is found to [m], and in how many rounds at most: a heavier vehicle stands lower.
_CLOSE, _ROUNDS = 1e-6, 20


@dataclass(frozen=True, slots=True)
class Whole:
    """A vehicle at rest, sprung and unsprung masses together.

    Attributes
    ----------
    mass
        [kg]
    cg_to_front
        Centre of gravity behind the front axle [m].
    cg_height
        Above the road on which it stands [m].
    Izz
        Yaw inertia about the centre of gravity [kg·m²].
    """

    mass: float
    cg_to_front: float
    cg_height: float
    Izz: float

    @classmethod
    def of(cls, spec: RtmSpec) -> Whole:
        """Of a model; ConvergenceError if it does not come to rest."""
        vehicle = RealTimeVehicle(spec)
        vehicle.settle()
        state, p = vehicle.state(), spec.parameters
        to_centre = TotalCentre.of(spec).at([np.array(state[f"travel.{corner}"]) for corner in Corner])
        x, y, z = (float(value) for value in to_centre)  # from the sprung centre of gravity
        yaw = p["Izz"] + p["sprung_mass"] * (x**2 + y**2)
        for wheel in spec.wheels:
            axle = wheel.corner.axle
            ahead = wheel.centre[0] - spec.wheels[0].centre[0] + p["cg_to_front"] - x
            aside = wheel.centre[1] - p["cg_y"] - y
            yaw += p[f"unsprung_mass_{axle}"] * (ahead**2 + aside**2) + p[f"unsprung_yaw_inertia_{axle}"]
        height = state["position.z"] - spec.road_height + z
        return cls(spec.mass, p["cg_to_front"] - x, height, yaw)


def with_whole(spec: RtmSpec, wanted: Mapping[str, float]) -> RtmSpec:
    """The model of a vehicle that has these numbers as a whole, by the names of `Whole` [SI].

    The sprung body takes the difference; the rest of the model stays. What is not given stays too: a heavier vehicle
    keeps its centre of gravity and its yaw inertia.

    Raises
    ------
    UnknownNameError
        `Whole` has no such number.
    ConvergenceError
        The model does not come to rest.
    InputError
        Nothing is left for the sprung body.
    """
    here = Whole.of(spec)
    names = Whole.__slots__
    for name in wanted:
        if name not in names:
            raise UnknownNameError("number of a whole vehicle", name, names)
    goal = {name: wanted.get(name, getattr(here, name)) for name in names}
    found = spec.with_parameters(sprung_mass=spec.parameters["sprung_mass"] + goal["mass"] - here.mass)
    for _ in range(_ROUNDS):
        here, p = Whole.of(found), found.parameters
        off = {name: goal[name] - getattr(here, name) for name in names}
        if np.abs([off["cg_to_front"], off["cg_height"]]).max() < _CLOSE and abs(off["Izz"]) < _CLOSE * goal["Izz"]:
            break
        share = here.mass / p["sprung_mass"]  # what the sprung body must move by for the whole to move by one
        found = found.with_parameters(
            cg_to_front=p["cg_to_front"] + share * off["cg_to_front"],
            cg_height=p["cg_height"] + share * off["cg_height"],
            Izz=p["Izz"] + off["Izz"],
        )
    return found

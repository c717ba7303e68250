"""What is known about a vehicle before anything is estimated: geometry, inertias of what turns, gears.

Frame V, with its origin under the middle of the front wheels: x forward, y left, z up. Every number may have a bound of
its error, which the estimates carry on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.masses import split_masses
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import UnknownNameError
from trackrod.core.quantities import STANDARD_GRAVITY, Kind, kind
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["KNOWN", "USUAL", "Known", "known_of"]

Array = NDArray[np.float64]


def _declared() -> dict[str, tuple[Kind, str]]:
    rows: dict[str, tuple[str, str]] = {}
    for corner in Corner:
        rows[f"wheel_x_{corner}"] = ("length", f"of the wheel {corner} in V, forward of the front axle")
        rows[f"wheel_y_{corner}"] = ("length", f"of the wheel {corner} in V, left of the middle")
        rows[f"toe_{corner}"] = ("angle", f"static toe of the wheel {corner}, inward")
    for axle in Axle:
        rows[f"outer_mass_{axle}"] = ("mass", f"of one {axle} wheel that its force transducer does not weigh")
        rows[f"spin_inertia_{axle}"] = ("inertia", f"of one {axle} wheel with all that turns with it")
        rows[f"rolling_radius_{axle}"] = ("length", f"speed over angular velocity of a free {axle} wheel")
        rows[f"loaded_radius_{axle}"] = ("length", f"of the {axle} wheel centres above the road")
        rows[f"recession_{axle}"] = ("compliance", f"of one {axle} wheel over the longitudinal force on the tyre")
        rows[f"roll_centre_{axle}"] = ("length", f"height of the {axle} roll centre above the road")
        rows[f"lateral_compliance_{axle}"] = ("compliance", f"of one {axle} tyre sideways, over its lateral force")
        rows[f"lift_{axle}"] = ("number", f"upward force of the air at the {axle} axle over v² in N·s²/m²")
    rows |= {
        "gravity": ("acceleration", "of the earth where the tests were driven"),
        "drag": ("number", "rearward force of the air over v² in N·s²/m²"),
        "drag_height": ("length", "of that force above the road"),
        "pitch_arm": ("length", "of the centre of gravity ahead of the point that the body pitches about"),
        "head_wind": ("velocity", "while coasting in one direction"),
        "rolling_growth": ("number", "what the rolling resistance grows with the fourth power of speed, at 100 km/h"),
        "slope": ("number", "of the road there, upward"),
        "rolling_resistance": ("number", "of the tyres, over their load"),
        "mass": ("mass", "of the vehicle"),
        "cg_x": ("length", "of the centre of gravity in V, negative behind the front axle"),
        "cg_y": ("length", "of the centre of gravity in V, to the left"),
        "cg_height": ("length", "of the centre of gravity above the road"),
        "steering_ratio": ("number", "steering-wheel angle over mean steer angle of the front wheels"),
        "engine_inertia": ("inertia", "of all that turns with the crankshaft"),
        "driveline_inertia": ("inertia", "of gearbox output, shafts and differential, at the speed of the output"),
        "final_drive": ("number", "speed of the gearbox output over that of the wheels"),
        "gear_efficiency": ("number", "of the torque that passes through gears and shafts"),
        "front_drive_share": ("number", "share of the driving torque at the front axle"),
        "steering_yield": (
            "number",
            "steer angle that lateral forces take away, over lateral acceleration, in rad·s²/m",
        ),
        "rolling_radius_load": ("compliance", "what the rolling radius loses, over the load of a tyre"),
        "travel_bends": ("curvature", "of wheel angles over travel, by forces that go with it"),
    }
    rows |= {f"gear_ratio_{gear}": ("number", f"engine speed over output speed, gear {gear}") for gear in range(1, 13)}
    return {name: (kind(of), meaning) for name, (of, meaning) in rows.items()}


#: What can be known: kind and meaning by name.
KNOWN: Mapping[str, tuple[Kind, str]] = _declared()


#: What road vehicles have, with a bound that holds nearly all of them: small terms of laws are worked out with these
#: until somebody knows better.
USUAL: Mapping[str, tuple[float, float]] = {
    "gravity": (STANDARD_GRAVITY, 0.0),
    "cg_height": (0.6, 0.2),
    "cg_y": (0.0, 0.03),
    "drag": (0.4, 0.2),
    "drag_height": (0.55, 0.2),
    "rolling_resistance": (0.012, 0.005),
    "pitch_arm": (0.2, 0.2),
    "head_wind": (0.0, 1.0),
    "slope": (0.0, 0.001),
    "rolling_growth": (0.0005, 0.0005),
    "gear_efficiency": (0.95, 0.04),
    "steering_yield": (0.001, 0.001),
    "rolling_radius_load": (4e-7, 3e-7),
    "travel_bends": (0.0, 0.01),
    **{f"lift_{axle}": (0.0, 0.15) for axle in Axle},
    **{f"recession_{axle}": (2.5e-6, 1.5e-6) for axle in Axle},
    **{f"lateral_compliance_{axle}": (5e-6, 3e-6) for axle in Axle},
    **{f"roll_centre_{axle}": (0.08, 0.08) for axle in Axle},
    **{f"rolling_radius_{axle}": (0.32, 0.05) for axle in Axle},
    **{f"loaded_radius_{axle}": (0.31, 0.05) for axle in Axle},
    **{f"spin_inertia_{axle}": (1.2, 0.5) for axle in Axle},
    **{f"outer_mass_{axle}": (0.0, 0.0) for axle in Axle},
    **{f"toe_{corner}": (0.0, 0.005) for corner in Corner},
}


class Known(Mapping[str, float]):
    """Numbers by the names of `KNOWN` [SI], with bounds of their errors.

    Parameters
    ----------
    values
        By name; what is usual stands for what is left out, where there is something usual.
    bounds
        By name: errors inside are equally likely. Those of given values that are left out are exact.
    """

    __slots__ = ("_bounds", "_values")

    def __init__(self, values: Mapping[str, float], bounds: Mapping[str, float] | None = None) -> None:
        for name in (*values, *(bounds or {})):
            if name not in KNOWN:
                raise UnknownNameError("number of a vehicle", name, KNOWN)
        self._values = {**{name: usual for name, (usual, _) in USUAL.items()}, **values}
        unsaid = {name: bound for name, (_, bound) in USUAL.items() if name not in values}
        self._bounds = {name: bound for name, bound in {**unsaid, **(bounds or {})}.items() if bound > 0.0}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def bounds(self) -> Mapping[str, float]:
        """Of errors, by name."""
        return self._bounds

    def knowing(self, values: Mapping[str, float], bounds: Mapping[str, float] | None = None) -> Known:
        """With further numbers, or others in their place."""
        kept = {name: bound for name, bound in self._bounds.items() if name not in values}
        return Known({**self._values, **values}, {**kept, **(bounds or {})})

    @property
    def wheelbase(self) -> float:
        """Mean distance of the axles [m]."""
        return 0.5 * sum((-1.0 if c.axle is Axle.REAR else 1.0) * self[f"wheel_x_{c}"] for c in Corner)


def known_of(vehicle: Vehicle) -> Known:
    """What the description of a vehicle tells besides what is to be estimated: no masses, no centre, no air."""
    front = np.mean([vehicle.wheel(corner).centre[0] for corner in Corner if corner.axle is Axle.FRONT])
    spin = split_masses(vehicle).spin_inertia
    found: dict[str, float] = {}
    for corner in Corner:
        wheel = vehicle.wheel(corner)
        found[f"wheel_x_{corner}"] = float(wheel.centre[0] - front)
        found[f"wheel_y_{corner}"] = float(wheel.centre[1])
        # The spin axis points to the left: where it leans forward the left wheel points inward, the right one outward.
        found[f"toe_{corner}"] = math.atan2(wheel.axis[0], wheel.axis[1]) * corner.side.sign
    for axle in Axle:
        at = [corner for corner in Corner if corner.axle is axle]
        found[f"spin_inertia_{axle}"] = float(np.mean([spin[corner] for corner in at]))
    powertrain = vehicle.powertrain
    if powertrain is not None:
        found |= {
            "engine_inertia": powertrain.engine_inertia,
            "driveline_inertia": powertrain.driveline_inertia,
            "final_drive": powertrain.gearbox.final_drive,
            "front_drive_share": powertrain.front_share,
        }
        found |= {f"gear_ratio_{gear}": ratio for gear, ratio in enumerate(powertrain.gearbox.ratios, 1)}
    return Known(found)

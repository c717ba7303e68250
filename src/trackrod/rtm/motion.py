"""Rows of the real-time model, and the motion that stands in them."""

# ruff: noqa: D102 - documented in `Motion`

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner
from trackrod.core.motion import Attitude, Motion, Values, Vector, WheelPose, once
from trackrod.core.plain import Plain
from trackrod.rtm.layout import ROW_INPUTS, TYRE_ROW, row_layout
from trackrod.rtm.spec import RtmSpec

__all__ = [
    "BODY",
    "INPUTS",
    "STEERING_WHEEL",
    "TIME",
    "VELOCITY",
    "RtmMotion",
    "TotalCentre",
    "beyond_maps",
    "tyre_columns",
]

Array = NDArray[np.float64]

#: Columns of a row: the driver's inputs, then those of the core, last those of the tyres.
_LAYOUT = row_layout(inputs=True)
INPUTS = len(ROW_INPUTS)
TIME, _R, _Q, VELOCITY, _W = (
    _LAYOUT.column("time"),
    *(_LAYOUT[name] for name in ("position", "orientation", "velocity", "angular_velocity")),
)
BODY = slice(_Q.start, _W.stop)
_TRAVEL, _SPIN, _STEER, _INCLINATION, _RACK, _ENGINE, _GEAR, _TORQUE = (
    _LAYOUT.column(name)
    for name in ("travel", "spin", "steer", "camber", "rack", "engine_speed", "gear", "steering_torque")
)
STEERING_WHEEL = _LAYOUT.column("steering_wheel")
_ACCELERATION = _LAYOUT["acceleration"]
_TYRES, _TYRE_COLUMNS = _LAYOUT.size, TYRE_ROW.size
_PLACE = {corner: i for i, corner in enumerate(Corner)}


@dataclass(frozen=True, slots=True)
class TotalCentre:
    """Where the total centre of gravity is, from the sprung one, in V.

    Attributes
    ----------
    moment
        Of the unsprung masses about the sprung centre of gravity, wheels at the design position [kg·m].
    front, rear, total
        Mass of a front wheel, of a rear wheel, of the vehicle [kg].
    """

    moment: Vector
    front: float
    rear: float
    total: float

    @classmethod
    def of(cls, spec: RtmSpec, **changed: float) -> TotalCentre:
        """That of a model, some of its parameters changed."""
        p = {**spec.parameters, **changed}
        front, rear = p["unsprung_mass_front"], p["unsprung_mass_rear"]
        centres = np.array([wheel.centre for wheel in spec.wheels])
        origin = np.array([centres[0, 0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
        moment = np.array([front, front, rear, rear]) @ (centres - origin)
        return cls(moment.tolist(), front, rear, p["sprung_mass"] + 2 * (front + rear))

    def at(self, travels: Sequence[Values]) -> Vector:
        """The vector [m], wheels at their travels [m]."""
        fl, fr, rl, rr = travels
        x, y, z = self.moment
        moved = self.front * (fl + fr) + self.rear * (rl + rr)
        return tuple(moment / self.total for moment in (x, y, z + moved))


def tyre_columns(spec: RtmSpec) -> dict[Corner, list[int]]:
    """First column of each tyre, by the corner of its wheel."""
    corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
    return {
        corner: [_TYRES + _TYRE_COLUMNS * i for i, where in enumerate(corners) if where is corner] for corner in Corner
    }


def beyond_maps(rows: Array, spec: RtmSpec) -> list[dict[str, Plain]]:
    """Where samples lie beyond the knots of the kinematics, and how far; there the maps go on straight.

    Returns
    -------
    list
        For each variable of a wheel or axle that left its knots: its name, how many samples, the first of them (from
        0), how far the farthest is beyond the last knot [m].
    """
    found: list[dict[str, Plain]] = []
    travels = rows[:, _TRAVEL : _TRAVEL + 4]
    for i, axle in enumerate(spec.axles):
        left, right = travels[:, 2 * i], travels[:, 2 * i + 1]
        position = ("front", "rear")[i]
        if axle.steered:
            variables = {f"travel of {position} left": left, f"travel of {position} right": right}
            second = {"rack travel": rows[:, _RACK]}
        else:
            variables = {f"parallel travel of {position}": 0.5 * (left + right)}
            second = {f"opposite travel of {position}": 0.5 * (left - right)}
        wheel = spec.wheels[2 * i]
        for knots, values_of in ((wheel.first, variables), (wheel.second, second)):
            for name, values in values_of.items():
                over = np.maximum(values - knots[-1], knots[0] - values)
                outside = over > 0.0
                if outside.any():
                    count, first = int(outside.sum()), int(outside.argmax())
                    found.append({"variable": name, "samples": count, "first": first, "farthest_m": float(over.max())})
    return found


class RtmMotion(Motion):
    """What stands in one row of the real-time model, or in the rows of many samples.

    Parameters
    ----------
    rows
        One or more.
    centre, tyres
        Of the model: its centre of gravity, and the columns of its tyres.
    """

    def __init__(self, rows: Array, centre: TotalCentre, tyres: Mapping[Corner, Sequence[int]]) -> None:
        super().__init__(rows)
        self._centre = centre
        self._tyres = tyres

    @property
    def tyres(self) -> Mapping[Corner, Sequence[int]]:
        return self._tyres

    @property
    def rack_travel(self) -> Values:
        return self._cells[_RACK]

    @property
    def gear(self) -> Values:
        return self._cells[_GEAR]

    @property
    def engine_speed(self) -> Values:
        return self._cells[_ENGINE]

    @property
    def steering_torque(self) -> Values:
        return self._cells[_TORQUE]

    @once
    def attitude(self) -> Attitude:
        return Attitude(*self._cells[_Q])

    @once
    def _offset(self) -> Vector:
        return self._centre.at(self._cells[_TRAVEL : _TRAVEL + 4])

    @once
    def position(self) -> Vector:
        (x, y, z), (dx, dy, dz) = self._cells[_R], self.attitude.turn(self._offset)
        return x + dx, y + dy, z + dz

    @once
    def velocity(self) -> Vector:
        (vx, vy, vz), (wx, wy, wz), (x, y, z) = self._cells[VELOCITY], self._cells[_W], self._offset
        return self.attitude.turn((vx + (wy * z - wz * y), vy + (wz * x - wx * z), vz + (wx * y - wy * x)))

    @property
    def acceleration(self) -> Vector:
        return self._cells[_ACCELERATION]

    @property
    def rates(self) -> Vector:
        return self._cells[_W]

    def wheel_speed(self, corner: Corner) -> Values:
        return self._cells[_SPIN + _PLACE[corner]]

    def wheel(self, corner: Corner) -> WheelPose:
        i = _PLACE[corner]
        inclination = self._cells[_INCLINATION + i]
        return WheelPose(self._cells[_TRAVEL + i], self._cells[_STEER + i], -corner.side.sign * inclination)

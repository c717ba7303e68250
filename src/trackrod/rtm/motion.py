"""Rows of the real-time model, and the motion that stands in them."""

# ruff: noqa: D102 - documented in `Motion`

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.core.motion import Attitude, BrakeLine, Motion, Values, Vector, WheelPose, once
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
    "brake_line",
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
STEERING_WHEEL, _BAR_TWIST = (_LAYOUT.column(name) for name in ("steering_wheel", "torsion_bar_twist"))
_ACCELERATION, _ANGULAR, _RIDE = (_LAYOUT[name] for name in ("acceleration", "angular_acceleration", "ride_height"))
_DAMPER, _DAMPER_RATE = (_LAYOUT.column(name) for name in ("damper_length", "damper_rate"))
_FRAME_TWIST, _FRAME_TWIST_RATE = (_LAYOUT.column(name) for name in ("frame_twist", "frame_twist_rate"))
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
    twisting
        Where the frame twists: moment of all that its rear half carries about its axis, wheels at the design position
        [kg·m]; None if it is rigid.
    """

    moment: Vector
    front: float
    rear: float
    total: float
    twisting: Vector | None = None

    @classmethod
    def of(cls, spec: RtmSpec, **changed: float) -> TotalCentre:
        """That of a model, some of its parameters changed."""
        p = {**spec.parameters, **changed}
        front, rear = p["unsprung_mass_front"], p["unsprung_mass_rear"]
        centres = np.array([wheel.centre for wheel in spec.wheels])
        origin = np.array([centres[0, 0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
        moment = np.array([front, front, rear, rear]) @ (centres - origin)
        twisting = None
        if (frame := spec.frame) is not None:
            carried = [(frame.mass, frame.centre), *((rear, centre) for centre in centres[2:])]
            twisting = np.sum([mass * (np.array(at) - frame.axis) for mass, at in carried], axis=0).tolist()
        return cls(moment.tolist(), front, rear, p["sprung_mass"] + 2 * (front + rear), twisting)

    def at(self, travels: Sequence[Values]) -> Vector:
        """The vector [m], wheels at their travels [m]."""
        fl, fr, rl, rr = travels
        x, y, z = self.moment
        moved = self.front * (fl + fr) + self.rear * (rl + rr)
        return tuple(moment / self.total for moment in (x, y, z + moved))

    def by_twist(self, travels: Sequence[Values], twist: Values, rate: Values) -> tuple[Vector, Vector]:
        """What a twist of the frame [rad] adds to the vector [m], and its rate [rad/s] to the velocity [m/s], in V."""
        _, y, z = self.twisting or (0.0, 0.0, 0.0)
        z = z + self.rear * (travels[2] + travels[3])
        c, s = np.cos(twist), np.sin(twist)
        moved_y, moved_z = c * y - s * z, s * y + c * z
        zero = 0.0 * twist
        added = (zero, (moved_y - y) / self.total, (moved_z - z) / self.total)
        return added, (zero, -moved_z * rate / self.total, moved_y * rate / self.total)


def tyre_columns(spec: RtmSpec) -> dict[Corner, list[int]]:
    """First column of each tyre, by the corner of its wheel."""
    corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
    return {
        corner: [_TYRES + _TYRE_COLUMNS * i for i, where in enumerate(corners) if where is corner] for corner in Corner
    }


def brake_line(spec: RtmSpec, **changed: float) -> BrakeLine | None:
    """The brakes of a model, some of its parameters changed; None where there are none or their pressure is unknown."""
    p = {**spec.parameters, **changed}
    torques = {axle: p[f"brake_{axle}"] for axle in Axle}
    if spec.brake_pressure is None or not all(torque > 0 for torque in torques.values()):
        return None
    return BrakeLine(spec.brake_pressure, torques)


def beyond_maps(rows: Array, spec: RtmSpec) -> list[dict[str, Plain]]:
    """Where samples lie beyond the knots of kinematics and springs, and how far; there they go on straight.

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
        parallel, opposite = 0.5 * (left + right), 0.5 * (left - right)
        wheel = spec.wheels[2 * i]
        first, second = wheel.first, wheel.second
        if axle.steered:
            of_wheels, of_axle = first, [("rack travel", rows[:, _RACK], second)]
            of_axle.append(
                (f"opposite travel of {position}", opposite, wheel.opposite if wheel.opposite.size else axle.roll.x)
            )
        else:
            of_wheels, of_axle = wheel.spring.x, [(f"parallel travel of {position}", parallel, first)]
            of_axle.append((f"opposite travel of {position}", opposite, second))
        of_both = [(f"travel of {position} left", left, of_wheels), (f"travel of {position} right", right, of_wheels)]
        for name, values, knots in (*of_both, *of_axle):
            if len(knots) == 0:
                continue  # an axle without this spring
            over = np.maximum(values - knots[-1], knots[0] - values)
            outside = over > 0.0
            if outside.any():
                count, start = int(outside.sum()), int(outside.argmax())
                found.append({"variable": name, "samples": count, "first": start, "farthest_m": float(over.max())})
    return found


class RtmMotion(Motion):
    """What stands in one row of the real-time model, or in the rows of many samples.

    Parameters
    ----------
    rows
        One or more.
    centre, tyres, brakes
        Of the model: its centre of gravity, the columns of its tyres, its brakes where their pressure is known.
    elastic
        Whether its steering has a torsion bar.
    """

    def __init__(
        self,
        rows: Array,
        centre: TotalCentre,
        tyres: Mapping[Corner, Sequence[int]],
        brakes: BrakeLine | None = None,
        *,
        elastic: bool = False,
    ) -> None:
        super().__init__(rows)
        self._centre = centre
        self._tyres = tyres
        self._brakes = brakes
        self._elastic = elastic

    @property
    def brake_line(self) -> BrakeLine | None:
        return self._brakes

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

    @property
    def torsion_bar_twist(self) -> Values | None:
        return self._cells[_BAR_TWIST] if self._elastic else None

    @once
    def attitude(self) -> Attitude:
        return Attitude(*self._cells[_Q])

    @property
    def frame_twist(self) -> Values | None:
        return None if self._centre.twisting is None else self._cells[_FRAME_TWIST]

    @once
    def _by_twist(self) -> tuple[Vector, Vector]:
        travels = self._cells[_TRAVEL : _TRAVEL + 4]
        return self._centre.by_twist(travels, self._cells[_FRAME_TWIST], self._cells[_FRAME_TWIST_RATE])

    @once
    def _offset(self) -> Vector:
        offset = self._centre.at(self._cells[_TRAVEL : _TRAVEL + 4])
        if self._centre.twisting is None:
            return offset
        return tuple(a + b for a, b in zip(offset, self._by_twist[0], strict=True))

    @once
    def position(self) -> Vector:
        (x, y, z), (dx, dy, dz) = self._cells[_R], self.attitude.turn(self._offset)
        return x + dx, y + dy, z + dz

    @once
    def velocity(self) -> Vector:
        (vx, vy, vz), (wx, wy, wz), (x, y, z) = self._cells[VELOCITY], self._cells[_W], self._offset
        velocity: Vector = vx + (wy * z - wz * y), vy + (wz * x - wx * z), vz + (wx * y - wy * x)
        if self._centre.twisting is not None:
            velocity = tuple(a + b for a, b in zip(velocity, self._by_twist[1], strict=True))
        return self.attitude.turn(velocity)

    @property
    def acceleration(self) -> Vector:
        return self._cells[_ACCELERATION]

    @property
    def rates(self) -> Vector:
        return self._cells[_W]

    @property
    def angular_acceleration(self) -> Vector:
        return self._cells[_ANGULAR]

    @property
    def ride_heights(self) -> Vector:
        return self._cells[_RIDE]

    def damper(self, corner: Corner) -> Vector:
        i = _PLACE[corner]
        return self._cells[_DAMPER + i], self._cells[_DAMPER_RATE + i]

    def wheel_input(self, name: str, corner: Corner) -> Values:
        return self._cells[_LAYOUT.column(name) + _PLACE[corner]]

    def wheel_speed(self, corner: Corner) -> Values:
        return self._cells[_SPIN + _PLACE[corner]]

    def wheel(self, corner: Corner) -> WheelPose:
        i = _PLACE[corner]
        inclination = self._cells[_INCLINATION + i]
        return WheelPose(self._cells[_TRAVEL + i], self._cells[_STEER + i], -corner.side.sign * inclination)

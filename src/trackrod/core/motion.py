"""The motion of a vehicle: from what a model computes to every signal of a run, written once for all models.

A model keeps its samples as rows of plain numbers. A `Motion` names what stands in them, either in one row (then every
quantity is a number) or in many (then it is an array over the samples); all arithmetic here is the same for both. So
looking at one signal of the last sample costs a driver a few microseconds, and the whole run is made once, at its end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import UnknownNameError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.signals import CornerSignal, Signal
from trackrod.core.wheel_inputs import WHEEL_SIGNALS

__all__ = [
    "FIRST",
    "READERS",
    "Attitude",
    "BrakeLine",
    "Motion",
    "Values",
    "Vector",
    "WheelPose",
    "once",
    "rotation_matrices",
]

Array = NDArray[np.float64]
#: An array over the samples; for a single sample a number, which takes part in arithmetic in the same way.
Values: TypeAlias = Array
Vector: TypeAlias = Sequence[Values]

T = TypeVar("T")

#: How many numbers the rows of all models begin with, see `Motion`.
FIRST = 4


class once(Generic[T]):  # noqa: N801 - used as a decorator
    """A property worked out when it is asked for the first time.

    As `functools.cached_property`, without the lock that it has in Python 3.11: a motion belongs to one thread, and
    the lock would take longer than what is worked out.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type) -> T:
        found = instance.__dict__[self._name] = self._compute(instance)
        return found


def rotation_matrices(quaternions: Array) -> Array:
    """Rotation matrices of unit quaternions w, x, y, z, shape (…, 4) to (…, 3, 3)."""
    w, x, y, z = (quaternions[..., k] for k in range(4))
    xx, yy, zz = 2 * x * x, 2 * y * y, 2 * z * z
    xy, xz, yz = 2 * x * y, 2 * x * z, 2 * y * z
    wx, wy, wz = 2 * w * x, 2 * w * y, 2 * w * z
    rows = (1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy))
    R = np.empty((*w.shape, 9))
    for k, values in enumerate(rows):  # many are asked for one at a time: stacking takes longer than the rest
        R[..., k] = values
    return R.reshape((*w.shape, 3, 3))


@dataclass(frozen=True, slots=True)
class Attitude:
    """Orientation of the body in E, as a quaternion; its angles in the order of ISO 8855 (about z, y, x) [rad].

    Holds: the angles do not depend on the length of the quaternion.
    """

    w: Values
    x: Values
    y: Values
    z: Values

    @property
    def yaw(self) -> Values:
        """From −π to π, positive in a left turn."""
        w, x, y, z = self.w, self.x, self.y, self.z
        return np.arctan2(2 * (x * y + w * z), w * w + x * x - y * y - z * z)

    @property
    def pitch(self) -> Values:
        """Positive nose down."""
        w, x, y, z = self.w, self.x, self.y, self.z
        sine = 2 * (w * y - x * z) / (w * w + x * x + y * y + z * z)
        return np.arcsin(np.minimum(np.maximum(sine, -1.0), 1.0))

    @property
    def roll(self) -> Values:
        """Positive with the right side down."""
        w, x, y, z = self.w, self.x, self.y, self.z
        return np.arctan2(2 * (y * z + w * x), w * w - x * x - y * y + z * z)

    def turn(self, vector: Vector) -> Vector:
        """A vector of V in E."""
        w, x, y, z = self.w, self.x, self.y, self.z
        a, b, c = vector
        return (
            (1 - 2 * (y * y + z * z)) * a + 2 * (x * z + w * y) * c + 2 * (x * y - w * z) * b,
            2 * (x * y + w * z) * a + 2 * (y * z - w * x) * c + (1 - 2 * (x * x + z * z)) * b,
            2 * (x * z - w * y) * a + (1 - 2 * (x * x + y * y)) * c + 2 * (y * z + w * x) * b,
        )


@dataclass(frozen=True, slots=True)
class WheelPose:
    """A wheel against the body: travel [m], bump; steer [rad], left; camber [rad], top outward."""

    travel: Values
    steer: Values
    camber: Values


@dataclass(frozen=True, slots=True)
class BrakeLine:
    """Brakes at full pedal: pressure [Pa], and torque of one wheel of each axle [N·m]."""

    pressure: float
    torques: Mapping[Axle, float]


class Motion(ABC):
    """What a model says about the vehicle, at one sample or over many [SI units].

    Parameters
    ----------
    rows
        One row, or an array of them. Those of every model begin with `FIRST`: steering-wheel angle [rad], throttle and
        brake [0 to 1], and the time since the model was settled [s].
    """

    def __init__(self, rows: Array) -> None:
        # Numbers of Python, because arithmetic with them is several times as fast as with single ones of NumPy.
        self._cells: Sequence[Values] = rows.tolist() if rows.ndim == 1 else list(rows.T)
        self.steering_wheel_angle: Values = self._cells[0]
        self.throttle: Values = self._cells[1]
        self.brake: Values = self._cells[2]
        self.time: Values = self._cells[3]

    @property
    @abstractmethod
    def rack_travel(self) -> Values:
        """[m], left."""

    @property
    @abstractmethod
    def gear(self) -> Values:
        """From 1; 0 in neutral."""

    @property
    @abstractmethod
    def engine_speed(self) -> Values:
        """Of the crankshaft [rad/s]."""

    @property
    def steering_torque(self) -> Values | None:
        """Of the driver [N·m]; None where the model does not know it."""
        return None

    @property
    def torsion_bar_twist(self) -> Values | None:
        """Steering shaft against pinion [rad]; None where the model does not know it."""
        return None

    @property
    def frame_twist(self) -> Values | None:
        """Rear half of the frame against the front half about x of V [rad]; None where the frame is rigid."""
        return None

    @property
    @abstractmethod
    def attitude(self) -> Attitude:
        """Of the body."""

    @property
    @abstractmethod
    def position(self) -> Vector:
        """Of the total centre of gravity in E [m]."""

    @property
    @abstractmethod
    def velocity(self) -> Vector:
        """Of the total centre of gravity in E [m/s]."""

    @property
    @abstractmethod
    def acceleration(self) -> Vector:
        """Of the total centre of gravity in E, without gravity [m/s²]."""

    @property
    @abstractmethod
    def rates(self) -> Vector:
        """Angular velocity of the body about the axes of V [rad/s]."""

    @property
    def angular_acceleration(self) -> Vector | None:
        """Rates of `rates` [rad/s²]; None where the model does not know them."""
        return None

    @property
    def ride_heights(self) -> Vector | None:
        """Of the body above the level road at the front and at the rear axle [m]; None where it does not know them."""
        return None

    @property
    @abstractmethod
    def tyres(self) -> Mapping[Corner, Sequence[int]]:
        """First column of each tyre by the corner of its wheel, two where there are twin tyres.

        From there on stand Fx, Fy, Fz [N], Mx, My, Mz [N·m] of the road on the tyre in T, slip ratio, slip angle [rad].
        """

    @abstractmethod
    def wheel_speed(self, corner: Corner) -> Values:
        """[rad/s], rolling forward."""

    @abstractmethod
    def wheel(self, corner: Corner) -> WheelPose:
        """A wheel against the body."""

    def damper(self, corner: Corner) -> Vector | None:
        """Length of a wheel's damper [m] and its rate [m/s]; None where the model does not know them."""
        del corner
        return None

    def wheel_input(self, name: str, corner: Corner) -> Values | None:
        """What an assistance system does at a wheel, by a name of `WHEEL_COLUMNS`; None where a model has no inputs."""
        del name, corner
        return None

    @property
    def brake_line(self) -> BrakeLine | None:
        """What the pressures of the brakes follow from; None where the model does not know it."""
        return None

    def brake_pressure(self, corner: Corner) -> Values | None:
        """Of a wheel's brake [Pa]."""
        line, added = self.brake_line, self.wheel_input("brake_torque", corner)
        if line is None or added is None:
            return None
        return line.pressure * (self.brake + added / line.torques[corner.axle])

    @once
    def yaw(self) -> Values:
        """From −π to π [rad]."""
        return self.attitude.yaw

    @once
    def _heading(self) -> tuple[Values, Values]:
        return np.cos(self.yaw), np.sin(self.yaw)

    def _in_heading(self, vector: Vector) -> Vector:
        """A vector of E in the horizontal frame that turns with the yaw angle."""
        c, s = self._heading
        x, y, z = vector
        return c * x + s * y, c * y - s * x, z

    @once
    def heading_velocity(self) -> Vector:
        """Of the total centre of gravity in the heading frame [m/s]."""
        return self._in_heading(self.velocity)

    @once
    def heading_acceleration(self) -> Vector:
        """Of the total centre of gravity in the heading frame [m/s²]."""
        return self._in_heading(self.acceleration)

    def _total(self, corner: Corner, which: int) -> Values:
        """Sum over the tyres of a wheel."""
        first, *twins = self.tyres[corner]
        total = self._cells[first + which]
        for twin in twins:
            total = total + self._cells[twin + which]
        return total

    def value(self, column: str) -> float:
        """One signal of a single sample by its column; UnknownNameError with close matches if there is no such."""
        read = READERS.get(column)
        found = None if read is None else read(self)
        if found is None:
            raise UnknownNameError("signal of a model", column, READERS)
        return float(found)

    def run(self, metadata: Mapping[str, Plain]) -> Run:
        """The run of many samples."""
        return Run(self.columns(), metadata)

    def columns(self) -> dict[str, Array]:
        """All signals over many samples by their columns; the yaw angle without jumps."""
        found = {column: values for column, read in READERS.items() if (values := read(self)) is not None}
        for family in WHEEL_SIGNALS.values():  # of what assistance systems do, only what they did
            given = [signal.column for signal in family.signals]
            if not any(column in found and found[column].any() for column in given):
                found = {column: values for column, values in found.items() if column not in given}
        return {**found, signals.YAW.column: np.unwrap(self.yaw)}


def _part(vector: Vector | None, which: int) -> Values | None:
    return None if vector is None else vector[which]


def _readers() -> dict[str, Callable[[Motion], Values | None]]:
    found: dict[Signal, Callable[[Motion], Values | None]] = {
        signals.TIME: lambda m: m.time,
        signals.STEERING_WHEEL_ANGLE: lambda m: m.steering_wheel_angle,
        signals.RACK_TRAVEL: lambda m: m.rack_travel,
        signals.THROTTLE: lambda m: m.throttle,
        signals.BRAKE: lambda m: m.brake,
        signals.GEAR: lambda m: m.gear,
        signals.X: lambda m: m.position[0],
        signals.Y: lambda m: m.position[1],
        signals.Z: lambda m: m.position[2],
        signals.ROLL: lambda m: m.attitude.roll,
        signals.PITCH: lambda m: m.attitude.pitch,
        signals.YAW: lambda m: m.yaw,
        signals.VX: lambda m: m.heading_velocity[0],
        signals.VY: lambda m: m.heading_velocity[1],
        signals.AX: lambda m: m.heading_acceleration[0],
        signals.AY: lambda m: m.heading_acceleration[1],
        signals.AZ: lambda m: m.heading_acceleration[2],
        signals.YAW_RATE: lambda m: m.rates[2],
        signals.ROLL_RATE: lambda m: m.rates[0],
        signals.PITCH_RATE: lambda m: m.rates[1],
        signals.YAW_ACCELERATION: lambda m: _part(m.angular_acceleration, 2),
        signals.ROLL_ACCELERATION: lambda m: _part(m.angular_acceleration, 0),
        signals.PITCH_ACCELERATION: lambda m: _part(m.angular_acceleration, 1),
        signals.RIDE_HEIGHT_FRONT: lambda m: _part(m.ride_heights, 0),
        signals.RIDE_HEIGHT_REAR: lambda m: _part(m.ride_heights, 1),
        signals.SIDESLIP: lambda m: np.arctan2(m.heading_velocity[1], m.heading_velocity[0]),
        signals.ENGINE_SPEED: lambda m: m.engine_speed,
        signals.STEERING_TORQUE: lambda m: m.steering_torque,
        signals.TORSION_BAR_TWIST: lambda m: m.torsion_bar_twist,
        signals.FRAME_TWIST: lambda m: m.frame_twist,
    }
    of_wheels: dict[CornerSignal, Callable[[Motion, Corner], Values | None]] = {
        signals.FX: lambda m, c: m._total(c, 0),
        signals.FY: lambda m, c: m._total(c, 1),
        signals.FZ: lambda m, c: m._total(c, 2),
        signals.MY: lambda m, c: m._total(c, 4),
        signals.MZ: lambda m, c: m._total(c, 5),
        signals.SLIP_RATIO: lambda m, c: m._total(c, 6) / len(m.tyres[c]),
        signals.SLIP_ANGLE: lambda m, c: m._total(c, 7) / len(m.tyres[c]),
        signals.WHEEL_SPEED: lambda m, c: m.wheel_speed(c),
        signals.WHEEL_TRAVEL: lambda m, c: m.wheel(c).travel,
        signals.STEER: lambda m, c: m.wheel(c).steer,
        signals.CAMBER: lambda m, c: m.wheel(c).camber,
        signals.DAMPER_LENGTH: lambda m, c: _part(m.damper(c), 0),
        signals.DAMPER_VELOCITY: lambda m, c: _part(m.damper(c), 1),
        signals.BRAKE_PRESSURE: lambda m, c: m.brake_pressure(c),
    }
    for name, family in WHEEL_SIGNALS.items():
        of_wheels[family] = lambda m, c, name=name: m.wheel_input(name, c)  # type: ignore[misc]
    for family, read in of_wheels.items():
        for corner in Corner:
            found[family[corner]] = lambda m, read=read, corner=corner: read(m, corner)  # type: ignore[misc]
    return {column: found[signal] for column, signal in signals.SIGNALS.items() if signal in found}


#: How each column is read from a motion, in the order in which runs are written; None where a model does not know it.
READERS: Mapping[str, Callable[[Motion], Values | None]] = MappingProxyType(_readers())

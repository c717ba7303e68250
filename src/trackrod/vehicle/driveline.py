"""Engines, differentials, torque converters and steering assistance, in SI units, wherever they were read from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.quantities import Dimension, Kind
from trackrod.vehicle.characteristics import Characteristic, wrong_kinds
from trackrod.vehicle.checks import frozen, not_increasing, not_positive, refuse

__all__ = [
    "CAPACITY_FACTOR",
    "ConverterClutch",
    "DifferentialCharacteristic",
    "EngineMap",
    "SteeringAssistCharacteristic",
    "TorqueConverterCharacteristic",
]

#: Speed of the impeller over the square root of its torque.
CAPACITY_FACTOR = Kind(
    "capacity_factor",
    "rad/s/√(N·m)",
    "",
    Dimension(length=-0.5, force=-0.5, angle=1, time=-1),
    "capacity factor of a torque converter",
    0.0,
    1e7,
)


@dataclass(frozen=True, slots=True, eq=False)
class EngineMap:
    """Torque of an engine over speed and throttle.

    Attributes
    ----------
    throttle
        Throttle from 0 to 1 [-], increasing.
    speed
        Speed of the crankshaft [rad/s], increasing.
    torque
        Torque at the clutch [N·m], positive when driving; one row for each speed, one column for each throttle.
    """

    throttle: NDArray[np.float64]
    speed: NDArray[np.float64]
    torque: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("throttle", "speed", "torque"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        problems = not_increasing("throttle", self.throttle) + not_increasing("speed", self.speed)
        if not problems and (self.throttle[0] < 0 or self.throttle[-1] > 1):
            problems.append(f"throttle goes from {self.throttle[0]:g} to {self.throttle[-1]:g}, 0 to 1 is allowed")
        if self.torque.shape != (self.speed.size, self.throttle.size):
            text = f"torque has the shape {self.torque.shape}, {self.speed.size} speeds and"
            problems.append(f"{text} {self.throttle.size} throttle values are given")
        elif not np.isfinite(self.torque).all():
            problems.append("torque must be finite")
        refuse(problems)


@dataclass(frozen=True, slots=True)
class DifferentialCharacteristic:
    """A limited-slip differential: torque [N·m] that resists the slip speed between its outputs [rad/s]."""

    curve: Characteristic

    def __post_init__(self) -> None:
        refuse(wrong_kinds(self.curve, "a differential", "angular_velocity", "torque"))


@dataclass(frozen=True, slots=True)
class ConverterClutch:
    """Lock-up clutch of a torque converter.

    Attributes
    ----------
    mass
        Mass [kg].
    inertia
        Moments of inertia Ixx, Iyy, Izz [kg·m²].
    torsional_stiffness, torsional_damping
        Connection to the turbine [N·m/rad], [N·m·s/rad].
    change_over_point
        Speed ratio at which the clutch starts to close [-].
    slip_gain
        Gain of the connection to the impeller, as its file gives it.

    Limits: the unit of `slip_gain` is not stated by the files and no unit is converted.
    """

    mass: float
    inertia: tuple[float, float, float]
    torsional_stiffness: float
    torsional_damping: float
    change_over_point: float
    slip_gain: float


@dataclass(frozen=True, slots=True)
class TorqueConverterCharacteristic:
    """A hydrodynamic torque converter.

    Attributes
    ----------
    torque_ratio
        Torque of the turbine over torque of the impeller, over the speed ratio turbine/impeller [-].
    capacity_factor
        Impeller speed over the root of the impeller torque [rad/s/√(N·m)], over the speed ratio [-].
    clutch
        Lock-up clutch, None where there is none or it is not active.
    """

    torque_ratio: Characteristic
    capacity_factor: Characteristic
    clutch: ConverterClutch | None = None

    def __post_init__(self) -> None:
        refuse(
            wrong_kinds(self.torque_ratio, "the torque ratio", "number", "number")
            + wrong_kinds(self.capacity_factor, "the capacity factor", "number", CAPACITY_FACTOR.name)
        )


@dataclass(frozen=True, slots=True)
class SteeringAssistCharacteristic:
    """Hydraulic steering assistance controlled by a torsion bar.

    Attributes
    ----------
    torsion_bar
        Torque [N·m] over the twist of the bar [rad]; None where the file leaves it to a bushing.
    pressure
        Pressure difference at the piston [Pa] over the twist of the bar [rad].
    piston_area
        Area of the piston [m²]; the force on the rack is pressure difference times area.
    """

    torsion_bar: Characteristic | None
    pressure: Characteristic
    piston_area: float

    def __post_init__(self) -> None:
        problems = wrong_kinds(self.pressure, "the assistance", "angle", "pressure")
        if self.torsion_bar is not None:
            problems += wrong_kinds(self.torsion_bar, "a torsion bar", "angle", "torque")
        refuse(problems + not_positive(piston_area=self.piston_area))

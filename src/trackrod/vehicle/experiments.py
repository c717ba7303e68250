"""What a vehicle or a suspension is put through: load cases of a rig and experiments of a driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core.units import UnitSystem
from trackrod.vehicle.checks import frozen, refuse

__all__ = [
    "Control",
    "ControlTable",
    "ControlValue",
    "DriverControl",
    "LoadCase",
    "MiniManoeuvre",
    "SteeringMode",
    "VerticalMode",
]


class SteeringMode(StrEnum):
    """What a load case gives for the steering: wheel angle [rad], rack travel [m] or force [N]."""

    ANGLE = "angle"
    LENGTH = "length"
    FORCE = "force"


class VerticalMode(StrEnum):
    """What a load case gives for the wheels: travel [m] or force [N]."""

    LENGTH = "length"
    FORCE = "force"


@dataclass(frozen=True, slots=True, eq=False)
class LoadCase:
    """A programme for a suspension rig, one row for each step; columns of two are left and right.

    Attributes
    ----------
    steering_mode, vertical_mode
        What `steer` and `vertical` are.
    vertical
        Wheel travel [m] or wheel load [N], shape (n, 2).
    lateral_force, aligning_torque, brake_force, drive_force
        Shape (n, 2) [N], [N·m], [N], [N].
    steer
        Steering-wheel angle [rad], rack travel [m] or force [N], shape (n,).

    Limits: signs are those of the file, in the axes of its rig; only the units are converted.
    """

    steering_mode: SteeringMode
    vertical_mode: VerticalMode
    vertical: NDArray[np.float64]
    lateral_force: NDArray[np.float64]
    aligning_torque: NDArray[np.float64]
    brake_force: NDArray[np.float64]
    drive_force: NDArray[np.float64]
    steer: NDArray[np.float64]

    def __post_init__(self) -> None:
        steps = np.size(self.steer)
        problems = [] if steps else ["a load case needs at least one step"]
        for name in ("vertical", "lateral_force", "aligning_torque", "brake_force", "drive_force", "steer"):
            array = frozen(getattr(self, name))
            object.__setattr__(self, name, array)
            wanted = (steps,) if name == "steer" else (steps, 2)
            if array.shape != wanted:
                problems.append(f"{name} has the shape {array.shape}, {wanted} is needed")
            elif not np.isfinite(array).all():
                problems.append(f"{name} must be finite")
        refuse(problems)


#: What a control of a driver holds: number, text, list of either, or nothing.
ControlValue: TypeAlias = float | int | str | tuple[float, ...] | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ControlTable:
    """A table of a control: names of the columns, their rows as read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[float | int | str, ...], ...]


@dataclass(frozen=True, slots=True)
class Control:
    """One control of a mini manoeuvre, such as STEERING or END_CONDITIONS: attributes and tables as read."""

    name: str
    attributes: Mapping[str, ControlValue] = field(default_factory=dict, hash=False)
    tables: tuple[ControlTable, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))


@dataclass(frozen=True, slots=True)
class MiniManoeuvre:
    """One leg of an experiment: its name, when it is broken off [s], its time step [s] and its controls."""

    name: str
    abort_time: float
    step_size: float
    controls: tuple[Control, ...]

    def control(self, name: str) -> Control | None:
        """The control called `name`, in any case."""
        return next((found for found in self.controls if found.name.casefold() == name.casefold()), None)


@dataclass(frozen=True, slots=True)
class DriverControl:
    """An experiment of a driver: how it begins, and mini manoeuvres in order.

    Attributes
    ----------
    name
        Name of the experiment.
    initial_speed
        [m/s]; None where the file does not say.
    experiment
        All attributes of the experiment as read.
    manoeuvres
        In the order in which they are driven.
    units
        Units of the numbers that are kept as read: attributes of the experiment and of the controls.
    """

    name: str
    initial_speed: float | None
    experiment: Control
    manoeuvres: tuple[MiniManoeuvre, ...]
    units: UnitSystem

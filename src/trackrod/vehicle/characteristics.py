"""Characteristics of components: curves and tables of force elements, drivelines and leaf springs, in SI units.

Nothing here knows where it was read from. A curve is kept as its points: how it is interpolated is for the model
that uses it. Every object refuses what cannot be, so that a model never meets it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import InputError, Problem, RangeError, raise_if_errors
from trackrod.core.quantities import Dimension, Kind
from trackrod.core.units import UnitSystem

__all__ = [
    "BUSHING_DIRECTIONS",
    "CAPACITY_FACTOR",
    "ELASTIC_MODULUS",
    "AxleMount",
    "BushingCharacteristic",
    "Characteristic",
    "Control",
    "ControlTable",
    "ControlValue",
    "ConverterClutch",
    "DamperCharacteristic",
    "DifferentialCharacteristic",
    "DriverControl",
    "EngineMap",
    "Leaf",
    "LeafAxleSeat",
    "LeafBushing",
    "LeafClip",
    "LeafContact",
    "LeafEye",
    "LeafSpring",
    "LoadCase",
    "MiniManoeuvre",
    "Shackle",
    "SpringCharacteristic",
    "SteeringAssistCharacteristic",
    "SteeringMode",
    "StopCharacteristic",
    "TorqueConverterCharacteristic",
    "VerticalMode",
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

#: Stiffness of a material; its range reaches beyond that of a pressure.
ELASTIC_MODULUS = Kind(
    "elastic_modulus", "Pa", "Pa", Dimension(force=1, length=-2), "modulus of elasticity or shear", 0.0, 1e13
)

#: Order of the six directions of a bushing: forces over displacements, then torques over angles.
BUSHING_DIRECTIONS = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")

_SYMMETRY_TOLERANCE = 1e-6  # files write seven digits


def _frozen(values: ArrayLike) -> NDArray[np.float64]:
    """A copy that cannot be written to; −0 becomes 0, so that equal arrays have equal bytes."""
    array: NDArray[np.float64] = np.array(values, dtype=np.float64) + 0.0
    array.setflags(write=False)
    return array


def _refuse(problems: list[str]) -> None:
    raise_if_errors([Problem(text) for text in problems], RangeError)


def _not_increasing(name: str, values: NDArray[np.float64]) -> list[str]:
    """What keeps an array from being a strictly increasing abscissa of two points or more."""
    if values.ndim != 1 or values.size < 2:
        return [f"{name} needs two values or more in one row, it has the shape {values.shape}"]
    if not np.isfinite(values).all():
        return [f"{name} must be finite"]
    folds = np.flatnonzero(np.diff(values) <= 0)
    if folds.size:
        before, after = values[folds[0]], values[folds[0] + 1]
        return [f"{name} must increase from value to value, {after:g} follows {before:g}"]
    return []


@dataclass(frozen=True, slots=True, eq=False)
class Characteristic:
    """A curve through points.

    Attributes
    ----------
    x, y
        Abscissa and ordinate of the points [units of the kinds]; read-only.
    x_kind, y_kind
        What they are.

    Holds: two points or more, all finite, x strictly increasing.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_kind: Kind
    y_kind: Kind

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _frozen(self.x))
        object.__setattr__(self, "y", _frozen(self.y))
        problems = _not_increasing("x of a characteristic", self.x)
        if self.y.shape != self.x.shape:
            problems.append(f"x and y of a characteristic have the shapes {self.x.shape} and {self.y.shape}")
        elif not np.isfinite(self.y).all():
            problems.append("y of a characteristic must be finite")
        _refuse(problems)

    @classmethod
    def linear(cls, slope: float, reach: float, x_kind: Kind, y_kind: Kind) -> Characteristic:
        """The straight line through the origin, drawn from −`reach` to `reach`."""
        return cls(np.array([-reach, reach]), np.array([-slope * reach, slope * reach]), x_kind, y_kind)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Characteristic):
            return NotImplemented
        return (
            np.array_equal(self.x, other.x)
            and np.array_equal(self.y, other.y)
            and (self.x_kind, self.y_kind) == (other.x_kind, other.y_kind)
        )

    def __hash__(self) -> int:
        return hash((self.x.tobytes(), self.y.tobytes(), self.x_kind, self.y_kind))

    @property
    def mean_slope(self) -> float:
        """Slope of the secant from the first point to the last."""
        return self._secant(0, self.x.size - 1)

    def slope(self, at: float) -> float:
        """Slope of the secant through the points next to `at`.

        These are the ends of the segment that holds `at`, and the two neighbours of a point that stands in the
        table. Outside the table it is the slope of the first or the last segment.

        Holds: between the least and the greatest slope of the segments.
        """
        last = self.x.size - 1
        low = min(max(int(np.searchsorted(self.x, at, side="left")) - 1, 0), last - 1)
        high = max(min(int(np.searchsorted(self.x, at, side="right")), last), 1)
        return self._secant(low, high)

    def _secant(self, low: int, high: int) -> float:
        # Python numbers: points closer than the range of a double allows give inf, not a warning.
        rise = float(self.y[high]) - float(self.y[low])
        return rise / (float(self.x[high]) - float(self.x[low]))

    @property
    def is_monotone(self) -> bool:
        """Whether y never turns back: it does not fall anywhere, or does not rise anywhere."""
        steps = np.diff(self.y)
        return bool((steps >= 0).all() or (steps <= 0).all())

    @property
    def is_symmetric(self) -> bool:
        """Whether the curve is odd, y(−x) = −y(x), to the digits that files have."""
        return bool(
            np.allclose(self.x, -self.x[::-1], rtol=0, atol=_SYMMETRY_TOLERANCE * np.abs(self.x).max())
            and np.allclose(self.y, -self.y[::-1], rtol=0, atol=_SYMMETRY_TOLERANCE * np.abs(self.y).max())
        )


def _wrong_kinds(curve: Characteristic, what: str, x: str, y: str) -> list[str]:
    if (curve.x_kind.name, curve.y_kind.name) == (x, y):
        return []
    return [f"{what} is a curve of {y} over {x}, not of {curve.y_kind.name} over {curve.x_kind.name}"]


def _not_positive(**values: float) -> list[str]:
    return [
        f"{name} = {value:g} must be finite and greater than zero"
        for name, value in values.items()
        if not (math.isfinite(value) and value > 0)
    ]


@dataclass(frozen=True, slots=True)
class SpringCharacteristic:
    """A coil spring.

    Attributes
    ----------
    curve
        Force [N] over compression from the free length [m]; compression and pushing force positive.
    free_length
        Length without force [m].
    """

    curve: Characteristic
    free_length: float

    def __post_init__(self) -> None:
        _refuse(_wrong_kinds(self.curve, "a spring", "length", "force") + _not_positive(free_length=self.free_length))


@dataclass(frozen=True, slots=True)
class DamperCharacteristic:
    """A damper: force [N] over velocity [m/s].

    The velocity is positive in extension (rebound); the force is positive where it resists the extension.
    """

    curve: Characteristic

    def __post_init__(self) -> None:
        _refuse(_wrong_kinds(self.curve, "a damper", "velocity", "force"))


@dataclass(frozen=True, slots=True)
class StopCharacteristic:
    """A bump stop or a rebound stop: force [N] over penetration [m], positive where it resists.

    Holds: no penetration is negative.
    """

    curve: Characteristic

    def __post_init__(self) -> None:
        problems = _wrong_kinds(self.curve, "a stop", "length", "force")
        if self.curve.x[0] < 0:
            problems.append(f"the penetration of a stop starts at {self.curve.x[0]:g} m, it must not be negative")
        _refuse(problems)


@dataclass(frozen=True, slots=True)
class BushingCharacteristic:
    """A bushing with six independent directions in its own axes.

    Attributes
    ----------
    curves
        Forces [N] over displacements [m] along x, y, z, then torques [N·m] over angles [rad] about them; the sign
        is that of the resisted displacement, so a restoring bushing has rising curves.
    damping
        Viscous damping, three of [N·s/m], three of [N·m·s/rad].
    """

    curves: tuple[Characteristic, ...]
    damping: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.curves) != 6 or len(self.damping) != 6:
            raise InputError(f"a bushing has 6 curves and 6 dampings, not {len(self.curves)} and {len(self.damping)}")
        problems = []
        for name, curve in zip(BUSHING_DIRECTIONS, self.curves, strict=True):
            kinds = ("length", "force") if name.startswith("F") else ("angle", "torque")
            problems += _wrong_kinds(curve, f"{name} of a bushing", *kinds)
        if not all(math.isfinite(value) for value in self.damping):
            problems.append("the damping of a bushing must be finite")
        _refuse(problems)

    @property
    def stiffness(self) -> tuple[float, ...]:
        """Slopes of the six curves at zero, three of [N/m], three of [N·m/rad]."""
        return tuple(curve.slope(0.0) for curve in self.curves)


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
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        problems = _not_increasing("throttle", self.throttle) + _not_increasing("speed", self.speed)
        if not problems and (self.throttle[0] < 0 or self.throttle[-1] > 1):
            problems.append(f"throttle goes from {self.throttle[0]:g} to {self.throttle[-1]:g}, 0 to 1 is allowed")
        if self.torque.shape != (self.speed.size, self.throttle.size):
            text = f"torque has the shape {self.torque.shape}, {self.speed.size} speeds and"
            problems.append(f"{text} {self.throttle.size} throttle values are given")
        elif not np.isfinite(self.torque).all():
            problems.append("torque must be finite")
        _refuse(problems)


@dataclass(frozen=True, slots=True)
class DifferentialCharacteristic:
    """A limited-slip differential: torque [N·m] that resists the slip speed between its outputs [rad/s]."""

    curve: Characteristic

    def __post_init__(self) -> None:
        _refuse(_wrong_kinds(self.curve, "a differential", "angular_velocity", "torque"))


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
        _refuse(
            _wrong_kinds(self.torque_ratio, "the torque ratio", "number", "number")
            + _wrong_kinds(self.capacity_factor, "the capacity factor", "number", CAPACITY_FACTOR.name)
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
        problems = _wrong_kinds(self.pressure, "the assistance", "angle", "pressure")
        if self.torsion_bar is not None:
            problems += _wrong_kinds(self.torsion_bar, "a torsion bar", "angle", "torque")
        _refuse(problems + _not_positive(piston_area=self.piston_area))


# ----------------------------------------------------------------------------------------------- leaf springs


class AxleMount(StrEnum):
    """Whether the axle lies below (overslung leaf pack) or above (underslung) the leaves."""

    OVERSLUNG = "overslung"
    UNDERSLUNG = "underslung"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf, in ISO axes about its centre bolt: x forward, z up.

    Attributes
    ----------
    front_length, rear_length
        Lengths from the centre bolt [m].
    front_elements, rear_elements
        Numbers of beam elements.
    seat_thickness, seat_width
        Section at the centre [m].
    elastic_modulus, shear_modulus, density
        Material [Pa], [Pa], [kg/m³].
    damping
        Material damping, as the file gives it.
    shear_factor_y, shear_factor_z
        Shear area factors of the beam section [-].
    z_offset
        Height of the leaf above the profile's zero [m].
    profile
        Height z over x of the unloaded leaf [m].
    thickness
        Thickness over x [m], where the file gives it; None if it gives less than two values.
    every_point_fitted
        Whether the profile is fitted through all points, or the first and the last are those of the eyes;
        None where the file does not say, as it does for the first leaf only.
    auxiliary
        Whether the leaf is an auxiliary one that comes into contact under load.
    contact_points
        Contact points with the leaf above: front, rear.
    gap
        Distance from the leaf above at the front, the centre and the rear [m].

    Limits: the files do not state the unit of `damping`; it is not converted.
    """

    front_length: float
    rear_length: float
    front_elements: int
    rear_elements: int
    seat_thickness: float
    seat_width: float
    elastic_modulus: float
    shear_modulus: float
    density: float
    damping: float
    shear_factor_y: float
    shear_factor_z: float
    z_offset: float
    profile: Characteristic
    thickness: Characteristic | None = None
    every_point_fitted: bool | None = None
    auxiliary: bool = False
    contact_points: tuple[int, int] = (0, 0)
    gap: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        problems = _wrong_kinds(self.profile, "the profile of a leaf", "length", "length")
        if self.thickness is not None:
            problems += _wrong_kinds(self.thickness, "the thickness of a leaf", "length", "length")
        names = ("front_length", "rear_length", "seat_thickness", "seat_width", "elastic_modulus", "shear_modulus")
        _refuse(problems + _not_positive(**{name: getattr(self, name) for name in (*names, "density")}))


@dataclass(frozen=True, slots=True)
class LeafContact:
    """Contact between leaves: friction and a stiffening spring with damping.

    Attributes
    ----------
    friction
        Coefficient of friction [-].
    exponent
        Exponent of the penetration [-].
    distance
        Distance at which contact begins [m].
    stiffness
        Force at a penetration of one file unit of length, as the file gives it, taken for a linear law [N/m].
    damping
        Greatest damping [N·s/m].
    penetration
        Penetration at which the damping is complete [m].

    Limits: with an exponent other than one the stiffness has no unit of its own; it is converted as force over
    length.
    """

    friction: float
    exponent: float
    distance: float
    stiffness: float
    damping: float
    penetration: float


@dataclass(frozen=True, slots=True)
class LeafAxleSeat:
    """Where the axle sits on the leaves.

    Attributes
    ----------
    extra_mass
        U-bolts, spacers and so on [kg].
    reference_to_leaves
        Distance of the reference point from the leaf pack [m].
    front_inactive_length, rear_inactive_length
        Clamped lengths from the centre bolt [m].
    design_height
        Height of the reference point at design load [m].
    rise_to_curb
        Rise from the design to the curb position [m].
    mount
        Axle below or above the leaves.
    """

    extra_mass: float
    reference_to_leaves: float
    front_inactive_length: float
    rear_inactive_length: float
    design_height: float
    rise_to_curb: float
    mount: AxleMount


@dataclass(frozen=True, slots=True)
class Shackle:
    """The link between a leaf eye and the frame.

    Attributes
    ----------
    length, mass
        [m], [kg].
    inertia
        Ixx, Iyy, Izz [kg·m²], x along the shackle.
    at_front
        Whether it holds the front eye instead of the rear one.
    in_tension
        Whether it hangs below the frame (tension) instead of standing above the leaf (compression).
    """

    length: float
    mass: float
    inertia: tuple[float, float, float]
    at_front: bool
    in_tension: bool


@dataclass(frozen=True, slots=True)
class LeafEye:
    """Eye of the main leaf: inner diameter [m] and shape (berlin, upturned or downturned)."""

    diameter: float
    shape: str


@dataclass(frozen=True, slots=True)
class LeafClip:
    """A clip that holds leaves together.

    Attributes
    ----------
    position
        Distance from the centre bolt, positive to the front [m].
    bottom_leaf, top_leaf
        Numbers of the lowest and the highest leaf held, counted from 1.
    height, cover_height, vertical_stiffness
        Inside height [m], height of the cover [m], its stiffness [N/m].
    width, cover_thickness, lateral_stiffness
        Inside width [m], thickness of the cover [m], its stiffness [N/m].
    """

    position: float
    bottom_leaf: int
    top_leaf: int
    height: float
    cover_height: float
    vertical_stiffness: float
    width: float
    cover_thickness: float
    lateral_stiffness: float


@dataclass(frozen=True, slots=True)
class LeafBushing:
    """Linear bushing of a leaf spring.

    Attributes
    ----------
    name
        Which one.
    stiffness, damping
        Radial x, radial y, axial z [N/m], [N·s/m], then conical x, conical y, torsional z [N·m/rad], [N·m·s/rad].
    """

    name: str
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LeafSpring:
    """A leaf spring with its eyes, shackle, seat and clips; points in ISO axes: x forward, y left, z up.

    Attributes
    ----------
    title
        Text of the file.
    leaves
        From the main leaf on.
    contact
        Between leaves.
    eye_points, shackle_points
        Front leaf eye, and shackle at the frame: left, right, each x, y, z [m].
    seat, shackle, front_eye, rear_eye, clips, bushings
        Parts.
    formulation
        Beam formulation: linear, nonlinear or string.

    Limits: the zero of x is that of the file.
    """

    title: str
    leaves: tuple[Leaf, ...]
    contact: LeafContact
    eye_points: tuple[tuple[float, float, float], tuple[float, float, float]]
    shackle_points: tuple[tuple[float, float, float], tuple[float, float, float]]
    seat: LeafAxleSeat
    shackle: Shackle
    front_eye: LeafEye
    rear_eye: LeafEye
    clips: tuple[LeafClip, ...]
    bushings: tuple[LeafBushing, ...]
    formulation: str

    def __post_init__(self) -> None:
        if not self.leaves:
            raise InputError("a leaf spring needs at least one leaf")

    def bushing(self, name: str) -> LeafBushing | None:
        """The bushing called `name`, in any case."""
        return next((found for found in self.bushings if found.name.casefold() == name.casefold()), None)


# --------------------------------------------------------------------------------------------- test programmes


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
            array = _frozen(getattr(self, name))
            object.__setattr__(self, name, array)
            wanted = (steps,) if name == "steer" else (steps, 2)
            if array.shape != wanted:
                problems.append(f"{name} has the shape {array.shape}, {wanted} is needed")
            elif not np.isfinite(array).all():
                problems.append(f"{name} must be finite")
        _refuse(problems)


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

"""What the real-time model is made of: numbers, maps and curves of the wheels, axles, tyres, powertrain.

A specification is plain data in SI units: it can be saved, compared, changed and compiled. It does not know where its
maps came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.core.artefact import Schema
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError, Problem, UnknownNameError, raise_if_errors
from trackrod.core.notebook import Shown
from trackrod.core.plain import Plain
from trackrod.core.records import from_plain, to_plain
from trackrod.core.validity import Validity
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.elasticity import ElasticAxle
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS, COMPLIANCE_LOADS, STEERING
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.elements import Matrix, Vector
from trackrod.vehicle.systems import Powertrain, TyrePlace

__all__ = [
    "RTM",
    "AssistMap",
    "AxleSpec",
    "ComplianceSpec",
    "Curve",
    "FrameSpec",
    "HasModel",
    "RtmSpec",
    "SteeringSpec",
    "WheelSpec",
]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A function of one variable through points; empty for none."""

    x: Array = field(default_factory=lambda: np.zeros(0))
    y: Array = field(default_factory=lambda: np.zeros(0))

    def faults(self, what: str) -> Iterator[str]:
        """What is wrong with the points, in sentences."""
        if self.x.shape != self.y.shape or self.x.ndim != 1:
            yield f"{what} has {self.x.size} abscissae and {self.y.size} ordinates"
        elif not np.isfinite(self.y).all():
            yield f"{what} holds values that are not finite"
        if self.x.size:
            yield from _wrong_knots(self.x, what)

    def followed(self, x: ArrayLike) -> tuple[Array, Array]:
        """Values and slopes as the model follows them: without overshoot between, straight beyond; zero for none."""
        at = np.asarray(x, dtype=float)
        if not self.x.size:
            return np.zeros_like(at), np.zeros_like(at)
        curve, inside = PchipInterpolator(self.x, self.y), np.clip(at, self.x[0], self.x[-1])
        slope = np.asarray(curve.derivative()(inside))
        return np.asarray(curve(inside) + slope * (at - inside)), slope

    def points(self) -> tuple[list[float], list[float]]:
        """Abscissae and ordinates."""
        return self.x.tolist(), self.y.tolist()


@dataclass(frozen=True, slots=True, eq=False)
class ComplianceSpec:
    """Change of a wheel's pose over a load on itself and on the other wheel, a column for each channel."""

    own_load: Array
    own: Array
    opposite_load: Array
    opposite: Array

    def faults(self, what: str) -> Iterator[str]:
        """What is wrong with the tables, in sentences."""
        for loads, rows, of in ((self.own_load, self.own, "own"), (self.opposite_load, self.opposite, "opposite")):
            yield from _wrong_knots(loads, f"{what} over the load on the {of} wheel")
            if rows.shape != (loads.size, len(COMPLIANCE_CHANNELS)) or not np.isfinite(rows).all():
                yield f"{what} over the load on the {of} wheel needs {len(COMPLIANCE_CHANNELS)} finite values a row"


@dataclass(frozen=True, slots=True, eq=False)
class WheelSpec:
    """One wheel.

    Attributes
    ----------
    corner
        Where it is.
    centre
        At the design position, in V [m].
    first, second
        Own travel and rack travel [m] on an axle with a rack; parallel and opposite travel [m] on one without.
    kinematics
        Shape (first, second, `CHANNELS`).
    compliance
        One for each of `COMPLIANCE_LOADS`.
    tyres
        Names in `RtmSpec.tyres`, and where they are on the wheel.
    spring
        Load under the wheel over its travel in parallel travel of the axle, without stops [N], [m]. The elastic force
        is this load less the weight of the unsprung mass: dividing the masses otherwise leaves the load of the design
        position as it is.
    stops
        Force of stops and secondary springs over the travel where they stand, positive where they press down [N], [m].
        What presses down is a bump stop, what lifts a rebound stop.
    damper
        Force of the damper, positive in tension, over the rate of its length [N], [m/s].
    by_rack
        On an axle with a rack: what the load under the wheel changes over the rack's travel [N], [m]. Steering moves
        springs and anti-roll bars too.
    opposite, in_roll
        On an axle with a rack: half the opposite travel of the wheels [m], and what the kinematics change over it,
        shape (opposite, `CHANNELS`); empty for nothing.
    bump_base, rebound_base
        How far apart the stops of the axle stand, over its track: where they stand the travel is the mean of both
        wheels' and this share of the difference. 1 for stops that know the travel of their own wheel alone.
    """

    corner: Corner
    centre: Vector
    first: Array
    second: Array
    kinematics: Array
    compliance: tuple[ComplianceSpec, ...]
    tyres: tuple[TyrePlace, ...]
    spring: Curve
    stops: Curve = field(default_factory=Curve)
    damper: Curve = field(default_factory=Curve)
    by_rack: Curve = field(default_factory=Curve)
    opposite: Array = field(default_factory=lambda: np.zeros(0))
    in_roll: Array = field(default_factory=lambda: np.zeros((0, len(CHANNELS))))
    bump_base: float = 1.0
    rebound_base: float = 1.0

    def __post_init__(self) -> None:
        if not self.in_roll.size:  # a file keeps no shape of nothing
            object.__setattr__(self, "in_roll", np.zeros((0, len(CHANNELS))))
        raise_if_errors(Problem(text) for text in self._faults())

    def _faults(self) -> Iterator[str]:
        yield from _wrong_knots(self.first, f"the travel of the kinematics of '{self.corner}'")
        yield from _wrong_knots(self.second, f"the second variable of the kinematics of '{self.corner}'")
        shape = (self.first.size, self.second.size, len(CHANNELS))
        if self.kinematics.shape != shape:
            yield f"the kinematics of '{self.corner}' have the shape {self.kinematics.shape}, not {shape}"
        elif not np.isfinite(self.kinematics).all():
            yield f"the kinematics of '{self.corner}' hold values that are not finite"
        else:
            rise = np.diff(self.kinematics[:, :, CHANNELS.index("tz")], axis=0)
            if not (rise > 0).all():
                i, j = np.argwhere(rise <= 0)[0]
                yield (
                    f"the kinematics of '{self.corner}' are folded: the wheel centre does not rise between a travel of "
                    f"{self.first[i]:g} and {self.first[i + 1]:g} m where the second variable is {self.second[j]:g} m"
                )
        if self.opposite.size:
            yield from _wrong_knots(self.opposite, f"the opposite travel of '{self.corner}'")
        if self.in_roll.shape != (self.opposite.size, len(CHANNELS)) or not np.isfinite(self.in_roll).all():
            yield f"the kinematics in roll of '{self.corner}' need {len(CHANNELS)} finite values for each travel"
        if self.compliance and len(self.compliance) != len(COMPLIANCE_LOADS):
            yield f"'{self.corner}' needs a compliance for each of {', '.join(COMPLIANCE_LOADS)}, or none"
        else:
            for load, item in zip(COMPLIANCE_LOADS, self.compliance, strict=False):
                yield from item.faults(f"the compliance of '{self.corner}' ({load})")
        for name in ("spring", "stops", "damper", "by_rack"):
            curve: Curve = getattr(self, name)
            yield from curve.faults(f"the curve '{name}' of '{self.corner}'")
        for name in ("bump_base", "rebound_base"):
            if not (np.isfinite(value := getattr(self, name)) and value >= 0):
                yield f"'{name}' of '{self.corner}' is {value:g}, it must not be below zero"


@dataclass(frozen=True, slots=True, eq=False)
class AxleSpec:
    """What the wheels of an axle have in common.

    Attributes
    ----------
    steered
        Whether the second variable of the kinematics is the rack travel.
    drive_on_carrier
        Whether the axle itself takes the reaction of the driving torque.
    roll
        What the axle does in roll beyond its springs: additional force that presses the left wheel down and lifts the
        right one, over half the difference of the travels that `lever` tells [N], [m].
    antiroll
        The part of the anti-roll bar in `roll`, which ``antiroll_factor`` scales; empty without a bar.
    lever
        Travel that the bar feels over that of a wheel [m], [m], whose slope is the share of its force on the wheel: see
        `trackrod.rtm.levers`. Empty where both are the same.
    elasticity
        What gives in the axle as a system with inertia and damping; None: the compliance of the wheels is quasi-static.
    """

    steered: bool
    drive_on_carrier: bool
    roll: Curve
    antiroll: Curve = field(default_factory=Curve)
    lever: Curve = field(default_factory=Curve)
    elasticity: ElasticAxle | None = None

    def __post_init__(self) -> None:
        curves = {"roll": self.roll, "antiroll": self.antiroll, "lever": self.lever}
        raise_if_errors(
            Problem(text) for name, curve in curves.items() for text in curve.faults(f"the curve '{name}' of an axle")
        )


@dataclass(frozen=True, slots=True, eq=False)
class AssistMap:
    """Assistance of a steering: force on the rack over the torque of the torsion bar and the speed.

    Of a hydraulic one the pressure times the area of the piston, of an electric one the torque of the motor times its
    ratio to the rack.

    Attributes
    ----------
    torque
        Of the torsion bar [N·m], increasing.
    speed
        Of the vehicle [m/s], increasing; one value if the speed does not matter. Beyond the last it stays as it is.
    force
        In the sense of the torque [N], shape (torque, speed); does not fall where the torque rises.
    """

    torque: Array
    speed: Array
    force: Array

    def __post_init__(self) -> None:
        raise_if_errors(Problem(text) for text in self._faults())

    def _faults(self) -> Iterator[str]:
        yield from _wrong_knots(self.torque, "the torque of the assistance ('assist.torque')")
        if self.speed.size != 1:
            yield from _wrong_knots(self.speed, "the speed of the assistance ('assist.speed')")
        shape = (self.torque.size, self.speed.size)
        if self.force.shape != shape or not np.isfinite(self.force).all():
            yield f"the force of the assistance ('assist.force') needs finite values in the shape {shape}"
        elif (fall := np.argwhere(np.diff(self.force, axis=0) < 0)).size:
            i, j = fall[0]
            yield (
                f"the force of the assistance ('assist.force') falls from {self.force[i, j]:g} to "
                f"{self.force[i + 1, j]:g} N while the torque rises to {self.torque[i + 1]:g} N·m"
            )

    def grid(self) -> tuple[Array, Array, Array]:
        """Torques, two speeds or more, and forces, as tables in two variables need them."""
        if self.speed.size > 1:
            return self.torque, self.speed, self.force
        return self.torque, self.speed[0] + np.array([0.0, 1.0]), np.repeat(self.force, 2, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class SteeringSpec:
    """A steering with elasticity, after Pfeffer: steering wheel, pinion and rack on a torsion bar, with assistance.

    Numbers have the names and units of `trackrod.rtm.layout.STEERING`.

    Attributes
    ----------
    torsion_bar
        Torque over twist [N·m], [rad], rising.
    assist
        Assistance; None if there is none.
    column
        Angle of the shaft at the torsion bar over that of the steering wheel [rad], which universal joints make uneven;
        empty if both are the same.
    wheel_inertia, pinion_inertia, rack_mass
        Steering wheel with column; pinion; rack, with the motor of an electric assistance reduced to it [kg·m²], [kg].
    torsion_bar_damping, rack_damping
        [N·m·s/rad], [N·s/m]
    column_friction, column_friction_stiffness
        Dry friction [N·m], and its stiffness before it slides [N·m/rad].
    rack_friction, rack_friction_stiffness
        The same of the rack [N], [N/m].
    """

    torsion_bar: Curve
    assist: AssistMap | None = None
    column: Curve = field(default_factory=Curve)
    wheel_inertia: float = 0.04
    pinion_inertia: float = 5e-4
    rack_mass: float = 3.0
    torsion_bar_damping: float = 0.1
    rack_damping: float = 500.0
    column_friction: float = 0.0
    column_friction_stiffness: float = 500.0
    rack_friction: float = 0.0
    rack_friction_stiffness: float = 2e6

    def __post_init__(self) -> None:
        raise_if_errors(Problem(text) for text in self._faults())

    def numbers(self) -> Array:
        """As the core takes them, in the order of `trackrod.rtm.layout.STEERING`."""
        return np.array([getattr(self, item.name) for item in STEERING.fields])

    def _faults(self) -> Iterator[str]:
        curves = {"torsion_bar": self.torsion_bar, "column": self.column}
        faults = [
            text for name, curve in curves.items() for text in curve.faults(f"the curve '{name}' of the steering")
        ]
        yield from faults
        if not self.torsion_bar.x.size:
            yield "the steering has no 'torsion_bar'"
        for name, curve in curves.items():
            if not faults and (flat := np.flatnonzero(np.diff(curve.y) <= 0)).size:
                x = curve.x[flat[0]]
                yield f"the curve '{name}' of the steering does not rise at {x:g} rad: its stiffness must be positive"
        for item in STEERING.fields:
            value, unit = getattr(self, item.name), item.kind.unit
            if not np.isfinite(value) or value < 0 or (value == 0 and item.name in _STEERING_MASSES):
                least = "greater than zero" if item.name in _STEERING_MASSES else "zero or more"
                yield f"'{item.name}' of the steering is {value:g} {unit}, {least} is needed"
        for name in ("column_friction", "rack_friction"):
            if getattr(self, name) > 0 and not getattr(self, f"{name}_stiffness") > 0:
                yield (
                    f"'{name}' of the steering is {getattr(self, name):g} and '{name}_stiffness' is "
                    f"{getattr(self, f'{name}_stiffness'):g}: friction needs a stiffness greater than zero"
                )


#: Numbers of a steering that must be greater than zero.
_STEERING_MASSES = ("wheel_inertia", "pinion_inertia", "rack_mass")


@dataclass(frozen=True, slots=True)
class FrameSpec:
    """The rear half of a frame that twists; at the design position in V.

    It is a part of the sprung body of the parameters; the front half is the rest.

    Attributes
    ----------
    axis
        A point of the axis of torsion, which lies along x [m].
    mass, centre, inertia
        Of the rear half without what moves with the wheels [kg], [m]; about its own centre [kg·m²].
    """

    axis: Vector
    mass: float
    centre: Vector
    inertia: Matrix

    def faults(self) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        numbers = np.array([*self.axis, *self.centre, *np.ravel(self.inertia)])
        if not (np.isfinite(numbers).all() and np.isfinite(self.mass) and self.mass > 0):
            yield "the rear half of the frame needs finite numbers, and a mass greater than zero"
        elif not (np.linalg.eigvalsh(self.inertia) > 0).all():
            yield f"the inertia of the rear half of the frame, {self.inertia} kg·m², must be positive definite"


class HasModel(Protocol):
    """Something that holds a real-time model: the model itself, a conversion, a study."""

    @property
    def spec(self) -> RtmSpec:
        """The model."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RtmSpec(Shown):
    """A real-time model.

    Attributes
    ----------
    name
        Of the vehicle.
    parameters
        By the names of `trackrod.rtm.coefficients` [SI].
    wheels
        In the order fl, fr, rl, rr.
    axles
        Front, rear.
    road_height
        Of the road in V at the design position [m].
    compliance_lag
        Time constant of the compliance [s].
    steering
        Elastic steering; None if the rack follows the steering wheel rigidly.
    brake_pressure
        Of the brakes at full pedal [Pa]; None where it is not known.
    frame
        Rear half of a frame that twists; None if it is rigid.
    validity
        Where it was found to be valid; None where that was not looked for.
    """

    name: str
    parameters: Mapping[str, float]
    wheels: tuple[WheelSpec, ...]
    axles: tuple[AxleSpec, ...]
    tyres: Mapping[str, TyreProperties]
    powertrain: Powertrain | None = None
    road_height: float = 0.0
    compliance_lag: float = 0.005
    steering: SteeringSpec | None = None
    brake_pressure: float | None = None
    frame: FrameSpec | None = None
    validity: Validity | None = None

    def __post_init__(self) -> None:
        known = {item.name for item in PARAMETERS}
        unknown = next((name for name in self.parameters if name not in known), None)
        if unknown is not None:
            raise UnknownNameError("parameter of the real-time model", unknown, known)
        filled = {item.name: float(self.parameters.get(item.name, item.default)) for item in PARAMETERS}
        raise_if_errors(Problem(f"'{self.name}': {text}") for text in _wrong_parameters(filled))
        if self.frame is not None:
            raise_if_errors(Problem(f"'{self.name}': {text}") for text in _wrong_frame(self.frame, filled))
        object.__setattr__(self, "parameters", MappingProxyType(filled))
        object.__setattr__(self, "tyres", MappingProxyType(dict(self.tyres)))
        if tuple(wheel.corner for wheel in self.wheels) != tuple(Corner) or len(self.axles) != 2:
            raise InputError(f"'{self.name}' needs the wheels fl, fr, rl, rr and two axles")
        if len({axle.elasticity is None for axle in self.axles}) > 1:
            raise InputError(
                f"'{self.name}': compliance moves in one axle only; give the elasticity of both, or of none"
            )

    def __repr__(self) -> str:
        return f"RtmSpec({self.name!r}, {self.mass:.1f} kg, {len(self.parameters)} parameters)"

    @property
    def spec(self) -> RtmSpec:
        """Itself: wherever a real-time model is wanted, what holds one will do."""
        return self

    def values(self) -> Array:
        """The parameters as the flat array that the core takes."""
        return np.array([self.parameters[item.name] for item in PARAMETERS])

    def with_parameters(self, **changes: float) -> RtmSpec:
        """The model with other values of some parameters [SI]."""
        return replace(self, parameters={**self.parameters, **changes})

    def with_tyres(self, axle: Axle, change: Callable[[TyreProperties], TyreProperties]) -> RtmSpec:
        """The model with other tyres on one axle."""
        tyres, wheels = dict(self.tyres), list(self.wheels)
        for k, wheel in enumerate(self.wheels):
            if wheel.corner.axle is axle:
                tyres |= {f"{place.tyre}, {axle}": change(self.tyres[place.tyre]) for place in wheel.tyres}
                places = (replace(place, tyre=f"{place.tyre}, {axle}") for place in wheel.tyres)
                wheels[k] = replace(wheel, tyres=tuple(places))
        return replace(self, tyres=tyres, wheels=tuple(wheels))

    @staticmethod
    def allowed(name: str) -> tuple[float, float]:
        """Between which values a parameter must lie, without what its kind says [SI]."""
        return (_LEAST if name in _POSITIVE else 0.0 if name in _NOT_NEGATIVE else -np.inf), np.inf

    @property
    def mass(self) -> float:
        """Of the whole vehicle [kg]."""
        p = self.parameters
        return p["sprung_mass"] + 2 * (p["unsprung_mass_front"] + p["unsprung_mass_rear"])


#: Parameters that must be greater than zero, and those that must not be below it.
_POSITIVE = ("sprung_mass", "unsprung_mass_front", "unsprung_mass_rear", "wheel_inertia_front", "wheel_inertia_rear")
_LEAST = 1e-6  # what is greater than zero in programs that know closed ranges only [SI]
_NOT_NEGATIVE = tuple(
    f"{name}_{axle}"
    for name in ("unsprung_roll_inertia", "unsprung_yaw_inertia", "shaft_inertia", "friction", "friction_base")
    for axle in ("front", "rear")
)


def _wrong_parameters(values: Mapping[str, float]) -> Iterator[str]:
    for name, value in values.items():
        if not np.isfinite(value):
            yield f"the parameter '{name}' is {value}, not a finite number"
        elif name in _POSITIVE and value <= 0:
            yield f"the parameter '{name}' is {value:g}, it must be greater than zero"
        elif name in _NOT_NEGATIVE and value < 0:
            yield f"the parameter '{name}' is {value:g}, it must not be below zero"
    xx, yy, zz, xy, xz, yz = (values[name] for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if np.isfinite(tensor).all() and not (np.linalg.eigvalsh(tensor) > 0).all():
        yield f"the inertia of the sprung body, {tensor.tolist()} kg·m², must be positive definite"


def _wrong_frame(frame: FrameSpec, values: Mapping[str, float]) -> Iterator[str]:
    yield from frame.faults()
    stiffness, damping = values["frame_stiffness"], values["frame_damping"]
    if not stiffness > 0:
        yield f"the parameter 'frame_stiffness' is {stiffness:g}, it must be greater than zero"
    if not damping >= 0:
        yield f"the parameter 'frame_damping' is {damping:g}, it must not be below zero"
    if not frame.mass < values["sprung_mass"]:
        yield f"the rear half of the frame has {frame.mass:g} kg, the whole sprung body {values['sprung_mass']:g} kg"


def _wrong_knots(knots: Array, what: str) -> Iterator[str]:
    if knots.ndim != 1 or knots.size < 2:
        yield f"{what} needs two knots or more"
    elif not np.isfinite(knots).all():
        yield f"{what} has knots that are not finite"
    elif not (np.diff(knots) > 0).all():
        k = int(np.argmin(np.diff(knots) > 0))
        yield f"{what} must grow from knot to knot, but {knots[k + 1]:g} comes after {knots[k]:g}"


def _all_of_the_bar(data: Mapping[str, Any]) -> dict[str, Plain]:
    """Up to version 3 what an axle does in roll counted as the bar's."""
    return {**data, "axles": [{**axle, "roll": axle["antiroll"]} for axle in data["axles"]]}


#: A real-time model saved as one file. Of version 4 those can be read whose compliance does not move.
RTM = Schema("trackrod.rtm", 5, to_plain, lambda data: from_plain(RtmSpec, data), {3: _all_of_the_bar, 4: dict})

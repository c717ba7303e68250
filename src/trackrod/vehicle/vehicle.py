"""The neutral vehicle: bodies, connectors, wheels and systems in V, SI units, wherever it was read from.

Names of elements begin with that of their subsystem: ``front_suspension.lca_left``. A vehicle holds the connectors of
both modes; which of them act is decided for each subsystem by `modes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from trackrod.core.artefact import Schema
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Problem, UnknownNameError
from trackrod.core.notebook import Shown
from trackrod.core.records import from_plain, to_plain
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.connectors import (
    Beam,
    Bushing,
    Connector,
    Damper,
    Friction,
    Gear,
    Spring,
    Stop,
    TorsionSpring,
    TravelForce,
)
from trackrod.vehicle.elements import GROUND, Body, Joint, Mode, Vector
from trackrod.vehicle.mass import MassProperties, mass_properties
from trackrod.vehicle.systems import (
    Aerodynamics,
    AxleLayout,
    Brakes,
    Frame,
    Payload,
    PayloadLevel,
    Powertrain,
    Steering,
    Surroundings,
    Wheel,
)

__all__ = ["CONNECTORS", "VEHICLE", "Vehicle", "subsystem_of"]

#: Fields of a vehicle that hold what joins two bodies.
CONNECTORS = (
    *("joints", "bushings", "springs", "dampers", "frictions", "stops"),
    *("torsion_springs", "travel_forces", "beams"),
)

_Connector = TypeVar("_Connector", bound=Connector)


def subsystem_of(name: str) -> str:
    """First part of the name of an element."""
    return name.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Vehicle(Shown):
    """A vehicle at its design position: a whole one, or half a one, which is an axle under its own name.

    V has its origin midway between the front wheel centres, or those of the only axle, in x and y, at the height that
    is zero in the source; x forward, y left, z up.

    Attributes
    ----------
    chassis
        Name of the sprung body; of its front half where the frame twists.
    hardpoints
        Named points in V [m], for pictures and checks.
    wheels
        In the order fl, fr, rl, rr; those of the axles that there are.
    tyres
        Tyres by the names that wheels use.
    axles
        Front, rear, or one of them.
    modes
        Kinematic or compliant, by subsystem.
    frame
        Where the sprung body has two halves that twist against each other (`trackrod.vehicle.frame`); None if it is
        rigid.
    surroundings
        Of half a vehicle: what is known about the whole one.
    problems
        What was said when it was read: every note and warning of the audit with its place. Not saved.

    Holds: every connector joins bodies of the vehicle; names are unique among bodies and among connectors; a vehicle
    saved and loaded does not differ from the first (`trackrod.vehicle.difference`).
    """

    name: str
    chassis: str
    bodies: tuple[Body, ...]
    hardpoints: Mapping[str, Vector]
    joints: tuple[Joint, ...]
    bushings: tuple[Bushing, ...] = ()
    springs: tuple[Spring, ...] = ()
    dampers: tuple[Damper, ...] = ()
    frictions: tuple[Friction, ...] = ()
    stops: tuple[Stop, ...] = ()
    torsion_springs: tuple[TorsionSpring, ...] = ()
    travel_forces: tuple[TravelForce, ...] = ()
    beams: tuple[Beam, ...] = ()
    gears: tuple[Gear, ...] = ()
    wheels: tuple[Wheel, ...]
    tyres: Mapping[str, TyreProperties]
    axles: tuple[AxleLayout, ...]
    steering: Steering | None = None
    powertrain: Powertrain | None = None
    brakes: Brakes | None = None
    aerodynamics: Aerodynamics | None = None
    payload: Payload | None = None
    modes: Mapping[str, Mode] = field(default_factory=dict)
    frame: Frame | None = None
    surroundings: Surroundings | None = None
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        axles = ", ".join(f"{axle.position} {axle.template}" for axle in self.axles)
        half = "" if self.is_half else f", wheelbase {self.wheelbase:.3f} m"
        return f"Vehicle({self.name!r}, {self.mass_properties.mass:.1f} kg{half}, {axles}, {len(self.bodies)} bodies)"

    def __post_init__(self) -> None:
        for name in ("hardpoints", "tyres", "modes"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        problems = [Problem(text) for text in self._inconsistencies()]
        if problems:
            raise InputError(problems)

    def _inconsistencies(self) -> Iterator[str]:
        bodies = {body.name for body in self.bodies}
        known = bodies | {GROUND}
        yield from _twice("body", [body.name for body in self.bodies])
        yield from _twice("connector", [f"{type(c).__name__} {c.name}" for c in self.connectors()])
        if self.chassis not in bodies:
            yield f"the sprung body '{self.chassis}' is not among the bodies"
        for connector in self.connectors():
            for body in connector.bodies:
                if body not in known:
                    yield f"{type(connector).__name__.lower()} '{connector.name}': there is no body '{body}'"
        joints = {joint.name for joint in self.joints}
        named = [(f"gear '{gear.name}'", joint) for gear in self.gears for joint in gear.joints]
        named += [(f"wheel '{wheel.corner}'", wheel.joint) for wheel in self.wheels]
        if self.steering is not None:
            named += [("the steering", self.steering.wheel_joint), ("the steering", self.steering.rack_joint)]
        if self.frame is not None:
            named += [("the frame", self.frame.joint)]
            if self.frame.rear not in bodies:
                yield f"the frame: there is no body '{self.frame.rear}'"
            if self.frame.spring not in {spring.name for spring in self.torsion_springs}:
                yield f"the frame: there is no torsion spring '{self.frame.spring}'"
        yield from (f"{what}: there is no joint '{joint}'" for what, joint in named if joint not in joints)
        for wheel in self.wheels:
            for body in (wheel.body, wheel.brake_reaction, wheel.drive_reaction):
                if body not in bodies:
                    yield f"wheel '{wheel.corner}': there is no body '{body}'"
            for place in wheel.tyres:
                if place.tyre not in self.tyres:
                    yield f"wheel '{wheel.corner}': there is no tyre '{place.tyre}'"
        positions = tuple(axle.position for axle in self.axles)
        if positions not in (tuple(Axle), (Axle.FRONT,), (Axle.REAR,)):
            yield f"axles {', '.join(positions)}: front and rear are needed, in this order, or one of them"
        needed = [corner for corner in Corner if corner.axle in positions]
        if [wheel.corner for wheel in self.wheels] != needed:
            found = ", ".join(wheel.corner for wheel in self.wheels)
            yield f"wheels {found}: {', '.join(needed)} are needed, in this order"

    def connectors(self) -> Iterator[Connector]:
        """Everything that joins two bodies, in both modes."""
        for name in CONNECTORS:
            yield from getattr(self, name)

    def acting(self, connectors: Iterable[_Connector]) -> tuple[_Connector, ...]:
        """Those that are there in the modes that the subsystems have now."""
        return tuple(c for c in connectors if c.mode.acts_in(self.mode_of(c.name)))

    def mode_of(self, name: str) -> Mode:
        """Mode of the subsystem that an element belongs to."""
        return self.modes.get(subsystem_of(name), Mode.KINEMATIC)

    def body(self, name: str) -> Body:
        """The body with this name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise UnknownNameError("body", name, [body.name for body in self.bodies])

    def wheel(self, corner: Corner) -> Wheel:
        """The wheel at a corner."""
        self.axle(corner.axle)  # refuses an axle that is not there
        return next(wheel for wheel in self.wheels if wheel.corner is corner)

    def axle(self, position: Axle) -> AxleLayout:
        """The front or the rear axle.

        Raises
        ------
        InputError
            Half a vehicle has only the other one.
        """
        for axle in self.axles:
            if axle.position is position:
                return axle
        raise InputError(f"'{self.name}' is half a vehicle, a {self.axles[0].position} axle: it has no {position} axle")

    @property
    def is_half(self) -> bool:
        """Whether it is one axle alone."""
        return len(self.axles) == 1

    @property
    def sprung_bodies(self) -> tuple[str, ...]:
        """The sprung body, or its front and its rear half."""
        return (self.chassis,) if self.frame is None else (self.chassis, self.frame.rear)

    def sprung_body(self, axle: Axle) -> str:
        """The sprung body, or that of its halves which carries an axle."""
        return self.sprung_bodies[-1] if axle is Axle.REAR else self.chassis

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass and inertia of the whole vehicle."""
        return mass_properties(self.bodies)

    @property
    def sprung_mass(self) -> float:
        """Mass that counts as sprung [kg]."""
        return float(sum(body.mass * body.sprung_fraction for body in self.bodies))

    @property
    def wheelbase(self) -> float:
        """Distance of the axles along x [m], mean of both sides; of half a vehicle that of its surroundings.

        Raises
        ------
        InputError
            Half a vehicle that is not told its wheelbase.
        """
        if self.is_half:
            if self.surroundings is None or self.surroundings.wheelbase is None:
                hint = "the assembly's parameter 'wheelbase' tells it, or --wheelbase-mm"
                raise InputError(Problem(f"'{self.name}' is half a vehicle whose wheelbase is not known", hint=hint))
            return self.surroundings.wheelbase
        front, rear = (np.mean([self.wheel(Corner.of(axle, side)).centre[0] for side in Side]) for axle in Axle)
        return float(front - rear)

    def track(self, axle: Axle) -> float:
        """Distance of the wheel centres of an axle along y [m]."""
        left, right = (self.wheel(Corner.of(axle, side)).centre[1] for side in Side)
        return left - right

    def axle_load(self, axle: Axle) -> float:
        """Mass that rests on an axle when standing on level ground at the design position [kg].

        Raises
        ------
        InputError
            Half a vehicle: what rests on it is not known.
        """
        if self.is_half:
            raise InputError(f"'{self.name}' is half a vehicle: what rests on its axle is not known")
        total = self.mass_properties
        front = np.mean([self.wheel(Corner.of(Axle.FRONT, side)).centre[0] for side in Side])
        rear_share = float(front - total.centre[0]) / self.wheelbase
        return float(total.mass) * (rear_share if axle is Axle.REAR else 1.0 - rear_share)

    def with_mode(self, mode: Mode, subsystem: str | None = None) -> Vehicle:
        """The vehicle with all subsystems, or one of them, in kinematic or compliant mode."""
        if mode is Mode.ALWAYS:
            raise InputError("a vehicle is in kinematic or in compliant mode; 'always' is for connectors")
        if subsystem is not None and subsystem not in self.modes:
            raise UnknownNameError("subsystem", subsystem, self.modes)
        modes = {name: mode if subsystem in (None, name) else old for name, old in self.modes.items()}
        return replace(self, modes=modes, axles=tuple(replace(a, mode=modes[a.subsystem]) for a in self.axles))

    def with_payload(self, level: PayloadLevel) -> Vehicle:
        """The vehicle with another payload.

        Raises
        ------
        InputError
            The vehicle has no payload and another level than its own is asked for.
        """
        if self.payload is None:
            if level is PayloadLevel.LADEN:
                return self
            hint = "parts of the body subsystem whose name begins with 'payload' are its payload"
            raise InputError(Problem(f"'{self.name}' has no payload to leave out for '{level}'", hint=hint))
        full = {body.name: body for body in self.payload.parts}
        bodies = tuple(full[b.name].scaled(level.fraction) if b.name in full else b for b in self.bodies)
        return replace(self, bodies=bodies, payload=replace(self.payload, level=level))


def _twice(what: str, names: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"the {what} '{name}' is there twice"
        seen.add(name)


#: A vehicle saved as one file.
VEHICLE = Schema("trackrod.vehicle", 2, to_plain, lambda data: from_plain(Vehicle, data))

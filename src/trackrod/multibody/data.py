"""The multibody vehicle as plain data: all that a program without Python needs to drive it, in one file.

The file holds the mechanism as it is compiled, which of its parts is what, and what may be changed before it is built:
masses, payload, factors on what carries forces, and hardpoints with what follows from them. The core reads it
(``cpp/trackrod/multibody/data_file.hpp``), changes it (``parameters.hpp``) and drives it (``vehicle.hpp``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from trackrod import _core
from trackrod.core.corners import Corner
from trackrod.multibody.compile import UPRIGHT, CompiledModel
from trackrod.multibody.rigid import SMALLEST_INERTIA, SMALLEST_MASS
from trackrod.vehicle.connectors import Beam, Bushing, Damper, Friction, Spring, Stop, TorsionSpring, TravelForce
from trackrod.vehicle.elements import GROUND, Joint, JointType, Vector
from trackrod.vehicle.frame import frame_hinge
from trackrod.vehicle.placed import AsDrawn, Law, Placed, hardpoints_of, refusals_of

__all__ = ["Parameter", "VehicleData", "vehicle_data"]

#: How far a hardpoint may be moved to either side [m], and the limits of factors and of masses over their values.
REACH = 0.1
FACTORS = (0.01, 100.0)
MASSES = (0.1, 10.0)
#: Largest payload over the full one.
PAYLOAD = 2.0
_AXES = "xyz"
_CONSTANT = 0


class _Target(IntEnum):
    """What follows a node; numbers of ``LinkData::Target`` in the core."""

    PAIR_POSITION = 0
    PAIR_FRAME_ALONG = 1
    PAIR_FRAME_CROSS = 2
    PAIR_FRAME_SHAFT = 3
    LINE_END = 4
    LINE_LENGTH = 5
    TORSION_AXIS = 6
    TRAVEL_POSITION = 7
    TRAVEL_DIRECTION = 8
    TRAVEL_WAY = 9
    BEAM_END = 10
    BEAM_FRAME = 11
    DRIVE_POSITION = 12
    DRIVE_AXIS = 13
    GEAR_POSITION = 14
    GEAR_AXIS = 15
    ASSIST_POSITION = 16
    ASSIST_AXIS = 17
    COLUMN_POSITION = 18
    COLUMN_AXIS = 19
    ACTUATOR_END = 20


class _Kind(IntEnum):
    """What a parameter changes; numbers of ``ParameterData::Kind`` in the core."""

    HARDPOINT = 0
    BUSHING_STIFFNESS = 1
    BUSHING_DAMPING = 2
    SPRING = 3
    DAMPER = 4
    BUMP_STOP = 5
    REBOUND_STOP = 6
    TORSION_STIFFNESS = 7
    BEAM_STIFFNESS = 8
    PART_MASS = 9
    PAYLOAD = 10


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that may be changed before the vehicle is built.

    Attributes
    ----------
    name
        Structured: ``hardpoints.front_suspension.tierod_outer_left.x``.
    meaning
        In a few words, with the unit.
    value, low, high
        As the vehicle has it, and what is allowed [SI].
    """

    name: str
    meaning: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class VehicleData:
    """A vehicle as a file.

    Attributes
    ----------
    data
        The file.
    parameters
        What may be changed, in the order in which the core takes values.
    fixed
        Hardpoints that may not be moved, and why.
    properties
        Force laws of springs, dampers, stops and bushings as texts that may be replaced, by name
        (``cpp/trackrod/multibody/properties.hpp``).
    """

    data: bytes
    parameters: tuple[Parameter, ...]
    fixed: Mapping[str, str]
    properties: Mapping[str, str]

    def values(self, changed: Mapping[str, float]) -> list[float]:
        """Values of all parameters, those of `changed` in the place of the vehicle's own."""
        return [changed.get(parameter.name, parameter.value) for parameter in self.parameters]


def vehicle_data(model: CompiledModel) -> VehicleData:
    """All of a whole vehicle on its tyres.

    Holds: a vehicle that is made from the file drives as `MultibodyVehicle` does; one whose hardpoints are moved as one
    that was read with them (`trackrod.adams.vehicle.read_vehicle`).
    """
    return _Writer(model).written()


class _Writer:
    def __init__(self, model: CompiledModel) -> None:
        self.model = model
        self.vehicle = model.vehicle
        self.to = _core.MultibodyData(model.core.data())
        self.fixed: dict[str, str] = {}
        self.points: dict[str, int] = {}
        self.nodes: dict[int, tuple[Vector, int]] = {}  # by identity, which lasts as long as the vector is kept here

    def written(self) -> VehicleData:
        self._add_vehicle()
        self._refuse()
        for link in self._links():
            self._add_link(*link)
        self._add_parts()
        self._add_points()
        self._add_factors()
        parameters = tuple(Parameter(*each) for each in self.to.parameters)
        return VehicleData(self.to.bytes(), parameters, self.fixed, self.to.properties())

    def _add_vehicle(self) -> None:
        model, vehicle = self.model, self.vehicle
        rear = -1 if vehicle.frame is None else model.index[vehicle.frame.rear]
        self.to.set_vehicle(
            vehicle.name,
            [group.names[0] for group in model.groups],
            model.index[vehicle.chassis],
            rear,
            model.drives.get("rack", -1),
            model.drives.get("steering_wheel", -1),
            0.0 if vehicle.steering is None else vehicle.steering.ratio,
            0.0 if vehicle.brakes is None else vehicle.brakes.largest_pressure,
            [UPRIGHT if corner in model.undamped else 0.0 for corner in model.corners],
        )
        for joint in self._column():
            self.to.add_column(*self._bodies(joint), joint.position, joint.axis, joint.type is JointType.REVOLUTE)
        if vehicle.frame is not None:
            hinge = frame_hinge(vehicle)
            self.to.set_hinge(*self._bodies(hinge), hinge.position, hinge.axis)

    def _column(self) -> tuple[Joint, ...]:
        column = self.model.column
        if column is None:
            return ()
        return (column.rack,) if column.twist is None else (column.rack, column.twist)

    def _bodies(self, joint: Joint) -> tuple[int, int]:
        first, second = (-1 if body == GROUND else self.model.index.get(body, -1) for body in joint.bodies)
        return first, second

    def _on_lines(self) -> Iterator[tuple[Spring | Damper | Friction | Stop, int]]:
        """What acts along a line, and the index of that."""
        vehicle = self.vehicle
        for elements in (vehicle.springs, vehicle.dampers, vehicle.frictions, vehicle.stops):
            for element in vehicle.acting(elements):
                if element.name in self.model.lines:
                    yield element, self.model.lines[element.name]  # type: ignore[misc]

    # Hardpoints

    def _refuse(self) -> None:
        """Note hardpoints on which more depends than what links can say."""
        vehicle = self.vehicle
        vectors = [vector for connector in vehicle.connectors() for vector in _vectors(connector)]
        vectors += [wheel.centre for wheel in vehicle.wheels] + [body.centre for body in vehicle.bodies]
        for vector in vectors:
            self.fixed |= dict(refusals_of(vector))
        reason = ""
        if any(motion.turns for motion in self.model.free):
            reason = "a rotation that nothing resists is held about an axis that depends on it"
        if vehicle.frame is not None:
            reason = "the axis about which the frame twists depends on it"
        if reason:
            self.fixed |= {name: reason for vector in vectors for name in hardpoints_of(vector)}
        self._refuse_lines()

    def _refuse_lines(self) -> None:
        """Springs, dampers and stops between the same points are one element as long as these stay the same."""
        ends: dict[int, set[tuple[str, ...]]] = {}
        for element, line in self._on_lines():
            ends.setdefault(line, set()).add(tuple(name for end in element.ends for name in hardpoints_of(end)))
        for names_of in ends.values():
            if len(names_of) > 1:
                reason = "a spring, damper or stop lies on the line of another one at another point"
                self.fixed |= {name: reason for names in names_of for name in names}

    def _node(self, vector: Vector) -> int:
        """Index of the node of a vector."""
        if id(vector) in self.nodes:
            return self.nodes[id(vector)][1]
        value = (vector[0], vector[1], vector[2])
        if not isinstance(vector, Placed):
            index = self.to.add_node(_CONSTANT, [], value)
        elif vector.rule.law is Law.HARDPOINT:
            name = vector.rule.name
            if name not in self.points:
                self.points[name] = self.to.add_point(name, value)
            index = self.to.add_node(Law.HARDPOINT, [self.points[name]], value)
        elif vector.rule.law is Law.REFUSED:
            index = self._node(vector.rule.operands[0])
        else:
            index = self.to.add_node(vector.rule.law, [self._node(each) for each in vector.rule.operands], value)
        self.nodes[id(vector)] = (vector, index)
        return index

    def _add_link(self, target: _Target, element: int, slot: int, *vectors: Vector) -> None:
        if any(isinstance(vector, Placed) for vector in vectors):
            first, *other = (self._node(vector) for vector in vectors)
            self.to.add_link(target, element, slot, first, other[0] if other else -1)

    def _links(self) -> Iterator[tuple[_Target, int, int, Vector] | tuple[_Target, int, int, Vector, Vector]]:
        model, vehicle = self.model, self.vehicle
        for joint in model.joints:
            if (place := model.places.get((Joint, joint.name))) is not None:
                yield _Target.PAIR_POSITION, place, 0, joint.position
                if joint.type in (JointType.HOOKE, JointType.PERPENDICULAR):
                    yield _Target.PAIR_FRAME_CROSS, place, 0, joint.axis, joint.second_axis
                elif joint.type is JointType.CONVEL:
                    yield _Target.PAIR_FRAME_SHAFT, place, 0, joint.axis, joint.second_axis
                else:
                    yield _Target.PAIR_FRAME_ALONG, place, 0, joint.axis
        for bushing in vehicle.acting(vehicle.bushings):
            if (place := model.places.get((Bushing, bushing.name))) is not None:
                yield _Target.PAIR_POSITION, place, 0, bushing.position
        yield from self._line_links()
        for torsion in vehicle.acting(vehicle.torsion_springs):
            if (place := model.places.get((TorsionSpring, torsion.name))) is not None:
                yield _Target.TORSION_AXIS, place, 0, torsion.axis
        for force in vehicle.acting(vehicle.travel_forces):
            if (place := model.places.get((TravelForce, force.name))) is not None:
                yield _Target.TRAVEL_POSITION, place, 0, force.position
                yield _Target.TRAVEL_DIRECTION, place, 0, force.direction
                yield _Target.TRAVEL_WAY, place, 0, force.travel
        for beam in vehicle.acting(vehicle.beams):
            if (place := model.places.get((Beam, beam.name))) is not None:
                for slot, end in enumerate(beam.ends):
                    yield _Target.BEAM_END, place, slot, end
                yield _Target.BEAM_FRAME, place, self._node(beam.up), *beam.ends
        for element, pushed in enumerate(model.pushed):
            for slot, end in enumerate(() if pushed is None else pushed.ends):
                yield _Target.ACTUATOR_END, element, slot, end
        yield from self._steering_links()

    def _line_links(self) -> Iterator[tuple[_Target, int, int, Vector] | tuple[_Target, int, int, Vector, Vector]]:
        for element, line in self._on_lines():
            for slot, end in enumerate(element.ends):
                yield _Target.LINE_END, line, slot, end
            if isinstance(element, Spring) and isinstance(element.installed_length, AsDrawn):
                yield _Target.LINE_LENGTH, line, 0, *element.ends
            if isinstance(element, Stop) and isinstance(element.clearance, AsDrawn):
                yield _Target.LINE_LENGTH, line, 2 if element.rebound else 1, *element.ends

    def _steering_links(self) -> Iterator[tuple[_Target, int, int, Vector]]:
        model, vehicle = self.model, self.vehicle
        column = model.column
        if column is None:
            if "rack" in model.drives and vehicle.steering is not None:
                rack = next(joint for joint in vehicle.joints if joint.name == vehicle.steering.rack_joint)
                yield _Target.DRIVE_POSITION, model.drives["rack"], 0, rack.position
                yield _Target.DRIVE_AXIS, model.drives["rack"], 0, rack.axis
            return
        yield _Target.DRIVE_POSITION, model.drives["steering_wheel"], 0, column.wheel.position
        yield _Target.DRIVE_AXIS, model.drives["steering_wheel"], 0, column.wheel.axis
        for slot, joint in enumerate(column.geared):
            yield _Target.GEAR_POSITION, 0, slot, joint.position
            yield _Target.GEAR_AXIS, 0, slot, joint.axis
        for slot, joint in enumerate(self._column()):
            if column.assist is not None:
                yield _Target.ASSIST_POSITION, 0, slot, joint.position
                yield _Target.ASSIST_AXIS, 0, slot, joint.axis
            yield _Target.COLUMN_POSITION, slot, 0, joint.position
            yield _Target.COLUMN_AXIS, slot, 0, joint.axis

    def _add_points(self) -> None:
        for name, index in self.points.items():
            if name in self.fixed:
                continue
            for slot, (axis, value) in enumerate(zip(_AXES, self.vehicle.hardpoints[name], strict=True)):
                low, high = value - REACH, value + REACH
                if name.endswith(".tierod_outer_left") and axis == "x":  # a rack ahead of the wheels steers otherwise
                    centre = self.vehicle.wheel(Corner.FL).centre[0]
                    low, high = (max(low, centre), high) if value > centre else (low, min(high, centre))
                meaning = f"{axis} of the hardpoint in V [m]"
                self._add_parameter(
                    f"hardpoints.{name}.{axis}", meaning, _Kind.HARDPOINT, index, value, (low, high), slot
                )

    # Masses

    def _add_parts(self) -> None:
        model, vehicle = self.model, self.vehicle
        full = {} if vehicle.payload is None else {body.name: body for body in vehicle.payload.parts}
        number: dict[str, int] = {}
        by_name = {body.name: body for body in vehicle.bodies}
        for index, group in enumerate(model.groups):
            for name in group.names:
                body = full.get(name, by_name[name])
                node = self._node(body.centre) if isinstance(body.centre, Placed) else -1
                inertia = np.array(body.inertia)
                number[name] = self.to.add_part(index, body.mass, body.centre, inertia, name in full, node)
        self.to.set_rotors(
            [[number[name] for name in spin.rotor] for spin in model.spins], SMALLEST_MASS, SMALLEST_INERTIA
        )
        for name, part in number.items():
            mass = by_name[name].mass
            if name not in full and mass > 0.0:
                limits = (MASSES[0] * mass, MASSES[1] * mass)
                meaning = "mass, with the inertia in proportion [kg]"
                self._add_parameter(f"masses.{name}", meaning, _Kind.PART_MASS, part, mass, limits)
        if vehicle.payload is not None:
            fraction = vehicle.payload.level.fraction
            self._add_parameter(
                "payload.level", "payload over the full one", _Kind.PAYLOAD, 0, fraction, (0.0, PAYLOAD)
            )

    # Factors

    def _add_factors(self) -> None:
        model, vehicle = self.model, self.vehicle
        for bushing in vehicle.acting(vehicle.bushings):
            if (place := model.places.get((Bushing, bushing.name))) is not None:
                what = f"bushings.{bushing.name}"
                self._add_factor(f"{what}.stiffness", "forces and torques", _Kind.BUSHING_STIFFNESS, place)
                self._add_factor(f"{what}.damping", "damping", _Kind.BUSHING_DAMPING, place)
        for element, line in self._on_lines():
            kind, what = _Kind.DAMPER, "dampers"
            if isinstance(element, Spring):
                kind, what = _Kind.SPRING, "springs"
            elif isinstance(element, Friction):
                what = "frictions"
            elif isinstance(element, Stop):
                kind, what = (_Kind.REBOUND_STOP if element.rebound else _Kind.BUMP_STOP), "stops"
            self._add_factor(f"{what}.{element.name}.force", "force", kind, line)
        for torsion in vehicle.acting(vehicle.torsion_springs):
            if (place := model.places.get((TorsionSpring, torsion.name))) is not None:
                what = f"torsion_springs.{torsion.name}.stiffness"
                self._add_factor(what, "torque over angle", _Kind.TORSION_STIFFNESS, place)
        for beam in vehicle.acting(vehicle.beams):
            if (place := model.places.get((Beam, beam.name))) is not None:
                self._add_factor(f"beams.{beam.name}.stiffness", "stiffness", _Kind.BEAM_STIFFNESS, place)

    def _add_factor(self, name: str, of: str, kind: _Kind, element: int) -> None:
        self._add_parameter(name, f"factor on its {of} [-]", kind, element, 1.0, FACTORS)

    def _add_parameter(
        self,
        name: str,
        meaning: str,
        kind: _Kind,
        element: int,
        value: float,
        limits: tuple[float, float],
        slot: int = 0,
    ) -> None:
        self.to.add_parameter(name, meaning, kind, element, slot, value, *limits)


def _vectors(connector: object) -> Iterable[Vector]:
    """Positions and directions of a connector."""
    names = ("position", "axis", "second_axis", "direction", "travel")
    return (*(getattr(connector, n) for n in names if hasattr(connector, n)), *getattr(connector, "ends", ()))

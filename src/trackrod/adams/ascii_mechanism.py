"""The mechanism of a subsystem from an ASCII template of its database, moved to the subsystem's hardpoints.

Limits: drive shafts are not modelled, the driving torque acts at the wheels; their parts move with the sprung body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.adams import template as records
from trackrod.adams.bodies import is_driveline
from trackrod.adams.elements import Symmetry
from trackrod.adams.mechanism import Mechanism, mode_of, switches_of
from trackrod.adams.subsystem import Subsystem
from trackrod.adams.template_file import evaluate
from trackrod.core.axes import half_turn_points, half_turn_vectors
from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Place, Problem
from trackrod.vehicle.elements import Joint, JointType, Mode, Role, Vector
from trackrod.vehicle.instantiate import BushingPlace, Instance, Line, Member, WheelPlace, roles_at_wheels
from trackrod.vehicle.template import LineType
from trackrod.vehicle.wheel_axis import spin_axis

__all__ = ["build_ascii_mechanism"]

Array = NDArray[np.float64]
_Item = TypeVar("_Item", records.Joint, records.ForceElement)

_LINES = {
    "spring": LineType.SPRING,
    "damper": LineType.DAMPER,
    "bumpstop": LineType.BUMP_STOP,
    "reboundstop": LineType.REBOUND_STOP,
}
_OFFERS = {"suspension_mount": "spindle", "suspension_upright": "upright", "arb_pickup": "arb_pickup"}
_LETTER = {Symmetry.LEFT: "l", Symmetry.RIGHT: "r", Symmetry.SINGLE: "s"}


def build_ascii_mechanism(subsystem: Subsystem, template: records.Template, x_front: float) -> Mechanism:
    """The mechanism that an ASCII template describes.

    Raises
    ------
    InputError
        It has a joint of unknown kind, or lacks what a suspension needs.
    """
    topology = evaluate(template, _hardpoints(subsystem, template))
    build = _Builder(subsystem, topology, x_front)
    instance = build.instance()
    return Mechanism(
        subsystem=subsystem,
        template=topology.name,
        instance=instance,
        offers=build.offers(),
        mode=mode_of(subsystem),
        dependent=_is_dependent(instance),
    )


def _hardpoints(subsystem: Subsystem, template: records.Template) -> dict[str, Vector]:
    """Hardpoints of the subsystem that the template has, by the template's names, in the axes of the file."""
    points: dict[str, Vector] = {}
    for hardpoint in subsystem.hardpoints:
        x, y, z = hardpoint.position
        if hardpoint.symmetry is Symmetry.BOTH:
            points |= {f"hpl_{hardpoint.name}": (x, y, z), f"hpr_{hardpoint.name}": (x, -y, z)}
        else:
            points[f"hp{_LETTER[hardpoint.symmetry]}_{hardpoint.name}"] = (x, y, z)
    known = {point.id.casefold() for point in template.hardpoints}
    return {name: position for name, position in points.items() if name.casefold() in known}


def _is_dependent(instance: Instance) -> bool:
    """Whether the wheels turn on one body."""
    carriers = {wheel.brake_reaction for wheel in instance.wheels.values()}
    return len(instance.wheels) == 2 and len(carriers) == 1


class _Builder:
    """Turns the records of one template into places in V."""

    def __init__(self, subsystem: Subsystem, topology: records.Template, x_front: float) -> None:
        self.subsystem = subsystem
        self.topology = topology
        self.x_front = x_front
        self.parts = {part.id.casefold(): part for part in topology.parts}
        self.driveline = {part.id.casefold() for part in topology.parts if is_driveline(part.name)}
        self.names = {key: self._name(part) for key, part in self.parts.items()}

    def _name(self, part: records.Part) -> str:
        """Name of a body, or for a mount that of what it asks for."""
        name = part.name.casefold() if part.side is None or part.mount else f"{part.name.casefold()}_{part.side}"
        if not part.mount:
            return name
        asked = [c for c in self.topology.communicators if c.id == part.communicator]
        matching = next((known for c in asked for m in c.matching_names if (known := _OFFERS.get(m.casefold()))), None)
        return matching or "body"

    def instance(self) -> Instance:
        own = [p for key, p in self.parts.items() if not p.mount and key not in self.driveline]
        real = [joint for joint in self.topology.joints if not joint.mount]
        joints = tuple(self._joint(joint) for joint in self._of_suspension(real))
        elements = self._of_suspension(self.topology.elements)
        wheels = self._wheels(joints)
        at_wheels = roles_at_wheels(wheels, joints)
        names = [self._name(part) for part in own]
        return Instance(
            bodies={
                name: Member(part.name.casefold(), part.side, at_wheels.get(name, Role.LINK))
                for name, part in zip(names, own, strict=True)
            },
            joints=joints,
            bushings=tuple(self._bushing(e) for e in elements if e.kind == "bushing"),
            lines=tuple(self._line(e) for e in elements if e.kind in _LINES),
            wheels=wheels,
        )

    def _of_suspension(self, found: Iterable[_Item]) -> list[_Item]:
        """Joints or elements that hold parts of the suspension itself."""
        return [item for item in found if not {item.i_part.casefold(), item.j_part.casefold()} & self.driveline]

    def _bodies(self, item: records.Joint | records.ForceElement) -> tuple[str, str]:
        first, second = (self.names.get(part.casefold(), "body") for part in (item.i_part, item.j_part))
        return first, second

    def _joint(self, joint: records.Joint) -> Joint:
        if joint.kind not in list(JointType):
            known = ", ".join(JointType)
            raise InputError(
                Problem(f"joints of kind '{joint.kind}' are not known", joint.place, hint=f"known: {known}")
            )
        kind = JointType(joint.kind)
        axis, second = self._direction(joint.j_frame.z), self._direction(joint.i_frame.z)
        if kind is JointType.HOOKE:
            # The z axes are the shafts; the cross lies along x of the one and y of the other.
            axis, second = self._cross(joint)
        mode = Mode.KINEMATIC if joint.kinematic_only else Mode.ALWAYS
        name = joint.name.casefold() if joint.side is None else f"{joint.name.casefold()}_{joint.side}"
        return Joint(name, kind, self._bodies(joint), self._point(joint.location), axis, second, mode, joint.side)

    def _cross(self, joint: records.Joint) -> tuple[Vector, Vector]:
        first = joint.i_frame.rotation[:, 0]
        second = joint.j_frame.rotation[:, 1]
        second = second - first * (first @ second)
        length = float(np.linalg.norm(second))
        if length < 0.1:  # the file does not set the cross: any two normals of the shaft
            second = np.cross(joint.i_frame.z, first)
            length = float(np.linalg.norm(second))
        return self._direction(first), self._direction(second / length)

    def _bushing(self, element: records.ForceElement) -> BushingPlace:
        mode = Mode.COMPLIANT if element.compliant_only else Mode.ALWAYS
        position = self._point(element.i_frame.location)
        return BushingPlace(
            _named(element), element.name.casefold(), element.side, self._bodies(element), position, mode
        )

    def _line(self, element: records.ForceElement) -> Line:
        ends = (self._point(element.i_frame.location), self._point(element.j_frame.location))
        kind = _LINES[element.kind]
        return Line(_named(element), kind, element.name.casefold(), element.side, self._bodies(element), ends)

    def _communicated(self, matching: str) -> Mapping[Side | None, str]:
        """Bodies that the template offers under a matching name, by side."""
        return {
            c.side: self.names[c.objects[0].casefold()]
            for c in self.topology.communicators
            if c.direction is records.Direction.OUTPUT
            and matching in (name.casefold() for name in c.matching_names)
            and c.objects
            and c.objects[0].casefold() in self.names
        }

    def offers(self) -> dict[str, str]:
        """What other subsystems may attach to, without side where it comes in pairs."""
        found = {}
        for matching, offer in _OFFERS.items():
            for side, body in self._communicated(matching).items():
                found[offer] = body if side is None else body.removesuffix(f"_{side}")
        return found

    def _wheels(self, joints: tuple[Joint, ...]) -> dict[Side, WheelPlace]:
        if self.subsystem.major_role != "suspension":
            return {}
        bodies, carriers = self._communicated("suspension_mount"), self._communicated("suspension_upright")
        switches = switches_of(self.subsystem)
        wheels = {}
        for side in Side:
            body = bodies.get(side, bodies.get(None))
            centre = self._centre(side)
            spin = [joint for joint in joints if body in joint.bodies]
            if body is None or centre is None or len(spin) != 1:
                text = f"template '{self.topology.name}' does not tell which body carries the {side} wheel, or where"
                hint = "output communicators suspension_mount and wheel_center are needed, and one joint of that body"
                raise InputError(Problem(text, Place(self.topology.file), hint=hint))
            other = next(name for name in spin[0].bodies if name != body)
            brake = carriers.get(side, other)
            axis = spin_axis(switches, side)
            wheels[side] = WheelPlace(body, spin[0].name, centre, axis, brake, "body")
        return wheels

    def _centre(self, side: Side) -> Vector | None:
        for point in self.topology.hardpoints:
            if point.name.casefold() == "wheel_center" and point.side is side:
                return self._point(point.position)
        return None

    def _point(self, location: Array) -> Vector:
        x, y, z = half_turn_points(np.asarray(location, dtype=float), self.x_front).tolist()
        return (x, y, z)

    def _direction(self, axis: Array) -> Vector:
        x, y, z = half_turn_vectors(np.asarray(axis, dtype=float) / np.linalg.norm(axis)).tolist()
        return (x, y, z)


def _named(element: records.ForceElement) -> str:
    name = element.name.casefold()
    return name if element.side is None else f"{name}_{element.side}"

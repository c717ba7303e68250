"""A frame that twists: the sprung body in two halves, front and rear, that turn against each other about one axis.

The rear half is a body of its own, held to the front half by a revolute joint along x and a torsion spring. All that
the sprung body carried behind the plane of division moves with the rear half: axle, load, and what is fixed to it. The
sprung body itself is divided as if its mass lay evenly along x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trackrod.core.errors import InputError, Problem, RangeError, raise_if_errors
from trackrod.core.quantities import kind
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.connectors import Connector, TorsionSpring
from trackrod.vehicle.elements import Body, Joint, JointType, Vector
from trackrod.vehicle.mass import as_matrix, as_vector, mass_properties
from trackrod.vehicle.systems import Frame, Wheel
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["DAMPING_RATIO", "FrameTorsion", "frame_hinge", "frame_spring", "with_frame"]

#: Damping of the halves against each other over the critical one, where none is given: welded and bolted frames.
DAMPING_RATIO = 0.03
#: How far the curve of the torsion spring is drawn to either side [rad]; it is a straight line.
_REACH = 0.5
_AXIS: Vector = (1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FrameTorsion:
    """How a frame twists.

    Attributes
    ----------
    stiffness
        Torque over angle between front and rear half [N·m/rad]. Vans have 2e5 to 6e5.
    damping
        [N·m·s/rad]; None for `DAMPING_RATIO` of the critical damping of the two halves, free of the axles.
    split
        Place of the division along x of V [m]; None for the middle between the axles.
    height
        Of the axis of torsion in V [m]; None for the mean height at which the axles hold on to the sprung body.
    """

    stiffness: float
    damping: float | None = None
    split: float | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        problems = []
        if not (math.isfinite(self.stiffness) and self.stiffness > 0):
            text = f"the torsional stiffness of the frame is {self.stiffness:g} N·m/rad, it must be greater than zero"
            problems.append(Problem(text, hint="leave it out for a rigid frame; vans have 2e5 to 6e5 N·m/rad"))
        if self.damping is not None and not (math.isfinite(self.damping) and self.damping >= 0):
            text = f"the torsional damping of the frame is {self.damping:g} N·m·s/rad, it must not be below zero"
            problems.append(Problem(text))
        for name in ("split", "height"):
            value = getattr(self, name)
            if value is not None and not math.isfinite(value):
                problems.append(Problem(f"the {name} of the frame is {value} m, it must be finite"))
        raise_if_errors(problems, RangeError)


def with_frame(vehicle: Vehicle, torsion: FrameTorsion) -> Vehicle:
    """The vehicle with its sprung body in two halves.

    Raises
    ------
    InputError
        It has two halves already.
    RangeError
        The division does not lie between the axles, or leaves a half without mass.

    Holds: mass, centre of gravity and inertia of the vehicle stay as they are.
    """
    if vehicle.frame is not None:
        text = f"the frame of '{vehicle.name}' twists already, by its torsion spring '{vehicle.frame.spring}'"
        raise InputError(Problem(text, hint="its stiffness stands in the files of the vehicle"))
    split = _split(vehicle, torsion.split)
    front, rear = _halves(vehicle.body(vehicle.chassis), split)
    height = _height_of_mounts(vehicle) if torsion.height is None else torsion.height
    place = (split, 0.0, height)
    subsystem = subsystem_of(vehicle.chassis)
    frame = Frame(rear=rear.name, joint=f"{subsystem}.frame_hinge", spring=f"{subsystem}.frame_torsion")
    hung: dict[str, list[Any]] = {
        name: [_hung(connector, vehicle.chassis, rear.name, split) for connector in getattr(vehicle, name)]
        for name in ("joints", "bushings", "springs", "dampers", "stops", "torsion_springs", "travel_forces", "beams")
    }
    bodies = [part for body in vehicle.bodies for part in ((front, rear) if body.name == front.name else (body,))]
    damping = torsion.damping
    if damping is None:
        inertias = [_roll_inertia(half.name, bodies, hung["joints"], place) for half in (front, rear)]
        damping = 2.0 * DAMPING_RATIO * math.sqrt(torsion.stiffness * math.prod(inertias) / sum(inertias))
    ends = (rear.name, front.name)
    curve = Characteristic.linear(torsion.stiffness, _REACH, kind("angle"), kind("torque"))
    hung["joints"].append(Joint(frame.joint, JointType.REVOLUTE, ends, place, _AXIS))
    hung["torsion_springs"].append(TorsionSpring(frame.spring, ends, place, _AXIS, curve, damping=damping))
    wheels = tuple(_rehung_wheel(wheel, vehicle.chassis, rear.name, split) for wheel in vehicle.wheels)
    connectors: dict[str, Any] = {name: tuple(items) for name, items in hung.items()}
    return replace(vehicle, bodies=tuple(bodies), wheels=wheels, frame=frame, **connectors)


def frame_hinge(vehicle: Vehicle) -> Joint:
    """The joint between the halves of a frame that twists."""
    return next(joint for joint in vehicle.joints if vehicle.frame and joint.name == vehicle.frame.joint)


def frame_spring(vehicle: Vehicle) -> TorsionSpring:
    """The torsion spring between them."""
    return next(spring for spring in vehicle.torsion_springs if vehicle.frame and spring.name == vehicle.frame.spring)


def _split(vehicle: Vehicle, given: float | None) -> float:
    """Where the frame is divided, along x [m]."""
    front, rear = (float(np.mean([vehicle.wheels[i].centre[0] for i in pair])) for pair in ((0, 1), (2, 3)))
    split = 0.5 * (front + rear) if given is None else given
    if not rear < split < front:
        text = f"the frame of '{vehicle.name}' is to be divided at x = {split:g} m, which is not between its axles"
        raise RangeError(Problem(text, hint=f"x in V is {front:g} m at the front axle, {rear:g} m at the rear axle"))
    return split


def _halves(body: Body, split: float) -> tuple[Body, Body]:
    """Front and rear part of a body whose mass lies evenly along x, with all of its moments kept.

    With S = ∫ ρ r rᵀ about the centre of mass, the mass lies along c + d t with d = S e_x/S_xx (a slanted bar, evenly
    over t) and, alike at every place of the bar, as far aside of it as the rest of S says.
    """
    inertia = np.array(body.inertia)
    second = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / max(body.mass, 1e-300)
    along = float(second[0, 0])
    half = math.sqrt(3.0 * max(along, 0.0))
    at = split - body.centre[0]
    if not -half < at < half:
        where = "front" if at >= half else "rear"
        text = f"divided at x = {split:g} m, the sprung body '{body.name}' has no mass in its {where} half"
        hint = f"by its inertia it reaches from {body.centre[0] - half:.3g} to {body.centre[0] + half:.3g} m"
        raise RangeError(Problem(text, hint=hint))
    slant = second[:, 0] / along
    aside = second - along * np.outer(slant, slant)

    def part(name: str, low: float, high: float) -> Body:
        mass = body.mass * (high - low) / (2.0 * half)
        spread = (high - low) ** 2 / 12.0 * np.outer(slant, slant) + aside
        centre = np.array(body.centre) + 0.5 * (low + high) * slant
        tensor = mass * (np.trace(spread) * np.eye(3) - spread)
        return replace(body, name=name, mass=mass, centre=as_vector(centre), inertia=as_matrix(tensor))

    return part(body.name, at, half), part(f"{body.name}_rear", -half, at)


def _place(connector: Connector, which: int) -> Vector:
    """Where a connector holds its first (0) or second body (1)."""
    ends = getattr(connector, "ends", None)
    place: Vector = connector.position if ends is None else ends[which]  # type: ignore[union-attr]
    return place


def _hung(connector: Connector, chassis: str, rear: str, split: float) -> Connector:
    """A connector of the sprung body on the half that it reaches."""
    if chassis not in connector.bodies:
        return connector
    which = connector.bodies.index(chassis)
    if not _place(connector, which)[0] < split:
        return connector
    first, second = (rear if i == which else body for i, body in enumerate(connector.bodies))
    return replace(connector, bodies=(first, second))


def _rehung_wheel(wheel: Wheel, chassis: str, rear: str, split: float) -> Wheel:
    """A wheel whose torques are taken by the half that it is at."""
    if not wheel.centre[0] < split:
        return wheel
    brake, drive = (rear if body == chassis else body for body in (wheel.brake_reaction, wheel.drive_reaction))
    return replace(wheel, brake_reaction=brake, drive_reaction=drive)


def _height_of_mounts(vehicle: Vehicle) -> float:
    subsystems = {axle.subsystem for axle in vehicle.axles}
    mounts = [
        _place(connector, connector.bodies.index(vehicle.chassis))[2]
        for connector in vehicle.acting(vehicle.connectors())
        if vehicle.chassis in connector.bodies and subsystem_of(connector.name) in subsystems
    ]
    return float(np.mean(mounts)) if mounts else vehicle.body(vehicle.chassis).centre[2]


def _roll_inertia(half: str, bodies: Iterable[Body], joints: Iterable[Joint], place: Vector) -> float:
    """Of a half and what is fixed to it, about an axis along x [kg·m²]."""
    fixed = {half}
    for joint in joints:
        if joint.type is JointType.FIXED and half in joint.bodies:
            fixed |= set(joint.bodies)
    carried = mass_properties(body for body in bodies if body.name in fixed)
    return float(carried.inertia_about(np.array(place))[0, 0])

"""What a picture of a vehicle shows, as data: lines, marks and tyres in V [m], apart from how they are drawn.

A body has no shape in a multibody model, only points where something is attached. Its lines are chosen so that it
looks like the part it is: a rod, a wishbone, an upright around its wheel centre, a frame, an axle beam.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import singledispatch
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from trackrod.core.corners import Axle, Corner, Side
from trackrod.report.element_details import body_details, connector_details, in_mm
from trackrod.vehicle.connectors import Beam, Bushing, Connector, Damper, Friction, Spring, Stop, TorsionSpring
from trackrod.vehicle.elements import GROUND, Body, Joint, JointType, Vector
from trackrod.vehicle.systems import Wheel
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Layer", "Mark", "Part", "Path", "Scene", "TyreShape", "Weight", "vehicle_scene"]

Array: TypeAlias = NDArray[np.float64]
Line: TypeAlias = Spring | Damper | Stop | Beam
Point: TypeAlias = Joint | Bushing | TorsionSpring

#: Attachment points closer than this are one [m].
_SAME_POINT = 1e-3
#: Points are in line if they spread this much less across the line than along it [-].
_IN_LINE = 0.05
#: Sizes of what the model has no size for [m].
_COIL_RADIUS = 0.05
_STEERING_WHEEL_RADIUS = 0.185
_AXIS_HALF_LENGTH = 0.035
_STOP_LENGTH = 0.06
_GROUND_MARGIN = (0.4, 0.2, 0.0)
#: A tyre whose file gives no rim has one of this share of its free radius [-].
_USUAL_RIM = 0.65
#: Joints that hold directions or everything: where they stand says nothing about the shape of a body.
_PLACED_ANYWHERE = (JointType.FIXED, JointType.ORIENTATION, JointType.PERPENDICULAR)
#: Joints whose axis is worth seeing.
_WITH_AXIS = (JointType.REVOLUTE, JointType.TRANSLATIONAL, JointType.CYLINDRICAL)


class Layer(StrEnum):
    """What can be switched on and off together."""

    BODIES = "bodies"
    CHASSIS = "chassis"
    WHEELS = "wheels"
    SPRINGS = "springs"
    DAMPERS = "dampers"
    STOPS = "stops"
    TORSION_SPRINGS = "torsion springs"
    BEAMS = "beams"
    JOINTS = "joints"
    BUSHINGS = "bushings"
    HARDPOINTS = "hardpoints"
    MASSES = "centres of mass"


class Weight(StrEnum):
    """How thick a line is."""

    HAIR = "hair"
    THIN = "thin"
    NORMAL = "normal"
    THICK = "thick"


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points of V [m].

    Attributes
    ----------
    name, details
        The element, and what there is to know of it, one line each.
    tint
        Bodies with the same number share a colour, as left and right do; None for the colour of the layer.
    """

    layer: Layer
    name: str
    points: tuple[Vector, ...]
    details: tuple[str, ...] = ()
    weight: Weight = Weight.NORMAL
    tint: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of V [m] that stands for an element.

    Attributes
    ----------
    kind
        Type of the joint, "bushing" …: what decides the symbol.
    acting
        Whether the element is there in the mode that its subsystem has now.
    """

    layer: Layer
    kind: str
    name: str
    position: Vector
    details: tuple[str, ...] = ()
    acting: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A body and the lines that show it."""

    body: str
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class TyreShape:
    """A tyre as a cylinder: middle in V [m], spin axis, free radius, radius of the rim and width [m]."""

    name: str
    centre: Vector
    axis: Vector
    radius: float
    rim_radius: float
    width: float
    details: tuple[str, ...] = ()

    def circle(self, radius: float, offset: float, count: int = 48) -> tuple[Vector, ...]:
        """A closed circle about the spin axis, `offset` along it from the middle of the tyre [m]."""
        return _circle(np.add(self.centre, offset * np.array(self.axis)), np.array(self.axis), radius, count)


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a picture of a vehicle shows.

    Attributes
    ----------
    parts
        Every body, with or without lines.
    paths, marks
        Connectors and points; lines that do not act in the modes of now are left out.
    contacts
        Lowest points of the unloaded tyres of the front and of the rear axle, moved into the plane y = 0, in V [m].

    Holds: mirrored vehicles have mirrored scenes but for the sense of coils.
    """

    name: str
    parts: tuple[Part, ...]
    paths: tuple[Path, ...]
    marks: tuple[Mark, ...]
    tyres: tuple[TyreShape, ...]
    contacts: tuple[Vector, ...]

    def ground_height(self, x: float) -> float:
        """Height z of the plane that the unloaded tyres of both axles touch, at x in V [m].

        It need not be level: the design position of a source may stand nose up or down. Under one axle it is level.
        """
        (front, _, front_height), (rear, _, rear_height) = self.contacts[0], self.contacts[-1]
        if front == rear:
            return front_height
        return front_height + (rear_height - front_height) * (front - x) / (front - rear)

    def ground(self) -> tuple[Vector, Vector, Vector, Vector]:
        """Corners of the piece of ground that the wheels stand on, in V [m]."""
        centres = np.array([tyre.centre for tyre in self.tyres])
        low, high = (centres.min(axis=0) - _GROUND_MARGIN).tolist(), (centres.max(axis=0) + _GROUND_MARGIN).tolist()
        rear, front = self.ground_height(low[0]), self.ground_height(high[0])
        return (
            (low[0], low[1], rear),
            (high[0], low[1], front),
            (high[0], high[1], front),
            (low[0], high[1], rear),
        )

    def all_paths(self) -> Iterator[Path]:
        """Lines of the bodies, then those of the connectors."""
        for part in self.parts:
            yield from part.paths
        yield from self.paths


def vehicle_scene(vehicle: Vehicle) -> Scene:
    """What to draw of a vehicle at its design position.

    Limits: shapes are guesses from attachment points; springs, dampers and stops have a drawn, not a real, diameter.
    """
    lines: tuple[Line, ...] = (*vehicle.springs, *vehicle.dampers, *vehicle.stops, *vehicle.beams)
    return Scene(
        name=vehicle.name,
        parts=tuple(_parts(vehicle)),
        paths=(
            *(path for line in vehicle.acting(lines) for path in _line_paths(line)),
            *_axes(vehicle.acting(vehicle.joints)),
            *_axes(vehicle.acting(vehicle.torsion_springs)),
            *_steering_wheel(vehicle),
        ),
        marks=tuple(_marks(vehicle)),
        tyres=tuple(shape for wheel in vehicle.wheels for shape in _tyres(vehicle, wheel)),
        contacts=tuple(_contact(vehicle, axle.position) for axle in vehicle.axles),
    )


# Bodies


def _parts(vehicle: Vehicle) -> Iterator[Part]:
    attached = {body.name: _attachments(vehicle, body.name) for body in vehicle.bodies}
    carried = _carried_wheels(vehicle)
    bars = {body for spring in vehicle.torsion_springs for body in spring.bodies}
    # Tube and rod of a damper are drawn as the damper.
    dampers = {frozenset(damper.ends) for damper in vehicle.dampers}
    tints: dict[str, int] = {}
    for body in vehicle.bodies:
        points = attached[body.name]
        if body.name in vehicle.sprung_bodies:
            yield Part(body.name, tuple(_box(body, points)))
            continue
        centres = carried.get(body.name, [])
        if centres:
            edges, tint = _carrier_edges(points, centres), None
        else:
            edges = [edge for edge in _edges(points, along=body.name in bars) if frozenset(edge) not in dampers]
            tint = tints.setdefault(body.name.removesuffix(f"_{body.side}"), len(tints)) if edges else None
        details = body_details(body)
        paths = (Path(Layer.BODIES, body.name, edge, details, tint=tint) for edge in edges)
        yield Part(body.name, tuple(paths))


def _attachments(vehicle: Vehicle, body: str) -> tuple[Vector, ...]:
    """Points of a body in both modes, so that it has one shape, each once."""
    telling: list[Vector] = []
    others: list[Vector] = []
    for connector in vehicle.connectors():
        if body in connector.bodies:
            anywhere = isinstance(connector, Joint) and connector.type in _PLACED_ANYWHERE
            (others if anywhere else telling).append(_ends(connector)[connector.bodies.index(body)])
    points = _distinct(telling + [wheel.centre for wheel in vehicle.wheels if wheel.body == body])
    return points if len(points) > 1 else _distinct([*points, *others])


def _distinct(points: Sequence[Vector]) -> tuple[Vector, ...]:
    found: list[Vector] = []
    for point in points:
        if all(np.linalg.norm(np.subtract(point, other)) > _SAME_POINT for other in found):
            found.append(point)
    return tuple(found)


def _carried_wheels(vehicle: Vehicle) -> dict[str, list[Vector]]:
    """Centres of the wheels that turn on a body, by body: an upright carries one, a rigid axle two."""
    joints = {joint.name: joint for joint in vehicle.joints}
    carried: dict[str, list[Vector]] = {}
    for wheel in vehicle.wheels:
        for body in joints[wheel.joint].bodies:
            if body not in (wheel.body, *vehicle.sprung_bodies, GROUND):
                carried.setdefault(body, []).append(wheel.centre)
    return carried


def _carrier_edges(points: Sequence[Vector], centres: list[Vector]) -> list[tuple[Vector, ...]]:
    """Spokes from the wheel centre, or from the line between two of them."""
    first, last = np.array(centres[0]), np.array(centres[-1])
    way = last - first
    edges: list[tuple[Vector, ...]] = [(centres[0], centres[-1])] if len(centres) > 1 else []
    for point in points:
        share = float(np.clip((point - first) @ way / (way @ way), 0.0, 1.0)) if len(centres) > 1 else 0.0
        foot = first + share * way
        if np.linalg.norm(point - foot) > _SAME_POINT:
            edges.append((_vector(foot), point))
    return edges


def _edges(points: Sequence[Vector], *, along: bool) -> list[tuple[Vector, ...]]:
    """Lines that make attachment points look like a part.

    Two points are a rod, points in line a shaft. A part of a torsion bar (`along`) leads from its middle outward. One
    that reaches to both sides of the vehicle is a frame, drawn by its outline. All others are arms: each point is
    joined to the outermost.
    """
    if len(points) < 2:
        return []
    array = np.array(points)
    centred = array - array.mean(axis=0)
    spread, directions = np.linalg.svd(centred)[1:]
    if len(points) == 2 or spread[1] < _IN_LINE * spread[0]:
        return [_ordered(points, centred @ directions[0])]
    if along:
        return [_ordered(points, np.abs(array[:, 1]))]
    if array[:, 1].min() < -_SAME_POINT and array[:, 1].max() > _SAME_POINT:
        return _outline(points, centred @ directions[:2].T)
    outermost = points[int(np.abs(array[:, 1]).argmax())]
    return [(outermost, point) for point in points if point != outermost]


def _ordered(points: Sequence[Vector], places: Array) -> tuple[Vector, ...]:
    return tuple(points[index] for index in np.argsort(places, kind="stable"))


def _outline(points: Sequence[Vector], flat: Array) -> list[tuple[Vector, ...]]:
    """The hull in the plane of the points, and spokes from points inside to the nearest corner."""
    corners = [int(index) for index in ConvexHull(flat).vertices]
    edges: list[tuple[Vector, ...]] = [tuple(points[index] for index in (*corners, corners[0]))]
    for index in set(range(len(points))) - set(corners):
        nearest = min(corners, key=lambda corner: float(np.linalg.norm(np.subtract(points[corner], points[index]))))
        edges.append((points[nearest], points[index]))
    return edges


def _box(body: Body, points: Sequence[Vector]) -> Iterator[Path]:
    """The edges of the box around the attachment points of the chassis."""
    if len(points) < 2:
        return
    limits = np.array([np.min(points, axis=0), np.max(points, axis=0)])
    for axis, (second, third) in enumerate(((1, 2), (0, 2), (0, 1))):
        for one, other in itertools.product((0, 1), repeat=2):
            ends = limits.copy()
            ends[:, second], ends[:, third] = limits[one, second], limits[other, third]
            if ends[0, axis] != ends[1, axis]:
                edge = (_vector(ends[0]), _vector(ends[1]))
                yield Path(Layer.CHASSIS, body.name, edge, body_details(body), Weight.HAIR)


# Connectors


def _ends(connector: Connector) -> tuple[Vector, Vector]:
    if isinstance(connector, Spring | Damper | Friction | Stop | Beam):
        return connector.ends
    return (connector.position, connector.position)


def _details(connector: Connector) -> tuple[str, ...]:
    return connector_details(connector, _distinct(_ends(connector)))


@singledispatch
def _line_paths(line: Line) -> Iterator[Path]:
    raise NotImplementedError(type(line).__name__)


@_line_paths.register
def _(spring: Spring) -> Iterator[Path]:
    upper, lower = _upward(spring.ends)
    # A strut is longer than the spring around it, whose upper seat is at the top.
    length = min(spring.installed_length, spring.design_length)
    seat = upper + (lower - upper) * (length / spring.design_length)
    yield Path(
        Layer.SPRINGS,
        spring.name,
        _helix(seat, upper),
        _details(spring),
        Weight.THIN,
    )


@_line_paths.register
def _(damper: Damper) -> Iterator[Path]:
    upper, lower = _upward(damper.ends)
    middle = lower + 0.55 * (upper - lower)
    details = _details(damper)
    yield Path(Layer.DAMPERS, damper.name, (_vector(lower), _vector(middle)), details, Weight.THICK)
    yield Path(Layer.DAMPERS, damper.name, (_vector(middle), _vector(upper)), details)


@_line_paths.register
def _(stop: Stop) -> Iterator[Path]:
    upper, lower = _upward(stop.ends)
    start, end = (lower, upper) if stop.rebound else (upper, lower)
    share = min(_STOP_LENGTH / stop.design_length, 1.0)
    points = (_vector(start), _vector(start + share * (end - start)))
    yield Path(Layer.STOPS, stop.name, points, _details(stop), Weight.THICK)


@_line_paths.register
def _(beam: Beam) -> Iterator[Path]:
    yield Path(Layer.BEAMS, beam.name, beam.ends, _details(beam), Weight.THICK)


def _upward(ends: tuple[Vector, Vector]) -> tuple[Array, Array]:
    """The higher end first."""
    first, second = np.array(ends[0]), np.array(ends[1])
    return (first, second) if first[2] >= second[2] else (second, first)


def _helix(start: Array, end: Array, turns: int = 6, steps: int = 14) -> tuple[Vector, ...]:
    way = end - start
    across, beside = _normals(way / np.linalg.norm(way))
    share = np.linspace(0.0, 1.0, turns * steps + 1)[:, np.newaxis]
    angle = 2.0 * np.pi * turns * share
    radius = min(_COIL_RADIUS, 0.3 * float(np.linalg.norm(way)))
    points = start + share * way + radius * (np.cos(angle) * across + np.sin(angle) * beside)
    return tuple(_vector(point) for point in points)


def _axes(connectors: Sequence[Joint | TorsionSpring]) -> Iterator[Path]:
    """Short pieces of the axes of joints and torsion springs."""
    for connector in connectors:
        layer = Layer.JOINTS
        if isinstance(connector, TorsionSpring):
            layer = Layer.TORSION_SPRINGS
        elif connector.type not in _WITH_AXIS:
            continue
        reach = _AXIS_HALF_LENGTH * np.array(connector.axis)
        points = (_vector(connector.position - reach), _vector(connector.position + reach))
        yield Path(layer, connector.name, points, _details(connector), Weight.HAIR)


def _steering_wheel(vehicle: Vehicle) -> Iterator[Path]:
    if vehicle.steering is not None:
        joint = next(joint for joint in vehicle.joints if joint.name == vehicle.steering.wheel_joint)
        rim = _circle(np.array(joint.position), np.array(joint.axis), _STEERING_WHEEL_RADIUS, 36)
        yield Path(Layer.BODIES, joint.bodies[0], rim, ("steering wheel",))


def _marks(vehicle: Vehicle) -> Iterator[Mark]:
    points: tuple[Point, ...] = (*vehicle.joints, *vehicle.bushings, *vehicle.torsion_springs)
    for connector in points:
        layer, kind = Layer.BUSHINGS, "bushing"
        if isinstance(connector, Joint):
            layer, kind = Layer.JOINTS, str(connector.type)
        elif isinstance(connector, TorsionSpring):
            layer, kind = Layer.TORSION_SPRINGS, "torsion spring"
        acting = connector.mode.acts_in(vehicle.mode_of(connector.name))
        yield Mark(
            layer,
            kind,
            connector.name,
            connector.position,
            _details(connector),
            acting,
        )
    for name, place in vehicle.hardpoints.items():
        yield Mark(Layer.HARDPOINTS, "hardpoint", name, place, (in_mm(place),))
    for body in vehicle.bodies:
        if body.mass > 0:
            yield Mark(Layer.MASSES, "body", body.name, body.centre, body_details(body))
    total = vehicle.mass_properties
    centre = _vector(total.centre)
    details = (f"{total.mass:.1f} kg", in_mm(centre))
    yield Mark(Layer.MASSES, "vehicle", "centre of mass of the vehicle", centre, details)


# Wheels


def _contact(vehicle: Vehicle, axle: Axle) -> Vector:
    shapes = [shape for side in Side for shape in _tyres(vehicle, vehicle.wheel(Corner.of(axle, side)))]
    x = float(np.mean([shape.centre[0] for shape in shapes]))
    return (x, 0.0, min(shape.centre[2] - shape.radius for shape in shapes))


def _tyres(vehicle: Vehicle, wheel: Wheel) -> Iterator[TyreShape]:
    for place in wheel.tyres:
        properties = vehicle.tyres[place.tyre]
        radius, width, rim = (properties.coefficients[key] for key in ("UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS"))
        centre = _vector(np.add(wheel.centre, wheel.corner.side.sign * place.offset * np.array(wheel.axis)))
        details = (
            f"tyre {place.tyre}: free radius {radius * 1e3:.0f} mm, width {width * 1e3:.0f} mm",
            f"wheel centre {in_mm(wheel.centre)}",
            _toe_and_camber(wheel),
        )
        rim = rim if 0 < rim < radius else _USUAL_RIM * radius
        yield TyreShape(f"wheel {wheel.corner}", centre, wheel.axis, radius, rim, width, details)


def _toe_and_camber(wheel: Wheel) -> str:
    """Toe-in and camber with the top outward positive [deg], from the spin axis."""
    x, y, z = wheel.axis
    sign = wheel.corner.side.sign
    toe, camber = np.degrees(np.arctan2(sign * x, y)), np.degrees(np.arcsin(-sign * z))
    return f"toe in {toe:.2f}°, camber {camber:.2f}°"


# Geometry


def _normals(axis: Array) -> tuple[Array, Array]:
    """Two directions normal to an axis and to each other; the first level unless the axis is upright."""
    level = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    first = np.cross(axis, level)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _circle(centre: Array, axis: Array, radius: float, count: int) -> tuple[Vector, ...]:
    first, second = _normals(axis)
    angle = np.linspace(0.0, 2.0 * np.pi, count + 1)[:, np.newaxis]
    return tuple(_vector(point) for point in centre + radius * (np.cos(angle) * first + np.sin(angle) * second))


def _vector(array: Array) -> Vector:
    x, y, z = array.tolist()
    return (x, y, z)

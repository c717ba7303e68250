"""What is read off the rig: places and angles of the wheels, contact points, lengths and twists of the springs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.core.corners import Side
from trackrod.core.motion import rotation_matrices
from trackrod.core.quantities import KINDS, Kind
from trackrod.kc.orientation import wheel_angles
from trackrod.kc.points import SIDES, Solution
from trackrod.kc.rig import DIFFERENCE, Rig
from trackrod.vehicle.connectors import Damper, Spring, Stop, TorsionSpring, side_of

__all__ = ["Gauge", "Measured", "Neighbours", "gauges", "locks", "measure", "neighbours"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gauge:
    """A spring, damper, stop or torsion spring whose length [m] or twist [rad] is read.

    Attributes
    ----------
    name
        As in the columns of a test: ``spring_length_left``, ``bar_twist``.
    kind
        Length or angle.
    element
        Name of the element in the vehicle.
    side
        The wheel that it belongs to; None for what lies between both.
    stop
        Whether it is a stop, which acts at the end of the travel only.
    """

    name: str
    kind: Kind
    element: str
    side: Side | None
    stop: bool = False


def gauges(rig: Rig) -> tuple[Gauge, ...]:
    """What can be read on an axle: every acting spring, damper, stop and torsion spring."""
    found = [*_line_gauges(rig), *_twist_gauges(rig)]
    names = [gauge.name for gauge in found]
    return tuple(
        gauge if names.count(gauge.name) == 1 else replace(gauge, name=f"{gauge.name}_{_own_name(gauge)}")
        for gauge in found
    )


def _own_name(gauge: Gauge) -> str:
    return gauge.element.rpartition(".")[2]


def _line_gauges(rig: Rig) -> Iterator[Gauge]:
    vehicle = rig.vehicle
    elements: tuple[Spring | Damper | Stop, ...] = (*vehicle.springs, *vehicle.dampers, *vehicle.stops)
    for element in vehicle.acting(elements):
        if element.name in rig.model.lines:
            side = side_of(element)
            name = f"{_what(element)}_length_{side}"
            yield Gauge(name, KINDS["length"], element.name, side, isinstance(element, Stop))


def _twist_gauges(rig: Rig) -> Iterator[Gauge]:
    for element in rig.vehicle.acting(rig.vehicle.torsion_springs):
        if any(body in rig.model.index for body in element.bodies):
            between = all(body in rig.model.index for body in element.bodies)
            side = None if between else element.side or _nearer_side(element.position[1])
            name = "bar_twist" if side is None else f"torsion_bar_twist_{side}"
            yield Gauge(name, KINDS["angle"], element.name, side)


def _what(element: Spring | Damper | Stop) -> str:
    if isinstance(element, Stop):
        return "rebound_stop" if element.rebound else "bump_stop"
    return "spring" if isinstance(element, Spring) else "damper"


def _nearer_side(y: float) -> Side:
    return Side.LEFT if y >= 0 else Side.RIGHT


def locks(of: tuple[Gauge, ...]) -> Array | None:
    """What is locked while an axle is steered: shares of the readings at the left and the right wheel, (2, gauges).

    Springs if both wheels have them, else torsion springs, else dampers, which hold an axle on leaves; the mean of
    several on one side. None if there are none of these.
    """
    for what in ("spring_length", "torsion_bar_twist", "damper_length"):
        own = np.array([[gauge.side is side and gauge.name.startswith(what) for gauge in of] for side in SIDES])
        if own.any(axis=1).all():
            return np.asarray(own / own.sum(axis=1, keepdims=True))
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Readings at n points; wheels are left, right in the second dimension. Positions and directions in V.

    Attributes
    ----------
    centre, contact
        Wheel centres and contact points, shape (n, 2, 3) [m]. The contact point lies below the wheel centre in the
        wheel plane, at the loaded radius.
    rotation
        Wheel frames R_VW, shape (n, 2, 3, 3).
    angles
        Inclination, pitch and steer, shape (n, 2, 3) [rad].
    wheel_load
        Forces of the pads, shape (n, 2) [N].
    rack_force
        Force of the rack's drive, towards the left [N]; zero on an axle without rack.
    readings
        Of the gauges, shape (n, gauges) [m], [rad].
    brake_turn, drive_turn
        Rotation vectors of the bodies that take the reactions of brakes and driveline, shape (n, 2, 3) [rad].
    """

    centre: Array
    contact: Array
    rotation: Array
    angles: Array
    wheel_load: Array
    rack_force: Array
    readings: Array
    brake_turn: Array
    drive_turn: Array

    def take(self, rows: NDArray[np.int64]) -> Measured:
        """Readings at some of the points."""
        return Measured(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Readings ahead of and behind n points along some motion, and the way between the two [m], shape (n,)."""

    ahead: Measured
    behind: Measured
    way: Array

    def rate(self, name: str) -> Array:
        """Difference quotient of a reading [its SI unit per m]."""
        change = getattr(self.ahead, name) - getattr(self.behind, name)
        return np.asarray(change / self.way.reshape(-1, *(1,) * (change.ndim - 1)))

    def spin(self) -> Array:
        """Rotation of the carriers per metre, in V, shape (n, 2, 3) [rad/m]."""
        turn = np.einsum("...ij,...kj->...ik", self.ahead.rotation, self.behind.rotation)
        sine = 0.5 * np.stack(
            [turn[..., i, j] - turn[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))],
            axis=-1,
        )
        size = np.linalg.norm(sine, axis=-1, keepdims=True)
        angle = np.arcsin(np.minimum(size, 1.0))
        return sine * np.where(size > 0, angle / np.where(size > 0, size, 1.0), 1.0) / self.way[:, None, None]


def neighbours(rig: Rig, pair: tuple[Solution, Solution], of: tuple[Gauge, ...]) -> Neighbours:
    """Readings of the neighbouring equilibria that a sweep has solved."""
    ahead, behind = (measure(rig, solution, of) for solution in pair)
    return Neighbours(ahead, behind, np.full(len(pair[0].solved), 2.0 * DIFFERENCE))


def measure(rig: Rig, solution: Solution, of: tuple[Gauge, ...]) -> Measured:
    """Readings of a solution; not a number where it was not reached."""
    poses = solution.poses
    carrier = poses[:, list(rig.carriers)]
    turn = rotation_matrices(carrier[..., 3:])
    rotation = turn @ rig.frames
    centre = carrier[..., :3] + np.einsum("nkij,kj->nki", turn, rig.arms)
    axis = rotation[..., 1]
    up = np.array([0.0, 0.0, 1.0])
    lean = axis[..., 2:]
    contact = centre + rig.radii[:, None] * (axis * lean - up) / np.sqrt(1.0 - lean**2)
    rack = rig.model.drives.get("rack")
    return Measured(
        centre,
        contact,
        rotation,
        wheel_angles(rotation),
        solution.forces[:, list(rig.pads)],
        np.zeros(len(poses)) if rack is None else solution.forces[:, rack],
        np.stack([_reading(rig, solution, gauge) for gauge in of], axis=-1) if of else np.zeros((len(poses), 0)),
        _turns(poses, rig.brake_bodies),
        _turns(poses, rig.drive_bodies),
    )


def _reading(rig: Rig, solution: Solution, gauge: Gauge) -> Array:
    line = rig.model.lines.get(gauge.element)
    if line is not None:
        return solution.lengths[:, line]
    spring: TorsionSpring = next(s for s in rig.vehicle.torsion_springs if s.name == gauge.element)
    first, second = (_rotations(solution.poses, rig.model.index.get(body, -1)) for body in spring.bodies)
    return np.asarray((second.inv() * first).as_rotvec() @ np.array(spring.axis)) + _nan_like(solution)


def _turns(poses: Array, bodies: tuple[int, ...]) -> Array:
    return np.stack([_rotations(poses, body).as_rotvec() for body in bodies], axis=1)


def _rotations(poses: Array, body: int) -> Rotation:
    """Of a body since the design position; none for what stands still, and none where it is not a number."""
    if body < 0:
        return Rotation.from_rotvec(np.zeros((len(poses), 3)))
    q = np.where(np.isfinite(poses[:, body, 3:]), poses[:, body, 3:], [1.0, 0.0, 0.0, 0.0])
    return Rotation.from_quat(q[:, [1, 2, 3, 0]])


def _nan_like(solution: Solution) -> Array:
    return np.where(solution.solved, 0.0, np.nan)

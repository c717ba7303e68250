"""Numbers of a real-time model worked out from a vehicle by other means than the conversion.

Masses are sums over bodies, told apart by their names alone; poses are read off the bodies of the rig's equilibria with
formulas of their own. Nothing of `trackrod.convert` and of the rig's readings (`trackrod.kc.measure`, `.maps`) is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from asymmetric_vehicles import vehicle
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.rig import Inputs, Load, Rig, Solution
from trackrod.vehicle.connectors import Damper, Spring
from trackrod.vehicle.elements import Body
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]

#: First parts of the names of what turns with a wheel, and of what else moves with it or with the whole axle.
TURNING = ("spindle", "wheel", "outer_wheel", "inner_wheel")
CARRYING = ("upright", "axle", "axle_seat", "axle_end", "differential", "final_drive")
#: Shafts of the driveline. Half-shafts turn inside of a solid axle, and hang between body and wheel of any other.
SHAFTS = ("driveshaft", "halfshaft", "propshaft")
SIDES = (Side.LEFT, Side.RIGHT)


# ---- masses


@dataclass(frozen=True)
class Part:
    """A body of an axle: what it is, which share of it counts as unsprung, and how that is divided left and right."""

    body: Body
    what: str
    unsprung: float
    sides: tuple[float, float]

    @property
    def moves_with_the_wheel(self) -> bool:
        return self.what in TURNING + CARRYING


def parts(of: Vehicle, axle: Axle, link: float, driveline: float) -> Iterator[Part]:
    """The bodies of an axle; `link` and `driveline` are shares that count as unsprung."""
    y_left, y_right = (of.wheel(Corner.of(axle, side)).centre[1] for side in SIDES)
    for body in of.bodies:
        subsystem, _, name = body.name.partition(".")
        if not subsystem.startswith(f"{axle}_") or body.sprung_fraction == 1.0:
            continue
        what, _, side = name.rpartition("_")
        if side not in ("left", "right"):
            what, side = name, ""
        lever = (body.centre[1] - y_right) / (y_left - y_right)
        sides = {"left": (1.0, 0.0), "right": (0.0, 1.0), "": (lever, 1.0 - lever)}[side]
        carried = what in TURNING + CARRYING or (what == "halfshaft" and of.axle(axle).dependent)
        unsprung = 1.0 if carried else driveline if what in SHAFTS else link
        yield Part(body, what, unsprung, sides)


def about(bodies: list[tuple[Body, float]], point: Array) -> Array:
    """Inertia tensor of shares of bodies about a point [kg·m²]."""
    total = np.zeros((3, 3))
    for body, share in bodies:
        d = np.array(body.centre) - point
        total += share * (np.array(body.inertia) + body.mass * (np.diag([d @ d] * 3) - np.outer(d, d)))
    return total


@dataclass(frozen=True)
class Masses:
    """Masses by hand; wheels in the order fl, fr, rl, rr [kg], [m], [kg·m²]."""

    total: float
    total_centre: Array
    total_inertia: Array
    unsprung: Array
    roll: Array
    yaw: Array
    spin: Array
    sprung: float
    sprung_centre: Array
    sprung_inertia: Array


def masses(name: str, front: float, rear: float, driveline: float) -> Masses:
    of = vehicle(name)
    every = [(body, 1.0) for body in of.bodies]
    total = sum(body.mass for body in of.bodies)
    centre = sum(body.mass * np.array(body.centre) for body in of.bodies) / total
    unsprung, roll, yaw, spin = (np.zeros(4) for _ in range(4))
    for axle, link in ((Axle.FRONT, front), (Axle.REAR, rear)):
        of_axle = list(parts(of, axle, link, driveline))
        corners = [Corner.of(axle, side) for side in SIDES]
        for k, corner in enumerate(corners):
            i, wheel = corner.index, of.wheel(corner)
            unsprung[i] = sum(part.body.mass * part.unsprung * part.sides[k] for part in of_axle)
            at, axis = np.array(wheel.centre), np.array(wheel.axis)
            own = about([(p.body, 1.0) for p in of_axle if p.moves_with_the_wheel and p.sides[k] == 1.0], at)
            roll[i], yaw[i] = own[0, 0], own[2, 2]
            spin[i] = axis @ about([(p.body, p.sides[k]) for p in of_axle if p.what in TURNING], at) @ axis
        if of.axle(axle).dependent:
            # The masses stand at the wheel centres, farther out than the beam and the leaves really are: what belongs
            # to a wheel besides must make up for it, so that the axle as a whole has the inertia that it has.
            y = np.array([of.wheel(corner).centre[1] for corner in corners])
            middle = np.array(of.wheel(corners[0]).centre) * [1.0, 0.0, 1.0]
            whole = about([(part.body, part.unsprung) for part in of_axle], middle)
            pair = [corner.index for corner in corners]
            roll[pair] = 0.5 * (whole[0, 0] - unsprung[pair] @ y**2)
            yaw[pair] = 0.5 * (whole[2, 2] - unsprung[pair] @ y**2)
    wheels = np.array([wheel.centre for wheel in of.wheels])
    sprung = total - unsprung.sum()
    sprung_centre = (total * centre - unsprung @ wheels) / sprung
    inertia = about(every, sprung_centre)
    for i, place in enumerate(wheels):
        x, y, z = place - sprung_centre
        point = [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
        inertia -= unsprung[i] * np.array(point) + np.diag([roll[i], 0.0, yaw[i]])
    return Masses(total, centre, about(every, centre), unsprung, roll, yaw, spin, sprung, sprung_centre, inertia)


# ---- the rig, read without its own readings


@cache
def rig(name: str, axle: Axle, *, stops: bool = True, bar: float = 1.0) -> Rig:
    """An axle on the rig, with or without its stops, its anti-roll bar scaled."""
    of = vehicle(name)
    springs = tuple(
        replace(s, curve=replace(s.curve, y=bar * s.curve.y)) if "anti_roll_bar" in s.name else s
        for s in of.torsion_springs
    )
    return Rig(replace(of, torsion_springs=springs, stops=of.stops if stops else ()), axle)


def poses(name: str, axle: Axle, inputs: Inputs) -> dict[Side, dict[str, Array]]:
    """Displacement of the wheel centres [m], angles [rad] and lengths of the dampers [m] at points of the rig."""
    on = rig(name, axle)
    solution = on.sweep(inputs)
    assert solution.solved.all(), solution.problems
    return {side: _pose(on, solution, side) for side in SIDES}


def _pose(on: Rig, solution: Solution, side: Side) -> dict[str, Array]:
    of = on.vehicle
    wheel = of.wheel(Corner.of(on.axle, side))
    turn = turn_of(on, solution, wheel.body)
    moved = place_of(on, solution, wheel.body, wheel.centre) - np.array(wheel.centre)
    up = np.array([0.0, 0.0, 1.0])
    ahead = turn.apply(_unit(np.cross(wheel.axis, up)))  # level at the design position
    axis = turn.apply(wheel.axis)
    level = _unit(np.cross(axis, up))
    damper, spring = (_length(on, solution, elements, side) for elements in (of.dampers, of.springs))
    assert damper is not None
    return {
        "tx": moved[:, 0],
        "ty": moved[:, 1],
        "tz": moved[:, 2],
        "rx": np.arcsin(axis[:, 2]),  # top to the right is positive: the axis then points up
        "ry": np.arcsin(-np.einsum("ni,ni->n", ahead, np.cross(level, axis))),
        "rz": np.arctan2(-axis[:, 0], axis[:, 1]),
        "damper_length": damper,
        "spring_length": -moved[:, 2] if spring is None else spring,  # of leaf springs and torsion bars: with the wheel
    }


def _length(on: Rig, solution: Solution, elements: Sequence[Damper | Spring], side: Side) -> Array | None:
    """Distance of the ends of a side's damper or spring; None where it has none."""
    prefix = on.vehicle.axle(on.axle).subsystem
    found = [e for e in elements if e.name in (f"{prefix}.ride_damper_{side}", f"{prefix}.ride_spring_{side}")]
    if not found:
        return None
    [element] = found
    one, other = (place_of(on, solution, *place) for place in zip(element.bodies, element.ends, strict=True))
    return np.asarray(np.linalg.norm(one - other, axis=-1))


def turn_of(on: Rig, solution: Solution, body: str) -> Rotation:
    """Rotation of a body since the design position; what is not on the rig stands still."""
    if body not in on.model.index:
        return Rotation.identity(len(solution.poses))
    w, x, y, z = solution.poses[:, on.model.index[body], 3:].T
    return Rotation.from_quat(np.column_stack((x, y, z, w)))


def place_of(on: Rig, solution: Solution, body: str, point: tuple[float, float, float]) -> Array:
    """Where a point of a body is [m]; what is not on the rig stands still."""
    if body not in on.model.index:
        return np.tile(point, (len(solution.poses), 1))
    i = on.model.index[body]
    arm = np.array(point) - on.model.centres[i]
    return np.asarray(solution.poses[:, i, :3] + turn_of(on, solution, body).apply(arm))


def rubbing(name: str, axle: Axle, right: float) -> float:
    """Friction at each wheel by the work of its elements in travel, `right` times as much on the right side [N]."""
    on, way = rig(name, axle), 1e-3
    solution = on.sweep(Inputs.of(np.outer((way, -way), (1.0, right))))
    assert solution.solved.all(), solution.problems
    work = 0.0
    for item in on.vehicle.frictions:
        if item.name.startswith(on.vehicle.axle(axle).subsystem + "."):
            one, other = (place_of(on, solution, *place) for place in zip(item.bodies, item.ends, strict=True))
            work += item.force * abs(float(np.diff(np.linalg.norm(one - other, axis=-1))[0]))
    return work / (4 * way)


@cache
def stop_base(name: str, corner: Corner, kind: str) -> float:
    """How far a stop moves in opposite travel over how far it does in parallel travel; 1 on an independent axle."""
    on, way = rig(name, corner.axle), 1e-3
    if not on.vehicle.axle(corner.axle).dependent:
        return 1.0
    prefix = "rebound_stop" if kind == "rebound" else "jounce_stop"
    name = f"{on.vehicle.axle(corner.axle).subsystem}.{prefix}_{corner.side}"
    [stop] = [stop for stop in on.vehicle.stops if stop.name == name]
    solution = on.sweep(Inputs.of(way * np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])))
    one, other = (place_of(on, solution, *place) for place in zip(stop.bodies, stop.ends, strict=True))
    moved = np.diff(np.linalg.norm(one - other, axis=-1))
    return float(abs(moved[2] / moved[0]))


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def pad_forces(name: str, axle: Axle, travels: Array, *, stops: bool, bar: float = 1.0) -> Array:
    """Loads under the left and the right wheel, shape (n, 2) [N], at travels of both, shape (n, 2) [m]."""
    on = rig(name, axle, stops=stops, bar=bar)
    solution = on.sweep(Inputs.of(travels))
    assert solution.solved.all(), solution.problems
    return np.asarray(solution.forces[:, [on.model.drives[f"pad_{Corner.of(axle, side)}"] for side in SIDES]])


def give(name: str, axle: Axle, load: Load, values: Array, loaded: Side) -> dict[Side, dict[str, Array]]:
    """Changes of the poses of both wheels over a load on one of them [N], [N·m]."""
    column = SIDES.index(loaded)
    loads = np.zeros((len(values), 2))
    loads[:, column] = values
    found = poses(name, axle, Inputs.of(loads=({load: loads})))
    rest = int(np.abs(values).argmin())
    return {side: {key: x - x[rest] for key, x in pose.items()} for side, pose in found.items()}

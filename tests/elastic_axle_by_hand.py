"""The elastic system of an axle worked out by differences of nonlinear equilibria on the rig, body by body.

Every load is put on the rig in both directions; what each body of the vehicle does between the two, over the load, is
its shape. Masses are sums over the bodies of the vehicle, damping is a sum over its bushings, beams and bars, the
compliance is the way of the points that loads act at. Nothing of `trackrod.kc.elasticity` and no linearised matrix is
used.

Limits: ideal joints count as rigid, they hold less than 1e-3 of the damping; beams are not stiffened by what they bear,
which is 3e-3 of it where leaves bear most.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from asymmetric_vehicles import vehicle
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import KINDS
from trackrod.kc.rig import Inputs, Load, Rig, Solution
from trackrod.vehicle.characteristics import Characteristic, SpringCharacteristic
from trackrod.vehicle.connectors import Beam, Bushing, Damper, Spring, TorsionSpring
from trackrod.vehicle.elements import Body
from trackrod.vehicle.vehicle import Vehicle
from vehicle_by_hand import SIDES, TURNING, place_of, turn_of

Array = NDArray[np.float64]

#: Loads of the rig in the order of `AXLE_LOADS`; the tension of a damper is a spring without stiffness beside it.
LOADS = (Load.FX_CENTRE, Load.FX, Load.FY, Load.MX, Load.MZ, None)
#: Signs of the right wheel's load in the mirror image of the left one's.
MIRROR = (1.0, 1.0, -1.0, -1.0, -1.0, 1.0)
#: Half the width of the differences [N], [N·m], [m].
FORCE, MOMENT, WAY = 20.0, 4.0, 1e-3
#: Travel to both sides of the design position at which shapes are taken besides [m].
BESIDE = 0.02
#: Compliance that counts as none [m/N], [rad/(N·m)]: pads and joints of the rig yield as much.
STIFF = 2e-8
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True)
class Shape:
    """How an axle moves for each unit of a load or of a travel: bodies of the vehicle, wheel centres, dampers.

    Attributes
    ----------
    bodies
        Velocity of the centre and angular velocity, six for each body of the vehicle that the axle has.
    wheels
        The same for the centres of the left and the right wheel.
    brakes
        Angular velocity of what holds their brakes.
    dampers
        Growth of their lengths.
    """

    bodies: dict[str, Array]
    wheels: Array
    brakes: Array
    dampers: Array

    def turned(self, body: str) -> Array:
        """Angular velocity of a body."""
        return self.bodies.get(body, np.zeros(6))[3:]

    def at(self, body: str, point: Iterable[float], place: Iterable[float]) -> Array:
        """Velocity of a point of a body whose centre is at a place, and its angular velocity."""
        moved = self.bodies.get(body, np.zeros(6))
        return np.concatenate((moved[:3] + np.cross(moved[3:], np.subtract(tuple(point), tuple(place))), moved[3:]))


@cache
def bare(name: str) -> Vehicle:
    """Without dampers: their damping is not that of the axle."""
    return replace(vehicle(name), dampers=())


@cache
def rig(name: str, axle: Axle) -> Rig:
    return Rig(bare(name), axle)


@cache
def shape(
    name: str, axle: Axle, load: int, right: float, travel: tuple[float, float] = (0.0, 0.0), rack: float = 0.0
) -> Shape:
    """Of one of `LOADS` on the left wheel, `right` times as much on the right one, at travels of both and rack [m]."""
    which = LOADS[load]
    if which is None:
        return _between(*(_pulled(name, axle, side * FORCE, right, travel, rack) for side in (1.0, -1.0)), 2 * FORCE)
    width = MOMENT if which.is_moment else FORCE
    on = rig(name, axle)
    loads = {which: np.outer((width, 0.0, -width), (1.0, right))}
    found = on.sweep(Inputs.of(np.tile(travel, (3, 1)), rack, loads=loads))
    return _between((on, _row(found, 0)), (on, _row(found, 2)), 2 * width)


@cache
def travelling(name: str, axle: Axle, left: float, right: float) -> Shape:
    """Of travels."""
    on = rig(name, axle)
    found = on.sweep(Inputs.of(np.outer((WAY, 0.0, -WAY), (left, right))))
    return _between((on, _row(found, 0)), (on, _row(found, 2)), 2 * WAY)


def _row(found: Solution, row: int) -> Solution:
    assert found.solved.all(), found.problems
    return replace(found, poses=found.poses[row : row + 1])


def _pulled(
    name: str, axle: Axle, tension: float, right: float, travel: tuple[float, float], rack: float
) -> tuple[Rig, Solution]:
    """The axle at travels with a tension in its dampers, `right` times as much on the right side."""
    of = bare(name)
    springs = []
    for side, factor in zip(SIDES, (1.0, right), strict=True):
        for damper in _dampers(name, axle, side):
            push = Characteristic(np.array([0.0, 1.0]), np.full(2, -factor * tension), KINDS["length"], KINDS["force"])
            law = SpringCharacteristic(push, 1.0)
            springs.append(Spring(f"{damper.name}_pull", damper.bodies, damper.ends, law, 0.5))
    on = Rig(replace(of, springs=(*of.springs, *springs)), axle)
    found = on.sweep(Inputs.of(np.array([travel]), rack))
    assert found.solved.all(), found.problems
    return on, found


def _dampers(name: str, axle: Axle, side: Side) -> list[Damper]:
    of = vehicle(name)
    prefix = of.axle(axle).subsystem + "."
    return [d for d in of.acting(of.dampers) if d.name.startswith(prefix) and d.side is side]


def _between(ahead: tuple[Rig, Solution], behind: tuple[Rig, Solution], width: float) -> Shape:
    on = ahead[0]
    of = on.vehicle
    present = [body for body in of.bodies if on.model.index.get(body.name, -1) >= 0]

    def motion(body: str, point: tuple[float, float, float]) -> Array:
        one, two = (place_of(*state, body, point)[0] for state in (ahead, behind))
        return np.concatenate((one - two, turned(body))) / width

    def turned(body: str) -> Array:
        one, two = (turn_of(*state, body) for state in (ahead, behind))
        return np.asarray((one * two.inv()).as_rotvec()[0])

    wheels = [of.wheel(Corner.of(on.axle, side)) for side in SIDES]
    lengths = [(_damper_length(ahead, side) - _damper_length(behind, side)) / width for side in SIDES]
    return Shape(
        {body.name: motion(body.name, body.centre) for body in present},
        np.array([motion(wheel.body, wheel.centre) for wheel in wheels]),
        np.array([turned(wheel.brake_reaction) / width for wheel in wheels]),
        np.array(lengths),
    )


def _damper_length(state: tuple[Rig, Solution], side: Side) -> float:
    """Of all dampers of a wheel together."""
    on = state[0]
    total = 0.0
    for damper in _dampers(on.vehicle.name, on.axle, side):
        ends = [place_of(*state, *end)[0] for end in zip(damper.bodies, damper.ends, strict=True)]
        total += float(np.linalg.norm(ends[0] - ends[1]))
    return total


# ---- what the model holds


@dataclass(frozen=True)
class Mode:
    """Matrices of the six loads of a mode, halved where they are of both wheels, and the sizes of their elements.

    The size of an element is the root of the product of the diagonal's elements, as Cauchy and Schwarz have it.
    """

    mass: Array
    damping: Array
    compliance: Array
    body_mass: Array
    travel_mass: Array
    travel_damping: Array
    pose: Array
    sizes: dict[str, Array]


@cache
def mode(name: str, axle: Axle, sign: float) -> Mode:
    """Of loads that are mirror images of each other (+1) or those with the opposite sign (−1)."""
    shapes = [shape(name, axle, i, sign * MIRROR[i]) for i in range(len(LOADS))]
    lift = travelling(name, axle, 1.0, 0.0)
    M, D = (0.5 * np.array([[of(name, axle, a, b) for b in shapes] for a in shapes]) for of in (mass, damping))
    both = np.array([ways(name, axle, s) for s in shapes])
    C = 0.5 * (both[:, 0] + both[:, 1] * sign * np.array(MIRROR))
    directions = (0, 2, 4) if sign > 0 else (1, 3, 5)
    N = 0.5 * np.array([momentum(name, axle, s) for s in shapes])[:, directions]
    P = np.array([poses(s) for s in shapes])
    roots = {key: _roots(of) for key, of in (("mass", M), ("damping", D), ("compliance", C))}
    roots["compliance"] = np.maximum(roots["compliance"], np.sqrt(STIFF))
    sizes = {key: np.outer(of, of) for key, of in roots.items()}
    sizes["body_mass"] = np.outer(roots["mass"], np.sqrt(_rigid(name, axle)[list(directions)]))
    sizes["travel_mass"] = roots["mass"] * np.sqrt(mass(name, axle, lift, lift))
    sizes["travel_damping"] = roots["damping"] * np.sqrt(damping(name, axle, lift, lift))
    sizes["pose"] = np.abs(P).max(axis=1, keepdims=True) + STIFF
    beside = [_beside(name, axle, sign, (1.0, way)) for way in (1.0, -1.0)]
    steered = rig(name, axle).steered
    beside.append(_beside(name, axle, sign, (0.0, 0.0), 1.0) if steered else np.zeros_like(P))
    return Mode(
        M,
        D,
        C,
        N,
        np.array([mass(name, axle, s, lift) for s in shapes]),
        np.array([damping(name, axle, s, lift) for s in shapes]),
        np.stack((P, *beside)),
        sizes,
    )


def _beside(name: str, axle: Axle, sign: float, travel: tuple[float, float], rack: float = 0.0) -> Array:
    """How the poses change by travels and rack [1/m]."""
    left, right = travel
    ahead, behind = (
        np.array(
            [poses(shape(name, axle, i, sign * MIRROR[i], (left * z, right * z), rack * z)) for i in range(len(LOADS))]
        )
        for z in (BESIDE, -BESIDE)
    )
    return (ahead - behind) / (2 * BESIDE)


def _roots(matrix: Array) -> Array:
    """Of the diagonal; what hardly moves, as a moment on a beam between two pads, counts as a little of the rest."""
    roots = np.sqrt(np.abs(np.diag(matrix)))
    moments = np.array([load is not None and load.is_moment for load in LOADS])
    for kind in (moments, ~moments):
        roots[kind] = np.maximum(roots[kind], 0.1 * roots[kind].max())
    return np.asarray(roots)


def _rigid(name: str, axle: Axle) -> Array:
    """Mass of the axle, three times, and its inertia about the point between the wheel centres."""
    found, at = np.zeros(6), reference(name, axle)
    for body in vehicle(name).bodies:
        if body.name in travelling(name, axle, 1.0, 0.0).bodies:
            d = np.subtract(body.centre, at)
            found[:3] += body.mass
            found[3:] += np.diag(_inertia(name, body)) + body.mass * (d @ d - d**2)
    return found


@dataclass(frozen=True)
class Travels:
    """Mass, damping and momentum of both travels, and how the wheel centres move by each, shape (2, 2, 3)."""

    mass: Array
    damping: Array
    momentum: Array
    centres: Array


@cache
def travels(name: str, axle: Axle) -> Travels:
    shapes = [travelling(name, axle, *way) for way in ((1.0, 0.0), (0.0, 1.0))]
    M, D = (np.array([[of(name, axle, a, b) for b in shapes] for a in shapes]) for of in (mass, damping))
    centres = np.array([[s.wheels[k, :3] for s in shapes] for k in range(2)])
    return Travels(M, D, np.array([momentum(name, axle, s) for s in shapes]), centres)


# ---- sums over bodies and connectors


@cache
def rest(name: str, axle: Axle) -> tuple[Rig, Solution]:
    """The axle at the design position, as the weight has turned and bent it."""
    on = rig(name, axle)
    found = on.sweep(Inputs.of())
    assert found.solved.all(), found.problems
    return on, found


@cache
def places(name: str, axle: Axle) -> dict[str, Array]:
    """Centres of the bodies there [m]."""
    return {body.name: place_of(*rest(name, axle), body.name, body.centre)[0] for body in bare(name).bodies}


def mass(name: str, axle: Axle, first: Shape, second: Shape) -> float:
    """Twice the kinetic energy of both together: Σ m v·v + ω·I·ω over the bodies of the axle."""
    del axle  # the shapes know which bodies move
    total = 0.0
    for body in vehicle(name).bodies:
        if body.name in first.bodies:
            one, two = first.bodies[body.name], second.bodies[body.name]
            total += body.mass * one[:3] @ two[:3] + one[3:] @ _inertia(name, body) @ two[3:]
    return total


def _inertia(name: str, body: Body) -> Array:
    """About the centre; what turns with a wheel does not turn with its carrier."""
    inertia = np.array(body.inertia)
    what, _, side = body.name.partition(".")[2].rpartition("_")
    if what not in TURNING:
        return inertia
    axle = next(axle for axle in Axle if body.name.startswith(axle))
    axis = np.array(vehicle(name).wheel(Corner.of(axle, Side(side))).axis)
    return np.asarray(inertia - np.outer(axis, axis) * (axis @ inertia @ axis))


def momentum(name: str, axle: Axle, of: Shape) -> Array:
    """Momentum and angular momentum about the point between the wheel centres."""
    total, at = np.zeros(6), reference(name, axle)
    for body in vehicle(name).bodies:
        if body.name in of.bodies:
            moved = of.bodies[body.name]
            push = body.mass * moved[:3]
            spin = _inertia(name, body) @ moved[3:]
            total += np.concatenate((push, np.cross(places(name, axle)[body.name] - at, push) + spin))
    return total


def reference(name: str, axle: Axle) -> Array:
    """The point between the wheel centres at the design position, as the weight has shifted them [m]."""
    wheels = [vehicle(name).wheel(Corner.of(axle, side)) for side in SIDES]
    return np.mean([place_of(*rest(name, axle), wheel.body, wheel.centre)[0] for wheel in wheels], axis=0)


def damping(name: str, axle: Axle, first: Shape, second: Shape) -> float:
    """Power that bushings, beams and bars take from both together."""
    of = bare(name)
    laws = ((_of_bushing, of.bushings), (_of_beam, of.beams), (_of_bar, of.torsion_springs))
    return sum(law(name, axle, item, first, second) for law, items in laws for item in of.acting(items))


def _of_bushing(name: str, axle: Axle, item: Bushing, first: Shape, second: Shape) -> float:
    """At rest: along axes that have turned with its second body, where the point of its first body has gone."""
    state = rest(name, axle)
    turn = np.kron(np.eye(2), (turn_of(*state, item.bodies[1])[0].as_matrix() @ np.array(item.axes)).T)
    point = place_of(*state, item.bodies[0], item.position)[0]
    rates = []
    for of in (first, second):
        one, other = (of.at(body, point, places(name, axle).get(body, point)) for body in item.bodies)
        rates.append(turn @ (one - other))
    return float(rates[0] @ (np.array(item.characteristic.damping) * rates[1]))


def _of_bar(name: str, axle: Axle, item: TorsionSpring, first: Shape, second: Shape) -> float:
    del name, axle
    one, two = ((of.turned(item.bodies[0]) - of.turned(item.bodies[1])) @ np.array(item.axis) for of in (first, second))
    return float(item.damping * one * two)


def _of_beam(name: str, axle: Axle, item: Beam, first: Shape, second: Shape) -> float:
    """A cantilever on its first end: the second moves against it by what its bending, torsion and length give.

    At rest: along axes that have turned halfway between its ends, which are where they have gone.
    """
    L, section = item.length, item.section
    stiffness = np.diag(
        [
            section.axial / L,
            12 * section.bending_z / L**3,
            12 * section.bending_y / L**3,
            section.torsional / L,
            4 * section.bending_y / L,
            4 * section.bending_z / L,
        ]
    )
    stiffness[1, 5] = stiffness[5, 1] = -6 * section.bending_z / L**2
    stiffness[2, 4] = stiffness[4, 2] = 6 * section.bending_y / L**2
    state = rest(name, axle)
    ends = [place_of(*state, *end)[0] for end in zip(item.bodies, item.ends, strict=True)]
    turns = [turn_of(*state, body)[0] for body in item.bodies]
    middle = Rotation.from_rotvec(0.5 * (turns[1] * turns[0].inv()).as_rotvec()) * turns[0]
    turn = np.kron(np.eye(2), (middle.as_matrix() @ np.array(item.axes)).T)
    rates = []
    for of in (first, second):
        one, other = (
            of.at(body, end, places(name, axle).get(body, end)) for body, end in zip(item.bodies, ends, strict=True)
        )
        against = other - one
        against[:3] -= np.cross(one[3:], ends[1] - ends[0])
        rates.append(turn @ against)
    return float(item.damping * rates[0] @ stiffness @ rates[1])


def ways(name: str, axle: Axle, of: Shape) -> Array:
    """Ways of the points that `LOADS` act at, in their directions, shape (2, 6): left and right wheel."""
    on, found = rig(name, axle), []
    for k, side in enumerate(SIDES):
        wheel = vehicle(name).wheel(Corner.of(axle, side))
        axis = np.array(wheel.axis)
        down = on.radii[k] * (axis * axis[2] - _Z) / np.linalg.norm(axis * axis[2] - _Z)
        moved, turned = of.wheels[k, :3], of.wheels[k, 3:]
        lever = np.cross(down, _X)
        brake = axis * (lever @ axis)
        found.append(
            [
                moved[0],
                moved[0] + (lever - brake) @ turned + brake @ of.brakes[k],
                moved[1] + np.cross(down, _Y) @ turned,
                turned[0],
                turned[2],
                -of.dampers[k],
            ]
        )
    return np.array(found)


def poses(of: Shape) -> Array:
    """Displacement along x and y and rotation of both wheels, ten numbers."""
    return np.asarray(of.wheels[:, [0, 1, 3, 4, 5]].ravel())

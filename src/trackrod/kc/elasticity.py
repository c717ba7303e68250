"""An axle as an elastic system: what its wheels give under loads, with the inertia and the damping of all that gives.

The shapes that the axle takes under unit loads, wheel centres held at their height, are its coordinates: six loads at
each wheel, those that a wheel gets while driving. A load x stands for the shape Φx, so that x = q at rest under the
loads q. With the stiffness K, the damping D and the masses M of all bodies of the axle

    Φᵀ M Φ ẍ + Φᵀ D Φ ẋ + C (x − q) + Φᵀ M (inertia of body and travel) = 0,    C = Bᵀ Φ,    Φ = K⁻¹ B,

which is Ritz's method with static shapes: exact at rest, and in the first order of masses and damping beyond. Left and
right make two systems of six coordinates: loads that are mirror images of each other (symmetric), and mirror images
with the opposite sign (antisymmetric), as a mirrored axle lets them do without each other.

What these leave out is what moves between wheels that stand still, as soft and strongly damped bushings behind stiff
ones do. Two inner shapes join each system, orthogonal to its others in K, so that statics stay as they are (Craig and
Bampton's method): those that hold most of the energy that the complete axle has beside them in vibration.

Poses of the wheels are those of the same axle linearised at the design position and beside it, in travel and rack, and
what bushings give whose curves bend: loads of all kinds meet in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import lsq_linear

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Variable
from trackrod.core.motion import rotation_matrices
from trackrod.kc.measure import measure
from trackrod.kc.points import SIDES, Inputs, Load
from trackrod.kc.rig import Rig, downward
from trackrod.multibody.compile import DRIVE_DAMPING, DRIVE_STIFFNESS
from trackrod.rtm.elasticity import BESIDE, MIRROR, ElasticAxle, ElasticMode, StiffBushing, regularised
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, AXLE_WAYS, GIVEN_POSE, STIFF_BUSHINGS
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["AxleInertia", "axle_inertia", "find_elasticity"]

Array = NDArray[np.float64]


#: Vibrations whose shapes the inner ones are taken from: frequencies [Hz], travel [m] beside loads that store half a
#: joule at rest, compliance that counts as none [m/N], [rad/(N·m)].
VIBRATIONS = (2.0, 4.0, 8.0, 16.0, 25.0)
VIBRATING_TRAVEL = 1e-3
STIFF = np.array([4e-8, 4e-8, 4e-8, 4e-7, 4e-7, 4e-8])
#: Compliance of an inner shape, which makes its coordinate a load of usual size [m/N]; its share of the energies of
#: the vibrations from which there is one.
INNER_COMPLIANCE = 1e-6
LEAST_SHARE = 1e-6
#: Loads under which bushings that stiffen are weighed, over the wheel load, outer and inner wheel: lateral force,
#: aligning moment over it [m], force of the brake; travels [m]. What poses count: slip angles follow steer angles.
CORNERING = ((1.2, 0.4), (-0.05, -0.03), (0.0, 0.5, -0.5), (0.0, 0.06))
WEIGHTS = np.tile([0.3, 1.0, 0.3, 0.0, 3.0], 2)
LEAST_WEIGHT = 4e-4
#: Steps of force at which the strain of a bushing is told, to this many times its largest force in these cases.
STRAIN_STEPS = 64
LARGEST_FORCE = 1.5
#: Turns at the limit on the rig, to the left and as many to the right, that strains are matched to; points on the way
#: there, first of travels and rack, then of loads; largest factor of a strain, and what it must mend in poses, weighed
#: as above, before it is changed by 1.
TURNS = 10
TRAVEL_WAY = np.array([0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0])
LOAD_WAY = np.array([0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0])
LARGEST_FACTOR = 2.0
DOUBT = 5e-4
#: What bushings add to the compliance of a linear axle in these cases, over that, from which its masses follow; beside
#: these longitudinal forces over the wheel load, as bumps of a road make them.
SOFTENING = 0.4
BUMP = (0.15, -0.15)
#: Stiffness that counts as constant if it changes less [-].
CONSTANT = 1e-3
#: Directions of the body that a symmetric and an antisymmetric load go with: of its velocity and angular velocity.
BODY_DIRECTIONS = ((0, 2, 4), (1, 3, 5))


def find_elasticity(vehicle: Vehicle, axle: Axle) -> ElasticAxle:
    """Measure an axle on the rig.

    Raises
    ------
    InputError
        The axle carries no load at all.
    """
    linear = _Linear(vehicle, axle)
    beside = [_Beside(vehicle, axle, travel, rack) for travel, rack in (((1.0, 1.0), 0.0), ((1.0, -1.0), 0.0))]
    if linear.rig.steered:
        beside.append(_Beside(vehicle, axle, (0.0, 0.0), 1.0))
    modes = []
    for k, sign in enumerate((1.0, -1.0)):
        reduced = linear.reduced(sign)
        modes.append(
            ElasticMode(
                mass=0.5 * reduced.mass,
                damping=0.5 * reduced.damping,
                compliance=0.5 * reduced.compliance,
                body_mass=0.5 * reduced.body_mass[:, BODY_DIRECTIONS[k]],
                travel_mass=reduced.travel_mass[:, 0],
                travel_damping=reduced.travel_damping[:, 0],
                pose=_with_changes(linear.poses(sign), [each.change(sign) for each in beside]),
            )
        )
    found = ElasticAxle(
        reference=linear.reference,
        radius=float(linear.rig.radii.mean()),
        symmetric=modes[0],
        antisymmetric=modes[1],
        travel_mass=linear.travel_mass,
        travel_momentum=linear.travel_momentum,
        travel_damping=linear.travel_damping,
        bushings=_stiff_bushings(vehicle, linear, beside, float(linear.rig.design_loads.mean())),
    )
    found = _matched(found, Rig(vehicle, axle, check=False))
    return replace(found, softens=_softening(found, float(linear.rig.design_loads.mean())) > SOFTENING)


@dataclass(frozen=True, slots=True, eq=False)
class AxleInertia:
    """What all bodies of an axle hold at the design position: wheels, without their spin, carriers and links.

    Attributes
    ----------
    reference
        Point of the sprung body half-way between the wheels, in V [m].
    travel_mass
        Twice the kinetic energy is its form in the speeds of travel, left and right [kg], shape (2, 2).
    travel_momentum
        Linear and, about the reference, angular, by the speeds of travel [kg], [kg·m], shape (2, 6).
    side_compliance
        Displacement of both contact points over a side force at each [m/N].
    side_mass, side_damping
        Of each wheel in the shape that the axle takes under these forces, by the speed of its contact point [kg],
        [N·s/m].
    side_momentum
        Of each wheel in that shape, as that of the travel [kg], [kg·m], shape (6,).
    """

    reference: Array
    travel_mass: Array
    travel_momentum: Array
    side_compliance: float
    side_mass: float
    side_damping: float
    side_momentum: Array


def axle_inertia(vehicle: Vehicle, axle: Axle) -> AxleInertia:
    """The masses of an axle as seen by travels of its wheels and by side forces.

    Raises
    ------
    InputError
        There is no equilibrium.
    """
    linear = _Linear(vehicle, axle)
    wheel, side = len(AXLE_LOADS), 2  # forces at the contact points along y
    pushed = linear.loads[:, side] + linear.loads[:, wheel + side]
    shape = np.linalg.solve(linear.stiffness, pushed)
    compliance = 0.5 * float(pushed @ shape)
    return AxleInertia(
        linear.reference,
        linear.travel_mass,
        linear.travel_momentum,
        compliance,
        0.5 * float(shape @ linear.mass @ shape) / compliance**2,
        0.5 * float(shape @ linear.damping @ shape) / compliance**2,
        0.5 * shape @ linear.mass @ linear.rigid / compliance,
    )


def _both(sign: float) -> Array:
    """The twelve loads of left and right by the six of a mode: symmetric (1) or antisymmetric (−1)."""
    return np.vstack((np.eye(6), np.diag(sign * MIRROR)))


def _with_changes(at_design: Array, changes: list[Array]) -> Array:
    """Both in the order of `AXLE_WAYS`; an axle without rack does not change with it."""
    none = [np.zeros_like(at_design)] * (len(AXLE_WAYS) - 1 - len(changes))
    return np.stack([at_design, *changes, *none])


# ---- linear


@dataclass(frozen=True, slots=True, eq=False)
class _Reduced:
    mass: Array
    damping: Array
    compliance: Array
    body_mass: Array
    travel_mass: Array
    travel_damping: Array


class _Linear:
    """The axle at travels of wheels and rack [m] as K, D and M of its bodies, six rows each; no damper, no friction.

    Raises
    ------
    InputError
        There is no equilibrium.
    """

    def __init__(
        self, vehicle: Vehicle, axle: Axle, travel: tuple[float, float] = (0.0, 0.0), rack: float = 0.0
    ) -> None:
        self.rig = Rig(replace(vehicle, dampers=(), frictions=()), axle, check=False)
        if not self.rig.settle(travel, rack):
            raise InputError(f"the {axle} axle of '{vehicle.name}' has no equilibrium at {travel} m, rack {rack} m")
        core, groups = self.rig.model.core, self.rig.model.groups
        self.stiffness, self.damping = (np.array(part) for part in core.linearise())
        self.count = len(groups)
        self.mass = np.zeros_like(self.stiffness)
        for i, group in enumerate(groups):
            here = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
            self.mass[here[0], here[0]] = group.mass * np.eye(3)
            self.mass[here[1], here[1]] = group.inertia
        poses = core.poses()
        self.places, self.turns = poses[:, :3], rotation_matrices(poses[:, 3:])
        carriers = list(self.rig.carriers)
        arms = np.einsum("kij,kj->ki", self.turns[carriers], self.rig.arms)
        self.centres = self.places[carriers] + arms
        self.reference = self.centres.mean(axis=0)
        self.loads = np.array([w for k in range(2) for w in self._wheel_loads(vehicle, k)]).T
        pads = np.array([self._wrench((c, self.centres[k], _Z, _NONE)) for k, c in enumerate(self.rig.carriers)]).T
        self.damping -= DRIVE_DAMPING * pads @ pads.T
        self.shapes = np.linalg.solve(self.stiffness, self.loads)
        self.travels = np.linalg.solve(self.stiffness, pads) * DRIVE_STIFFNESS
        self.rigid = self._rigid_motion()
        self.travel_mass = self.travels.T @ self.mass @ self.travels
        self.travel_damping = self.travels.T @ self.damping @ self.travels
        self.travel_momentum = self.travels.T @ self.mass @ self.rigid

    def reduced(self, sign: float) -> _Reduced:
        """Matrices of the symmetric (1) or antisymmetric (−1) coordinates, in the order of `AXLE_SHAPES`."""
        loads, outer = self.loads @ _both(sign), self.shapes @ _both(sign)
        shapes = np.hstack((outer, self._inner_shapes(sign)))
        compliance = 2.0 * INNER_COMPLIANCE * np.eye(len(AXLE_SHAPES))
        compliance[: len(AXLE_LOADS), : len(AXLE_LOADS)] = loads.T @ outer
        return _Reduced(
            mass=shapes.T @ self.mass @ shapes,
            damping=shapes.T @ self.damping @ shapes,
            compliance=compliance,
            body_mass=shapes.T @ self.mass @ self.rigid,
            travel_mass=shapes.T @ self.mass @ self.travels,
            travel_damping=shapes.T @ self.damping @ self.travels,
        )

    def _inner_shapes(self, sign: float) -> Array:
        """Shapes that hold most of the energy that vibrations have beside the shapes under loads and travel."""
        loads, outer = self.loads @ _both(sign), self.shapes @ _both(sign)
        sizes = np.sqrt(np.maximum((loads * outer).sum(axis=0), STIFF))
        travel = self.travels @ np.array([1.0, sign])
        driven = np.column_stack((loads / sizes, VIBRATING_TRAVEL * self.stiffness @ travel))
        rates = [2j * np.pi * frequency for frequency in VIBRATIONS]
        moved = [np.linalg.solve(self.stiffness + s * self.damping + s**2 * self.mass, driven) for s in rates]
        beside = np.hstack([part for each in moved for part in (each.real, each.imag)])
        stiffness = 0.5 * (self.stiffness + self.stiffness.T)
        known = np.column_stack((outer / sizes, travel / np.sqrt(travel @ stiffness @ travel)))
        energy = np.linalg.pinv(known.T @ stiffness @ known, rcond=1e-9, hermitian=True)
        beside -= known @ (energy @ (known.T @ stiffness @ beside))
        energies, ways = np.linalg.eigh(beside.T @ stiffness @ beside)
        largest = slice(-1, len(AXLE_LOADS) - len(AXLE_SHAPES) - 1, -1)
        scale = np.where(energies > LEAST_SHARE, 2.0 * INNER_COMPLIANCE / np.maximum(energies, LEAST_SHARE), 0.0)
        return np.asarray((beside @ (ways * np.sqrt(scale)))[:, largest])

    def poses(self, sign: float) -> Array:
        """`GIVEN_POSE` of both wheels for each unit of a symmetric (1) or antisymmetric (−1) load."""
        rows = np.vstack([self._pose_rows(k) for k in range(2)])
        return np.asarray((rows @ self.shapes @ _both(sign)).T)

    def poses_by(self, forces: Array) -> Array:
        """`GIVEN_POSE` of both wheels under forces on all bodies, a column each."""
        rows = np.vstack([self._pose_rows(k) for k in range(2)])
        return np.asarray(rows @ np.linalg.solve(self.stiffness, forces))

    def _pose_rows(self, wheel: int) -> Array:
        """Rows that read `GIVEN_POSE` of a wheel off a displacement of all bodies."""
        body = self.rig.carriers[wheel]
        rows = np.zeros((5, 6 * self.count))
        arm = self.centres[wheel] - self.places[body]
        turn = self.turns[body]
        moved = np.hstack((np.eye(3), -_skew(arm) @ turn))
        turned = np.hstack((np.zeros((3, 3)), turn))
        rows[:, 6 * body : 6 * body + 6] = np.vstack((moved[:2], turned))
        return rows

    def _rigid_motion(self) -> Array:
        """Motion of all bodies with the sprung one: its velocity and angular velocity at the reference point."""
        motion = np.zeros((6 * self.count, 6))
        for i in range(self.count):
            motion[6 * i : 6 * i + 3, :3] = np.eye(3)
            motion[6 * i : 6 * i + 3, 3:] = -_skew(self.places[i] - self.reference)
            motion[6 * i + 3 : 6 * i + 6, 3:] = self.turns[i].T
        return motion

    def _wrench(self, *parts: tuple[int, Array, Array, Array]) -> Array:
        """Forces at points and moments on bodies as one column."""
        column = np.zeros(6 * self.count)
        for body, point, force, moment in parts:
            if body >= 0:
                column[6 * body : 6 * body + 3] += force
                about = moment + np.cross(point - self.places[body], force)
                column[6 * body + 3 : 6 * body + 6] += self.turns[body].T @ about
        return column

    def _wheel_loads(self, vehicle: Vehicle, k: int) -> list[Array]:
        """Unit loads of a wheel in the order of `AXLE_LOADS`."""
        rig, body, centre = self.rig, self.rig.carriers[k], self.centres[k]
        axis = self.turns[body] @ rig.frames[k][:, 1]
        down = rig.radii[k] * downward(axis)
        moment = np.cross(down, _X)
        spin = axis * (moment @ axis)
        return [
            self._wrench((body, centre, _X, _NONE)),
            self._wrench((body, centre, _X, moment - spin), (rig.brake_bodies[k], centre, _NONE, spin)),
            self._wrench((body, centre, _Y, np.cross(down, _Y))),
            self._wrench((body, centre, _NONE, _X)),
            self._wrench((body, centre, _NONE, _Z)),
            self._tension(vehicle, k),
        ]

    def moved_apart(self, bushing: Bushing) -> tuple[Array, Array]:
        """Rows that read the displacement in a bushing, in its axes, off one of all bodies; that at rest [m]."""
        first, second = (self.rig.model.index.get(body, -1) for body in bushing.bodies)
        rows, point = np.zeros((3, 6 * self.count)), np.array(bushing.position)
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body >= 0:
                arm = self._moved(body, point) - self.places[body]
                rows[:, 6 * body : 6 * body + 3] += sign * np.eye(3)
                rows[:, 6 * body + 3 : 6 * body + 6] -= sign * _skew(arm) @ self.turns[body]
        axes = (self.turns[second] if second >= 0 else np.eye(3)) @ np.array(bushing.axes)
        at_rest = axes.T @ (self._moved(first, point) - self._moved(second, point)) + np.array(bushing.offset[:3])
        return axes.T @ rows, at_rest

    def _tension(self, vehicle: Vehicle, k: int) -> Array:
        """A unit of tension in the dampers of a wheel."""
        subsystem, index = vehicle.axle(self.rig.axle).subsystem, self.rig.model.index
        total = np.zeros(6 * self.count)
        for damper in vehicle.acting(vehicle.dampers):
            if subsystem_of(damper.name) != subsystem or damper.side is not SIDES[k]:
                continue
            bodies = [index.get(body, -1) for body in damper.bodies]
            ends = [self._moved(body, np.array(end)) for body, end in zip(bodies, damper.ends, strict=True)]
            along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            total += self._wrench((bodies[0], ends[0], along, _NONE), (bodies[1], ends[1], -along, _NONE))
        return total

    def _moved(self, body: int, point: Array) -> Array:
        """Where a point of a body is now that was somewhere at the design position."""
        if body < 0:
            return point
        return np.asarray(self.places[body] + self.turns[body] @ (point - self.rig.model.centres[body]))


_X, _Y, _Z = np.eye(3)
_NONE = np.zeros(3)


def _skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class _Beside:
    """The axle to both sides of the design position: for a unit of travels and of rack."""

    def __init__(self, vehicle: Vehicle, axle: Axle, travel: tuple[float, float], rack: float) -> None:
        self.ahead, self.behind = (
            _Linear(vehicle, axle, (z * travel[0], z * travel[1]), z * rack) for z in (BESIDE, -BESIDE)
        )

    def change(self, sign: float) -> Array:
        """Of the poses for each unit of a symmetric (1) or antisymmetric (−1) load [1/m]."""
        return (self.ahead.poses(sign) - self.behind.poses(sign)) / (2.0 * BESIDE)


# ---- bushings that stiffen


def _stiff_bushings(
    vehicle: Vehicle, linear: _Linear, beside: list[_Beside], wheel_load: float
) -> tuple[StiffBushing, ...]:
    """Those that move the wheels most beyond a linear axle where a vehicle corners at its limit.

    Equilibrium distributes the loads to the bushings nearly without regard to their stiffness. So a bushing of the
    stiffness k has the force of the linear axle, k s u = k s Φ q, and what it gives otherwise than a linear one is a
    strain ε that moves the axle by K⁻¹ sᵀ k ε.
    """
    bodies = linear.rig.model.index
    acting = [each for each in vehicle.acting(vehicle.bushings) if any(body in bodies for body in each.bodies)]
    at = _Influence(linear, acting)
    ways = [(_Influence(each.ahead, acting), _Influence(each.behind, acting)) for each in beside]
    changes = [tuple((getattr(a, of) - getattr(b, of)) / (2.0 * BESIDE) for of in ("by_load", "pose")) for a, b in ways]
    all_loads = _with_changes(at.by_load, [by_load for by_load, _ in changes])
    all_poses = _with_changes(at.pose, [pose for _, pose in changes])
    loads, travels = _cornering(wheel_load)
    found: list[tuple[float, StiffBushing]] = []
    for i, law in enumerate(at.laws):
        forces = [law.force_at(a.rests[i]) - law.force_at(b.rests[i]) for a, b in ways]
        standing = _with_changes(np.zeros(()), [np.array(force / (2.0 * BESIDE)) for force in forces])[1:]
        rest = travels @ standing[:2]
        force = rest + loads @ at.by_load[i]
        largest = LARGEST_FORCE * float(np.abs((rest, force)).max())
        if law.constant or largest < 1.0:
            continue
        modes = np.stack([all_loads[:, i] @ _both(sign) for sign in (1.0, -1.0)], axis=1)
        told = np.linspace(-largest, largest, STRAIN_STEPS + 1)
        stiff = StiffBushing(modes, standing, told, law.strain(told), all_poses[:, i])
        moved = (stiff.law.value(force) - stiff.law.value(rest)) * stiff.pose[0]
        found.append((float(np.abs(moved * WEIGHTS).max()), stiff))
    found.sort(key=lambda each: -each[0])
    # mirror images weigh the same: both are kept, or none
    least = max(LEAST_WEIGHT, *(1.001 * weight for weight, _ in found[STIFF_BUSHINGS : STIFF_BUSHINGS + 1]), 0.0)
    return tuple(stiff for weight, stiff in found if weight > least)


def _softening(axle: ElasticAxle, wheel_load: float) -> float:
    """What bushings that soften add to the compliance in corners and by bumps, over that of a linear axle, at most."""
    worst = 0.0
    loads, travels = _cornering(wheel_load)
    for share in BUMP:
        along = np.zeros((2, len(AXLE_LOADS)))
        along[:, AXLE_LOADS.index("fx")] = share * wheel_load
        loads, travels = np.vstack((loads, along.ravel())), np.vstack((travels, np.zeros(2)))
    for load, travel in zip(loads, travels, strict=True):
        left, mirrored = load.reshape(2, -1) * np.array([np.ones_like(MIRROR), MIRROR])
        x = 0.5 * np.array([left + mirrored, left - mirrored])
        for k, mode in enumerate((axle.symmetric, axle.antisymmetric)):
            compliance = regularised(mode)[2][: len(AXLE_LOADS), : len(AXLE_LOADS)]
            added = np.zeros_like(compliance)
            for each in axle.bushings:
                force = travel @ each.standing[:2] + (x * each.loads[0]).sum()
                added += 0.5 * max(float(each.law.slope(force)[0]), 0.0) * np.outer(each.loads[0, k], each.loads[0, k])
            worst = max(worst, float(eigh(added, compliance, eigvals_only=True)[-1]))
    return worst


class _Influence:
    """Of loads on the forces in bushings, in three directions each, and of their strains on the poses."""

    def __init__(self, linear: _Linear, bushings: list[Bushing]) -> None:
        found = [linear.moved_apart(each) for each in bushings]
        rows = np.vstack([np.zeros((0, 6 * linear.count)), *(rows for rows, _ in found)])
        curves = [curve for each in bushings for curve in each.characteristic.curves[:3]]
        self.rests = [float(rest) for _, at_rest in found for rest in at_rest]
        self.laws = [_Stiffness(curve, rest) for curve, rest in zip(curves, self.rests, strict=True)]
        rows *= np.array([law.slope for law in self.laws])[:, np.newaxis]
        self.by_load = rows @ linear.shapes
        self.pose = linear.poses_by(rows.T).T


def _cornering(wheel_load: float) -> tuple[Array, Array]:
    """Loads, parallel and opposite travels in turns to both sides, with drive and brake: rows of twelve, of two."""
    sides, trails, brakes, rolls = CORNERING
    loads, travels = [], []
    for sign, share, roll in product((1.0, -1.0), brakes, rolls):
        of = np.zeros((2, len(AXLE_LOADS)))
        of[:, AXLE_LOADS.index("fy")] = sign * np.array(sides)
        of[:, AXLE_LOADS.index("mz")] = sign * np.array(sides) * np.array(trails)
        of[:, AXLE_LOADS.index("brake")] = share
        loads.append(wheel_load * of[:: -int(sign)].ravel())  # a force to the left loads the right wheel
        travels.append((0.0, -sign * roll))
    return np.array(loads), np.array(travels)


class _Stiffness:
    """A direction of a bushing about its displacement at rest [m]."""

    def __init__(self, curve: Characteristic, rest: float) -> None:
        axes = Variable("displacement", curve.x_kind), Variable("force", curve.y_kind)
        rules = {"interpolation": Interpolation.PCHIP, "extrapolation": Extrapolation.LINEAR}
        self._law, self._rest = Map1D(axes[0], curve.x, axes[1:], curve.y, **rules), rest
        self.slope = float(self._law.slope(rest)[0])
        slopes = np.append(np.diff(curve.y) / np.diff(curve.x), self.slope)
        self.constant = bool(slopes.min() <= 0.0 or np.ptp(slopes) < CONSTANT * self.slope)

    def force_at(self, displacement: float) -> float:
        """[N]."""
        return float(self._law.value(displacement)[0])

    def strain(self, force: Array) -> Array:
        """What it gives beyond a linear one [m] over the change of its force [N]."""
        knots = self._law.knots
        far = float(np.abs(force).max()) / float(self._law.slope(knots[[0, -1]]).min())
        inside = np.linspace(knots[0], knots[-1], 2001)
        given = np.concatenate(([knots[0] - far], inside, [knots[-1] + far]))
        forces = (self._law.value(given) - self._law.value(self._rest))[:, 0]
        return np.asarray(np.interp(force, forces, given - self._rest) - force / self.slope)


# ---- turns at the limit


def _matched(axle: ElasticAxle, rig: Rig) -> ElasticAxle:
    """The same with strains that meet the rig best in turns at the limit, each times a factor.

    Factors stand for what strains under the forces of a linear axle leave out: bushings that stiffen take over from
    others, and parts turn under their loads.
    """
    if not axle.bushings:
        return axle
    loads, travel, rack, share = _turns(float(rig.design_loads.mean()), _rack_to_the_left(rig))
    measured, steer = _measured(rig, loads, travel, rack)
    solved = np.isfinite(measured).all(axis=1)
    left, right = loads[solved, 0], loads[solved, 1]
    weight = 1.0 / share[solved, np.newaxis]  # small poses count where loads are small

    def weighed(pose: Array) -> Array:
        both = pose.reshape(-1, 2, len(GIVEN_POSE)).copy()
        rx, ry = (both[..., GIVEN_POSE.index(name)] for name in ("rx", "ry"))
        rx[:] = rx * np.cos(steer[solved]) + ry * np.sin(steer[solved])  # a wheel that is steered leans by its pitch
        return np.asarray((both.reshape(pose.shape) * WEIGHTS * weight).ravel())

    def given(*bushings: StiffBushing) -> Array:
        return weighed(replace(axle, bushings=bushings).poses(left, right, travel[solved], rack[solved]))

    linear = given()
    parts = np.column_stack([given(each) - linear for each in axle.bushings])
    missing = (measured[solved] * WEIGHTS * weight).ravel() - linear
    doubt = DOUBT * np.sqrt(solved.sum()) * np.eye(len(axle.bushings))
    rows, wanted = np.vstack((parts, doubt)), np.concatenate((missing, doubt.sum(axis=1)))
    factors = lsq_linear(rows, wanted, (0.0, LARGEST_FACTOR)).x
    pairs = zip(axle.bushings, factors, strict=True)
    return replace(axle, bushings=tuple(replace(of, strain=factor * of.strain) for of, factor in pairs))


def _turns(wheel_load: float, to_the_left: float) -> tuple[Array, Array, Array, Array]:
    """Loads of both wheels, shape (n, 2, 6), travels (n, 2) and rack (n,) in turns up to the limit, to both sides."""
    draw = np.random.default_rng(1)  # the same for every axle
    loads, travels, racks, shares = [], [], [], []
    for _ in range(TURNS):
        share = draw.uniform(0.3, 1.0)  # of the limit
        lateral = wheel_load * np.array([share * (0.95 - 0.7 * share), 1.45 * share])  # inner, outer wheel
        trail = draw.uniform(0.7, 1.1) * (0.05 - 0.03 * share) * np.array([0.6, 1.0])
        moments = draw.uniform(-0.015, 0.025) * lateral
        brake, drive = draw.uniform(-0.2, 0.05) * share * lateral, draw.uniform(-0.015, 0.015) * lateral
        roll, rise = 0.05 * share * draw.uniform(0.8, 1.1), draw.uniform(-0.005, 0.01)
        rack = to_the_left * draw.uniform(0.0, 0.035) * share
        for sign in (1.0, -1.0):  # to the left: the right wheel is outside
            columns = (drive, brake, sign * lateral, sign * moments, -sign * trail * lateral, 0.0 * lateral)
            loads.append(np.column_stack(columns)[:: int(sign)])
            travels.append(rise + sign * roll * np.array([-1.0, 1.0]))
            racks.append(sign * rack)
            shares.append(share)
    return np.array(loads), np.array(travels), np.array(racks), np.array(shares)


def _rack_to_the_left(rig: Rig) -> float:
    """Sign of the rack travel that steers to the left; 0 without a rack."""
    if not rig.steered:
        return 0.0
    both = measure(rig, rig.sweep(Inputs.of(rack=np.array([-BESIDE, 0.0, BESIDE]))), ()).angles
    return float(np.sign((both[2] - both[0])[:, 2].sum()))


def _measured(rig: Rig, loads: Array, travel: Array, rack: Array) -> tuple[Array, Array]:
    """`GIVEN_POSE` of both wheels less those without loads, and steer angles; NaN where there is no equilibrium."""
    poses, steer = [], []
    for of, z, x in zip(loads, travel, rack, strict=True):
        on = {load: np.outer(LOAD_WAY, of[:, i]) for i, load in enumerate(_RIG_LOADS)}
        line = rig.sweep(Inputs.of(np.outer(TRAVEL_WAY, z), TRAVEL_WAY * x, loads=on))
        at = measure(rig, line, ())
        free, loaded = (np.hstack((at.centre[k, :, :2], at.angles[k])) for k in (int(TRAVEL_WAY.argmax()), -1))
        poses.append((loaded - free).ravel() if line.solved.all() else np.full(2 * len(GIVEN_POSE), np.nan))
        steer.append(free[:, GIVEN_POSE.index("rz")])
    return np.array(poses), np.array(steer)


_RIG_LOADS = (Load.FX_CENTRE, Load.FX, Load.FY, Load.MX, Load.MZ)

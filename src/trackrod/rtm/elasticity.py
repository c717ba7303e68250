"""An axle that gives as a system with inertia and damping: what the rig finds and the real-time model takes.

The shapes that an axle takes under unit loads, wheel centres held at their height, are its coordinates x: six loads at
each wheel, `trackrod.rtm.layout.AXLE_LOADS`. Under loads q

    M ẍ + D ẋ + C (x − q) + N u̇ + t z̈ = 0

with the accelerations u̇ of the body and z̈ of the travels. Loads of both wheels that are mirror images of each other
(symmetric), and those with the opposite sign (antisymmetric), make two systems of six coordinates. Inner shapes join
each, `trackrod.rtm.layout.AXLE_SHAPES`: wheels and dampers stand still in them, and no load moves them at rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Variable
from trackrod.core.quantities import KINDS
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, AXLE_WAYS, GIVEN_POSE, STIFF_BUSHINGS

__all__ = ["BESIDE", "MIRROR", "ElasticAxle", "ElasticMode", "StiffBushing", "regularised"]

Array = NDArray[np.float64]

_POSES = 2 * len(GIVEN_POSE)
_LOADS, _SHAPES, _WAYS = len(AXLE_LOADS), len(AXLE_SHAPES), len(AXLE_WAYS)
#: Sign of each of `AXLE_LOADS` on the right wheel in the mirror image of the same load on the left.
MIRROR = np.array([1.0, 1.0, -1.0, -1.0, -1.0, 1.0])
#: Travel and rack travel at which shapes are taken beside those of the design position [m].
BESIDE = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class StiffBushing:
    """One direction of a bushing whose stiffness grows or falls: what it gives otherwise than a linear one.

    Loads of all kinds meet in its force; the axle gives to its strain as to that of a part too long or too short.

    Attributes
    ----------
    loads
        Force in it for each unit of a symmetric and of an antisymmetric load [-], [1/m], and how that changes,
        shape (`AXLE_WAYS`, 2, 6).
    standing
        Force in it without loads by parallel travel, half the opposite travel and rack [N/m]: springs load it too.
    force, strain
        What it gives beyond a linear one [m] over its force [N], at even steps of that.
    pose
        Poses of both wheels for each unit of strain [-], [rad/m], and how they change, shape (`AXLE_WAYS`, 10).
    """

    loads: Array
    standing: Array
    force: Array
    strain: Array
    pose: Array

    @property
    def law(self) -> Map1D:
        """Strain over force as the model follows it."""
        force, strain = Variable("force", KINDS["force"]), Variable("strain", KINDS["length"])
        rules = (Interpolation.PARABOLIC, Extrapolation.LINEAR)
        return Map1D(force, self.force, (strain,), self.strain, interpolation=rules[0], extrapolation=rules[1])

    def slopes(self, mode: int, way: int, beside: float) -> Array:
        """Poses that small loads of a mode get from it a little beside the design position [m], shape (6, 10)."""
        softer = float(self.law.slope(beside * self.standing[way - 1])[0])
        loads, pose = (part[0] + beside * part[way] for part in (self.loads, self.pose))
        return np.outer(loads[mode], softer * pose)

    def faults(self) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        steps = np.diff(self.force)
        if self.force.ndim != 1 or self.force.size < 3 or not steps.min() > 0 or np.ptp(steps) > 1e-6 * steps.max():
            yield "a bushing that stiffens needs three forces or more that grow in even steps"
            return
        shapes = {
            "loads": (_WAYS, 2, _LOADS),
            "standing": (_WAYS - 1,),
            "strain": self.force.shape,
            "pose": (_WAYS, _POSES),
        }
        for name, shape in shapes.items():
            value = getattr(self, name)
            if value.shape != shape or not np.isfinite(value).all():
                yield f"{name} of a bushing that stiffens needs finite values of the shape {shape}"


@dataclass(frozen=True, slots=True, eq=False)
class ElasticMode:
    """One of the two systems, six loads and two inner shapes; forces in N, moments in N·m, the rest in m, rad, kg, s.

    Attributes
    ----------
    mass, damping, compliance
        Of the coordinates, shape (8, 8): half of what both wheels have together. Loads give nothing to inner shapes.
    body_mass
        Of the coordinates with three directions of the body at the reference point, shape (8, 3), halved likewise:
        along x and z and about y for symmetric loads, along y and about x and z for antisymmetric ones.
    travel_mass, travel_damping
        Of the coordinates with the travel of the left wheel, shape (8,).
    pose
        Poses of both wheels for each unit of a small load, and how they change, shape (`AXLE_WAYS`, 6, 10).
    """

    mass: Array
    damping: Array
    compliance: Array
    body_mass: Array
    travel_mass: Array
    travel_damping: Array
    pose: Array

    def faults(self, what: str) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        shapes = {
            "mass": (_SHAPES, _SHAPES),
            "damping": (_SHAPES, _SHAPES),
            "compliance": (_SHAPES, _SHAPES),
            "body_mass": (_SHAPES, 3),
            "travel_mass": (_SHAPES,),
            "travel_damping": (_SHAPES,),
            "pose": (_WAYS, _LOADS, _POSES),
        }
        for name, shape in shapes.items():
            value = getattr(self, name)
            if value.shape != shape or not np.isfinite(value).all():
                yield f"{what}: {name.replace('_', ' ')} needs finite values of the shape {shape}"
                return
        if self.compliance[:_LOADS, _LOADS:].any() or self.compliance[_LOADS:, :_LOADS].any():
            yield f"{what}: loads must give nothing to inner shapes"
        if np.linalg.eigvalsh(self.compliance)[0] < -1e-6 * np.abs(self.compliance).max():
            yield f"{what}: the compliance is not positive definite: the axle would push against its loads"
        if np.trace(self.compliance[:_LOADS, :_LOADS]) > 0 and np.trace(self.damping[:_LOADS, :_LOADS]) <= 0:
            yield f"{what}: nothing damps what gives; give the bushings a damping"


@dataclass(frozen=True, slots=True, eq=False)
class ElasticAxle:
    """An axle that gives.

    Attributes
    ----------
    reference
        Point between the wheel centres, in V [m].
    radius
        Of the contact patch below the wheel centre, at which forces were put on [m].
    symmetric, antisymmetric
        The two systems.
    travel_mass, travel_momentum
        Of the travels, shapes (2, 2) [kg] and (2, 6): momentum [kg] and angular momentum about the reference point
        [kg·m] for each unit of travel rate. On the rig of all that moves, in a model of what the unsprung masses at the
        wheel centres leave out.
    travel_damping
        Of the travels by what gives, shape (2, 2) [N·s/m].
    bushings
        Those that stiffen: what all loads together do beyond a linear axle.
    softens
        Whether they make it so soft that its loads follow more slowly: masses and damping then move with what it gives
        under its present loads, else with what a linear axle would.

    Raises
    ------
    InputError
        Shapes are wrong, values are not finite, a stiffness is not positive definite or nothing damps it.
    """

    reference: Array
    radius: float
    symmetric: ElasticMode
    antisymmetric: ElasticMode
    travel_mass: Array
    travel_momentum: Array
    travel_damping: Array
    bushings: tuple[StiffBushing, ...] = ()
    softens: bool = False

    def __post_init__(self) -> None:
        raise_if_errors(Problem(text) for text in self._faults())

    def _faults(self) -> Iterator[str]:
        yield from self.symmetric.faults("an axle under symmetric loads")
        yield from self.antisymmetric.faults("an axle under antisymmetric loads")
        shapes = {"reference": (3,), "travel_mass": (2, 2), "travel_momentum": (2, 6), "travel_damping": (2, 2)}
        for name, shape in shapes.items():
            value = getattr(self, name)
            if value.shape != shape or not np.isfinite(value).all():
                yield f"{name.replace('_', ' ')} of an axle needs finite values of the shape {shape}"
        if len(self.bushings) > STIFF_BUSHINGS:
            yield f"an axle has {len(self.bushings)} bushings that stiffen, {STIFF_BUSHINGS} are allowed"
        for bushing in self.bushings:
            yield from bushing.faults()
        if not 0 < self.radius < np.inf:
            yield f"the radius of an axle that gives is {self.radius:g} m, it must be greater than zero"

    def poses(self, left: Array, right: Array, travel: ArrayLike = (0.0, 0.0), rack: ArrayLike = 0.0) -> Array:
        """Poses of both wheels under their loads, shapes (..., 6), at travels (..., 2) and rack travel (...) [m]."""
        mirrored = MIRROR * right
        x = 0.5 * np.stack((left + mirrored, left - mirrored), axis=-2)
        one, other = np.moveaxis(np.asarray(travel), -1, 0)
        ways = np.stack(np.broadcast_arrays(1.0, 0.5 * (one + other), 0.5 * (one - other), rack, x[..., 0, 0]), axis=-1)
        ways = ways[..., :_WAYS]
        linear = np.stack([self.linear(mode) for mode in range(2)], axis=1)
        given = np.einsum("...w,...mj,wmjk->...k", ways, x, linear)
        for each in self.bushings:
            standing = ways[..., 1:] @ each.standing
            force = standing + np.einsum("...w,...mj,wmj->...", ways, x, each.loads)
            given = given + (each.law.value(force) - each.law.value(standing)) * (ways @ each.pose)
        return np.asarray(given)

    def linear(self, mode: int) -> Array:
        """Poses for each unit of a load of a mode and their changes, without what bushings that stiffen do to them."""
        of = (self.symmetric, self.antisymmetric)[mode].pose.copy()
        for each in self.bushings:
            of[0] -= each.slopes(mode, 1, 0.0)
            for way in range(1, _WAYS):
                of[way] -= (each.slopes(mode, way, BESIDE) - each.slopes(mode, way, -BESIDE)) / (2.0 * BESIDE)
        return of

    def lifts(self) -> Array:
        """How parallel and half the opposite travel change what the loads store, shape (2, 12, 12) [1/N] and the like.

        An axle stores xᵀ C(z) x / 2 under loads x of both modes: what it gives more in bump than in droop lifts it.
        Forces whose torque a brake takes are left out, as are dampers: what the travel changes of the wind-up is in the
        pitch of the carriers in the kinematics.
        """
        tx, ty, rx, _, rz = np.eye(len(GIVEN_POSE))
        none = np.zeros(len(GIVEN_POSE))
        ways = np.array([tx, none, ty + self.radius * rx, rx, rz, none])  # of the loads of a wheel
        own = np.vstack([np.hstack((ways, sign * MIRROR[:, None] * ways)) for sign in (1.0, -1.0)])
        poses = np.concatenate([self.linear(mode) for mode in range(2)], axis=1)[1:3]
        found = np.einsum("ik,wjk->wij", own, poses) * np.outer(own.any(axis=1), own.any(axis=1))
        return np.asarray(0.5 * (found + found.swapaxes(1, 2)))

    def numbers(self) -> Array:
        """All of it but the bushings as the flat array that the core takes."""
        parts = [self.reference, np.array([self.radius, self.softens], dtype=float)]
        parts += [self.travel_mass, self.travel_momentum, self.travel_damping, self.lifts()]
        for k, mode in enumerate((self.symmetric, self.antisymmetric)):
            mass, damping, compliance = regularised(mode)
            parts += [mass, damping, compliance, mode.body_mass, mode.travel_mass, mode.travel_damping, self.linear(k)]
        return np.concatenate([np.ravel(part) for part in parts])


#: What every load gives by itself at least, as a share of its compliance and by its unit [m/N], [rad/(N·m)], and the
#: time constant of that [s]: loads that only move a rigid axle together could not be told apart without it.
_OWN_SHARE = 1e-3
_OWN_LEAST = np.array([1e-10, 1e-10, 1e-10, 1e-9, 1e-9, 1e-10, 1e-10, 1e-10])
_OWN_TIME = 2e-3


def regularised(mode: ElasticMode) -> tuple[Array, Array, Array]:
    """Mass, damping and compliance of a mode such that every shape has a compliance of its own."""
    own = np.diag(np.maximum(_OWN_SHARE * np.diag(mode.compliance), _OWN_LEAST))
    symmetric = [0.5 * (part + part.T) for part in (mode.mass, mode.damping, mode.compliance)]
    return symmetric[0], symmetric[1] + _OWN_TIME * own, symmetric[2] + own

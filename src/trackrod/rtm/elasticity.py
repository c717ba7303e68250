"""An axle that gives as a system with inertia and damping: what the rig finds and the real-time model takes.

The shapes that an axle takes under unit loads, wheel centres held at their height, are its coordinates x: six loads at
each wheel, `trackrod.rtm.layout.AXLE_LOADS`. Under loads q

    M ẍ + D ẋ + C (x − q) + N u̇ + t z̈ = 0

with the accelerations u̇ of the body and z̈ of the travels. Loads of both wheels that are mirror images of each other
(symmetric), and those with the opposite sign (antisymmetric), make two systems of six coordinates. Inner shapes join
each, `trackrod.rtm.layout.AXLE_SHAPES`: wheels and dampers stand still in them, and no load moves them at rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Variable
from trackrod.core.quantities import KINDS
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, GIVEN_POSE, STIFF_BUSHINGS

__all__ = ["BESIDE", "ElasticAxle", "ElasticMode", "PoseCurve", "PoseMap", "StiffBushing"]

Array = NDArray[np.float64]

_POSES = 2 * len(GIVEN_POSE)
_CHANNELS = np.arange(_POSES)
_PITCH = [GIVEN_POSE.index("ry"), len(GIVEN_POSE) + GIVEN_POSE.index("ry")]
_LOADS, _SHAPES = len(AXLE_LOADS), len(AXLE_SHAPES)
#: Travel at which shapes are taken beside those of the design position [m].
BESIDE = 0.02
#: An axle that gives less along x is rigid that way [m/N].
_STIFF = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class PoseCurve:
    """Poses of the left and the right wheel over a load: (n,) [N] and (n, 2 · `GIVEN_POSE`) [m], [rad]."""

    load: Array
    pose: Array

    @property
    def eased(self) -> Array:
        """Loads under which a linear axle would give as far along x [N]: bushings grow stiffer under load."""
        left, right = (self.pose[:, place + GIVEN_POSE.index("tx")] for place in (0, len(GIVEN_POSE)))
        forward = left + np.sign(left @ right) * right  # of both wheels, alike or opposed
        i = int(np.clip(np.abs(self.load).argmin(), 1, self.load.size - 2))
        slope = (forward[i + 1] - forward[i - 1]) / (self.load[i + 1] - self.load[i - 1])
        if abs(slope) < _STIFF:
            return self.load
        eased = (forward - np.interp(0.0, self.load, forward)) / slope
        return eased if (np.diff(eased) > 0).all() else self.load

    def faults(self, what: str) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        if self.load.ndim != 1 or self.load.size < 3 or not (np.diff(self.load) > 0).all():
            yield f"{what} needs three loads or more that grow"
        elif self.pose.shape != (self.load.size, _POSES) or not np.isfinite(self.pose).all():
            yield f"{what} needs {_POSES} finite values for each load"


@dataclass(frozen=True, slots=True, eq=False)
class PoseMap:
    """The same over a symmetric and an antisymmetric load: (n,), (m,) [N] and (n, m, 2 · `GIVEN_POSE`) [m], [rad]."""

    symmetric: Array
    antisymmetric: Array
    pose: Array

    def faults(self, what: str) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        for load in (self.symmetric, self.antisymmetric):
            if load.ndim != 1 or load.size < 3 or not (np.diff(load) > 0).all():
                yield f"{what} needs three loads or more in each direction that grow"
        if (
            self.pose.shape != (self.symmetric.size, self.antisymmetric.size, _POSES)
            or not np.isfinite(self.pose).all()
        ):
            yield f"{what} needs {_POSES} finite values for each pair of loads"


@dataclass(frozen=True, slots=True, eq=False)
class StiffBushing:
    """One direction of a bushing whose stiffness grows or falls: what it gives otherwise than a linear one.

    Loads of all kinds meet in its force; the axle gives to its strain as to that of a part too long or too short.

    Attributes
    ----------
    loads
        Force in it for each unit of a symmetric and of an antisymmetric load [-], [1/m]: at the design position, and
        its change by the parallel and by half the opposite travel, shape (3, 2, 6).
    travels
        Force in it for each unit of the travels, left and right [N/m]: springs load bushings too.
    force, strain
        What it gives beyond a linear one [m] over its force [N].
    pose
        Poses of both wheels for each unit of strain [-], [rad/m], and its changes, shape (3, 2 · `GIVEN_POSE`).
    """

    loads: Array
    travels: Array
    force: Array
    strain: Array
    pose: Array

    def poses(self, force: Array) -> Array:
        """Poses of both wheels at forces in it [N] at the design position, shape (..., 2 · `GIVEN_POSE`) [m], [rad]."""
        return np.asarray(self._law().value(force) * self.pose[0])

    def slopes_by(self, mode: int, way: float) -> Array:
        """How poses by loads change by parallel (1) or half the opposite travel (−1), as differences at `BESIDE`."""
        standing = BESIDE * float(self.travels @ np.array([1.0, way]))
        softer = self._law().slope(standing) - self._law().slope(-standing)
        return np.outer(self.loads[0, mode], float(softer[0]) / (2.0 * BESIDE) * self.pose[0])

    def _law(self) -> Map1D:
        force, strain = Variable("force", KINDS["force"]), Variable("strain", KINDS["length"])
        rules = (Interpolation.PARABOLIC, Extrapolation.LINEAR)
        return Map1D(force, self.force, (strain,), self.strain, interpolation=rules[0], extrapolation=rules[1])

    def faults(self) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        if self.force.ndim != 1 or self.force.size < 3 or not (np.diff(self.force) > 0).all():
            yield "a bushing that stiffens needs three forces or more that grow"
        shapes = {"loads": (3, 2, _LOADS), "travels": (2,), "strain": self.force.shape, "pose": (3, _POSES)}
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
        Poses of both wheels for each unit of a load, shape (6, 2 · `GIVEN_POSE`).
    pose_by_parallel, pose_by_opposite
        How that changes by the parallel and by half the opposite travel [1/m].
    fx, brake
        The same without linearisation, over two of the loads.
    """

    mass: Array
    damping: Array
    compliance: Array
    body_mass: Array
    travel_mass: Array
    travel_damping: Array
    pose: Array
    pose_by_parallel: Array
    pose_by_opposite: Array
    fx: PoseCurve
    brake: PoseCurve

    def faults(self, what: str) -> Iterator[str]:
        """What is wrong with it, in sentences."""
        shapes = {
            "mass": (_SHAPES, _SHAPES),
            "damping": (_SHAPES, _SHAPES),
            "compliance": (_SHAPES, _SHAPES),
            "body_mass": (_SHAPES, 3),
            "travel_mass": (_SHAPES,),
            "travel_damping": (_SHAPES,),
            "pose": (_LOADS, _POSES),
            "pose_by_parallel": (_LOADS, _POSES),
            "pose_by_opposite": (_LOADS, _POSES),
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
        yield from self.fx.faults(f"{what}, longitudinal force")
        yield from self.brake.faults(f"{what}, braking force")


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
    fy
        Poses over the lateral forces of both.
    travel_mass, travel_momentum
        Of the travels, shapes (2, 2) [kg] and (2, 6): momentum [kg] and angular momentum about the reference point
        [kg·m] for each unit of travel rate. On the rig of all that moves, in a model of what the unsprung masses at the
        wheel centres leave out.
    travel_damping
        Of the travels by what gives, shape (2, 2) [N·s/m].
    bushings
        Those that stiffen: poses under one load alone are measured, those under several are of them.

    Raises
    ------
    InputError
        Shapes are wrong, values are not finite, a stiffness is not positive definite or nothing damps it.
    """

    reference: Array
    radius: float
    symmetric: ElasticMode
    antisymmetric: ElasticMode
    fy: PoseMap
    travel_mass: Array
    travel_momentum: Array
    travel_damping: Array
    bushings: tuple[StiffBushing, ...] = ()

    def __post_init__(self) -> None:
        raise_if_errors(Problem(text) for text in self._faults())

    def _faults(self) -> Iterator[str]:
        yield from self.symmetric.faults("an axle under symmetric loads")
        yield from self.antisymmetric.faults("an axle under antisymmetric loads")
        yield from self.fy.faults("the lateral force of an axle")
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

    def with_straight_pitch(self) -> ElasticAxle:
        """The same with a pitch of the wheels that is proportional to the loads at every travel.

        It moves no contact point and only counts by its rate, against which spins are counted: the step must know
        beforehand how a torque will turn the carrier.
        """

        def straight(curve: PoseCurve, slopes: Array) -> PoseCurve:
            pose = curve.pose.copy()
            pose[:, _PITCH] = np.outer(curve.load, slopes[_PITCH])
            return PoseCurve(curve.load, pose)

        modes = []
        for mode in (self.symmetric, self.antisymmetric):
            by_travel = [part.copy() for part in (mode.pose_by_parallel, mode.pose_by_opposite)]
            for part in by_travel:
                part[:, _PITCH] = 0.0
            fx, brake = (AXLE_LOADS.index(name) for name in ("fx", "brake"))
            modes.append(
                replace(
                    mode,
                    pose_by_parallel=by_travel[0],
                    pose_by_opposite=by_travel[1],
                    fx=straight(mode.fx, mode.pose[fx]),
                    brake=straight(mode.brake, mode.pose[brake]),
                )
            )
        fy, load = self.fy, AXLE_LOADS.index("fy")
        pose = fy.pose.copy()
        slopes = [mode.pose[load, _PITCH] for mode in modes]
        pose[..., _PITCH] = fy.symmetric[:, None, None] * slopes[0] + fy.antisymmetric[:, None] * slopes[1]
        bushings = tuple(
            replace(each, pose=np.where(np.isin(_CHANNELS, _PITCH), 0.0, each.pose)) for each in self.bushings
        )
        return replace(self, symmetric=modes[0], antisymmetric=modes[1], fy=replace(fy, pose=pose), bushings=bushings)

    def beside_bushings(self) -> ElasticAxle:
        """The same with poses under one load, and their change by travel, less what the bushings give of them."""
        modes, names = (self.symmetric, self.antisymmetric), ("fx", "brake")
        less = []
        for k, mode in enumerate(modes):
            curves = {name: getattr(mode, name) for name in names}
            beside = {
                name: replace(curve, pose=curve.pose - self._of_bushings({(k, AXLE_LOADS.index(name)): curve.load}))
                for name, curve in curves.items()
            }
            parallel, opposite = (
                part - sum((each.slopes_by(k, way) for each in self.bushings), np.zeros(part.shape))
                for part, way in ((mode.pose_by_parallel, 1.0), (mode.pose_by_opposite, -1.0))
            )
            less.append(replace(mode, pose_by_parallel=parallel, pose_by_opposite=opposite, **beside))
        fy, load = self.fy, AXLE_LOADS.index("fy")
        loads = {(0, load): fy.symmetric[:, np.newaxis], (1, load): fy.antisymmetric}
        fy = replace(fy, pose=fy.pose - self._of_bushings(loads))
        return replace(self, symmetric=less[0], antisymmetric=less[1], fy=fy)

    def _of_bushings(self, loads: Mapping[tuple[int, int], Array]) -> Array:
        """Poses that all bushings that stiffen give, under loads by mode and load."""
        forces = (np.asarray(sum(each.loads[0][at] * load for at, load in loads.items())) for each in self.bushings)
        return sum((each.poses(force) for each, force in zip(self.bushings, forces, strict=True)), np.zeros(_POSES))

    def numbers(self) -> Array:
        """All of it but the poses over loads as the flat array that the core takes."""
        parts = [self.reference, np.array([self.radius]), self.travel_mass, self.travel_momentum, self.travel_damping]
        beside = self.beside_bushings()
        for mode in (beside.symmetric, beside.antisymmetric):
            mass, damping, compliance = regularised(mode)
            parts += [mass, damping, compliance, mode.body_mass, mode.travel_mass, mode.travel_damping, mode.pose]
            parts += [mode.pose_by_parallel, mode.pose_by_opposite]
        return np.concatenate([np.ravel(part) for part in parts])

    def tables(self) -> tuple[list[Array], list[Array]]:
        """Knots and poses of the curves, with the eased loads, and of the map as the core takes them.

        They are what is measured less what the bushings that stiffen give under the same load, to which it is added.
        """
        curves = [curve for mode in (self.symmetric, self.antisymmetric) for curve in (mode.fx, mode.brake)]
        knots = [*(curve.load for curve in curves), self.fy.symmetric, self.fy.antisymmetric]
        rest = self.beside_bushings()
        beside = [curve for mode in (rest.symmetric, rest.antisymmetric) for curve in (mode.fx, mode.brake)]
        eased = (np.column_stack((own.pose, curve.eased)) for own, curve in zip(beside, curves, strict=True))
        poses = [*eased, rest.fy.pose]
        return [np.ascontiguousarray(k) for k in knots], [np.ascontiguousarray(p).ravel() for p in poses]


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

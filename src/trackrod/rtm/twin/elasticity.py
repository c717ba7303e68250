"""Axles that give, in readable form: poses of the wheels over the loads of their axles, and the equations of those.

Left and right loads are split into symmetric and antisymmetric ones, x_S = (x_L + s x_R)/2 and x_A = (x_L − s x_R)/2
with the sign s of a load in a mirror. Each of the four systems (two of each axle) obeys

    (M + hD + h²C) ÿ + N u̇ + t z̈ = C (q − x) − (D + hC) ẏ − N a⁰ − t_D ż,

which are implicit steps; body and travels get the reactions −2Nᵀÿ and −tᵀÿ (the matrices are those of one wheel). Under
the loads y a linear axle would give as far as this one does under x: (C + E) ẋ = C ẏ, with E = Σ ε' l lᵀ / 2 of the
bushings that stiffen or soften.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.rtm.elasticity import ElasticAxle, ElasticMode, StiffBushing, regularised
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, GIVEN_POSE
from trackrod.rtm.twin.maps import Curves, Surface

__all__ = ["BRAKE", "DAMPER", "FX", "TwinAxle", "split"]

Array = NDArray[np.float64]

_LOADS = len(AXLE_LOADS)
DAMPER = AXLE_LOADS.index("damper")
#: Sign of each load in a mirror.
MIRROR = np.array([1.0, 1.0, -1.0, -1.0, -1.0, 1.0])
FX, BRAKE, _FY = (AXLE_LOADS.index(name) for name in ("fx", "brake", "fy"))
#: Part of what bushings stiffen that counts in C + E: steps are implicit with C alone.
_STIFFENING_COUNTS = 0.4
#: Directions of (v, ω) that symmetric and antisymmetric loads go with.
_DIRECTIONS = ((0, 2, 4), (1, 3, 5))


def split(left: Array, right: Array) -> tuple[Array, Array]:
    """Symmetric and antisymmetric parts of loads; none acts on inner shapes."""
    none = np.zeros(len(AXLE_SHAPES) - _LOADS)
    mirrored = MIRROR * right
    return np.concatenate((0.5 * (left + mirrored), none)), np.concatenate((0.5 * (left - mirrored), none))


class TwinAxle:
    """One axle that gives.

    Parameters
    ----------
    axle
        Its data.
    """

    def __init__(self, axle: ElasticAxle) -> None:
        self.axle = axle = axle.with_straight_pitch()
        beside = axle.beside_bushings()
        modes = (beside.symmetric, axle.symmetric), (beside.antisymmetric, axle.antisymmetric)
        self.modes = [_Mode(*mode, which) for which, mode in enumerate(modes)]
        self._lateral = Surface(axle.fy.symmetric, axle.fy.antisymmetric, beside.fy.pose)
        self._strains = [Curves(each.force, each.strain[:, None]) for each in axle.bushings]
        self.reset()

    def reset(self) -> None:
        """Without load."""
        for mode in self.modes:
            mode.x, mode.rate = np.zeros(len(AXLE_SHAPES)), np.zeros(len(AXLE_SHAPES))
            mode.taken = 0.0

    def poses(self, left: float, right: float) -> tuple[Array, Array]:
        """`GIVEN_POSE` of both wheels at their travels [m], and the rates, shape (2, 5) each."""
        travels = np.array([1.0, 0.5 * (left + right), 0.5 * (left - right)])
        strains = [
            self._strain(bushing, strain, travels, left, right)
            for bushing, strain in zip(self.axle.bushings, self._strains, strict=True)
        ]
        for which, mode in enumerate(self.modes):
            mode.soften(
                [
                    (slope, bushing.loads[0, which])
                    for bushing, (_, slope) in zip(self.axle.bushings, strains, strict=True)
                ]
            )
        x, rate = [mode.x[_FY] for mode in self.modes], [mode.load_rate[_FY] for mode in self.modes]
        pose, by_first, by_second = self._lateral.sample(*x)
        rates = by_first * rate[0] + by_second * rate[1]
        for mode in self.modes:
            more, more_rate = mode.poses(0.5 * (left + right), 0.5 * (left - right))
            pose, rates = pose + more, rates + more_rate
        for bushing, (strain, slope) in zip(self.axle.bushings, strains, strict=True):
            loads, by_strain = np.tensordot(travels, bushing.loads, 1), travels @ bushing.pose
            force_rate = sum(of @ mode.load_rate[:_LOADS] for of, mode in zip(loads, self.modes, strict=True))
            pose, rates = pose + strain * by_strain, rates + slope * force_rate * by_strain
        return pose.reshape(2, len(GIVEN_POSE)), rates.reshape(2, len(GIVEN_POSE))

    def _strain(
        self, bushing: StiffBushing, strain: Curves, travels: Array, left: float, right: float
    ) -> tuple[float, float]:
        """Strain of a bushing by the loads [m], and the slope of that by its force [m/N]."""
        loads = np.tensordot(travels, bushing.loads, 1)
        force = sum(of @ mode.x[:_LOADS] for of, mode in zip(loads, self.modes, strict=True))
        standing = float(bushing.travels @ (left, right))
        value, slope = strain.sample(standing + float(force))
        return float(value[0] - strain.sample(standing)[0][0]), float(slope[0])

    def shorter(self, side: int) -> tuple[float, float]:
        """What the damper of the left (0) or the right wheel (1) is shorter by [m], and the rate of that [m/s]."""
        of = [np.array([mode.C[DAMPER] @ mode.x, mode.C[DAMPER] @ mode.rate]) for mode in self.modes]
        length, rate = of[0] + of[1] * (1.0 - 2.0 * side)
        return float(length), float(rate)


class _Mode:
    """One of the two systems."""

    def __init__(self, mode: ElasticMode, measured: ElasticMode, which: int) -> None:
        self.M, self.D, self.C = regularised(mode)
        self.t, self.t_D = mode.travel_mass, mode.travel_damping
        self.N = np.zeros((len(AXLE_SHAPES), 6))
        self.N[:, _DIRECTIONS[which]] = mode.body_mass
        self.sign = 1.0 - 2.0 * which  # of the right wheel's travel
        inner = np.zeros((len(AXLE_SHAPES) - _LOADS, mode.pose.shape[1]))  # wheels stand still in inner shapes
        self._linear = np.vstack((mode.pose, inner))
        self.pitch = self._linear[:, GIVEN_POSE.index("ry")].copy()
        self._linear[[FX, BRAKE, _FY]] = 0.0
        self._by_travel = [np.vstack((part, inner)) for part in (mode.pose_by_parallel, mode.pose_by_opposite)]
        self._curves = tuple(
            (load, Curves(curve.load, np.column_stack((curve.pose, whole.eased))))
            for load, curve, whole in ((FX, mode.fx, measured.fx), (BRAKE, mode.brake, measured.brake))
        )
        self.x = self.rate = np.zeros(len(AXLE_SHAPES))
        self._softer = self.C[:_LOADS, :_LOADS]  # with what bushings soften or stiffen
        self.taken = 0.0  # from the turning of carriers by accelerations a step before [rad/s]

    def soften(self, bushings: list[tuple[float, Array]]) -> None:
        """Take the compliance about the present loads, by slopes of strains and the forces by loads."""
        self._softer = self.C[:_LOADS, :_LOADS].copy()
        for slope, of in bushings:
            self._softer += 0.5 * slope * (_STIFFENING_COUNTS if slope < 0 else 1.0) * np.outer(of, of)

    @property
    def load_rate(self) -> Array:
        """Rates of the loads x; `rate` is that of the loads of a linear axle that gives as fast."""
        loads = np.linalg.solve(self._softer, self.C[:_LOADS, :_LOADS] @ self.rate[:_LOADS])
        return np.concatenate((loads, self.rate[_LOADS:]))

    def poses(self, parallel: float, opposite: float) -> tuple[Array, Array]:
        load_rate = self.load_rate
        pose, rate = self.x @ self._linear, load_rate @ self._linear
        eased, eased_rate = self.x.copy(), load_rate.copy()
        for load, curve in self._curves:
            value, slope = curve.sample(float(self.x[load]))
            pose, rate = pose + value[:-1], rate + slope[:-1] * load_rate[load]
            eased[load], eased_rate[load] = value[-1], slope[-1] * load_rate[load]
        by_travel = parallel * self._by_travel[0] + opposite * self._by_travel[1]
        return pose + eased @ by_travel, rate + eased_rate @ by_travel

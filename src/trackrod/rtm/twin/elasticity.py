"""Axles that give, in readable form: poses of the wheels over the loads of their axles, and the equations of those.

Left and right loads are split into symmetric and antisymmetric ones, x_S = (x_L + s x_R)/2 and x_A = (x_L − s x_R)/2
with the sign s of a load in a mirror. Each of the four systems (two of each axle) obeys

    (M + hD + h²C) ÿ + N u̇ + t z̈ = C (q − x) − (D + hC) ẏ − N a⁰ − t_D ż,

which are implicit steps; body and travels get the reactions −2Nᵀÿ and −tᵀÿ (the matrices are those of one wheel). Under
the loads y a linear axle would give as far as this one does under x: (C + E) ẋ = C ẏ, with E = Σ ε' l lᵀ / 2 of the
bushings that stiffen or soften, where these soften the axle, and y = x elsewhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.rtm.elasticity import MIRROR, ElasticAxle, ElasticMode, regularised
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, GIVEN_POSE
from trackrod.rtm.twin.maps import Curves

__all__ = ["BRAKE", "DAMPER", "FX", "TwinAxle", "split"]

Array = NDArray[np.float64]

_LOADS = len(AXLE_LOADS)
DAMPER = AXLE_LOADS.index("damper")
FX, BRAKE = (AXLE_LOADS.index(name) for name in ("fx", "brake"))
_PITCH = GIVEN_POSE.index("ry")
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
        self.axle = axle
        self._linear = np.stack([axle.linear(k) for k in range(2)], axis=1)  # [way][mode][load][pose]
        modes = (axle.symmetric, axle.antisymmetric)
        self.modes = [_Mode(mode, self._linear[0, k, :, _PITCH], k) for k, mode in enumerate(modes)]
        self._lifts, self.lift = axle.lifts(), np.zeros(2)
        self._strains = [Curves(each.force, each.strain[:, None]) for each in axle.bushings]
        self.reset()

    def reset(self) -> None:
        """Without load."""
        for mode in self.modes:
            mode.x, mode.rate = np.zeros(len(AXLE_SHAPES)), np.zeros(len(AXLE_SHAPES))
            mode.taken = 0.0

    def poses(self, left: float, right: float, rack: float) -> tuple[Array, Array]:
        """`GIVEN_POSE` of both wheels at travels of these and of the rack [m], and the rates, shape (2, 5) each."""
        ways = np.array([1.0, 0.5 * (left + right), 0.5 * (left - right), rack])
        x = np.array([mode.x[:_LOADS] for mode in self.modes])
        stored = 0.5 * np.einsum("wij,i,j->w", self._lifts, x.ravel(), x.ravel())
        self.lift = 0.5 * np.array([stored[0] + stored[1], stored[0] - stored[1]])  # forces on the travels
        linear = np.tensordot(ways, self._linear, 1)
        pose = np.einsum("mj,mjk->k", x, linear)
        bent = []
        for bushing, strain in zip(self.axle.bushings, self._strains, strict=True):
            loads, standing = np.tensordot(ways, bushing.loads, 1), float(ways[1:] @ bushing.standing)
            given, slopes = strain.sample(standing + float((loads * x).sum()))
            by_strain = ways @ bushing.pose
            pose = pose + (given - strain.sample(standing)[0]) * by_strain
            bent.append((float(slopes[0]), loads, by_strain))
        for k, mode in enumerate(self.modes if self.axle.softens else ()):
            mode.soften([(of[0], each.loads[0, k]) for of, each in zip(bent, self.axle.bushings, strict=True)])
        rate = np.array([mode.load_rate[:_LOADS] for mode in self.modes])
        rates = np.einsum("mj,mjk->k", rate, linear)
        for slope, loads, by_strain in bent:
            rates = rates + slope * (loads * rate).sum() * by_strain
        rates = rates.reshape(2, len(GIVEN_POSE))
        rates[:, _PITCH] = self._turning()
        return pose.reshape(2, len(GIVEN_POSE)), rates

    def _turning(self) -> Array:
        """Rates of the pitch of both carriers as if it were straight over the loads: see `give` of the core."""
        both = [mode.rate @ mode.pitch for mode in self.modes]
        return np.array([both[0] + both[1], both[0] - both[1]])

    def shorter(self, side: int) -> tuple[float, float]:
        """What the damper of the left (0) or the right wheel (1) is shorter by [m], and the rate of that [m/s]."""
        of = [np.array([mode.C[DAMPER] @ mode.x, mode.C[DAMPER] @ mode.rate]) for mode in self.modes]
        length, rate = of[0] + of[1] * (1.0 - 2.0 * side)
        return float(length), float(rate)


class _Mode:
    """One of the two systems."""

    def __init__(self, mode: ElasticMode, pitch: Array, which: int) -> None:
        self.M, self.D, self.C = regularised(mode)
        self.t, self.t_D = mode.travel_mass, mode.travel_damping
        self.N = np.zeros((len(AXLE_SHAPES), 6))
        self.N[:, _DIRECTIONS[which]] = mode.body_mass
        self.sign = 1.0 - 2.0 * which  # of the right wheel's travel
        inner = np.zeros(len(AXLE_SHAPES) - _LOADS)  # wheels stand still in inner shapes
        self.pitch = np.concatenate((pitch, inner))
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

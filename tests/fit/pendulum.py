"""A pendulum with an unknown frequency: the benchmark of the homotopy, with dozens of local minima.

θ' = ω + λ K₁ e, ω' = −p sin θ + λ K₂ e with e = measured − θ; p* = 10, 50 s, noise of 0.05 rad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.fit.blocks import Array, Block

TRUTH = 10.0
LOWEST, HIGHEST = 1.0, 20.0
GAINS = (10.0, 10.0)
STEP = 0.05
TIMES = np.arange(0.0, 50.0 + 0.5 * STEP, STEP)
DERIVATIVE_STEP = 1e-30


def swing(p: NDArray[np.complex128] | Array, strength: float, measured: Array) -> NDArray[np.complex128]:
    """Angles at all times, for many p at once; complex p give derivatives."""
    p = np.asarray(p, dtype=complex)
    angle, rate = np.full(p.shape, 0.5 * np.pi, dtype=complex), np.zeros(p.shape, dtype=complex)
    between = 0.5 * (measured[:-1] + measured[1:])

    def slope(angle, rate, seen):
        pull = strength * (seen - angle)
        return rate + GAINS[0] * pull, -p * np.sin(angle) + GAINS[1] * pull

    angles = [angle]
    for first, middle, last in zip(measured[:-1], between, measured[1:], strict=True):
        a = slope(angle, rate, first)
        b = slope(angle + 0.5 * STEP * a[0], rate + 0.5 * STEP * a[1], middle)
        c = slope(angle + 0.5 * STEP * b[0], rate + 0.5 * STEP * b[1], middle)
        d = slope(angle + STEP * c[0], rate + STEP * c[1], last)
        angle = angle + STEP / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        rate = rate + STEP / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        angles.append(angle)
    return np.array(angles)


def measure(seed: int = 0) -> Array:
    noise = np.random.default_rng(seed).normal(0.0, 0.05, TIMES.size)
    return swing(np.array([TRUTH]), 0.0, np.zeros_like(TIMES)).real[:, 0] + noise


def parameter(z: Array) -> Array:
    return LOWEST + 0.5 * (z + 1.0) * (HIGHEST - LOWEST)


@dataclass(frozen=True)
class Pendulum:
    measured: Array
    strength: float = 0.0
    names: tuple[str, ...] = ("p",)

    @property
    def key(self) -> str:
        return f"pendulum {self.strength!r}"

    def curves(self, zs: Sequence[Array]) -> tuple[Array, Array]:
        """Residuals and their derivatives to z, one column a point."""
        p = parameter(np.ravel(zs)) + 1j * DERIVATIVE_STEP
        scale = 100.0 / (np.abs(self.measured).max() * np.sqrt(TIMES.size))
        angles = swing(p, self.strength, self.measured)
        to_z = 0.5 * (HIGHEST - LOWEST) / DERIVATIVE_STEP
        return scale * (angles.real - self.measured[:, None]), scale * to_z * angles.imag

    def evaluate(self, z: Array) -> tuple[Block, ...]:
        return (Block("release", "angle", self.curves([z])[0][:, 0]),)

    def evaluate_many(self, zs: Sequence[Array]) -> list[tuple[Block, ...] | None]:
        return [self.evaluate(z) for z in zs]

    def linearise(self, z: Array) -> tuple[Block, ...]:
        residual, slope = self.curves([z])
        return (Block("release", "angle", residual[:, 0], slope),)

    def guided(self, strength: float) -> Pendulum:
        return Pendulum(self.measured, strength)

    def minima(self, points: int) -> Array:
        """Local minima of the objective over p, by scanning."""
        zs = np.linspace(-1.0, 1.0, points)
        f = np.linalg.norm(self.curves(zs[:, None])[0], axis=0)
        return parameter(zs[1:-1][(f[1:-1] < f[:-2]) & (f[1:-1] < f[2:])])

"""Small problems with known minima."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from trackrod.core.errors import ConvergenceError
from trackrod.fit.blocks import Array, Block

#: Residuals of the indices and their Jacobians at a point, one pair an index.
Residuals = Callable[[Array], list[tuple[Array, Array]]]


@dataclass(eq=False)
class Formula:
    """A problem given by a function; index k of manoeuvre j is called ``j/k``."""

    dimension: int
    residuals: Residuals
    labels: Sequence[tuple[str, str]]
    key: str = "formula"
    breaks: Callable[[Array], bool] = lambda _: False
    asked: list[Array] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"p{i}" for i in range(self.dimension))

    def evaluate(self, z: Array) -> tuple[Block, ...]:
        self.asked.append(z)
        if self.breaks(z):
            raise ConvergenceError(f"no equilibrium at {z}")
        return tuple(Block(*label, r) for label, (r, _) in zip(self.labels, self.residuals(z), strict=True))

    def evaluate_many(self, zs: Sequence[Array]) -> list[tuple[Block, ...] | None]:
        return [None if self.breaks(z) else self.evaluate(z) for z in zs]

    def linearise(self, z: Array) -> tuple[Block, ...]:
        if self.breaks(z):
            raise ConvergenceError(f"no equilibrium at {z}")
        return tuple(Block(*label, r, j) for label, (r, j) in zip(self.labels, self.residuals(z), strict=True))

    def guided(self, strength: float) -> Formula:
        return replace(self, key=f"{self.key} {strength!r}")


def one_manoeuvre(count: int) -> list[tuple[str, str]]:
    return [("m", f"i{k}") for k in range(count)]


def linear(matrices: Sequence[Array], offsets: Sequence[Array], **more: object) -> Formula:
    """Residuals J z + b."""
    n = matrices[0].shape[1]
    return Formula(
        n,
        lambda z: [(j @ z + b, j) for j, b in zip(matrices, offsets, strict=True)],
        one_manoeuvre(len(matrices)),
        **more,  # type: ignore[arg-type]
    )


def weber(points: Array) -> Formula:
    """The sum of distances to points in a plane: its minimum is their geometric median."""
    return linear([np.eye(points.shape[1])] * len(points), list(-points), key="weber")


def geometric_median(points: Array, iterations: int = 2000) -> Array:
    """By Weiszfeld's iteration, for a median that is none of the points."""
    z = points.mean(axis=0)
    for _ in range(iterations):
        w = 1.0 / np.linalg.norm(points - z, axis=1)
        z = w @ points / w.sum()
    return z


def rosenbrock(centre: float = 0.4) -> Formula:
    """One index with a curved valley, zero at (centre, centre²)."""

    def residuals(z: Array) -> list[tuple[Array, Array]]:
        r = np.array([10.0 * (z[1] - z[0] ** 2), centre - z[0]])
        return [(r, np.array([[-20.0 * z[0], 10.0], [-1.0, 0.0]]))]

    return Formula(2, residuals, one_manoeuvre(1), key="rosenbrock")


def two_manoeuvres(seed: int = 1, n: int = 4, noise: float = 0.3) -> tuple[Formula, Array]:
    """Curves of a damped oscillation and its steady value: a small image of the real task, with its planted truth."""
    random = np.random.default_rng(seed)
    truth = random.uniform(-0.7, 0.7, n)
    time = np.linspace(0.0, 3.0, 120)
    shapes = random.normal(size=(2, n))

    def curves(z: Array) -> list[tuple[Array, Array]]:
        found = []
        for shape in shapes:
            scaled = 0.2 * z * shape
            gain, rate = 1.0 + scaled.sum(), 3.0 * np.exp(scaled @ np.cos(np.arange(n)))
            decay = np.exp(-time) * np.cos(rate * time)
            d_gain = 0.2 * shape
            d_rate = rate * 0.2 * shape * np.cos(np.arange(n))
            value = gain * (1.0 - decay)
            slope = np.outer(1.0 - decay, d_gain) + np.outer(gain * np.exp(-time) * np.sin(rate * time) * time, d_rate)
            found.append((value, slope))
        return found

    scale = 100.0 / np.sqrt(time.size)
    reference = [value + noise / 100.0 * random.normal(size=time.size) for value, _ in curves(truth)]

    def residuals(z: Array) -> list[tuple[Array, Array]]:
        return [
            (scale * (value - wanted), scale * slope)
            for (value, slope), wanted in zip(curves(z), reference, strict=True)
        ]

    return Formula(n, residuals, [("step", "yaw rate"), ("sweep", "roll")], key=f"two {seed} {n} {noise}"), truth

"""Straight ahead over one obstacle: a bump, a pothole, a kerb."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.manoeuvres.controls import HoldThrottle, straight_ahead
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.excitation import Wheels
from trackrod.manoeuvres.manoeuvre import Manoeuvre, Phase, Start
from trackrod.manoeuvres.settings import kmh, setting
from trackrod.road.surface import RoadSurface

__all__ = ["Bump", "Kerb", "OverObstacle", "Pothole"]

Array = NDArray[np.float64]

#: From row to row of the road, and how far ahead of the centre of gravity the obstacle lies at least [m].
_INCREMENT, _AHEAD = 0.005, 5.0


@dataclass(frozen=True, kw_only=True)
class OverObstacle(Manoeuvre):
    """The throttle stays as it is while both axles run over an obstacle."""

    speed_kmh: float = setting(30.0, "speed at the beginning", 5.0, 200.0)
    under: Wheels = setting(Wheels.ALL, "which wheels run over it")
    delay_s: float = setting(0.3, "straight ahead before", 0.0, 10.0)
    after_s: float = setting(1.5, "from the first wheel on the obstacle to the end", 0.5, 60.0)

    @property
    def _before(self) -> float:
        """Where the obstacle begins [m]."""
        return _AHEAD + kmh(self.speed_kmh) * self.delay_s

    @property
    def _duration(self) -> float:
        return self._before / kmh(self.speed_kmh) + self.after_s

    @abstractmethod
    def _shape(self, x: Array) -> Array:
        """Height over the distance from where it begins [m]."""

    def road(self) -> RoadSurface:
        """The obstacle on a level road."""
        length = 1.3 * kmh(self.speed_kmh) * self._duration + 10.0
        x: Array = _INCREMENT * np.arange(round(length / _INCREMENT) + 1, dtype=np.float64)
        heights = self._shape(x - self._before)
        return RoadSurface.profile(self.title, _INCREMENT, heights, heights * (self.under is Wheels.ALL))

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Over the obstacle."""
        return (Phase(self.name, straight_ahead, HoldThrottle(), (After(round(self._duration, 2)),)),)


@dataclass(frozen=True, kw_only=True)
class Bump(OverObstacle):
    """Over a bump across the road, h/2·(1 − cos 2πs/L)."""

    name: ClassVar[str] = "bump"
    title: ClassVar[str] = "Over a bump"
    serves: ClassVar[tuple[str, ...]] = ("peaks of wheel loads, longitudinal forces and vertical acceleration",)

    height_mm: float = setting(25.0, "of the bump", 1.0, 150.0)
    length_m: float = setting(0.5, "of the bump along the road", 0.05, 20.0)

    def _shape(self, x: Array) -> Array:
        along = np.clip(x / self.length_m, 0.0, 1.0)
        return np.asarray(0.5e-3 * self.height_mm * (1.0 - np.cos(2.0 * np.pi * along)))


@dataclass(frozen=True, kw_only=True)
class Pothole(OverObstacle):
    """Over a hole with upright edges and a flat ground."""

    name: ClassVar[str] = "pothole"
    title: ClassVar[str] = "Over a pothole"
    serves: ClassVar[tuple[str, ...]] = ("peaks of wheel loads, longitudinal forces and vertical acceleration",)

    depth_mm: float = setting(60.0, "of the hole", 1.0, 200.0)
    length_m: float = setting(0.6, "of the hole along the road, edges included", 0.1, 20.0)
    edge_mm: float = setting(20.0, "length over which each edge falls", 5.0, 1000.0)

    def contradictions(self) -> Iterator[str]:
        """There is ground between the edges."""
        if 2e-3 * self.edge_mm > self.length_m:
            yield f"two edges of edge_mm={self.edge_mm:g} are longer than length_m={self.length_m:g}"

    def _shape(self, x: Array) -> Array:
        edge, length, ground = 1e-3 * self.edge_mm, self.length_m, -1e-3 * self.depth_mm
        return np.interp(x, [0.0, edge, length - edge, length], [0.0, ground, ground, 0.0])


@dataclass(frozen=True, kw_only=True)
class Kerb(OverObstacle):
    """Up a kerb, and on at its height."""

    name: ClassVar[str] = "kerb"
    title: ClassVar[str] = "Up a kerb"
    serves: ClassVar[tuple[str, ...]] = ("peaks of wheel loads, longitudinal forces and vertical acceleration",)

    speed_kmh: float = setting(20.0, "speed at the beginning", 5.0, 200.0)
    height_mm: float = setting(60.0, "of the kerb", 1.0, 200.0)
    edge_mm: float = setting(10.0, "length over which its edge rises", 5.0, 1000.0)

    def _shape(self, x: Array) -> Array:
        return np.interp(x, [0.0, 1e-3 * self.edge_mm], [0.0, 1e-3 * self.height_mm])

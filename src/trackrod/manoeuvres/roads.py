"""Straight ahead over an uneven road."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner, Side
from trackrod.manoeuvres.controls import HoldSpeed, straight_ahead
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import Manoeuvre, Phase, Start
from trackrod.manoeuvres.settings import kmh, setting

__all__ = ["RandomRoad", "RoadClass", "RoadProfile"]

Array = NDArray[np.float64]

#: Reference spatial frequency [cycles/m], and the band of the profile [cycles/m].
_N0, _BAND = 0.1, (0.01, 4.0)
_WAVES = 400


class RoadClass(StrEnum):
    """Classes of road roughness of ISO 8608, from very good to very poor."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"

    @property
    def roughness(self) -> float:
        """Displacement power spectral density at 0.1 cycles/m [m³]: geometric mean of the class."""
        return float(16e-6 * 4.0 ** list(RoadClass).index(self))


@dataclass(frozen=True)
class RoadProfile:
    """Two tracks of a random road with G(n) = G(n0)·(n/n0)^−2, as sums of sines of random phases.

    The tracks are equal at long wavelengths and independent at short ones: their coherence is exp(−(n·b)) with the
    distance b between them. The first metres rise from a level road.

    Attributes
    ----------
    roughness
        G(n0) [m³].
    seed
        Of the random phases.
    track
        b [m].
    rise
        Length over which the unevenness begins [m].
    """

    roughness: float
    seed: int
    track: float = 1.6
    rise: float = 10.0

    @cached_property
    def _waves(self) -> tuple[Array, dict[Side, tuple[Array, Array]]]:
        """Angular wave numbers [rad/m]; of each track the amplitudes [m] and phases [rad]."""
        edges = np.geomspace(*_BAND, _WAVES + 1)
        n = np.sqrt(edges[1:] * edges[:-1])
        amplitude = np.sqrt(2 * self.roughness * (n / _N0) ** -2.0 * np.diff(edges))
        random = np.random.default_rng(self.seed)
        common, left, right = (np.exp(2j * np.pi * random.random(_WAVES)) for _ in range(3))
        coherence = np.exp(-n * self.track)
        mixed = {
            side: np.sqrt(coherence) * common + np.sqrt(1 - coherence) * own
            for side, own in ((Side.LEFT, left), (Side.RIGHT, right))
        }
        return 2 * np.pi * n, {side: (amplitude * np.abs(wave), np.angle(wave)) for side, wave in mixed.items()}

    def heights(self, corner: Corner, times: Array, positions: Array) -> Array:
        """Height under a wheel [m]."""
        del times
        numbers, tracks = self._waves
        amplitudes, phases = tracks[corner.side]
        rise = np.clip(positions / self.rise, 0.0, 1.0)
        return np.asarray(np.cos(np.outer(positions, numbers) + phases) @ amplitudes * rise * rise * (3 - 2 * rise))


@dataclass(frozen=True, kw_only=True)
class RandomRoad(Manoeuvre):
    """Straight ahead at constant speed over a random road.

    Limits: each tyre touches the road in one point, so wavelengths below the length of the contact are not enveloped.
    """

    name: ClassVar[str] = "random_road"
    title: ClassVar[str] = "Random road"
    standard: ClassVar[str] = "ISO 8608"
    serves: ClassVar[tuple[str, ...]] = ("body accelerations", "dynamic wheel loads")

    speed_kmh: float = setting(80.0, "speed, held", 5.0, 200.0)
    road_class: RoadClass = setting(RoadClass.B, "roughness")
    duration_s: float = setting(20.0, "on the road", 1.0, 600.0)
    seed: int = setting(1, "of the random road", 0, 2**31)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """The road."""
        hold = HoldSpeed(kmh(self.speed_kmh))
        return (Phase("random road", straight_ahead, hold, (After(self.duration_s),)),)

    def road(self) -> RoadProfile:
        """The profile."""
        return RoadProfile(self.road_class.roughness, self.seed, rise=max(10.0, kmh(self.speed_kmh) * 0.5))

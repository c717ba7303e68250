"""Roads from files: a driver who follows the line of a road, and any other manoeuvre on a road."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from trackrod.core import signals
from trackrod.core.environment import Environment
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.plain import Plain
from trackrod.manoeuvres.controls import FollowPath, HoldSpeed, HoldThrottle
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, Assistance, Corridor, Drive, Manoeuvre, Phase, Road, Sample, Start
from trackrod.manoeuvres.paths import Path
from trackrod.manoeuvres.settings import kmh, setting
from trackrod.manoeuvres.steady_turn import curvature_gain
from trackrod.road.crg import read_crg
from trackrod.road.surface import RoadSurface

__all__ = ["FollowRoad", "OnRoad", "Surroundings", "approached"]

#: Least length over which a road rises from level ground, and time at the speed of the beginning [m], [s].
_APPROACH, _APPROACH_TIME = 20.0, 1.0
#: How far before its end a road is left [m]: the front axle is ahead of the centre of gravity.
_BEFORE_END = 5.0


def approached(road: RoadSurface, speed: float) -> RoadSurface:
    """The road with level ground before it, from which it rises as gently as a speed [m/s] asks for."""
    return road.changed(approach=max(_APPROACH, _APPROACH_TIME * speed))


@dataclass(frozen=True)
class _EndOfRoad:
    """The centre of gravity comes near the end of the road."""

    road: RoadSurface

    @property
    def reason(self) -> str:
        """In words."""
        return f"the end of the road '{self.road.name}'"

    def begin(self) -> Callable[[Sample], bool]:
        """Whether it is there."""
        follower = self.road.follower(np.zeros((0, 3)), (0.0, 0.0, 0.0))
        last = self.road.end_u - _BEFORE_END

        def there(now: Sample) -> bool:
            return bool(follower.at(now[signals.X], now[signals.Y])[0] >= last)

        return there


@dataclass(frozen=True, kw_only=True)
class FollowRoad(Manoeuvre):
    """Along the line of a road from an OpenCRG file, from its beginning to its end, at one speed.

    The vehicle begins on level ground ahead of the road, which rises from it.
    """

    name: ClassVar[str] = "follow_road"
    title: ClassVar[str] = "Along a road from a file"
    serves: ClassVar[tuple[str, ...]] = ("comparison with a measured run", "wheel loads on a measured road")

    file: str = setting("", "road (.crg)")
    speed_kmh: float = setting(50.0, "speed, held", 5.0, 250.0)
    offset_m: float = setting(0.0, "of the path to the left of the line", -50.0, 50.0)
    preview_s: float = setting(0.6, "how far the driver looks ahead", 0.1, 5.0)
    angle_per_curvature_radm: float | None = setting(None, "of the driver; found by driving if not given", 1.0, 1000.0)
    friction_factor: float = setting(1.0, "of the road, over that which the tyres were measured on", 0.05, 2.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.file:
            raise InputError(Problem("'file' is needed: the road to drive on", hint="--set file=ROAD.crg"))
        right, left = self._surface.edges_at(self._surface.start_u)
        if not right <= self.offset_m <= left:
            text = f"offset_m={self.offset_m:g} is beside the road, which reaches from {right:g} to {left:g} m"
            raise InputError(Problem(text, Place(self._surface.source)))

    @cached_property
    def _surface(self) -> RoadSurface:
        road = approached(read_crg(self.file), kmh(self.speed_kmh))
        if road.length < 2 * _BEFORE_END:
            text = f"the road is {road.length:g} m long, {2 * _BEFORE_END:g} m are needed"
            raise InputError(Problem(text, Place(road.source)))
        return road.slippery(self.friction_factor).grounded(self.offset_m).beside(self.offset_m)

    def road(self) -> RoadSurface:
        """That of the file."""
        return self._surface

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def path(self) -> Path:
        """Beside the line, from the beginning of the run on."""
        road = self._surface
        x, y = road.line
        middle = np.concatenate((road.headings[:1], 0.5 * (road.headings[1:] + road.headings[:-1]), road.headings[-1:]))
        along = road.run_up + x - self.offset_m * np.sin(middle)
        across = y + self.offset_m * (np.cos(middle) - 1.0)
        apart = np.concatenate(([True], np.hypot(np.diff(along), np.diff(across)) > 1e-6))
        return Path(np.concatenate(([-10.0], along[apart])), np.concatenate(([0.0], across[apart])))

    def phases(self) -> tuple[Phase, ...]:
        """The whole road."""
        speed = kmh(self.speed_kmh)
        follow = FollowPath(self.path(), self.preview_s, self.angle_per_curvature_radm or 0.0)
        longest = 2.0 * (self._surface.length + self._surface.run_up) / speed + 10.0
        return (Phase("along the road", follow, HoldSpeed(speed), (_EndOfRoad(self._surface),), longest, AUTOMATIC),)

    def prepare(self, drive: Drive) -> Self:
        """With the gain of the driver."""
        if self.angle_per_curvature_radm is not None:
            return self
        return self.changed(angle_per_curvature_radm=curvature_gain(drive, max(self.speed_kmh, 30.0)))


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a manoeuvre is driven on, in place of its own.

    Attributes
    ----------
    road
        None where it is the manoeuvre's own.
    friction
        Left and right of the line of the road; None where it is the manoeuvre's own.
    """

    road: RoadSurface | None = None
    friction: tuple[float, float] | None = None

    def values(self) -> dict[str, Plain]:
        """As plain data, for the metadata of a run."""
        found: dict[str, Plain] = {}
        if self.road is not None:
            found["road"] = self.road.name if self.road.source is None else str(self.road.source)
        if self.friction is not None:
            left, right = self.friction
            found["friction"] = left if left == right else f"{left:g} left, {right:g} right"
        return found


@dataclass(frozen=True, eq=False)
class OnRoad(Manoeuvre):
    """A manoeuvre in other surroundings. Settings that depend on the vehicle are found without these.

    Attributes
    ----------
    inner
        What is driven.
    surroundings
        On what.

    Raises
    ------
    InputError
        The manoeuvre has an uneven road of its own, or the road is too short for the drive.
    """

    inner: Manoeuvre
    surroundings: Surroundings

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.surroundings.road is not None and self.inner.road() is not None:
            raise InputError(f"'{self.inner.name}' has a road of its own, and takes no other")

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the manoeuvre."""
        return self.inner.name

    @property
    def title(self) -> str:  # type: ignore[override]
        """Of the manoeuvre."""
        return self.inner.title

    @property
    def standard(self) -> str:  # type: ignore[override]
        """Of the manoeuvre."""
        return self.inner.standard

    @cached_property
    def _surface(self) -> RoadSurface | None:
        own, friction = self.inner.road(), self.surroundings.friction
        road = self.surroundings.road
        if road is None and friction is not None and friction[0] != friction[1] and own is None:
            road = RoadSurface.level()
        if road is None:
            return own.slippery(*friction) if isinstance(own, RoadSurface) and friction is not None else None
        if self.surroundings.road is not None:
            road = approached(road, self.inner.start().speed).grounded(0.0)
        return road.slippery(*(friction or (self.inner.friction(),)))

    def road(self) -> Road | RoadSurface | None:
        """The other road, or the manoeuvre's own."""
        return self._surface if self._surface is not None else self.inner.road()

    def friction(self) -> float:
        """Of the whole road."""
        both = self.surroundings.friction
        return self.inner.friction() if both is None else both[0]

    def start(self) -> Start:
        """As the manoeuvre."""
        return self.inner.start()

    def phases(self) -> tuple[Phase, ...]:
        """Those of the manoeuvre."""
        return self.inner.phases()

    def grade(self) -> float:
        """That of the manoeuvre."""
        return self.inner.grade()

    def environment(self) -> Environment | None:
        """That of the manoeuvre."""
        return self.inner.environment()

    def assistance(self) -> Assistance | None:
        """That of the manoeuvre."""
        return self.inner.assistance()

    def corridor(self) -> Corridor | None:
        """That of the manoeuvre."""
        return self.inner.corridor()

    def values(self) -> dict[str, Plain]:
        """Those of the manoeuvre and the surroundings."""
        return {**self.inner.values(), **self.surroundings.values()}

    def prepare(self, drive: Drive) -> Self:
        """With every setting of the manoeuvre known, if the road is long enough.

        Raises
        ------
        InputError
            It is not.
        """
        ready = self.changed(inner=self.inner.prepare(drive))
        road = ready.surroundings.road
        if road is not None and (needed := ready.least_length()) > road.length:
            text = f"the road '{road.name}' is {road.length:g} m long, '{self.name}' needs {needed:.0f} m or more"
            raise InputError(Problem(text, Place(road.source), hint="a longer road, a lower speed or a shorter drive"))
        return ready

    def least_length(self) -> float:
        """How long the road must be at least [m], as far as that can be known before."""
        speed, time = self.start().speed, 0.0
        for phase in self.phases():
            known = [end.seconds for end in phase.ends if isinstance(end, After)]
            if not known or not isinstance(phase.pedals, HoldSpeed | HoldThrottle):
                break
            time += min(known)
        surface = self._surface
        return max(speed * time - (0.0 if surface is None else surface.run_up), 0.0)

"""Courses between cones, driven by a driver who looks ahead: double lane change and slalom."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.core.signals import Signal
from trackrod.manoeuvres.controls import FollowPath, HoldSpeed, Pedals, straight_ahead
from trackrod.manoeuvres.ends import Above, After
from trackrod.manoeuvres.manoeuvre import Corridor, Drive, Manoeuvre, PedalLaw, Phase, Start
from trackrod.manoeuvres.paths import Path, lane_path
from trackrod.manoeuvres.settings import Direction, g, kmh, setting
from trackrod.manoeuvres.steady_turn import RampSteer, curvature_gain

__all__ = ["DoubleLaneChange", "ObstacleAvoidance", "Slalom"]

_X: Signal = signals.X

#: How near the largest lateral acceleration of a lane change comes to the wanted one, and how often it is tried.
_NEAR, _TRIALS = 0.1, 12
#: Lateral acceleration behind the course over the largest one that counts as swinging, and how much less a driver
#: steers who swings.
_SWINGING, _LESS = 0.3, 0.85
#: How long the driver goes on behind the course [s].
_BEHIND = 1.0
#: Where the search begins: the speed [km/h] at which the bundled vehicles reach such a lateral acceleration [g], to a
#: power; those with a high limit also answer faster, and cut the bends more.
_FIRST_KMH, _FIRST_POWER = 115.0, 1.35
#: The power of the speed that it grows with: 1.9 of cars, 3.6 of laden vans.
_POWER = 2.5


@dataclass(frozen=True, kw_only=True)
class _Course(Manoeuvre):
    """A path along x of E that a driver follows from its beginning to its end."""

    speed_kmh: float = setting(80.0, "speed at the beginning", 5.0, 250.0)
    vehicle_width_m: float = setting(1.8, "for the width of the lanes", 0.5, 3.0)
    direction: Direction = setting(Direction.LEFT, "to which side first")
    preview_s: float = setting(0.55, "how far the driver looks ahead", 0.1, 5.0)
    angle_per_curvature_radm: float | None = setting(None, "of the driver; found by driving if not given", 1.0, 1000.0)
    half_width_m: float = setting(3.0, "distance from the path that counts as off the road", 0.1, 50.0)

    @abstractmethod
    def _knots(self) -> list[tuple[float, float]]:
        """Points x, y of the path, from the entry of the course on [m]; first to the left."""

    def _pedals(self) -> PedalLaw:
        return HoldSpeed(kmh(self.speed_kmh), brakes=False)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def path(self) -> Path:
        """What the driver follows, from the beginning of the run on."""
        run_up = max(10.0, kmh(self.speed_kmh) * 0.5)
        knots = [(run_up + x, self.direction.sign * y) for x, y in self._knots()]
        return lane_path([(0.0, 0.0), *knots])

    def corridor(self) -> Corridor:
        """Around the path."""
        return Corridor(self.path(), self.half_width_m)

    def phases(self) -> tuple[Phase, ...]:
        """The course, and on for a while."""
        path = self.path()
        follow = FollowPath(path, self.preview_s, self.angle_per_curvature_radm or 0.0)
        lead = max(10.0, kmh(self.speed_kmh) * 0.5)
        hold = HoldSpeed(kmh(self.speed_kmh))
        return (
            Phase("run-up", straight_ahead, hold, (Above(_X, 0.5 * lead),)),
            Phase("course", follow, self._pedals(), (Above(_X, float(path.x[-1])),), 120.0),
            Phase("behind it", follow, self._pedals(), (After(_BEHIND),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the gain of the driver."""
        if self.angle_per_curvature_radm is not None:
            return self
        return self.changed(angle_per_curvature_radm=curvature_gain(drive, self.speed_kmh))


@dataclass(frozen=True, kw_only=True)
class DoubleLaneChange(_Course):
    """Into the lane 3.5 m beside and back, at a constant speed."""

    name: ClassVar[str] = "double_lane_change"
    title: ClassVar[str] = "Double lane change"
    standard: ClassVar[str] = "ISO 3888-1"
    serves: ClassVar[tuple[str, ...]] = ("deviation from the path", "largest roll, sideslip and yaw rate")

    limit_share: float | None = setting(
        None,
        "largest lateral acceleration over that of a slow ramp; if given, the speed is found for it, "
        "and a driver who does not swing",
        0.1,
        1.0,
    )

    def _knots(self) -> list[tuple[float, float]]:
        # Sections of 15, 30, 25, 25, 15 and 15 m.
        return [(0.0, 0.0), (15.0, 0.0), (45.0, 3.5), (70.0, 3.5), (95.0, 0.0), (125.0, 0.0)]

    def prepare(self, drive: Drive) -> Self:
        """With the gain of the driver, and with the speed for the share of the limit."""
        return super().prepare(drive) if self.limit_share is None else self._at_the_limit(drive, self.limit_share)

    def _at_the_limit(self, drive: Drive, share: float) -> Self:
        """At the speed at which the vehicle goes so far to its limit, by a driver who comes to rest behind the course.

        The gain of a steady turn may be too much for a lane change: a vehicle on a soft rear subframe answers quick
        steering more than slow steering, and driver and vehicle swing on together. Such a run tells of the driver, so
        he steers less; unless it does not help, because the vehicle swings by itself.

        Raises
        ------
        ConvergenceError
            No speed was found.
        """
        wanted = share * float(np.abs(drive(RampSteer())[signals.AY]).max())
        speed_kmh, gain, least = _FIRST_KMH * (wanted / g(1.0)) ** _FIRST_POWER, 1.0, np.inf
        usual: Self | None = None
        for _ in range(_TRIALS):
            trial = self.changed(speed_kmh=round(speed_kmh, 1), limit_share=None).prepare(drive)
            assert trial.angle_per_curvature_radm is not None
            trial = trial.changed(angle_per_curvature_radm=gain * trial.angle_per_curvature_radm)
            run = drive(trial)
            ay = np.abs(run[signals.AY])
            reached = float(ay.max())
            swing = float(ay[run.time >= run.time[-1] - _BEHIND].max()) / reached
            if not run.metadata["completed"]:
                speed_kmh *= 0.9
            elif abs(reached / wanted - 1.0) > _NEAR:
                speed_kmh *= (wanted / reached) ** (1.0 / _POWER)
            elif swing <= _SWINGING:
                return trial
            else:
                usual = usual or trial
                if swing >= least:
                    return usual
                least, gain = swing, gain * _LESS
        if usual is not None:
            return usual
        text = f"no lane change with a lateral acceleration of {wanted / g(1.0):.2f} g was found"
        raise ConvergenceError(f"{text}; the last one had {reached / g(1.0):.2f} g at {trial.speed_kmh:g} km/h")


@dataclass(frozen=True, kw_only=True)
class ObstacleAvoidance(_Course):
    """The short double lane change, with the throttle released at its entry."""

    name: ClassVar[str] = "obstacle_avoidance"
    title: ClassVar[str] = "Double lane change, obstacle avoidance"
    standard: ClassVar[str] = "ISO 3888-2"
    serves: ClassVar[tuple[str, ...]] = ("deviation from the path", "largest roll, sideslip and yaw rate")

    speed_kmh: float = setting(60.0, "speed at the beginning", 5.0, 250.0)
    preview_s: float = setting(0.65, "how far the driver looks ahead", 0.1, 5.0)

    def _pedals(self) -> PedalLaw:
        return Pedals()

    def _knots(self) -> list[tuple[float, float]]:
        # Sections of 12, 13.5, 11, 12.5 and 12 m; lane 3 begins 1 m beside lane 1.
        width = self.vehicle_width_m
        offset = 0.5 * (1.1 * width + 0.25) + 1.0 + 0.5 * (width + 1.0)
        return [(0.0, 0.0), (12.0, 0.0), (25.5, offset), (36.5, offset), (49.0, 0.0), (61.0, 0.0)]


@dataclass(frozen=True, kw_only=True)
class Slalom(_Course):
    """Around cones in a row, alternately left and right of them."""

    name: ClassVar[str] = "slalom"
    title: ClassVar[str] = "Slalom"
    serves: ClassVar[tuple[str, ...]] = ("phase lag and amplitude of yaw rate and roll",)

    speed_kmh: float = setting(45.0, "speed at the beginning", 5.0, 250.0)
    spacing_m: float = setting(18.0, "distance of the cones", 5.0, 100.0)
    cones: int = setting(8, "how many", 2, 50)
    clearance_m: float = setting(0.3, "between the vehicle and a cone", 0.0, 5.0)
    preview_s: float = setting(0.35, "how far the driver looks ahead", 0.1, 5.0)

    def _knots(self) -> list[tuple[float, float]]:
        beside = 0.5 * self.vehicle_width_m + self.clearance_m
        cones = [(self.spacing_m * (k + 1), beside * (-1) ** k) for k in range(self.cones)]
        return [(0.0, 0.0), *cones, (self.spacing_m * (self.cones + 1), 0.0), (self.spacing_m * (self.cones + 2), 0.0)]

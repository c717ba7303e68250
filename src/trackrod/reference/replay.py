"""A recorded run as a manoeuvre: its steering and its pedals driven again by any model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import Akima1DInterpolator

from trackrod.core import signals
from trackrod.core.environment import Environment
from trackrod.core.signals import Signal
from trackrod.manoeuvres.controls import FollowSpeed, HoldSpeed, Pedals, SteerBy
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import (
    AUTOMATIC,
    DECISION,
    KEEP_GEAR,
    NEUTRAL,
    Manoeuvre,
    PedalLaw,
    Phase,
    Start,
    engaged_gear,
)
from trackrod.reference.runs import AT_REST, Longitudinal, ReferenceRun

__all__ = ["Replay"]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Replay(Manoeuvre):
    """The inputs of a reference run, driven again.

    The vehicle starts steadily at the first speed and in the first gear of the run. Recorded gears are engaged when
    they were recorded, neutral too; without them the vehicle's own shift speeds decide. Between samples the inputs
    follow a smooth curve that does not overshoot at corners (modified Akima), so that samples of 10 ms are enough for
    a sweep to 4 Hz. Where the run has slope, bank, friction or wind of its road, it is driven on that road, and begins
    with its first steering-wheel angle.

    Holds: the run has the phases of the reference, as long as there.
    """

    name: ClassVar[str] = "replay"
    title: ClassVar[str] = "Inputs of a reference run"

    source: ReferenceRun

    def start(self) -> Start:
        """Straight ahead at the first speed of the run."""
        run = self.source.run
        speed = max(float(run[signals.VX][0]), 0.0)
        free = self.source.longitudinal is Longitudinal.FREE
        steering = 0.0 if self.environment() is None else float(run[signals.STEERING_WHEEL_ANGLE][0])
        return Start(speed if speed > AT_REST else 0.0, max(self._gear_in(0.0, 0.0), AUTOMATIC), free, steering)

    def environment(self) -> Environment | None:
        """Those of the run."""
        return Environment.of(self.source.run)

    def phases(self) -> tuple[Phase, ...]:
        """Those of the run if it tells them, otherwise one."""
        run = self.source.run
        whole: Mapping[str, Any] = {"name": "replay", "start_s": 0.0, "end_s": float(run.time[-1] - run.time[0])}
        recorded = run.metadata.get("phases") or (whole,)
        return tuple(self._phase(part["name"], float(part["start_s"]), float(part["end_s"])) for part in recorded)

    def _phase(self, name: str, start: float, end: float) -> Phase:
        run, way = self.source.run, self.source.longitudinal
        pedals: PedalLaw = Pedals()
        gear = NEUTRAL
        gears = None
        if way is Longitudinal.HOLD_SPEED:
            pedals, gear = HoldSpeed(float(run[signals.VX][0])), KEEP_GEAR
        elif way is Longitudinal.SPEED:
            pedals, gear = FollowSpeed(self._smooth(signals.VX, start)), KEEP_GEAR
        elif way is Longitudinal.PEDALS:
            throttle, brake = (self._smooth(signal, start) for signal in (signals.THROTTLE, signals.BRAKE))
            pedals = Pedals(lambda t: np.clip(throttle(t), 0.0, 1.0), lambda t: np.clip(brake(t), 0.0, 1.0))
            gear = self._gear_in(start, end)
            if gear == AUTOMATIC and signals.GEAR.column in run:
                gears = partial(self._gears, start)
        # the driver decides in whole steps of its own
        seconds = DECISION * float(np.floor((end - start) / DECISION + 1e-6))
        law = SteerBy(self._smooth(signals.STEERING_WHEEL_ANGLE, start))
        return Phase(name, law, pedals, (After(seconds),), seconds + 1.0, gear, gears=gears)

    def _of(self, signal: Signal) -> Array:
        run = self.source.run
        return run[signal] if signal.column in run else np.zeros(run.time.size)

    def _smooth(self, signal: Signal, start: float) -> Callable[[Array], Array]:
        """A signal over the time since a phase began; held beyond its ends."""
        run = self.source.run
        time = run.time - run.time[0] - start
        curve = Akima1DInterpolator(time, self._of(signal), method="makima")
        return lambda t: np.asarray(curve(np.clip(t, time[0], time[-1])), dtype=float)

    def _gears(self, start: float, t: Array) -> Array:
        """Recorded gears over the time since a phase began."""
        return engaged_gear(self.source.run, self.source.run.time[0] + start + t)

    def _gear_in(self, start: float, end: float) -> int:
        run = self.source.run
        if signals.GEAR.column not in run:
            return AUTOMATIC
        time = run.time - run.time[0]
        gears = run[signals.GEAR][(time > start - 1e-9) & (time <= end + 1e-9)][1 if end > start else 0 :]
        if gears.size == 0 or not (gears == gears[0]).all():
            return AUTOMATIC
        return int(gears[0]) if gears[0] > 0 else NEUTRAL

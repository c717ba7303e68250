"""What can go wrong on the road: reported in the run, never raised."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Corridor, Sample
from trackrod.manoeuvres.paths import Tracker
from trackrod.road.surface import RoadSurface

__all__ = ["Event", "EventKind", "RoadEdges", "Watch", "broke_down", "events_in"]

#: Roll angle beyond which the vehicle lies on its side sooner or later, sideslip angle beyond which it has spun [rad].
_ROLL_OVER, _SPIN = math.radians(45.0), math.radians(60.0)
#: Speed below which spin and locked wheels are not looked for [m/s].
_SLOW = 2.0
#: Slip ratio at which a braked wheel counts as locked.
_LOCKED = -0.9
_LOADS = {side: tuple(signals.FZ[Corner.of(axle, side)] for axle in Axle) for side in Side}
_SLIPS = {corner: signals.SLIP_RATIO[corner] for corner in Corner}


class EventKind(StrEnum):
    """What happened; those that end the run say so."""

    ROLL_OVER = "roll_over"
    SPIN = "spin"
    OFF_ROAD = "off_road"
    NO_SOLUTION = "no_solution"
    NOT_SETTLED = "not_settled"
    BROKEN_OFF = "broken_off"
    WHEEL_LIFT = "wheel_lift"
    WHEEL_LOCK = "wheel_lock"
    BEYOND_MAPS = "beyond_maps"

    @property
    def ends_the_run(self) -> bool:
        """Lifted and locked wheels do not, nor does a travel that the model has no measurement for."""
        return self not in (EventKind.WHEEL_LIFT, EventKind.WHEEL_LOCK, EventKind.BEYOND_MAPS)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a time since the beginning of the manoeuvre [s], in a sentence."""

    kind: EventKind
    time: float
    text: str

    def to_plain(self) -> dict[str, Plain]:
        """For the metadata of the run."""
        return {"event": str(self.kind), "time_s": self.time, "text": self.text}


def broke_down(run: Run) -> bool:
    """Whether the numbers ended a run, and not the vehicle: a shorter step may then drive it.

    A vehicle that rolls over lifts its wheels first; one that lies on its side without having done so never was there.
    """
    kinds = [str(event["event"]) for event in run.metadata["events"]]
    if EventKind.ROLL_OVER in kinds:
        return EventKind.WHEEL_LIFT not in kinds
    return EventKind.NO_SOLUTION in kinds or EventKind.NOT_SETTLED in kinds


def events_in(run: Run) -> tuple[str, ...]:
    """What happened in a run, in sentences, whoever drove it: looked for in its samples if its metadata say nothing."""
    told = run.metadata.get("events")
    if told is not None:
        return tuple(str(event["text"]) for event in told if event["event"] != EventKind.BEYOND_MAPS)
    needed = (signals.ROLL, signals.SIDESLIP, signals.VX, signals.VY, signals.BRAKE, *signals.FZ.signals)
    columns = [signal.column for signal in (*needed, *_SLIPS.values())]
    if not all(column in run for column in columns):
        return ()
    watch, rows = Watch(None), np.column_stack([run[column] for column in columns]).tolist()
    found = []
    for time, row in zip(run.time.tolist(), rows, strict=True):
        found += watch.look(Sample(time, dict(zip(columns, row, strict=True))), time)
    return tuple(f"{event.text}, from {event.time:.2f} s on" for event in found)


class Watch:
    """Looks at every decision for what may have happened; each kind is reported once."""

    def __init__(self, corridor: Corridor | None) -> None:
        self._corridor = corridor
        self._tracker = Tracker(corridor.path) if corridor is not None else None
        self._seen: set[EventKind] = set()

    def look(self, now: Sample, time: float) -> list[Event]:
        """New events."""
        found = [Event(kind, time, text) for kind, text in self._signs(now) if kind not in self._seen]
        self._seen.update(event.kind for event in found)
        return found

    def _signs(self, now: Sample) -> list[tuple[EventKind, str]]:
        found: list[tuple[EventKind, str]] = []
        roll, sideslip = now[signals.ROLL], now[signals.SIDESLIP]
        moving = math.hypot(now[signals.VX], now[signals.VY]) > _SLOW
        if abs(roll) > _ROLL_OVER:
            found.append((EventKind.ROLL_OVER, f"the vehicle rolls over: roll angle {math.degrees(roll):.0f}°"))
        if moving and abs(sideslip) > _SPIN:
            found.append((EventKind.SPIN, f"the vehicle spins: sideslip angle {math.degrees(sideslip):.0f}°"))
        for side in Side:
            if all(now[load] <= 0.0 for load in _LOADS[side]):
                found.append((EventKind.WHEEL_LIFT, f"both wheels on the {side} side are off the road"))
        braked = moving and now[signals.BRAKE] > 0.0
        locked = [c for c, slip in _SLIPS.items() if now[slip] < _LOCKED] if braked else []
        if locked:
            found.append((EventKind.WHEEL_LOCK, f"wheels locked: {', '.join(locked)}"))
        if self._corridor is not None and self._tracker is not None:
            _, beside = self._tracker.locate(now[signals.X], now[signals.Y])
            if abs(beside) > self._corridor.half_width:
                found.append((EventKind.OFF_ROAD, f"off the road: {abs(beside):.2f} m beside the path"))
        return found


class RoadEdges:
    """Looks at every decision whether a wheel has left a road, beside it or beyond its end.

    Parameters
    ----------
    road
        As it is laid at the beginning of the run.
    wheels
        Corner and place x, y in V [m] of each tyre; the foremost counts as being at the centre of gravity.
    """

    def __init__(self, road: RoadSurface, wheels: Iterable[tuple[Corner, float, float]]) -> None:
        self._road = road
        self._follower = road.follower(np.zeros((0, 3)), (0.0, 0.0, 0.0))
        self._wheels = {corner: (x, y) for corner, x, y in wheels}

    def look(self, now: Sample, time: float) -> list[Event]:
        """The event that ends the run, if it has come."""
        c, s = math.cos(now[signals.YAW]), math.sin(now[signals.YAW])
        for corner, (x, y) in self._wheels.items():
            u, v = self._follower.at(now[signals.X] + c * x - s * y, now[signals.Y] + s * x + c * y)
            right, left = self._road.edges_at(u)
            if u > self._road.end_u or (u >= self._road.start_u and not right <= v <= left):
                text = f"wheel {corner} has left the road '{self._road.name}' at u = {u:.1f} m, v = {v:.2f} m"
                return [Event(EventKind.OFF_ROAD, time, text)]
        return []

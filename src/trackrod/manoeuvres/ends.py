"""Conditions that end a phase."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from trackrod.core.signals import Signal
from trackrod.manoeuvres.manoeuvre import Sample

__all__ = ["Above", "After", "Below", "Stalled", "Steady"]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class After:
    """A time since the beginning of the phase [s]."""

    seconds: float

    @property
    def reason(self) -> str:
        """In words."""
        return f"after {self.seconds:g} s"

    def begin(self) -> Callable[[Sample], bool]:
        """Whether it has passed."""
        return lambda now: now.time >= self.seconds - _ROUNDING


@dataclass(frozen=True, slots=True)
class Above:
    """A magnitude reaches a limit [SI unit of the signal]."""

    signal: Signal
    limit: float

    @property
    def reason(self) -> str:
        """In words."""
        return f"|{self.signal.column}| has reached {self.limit:.4g}"

    def begin(self) -> Callable[[Sample], bool]:
        """Whether it has."""
        return lambda now: abs(now[self.signal]) >= self.limit


@dataclass(frozen=True, slots=True)
class Below:
    """A magnitude is no longer above a limit [SI unit of the signal], not looked at before a time [s]."""

    signal: Signal
    limit: float
    not_before: float = 0.0

    @property
    def reason(self) -> str:
        """In words."""
        return f"|{self.signal.column}| is down to {self.limit:.4g}"

    def begin(self) -> Callable[[Sample], bool]:
        """Whether it is."""
        return lambda now: now.time >= self.not_before and abs(now[self.signal]) <= self.limit


@dataclass(frozen=True, slots=True)
class Stalled:
    """A magnitude has not grown by `gain` for `seconds`: a limit has been reached."""

    signal: Signal
    gain: float
    seconds: float

    @property
    def reason(self) -> str:
        """In words."""
        return f"|{self.signal.column}| has not grown by {self.gain:.3g} for {self.seconds:g} s"

    def begin(self) -> Callable[[Sample], bool]:
        """Whether it has stopped growing."""
        best, since = 0.0, 0.0

        def stalled(now: Sample) -> bool:
            nonlocal best, since
            if abs(now[self.signal]) > best + self.gain:
                best, since = abs(now[self.signal]), now.time
            return now.time - since >= self.seconds - _ROUNDING

        return stalled


@dataclass(frozen=True, slots=True)
class Steady:
    """Signals have stayed within bands for a while.

    Attributes
    ----------
    bands
        Width of the band of each signal [SI unit].
    seconds
        How long.
    at
        Values that signals must lie at besides, within their bands.
    """

    bands: Mapping[Signal, float]
    seconds: float
    at: Mapping[Signal, float] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """In words."""
        return f"steady for {self.seconds:g} s"

    def begin(self) -> Callable[[Sample], bool]:
        """Whether they have."""
        kept: deque[tuple[float, tuple[float, ...]]] = deque()

        def steady(now: Sample) -> bool:
            kept.append((now.time, tuple(now[signal] for signal in self.bands)))
            if now.time - kept[0][0] < self.seconds - _ROUNDING:
                return False
            while now.time - kept[0][0] > self.seconds + _ROUNDING:
                kept.popleft()
            columns = zip(*(values for _, values in kept), strict=True)
            quiet = all(max(c) - min(c) <= band for c, band in zip(columns, self.bands.values(), strict=True))
            return quiet and all(abs(now[s] - value) <= self.bands[s] for s, value in self.at.items())

        return steady

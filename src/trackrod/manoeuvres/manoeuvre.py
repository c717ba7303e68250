"""A manoeuvre: how it starts, and phases that are driven one after the other until a condition ends each.

Three things make a phase: a steering law, a pedal law and ends. All are frozen; what they must remember while they act
is made anew by their `begin` for every run. A driver decides every `DECISION` seconds from the last sample; what is
known beforehand (a ramp, a sine) is given for each step in between.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.environment import Environment
from trackrod.core.errors import InputError, Problem
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.core.wheel_inputs import WheelInputs
from trackrod.manoeuvres.paths import Path
from trackrod.manoeuvres.settings import Setting, check, parse, settings_of
from trackrod.road.surface import RoadSurface

__all__ = [
    "AUTOMATIC",
    "DECISION",
    "KEEP_GEAR",
    "NEUTRAL",
    "Assistance",
    "AssistanceControl",
    "Corridor",
    "Drive",
    "End",
    "Manoeuvre",
    "PedalControl",
    "PedalLaw",
    "Phase",
    "Road",
    "Sample",
    "Start",
    "SteeringControl",
    "SteeringLaw",
    "engaged_gear",
]

Array = NDArray[np.float64]

#: Time from one decision of the driver to the next [s].
DECISION = 0.01

#: Gears besides 1, 2, …: the vehicle's shift speeds decide; no gear; the one that is engaged when the phase begins.
AUTOMATIC, NEUTRAL, KEEP_GEAR = 0, -1, -2


def engaged_gear(run: Run, times: Array) -> Array:
    """The gear of a run at some of its times [s], or `NEUTRAL`; between two samples it changes half-way."""
    middle = 0.5 * (run.time[1:] + run.time[:-1])
    gear = np.round(run[signals.GEAR])[np.searchsorted(middle, times)]
    return np.asarray(np.where(gear > 0, gear, NEUTRAL), dtype=float)


@dataclass(frozen=True, slots=True)
class Sample:
    """The last sample of a run, as the driver sees it.

    Attributes
    ----------
    time
        Since the beginning of the phase [s].
    values
        By column [SI units]; positions in E with its origin at the centre of gravity when the manoeuvre begins.
    """

    time: float
    values: Mapping[str, float]

    def __getitem__(self, signal: Signal) -> float:
        return self.values[signal.column]


#: Steering-wheel angles [rad] at times since the beginning of the phase [s].
SteeringControl: TypeAlias = Callable[[Array, Sample], Array]
#: Throttle and brake, each 0 to 1, at times since the beginning of the phase [s].
PedalControl: TypeAlias = Callable[[Array, Sample], tuple[Array, Array]]


#: What is done at the wheels at times since the beginning of the manoeuvre [s].
AssistanceControl: TypeAlias = Callable[[Array, Sample], WheelInputs]


class SteeringLaw(Protocol):
    """How the steering wheel is moved in a phase."""

    def begin(self, now: Sample) -> SteeringControl:
        """The law in action, from now on."""
        ...


class PedalLaw(Protocol):
    """How the pedals are moved in a phase."""

    def begin(self, now: Sample) -> PedalControl:
        """The law in action, from now on."""
        ...


class Assistance(Protocol):
    """A system that acts at the wheels beside the driver, and decides as often as he does."""

    def begin(self, now: Sample) -> AssistanceControl:
        """The system in action, from the beginning of the manoeuvre on; it may remember what it saw."""
        ...


class End(Protocol):
    """What ends a phase."""

    @property
    def reason(self) -> str:
        """In words, for the run's metadata."""
        ...

    def begin(self) -> Callable[[Sample], bool]:
        """Whether it has come, asked once for every decision."""
        ...


class Road(Protocol):
    """Heights under the wheels; a manoeuvre without one is driven on level ground."""

    def heights(self, corner: Corner, times: Array, positions: Array) -> Array:
        """Height [m] at times since the beginning of the manoeuvre [s] and positions along x of E [m].

        Holds: zero at the beginning, so that a vehicle settled on level ground does not jump.
        """
        ...


@dataclass(frozen=True, slots=True)
class Corridor:
    """How far the centre of gravity may be from a path before the vehicle counts as off the road [m]."""

    path: Path
    half_width: float


@dataclass(frozen=True, slots=True)
class Start:
    """How a run begins: rolling straight ahead at a speed [m/s] in a gear, held there until nothing changes any more.

    At standstill the brakes are applied, unless `free`. `steering` is the steering-wheel angle [rad]: on a bank one is
    needed to go straight ahead.
    """

    speed: float
    gear: int = AUTOMATIC
    free: bool = False
    steering: float = 0.0


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a manoeuvre.

    Attributes
    ----------
    name
        What it is, for the run's metadata.
    steering, pedals
        The two laws.
    ends
        Any of them ends the phase, the first that has come gives the reason.
    longest
        Time after which the phase is broken off [s]; the run then holds an event that says so.
    gear
        From 1; or `AUTOMATIC`, `NEUTRAL`, `KEEP_GEAR`.
    gears
        The same at times since the beginning of the phase [s], in place of `gear`; None for one gear.
    blind
        Decisions driven at once; more than one only where both laws are open loop and the end may come that much late.
    """

    name: str
    steering: SteeringLaw
    pedals: PedalLaw
    ends: tuple[End, ...]
    longest: float = 600.0
    gear: int = KEEP_GEAR
    blind: int = 1
    gears: Callable[[Array], Array] | None = None


class Manoeuvre(ABC):
    """What is driven; a class of manoeuvres is a frozen dataclass whose fields are its settings.

    Class attributes
    ----------------
    name, title
        For people and for files.
    standard
        The standard it follows, empty if none.
    serves
        Characteristic values that can be taken from its run.

    Holds: two manoeuvres with equal settings give the same run, bit for bit, on equal new models.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    standard: ClassVar[str] = ""
    serves: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check(self)
        problems = [Problem(text) for text in self.contradictions()]
        if problems:
            raise InputError(problems)

    def contradictions(self) -> Iterator[str]:
        """Settings that cannot go together, each in a sentence; all are in their own ranges."""
        yield from ()

    @abstractmethod
    def start(self) -> Start:
        """How the run begins."""

    @abstractmethod
    def phases(self) -> tuple[Phase, ...]:
        """What is driven, in order."""

    def prepare(self, drive: Drive) -> Self:
        """The manoeuvre with every setting known; those that depend on the vehicle are found by driving.

        Raises
        ------
        ConvergenceError
            What is asked for cannot be reached with this vehicle.
        """
        del drive
        return self

    def road(self) -> Road | RoadSurface | None:
        """The road, heights over time or a surface; None where it is level."""
        return None

    def grade(self) -> float:
        """How much the road rises ahead for each metre [-]; 0 where it is level."""
        return 0.0

    def friction(self) -> float:
        """Of the road, over that of the road that the tyres were measured on [-]."""
        return 1.0

    def environment(self) -> Environment | None:
        """Slope, bank, friction and wind over time, in place of `grade` and `friction`; None where these hold."""
        return None

    def assistance(self) -> Assistance | None:
        """What acts at the wheels beside the driver; None where nothing does."""
        return None

    def corridor(self) -> Corridor | None:
        """Where the road ends at both sides; None where there is room everywhere."""
        return None

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """Everything that can be set, in the order of declaration."""
        return settings_of(cls)

    @classmethod
    def from_text(cls, given: Mapping[str, str]) -> Self:
        """A manoeuvre from settings as texts; InputError with every one that is wrong."""
        return cls(**parse(cls, given))

    def values(self) -> dict[str, Plain]:
        """The settings as plain data."""
        return {item.name: getattr(self, item.name) for item in self.settings()}

    def changed(self, **values: object) -> Self:
        """The same manoeuvre with other settings."""
        return dataclasses.replace(self, **values)  # type: ignore[type-var]


#: Drives a manoeuvre and gives its run.
Drive: TypeAlias = Callable[[Manoeuvre], Run]

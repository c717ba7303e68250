"""A plan that fills speed × lateral × longitudinal acceleration × frequency × friction × payload, limits included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.quantities import kind
from trackrod.core.toml_document import Document
from trackrod.manoeuvres.excitation import Excitation, SteeringShape, Wheels
from trackrod.manoeuvres.settings import Direction

__all__ = ["EnvelopePlan", "Handling", "read_plan"]

Array = NDArray[np.float64]
Range = tuple[float, float]

#: Shares of the manoeuvres: dry road, straight ahead, braking, throttle, obstacles [-].
_DRY, _STRAIGHT, _BRAKING, _THROTTLE, _OBSTACLES = 0.4, 0.15, 0.35, 0.2, 0.1
#: Largest angle [deg] and rate [deg/s] of the steering wheel, and latest time of the pedals [s].
_LOCK, _FASTEST, _LATEST = 500.0, 1000.0, 2.0
#: Numbers that a manoeuvre is drawn from.
_NUMBERS = 13


@dataclass(frozen=True, slots=True, eq=False)
class Handling:
    """What it takes to make a vehicle turn and brake.

    Attributes
    ----------
    speed, angle
        Steering-wheel angle for 1 g if everything were linear [deg], over the speed [km/h].
    brake
        Pedal for 1 g, 0 to 1 or more.
    """

    speed: Array
    angle: Array
    brake: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvelopePlan:
    """What is driven.

    Attributes
    ----------
    runs, references
        Of the real-time model, and of the multibody model.
    seed
        Of the sequence that fills the ranges.
    speed_kmh, lateral_g, longitudinal_g, frequency_Hz, friction, obstacle_mm
        From and to. Accelerations are those that the inputs ask for: beyond the grip of the tyres is the limit.
    """

    runs: int = 2000
    references: int = 60
    seed: int = 1
    speed_kmh: Range = (20.0, 120.0)
    lateral_g: Range = (0.02, 1.1)
    longitudinal_g: Range = (0.05, 1.0)
    frequency_Hz: Range = (0.2, 5.0)
    friction: Range = (0.3, 1.0)
    obstacle_mm: Range = (10.0, 80.0)

    def __post_init__(self) -> None:
        raise_if_errors(
            Problem(text) for _, text in _faults({item.name: getattr(self, item.name) for item in fields(self)})
        )

    def manoeuvres(self, vehicles: Sequence[Handling]) -> list[tuple[int, Excitation]]:
        """What is driven: the vehicle by its place, and the manoeuvre; the plan is filled evenly."""
        rows = qmc.Sobol(_NUMBERS, seed=self.seed).random_base2(int(np.ceil(np.log2(self.runs))))[: self.runs]
        return [self._manoeuvre(row, vehicles) for row in rows]

    def random(self, vehicles: Sequence[Handling], count: int, seed: int) -> list[tuple[int, Excitation]]:
        """Manoeuvres from the same ranges that the plan does not have, at random."""
        return [self._manoeuvre(row, vehicles) for row in np.random.default_rng(seed).random((count, _NUMBERS))]

    def _manoeuvre(self, row: Array, vehicles: Sequence[Handling]) -> tuple[int, Excitation]:
        numbers = iter(row.tolist())
        which = int(next(numbers) * len(vehicles))
        speed = _between(self.speed_kmh, next(numbers))
        friction = 1.0 if (wet := next(numbers)) < _DRY else _between(self.friction, (wet - _DRY) / (1.0 - _DRY))
        asked = _between(self.lateral_g, next(numbers)) * np.sqrt(friction)
        linear = float(np.interp(speed, vehicles[which].speed, vehicles[which].angle))
        straight = next(numbers) < _STRAIGHT
        frequency = float(np.exp(_between((np.log(self.frequency_Hz[0]), np.log(self.frequency_Hz[1])), next(numbers))))
        foot, pedal = next(numbers), _between(self.longitudinal_g, next(numbers))
        braking, accelerating = foot < _BRAKING, _BRAKING <= foot < _BRAKING + _THROTTLE
        obstacle = next(numbers)
        shapes = list(SteeringShape)
        return which, Excitation(
            speed_kmh=speed,
            steering_wheel_angle_deg=0.0
            if straight
            else float(min(asked * linear, _LOCK, _FASTEST / (2 * np.pi * frequency))),
            frequency_Hz=frequency,
            friction_factor=friction,
            brake=min(pedal * vehicles[which].brake, 1.0) if braking else 0.0,
            throttle=min(pedal, 1.0) if accelerating else None,
            pedals_after_s=_LATEST * next(numbers),
            obstacle_mm=_between(self.obstacle_mm, obstacle / _OBSTACLES) if obstacle < _OBSTACLES else 0.0,
            obstacle_length_m=_between((0.3, 2.0), next(numbers)),
            obstacle_under=Wheels.LEFT if (side := next(numbers)) < 0.5 else Wheels.ALL,
            direction=Direction.LEFT if 2.0 * side % 1.0 < 0.5 else Direction.RIGHT,
            shape=shapes[int(next(numbers) * len(shapes))],
        )


def _faults(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong in a plan: names of values, and sentences."""
    runs, references = values["runs"], values["references"]
    if not 20 <= references <= runs:
        text = f"{references} references of {runs} runs: 20 or more are needed, and no more than runs"
        yield "references", text
    for name, ends in values.items():
        if isinstance(ends, tuple) and not 0.0 < ends[0] < ends[1] < np.inf:
            text = (
                f"'{name}' goes from {ends[0]:g} to {ends[1]:g}: both must be greater than zero, the second the larger"
            )
            yield name, text


def _between(ends: Range, share: float) -> float:
    return float(ends[0] + share * (ends[1] - ends[0]))


def read_plan(path: Path) -> EnvelopePlan:
    """Read a plan from a TOML file; what it does not name stays as it is.

    Raises
    ------
    MissingFileError, FileFormatError, InputError
        No such file; not TOML; with everything that is wrong, by line.
    """
    document = Document(path)
    root = document.root
    given: dict[str, Any] = {}
    for item in fields(EnvelopePlan):
        if item.name not in root:
            continue
        if isinstance(item.default, int):
            number = root.number(item.name, kind("count"), "a whole number")
            if number != int(number):
                root.report(item.name, f"'{item.name}' is {number:g}, a whole number is needed")
            given[item.name] = int(number)
        else:
            low, high = root.numbers(item.name, kind("number"), "from and to", 2)
            given[item.name] = (float(low), float(high))
    document.close()
    raise_if_errors(document.problems)
    usual = {item.name: item.default for item in fields(EnvelopePlan)}
    for name, text in _faults(usual | given):
        root.report(name if name in root else next(iter(given)), text)
    raise_if_errors(document.problems)
    return EnvelopePlan(**given)

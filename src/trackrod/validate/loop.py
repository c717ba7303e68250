"""A model brought to its criteria: what is known of its parameters, the rounds of the way, and what it came to.

Reference: paper 001, figure 2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.estimate.estimator import of_axle
from trackrod.estimate.result import Estimate
from trackrod.rtm.spec import RtmSpec
from trackrod.single_track.description import SingleTrack
from trackrod.tune.model_space import ModelSpace
from trackrod.tune.space import RANGE, Bounds, TuningSpace
from trackrod.tune.whole import Whole, with_whole
from trackrod.validate.verdict import Comparison, Outcome, Verdict
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Given", "Loop", "Round", "fill_in", "filled_space", "given_by"]

#: Estimates that are numbers of the model, and what they are called there.
_SAME = {"mass": "mass", "yaw_inertia": "Izz", "cg_height_braking": "cg_height", "drag": "drag"}
#: Estimates of the torque that an engine gives the wheels at full throttle.
_FULL_THROTTLE = re.compile(r"engine_torque_gear_\d+_throttle_100_at_(\d+)")
M = TypeVar("M")

#: A parameter that is known exactly may still move by this share, so that the search has a range [-].
_EXACT = 1e-4


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of a parameter: its value and the interval that holds it [SI]."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round of the loop.

    Attributes
    ----------
    title
        What it is.
    parameters
        Those that may move [SI].
    ratios
        Of every row, 1 at its limit.
    degree
        Degree of validity.
    """

    title: str
    parameters: Mapping[str, float]
    ratios: Mapping[str, float]
    degree: float

    def as_dict(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "title": self.title,
            "parameters": dict(self.parameters),
            "ratios": dict(self.ratios),
            "degree_of_validity": self.degree,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """What the loop came to.

    Attributes
    ----------
    space
        What may move, and how far.
    rounds
        The model as it was given, filled in, and each round of tuning.
    spec
        The model that the loop ends with.
    comparisons, verdict
        Its runs, and what the criteria say of them.
    reason
        Why the loop ended.
    """

    space: TuningSpace | ModelSpace[Any]
    rounds: tuple[Round, ...]
    spec: RtmSpec | SingleTrack | Vehicle
    comparisons: tuple[Comparison, ...]
    verdict: Verdict
    reason: str

    @property
    def sentence(self) -> str:
        """What it came to, for people."""
        first, last = self.rounds[0], self.rounds[-1]
        way = f"degree of validity {first.degree:.3g} → {last.degree:.3g} in {len(self.rounds)} rounds"
        if self.verdict.outcome is Outcome.VALID:
            return f"Every criterion is met: {way}."
        missed = [f"{row.criterion.name} in {row.test} ({row.ratio:.2f} of its limit)" for row in self.verdict.violated]
        untested = [f"{criterion.name} (no test)" for criterion in self.verdict.untested]
        return f"Not every criterion can be met: {way}, {self.reason}. Left: {'; '.join([*missed, *untested])}."

    def as_dict(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "sentence": self.sentence,
            "reason": self.reason,
            "rounds": [one.as_dict() for one in self.rounds],
            "bounds": {item.name: [item.lower, item.upper] for item in self.space.tunables},
            "verdict": self.verdict.as_dict(),
        }


def given_by(estimates: Mapping[str, Estimate], spec: RtmSpec | SingleTrack | Vehicle) -> dict[str, Given]:
    """What estimates tell of numbers that a model has, as `fill_in` takes it.

    A single-track model calls its numbers as the estimates do. Brakes of an axle are those of its two wheels together,
    at the pressure that the full pedal gives; the factor on the engine's torque is that at full throttle. An estimate
    that says less than the usual range is left out.
    """
    found = {name: Given(e.value, *e.interval) for name, e in estimates.items()}
    if isinstance(spec, SingleTrack):
        return {name: found[name] for name in SingleTrack.__slots__ if name in found and _tells(found[name])}
    told = {own: found[name] for name, own in _SAME.items() if name in found}
    if "cg_x" in found:
        at = found["cg_x"]
        told["cg_to_front"] = Given(-at.value, -at.upper, -at.lower)
    for axle in Axle:
        wheels = [found[name] for corner in of_axle(axle) if (name := f"brake_factor_{corner}") in found]
        pressure = found.get(f"pedal_pressure_{axle}")
        if pressure is None and (full := _full_pressure(spec)) is not None:
            pressure = Given(full, full, full)
        if len(wheels) == 2 and pressure is not None:
            told[f"brake_{axle}"] = _product(_mean(wheels), pressure)
    if factors := list(_engine_factors(found, spec)):
        told["engine_factor"] = _mean(factors)
    return {name: at for name, at in told.items() if _tells(at)}


def _tells(at: Given) -> bool:
    """More than the usual range does."""
    return at.upper - at.lower < 2.0 * RANGE * abs(at.value)


def _full_pressure(of: RtmSpec | Vehicle) -> float | None:
    if isinstance(of, Vehicle):
        return None if of.brakes is None else of.brakes.largest_pressure
    return of.brake_pressure


def _engine_factors(found: Mapping[str, Given], spec: RtmSpec | Vehicle) -> Iterator[Given]:
    """Torque at the wheels over what the model's engine gives there at full throttle."""
    if spec.powertrain is None:
        return
    engine, efficiency = spec.powertrain.engine, spec.powertrain.gearbox.efficiency
    for name, torque in found.items():
        if match := _FULL_THROTTLE.fullmatch(name):
            speed = float(match.group(1)) * math.pi / 30.0
            usual = efficiency * float(np.interp(speed, engine.speed, engine.torque[:, -1]))
            if usual > 0.0:
                yield Given(torque.value / usual, torque.lower / usual, torque.upper / usual)


def _mean(of: Sequence[Given]) -> Given:
    """Errors of sensors may be the same in all of them, so that the mean is no surer than each."""
    values, lower, upper = (sum(getattr(one, end) for one in of) / len(of) for end in Given.__slots__)
    return Given(values, lower, upper)


def _product(a: Given, b: Given) -> Given:
    """Of numbers from different sensors."""
    down, up = (math.hypot(*(abs(getattr(one, end) / one.value - 1.0) for one in (a, b))) for end in ("lower", "upper"))
    value = a.value * b.value
    return Given(value, value * (1.0 - down), value * (1.0 + up))


def fill_in(spec: RtmSpec, given: Mapping[str, Given]) -> tuple[RtmSpec, dict[str, Bounds]]:
    """A model with what was estimated, and between which values that may move.

    Parameters
    ----------
    spec
        The model as it was.
    given
        Numbers of the whole vehicle by the names of `Whole`, and parameters of the model by theirs.

    Raises
    ------
    InputError
        A name is unknown, or a value cannot be.
    ConvergenceError
        The model does not come to rest with these.
    """
    names = Whole.__slots__
    whole = {name: known for name, known in given.items() if name in names}
    own = {name: known for name, known in given.items() if name not in names}
    for name in own:
        if name not in spec.parameters:
            raise InputError(f"the model has no parameter '{name}' that could be filled in")
    filled = with_whole(spec, {name: known.value for name, known in whole.items()})
    filled = filled.with_parameters(**{name: known.value for name, known in own.items()})
    # A number of the whole moves the sprung body by its own share: one to one in mass and inertia, more in places.
    share = filled.mass / filled.parameters["sprung_mass"]
    moves = {"mass": ("sprung_mass", 1.0), "Izz": ("Izz", 1.0)}
    moves |= {name: (name, share) for name in ("cg_to_front", "cg_height")}
    bounds = {}
    for name, known in given.items():
        parameter, factor = moves.get(name, (name, 1.0))
        value = filled.parameters[parameter]
        least = _EXACT * abs(value)
        down, up = (max(factor * abs(end - known.value), least) for end in (known.lower, known.upper))
        bounds[parameter] = Bounds(value - down, value + up)
    return filled, bounds


def filled_space(space: ModelSpace[M], given: Mapping[str, Given]) -> tuple[M, dict[str, Bounds]]:
    """A model of any kind with what was estimated, and between which values that may move; errors as `fill_in`.

    Parameters
    ----------
    space
        Of the model as it was, with all numbers that could be filled in.
    given
        By the names of its numbers.
    """
    for name in given:
        if name not in space.names:
            raise InputError(f"the model has no parameter '{name}' that could be filled in")
    bounds = {}
    for name, known in given.items():
        least = _EXACT * abs(known.value)
        bounds[name] = Bounds(min(known.lower, known.value - least), max(known.upper, known.value + least))
    filled = (
        space.change(space.nominal, {name: known.value for name, known in given.items()}) if given else space.nominal
    )
    return filled, bounds

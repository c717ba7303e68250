"""A model brought to its criteria: what is known of its parameters, the rounds of the way, and what it came to.

Reference: paper 001, figure 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.estimate.result import Estimate
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.space import RANGE, Bounds, TuningSpace
from trackrod.tune.whole import Whole, with_whole
from trackrod.validate.verdict import Comparison, Outcome, Verdict

__all__ = ["Given", "Loop", "Round", "fill_in", "given_by"]

#: Estimates that are numbers of the model, and what they are called there.
_SAME = {"mass": "mass", "yaw_inertia": "Izz", "cg_height_braking": "cg_height"}
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

    space: TuningSpace
    rounds: tuple[Round, ...]
    spec: RtmSpec
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


def given_by(estimates: Mapping[str, Estimate], spec: RtmSpec) -> dict[str, Given]:
    """What estimates tell of numbers that a model has, as `fill_in` takes it.

    Brakes of an axle are those of its two wheels together. An estimate that says less than the usual range is left out.
    """
    found = {name: Given(e.value, *e.interval) for name, e in estimates.items()}
    told = {own: found[name] for name, own in _SAME.items() if name in found}
    if "cg_x" in found:
        at = found["cg_x"]
        told["cg_to_front"] = Given(-at.value, -at.upper, -at.lower)
    for axle in Axle:
        wheels = [found.get(f"brake_factor_{corner}") for corner in Corner if corner.axle is axle]
        if spec.brake_pressure is not None and all(wheels):
            # Errors of the two sensors may be the same, so that the mean is no surer than each of them.
            ends = (tuple(getattr(w, end) for w in wheels) for end in ("value", "lower", "upper"))
            told[f"brake_{axle}"] = Given(*(spec.brake_pressure * sum(values) / len(values) for values in ends))
    return {name: at for name, at in told.items() if at.upper - at.lower < 2.0 * RANGE * abs(at.value)}


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

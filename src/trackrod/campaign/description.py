"""What a campaign is: models, manoeuvres, what is varied and how, what is kept; numbered runs, tasks of some runs.

Run n drives point n // (models × manoeuvres): every point is driven by all models in all manoeuvres, so that models
and manoeuvres are compared under the same circumstances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from trackrod.campaign.distributions import Distribution
from trackrod.campaign.sampling import Method
from trackrod.core.layout import ENVIRONMENT
from trackrod.manoeuvres.settings import Setting
from trackrod.rtm.coefficients import PARAMETERS

__all__ = [
    "PAYLOAD",
    "SURROUNDINGS",
    "AppliedAs",
    "CampaignModel",
    "CampaignTest",
    "Description",
    "PayloadPlace",
    "StopRules",
    "Target",
    "Variable",
]

#: Name of what is loaded.
PAYLOAD = "payload"
#: Names of what road and air are like.
SURROUNDINGS = tuple(name for name, _ in ENVIRONMENT.elements())


class AppliedAs(StrEnum):
    """What a drawn number is: the value itself, a factor on that of the model, or a change of it."""

    VALUE = "value"
    FACTOR = "factor"
    CHANGE = "change"


class Target(StrEnum):
    """What a variable belongs to."""

    PARAMETER = "parameter"
    PAYLOAD = "payload"
    ENVIRONMENT = "environment"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Variable:
    """One number that is drawn.

    Attributes
    ----------
    name
        A parameter of the real-time model, ``payload``, what the road or the air is like (`ENVIRONMENT`), or a setting
        of a manoeuvre with the label of this before it (``step.speed_kmh``).
    distribution
        Where it is drawn from.
    applied
        What the number is.
    """

    name: str
    distribution: Distribution
    applied: AppliedAs = AppliedAs.VALUE

    @property
    def target(self) -> Target:
        """What it belongs to."""
        if "." in self.name:
            return Target.SETTING
        if self.name == PAYLOAD:
            return Target.PAYLOAD
        return Target.ENVIRONMENT if self.name in SURROUNDINGS else Target.PARAMETER

    @property
    def column(self) -> str:
        """Of the table of results."""
        end = "" if self.applied is AppliedAs.VALUE else f"_{self.applied}"
        return f"in_{self.name.replace('.', '_')}{end}"

    @property
    def unit(self) -> str:
        """SI, or that of the setting's name; empty for pure numbers."""
        if self.applied is AppliedAs.FACTOR:
            return ""
        if self.target is Target.SETTING:
            return Setting(self.name, None, "").unit
        if self.target is Target.PAYLOAD:
            return "kg"
        if self.target is Target.ENVIRONMENT:
            return next(kind.unit for name, kind in ENVIRONMENT.elements() if name == self.name)
        return next(item.kind.unit for item in PARAMETERS if item.name == self.name)


@dataclass(frozen=True, slots=True)
class CampaignModel:
    """A model by its label.

    Attributes
    ----------
    label, source
        What the table calls it; a bundled vehicle, an assembly, a saved model, or the folder of a study.
    payload
        How much a vehicle has loaded before it is converted; as it is if not given.
    posterior
        Whether its parameters are drawn from what its tuning left uncertain.
    """

    label: str
    source: str
    payload: str | None = None
    posterior: bool = False


@dataclass(frozen=True, slots=True)
class CampaignTest:
    """A manoeuvre by its label, with settings as texts."""

    label: str
    manoeuvre: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PayloadPlace:
    """Where the drawn payload lies: behind the front axle, to the left of the middle, above the road [m]."""

    behind_front_axle: float
    height: float
    to_the_left: float = 0.0


@dataclass(frozen=True, slots=True)
class StopRules:
    """What ends a campaign before its last run.

    Attributes
    ----------
    after
        Runs before any rule is looked at.
    failed_share
        Share of runs that could not be driven; None for no limit.
    half_width
        Of the 95 % interval of the mean of a value, by its name [SI]: when all are as narrow, the campaign ends.
    seconds
        Time after which it pauses [s], to be continued by the next call; None for no limit.

    Holds: the first two depend on the runs up to the one that they end at, in the order of their numbers, whoever
    drove them when.
    """

    after: int = 100
    failed_share: float | None = None
    half_width: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """A campaign as its file says it.

    Attributes
    ----------
    name
        Of the campaign.
    seed
        Of all random numbers.
    method, count
        How points are drawn, and how many; of Saltelli's scheme how many base points, of a grid 0.
    models, tests, variables
        What is driven, and what is varied.
    runs_per_task
        Driven together by one worker and kept in one file.
    step, sample
        Of the integration, and from one sample to the next [s].
    payload_place
        Where the payload lies; None if none is drawn.
    values
        Names of values that are kept; all if empty.
    signals, every
        Columns of runs that are kept, and of how many samples one.
    stop
        What ends it early.
    """

    name: str
    seed: int
    method: Method
    count: int
    models: tuple[CampaignModel, ...]
    tests: tuple[CampaignTest, ...]
    variables: tuple[Variable, ...] = ()
    runs_per_task: int = 32
    step: float = 1e-3
    sample: float = 0.01
    payload_place: PayloadPlace | None = None
    values: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    every: int = 1
    stop: StopRules = field(default_factory=StopRules)

    @property
    def grid_shape(self) -> tuple[int, ...]:
        """Values of each variable in a grid."""
        return tuple(variable.distribution.grid().size for variable in self.variables)

    def points(self, dimensions: int) -> int:
        """How many points are driven, with so many dimensions of the unit cube."""
        if self.method is Method.GRID:
            return int(np.prod(self.grid_shape, dtype=int))
        return self.count * (dimensions + 2) if self.method is Method.SALTELLI else self.count

"""What a search for the domain of validity found: the domain, what it rests on, and the domain in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.plain import Plain
from trackrod.core.validity import QUANTITIES, Bound, Validity
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.rtm.spec import RtmSpec
from trackrod.validate.criteria import Criteria
from trackrod.validate.domain import Domain
from trackrod.validate.plan import EnvelopePlan

__all__ = ["Compared", "Envelope", "domain_sentence"]

Array = NDArray[np.float64]

#: Load transfer from which on a wheel is off the road [-].
_LIFTED = 0.99


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One manoeuvre of both models.

    Attributes
    ----------
    row
        Of the plan.
    manoeuvre
        What was driven.
    ratios
        Error over what is allowed for each criterion; infinite where both did not end alike.
    """

    row: int
    manoeuvre: Manoeuvre
    ratios: tuple[float, ...]

    @property
    def worst(self) -> float:
        """Of all criteria."""
        return max(self.ratios)


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """What was found.

    Attributes
    ----------
    criteria, plan
        What was asked, and what was driven.
    quantities, points
        Operating points of all runs of the real-time model [SI]: names of the columns, a row for each run.
    compared
        What both models drove.
    domain
        Where all criteria are met.
    by_criterion
        Where each is met, by its name; None where it is met nowhere.
    model
        The real-time model, which now knows its domain.
    left_out
        Manoeuvres that a model could not drive, in words.
    """

    criteria: Criteria
    plan: EnvelopePlan
    quantities: tuple[str, ...]
    points: Array
    compared: tuple[Compared, ...]
    domain: Domain
    by_criterion: dict[str, tuple[Bound, ...] | None]
    model: RtmSpec
    left_out: tuple[str, ...]

    @property
    def validity(self) -> Validity:
        """As it is kept in the model."""
        assert self.model.validity is not None
        return self.model.validity

    def as_dict(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "sentence": self.validity.sentence,
            "criteria": self.criteria.name,
            "runs": len(self.points),
            "references": len(self.compared),
            "wrongly_inside": self.domain.wrongly_inside,
            "wrongly_outside": self.domain.wrongly_outside,
            "share_inside": self.domain.share,
            "bounds": {bound.quantity: bound.limit for bound in self.domain.bounds},
            "by_criterion": {
                name: None if found is None else {bound.quantity: bound.limit for bound in found}
                for name, found in self.by_criterion.items()
            },
            "compared": [
                {
                    "settings": found.manoeuvre.values(),
                    "operating_point": dict(zip(self.quantities, self.points[found.row].tolist(), strict=True)),
                    "ratios": [ratio if math.isfinite(ratio) else None for ratio in found.ratios],
                }
                for found in self.compared
            ],
            "left_out": list(self.left_out),
        }


def domain_sentence(domain: Domain, criteria: Criteria) -> str:
    """The domain in one sentence."""
    limit = {bound.quantity: QUANTITIES[bound.quantity].shown(bound.limit) for bound in domain.bounds}
    limits = {(criterion.metric, criterion.limit) for criterion in criteria.criteria}
    same = len(limits) == 1 and next(iter(limits))[0] in ("residual.of_largest", "residual.l_infinity")
    kept = f"Within {100 * next(iter(limits))[1]:g} %" if same else f"Within the limits of '{criteria.name}'"
    most = {bound.quantity: bound.limit for bound in domain.bounds}
    used = f", with {limit['friction_used']} of it used by an axle at most" if most["friction_used"] < 1.0 else ""
    masses = f"{limit['lightest']} to {limit['mass']}" if most["lightest"] < most["mass"] else limit["mass"]
    lift = f"an axle shifts more than {limit['load_transfer']} of its load to one wheel (wheel lift), nor where "
    return (
        f"{kept} up to {limit['lateral']} sideways, {limit['longitudinal']} along and {limit['frequency']}, at "
        f"{limit['slowest']} to {limit['speed']}, on friction of {limit['friction']} or more{used}, for {masses}; not "
        f"where {lift if most['load_transfer'] < _LIFTED else ''}dampers move faster than {limit['damper_speed']} "
        "(kerbs)."
    )

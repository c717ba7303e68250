"""Tyres as a part of a model that may be wrong: where the reference drives on others, its likelihood must know."""

from __future__ import annotations

from collections.abc import Iterator

from trackrod.core.corners import Axle
from trackrod.rtm.spec import RtmSpec

__all__ = ["STIFFNESS", "other_tyres"]

#: By how much cornering stiffness differs between programs, benches and sets of one tyre, standard deviation [-].
STIFFNESS = 0.03


def other_tyres(spec: RtmSpec) -> Iterator[RtmSpec]:
    """The model with stiffer tyres, on one axle each."""
    for axle in Axle:
        yield spec.with_tyres(axle, lambda tyre: tyre.stiffer(1.0 + STIFFNESS))

"""The metrics by name: what two curves score in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType

from trackrod.core.plain import Plain
from trackrod.metrics.iso18571 import rate
from trackrod.metrics.pair import Pair
from trackrod.metrics.similarity import (
    correlation,
    earth,
    nise,
    residual,
    russell,
    sprague_geers,
    warping_distance,
)

__all__ = ["METRICS", "PERFECT_IS_ONE"]


def _iso18571(pair: Pair) -> dict[str, Plain]:
    found = rate(pair)
    return {**asdict(found.written), "guarded": asdict(found.guarded)}


#: Numbers of each metric by their names; a nested mapping is the same with a precaution.
METRICS: Mapping[str, Callable[[Pair], dict[str, Plain]]] = MappingProxyType(
    {
        "iso18571": _iso18571,
        "sprague-geers": lambda pair: asdict(sprague_geers(pair)),
        "russell": lambda pair: asdict(russell(pair)),
        "residual": lambda pair: asdict(residual(pair)),
        "correlation": lambda pair: {"correlation": correlation(pair)},
        "nise": lambda pair: {"nise": nise(pair)},
        "dtw": lambda pair: {"distance": warping_distance(pair)},
        "earth": lambda pair: asdict(earth(pair)),
    }
)
#: Values that are 1 where both curves are the same; all others are 0 then.
PERFECT_IS_ONE = frozenset({"R", "Z", "EP", "EM", "ES", "correlation"})

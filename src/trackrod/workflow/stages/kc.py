"""Stage ``kc``: both axles on the K&C rig."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trackrod.core.corners import Axle
from trackrod.kc.maps import KC_MAPS, KcMaps
from trackrod.kc.study import KcSettings, axle_maps
from trackrod.reference import Reference
from trackrod.report.study_sections import kc_section
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.cache import kept
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.read import Subject

__all__ = ["KC", "Measured", "kc_maps"]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """K&C maps of both axles."""

    maps: Mapping[Axle, KcMaps]


def kc_maps(vehicle: Vehicle, settings: KcSettings | None = None) -> Mapping[Axle, KcMaps]:
    """K&C maps of both axles; from the cache if the same vehicle was on the rig before.

    Raises
    ------
    InputError
        An axle cannot be put on the rig, or a part of its maps was not reached.
    """
    asked = settings or KcSettings()
    return MappingProxyType({axle: kept(KC_MAPS, axle_maps, vehicle, axle, asked) for axle in Axle})


def _measure(work: Work) -> Measured:
    origin = work[Subject].origin
    if isinstance(origin, Reference):
        return Measured(origin.maps)
    work.tell("both axles on the rig", 0.0)
    return Measured(kc_maps(origin))


KC = Stage(name="kc", title="on the K&C rig", needs=(Subject,), makes=Measured, run=_measure, sections=(kc_section,))

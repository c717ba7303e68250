"""Stage ``kc``: both axles on the K&C rig."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trackrod.core.corners import Axle
from trackrod.kc.maps import KcMaps
from trackrod.reference import Reference
from trackrod.report.study_sections import kc_section
from trackrod.workflow.map_range import kc_maps
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.study_settings import StudySettings

__all__ = ["KC", "Measured"]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """K&C maps of both axles."""

    maps: Mapping[Axle, KcMaps]


def _measure(work: Work) -> Measured:
    origin = work[Subject].origin
    if isinstance(origin, Reference):
        return Measured(origin.maps)
    work.tell("both axles on the rig", 0.0)
    return Measured(kc_maps(origin, work[StudySettings].rig()))


KC = Stage(
    name="kc",
    title="on the K&C rig",
    needs=(Subject, StudySettings),
    makes=Measured,
    run=_measure,
    sections=(kc_section,),
)

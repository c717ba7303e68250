"""Bundled vehicles converted with a coarse K&C, each once in a session."""

from __future__ import annotations

from functools import cache

import numpy as np

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.conversion import Compliance, Conversion, Detail, convert
from trackrod.core.corners import Axle
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import KcSettings, characterise
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

#: Enough for a model; a whole K&C takes ten times as long.
COARSE = KcSettings(travel=np.linspace(-0.08, 0.08, 17), rack=np.linspace(-0.07, 0.07, 11), map_points=11, load_steps=2)


@cache
def vehicle(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


@cache
def maps(name: str) -> dict[Axle, KcMaps]:
    studies = {axle: characterise(vehicle(name), axle, COARSE) for axle in Axle}
    found = {axle: study.maps for axle, study in studies.items() if study.maps is not None}
    assert len(found) == 2, [study.problems for study in studies.values()]
    return found


@cache
def converted(
    name: str, detail: Detail = Detail.TWO_DIMENSIONAL, compliance: Compliance = Compliance.MOVING
) -> Conversion:
    return convert(vehicle(name), maps(name), detail=detail, compliance=compliance)


def spec_of(name: str, *, compliance: Compliance = Compliance.MOVING) -> RtmSpec:
    return converted(name, compliance=compliance).spec

"""The maps are widened until driving at the limit stays inside, or until a mechanism ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import vehicle
from trackrod.convert.conversion import convert
from trackrod.core.corners import Axle
from trackrod.core.errors import RangeError
from trackrod.kc import study
from trackrod.kc.reach import Reach
from trackrod.kc.study import KcSettings
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import prepared
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow import map_range
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.map_range import LIMIT_RUNS, kc_maps, needed_ranges
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.runs import model_run

VAN = "lcv_7t"
NARROW = Reach(0.03, 0.02)


@pytest.fixture(autouse=True)
def coarse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def settings(reach: Reach) -> KcSettings:
        few = np.linspace(-1.0, 1.0, 7)
        rack = np.linspace(-0.07, 0.07, 7)
        return KcSettings(reach.parallel * few, rack, map_points=7, load_steps=1, opposite=reach.opposite * few)

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(Reach, "settings", settings)


def test_driving_at_the_limit_stays_inside() -> None:
    spec = convert(vehicle(VAN), kc_maps(vehicle(VAN))).spec
    for name, given in LIMIT_RUNS.items():
        run = model_run(spec, prepared(RealTimeVehicle(spec), manoeuvre(name, given)))
        assert run.metadata["beyond_maps"] == ()


@pytest.mark.parametrize("ends", [False, True])
def test_what_is_left_is_widened_unless_the_mechanism_ends(ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_range, "MOST_ROUNDS", 1)
    asked = []

    def found(_vehicle: Vehicle, axle: Axle, least: Reach | None = None) -> Reach:
        asked.append((axle, least))
        return least or replace(NARROW, ends=ends)

    monkeypatch.setattr(map_range, "find_reach", found)
    ranges = needed_ranges(vehicle(VAN))
    assert asked[:2] == [(axle, None) for axle in Axle]
    if ends:
        assert ranges == dict.fromkeys(Axle, replace(NARROW, ends=True))
        return
    assert [axle for axle, _ in asked[2:]] == list(Axle)
    assert ranges[Axle.FRONT].parallel > 0.055  # both models have travels of 58 mm and more there in the fishhook
    assert ranges[Axle.REAR].opposite > 0.055


def test_maps_that_were_made_are_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = kc_maps(vehicle(VAN))
    monkeypatch.setattr(map_range, "find_reach", lambda *_: pytest.fail("the range was looked for again"))
    monkeypatch.setattr(study, "characterise", lambda *_: pytest.fail("the vehicle was put on the rig again"))
    again = kc_maps(vehicle(VAN))
    for axle in Axle:
        assert (first[axle].ride.values == again[axle].ride.values).all()


def test_the_travel_that_is_asked_for() -> None:
    asked = StudyRequest(vehicle=VAN, travel=0.12).settings().rig()
    assert asked is not None
    assert (asked.travel[0], asked.travel[-1]) == (-0.12, 0.12)
    assert StudyRequest(vehicle=VAN).settings().rig() is None
    with pytest.raises(RangeError, match="travel of 400 mm: up to 300 mm is possible"):
        StudyRequest(vehicle=VAN, travel=0.4).settings()

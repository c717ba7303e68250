"""Stages: what is found with one model is driven with the other, and maps come back from the cache as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle, Side
from trackrod.core.series import Run
from trackrod.kc.study import KcSettings
from trackrod.manoeuvres.longitudinal import Braking, Clutch
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.manoeuvres.settings import Direction
from trackrod.manoeuvres.steering import StepSteer
from trackrod.metrics.indices import INDEX_SETS
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.workflow import stages
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.stages import characterised, with_found_settings

SMALL = KcSettings(travel=np.linspace(-0.06, 0.06, 7), rack=np.linspace(-0.06, 0.06, 7), map_points=5, load_steps=1)


def described(settings: dict[str, object]) -> Run:
    return Run({"time_s": [0.0]}, {"settings": settings})  # type: ignore[dict-item]


@pytest.mark.parametrize("name", INDEX_SETS)
def test_settings_survive_the_metadata_of_a_run(name: str) -> None:
    manoeuvre = MANOEUVRES[name]()
    assert with_found_settings(manoeuvre, described(dict(manoeuvre.values()))) == manoeuvre


def test_found_settings_are_taken_exactly() -> None:
    step = StepSteer(direction=Direction.RIGHT)
    found = with_found_settings(step, described({**step.values(), "steering_wheel_angle_deg": 23.400000000000002}))
    assert found == step.changed(steering_wheel_angle_deg=23.400000000000002)
    braking = Braking(clutch=Clutch.ENGAGED)
    assert with_found_settings(braking, described({**braking.values(), "brake": 1 / 3})) == braking.changed(brake=1 / 3)


def test_maps_come_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    vehicle = read_vehicle(BUNDLED["double_wishbone_car"].assembly).vehicle
    first = characterised(vehicle, SMALL)

    def refuse(*_arguments: object) -> None:
        pytest.fail("the vehicle was put on the rig again")

    monkeypatch.setattr(stages, "characterise", refuse)
    second = characterised(vehicle, SMALL)
    for axle in Axle:
        assert first[axle].design_load == second[axle].design_load
        assert (first[axle].ride.values == second[axle].ride.values).all()
        for side in Side:
            mine, theirs = (maps[axle].wheel(side).kinematics.values for maps in (first, second))
            assert (mine == theirs).all()
    monkeypatch.undo()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    other = KcSettings(SMALL.travel, SMALL.rack, SMALL.map_points, 0.7, SMALL.load_steps)
    characterised(vehicle, other)
    assert len(list(tmp_path.rglob("*.json"))) == 4

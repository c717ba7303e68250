"""The rig of a study: maps come back from the cache as they were, for the same vehicle and the same settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import vehicle
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Problem
from trackrod.kc import study
from trackrod.kc.study import AxleStudy, KcSettings, axle_maps
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.map_range import kc_maps

CAR = "double_wishbone_car"
SMALL = KcSettings(travel=np.linspace(-0.06, 0.06, 7), rack=np.linspace(-0.06, 0.06, 7), map_points=5, load_steps=1)


def test_maps_come_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    first = kc_maps(vehicle(CAR), SMALL)
    with monkeypatch.context() as patch:
        patch.setattr(study, "characterise", lambda *_arguments: pytest.fail("the vehicle was put on the rig again"))
        second = kc_maps(vehicle(CAR), SMALL)
    for axle in Axle:
        assert first[axle].design_load == second[axle].design_load
        assert (first[axle].ride.values == second[axle].ride.values).all()
        for side in Side:
            mine, theirs = (maps[axle].wheel(side).kinematics.values for maps in (first, second))
            assert (mine == theirs).all()
    kc_maps(vehicle(CAR), replace(SMALL, travel=0.9 * SMALL.travel))
    assert len(list(tmp_path.rglob("*.json"))) == 4


def test_what_is_missing_of_the_maps_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = AxleStudy(vehicle(CAR), Axle.FRONT, {}, None, (Problem("no point was reached"),), {})
    monkeypatch.setattr(study, "characterise", lambda *_arguments: broken)
    with pytest.raises(InputError, match="no point was reached"):
        axle_maps(vehicle(CAR), Axle.FRONT, SMALL)

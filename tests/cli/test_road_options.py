"""``--road`` and ``--friction`` of ``trackrod simulate`` and ``compare`` as a user meets them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cli.test_simulate_command import data_of, refused
from trackrod.road.crg import write_crg
from trackrod.road.surface import RoadSurface

CAR = ("double_wishbone_car", "--model", "rtm")
STEER = ("--manoeuvre", "step_steer", "--set", "steering_wheel_angle_deg=5", "--set", "hold_s=1.5")


def waves(folder: Path, length: float = 200.0) -> Path:
    road = RoadSurface.function("waves", lambda x, y: 0.01 * np.sin(x) + 0.0 * y, length=length, increment=0.25)
    write_crg(road, folder / "waves.crg")
    return folder / "waves.crg"


@pytest.mark.slow
def test_a_manoeuvre_on_a_road_from_a_file(tmp_path: Path) -> None:
    file = waves(tmp_path)
    data = data_of("simulate", *CAR, *STEER, "--road", file, "--friction", "0.8")
    assert data["completed"]
    assert data["settings"]["road"] == str(file)
    assert data["settings"]["friction"] == 0.8


def test_wrong_roads_are_refused_before_anything_is_driven(tmp_path: Path) -> None:
    assert "the file does not exist" in refused("simulate", *CAR, *STEER, "--road", tmp_path / "none.crg")
    file = waves(tmp_path)
    file.write_bytes(file.read_bytes()[:-50])
    assert f"{file}:" in refused("simulate", *CAR, *STEER, "--road", file)
    assert "--friction wet is no friction factor" in refused("simulate", *CAR, *STEER, "--friction", "wet")
    assert "'bump' has a road of its own" in refused("simulate", *CAR, "--manoeuvre", "bump", "--road", waves(tmp_path))

"""What pages draw: poses of the rig put the wheels where they were asked to be, lines end at their bodies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from trackrod.adams.source import open_vehicle
from trackrod.vehicle.vehicle import Vehicle
from trackrod.web.meshes import meshes_beside
from trackrod.web.views import poses_of, scene_data


@pytest.fixture(scope="module")
def vehicle() -> Vehicle:
    return open_vehicle("double_wishbone_car").vehicle


def test_wheels_are_where_the_sliders_say(vehicle: Vehicle) -> None:
    """The height of a wheel centre is the travel that was asked for, in V, by the poses that the page gets."""
    axles = poses_of(vehicle)
    json.dumps(axles, allow_nan=False)
    for wheel in vehicle.wheels:
        rig = axles[str(wheel.corner.axle)]
        body = rig["bodies"][wheel.body]
        for i, travel in enumerate(rig["travel"]):
            pose = body["poses"][i][len(rig["rack"]) // 2]
            assert pose is not None
            turn = Rotation.from_quat([*pose[4:], pose[3]])
            centre = turn.apply(np.array(wheel.centre) - body["centre"]) + pose[:3]
            assert centre[2] - wheel.centre[2] == pytest.approx(travel, abs=2e-5)
        steered = [body["poses"][8][k] for k in range(len(rig["rack"]))]
        angles = [np.degrees(2 * np.arctan2(pose[6], pose[3])) for pose in steered if pose is not None]
        assert np.ptp(angles) > 20 if len(rig["rack"]) > 1 else len(angles) == 1


def test_a_scene_names_bodies_and_ends(vehicle: Vehicle) -> None:
    scene = scene_data(vehicle)
    json.dumps(scene, allow_nan=False)
    bodies = {body.name for body in vehicle.bodies} | {"ground"}
    springs = [item for item in scene["items"] if item["layer"] == "springs"]
    assert len(springs) >= 4
    assert all(set(item["bodies"]) <= bodies for item in scene["items"])
    assert all(len(item["bodies"]) == 2 and min(item["share"]) >= 0 and max(item["share"]) <= 1 for item in springs)
    assert {"bodies", "wheels", "springs", "dampers", "joints"} <= set(scene["layers"])


def test_meshes_beside_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("trimesh")
    (tmp_path / "graphics").mkdir()
    (tmp_path / "graphics" / "upright.obj").write_text("v 0 0 0\nv 1000 0 0\nv 0 1000 0\nf 1 2 3\n")
    (tmp_path / "graphics" / "other.obj").write_text("v 0 0 0\n")
    (tmp_path / "knuckle.stl").write_text("not a mesh")
    (mesh,) = meshes_beside(tmp_path, {"upright", "knuckle"})
    assert mesh == {"body": "upright", "triangles": [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]}
    assert "knuckle.stl" in capsys.readouterr().out

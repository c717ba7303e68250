"""Half a vehicle on the command line: on the rig, compared, and refused where a whole one is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from trackrod.vehicle.catalogue import BUNDLED

SUSPENSION = BUNDLED["double_wishbone_car"].assembly.parent.parent / "subsystems.tbl" / "rear_suspension.sub"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_suspension_alone_on_the_rig_and_against_itself(tmp_path: Path) -> None:
    told = ("--wheel-radius-mm=320", "--tyre-stiffness=210", "--wheelbase-mm=2700", "--cg-height-mm=540")
    small = ("--mode=kinematic", "--travel-mm=-20:20:20", "--map-points=3", "--case=push:fy=500/-500")
    result = run("kc", SUSPENSION, *told, *small, f"--out={tmp_path}", "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["failures"] == 0
    assert list(data["axles"]) == ["rear"]
    assert not any("no tyre is given" in problem["text"] for problem in data["problems"])
    assert {"rear_parallel.csv", "rear_single.csv", "rear_push.csv", "rear_maps.json"} <= {
        path.name for path in tmp_path.iterdir()
    }
    compared = run("kc-compare", tmp_path, tmp_path, "--json")
    assert compared.returncode == 0, compared.stderr
    found = json.loads(compared.stdout)["differences"]
    assert len(found) > 100
    assert not any(row["largest"] for row in found)


def test_half_a_vehicle_does_not_drive_and_a_whole_one_is_not_told() -> None:
    result = run("equilibrium", SUSPENSION)
    assert result.returncode == 2
    assert "is half a vehicle, a rear axle alone; a full vehicle is needed here" in result.stderr
    result = run("kc", "double_wishbone_car", "--wheelbase-mm=2700")
    assert result.returncode == 2
    assert "is a whole vehicle" in result.stderr

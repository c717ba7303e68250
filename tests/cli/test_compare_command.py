"""``trackrod compare`` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from trackrod.core.run_files import read_run

#: A step without a search for its angle, and no longer than it must be.
SHORT = ("--manoeuvre=step_steer", "--set=steering_wheel_angle_deg=20", "--set=delay_s=0.1", "--set=hold_s=1.5")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def run(kept: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", "compare", *arguments]
    environment = {**os.environ, "TRACKROD_CACHE": str(kept)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_writes_runs_page_and_picture_and_keeps_the_maps(kept: Path, tmp_path: Path) -> None:
    result = run(kept, "double_wishbone_car", *SHORT, f"--out={tmp_path}", "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["manoeuvre"] == "step_steer"
    assert data["settings"]["steering_wheel_angle_deg"] == 20.0
    assert {Path(name).name for name in data["files"]} == {
        "step_steer_multibody.csv",
        "step_steer_rtm.csv",
        "step_steer.html",
        "step_steer.png",
    }
    runs = [read_run(tmp_path / f"step_steer_{model}.csv") for model in ("multibody", "rtm")]
    assert [run.metadata["model"] for run in runs] == ["multibody", "rtm"]
    assert (runs[0]["steering_wheel_angle_rad"] == runs[1]["steering_wheel_angle_rad"]).all()
    values = {index["name"]: index["value_pct"] for index in data["indices"]}
    assert values["yaw rate"] < data["tolerance_pct"]
    assert values["lateral acceleration"] < data["tolerance_pct"]

    maps = {path: path.stat().st_mtime_ns for path in kept.rglob("*.json")}
    assert sorted(path.parent.name for path in maps) == ["trackrod.kc_maps", "trackrod.kc_maps", "trackrod.kc_reach"]
    again = run(kept, "double_wishbone_car", *SHORT)
    assert again.returncode == 0, again.stderr
    assert "yaw rate: steady-state" in again.stdout  # in a narrow terminal its name takes two lines
    assert {path: path.stat().st_mtime_ns for path in kept.rglob("*.json")} == maps


def test_a_reference_with_an_error_bar_and_a_steering_that_gives(kept: Path, tmp_path: Path) -> None:
    result = run(
        kept,
        "double_wishbone_car",
        *SHORT,
        "--integrator=reference",
        "--steering=mechanism",
        f"--out={tmp_path}",
        "--json",
    )
    assert result.returncode == 0, result.stderr
    reference = read_run(tmp_path / "step_steer_multibody.csv")
    assert reference.metadata["integrator"] == "reference"
    assert reference.metadata["relative_error"] <= reference.metadata["tolerance"]
    assert "torsion_bar_twist_rad" in reference


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("double_wishbone_car", "--manoeuvre=parking"), "unknown manoeuvre with indices 'parking'"),
        (("double_wishbone_car", "--manoeuvre=braking", "--set=speed_kmh=fast"), "'fast' is not a number"),
        (("double_wishbone_car", "--manoeuvre=braking", "--set=speed_kmh"), "is not KEY=VALUE"),
        (("double_wishbone_car", "--manoeuvre=braking", "--out=/dev/null/folder"), "cannot be made"),
    ],
)
def test_mistakes_are_said_before_anything_is_driven(kept: Path, arguments: tuple[str, ...], says: str) -> None:
    result = run(kept, *arguments)
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr

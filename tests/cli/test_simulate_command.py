"""``trackrod simulate``, ``manoeuvres`` and ``equilibrium`` as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trackrod.core.run_files import read_run
from trackrod.manoeuvres.registry import MANOEUVRES

#: The columns that every run begins with, and some of each corner.
COLUMNS = [
    "time_s",
    "steering_wheel_angle_rad",
    "rack_travel_m",
    "throttle",
    "brake",
    "gear",
    "x_m",
    "y_m",
    "z_m",
    "roll_rad",
    "pitch_rad",
    "yaw_rad",
    "vx_mps",
    "vy_mps",
    "ax_mps2",
    "ay_mps2",
    "az_mps2",
    "yaw_rate_radps",
    "roll_rate_radps",
    "pitch_rate_radps",
    "yaw_acceleration_radps2",
    "roll_acceleration_radps2",
    "pitch_acceleration_radps2",
    "sideslip_rad",
]
SHORT = ("--manoeuvre", "braking", "--set", "speed_kmh=20", "--set", "brake=0.3", "--set", "after_s=0")


def trackrod(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=240)


def data_of(*arguments: object) -> Any:
    result = trackrod(*arguments, "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


def refused(*arguments: object) -> str:
    """What a command says about a mistake of the user."""
    result = trackrod(*arguments)
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr


def test_a_run_that_never_settled_is_no_success(tmp_path: Path) -> None:
    """The car does not reach the speed: what was driven is written, and the exit code tells."""
    out = tmp_path / "run.csv"
    fast = ("--manoeuvre", "ramp_steer", "--set", "speed_kmh=290", "--out", out)
    result = trackrod("simulate", "double_wishbone_car", *fast)
    assert result.returncode == 1
    assert "did not settle" in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert out.exists()


def test_run_and_plot_are_written(tmp_path: Path) -> None:
    run_file, plot = tmp_path / "run.csv", tmp_path / "run.png"
    data = data_of("simulate", "double_wishbone_car", *SHORT, "--out", run_file, "--plot", plot)
    assert data["completed"] is True
    assert data["events"] == []
    assert data["settings"]["speed_kmh"] == 20
    assert [phase["name"] for phase in data["phases"]] == ["constant speed", "braking", "standing"]
    assert data["files"] == [str(run_file), str(plot)]
    run = read_run(run_file)
    assert list(run.columns[: len(COLUMNS)]) == COLUMNS
    assert {"Fx_fl_N", "Fz_rr_N", "wheel_travel_rl_m"} <= set(run.columns)
    assert run.metadata["manoeuvre"] == "braking"
    assert run["vx_mps"][0] * 3.6 == pytest.approx(20.0, abs=0.1)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.csv", "run.png"]


def test_text_tells_what_happened(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    result = trackrod("simulate", "lcv_3t5", "--payload", "kerb", *SHORT, "--plot", page)
    assert result.returncode == 0, result.stderr
    assert "down to 0.05" in result.stdout
    assert "from [s]" in result.stdout
    assert f"wrote {page}" in result.stdout
    assert "Wheel loads" in page.read_text()


def test_manoeuvres_are_listed() -> None:
    rows = {row["name"]: row for row in data_of("manoeuvres")}
    assert list(rows) == list(MANOEUVRES)
    [speed] = [item for item in rows["step_steer"]["settings"] if item["name"] == "speed_kmh"]
    assert speed == {
        "name": "speed_kmh",
        "default": 100.0,
        "unit": "km/h",
        "allowed": "5 to 300 km/h",
        "meaning": "speed",
    }
    text = trackrod("manoeuvres").stdout
    assert "ISO 7401, step input" in text
    assert "target_ay_g=0.4 g" in text


def test_equilibrium_carries_the_weight() -> None:
    standing = data_of("equilibrium", "lcv_3t5")
    loads = standing["wheel_loads_N"]
    assert sum(loads.values()) == pytest.approx(3500 * 9.80665, rel=0.005)
    assert loads["fl"] == pytest.approx(1600 * 9.80665 / 2, rel=0.01)
    assert np.abs(list(standing["wheel_travels_m"].values())).max() < 0.01
    empty = data_of("equilibrium", "lcv_3t5", "--payload", "kerb")
    assert sum(empty["wheel_loads_N"].values()) == pytest.approx(2200 * 9.80665, rel=0.005)
    assert empty["body_rise_m"] > 0.01
    assert "wheel load [N]" in trackrod("equilibrium", "double_wishbone_car").stdout


def test_a_frame_that_twists() -> None:
    """A soft frame lets the halves lean as each wants; the loads of the axles stay."""
    standing = data_of("equilibrium", "lcv_3t5", "--frame-stiffness", "1e5")["wheel_loads_N"]
    assert standing["fl"] + standing["fr"] == pytest.approx(1600 * 9.80665, rel=0.01)


@pytest.mark.parametrize("stiffness", ["-2e5", "0", "nan"])
def test_a_frame_that_cannot_be(stiffness: str) -> None:
    said = " ".join(refused("equilibrium", "lcv_3t5", f"--frame-stiffness={stiffness}").split())
    assert f"stiffness of the frame is {float(stiffness):g} N·m/rad, it must be greater than zero" in said


def test_all_wrong_settings_are_named() -> None:
    said = refused(
        "simulate", "double_wishbone_car", "--manoeuvre", "step_steer", "--set", "speed=3", "--set", "hold_s=x"
    )
    assert "unknown setting 'speed'" in said
    assert "speed_kmh" in said
    assert "hold_s=x" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--manoeuvre", "step_steer", "--set", "speed_kmh=-3"), ("speed_kmh is -3", "5 to 300 km/h")),
        (("--manoeuvre", "step_stear"), ("unknown manoeuvre", "step_steer")),
        (("--manoeuvre", "step_steer", "--set", "speed_kmh"), ("--set speed_kmh is not KEY=VALUE",)),
        (("--manoeuvre", "step_steer", "--set", "direction=up"), ("direction is 'up'", "left or right")),
        ((*SHORT, "--out", "run.xyz"), ("'.xyz'", ".csv")),
        ((*SHORT, "--plot", "run.svg"), ("'.svg'", ".png")),
        ((*SHORT, "--out", "no_such_folder/run.csv"), ("no_such_folder", "does not exist")),
        ((*SHORT, "--sample", "0.0033"), ("sample time of 0.0033 s",)),
        (("--manoeuvre", "recorded"), ("'file' is needed",)),
        (("--manoeuvre", "recorded", "--set", "file=nothing.csv"), ("nothing.csv", "does not exist")),
    ],
)
def test_mistakes_are_explained(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    said = refused("simulate", "double_wishbone_car", *arguments)
    for word in words:
        assert word in said


def test_the_real_time_model_drives_the_same(tmp_path: Path) -> None:
    runs = {}
    for kind in ("multibody", "rtm"):
        path = tmp_path / f"{kind}.csv"
        data_of("simulate", "double_wishbone_car", *SHORT, "--model", kind, "--out", str(path))
        runs[kind] = read_run(path)
    assert set(runs["multibody"].columns) <= set(runs["rtm"].columns)
    assert runs["rtm"].columns[: len(COLUMNS)] == tuple(COLUMNS)
    speeds = [run["vx_mps"] for run in runs.values()]
    count = min(map(len, speeds))
    assert np.abs(speeds[0][:count] - speeds[1][:count]).max() < 0.1

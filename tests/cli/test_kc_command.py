"""``trackrod kc`` as a user runs it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

SMALL = ("--travel-mm=-40:40:20", "--rack-mm=-40:40:20", "--map-points=5")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", "kc", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_writes_a_table_for_each_test(tmp_path: Path) -> None:
    result = run("double_wishbone_car", *SMALL, "--mode=kinematic", f"--out={tmp_path}", "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["failures"] == 0
    assert data["points"] > 100
    assert data["seconds"] > 0
    for axle in ("front", "rear"):
        for test in ("parallel", "opposite", "roll", "fx", "fy", "mz", "map"):
            assert (tmp_path / f"{axle}_{test}.csv").is_file(), test
        assert (tmp_path / f"{axle}_maps.json").is_file()
    assert (tmp_path / "front_steer.csv").is_file()
    assert not (tmp_path / "rear_steer.csv").exists()
    wanted = {f"{name}_left_rad" for name in ("toe", "camber", "caster")} | {"Fz_left_N", "travel_left_m"}
    wanted |= {f"{name}_left_m" for name in ("tx", "ty", "tz", "spring_length", "damper_length")}
    wanted |= {name.replace("left", "right") for name in wanted} | {"roll_centre_height_m", "rack_travel_m"}
    for test in ("parallel", "steer", "map", "fx"):
        with (tmp_path / f"front_{test}.csv").open() as stream:
            rows = list(csv.DictReader(stream))
        assert wanted <= set(rows[0]), test
        assert all(row["solved"] == "1" for row in rows)
    with (tmp_path / "front_map.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == 25


def test_marks_points_beyond_reach(tmp_path: Path) -> None:
    arguments = ("double_wishbone_car", "--axle=front", "--travel-mm=-300:300:50", "--rack-mm=-40:40:20")
    result = run(*arguments, "--map-points=5", "--mode=kinematic", f"--out={tmp_path}", "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["failures"] > 0
    assert any("front_suspension." in problem["text"] for problem in data["problems"])
    with (tmp_path / "front_parallel.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["solved"] for row in rows} == {"0", "1"}
    assert all((row["toe_left_rad"] == "") == (row["solved"] == "0") for row in rows)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("cla_class", "--travel-mm=80"), "--travel-mm 80 is not FROM:TO:STEP"),
        (("cla_class", "--travel-mm=80:-80:2"), "FROM must be less than TO"),
        (("cla_class", "--rack-mm=nan:1:1"), "FROM must be less than TO"),
        (("cla_class", "--travel-mm=-80:80:0.0001"), "up to 2001 are taken"),
        (("cla_class", "--travel-mm=10:80:2"), "leaves out the design position"),
        (("cla_class", "--mode=stiff"), "kinematic and compliant"),
        (("no_such_car",), "no file and no bundled vehicle"),
        (("cla_class", "--loadcase=nowhere.lcf"), "does not exist"),
    ],
)
def test_mistakes_are_one_message(arguments: tuple[str, ...], says: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr

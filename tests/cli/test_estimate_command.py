"""``trackrod estimate`` from files to numbers, table and page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.estimate import rigid_vehicle as rigid
from tests.estimate.test_estimators import BRAKING, QUIET, with_brakes
from tests.estimate.test_workshop import entries
from typer.testing import CliRunner

from trackrod.cli.app import app
from trackrod.core.errors import UnknownNameError
from trackrod.core.run_files import write_run


def test_numbers_of_a_campaign(tmp_path: Path) -> None:
    for name, run in (("quiet", QUIET), ("braking", with_brakes(BRAKING))):
        write_run(run, tmp_path / f"{name}.csv")
    known = "\n".join(f"{name} = {value!r}" for name, value in rigid.known().items() if name != "steering_ratio")
    workshop = entries(tmp_path, f"[known]\n{known}\n")
    page = tmp_path / "page.html"
    logs = [str(tmp_path / f"{name}.csv") for name in ("quiet", "braking")]
    options = ["--workshop", str(workshop), "--sensors", "case_study", "--report", str(page), "--json"]
    result = CliRunner().invoke(app, ["estimate", *logs, *options])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    by_name = {item["name"]: item for item in found["estimates"]}
    assert by_name["mass"]["value"] == pytest.approx(rigid.MASS, rel=1e-3)
    assert by_name["mass"]["interval"][0] < rigid.MASS < by_name["mass"]["interval"][1]
    assert by_name["mass"]["bias"] > 1.0  # of the transducers
    assert "wheel_speed" in by_name["rolling_radius_front"]["cannot_tell"] or "brake" in str(by_name)
    assert any(row["name"] == "mass" and row["agree"] for row in found["workshop"])
    text = page.read_text()
    assert "What cannot be told" in text
    assert "Workshop and driving" in text


def test_the_table_says_together_what_lacks_the_same(tmp_path: Path) -> None:
    write_run(QUIET, tmp_path / "quiet.csv")
    result = CliRunner().invoke(app, ["estimate", str(tmp_path / "quiet.csv")])
    assert result.exit_code == 0, result.output
    assert "efficiency_gear_1" in result.stdout
    assert "static_toe_fl: cannot be told, no run has steer_fl_rad" in result.stdout
    assert "brake_factor_fl" in result.stdout
    together = next(line for line in result.stdout.splitlines() if line.startswith("rolling_resistance"))
    assert together.startswith("rolling_resistance, drag: cannot be told, 0 admissible samples")


def test_a_parameter_is_followed_over_windows(tmp_path: Path) -> None:
    write_run(QUIET, tmp_path / "quiet.csv")
    options = ["--follow", "wheel_mass_fl", "--window", "2", "--json"]
    result = CliRunner().invoke(app, ["estimate", str(tmp_path / "quiet.csv"), *options])
    assert result.exit_code == 0, result.output
    windows = json.loads(result.stdout)["followed"]["wheel_mass_fl"]
    assert [window["middle_s"] for window in windows] == pytest.approx([1.0, 2.0])
    assert all(window["interval"][0] < window["value"] < window["interval"][1] for window in windows)
    result = CliRunner().invoke(app, ["estimate", str(tmp_path / "quiet.csv"), "--follow", "weight"])
    assert isinstance(result.exception, UnknownNameError)

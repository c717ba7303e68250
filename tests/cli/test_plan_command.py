"""The command plan: what it writes, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trackrod.cli.app import app
from trackrod.core.errors import InputError
from trackrod.measured.measurement_plan import find_plan
from trackrod.validate.criteria import read_criteria

RUNNER = CliRunner()
CRITERIA = """
[[criterion]]
name = "yaw rate"
signal = "yaw_rate_radps"
metric = "residual.l2"
limit = 0.05
"""
TESTS = """
sensors = "case_study"
format = "csv"

[[tests]]
name = "step"
manoeuvre = "step_steer"
group = "transient lateral"
case = 4
settings = { steering_wheel_angle_deg = 30, delay_s = 0.2, hold_s = 1.5 }
"""


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Criteria of one row, tests of one manoeuvre."""
    (tmp_path / "criteria.toml").write_text(CRITERIA)
    (tmp_path / "tests.toml").write_text(TESTS)
    return ["plan", str(tmp_path / "criteria.toml"), "--vehicle", "cla_class", "--tests", str(tmp_path / "tests.toml")]


def test_one_document_and_what_other_commands_take(small: list[str], tmp_path: Path) -> None:
    out = tmp_path / "plan"
    result = RUNNER.invoke(app, [*small, "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert json.loads((out / "plan.json").read_text())["sensors"] == told["sensors"]
    names = {sensor["name"] for sensor in told["sensors"]}
    assert {"yaw_rate_radps", "steering_wheel_angle_rad", "vx_mps"} <= names
    mass = next(item for item in told["parameters"] if item["name"] == "sprung_mass")
    assert mass["method"] in ("workshop", "estimate", "tune", "as given")
    assert find_plan(out / "measurement.toml").tests[0].name == "step_steer_step"
    assert read_criteria(out / "criteria.toml").criteria[0].ranges == (("vx_mps", 2.0, 200.0),)
    page = (out / "plan.html").read_text()
    for heading in ("Response quantities and criteria", "Tests", "Sensors", "Parameters", "Limits"):
        assert f"{heading}</h2>" in page


def _refused(arguments: list[str]) -> str:
    result = RUNNER.invoke(app, arguments)
    assert isinstance(result.exception, InputError), result.output
    return str(result.exception)


def test_criteria_that_cannot_be_planned_for_are_refused(small: list[str], tmp_path: Path) -> None:
    given = tmp_path / "criteria.toml"
    out = tmp_path / "out"
    wrong = {
        CRITERIA.replace("0.05", "0"): "a limit of 0 is met by nothing",
        CRITERIA.replace("yaw_rate_radps", "disc_temperature_fl_K"): "'yaw rate' needs 'disc_temperature_fl_K', which",
        CRITERIA.replace("yaw_rate_radps", "yaw_rat_radps"): "yaw_rat_radps",
        CRITERIA + 'manoeuvres = ["step_ster"]\n': "did you mean 'step_steer'",
    }
    for text, said in wrong.items():
        given.write_text(text)
        assert said in _refused([*small, "--out", str(out)])
    assert not out.exists()


def test_unknown_names_and_shares_are_refused(small: list[str], tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert "unknown criteria 'tolerance'" in _refused(["plan", "tolerance", "--vehicle", "cla_class", *out])
    assert "cla_clas" in _refused([*small[:3], "cla_clas", *out])
    assert "unknown plan" in _refused(["plan", "tolerance_5_percent", "--vehicle", "cla_class", "--tests", "x", *out])
    assert "the share of measurement is 0" in _refused([*small, "--share", "0", *out])
    assert "the share of a parameter is 2" in _refused([*small, "--parameter-share", "2", *out])
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_to_is_refused_before_long_work(small: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be made" in _refused([*small, "--out", str(tmp_path / "file" / "plan")])
    assert "does not exist" in _refused([*small, "--out", str(tmp_path / "nowhere" / "plan.html")])

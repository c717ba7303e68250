"""The commands channels and measure: what they print, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from trackrod.cli.app import app
from trackrod.core.errors import InputError
from trackrod.core.files import content_hash

RUNNER = CliRunner()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A drive in curves, with an acceleration that counts the other way."""
    time = np.arange(0.0, 20.0, 0.02)
    rate = 0.3 * np.sin(1.2 * time) * np.sin(0.3 * time)
    rows = zip(
        time, 3.6 * (20.0 + np.sin(0.2 * time)), np.degrees(rate), -20.0 * rate, np.degrees(40 * rate), strict=True
    )
    lines = ["Time [s],Speed [km/h],YawRate [deg/s],LatAcc [m/s^2],SW_pos"]
    lines += [",".join(f"{value:.5f}" for value in row) for row in rows]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "log.csv"


def test_channels_are_listed_with_units_rates_and_suggestions(log: Path) -> None:
    result = RUNNER.invoke(app, ["channels", str(log), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["channels"][0] == {
        "name": "Speed",
        "unit": "km/h",
        "rate_Hz": pytest.approx(50.0),
        "samples": 1000,
        "start_s": 0.0,
        "end_s": pytest.approx(19.98),
    }
    assert {s["column"]: s["certain"] for s in found["suggestions"]} == {
        "vx_mps": True,
        "yaw_rate_radps": True,
        "ay_mps2": True,
        "steering_wheel_angle_rad": False,
    }


def test_a_written_map_is_used_and_the_fault_is_refused(log: Path, tmp_path: Path) -> None:
    before, given = content_hash(log), tmp_path / "map.toml"
    assert RUNNER.invoke(app, ["channels", str(log), "--write", str(given)]).exit_code == 0
    result = RUNNER.invoke(app, ["channels", str(log), "--map", str(given)])
    assert isinstance(result.exception, InputError)
    assert "'LatAcc' (ay_mps2): counts the other way" in str(result.exception)
    given.write_text(given.read_text().replace('{ channel = "LatAcc" }', '{ channel = "LatAcc", sign = -1 }'))
    result = RUNNER.invoke(app, ["channels", str(log), "--map", str(given)])
    assert result.exit_code == 0, result.output
    assert content_hash(log) == before


def test_the_recording_itself_is_not_written_to(log: Path) -> None:
    before = content_hash(log)
    result = RUNNER.invoke(app, ["channels", str(log), "--write", str(log)])
    assert "never written to" in str(result.exception)
    assert content_hash(log) == before


def test_a_plan_that_does_not_exist_is_named(tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["measure", "cla_class", "--plan", "case_studi", "--out", str(tmp_path / "out")])
    assert "did you mean 'case_study'" in str(result.exception)
    assert not (tmp_path / "out").exists()

"""``trackrod score`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from trackrod.cli.app import app
from trackrod.core.errors import InputError

TIME = np.arange(1001) * 0.01


def damped(t: np.ndarray) -> np.ndarray:
    return np.where(t >= -1e-9, np.sin(np.pi * t) * np.exp(-0.1 * t), 0.0)


def write(path: Path, **columns: np.ndarray) -> Path:
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return (
        write(tmp_path / "test.csv", time_s=TIME, value=damped(TIME), yaw_rate_radps=0.3 * damped(TIME)),
        write(tmp_path / "model.csv", time_s=TIME, value=0.9 * damped(TIME - 0.05), yaw_rate_radps=0.36 * damped(TIME)),
    )


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["score", *map(str, arguments)])


def test_one_signal_and_one_metric_are_one_object(files: tuple[Path, Path]) -> None:
    before = [path.read_bytes() for path in files]
    result = run(*files, "--signal", "value", "--metric", "iso18571", "--json")
    assert result.exit_code == 0, result.exception
    found = json.loads(result.stdout)
    expected = {"R": 0.918779, "Z": 0.865155, "EP": 0.975025, "EM": 0.938562, "ES": 0.95, "shift": 0.05}
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-6)
    assert found["guarded"] == pytest.approx(expected, abs=1e-6)
    assert found["points"] == 1001
    assert [path.read_bytes() for path in files] == before


def test_several_are_a_list_with_units(files: tuple[Path, Path]) -> None:
    found = json.loads(run(*files, "--metric", "sprague-geers", "--metric", "nise", "--json").stdout)["scores"]
    assert [(entry["signal"], entry["unit"], entry["metric"]) for entry in found] == [
        ("value", "-", "sprague-geers"),
        ("value", "-", "nise"),
        ("yaw_rate_radps", "rad/s", "sprague-geers"),
        ("yaw_rate_radps", "rad/s", "nise"),
    ]
    assert found[2]["M"] == pytest.approx(0.2)
    assert found[2]["P"] == pytest.approx(0.0, abs=1e-7)


def test_people_get_a_table(files: tuple[Path, Path]) -> None:
    result = run(*files, "--signal", "yaw_rate", "--metric", "russell")
    assert result.exit_code == 0, result.exception
    assert "yaw_rate_radps" in result.stdout
    assert "russell" in result.stdout


@pytest.mark.parametrize(
    ("columns", "arguments", "text"),
    [
        ({"time_s": TIME, "speed_mps": TIME}, (), "have no column in common besides 'time_s'"),
        ({"time_s": TIME, "value": TIME}, ("--signal", "valu"), "did you mean 'value'"),
        ({"time_s": TIME + 50.0, "value": damped(TIME)}, (), "no time in common"),
        ({"time_s": TIME[::-1], "value": damped(TIME)}, (), "bad.csv:3: error: time must increase"),
        ({"value": damped(TIME)}, (), "the column 'time_s' is missing"),
        ({"time_s": TIME, "value": np.where(TIME == 3.0, np.nan, 1.0)}, (), "not finite at 1 points, the first is 300"),
        ({"time_s": TIME, "value": damped(TIME)}, ("--step", "0"), "a positive number is needed"),
    ],
)
def test_what_cannot_be_scored_is_said(
    files: tuple[Path, Path], tmp_path: Path, columns: dict[str, np.ndarray], arguments: tuple[str, ...], text: str
) -> None:
    error = run(files[0], write(tmp_path / "bad.csv", **columns), *arguments).exception
    assert isinstance(error, InputError)
    assert text in str(error)

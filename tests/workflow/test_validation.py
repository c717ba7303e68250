"""A model against recorded tests: what differs is told apart, noise is not; what is wrong is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from rtm.converted_vehicles import spec_of
from trackrod.cli.app import app
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import InputError
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.manoeuvres.steering import StepSteer
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.workflow.runs import model_run

CRITERIA = """
name = "handling"
intended_use = "choice of bars"

[[criterion]]
name = "yaw rate"
signal = "yaw_rate_radps"
metric = "residual.l2"
limit = 0.03

[[criterion]]
name = "roll angle"
signal = "roll_rad"
metric = "sprague-geers.C"
limit = 0.03
"""


@pytest.fixture(scope="module")
def spec() -> RtmSpec:
    return spec_of("double_wishbone_car")


@pytest.fixture(scope="module")
def folder(spec: RtmSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four noisy repeats of a step, the model itself, and one that is 200 kg heavier."""
    home = tmp_path_factory.mktemp("validation")
    run = model_run(spec, StepSteer(steering_wheel_angle_deg=30.0, delay_s=0.2, hold_s=2.0), 1e-3, 0.01)
    rng = np.random.default_rng(1)
    for k in range(4):
        noisy = {
            column: run[column] + 0.01 * np.abs(run[column]).max() * rng.normal(size=run.time.size)
            for column in ("yaw_rate_radps", "roll_rad")
        }
        write_run(Run({**run, **noisy}, {"manoeuvre": "step_steer"}), home / f"tests/step/{k}.csv", make_parents=True)
    heavier = {**spec.parameters, "sprung_mass": spec.parameters["sprung_mass"] + 200.0}
    save(Artefact(RTM, spec), home / "same.json")
    save(Artefact(RTM, replace(spec, parameters=heavier)), home / "heavier.json")
    (home / "criteria.toml").write_text(CRITERIA)
    return home


def run_command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["validate", *map(str, arguments)])


def judged(folder: Path, model: str, *arguments: object) -> dict:
    result = run_command(folder / model, folder / "tests", "--criteria", folder / "criteria.toml", "--json", *arguments)
    assert result.exit_code in (0, 1), result.exception
    found = json.loads(result.stdout)
    assert (found["outcome"] == "valid") == (result.exit_code == 0)
    return found


def test_noise_is_not_told_apart_and_200_kg_are(folder: Path) -> None:
    same, heavier = judged(folder, "same.json"), judged(folder, "heavier.json")
    assert same["outcome"] == "valid"
    assert same["degree_of_validity"] < 0.6
    assert not any(row["above_noise_floor"] for row in same["rows"])
    assert heavier["outcome"] == "not valid"
    assert all(row["above_noise_floor"] for row in heavier["rows"])
    for row in (*same["rows"], *heavier["rows"]):
        assert row["repeats"] == 4
        assert row["noise_floor"] > 0.0
        assert row["precision"] > 0.0
        assert row["numerical"] < 0.1 * row["limit"]


def test_runs_made_elsewhere_are_judged_too(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = judged(folder, "same.json", "--out", out)
    assert {path.name for path in out.iterdir()} >= {"runs", "verdict.json", "validation.html"}
    assert json.loads((out / "verdict.json").read_text())["outcome"] == "valid"
    page = (out / "validation.html").read_text()
    assert "level, dry, still air assumed" in page
    assert "choice of bars" in page
    assert "noise floor" in page
    again = run_command(out / "runs", folder / "tests", "--criteria", folder / "criteria.toml", "--json")
    rows = json.loads(again.stdout)["rows"]
    assert [row["value"] for row in rows] == pytest.approx([row["value"] for row in first["rows"]])
    assert all(row["numerical"] is None for row in rows)


def test_a_model_is_tuned_until_it_is_valid(folder: Path, spec: RtmSpec, tmp_path: Path) -> None:
    options = (
        "--criteria",
        folder / "criteria.toml",
        "--tune",
        "--parameter",
        "sprung_mass",
        "--out",
        tmp_path / "out",
    )
    result = run_command(folder / "heavier.json", folder / "tests", *options, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert "Every criterion is met" in found["sentence"]
    assert found["rounds"][0]["degree_of_validity"] > 1.0 > found["rounds"][-1]["degree_of_validity"]
    tuned = load(tmp_path / "out" / "rtm.json", RTM).content
    assert tuned.parameters["sprung_mass"] == pytest.approx(spec.parameters["sprung_mass"], rel=0.02)
    assert "How the model came to be" in (tmp_path / "out" / "validation.html").read_text()


def test_what_is_missing_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    criteria = ("--criteria", folder / "criteria.toml")
    for arguments, text in (
        ((folder / "no.json", folder / "tests", *criteria), "there is no file or folder"),
        ((folder / "same.json", tmp_path / "nothing", *criteria), "there is no folder"),
        ((folder / "same.json", tmp_path / "empty", *criteria), "holds no run"),
        ((tmp_path / "empty", folder / "tests", *criteria), "holds no run"),
        ((folder / "same.json", folder / "tests", "--criteria", folder / "same.json"), "not TOML"),
        ((folder / "same.json", folder / "tests", *criteria, "--vehicle", "suv"), "are for --tune"),
        ((folder / "same.json", folder / "tests", *criteria, "--tune", "--parameter", "size"), "no parameter 'size'"),
        ((folder / "tests", folder / "tests", *criteria, "--tune"), "no model that could be tuned"),
    ):
        error = run_command(*arguments).exception
        assert isinstance(error, InputError)
        assert text in str(error)

"""``trackrod envelope`` from a model to its domain, and to the signal in its runs.

The multibody model is replaced by a law that is known: the model is wrong from a lateral acceleration on. What both
models really do is driven by `benchmarks.envelope`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.rtm.converted_vehicles import converted
from typer.testing import CliRunner, Result

from trackrod.cli.app import app
from trackrod.core import signals
from trackrod.core.artefact import Artefact, Provenance, load, save
from trackrod.core.errors import InputError
from trackrod.core.run_files import read_run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.rtm.spec import RTM
from trackrod.validate.criteria import Criteria
from trackrod.workflow import envelope as workflow
from trackrod.workflow.envelope import Both

CAR, RIGHT_UP_TO = "double_wishbone_car", 5.0  # m/s²


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["envelope", *map(str, arguments)])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "rtm.json"
    save(Artefact(RTM, converted(CAR).spec, Provenance(settings={"vehicle": CAR})), path)
    return path


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text("runs = 64\nreferences = 40\nfriction = [0.9, 1.0]\nspeed_kmh = [60, 100]\n")
    return path


def test_the_domain_is_found_kept_and_told_by_runs(
    model: Path, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(both: Both, manoeuvre: Manoeuvre, criteria: Criteria) -> tuple[float, ...]:
        farthest = np.abs(workflow.drive_model(both.spec, manoeuvre)[signals.AY]).max()
        return tuple(float(farthest / RIGHT_UP_TO) ** 3 for _ in criteria.criteria)

    monkeypatch.setattr(workflow, "compare", planted)
    before, out = model.read_bytes(), tmp_path / "out"
    result = run(model, "--plan", plan, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert {Path(name).name for name in told["files"]} >= {"rtm.json", "envelope.json", "envelope.html"}
    assert model.read_bytes() == before  # what was read stays as it is

    kept = load(out / "rtm.json", RTM).content.validity
    assert kept is not None
    limit = next(bound.limit for bound in kept.bounds if bound.quantity == "lateral")
    assert 0.7 * RIGHT_UP_TO < limit <= RIGHT_UP_TO
    assert kept.sentence in json.dumps(told, ensure_ascii=False)
    assert kept.sentence in (out / "envelope.html").read_text()

    insides = {}
    for degrees in (20, 90):  # well inside and beyond
        path = tmp_path / f"{degrees}.csv"
        set_ = ["--set", f"steering_wheel_angle_deg={degrees}", "--set", "hold_s=1.5"]
        drive = ["simulate", str(out / "rtm.json"), "--manoeuvre", "step_steer", *set_, "--out", str(path)]
        driven = CliRunner().invoke(app, drive)
        assert driven.exit_code == 0, driven.output
        step = read_run(path)
        insides[degrees] = step["inside_validity"]
        assert bool(step["inside_validity"].all()) == (np.abs(step["ay_mps2"]).max() <= limit)
    assert insides[20].all()
    assert not insides[90].all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runs = 30\nreferences = 10\n", "plan.toml:2: error: the file: 10 references of 30 runs"),
        ("speed_kmh = [80, 60]\n", "plan.toml:1: error: the file: 'speed_kmh' goes from 80 to 60"),
        ("seed = 1\nruns = 10\n", "60 references of 10 runs"),
    ],
)
def test_a_wrong_plan_is_named_by_file_and_line_before_anything_is_driven(
    model: Path, tmp_path: Path, text: str, said: str
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    error = run(model, "--plan", plan, "--out", tmp_path / "out").exception
    assert isinstance(error, InputError)
    assert said in str(error)
    assert not (tmp_path / "out").exists()


def test_criteria_that_are_not_there_and_places_that_are_taken(model: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for arguments, said in (
        ((model, "--criteria", "within_6_percent", "--out", tmp_path / "out"), "did you mean 'within_5_percent'"),
        ((model, "--out", taken), "taken"),
        (("no_such_vehicle", "--out", tmp_path / "out"), "no_such_vehicle"),
    ):
        error = run(*arguments).exception
        assert isinstance(error, InputError)
        assert said in str(error)
    assert taken.read_text() == "mine"
    assert not (tmp_path / "out").exists()

"""From `trackrod measure` to `trackrod estimate` and `validate` on its folder: recordings, their map, their sensors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rtm.converted_vehicles import spec_of
from trackrod.cli.app import app
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.errors import InputError
from trackrod.core.run_files import read_run
from trackrod.rtm.spec import RTM
from trackrod.tune.whole import Whole
from trackrod.workflow.recorded_runs import Reader

RUNNER = CliRunner()
PLAN = """
name = "reduced"
sensors = "case_study"
seed = 2
format = "{format}"
[imu]
position = ["-150 mm", "80 mm", "-120 mm"]
[wheel_force_transducers]
outer_mass = "20 kg"
[[tests]]
name = "constant_speed"
manoeuvre = "excitation"
repeats = 2
settings = {{ speed_kmh = 40, steering_wheel_angle_deg = 0, duration_s = 6 }}
[[tests]]
name = "braking"
manoeuvre = "braking"
warm_up = 1
settings = {{ speed_kmh = 100, deceleration_g = 0.6 }}
[[tests]]
name = "light_braking"
manoeuvre = "braking"
settings = {{ speed_kmh = 60, deceleration_g = 0.25 }}
[[tests]]
name = "step_left"
manoeuvre = "step_steer"
settings = {{ speed_kmh = 80, target_ay_g = 0.7, hold_s = 4 }}
[[tests]]
name = "step_right"
manoeuvre = "step_steer"
settings = {{ speed_kmh = 80, target_ay_g = 0.7, direction = "right", hold_s = 4 }}
"""
CRITERIA = """
name = "yaw"
[[criterion]]
name = "yaw rate"
signal = "yaw_rate_radps"
metric = "residual.l2"
limit = 0.05
manoeuvres = ["step_left", "step_right"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small campaign of the case study's vehicle and sensors."""
    found = tmp_path_factory.mktemp("campaign")
    (found / "plan.toml").write_text(PLAN.format(format="csv"))
    (found / "criteria.toml").write_text(CRITERIA)
    options = ["--plan", str(found / "plan.toml"), "--out", str(found / "measured")]
    result = RUNNER.invoke(app, ["measure", "cla_class", *options])
    assert result.exit_code == 0, result.output
    step = read_run(next((found / "measured" / "truth").glob("step_left*")))
    wheels = 0.5 * (step["steer_fl_rad"] + step["steer_fr_rad"])
    angle = step["steering_wheel_angle_rad"]
    ratio = float((angle[-1] - angle[0]) / (wheels[-1] - wheels[0]))  # turn plates under the front wheels
    (found / "workshop.toml").write_text(f"[known]\nsteering_ratio = {ratio!r}\n[bounds]\nsteering_ratio = 0.15\n")
    return found


def test_truths_lie_inside_the_intervals(folder: Path, tmp_path: Path) -> None:
    page, measured = tmp_path / "page.html", folder / "measured"
    options = ["--vehicle", "cla_class", "--workshop", str(folder / "workshop.toml"), "--report", str(page)]
    result = RUNNER.invoke(app, ["estimate", str(measured), *options, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    values = {item["name"]: item for item in found["estimates"] if "value" in item}
    spec = spec_of("cla_class")
    whole = Whole.of(spec)
    truth = {
        "mass": whole.mass,
        "cg_x": -whole.cg_to_front,
        "cg_height_braking": whole.cg_height,
        "yaw_inertia": whole.Izz,
        **{f"brake_factor_{c}": spec.parameters["brake_front"] / spec.brake_pressure for c in ("fl", "fr")},
        **{f"brake_factor_{c}": spec.parameters["brake_rear"] / spec.brake_pressure for c in ("rl", "rr")},
    }
    for name, true in truth.items():
        low, high = values[name]["interval"]
        assert low <= true <= high, (name, true, values[name])
        assert high - low < 0.1 * abs(true), name
        assert values[name]["bias"] > 0.0, name  # sensors.toml was found beside the recordings
    assert [one["file"] for one in found["recordings"]] == sorted(path.name for path in measured.glob("*_?.csv"))
    done = "; ".join(step["text"] for step in found["recordings"][0]["record"])
    assert "63 ms taken out" in done
    assert "(-150, 80, -120) mm to the centre of gravity" in done
    assert "20 kg outside of each transducer added" in done
    assert "63 ms taken out" in page.read_text()


def test_a_bad_recording_is_refused_by_its_sentence(folder: Path, tmp_path: Path) -> None:
    """Left and right of the front loads exchanged in the map, and in a second file time that stands still."""
    measured = tmp_path / "measured"
    shutil.copytree(folder / "measured", measured)
    text = (measured / "channels.toml").read_text()
    swapped = text.replace('"Fz FL"', '"?"').replace('"Fz FR"', '"Fz FL"').replace('"?"', '"Fz FR"')
    (measured / "channels.toml").write_text(swapped)
    result = RUNNER.invoke(app, ["estimate", str(measured), "--vehicle", "cla_class", "--json"])
    assert isinstance(result.exception, InputError)
    assert "left and right of the front axle are exchanged" in str(result.exception)
    assert "step_left_1.csv" in str(result.exception)
    assert "step_right_1.csv" in str(result.exception)  # of all files at once
    assert not result.stdout


def test_a_map_that_is_given_goes_before_the_one_beside(folder: Path, tmp_path: Path) -> None:
    given = tmp_path / "other.toml"
    given.write_text('[channels]\nvx_mps = { channel = "Velocity", unit = "m/s" }\n')
    log = folder / "measured" / "braking_1.csv"
    result = RUNNER.invoke(app, ["estimate", str(log), "--map", str(given)])
    assert isinstance(result.exception, InputError)
    assert "channel 'Velocity' (vx_mps) is missing in braking_1.csv" in str(result.exception)


def test_repeats_are_one_test_and_truth_is_none(folder: Path) -> None:
    reader = Reader()
    tests = reader.tests(folder / "measured")
    assert {name: len(repeats) for name, repeats in tests.items()} == {
        "braking": 1,
        "constant_speed": 2,
        "light_braking": 1,
        "step_left": 1,
        "step_right": 1,
    }
    assert np.isfinite(tests["braking"][0]["ax_mps2"]).all()


def test_a_model_is_judged_and_tuned_by_recordings(folder: Path, tmp_path: Path) -> None:
    """From 15 % too little yaw inertia, which a recorded step tells."""
    spec = spec_of("cla_class")
    wrong = spec.with_parameters(Izz=0.85 * spec.parameters["Izz"])
    model, measured = tmp_path / "rtm.json", tmp_path / "measured"
    save(Artefact(RTM, wrong, Provenance()), model)
    measured.mkdir()
    files = ("constant_speed_1.csv", "step_left_1.csv", "step_right_1.csv")
    for name in ("channels.toml", "sensors.toml", *files):
        shutil.copy(folder / "measured" / name, measured)
    options = ["--criteria", str(folder / "criteria.toml"), "--workshop", str(folder / "workshop.toml")]
    options += ["--vehicle", "cla_class", "--tune", "--parameter", "damper_factor_front", "--json"]
    result = RUNNER.invoke(app, ["validate", str(model), str(measured), *options])
    assert result.stdout, result.exception
    found = json.loads(result.stdout)
    assert result.exit_code == 0, found["sentence"]
    assert found["verdict"]["outcome"] == "valid"
    assert found["rounds"][1]["title"] == "filled in"
    filled = found["rounds"][1]["parameters"]["Izz"]
    assert filled == pytest.approx(spec.parameters["Izz"], rel=0.05)
    assert {one["file"] for one in found["recordings"]} == set(files)

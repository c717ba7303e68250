"""``trackrod export --format carmaker``, and ``simulate`` on what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trackrod.cli.app import app
from trackrod.core.artefact import Artefact, save
from trackrod.core.errors import InputError
from trackrod.reference import read_reference
from trackrod.rtm.spec import RTM

RIG_FOLDER = Path(__file__).resolve().parents[2] / "examples" / "rig_folder"


def test_a_saved_model_goes_out_and_is_driven(tmp_path: Path) -> None:
    model = tmp_path / "rtm.json"
    save(Artefact(RTM, read_reference(RIG_FOLDER).conversion.spec), model)
    # the folder of a study holds its model under that name
    command = ["export", str(tmp_path), "--format", "carmaker", "--out", str(tmp_path / "project"), "--json"]
    done = CliRunner().invoke(app, [*command, "--carmaker-version", "9"], catch_exceptions=False)
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert all(Path(path).is_file() for path in told["files"])
    assert any("gears are changed" in text for text in told["lost"])
    settings = ["--set", "steering_wheel_angle_deg=20", "--set", "hold_s=1.5", "--json"]
    driven = CliRunner().invoke(
        app, ["simulate", told["files"][-1], "--manoeuvre", "step_steer", *settings], catch_exceptions=False
    )
    assert driven.exit_code == 0
    assert 0.1 < json.loads(driven.stdout)["largest_ay_g"] < 0.6
    for options, says in (
        (["--payload", "kerb"], "--payload is for vehicles"),
        (["--tyre", str(model)], "--tyre is for vehicles of CarMaker"),
    ):
        with pytest.raises(InputError, match=says):
            CliRunner().invoke(
                app, ["simulate", str(model), "--manoeuvre", "step_steer", *options], catch_exceptions=False
            )

"""``trackrod export`` from the command line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import asymmetric_vehicles
from trackrod.cli.app import app
from trackrod.core.artefact import Artefact, save
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.rtm.spec import RTM

SUMMARY = {
    "tolerance_pct": 5.0,
    "indices": [
        {"hold_out": False, "manoeuvre": "step_steer", "index": "yaw rate", "optimised_pct": 1.25},
        {"hold_out": False, "manoeuvre": "step_steer", "index": "roll", "optimised_pct": 0.5},
        {"hold_out": True, "manoeuvre": "braking", "index": "ax", "optimised_pct": 2.0},
    ],
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    save(Artefact(RTM, asymmetric_vehicles.converted("double_wishbone_car").spec), folder / "rtm.json")
    (folder / "summary.json").write_text(json.dumps(SUMMARY))
    return folder


def export(*words: object) -> str:
    result = CliRunner().invoke(app, ["export", *map(str, words)])
    if isinstance(result.exception, Exception):
        raise result.exception
    return result.output


def test_a_study_becomes_a_checked_fmu(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trackrod.export.check.usual_seconds", 0.2)
    out = tmp_path / "car.fmu"
    said = json.loads(export(study, "--format", "fmu3", "--out", out, "--check", "--json"))
    assert said["check"]["passed"] is True
    with zipfile.ZipFile(out) as archive:
        page = archive.read("documentation/index.html").decode()
        assert json.loads(archive.read("documentation/check.json"))["passed"] is True
    assert "step_steer 1.25 % (yaw rate); braking (held out) 2.00 % (ax)" in page
    assert "Self-test" in page
    assert json.loads(out.with_suffix(".check.json").read_text())["passed"] is True
    assert "81 outputs" in export(out, "--check")


def test_the_multibody_model_of_a_vehicle(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "car.fmu"
    words = ("--model", "multibody", "--format", "fmu2", "--out", out)
    assert json.loads(export("double_wishbone_car", *words, "--json"))["model"] == "multibody"
    with zipfile.ZipFile(out) as archive:
        assert b"hardpoints.front_suspension.tierod_outer_left.x" in archive.read("modelDescription.xml")
        assert "resources/properties/springs.front_suspension.ride_spring_left.csv" in archive.namelist()
    with pytest.raises(InputError, match="holds a real-time model alone"):
        export(study, *words)
    with pytest.raises(InputError, match="CarMaker"):
        export("double_wishbone_car", "--model", "multibody", "--format", "carmaker", "--out", tmp_path)


def test_sources_from_a_saved_model(study: Path, tmp_path: Path) -> None:
    export(study / "rtm.json", "--format", "c", "--out", tmp_path / "car")
    assert (tmp_path / "car" / "main.cpp").is_file()


def test_what_is_missing_or_wrong(study: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to export"):
        export()
    with pytest.raises(InputError, match=r"--format is missing(.|\n)*--out is missing"):
        export(study)
    with pytest.raises(InputError, match=r"must end in \.fmu"):
        export(study, "--format", "fmu2", "--out", tmp_path / "car.zip")
    with pytest.raises(InputError, match="for FMUs"):
        export(study, "--format", "c", "--out", tmp_path, "--check")
    with pytest.raises(InputError, match=r"no model 'rtm\.json'"):
        export(tmp_path, "--format", "fmu2", "--out", tmp_path / "car.fmu")
    with pytest.raises(UnknownNameError, match="platform"):
        export(study, "--format", "fmu2", "--out", tmp_path / "car.fmu", "--platforms", "amiga")
    with pytest.raises(InputError, match="is an FMU already"):
        export("car.fmu", "--format", "fmu2", "--out", tmp_path / "car.fmu")
    (tmp_path / "no.fmu").write_bytes(b"nothing")
    with pytest.raises(InputError, match="holds no model of Trackrod"):
        export(tmp_path / "no.fmu", "--check")

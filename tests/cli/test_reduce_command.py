"""The command: JSON, files, what is refused before anything takes long."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trackrod.cli.app import app
from trackrod.core.errors import InputError
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.reduce.experiment import Sweep
from trackrod.reduce.reduction import reduce_axle

runner = CliRunner()
KEYS = {"axle", "unsprung_mass_kg", "unsprung_share", "spring", "damper", "mount", "rms_pct", "starts", "seconds"}


def test_json_and_files(tmp_path: Path) -> None:
    curve = tmp_path / "camber.csv"
    curve.write_text("# z [m], camber [rad]\n" + "\n".join(f"{z / 100},{-z / 500}" for z in range(-6, 7)))
    out = tmp_path / "out"
    arguments = ["reduce", "suv", "--axle", "rear", "--out", str(out), "--json", "--change", f"camber={curve}"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    (told,) = json.loads(result.output)
    assert set(told) >= KEYS
    assert told["axle"] == "rear"
    assert len(told["spring"]) == 3
    assert len(told["damper"]) == 6
    assert told["change"]["position"] > 0.05
    assert max(told["rms_pct"].values()) < 3.0
    assert told["starts"]["tried"] == 2
    assert 0 <= told["starts"]["plain"] <= told["starts"]["homotopy"] <= 2
    assert told["posts"] == {}
    assert told["findings"] == []
    for name in ("quarter_car_rear.json", "reduce.json", "reduce.html", "change_rear.png", "link_rear.png"):
        assert (out / name).is_file(), name


def test_posts_and_findings_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both axles with short sweeps: each axle tells its loads, and the findings of the paper."""
    command = import_module("trackrod.cli.reduce")
    short = FourPost(duration_s=2.0, first_frequency_Hz=1.0, last_frequency_Hz=3.0)
    monkeypatch.setattr(command, "posts_of", lambda mode: replace(short, mode=mode))
    monkeypatch.setattr(command, "reduce_axle", partial(reduce_axle, sweep=Sweep(duration=5.0)))
    result = runner.invoke(app, ["reduce", "suv", "--posts", "--starts", "0", "--json"])
    assert result.exit_code == 0, result.output
    front, rear = json.loads(result.output)
    assert front["starts"] == {"tried": 0, "homotopy": 0, "plain": 0}
    assert list(front["posts"]) == [str(mode) for mode in PostMode]
    for mode, at_front in front["posts"].items():
        at_rear = rear["posts"][mode]
        assert at_front["body"] == at_rear["body"]
        assert at_front["loads"] != at_rear["loads"]
        assert 0.0 < at_front["loads"] < 10.0
    assert front["findings"] == rear["findings"]
    assert [set(one) for one in front["findings"]] == 5 * [{"finding", "holds", "numbers"}]
    assert front["findings"][0]["holds"] is True


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--change", "camber"], "not CURVE=FILE"),
        (["--change", "caster=x.csv"], "unknown curve 'caster'"),
        (["--axle", "front", "--posts"], "needs both axles"),
    ],
)
def test_refused(arguments: list[str], says: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = runner.invoke(app, ["reduce", "suv", "--out", str(out), *arguments])
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "says"), [("0,0\n0.01,x\n", r":2"), ("0,0\n0.02,0\n0.01,0\n0.03,0\n", "folds"), ("0,0\n", "4 or more")]
)
def test_curves_of_files(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "toe.csv"
    path.write_text(text)
    result = runner.invoke(app, ["reduce", "suv", "--change", f"toe={path}"])
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)

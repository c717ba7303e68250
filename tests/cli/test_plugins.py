"""A manoeuvre and an index from a file of the user: on the command line, in comparisons, in studies."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trackrod.cli.app import main

MINE = """
from dataclasses import dataclass
from typing import ClassVar

import trackrod as tr
from trackrod.manoeuvres.controls import HoldSpeed, SteerTo, straight_ahead
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import Phase, Start
from trackrod.manoeuvres.settings import degrees, kmh, setting


@tr.register_manoeuvre
@dataclass(frozen=True, kw_only=True)
class MyStep(tr.Manoeuvre):
    name: ClassVar[str] = "my_step"
    title: ClassVar[str] = "A step of my own"

    speed_kmh: float = setting(50.0, "speed", 5.0, 300.0)

    def start(self):
        return Start(kmh(self.speed_kmh))

    def phases(self):
        pedals = HoldSpeed(kmh(self.speed_kmh))
        return (
            Phase("straight", straight_ahead, pedals, (After(0.5),)),
            Phase("step", SteerTo(degrees(ANGLE), degrees(200.0)), pedals, (After(1.5),)),
        )


@tr.register_indices("my_step")
def yaw(run):
    return {"my yaw": tr.Trace(run.time, FACTOR * run[tr.signals.YAW_RATE] ** 2, "time", "s", "yaw²", "rad²/s²")}
"""
CAR = "double_wishbone_car"


def plugin(path: Path, angle: float = 30.0, factor: float = 1.0) -> Path:
    path.write_text(MINE.replace("ANGLE", str(angle)).replace("FACTOR", str(factor)))
    return path


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    monkeypatch.setenv("TRACKROD_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["trackrod", *arguments, "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert (ended.value.code or 0) == 0, said.err
        return json.loads(said.out)

    return run


def test_a_manoeuvre_and_an_index_of_the_user(told: Callable[..., Any], tmp_path: Path) -> None:
    mine = plugin(tmp_path / "mine.py")
    option = f"--plugin={mine}"
    assert "my_step" in [row["name"] for row in told("manoeuvres", option)]
    rig = "--travel-mm=80"
    driven = told("simulate", CAR, "--manoeuvre=my_step", "--set=speed_kmh=40", option)
    assert driven["manoeuvre"] == "my_step"
    assert driven["largest_speed_kmh"] == pytest.approx(40.0, rel=0.02)
    first = told("compare", CAR, "--manoeuvre=my_step", rig, option)
    assert [index["name"] for index in first["indices"]] == ["my yaw"]

    # a study names the file itself; nothing is tuned, so that it is quick
    study = tmp_path / "study.toml"
    study.write_text('[study]\noptimiser = "none"\ntravel_mm = 80\nplugins = ["mine.py"]\n\n[tune.my_step]\n')
    out = tmp_path / "out"

    def largest() -> tuple[float, float, set[Path]]:
        found = told("convert", CAR, f"--config={study}", f"--out={out}")
        assert {row["index"] for row in found["indices"]} == {"my yaw"}
        assert (out / "rtm.json").is_file()
        assert found["parameters"] == []
        run = (out / "runs" / "my_step_reference.csv").read_text().splitlines()[-1]
        return found["indices"][0]["optimised_pct"], float(run.split(",")[1]), set((out / "evaluations").rglob("*.npz"))

    before = largest()
    assert largest() == before
    plugin(mine, angle=60.0)  # another manoeuvre under the same name: new runs
    changed = largest()
    assert changed[1] != before[1]
    plugin(mine, angle=60.0, factor=2.0)  # another index of the same runs: evaluated anew
    again = largest()
    assert again[1] == changed[1]
    assert len(again[2]) > len(changed[2])

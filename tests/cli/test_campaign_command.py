"""``trackrod campaign``: from a file to its table, its report, and one run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.rtm.converted_vehicles import spec_of
from typer.testing import CliRunner, Result

from trackrod.campaign.folder import CampaignFolder, require_parquet
from trackrod.cli.app import app
from trackrod.convert.conversion import Compliance
from trackrod.core.artefact import Artefact, save
from trackrod.core.errors import InputError
from trackrod.core.run_files import read_run
from trackrod.rtm.spec import RTM

TEXT = """
sampling = "lhs"
points = 6
runs_per_task = 3
models.car.source = "car.json"
manoeuvres.step = { manoeuvre = "step_steer", steering_wheel_angle_deg = 20, hold_s = 1.5, speed_kmh = 60 }
vary.friction = { distribution = "uniform", low = 0.5, high = 1.0 }
vary.step.direction = { distribution = "choice", values = ["left", "right"] }
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["campaign", *map(str, arguments)])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    save(Artefact(RTM, spec_of("double_wishbone_car", compliance=Compliance.NONE)), folder / "car.json")
    path = folder / "wet.toml"
    path.write_text(TEXT)
    found = run("run", path, "--json")
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert (told["runs"], told["of"], told["statuses"]) == (6, 6, {"completed": 6})
    return path


def test_status_says_how_far_it_is(file: Path) -> None:
    told = json.loads(run("status", file, "--json").stdout)
    values = {item["column"]: item for item in told["values"]}
    assert told["runs"] == told["of"] == 6
    assert values["yaw_rate_response_time_s"]["count"] == 6
    assert set(values["yaw_rate_response_time_s"]["percentiles"]) >= {"5", "50", "95"}
    assert "6 of 6 runs" in run("status", file.with_name("wet_campaign")).stdout


def test_a_run_again_is_the_same(file: Path, tmp_path: Path) -> None:
    found = run("replay", file, 4, "--run", tmp_path / "run.parquet", "--json")
    told = json.loads(found.stdout)
    assert (found.exit_code, told["same"], told["row"]["run"]) == (0, True, 4)
    driven = read_run(tmp_path / "run.parquet")
    assert abs(driven["ay_mps2"]).max() == told["row"]["largest_ay_mps2"]
    assert (driven["ay_mps2"][-1] > 0.0) == (told["row"]["in_step_direction"] == "left")


def test_another_number_in_the_table_is_told(file: Path, tmp_path: Path) -> None:
    folder = CampaignFolder(file.with_name("wet_campaign"))
    pa, path = require_parquet(), folder.task_file(1)
    whole = path.read_bytes()
    table = pa.parquet.read_table(path)
    place = table.column_names.index("largest_ay_mps2")
    values = [value + 1e-15 for value in table["largest_ay_mps2"].to_pylist()]
    values[1] += 1e-12
    try:
        pa.parquet.write_table(table.set_column(place, table.schema[place], pa.array([values])[0].values), path)
        found = run("replay", file, 4, "--run", tmp_path / "run.csv")
    finally:
        path.write_bytes(whole)
    assert found.exit_code == 1
    assert "largest_ay_mps2" in found.output


def test_the_report_shows_everything(file: Path, tmp_path: Path) -> None:
    assert run("report", file, "--page", tmp_path / "page.html").exit_code == 0
    text = (tmp_path / "page.html").read_text()
    for words in ("All 6 runs came to their end", "uniform, 0.5 to 1", "one of left, right", "response time [s]"):
        assert words in text
    assert "Worst cases" in text
    assert "rank correlation" in text
    assert "trackrod campaign replay FILE NUMBER" in text
    assert run("report", file).exit_code == 0
    assert file.with_name("wet_campaign").joinpath("report.html").is_file()


def test_what_is_wrong_is_told_before_anything_is_driven(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(TEXT.replace("friction", "frictoin").replace("car.json", str(file.with_name("car.json"))))
    for command in (("run", path), ("status", path), ("replay", path, 0), ("report", path)):
        found = run(*command)
        assert isinstance(found.exception, InputError), found.output
    assert [p.name for p in tmp_path.iterdir()] == ["wrong.toml"]
    with pytest.raises(InputError, match=r"wrong\.toml:7.*frictoin"):
        raise run("run", path).exception  # type: ignore[misc]
    found = run("replay", file, 4, "--run", tmp_path / "run.txt")
    assert isinstance(found.exception, InputError)

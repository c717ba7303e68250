"""``trackrod vehicles``, ``inspect`` and ``vehicle diff`` as a user meets them: figures, files, bad input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trackrod.vehicle import template_reader
from trackrod.vehicle.catalogue import BUNDLED

TEMPLATES = Path(template_reader.__file__).parent / "templates"
FRONT = "subsystems.tbl/front_suspension.sub"


class Design(NamedTuple):
    """What a bundled vehicle was designed for: SI units, front before rear."""

    axle_loads: tuple[float, float]
    wheelbase: float
    tracks: tuple[float, float] | None
    height: float | None
    templates: tuple[str, str]
    driven: tuple[bool, bool]


DESIGNS = {
    "lcv_3t5": Design(
        (1600, 1900), 3.52, (1.70, 1.69), 0.85, ("double_wishbone_transverse_leaf", "solid_axle_leaf"), (False, True)
    ),
    "lcv_7t": Design(
        (2500, 4500), 4.10, (1.74, 1.66), 1.05, ("double_wishbone_torsion_bar", "solid_axle_leaf"), (False, True)
    ),
    "suv": Design((1060, 840), 2.66, (1.62, 1.62), None, ("macpherson", "semi_trailing_multi_link"), (True, True)),
    "integral_link": Design(
        (1080, 970), 2.98, (1.67, 1.67), None, ("double_wishbone", "integral_link_leaf"), (True, True)
    ),
    "cla_class": Design((967, 676), 2.70, None, 0.502, ("macpherson", "multi_link"), (True, False)),
    "double_wishbone_car": Design(
        (770, 770), 2.56, (1.52, 1.59), None, ("double_wishbone", "double_wishbone"), (False, True)
    ),
}
#: Masses [kg] kerb, half and laden.
PAYLOADS = {"lcv_3t5": (2200, 2850, 3500), "lcv_7t": (3300, 5150, 7000)}


def trackrod(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", *map(str, arguments)]
    # One thread for linear algebra: the processes of a test run share the cores, and waiting threads cost seconds.
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def data_of(*arguments: object) -> Any:
    """What a command prints with --json, once it has succeeded."""
    result = trackrod(*arguments, "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


@cache
def inspected(*arguments: object) -> Any:
    """As `data_of` inspect; of files that do not change."""
    return data_of("inspect", *arguments)


class Copy:
    """A copy of the double wishbone car that can be changed."""

    def __init__(self, folder: Path) -> None:
        source = BUNDLED["double_wishbone_car"].database
        self.root = folder / source.name
        shutil.copytree(source, self.root)
        self.assembly = self.root / "assemblies.tbl/double_wishbone_car.asy"

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.root / file).read_text()
        assert text.count(old) == 1
        (self.root / file).write_text(text.replace(old, new))

    def line(self, file: str, text: str) -> int:
        before, found, _ = (self.root / file).read_text().partition(text)
        assert found
        return before.count("\n") + 1


@pytest.fixture
def car(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


# ---------------------------------------------------------------------------------------- bundled vehicles


def test_every_bundled_vehicle_has_a_design() -> None:
    assert set(BUNDLED) == set(DESIGNS)


def test_vehicles_are_listed() -> None:
    rows = {row["name"]: row for row in data_of("vehicles")}
    assert list(rows) == list(BUNDLED)
    for name, row in rows.items():
        assert row["mass_kg"] == pytest.approx(sum(DESIGNS[name].axle_loads), rel=0.005)
        assert row["title"] == BUNDLED[name].title
    table = trackrod("vehicles")
    assert table.returncode == 0, table.stderr
    assert all(name in table.stdout for name in BUNDLED)
    assert "4.10" in table.stdout


@pytest.mark.parametrize("name", DESIGNS)
def test_bundled_vehicle_is_as_designed(name: str) -> None:
    """Mass within 0.5 %, wheelbase and tracks exactly, centre of gravity within 10 mm, axle loads within 1 %."""
    data, design = inspected(name), DESIGNS[name]
    mass = sum(design.axle_loads)
    assert data["name"] == name
    assert data["mass_kg"] == pytest.approx(mass, rel=0.005)
    assert data["wheelbase_m"] == pytest.approx(design.wheelbase, abs=1e-9)
    if design.tracks is not None:
        assert (data["track_front_m"], data["track_rear_m"]) == pytest.approx(design.tracks, abs=1e-9)
    x, y, z = data["cg_m"]
    assert x == pytest.approx(-design.wheelbase * design.axle_loads[1] / mass, abs=0.010)
    aside = 0.0234 if name == "cla_class" else 0.0  # 51.5 % of its corner weights are on the left
    assert y == pytest.approx(aside, abs=0.010)
    if design.height is not None:
        assert z == pytest.approx(design.height, abs=0.010)
    loads = (data["axle_load_front_kg"], data["axle_load_rear_kg"])
    assert loads == pytest.approx(design.axle_loads, rel=0.01)
    assert 0.8 * mass < data["sprung_mass_kg"] < 0.95 * mass


def test_figures_of_the_compact_saloon() -> None:
    data = inspected("cla_class")
    assert data["axle_load_front_kg"] / data["mass_kg"] == pytest.approx(0.5886, abs=5e-4)
    assert data["inertia_kgm2"][2][2] == pytest.approx(2850, rel=0.005)


@pytest.mark.parametrize("name", DESIGNS)
def test_fields_of_the_json(name: str) -> None:
    data, design = inspected(name), DESIGNS[name]
    inertia = data["inertia_kgm2"]
    assert [len(row) for row in inertia] == [3, 3, 3]
    assert all(inertia[i][j] == pytest.approx(inertia[j][i], abs=1e-6) for i in range(3) for j in range(i))
    assert [axle["position"] for axle in data["axles"]] == ["front", "rear"]
    assert tuple(axle["template"] for axle in data["axles"]) == design.templates
    assert tuple(axle["driven"] for axle in data["axles"]) == design.driven
    assert [axle["dependent"] for axle in data["axles"]] == [False, name.startswith("lcv")]
    assert [axle["dual_tyres"] for axle in data["axles"]] == [False, name == "lcv_7t"]
    assert [axle["mode"] for axle in data["axles"]] == ["compliant", "compliant"]
    for problem in data["problems"]:
        assert {"severity", "file", "line", "text"} <= set(problem)
        assert problem["severity"] in ("warning", "note")  # no error
        assert problem["text"]


@pytest.mark.parametrize("name", DESIGNS)
def test_every_file_of_the_database_is_read(name: str) -> None:
    files = {Path(file) for file in inspected(name)["files_read"]}
    there = {file for file in BUNDLED[name].database.rglob("*") if file.is_file() and file.name != "SOURCE.md"}
    assert files == there
    assert {".asy", ".sub", ".tir", ".lcf", ".dcf"} <= {file.suffix for file in files}


@pytest.mark.parametrize("name", PAYLOADS)
def test_payload(name: str) -> None:
    for level, mass in zip(("kerb", "half", "laden"), PAYLOADS[name], strict=True):
        data = inspected(name) if level == "laden" else data_of("inspect", name, "--payload", level)
        assert (data["payload"], data["mass_kg"]) == (level, pytest.approx(mass, rel=0.005))


def test_laden_is_what_a_vehicle_without_payload_is() -> None:
    assert data_of("inspect", "suv", "--payload", "laden") == inspected("suv")


def test_mode() -> None:
    data = data_of("inspect", "suv", "--mode", "kinematic")
    assert [axle["mode"] for axle in data["axles"]] == ["kinematic", "kinematic"]
    assert data["mass_kg"] == inspected("suv")["mass_kg"]


def test_parameters_of_subsystems_can_be_given_other_values() -> None:
    data = data_of("inspect", "suv", "--parameter", "rear_suspension.kinematic_flag=1")
    assert [axle["mode"] for axle in data["axles"]] == ["compliant", "kinematic"]
    wrong = trackrod("inspect", "suv", "--parameter", "rear_suspension.kinematic_flag=on", "--parameter", "x")
    assert wrong.returncode == 2
    for text in ("rear_suspension.kinematic_flag=on", "x"):
        assert f"error: --parameter {text} is not SUBSYSTEM.PARAMETER=NUMBER" in wrong.stderr


def test_table_and_files(tmp_path: Path) -> None:
    page, picture, saved = (tmp_path / name for name in ("van.html", "van.png", "van.json"))
    result = trackrod("inspect", "lcv_7t", "--html", page, "--picture", picture, "--save", saved)
    assert result.returncode == 0, result.stderr
    for text in ("7000", "4.1", "1.74", "solid_axle_leaf", "dependent", "driven", "twin tyres", "laden"):
        assert text in result.stdout
    for path in (page, picture, saved):
        assert str(path) in result.stdout.replace("\n", "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    assert "Vehicle lcv_7t" in text
    assert "src=" not in text.split("<body>")[1]  # self-contained
    assert sorted(path.name for path in tmp_path.iterdir()) == ["van.html", "van.json", "van.png"]

    again, first = data_of("inspect", saved), inspected("lcv_7t")
    assert again["files_read"] == [str(saved)]
    for name in set(first) - {"files_read", "problems"}:  # files of a database show more than the vehicle alone
        assert again[name] == first[name], name
    assert data_of("vehicle", "diff", "lcv_7t", saved)["differences"] == []


def test_notes_are_shown_on_demand() -> None:
    silent, talking = trackrod("inspect", "suv"), trackrod("inspect", "suv", "--notes")
    assert ": note: " not in silent.stderr
    assert ": note: " in talking.stderr


# ------------------------------------------------------------------------------------- changed databases


def test_diff_shows_what_was_changed(car: Copy) -> None:
    car.change(FRONT, "USER_VALUE     =  454.45", "USER_VALUE     =  444.45")
    differing = trackrod("vehicle", "diff", "double_wishbone_car", car.assembly, "--json")
    assert differing.returncode == 1
    found = json.loads(differing.stdout)["differences"]
    assert [row["where"] for row in found] == [
        f"springs.front_suspension.ride_spring_{side}.installed_length" for side in ("left", "right")
    ]
    assert (found[0]["first"], found[0]["second"]) == pytest.approx((0.45445, 0.44445))
    assert found[0]["change"] == pytest.approx(-0.01 / 0.45445)
    table = trackrod("vehicle", "diff", "double_wishbone_car", car.assembly)
    assert "2 differences" in table.stdout
    assert "-2.2 %" in table.stdout
    tolerant = data_of("vehicle", "diff", "double_wishbone_car", car.assembly, "--tolerance", 0.05)
    assert tolerant["differences"] == []


def test_a_template_of_ones_own(car: Copy, tmp_path: Path) -> None:
    """A suspension added as one file; without it the hardpoints find the built-in one."""
    folder = tmp_path / "templates"
    folder.mkdir()
    text = (TEMPLATES / "double_wishbone.toml").read_text()
    (folder / "my_wishbone.toml").write_text(text.replace('["_double_wishbone"]', '["_my_wishbone"]'))
    car.change(FRONT, "templates.tbl/_double_wishbone.tpl", "templates.tbl/_my_wishbone.tpl")
    without = data_of("inspect", car.assembly)
    assert [axle["template"] for axle in without["axles"]] == ["double_wishbone", "double_wishbone"]
    data = data_of("inspect", car.assembly, "--templates", folder)
    assert [axle["template"] for axle in data["axles"]] == ["my_wishbone", "double_wishbone"]
    assert data["mass_kg"] == without["mass_kg"]


def test_a_dangling_reference_is_refused_or_stood_in_for(car: Copy) -> None:
    name = "dampers.tbl/front_ride_damper.dpr"
    (car.root / name).rename(car.root / "dampers.tbl/front_ride_dampers.dpr")
    refused = trackrod("inspect", car.assembly, "--json")
    assert refused.returncode == 2
    first, problem = json.loads(refused.stdout)["problems"]
    assert "1 file is not found" in first["text"]
    assert "--stand-in" in first["hint"]
    assert (problem["file"], problem["line"]) == (str(car.root / FRONT), car.line(FRONT, name))
    assert "the damper 'ride_damper' of 'front_suspension'" in problem["text"]
    assert "front_ride_dampers.dpr" in problem["hint"]
    data = data_of("inspect", car.assembly, "--stand-in")
    assert data["name"] == "double_wishbone_car_with_stand_ins"
    (warning,) = (p for p in data["problems"] if p["severity"] == "warning")
    assert warning["text"].startswith("stand-in: ")
    assert warning["text"].endswith("takes 'stand_in_damper.dpr'")


def test_errors_of_the_audit_end_with_1(car: Copy, tmp_path: Path) -> None:
    """Errors are shown by whatever command opens the vehicle; what can be computed without the part is computed."""
    (car.root / "dampers.tbl/front_ride_damper.dpr").write_text("[MDI_HEADER]\n FILE_TYPE = 'dpr'\n")
    small = ("--axle", "front", "--travel-mm=-10:10:10", "--rack-mm=-10:10:10", "--map-points", 3, "--out", tmp_path)
    for command in (("inspect", car.assembly), ("kc", car.assembly, *small)):
        result = trackrod(*command)
        assert result.returncode == 1, result.stderr
        assert "'ride_damper' is left out of the mechanism" in result.stderr
        assert "front_ride_damper.dpr: error: there is no [CURVE] block" in result.stderr
    assert "is left out of the mechanism" in (tmp_path / "kc.html").read_text()


def test_experiments_that_cannot_be_read_are_warnings(car: Copy) -> None:
    """Load cases and driver controls are named by no subsystem, and found in their folders all the same."""
    car.change("loadcases.tbl/parallel_travel.lcf", "'angle'", "'angel'")
    broken = car.root / "driver_controls.tbl/Broken.DCF"
    broken.write_text("[EXPERIMENT\n")
    data = data_of("inspect", car.assembly)
    found = {Path(p["file"]).name: p for p in data["problems"] if p["severity"] == "warning"}
    assert set(found) == {"parallel_travel.lcf", "Broken.DCF"}
    assert "angel" in found["parallel_travel.lcf"]["text"]
    wanted = car.line("loadcases.tbl/parallel_travel.lcf", "'angel'")
    assert found["parallel_travel.lcf"]["line"] == wanted
    assert str(broken) in data["files_read"]
    assert data["mass_kg"] == inspected("double_wishbone_car")["mass_kg"]


def test_experiments_outside_of_a_database_are_not_looked_for(car: Copy, tmp_path: Path) -> None:
    outside = tmp_path / "outside.dcf"
    outside.write_text("[EXPERIMENT\n")
    (car.root / "driver_controls.tbl/link.dcf").symlink_to(outside)
    data = data_of("inspect", car.assembly)
    assert not [file for file in data["files_read"] if Path(file).name in ("outside.dcf", "link.dcf")]
    assert not [problem for problem in data["problems"] if problem["severity"] != "note"]


# --------------------------------------------------------------------------------------------- bad input


def assert_refused(result: subprocess.CompletedProcess[str], *texts: str) -> None:
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    for text in texts:
        assert text in result.stderr.replace("\n", " "), result.stderr


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["nowhere.asy"], ["there is no file and no bundled vehicle 'nowhere.asy'"]),
        (["lcv7t"], ["there is no file and no bundled vehicle 'lcv7t'", "did you mean 'lcv_7t'?"]),
        (["suv", "--payload", "kerb"], ["'suv' has no payload to leave out for 'kerb'", "payload"]),
        (["suv", "--mode", "always"], ["--mode always is unknown", "kinematic and compliant"]),
        (["suv", "--alias", "shared"], ["--alias shared is not NAME=FOLDER"]),
        (["suv", "--alias", "shared=nowhere.cdb"], ["nowhere.cdb", "the folder of the database 'shared'"]),
        ([__file__], ["test_vehicle_commands.py' is not a vehicle", "lcv_7t"]),
    ],
    ids=["missing file", "typo", "no payload", "mode", "alias", "folder of an alias", "another file"],
)
def test_one_clear_message(arguments: list[str], texts: list[str], tmp_path: Path) -> None:
    result = trackrod("inspect", *arguments, "--save", tmp_path / "out.json")
    assert_refused(result, "error: ", *texts)
    assert result.stderr.strip().count("\n") == 0
    assert list(tmp_path.iterdir()) == []


def test_words_that_are_not_allowed() -> None:
    assert_refused(trackrod("inspect", "lcv_7t", "--payload", "overloaded"), "overloaded", "kerb")
    assert_refused(trackrod("vehicle", "diff", "lcv_7t", "suvv"), "did you mean 'suv'?")


def test_broken_assembly(car: Copy, tmp_path: Path) -> None:
    name = "assemblies.tbl/double_wishbone_car.asy"
    car.change(name, "subsystems.tbl/rear_suspension.sub", "subsystems.tbl/rear_suspensions.sub")
    saved = tmp_path / "car.json"
    result = trackrod("inspect", car.assembly, "--save", saved, "--json")
    line = car.line(name, "rear_suspensions.sub")
    assert_refused(result, f"double_wishbone_car.asy:{line}", "rear_suspensions.sub", "did you mean")
    first, problem = json.loads(result.stdout)["problems"]
    assert "1 file is not found" in first["text"]
    assert (problem["severity"], problem["line"]) == ("error", line)
    assert not saved.exists()
    car.assembly.write_bytes(b"\x00\x81\xff" * 100)
    assert_refused(trackrod("inspect", car.assembly), "double_wishbone_car.asy")
    car.assembly.write_text(car.assembly.stem)
    assert_refused(trackrod("inspect", car.assembly), "double_wishbone_car.asy")


def test_saved_vehicle_that_was_changed(tmp_path: Path) -> None:
    saved = tmp_path / "car.json"
    assert trackrod("inspect", "double_wishbone_car", "--save", saved).returncode == 0
    text = saved.read_text()
    assert text.count("0.45445") >= 1
    saved.write_text(text.replace("0.45445", "0.44445"))
    assert_refused(trackrod("inspect", saved), "car.json", "error: ")


def test_broken_template_of_ones_own(tmp_path: Path) -> None:
    text = (TEMPLATES / "double_wishbone.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace('centre = "wheel_center"', 'centre = "wheel_centre"'))
    result = trackrod("inspect", "suv", "--templates", tmp_path)
    assert_refused(result, "mine.toml", "wheel_centre", "did you mean 'wheel_center'")
    assert_refused(trackrod("inspect", "suv", "--templates", tmp_path / "nowhere"), "nowhere", "no such folder")


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    assert_refused(trackrod("inspect", "suv", "--html", tmp_path / "no" / "suv.html"), "folder", "does not exist")


def test_a_bundled_database_is_copied_whole_and_reads_itself(tmp_path: Path) -> None:
    folder = tmp_path / "my_car.cdb"
    result = data_of("vehicle", "copy", "double_wishbone_car", folder)
    body = folder / "subsystems.tbl/body.sub"
    body.write_text(body.read_text().replace("1079.6", "1179.6"))
    assert data_of("inspect", result["assembly"])["mass_kg"] == pytest.approx(1640.0, abs=0.1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my_car.cdb"]


@pytest.mark.parametrize(("name", "folder"), [("no_car", "new.cdb"), ("suv", "there.cdb"), ("suv", "file/new.cdb")])
def test_a_copy_that_cannot_be_made_leaves_everything_as_it_was(name: str, folder: str, tmp_path: Path) -> None:
    (tmp_path / "there.cdb").mkdir()
    (tmp_path / "file").write_text("")
    result = trackrod("vehicle", "copy", name, tmp_path / folder)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "there.cdb"]

"""The command line as a user meets it: results, JSON, bad input, exit codes."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from estimate.planted_bench import planted_bench, planted_tyre
from estimate.test_tyre_fit import wheel_run
from trackrod import __version__
from trackrod.cli.app import app
from trackrod.core.errors import UnknownNameError
from trackrod.core.run_files import write_run
from trackrod.tyre import load_tyre
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import write_tir

CAR = SAMPLES["car_mf61"]
HEADER = "Fz_N,kappa,alpha_rad,gamma_rad,Vx_mps,p_Pa"
POINTS = HEADER + "\n4000,0.02,0.05,0.01,20,230000\n5000,-0.1,-0.08,0.0,30,210000\n"


def trackrod(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def columns_of(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@pytest.fixture
def points(tmp_path: Path) -> Path:
    path = tmp_path / "points.csv"
    path.write_text(POINTS)
    return path


def test_version() -> None:
    result = trackrod("--version")
    assert result.returncode == 0
    assert result.stdout == f"trackrod {__version__}\n"


def test_evaluate(points: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    result = trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out)
    assert result.returncode == 0, result.stderr
    table = columns_of(out)
    assert list(table) == [*HEADER.split(","), "Fx_N", "Fy_N", "Mx_Nm", "My_Nm", "Mz_Nm"]
    forces = load_tyre(CAR).evaluate(*(table[name] for name in HEADER.split(",")))
    for name, column in (("Fx", "Fx_N"), ("Fy", "Fy_N"), ("Mx", "Mx_Nm"), ("My", "My_Nm"), ("Mz", "Mz_Nm")):
        np.testing.assert_array_equal(table[column], getattr(forces, name))
    assert table["Fy_N"][0] < 0 < table["Fy_N"][1]  # positive slip angle, negative force


def test_mfeval_through_the_command_line(shared_data: Path, tmp_path: Path) -> None:
    tyre = shared_data / "tyres/matheusft_MFeval_julia/test/fixtures/MagicFormula61_Parameters.tir"
    reference = shared_data / "reference/mfeval_mf61.csv"
    out = tmp_path / "out.csv"
    result = trackrod("tyre", "evaluate", tyre, "--points", reference, "--out", out, "--no-limits")
    assert result.returncode == 0, result.stderr
    got = columns_of(out)
    with reference.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name in ("Fx_N", "Fy_N", "Mx_Nm", "My_Nm", "Mz_Nm"):
        wanted = np.array([float(row[name]) for row in rows])
        assert np.abs(got[name] - wanted).max() <= 1e-6 * np.abs(wanted).max(), name


def test_evaluate_reports_points_outside(tmp_path: Path) -> None:
    points, out = tmp_path / "points.csv", tmp_path / "out.csv"
    points.write_text(HEADER + "\n40000,0,0.1,0,20,230000\n4000,0,1.55,0,0.5,230000\n")
    result = trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out, "--json")
    data = json.loads(result.stdout)
    assert data["points"] == 2
    assert {item["input"]: item["below"] + item["above"] for item in data["outside"]} == {
        "Fz": 1,
        "alpha": 1,
        "|Vx|": 1,
    }
    clipped = columns_of(out)
    text = trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out)
    assert "1 points outside 150 ≤ Fz ≤ 11000" in text.stderr
    free = json.loads(
        trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out, "--json", "--no-limits").stdout
    )
    assert [item["action"] for item in free["outside"]] == ["evaluated as they are"] * 2
    assert columns_of(out)["Fy_N"][0] != clipped["Fy_N"][0]


def test_pressure_zero_is_that_of_the_file(tmp_path: Path) -> None:
    points, out = tmp_path / "points.csv", tmp_path / "out.csv"
    points.write_text(HEADER + "\n4000,0.02,0.05,0,20,0\n4000,0.02,0.05,0,20,230000\n")
    result = trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out)
    assert "1 points with p_Pa = 0 take the file's pressure, 230000 Pa" in result.stderr
    table = columns_of(out)
    assert table["Fy_N"][0] == table["Fy_N"][1]
    assert list(table["p_Pa"]) == [0.0, 230000.0]


def test_mounted_side_mirrors(points: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    sides = {}
    for side in ("left", "right"):
        assert trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out, "--mounted", side).returncode == 0
        sides[side] = columns_of(out)["Fy_N"]
    assert (sides["left"] != sides["right"]).all()


def test_show(tmp_path: Path) -> None:
    result = trackrod("tyre", "show", CAR, "--out", tmp_path / "plots")
    assert result.returncode == 0, result.stderr
    assert "cornering_stiffness" in result.stdout
    assert "N/rad" in result.stdout
    png, page = tmp_path / "plots/car_mf61.png", tmp_path / "plots/car_mf61.html"
    assert png.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    assert "slip angle" in text
    assert "[deg]" in text
    assert "src=" not in text.split("<body>")[1]  # self-contained
    assert len(list((tmp_path / "plots").iterdir())) == 2


def test_show_json(sample: Path) -> None:
    data = json.loads(trackrod("tyre", "show", sample, "--json").stdout)
    assert data["characteristics"]["cornering_stiffness_Nprad"] < -2e4
    assert 0.2 < data["characteristics"]["unloaded_radius_m"] < 0.5
    assert data["problems"] == []


# ------------------------------------------------------------------------------------------- bad input


def assert_refused(result: subprocess.CompletedProcess[str], *texts: str) -> None:
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    for text in texts:
        assert text in result.stderr.replace("\n", " "), result.stderr


BROKEN = {
    "missing key": (
        lambda t: "\n".join(x for x in t.splitlines() if not x.startswith(" PKY1 ")),
        ["PKY1", "missing"],
    ),
    "unit word": (lambda t: t.replace("'meter'", "'parsec'"), ["parsec", "LENGTH"]),
    "text in a number": (lambda t: t.replace("=  1.36 ", "=  one "), ["PCY1 = one", "number"]),
    "unknown FITTYP": (lambda t: t.replace("=  61 ", "=  99 "), ["FITTYP = 99", "61, 62"]),
    "negative load": (lambda t: re.sub(r"(FZMIN\s*=\s*)\S+", r"\g<1>-150", t), ["FZMIN = -150", "negative"]),
    "truncated table": (lambda t: t + "[SHAPE]\n{radial width}\n 1.0 0.0\n 1.0\n", ["row", "values"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_property_file(case: str, points: Path, tmp_path: Path) -> None:
    change, texts = BROKEN[case]
    file = tmp_path / "broken.tir"
    text = change(CAR.read_text())
    assert text != CAR.read_text()
    file.write_text(text)
    out = tmp_path / "out.csv"
    result = trackrod("tyre", "evaluate", file, "--points", points, "--out", out)
    assert_refused(result, "broken.tir:", "error", *texts)
    assert result.stderr.strip().count("\n") == 0  # one message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.tir", "points.csv"]


def test_broken_property_file_as_json(tmp_path: Path) -> None:
    file = tmp_path / "broken.tir"
    file.write_text(CAR.read_text().replace("=  61 ", "=  99 "))
    result = trackrod("tyre", "show", file, "--json")
    assert result.returncode == 2
    problem = json.loads(result.stdout)["problems"][0]
    assert problem["line"] > 1
    assert "FITTYP = 99" in problem["text"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fz_N,kappa\n1,2\n", "no column alpha_rad"),
        (HEADER.replace("alpha_rad", "alpha_deg") + "\n1,2,3,4,5,6\n", "the file has alpha_deg"),
        (HEADER + "\n4000,0,0,0,20,230000\n4000,x,0,0,20,230000\n", "points.csv:3:2: error: kappa = 'x'"),
        (HEADER + "\n4000,0,nan,0,20,230000\n", "points.csv:2:3: error: alpha_rad = nan is not a finite"),
        (HEADER + "\n4000,0,0,0,20,-5\n", "p_Pa = -5 must not be negative"),
        (HEADER + "\n4000,0,0\n", "the line has 3 values"),
        (HEADER + "\n", "no points"),
        ("", "no column"),
    ],
)
def test_broken_points(text: str, expected: str, tmp_path: Path) -> None:
    points, out = tmp_path / "points.csv", tmp_path / "out.csv"
    points.write_text(text)
    assert_refused(trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out), expected)
    assert not out.exists()


def test_binary_points(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_bytes(b"\xff\xfe\x00\x81")
    assert_refused(trackrod("tyre", "evaluate", CAR, "--points", points, "--out", tmp_path / "o.csv"), "UTF-8")


def test_missing_files(points: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.tir"
    assert_refused(trackrod("tyre", "show", nowhere), "nowhere.tir", "does not exist")
    assert_refused(
        trackrod("tyre", "evaluate", CAR, "--points", tmp_path / "no.csv", "--out", tmp_path / "o.csv"),
        "no.csv",
    )
    result = trackrod("tyre", "evaluate", CAR, "--points", points, "--out", tmp_path / "no" / "o.csv")
    assert_refused(result, "folder", "does not exist")
    assert_refused(trackrod("tyre", "show", CAR, "--mounted", "middle"), "middle")
    assert_refused(trackrod("tyre", "shows", CAR))


def test_an_old_result_survives_a_failure(tmp_path: Path) -> None:
    points, out = tmp_path / "points.csv", tmp_path / "out.csv"
    points.write_text(HEADER + "\n4000,x,0,0,20,230000\n")
    out.write_text("precious")
    assert trackrod("tyre", "evaluate", CAR, "--points", points, "--out", out).returncode == 2
    assert out.read_text() == "precious"


def test_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    points, out = tmp_path / "points.csv", tmp_path / "out.csv"
    points.write_text(HEADER + "\n" + "4000,0.02,0.05,0.01,20,230000\n" * 400_000)
    command = [
        sys.executable,
        "-m",
        "trackrod",
        "tyre",
        "evaluate",
        str(CAR),
        "--points",
        str(points),
        "--out",
        str(out),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(tmp_path.glob(".out*")) and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (0, 130)
    if process.returncode == 130:
        assert "interrupted" in errors
        assert [path.name for path in tmp_path.iterdir()] == ["points.csv"]
    assert "Traceback" not in errors


def test_fit_writes_a_tyre_that_says_where_it_comes_from(tmp_path: Path) -> None:
    data = planted_bench(1)
    names = {"time": "time_s", "alpha": "alpha_rad", "Fz": "Fz_N", "Fy": "Fy_N"}
    table = np.column_stack([data[name] for name in names])
    np.savetxt(tmp_path / "bench.csv", table, delimiter=",", header=",".join(names.values()), comments="")
    command = ["tyre", "fit", str(tmp_path / "bench.csv"), "--out", str(tmp_path / "fitted.tir"), "--radius", "0.32"]
    report = tmp_path / "fit.html"
    result = CliRunner().invoke(app, [*command, "--report", str(report), "--cross-validate", "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["axes"] == "iso"
    assert said["not_told"]["PDY3"] == "the data do not have two cambers"
    assert [round(item["load_N"], -3) for item in said["left_out"]] == [2000, 4000, 6000]
    assert said["coefficients"]["PDY1"]["value"] == pytest.approx(1.05, rel=0.03)
    assert any("rest on 3 sweeps" in note for note in said["notes"])
    assert "fitted by trackrod" in (tmp_path / "fitted.tir").read_text()
    assert "bench.csv" in (tmp_path / "fitted.tir").read_text()
    assert "PKY1" in report.read_text()
    shown = CliRunner().invoke(app, command)
    assert "neutral, Mz was not measured over alpha: QBZ1" in shown.stdout
    assert CliRunner().invoke(app, [*command, "--unit", "SA"]).exit_code != 0


def test_a_tyre_of_a_bench_is_scaled_to_a_road(tmp_path: Path) -> None:
    bench, log, out = tmp_path / "bench.tir", tmp_path / "slalom.csv", tmp_path / "road.tir"
    write_tir(planted_tyre(), bench, ("planted",))
    write_run(wheel_run(planted_tyre().with_values(LMUY=0.85, LKY=1.15), 1), log)
    given = ["tyre", "scale", str(bench), str(log), "--out", str(out), "--corner", "fl"]
    result = CliRunner().invoke(app, [*given, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    values = {name: item["value"] for name, item in found["factors"].items()}
    assert values == pytest.approx({"LMUY": 0.85, "LKY": 1.15}, abs=0.02)
    assert found["rms_after_N"] < 0.5 * found["rms_before_N"]
    again = load_tyre(out).properties.coefficients
    assert (again["LMUY"], again["LKY"]) == pytest.approx((values["LMUY"], values["LKY"]))
    assert "scaled by trackrod" in out.read_text()
    result = CliRunner().invoke(app, given)
    assert "LMUY" in result.stdout
    result = CliRunner().invoke(app, [*given, "--factor", "LMU"])
    assert isinstance(result.exception, UnknownNameError)

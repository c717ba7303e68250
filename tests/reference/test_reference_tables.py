"""Tables of other programs, in every format, and the units that people write."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import savemat

from trackrod.core.errors import FileFormatError, InputError, UnitError
from trackrod.core.quantities import KINDS
from trackrod.core.tables import read_table
from trackrod.core.written_units import RACK_RATIO, factor_of, number_of

TIME = np.arange(5) * 0.01
RATE = np.array([0.0, 1.5, -2.25, 3e-7, 4.0])


def test_packed_text(tmp_path: Path) -> None:
    path = tmp_path / "comma.csv.gz"
    path.write_bytes(gzip.compress(b"t,psi dot\n0.0,0.0\n0.01,1.5\n"))
    assert read_table(path).columns["psi dot"].tolist() == [0.0, 1.5]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FileFormatError, match="gzip"):
        read_table(path)
    with pytest.raises(InputError, match="is not the suffix of a table"):
        read_table(path.rename(tmp_path / "run.mat.gz"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("comma.csv", "t,psi dot\n0.0,0.0\n0.01,1.5\n0.02,-2.25\n0.03,3e-7\n0.04,4\n"),
        ("units.csv", "t,psi dot\n[s],[deg/s]\n0.0,0.0\n0.01,1.5\n0.02,-2.25\n0.03,3e-7\n0.04,4\n"),
        ("remark.csv", "# made by hand\nt,psi dot\n0.0,0.0\n0.01,1.5\n0.02,-2.25\n0.03,3e-7\n0.04,4\n"),
        ("german.csv", "t;psi dot\n0,0;0,0\n0,01;1,5\n0,02;-2,25\n0,03;3e-7\n0,04;4\n"),
        (
            "export.tab",
            '"Time history of the model"\n\n"t"\t"psi dot"\n0.0\t0.0\n0.01\t1.5\n0.02\t-2.25\n0.03\t3e-7\n0.04\t4\n',
        ),
        ("export.req", 'A title\n  t   "psi dot"\n 0.0 0.0\n 0.01 1.5\n 0.02 -2.25\n 0.03 3e-7\n 0.04 4\n'),
    ],
)
def test_text(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    table = read_table(path)
    assert list(table.columns) == ["t", "psi dot"]
    assert np.array_equal(table.columns["t"], TIME)
    assert np.array_equal(table.columns["psi dot"], RATE)
    assert table.units.get("psi dot", "") == ("deg/s" if name == "units.csv" else "")
    lines = text.splitlines()
    assert lines[(table.place(1).line or 0) - 1].replace(",", ".").strip().startswith("0.01")


def test_matlab(tmp_path: Path) -> None:
    path = tmp_path / "run.mat"
    content = {"result": {"t": TIME, "psi": RATE, "label": "x"}, "units": {"psi": "deg/s"}, "gain": np.arange(3.0)}
    savemat(path, content)
    table = read_table(path)
    assert set(table.columns) == {"t", "psi"}
    assert np.array_equal(table.columns["psi"], RATE)
    assert table.units["psi"] == "deg/s"


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    parquet.write_table(arrow.table({"t": TIME, "psi": RATE, "label": ["a"] * 5}), path)
    table = read_table(path)
    assert set(table.columns) == {"t", "psi"}
    assert np.array_equal(table.columns["psi"], RATE)


def test_mdf(tmp_path: Path) -> None:
    asammdf = pytest.importorskip("asammdf")
    path = tmp_path / "run.mf4"
    with asammdf.MDF(version="4.10") as file:
        file.append([asammdf.Signal(samples=RATE, timestamps=TIME, name="psi", unit="deg/s")])
        file.append([asammdf.Signal(samples=np.array([0.0, 4.0]), timestamps=TIME[[0, 4]], name="slow", unit="m")])
        file.save(path)
    table = read_table(path)
    assert np.array_equal(table.columns["time"], TIME)
    assert np.array_equal(table.columns["psi"], RATE)
    assert np.allclose(table.columns["slow"], np.arange(5.0))
    assert table.units["psi"] == "deg/s"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"t,x\n0,1\n1,apple\n", "a.csv:3:2: error: 'apple' in column 'x' is not a number"),
        ("a.csv", b"t,x\n0,1\n1\n", "a.csv:3: error: the line has 1 values, there are 2 columns"),
        ("a.csv", b"nothing here\n", "no row of numbers"),
        ("a.csv", b"0,1\n1,2\n", "no line of 2 column names"),
        ("a.csv", b"t,t\n0,1\n1,2\n", "more than once: t"),
        ("a.req", b"\0\1\2\3", "the file is binary"),
        ("a.mat", b"not matlab", "not a complete MATLAB file"),
        ("a.xlsx", b"", "'.xlsx' is not the suffix of a table (supported are .csv"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_table(path)
    assert said in str(error.value)


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(FileFormatError, match="not a complete Parquet file"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("unit", "kind", "factor"),
    [
        ("deg/s", "angular_velocity", math.pi / 180),
        ("°/s", "angular_velocity", math.pi / 180),
        ("rpm", "angular_velocity", math.pi / 30),
        ("km/h", "velocity", 1 / 3.6),
        ("kph", "velocity", 1 / 3.6),
        ("mph", "velocity", 0.44704),
        ("g", "acceleration", 9.80665),
        ("mm/s^2", "acceleration", 1e-3),
        ("N*mm", "torque", 1e-3),
        ("Nm", "torque", 1.0),
        ("kg*mm^2", "inertia", 1e-6),
        ("kN/mm", "stiffness", 1e6),
        ("%", "number", 0.01),
        ("bar", "pressure", 1e5),
        ("[mm]", "length", 1e-3),
        ("", "length", 1.0),
        ("N·m", "torque", 1.0),
    ],
)
def test_units(unit: str, kind: str, factor: float) -> None:
    assert factor_of(unit, KINDS[kind]) == pytest.approx(factor, rel=1e-12)


def test_a_unit_of_something_else() -> None:
    with pytest.raises(UnitError, match="'mm' is not a unit of angle; 'rad' is needed"):
        factor_of("mm", KINDS["angle"])
    with pytest.raises(UnitError, match="'furlong' is not a unit that is known"):
        factor_of("furlong", KINDS["length"])
    with pytest.raises(UnitError, match="is not a number"):
        number_of("tall", KINDS["length"])


@given(st.floats(-1e3, 1e3))
def test_numbers_with_units(value: float) -> None:
    assert number_of(f"{value!r} mm", KINDS["length"]) == value * 1e-3
    assert number_of(f"{value!r}mm/deg", RACK_RATIO) == pytest.approx(value * 1e-3 * 180 / math.pi, rel=1e-12)
    assert number_of(value, KINDS["length"]) == value

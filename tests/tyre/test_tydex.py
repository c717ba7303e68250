"""TYDEX files: blocks, channels with units, factors, offsets and axis systems; what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.errors import FileFormatError, InputError
from trackrod.reference.tyre_files import read_tyre
from trackrod.tyre.tydex import AxisSystem, read_tydex

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "carmaker"


def line(key: str, comment: str, unit: str, *values: str) -> str:
    return f"{key:<10}{comment:<30}{unit:<10}{'         '.join(values)}"


TEXT = "\n".join(
    [
        "**HEADER",
        "! written by hand",
        line("RELEASE", "Release of TYDEX-Format", "", "1.3"),
        line("SUPPLIER", "Data supplier", "", "own"),
        "**CONSTANTS",
        line("INFLPRES", "Inflation pressure", "bar", "2.2"),
        line("TYSTRUCT", "Tyre structure", "", "R"),
        "**MODELPARAMETERS",
        line("ITVS", "vertical stiffness", "", "210000"),
        "**MEASURCHANNELS",
        line("FZW", "Vertical force", "kN", "1", "0", "0"),
        line("SLIPANGL", "Slip angle", "deg", "2", "0.5", "-1"),
        line("FYW", "Lateral force", "N", "-1"),
        line("TREADTMP", "Temperature of the tread", "deg C", "1"),
        "**MEASURDATA",
        "  4.0  1.0  1500  60",
        "  4.0 -1.0 -1500  61",
        "**MEASURCHANNELS",
        line("FZH", "Vertical force", "N", "1"),
        line("LONGSLIP", "Slip", "%", "1"),
        line("FXH", "Longitudinal force", "N", "1"),
        "**MEASURDATA",
        " 3000 10 2500",
        "",
        "  **END",
    ]
)


def write(folder: Path, text: str = TEXT) -> Path:
    path = folder / "tyre.tdx"
    path.write_text(text)
    return path


def test_everything_of_a_file(tmp_path: Path) -> None:
    found = read_tydex(write(tmp_path))
    assert found.header["SUPPLIER"] == "own"
    assert (found.constants["INFLPRES"], found.constants["TYSTRUCT"]) == ("2.2 bar", "R")
    assert found.parameters["ITVS"] == "210000"
    first, second = found.tables
    assert first.channels["FZW"].values.tolist() == [4000.0, 4000.0]
    assert first.channels["SLIPANGL"].values == pytest.approx(np.deg2rad([2.0, -2.0]))  # 2 · (x + 0.5) − 1
    assert first.channels["FYW"].values.tolist() == [-1500.0, 1500.0]
    assert first.channels["FYW"].comment == "Lateral force"
    tread = first.channels["TREADTMP"]
    assert (tread.kind, tread.unit, tread.axes, tread.values[1]) == (None, "deg C", None, 61.0)
    assert (first.axes, second.axes) == ((AxisSystem.ROAD,), (AxisSystem.HUB,))
    assert second.channels["LONGSLIP"].values == pytest.approx([0.1])
    assert (first.points, second.points) == (2, 1)


def test_as_a_tyre_it_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="not a tyre property file") as caught:
        read_tyre(write(tmp_path))
    assert "trackrod tyre fit" in caught.value.problems[0].hint
    assert "3 points" in caught.value.problems[0].hint


@pytest.mark.parametrize(
    ("old", "new", "says", "number"),
    [
        ("  4.0 -1.0 -1500  61", "  4.0 -1.0 -1500", "the line has 3 values, there are 4 channels", 17),
        (" 3000 10 2500", " 3000 ten 2500", "'ten' is not a number", 23),
        (" 3000 10 2500", " 3000 nan 2500", "'nan' is not a number", 23),
        ("deg       2", "kg        2", "channel 'SLIPANGL': 'kg' is not a unit of angle", 12),
        ("FYW       ", "FZW       ", "channel 'FZW' occurs twice", 13),
        ("**HEADER\n", "", "is not in a block", 2),
        ("**MEASURCHANNELS", "**CHANNELS", "has no '**MEASURCHANNELS' before it", 15),
        ("**MEASURDATA", "**DATA", "the file has no '**MEASURDATA'", None),
    ],
)
def test_faults_have_their_line(tmp_path: Path, old: str, new: str, says: str, number: int | None) -> None:
    assert old in TEXT
    with pytest.raises(InputError) as caught:
        read_tydex(write(tmp_path, TEXT.replace(old, new)))
    problem = caught.value.problems[0]
    assert says in problem.text
    assert problem.place.line == number


@pytest.mark.skipif(not REAL.is_dir(), reason="no sample files beside the project")
def test_real_files() -> None:
    """In the axes of TYDEX a positive slip angle gives a negative side force, a driving slip a positive one."""
    paths = sorted(REAL.rglob("*.tdx"))
    assert len(paths) >= 6
    for path in paths:
        for table in read_tydex(path).tables:
            assert len(table.axes) == 1
            letter = table.axes[0]
            assert table.channels[f"FZ{letter}"].values.min() > 0.0
            if "SLIPANGL" in table.channels:
                angle, force = table.channels["SLIPANGL"].values, table.channels[f"FY{letter}"].values
                assert np.abs(angle).max() <= np.pi / 3 + 1e-9
                assert float(angle @ force) < 0.0
            else:
                slip, force = table.channels["LONGSLIP"].values, table.channels[f"FX{letter}"].values
                assert np.abs(slip).max() <= 1.0
                assert float(slip @ force) > 0.0

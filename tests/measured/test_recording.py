"""Recordings in every format: names, units and the time of each channel; the files stay as they are."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from trackrod.core.errors import FileFormatError, InputError, UnknownNameError
from trackrod.core.files import content_hash
from trackrod.measured.recording import Samples, open_recording, recording_of
from trackrod.measured.suggestions import map_text, suggest, words_of

TEXTS = {
    "units behind names": "Time [s],Ground Speed [km/h],YawRate (deg/s)\n0,10,1\n0.1,11,2\n0.2,12,3\n",
    "units in a line": "Time;Ground Speed;YawRate\ns;km/h;deg/s\n0;10;1\n0,1;11;2\n0,2;12;3\n",
    "as i2 Pro exports": (
        '"Format","MoTeC CSV File",,"Workbook",""\n"Venue","Ring",,"Vehicle",""\n\n"Time","Ground Speed","YawRate"\n'
        '"s","km/h","deg/s"\n\n"0.000","10","1"\n"0.100","11","2"\n"0.200","12","3"\n'
    ),
}


@pytest.mark.parametrize("style", TEXTS)
def test_units_are_read_from_every_style_of_header(style: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(TEXTS[style])
    before = content_hash(path)
    recording = open_recording(path)
    assert {name: channel.unit for name, channel in recording.channels.items()} == {
        "Ground Speed": "km/h",
        "YawRate": "deg/s",
    }
    assert recording["Ground Speed"].values.tolist() == [10.0, 11.0, 12.0]
    assert recording["YawRate"].time == pytest.approx([0.0, 0.1, 0.2])
    assert content_hash(path) == before


def test_our_own_columns_state_their_unit_and_a_slow_channel_has_its_own_time(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "log.csv.gz", "wt") as stream:
        stream.write("time_s,vx_mps,oil\n0,1,\n0.1,2,5\n0.2,3,\n0.3,4,6\n")
    recording = open_recording(tmp_path / "log.csv.gz")
    assert recording.channels["vx_mps"].unit == "m/s"
    assert recording["oil"].time.tolist() == [0.1, 0.3]
    assert recording.channels["oil"].rate == pytest.approx(5.0)


def test_a_file_without_names_needs_the_name_of_its_time(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("0,27.3\n0.5,27.2\n1,27.1\n")
    with pytest.raises(FileFormatError, match="no column is known as time"):
        open_recording(path)
    assert open_recording(path, time="column_1")["column_2"].values.tolist() == [27.3, 27.2, 27.1]


def test_structs_inside_structs_have_their_own_time_and_unit(tmp_path: Path) -> None:
    slow, fast = np.arange(0.0, 1.0, 0.1), np.arange(0.0, 1.0, 0.01)
    imu = {"t": fast, "ay": np.sin(fast), "units": {"ay": "g"}}
    oil = {"time": slow, "values": slow + 80.0, "unit": "degC"}
    savemat(tmp_path / "log.mat", {"day": {"imu": imu, "engine": {"oil": oil}, "weights": np.arange(3.0)}})
    recording = open_recording(tmp_path / "log.mat")
    assert {name: (c.unit, c.samples) for name, c in recording.channels.items()} == {
        "ay": ("g", 100),
        "oil": ("degC", 10),
    }
    assert recording["oil"].values[-1] == pytest.approx(80.9)
    assert any("weights" in note for note in recording.notes)


def test_names_that_occur_twice_carry_their_path(tmp_path: Path) -> None:
    time = np.arange(5.0)
    savemat(tmp_path / "log.mat", {"time": time, "front": {"p": time}, "rear": {"p": -time}})
    recording = open_recording(tmp_path / "log.mat")
    assert recording["rear.p"].values.tolist() == (-time).tolist()
    assert set(recording.channels) == {"front.p", "rear.p"}


def test_channels_of_mdf_have_the_time_of_their_group(tmp_path: Path) -> None:
    asammdf = pytest.importorskip("asammdf")
    with asammdf.MDF(version="4.10") as file:
        for rate, names in ((100.0, ("a", "b")), (10.0, ("c",))):
            time = np.arange(0.0, 2.0, 1.0 / rate)
            made = [asammdf.Signal(samples=rate * time, timestamps=time, name=name, unit="km/h") for name in names]
            file.append(made, common_timebase=True)
        file.save(tmp_path / "log.mf4", overwrite=True)
    recording = open_recording(tmp_path / "log.mf4")
    assert {name: (c.samples, round(c.rate), c.unit) for name, c in recording.channels.items()} == {
        "a": (200, 100, "km/h"),
        "b": (200, 100, "km/h"),
        "c": (20, 10, "km/h"),
    }
    read = dict(recording.read(["c", "b"]))
    assert read["b"].values[-1] == pytest.approx(199.0)
    assert read["c"].time[-1] == pytest.approx(1.9)


def test_columns_of_parquet_have_the_unit_of_their_field(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    fields = [arrow.field("t", arrow.float64()), arrow.field("v", arrow.float64(), metadata={"unit": "km/h"})]
    parquet.write_table(arrow.table([[0.0, 1.0], [3.0, 4.0]], schema=arrow.schema(fields)), tmp_path / "log.parquet")
    recording = open_recording(tmp_path / "log.parquet")
    assert (recording.channels["v"].unit, recording["v"].values.tolist()) == ("km/h", [3.0, 4.0])


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "log.ld"
    path.write_bytes(b"\x40")
    with pytest.raises(InputError, match="export it from i2 Pro as CSV"):
        open_recording(path)
    (tmp_path / "log.csv").write_text("Time [s],v [m/s]\n0,1\n1,2\n")
    with pytest.raises(UnknownNameError, match=r"unknown channel of 'log\.csv' 'w'"):
        open_recording(tmp_path / "log.csv")["w"]


def made(**channels: tuple[str, float]) -> object:
    time = np.linspace(0.0, 10.0, 201)
    return recording_of(
        Path("log.csv"), {name: (unit, Samples(time, top * np.sin(time))) for name, (unit, top) in channels.items()}
    )


def test_suggestions_go_by_name_unit_and_values() -> None:
    recording = made(
        LatAcc=("g", 0.5), YawRate=("", 40.0), Gyro_Z=("deg/s", 40.0), SW_pos=("", 300.0), FzFL=("kN", 5.0)
    )
    found = {suggestion.column: suggestion for suggestion in suggest(recording)}
    assert found["ay_mps2"].is_certain
    assert found["Fz_fl_N"].channels == ("FzFL",)
    assert (found["steering_wheel_angle_rad"].unit, found["steering_wheel_angle_rad"].is_certain) == ("deg", False)
    assert set(found["yaw_rate_radps"].channels) == {"YawRate", "Gyro_Z"}
    assert "several channels" in found["yaw_rate_radps"].reason


def test_a_written_map_holds_nothing_that_is_not_certain() -> None:
    recording = made(LatAcc=("g", 0.5), SW_pos=("", 300.0), Something=("V", 1.0))
    lines = map_text(recording, suggest(recording)).splitlines()
    assert 'ay_mps2 = { channel = "LatAcc" }' in lines
    assert '# steering_wheel_angle_rad = { channel = "SW_pos", unit = "deg" }' in lines
    assert "# Something [V]" in lines


def test_names_are_split_into_words() -> None:
    assert words_of("LatAcc_obd") == "lat acc obd"
    assert words_of("VelFR") == "vel fr"

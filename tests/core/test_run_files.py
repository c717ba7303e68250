"""Run files: exact round trips in four formats, recordings of loggers, and messages for damaged files."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import constants
from scipy.io import loadmat, savemat

from trackrod import _core
from trackrod.core import signals
from trackrod.core.errors import FileFormatError, InputError, MissingExtraError, MissingFileError
from trackrod.core.run_files import RUN_SUFFIXES, read_run, write_run
from trackrod.core.series import Run
from trackrod.core.signals import SIGNALS

asammdf = pytest.importorskip("asammdf", reason="MDF 4 needs the extra 'data'")
arrow = pytest.importorskip("pyarrow", reason="Parquet needs the extra 'data'")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
METADATA = st.dictionaries(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=4,
)
COLUMNS = st.lists(st.sampled_from([*list(SIGNALS)[1:], "oil_temperature_K", "F_N_N"]), unique=True, max_size=6)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    time = np.sort(draw(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12, unique=True)))
    values = st.lists(st.floats(), min_size=time.size, max_size=time.size)  # NaN, infinity, −0, denormals too
    return Run({"time_s": time, **{column: draw(values) for column in draw(COLUMNS)}}, draw(METADATA))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def example() -> Run:
    time = np.array([0.0, 0.1, 0.2])
    columns = {
        "time_s": time,
        "vx_mps": 20.0 + time / 3.0,
        "gear": [2, 2, 3],
        "Fz_fl_N": [4000.0, 4001.5, math.nan],
    }
    return Run(columns, {"name": "straight: on", "speeds_kmh": [10, 20.5], "note": 'Räder, "rund"\n# nicht eckig'})


@pytest.mark.parametrize("suffix", RUN_SUFFIXES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(run=runs())
def test_round_trip_is_exact(folder: Path, suffix: str, run: Run) -> None:
    path = folder / f"run{suffix}"
    write_run(run, path)
    back = read_run(path)
    assert back == run
    for column in run.columns:  # == sees no difference between −0 and 0
        number = ~np.isnan(run[column])
        assert_array_equal(np.signbit(back[column][number]), np.signbit(run[column][number]))
    assert [item.name for item in folder.iterdir() if item.name.endswith(f".tmp{suffix}")] == []


@pytest.mark.parametrize("suffix", RUN_SUFFIXES)
def test_example_and_step(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "deep" / f"example{suffix.upper()}"  # capital letters mean the same
    write_run(example(), path, make_parents=True)
    assert read_run(path) == example()
    assert read_run(path, step=0.05).differences(example().resample(0.05), absolute=1e-15) == []


def test_csv_text_is_as_documented(tmp_path: Path) -> None:
    write_run(example(), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode() == (
        '# name: "straight: on"\n'
        "# speeds_kmh: [10, 20.5]\n"
        '# note: "Räder, \\"rund\\"\\n# nicht eckig"\n'
        "time_s,vx_mps,gear,Fz_fl_N\n"
        "0.0,20.0,2.0,4000.0\n"
        "0.1,20.033333333333335,2.0,4001.5\n"
        "0.2,20.066666666666666,3.0,nan\n"
    )


def test_numbers_are_written_as_python_does() -> None:
    """Every size of number, what lies beside the borders between notations, and what is no number."""
    random = np.random.default_rng(3)
    sizes = random.integers(-320, 308, 5000).astype(float)
    anywhere = random.uniform(1.0, 10.0, sizes.size) * 10.0**sizes * random.choice([-1.0, 1.0], sizes.size)
    usual = random.normal(size=5000) * 10.0 ** random.integers(-6, 18, 5000)
    edges = np.array([1e-4, 1e15, 1e16, 2.0**53, 0.0, -0.0, 5e-324, 1.7976931348623157e308])
    beside = [np.nextafter(edges[:4], side) for side in (-np.inf, np.inf)]
    whole, none = np.trunc(usual), [np.nan, np.inf, -np.inf]
    values = np.concatenate([anywhere, usual, np.round(usual, 3), whole, edges, *beside, none])
    table = np.column_stack((values, values[::-1]))
    expected = "".join(f"{a!r},{b!r}\n" for a, b in table.tolist())
    assert _core.comma_separated(table).decode() == expected


def test_csv_is_read_by_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="a second opinion on the format")
    run = example()
    write_run(run, tmp_path / "a.csv")
    frame = pandas.read_csv(tmp_path / "a.csv", comment="#")
    assert tuple(frame.columns) == run.columns
    # pandas rounds in the last place by default.
    assert_allclose(frame.to_numpy(), np.column_stack([run[column] for column in run.columns]), rtol=1e-15)


def test_csv_of_other_programs(tmp_path: Path) -> None:
    # Byte-order mark, Windows line ends, quoted header, spaces, empty cell, a remark, a value without quotes.
    lines = [
        "\ufeff# exported",
        "# name: run 1",
        "#laps:3",
        "# date of test: 3",
        '"time_s","vx_mps"',
        "0, 1.5",
        "1e-1,",
        "+2.,INF",
        "",
        "",
    ]
    (tmp_path / "a.csv").write_bytes("\r\n".join(lines).encode())
    run = read_run(tmp_path / "a.csv")
    assert dict(run.metadata) == {"name": "run 1", "laps": 3}
    assert run.time.tolist() == [0.0, 0.1, 2.0]
    assert_array_equal(run["vx_mps"], [1.5, math.nan, math.inf])


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", "the file is empty"),
        ("# name: 1\n", "", "the file is empty"),
        ("time_s,vx_mps\n", "", "no samples"),
        ("vx_mps\n1\n", ":1", "the column 'time_s' is missing"),
        ("time_s,vx_mps\n0,1\nnan,2\n", ":3", "time is nan, it must be finite"),
        ("# a: 1\ntime_s,vx_mps\n0,1\n,2\n", ":4", "time is nan, it must be finite"),
        ("time_s\n0\n0.2\n0.1\n", ":4", "time must increase, but 0.1 s comes after 0.2 s"),
        ("time_s,vx_mps\n0,1\n1,fast\n", ":3:2", "'fast' in column 'vx_mps' is not a number"),
        ("time_s,vx_mps\n0,1_0\n", ":2:2", "'1_0' in column 'vx_mps' is not a number"),
        ("time_s,vx_mps\n0,0x10\n", ":2:2", "'0x10' in column 'vx_mps' is not a number"),
        ("time_s,vx_mps\n0,1\n1\n", ":3", "the line has 1 values, the header names 2 columns"),
        ("time_s,vx_mps\n0,1,2\n", ":2", "the line has 3 values, the header names 2 columns"),
        ("time_s,vx_mps\n0,1\n\n1,2\n", ":3", "the line has 0 values"),
        ("time_s;vx_mps\n0;1\n", ":1", "not separated by commas"),
        ("time_s,vx_mps,vx_mps\n0,1,2\n", ":1:3", "'vx_mps' occurs more than once"),
        ("time_s,vx_kmh\n0,1\n", ":1:2", "'vx_kmh' is not a column of a run (did you mean"),
        ("time_s,a b_m\n0,1\n", ":1:2", "'a b_m' is not a column of a run"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        read_run(path)
    assert f"{path}{place}: error: " in str(caught.value)
    assert message in str(caught.value)


def test_faults_of_a_csv_are_collected_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("time_s,vx_kmh\n0,a\n1\n2,b\n")
    with pytest.raises(FileFormatError) as caught:
        read_run(path)
    assert [problem.place.line for problem in caught.value.problems] == [1, 2, 3, 4]
    path.write_text("time_s,vx_mps\n" + "0,x\n" * 10000)
    with pytest.raises(FileFormatError, match="there are more problems") as caught:
        read_run(path)
    assert len(caught.value.problems) == 21


def test_csv_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"time_s\n\xff\n")
    with pytest.raises(FileFormatError, match="not UTF-8 text"):
        read_run(tmp_path / "a.csv")


def test_parquet_has_units_and_is_read_by_arrow(tmp_path: Path) -> None:
    from pyarrow import parquet

    write_run(example(), tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.column_names == list(example().columns)
    assert table.schema.field("vx_mps").metadata == {b"unit": b"m/s"}
    assert_array_equal(table["vx_mps"].to_numpy(), example()["vx_mps"])


def test_parquet_of_other_programs(tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(
        arrow.table({"time_s": arrow.array([0, 1]), "vx_mps": arrow.array([1.5, None], "float32")}), path
    )
    assert_array_equal(read_run(path)["vx_mps"], [1.5, math.nan])
    field = arrow.field("vx_mps", arrow.float64(), metadata={"unit": "km/h"})
    schema = arrow.schema([arrow.field("time_s", arrow.string()), field, arrow.field("index", arrow.int64())])
    parquet.write_table(arrow.table([["0"], [1.0], [1]], schema=schema), path)
    with pytest.raises(FileFormatError) as caught:
        read_run(path)
    text = str(caught.value)
    for part in (
        "column 'time_s' holds string, numbers are needed",
        "column 'vx_mps' has the unit 'km/h', its name says 'm/s'",
        "'index' is not a column of a run",
    ):
        assert part in text


def test_mat_is_friendly_to_matlab(tmp_path: Path) -> None:
    write_run(example(), tmp_path / "a.mat")
    content = loadmat(tmp_path / "a.mat")
    assert content["run"]["vx_mps"][0, 0].shape == (3, 1)
    assert content["units"]["vx_mps"][0, 0][0] == "m/s"
    assert sorted(name for name in content if name[0] != "_") == ["metadata", "run", "units"]
    long = Run({"time_s": [0.0], f"{'x' * 61}_m": [1.0]})  # 63 characters, the most that MATLAB takes
    write_run(long, tmp_path / "a.mat")
    assert read_run(tmp_path / "a.mat") == long


def test_mat_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    savemat(path, {"run": {"time_s": [[0, 1, 2]], "gear": np.array([[1], [2], [3]], dtype=np.int8)}})
    assert read_run(path)["gear"].tolist() == [1.0, 2.0, 3.0]
    assert dict(read_run(path).metadata) == {}
    for content, message in (
        ({"time_s": [0, 1]}, "the file has no struct 'run'; it has time_s"),
        ({}, "it has nothing"),
        ({"run": {"time_s": [0, 1], "gear": "ab"}}, "column 'gear' must hold real numbers"),
        ({"run": {"time_s": [0, 1], "gear": np.ones((2, 2))}}, "column 'gear' must be one row of numbers"),
        ({"run": {"time_s": [0, 1], "gear": [1, 2, 3]}}, "column 'gear' has 3 samples"),
        ({"run": {"time_s": [0, 0], "gear": [1, 2]}}, "sample 1: time must increase"),
        ({"run": {"time_s": [0, 1], "vx_mps": [1, 2]}, "units": {"vx_mps": "km/h"}}, "has the unit 'km/h'"),
        ({"run": {"time_s": [0, 1], "speed": [1, 2]}}, "'speed' is not a column of a run"),
        ({"run": {"gear": [1, 2]}}, "the column 'time_s' is missing"),
        ({"run": {"time_s": [0, 1]}, "metadata": "{"}, "the metadata is not JSON"),
        ({"run": {"time_s": [0, 1]}, "metadata": "[1]"}, "the metadata is not a JSON object"),
    ):
        savemat(path, content)
        with pytest.raises(FileFormatError, match=message):
            read_run(path)


def test_new_matlab_files_get_a_hint(tmp_path: Path) -> None:
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (tmp_path / "a.mat").write_bytes(header + bytes(512))
    with pytest.raises(FileFormatError, match=r"version 7.3 cannot be read .save with the option -v7"):
        read_run(tmp_path / "a.mat")


def test_mf4_has_units_and_is_read_by_asammdf(tmp_path: Path) -> None:
    write_run(example(), tmp_path / "a.mf4")
    with asammdf.MDF(tmp_path / "a.mf4") as file:
        assert file.version.startswith("4.")
        channel = file.get("vx_mps")
        assert channel.unit == "m/s"
        assert_array_equal(channel.samples, example()["vx_mps"])
        assert_array_equal(channel.timestamps, example().time)


def write_recording(path: Path, *groups: list[Any]) -> None:
    with asammdf.MDF(version="4.10") as file:
        for channels in groups:
            file.append(channels)
        file.save(path, overwrite=True)


def channel(name: str, unit: str, time: np.ndarray, samples: Any, **more: Any) -> Any:
    return asammdf.Signal(samples=np.asarray(samples), timestamps=time, name=name, unit=unit, **more)


def test_recording_with_two_time_bases(tmp_path: Path) -> None:
    slow, fast = np.arange(0.0, 2.01, 0.5), np.arange(0.25, 1.8, 0.01)
    write_recording(
        tmp_path / "log.mf4",
        [
            channel("VehSpd", "km/h", slow, 36.0 + 3.6 * slow),
            channel("state", "", slow, [b"a", b"b", b"c", b"d", b"e"], encoding="utf-8"),
            channel("pedal", "%", slow, slow),
            channel("engine.speed", "rpm", slow, np.arange(5, dtype=np.int16) * 1000),
        ],
        [
            channel("ay_mps2", "g", fast, fast),
            channel("oil", "°C", fast, 20.0 + 0.0 * fast),
            channel("VehSpd", "m/s", fast, fast),
        ],
    )
    run = read_run(tmp_path / "log.mf4")
    # The first channel's time base, over the time that both groups cover.
    assert run.time.tolist() == [0.25, 0.5, 1.0, 1.5, pytest.approx(1.79)]
    assert_allclose(run["VehSpd_mps"], 10.0 + run.time)
    assert_allclose(run["ay_mps2"], 9.80665 * run.time)
    assert_allclose(run["oil_K"], 293.15)
    assert_allclose(run["engine_speed_radps"], np.array([0, 1000, 2000, 3000, 3000]) * math.pi / 30.0)
    assert run.columns == ("time_s", "VehSpd_mps", "engine_speed_radps", "ay_mps2", "oil_K")
    notes = "\n".join(run.metadata["notes"])
    for part in (
        "'VehSpd' [km/h] is column 'VehSpd_mps'",
        "'state' left out: it holds no single numbers",
        "'pedal' left out: the unit '%' is not known",
        "'VehSpd' [m/s] left out: there is a column 'VehSpd_mps' already",
        "time bases differ: all resampled onto the time base of 'VehSpd', from 0.25 to 1.79",
    ):
        assert part in notes
    stepped = read_run(tmp_path / "log.mf4", step=0.02)
    assert_allclose(np.diff(stepped.time), 0.02, rtol=1e-9)
    assert_allclose(stepped["VehSpd_mps"], 10.0 + stepped.time)
    assert "steps of 0.02 s" in stepped.metadata["notes"][-1]
    write_run(run, tmp_path / "copy.csv")
    assert read_run(tmp_path / "copy.csv") == run


# Factor and offset into SI, from SciPy's constants and the definitions of the units.
UNITS = {
    "km/h": (constants.kmh, 0.0, "mps"),
    "mm": (constants.milli, 0.0, "m"),
    "cm": (constants.centi, 0.0, "m"),
    "km": (constants.kilo, 0.0, "m"),
    "deg": (constants.degree, 0.0, "rad"),
    "°": (constants.degree, 0.0, "rad"),
    "deg/s": (constants.degree, 0.0, "radps"),
    "°/s": (constants.degree, 0.0, "radps"),
    "rpm": (2.0 * constants.pi / constants.minute, 0.0, "radps"),
    "1/min": (2.0 * constants.pi / constants.minute, 0.0, "radps"),
    "g": (constants.g, 0.0, "mps2"),
    "kN": (constants.kilo, 0.0, "N"),
    "bar": (constants.bar, 0.0, "Pa"),
    "kPa": (constants.kilo, 0.0, "Pa"),
    "kW": (constants.kilo, 0.0, "W"),
    "°C": (1.0, constants.zero_Celsius, "K"),
    "ms": (constants.milli, 0.0, "s"),
    "m/s^2": (1.0, 0.0, "mps2"),
    "m/s2": (1.0, 0.0, "mps2"),
    "m/s²": (1.0, 0.0, "mps2"),
    "N*m": (1.0, 0.0, "Nm"),
    "Nm": (1.0, 0.0, "Nm"),
    "kg/m^3": (1.0, 0.0, "kgpm3"),
}


def test_units_of_loggers(tmp_path: Path) -> None:
    time = np.array([0.0, 1.0])
    values = np.array([0.0, 2.5])
    channels = [channel(f"c{index}", unit, time, values) for index, unit in enumerate(UNITS)]
    write_recording(tmp_path / "log.mf4", channels)
    run = read_run(tmp_path / "log.mf4")
    for index, (factor, offset, suffix) in enumerate(UNITS.values()):
        assert_allclose(run[f"c{index}_{suffix}"], values * factor + offset, rtol=1e-15)


def test_recordings_that_cannot_be_a_run(tmp_path: Path) -> None:
    time = np.array([0.0, 1.0])
    for groups, message in (
        ([[channel("a", "", time, time)]], "no channel that can be read: 'a' left out: it has no unit"),
        (
            [[channel("vx_mps", "bar", time, time)]],
            r"the column name asks for \[m/s\], the channel has \[bar\]",
        ),
        ([[channel("ä", "N", time, time)]], "it cannot be a column name"),
        ([[channel("a", "N", time, time)], [channel("b", "N", time + 5.0, time)]], "no time in common"),
        ([[channel("a", "N", np.array([0.0, 0.0]), time)]], "channel 'a', sample 1: time must increase"),
        ([[channel("a", "N", np.array([0.0, math.nan]), time)]], "channel 'a', sample 1: time is nan"),
    ):
        write_recording(tmp_path / "log.mf4", *groups)
        with pytest.raises(FileFormatError, match=message):
            read_run(tmp_path / "log.mf4")


def cut_places(size: int) -> Iterator[int]:
    yield from (0, 1, 8, 64, 100, 128, 200)
    yield from (size * part // 8 for part in range(1, 8))
    yield size - 1


@pytest.mark.parametrize("suffix", [".parquet", ".mat", ".mf4"])
def test_truncated_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_run(example(), path)
    whole = path.read_bytes()
    for size in cut_places(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError, match=r"a\.(parquet|mat|mf4): error: "):
            read_run(path)
    path.write_bytes(b"not what the suffix says" * 50)
    with pytest.raises(FileFormatError, match="not a complete"):
        read_run(path)


def test_suffix_and_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'\.xls' is not the suffix.*supported are \.csv, \.parquet, \.mat, \.mf4"):
        read_run(tmp_path / "a.xls")
    with pytest.raises(InputError, match="'' is not the suffix of a run file"):
        write_run(example(), tmp_path / "a")
    for suffix in RUN_SUFFIXES:
        with pytest.raises(MissingFileError, match="does not exist"):
            read_run(tmp_path / f"nothing{suffix}")
        with pytest.raises(MissingFileError, match="folder to write into does not exist"):
            write_run(example(), tmp_path / "no" / f"a{suffix}")
        (tmp_path / f"folder{suffix}").mkdir()
        with pytest.raises(InputError, match="is a folder"):
            read_run(tmp_path / f"folder{suffix}")


@pytest.mark.parametrize(("suffix", "package"), [(".parquet", "pyarrow"), (".mf4", "asammdf")])
def test_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, package: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_run(example(), path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}': pip install 'trackrod\[data\]'"):
        read_run(path)
    with pytest.raises(MissingExtraError):
        write_run(example(), tmp_path / f"b{suffix}")
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", RUN_SUFFIXES)
def test_failure_while_writing_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    write_run(example(), path)

    def fail(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(KeyboardInterrupt):
        write_run(example().slice(0.0, 0.1), path)
    assert read_run(path) == example()
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_long_runs_are_written_in_pieces(tmp_path: Path) -> None:
    time = np.arange(10000) * 1e-3
    run = Run({"time_s": time, signals.AY: np.sin(time)})
    write_run(run, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().count("\n") == 10001
    assert read_run(tmp_path / "a.csv") == run

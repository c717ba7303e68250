"""OpenCRG files: what they say, in every format, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from road.roads_by_hand import HEADER, crg_text, line_of
from trackrod.core.errors import FileFormatError
from trackrod.road.crg import read_crg, write_crg
from trackrod.road.surface import RoadSurface

NAN = float("nan")
#: Four rows, seven columns [m]: numbers that floats of four bytes hold.
GRID = np.arange(28.0).reshape(4, 7) / 64.0


def saved(folder: Path, data: bytes) -> Path:
    file = folder / "road.crg"
    file.write_bytes(data)
    return file


def refused(folder: Path, data: bytes) -> FileFormatError:
    with pytest.raises(FileFormatError) as caught:
        read_crg(saved(folder, data))
    return caught.value


@pytest.mark.parametrize("kind", ["LRFI", "LDFI", "KRBI", "KDBI"])
def test_the_same_road_in_every_format(tmp_path: Path, kind: str) -> None:
    road = read_crg(saved(tmp_path, crg_text(GRID.tolist(), kind=kind)))
    np.testing.assert_allclose(road.heights, GRID, rtol=0, atol=5.1e-8)  # seven digits
    np.testing.assert_allclose(road.sections, np.linspace(-1.5, 1.5, 7))
    assert (road.start_u, road.end_u, road.increment, road.length) == (0.0, 3.0, 1.0, 3.0)
    assert not road.headings.any()
    assert not road.banking.any()
    assert road.edges is None
    assert road.source == tmp_path / "road.crg"


@pytest.mark.parametrize("kind", ["KRBI", "KDBI"])
def test_what_fills_up_the_last_record_is_no_row(tmp_path: Path, kind: str) -> None:
    """Twelve numbers of four bytes or two of eight: the former are a whole row of seven and five of the next."""
    header = {name: value for name, value in HEADER.items() if name != "REFERENCE_LINE_END_U"}
    road = read_crg(saved(tmp_path, crg_text(GRID.tolist(), kind=kind, header=header)))
    assert road.heights.shape == (4, 7)


def test_rows_are_wrapped_into_records(tmp_path: Path) -> None:
    """Nine columns of ten characters need two records of eight; the second begins anew for every row."""
    rows = np.arange(36.0).reshape(4, 9) / 64.0
    channels = [f"long section at v = {v:.3f},m" for v in np.linspace(-2.0, 2.0, 9)]
    road = read_crg(saved(tmp_path, crg_text(rows.tolist(), channels)))
    np.testing.assert_allclose(road.heights, rows, atol=1e-7)


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    channels = ["long section at v = 1.5,m", "long section at v = -1.5,m", "long section at v = 0.0,m"]
    road = read_crg(saved(tmp_path, crg_text([[3.0, 1.0, 2.0]] * 4, channels)))
    np.testing.assert_allclose(road.sections, [-1.5, 0.0, 1.5])
    np.testing.assert_allclose(road.heights, [[1.0, 2.0, 3.0]] * 4)


def test_without_edges_the_columns_lie_around_the_line(tmp_path: Path) -> None:
    header = {"REFERENCE_LINE_INCREMENT": 1.0, "LONG_SECTION_V_INCREMENT": 0.25}
    road = read_crg(saved(tmp_path, crg_text([[0.0] * 5] * 3, header=header)))
    np.testing.assert_allclose(road.sections, [-0.5, -0.25, 0.0, 0.25, 0.5])
    assert road.length == 2.0  # as many rows as there are


#: A line that turns by 0.011 rad more from segment to segment, and back; slope and banking with the same numbers.
BEND = 0.011 * np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], dtype=float)


def bent(folder: Path) -> RoadSurface:
    channels = ["reference line phi,rad", "reference line banking,m/m", "reference line slope,m/m"]
    channels += [f"long section at v = {v:.1f},m" for v in (-1.5, 0.0, 1.5)]
    rows = [[NAN if k == 0 else a, a, NAN if k == 0 else a, 0.0, 0.0, 0.0] for k, a in enumerate(BEND)]
    header = {"REFERENCE_LINE_INCREMENT": 1.0, "REFERENCE_LINE_END_U": 22.0}
    return read_crg(saved(folder, crg_text(rows, channels, header=header)))


#: u, v and the x, y that the C library of ASAM OpenCRG 1.2 gives for this line [m].
PLACES = [
    (2.0, -1.5, 2.024688751925559, -1.4888187236621089),
    (8.0, 1.5, 7.867921313621614, 1.8027469393719389),
    (10.0, 1.5, 9.8262996205999702, 1.9863907766762312),
    (16.0, -1.5, 16.04746882208034, -0.45356988852442126),
    (20.0, 0.0, 19.953506398027091, 1.1976587227603137),
    (16.733430754781434, -0.48892023751461888, 16.714718046078328, 0.59577681865836996),
    (9.4811439603479322, 0.66691888655392395, 9.4006718728709231, 1.1069350596275738),
    (22.894757791978659, -0.1870271060322537, 22.84820369061579, 1.0216313948960685),
]


def test_places_are_those_of_the_library_of_the_standard(tmp_path: Path) -> None:
    follower = bent(tmp_path).follower(np.zeros((0, 3)), (0.0, 0.0, 0.0))
    for u, v, x, y in PLACES:
        assert follower.at(x, y) == pytest.approx((u, v), abs=2e-9)


def test_slope_and_banking_are_those_of_the_library_of_the_standard(tmp_path: Path) -> None:
    """Its heights less those of its grid: at u = 12 and 22 m on the line, and at the edge of u = 2 m [m]."""
    road = bent(tmp_path)
    assert float(road.height(12.0, 0.0)) == pytest.approx(0.73722220040857789 - 0.0222222, abs=1e-7)
    assert float(road.height(22.0, -1.0)) == pytest.approx(1.21, abs=1e-9)
    assert float(road.height(2.0, -1.5)) == pytest.approx(-0.0055, abs=1e-9)
    assert float(road.height(16.0, 1.0)) == pytest.approx(1.111, abs=1e-9)
    for u, v, x, y in PLACES:
        assert road.core.height_at(x, y) == pytest.approx(float(road.height(u, v)), abs=1e-8)


def test_constants_stand_for_channels_that_are_missing(tmp_path: Path) -> None:
    header = {**HEADER, "REFERENCE_LINE_START_S": 0.1, "REFERENCE_LINE_START_B": -0.02}
    road = read_crg(saved(tmp_path, crg_text([[0.0] * 7] * 4, header=header)))
    np.testing.assert_allclose(road.line_heights, [0.0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(road.banking, -0.02)


@pytest.mark.parametrize("binary", [False, True])
def test_a_road_that_is_written_is_read_again(tmp_path: Path, binary: bool) -> None:
    numbers = np.random.default_rng(1)
    rows, v = 37, np.array([-2.0, -0.7, 0.1, 1.9])
    heights = 0.1 * numbers.normal(size=(rows, v.size))
    along = 0.02 * numbers.normal(size=(3, rows))
    line = np.concatenate(([0.0], np.cumsum(along[0, 1:])))
    edges = np.column_stack((np.full(rows, -2.0), np.where(np.arange(rows) % 5, 1.9, 0.1)))
    heights[edges[:, 1] < 1.0, 3] = heights[edges[:, 1] < 1.0, 2]
    road = RoadSurface("a", 5.0, 0.5, np.append(0.0, along[1, 2:]), 0.5 * line, along[2], v, heights, edges=edges)
    file = tmp_path / "b.crg"
    write_crg(road, file, binary=binary, comment="two\nlines")
    again = read_crg(file)
    for name in ("headings", "line_heights", "banking", "sections", "heights", "edges"):
        np.testing.assert_allclose(getattr(again, name), getattr(road, name), atol=1e-12, err_msg=name)
    assert (again.start_u, again.end_u) == (road.start_u, road.end_u)


def test_margins_without_road_are_edges(tmp_path: Path) -> None:
    rows = [[NAN, *row[1:5], NAN, NAN] for row in GRID.tolist()]
    rows[2] = GRID[2].tolist()
    road = read_crg(saved(tmp_path, crg_text(rows)))
    assert road.edges is not None
    np.testing.assert_allclose(road.edges, [[-1.0, 0.5], [-1.0, 0.5], [-1.5, 1.5], [-1.0, 0.5]])
    np.testing.assert_allclose(road.heights[0], [*GRID[0, [1, 1, 2, 3, 4, 4, 4]]], atol=1e-7)
    assert road.edges_at(1.0) == (-1.0, 0.5)


def test_a_hole_is_named_with_its_line(tmp_path: Path) -> None:
    rows = GRID.tolist()
    rows[2][3] = NAN
    data = crg_text(rows)
    error = refused(tmp_path, data)
    assert "a hole at u = 2 m, v = 0 m" in str(error)
    assert error.problems[0].place.line == line_of(data, 2)


def test_a_row_without_road_is_named_with_its_line(tmp_path: Path) -> None:
    rows = GRID.tolist()
    rows[1] = [NAN] * 7
    data = crg_text(rows)
    error = refused(tmp_path, data)
    assert "there is no road at u = 1 m" in str(error)
    assert error.problems[0].place.line == line_of(data, 1)


def test_a_missing_heading_is_named(tmp_path: Path) -> None:
    rows = [[0.0, 0.0, 0.0], [NAN, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    channels = ["reference line phi,rad", "long section at v = -1,m", "long section at v = 1,m"]
    data = crg_text(rows, channels)
    error = refused(tmp_path, data)
    assert "reference line phi is missing at u = 1 m" in str(error)
    assert error.problems[0].place.line == line_of(data, 1)


def test_a_text_file_that_is_cut_off(tmp_path: Path) -> None:
    rows = np.zeros((4, 9)).tolist()
    channels = [f"long section at v = {v:.1f},m" for v in range(9)]
    data = crg_text(rows, channels)
    whole = data.splitlines(keepends=True)
    error = refused(tmp_path, b"".join(whole[:-1]))  # in the middle of a row
    assert "the row that begins here has 1 of 2 records" in str(error)
    assert error.problems[0].place.line == line_of(data, 3, records=2)
    error = refused(tmp_path, b"".join(whole[:-2]))
    assert "it has 3 of 4 rows" in str(error)


def test_a_binary_file_that_is_cut_off(tmp_path: Path) -> None:
    data = crg_text(np.zeros((40, 7)).tolist(), kind="KRBI", header={**HEADER, "REFERENCE_LINE_END_U": 39.0})
    assert "no whole number of 80" in str(refused(tmp_path, data[:-7]))
    assert "of 40 rows" in str(refused(tmp_path, data[:-160]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"$" * 72, b""), "the line '$$$$'"),
        ((b"$ROAD_CRG ", b"$ROAD "), "the block '$ROAD_CRG' is missing; there are: $CT, $ROAD, $KD_DEFINITION"),
        ((b"$KD_Definition", b"$KD"), "the block '$KD_Definition'"),
        ((b"#:LRFI", b"#:LXFI"), "the format 'LXFI' is not known; known are LRFI, LDFI, KRBI, KDBI"),
        ((b"D:long section 3,m", b"D:roughness,m"), "the channel 'roughness' is not known"),
        ((b"REFERENCE_LINE_INCREMENT = 1.0", b"REFERENCE_LINE_INCREMENT = 0.0"), "INCREMENT is 0 m"),
        ((b"REFERENCE_LINE_INCREMENT = 1.0", b""), "REFERENCE_LINE_INCREMENT is missing"),
        ((b"REFERENCE_LINE_START_U = 0.0", b"REFERENCE_LINE_START_U = zero"), "is no name with a finite number"),
        ((b"REFERENCE_LINE_END_U = 3.0", b"REFERENCE_LINE_END_U = 2.5"), "no whole number of rows 1 m apart"),
        ((b" 0.0312500", b" 0.03l2500"), "'0.03l2500' is no number, from column 21 on"),
        ((b"LONG_SECTION_V_INCREMENT = 0.5", b"LONG_SECTION_V_INCREMENT = 0.0"), "the long sections lie at v = "),
        ((b"D:long section 3,m", b"D:long section at v = 0,m"), "by their place and by their number"),
        ((b"D:long section 3,m", b"D:long section " + b"3" * 5000 + b",m"), "the channel 'long section 3333"),
        ((b"D:long section 3,m", b"D:long section " + b"3" * 400 + b",m"), "is not known"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: tuple[bytes, bytes], said: str) -> None:
    data = crg_text(GRID.tolist())
    assert change[0] in data
    error = refused(tmp_path, data.replace(*change, 1))
    assert said in str(error)
    assert str(tmp_path / "road.crg") in str(error)


def test_a_description_without_any_line(tmp_path: Path) -> None:
    data = crg_text(GRID.tolist())
    begin, end = data.index(b"$KD_Definition") + len(b"$KD_Definition"), data.index(b"\n$\n", data.index(b"$KD_D"))
    assert "the long sections lie at v = nowhere" in str(refused(tmp_path, data[:begin] + data[end:]))


def test_sections_without_end(tmp_path: Path) -> None:
    header = {"REFERENCE_LINE_INCREMENT": 1.0, "LONG_SECTION_V_RIGHT": 1e308, "LONG_SECTION_V_INCREMENT": 1e308}
    assert "the long sections lie at v = " in str(refused(tmp_path, crg_text(GRID.tolist(), header=header)))


def test_a_thousand_faults_are_not_all_told(tmp_path: Path) -> None:
    data = crg_text(GRID.tolist()).replace(b"$ROAD_CRG ", b"$ROAD_CRG\n" + b"A = +\n" * 1000 + b"$ROAD_CRG ", 1)
    assert len(refused(tmp_path, data).problems) == 50


def test_modifiers_that_scale_are_refused(tmp_path: Path) -> None:
    data = crg_text(GRID.tolist(), more=["$ROAD_CRG_MODS", "SCALE_Z_GRID = 2.0", "REFLINE_OFFSET_X = 5.0", "$"])
    assert "'SCALE_Z_GRID = 2.0' scales the road" in str(refused(tmp_path, data))

"""Two results of the rig against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.kc.comparison import compare_results, read_results
from trackrod.kc.result import Column, KcTest, read_test
from trackrod.report.kc_comparison import comparison_figure, write_kc_comparison_page


def parallel(travel: list[float], slope: float) -> KcTest:
    z = np.array(travel)
    columns = (
        Column.of("solved", "number", np.ones(len(z))),
        Column.of("travel_left", "length", z),
        Column.of("toe_left", "angle", slope * z),
        Column.of("wheel_rate_left", "stiffness", np.full(len(z), 2e4)),
    )
    return KcTest("parallel", Axle.FRONT, columns)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    test = parallel([-0.1, 0.0, 0.1], 0.5)
    test.write(tmp_path / "front_parallel.csv")
    again = read_test(tmp_path / "front_parallel.csv", "parallel", Axle.FRONT)
    assert [(c.name, c.kind) for c in again.columns] == [(c.name, c.kind) for c in test.columns]
    for column in test.columns:
        np.testing.assert_allclose(again[column.name], column.values, rtol=1e-11)


def test_differences_are_taken_where_both_results_are(tmp_path: Path) -> None:
    """Slopes of 0.5 and 0.6 over a common range of ±0.05, of which the second knows other points."""
    for name, test in (("a", parallel([-0.1, 0.0, 0.1], 0.5)), ("b", parallel([-0.05, 0.02, 0.05], 0.6))):
        (tmp_path / name).mkdir()
        test.write(tmp_path / name / "front_parallel.csv")
    first, second = (read_results(tmp_path / name) for name in "ab")
    found = {row.quantity: row for row in compare_results(first, second)}
    toe = found["toe_left"]
    np.testing.assert_allclose(toe.curve.x, [-0.05, 0.0, 0.02, 0.05])
    assert abs(toe.largest) == pytest.approx(0.005)
    assert toe.rms == pytest.approx(0.1 * np.sqrt((2 * 0.05**2 + 0.02**2) / 4))
    assert toe.share == pytest.approx(toe.rms / 0.025)
    assert found["wheel_rate_left"].largest == 0.0
    assert found["wheel_rate_left"].share == 0.0
    assert not any(row.largest for row in compare_results(first, first))
    assert len(comparison_figure(list(found.values()), ("a", "b"), Axle.FRONT).panels) == 1
    write_kc_comparison_page(list(found.values()), ("a", "b"), tmp_path / "page.html")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("front_parallel.csv", "solved,travel_left_m\n1,zero\n", "no table of numbers"),
        ("front_parallel.csv", "solved,travel_left_m\n1\n", "no table of the rig"),
        ("front_parallel.csv", "travel_left_m\n1\n", "no table of the rig"),
        ("front_parallel.csv", "", "no table of the rig"),
        ("other.csv", "a\n1\n", "holds no table of the rig"),
    ],
)
def test_folders_without_tables_are_refused(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=says):
        read_results(tmp_path)


def test_results_without_a_common_test_are_refused() -> None:
    test = parallel([0.0, 0.1], 1.0)
    with pytest.raises(InputError, match="no test in common: front parallel; rear parallel"):
        compare_results({(Axle.FRONT, "parallel"): test}, {(Axle.REAR, "parallel"): test})

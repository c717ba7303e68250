"""The comparison table: a part of it that is driven here, and how it is written."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks.comparison import __main__ as command
from benchmarks.comparison import rows as rows_of
from benchmarks.comparison.cases import WHOLE, Case
from benchmarks.comparison.measurements import Result, measured
from benchmarks.comparison.rows import GROUPS, ROWS, Measure

from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.steering import StepSteer

CAR = Case("double_wishbone_car")


@pytest.mark.parametrize("row", ["step", "limit_step"])
def test_a_part_that_is_driven_here(row: str) -> None:
    """The stiff car is within its targets, nothing tuned."""
    result = measured(CAR, row)
    assert not result.failure
    assert len(result.measures) >= 8
    assert result.worst is not None
    assert result.worst.badness <= 1, result.cell()


def test_every_row_is_in_one_group() -> None:
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(ROWS)


def test_rows_and_groups_are_chosen_by_name() -> None:
    assert command.chosen_rows("road,posts,heave") == ["road", "heave", "pitch", "roll", "warp"]
    assert command.chosen_rows("") == list(ROWS)
    with pytest.raises(SystemExit, match="there is no row raod"):
        command.chosen_rows("raod")


def test_the_worst_number_is_that_farthest_above_its_target() -> None:
    many = (Measure("a", 20.0, 25.0), Measure("b", 6.0, 5.0), Measure("c", 7.0, 8.0))
    assert Result(CAR, "road", many).cell() == "**6 b**"
    assert Result(CAR, "road", many[::2]).cell() == "7 c"
    lifted = (*many, Measure("wheel lifts in one model only", math.nan, 20.0, "ms"))
    assert Result(CAR, "road", lifted).cell() == "**wheel lifts in one model only**"
    assert Result(CAR, "stop", (Measure("thrown back", 0.1, 0.3, "m/s"),)).cell() == "0.1 m/s thrown back"
    assert Result(CAR, "stop", (), "no equilibrium").cell() == "**no equilibrium**"


def test_a_number_that_there_is_not_is_null_in_the_file() -> None:
    result = Result(CAR, "fishhook", (Measure("lifts in one model only", math.nan, 20.0, "ms"), Measure("a", 1.5, 5.0)))
    data = json.loads(json.dumps(result.as_data(), allow_nan=False))
    assert (data["vehicle"], data["bushings"], data["row"]) == ("double_wishbone_car", 1.0, "fishhook")
    assert [measure["value"] for measure in data["measures"]] == [None, 1.5]


def test_the_stored_saloon_is_softer_than_the_bundled_one_may_become() -> None:
    assert str(WHOLE[-1]) == "first_cla_class, bushings × 0.2"
    soft, plain = WHOLE[-1].vehicle, Case("first_cla_class").vehicle
    for one, other in zip(soft.bushings, plain.bushings, strict=True):
        for curve, whole in zip(one.characteristic.curves, other.characteristic.curves, strict=True):
            np.testing.assert_allclose(curve.y, 0.2 * whole.y)
    assert len(WHOLE) == 19


def test_the_table_is_written_between_the_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{command.BEGIN}old\n{command.END}\nafter\n")
    monkeypatch.setattr(command, "PAGE", page)
    soft = Case(CAR.name, 0.6)
    results = [Result(case, "step", (Measure("yaw rate", 1.0, 5.0),)) for case in (CAR, soft)]
    command.write_page(command.tables(results))
    command.write_page(command.tables(results))
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "| double_wishbone_car, bushings × 0.6 | 1 yaw rate |" in lines
    assert "old" not in lines
    assert sum(line.startswith("| vehicle") for line in lines) == 1


def test_manoeuvres_at_the_limit_follow_from_the_slow_ramp(monkeypatch: pytest.MonkeyPatch) -> None:
    """A car that reaches 8 m/s² at 100°, in proportion: 80 % are at 80°; a bend of radius R needs v² = 7.2 m/s² · R."""
    monkeypatch.setattr(rows_of, "_ramp", lambda _: (np.linspace(0.0, 8.0, 9), np.linspace(0.0, 100.0, 9)))
    step = rows_of._limit_step(CAR)
    assert isinstance(step, StepSteer)
    assert step.steering_wheel_angle_deg == pytest.approx(80.0)
    course = rows_of._limit_lane_change(CAR)
    assert isinstance(course, DoubleLaneChange)
    sharpest = 0.5 * 3.5 * (np.pi / 25.0) ** 2  # half a cosine wave of 3.5 m over 25 m
    assert course.speed_kmh == pytest.approx(3.6 * math.sqrt(0.9 * 8.0 / sharpest), abs=1.5)

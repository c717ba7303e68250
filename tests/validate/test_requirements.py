"""Budgets of errors: what fills a share alone, what all together may have, and which method is good enough."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.validate.criteria import Criteria, Criterion, Response, read_criteria, write_criteria
from trackrod.validate.processing import Processing
from trackrod.validate.requirements import Demand, alone, fill, rounded_down
from trackrod.validate.validation_plan import Method, choose


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (lambda f: 0.1 * f, 3.0),
        (lambda f: f * f, math.sqrt(0.3)),
        (math.sqrt, 0.09),
        (lambda f: max(0.0, f - 5.0) * 0.1, 8.0),  # nothing inside a corridor
        (lambda f: 2000.0 * f, 1.5e-4),
    ],
)
def test_the_factor_that_fills_a_share(ratio: object, expected: float) -> None:
    assert alone(ratio, 0.3) == pytest.approx(expected, rel=0.03)  # type: ignore[arg-type]


def test_what_never_fills_a_share_does_not_matter() -> None:
    assert math.isinf(alone(lambda f: 0.0, 0.3))
    assert math.isinf(alone(lambda f: min(0.1 * f, 0.2), 0.3))


def test_two_that_share_a_row_get_a_root_of_two_less_and_a_third_is_not_held_back_by_it() -> None:
    rows = ("a", "turn"), ("b", "stop")
    found = fill([Demand("x", rows[0], 2.0), Demand("y", rows[0], 2.0), Demand("z", rows[1], 7.0)])
    assert found["x"].factor == pytest.approx(math.sqrt(2.0))
    assert found["y"].row == rows[0]
    assert found["z"].factor == pytest.approx(7.0)


SOURCES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 7), st.floats(-7.0, 7.0)),
    min_size=1,
    max_size=40,
    unique_by=lambda d: d[:2],
)


@given(SOURCES)
def test_no_row_is_more_than_full_and_each_source_matters_where_it_is_ruled(
    drawn: list[tuple[int, int, float]],
) -> None:
    demands = [Demand(f"s{i}", ("c", str(j)), math.exp(x)) for i, j, x in drawn]
    found = fill(demands)
    rows: dict[tuple[str, str], float] = {}
    for d in demands:
        part = (found[d.source].factor / d.alone) ** 2
        rows[d.row] = rows.get(d.row, 0.0) + part
        if found[d.source].row == d.row:
            assert part > 0.03
    assert max(rows.values()) <= 1.0 + 1e-9
    assert all(rows[filled.row] > 0.6 for filled in found.values())  # nothing could be much coarser


@given(st.floats(1e-9, 1e9))
def test_rounding_goes_down_by_a_tenth_at_most(value: float) -> None:
    down = rounded_down(value)
    assert 0.9 * value < down <= value * (1.0 + 1e-8)
    assert float(f"{down:.1e}") == down


def test_the_cheapest_method_that_suffices_is_chosen() -> None:
    reached = {Method.WORKSHOP: 3.0, Method.ESTIMATE: 2.0, Method.TUNE: 1.0, Method.RIG: 0.5}
    wanted = {4.0: Method.WORKSHOP, 2.5: Method.ESTIMATE, 1.5: Method.TUNE, 0.6: Method.RIG, 0.1: Method.NONE}
    assert {accuracy: choose(accuracy, reached) for accuracy in wanted} == wanted
    assert choose(math.inf, {}) is Method.AS_GIVEN


def test_criteria_that_are_written_are_read_again(tmp_path: Path) -> None:
    rows = (
        Criterion(name="roll", signal="roll_rad", metric="residual.l2", limit=0.05, weight=0.7, floor=0.01),
        Criterion(name="iso", signal="ay_mps2", metric="iso18571.guarded.R", limit=0.8, manoeuvres=("step_steer",)),
        Criterion(
            name="gain",
            signal="ay_mps2",
            metric="residual.l2",
            limit=0.05,
            response=Response.GAIN,
            given="steering_wheel_angle_rad",
            band=(0.3, 2.0),
            ranges=(("vx_mps", 2.0, 200.0),),
        ),
    )
    criteria = Criteria(
        name="all",
        criteria=rows,
        intended_use="a 'test'",
        assumptions=("dry",),
        processing=Processing(0.01, (0.0, 5.0), 0.5),
        bias=(("ay_mps2", 0.01),),
    )
    write_criteria(criteria, tmp_path / "criteria.toml")
    assert read_criteria(tmp_path / "criteria.toml") == criteria
    plain = Criteria(name="bare", criteria=rows[:1])
    write_criteria(plain, tmp_path / "bare.toml")
    assert read_criteria(tmp_path / "bare.toml") == plain

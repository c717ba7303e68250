from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fit.linear_blocks import linear_block
from trackrod.core.errors import RangeError
from trackrod.fit.blocks import Block
from trackrod.fit.ranges import BOUND, ranges_by_objective, ranges_by_tolerance


def mean_with_penalty(blocks: tuple[Block, ...]) -> float:
    """Mean of the indices; what lies above 5 % counts three times."""
    return float(np.mean([b.value_pct + 2 * max(b.value_pct - 5, 0) for b in blocks]))


def test_one_parameter_of_a_perfect_fit() -> None:
    """e = 20 |z| reaches 5 % at a quarter of the range."""
    (found,) = ranges_by_tolerance(("a",), [linear_block([[12.0], [16.0]])])
    assert (found.lower, found.upper) == pytest.approx((-0.25, 0.25))
    assert found.upper_limit == "m: i"
    (by_objective,) = ranges_by_objective(("a",), [linear_block([[12.0], [16.0]])], mean_with_penalty, worsening=5.0)
    assert (by_objective.lower, by_objective.upper) == pytest.approx((-0.25, 0.25))
    assert by_objective.upper_limit == "objective"


def test_a_start_off_the_minimum_gives_an_uneven_range() -> None:
    """e = |3 + 10 z|: within 5 % from −0.8 to 0.2."""
    (found,) = ranges_by_tolerance(("a",), [linear_block([[10.0]], [3.0])])
    assert (found.lower, found.upper) == pytest.approx((-0.8, 0.2))


def test_a_parameter_without_effect_may_go_to_its_bound() -> None:
    blocks = [linear_block([[10.0, 0.0]], [3.0])]
    for found in (
        ranges_by_tolerance(("a", "b"), blocks)[1],
        ranges_by_objective(("a", "b"), blocks, mean_with_penalty)[1],
    ):
        assert (found.lower, found.upper, found.lower_limit, found.upper_limit) == (-1.0, 1.0, BOUND, BOUND)


def test_the_index_that_stops_first_is_named() -> None:
    blocks = [linear_block([[10.0]], name="slow"), linear_block([[50.0]], name="fast"), linear_block([[99.0]], [7.0])]
    (found,) = ranges_by_tolerance(("a",), blocks)
    assert (found.upper, found.upper_limit) == (pytest.approx(0.1), "m: fast")
    assert found.text == "a: -0.10 (m: fast) to +0.10 (m: fast) of its full range"
    json.dumps(found.to_plain(), allow_nan=False)


def test_the_range_holds_the_minimum_along_its_parameter() -> None:
    """The paper's first converted model: an index of 12 % that a parameter brings to 0 at z = −0.6."""
    (found,) = ranges_by_objective(("a",), [linear_block([[20.0]], [12.0])], mean_with_penalty, worsening=3.0)
    assert found.lower <= -0.6
    assert found.upper == pytest.approx(3.0 / (3 * 20.0))  # above 5 % the objective rises three times as fast


@given(st.integers(0, 10_000), st.floats(0.5, 20.0))
def test_within_a_range_the_rule_holds_and_beyond_it_does_not(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    blocks = [linear_block(size * rng.normal(size=(6, 2)), rng.normal(size=6), name=str(i)) for i in range(3)]

    def at(k: int, z: float) -> tuple[Block, ...]:
        return tuple(Block(b.manoeuvre, b.name, b.residual + z * b.jacobian[:, k]) for b in blocks)

    inside = [i for i, b in enumerate(blocks) if b.value_pct <= 5.0]
    for k, found in enumerate(ranges_by_tolerance(("a", "b"), blocks)):
        for end, limit in ((found.lower, found.lower_limit), (found.upper, found.upper_limit)):
            values = [at(k, end)[i].value_pct for i in inside]
            assert max(values, default=0.0) <= 5.0 + 1e-9
            assert limit == BOUND or max(values) == pytest.approx(5.0)
    start = mean_with_penalty(tuple(blocks))
    for k, found in enumerate(ranges_by_objective(("a", "b"), blocks, mean_with_penalty, worsening=1.0)):
        assert found.lower <= 0.0 <= found.upper
        for end, limit in ((found.lower, found.lower_limit), (found.upper, found.upper_limit)):
            growth = mean_with_penalty(at(k, end)) - start
            assert growth <= 1.0 + 1e-5
            assert limit == BOUND or growth == pytest.approx(1.0, abs=1e-5)


def test_a_start_exactly_on_the_tolerance_may_only_get_better() -> None:
    (found,) = ranges_by_tolerance(("a",), [linear_block([[10.0]], [5.0])])
    assert (found.lower, found.upper) == (-1.0, 0.0)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_numbers_must_be_positive(wrong: float) -> None:
    block = linear_block([[1.0]])
    with pytest.raises(RangeError, match="tolerance_pct"):
        ranges_by_tolerance(("a",), [block], tolerance_pct=wrong)
    with pytest.raises(RangeError, match="worsening"):
        ranges_by_objective(("a",), [block], mean_with_penalty, worsening=wrong)
    with pytest.raises(RangeError, match="bound"):
        ranges_by_tolerance(("a",), [block], bound=wrong)

"""The objective is eq. 8 to 10, and its weights are checked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import InputError
from trackrod.fit.blocks import Block
from trackrod.fit.objective import Objective


def block(manoeuvre: str, name: str, value: float) -> Block:
    return Block(manoeuvre, name, np.array([0.6, -0.8]) * value)


BLOCKS = (
    block("ramp", "roll", 2.0),
    block("ramp", "sideslip", 8.0),
    block("ramp", "load", 5.0),
    block("step", "gain", 12.0),
)


def test_value_by_hand() -> None:
    # Of the ramp the mean of 2, 8 + 3 and 5; of the step 12 + 7.
    assert Objective(tolerance_pct=5.0, penalty=1.0).value(BLOCKS) == pytest.approx((6.0 + 19.0) / 2, rel=1e-14)


def test_defaults_are_those_of_the_indices() -> None:
    assert Objective() == Objective(tolerance_pct=5.0, penalty=1.0)


def test_weights_of_manoeuvres_and_indices() -> None:
    weights = {"ramp": 2.0, ("ramp", "sideslip"): 0.0, ("step", "gain"): 0.5}
    # Of the ramp the mean of 2·2, 0 and 2·5; of the step 0.5·12.
    assert Objective(penalty=0.0, weights=weights).value(BLOCKS) == pytest.approx((14.0 / 3.0 + 6.0) / 2, rel=1e-14)


@given(st.lists(st.floats(0.0, 50.0), min_size=4, max_size=4), st.integers(0, 3), st.floats(0.01, 10.0))
def test_grows_with_every_index(values: list[float], which: int, more: float) -> None:
    objective = Objective(penalty=2.0)
    made = [block(b.manoeuvre, b.name, v) for b, v in zip(BLOCKS, values, strict=True)]
    worse = [block(b.manoeuvre, b.name, b.value_pct + more * (k == which)) for k, b in enumerate(made)]
    assert objective.value(worse) > objective.value(made)


def test_slopes_are_derivatives() -> None:
    objective, step = Objective(penalty=3.0, weights={"step": 0.7}), 1e-6
    for k, slope in enumerate(objective.slopes(BLOCKS)):
        if BLOCKS[k].value_pct == 5.0:
            continue  # the kink
        moved = [block(b.manoeuvre, b.name, b.value_pct + step * (j == k)) for j, b in enumerate(BLOCKS)]
        assert (objective.value(moved) - objective.value(BLOCKS)) / step == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"rmap": 1.0}, "'rmap', which is not compared.*'ramp'"),
        ({("ramp", "rol"): 1.0}, "'rol' of 'ramp'.*'roll'"),
        ({("stop", "gain"): 1.0}, "'gain' of 'stop'.*'step'"),
        ({"ramp": 0.0, "step": 0.0}, "all indices are zero"),
    ],
)
def test_weights_that_do_not_fit(weights: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Objective(weights=weights).check(BLOCKS)


def test_all_mistakes_at_once() -> None:
    with pytest.raises(InputError) as caught:
        Objective(tolerance_pct=-1.0, penalty=float("nan"), weights={"a": -1.0, ("b", "c"): float("inf")})
    assert len(caught.value.problems) == 4


def test_no_index() -> None:
    with pytest.raises(InputError, match="no index"):
        Objective().check(())


def test_weights_cannot_be_changed_afterwards() -> None:
    weights = {"ramp": 1.0}
    objective = Objective(weights=weights)
    weights["ramp"] = 5.0
    assert objective.weights["ramp"] == 1.0

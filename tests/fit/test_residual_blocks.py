from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import InputError
from trackrod.fit.blocks import Block, jacobians


def test_the_index_is_the_length_of_the_residual() -> None:
    assert Block("step", "yaw rate", np.array([3.0, -4.0])).value_pct == 5.0


def test_everything_wrong_with_a_block_is_said_at_once() -> None:
    with pytest.raises(InputError) as caught:
        Block("step", "yaw rate", np.array([1.0, np.nan]), np.ones((3, 2)), np.zeros(5))
    assert len(caught.value.problems) == 3
    assert "block step: yaw rate" in str(caught.value)
    assert "must have 2 rows" in str(caught.value)
    assert "holds 1 numbers that are not finite" in str(caught.value)


def test_an_empty_residual_is_refused() -> None:
    with pytest.raises(InputError, match="one row of samples"):
        Block("step", "yaw rate", np.array([]))


def test_jacobians_names_every_block_that_does_not_fit() -> None:
    blocks = [Block("a", "1", np.ones(2)), Block("b", "2", np.ones(2), np.ones((2, 3)))]
    with pytest.raises(InputError) as caught:
        jacobians(["x", "y"], blocks)
    assert [("a: 1" in str(p), "3 columns for 2" in str(p)) for p in caught.value.problems] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(("names", "message"), [([], "no parameter"), (["x", "x"], "'x' is given more than once")])
def test_names_of_parameters_are_checked(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        jacobians(names, [Block("a", "1", np.ones(2), np.ones((2, len(names))))])


def test_no_block_is_refused() -> None:
    with pytest.raises(InputError, match="no index"):
        jacobians(["x"], [])

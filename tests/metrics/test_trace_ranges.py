"""Curves that begin and end at different places: what they share, and what lies outside."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import InputError, RangeError
from trackrod.metrics.trace import GRID, Trace, covered_share, difference_percent, relative_percent, rising_part


def line(first: float, last: float, offset: float = 0.0) -> Trace:
    """y = 2 x + offset."""
    x = np.linspace(first, last, 9)
    return Trace(x, 2.0 * x + offset, "time", "s", "speed", "m/s")


def test_share_of_the_reference_that_both_have() -> None:
    assert covered_share(line(3.0, 7.0), line(4.0, 9.0)) == pytest.approx(0.75)
    assert covered_share(line(3.0, 7.0), line(1.0, 4.0)) == pytest.approx(0.25)
    assert covered_share(line(3.0, 7.0), line(1.0, 9.0)) == pytest.approx(1.0)
    assert covered_share(line(1.0, 9.0), line(3.0, 7.0)) == pytest.approx(0.5)
    with pytest.raises(InputError, match=r"the reference runs from 3 to 7 s, the model from 7 to 9 s"):
        covered_share(line(3.0, 7.0), line(7.0, 9.0))


def test_the_difference_is_model_less_reference_over_the_common_part() -> None:
    x, found = difference_percent(line(3.0, 7.0), line(4.0, 9.0, offset=0.7))
    assert (x[0], x[-1], x.size) == (4.0, 7.0, GRID)
    assert found == pytest.approx(np.full(GRID, 100.0 * 0.7 / 14.0 / np.sqrt(GRID)))
    assert GRID == 1001


def test_no_value_outside_a_curve() -> None:
    curve = line(3.0, 7.0)
    assert curve.at([3.0, 5.25, 7.0]) == pytest.approx([6.0, 10.5, 14.0])
    for outside in ([2.9, 5.0], [5.0, 7.1], [7.1], [2.9]):
        with pytest.raises(RangeError, match="known from 3 to 7 s only"):
            curve.at(outside)
    assert curve.at([]).size == 0
    assert Trace(curve.x, -curve.y, "time", "s", "speed", "m/s").largest == 14.0


def test_rising_part_keeps_the_first_of_each_place() -> None:
    x, y = rising_part([0.0, 2.0, 1.0, 2.0, 3.0, 2.5], [10.0, 11.0, 12.0, 13.0, 14.0, 15.0])
    assert x.tolist() == [0.0, 2.0, 3.0]
    assert y.tolist() == [10.0, 11.0, 14.0]


def test_relative_difference_has_a_smallest_scale() -> None:
    assert relative_percent(-4.0, -5.0, 1.0) == pytest.approx(25.0)
    assert relative_percent(0.5, -0.5, 2.0) == pytest.approx(50.0)
    assert relative_percent(2.0, 2.5, 2.0) == pytest.approx(25.0)

"""Values that are taken from the first or the last sample of a run."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import run_from
from trackrod.core.errors import InputError
from trackrod.metrics.handling import lane_change_values
from trackrod.metrics.longitudinal import coast_down_values

TIME = np.arange(0.0, 10.0, 0.1)


def test_the_last_speed_of_a_lane_change_is_that_along_the_vehicle() -> None:
    run = run_from(TIME, vx=25.0 - 0.3 * TIME, vy=np.full(TIME.size, -0.4))
    assert lane_change_values(run).last_speed == 25.0 - 0.3 * TIME[-1]


def test_a_run_that_only_rolls_out_counts_from_its_first_sample() -> None:
    values = coast_down_values(run_from(TIME, vx=20.0 - 0.2 * TIME))
    assert (values.first_speed, values.time) == (20.0, TIME[-1])
    assert values.last_speed == pytest.approx(20.0 - 0.2 * TIME[-1])
    assert values.distance == pytest.approx(20.0 * TIME[-1] - 0.1 * TIME[-1] ** 2)


def test_a_speed_that_has_risen_in_the_end_is_no_rolling_out() -> None:
    """Downhill, after a moment of rolling slower; what counts is the whole, not the first step."""
    with pytest.raises(InputError, match="rolling out"):
        coast_down_values(run_from(TIME, vx=20.0 + 0.2 * np.abs(TIME - 1.0)))
    slower = np.where(TIME > 0.15, 20.0 - 0.2 * TIME, 20.0 + TIME)
    assert coast_down_values(run_from(TIME, vx=slower)).last_speed < 20.0

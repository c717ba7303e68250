"""Numbers of single runs by name, and the sine with dwell, against records that are written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.metrics.dwell import sine_with_dwell_values
from trackrod.metrics.values import run_values, values_of

TIME = np.round(np.arange(0.0, 8.0, 0.01), 9)


def dwell_run(side: float = 1.0, decay: float = 2.0) -> Run:
    """Sine of 0.7 Hz from 1 s on with a rest of 0.5 s; the yaw rate is that of the wheel, then dies away."""
    period = 1.0 / 0.7
    t = TIME - 1.0
    along = np.where(t < 0.75 * period, t, np.maximum(t - 0.5, 0.75 * period))
    angle = side * np.where((t >= 0.0) & (along < period), np.sin(2.0 * np.pi * along / period), 0.0)
    end = float(TIME[np.flatnonzero(np.abs(angle) > 1e-3)[-1] + 1])
    # In place of the last quarter the yaw rate stays at its peak until the wheel is back.
    yaw_rate = np.where(t < 0.75 * period, 0.4 * angle, -0.4 * side)
    yaw_rate = np.where(end < TIME, -0.4 * side * np.exp(-decay * (TIME - end)), yaw_rate)
    y = side * 0.8 * np.clip(t, 0.0, None) ** 2
    return Run(
        {
            signals.TIME.column: TIME,
            signals.STEERING_WHEEL_ANGLE.column: angle,
            signals.YAW_RATE.column: yaw_rate,
            signals.Y.column: y,
        }
    )


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_sine_with_dwell_by_hand(side: float) -> None:
    values = sine_with_dwell_values(dwell_run(side))
    assert values.yaw_rate_ratio_1s == pytest.approx(math.exp(-2.0), rel=1e-6)
    assert values.yaw_rate_ratio_1s75 == pytest.approx(math.exp(-3.5), rel=1e-6)
    assert values.displacement_1s07 == pytest.approx(0.8 * 1.07**2, rel=0.02)


def test_what_is_no_sine_with_dwell_is_refused() -> None:
    run = dwell_run()
    with pytest.raises(InputError, match=r"less than 1\.75 s"):
        sine_with_dwell_values(run.slice(0.0, 4.0))
    columns = {**dict(run.items()), signals.STEERING_WHEEL_ANGLE.column: np.zeros(TIME.size)}
    with pytest.raises(InputError, match="does not move"):
        sine_with_dwell_values(Run(columns))
    columns[signals.STEERING_WHEEL_ANGLE.column] = np.clip(TIME - 1.0, 0.0, 1.0)
    with pytest.raises(InputError, match="one side only"):
        sine_with_dwell_values(Run(columns))


def test_every_run_has_all_names_of_its_manoeuvre() -> None:
    for name in MANOEUVRES.built_in:
        assert list(run_values(name, dwell_run())) == [value.name for value in values_of(name)]
    found = run_values("sine_with_dwell", dwell_run())
    assert found["yaw_rate_ratio_1s"] == pytest.approx(math.exp(-2.0), rel=1e-6)
    assert found["largest_offset_m"] == pytest.approx(0.8 * (TIME[-1] - 1.0) ** 2)
    assert found["duration_s"] == pytest.approx(TIME[-1])
    assert math.isnan(found["largest_roll_rad"]), "the run has no roll angle"
    assert math.isnan(run_values("braking", dwell_run())["braking_distance_m"]), "it does not brake"


def test_names_end_with_their_units() -> None:
    endings = {"s": "_s", "m": "_m", "m/s": "_mps", "m/s²": "_mps2", "rad": "_rad", "rad/s": "_radps", "N": "_N"}
    for name in MANOEUVRES.built_in:
        for value in values_of(name):
            if value.unit in endings:
                assert value.name.endswith(endings[value.unit]), value.name

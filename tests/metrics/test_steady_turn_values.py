"""Gradients of a vehicle whose gradients are known."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from metrics.synthetic_runs import (
    AY_GAIN,
    RATIO,
    ROLL_GRADIENT,
    SIDESLIP_GRADIENT,
    SPEED,
    TRANSFER_GRADIENT,
    UNDERSTEER,
    WHEELBASE,
    mirrored,
    ramp_steer,
    run_from,
    turning,
)
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.steady_turn import SteeringGeometry, constant_radius_values, ramp_steer_values

GEOMETRY = SteeringGeometry(WHEELBASE, RATIO)


def test_ramp_steer() -> None:
    values = ramp_steer_values(ramp_steer(), GEOMETRY)
    assert values.steering_gradient == pytest.approx(1 / AY_GAIN, rel=1e-9)
    assert values.understeer_gradient == pytest.approx(UNDERSTEER, rel=1e-9)
    assert values.characteristic_speed == pytest.approx(np.sqrt(WHEELBASE / UNDERSTEER), rel=1e-9)
    assert values.roll_gradient == pytest.approx(ROLL_GRADIENT, rel=1e-9)
    assert values.sideslip_gradient == pytest.approx(SIDESLIP_GRADIENT, rel=1e-9)
    assert values.load_transfer_gradient == pytest.approx(TRANSFER_GRADIENT, rel=1e-9)
    assert values.speed == pytest.approx(SPEED)
    assert values.largest_lateral_acceleration == np.abs(ramp_steer()["ay_mps2"]).max()


def test_without_geometry_the_understeer_gradient_is_unknown() -> None:
    values = ramp_steer_values(ramp_steer())
    assert values.understeer_gradient is None
    assert values.characteristic_speed is None


def test_a_right_turn_has_the_same_values() -> None:
    left, right = (astuple(ramp_steer_values(run, GEOMETRY)) for run in (ramp_steer(), mirrored(ramp_steer())))
    assert right == pytest.approx(left)


def circle(radius: float) -> Run:
    time = np.arange(0.0, 40.0, 0.01)
    speed = 5.0 + 0.4 * time
    ay = speed**2 / radius
    run = turning(time, RATIO * (WHEELBASE / radius + UNDERSTEER * ay), ay, speed / radius)
    return Run({**run, "vx_mps": speed})


def test_constant_radius() -> None:
    values = constant_radius_values(circle(80.0), GEOMETRY)
    assert values.radius == pytest.approx(80.0)
    assert values.understeer_gradient == pytest.approx(UNDERSTEER, rel=1e-9)
    assert values.steering_gradient == pytest.approx(RATIO * UNDERSTEER, rel=1e-9)
    assert values.roll_gradient == pytest.approx(ROLL_GRADIENT, rel=1e-9)


def test_a_run_that_does_not_get_there() -> None:
    time = np.arange(0.0, 5.0, 0.01)
    with pytest.raises(InputError, match="where gradients are taken"):
        ramp_steer_values(run_from(time, ay=0.01 * time))

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fit.linear_blocks import linear_block
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.fit.blocks import Array, Block
from trackrod.fit.local_sensitivity import LocalSensitivity

T = np.linspace(0.0, 2.0, 201)


def second_order_step(z: Array) -> Array:
    """Step response of a second-order system: damping and frequency change by 20 % over z, scaled to an RMSE [%]."""
    damping, frequency = 0.3 * (1 + 0.2 * z[0]), 6.0 * (1 + 0.2 * z[1])
    damped = frequency * np.sqrt(1 - damping**2)
    decay = np.exp(-damping * frequency * T)
    y = 1 - decay * (np.cos(damped * T) + damping * frequency / damped * np.sin(damped * T))
    return np.asarray(100 * y / np.sqrt(len(T)))


def step_block(z: Array, reference: Array) -> Block:
    h = 1e-6
    columns = [(second_order_step(z + h * e) - second_order_step(z - h * e)) / (2 * h) for e in np.eye(2)]
    return Block("step", "yaw rate", second_order_step(z) - reference, np.column_stack(columns), T)


def test_slope_is_the_derivative_of_the_index() -> None:
    reference, z, h = second_order_step(np.array([0.7, -0.4])), np.array([0.1, 0.2]), 1e-5
    local = LocalSensitivity(("damping", "frequency"), (step_block(z, reference),))
    for k, e in enumerate(np.eye(2)):
        up, down = (np.linalg.norm(second_order_step(z + s * h * e) - reference) for s in (1, -1))
        assert local.slope_pct[0, k] == pytest.approx((up - down) / (2 * h), rel=1e-6)


def test_influence_and_slope_of_a_known_matrix() -> None:
    blocks = (linear_block([[3.0, 0.0], [4.0, 2.0]], [1.0, 0.0]), linear_block([[0.0, -5.0]], [-2.0], name="scalar"))
    local = LocalSensitivity(("a", "b"), blocks)
    np.testing.assert_allclose(local.influence_pct, [[5.0, 2.0], [0.0, 5.0]])
    np.testing.assert_allclose(local.slope_pct, [[3.0, 0.0], [0.0, 5.0]])
    assert local.ranked() == ("b", "a")


def test_at_a_perfect_fit_the_slope_is_zero_and_the_influence_is_not() -> None:
    local = LocalSensitivity(("a",), (linear_block([[3.0], [4.0]]),))
    assert local.slope_pct[0, 0] == 0.0
    assert local.influence_pct[0, 0] == 5.0


def test_a_tiny_residual_still_has_a_direction() -> None:
    local = LocalSensitivity(("a",), (linear_block([[3.0], [4.0]], [0.0, 1e-200]),))
    assert local.slope_pct[0, 0] == pytest.approx(4.0)


@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 4))
def test_the_slope_is_never_above_the_influence(seed: int, rows: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    block = linear_block(rng.normal(size=(rows, n)), rng.normal(size=rows))
    local = LocalSensitivity(tuple(f"p{k}" for k in range(n)), (block,))
    assert (np.abs(local.slope_pct) <= local.influence_pct * (1 + 1e-12)).all()


def test_resolved_sensitivity_has_the_influence_as_its_rms() -> None:
    local = LocalSensitivity(("damping", "frequency"), (step_block(np.zeros(2), np.zeros(len(T))),))
    time, curves = local.resolved("step", "yaw rate")
    np.testing.assert_array_equal(time, T)
    np.testing.assert_allclose(np.sqrt((curves**2).mean(axis=0)), local.influence_pct[0])
    # More damping cannot move the response at its start, and lowers the first overshoot (at π/ω_d = 0.55 s).
    assert curves[0, 0] == pytest.approx(0.0, abs=1e-9)
    assert curves[55, 0] < -2.0


def test_resolved_names_what_it_cannot_find() -> None:
    scalar = Block("step", "overshoot", np.array([1.0]), np.array([[1.0]]))
    local = LocalSensitivity(("a",), (scalar,))
    with pytest.raises(InputError, match="compares two numbers"):
        local.resolved("step", "overshoot")
    with pytest.raises(UnknownNameError, match="did you mean 'step: overshoot'"):
        local.resolved("step", "overshot")


def test_plain_data_is_json() -> None:
    local = LocalSensitivity(("a",), (linear_block([[3.0], [4.0]], [1.0, 0.0]),))
    data = json.loads(json.dumps(local.to_plain(), allow_nan=False))
    assert data["indices"][0] == {
        "manoeuvre": "m",
        "index": "i",
        "value_pct": 1.0,
        "influence_pct": [5.0],
        "slope_pct": [3.0],
    }


def test_a_jacobian_of_another_width_is_refused() -> None:
    with pytest.raises(InputError, match="1 columns for 2 parameters"):
        LocalSensitivity(("a", "b"), (linear_block([[1.0]]),))

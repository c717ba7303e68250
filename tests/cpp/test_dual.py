"""Forward derivatives of the core, seen from Python: against complex steps, differences and algebra."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod import _core

# Complex-step derivatives carry no cancellation: agreement is to a few roundings of double.
ROUNDING = 1e-14
# Central differences of an exact first derivative with a step of 1e-6.
DIFFERENCE = 1e-8

#: Functions that continue to complex arguments, and an interval of arguments without singularities.
ANALYTIC = {
    "sin": (cmath.sin, -3.0, 3.0),
    "cos": (cmath.cos, -3.0, 3.0),
    "tan": (cmath.tan, -1.4, 1.4),
    "asin": (cmath.asin, -0.9, 0.9),
    "acos": (cmath.acos, -0.9, 0.9),
    "atan": (cmath.atan, -5.0, 5.0),
    "sinh": (cmath.sinh, -3.0, 3.0),
    "cosh": (cmath.cosh, -3.0, 3.0),
    "tanh": (cmath.tanh, -3.0, 3.0),
    "exp": (cmath.exp, -5.0, 5.0),
    "log": (cmath.log, 0.1, 50.0),
    "sqrt": (cmath.sqrt, 0.1, 50.0),
    "square": (lambda z: z * z, -5.0, 5.0),
}
#: Functions with steps or a kink: value and slope away from it.
STEPPED = {
    "abs": (abs, lambda x: math.copysign(1.0, x)),
    "sign": (lambda x: math.copysign(1.0, x), lambda _: 0.0),
    "floor": (math.floor, lambda _: 0.0),
    "ceil": (math.ceil, lambda _: 0.0),
}
BINARY = {
    "add": (lambda x, y: x + y),
    "subtract": (lambda x, y: x - y),
    "multiply": (lambda x, y: x * y),
    "divide": (lambda x, y: x / y),
    "pow": (lambda x, y: x**y),
    "pow_constant": (lambda x, y: x**y),
    "hypot": (lambda x, y: np.sqrt(x * x + y * y)),
    "atan2": (lambda x, y: 2.0 * np.arctan(x / (np.sqrt(x * x + y * y) + y))),
}

positive = st.floats(0.05, 20.0)


def test_every_function_is_tested() -> None:
    assert set(_core.dual_unary_names()) == set(ANALYTIC) | set(STEPPED)
    assert set(_core.dual_binary_names()) == set(BINARY) | {"minimum", "maximum"}


@pytest.mark.parametrize("name", ANALYTIC)
def test_unary_derivatives_against_complex_step(name: str) -> None:
    function, low, high = ANALYTIC[name]
    step = 1e-30
    for x in np.random.default_rng(1).uniform(low, high, 50):
        value, first, second = _core.dual_unary(name, x)
        exact = function(complex(x, step))
        assert value == pytest.approx(exact.real, rel=ROUNDING, abs=ROUNDING)
        assert first == pytest.approx(exact.imag / step, rel=ROUNDING, abs=ROUNDING)
        _, above, _ = _core.dual_unary(name, x + 1e-6)
        _, below, _ = _core.dual_unary(name, x - 1e-6)
        scale = max(1.0, abs(above), abs(second))
        assert second == pytest.approx((above - below) / 2e-6, abs=10 * DIFFERENCE * scale)


@pytest.mark.parametrize("name", STEPPED)
@given(x=st.floats(-9.99, 9.99).filter(lambda x: abs(x - round(x)) > 1e-3))
@settings(max_examples=50)
def test_stepped_functions(name: str, x: float) -> None:
    value, slope = STEPPED[name]
    assert _core.dual_unary(name, x) == (value(x), slope(x), 0.0)


@pytest.mark.parametrize("name", BINARY)
@given(x=positive, y=positive)
@settings(max_examples=50)
def test_binary_derivatives_against_complex_step(name: str, x: float, y: float) -> None:
    function, step = BINARY[name], 1e-30
    if "pow" in name:
        x, y = 0.5 + x / 10.0, y / 4.0
    value, by_x, by_y = _core.dual_binary(name, x, y)
    assert value == pytest.approx(function(x, y), rel=4 * ROUNDING)
    along_x = np.imag(function(complex(x, step), y)) / step
    along_y = 0.0 if name == "pow_constant" else np.imag(function(x, complex(y, step))) / step
    assert by_x == pytest.approx(along_x, rel=10 * ROUNDING, abs=ROUNDING * abs(value))
    assert by_y == pytest.approx(along_y, rel=10 * ROUNDING, abs=ROUNDING * abs(value))


@given(x=st.floats(-50.0, 50.0), y=st.floats(-50.0, 50.0))
@settings(max_examples=100)
def test_minimum_and_maximum_share_the_slope(x: float, y: float) -> None:
    low, high = _core.dual_binary("minimum", x, y), _core.dual_binary("maximum", x, y)
    assert (low[0], high[0]) == (min(x, y), max(x, y))
    for found in (low, high):
        assert sorted(found[1:]) == [0.0, 1.0]
    if x != y:
        assert low[1] == float(x < y)
        assert high[1] == float(x > y)


@given(x=st.floats(-20.0, 20.0).filter(lambda x: abs(x) > 1e-3), y=st.floats(-20.0, 20.0))
@settings(max_examples=100)
def test_atan2_turns_at_the_rate_of_polar_angle(x: float, y: float) -> None:
    """In all quadrants: the gradient stands across the radius and has the length of its inverse."""
    angle, by_y, by_x = _core.dual_binary("atan2", y, x)
    radius = math.hypot(x, y)
    assert angle == math.atan2(y, x)
    assert by_x * x + by_y * y == pytest.approx(0.0, abs=1e-13)
    assert by_y * x - by_x * y == pytest.approx(1.0, rel=1e-13)
    assert math.hypot(by_x, by_y) == pytest.approx(1.0 / radius, rel=1e-13)


@given(
    x=st.floats(0.1, 3.0),
    u=st.sampled_from(["sin", "exp", "atan"]),
    v=st.sampled_from(["cos", "log", "tanh"]),
)
@settings(max_examples=100)
def test_product_and_quotient_rules(x: float, u: str, v: str) -> None:
    """(uv)' = u'v + uv' and (u/v)' = (u'v - uv') / v², by the derivatives of u, v and of the operations."""
    u0, u1, _ = _core.dual_unary(u, x)
    v0, v1, _ = _core.dual_unary(v, x)
    _, by_u, by_v = _core.dual_binary("multiply", u0, v0)
    assert by_u * u1 + by_v * v1 == pytest.approx(u1 * v0 + u0 * v1, rel=1e-14, abs=1e-14)
    if abs(v0) > 1e-2:
        _, by_u, by_v = _core.dual_binary("divide", u0, v0)
        wanted = (u1 * v0 - u0 * v1) / v0**2
        assert by_u * u1 + by_v * v1 == pytest.approx(wanted, rel=1e-12, abs=1e-12 * abs(wanted) + 1e-10)


@given(x=st.floats(0.05, 0.95))
@settings(max_examples=100)
def test_inverse_functions_have_inverse_slopes(x: float) -> None:
    for forward, backward in (("sin", "asin"), ("tan", "atan"), ("exp", "log"), ("square", "sqrt")):
        y, slope, bend = _core.dual_unary(forward, x)
        back, inverse, inverse_bend = _core.dual_unary(backward, y)
        assert back == pytest.approx(x, rel=1e-12)
        assert slope * inverse == pytest.approx(1.0, rel=1e-12)
        assert inverse_bend == pytest.approx(-bend * inverse**3, rel=1e-11, abs=1e-12)


def test_unknown_function_is_named() -> None:
    with pytest.raises(ValueError, match="unknown function 'sine'; known: sin, cos"):
        _core.dual_unary("sine", 0.0)
    with pytest.raises(ValueError, match="unknown function 'plus'; known: add"):
        _core.dual_binary("plus", 0.0, 0.0)

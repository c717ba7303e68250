"""Maps against SciPy, closed forms, finite differences and the tables of the C++ core."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    PchipInterpolator,
    PPoly,
    RegularGridInterpolator,
)

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Map2D, Variable
from trackrod.core.quantities import kind

TRAVEL = Variable("travel", kind("length"))
RACK = Variable("rack", kind("length"))
TOE = Variable("toe", kind("angle"))
CAMBER = Variable("camber", kind("angle"))
RULES = tuple(Interpolation)
CUBIC = RULES[1:]
BEYOND = tuple(Extrapolation)

# Knots and values of the size of suspension maps; uneven steps, so that no spacing can hide.
Z = np.array([-0.1, -0.06, -0.05, 0.0, 0.02, 0.07, 0.1])
R = np.array([-0.05, -0.01, 0.0, 0.03, 0.05])
ROUNDING = 1e-13
STEP = 1e-6


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    steps = draw(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=8))
    knots = np.concatenate(([draw(st.floats(-50.0, 50.0))], steps)).cumsum()
    values = draw(st.lists(st.floats(-10.0, 10.0), min_size=len(knots), max_size=len(knots)))
    return knots, np.round(values, 3)


def curve(knots: Any, values: Any, rule: str = "linear", beyond: str = "constant") -> Map1D:
    return Map1D(TRAVEL, knots, [TOE], values, interpolation=rule, extrapolation=beyond)


def toe_map(rule: str, beyond: str = "constant") -> Map1D:
    values = np.column_stack([np.sin(20.0 * Z), Z**3 * 1e3 + 0.01])
    return Map1D(TRAVEL, Z, [TOE, CAMBER], values, interpolation=rule, extrapolation=beyond)


def grid_map(rule: str, beyond: str = "constant") -> Map2D:
    z, r = np.meshgrid(Z, R, indexing="ij")
    values = np.stack([np.sin(20.0 * z) * np.cos(30.0 * r) + z, z * r + 2.0 * r**2], axis=-1)
    return Map2D((TRAVEL, RACK), (Z, R), [TOE, CAMBER], values, interpolation=rule, extrapolation=beyond)


def spline(rule: str, knots: np.ndarray, values: np.ndarray, axis: int = 0) -> PPoly:
    """SciPy's own curve through the values."""
    if rule == "parabolic":
        return CubicHermiteSpline(knots, values, np.gradient(values, knots, axis=axis, edge_order=2), axis=axis)
    if rule == "pchip":
        return PchipInterpolator(knots, values, axis=axis)
    return Akima1DInterpolator(knots, values, axis=axis, method=rule)


def test_one_dimension_agrees_with_scipy() -> None:
    x = np.linspace(Z[0], Z[-1], 333)
    for rule in CUBIC:
        table = toe_map(rule)
        assert_allclose(table.value(x), spline(rule, Z, table.values)(x), atol=ROUNDING)
        assert_allclose(table.slope(x), spline(rule, Z, table.values)(x, 1), atol=1e-11)
    table = toe_map("linear")
    for output in range(2):
        assert_allclose(table.value(x)[:, output], np.interp(x, Z, table.values[:, output]), atol=ROUNDING)


def test_bilinear_agrees_with_scipy() -> None:
    table = grid_map("linear")
    rng = np.random.default_rng(1)
    x, y = rng.uniform(Z[0], Z[-1], 500), rng.uniform(R[0], R[-1], 500)
    truth = RegularGridInterpolator((Z, R), table.values, method="linear")(np.column_stack([x, y]))
    assert_allclose(table.value(x, y), truth, atol=ROUNDING)


@pytest.mark.parametrize("rule", CUBIC)
def test_lines_of_knots_of_a_grid_are_the_curves_of_one_variable(rule: str) -> None:
    table = grid_map(rule)
    x, y = np.linspace(Z[0], Z[-1], 101), np.linspace(R[0], R[-1], 101)
    for i, knot in enumerate(Z):
        assert_allclose(table.value(knot, y), spline(rule, R, table.values[i])(y), atol=ROUNDING)
    for j, knot in enumerate(R):
        assert_allclose(table.value(x, knot), spline(rule, Z, table.values[:, j])(x), atol=ROUNDING)


@pytest.mark.parametrize("rule", CUBIC)
def test_grid_is_the_tensor_product_of_hermite_pieces(rule: str) -> None:
    table = grid_map(rule)
    values = table.values
    by_x, by_y = spline(rule, Z, values)(Z, 1), spline(rule, R, values, axis=1)(R, 1)
    mixed = (spline(rule, R, by_x, axis=1)(R, 1) + spline(rule, Z, by_y)(Z, 1)) / 2
    rng = np.random.default_rng(2)
    for x, y in zip(rng.uniform(Z[0], Z[-1], 50), rng.uniform(R[0], R[-1], 50), strict=True):
        # SciPy's Hermite pieces along y, of the values and of the slopes by x, then along x through both.
        line, line_by_x = (CubicHermiteSpline(R, a, b, axis=1)(y) for a, b in ((values, by_y), (by_x, mixed)))
        assert_allclose(table.value(x, y), CubicHermiteSpline(Z, line, line_by_x)(x), atol=ROUNDING)


def test_parabolic_is_exact_for_second_degree_in_each_variable() -> None:
    def polynomial(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 1.0 + 2.0 * x - 3.0 * y + 40.0 * x * x - 50.0 * y * y + 7.0 * x * y + 300.0 * x * x * y * y

    z, r = np.meshgrid(Z, R, indexing="ij")
    table = Map2D((TRAVEL, RACK), (Z, R), [TOE], polynomial(z, r), interpolation="parabolic", extrapolation="constant")
    x, y = np.random.default_rng(3).uniform([[-0.1], [-0.05]], [[0.1], [0.05]], (2, 200))
    assert_allclose(table.value(x, y)[:, 0], polynomial(x, y), atol=ROUNDING)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("beyond", BEYOND)
def test_a_transposed_grid_gives_the_same(rule: str, beyond: str) -> None:
    table = grid_map(rule, beyond)
    turned = Map2D(
        (RACK, TRAVEL), (R, Z), table.outputs, table.values.swapaxes(0, 1), interpolation=rule, extrapolation=beyond
    )
    x, y = np.random.default_rng(5).uniform([[-0.15], [-0.08]], [[0.15], [0.08]], (2, 200))
    assert_allclose(turned.value(y, x), table.value(x, y), atol=ROUNDING)


@pytest.mark.parametrize("rule", RULES)
def test_two_knots_are_joined_by_the_straight_line(rule: str) -> None:
    line = curve([1.0, 3.0], [2.0, 8.0], rule, "linear")
    assert_allclose(line.value([0.0, 1.5, 3.0, 4.0])[:, 0], [-1.0, 3.5, 8.0, 11.0], rtol=1e-15)
    assert_allclose(line.slope([0.0, 1.5, 3.0, 4.0])[:, 0], 3.0, rtol=1e-15)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("beyond", BEYOND)
def test_the_tables_of_the_core_agree(rule: Interpolation, beyond: Extrapolation) -> None:
    core = pytest.importorskip("trackrod._core", reason="the C++ core is not built", exc_type=ImportError)
    rules = core.Interpolation[rule], core.Extrapolation[beyond]
    x, y = np.random.default_rng(6).uniform([[-0.15], [-0.08]], [[0.15], [0.08]], (2, 500))
    line = toe_map(rule, beyond)
    for index in range(2):
        value, slope, _ = core.Table1D(Z, line.values[:, index], *rules).sample(x)
        assert_allclose(line.value(x)[:, index], value, atol=1e-12)
        assert_allclose(line.slope(x)[:, index], slope, atol=1e-10)
    grid = grid_map(rule, beyond)
    value, by_x, by_y = core.Table2D(Z, R, grid.values, *rules).sample(x, y)
    assert_allclose(grid.value(x, y), value, atol=1e-12)
    assert_allclose(grid.slopes(x, y)[0], by_x, atol=1e-10)
    assert_allclose(grid.slopes(x, y)[1], by_y, atol=1e-10)


@given(table=tables(), rule=st.sampled_from(RULES), beyond=st.sampled_from(BEYOND))
def test_value_at_a_knot_is_the_value_given_there(table: tuple[np.ndarray, np.ndarray], rule: str, beyond: str) -> None:
    knots, values = table
    given_map = curve(knots, values, rule, beyond)
    assert_allclose(given_map.value(knots)[:, 0], values, atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_value_at_a_knot_of_a_grid_is_exact(rule: str) -> None:
    table = grid_map(rule, "linear")
    z, r = np.meshgrid(Z, R, indexing="ij")
    assert_array_equal(table.value(z, r), table.values)


@given(table=tables(), places=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=20))
def test_pchip_is_monotone_between_monotone_values(table: tuple[np.ndarray, np.ndarray], places: list[float]) -> None:
    knots, values = table
    rising = curve(knots, np.sort(values), "pchip")
    x = knots[0] + np.sort(places) * (knots[-1] - knots[0])
    assert np.all(np.diff(rising.value(x)[:, 0]) >= -1e-12)
    assert rising.folds("toe") == ()


@pytest.mark.parametrize("rule", RULES)
def test_beyond_the_knots_in_one_dimension(rule: str) -> None:
    outside = np.array([-0.3, 0.25])
    edges = np.array([Z[0], Z[-1]])
    linear, constant = toe_map(rule, "linear"), toe_map(rule, "constant")
    assert_allclose(constant.value(outside), constant.value(edges), atol=ROUNDING)
    assert_array_equal(constant.slope(outside), 0.0)
    slope = linear.slope(edges)
    assert_allclose(linear.value(outside), linear.value(edges) + (outside - edges)[:, None] * slope, atol=ROUNDING)
    assert_array_equal(linear.slope(outside), slope)
    assert np.abs(slope).min() > 0.1  # a zero slope would make the two rules the same


@pytest.mark.parametrize("beyond", BEYOND)
@pytest.mark.parametrize("rule", RULES)
def test_grids_are_continuous_and_slopes_are_their_derivatives(rule: str, beyond: str) -> None:
    table = grid_map(rule, beyond)
    rng = np.random.default_rng(4)
    x, y = rng.uniform(-0.15, 0.15, 2000), rng.uniform(-0.08, 0.08, 2000)
    # Central differences are no derivative across a kink: keep away from the knots.
    clear = np.abs(x[:, None] - Z).min(axis=1) > 2 * STEP
    clear &= np.abs(y[:, None] - R).min(axis=1) > 2 * STEP
    x, y = x[clear], y[clear]
    by_x = (table.value(x + STEP, y) - table.value(x - STEP, y)) / (2 * STEP)
    by_y = (table.value(x, y + STEP) - table.value(x, y - STEP)) / (2 * STEP)
    slopes = table.slopes(x, y)
    assert_allclose(slopes[0], by_x, atol=1e-6)
    assert_allclose(slopes[1], by_y, atol=1e-6)
    # Continuity across every line of knots and both edges.
    for knot in Z:
        jump = table.value(knot + 1e-12, y) - table.value(knot - 1e-12, y)
        assert np.abs(jump).max() < 1e-9
    for knot in R:
        jump = table.value(x, knot + 1e-12) - table.value(x, knot - 1e-12)
        assert np.abs(jump).max() < 1e-9


@pytest.mark.parametrize("rule", CUBIC)
def test_cubic_grids_have_continuous_slopes(rule: str) -> None:
    table = grid_map(rule)
    y = np.linspace(R[0], R[-1], 31)
    for knot in Z[1:-1]:
        left, right = table.slopes(knot - 1e-9, y)[0], table.slopes(knot + 1e-9, y)[0]
        assert np.abs(left - right).max() < 1e-5


@pytest.mark.parametrize("rule", RULES)
def test_slope_is_the_derivative(rule: str) -> None:
    table = toe_map(rule, "linear")
    x = np.linspace(-0.149, 0.151, 401)
    x = x[np.abs(x[:, None] - Z).min(axis=1) > 2 * STEP]
    difference = (table.value(x + STEP) - table.value(x - STEP)) / (2 * STEP)
    assert_allclose(table.slope(x), difference, atol=1e-6)


def test_shapes() -> None:
    table = toe_map("akima")
    assert table.value(0.01).shape == (2,)
    assert table.value(np.zeros((3, 4))).shape == (3, 4, 2)
    assert grid_map("pchip").value(np.zeros((3, 1)), np.zeros(4)).shape == (3, 4, 2)
    assert grid_map("linear").value(0.0, 0.0).shape == (2,)
    assert np.isnan(table.value(math.nan)).all()
    for rule in RULES:
        assert np.isnan(toe_map(rule).slope(math.nan)).all()
        assert np.isnan(grid_map(rule).value(math.nan, 0.0)).all()
        assert np.isnan(grid_map(rule).slopes(0.0, math.nan)[1]).all()
    assert table.output_index("camber") == 1
    assert table.axis is TRAVEL
    assert grid_map("linear").axes == (TRAVEL, RACK)
    with pytest.raises(UnknownNameError, match="did you mean 'camber'"):
        table.output_index("chamber")


def test_fold_back_is_found_between_the_right_knots() -> None:
    values = [0.0, 1.0, 2.0, 1.5, 1.0, 3.0, 4.0]
    knots = np.arange(7.0)
    linear = curve(knots, values)
    assert linear.folds("toe") == ((2.0, 4.0),)
    assert curve(knots, np.negative(values)).folds("toe") == ((2.0, 4.0),)
    assert curve(knots, [0.0, 1.0, 0.0, 1.0, 2.0, 1.0, 3.0]).folds("toe") == (
        (1.0, 2.0),
        (4.0, 5.0),
    )
    assert curve(knots, np.ones(7)).folds("toe") == ()
    assert curve(knots, [0, 1, 1, 1, 2, 3, 4], "pchip").folds("toe") == ()


def test_fold_back_between_rising_knots_is_found_too() -> None:
    # Akima overshoots beside a steep step: the knots rise, the curve between them does not.
    knots, values = np.arange(6.0), np.array([0.0, 0.1, 0.15, 5.0, 5.01, 5.5])
    akima = curve(knots, values, "akima")
    x = np.linspace(0.0, 5.0, 20001)
    falling = x[:-1][np.diff(akima.value(x)[:, 0]) < 0.0]
    assert falling.size > 0
    folds = akima.folds("toe")
    assert all(any(start <= place <= end for start, end in folds) for place in falling)
    assert all(((falling >= start) & (falling <= end)).any() for start, end in folds)


@settings(max_examples=50)
@given(table=tables(), rule=st.sampled_from(RULES))
def test_folds_agree_with_dense_sampling(table: tuple[np.ndarray, np.ndarray], rule: str) -> None:
    knots, values = table
    made = curve(knots, values, rule)
    direction = 1.0 if values[-1] >= values[0] else -1.0
    folds = made.folds("toe")
    for start, end in itertools.pairwise(knots):
        # At its end the slope of a straight piece already belongs to the next one.
        places = np.linspace(start, end, 401, endpoint=rule != "linear")
        sampled = direction * made.slope(places)[:, 0]
        inside = any(low <= start and end <= high for low, high in folds)
        tolerance = 1e-4 * np.abs(sampled).max()  # the lowest slope may lie between two samples
        assert not inside or sampled.min() <= tolerance
        assert inside or sampled.min() >= -tolerance


def test_every_fault_is_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        Map2D(
            (TRAVEL, TRAVEL),
            ([0.0, 1.0, 1.0, 0.5], [0.0, math.inf]),
            [TOE],
            np.zeros((4, 3)),
            interpolation="linear",
            extrapolation="linear",
        )
    text = str(caught.value)
    for part in (
        "'travel' occurs more than once",
        "knot 1 is 1.0, knot 2 is 1.0",
        "knot 2 is 1.0, knot 3 is 0.5",
        "knot 1 of axis 'travel' is inf",
        "values of shape (4, 2, 1) are needed, got (4, 3)",
    ):
        assert part in text


def test_other_faults() -> None:
    with pytest.raises(InputError, match="needs two or more knots"):
        curve([1.0], [1.0])
    with pytest.raises(InputError, match=r"output 'camber' is nan at knot \(1,\)"):
        Map1D(
            TRAVEL,
            [0.0, 1.0],
            [TOE, CAMBER],
            [[0.0, 0.0], [0.0, math.nan]],
            interpolation="linear",
            extrapolation="linear",
        )
    with pytest.raises(UnknownNameError, match="did you mean 'akima'"):
        curve([0.0, 1.0], [0.0, 1.0], "akimo")
    with pytest.raises(UnknownNameError, match="known: 'linear', 'constant'"):
        toe_map("linear", "none")


def test_maps_cannot_be_changed_from_outside() -> None:
    knots, values = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    table = curve(knots, values)
    knots[0], values[0] = 9.0, 9.0
    assert table.value(0.0) == 2.0
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1.0


@pytest.mark.parametrize("table", [toe_map("akima", "linear"), grid_map("makima", "constant")])
def test_plain_data_and_back(table: Map1D | Map2D) -> None:
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    back = type(table).from_dict(data)
    assert back == table
    assert (back.interpolation, back.extrapolation) == (table.interpolation, table.extrapolation)
    data["extrapolation"] = "linear" if data["extrapolation"] == "constant" else "constant"
    assert type(table).from_dict(data) != table
    assert table != "map"

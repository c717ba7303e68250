"""Maps against SciPy, closed forms and finite differences."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    PchipInterpolator,
    RegularGridInterpolator,
)

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.maps import Map1D, Map2D, Variable
from trackrod.core.quantities import kind

TRAVEL = Variable("travel", kind("length"))
RACK = Variable("rack", kind("length"))
TOE = Variable("toe", kind("angle"))
CAMBER = Variable("camber", kind("angle"))
RULES_1D = ("linear", "pchip", "akima")
RULES_2D = ("bilinear", "bicubic")
BEYOND = ("linear", "constant")

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


def toe_map(rule: str, beyond: str = "constant") -> Map1D:
    values = np.column_stack([np.sin(20.0 * Z), Z**3 * 1e3 + 0.01])
    return Map1D(TRAVEL, Z, [TOE, CAMBER], values, interpolation=rule, extrapolation=beyond)


def grid_map(rule: str, beyond: str = "constant") -> Map2D:
    z, r = np.meshgrid(Z, R, indexing="ij")
    values = np.stack([np.sin(20.0 * z) * np.cos(30.0 * r) + z, z * r + 2.0 * r**2], axis=-1)
    return Map2D((TRAVEL, RACK), (Z, R), [TOE, CAMBER], values, interpolation=rule, extrapolation=beyond)


def test_one_dimension_agrees_with_scipy() -> None:
    x = np.linspace(Z[0], Z[-1], 333)
    for rule, truth in (
        ("pchip", PchipInterpolator),
        ("akima", Akima1DInterpolator),
    ):
        table = toe_map(rule)
        assert_allclose(table.value(x), truth(Z, table.values)(x), atol=ROUNDING)
        assert_allclose(table.slope(x), truth(Z, table.values)(x, 1), atol=1e-11)
    table = toe_map("linear")
    for output in range(2):
        assert_allclose(table.value(x)[:, output], np.interp(x, Z, table.values[:, output]), atol=ROUNDING)


def test_bilinear_agrees_with_scipy() -> None:
    table = grid_map("bilinear")
    rng = np.random.default_rng(1)
    x, y = rng.uniform(Z[0], Z[-1], 500), rng.uniform(R[0], R[-1], 500)
    truth = RegularGridInterpolator((Z, R), table.values, method="linear")(np.column_stack([x, y]))
    assert_allclose(table.value(x, y), truth, atol=ROUNDING)


def test_bicubic_is_hermite_in_one_direction_after_the_other() -> None:
    table = grid_map("bicubic")
    rng = np.random.default_rng(2)
    for x, y in zip(rng.uniform(Z[0], Z[-1], 50), rng.uniform(R[0], R[-1], 50), strict=True):
        # SciPy's Hermite pieces along y on every line of knots, then along x through the results.
        by_y = np.gradient(table.values, R, axis=1, edge_order=2)
        line = CubicHermiteSpline(R, table.values, by_y, axis=1)(y)
        truth = CubicHermiteSpline(Z, line, np.gradient(line, Z, axis=0, edge_order=2))(x)
        assert_allclose(table.value(x, y), truth, atol=ROUNDING)


def test_bicubic_is_exact_for_second_degree_in_each_variable() -> None:
    def polynomial(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 1.0 + 2.0 * x - 3.0 * y + 40.0 * x * x - 50.0 * y * y + 7.0 * x * y + 300.0 * x * x * y * y

    z, r = np.meshgrid(Z, R, indexing="ij")
    table = Map2D((TRAVEL, RACK), (Z, R), [TOE], polynomial(z, r), interpolation="bicubic")
    x, y = np.random.default_rng(3).uniform([[-0.1], [-0.05]], [[0.1], [0.05]], (2, 200))
    assert_allclose(table.value(x, y)[:, 0], polynomial(x, y), atol=ROUNDING)


@given(table=tables(), rule=st.sampled_from(RULES_1D), beyond=st.sampled_from(BEYOND))
def test_value_at_a_knot_is_the_value_given_there(table: tuple[np.ndarray, np.ndarray], rule: str, beyond: str) -> None:
    knots, values = table
    given_map = Map1D(TRAVEL, knots, [TOE], values, interpolation=rule, extrapolation=beyond)
    assert_allclose(given_map.value(knots)[:, 0], values, atol=1e-12)


@pytest.mark.parametrize("rule", RULES_2D)
def test_value_at_a_knot_of_a_grid_is_exact(rule: str) -> None:
    table = grid_map(rule, "linear")
    z, r = np.meshgrid(Z, R, indexing="ij")
    assert_array_equal(table.value(z, r), table.values)


@given(table=tables(), places=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=20))
def test_pchip_is_monotone_between_monotone_values(table: tuple[np.ndarray, np.ndarray], places: list[float]) -> None:
    knots, values = table
    rising = Map1D(TRAVEL, knots, [TOE], np.sort(values), interpolation="pchip")
    x = knots[0] + np.sort(places) * (knots[-1] - knots[0])
    assert np.all(np.diff(rising.value(x)[:, 0]) >= -1e-12)
    assert rising.folds("toe") == ()


@pytest.mark.parametrize("rule", RULES_1D)
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
@pytest.mark.parametrize("rule", RULES_2D)
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


def test_bicubic_has_a_continuous_slope() -> None:
    table = grid_map("bicubic")
    y = np.linspace(R[0], R[-1], 31)
    for knot in Z[1:-1]:
        left, right = table.slopes(knot - 1e-9, y)[0], table.slopes(knot + 1e-9, y)[0]
        assert np.abs(left - right).max() < 1e-5


@pytest.mark.parametrize("rule", RULES_1D)
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
    assert grid_map("bicubic").value(np.zeros((3, 1)), np.zeros(4)).shape == (3, 4, 2)
    assert grid_map("bilinear").value(0.0, 0.0).shape == (2,)
    assert np.isnan(table.value(math.nan)).all()
    assert np.isnan(grid_map("bicubic").value(math.nan, 0.0)).all()
    assert table.output_index("camber") == 1
    with pytest.raises(UnknownNameError, match="did you mean 'camber'"):
        table.output_index("chamber")


def test_fold_back_is_found_between_the_right_knots() -> None:
    values = [0.0, 1.0, 2.0, 1.5, 1.0, 3.0, 4.0]
    knots = np.arange(7.0)
    linear = Map1D(TRAVEL, knots, [TOE], values)
    assert linear.folds("toe") == ((2.0, 4.0),)
    assert Map1D(TRAVEL, knots, [TOE], np.negative(values)).folds("toe") == ((2.0, 4.0),)
    assert Map1D(TRAVEL, knots, [TOE], [0.0, 1.0, 0.0, 1.0, 2.0, 1.0, 3.0]).folds("toe") == (
        (1.0, 2.0),
        (4.0, 5.0),
    )
    assert Map1D(TRAVEL, knots, [TOE], np.ones(7)).folds("toe") == ()
    assert Map1D(TRAVEL, knots, [TOE], [0, 1, 1, 1, 2, 3, 4], interpolation="pchip").folds("toe") == ()


def test_fold_back_between_rising_knots_is_found_too() -> None:
    # Akima overshoots beside a steep step: the knots rise, the curve between them does not.
    knots, values = np.arange(6.0), np.array([0.0, 0.1, 0.15, 5.0, 5.01, 5.5])
    akima = Map1D(TRAVEL, knots, [TOE], values, interpolation="akima")
    x = np.linspace(0.0, 5.0, 20001)
    falling = x[:-1][np.diff(akima.value(x)[:, 0]) < 0.0]
    assert falling.size > 0
    folds = akima.folds("toe")
    assert all(any(start <= place <= end for start, end in folds) for place in falling)
    assert all(((falling >= start) & (falling <= end)).any() for start, end in folds)


@settings(max_examples=50)
@given(table=tables(), rule=st.sampled_from(RULES_1D))
def test_folds_agree_with_dense_sampling(table: tuple[np.ndarray, np.ndarray], rule: str) -> None:
    knots, values = table
    made = Map1D(TRAVEL, knots, [TOE], values, interpolation=rule)
    direction = 1.0 if values[-1] >= values[0] else -1.0
    folds = made.folds("toe")
    for start, end in itertools.pairwise(knots):
        sampled = direction * np.diff(made.value(np.linspace(start, end, 101))[:, 0])
        inside = any(low <= start and end <= high for low, high in folds)
        if sampled.min() < -1e-9:
            assert inside
        if inside:
            assert sampled.min() < 1e-6


def test_every_fault_is_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        Map2D(
            (TRAVEL, TRAVEL),
            ([0.0, 1.0, 1.0, 0.5], [0.0, math.inf]),
            [TOE],
            np.zeros((4, 3)),
            interpolation="bilinear",
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
    with pytest.raises(InputError, match="needs 2 or more knots"):
        Map1D(TRAVEL, [1.0], [TOE], [1.0])
    with pytest.raises(InputError, match="needs 3 or more knots"):
        Map2D((TRAVEL, RACK), ([0, 1], [0, 1, 2]), [TOE], np.zeros((2, 3)), interpolation="bicubic")
    with pytest.raises(InputError, match=r"output 'camber' is nan at knot \(1,\)"):
        Map1D(TRAVEL, [0.0, 1.0], [TOE, CAMBER], [[0.0, 0.0], [0.0, math.nan]])
    with pytest.raises(UnknownNameError, match="did you mean 'akima'"):
        Map1D(TRAVEL, [0.0, 1.0], [TOE], [0.0, 1.0], interpolation="akimo")
    with pytest.raises(UnknownNameError, match="known: 'linear', 'constant'"):
        toe_map("linear", "none")


def test_maps_cannot_be_changed_from_outside() -> None:
    knots, values = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    table = Map1D(TRAVEL, knots, [TOE], values)
    knots[0], values[0] = 9.0, 9.0
    assert table.value(0.0) == 2.0
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 1.0


@pytest.mark.parametrize("table", [toe_map("akima", "linear"), grid_map("bicubic", "constant")])
def test_plain_data_and_back(table: Map1D | Map2D) -> None:
    data = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    back = type(table).from_dict(data)
    assert back == table
    assert (back.interpolation, back.extrapolation) == (table.interpolation, table.extrapolation)
    data["extrapolation"] = "linear" if data["extrapolation"] == "constant" else "constant"
    assert type(table).from_dict(data) != table
    assert table != "map"

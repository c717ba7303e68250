"""Tables of the core against SciPy, closed forms and the properties they promise."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    PchipInterpolator,
    RegularGridInterpolator,
)

from trackrod._core import Extrapolation, Interpolation, Table1D, Table2D

# Both sides evaluate a cubic with a few roundings; data are of order 1 to 10.
ROUNDING = 1e-12

RULES = list(Interpolation)
CUBIC = [rule for rule in RULES if rule is not Interpolation.linear]
SCIPY = {
    Interpolation.pchip: PchipInterpolator,
    Interpolation.akima: lambda x, y: Akima1DInterpolator(x, y, method="akima"),
    Interpolation.makima: lambda x, y: Akima1DInterpolator(x, y, method="makima"),
}


def knots(count: int, seed: int, *, even: bool = False) -> np.ndarray:
    if even:
        return np.linspace(-1.3, 2.9, count)
    return np.cumsum(np.random.default_rng(seed).uniform(0.05, 2.0, count)) - 3.0


def values(*shape: int, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-5.0, 5.0, shape)


@st.composite
def data(draw: st.DrawFn, fewest: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Knots at least 0.01 apart and values that may repeat, so that flat stretches occur."""
    steps = draw(st.lists(st.floats(0.01, 3.0), min_size=fewest - 1, max_size=8))
    heights = st.one_of(st.floats(-10.0, 10.0), st.sampled_from([0.0, 1.0, -2.5]))
    y = draw(st.lists(heights, min_size=len(steps) + 1, max_size=len(steps) + 1))
    return np.concatenate(([draw(st.floats(-5.0, 5.0))], steps)).cumsum(), np.array(y)


# ---- one variable


@pytest.mark.parametrize("rule", SCIPY)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 30])
@pytest.mark.parametrize("even", [True, False])
def test_cubic_rules_against_scipy(rule: Interpolation, count: int, even: bool) -> None:
    x, y = knots(count, seed=count, even=even), values(count)
    table, reference = Table1D(x, y, rule), SCIPY[rule](x, y)
    at = np.concatenate((np.random.default_rng(1).uniform(x[0], x[-1], 500), x))
    value, slope, curvature = table.sample(at)
    np.testing.assert_allclose(table.slopes, reference(x, 1), atol=ROUNDING, rtol=ROUNDING)
    np.testing.assert_allclose(value, reference(at), atol=ROUNDING)
    np.testing.assert_allclose(slope, reference(at, 1), atol=1e3 * ROUNDING, rtol=ROUNDING)
    inside = at[:500]
    np.testing.assert_allclose(curvature[:500], reference(inside, 2), atol=1e3 * ROUNDING, rtol=1e-10)
    np.testing.assert_array_equal(table.evaluate(at), value)


@pytest.mark.parametrize("rule", SCIPY)
def test_flat_stretches_and_outliers_against_scipy(rule: Interpolation) -> None:
    """Where weights and secants vanish, each rule has cases of its own."""
    for y in (
        [0, 0, 0, 1, 1, 1, 5, 5],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [0, 1, 2, 3, 3, 3, 2, 1],
        [0, 0, 9, 0, 0, 0, -9, 0],
        [0, 5, 5.1, 5.2, 20, 20.1, 20, 19],
        [0, 1, 2, 3, 4, 5, 6, 7],
    ):
        for x in (np.arange(8.0), knots(8, seed=3)):
            reference = SCIPY[rule](x, np.array(y, dtype=float))
            np.testing.assert_allclose(Table1D(x, y, rule).slopes, reference(x, 1), atol=1e-9)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_linear_rule_against_numpy(count: int) -> None:
    x, y = knots(count, seed=5), values(count)
    at = np.linspace(x[0], x[-1], 301)
    table = Table1D(x, y, Interpolation.linear)
    np.testing.assert_allclose(table.evaluate(at), np.interp(at, x, y), atol=ROUNDING)
    assert table.slopes is None
    middle = 0.5 * (x[1:] + x[:-1])
    value, slope, curvature = table.sample(middle)
    np.testing.assert_allclose(slope, np.diff(y) / np.diff(x), rtol=1e-13)
    assert not curvature.any()
    np.testing.assert_allclose(value, 0.5 * (y[1:] + y[:-1]), atol=ROUNDING)


@pytest.mark.parametrize("even", [True, False])
def test_parabolic_rule_is_exact_for_parabolas(even: bool) -> None:
    x = knots(9, seed=6, even=even)
    table = Table1D(x, 2.0 - 3.0 * x + 0.7 * x**2, Interpolation.parabolic)
    at = np.linspace(x[0], x[-1], 201)
    value, slope, curvature = table.sample(at)
    np.testing.assert_allclose(value, 2.0 - 3.0 * at + 0.7 * at**2, atol=ROUNDING)
    np.testing.assert_allclose(slope, -3.0 + 1.4 * at, atol=ROUNDING)
    np.testing.assert_allclose(curvature, 1.4, atol=1e3 * ROUNDING)
    np.testing.assert_allclose(table.slopes, np.gradient(table.values, x, edge_order=2), atol=ROUNDING)


@pytest.mark.parametrize("rule", RULES)
@given(xy=data(), offset=st.floats(-20.0, 20.0))
@settings(max_examples=60)
def test_straight_line_is_reproduced(rule: Interpolation, xy: tuple[np.ndarray, np.ndarray], offset: float) -> None:
    x, _ = xy
    value, slope, _ = Table1D(x, 1.5 - 0.4 * x, rule).sample(x[0] + offset)
    assert value == pytest.approx(1.5 - 0.4 * (x[0] + offset), abs=1e-10)
    assert slope == pytest.approx(-0.4, abs=1e-10)


@pytest.mark.parametrize("rule", RULES)
@given(xy=data())
@settings(max_examples=60)
def test_node_values_are_exact_and_joined_smoothly(rule: Interpolation, xy: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = xy
    table = Table1D(x, y, rule)
    np.testing.assert_array_equal(table.evaluate(x), y)
    left, here, right = (table.sample(at) for at in (np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf)))
    np.testing.assert_allclose(left[0], y, atol=1e-11)
    np.testing.assert_allclose(right[0], y, atol=1e-11)
    if rule is not Interpolation.linear:
        # slopes reach 1e5 with knots 0.01 apart, curvatures 1e7: one spacing of doubles away that is 1e-8
        np.testing.assert_allclose(left[1], here[1], atol=1e-7)
        np.testing.assert_allclose(right[1], here[1], atol=1e-7)


@given(xy=data(), fractions=st.lists(st.floats(-0.2, 1.2), min_size=20, max_size=20))
@settings(max_examples=150)
def test_pchip_keeps_monotone_data_monotone(xy: tuple[np.ndarray, np.ndarray], fractions: list[float]) -> None:
    x, y = xy
    table = Table1D(x, np.sort(y), Interpolation.pchip)
    at = np.sort(x[0] + np.array(fractions) * (x[-1] - x[0]))
    value, slope, _ = table.sample(at)
    assert (np.diff(value) >= -1e-13 * 20.0).all()
    assert (slope >= -1e-9).all()


@given(xy=data(), fractions=st.lists(st.floats(0.0, 1.0), min_size=20, max_size=20))
@settings(max_examples=100)
def test_pchip_stays_between_neighbouring_nodes(xy: tuple[np.ndarray, np.ndarray], fractions: list[float]) -> None:
    x, y = xy
    at = x[0] + np.array(fractions) * (x[-1] - x[0])
    value = Table1D(x, y, Interpolation.pchip).evaluate(at)
    cell = np.clip(np.searchsorted(x, at, side="right") - 1, 0, x.size - 2)
    low, high = np.minimum(y[cell], y[cell + 1]), np.maximum(y[cell], y[cell + 1])
    assert (value >= low - 1e-12).all()
    assert (value <= high + 1e-12).all()


@pytest.mark.parametrize("rule", RULES)
@given(xy=data(), distance=st.floats(1e-6, 1e6))
@settings(max_examples=60)
def test_extrapolation_rules(rule: Interpolation, xy: tuple[np.ndarray, np.ndarray], distance: float) -> None:
    x, y = xy
    outside = np.array([x[0] - distance, x[-1] + distance])
    away = outside - x[[0, -1]]  # the distance as it is after rounding
    ends = Table1D(x, y, rule).sample(x[[0, -1]])[1]

    value, slope, curvature = Table1D(x, y, rule, Extrapolation.linear).sample(outside)
    np.testing.assert_allclose(value, y[[0, -1]] + ends * away, rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(slope, ends, rtol=1e-14)
    assert not curvature.any()

    value, slope, curvature = Table1D(x, y, rule, Extrapolation.constant).sample(outside)
    np.testing.assert_array_equal(value, y[[0, -1]])
    assert not slope.any()
    assert not curvature.any()


@pytest.mark.parametrize("rule", RULES)
def test_derivatives_against_differences(rule: Interpolation) -> None:
    x, y = knots(8, seed=9), values(8)
    table = Table1D(x, y, rule)
    at = np.random.default_rng(2).uniform(x[0] - 2.0, x[-1] + 2.0, 400)
    h = 1e-5
    at = at[np.abs(at[:, np.newaxis] - x).min(axis=1) > 2 * h]  # curvature jumps at knots
    _, slope, curvature = table.sample(at)
    above, below = table.sample(at + h), table.sample(at - h)
    np.testing.assert_allclose(slope, (above[0] - below[0]) / (2 * h), atol=1e-6, rtol=1e-6)
    np.testing.assert_allclose(curvature, (above[1] - below[1]) / (2 * h), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("outside", list(Extrapolation))
@given(xy=data(), x=st.floats(allow_nan=False))
@settings(max_examples=60)
def test_finite_for_every_number(
    rule: Interpolation, outside: Extrapolation, xy: tuple[np.ndarray, np.ndarray], x: float
) -> None:
    for result in Table1D(*xy, rule, outside).sample([x, -x, 0.0]):
        assert np.isfinite(result).all()


@pytest.mark.parametrize("rule", RULES)
def test_nan_gives_nan(rule: Interpolation) -> None:
    value, slope, _ = Table1D([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], rule).sample([np.nan, 0.5])
    np.testing.assert_array_equal(np.isnan(value), [True, False])
    np.testing.assert_array_equal(np.isnan(slope), [True, False])


def test_uneven_search_gives_what_even_guess_gives() -> None:
    """The same cubic, on an even grid and with one far knot more, which forces the search."""
    x = np.linspace(0.0, 1.0, 21)
    y = np.sin(5.0 * x)
    even = Table1D(x, y, Interpolation.pchip)
    searched = Table1D(np.append(x, 1000.0), np.append(y, y[-1]), Interpolation.pchip)
    at = np.random.default_rng(3).uniform(0.0, 0.94, 1000)  # two cells from the end, where slopes differ
    np.testing.assert_array_equal(even.evaluate(at), searched.evaluate(at))


def test_shapes_and_ownership() -> None:
    x, y = np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 0.0])
    table = Table1D(x, y)
    x[1], y[1] = 99.0, 99.0
    np.testing.assert_array_equal(table.knots, [0.0, 1.0, 3.0])
    np.testing.assert_array_equal(table.values, [1.0, 2.0, 0.0])
    assert table.interpolation is Interpolation.pchip
    assert table.extrapolation is Extrapolation.linear
    for array in (table.knots, table.values, table.slopes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    kept = Table1D([0.0, 1.0], [3.0, 4.0]).knots  # outlives its table
    np.testing.assert_array_equal(kept, [0.0, 1.0])
    assert table.evaluate(0.5).shape == ()
    assert table.evaluate([]).shape == (0,)
    assert table.evaluate(np.zeros((2, 3, 4), dtype=np.float32)).shape == (2, 3, 4)
    columns = np.arange(12.0).reshape(3, 4)[:, ::2]  # not contiguous
    np.testing.assert_array_equal(table.evaluate(columns), table.evaluate(columns.copy()))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0.0], [1.0], r"knots must be one row of two or more numbers, got the shape \(1,\)"),
        ([[0.0, 1.0]], [1.0], r"got the shape \(1, 2\)"),
        ([0.0, 1.0, 1.0], [1.0] * 3, r"knots must increase strictly: knots\[1\] is 1, knots\[2\] is 1"),
        ([0.0, 2.0, 1.0], [1.0] * 3, r"knots\[1\] is 2, knots\[2\] is 1"),
        ([0.0, np.nan], [1.0] * 2, r"knots\[1\] is nan, must be finite"),
        ([0.0, 1e200], [1.0] * 2, r"knots\[1\] is 1e\+200"),
        ([0.0, 5e-324], [1.0] * 2, "increase strictly"),
        ([0.0, 1.0], [1.0] * 3, r"values must have the shape \(2,\) of the knots, got \(3,\)"),
        ([0.0, 1.0], [1.0, np.inf], r"values\[1\] is inf, must be finite"),
        ([0.0, 1e-90], [0.0, 1e90], "too steeply"),
    ],
)
def test_bad_data_in_one_variable(x: list[float], y: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Table1D(x, y)


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(ValueError, match="increase strictly") as error:
        Table2D([0.0, 0.0], [1.0, np.nan], [[1.0, np.inf], [2.0, 3.0]])
    assert len(str(error.value).splitlines()) == 3
    assert "y_knots[1] is nan" in str(error.value)
    assert "values[0, 1] is inf" in str(error.value)


# ---- two variables

GRID = knots(6, seed=11), knots(5, seed=12)


def points(n: int, margin: float = 0.0, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x, y = GRID
    return (
        random.uniform(x[0] - margin, x[-1] + margin, n),
        random.uniform(y[0] - margin, y[-1] + margin, n),
    )


def test_bilinear_against_scipy() -> None:
    z = values(6, 5, 3)
    x, y = points(400)
    reference = RegularGridInterpolator(GRID, z)(np.column_stack((x, y)))
    np.testing.assert_allclose(Table2D(*GRID, z, Interpolation.linear).evaluate(x, y), reference, atol=ROUNDING)


@pytest.mark.parametrize("rule", CUBIC)
def test_bicubic_is_the_product_of_one_dimensional_rules(rule: Interpolation) -> None:
    """Built by SciPy: Hermite along y of values and of slopes by x, then Hermite along x."""
    z = values(6, 5)
    table = Table2D(*GRID, z, rule)

    def slopes(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.array([Table1D(x, row, rule).slopes for row in rows.T]).T

    by_x, by_y = slopes(GRID[0], z), slopes(GRID[1], z.T).T
    cross = 0.5 * (slopes(GRID[1], by_x.T).T + slopes(GRID[0], by_y))
    np.testing.assert_allclose(table.slopes[:, :, :, 0], np.stack((by_x, by_y, cross), axis=-1), atol=ROUNDING)
    for x, y in zip(*points(40), strict=True):
        value = CubicHermiteSpline(GRID[1], z, by_y, axis=1)
        slope = CubicHermiteSpline(GRID[1], by_x, cross, axis=1)
        found = table.sample(x, y)
        for order_x, order_y, ours in ((0, 0, found[0]), (1, 0, found[1]), (0, 1, found[2])):
            reference = CubicHermiteSpline(GRID[0], value(y, order_y), slope(y, order_y))(x, order_x)
            assert ours == pytest.approx(float(reference), abs=1e2 * ROUNDING, rel=1e-10)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("outside", list(Extrapolation))
def test_partial_derivatives_against_differences(rule: Interpolation, outside: Extrapolation) -> None:
    table = Table2D(*GRID, values(6, 5, 4), rule, outside)
    x, y = points(500, margin=1.5)
    h = 1e-6
    away = (np.abs(x[:, np.newaxis] - GRID[0]).min(axis=1) > h) & (np.abs(y[:, np.newaxis] - GRID[1]).min(axis=1) > h)
    x, y = x[away], y[away]
    value, by_x, by_y = table.sample(x, y)
    np.testing.assert_array_equal(value, table.evaluate(x, y))
    along_x = (table.evaluate(x + h, y) - table.evaluate(x - h, y)) / (2 * h)
    along_y = (table.evaluate(x, y + h) - table.evaluate(x, y - h)) / (2 * h)
    np.testing.assert_allclose(by_x, along_x, atol=1e-6, rtol=1e-5)
    np.testing.assert_allclose(by_y, along_y, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("rule", CUBIC)
def test_bicubic_is_smooth_across_every_line_of_the_grid(rule: Interpolation) -> None:
    """Value and both derivatives, also across the edges, where extrapolation begins, and in the corners."""
    table = Table2D(*GRID, values(6, 5), rule)
    _, along = points(50, margin=2.0)
    h = 1e-11  # second derivatives reach 1e4 here
    for x in GRID[0]:
        for before, after in zip(table.sample(x - h, along), table.sample(x + h, along), strict=True):
            np.testing.assert_allclose(before, after, atol=1e-6)
    along, _ = points(50, margin=2.0)
    for y in GRID[1]:
        for before, after in zip(table.sample(along, y - h), table.sample(along, y + h), strict=True):
            np.testing.assert_allclose(before, after, atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_transposed_table_gives_transposed_result(rule: Interpolation) -> None:
    z = values(6, 5)
    x, y = points(200, margin=1.0)
    value, by_x, by_y = Table2D(*GRID, z, rule).sample(x, y)
    turned = Table2D(*GRID[::-1], z.T, rule).sample(y, x)
    np.testing.assert_allclose(turned, (value, by_y, by_x), atol=1e-10, rtol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_table_constant_in_one_variable_is_one_dimensional(rule: Interpolation) -> None:
    column = values(6)
    x, y = points(200, margin=2.0)
    value, by_x, by_y = Table2D(*GRID, np.repeat(column[:, np.newaxis], 5, axis=1), rule).sample(x, y)
    line = Table1D(GRID[0], column, rule).sample(x)
    np.testing.assert_allclose(value, line[0], atol=ROUNDING)
    np.testing.assert_allclose(by_x, line[1], atol=1e2 * ROUNDING)
    np.testing.assert_allclose(by_y, 0.0, atol=1e2 * ROUNDING)


@pytest.mark.parametrize("rule", RULES)
def test_channels_do_not_mix(rule: Interpolation) -> None:
    z = values(6, 5, 7)
    x, y = points(100, margin=1.0)
    together = Table2D(*GRID, z, rule).sample(x, y)
    for k in range(7):
        alone = Table2D(*GRID, z[:, :, k], rule).sample(x, y)
        for ours, theirs in zip(together, alone, strict=True):
            np.testing.assert_allclose(ours[:, k], theirs, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("rule", RULES)
@given(x=st.floats(allow_nan=False), y=st.floats(allow_nan=False))
@settings(max_examples=60)
def test_finite_for_every_pair_of_numbers(rule: Interpolation, x: float, y: float) -> None:
    table = Table2D(*GRID, values(6, 5, 2), rule)
    for result in table.sample([x, x, 0.0], [y, 0.0, y]):
        assert np.isfinite(result).all()


def test_nan_in_either_argument_gives_nan() -> None:
    for rule in RULES:
        table = Table2D(*GRID, values(6, 5, 3), rule)
        for result in table.sample([np.nan, 0.0, np.nan], [0.0, np.nan, np.nan]):
            assert np.isnan(result).any(axis=1).all()
        assert np.isnan(table.evaluate([np.nan, 0.0], [0.0, np.nan])).all()


def test_broadcasting_and_shapes() -> None:
    table = Table2D(*GRID, values(6, 5, 2))
    x, y = np.linspace(-2.0, 2.0, 4)[:, np.newaxis], np.linspace(-1.0, 1.0, 3)
    whole = table.evaluate(x, y)
    assert whole.shape == (4, 3, 2)
    np.testing.assert_array_equal(whole[1, 2], table.evaluate(x[1, 0], y[2]))
    assert Table2D(*GRID, values(6, 5)).evaluate(0.0, 0.0).shape == ()
    assert table.values.shape == (6, 5, 2)
    assert table.slopes.shape == (6, 5, 3, 2)
    assert Table2D(*GRID, values(6, 5), Interpolation.linear).slopes is None
    np.testing.assert_array_equal(table.x_knots, GRID[0])
    np.testing.assert_array_equal(table.y_knots, GRID[1])
    with pytest.raises(ValueError, match=r"shape mismatch|broadcast"):
        table.evaluate([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("shape", [(6,), (5, 6), (6, 5, 2, 2), (6, 5, 0)])
def test_bad_shapes_in_two_variables(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"values must have the shape \(6, 5\) or \(6, 5, channels\), got"):
        Table2D(*GRID, np.zeros(shape))


def test_threads_share_a_table() -> None:
    """The interpreter lock is released while evaluating; results do not depend on who else evaluates."""
    table = Table2D(*GRID, values(6, 5, 4))
    x, y = points(20000, margin=1.0)
    wanted = table.evaluate(x, y)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(table.evaluate(x, y))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for result in found:
        np.testing.assert_array_equal(result, wanted)


def away_from_the_middle(x: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The arguments that are not exactly half-way between two knots."""
    cell = np.clip(np.searchsorted(x, at, side="right") - 1, 0, x.size - 2)
    return at[at - x[cell] != x[cell + 1] - at]


@given(xy=data(), rule=st.sampled_from(RULES))
@settings(max_examples=100)
def test_mirrored_data_give_mirrored_results(xy: tuple[np.ndarray, np.ndarray], rule: Interpolation) -> None:
    """Left and right of a vehicle stay alike to the last bit."""
    x, y = xy
    at = away_from_the_middle(x, np.linspace(x[0] - 1.0, x[-1] + 1.0, 41))
    if rule is Interpolation.linear:
        at = at[~np.isin(at, x)]  # at a knot its slope is that of the cell to the right
    here, there = Table1D(x, y, rule).sample(at), Table1D(-x[::-1], y[::-1], rule).sample(-at)
    np.testing.assert_array_equal(here[0], there[0])
    np.testing.assert_array_equal(here[1], -there[1])


@pytest.mark.parametrize("rule", RULES)
def test_mirrored_grid_gives_mirrored_results(rule: Interpolation) -> None:
    z = values(6, 5, 2)
    x, y = points(300, margin=1.0)
    here = Table2D(*GRID, z, rule).sample(x, y)
    there = Table2D(-GRID[0][::-1], GRID[1], z[::-1], rule).sample(-x, y)
    for ours, theirs, sign in zip(here, there, (1.0, -1.0, 1.0), strict=True):
        np.testing.assert_array_equal(ours, sign * theirs)

"""Estimates with intervals: against closed forms, and against planted truths with model error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from scipy.stats import t as student

from fit.problems import Formula, linear
from trackrod.core.errors import InputError
from trackrod.fit.blocks import Array
from trackrod.fit.estimate import EXACT_PCT, LEVEL, Estimate, estimate
from trackrod.fit.objective import Objective


def waves(count: int, *, samples: int = 200) -> Array:
    """Cosines over a record, of length one: columns."""
    x = (np.arange(samples) + 0.5) * math.pi / samples
    return np.cos(np.outer(x, np.arange(1, count + 1))) * math.sqrt(2.0 / samples)


def test_numbers_have_the_interval_of_a_closed_form() -> None:
    """n numbers r₀ + j z with j ⟂ r₀: the textbook interval, j² z² = (r₀² + e₀²) t²/ν with ν = n − 1."""
    jacobian, rest = np.array([3.0, 4.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.3, 0.4])
    found = estimate(linear([jacobian[:, None]], [rest]), np.zeros(1))
    square = 0.5**2 + EXACT_PCT**2
    half = math.sqrt(square / 3.0) * student.ppf(0.5 + 0.5 * LEVEL, 3) / 5.0
    assert found.z == pytest.approx([0.0], abs=1e-6)
    assert (found.lower[0], found.upper[0]) == (pytest.approx(-half, rel=0.01), pytest.approx(half, rel=0.01))
    assert found.observations == 4.0


def test_a_curve_counts_for_the_shapes_of_what_it_leaves() -> None:
    effect, *left = waves(11).T
    for shapes, worth in ((1, 1.0), (2, 1.5), (10, 1.5)):
        problem = linear([10.0 * effect[:, None]], [np.sum(left[:shapes], axis=0)])
        assert estimate(problem, np.zeros(1)).observations == pytest.approx(worth)


def test_finer_sampling_brings_no_certainty() -> None:
    def reach(samples: int) -> float:
        effect, left = waves(2, samples=samples).T
        return float(estimate(linear([10.0 * effect[:, None]], [left]), np.zeros(1)).upper[0])

    assert reach(2000) == pytest.approx(reach(50), rel=1e-3)


def test_a_curve_that_the_model_cannot_follow_does_not_pull() -> None:
    """One curve of ten is off by something that looks like the parameter: it is doubted, not believed."""
    effect, left = waves(2).T
    believed = [linear_curve(effect, 0.5 * left, truth=0.2) for _ in range(9)]
    off = linear_curve(effect, 0.5 * left + 6.0 * effect, truth=0.2)
    jacobians, offsets = zip(*believed, off, strict=True)
    found = estimate(linear(jacobians, offsets), np.zeros(1))
    assert found.z == pytest.approx([0.2], abs=0.01)
    assert found.lower[0] < 0.2 < found.upper[0]


def linear_curve(effect: Array, left: Array, truth: float) -> tuple[Array, Array]:
    jacobian = 10.0 * effect[:, None]
    return jacobian, left - jacobian[:, 0] * truth


def test_what_nothing_sees_may_be_anywhere() -> None:
    effect, left = waves(2).T
    found = estimate(linear([np.column_stack([30 * effect, 0 * effect])], [left]), np.zeros(2))
    assert (found.lower[1], found.upper[1]) == (-1.0, 1.0)
    assert found.determined == (True, False)


def test_two_that_do_the_same_may_both_be_anywhere() -> None:
    effect, left = waves(2).T
    found = estimate(linear([np.column_stack([30 * effect, 30 * effect])], [left]), np.zeros(2))
    assert found.determined == (False, False)
    assert found.z.sum() == pytest.approx(0.0, abs=0.01)


def test_beyond_a_bound() -> None:
    effect, left = waves(2).T
    found = estimate(linear([10 * effect[:, None]], [left - 15.0 * effect]), np.zeros(1))
    assert found.on_bound == (True,)
    assert found.upper[0] == 1.0
    assert found.lower[0] < 1.0


def test_numbers_read_from_a_curve_and_indices_without_weight_do_not_count() -> None:
    effect, left = waves(2).T
    problem = linear([10 * effect[:, None], np.array([[50.0]])], [left, np.array([30.0])])
    alone = linear([10 * effect[:, None]], [left])
    assert same(estimate(problem, np.zeros(1)), estimate(alone, np.zeros(1)))
    two = linear([10 * effect[:, None], 20 * effect[:, None]], [left, left - 5 * effect])
    deaf = Objective(weights={("m", "i1"): 0.0})
    assert same(estimate(two, np.zeros(1), deaf), estimate(alone, np.zeros(1)))


def same(one: Estimate, other: Estimate) -> bool:
    return np.allclose([one.z, one.lower, one.upper], [other.z, other.lower, other.upper], atol=2e-3)


def test_a_curved_problem_is_linearised_where_it_ends() -> None:
    """Residual 10 (sinh z − sinh 0.8) of a shape, and what is left: the estimate is 0.8."""
    effect, left = waves(2).T
    problem = Formula(
        1,
        lambda z: [
            (10 * (np.sinh(2 * z[0]) - math.sinh(1.6)) * effect + left, (20 * np.cosh(2 * z[0]) * effect)[:, None])
        ],
        [("m", "i")],
    )
    assert estimate(problem, np.zeros(1)).z == pytest.approx([0.8], abs=5e-3)
    assert estimate(problem, np.array([-1.0])).z == pytest.approx([0.8], abs=5e-3)


def test_only_what_the_curves_contradict_is_named() -> None:
    """Two parameters with an effect of their own each; the second is right, and what is left looks a little like it."""
    first, second, left = waves(3).T
    effects = np.column_stack([20.0 * first, 20.0 * second])
    curves = [left - effects @ [0.5, 0.0] + 0.2 * second for _ in range(6)]
    assert estimate(linear([effects] * 6, curves), np.zeros(2)).contradicted == ("p0",)
    right = [left + 0.2 * second for _ in range(6)]
    assert estimate(linear([effects] * 6, right), np.zeros(2)).contradicted == ()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_interval_of_what_is_not_contradicted_holds_its_nominal_value(seed: int) -> None:
    """What a swap explains, the model as it is puts down to nothing; the interval knows better."""
    random = np.random.default_rng(seed)
    shapes = waves(4, samples=40)

    def smooth(columns: int) -> Array:
        return shapes @ (random.normal(size=(4, columns)) / np.arange(1, 5)[:, None])

    truth = random.uniform(-0.5, 0.5, 3)
    jacobians = [20.0 * smooth(3) for _ in range(5)]
    effects = [4.0 * smooth(1)[:, 0] for _ in range(5)]
    offsets = [smooth(1)[:, 0] - j @ truth - effect for j, effect in zip(jacobians, effects, strict=True)]
    swap = linear(jacobians, [offset + effect for offset, effect in zip(offsets, effects, strict=True)])
    found = estimate(linear(jacobians, offsets), np.zeros(3), swaps=[swap])
    outside = {n for n, low, high in zip(found.names, found.lower, found.upper, strict=True) if not low <= 0.0 <= high}
    assert outside
    assert outside <= set(found.contradicted)


@pytest.mark.parametrize("seed", [0, 36, 64])
def test_several_valleys(seed: int) -> None:
    """Five curves that contradict each other about four parameters: the interval still holds the estimate."""
    random = np.random.default_rng(seed)
    shapes = waves(4, samples=40)

    def smooth(columns: int) -> Array:
        return shapes @ (random.normal(size=(4, columns)) / np.arange(1, 5)[:, None])

    truth = random.uniform(-0.5, 0.5, 4)
    jacobians = [20.0 * smooth(4) * random.lognormal(0.0, 1.0, 4) for _ in range(5)]
    offsets = [6.0 * random.lognormal(0.0, 1.2) * smooth(1)[:, 0] - j @ truth for j in jacobians]
    found = estimate(linear(jacobians, offsets), np.zeros(4))
    assert (found.lower <= found.z).all()
    assert (found.z <= found.upper).all()


def test_what_a_swap_is_like_becomes_uncertain_and_nothing_else() -> None:
    """Every curve is off by what the first parameter does: with a swap that does the same, the interval knows."""
    first, second, left = waves(3).T
    effects = np.column_stack([20.0 * first, 20.0 * second])
    truth, shift = np.array([0.2, -0.1]), 0.15
    curves = [0.3 * left - effects @ truth - shift * effects[:, 0] for _ in range(6)]
    without = estimate(linear([effects] * 6, curves), np.zeros(2))
    assert without.lower[0] > truth[0], "the shift is seen by nothing"
    swap = linear([effects] * 6, [curve + 1.5 * shift * effects[:, 0] for curve in curves])
    found = estimate(linear([effects] * 6, curves), np.zeros(2), swaps=[swap])
    assert found.lower[0] < truth[0] < found.upper[0] < 1.0
    assert (found.lower[1], found.upper[1]) == pytest.approx((without.lower[1], without.upper[1]), abs=0.02)
    assert found.contradicted == without.contradicted


def test_a_swap_has_the_size_of_a_standard_normal_number() -> None:
    """Curves that the model follows exactly, and a swap that is like the parameter at z = −0.1: z is 0 ± 0.1 · 1.96."""
    effect = np.array([30.0, 0.0, 0.0, 0.0])
    exact = linear([effect[:, None]] * 40, [np.zeros(4)] * 40)
    swap = linear([effect[:, None]] * 40, [0.1 * effect] * 40)
    found = estimate(exact, np.zeros(1), swaps=[swap])
    assert found.upper[0] == pytest.approx(0.1 * student.ppf(0.5 + 0.5 * LEVEL, 159), rel=0.03)


def test_a_swap_that_breaks_down_or_has_other_curves_changes_nothing() -> None:
    effect, left = waves(2).T
    problem = linear([10.0 * effect[:, None]], [left])
    alone = estimate(problem, np.zeros(1))
    broken = linear([10.0 * effect[:, None]], [left + effect], breaks=lambda z: True)
    other = linear([np.ones((5, 1))], [np.ones(5)])
    assert same(estimate(problem, np.zeros(1), swaps=[broken, other]), alone)


def test_the_ends_are_where_the_intervals_end() -> None:
    """Two parameters that make up for each other: at the end of one the other has gone the other way."""
    first, second, left = waves(3).T
    found = estimate(linear([np.column_stack([10 * first, 10 * (first + 0.3 * second)])], [0.3 * left]), np.zeros(2))
    assert [found.ends[0, 0, 0], found.ends[1, 0, 1]] == found.lower.tolist()
    assert [found.ends[0, 1, 0], found.ends[1, 1, 1]] == found.upper.tolist()
    assert found.ends[0, 1, 1] == pytest.approx(-found.ends[0, 0, 1], abs=0.01)
    assert found.ends[0, 1, 1] < -0.1


def test_bad_input() -> None:
    effect, left = waves(2).T
    problem = linear([effect[:, None]], [left])
    with pytest.raises(InputError, match="shape"):
        estimate(problem, np.zeros(2))
    with pytest.raises(InputError, match="no index to learn from"):
        estimate(problem, np.zeros(1), Objective(weights={"m": 0.0}))


def test_intervals_hold_planted_truths_with_model_error() -> None:
    """300 vehicles of which no model is right: neither too few intervals hold the truth, nor all of them."""
    held = [_held(seed) for seed in range(300)]
    assert sum(held) < len(held)
    assert binomtest(sum(held), len(held), LEVEL).pvalue > 0.001


def _held(seed: int) -> bool:
    """Ten curves, two parameters; every curve has a smooth difference of a size of its own."""
    random = np.random.default_rng(seed)
    truth = random.uniform(-0.5, 0.5, 2)
    shapes = waves(4, samples=40)

    def smooth(columns: int) -> Array:
        return shapes @ (random.normal(size=(4, columns)) / np.arange(1, 5)[:, None])

    jacobians = [20.0 * smooth(2) * random.lognormal(0.0, 0.5, 2) for _ in range(10)]
    offsets = [2.0 * random.lognormal(0.0, 0.7) * smooth(1)[:, 0] - j @ truth for j in jacobians]
    found = estimate(linear(jacobians, offsets), np.zeros(2))
    return bool(found.lower[0] <= truth[0] <= found.upper[0])

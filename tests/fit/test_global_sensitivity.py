"""Morris and Sobol against functions whose answers are known in closed form."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np
import pytest

from trackrod.core.errors import ConvergenceError, InputError, MissingExtraError, RangeError
from trackrod.fit.blocks import Array, Block
from trackrod.fit.samples import EvaluateMany, evaluate_families
from trackrod.fit.screening import screen
from trackrod.fit.variance_shares import share_variance

OFFSET = 50.0  # an index is not negative, the test functions are


def ishigami(z: Array) -> Array:
    x = np.pi * z
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


G_COEFFICIENTS = np.array([0.0, 1.0, 4.5, 9.0, 99.0])


def g_function(z: Array) -> Array:
    return np.prod((np.abs(2 * z) + G_COEFFICIENTS) / (1 + G_COEFFICIENTS), axis=1)  # |4x − 2| with x = (1 + z)/2


def model(function: Callable[[Array], Array], fails: Callable[[Array], bool] | None = None) -> EvaluateMany:
    def evaluate(points: Sequence[Array]) -> Sequence[tuple[Block, ...] | None]:
        return [
            None if fails is not None and fails(z) else (Block("m", "i", np.array([value + OFFSET])),)
            for z, value in zip(points, function(np.array(points)), strict=True)
        ]

    return evaluate


def objective(blocks: tuple[Block, ...]) -> float:
    return float(blocks[0].residual[0]) - OFFSET


def test_shares_of_the_ishigami_function() -> None:
    a, b = 7.0, 0.1
    alone = 0.5 * (1 + b * np.pi**4 / 5) ** 2
    bent = a**2 / 8
    together = b**2 * np.pi**8 * 8 / 225
    variance = alone + bent + together
    found = share_variance(("x1", "x2", "x3"), model(ishigami), objective, base_points=1024, seed=3)
    assert found.outputs == ("objective", "m: i")
    np.testing.assert_allclose(found.first[0], np.array([alone, bent, 0]) / variance, atol=0.03)
    np.testing.assert_allclose(found.total[0], np.array([alone + together, bent, together]) / variance, atol=0.03)
    np.testing.assert_allclose(found.first[1], found.first[0], atol=1e-9)  # an offset changes no share
    assert found.mean[0] == pytest.approx(a / 2, rel=0.02)
    assert found.deviation[0] == pytest.approx(np.sqrt(variance), rel=0.02)


def test_shares_of_the_g_function_lie_in_their_intervals() -> None:
    parts = 1 / (3 * (1 + G_COEFFICIENTS) ** 2)
    whole = np.prod(1 + parts) - 1
    total = parts * np.prod(1 + parts) / (1 + parts) / whole
    found = share_variance(tuple("abcde"), model(g_function), objective, base_points=512, seed=1)
    assert (np.abs(found.first[0] - parts / whole) <= 1.5 * found.first_confidence[0] + 1e-3).all()
    assert (np.abs(found.total[0] - total) <= 1.5 * found.total_confidence[0] + 1e-3).all()
    assert (found.first_confidence[0] < 0.2).all()


def test_effects_of_a_linear_function_are_its_slopes() -> None:
    slopes = np.array([3.0, -0.5, 0.0])
    found = screen(("a", "b", "c"), model(lambda z: z @ slopes), objective, trajectories=5)
    np.testing.assert_allclose(found.mu[0], slopes, atol=1e-12)
    np.testing.assert_allclose(found.mu_star[0], np.abs(slopes), atol=1e-12)
    np.testing.assert_allclose(found.sigma, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.mu_star_confidence, 0.0, atol=1e-12)


def test_effects_of_the_ishigami_function() -> None:
    """Means over the four levels −π, −π/3, π/3, π with moves of two thirds of the range, in closed form."""
    root, move = np.sqrt(0.75), 4 / 3
    fourth = np.pi**4 * (1 + 1 / 81) / 2
    expected = np.array([root * (1 + 0.1 * fourth), 7 * 0.75, 0.1 * np.pi**4 * 80 / 81 * root / 2]) / move
    # SALib's own regression test, per whole range and from 10 000 trajectories, holds these numbers.
    np.testing.assert_allclose(2 * expected, [7.683, 7.875, 6.256], rtol=0.005)
    found = screen(("x1", "x2", "x3"), model(ishigami), objective, trajectories=1000, seed=4)
    np.testing.assert_allclose(found.mu_star[0], expected, rtol=0.05)
    assert (np.abs(found.mu_star[0] - expected) <= 2 * found.mu_star_confidence[0] + 1e-9).all()
    assert found.sigma[0, 2] > found.mu_star[0, 2]  # x3 acts only together with x1


@pytest.mark.parametrize("seed", [0, 7])
def test_equal_seeds_give_equal_results(seed: int) -> None:
    for analyse, option in ((screen, {"trajectories": 6}), (share_variance, {"base_points": 16})):
        results = [
            json.dumps(analyse(("a", "b", "c"), model(ishigami), objective, seed=seed, **option).to_plain())
            for _ in range(2)
        ]
        assert results[0] == results[1]


def failing(*points: int) -> Callable[[Array], bool]:
    """Fails at the points with these numbers, in the order of evaluation."""
    numbers = count()
    return lambda _: next(numbers) in points


def test_families_with_a_failure_are_dropped_and_counted() -> None:
    slopes = np.array([3.0, -0.5])
    linear = model(lambda z: z @ slopes, failing(0, 1, 7))  # two points of the first trajectory, one of the third
    found = screen(("a", "b"), linear, objective, trajectories=10)
    assert (found.trajectories, found.dropped) == (8, 2)
    np.testing.assert_allclose(found.mu[0], slopes, atol=1e-12)


def test_shares_survive_a_failing_corner() -> None:
    def corner(z: Array) -> bool:
        return bool((z > 0.6).all())

    linear = model(lambda z: z @ np.array([2.0, 1.0, 0.0]), corner)
    found = share_variance(("a", "b", "c"), linear, objective, base_points=1024)
    assert 0 < found.dropped < 100
    assert found.base_points + found.dropped == 1024
    np.testing.assert_allclose(found.first[0], [0.8, 0.2, 0.0], atol=0.04)


def test_more_than_a_fifth_lost_is_an_error() -> None:
    with pytest.raises(ConvergenceError, match=r"3 of 30 evaluations failed, which spoils 3 of 10 .*narrow the ranges"):
        screen(("a", "b"), model(lambda z: z[:, 0], failing(0, 3, 6)), objective, trajectories=10)


def test_an_objective_that_is_not_finite_counts_as_a_failure() -> None:
    points = np.linspace(-1, 1, 20)[:, None]
    found = evaluate_families(
        points, 2, model(lambda z: z[:, 0]), lambda blocks: np.nan if objective(blocks) == 1.0 else 0.0
    )
    assert (found.families, found.dropped) == (9, 1)


def test_an_output_that_does_not_change_has_no_shares() -> None:
    found = share_variance(("a", "b"), model(lambda z: 0.0 * z[:, 0]), objective, base_points=8)
    assert not found.first.any()
    assert not found.total.any()


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    screen(
        ("a", "b"), model(lambda z: z[:, 0]), objective, trajectories=200, progress=lambda *state: seen.append(state)
    )
    assert seen == [(256, 600), (512, 600), (600, 600)]


def test_evaluations_with_other_indices_are_refused() -> None:
    def evaluate(points: Sequence[Array]) -> Sequence[tuple[Block, ...]]:
        return [(Block("m", f"i{k}", np.ones(1)),) for k in range(len(points))]

    with pytest.raises(InputError, match="differ in their indices: m: i0, m: i1"):
        screen(("a",), evaluate, lambda blocks: 0.0)
    with pytest.raises(InputError, match="0 results came back"):
        screen(("a",), lambda points: [], lambda blocks: 0.0)


def test_numbers_of_samples_are_checked() -> None:
    with pytest.raises(RangeError, match="power of two"):
        share_variance(("a",), model(lambda z: z[:, 0]), objective, base_points=100)
    with pytest.raises(RangeError, match="at least 2"):
        screen(("a",), model(lambda z: z[:, 0]), objective, trajectories=1)


@pytest.mark.parametrize("analyse", [screen, share_variance])
def test_without_salib_the_message_says_what_to_install(
    analyse: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SALib", "SALib.analyze", "SALib.sample"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'trackrod\[fit\]'"):
        analyse(("a",), model(lambda z: z[:, 0]), objective)

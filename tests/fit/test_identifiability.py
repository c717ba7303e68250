from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fit.linear_blocks import linear_block
from trackrod.core.errors import InputError, RangeError
from trackrod.fit.blocks import Array
from trackrod.fit.identifiability import Criteria, Verdict, collinearity_index, identify, stack


def orthogonal(rows: int, columns: int, seed: int = 1) -> Array:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(rows, columns)))[0]


def names(count: int) -> tuple[str, ...]:
    return tuple("abcdefgh"[:count])


@pytest.mark.parametrize("angle", [0.05, 0.5, np.pi / 2])
def test_collinearity_of_two_columns_in_closed_form(angle: float) -> None:
    """The Gram matrix of two unit vectors has the eigenvalues 1 ± cos."""
    pair = np.array([[1.0, np.cos(angle)], [0.0, np.sin(angle)]]) * [3.0, 1e-4]
    assert collinearity_index(pair) == pytest.approx(1 / np.sqrt(1 - np.cos(angle)), rel=1e-9)


def test_collinearity_of_equally_correlated_columns_in_closed_form() -> None:
    """n unit vectors with the mutual cosine ρ: the smallest eigenvalue of their Gram matrix is 1 − ρ."""
    gram = np.full((4, 4), 0.96) + 0.04 * np.eye(4)
    assert collinearity_index(np.linalg.cholesky(gram).T) == pytest.approx(5.0)


def test_orthogonal_columns_are_all_identifiable() -> None:
    lengths = np.array([3.0, 1.0, 0.5])
    result = identify(names(3), [linear_block(orthogonal(20, 3) * lengths)])
    assert result.of(Verdict.IDENTIFIABLE) == result.subset == ("a", "b", "c")
    np.testing.assert_allclose(result.singular_values, lengths)
    assert result.condition == pytest.approx(6.0)
    assert [f.unique_pct for f in result.findings] == pytest.approx(lengths)
    assert result.groups == ()


def test_a_parameter_below_the_noise_is_not_seen() -> None:
    block = linear_block(orthogonal(20, 2) * [1.0, 0.09])
    assert identify(names(2), [block]).of(Verdict.NOT_SEEN) == ("b",)
    assert identify(names(2), [block], criteria=Criteria(noise_pct=0.08)).of(Verdict.NOT_SEEN) == ()
    assert "less than the noise of 0.1 %" in identify(names(2), [block])["b"].text


def test_parallel_parameters_form_one_group() -> None:
    q = orthogonal(20, 3)
    block = linear_block(np.column_stack([q[:, 0], 2 * q[:, 1], -4 * q[:, 0], q[:, 2], 0.5 * q[:, 0]]))
    result = identify(names(5), [block])
    assert [group.parameters for group in result.groups] == [("a", "c", "e")]
    assert result.groups[0].collinearity > 1e6
    assert result["a"].confounded_with == ("c", "e")
    assert result.of(Verdict.IDENTIFIABLE) == ("b", "d")
    assert result.subset == ("b", "c", "d")  # of the parallel ones the strongest
    assert "confounded with c and e (collinearity beyond measure)" in result["a"].text
    assert result.condition == pytest.approx(1 / np.finfo(float).eps)


@pytest.mark.parametrize(("collinearity", "groups"), [(9.0, []), (11.0, [("a", "b", "c")])])
def test_columns_are_parallel_from_the_limit_of_collinearity_on(
    collinearity: float, groups: list[tuple[str, ...]]
) -> None:
    """Three unit vectors with the mutual cosine 1 − 1/γ² have the collinearity γ, and so has every pair of them."""
    gram = np.full((3, 3), 1.0 - collinearity**-2) + np.eye(3) * collinearity**-2
    matrix = np.linalg.cholesky(gram).T * [30.0, 20.0, 40.0]
    assert collinearity_index(matrix) == pytest.approx(collinearity)
    assert collinearity_index(matrix[:, :2]) == pytest.approx(collinearity)
    result = identify(names(3), [linear_block(matrix)], criteria=Criteria(collinearity=10.0))
    assert [group.parameters for group in result.groups] == groups
    assert result.of(Verdict.IDENTIFIABLE) == (() if groups else ("a", "b", "c"))


def test_three_parameters_that_undo_each_other_only_together() -> None:
    q = orthogonal(20, 4)
    sum_of_two = q[:, 0] + q[:, 1] + 0.02 * q[:, 3]
    result = identify(names(4), [linear_block(np.column_stack([q[:, 0], q[:, 1], q[:, 2], sum_of_two]))])
    assert [group.parameters for group in result.groups] == [("a", "b", "d")]
    assert result["c"].verdict is Verdict.IDENTIFIABLE
    assert result["d"].unique_pct == pytest.approx(0.02)


def test_what_is_unique_must_lie_above_the_noise_too() -> None:
    """Two columns at 30° are not collinear, but half of 0.15 % is below a noise of 0.1 %."""
    angle = np.pi / 6
    block = linear_block(np.array([[1.0, 0.15 * np.cos(angle)], [0.0, 0.15 * np.sin(angle)]]))
    result = identify(names(2), [block])
    assert result["b"].unique_pct == pytest.approx(0.075)
    assert result["b"].confounded_with == ("a",)
    assert result["a"].verdict is Verdict.IDENTIFIABLE  # its own half is 0.5 %
    assert result.subset == ("a",)
    assert "below the noise" in result["b"].text


def test_fewer_samples_than_parameters() -> None:
    result = identify(names(3), [linear_block([[1.0, 0.0, 0.3], [0.0, 2.0, 0.4]])])
    assert len(result.subset) == 2
    assert result["c"].verdict is Verdict.CONFOUNDED
    assert result.singular_values[-1] == pytest.approx(0.0, abs=1e-15)


def test_weights_choose_what_counts() -> None:
    blocks = [linear_block([[1.0, 0.0]], name="sees a"), linear_block([[0.0, 1.0]], name="sees b")]
    assert identify(names(2), blocks, (1.0, 0.0)).of(Verdict.NOT_SEEN) == ("b",)
    assert identify(names(2), blocks, (1e-9, 1e-9)).of(Verdict.NOT_SEEN) == ()


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 4))
def test_the_subset_is_separable_and_nothing_can_be_added(seed: int, n: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(12, min(rank, n))) @ rng.normal(size=(min(rank, n), n)) + 1e-3 * rng.normal(size=(12, n))
    result = identify(names(n), [linear_block(matrix)])
    chosen = [names(n).index(name) for name in result.subset]
    assert collinearity_index(matrix[:, chosen]) <= 10.0
    for k in set(range(n)) - set(chosen):
        both = matrix[:, [*chosen, k]]
        others_only = both[:, -1] - both[:, :-1] @ np.linalg.lstsq(both[:, :-1], both[:, -1], rcond=None)[0]
        inverse = np.linalg.pinv(both)
        assert (
            collinearity_index(both) > 10.0
            or np.linalg.norm(others_only) < 0.1
            or (1 / np.linalg.norm(inverse, axis=1) < 0.1).any()
        )
        assert result[names(n)[k]].verdict is not Verdict.IDENTIFIABLE
    for group in result.groups:
        assert len(group.parameters) >= 2


@given(st.integers(0, 10_000))
def test_rotations_order_and_scale_of_weights_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(8, 4)), rng.normal(size=(5, 4)) * 0.1
    a[:, 3] = a[:, 0] + 0.01 * rng.normal(size=8)
    one = identify(names(4), [linear_block(a), linear_block(b)], (2.0, 1.0))
    turned = orthogonal(8, 8, seed) @ a
    other = identify(names(4), [linear_block(b), linear_block(turned)], (5.0, 10.0))
    assert [f.verdict for f in one.findings] == [f.verdict for f in other.findings]
    np.testing.assert_allclose(one.singular_values, other.singular_values, rtol=1e-9)


def test_the_stack_keeps_lengths_and_angles() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(40, 3)), rng.normal(size=(30, 3))
    small = stack(names(3), [linear_block(a), linear_block(b)], (1.0, 0.5))
    assert small.shape == (3, 3)
    np.testing.assert_allclose(small.T @ small, a.T @ a + 0.25 * b.T @ b)


def test_verdicts_agree_with_planted_truth() -> None:
    """Least squares on noisy data finds identifiable parameters and misses confounded ones, as foretold.

    a and b are orthogonal to the rest, c and d differ by 0.1 % of their columns. Noise of length 0.1 in each direction.
    """
    q = orthogonal(50, 4, seed=5)
    matrix = np.column_stack([5 * q[:, 0], 3 * q[:, 1], 4 * q[:, 2], 4 * q[:, 2] + 0.004 * q[:, 3]])
    result = identify(names(4), [linear_block(matrix)])
    assert result.of(Verdict.IDENTIFIABLE) == ("a", "b")
    truth, rng = np.array([0.3, -0.5, 0.2, 0.4]), np.random.default_rng(8)
    fits = np.array(
        [np.linalg.lstsq(matrix, matrix @ truth + 0.1 * rng.normal(size=50), rcond=None)[0] for _ in range(400)]
    )
    spread = (fits - truth).std(axis=0)
    # The standard deviation of a fit is noise over the part of the column that is the parameter's own.
    assert spread == pytest.approx([0.1 / f.unique_pct for f in result.findings], rel=0.15)
    assert (spread[:2] < 0.05).all()
    assert (spread[2:] > 1.0).all()


def test_only_the_sum_of_roll_stiffness_is_seen_by_roll() -> None:
    """Roll of a rigid body is m h a_y / (k_f + k_r): front and rear cannot be told apart; load transfer can."""
    ay = np.linspace(0.5, 6.0, 30)
    front, rear, moment = 60e3, 40e3, 1500 * 0.5 * ay
    roll = moment / (front + rear)
    shift_front = moment * front / (front + rear) / 1.5  # track of 1.5 m
    scale_roll, scale_shift = (100 / np.abs(c).max() / np.sqrt(len(ay)) for c in (roll, shift_front))
    by_front, by_rear = (0.2 * k * -moment / (front + rear) ** 2 * scale_roll for k in (front, rear))
    roll_block = linear_block(np.column_stack([by_front, by_rear]), manoeuvre="ramp", name="roll")
    alone = identify(("antiroll_front", "antiroll_rear"), [roll_block])
    assert alone["antiroll_front"].confounded_with == ("antiroll_rear",)
    d_front = 0.2 * front * moment * rear / (front + rear) ** 2 / 1.5 * scale_shift
    d_rear = -0.2 * rear * moment * front / (front + rear) ** 2 / 1.5 * scale_shift
    shift_block = linear_block(np.column_stack([d_front, d_rear]), manoeuvre="ramp", name="load transfer")
    both = identify(("antiroll_front", "antiroll_rear"), [roll_block, shift_block])
    assert both.of(Verdict.IDENTIFIABLE) == ("antiroll_front", "antiroll_rear")


def test_groups_are_as_small_as_they_can_be() -> None:
    """Every proper part of a group of three or more can be told apart."""
    q = orthogonal(30, 6, seed=9)
    matrix = np.column_stack([*q[:, :5].T, q[:, 0] + 2 * q[:, 2] - q[:, 4] + 0.05 * q[:, 5]])
    (group,) = identify(names(6), [linear_block(matrix)]).groups
    assert group.parameters == ("a", "c", "e", "f")
    members = [names(6).index(name) for name in group.parameters]
    assert all(collinearity_index(matrix[:, part]) <= 10 for part in map(list, combinations(members, 3)))


def test_nothing_is_seen_by_an_index_that_does_not_move() -> None:
    result = identify(names(2), [linear_block(np.zeros((5, 2)))])
    assert result.of(Verdict.NOT_SEEN) == ("a", "b")
    assert result.subset == ()
    json.dumps(result.to_plain(), allow_nan=False)


def test_plain_data_is_json() -> None:
    data = json.loads(json.dumps(identify(names(2), [linear_block([[1.0, 1.0]])]).to_plain(), allow_nan=False))
    assert data["parameters"][0]["verdict"] == "confounded"
    assert data["groups"][0]["parameters"] == ["a", "b"]


@pytest.mark.parametrize(
    ("weights", "message"),
    [((1.0, 2.0), "2 weights"), ((-1.0,), "m: i is -1.0"), ((np.nan,), "is nan"), ((0.0,), "all weights are zero")],
)
def test_weights_are_checked(weights: tuple[float, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        identify(names(1), [linear_block([[1.0]])], weights)


def test_criteria_are_checked_together() -> None:
    with pytest.raises(RangeError) as caught:
        Criteria(noise_pct=0.0, collinearity=0.5)
    assert len(caught.value.problems) == 2

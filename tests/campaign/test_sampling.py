"""Distributions against SciPy's, and points that depend on their number alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import qmc

from trackrod.campaign.distributions import Distribution, Shape
from trackrod.campaign.sampling import Method, Sampling

U = np.linspace(0.0, 1.0, 41)[1:-1]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Distribution(Shape.UNIFORM, low=-2.0, high=3.0), stats.uniform(-2.0, 5.0)),
        (Distribution(Shape.NORMAL, mean=1.0, deviation=0.2), stats.norm(1.0, 0.2)),
        (
            Distribution(Shape.NORMAL, mean=1.0, deviation=0.2, low=0.9, high=1.5),
            stats.truncnorm(-0.5, 2.5, loc=1.0, scale=0.2),
        ),
        (Distribution(Shape.NORMAL, mean=1.0, deviation=0.2, low=0.9), stats.truncnorm(-0.5, np.inf, 1.0, 0.2)),
        (Distribution(Shape.TRIANGULAR, low=1.0, mode=1.5, high=4.0), stats.triang(0.5 / 3.0, 1.0, 3.0)),
        (Distribution(Shape.TRIANGULAR, low=1.0, mode=1.0, high=4.0), stats.triang(0.0, 1.0, 3.0)),
    ],
)
def test_quantiles_are_those_of_scipy(ours: Distribution, theirs: stats.rv_continuous) -> None:
    assert not list(ours.faults())
    assert ours.at(U) == pytest.approx(theirs.ppf(U), rel=1e-10)


def test_a_choice_takes_each_value_as_often_as_asked() -> None:
    choice = Distribution(Shape.CHOICE, values=(3.0, 1.0, 2.0), probabilities=(0.5, 0.2, 0.3))
    drawn = choice.at((np.arange(1000) + 0.5) / 1000)
    assert [int((drawn == value).sum()) for value in choice.values] == [500, 200, 300]
    alike = Distribution(Shape.CHOICE, values=(1.0, 2.0)).at((np.arange(10) + 0.5) / 10)
    assert alike.tolist() == [1.0] * 5 + [2.0] * 5


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (Distribution(Shape.UNIFORM, low=1.0, high=1.0), "low"),
        (Distribution(Shape.TRIANGULAR, low=1.0, mode=5.0, high=4.0), "mode"),
        (Distribution(Shape.NORMAL, mean=1.0, deviation=0.0), "deviation"),
        (Distribution(Shape.NORMAL, mean=1.0, deviation=0.1, low=9.0, high=10.0), "low"),
        (Distribution(Shape.CHOICE), "values"),
        (Distribution(Shape.CHOICE, values=(1.0, 2.0), probabilities=(0.5, 0.6)), "probabilities"),
        (Distribution(Shape.CHOICE, values=(1.0, 2.0), probabilities=(1.0,)), "probabilities"),
    ],
)
def test_what_is_no_distribution_is_told(wrong: Distribution, key: str) -> None:
    assert [told for told, _ in wrong.faults()] == [key]


@given(st.sampled_from(list(Method)[1:]), st.integers(0, 63), st.integers(1, 8), st.integers(0, 3))
def test_a_point_is_the_same_alone_and_among_others(method: Method, first: int, count: int, seed: int) -> None:
    sampling = Sampling(method, 64, 3, seed)
    count = min(count, sampling.total - first)
    some = sampling.points(first, count)
    alone = np.array([sampling.points(first + i, 1)[0] for i in range(count)])
    assert np.array_equal(some, alone)
    assert ((some >= 0.0) & (some <= 1.0)).all()


@given(st.integers(1, 300), st.integers(0, 5))
def test_a_latin_hypercube_has_one_point_in_each_part(count: int, seed: int) -> None:
    points = Sampling(Method.LHS, count, 2, seed).points(0, count)
    for column in points.T:
        assert sorted(np.floor(column * count).astype(int).tolist()) == list(range(count))


def test_coordinates_of_a_latin_hypercube_are_independent() -> None:
    """The permutations of the coordinates are not alike, nor near the identity."""
    points = Sampling(Method.LHS, 4096, 4, 1).points(0, 4096)
    ranks = np.corrcoef(np.column_stack((points, np.arange(4096))).T)
    assert np.abs(ranks - np.eye(5)).max() < 4.0 / np.sqrt(4096)


@pytest.mark.parametrize("method", list(Method)[1:4])
def test_points_fill_the_cube(method: Method) -> None:
    """Means of 1/2, variances of 1/12, no two points alike."""
    points = Sampling(method, 512, 3, 4).points(0, 512)
    assert points.mean(axis=0) == pytest.approx([0.5] * 3, abs=4.0 / np.sqrt(12.0 * 512.0))
    assert points.var(axis=0) == pytest.approx([1.0 / 12.0] * 3, rel=0.2)
    assert len({tuple(point) for point in points.tolist()}) == 512


def test_sobols_sequence_is_that_of_scipy() -> None:
    sampling = Sampling(Method.SOBOL, 64, 3, 9)
    theirs = qmc.Sobol(3, seed=np.random.default_rng([9, 3])).random(64)
    assert np.array_equal(sampling.points(0, 64), theirs)
    assert np.array_equal(sampling.points(40, 8), theirs[40:48])


def test_saltellis_scheme_changes_one_coordinate_at_a_time() -> None:
    sampling = Sampling(Method.SALTELLI, 16, 3, 2)
    families = sampling.points(0, sampling.total).reshape(16, 5, 3)
    for family in families:
        one, other = family[0], family[-1]
        for j in range(3):
            assert (family[1 + j] == np.where(np.arange(3) == j, other, one)).all()
        assert (one != other).all()


def test_seeds_give_other_points() -> None:
    for method in list(Method)[1:]:
        assert not np.array_equal(Sampling(method, 8, 2, 0).points(0, 8), Sampling(method, 8, 2, 1).points(0, 8))

"""The convex subproblem: its minimum against a general solver and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize

from fit.problems import geometric_median
from trackrod.core.errors import InputError
from trackrod.fit.blocks import Array, Block
from trackrod.fit.linear_model import LinearModel
from trackrod.fit.objective import Objective

ACCURACY = 1e-8


def random_model(seed: int, n: int, count: int, *, met: bool, prior: float) -> LinearModel:
    """A model whose residuals can vanish together (met) or not."""
    random = np.random.default_rng(seed)
    matrices = random.normal(size=(count, n + 1, n)) * 10.0 ** random.uniform(-1.0, 1.0, (count, 1, 1))
    offsets = -matrices @ random.uniform(-1.2, 1.2, n)
    if not met:
        offsets += random.normal(size=offsets.shape) * 10.0 ** random.uniform(-1.0, 1.0, (count, 1))
    return LinearModel(matrices, offsets, random.uniform(0.1, 1.0, count) / count, 1.0, 1.5, prior, np.zeros(n))


def by_slsqp(model: LinearModel, begin: Array) -> float:
    """The same minimum with the norms and kinks as constraints of a smooth problem in (d, t, u)."""
    n, count = begin.size, len(model.offsets)

    def parts(x: Array) -> tuple[Array, Array, Array]:
        return x[:n], x[n : n + count], x[n + count :]

    def cost(x: Array) -> float:
        d, t, u = parts(x)
        return float(model.coefficients @ (t + model.penalty * u) + model.prior * np.sum((model.centre + d) ** 2))

    def room(x: Array) -> Array:
        d, t, u = parts(x)
        squares = np.sum((model.matrices @ d + model.offsets) ** 2, axis=1)
        return np.concatenate([t**2 - squares, u - t + model.tolerance])

    e = np.linalg.norm(model.matrices @ begin + model.offsets, axis=1) + 0.1
    x0 = np.concatenate([begin, e, np.maximum(e - model.tolerance, 0.0) + 0.1])
    bounds = [(-1, 1)] * n + [(0, None)] * (2 * count)
    constraint = {"type": "ineq", "fun": room}
    found = minimize(cost, x0, method="SLSQP", bounds=bounds, constraints=constraint, options={"maxiter": 300})
    return model.value(np.clip(found.x[:n], -1.0, 1.0))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 5), st.booleans(), st.sampled_from([0.0, 1e-3, 0.1]))
def test_no_worse_than_a_general_solver(seed: int, n: int, count: int, met: bool, prior: float) -> None:
    model = random_model(seed, n, count, met=met, prior=prior)
    ours = model.minimum(-np.ones(n), np.ones(n), ACCURACY)
    assert np.abs(ours).max() <= 1.0
    with np.errstate(all="ignore"):
        theirs = min(by_slsqp(model, np.zeros(n)), by_slsqp(model, 0.9 * ours))
    assert model.value(ours) <= theirs + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_one_norm_is_bounded_least_squares(seed: int) -> None:
    model = random_model(seed, 6, 1, met=False, prior=0.0)
    ours = model.minimum(-np.ones(6), np.ones(6), 1e-11)
    theirs = lsq_linear(model.matrices[0], -model.offsets[0], (-1.0, 1.0), tol=1e-14)
    np.testing.assert_allclose(ours, theirs.x, atol=1e-5)


def test_geometric_median() -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (7, 2))
    offsets = np.column_stack([-points, np.zeros(7)])
    matrices = np.tile(np.vstack([np.eye(2), np.zeros(2)]), (7, 1, 1))
    model = LinearModel(matrices, offsets, np.full(7, 1 / 7), 5.0, 1.0, 0.0, np.zeros(2))
    found = model.minimum(-np.ones(2), np.ones(2), 1e-10)
    np.testing.assert_allclose(found, geometric_median(points), atol=1e-6)


def test_median_of_three_is_the_middle_one() -> None:
    """Norms in one dimension: the minimum is a kink."""
    model = LinearModel(
        np.array([[[1.0], [0.0]]] * 3), np.array([[-0.7, 0], [0.2, 0], [-0.1, 0]]), np.ones(3), 5, 1, 0, np.zeros(1)
    )
    assert model.minimum(np.array([-1.0]), np.array([1.0]), 1e-9) == pytest.approx(0.1, abs=1e-7)


def test_kink_at_the_tolerance() -> None:
    """One index falls by 1 where the other rises by 1.5: with double cost above 5 % it pays to go to 5 % exactly."""
    matrices = np.array([[[-10.0], [0.0]], [[15.0], [0.0]]])
    offsets = np.array([[9.0, 0.0], [0.1, 0.0]])
    model = LinearModel(matrices, offsets, np.ones(2), 5.0, 1.0, 0.0, np.zeros(1))
    assert model.minimum(np.array([-1.0]), np.array([1.0]), 1e-9) == pytest.approx(0.3266666, abs=1e-6)


def test_never_worse_than_staying() -> None:
    model = LinearModel(np.ones((1, 2, 1)), np.zeros((1, 2)), np.ones(1), 5.0, 1.0, 0.0, np.zeros(1))
    assert model.minimum(np.array([0.0]), np.array([1.0]), 1e-6) == 0.0


@given(st.integers(0, 1000), st.integers(1, 40))
@settings(max_examples=20, deadline=None)
def test_compression_keeps_norms(seed: int, samples: int) -> None:
    random = np.random.default_rng(seed)
    block = Block("m", "i", random.normal(size=samples), random.normal(size=(samples, 3)))
    model = LinearModel.of([block], Objective(penalty=0.0), np.zeros(3), 0.0)
    d = random.normal(size=3)
    assert block.jacobian is not None
    assert model.value(d) == pytest.approx(float(np.linalg.norm(block.residual + block.jacobian @ d)), rel=1e-12)


def test_needs_jacobians() -> None:
    with pytest.raises(InputError, match="block m: i has no Jacobian, 2 columns are needed"):
        LinearModel.of([Block("m", "i", np.ones(3))], Objective(), np.zeros(2), 0.0)

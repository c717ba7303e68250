"""What a tuning leaves uncertain: covariances against second differences of the likelihood, draws, and models."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.fit.problems import linear
from tests.rtm.converted_vehicles import maps, spec_of, vehicle

from trackrod.convert.conversion import Compliance, convert
from trackrod.convert.masses import SplitFactors
from trackrod.core.errors import InputError
from trackrod.core.records import from_plain, to_plain
from trackrod.fit.estimate import Estimate, estimate, likelihood_of
from trackrod.fit.objective import Objective
from trackrod.tune.posterior import Posterior, posterior_of
from trackrod.tune.space import TuningSpace, tuning_space

NAMES = ("sprung_mass", "Izz", "cg_to_front", "K_umF")


def told(covariance: np.ndarray) -> Estimate:
    n = len(covariance)
    return Estimate(NAMES[:n], np.zeros(n), -np.ones(n), np.ones(n), np.zeros((n, 2, n)), 9.0, (), covariance)


@pytest.fixture(scope="module")
def space() -> TuningSpace:
    def split(factors: SplitFactors) -> dict[str, float]:
        return dict(convert(vehicle("suv"), maps("suv"), factors=factors).spec.parameters)

    return tuning_space(spec_of("suv"), names=NAMES, split=split)


def random_covariance(n: int, seed: int = 1) -> np.ndarray:
    root = np.random.default_rng(seed).normal(size=(n, n))
    return 0.02 * root @ root.T


def test_correlations_are_those_of_the_curvature() -> None:
    """Second differences of −ln L, and an even distribution over ±1 with its variance of 1/3, worked out by hand."""
    rng = np.random.default_rng(3)
    jacobians, rests = [rng.normal(size=(6, 2)) for _ in range(3)], [0.3 * rng.normal(size=6) for _ in range(3)]
    problem = linear(jacobians, rests)
    found = estimate(problem, np.zeros(2))
    likelihood, h = likelihood_of(problem.linearise(found.z), found.z, Objective()), 1e-4

    def minus_log(z: np.ndarray) -> float:
        return 0.5 * likelihood(z)[0]

    steps = h * np.eye(2)
    hessian = np.array(
        [
            [
                sum(a * b * minus_log(found.z + a * steps[i] + b * steps[j]) for a in (-1.0, 1.0) for b in (-1.0, 1.0))
                / (4.0 * h * h)
                for j in range(2)
            ]
            for i in range(2)
        ]
    )
    expected = np.linalg.inv(hessian + 3.0 * np.eye(2))
    deviations = np.sqrt(np.diag(found.covariance))
    correlation = found.covariance[0, 1] / np.prod(deviations)
    assert correlation == pytest.approx(expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1]), rel=1e-4)
    assert 1.959964 * deviations == pytest.approx(0.5 * (found.upper - found.lower), rel=1e-5)


def test_what_the_curves_do_not_tell_keeps_the_spread_of_its_range() -> None:
    jacobian = np.column_stack((np.linspace(1.0, 9.0, 9), np.zeros(9)))
    found = estimate(linear([jacobian], [0.1 * np.cos(np.arange(9.0))]), np.zeros(2))
    assert math.sqrt(found.covariance[1, 1]) == pytest.approx(1.0 / math.sqrt(3.0))
    assert found.covariance[0, 0] < 0.01


def test_the_mean_is_the_tuned_model(space: TuningSpace) -> None:
    z = np.array([0.2, -0.4, 0.1, 0.3])
    posterior = posterior_of(space, z, told(random_covariance(4)))
    tuned = space.spec(z)
    assert posterior.parameters(tuned, posterior.mean) == dict(tuned.parameters)
    assert posterior.values(np.zeros((1, 4)))[0] == pytest.approx(posterior.mean)


def test_directions_are_those_of_the_space(space: TuningSpace) -> None:
    """Small steps in z lead to the models of the space, split factors included."""
    z, step = np.array([0.2, -0.4, 0.1, 0.3]), 1e-3
    posterior, tuned = posterior_of(space, z, told(random_covariance(4))), space.spec(z)
    for k, item in enumerate(space.tunables):
        moved = z + step * np.eye(4)[k]
        values = np.array([each.value(float(x)) for each, x in zip(space.tunables, moved, strict=True)])
        expected, found = space.parameters(moved), posterior.parameters(tuned, values)
        for name, value in expected.items():
            change = abs(value - tuned.parameters[name])
            assert found[name] == pytest.approx(value, abs=2e-3 * change + 1e-9 * max(1.0, abs(value))), (
                item.name,
                name,
            )


def test_draws_have_the_covariance(space: TuningSpace) -> None:
    z = np.array([0.2, -0.4, 0.1, 0.3])
    posterior = posterior_of(space, z, told(random_covariance(4)))
    spans = np.array([item.value(z[k] + 0.01) - item.value(z[k]) for k, item in enumerate(space.tunables)]) / 0.01
    assert posterior.covariance == pytest.approx(random_covariance(4) * np.outer(spans, spans), rel=1e-6)
    drawn = posterior.values(np.random.default_rng(0).normal(size=(20000, 4)))
    scale = posterior.deviations
    assert np.cov((drawn / scale).T) == pytest.approx(posterior.covariance / np.outer(scale, scale), abs=0.04)


def test_it_is_kept_as_it_is(space: TuningSpace) -> None:
    posterior = posterior_of(space, np.zeros(4), told(random_covariance(4)))
    again = from_plain(Posterior, to_plain(posterior))
    normals = np.random.default_rng(0).normal(size=(3, 4))
    assert np.array_equal(again.values(normals), posterior.values(normals))


def test_what_is_no_covariance_is_refused(space: TuningSpace) -> None:
    posterior = posterior_of(space, np.zeros(4), told(random_covariance(4)))
    with pytest.raises(InputError, match="symmetric"):
        replace(posterior, covariance=posterior.covariance + np.triu(np.ones((4, 4)), 1))
    with pytest.raises(InputError, match="a row of the covariance"):
        replace(posterior, covariance=np.eye(3))


def test_a_car_without_split_factors_moves_its_parameter_alone() -> None:
    plain = tuning_space(spec_of("double_wishbone_car", compliance=Compliance.NONE), names=("sprung_mass", "Izz"))
    posterior = posterior_of(plain, np.zeros(2), told(random_covariance(2)))
    for name in posterior.names:
        assert posterior.directions[name] == pytest.approx({name: 1.0})

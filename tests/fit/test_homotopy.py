"""Homotopy on the pendulum: many minima without guide, one with it, and the way from the one to the right one."""

from __future__ import annotations

import numpy as np
import pytest

from fit.pendulum import TRUTH, Pendulum, measure, parameter
from trackrod.fit.methods import minimise
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Outcome

PLAIN = Objective(penalty=0.0)


@pytest.fixture(scope="module")
def pendulum() -> Pendulum:
    return Pendulum(measure())


def test_the_guide_leaves_one_minimum(pendulum: Pendulum) -> None:
    """The published counts: 24 at λ = 0 and one for every λ from 0.02 on."""
    assert len(pendulum.minima(1500)) == 24
    for strength in (0.02, 0.05, 0.2, 1.0):
        found = pendulum.guided(strength).minima(400)
        assert len(found) == 1
        assert found[0] == pytest.approx(TRUTH, abs=0.06)


def test_exact_derivative(pendulum: Pendulum) -> None:
    z, step = np.array([0.3]), 1e-6
    (block,) = pendulum.linearise(z)
    ahead, behind = (pendulum.evaluate(z + s)[0].residual for s in (step, -step))
    assert block.jacobian is not None
    np.testing.assert_allclose(block.jacobian[:, 0], (ahead - behind) / (2 * step), rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module", params=[-0.8, 0.8])
def found(request: pytest.FixtureRequest, pendulum: Pendulum) -> tuple[float, Outcome]:
    return request.param, minimise(pendulum, PLAIN, method="homotopy", start=[request.param])


def test_homotopy_finds_the_truth_where_gauss_newton_does_not(pendulum: Pendulum, found: tuple[float, Outcome]) -> None:
    start, outcome = found
    assert parameter(outcome.z)[0] == pytest.approx(TRUTH, abs=0.01)
    trapped = minimise(pendulum, PLAIN, start=[start])
    assert abs(parameter(trapped.z)[0] - TRUTH) > 1.0
    assert trapped.value > 5.0 * outcome.value


def test_the_last_stage_is_the_problem_itself(pendulum: Pendulum, found: tuple[float, Outcome]) -> None:
    _, outcome = found
    stages = list(dict.fromkeys(entry.stage for entry in outcome.history))
    assert stages[0] == "guide 1"
    assert stages[-1] == "no guide"
    strengths = [float(stage.removeprefix("guide ")) for stage in stages[:-1]]
    assert strengths[-1] <= 0.1
    assert outcome.value == pytest.approx(PLAIN.value(pendulum.evaluate(outcome.z)), rel=1e-12)

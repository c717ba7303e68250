"""A model with known changes is found again from noisy runs of itself, by every optimiser, within its confidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core import signals
from trackrod.core.corners import Axle
from trackrod.core.series import Run
from trackrod.fit.estimate import Estimate, estimate
from trackrod.fit.identifiability import Verdict, identify
from trackrod.fit.methods import METHODS, minimise
from trackrod.fit.outcome import Budget, Outcome
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import ScriptedVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted
from trackrod.tune.other_tyres import other_tyres
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace, tuning_space
from trackrod.tune.test import Test

TRUTH = {"sprung_mass": 0.4, "Izz": -0.6, "cg_to_front": 0.3}
#: Short: a test, not a study.
TESTS = {
    "step_steer": {"steering_wheel_angle_deg": "40", "hold_s": "1.5", "speed_kmh": "80"},
    "single_sine": {"steering_wheel_angle_deg": "40", "frequency_Hz": "1", "after_s": "0.5", "speed_kmh": "80"},
}
#: Standard deviation of the noise of every sample, as a share of the largest value of its signal.
NOISE = 0.01
#: Evaluations that are enough for each method.
BUDGETS = {"gauss-newton": 40, "pattern-search": 250, "nomad": 250, "homotopy": 80, "global": 60}


def space() -> TuningSpace:
    return tuning_space(spec_of("suv"), names=tuple(TRUTH))


def noisy(run: Run, seed: int) -> Run:
    random = np.random.default_rng(seed)
    driver = (signals.STEERING_WHEEL_ANGLE, signals.THROTTLE, signals.BRAKE, signals.GEAR)
    inputs = {signal.column for signal in (signals.TIME, *driver)}
    columns = {
        name: values if name in inputs else values + NOISE * np.abs(values).max() * random.standard_normal(values.size)
        for name, values in run.items()
    }
    return Run(columns, run.metadata)


@pytest.fixture(scope="module")
def problem() -> TuningProblem:
    chosen = space()
    true = chosen.spec(np.array(list(TRUTH.values())))
    tests = []
    for k, (name, settings) in enumerate(TESTS.items()):
        wanted = manoeuvre(name, settings)
        script = scripted(wanted, simulate(RealTimeVehicle(true), wanted))
        vehicle = ScriptedVehicle(true)
        vehicle.settle()
        tests.append(Test(name, name, name, noisy(vehicle.run(script), k), script))
    return TuningProblem(chosen, tests)


@pytest.fixture(scope="module")
def exact(problem: TuningProblem) -> Outcome:
    return minimise(problem, budget=Budget(BUDGETS["gauss-newton"]), seed=1)


@pytest.fixture(scope="module")
def told(problem: TuningProblem) -> Estimate:
    return estimate(problem, np.zeros(3))


@pytest.mark.parametrize("method", METHODS)
def test_planted_truth(problem: TuningProblem, exact: Outcome, told: Estimate, method: str) -> None:
    found = (
        exact if method == "gauss-newton" else minimise(problem, method=method, budget=Budget(BUDGETS[method]), seed=1)
    )
    # Other methods stop somewhere near the optimum, on their mesh.
    reach = 0.0 if method == "gauss-newton" else 0.06
    for name, value, lower, upper in zip(problem.names, found.z, told.lower, told.upper, strict=True):
        assert lower - reach < TRUTH[name] < upper + reach, name
        assert lower - reach < value < upper + reach, name
    assert found.value < 1.02 * exact.value + 0.01


def test_intervals_are_neither_boastful_nor_shy(told: Estimate) -> None:
    assert all(told.determined)
    assert (told.upper - told.lower > 1e-3).all()


def test_what_cannot_be_seen_is_called_so(problem: TuningProblem) -> None:
    blind = tuning_space(problem.space.nominal, names=("Izz", "engine_factor", "brake_rear"))
    blocks = TuningProblem(blind, problem.tests).linearise(np.zeros(3))
    found = identify(blind.names, blocks)
    assert found["Izz"].verdict is Verdict.IDENTIFIABLE
    assert found["brake_rear"].verdict is Verdict.NOT_SEEN


def test_a_weak_engine_is_found_by_the_gears_of_the_reference() -> None:
    """A linear model foresees what 4 % of the engine do to the pitch angle, unless the shift moves with them."""
    nominal = spec_of("suv")
    wanted = manoeuvre("acceleration", {"first_speed_kmh": "40", "last_speed_kmh": "75"})
    reference = simulate(RealTimeVehicle(nominal), wanted)
    chosen = tuning_space(nominal.with_parameters(engine_factor=0.9), names=("engine_factor",))
    off, truth = np.array([0.335]), np.array([0.1 / 0.18])
    missed = {}
    for own in (False, True):
        script = scripted(wanted, reference, own_gears=own)
        problem = TuningProblem(chosen, [Test("acceleration", "", "acceleration", reference, script)])
        here, there = (
            next(block for block in blocks if block.name == "pitch angle")
            for blocks in (problem.linearise(off), problem.evaluate(truth))
        )
        assert here.jacobian is not None
        foreseen = here.residual + here.jacobian @ (truth - off)
        missed[own] = np.linalg.norm(foreseen - there.residual)
    assert missed[False] < 0.1
    assert missed[True] > 1.0


def test_an_interval_knows_that_tyres_may_be_others() -> None:
    """The rear tyres of the reference are 4 % softer: without a word of it the yaw inertia seems another."""
    chosen = tuning_space(spec_of("suv"), names=("Izz", "cg_to_front"))
    true = chosen.nominal.with_tyres(Axle.REAR, lambda tyre: tyre.stiffer(0.96))
    tests = []
    for name, settings in TESTS.items():
        wanted = manoeuvre(name, settings)
        script = scripted(wanted, simulate(RealTimeVehicle(true), wanted))
        vehicle = ScriptedVehicle(true)
        vehicle.settle()
        tests.append(Test(name, name, name, vehicle.run(script), script))
    problem, *swaps = (
        TuningProblem(replace(chosen, nominal=spec), tests) for spec in (chosen.nominal, *other_tyres(chosen.nominal))
    )
    alone, told = estimate(problem, np.zeros(2)), estimate(problem, np.zeros(2), swaps=swaps)
    assert alone.lower[0] > 0.0, "softer tyres look like more inertia"
    assert (told.lower < 0.0).all()
    assert (told.upper > 0.0).all()
    assert all(told.determined)


def test_parallel_evaluations_are_the_same(problem: TuningProblem) -> None:
    points = [np.zeros(3), np.array([0.1, -0.2, 0.3]), np.array([-1.0, 1.0, 1.0])]
    for z, many in zip(points, problem.evaluate_many(points), strict=True):
        assert many is not None
        for one, other in zip(problem.evaluate(z), many, strict=True):
            assert np.array_equal(one.residual, other.residual)


def _with_more(problem: TuningProblem) -> TuningProblem:
    """Too many variables for differences."""
    return TuningProblem(tuning_space(problem.space.nominal, names=(*TRUTH, "cg_height")), problem.tests)


def test_jacobians_against_differences(problem: TuningProblem) -> None:
    z, step = np.array([0.1, -0.2, 0.3, -0.4]), 1e-4
    many = _with_more(problem)
    exact = many.linearise(z)
    for k in range(4):
        up, down = z.copy(), z.copy()
        up[k] += step
        down[k] -= step
        for block, high, low in zip(exact, many.evaluate(up), many.evaluate(down), strict=True):
            by_difference = (high.residual - low.residual) / (2 * step)
            assert block.jacobian is not None
            assert np.linalg.norm(block.jacobian[:, k] - by_difference) < 1e-3 * np.linalg.norm(by_difference) + 1e-3


def test_one_variable_has_the_derivatives_that_it_has_among_others(problem: TuningProblem) -> None:
    """A few variables are differenced: cheaper, and the same."""
    z = np.array([0.1, -0.2, 0.3, 0.0])
    many = _with_more(problem)
    exact = many.linearise(z)
    alone = tuning_space(many.space.spec(z), names=("Izz",))
    found = TuningProblem(alone, problem.tests).linearise(np.zeros(1))
    span = problem.space.tunables[1].upper - problem.space.tunables[1].nominal
    share = (alone.tunables[0].upper - alone.tunables[0].nominal) / span
    for block, other in zip(exact, found, strict=True):
        assert block.jacobian is not None
        assert other.jacobian is not None
        off = np.linalg.norm(other.jacobian[:, 0] / share - block.jacobian[:, 1])
        reading = 0.02 if block.residual.size > 1 else 0.05  # a time is read between samples with noise
        assert off < reading * np.linalg.norm(block.jacobian[:, 1]) + 0.05, block.label


def test_the_key_says_what_was_computed(problem: TuningProblem) -> None:
    assert problem.key == TuningProblem(problem.space, problem.tests).key
    assert problem.key != TuningProblem(problem.space, problem.tests[:1]).key
    assert problem.key != problem.guided(0.5).key

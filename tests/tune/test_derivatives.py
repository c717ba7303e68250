"""Derivatives that explode are found by a difference along a random direction, and replaced; chaos counts less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference import small_vehicle
from trackrod.convert.conversion import Compliance, assemble
from trackrod.fit.blocks import Block
from trackrod.fit.identifiability import identify
from trackrod.fit.problem import Blocks
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle, Tangent
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted
from trackrod.tune.derivatives import STEP, by_differences, disagreement, random_direction
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import tuning_space
from trackrod.tune.test import Test

SINE = {"steering_wheel_angle_deg": "40", "frequency_Hz": "1", "after_s": "0.5", "speed_kmh": "80"}


@pytest.fixture(scope="module")
def problem() -> TuningProblem:
    converted = assemble(small_vehicle.data(), small_vehicle.maps(), compliance=Compliance.NONE)
    space = tuning_space(converted.spec, names=("sprung_mass", "Izz", "Ixx", "cg_height"))
    wanted = manoeuvre("single_sine", SINE)
    script = scripted(wanted, simulate(RealTimeVehicle(space.nominal), wanted))
    vehicle = ScriptedVehicle(space.spec(np.array([0.4, -0.6, 0.0, 0.0])))
    vehicle.settle()
    return TuningProblem(space, [Test("sine", "", "single_sine", vehicle.run(script), script)])


@pytest.fixture(scope="module")
def sound(problem: TuningProblem) -> Blocks:
    return problem.linearise(np.zeros(4))


@pytest.mark.parametrize("rate", [8.0, np.nan])
def test_derivatives_that_explode(
    problem: TuningProblem, sound: Blocks, rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By e⁸ a second, and beyond all numbers: the run is fine, its tangent is not."""
    assert all(not block.note for block in sound)
    honest = ScriptedVehicle.tangent

    def exploding(self: ScriptedVehicle, script: Script, strength: float = 0.0) -> Tangent:
        found = honest(self, script, strength)
        growth = np.exp(np.minimum(rate * found.run.time, 600.0))
        return replace(found, slopes=found.slopes * growth[:, None, None])

    monkeypatch.setattr(ScriptedVehicle, "tangent", exploding)
    mended = problem.linearise(np.zeros(4))
    for block, expected in zip(mended, sound, strict=True):
        assert "taken are differences" in block.note
        assert block.jacobian is not None
        assert expected.jacobian is not None
        apart = np.linalg.norm(block.jacobian - expected.jacobian, axis=0)
        assert (apart < 0.1 * np.linalg.norm(expected.jacobian, axis=0) + 0.2).all(), block.label
    identify(problem.names, mended)


def test_chaos_counts_less() -> None:
    """A residual whose second half is noise: its derivatives there are nobody's."""
    random, grid = np.random.default_rng(3), np.linspace(0.0, 1.0, 200)

    def at(z: float) -> Block:
        smooth = np.sin(3.0 * grid) * (10.0 + 20.0 * z)
        return Block("turn", "ay", np.where(grid < 0.5, smooth, random.standard_normal(grid.size)) / np.sqrt(grid.size))

    here, ahead, behind = at(0.0), at(STEP), at(-STEP)
    (found,) = by_differences((here,), [(ahead,)], [(behind,)], "it spins")
    assert found.jacobian is not None
    expected = 20.0 * np.sin(3.0 * grid) / np.sqrt(grid.size)
    half = grid.size // 2
    inside = half - 11
    assert found.jacobian[:inside, 0] == pytest.approx(expected[:inside], abs=1e-9)
    plain = (ahead.residual - behind.residual) / (2.0 * STEP)
    assert np.linalg.norm(found.jacobian[half:]) < 0.3 * np.linalg.norm(plain[half:])
    assert "of its samples count less" in found.note


def test_nothing_is_known_where_the_model_breaks_down() -> None:
    here = Block("turn", "ay", np.ones(5))
    (found,) = by_differences((here,), [None], [None], "it breaks down")
    assert found.jacobian is not None
    assert not found.jacobian.any()


def test_what_agrees_is_left_alone() -> None:
    direction = random_direction(np.zeros(3))
    assert np.array_equal(direction, random_direction(np.zeros(3)))
    assert not np.array_equal(direction, random_direction(np.full(3, 0.1)))
    jacobian = np.arange(12.0).reshape(4, 3)
    here = Block("turn", "ay", np.ones(4), jacobian=jacobian)
    there = Block("turn", "ay", np.ones(4) + STEP * jacobian @ direction)
    assert not disagreement((here,), (there,), direction)
    assert disagreement((replace(here, jacobian=30.0 * jacobian),), (there,), direction)

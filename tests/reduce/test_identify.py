"""Identification: the SUV, planted truth, bad starts, bounds, intervals, minima against λ."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError, RangeError
from trackrod.reduce.experiment import Experiment, Sweep, push_wheels
from trackrod.reduce.identify import (
    MOUNT,
    SIGNALS,
    Bounds,
    CornerProblem,
    bounds_of,
    identify,
    nelder_mead,
    rms_percent,
    search,
)
from trackrod.reduce.model import NAMES
from trackrod.reduce.reduction import AxleReduction, reduce_axle
from trackrod.vehicle.vehicle import Vehicle


def test_suv(front: AxleReduction, rear: AxleReduction) -> None:
    """Position, velocity and acceleration of the SUV, and the larger error without a mount of the damper."""
    for found, most in ((front, 2.0), (rear, 3.0)):
        assert max(found.identified.rms_pct.values()) <= most
        assert all(found.rigid.rms_pct[name] > 1.3 * found.identified.rms_pct[name] for name in SIGNALS)
        assert 0.0 < found.car.parameters["unsprung_share"] < 1.0
    assert rear.rigid.rms_pct["acceleration"] > 3.0
    again = rms_percent(rear.car, rear.identified.experiment)
    assert again == pytest.approx(dict(rear.identified.rms_pct))


def planted(found: AxleReduction, seed: int | None = None, duration: float = 20.0) -> tuple[Experiment, np.ndarray]:
    """An experiment that a quarter car with known parameters has made, with noise of 1 % of each signal."""
    sweep = replace(found.identified.experiment.sweep, duration=duration)
    load = found.identified.experiment.corner_weight + sweep.force(sweep.time)
    motion = found.car.drive(load, sweep.sample).motion
    if seed is not None:
        noise = np.random.default_rng(seed).normal(size=motion.shape)
        motion = motion + 0.01 * np.std(motion, axis=0) * noise
    e = found.identified.experiment
    return Experiment(e.corner, sweep, e.corner_weight, load, motion), found.car.vector


def test_planted_truth_is_found_exactly(rear: AxleReduction) -> None:
    experiment, truth = planted(rear, duration=10.0)
    wrong = np.where(np.arange(12) % 2, 1.5, 0.5) * truth
    found = identify(rear.identified.first, experiment, start=dict(zip(NAMES, wrong.tolist(), strict=True)))
    np.testing.assert_allclose(found.car.vector[[0, 1]], truth[[0, 1]], rtol=2e-3)
    np.testing.assert_allclose(found.car.vector[4:], truth[4:], rtol=5e-2)
    assert max(found.rms_pct.values()) < 0.05


def test_intervals_hold_planted_truth(rear: AxleReduction) -> None:
    experiment, truth = planted(rear, seed=3)
    found = identify(rear.identified.first, experiment)
    inside = [i.lower <= value <= i.upper for i, value in zip(found.intervals.values(), truth, strict=True)]
    assert sum(inside) >= 11
    for name, i in found.intervals.items():
        assert i.lower < i.value < i.upper, name


def test_from_half_as_large_and_from_anywhere(front: AxleReduction) -> None:
    """Every parameter half as large as it should be; and random starts, where the homotopy gets through more often."""
    found = front.identified
    problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
    start = problem.scaled(dict(zip(NAMES, (0.5 * found.car.vector).tolist(), strict=True)))
    best = float(np.mean(list(found.rms_pct.values())))
    assert search(problem, start)[1] == pytest.approx(best, abs=0.01)
    reached = {True: 0, False: 0}
    for z in np.random.default_rng(0).uniform(-1.0, 1.0, (8, len(NAMES))):
        for guided in reached:
            try:
                reached[guided] += search(problem, z, guided=guided)[1] < best + 0.05
            except ConvergenceError:
                continue
    assert reached[True] > reached[False]


def test_start_at_which_the_model_gets_lost(rear: AxleReduction) -> None:
    """A spring that pushes the wheel away: guided it works, and the search comes back from there."""
    found = rear.identified
    problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
    start = problem.scaled({"spring_second": -6e4, "spring_third": -6e4, "spring_rate": 2e4})
    assert problem.evaluate_many([start]) == [None]
    assert search(problem, start)[1] == pytest.approx(np.mean(list(found.rms_pct.values())), abs=0.02)


def test_derivatives_by_scaled_parameters(rear: AxleReduction) -> None:
    experiment, _ = planted(rear, duration=4.0)
    problem = CornerProblem(rear.identified.first, experiment, bounds_of(rear.identified.first))
    for strength in (0.0, 0.3):
        at, step = problem.guided(strength), 1e-5
        z = np.linspace(-0.3, 0.3, 12)
        for k in (0, 3, 5, 10):
            move = step * np.eye(12)[k]
            ahead, behind, here = at.evaluate(z + move), at.evaluate(z - move), at.linearise(z)
            for a, b, h in zip(ahead, behind, here, strict=True):
                difference = (a.residual - b.residual) / (2 * step)
                assert h.jacobian is not None
                np.testing.assert_allclose(h.jacobian[:, k], difference, atol=1e-4 * np.abs(difference).max())


def test_fully_guided_model_follows_whatever_its_parameters(rear: AxleReduction) -> None:
    found = rear.identified
    problem = CornerProblem(found.first, found.experiment, bounds_of(found.first)).guided(1.0)
    for z in (np.full(12, -0.3), np.full(12, 0.3)):
        assert problem.evaluate(z)[0].value_pct < 15.0


def test_nelder_mead_goes_downhill(rear: AxleReduction) -> None:
    experiment, _ = planted(rear, duration=4.0)
    bounds = {name: b for name, b in bounds_of(rear.identified.first).items() if name not in MOUNT}
    problem = CornerProblem(rear.identified.first, experiment, bounds)
    start = problem.scaled()
    z, value, used = nelder_mead(problem, start, evaluations=350)
    assert value < 0.8 * np.mean([block.value_pct for block in problem.evaluate(start)])
    assert 100 < used < 500
    assert np.abs(z).max() <= 1.0


def test_bounds(rear: AxleReduction) -> None:
    car = rear.identified.first
    rate = car.parameters["spring_rate"]
    with pytest.raises(InputError, match=r"spring_rate: the start .* is not between its bounds"):
        bounds_of(car, given={"spring_rate": Bounds(rate, 2 * rate)})
    with pytest.raises(InputError, match="lower < upper"):
        bounds_of(car, given={"unsprung_share": Bounds(0.5, 0.5)})
    with pytest.raises(InputError, match="above zero"):
        bounds_of(car, given={"bump_low": Bounds(-1.0, 1e5, True)})
    assert bounds_of(car, given={"unsprung_share": Bounds(0.1, 0.9)})["unsprung_share"].upper == 0.9
    for b in bounds_of(car).values():
        for z in (-1.0, -0.2, 1.0):
            assert b.scaled(float(b.value(z))) == pytest.approx(z)


@pytest.mark.parametrize(("sign", "missing"), [(1.0, "bump"), (-1.0, "rebound")])
def test_a_damper_that_lacks_a_branch(suv: Vehicle, sign: float, missing: str) -> None:
    """Refused before the sweep, with the name of the damper; a curve over speeds of extension."""
    damper = next(one for one in suv.dampers if one.name == "rear_suspension.ride_damper_left")
    curve = damper.characteristic.curve
    kept = sign * curve.x >= 0.0
    half = replace(curve, x=curve.x[kept], y=curve.y[kept])
    cut = replace(damper, characteristic=replace(damper.characteristic, curve=half))
    vehicle = replace(suv, dampers=tuple(cut if one is damper else one for one in suv.dampers))
    with pytest.raises(InputError, match=f"'rear_suspension.ride_damper_left' has no {missing} branch: its curve runs"):
        reduce_axle(vehicle, Axle.REAR)


def test_a_spring_without_a_free_length(rear: AxleReduction) -> None:
    """A cubic that never vanishes: JSON has no such numbers, and says null."""
    soft = {"spring_second": 0.9 * rear.car.parameters["spring_rate"], "spring_third": 0.0}
    identified = replace(rear.identified, car=rear.car.with_parameters(soft))
    assert np.isnan(identified.car.free_compression)
    told = replace(rear, identified=identified).as_dict()
    assert told["spring_free_compression_m"] is None
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_a_force_that_the_rig_cannot_reach(suv, rear: AxleReduction) -> None:
    from trackrod.kc.rig import Rig

    with pytest.raises(InputError, match="more than the corner weight of 4119 N"):
        push_wheels(Rig(suv, Axle.REAR), rear.identified.experiment.corner, Sweep(amplitude=5000.0))
    with pytest.raises(RangeError, match=r"before 0\.5 Hz"):
        Sweep(last_frequency=0.4)

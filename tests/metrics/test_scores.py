"""Objective ratings against another program, closed forms, brute force and the invariances they should have."""

from __future__ import annotations

import itertools
import math
from dataclasses import astuple

import numpy as np
import pytest

from trackrod import _core
from trackrod.core.errors import InputError
from trackrod.metrics.iso18571 import rate, smooth_slope
from trackrod.metrics.pair import MOST_POINTS, Pair
from trackrod.metrics.shift import find_shift
from trackrod.metrics.similarity import (
    correlation,
    earth,
    nise,
    residual,
    russell,
    sprague_geers,
    warping_distance,
)
from trackrod.metrics.trace import Trace

TIME = np.arange(1001) * 0.01


def damped(t: np.ndarray) -> np.ndarray:
    """A damped sine that begins at zero."""
    return np.where(t >= -1e-9, np.sin(np.pi * t) * np.exp(-0.1 * t), 0.0)


def irregular(number: int) -> Pair:
    """A sum of sines under a bell, and the same late, scaled and bent."""
    rng = np.random.default_rng(number)
    time = np.linspace(0.0, rng.uniform(1.0, 10.0), int(rng.integers(200, 1500)))
    test = sum(
        rng.normal() * np.sin(2.0 * np.pi * rng.uniform(0.1, 1.5) * time + rng.uniform(0.0, 6.0)) for _ in range(4)
    ) * np.exp(-(((time - time[-1] / 2.0) / time[-1] * 2.0) ** 2))
    late = rng.uniform(-0.05, 0.05) * time[-1]
    model = rng.uniform(0.7, 1.3) * np.interp(time - late, time, test) + 0.05 * rng.normal() * np.sin(3.0 * time)
    return Pair(time, test, model)


#: Overall, corridor, phase, magnitude, slope by the package objective_rating_metrics 1.3 for `irregular`.
OF_ANOTHER_PROGRAM = {
    0: (0.681159, 0.38255, 0.884259, 0.853829, 0.902606),
    1: (0.789069, 0.538098, 0.902625, 0.981161, 0.985362),
    2: (0.947328, 0.939362, 0.95614, 0.951453, 0.950324),
    3: (0.813054, 0.731428, 0.884527, 0.851489, 0.866399),
    4: (0.648254, 0.289379, 0.758364, 0.946238, 0.957911),
    5: (0.61192, 0.296797, 0.803493, 0.764577, 0.897937),
    6: (0.637131, 0.265849, 0.833906, 0.905971, 0.91408),
    7: (0.972341, 0.983922, 0.995409, 0.958365, 0.940086),
    8: (0.718534, 0.408767, 0.84127, 0.95771, 0.976156),
    9: (0.587508, 0.182224, 0.758454, 0.900125, 0.914512),
    10: (0.640618, 0.341473, 0.834254, 0.815943, 0.869946),
    11: (0.811357, 0.705373, 0.813916, 0.917219, 0.914906),
}


@pytest.mark.parametrize("number", OF_ANOTHER_PROGRAM)
def test_ratings_are_those_of_another_program(number: int) -> None:
    found = astuple(rate(irregular(number)).written)[:5]
    assert found == pytest.approx(OF_ANOTHER_PROGRAM[number], abs=2e-6)


def test_rating_of_a_known_curve() -> None:
    rating = rate(Pair(TIME, damped(TIME), 0.9 * damped(TIME - 0.05))).written
    assert astuple(rating) == pytest.approx((0.918779, 0.865155, 0.975025, 0.938562, 0.95, 0.05), abs=1e-6)


def test_one_period_more_is_guarded_against() -> None:
    """A sine that is better by a hair one period later: as written the phase is bad, guarded it is not."""
    test = np.sin(2.0 * np.pi * TIME / 1.6)
    model = test * np.where(TIME < 1.6, 1.0 + 1e-3 * np.sin(40.0 * TIME), 1.0)
    found = rate(Pair(TIME, test, model))
    assert abs(found.written.shift) >= 1.6 - 1e-9
    assert found.written.EP < 0.3
    assert found.guarded.shift == 0.0
    assert found.guarded.EP == 1.0


def test_a_curve_is_like_itself() -> None:
    pair = irregular(3)
    same = Pair(pair.x, pair.test, pair.test)
    assert astuple(rate(same).written) == pytest.approx((1.0, 1.0, 1.0, 1.0, 1.0, 0.0))
    assert astuple(sprague_geers(same)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-7)
    assert astuple(russell(same)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-7)
    assert astuple(earth(same)) == (0.0, 0.0, 0.0, 0.0)
    assert set(astuple(residual(same))) == {0.0}
    assert correlation(same) == pytest.approx(1.0)
    assert nise(same) == pytest.approx(0.0, abs=1e-12)
    assert warping_distance(same) == 0.0


def test_a_factor_is_magnitude_alone() -> None:
    """Closed forms for a curve times 1.2."""
    pair = irregular(1)
    scaled = Pair(pair.x, pair.test, 1.2 * pair.test)
    assert astuple(sprague_geers(scaled)) == pytest.approx((0.2, 0.0, 0.2), abs=1e-7)
    magnitude = math.log10(1.0 + 0.44 / 1.2)
    assert pytest.approx(magnitude) == russell(scaled).M
    assert pytest.approx(math.sqrt(math.pi / 4.0) * magnitude) == russell(scaled).C
    assert nise(scaled) == pytest.approx(1.0 - 2.4 / 2.44)
    assert residual(scaled).l1 == pytest.approx(0.2)
    assert residual(scaled).l2 == pytest.approx(0.2)
    assert residual(scaled).l_infinity == pytest.approx(0.2)
    assert correlation(scaled) == pytest.approx(1.0)


@pytest.mark.parametrize("angle", [0.1, 1.0, 3.0])
def test_phase_of_a_sine(angle: float) -> None:
    """Over whole periods the phase error is the angle over π, and the correlation its cosine."""
    x = np.arange(4000) * 2.0 * np.pi / 1000.0
    pair = Pair(x, np.sin(x), np.sin(x - angle))
    assert pytest.approx(angle / math.pi) == sprague_geers(pair).P
    assert pytest.approx(0.0, abs=1e-12) == sprague_geers(pair).M
    assert pytest.approx(angle / math.pi) == russell(pair).P
    assert correlation(pair) == pytest.approx(math.cos(angle))
    assert nise(pair) == pytest.approx(1.0 - math.cos(angle))


def test_a_late_curve_has_its_shift() -> None:
    pair = Pair(TIME, damped(TIME - 2.0), damped(TIME - 2.37))
    assert find_shift(pair, 200).steps == 37
    assert earth(pair).shift == pytest.approx(0.37)
    assert earth(pair).phase == pytest.approx(37 / 1001)
    early = Pair(TIME, pair.model, pair.test)
    assert find_shift(early, 200).steps == -37


def test_ripple_is_topology_and_not_magnitude() -> None:
    test = np.exp(-((TIME - 5.0) ** 2))
    found = earth(Pair(TIME, test, test + 0.003 * np.sin(60.0 * TIME)))
    assert found.magnitude < 0.02
    assert found.topology > 0.1


def test_correlations_over_shifts_are_pearsons() -> None:
    pair = irregular(5)
    n, largest = pair.x.size, 40
    by_hand = {}
    for k in range(-largest, largest + 1):
        test, model = (pair.test[: n - k], pair.model[k:]) if k >= 0 else (pair.test[-k:], pair.model[: n + k])
        by_hand[k] = np.corrcoef(test, model)[0, 1]
    found = find_shift(pair, largest)
    assert found.steps == max(by_hand, key=by_hand.__getitem__)
    assert found.correlation == pytest.approx(max(by_hand.values()))


@pytest.mark.parametrize("band", [1, 2, 3, 6])
def test_warping_is_the_cheapest_of_all_ways(band: int) -> None:
    """Every way through six by six pairs."""
    rng = np.random.default_rng(band)
    a, b = rng.normal(size=(2, 6))

    def ways(i: int, j: int):
        if i == j == 5:
            yield [(5, 5)]
        for di, dj in ((1, 1), (1, 0), (0, 1)):
            if i + di < 6 and j + dj < 6 and abs(i + di - j - dj) < band:
                yield from ([(i, j), *rest] for rest in ways(i + di, j + dj))

    least = min(sum((a[i] - b[j]) ** 2 for i, j in way) for way in ways(0, 0))
    first, second, cost = _core.warp(a, b, band)
    assert cost == pytest.approx(least)
    assert cost == pytest.approx(np.sum((a[first] - b[second]) ** 2))
    assert (np.abs(first - second) < band).all()
    assert all(
        (i1 - i0, j1 - j0) in ((1, 1), (1, 0), (0, 1))
        for (i0, j0), (i1, j1) in itertools.pairwise(zip(first, second, strict=True))
    )


def test_slopes_are_smoothed_over_nine_points_and_fewer_at_the_ends() -> None:
    row = np.random.default_rng(1).normal(size=30)
    slope = np.gradient(row)
    means = [slope[max(i - r, 0) : i + r + 1].mean() for i in range(30) for r in [min(4, i, 29 - i)]]
    assert smooth_slope(row) == pytest.approx(np.array(means))


def test_units_and_offsets_of_the_abscissa_do_not_matter() -> None:
    pair = irregular(2)
    other = Pair(1e3 * pair.x + 7.0, 57.3 * pair.test, 57.3 * pair.model)
    assert astuple(rate(other).written)[:5] == pytest.approx(astuple(rate(pair).written)[:5])
    for measure in (sprague_geers, russell, nise, correlation):
        assert _numbers(measure(other)) == pytest.approx(_numbers(measure(pair)))
    assert astuple(earth(other))[:3] == pytest.approx(astuple(earth(pair))[:3])


def _numbers(found: object) -> tuple[float, ...]:
    return (found,) if isinstance(found, float) else astuple(found)  # type: ignore[arg-type]


def test_sampling_matters_little() -> None:
    test = Trace(TIME, damped(TIME), "time", "s", "y", "m")
    model = Trace(TIME, 0.9 * damped(TIME - 0.05), "time", "s", "y", "m")
    coarse, fine = (rate(Pair.of(test, model, step)).written for step in (0.01, 0.002))
    assert pytest.approx((fine.R, fine.Z, fine.EP, fine.ES), abs=5e-3) == (coarse.R, coarse.Z, coarse.EP, coarse.ES)
    assert pytest.approx(fine.EM, abs=0.02) == coarse.EM  # the warping of the standard steps from point to point


def test_pairs_take_what_both_curves_have() -> None:
    test = Trace(TIME, damped(TIME), "time", "s", "y", "m")
    model = Trace(TIME[200:] + 0.003, damped(TIME[200:]), "time", "s", "y", "m")
    pair = Pair.of(test, model)
    assert pair.x[0] == pytest.approx(2.003)
    assert pair.x[-1] == pytest.approx(10.0)
    assert pair.step == pytest.approx(0.01, rel=2e-3)


def test_a_constant_model_correlates_with_nothing() -> None:
    pair = Pair(TIME, damped(TIME), np.full(TIME.size, 0.1))
    assert math.isnan(correlation(pair))
    assert rate(pair).written.EP == 1.0  # there is no shift to be found
    assert rate(pair).written.R < 0.8
    silent = Pair(TIME, damped(TIME), np.zeros(TIME.size))
    assert sprague_geers(silent).M == -1.0
    assert math.inf == russell(silent).C
    assert nise(silent) == 1.0


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"test": np.zeros(1001)}, "zero everywhere"),
        ({"test": np.where(TIME == 3.0, np.nan, 1.0)}, "test is not finite at 1 points, the first is 300"),
        ({"model": np.ones(900)}, "rows of equal length"),
        ({"x": TIME**2}, "equal steps"),
        ({"x": TIME[:5], "test": TIME[:5], "model": TIME[:5]}, "10 are needed"),
    ],
)
def test_what_cannot_be_compared_is_refused(change: dict[str, np.ndarray], text: str) -> None:
    rows = {"x": TIME, "test": damped(TIME), "model": damped(TIME), **change}
    with pytest.raises(InputError, match=text):
        Pair(**rows)


def test_curves_that_do_not_meet_are_refused() -> None:
    test = Trace(TIME, damped(TIME), "time", "s", "y", "m")
    with pytest.raises(InputError, match="unit 'm', the model 'mm'"):
        Pair.of(test, Trace(TIME, damped(TIME), "time", "s", "y", "mm"))
    with pytest.raises(InputError, match="no time in common"):
        Pair.of(test, Trace(TIME + 20.0, damped(TIME), "time", "s", "y", "m"))
    with pytest.raises(InputError, match=f"{MOST_POINTS} at most"):
        Pair.of(test, test, 1e-4)
    with pytest.raises(InputError, match="positive number"):
        Pair.of(test, test, 0.0)

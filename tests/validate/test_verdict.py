"""Criteria as files, and verdicts over runs whose differences are known."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics.trace import Trace
from trackrod.validate.criteria import Criteria, Criterion, Response, read_criteria
from trackrod.validate.processing import Processing
from trackrod.validate.repeats import corridor, mean_interval
from trackrod.validate.verdict import Comparison, Outcome, judge

TIME = np.arange(2001) * 0.005

FILE = """
name = "handling"
intended_use = "choice of bars"
decision = "which of two bars is built"
risk = "a prototype that rolls too much"
assumptions = ["dry road"]

[processing]
step_s = 0.01
from_rest_s = 0.5

[bias]
yaw_rate_radps = 0.001

[[criterion]]
signal = "yaw_rate_radps"
metric = "residual"
limit = 0.05

[[criterion]]
name = "roll angle"
signal = "roll_rad"
range = { ay_mps2 = [-5.0, 5.0] }
metric = "iso18571.R"
limit = 0.9
weight = 0.7
manoeuvres = ["step_steer"]
"""


def run(gain: float = 1.0, noise: float = 0.0, seed: int = 0, late: float = 0.0) -> Run:
    """A damped answer in yaw, a sine of growing lateral acceleration."""
    rng = np.random.default_rng(seed)
    t = TIME - late
    yaw = gain * 0.3 * (1.0 - np.exp(-3.0 * np.maximum(t - 1.0, 0.0)) * np.cos(6.0 * np.maximum(t - 1.0, 0.0)))
    ay = gain * 0.8 * t * np.sin(2.0 * t)
    return Run(
        {
            "time_s": TIME,
            "yaw_rate_radps": yaw + noise * 0.3 * rng.normal(size=t.size),
            "ay_mps2": ay,
            "roll_rad": 0.01 * ay + noise * 0.05 * rng.normal(size=t.size),
            "steering_wheel_angle_rad": 0.5 * np.sin(2.0 * np.pi * (0.2 + 0.15 * TIME) * TIME),
        }
    )


def criterion(**changes: object) -> Criterion:
    given: dict[str, object] = {"name": "yaw", "signal": "yaw_rate_radps", "metric": "residual.l2", "limit": 0.05}
    return Criterion(**{**given, **changes})  # type: ignore[arg-type]


def verdict_of(one: Criterion, tests: tuple[Run, ...], model: Run, **more: object):
    return judge(Criteria(name="c", criteria=(one,), **more), [Comparison("t", "step_steer", tests, model)])  # type: ignore[arg-type]


def test_a_file_says_what_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "criteria.toml"
    path.write_text(FILE)
    found = read_criteria(path)
    assert found.name == "handling"
    assert found.assumptions == ("dry road",)
    assert found.processing == Processing(step=0.01, from_rest=0.5)
    assert found.bias == (("yaw_rate_radps", 0.001),)
    yaw, roll = found.criteria
    assert (yaw.metric, yaw.limit, yaw.weight, yaw.perfect) == ("residual.l2", 0.05, 1.0, 0.0)
    assert (roll.metric, roll.limit, roll.weight, roll.perfect) == ("iso18571.R", 0.9, 0.7, 1.0)
    assert roll.ranges == (("ay_mps2", -5.0, 5.0),)
    assert roll.applies_to("step_steer")
    assert not roll.applies_to("braking")


@pytest.mark.parametrize(
    ("change", "line", "text"),
    [
        (("limit = 0.05", "limit = 0.0"), 18, "a limit of 0 is met by nothing but the reference itself"),
        (("limit = 0.9", "limit = 1.2"), 25, "1 is perfect: it must be smaller"),
        (("limit = 0.05", "limit = -1"), 18, "0 is perfect: it must be larger"),
        (('"residual"', '"residul"'), 17, "did you mean 'residual'"),
        (('"roll_rad"', '"roll_angle"'), 22, "roll_rad"),
        (("weight = 0.7", "weight = -1"), 26, "the weight is -1, it must be positive"),
        (("[-5.0, 5.0]", "[5.0, -5.0]"), 23, "the second must be larger"),
        (("weight = 0.7", "wieght = 0.7"), 26, "did you mean 'weight'"),
    ],
)
def test_a_file_with_a_fault_is_refused_by_line(tmp_path: Path, change: tuple[str, str], line: int, text: str) -> None:
    path = tmp_path / "criteria.toml"
    path.write_text(FILE.replace(*change))
    with pytest.raises(InputError) as caught:
        read_criteria(path)
    assert text in str(caught.value)
    assert f"{path}:{line}:" in str(caught.value)


def test_the_degree_is_the_weighted_mean_of_ratios() -> None:
    """Ten percent of gain against limits of 5 and 20 %, weights 1 and 3: (1·2 + 3·0.5) / 4."""
    rows = (criterion(limit=0.05), criterion(limit=0.2, weight=3.0))
    found = judge(Criteria(name="c", criteria=rows), [Comparison("t", "step_steer", (run(),), run(1.1))])
    assert [row.value for row in found.rows] == pytest.approx([0.1, 0.1])
    assert found.degree == pytest.approx((2.0 + 3.0 * 0.5) / 4.0)
    assert found.degree < 1.0
    assert found.outcome is Outcome.NOT_VALID  # one row is violated
    assert [row.criterion.limit for row in found.violated] == [0.05]


def test_scores_where_one_is_perfect_count_from_one() -> None:
    found = verdict_of(criterion(metric="iso18571.guarded.R", limit=0.9), (run(),), run(late=0.05))
    (row,) = found.rows
    assert row.ratio == pytest.approx((1.0 - row.value) / 0.1)
    assert found.degree == pytest.approx(row.ratio)


def test_samples_outside_the_operating_range_do_not_count() -> None:
    """A model that is wrong above 4 m/s² alone."""
    test = run()
    wrong = np.where(np.abs(test["ay_mps2"]) > 4.0, 2.0, 1.0)
    model = Run({**test, "roll_rad": test["roll_rad"] * wrong})
    for metric in ("residual.l2", "sprague-geers.M"):
        inside = verdict_of(
            criterion(signal="roll_rad", metric=metric, ranges=(("ay_mps2", -3.9, 3.9),)), (test,), model
        )
        whole = verdict_of(criterion(signal="roll_rad", metric=metric), (test,), model)
        assert inside.rows[0].value == pytest.approx(0.0, abs=1e-9)
        assert 0.5 < inside.rows[0].share < 0.95
        assert whole.outcome is Outcome.NOT_VALID


def test_shapes_are_judged_over_the_longest_stretch_in_range() -> None:
    test = run()
    late = Run({**test, "roll_rad": np.where(TIME < 4.0, test["roll_rad"], 0.0)})
    one = criterion(signal="roll_rad", metric="iso18571.R", limit=0.9, ranges=(("ay_mps2", -3.0, 3.0),))
    assert verdict_of(one, (test,), late).rows[0].value == pytest.approx(1.0)


def test_what_was_never_driven_is_not_shown() -> None:
    found = verdict_of(criterion(ranges=(("ay_mps2", 20.0, 30.0),)), (run(),), run())
    assert found.outcome is Outcome.NOT_SHOWN
    assert found.rows == ()
    assert [one.name for one in found.untested] == ["yaw"]
    other = judge(
        Criteria(name="c", criteria=(criterion(manoeuvres=("braking",)),)), [Comparison("t", "sweep", (run(),), run())]
    )
    assert other.outcome is Outcome.NOT_SHOWN


def test_a_constant_model_has_no_correlation() -> None:
    test = run()
    still = Run({**test, "yaw_rate_radps": np.full(TIME.size, 0.1)})
    found = verdict_of(criterion(metric="correlation.correlation", limit=0.9), (test,), still)
    assert found.outcome is Outcome.NOT_SHOWN
    assert "constant" in found.rows[0].remark


def test_each_number_has_its_four_parts() -> None:
    noisy = tuple(run(noise=0.01, seed=seed) for seed in range(5))
    comparison = Comparison("t", "step_steer", noisy, run(1.03), refined=run(1.031))
    chain = Processing(band=(0.0, 5.0))
    criteria = Criteria(name="c", criteria=(criterion(),), processing=chain, bias=(("yaw_rate_radps", 0.003),))
    (row,) = judge(criteria, [comparison]).rows
    assert row.value == pytest.approx(0.03, abs=2e-3)
    assert row.parts.bias == pytest.approx(0.01, rel=0.2)  # 0.003 of about 0.3 rad/s
    assert 0.0 < row.parts.precision < 2e-3
    assert row.parts.numerical == pytest.approx(1e-3, rel=0.1)
    assert 0.0 < row.parts.processing < 5e-3
    assert row.repeats == 5
    assert 0.0 < row.floor < 0.01
    assert row.above_floor
    assert row.met
    assert row.surely


def test_a_number_within_its_uncertainty_of_the_limit_is_not_beyond_doubt() -> None:
    criteria = Criteria(name="c", criteria=(criterion(limit=0.031),), bias=(("yaw_rate_radps", 0.003),))
    (row,) = judge(criteria, [Comparison("t", "step_steer", (run(),), run(1.03))]).rows
    assert row.met
    assert not row.surely


def test_noise_is_not_told_apart_and_a_gain_is() -> None:
    """The same vehicle with other noise lies at the floor, one with 5 % more gain above it."""
    tests = tuple(run(noise=0.01, seed=seed) for seed in range(4))
    one = criterion(metric="residual.l2", limit=0.05)
    same = verdict_of(one, tests, run(noise=0.01, seed=99)).rows[0]
    other = verdict_of(one, tests, run(1.05, noise=0.01, seed=99)).rows[0]
    assert same.value == pytest.approx(same.floor, rel=0.1)
    assert other.value > 3.0 * other.floor


def test_gains_over_frequency() -> None:
    time = np.arange(6001) * 0.01
    angle = 0.5 * np.sin(2.0 * np.pi * (0.2 + 0.015 * time) * time)
    first, second = (
        Run({"time_s": time, "steering_wheel_angle_rad": angle, "ay_mps2": gain * angle}) for gain in (4.0, 4.4)
    )
    one = criterion(
        signal="ay_mps2", response=Response.GAIN, given="steering_wheel_angle_rad", band=(0.3, 1.5), limit=0.2
    )
    assert verdict_of(one, (first,), second).rows[0].value == pytest.approx(0.1, rel=1e-6)


def test_a_missing_column_is_named() -> None:
    short = Run({"time_s": TIME, "ay_mps2": TIME})
    with pytest.raises(InputError, match="t: the model has no column 'yaw_rate_radps', which 'yaw' needs"):
        verdict_of(criterion(), (run(),), short)
    with pytest.raises(InputError, match="no test was given"):
        judge(Criteria(name="c", criteria=(criterion(),)), [])


def test_one_chain_for_both() -> None:
    """A band takes a fast disturbance from both signals, without making anything late."""
    slow, fast = np.sin(2.0 * np.pi * 0.5 * TIME), np.sin(2.0 * np.pi * 30.0 * TIME)
    trace = Trace(TIME, slow + fast, "time", "s", "y", "m")
    kept = Processing(band=(0.0, 5.0)).apply(trace)
    inner = (TIME > 1.0) & (TIME < 9.0)
    assert kept.y[inner] == pytest.approx(slow[inner], abs=2e-3)
    with pytest.raises(InputError, match=r"a band up to 100 Hz needs samples every 2\.5 ms, there is one every 5 ms"):
        Processing(band=(0.0, 100.0)).apply(trace)
    with pytest.raises(InputError, match=r"too short for frequencies of 0\.01 Hz"):
        Processing(band=(0.01, 1.0)).apply(trace)
    offset = Processing(from_rest=0.5).apply(Trace(TIME, np.where(TIME < 1.0, 3.0, 4.0), "time", "s", "y", "m"))
    assert (offset.y[0], offset.y[-1]) == (0.0, 1.0)


def test_intervals_of_means_hold_the_truth_as_often_as_they_say() -> None:
    """Student's interval over four repeats: 95 of 100 samples of a long signal are held."""
    rng = np.random.default_rng(1)
    truth = np.sin(TIME)
    repeats = [Trace(TIME, truth + rng.normal(scale=0.1, size=TIME.size), "time", "s", "y", "m") for _ in range(4)]
    found = corridor(repeats)
    held = np.abs(found.mean.y - truth) <= found.half_width
    assert 0.93 < held.mean() < 0.97
    off, low, high = found.error(Trace(TIME, truth + 1.0, "time", "s", "y", "m"))
    assert off.mean() == pytest.approx(1.0, abs=0.01)
    assert (low < off).all()
    assert (off < high).all()
    assert math.isnan(mean_interval([1.0]))
    with pytest.raises(InputError, match="two repeats or more"):
        corridor(repeats[:1])

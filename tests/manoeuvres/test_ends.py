"""Ends of phases, decision by decision, asked from any time on."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.manoeuvres.ends import Above, After, Below, Stalled, Steady
from trackrod.manoeuvres.manoeuvre import DECISION, Sample
from trackrod.manoeuvres.turning import BrakeInTurn


def asked(end: object, times: np.ndarray, **columns: np.ndarray) -> list[bool]:
    come = end.begin()  # type: ignore[attr-defined]
    return [come(Sample(float(t), {n: float(v[i]) for n, v in columns.items()})) for i, t in enumerate(times)]


def first(answers: list[bool], times: np.ndarray) -> float | None:
    return float(times[answers.index(True)]) if True in answers else None


TIMES = 3.0 + DECISION * np.arange(301)  # asked for the first time after 3 s


def test_steady_counts_from_the_first_time_it_is_asked() -> None:
    still = np.zeros(TIMES.size)
    end = Steady({signals.AY: 0.1, signals.ROLL: 0.01}, 0.5)
    answers = asked(end, TIMES, ay_mps2=still, roll_rad=still)
    assert first(answers, TIMES) == pytest.approx(3.5)
    assert all(answers[50:])


def test_steady_looks_back_for_its_time_only() -> None:
    """A jump at 4 s is out of sight half a second later; a band is the whole width, not the half."""
    jump = np.where(TIMES < 4.0 - 1e-9, 1.0, 0.0)
    end = Steady({signals.AY: 0.1}, 0.5)
    answers = np.array(asked(end, TIMES, ay_mps2=jump))
    moving = (TIMES > 4.0 - 1e-9) & (TIMES < 4.5 - 1e-9)
    assert not answers[moving].any()
    assert answers[(TIMES > 3.5 - 1e-9) & (TIMES < 4.0 - 1e-9)].all()
    assert answers[TIMES > 4.5 - 1e-9].all()
    swing = 0.05 * np.where(np.arange(TIMES.size) % 2, 1.0, -1.0)
    assert first(asked(Steady({signals.AY: 0.1001}, 0.5), TIMES, ay_mps2=swing), TIMES) == pytest.approx(3.5)
    assert first(asked(Steady({signals.AY: 0.0999}, 0.5), TIMES, ay_mps2=swing), TIMES) is None


def test_every_signal_must_be_steady_and_where_it_should_be() -> None:
    still, ramp = np.zeros(TIMES.size), 0.5 * (TIMES - 3.0)
    both = {signals.AY: 0.1, signals.ROLL: 0.01}
    assert first(asked(Steady(both, 0.5), TIMES, ay_mps2=still, roll_rad=ramp), TIMES) is None
    assert first(asked(Steady(both, 0.5), TIMES, ay_mps2=ramp, roll_rad=still), TIMES) is None
    near, far = Steady(both, 0.5, {signals.AY: 0.09}), Steady(both, 0.5, {signals.AY: -0.11})
    assert first(asked(near, TIMES, ay_mps2=still, roll_rad=still), TIMES) == pytest.approx(3.5)
    assert first(asked(far, TIMES, ay_mps2=still, roll_rad=still), TIMES) is None


def test_a_stall_counts_from_the_last_growth() -> None:
    """The magnitude grows to 4.2 s, by steps that are larger than the gain; then it falls and comes back."""
    values = -np.minimum(TIMES - 3.0, 1.2)
    values = np.where(TIMES > 4.6, 0.0, values)
    end = Stalled(signals.AY, 0.005, 0.7)
    assert first(asked(end, TIMES - 3.0, ay_mps2=values), TIMES) == pytest.approx(4.9)
    slow = 0.004 * np.arange(TIMES.size)  # less than the gain at each decision, but it adds up
    assert first(asked(end, TIMES - 3.0, ay_mps2=slow), TIMES) is None
    flat = np.zeros(TIMES.size)
    assert first(asked(end, TIMES - 3.0, ay_mps2=flat), TIMES) == pytest.approx(3.7)


def test_limits_are_reached_not_passed() -> None:
    values = np.array([0.0, -2.0, 1.0, 2.5, 3.0])
    times = np.arange(5.0)
    assert asked(Above(signals.AY, 2.0), times, ay_mps2=values) == [False, True, False, True, True]
    assert asked(Below(signals.AY, 2.0), times, ay_mps2=values) == [True, True, True, False, False]
    assert asked(Below(signals.AY, 2.0, 1.0), times, ay_mps2=values) == [False, True, True, False, False]
    assert asked(After(2.0), times) == [False, False, True, True, True]


def test_reasons_say_what_and_how_much() -> None:
    assert After(1.5).reason == "after 1.5 s"
    assert Above(signals.VX, 3.0).reason == "|vx_mps| has reached 3"
    assert Below(signals.VX, 3.0).reason == "|vx_mps| is down to 3"
    assert Stalled(signals.VX, 0.2, 5.0).reason == "|vx_mps| has not grown by 0.2 for 5 s"
    assert Steady({signals.VX: 1.0}, 2.0).reason == "steady for 2 s"


def test_a_brake_that_is_not_known_yet_is_not_pressed() -> None:
    assert BrakeInTurn().phases()[2].pedals.brake == 0.0  # type: ignore[attr-defined]

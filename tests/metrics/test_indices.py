"""Indices: planted differences come out, equal runs are zero apart, mirrors change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import braking, mirrored, ramp_steer, run_from, sine_sweep, step_steer
from trackrod.core.errors import UnknownNameError
from trackrod.core.series import Run
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.manoeuvres.standing import FourPost
from trackrod.metrics.indices import FLOORS, INDEX_SETS, curve_indices, indices
from trackrod.metrics.trace import Trace

STEP, RAMP, SWEEP, BRAKING = step_steer(), ramp_steer(), sine_sweep(), braking()
RUNS = {"step_steer": STEP, "ramp_steer": RAMP, "sine_sweep": SWEEP, "braking": BRAKING, "constant_radius": RAMP}


def changed(run: Run, column: str, factor: float) -> Run:
    return Run({**run, column: factor * run[column]}, run.metadata)


def values(name: str, reference: Run, model: Run) -> dict[str, float]:
    return {index.name: index.value_pct for index in indices(name, reference, model)}


def test_every_set_belongs_to_a_manoeuvre() -> None:
    assert set(INDEX_SETS) <= set(MANOEUVRES)


@pytest.mark.parametrize("name", RUNS)
def test_equal_runs_are_zero_apart(name: str) -> None:
    assert set(values(name, RUNS[name], RUNS[name]).values()) == {0.0}


@pytest.mark.parametrize("name", RUNS)
def test_mirrored_runs_lie_as_far_apart(name: str) -> None:
    model = changed(changed(RUNS[name], "ay_mps2", 1.03), "pitch_rad", 1.1)
    plain = values(name, RUNS[name], model)
    assert max(plain.values()) > 0
    assert values(name, mirrored(RUNS[name]), mirrored(model)) == pytest.approx(plain, rel=1e-9)


def test_the_curves_of_a_reference_are_read_once() -> None:
    read = []

    def curves(run: Run) -> dict[str, Trace]:
        read.append(run)
        return dict(INDEX_SETS["step_steer"](run))

    models = [changed(STEP, "ay_mps2", factor) for factor in (1.02, 1.04)]
    found = [next(curve_indices("step_steer", curves, STEP, model)).value_pct for model in models]
    assert found == [pytest.approx(values("step_steer", STEP, model)["lateral acceleration"]) for model in models]
    assert [run is STEP for run in read] == [False, True, False]


def test_names_of_the_sets() -> None:
    assert set(values("ramp_steer", RAMP, RAMP)) == {
        "steering-wheel angle",
        "sideslip angle",
        "roll angle",
        "lateral load transfer",
    }
    swept = {f"{what} {part}" for what in ("roll", "lateral acceleration", "yaw rate") for part in ("gain", "phase")}
    assert set(values("sine_sweep", SWEEP, SWEEP)) == swept
    assert set(values("braking", BRAKING, BRAKING)) == {"deceleration", "pitch angle", "front load", "rear load"}
    parts = ("overshoot", "response time", "steady-state gain")
    wanted = {f"{what}: {part}" for what in ("lateral acceleration", "yaw rate") for part in parts}
    wanted |= {"lateral acceleration", "yaw rate", "yaw rate: peak time"}  # the first creeps: it has no peak
    assert set(values("step_steer", STEP, STEP)) == wanted


def test_a_roll_angle_4_percent_too_large() -> None:
    found = values("ramp_steer", RAMP, changed(RAMP, "roll_rad", 1.04))
    assert found["roll angle"] == pytest.approx(4.0 / np.sqrt(3), rel=0.01)  # a straight line through the origin
    assert found["steering-wheel angle"] == 0.0


def test_a_gain_3_percent_too_large() -> None:
    found = values("step_steer", STEP, changed(STEP, "yaw_rate_radps", 1.03))
    assert found["yaw rate: steady-state gain"] == pytest.approx(3.0, rel=1e-9)
    assert found["yaw rate: overshoot"] == pytest.approx(0.0, abs=1e-9)
    assert 2.0 < found["yaw rate"] < 3.0
    swept = values("sine_sweep", SWEEP, changed(SWEEP, "roll_rad", 1.1))
    gains = indices("sine_sweep", SWEEP, SWEEP)[0].reference.y
    assert swept["roll gain"] == pytest.approx(10 * np.sqrt(np.mean(gains**2)) / gains.max(), rel=0.01)


def test_a_lag_is_in_the_phase_and_not_in_the_gain() -> None:
    """10 ms later are 2π f · 10 ms of phase, and 1 rad of phase is 100 %."""
    late = Run(
        {**SWEEP, "yaw_rate_radps": np.interp(SWEEP.time - 0.01, SWEEP.time, SWEEP["yaw_rate_radps"])}, SWEEP.metadata
    )
    found = values("sine_sweep", SWEEP, late)
    expected = 100 * 2 * np.pi * 0.01 * np.sqrt((0.2**2 + 0.2 * 4.0 + 4.0**2) / 3)
    assert found["yaw rate phase"] == pytest.approx(expected, rel=0.02)
    assert found["yaw rate gain"] < 0.5
    assert found["roll phase"] == 0.0


def test_the_floor_of_an_overshoot() -> None:
    index = next(i for i in indices("step_steer", STEP, STEP) if i.name == "lateral acceleration: overshoot")
    assert index.scalar is not None
    assert index.scalar.reference < FLOORS["overshoot"]
    time = STEP.time
    bump = STEP["ay_mps2"] * (1 + 0.02 * np.exp(-(((time - 2.2) / 0.2) ** 2)))
    found = values("step_steer", STEP, Run({**STEP, "ay_mps2": bump}))
    assert found["lateral acceleration: overshoot"] == pytest.approx(100 * 0.02 / FLOORS["overshoot"], rel=0.01)


def test_a_model_that_gives_up_early_is_said_to_cover_less() -> None:
    short = RAMP.slice(0.0, 5.0)
    assert all(index.coverage < 0.6 for index in indices("ramp_steer", RAMP, short))


def test_braking_starts_the_clock_and_ends_at_standstill() -> None:
    later = Run({**BRAKING, "time_s": BRAKING.time + 3.0})
    assert max(values("braking", BRAKING, later).values()) == pytest.approx(0.0, abs=1e-6)
    index = indices("braking", BRAKING, BRAKING)[0]
    assert index.reference.x[0] == 0.0
    assert index.reference.x[-1] == pytest.approx(6.0, abs=0.03)


def test_acceleration_and_the_other_sets_have_curves() -> None:
    time = np.arange(0.0, 5.0, 0.01)
    wave = np.sin(time)
    released = {"phases": [{"name": "throttle released", "start_s": 1.0, "end_s": 5.0, "ended": ""}]}
    run = run_from(
        time,
        released,
        vx=20 + wave,
        pitch=0.01 * wave,
        ay=wave,
        yaw_rate=wave,
        roll=wave,
        sideslip=wave,
        steering_wheel_angle=wave,
        brake=np.where(time > 1.0, 0.3, 0.0),
        x=20 * time,
    )
    posts = FourPost(duration_s=4.0)
    run = Run({**run}, {**run.metadata, "settings": posts.values()})
    for name in set(INDEX_SETS) - set(RUNS):
        assert set(values(name, run, run).values()) == {0.0}, name


def test_a_manoeuvre_without_indices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'step_steer'"):
        indices("step_ster", STEP, STEP)

"""Scripts number by number, from records that are written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.manoeuvres.controls import (
    FollowPath,
    HoldSpeed,
    HoldSteering,
    HoldThrottle,
    Pedals,
    PressBrake,
    SteerBy,
    SteerTo,
    straight_ahead,
)
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, NEUTRAL, Manoeuvre, PedalLaw, Phase, Start, SteeringLaw
from trackrod.manoeuvres.paths import Path
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.simulate.script import LEAD, can_be_scripted, scripted

STEP = 0.01
N = round(LEAD / STEP)


@dataclass(frozen=True, kw_only=True)
class Planned(Manoeuvre):
    name: ClassVar[str] = "planned"
    title: ClassVar[str] = "for tests"

    def start(self) -> Start:
        return START

    def phases(self) -> tuple[Phase, ...]:
        return PHASES

    def grade(self) -> float:
        return GRADE


START, GRADE = Start(20.0), 0.0
PHASES: tuple[Phase, ...] = ()


def plan(monkeypatch: pytest.MonkeyPatch, *phases: Phase, start: Start | None = None, grade: float = 0.0) -> Planned:
    here = globals()
    monkeypatch.setitem(here, "PHASES", phases)
    monkeypatch.setitem(here, "START", start or Start(20.0))
    monkeypatch.setitem(here, "GRADE", grade)
    return Planned()


def record(phases: list[dict[str, Plain]] | None, seconds: float = 3.0, begin: float = 0.0, **other: Plain) -> Run:
    """Twenty samples a second: the steering wheel at 0.1 t, throttle 0.3 + 0.1 t, brake 0.05 t, in third gear."""
    t = np.arange(round(seconds / 0.05) + 1) * 0.05
    columns = {
        signals.TIME: begin + t, signals.STEERING_WHEEL_ANGLE: 0.1 * t, signals.THROTTLE: 0.3 + 0.1 * t,
        signals.BRAKE: 0.05 * t, signals.GEAR: np.full(t.size, 3.0), signals.VX: 20.0 + t, signals.YAW_RATE: 0.2 * t,
        signals.ROLL: 0.01 * t,
    }  # fmt: skip
    return Run(columns, {**({} if phases is None else {"phases": phases}), **other})


def phase(pedals: PedalLaw, steering: SteeringLaw = straight_ahead, **other: int) -> Phase:
    return Phase("one", steering, pedals, (After(9.0),), **other)


TWO: list[dict[str, Plain]] = [{"start_s": 0.0, "end_s": 0.5}, {"start_s": 0.5, "end_s": 2.0}]
AHEAD = STEP * np.arange(1, 151)  # of the second phase


def test_before_it_rolls_straight_ahead_at_its_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = scripted(plan(monkeypatch, phase(HoldSpeed(20.0))), record(None), step=STEP)
    assert (made.speed, made.gear, made.throttle, made.lead, made.every) == (20.0, 3, 0.3, N, 5)
    assert made.controls.shape == (N + 300, 5)
    assert made.controls[: made.lead] == pytest.approx(np.tile([0.0, 0.0, 0.0, 3.0, 20.0], (N, 1)))


@pytest.mark.parametrize(("free", "pedal"), [(True, 0.0), (False, 1.0)])
def test_before_it_stands_on_its_brake(monkeypatch: pytest.MonkeyPatch, free: bool, pedal: float) -> None:
    start = Start(0.0, free=free)
    made = scripted(plan(monkeypatch, phase(HoldThrottle()), start=start), record(None), step=STEP)
    expected = np.tile([0.0, 0.0, pedal, NEUTRAL, np.nan], (N, 1))
    np.testing.assert_array_equal(made.controls[: made.lead], expected)


def second(monkeypatch: pytest.MonkeyPatch, other: Phase) -> np.ndarray:
    """Rows of a phase that begins at 0.5 s of the record."""
    made = scripted(plan(monkeypatch, phase(HoldSpeed(20.0)), other), record(TWO), step=STEP)
    assert len(made.controls) == N + 50 + 150
    return made.controls[made.lead + 50 :]


def test_a_speed_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = second(monkeypatch, phase(HoldSpeed(22.0, rate=1.5), SteerTo(-0.1, 0.4)))
    assert rows[:, 0] == pytest.approx(np.maximum(0.05 - 0.4 * AHEAD, -0.1))  # from where the wheel was then
    assert np.isnan(rows[:, 1]).all()
    assert not rows[:, 2].any()
    assert (rows[:, 3] == 3.0).all()
    assert rows[:, 4] == pytest.approx(22.0 + 1.5 * AHEAD)


def test_a_throttle_that_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = second(monkeypatch, phase(HoldThrottle(), HoldSteering(), gear=2))
    assert rows[:, 0] == pytest.approx(0.05)
    assert np.isnan(rows[:, [1, 4]]).all()
    assert not rows[:, 2].any()
    assert (rows[:, 3] == 2.0).all()


def test_pedals_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    pedals = Pedals(throttle=lambda t: 0.2 * t, brake=lambda t: 0.1 * t)
    rows = second(monkeypatch, phase(pedals, SteerBy(lambda t: 0.3 * t), gear=NEUTRAL))
    assert rows[:, :3] == pytest.approx(np.column_stack((0.3 * AHEAD, 0.2 * AHEAD, 0.1 * AHEAD)))
    assert (rows[:, 3] == NEUTRAL).all()
    assert np.isnan(rows[:, 4]).all()
    pressed = second(monkeypatch, phase(PressBrake(0.4, 0.5)))  # from 0.025
    assert pressed[:, 2] == pytest.approx(0.025 + 0.375 * np.minimum(AHEAD / 0.5, 1.0))


def test_gears_are_those_of_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Second to third between 0.75 and 0.8 s, neutral from between 1.25 and 1.3 s on; before 0.5 s another phase."""
    bare = record(TWO)
    gears = np.select([bare.time < 0.78, bare.time < 1.28], [2.0, 3.0], 0.0)
    run = Run({**bare, signals.GEAR.column: gears}, bare.metadata)
    chosen = plan(monkeypatch, phase(HoldSpeed(20.0)), phase(HoldThrottle(), gear=AUTOMATIC))
    made = scripted(chosen, run, step=STEP)
    expected = np.select([AHEAD < 0.276, AHEAD < 0.776], [2.0, 3.0], NEUTRAL)
    np.testing.assert_array_equal(made.controls[made.lead + 50 :, 3], expected)
    own = scripted(chosen, run, step=STEP, own_gears=True)
    assert not own.controls[own.lead + 50 :, 3].any()
    named = plan(monkeypatch, phase(HoldSpeed(20.0)), phase(HoldThrottle(), gear=5))
    assert (scripted(named, run, step=STEP).controls[N + 50 :, 3] == 5.0).all()


def test_a_guide_is_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the lead its first sample; then speed, yaw rate and roll angle at the ends of the steps."""
    made = scripted(plan(monkeypatch, phase(HoldSpeed(20.0))), record(None, begin=7.0), step=STEP)
    assert made.guide is not None
    t = np.maximum(STEP * (np.arange(len(made.controls)) + 1 - N), 0.0)
    assert made.guide == pytest.approx(np.column_stack((20.0 + t, 0.2 * t, 0.01 * t)))
    bare = record(None)
    without = Run({name: bare[name] for name in bare if name != signals.ROLL.column})
    assert scripted(plan(monkeypatch, phase(HoldSpeed(20.0))), without, step=STEP).guide is None


def test_phases_that_took_no_time_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    none: list[dict[str, Plain]] = [{"start_s": 0.0, "end_s": 0.0}, {"start_s": 0.0, "end_s": 1.0}]
    made = scripted(plan(monkeypatch, phase(HoldThrottle()), phase(HoldSpeed(9.0))), record(none), step=STEP)
    assert made.controls[made.lead :, 4] == pytest.approx(np.full(100, 9.0))


def test_what_the_record_says_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = record(TWO, manoeuvre="planned", settings={"a": 1.0}, vehicle="other")
    made = scripted(plan(monkeypatch, phase(HoldSpeed(20.0)), phase(HoldSpeed(20.0))), run, step=STEP)
    assert set(made.metadata) == {"manoeuvre", "settings", "phases"}
    with pytest.raises(InputError, match="no whole number of steps"):
        scripted(plan(monkeypatch, phase(HoldSpeed(20.0))), record(None), step=0.003)


def test_what_can_be_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    follow = FollowPath(Path(np.array([0.0, 9.0]), np.zeros(2)), 0.5, 1.0)
    assert can_be_scripted(plan(monkeypatch, phase(HoldSpeed(20.0))))
    assert not can_be_scripted(plan(monkeypatch, phase(HoldSpeed(20.0, brakes=False))))
    assert not can_be_scripted(plan(monkeypatch, phase(HoldSpeed(20.0)), phase(HoldSpeed(20.0), follow)))
    assert not can_be_scripted(plan(monkeypatch, phase(HoldSpeed(20.0)), grade=0.1))
    assert not can_be_scripted(RandomRoad())

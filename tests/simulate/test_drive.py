"""The loop of driving, on a model so simple that its answers are known: a point with steering and pedals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError, InputError, RangeError
from trackrod.core.series import Run
from trackrod.manoeuvres.controls import HoldSpeed, Pedals, SteerBy, SteerTo, straight_ahead
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.ends import Above, After
from trackrod.manoeuvres.longitudinal import Acceleration, Braking
from trackrod.manoeuvres.manoeuvre import Manoeuvre, Phase, Start
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.manoeuvres.settings import kmh
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import StepSteer
from trackrod.simulate.batch import Job, simulate_many
from trackrod.simulate.drive import drive, require_settled, simulate

G = 9.80665
LOADS, SLIPS = signals.FZ.signals, signals.SLIP_RATIO.signals


class Point:
    """Yaw rate follows v·δ/30 m with a lag; acceleration is 4·throttle − 12·brake − 0.3 m/s², roll is a_y/100."""

    LAG, BASE = 0.1, 30.0

    def __init__(self, step: float = 1e-2, drift: float = 0.0) -> None:
        self.step = step
        self.drift = drift
        self.fail_after = self.largest_rate = np.inf
        self.roll_per_ay = 0.01
        wheels = [SimpleNamespace(corner=c, centre=(1.0, 0.5, 0.0), tyres=(None,)) for c in Corner]
        self.vehicle: Any = SimpleNamespace(name="point", wheels=wheels)
        self.heights: list[np.ndarray] = []
        self.gear = 1
        self.settle()

    def tilt(self, grade: float) -> None:
        self.grade = grade

    def set_friction(self, factors: Any) -> None:
        self.friction = factors

    def settle(self) -> object:
        self.t = self.x = self.y = self.yaw = self.rate = self.v = 0.0
        return None

    def start(self, speed: float, gear: int | None = None) -> None:
        self.v, self.gear = speed, gear or 3

    def advance_rows(self, controls: Any, every: int, road_heights: Any = None) -> np.ndarray:
        if road_heights is not None:
            self.heights.append(np.array(road_heights))
        rows = []
        for k, (angle, gas, pedal, _) in enumerate(controls):
            self.t += self.step
            if self.t > self.fail_after:
                raise ConvergenceError("no solution")
            wanted = min(self.v * (angle + self.drift) / self.BASE, self.largest_rate)
            self.rate += self.step / self.LAG * (wanted - self.rate)
            a = 4.0 * gas - 12.0 * pedal - 0.3 if self.v > 0 or gas else 0.0
            self.v = max(self.v + self.step * a, 0.0)
            self.yaw += self.step * self.rate
            self.x += self.step * self.v * np.cos(self.yaw)
            self.y += self.step * self.v * np.sin(self.yaw)
            if (k + 1) % every == 0:
                rows.append((self.t, angle, gas, pedal, self.x, self.y, self.yaw, self.v, a, self.rate))
        return np.array(rows)

    def columns(self, rows: np.ndarray) -> dict[Any, Any]:
        time, angle, gas, pedal, x, y, yaw, v, a, rate = rows.T
        ay, zero = v * rate, 0.0 * time
        columns: dict[Any, Any] = {
            signals.TIME: time, signals.STEERING_WHEEL_ANGLE: angle, signals.THROTTLE: gas, signals.BRAKE: pedal,
            signals.GEAR: zero + self.gear, signals.X: x, signals.Y: y, signals.Z: zero,
            signals.YAW: np.arctan2(np.sin(yaw), np.cos(yaw)),
            signals.ROLL: self.roll_per_ay * ay, signals.PITCH: zero, signals.VX: v, signals.VY: zero,
            signals.AX: a, signals.AY: ay, signals.YAW_RATE: rate, signals.ROLL_RATE: zero, signals.SIDESLIP: zero,
        }  # fmt: skip
        columns |= dict.fromkeys(LOADS, zero + 4000.0) | dict.fromkeys(SLIPS, -0.95 * (pedal > 0.5))
        return columns

    def reading(self, row: np.ndarray) -> Callable[[str], float]:
        values = {signal.column: float(value) for signal, value in self.columns(row).items()}
        return values.__getitem__

    def run(self, rows: np.ndarray) -> Run:
        return Run(self.columns(rows), {"vehicle": "point", "model": "test"})


@dataclass(frozen=True, kw_only=True)
class Turn(Manoeuvre):
    name: ClassVar[str] = "turn"
    title: ClassVar[str] = "for tests"

    def start(self) -> Start:
        return Start(20.0)

    def phases(self) -> tuple[Phase, ...]:
        hold = HoldSpeed(20.0)
        return (
            Phase("straight", straight_ahead, hold, (After(0.25),)),
            Phase("turn", SteerTo(0.5, 1e3), hold, (Above(signals.YAW_RATE, 0.3), After(20.0))),
            Phase("on", SteerBy(lambda t: np.full(t.size, 0.5)), hold, (After(21.0),)),
        )


def test_time_begins_with_the_manoeuvre_in_a_frame_of_its_own() -> None:
    """The vehicle drifts to the left while it settles; the run begins at the origin all the same."""
    model = Point(drift=0.01)
    run = simulate(model, Turn())
    assert run.time[0] == 0.0
    assert (run[signals.X][0], run[signals.Y][0], run[signals.YAW][0]) == (0.0, 0.0, 0.0)
    assert run[signals.VX][0] == pytest.approx(20.0, abs=0.03)
    assert np.diff(run.time) == pytest.approx(0.01, abs=1e-9)
    straight = run.time < 0.2
    assert run[signals.Y][straight] == pytest.approx(0.5 * 20.0**2 * 0.01 / 30 * run.time[straight] ** 2, abs=2e-3)


def test_phases_end_by_their_conditions() -> None:
    run = simulate(Point(), Turn())
    names = [(p["name"], p["ended"]) for p in run.metadata["phases"]]
    assert names == [("straight", "after 0.25 s"), ("turn", "|yaw_rate_radps| has reached 0.3"), ("on", "after 21 s")]
    # First-order lag of 0.1 s towards 20·0.5/30 rad/s: 0.3 rad/s is reached after −0.1·ln(1 − 0.9) s.
    reached = run.metadata["phases"][1]["end_s"]
    assert reached - 0.25 == pytest.approx(-0.1 * np.log(0.1), abs=0.021)
    assert run.metadata["completed"] is True
    assert run.metadata["events"] == ()
    assert run.time[-1] == pytest.approx(reached + 21.0)
    assert run[signals.YAW][-1] > 2 * np.pi  # without jumps


def test_same_run_every_time() -> None:
    assert simulate(Point(), Turn()) == simulate(Point(), Turn())


@pytest.mark.parametrize(("sample", "count"), [(0.001, 10), (0.005, 2), (0.01, 1)])
def test_fine_samples_agree_with_coarse_ones(sample: float, count: int) -> None:
    step = StepSteer(steering_wheel_angle_deg=10.0, hold_s=1.5)
    fine, coarse = (simulate(Point(1e-3), step, sample=period) for period in (sample, 0.05))
    assert np.diff(fine.time) == pytest.approx(sample, abs=1e-9)
    thinned = fine[signals.Y][:: count * 5]
    assert coarse[signals.Y] == pytest.approx(thinned[: coarse.time.size], abs=1e-12)


@pytest.mark.parametrize("sample", [0.0015, 0.004, 0.015, 0.0])
def test_sample_time_must_fit(sample: float) -> None:
    with pytest.raises(InputError, match="sample time"):
        simulate(Point(1e-3), Turn(), sample=sample)


def test_progress_is_reported() -> None:
    told: list[tuple[str, float]] = []
    simulate(Point(), Turn(), progress=lambda phase, time: told.append((phase, time)))
    assert {phase for phase, _ in told} == {"turn: settling", "turn: straight", "turn: turn", "turn: on"}


# what is found by driving -----------------------------------------------------------------------------------


def test_step_amplitude_is_found() -> None:
    """Steady a_y of the point is v²δ/30 m."""
    run = simulate(Point(), StepSteer(speed_kmh=90.0, target_ay_g=0.4, hold_s=2.0))
    expected = np.degrees(0.4 * G * Point.BASE / 25.0**2)
    assert run.metadata["settings"]["steering_wheel_angle_deg"] == pytest.approx(expected, rel=0.004)
    assert run[signals.AY][-100:].mean() == pytest.approx(0.4 * G, rel=0.004)


def test_given_amplitude_is_taken() -> None:
    run = simulate(Point(), StepSteer(steering_wheel_angle_deg=10.0, direction="right", hold_s=2.0))
    assert run[signals.STEERING_WHEEL_ANGLE].min() == pytest.approx(-np.radians(10.0))


def test_brake_pedal_is_found() -> None:
    run = simulate(Point(), Braking(speed_kmh=60.0, deceleration_g=0.3))
    assert run.metadata["settings"]["brake"] == pytest.approx((0.3 * G - 0.3) / 12.0, rel=0.01)
    assert run[signals.VX][-1] == 0.0


def test_what_was_driven_is_told() -> None:
    """The manoeuvre as it was driven gives another model exactly the same inputs."""
    wanted = StepSteer(speed_kmh=90.0, target_ay_g=0.4, hold_s=2.0)
    known, run = drive(Point(), wanted)
    assert known.values() == run.metadata["settings"]
    assert known == wanted.changed(steering_wheel_angle_deg=known.values()["steering_wheel_angle_deg"])
    assert known.values()["steering_wheel_angle_deg"] is not None
    again, other = drive(Point(), known)
    assert again is known
    assert (other[signals.STEERING_WHEEL_ANGLE] == run[signals.STEERING_WHEEL_ANGLE]).all()


def test_out_of_reach_is_said() -> None:
    with pytest.raises(ConvergenceError, match="out of reach"):
        simulate(Point(), Braking(speed_kmh=60.0, deceleration_g=1.2))
    model = Point()
    model.largest_rate = 0.1
    with pytest.raises(ConvergenceError, match="out of reach"):
        simulate(model, StepSteer(speed_kmh=100.0, target_ay_g=0.5))


# events -----------------------------------------------------------------------------------------------------


def only_event(run: Run) -> Any:
    [event] = run.metadata["events"]
    return event


def test_roll_over_is_an_event() -> None:
    model = Point()
    model.roll_per_ay = 0.2
    run = simulate(model, Turn())
    assert only_event(run)["event"] == "roll_over"
    assert run.metadata["completed"] is False
    assert run.time[-1] == pytest.approx(only_event(run)["time_s"])
    assert abs(run[signals.ROLL][-1]) > np.radians(45.0)


def test_no_solution_is_an_event_and_keeps_what_was_reached() -> None:
    model = Point()
    whole = simulate(model, Turn())
    settled = model.t - whole.time[-1]
    model.fail_after = settled + 2.0 + 1e-9
    run = simulate(model, Turn())
    assert only_event(run)["event"] == "no_solution"
    assert run.time[-1] == pytest.approx(2.0)
    assert np.array_equal(run[signals.Y], whole[signals.Y][: run.time.size])


def test_locked_wheels_are_an_event_that_does_not_end_the_run() -> None:
    run = simulate(Point(), Braking(speed_kmh=50.0, brake=0.8))
    assert only_event(run)["event"] == "wheel_lock"
    assert run.metadata["completed"] is True


def test_leaving_the_road_is_an_event() -> None:
    run = simulate(Point(), DoubleLaneChange(angle_per_curvature_radm=3.0))  # a driver who steers far too little
    assert only_event(run)["event"] == "off_road"
    good = simulate(Point(), DoubleLaneChange())
    assert good.metadata["completed"]
    assert good.metadata["settings"]["angle_per_curvature_radm"] == pytest.approx(Point.BASE, rel=0.1)


def test_speed_that_cannot_be_held_is_an_event() -> None:
    class Slow(Point):
        def advance_rows(self, *inputs: Any) -> np.ndarray:
            self.v = min(self.v, 20.0)
            return super().advance_rows(*inputs)

    run = simulate(Slow(), RampSteer(speed_kmh=100.0))
    assert only_event(run)["event"] == "not_settled"
    assert "km/h" in only_event(run)["text"]
    with pytest.raises(ConvergenceError, match=r"was not driven, because the vehicle did not settle: .*72\.1 km/h"):
        require_settled(run)


def test_a_run_that_was_driven_has_settled() -> None:
    model = Point()
    require_settled(simulate(model, Turn()))
    model.roll_per_ay = 0.2
    require_settled(simulate(model, Turn()))  # it rolls over, which is an answer


def test_end_of_acceleration_is_top_speed_or_the_wanted_one() -> None:
    class Limited(Point):
        def advance_rows(self, *inputs: Any) -> np.ndarray:
            rows = super().advance_rows(*inputs)
            self.v = min(self.v, 40.0)
            return rows

    run = simulate(Limited(), Acceleration())
    assert run.metadata["completed"]
    assert run[signals.VX].max() == pytest.approx(40.0, rel=0.01)
    assert simulate(Limited(), Acceleration(last_speed_kmh=100.0))[signals.VX][-1] == pytest.approx(kmh(100), rel=0.02)


# road -------------------------------------------------------------------------------------------------------


def test_road_heights_follow_the_wheels() -> None:
    model, manoeuvre = Point(), RandomRoad(speed_kmh=72.0, duration_s=3.0)
    run = simulate(model, manoeuvre)
    heights = np.concatenate(model.heights[1:])  # the first two steps of a run set everything to zero
    assert heights.shape == (300, 4)
    x = run[signals.X][-1] + 1.0
    road = manoeuvre.road().heights(Corner.FL, np.array([3.0]), np.array([x]))
    assert heights[-1, 0] == pytest.approx(road[0], abs=2e-4)
    assert np.abs(np.diff(heights, axis=0)).max() < 2e-2  # no jumps between blocks


# batches ----------------------------------------------------------------------------------------------------


def test_batch_gives_the_same_runs_in_order() -> None:
    manoeuvres = [StepSteer(steering_wheel_angle_deg=a, hold_s=1.5) for a in (5.0, 10.0, 15.0)]
    told: list[int] = []
    runs = simulate_many([Job(Point, m) for m in manoeuvres], threads=2, finished=told.append)
    assert told[-1] == 3
    for run, manoeuvre in zip(runs, manoeuvres, strict=True):
        assert run == simulate(Point(), manoeuvre)


def test_batch_stops_at_the_first_failure() -> None:
    def broken() -> Point:
        raise RangeError("no such vehicle")

    jobs = [Job(broken, Turn()), *(Job(Point, Turn()) for _ in range(20))]
    with pytest.raises(RangeError, match="no such vehicle"):
        simulate_many(jobs, threads=2)


def test_unused_controls_stay_at_rest() -> None:
    run = simulate(Point(), Turn())
    assert run[signals.BRAKE].max() < 0.01
    throttle, brake = Pedals().begin(None)(np.arange(3.0), None)  # type: ignore[arg-type]
    assert not throttle.any()
    assert not brake.any()

"""The amplitude of a step is found by the secant method: on vehicles whose steady state is written down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from manoeuvres.test_manoeuvre_phases import braked
from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.core.series import Run
from trackrod.manoeuvres.longitudinal import Braking, Clutch
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import StepSteer
from trackrod.manoeuvres.turning import BrakeInTurn, ThrottleOff

G = 9.80665


class Saturating:
    """A vehicle whose steady lateral acceleration is top·tanh(angle/scale) [g], [°]; a slow ramp reaches a bit more."""

    def __init__(self, top: float = 1.0, scale: float = 60.0, ramp: float = 1.0, completed: bool = True) -> None:
        self.top, self.scale, self.ramp, self.completed = top, scale, ramp, completed
        self.steps: list[StepSteer] = []
        self.ramps: list[RampSteer] = []

    def steady(self, angle: float) -> float:
        return self.top * float(np.tanh(angle / self.scale))

    def __call__(self, made: Manoeuvre) -> Run:
        if isinstance(made, RampSteer):
            self.ramps.append(made)
            time = np.arange(0.0, 30.0, 0.01)
            angle = made.rate_degps * time
            ay = self.ramp * self.top * np.tanh(angle / self.scale) * G
        else:
            assert isinstance(made, StepSteer)
            assert made.steering_wheel_angle_deg is not None
            self.steps.append(made)
            time = np.arange(0.0, 4.0, 0.01)
            angle = np.full(time.size, made.steering_wheel_angle_deg)
            # it overshoots by half before the last second, and to the right it is negative
            ay = np.where(time < 2.985, 1.5, 1.0) * self.steady(made.steering_wheel_angle_deg) * G * made.direction.sign
        columns = {signals.TIME: time, signals.STEERING_WHEEL_ANGLE: np.radians(angle), signals.AY: ay}
        events = [] if self.completed else [{"text": "it rolls over"}]
        return Run(columns, {"completed": self.completed, "events": events, "phases": [{"ended": "stalled"}]})


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("target", [0.2, 0.5, 0.8])
def test_the_target_is_reached_in_few_steps(target: float, direction: str) -> None:
    car = Saturating(ramp=1.3)  # the ramp promises too much: the first step is too small
    made = StepSteer(speed_kmh=90.0, target_ay_g=target, direction=direction, gear=3).prepare(car)
    assert made.steering_wheel_angle_deg is not None
    assert car.steady(made.steering_wheel_angle_deg) == pytest.approx(target, rel=0.003)
    assert len(car.steps) <= 5
    assert [(r.speed_kmh, r.target_ay_g, r.gear) for r in car.ramps] == [(90.0, target, 3)]
    assert {(s.speed_kmh, s.gear, s.direction) for s in car.steps} == {(90.0, 3, made.direction)}


def test_the_second_step_lies_on_the_line_from_rest() -> None:
    car = Saturating(ramp=1.3)
    StepSteer(target_ay_g=0.5).prepare(car)
    first, second, third = (step.steering_wheel_angle_deg or 0.0 for step in car.steps[:3])
    assert first == pytest.approx(60.0 * np.arctanh(0.5 / 1.3), rel=1e-4)
    reached = car.steady(first)
    assert second == pytest.approx(first * 0.5 / reached, rel=1e-9)
    slope = (car.steady(second) - reached) / (second - first)
    assert third == pytest.approx(second + (0.5 - car.steady(second)) / slope, rel=1e-9)


def test_a_step_grows_by_half_at_most() -> None:
    car = Saturating(ramp=3.0)
    StepSteer(target_ay_g=0.5).prepare(car)
    first, second = (step.steering_wheel_angle_deg or 0.0 for step in car.steps[:2])
    assert second == pytest.approx(1.5 * first)
    weak = Saturating(ramp=0.55, top=1.0)
    StepSteer(target_ay_g=0.5).prepare(weak)
    first, second = (step.steering_wheel_angle_deg or 0.0 for step in weak.steps[:2])
    assert second == pytest.approx(first * max(0.5, 0.5 / weak.steady(first)))


def test_what_cannot_be_reached_is_told() -> None:
    with pytest.raises(ConvergenceError, match=r"no step at 100 km/h has a steady lateral acceleration of 0\.9 g"):
        StepSteer(target_ay_g=0.9).prepare(Saturating(top=0.8, ramp=1.3))
    with pytest.raises(ConvergenceError, match=r"no steady state: it rolls over"):
        StepSteer(target_ay_g=0.4).prepare(Saturating(completed=False))


@pytest.mark.parametrize("kind", [BrakeInTurn, ThrottleOff])
def test_a_turn_takes_the_angle_of_a_step_at_its_speed(kind: Callable[..., BrakeInTurn | ThrottleOff]) -> None:
    car = Saturating()
    more = {"brake": 0.2} if kind is BrakeInTurn else {}
    made = kind(radius_m=50.0, target_ay_g=0.3, **more).prepare(car)
    assert made.steering_wheel_angle_deg is not None
    assert car.steady(made.steering_wheel_angle_deg) == pytest.approx(0.3, rel=0.003)
    speed = 3.6 * np.sqrt(0.3 * G * 50.0)
    assert [(r.speed_kmh, r.target_ay_g) for r in car.ramps] == [(pytest.approx(speed), 0.3)]
    assert {step.rate_degps for step in car.steps} == {60.0}


def test_braking_in_a_turn_takes_the_pedal_of_braking_straight_ahead() -> None:
    car, brakes = Saturating(), braked(2.0)
    asked: list[Braking] = []

    def drive(made: Manoeuvre) -> Run:
        if isinstance(made, Braking):
            asked.append(made)
            return brakes(made)
        return car(made)

    made = BrakeInTurn(radius_m=50.0, target_ay_g=0.3, deceleration_g=0.25, clutch=Clutch.ENGAGED).prepare(drive)
    assert made.brake == pytest.approx(0.25 * G / 12.0, rel=0.006)
    assert car.steady(made.steering_wheel_angle_deg or 0.0) == pytest.approx(0.3, rel=0.003)
    assert {b.clutch for b in asked} == {Clutch.ENGAGED}
    assert [b.speed_kmh for b in asked] == pytest.approx([3.6 * np.sqrt(0.3 * G * 50.0)] * len(asked))
    known = BrakeInTurn(radius_m=50.0, target_ay_g=0.3, brake=0.1, steering_wheel_angle_deg=30.0)
    assert known.prepare(drive) == known

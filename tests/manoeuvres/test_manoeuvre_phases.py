"""What each manoeuvre drives, phase by phase, worked out by hand from settings that are all different."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from math import pi, radians, sin, sqrt

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.core.series import Run
from trackrod.manoeuvres.controls import (
    FollowPath,
    HoldSpeed,
    HoldSteering,
    HoldThrottle,
    Pedals,
    PressBrake,
    SteerTo,
    straight_ahead,
)
from trackrod.manoeuvres.courses import DoubleLaneChange, ObstacleAvoidance, Slalom
from trackrod.manoeuvres.ends import Above, After, Below, Stalled, Steady
from trackrod.manoeuvres.longitudinal import Acceleration, Braking, Clutch, CoastDown, brake_pedal
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, KEEP_GEAR, NEUTRAL, Manoeuvre, Phase, Sample
from trackrod.manoeuvres.roads import RandomRoad, RoadClass
from trackrod.manoeuvres.steady_turn import Propulsion, RampSteer, curvature_gain, quasi_static_angle
from trackrod.manoeuvres.steering import Fishhook, JTurn, Pulse, SineSweep, SineWithDwell, SingleSine, StepSteer
from trackrod.manoeuvres.turning import BrakeInTurn, ConstantRadius, ThrottleOff

G = 9.80665


def alike(found: object, expected: object) -> bool:
    """Whether two laws or ends are the same, numbers to rounding."""
    if dataclasses.is_dataclass(expected) and type(found) is type(expected):
        fields = [field.name for field in dataclasses.fields(expected)]
        return all(alike(getattr(found, name), getattr(expected, name)) for name in fields)
    if isinstance(expected, float) or isinstance(found, float):
        return found == pytest.approx(expected, rel=1e-7, abs=1e-12)
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return len(found) == len(expected) and all(map(alike, found, expected))
    return bool(found == expected)


def check(
    phase: Phase,
    name: str,
    pedals: object,
    *ends: object,
    steering: object = straight_ahead,
    longest: float = 600.0,
    gear: int = KEEP_GEAR,
    blind: int = 1,
) -> None:
    """The phase is this one; a law or an end that is None was looked at elsewhere."""
    assert phase.name == name
    assert pedals is None or alike(phase.pedals, pedals), phase.pedals
    assert steering is None or alike(phase.steering, steering), phase.steering
    assert alike(phase.ends, ends), phase.ends
    assert (phase.longest, phase.gear, phase.blind) == (longest, gear, blind)


def steering_at(phase: Phase, times: list[float]) -> np.ndarray:
    """Steering-wheel angles at times since the beginning of a phase, straight ahead before [°]."""
    now = Sample(0.0, {signals.STEERING_WHEEL_ANGLE.column: 0.0})
    return np.degrees(phase.steering.begin(now)(np.array(times), now))


# steering ---------------------------------------------------------------------------------------------------


def test_ramp_steer() -> None:
    made = RampSteer(
        speed_kmh=72.0, rate_degps=4.0, target_ay_g=0.5, largest_angle_deg=90.0, direction="right", delay_s=0.7, gear=3
    )
    assert (made.start().speed, made.start().gear) == (pytest.approx(20.0), 3)
    straight, ramp = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(
        ramp, "ramp", HoldSpeed(20.0), Above(signals.AY, 0.5 * G), Stalled(signals.AY, 0.02, 1.5),
        Above(signals.STEERING_WHEEL_ANGLE, pi / 2), Below(signals.VX, 19.0),
        steering=SteerTo(-pi / 2, radians(4.0)),
    )  # fmt: skip
    # the largest angle is reached exactly, not approached for ever
    assert Above(signals.STEERING_WHEEL_ANGLE, pi / 2).limit > ramp.ends[2].limit  # type: ignore[attr-defined]
    assert len(RampSteer().phases()[1].ends) == 3  # without a target


@pytest.mark.parametrize(("propulsion", "pedals"), [("speed", HoldSpeed(20.0)), ("throttle", HoldThrottle())])
def test_step_steer(propulsion: str, pedals: object) -> None:
    made = StepSteer(
        speed_kmh=72.0, steering_wheel_angle_deg=30.0, rate_degps=400.0, direction="right",
        propulsion=Propulsion(propulsion), delay_s=0.7, hold_s=3.0, gear=4,
    )  # fmt: skip
    assert (made.start().speed, made.start().gear) == (pytest.approx(20.0), 4)
    straight, step = made.phases()
    check(straight, "straight", pedals, After(0.7))
    check(step, "step", pedals, After(3.0), steering=SteerTo(-radians(30.0), radians(400.0)))


def test_sine_sweep() -> None:
    made = SineSweep(
        speed_kmh=72.0, steering_wheel_angle_deg=20.0, first_frequency_Hz=0.5, last_frequency_Hz=0.5, duration_s=8.0,
        delay_s=0.7, gear=2,
    )  # fmt: skip
    assert (made.start().speed, made.start().gear) == (pytest.approx(20.0), 2)
    straight, sweep, again = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(sweep, "sweep", HoldSpeed(20.0), After(8.0), steering=None)
    check(again, "straight again", HoldSpeed(20.0), After(1.0), steering=SteerTo(0.0, radians(500.0)))
    # the amplitude grows over the first second
    expected = [0.25 * 20.0 * sin(pi * 0.25), 0.5 * 20.0, 0.0, 20.0 * sin(pi * 1.25), -20.0]
    assert steering_at(sweep, [0.25, 0.5, 1.0, 1.25, 1.5]) == pytest.approx(expected)


def test_single_sine() -> None:
    made = SingleSine(
        speed_kmh=72.0, steering_wheel_angle_deg=20.0, frequency_Hz=0.4, direction="right", delay_s=0.7, after_s=2.0
    )
    assert made.start().speed == pytest.approx(20.0)
    straight, sine = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(sine, "sine", HoldSpeed(20.0), After(4.5), steering=None)
    times = [0.3, 0.625, 1.875, 2.4, 2.6, 4.0]
    expected = [-20.0 * sin(0.8 * pi * t) if t < 2.5 else 0.0 for t in times]
    assert steering_at(sine, times) == pytest.approx(expected)


def test_pulse() -> None:
    made = Pulse(speed_kmh=72.0, steering_wheel_angle_deg=20.0, width_s=0.6, direction="left", delay_s=0.7, after_s=2.0)
    assert made.start().speed == pytest.approx(20.0)
    straight, pulse = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(pulse, "pulse", HoldSpeed(20.0), After(2.6), steering=None)
    assert steering_at(pulse, [0.15, 0.3, 0.4, 0.7]) == pytest.approx([10.0, 20.0, 40.0 / 3.0, 0.0])


def test_sine_with_dwell() -> None:
    made = SineWithDwell(
        speed_kmh=72.0, steering_wheel_angle_deg=20.0, frequency_Hz=0.5, dwell_s=0.3, direction="right", delay_s=0.7,
        after_s=3.0,
    )  # fmt: skip
    assert made.start().speed == pytest.approx(20.0)
    straight, sine = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(sine, "sine with dwell", Pedals(), After(5.3), steering=None)
    times = [0.4, 1.5, 1.7, 1.8, 2.0, 2.25, 2.35]
    expected = [-20.0 * sin(0.4 * pi), 20.0, 20.0, 20.0, -20.0 * sin(1.7 * pi), -20.0 * sin(1.95 * pi), 0.0]
    assert steering_at(sine, times) == pytest.approx(expected, abs=1e-9)


def test_j_turn() -> None:
    made = JTurn(
        speed_kmh=72.0, steering_wheel_angle_deg=200.0, rate_degps=900.0, direction="right", delay_s=0.7, hold_s=3.0
    )
    assert made.start().speed == pytest.approx(20.0)
    straight, turn = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(turn, "turn", Pedals(), After(3.0), steering=SteerTo(-radians(200.0), radians(900.0)))


def test_fishhook() -> None:
    made = Fishhook(
        speed_kmh=72.0, steering_wheel_angle_deg=180.0, rate_degps=720.0, roll_rate_degps=2.0, direction="right",
        delay_s=0.7, hold_s=2.0, return_s=4.0,
    )  # fmt: skip
    assert made.start().speed == pytest.approx(20.0)
    straight, first, dwell, second, back = made.phases()
    check(straight, "straight", HoldSpeed(20.0), After(0.7))
    check(first, "first turn", Pedals(), After(0.25), steering=SteerTo(-pi, 4 * pi))
    ends = Below(signals.ROLL_RATE, radians(2.0)), After(1.5)
    check(dwell, "dwell", Pedals(), *ends, steering=HoldSteering())
    check(second, "second turn", Pedals(), After(2.5), steering=SteerTo(pi, 4 * pi))
    check(back, "back", HoldThrottle(), After(5.0), steering=SteerTo(0.0, pi / 4))


# turning ----------------------------------------------------------------------------------------------------


def test_constant_radius() -> None:
    made = ConstantRadius(
        radius_m=60.0, first_speed_kmh=36.0, target_ay_g=0.5, rate_kmhps=1.8, direction="right", preview_s=0.8,
        angle_per_curvature_radm=40.0, half_width_m=2.0,
    )  # fmt: skip
    assert made.start().speed == pytest.approx(10.0)
    onto, growing = made.phases()
    check(onto, "onto the circle", HoldSpeed(10.0), After(5.5), steering=None)
    ends = Above(signals.AY, 0.5 * G), Stalled(signals.VX, 0.2, 5.0)
    check(growing, "growing speed", HoldSpeed(10.0, 0.5), *ends, steering=None, gear=AUTOMATIC)
    for phase in (onto, growing):
        law = phase.steering
        assert isinstance(law, FollowPath)
        assert (law.preview, law.angle_per_curvature) == (0.8, 40.0)
    corridor = made.corridor()
    assert corridor.half_width == 2.0
    # 10 m straight ahead, 30 m of growing curvature, 12 times round to the right
    assert corridor.path.length[-1] == pytest.approx(40.0 + 12 * 2 * pi * 60.0, rel=1e-4)
    x, y = corridor.path.x, corridor.path.y
    assert np.abs(y[corridor.path.length <= 10.0]).max() < 1e-9
    assert y.min() == pytest.approx(-2 * 60.0 - 30.0**2 / (24 * 60.0), abs=0.05)
    assert 0.5 * (x.max() + x.min()) == pytest.approx(25.0, abs=0.2)  # half the transition lies before the circle


def test_braking_in_a_turn() -> None:
    made = BrakeInTurn(
        radius_m=50.0, target_ay_g=0.3, steering_wheel_angle_deg=40.0, direction="right", brake=0.25, rise_s=0.3,
        clutch=Clutch.ENGAGED,
    )  # fmt: skip
    speed = sqrt(0.3 * G * 50.0)
    assert made.speed == made.start().speed == pytest.approx(speed)
    straight, turn, braking = made.phases()
    check(straight, "straight", HoldSpeed(speed), After(0.5))
    steady = Steady({signals.YAW_RATE: 0.004, signals.AY: 0.08, signals.ROLL: 0.002, signals.VX: 0.1}, 1.0)
    check(turn, "into the turn", HoldSpeed(speed), steady, steering=SteerTo(-radians(40.0), pi / 3), longest=20.0)
    check(
        braking, "braking", PressBrake(0.25, 0.3), Below(signals.VX, 0.1 * speed), steering=HoldSteering(),
        longest=60.0, gear=KEEP_GEAR,
    )  # fmt: skip
    assert dataclasses.replace(made, clutch=Clutch.DISENGAGED).phases()[2].gear == NEUTRAL


def test_throttle_off() -> None:
    made = ThrottleOff(radius_m=50.0, target_ay_g=0.3, steering_wheel_angle_deg=40.0, after_s=2.0)
    *_, released = made.phases()
    check(released, "throttle released", Pedals(), After(2.0), steering=HoldSteering())
    assert made.phases()[1].steering.angle == pytest.approx(radians(40.0))  # type: ignore[attr-defined]


# straight ahead ---------------------------------------------------------------------------------------------


def test_acceleration() -> None:
    made = Acceleration(
        first_speed_kmh=36.0, last_speed_kmh=72.0, throttle=0.8, rise_s=0.4, delay_s=0.7, longest_s=50.0
    )
    assert made.start().speed == pytest.approx(10.0)
    before, faster = made.phases()
    check(before, "constant speed", HoldSpeed(10.0), After(0.7))
    ends = Above(signals.VX, 20.0), Stalled(signals.VX, 0.07, 5.0)
    check(faster, "acceleration", None, *ends, longest=50.0, gear=AUTOMATIC, blind=10)
    now = Sample(0.0, {})
    throttle, brake = faster.pedals.begin(now)(np.array([0.1, 0.4, 1.0]), now)
    assert throttle == pytest.approx([0.2, 0.8, 0.8])
    assert not brake.any()
    assert len(Acceleration().phases()[1].ends) == 1  # to top speed
    at_once, _ = Acceleration(rise_s=0.0).phases()[1].pedals.begin(now)(np.array([1e-3]), now)
    assert at_once == pytest.approx([1.0])


def test_braking() -> None:
    made = Braking(speed_kmh=72.0, brake=0.3, rise_s=0.4, delay_s=0.7, after_s=1.5)
    assert made.start().speed == pytest.approx(20.0)
    before, braking, standing = made.phases()
    check(before, "constant speed", HoldSpeed(20.0), After(0.7))
    check(braking, "braking", PressBrake(0.3, 0.4), Below(signals.VX, 0.05), longest=120.0, gear=NEUTRAL)
    check(standing, "standing", PressBrake(0.3, 0.0), After(1.5), gear=NEUTRAL)


def test_coast_down() -> None:
    made = CoastDown(first_speed_kmh=108.0, last_speed_kmh=72.0, delay_s=0.7)
    assert made.start().speed == pytest.approx(30.0)
    before, coasting = made.phases()
    check(before, "constant speed", HoldSpeed(30.0), After(0.7))
    check(coasting, "coasting", Pedals(), Below(signals.VX, 20.0), gear=NEUTRAL, blind=10)


def test_random_road() -> None:
    made = RandomRoad(speed_kmh=108.0, road_class=RoadClass.C, duration_s=7.0, seed=5)
    assert made.start().speed == pytest.approx(30.0)
    (only,) = made.phases()
    check(only, "random road", HoldSpeed(30.0), After(7.0))
    road = made.road()
    assert (road.roughness, road.seed, road.rise) == (pytest.approx(256e-6), 5, pytest.approx(15.0))
    assert RandomRoad(speed_kmh=36.0).road().rise == 10.0


# courses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("course", "end", "pedals"),
    [
        (DoubleLaneChange, 15.0 + 125.0, HoldSpeed(30.0, brakes=False)),
        (ObstacleAvoidance, 15.0 + 61.0, Pedals()),
        (Slalom, 15.0 + 18.0 * 10, HoldSpeed(30.0, brakes=False)),
    ],
)
def test_courses(course: type[Manoeuvre], end: float, pedals: object) -> None:
    made = course(speed_kmh=108.0, preview_s=0.7, angle_per_curvature_radm=40.0, half_width_m=2.0)  # type: ignore[call-arg]
    assert made.start().speed == pytest.approx(30.0)
    run_up, on_course, behind = made.phases()
    check(run_up, "run-up", HoldSpeed(30.0), Above(signals.X, 7.5))
    check(on_course, "course", pedals, Above(signals.X, end), steering=None, longest=120.0)
    check(behind, "behind it", pedals, After(1.0), steering=None)
    for phase in (on_course, behind):
        law = phase.steering
        assert isinstance(law, FollowPath)
        assert (law.preview, law.angle_per_curvature) == (0.7, 40.0)
        assert law.path.x[0] == law.path.y[0] == 0.0
    corridor = made.corridor()
    assert corridor is not None
    assert corridor.half_width == 2.0


def y_at(made: DoubleLaneChange | ObstacleAvoidance | Slalom, x: list[float]) -> np.ndarray:
    path = made.path()
    return np.interp(x, path.x, path.y)


def test_lanes_lie_where_the_standards_have_them() -> None:
    """At 72 km/h the course begins after 10 m."""
    first = y_at(DoubleLaneChange(speed_kmh=72.0), [10.0, 25.0, 40.0, 55.0, 80.0, 92.5, 105.0, 135.0])
    assert first == pytest.approx([0.0, 0.0, 1.75, 3.5, 3.5, 1.75, 0.0, 0.0], abs=1e-9)
    width = 2.0
    offset = (1.1 * width + 0.25) / 2 + 1.0 + (width + 1.0) / 2
    made = ObstacleAvoidance(speed_kmh=72.0, vehicle_width_m=width, direction="right")
    second = y_at(made, [10.0, 22.0, 28.75, 35.5, 46.5, 52.75, 59.0, 71.0])
    assert second == pytest.approx(-offset * np.array([0, 0, 0.5, 1, 1, 0.5, 0, 0]), abs=1e-9)
    weave = Slalom(speed_kmh=72.0, spacing_m=20.0, cones=3, vehicle_width_m=2.0, clearance_m=0.5)
    third = y_at(weave, [10.0, 20.0, 30.0, 40.0, 50.0, 70.0, 90.0, 110.0])
    assert third == pytest.approx([0.0, 0.75, 1.5, 0.0, -1.5, 1.5, 0.0, 0.0], abs=1e-9)


# what is found by driving -----------------------------------------------------------------------------------


def ramp_run(gain: float, lag: float, seconds: float) -> Callable[[Manoeuvre], Run]:
    """Drives slow ramps on a vehicle whose lateral acceleration is `gain` times the angle some time ago."""

    def drive(made: Manoeuvre) -> Run:
        assert isinstance(made, RampSteer)
        time = np.arange(0.0, seconds, 0.01)
        angle = np.radians(made.rate_degps) * time
        ay = gain * np.radians(made.rate_degps) * np.maximum(time - lag, 0.0)
        v = made.speed_kmh / 3.6
        columns = {signals.TIME: time, signals.STEERING_WHEEL_ANGLE: angle, signals.AY: ay, signals.YAW_RATE: ay / v}
        return Run({**columns, signals.VX: np.full(time.size, v)}, {"phases": [{"ended": "stalled"}]})

    return drive


def test_quasi_static_angle_lies_between_samples() -> None:
    wanted = np.degrees(0.2 * G / 12.0 + np.radians(5.0) * 0.3)
    assert quasi_static_angle(ramp_run(12.0, 0.3, 20.0), 80.0, 0.2) == pytest.approx(wanted, rel=1e-9)
    with pytest.raises(ConvergenceError, match=r"out of reach: the slow ramp ended at 0\.0737 g \(stalled\)"):
        quasi_static_angle(ramp_run(12.0, 0.3, 1.0), 80.0, 0.2)


def test_curvature_gain_is_the_slope_behind_the_lag() -> None:
    asked = []

    def drive(made: Manoeuvre) -> Run:
        asked.append(made)
        return ramp_run(12.0, 0.3, 2.0)(made)

    v = 72.0 / 3.6
    assert curvature_gain(drive, 72.0) == pytest.approx(v * v / 12.0, rel=1e-9)
    (made,) = asked
    assert (made.rate_degps, made.target_ay_g, made.largest_angle_deg) == (15.0, 0.15, 180.0)
    with pytest.raises(ConvergenceError, match="does not turn"):
        curvature_gain(ramp_run(0.0, 0.3, 2.0), 72.0)


@pytest.mark.parametrize(
    ("made", "speed", "target", "angle"),
    [
        (SineSweep(speed_kmh=72.0, target_ay_g=0.25), 72.0, 0.25, 1.0),
        (SingleSine(speed_kmh=72.0, target_ay_g=0.25), 72.0, 0.25, 1.0),
        (SineWithDwell(speed_kmh=72.0, amplitude_factor=2.0), 80.0, 0.3, 2.0),
        (JTurn(speed_kmh=72.0, amplitude_factor=3.0), 80.0, 0.3, 3.0),
        (Fishhook(speed_kmh=72.0, amplitude_factor=4.0), 80.0, 0.3, 4.0),
    ],
)
def test_amplitudes_come_from_a_slow_ramp(made: Manoeuvre, speed: float, target: float, angle: float) -> None:
    asked = []

    def drive(ramp: Manoeuvre) -> Run:
        asked.append(ramp)
        return ramp_run(12.0, 0.0, 20.0)(ramp)

    found = made.prepare(drive).steering_wheel_angle_deg  # type: ignore[attr-defined]
    assert found == pytest.approx(angle * np.degrees(target * G / 12.0), rel=1e-9)
    assert [(ramp.speed_kmh, ramp.target_ay_g) for ramp in asked] == [(speed, target)]


def braked(largest: float, full: float = 12.0) -> Callable[[Manoeuvre], Run]:
    """A vehicle that brakes with `full` m/s² times the pedal, 2 m/s² more at both ends of the speed.

    Wheels that lock brake by half.
    """

    def drive(made: Manoeuvre) -> Run:
        assert isinstance(made, Braking)
        assert made.after_s == 0.0
        assert made.brake is not None
        v, x, rows = made.speed_kmh / 3.6, 0.0, []
        first = v
        while v > 0:
            rows.append((0.01 * len(rows), v, x))
            x += 0.01 * v
            grip = 0.5 * full if made.brake > largest else full
            v -= 0.01 * (grip * made.brake + (2.0 if v > 0.8 * first or v < 0.2 * first else 0.0))
        time, speed, way = np.array(rows).T
        events = [{"event": "wheel_lock"}] if made.brake > largest else []
        return Run({signals.TIME: time, signals.VX: speed, signals.X: way}, {"events": events})

    return drive


def test_brake_pedal_is_that_of_the_middle_of_the_braking() -> None:
    """From 80 % to 20 % of the speed the deceleration is 12 m/s² times the pedal, elsewhere it is more."""
    for wanted in (0.05, 0.3, 0.6, 1.19):
        found = brake_pedal(braked(2.0), Braking(speed_kmh=90.0, deceleration_g=wanted))
        assert found == pytest.approx(wanted * G / 12.0, rel=0.006)
    with pytest.raises(ConvergenceError, match="out of reach"):
        brake_pedal(braked(0.3), Braking(speed_kmh=90.0, deceleration_g=0.5))  # the wheels lock before
    weak = Braking(speed_kmh=90.0, deceleration_g=1.2)
    with pytest.raises(ConvergenceError, match=r"with the pedal at 1$"):
        brake_pedal(braked(2.0, full=6.0), weak)  # not even at full pedal
    with pytest.raises(ConvergenceError, match=r"out of reach: .* where wheels lock$"):
        brake_pedal(braked(0.0), Braking(speed_kmh=20.0, deceleration_g=0.5))  # at any pedal

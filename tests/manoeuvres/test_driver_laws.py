"""Paths, steering and pedal laws, ends and roads against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.core.signals import Signal
from trackrod.manoeuvres.controls import FollowPath, HoldSpeed, HoldSteering, HoldThrottle, PressBrake, SteerTo
from trackrod.manoeuvres.courses import DoubleLaneChange, ObstacleAvoidance, Slalom
from trackrod.manoeuvres.ends import Above, After, Below, Stalled, Steady
from trackrod.manoeuvres.manoeuvre import DECISION, Sample
from trackrod.manoeuvres.paths import Path, Tracker, circle_path, lane_path
from trackrod.manoeuvres.roads import RoadClass, RoadProfile
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.manoeuvres.steering import Pulse, SineSweep, SineWithDwell, Sweep

STEPS = np.arange(1, 11) * 1e-3


def sample(time: float = 0.0, **values: float) -> Sample:
    known = {
        "x_m": 0.0,
        "y_m": 0.0,
        "steering_wheel_angle_rad": 0.0,
        "throttle": 0.0,
        "brake": 0.0,
        "vx_mps": 20.0,
        "vy_mps": 0.0,
    }
    return Sample(time, {**known, **values})


# paths ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_circle_has_its_radius_and_side(sign: float) -> None:
    path = circle_path(50.0, sign, straight=10.0, transition=20.0, turns=1.5)
    on_circle = path.length > 31.0
    x, y = path.x[on_circle], path.y[on_circle]
    dx, dy = np.gradient(x), np.gradient(y)
    heading = np.unwrap(np.arctan2(dy, dx))
    turned = np.gradient(heading, path.length[on_circle])
    assert turned[2:-2] == pytest.approx(sign / 50.0, rel=1e-3)
    # A transition of length T shifts the circle sideways by T²/(24 R).
    centre = (y.max() + y.min()) / 2
    assert centre == pytest.approx(sign * (50.0 + 20.0**2 / (24 * 50.0)), abs=0.01)


@given(s=st.floats(0.5, 150.0), beside=st.floats(-2.0, 2.0))
def test_tracker_finds_what_was_put_beside_a_circle(s: float, beside: float) -> None:
    path = circle_path(40.0, 1.0, straight=10.0, transition=20.0, turns=3.0)
    tracker = Tracker(path)
    tracker.s = s
    (x0, y0), (x1, y1) = path.point(s - 0.01), path.point(s + 0.01)
    x, y = path.point(s)
    length = np.hypot(x1 - x0, y1 - y0)
    found, distance = tracker.locate(x - beside * (y1 - y0) / length, y + beside * (x1 - x0) / length)
    assert found == pytest.approx(s, abs=0.15)
    assert distance == pytest.approx(beside, abs=0.01)


def test_path_goes_on_straight_behind_its_end() -> None:
    path = Path(np.array([0.0, 10.0]), np.array([0.0, 0.0]))
    assert path.point(25.0) == pytest.approx((25.0, 0.0))
    tracker = Tracker(path)
    tracker.s = 10.0
    assert tracker.locate(30.0, -1.0) == pytest.approx((30.0, -1.0))


def test_path_refuses_points_on_top_of_each_other() -> None:
    with pytest.raises(InputError, match="each different"):
        Path(np.array([0.0, 0.0]), np.array([1.0, 1.0]))


def test_lane_changes_have_the_dimensions_of_the_standards() -> None:
    first = DoubleLaneChange(direction="left").path()
    assert first.y.max() == pytest.approx(3.5)
    assert first.x[-1] - first.x[0] == pytest.approx(125.0 + 80 / 3.6 * 0.5)
    second = ObstacleAvoidance(vehicle_width_m=1.8).path()
    # Lanes of 1.1 w + 0.25 and w + 1, 1 m apart.
    assert second.y.max() == pytest.approx((1.1 * 1.8 + 0.25) / 2 + 1.0 + (1.8 + 1.0) / 2)
    assert second.x[-1] - 10.0 == pytest.approx(61.0)
    assert np.abs(DoubleLaneChange(direction="right").path().y + first.y).max() == 0.0
    weave = Slalom(cones=3, vehicle_width_m=1.8, clearance_m=0.3).path()
    assert (weave.y.max(), weave.y.min()) == pytest.approx((1.2, -1.2))


def test_lane_path_is_smooth() -> None:
    path = lane_path([(0.0, 0.0), (10.0, 0.0), (40.0, 3.5), (50.0, 3.5)])
    slope = np.diff(path.y) / np.diff(path.x)
    assert slope.max() == pytest.approx(np.pi / 2 * 3.5 / 30.0, rel=1e-3)
    assert np.abs(np.diff(slope)).max() < 0.01


# steering ---------------------------------------------------------------------------------------------------


def test_steering_turns_at_its_rate_and_stops() -> None:
    law = SteerTo(0.1, 2.0).begin(sample(steering_wheel_angle_rad=-0.1))
    assert law(np.array([0.05, 0.1, 0.2]), sample()) == pytest.approx([0.0, 0.1, 0.1])
    back = SteerTo(-0.1, 2.0).begin(sample(steering_wheel_angle_rad=0.1))
    assert back(np.array([0.05]), sample()) == pytest.approx([0.0])
    held = HoldSteering().begin(sample(steering_wheel_angle_rad=0.3))
    assert held(STEPS, sample()) == pytest.approx(np.full(10, 0.3))


def drive_point(path: Path, preview: float, speed: float, seconds: float, y: float = 0.0) -> np.ndarray:
    """Deviation from a path of a point whose curvature is the driver's command: truth without a vehicle."""
    law = FollowPath(path, preview, angle_per_curvature=1.0).begin(sample(yaw_rad=0.0))
    x, heading, tracker, found = 0.0, 0.0, Tracker(path), []
    for k in range(round(seconds / DECISION)):
        now = sample(k * DECISION, x_m=x, y_m=y, yaw_rad=heading, sideslip_rad=0.0, vx_mps=speed)
        for curvature in law(k * DECISION + STEPS, now):
            heading += speed * 1e-3 * curvature
            x, y = x + speed * 1e-3 * np.cos(heading), y + speed * 1e-3 * np.sin(heading)
        found.append(tracker.locate(x, y)[1])
    return np.array(found)


def test_driver_stays_on_a_circle() -> None:
    path = circle_path(60.0, -1.0, straight=10.0, transition=30.0, turns=3.0)
    beside = drive_point(path, 0.6, 15.0, 20.0)
    assert np.abs(beside[-500:]).max() < 0.02
    assert np.abs(beside).max() < 0.3


def test_driver_comes_back_to_the_path() -> None:
    path = Path(np.array([0.0, 500.0]), np.array([0.0, 0.0]))
    beside = drive_point(path, 0.8, 20.0, 10.0, y=1.0)
    assert beside[0] == pytest.approx(1.0, abs=0.01)
    assert np.abs(beside[-100:]).max() < 1e-3


def test_sweep_has_its_frequencies() -> None:
    t = np.linspace(0.0, 30.0, 300001)
    for kind in Sweep:
        sweep = SineSweep(first_frequency_Hz=0.2, last_frequency_Hz=4.0, duration_s=30.0, sweep=kind)
        frequency = np.gradient(sweep.phase_angle(t), t) / (2 * np.pi)
        assert frequency[[1, -2]] == pytest.approx([0.2, 4.0], rel=1e-3)
        middle = 2.1 if kind is Sweep.LINEAR else np.sqrt(0.2 * 4.0)
        assert frequency[150000] == pytest.approx(middle, rel=1e-3)


def test_sine_rests_at_its_second_peak() -> None:
    made = SineWithDwell(steering_wheel_angle_deg=100.0, direction="left", frequency_Hz=0.7, dwell_s=0.5)
    law = made.phases()[1].steering.begin(sample())
    period = 1 / 0.7
    t = np.array([0.25 * period, 0.75 * period, 0.75 * period + 0.5, period + 0.51, period + 3.0])
    assert np.degrees(law(t, sample())) == pytest.approx([100.0, -100.0, -100.0, 0.0, 0.0], abs=0.1)


def test_pulse_is_a_triangle() -> None:
    law = Pulse(steering_wheel_angle_deg=40.0, width_s=0.4, direction="right").phases()[1].steering.begin(sample())
    assert np.degrees(law(np.array([0.1, 0.2, 0.3, 0.4, 1.0]), sample())) == pytest.approx([-20, -40, -20, 0, 0])


# pedals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("full_throttle", [0.7, 3.0, 8.0])  # m/s²: a laden van, a car, a car in low gear
def test_speed_is_held_against_a_growing_resistance(full_throttle: float) -> None:
    control = HoldSpeed(25.0).begin(sample(vx_mps=24.0, throttle=0.1))
    speed, worst = 24.0, 0.0
    for k in range(3000):
        now = sample(k * DECISION, vx_mps=speed)
        throttle, brake = control(STEPS, now)
        resistance = full_throttle * (0.2 + 0.5 * k / 3000)
        speed += DECISION * (full_throttle * float(throttle[-1]) - 10.0 * float(brake[-1]) - resistance)
        if k > 800:
            worst = max(worst, abs(speed - 25.0))
    assert worst < 0.2 / 3.6  # 0.2 km/h


def test_speed_is_held_downhill_with_the_brake() -> None:
    control = HoldSpeed(10.0).begin(sample(vx_mps=10.0))
    speed = 10.0
    for k in range(2000):
        throttle, brake = control(STEPS, sample(k * DECISION, vx_mps=speed))
        speed += DECISION * (3.0 * float(throttle[-1]) - 10.0 * float(brake[-1]) + 0.8)
    assert speed == pytest.approx(10.0, abs=0.02)
    assert brake[-1] == pytest.approx(0.08, rel=0.01)
    assert throttle[-1] == 0.0
    without = HoldSpeed(10.0, brakes=False).begin(sample(vx_mps=12.0))
    assert without(STEPS, sample(vx_mps=12.0))[1] == pytest.approx(np.zeros(10))


def test_brake_pedal_rises_and_throttle_is_kept() -> None:
    throttle, brake = PressBrake(0.4, 0.2).begin(sample())(np.array([0.1, 0.2, 0.3]), sample())
    assert brake == pytest.approx([0.2, 0.4, 0.4])
    assert throttle == pytest.approx(np.zeros(3))
    kept, _ = HoldThrottle().begin(sample(throttle=0.35))(STEPS, sample())
    assert kept == pytest.approx(np.full(10, 0.35))


# ends -------------------------------------------------------------------------------------------------------


def first_time(end: object, signal: Signal, values: np.ndarray) -> float | None:
    come = end.begin()  # type: ignore[attr-defined]
    for k, value in enumerate(values):
        if come(Sample(k * DECISION, {signal.column: float(value)})):
            return k * DECISION
    return None


def test_ends_come_when_they_should() -> None:
    ramp = np.linspace(0.0, -10.0, 1001)  # 1 unit a second, to negative values
    assert first_time(After(2.5), signals.AY, ramp) == pytest.approx(2.5)
    assert first_time(Above(signals.AY, 4.0), signals.AY, ramp) == pytest.approx(4.0)
    assert first_time(Below(signals.AY, 4.0), signals.AY, ramp[::-1]) == pytest.approx(6.0)
    assert first_time(Below(signals.AY, 4.0, 8.0), signals.AY, ramp[::-1]) == pytest.approx(8.0)
    saturating = np.concatenate((ramp[:501], np.full(500, ramp[500])))
    assert first_time(Stalled(signals.AY, 0.02, 1.5), signals.AY, saturating) == pytest.approx(6.5, abs=0.03)
    assert first_time(Stalled(signals.AY, 0.02, 1.5), signals.AY, ramp) is None
    quiet = Steady({signals.AY: 0.05}, 1.0)
    assert first_time(quiet, signals.AY, saturating) == pytest.approx(5.95, abs=0.02)
    assert first_time(Steady({signals.AY: 0.05}, 1.0, {signals.AY: 0.0}), signals.AY, saturating) is None
    assert first_time(quiet, signals.AY, ramp) is None


# roads ------------------------------------------------------------------------------------------------------


def test_random_road_has_the_spectrum_of_its_class() -> None:
    """ISO 8608: G(n) = G(n0)(n/n0)^-2; its variance over a band is G(n0) n0² (1/n1 − 1/n2)."""
    profile = RoadProfile(RoadClass.C.roughness, seed=3)
    x = np.arange(20.0, 4020.0, 0.1)
    spectrum = np.abs(np.fft.rfft(profile.heights(Corner.FL, x, x))) ** 2
    n = np.fft.rfftfreq(x.size, 0.1)
    for low, high in ((0.05, 0.2), (0.2, 1.0)):
        band = (n >= low) & (n < high)
        variance = 2 * spectrum[band].sum() / x.size**2
        assert variance == pytest.approx(256e-6 * 0.1**2 * (1 / low - 1 / high), rel=0.15)


def test_random_road_begins_level_and_repeats_itself() -> None:
    x = np.linspace(-5.0, 100.0, 1001)
    first, second = RoadProfile(64e-6, 1), RoadProfile(64e-6, 1)
    heights = first.heights(Corner.FR, x, x)
    assert np.abs(heights[x <= 0]).max() == 0.0
    assert np.array_equal(heights, second.heights(Corner.RR, x, x))  # both right wheels on one track
    assert not np.array_equal(heights, first.heights(Corner.FL, x, x))
    assert not np.array_equal(heights, RoadProfile(64e-6, 2).heights(Corner.FR, x, x))


@pytest.mark.parametrize(
    ("mode", "signs"),
    [("heave", (1, 1, 1, 1)), ("pitch", (1, 1, -1, -1)), ("roll", (1, -1, 1, -1)), ("warp", (1, -1, -1, 1))],
)
def test_posts_move_together(mode: str, signs: tuple[int, ...]) -> None:
    rig = FourPost(mode=PostMode(mode), velocity_mmps=30.0, duration_s=20.0)
    t = np.linspace(0.0, 21.0, 210001)
    heights = [rig.heights(corner, t, t) for corner in Corner]
    for found, sign in zip(heights, signs, strict=True):
        assert np.array_equal(found, sign * heights[0])
    velocity = np.gradient(heights[0], t)
    inner = (t > 2.0) & (t < 18.0)
    assert np.abs(velocity[inner]).max() == pytest.approx(0.03, rel=0.02)
    assert heights[0][0] == 0.0
    assert np.abs(heights[0][t >= 20.0]).max() == 0.0

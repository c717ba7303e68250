"""Manoeuvres with the multibody model: signs by driving, mirror images, targets met, repeatability."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.series import Run
from trackrod.manoeuvres.longitudinal import Acceleration, Braking
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.settings import STANDARD_GRAVITY, Direction
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import SineSweep, StepSteer
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.simulate.drive import simulate
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

#: Signals that change their sign when left and right are exchanged.
ODD = (signals.STEERING_WHEEL_ANGLE, signals.Y, signals.YAW, signals.ROLL, signals.VY, signals.AY, signals.YAW_RATE)
EVEN = (signals.X, signals.Z, signals.PITCH, signals.VX, signals.AX)


@cache
def vehicle(name: str = "double_wishbone_car") -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


@cache
def driven(manoeuvre: Manoeuvre, name: str = "double_wishbone_car") -> Run:
    run = simulate(MultibodyVehicle(vehicle(name)), manoeuvre)
    assert run.metadata["events"] == ()
    return run


def step(direction: Direction) -> StepSteer:
    return StepSteer(steering_wheel_angle_deg=20.0, direction=direction, hold_s=2.0)


def side_load(run: Run, side: Side) -> np.ndarray:
    return np.asarray(sum(run[signals.FZ[Corner.of(axle, side)]] for axle in Axle))


def axle_load(run: Run, axle: Axle) -> np.ndarray:
    return np.asarray(sum(run[signals.FZ[Corner.of(axle, side)]] for side in Side))


def test_left_turn_is_positive_and_loads_the_right_side() -> None:
    run = driven(step(Direction.LEFT))
    end = slice(-50, None)
    for signal in (signals.STEERING_WHEEL_ANGLE, signals.YAW_RATE, signals.AY, signals.ROLL, signals.Y, signals.YAW):
        assert (run[signal][end] > 0.001).all(), signal.name
    assert (side_load(run, Side.RIGHT)[end] > 1.2 * side_load(run, Side.LEFT)[end]).all()
    assert run[signals.AY][end] == pytest.approx(run[signals.YAW_RATE][end] * run[signals.VX][end], rel=0.02)


def test_nothing_moves_before_the_step() -> None:
    run = driven(step(Direction.LEFT))
    before = run.time <= 0.5
    assert np.abs(run[signals.AY][before]).max() < 0.01
    assert np.abs(run[signals.AX][before]).max() < 0.05
    assert np.ptp(run[signals.PITCH][before]) < 2e-4


def test_right_is_the_mirror_image_of_left() -> None:
    left, right = driven(step(Direction.LEFT)), driven(step(Direction.RIGHT))
    for signal in ODD:
        largest = np.abs(left[signal]).max()
        assert right[signal] == pytest.approx(-left[signal], abs=1e-3 * largest), signal.name
    for signal in EVEN:
        assert right[signal] == pytest.approx(left[signal], abs=1e-3 * max(np.abs(left[signal]).max(), 0.01)), signal
    assert side_load(right, Side.LEFT) == pytest.approx(side_load(left, Side.RIGHT), rel=1e-3)


def test_same_run_bit_for_bit() -> None:
    again = simulate(MultibodyVehicle(vehicle()), step(Direction.LEFT))
    assert again.differences(driven(step(Direction.LEFT))) == []


def test_step_reaches_its_lateral_acceleration() -> None:
    run = driven(StepSteer(target_ay_g=0.4, hold_s=2.5))
    steady = run[signals.AY][run.time >= run.time[-1] - 1.0].mean()
    assert steady == pytest.approx(0.4 * STANDARD_GRAVITY, rel=0.01)
    angle = np.degrees(run[signals.STEERING_WHEEL_ANGLE])
    assert angle[-1] == pytest.approx(run.metadata["settings"]["steering_wheel_angle_deg"])
    assert np.diff(angle).max() == pytest.approx(500.0 * 0.01, rel=1e-6)


def test_ramp_holds_its_speed_and_ends_at_its_target() -> None:
    run = driven(RampSteer(rate_degps=20.0, target_ay_g=0.6))
    assert np.abs(3.6 * run[signals.VX] - 80.0).max() < 0.5
    assert run[signals.AY][-1] == pytest.approx(0.6 * STANDARD_GRAVITY, rel=0.02)
    assert "ay_mps2" in run.metadata["phases"][-1]["ended"]
    ramp = run.time > 0.51
    rate = np.diff(run[signals.STEERING_WHEEL_ANGLE][ramp]) / 0.01
    assert rate == pytest.approx(np.radians(20.0), rel=1e-6)


def test_braking_pitches_nose_down_and_loads_the_front() -> None:
    run = driven(Braking(speed_kmh=50.0, brake=0.25))
    braking = (run.time > 1.2) & (run[signals.VX] > 3.0)
    assert (run[signals.AX][braking] < -3.0).all()
    assert (run[signals.PITCH][braking] > run[signals.PITCH][0] + 0.005).all()
    assert (axle_load(run, Axle.FRONT)[braking] > axle_load(run, Axle.FRONT)[0] + 500.0).all()
    assert abs(run[signals.VX][-1]) < 0.2
    assert np.abs(run[signals.Y]).max() < 0.01
    # Work and energy: v² = 2 a s between two speeds, with the mean deceleration over the distance.
    v, x, a = (run[s][braking] for s in (signals.VX, signals.X, signals.AX))
    assert -np.trapezoid(a, x) == pytest.approx((v[0] ** 2 - v[-1] ** 2) / 2, rel=0.01)


def test_accelerating_pitches_nose_up() -> None:
    run = driven(Acceleration(first_speed_kmh=30.0, last_speed_kmh=50.0))
    late = run.time > 1.0
    assert run[signals.VX][-1] >= 50 / 3.6
    assert run[signals.PITCH][late].min() < run[signals.PITCH][0] - 0.005
    assert axle_load(run, Axle.REAR)[late].max() > axle_load(run, Axle.REAR)[0] + 500.0


def test_sweep_shakes_at_its_frequencies() -> None:
    sweep = SineSweep(steering_wheel_angle_deg=8.0, first_frequency_Hz=0.5, last_frequency_Hz=2.0, duration_s=4.0)
    run = driven(sweep)
    angle = run[signals.STEERING_WHEEL_ANGLE]
    assert np.abs(angle).max() == pytest.approx(np.radians(8.0), rel=0.01)
    assert np.corrcoef(run[signals.AY], angle)[0, 1] > 0.4
    assert run[signals.VX] * 3.6 == pytest.approx(np.full(run.time.size, 100.0), abs=0.3)


@pytest.mark.parametrize("name", ["lcv_7t", "suv"])
def test_other_vehicles_turn_too(name: str) -> None:
    run = driven(StepSteer(speed_kmh=60.0, steering_wheel_angle_deg=30.0, hold_s=1.5), name)
    assert run[signals.YAW_RATE][-1] > 0.02
    assert run[signals.ROLL][-1] > 0.002

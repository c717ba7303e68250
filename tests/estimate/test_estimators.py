"""Estimators find what a rigid block, unlike left and right, was made of; and say what is missing where they cannot."""

from __future__ import annotations

import numpy as np
import pytest
from tests.estimate import rigid_vehicle as rigid

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.series import Run
from trackrod.estimate.brakes import BrakeDistribution, BrakeFactor, LargestBrakeTorque
from trackrod.estimate.campaign import estimate_all
from trackrod.estimate.estimator import Channels, Estimator, estimate, moving_window
from trackrod.estimate.height import HeightByBraking, HeightByCornering
from trackrod.estimate.masses import AxleMass, CgX, CgY, TotalMass, WheelMass
from trackrod.estimate.powertrain import EngineTorque, GearRatio
from trackrod.estimate.resistance import Drag, RollingRadius, RollingResistance
from trackrod.estimate.result import CannotTell, Estimate
from trackrod.estimate.tyres import tyre_slip_angle
from trackrod.estimate.yaw_inertia import YawInertia
from trackrod.measured.columns import WHEEL_TORQUE
from trackrod.measured.sensors import Sensor, SensorSet

QUIET = rigid.run(0.2 * np.sin(np.arange(400) * 0.05), 0.1 * np.cos(np.arange(400) * 0.07), np.zeros(400))
BRAKING = rigid.run(
    np.concatenate((np.zeros(200), -6.0 * np.clip(np.arange(300) / 50.0, 0.0, 1.0))),
    np.zeros(500),
    np.zeros(500),
    speed=13.0 + 6.0 * 3.0,
)
TURN = 2.5 * np.sin(np.arange(200) * 0.05)
STEP = rigid.run(np.full(200, 0.3), 3.0 * np.sin(np.arange(200) * 0.03), TURN, steer=0.12)


def told(estimator: Estimator, *runs: Run, **others: float) -> Estimate:
    found = estimate(estimator, runs, rigid.known(**others))
    assert isinstance(found, Estimate), found
    assert found.interval[0] <= found.value <= found.interval[1]
    return found


def test_masses_and_place_of_the_centre_of_gravity() -> None:
    height = {"cg_height": float(rigid.CG[2])}
    assert told(TotalMass(), QUIET).value == pytest.approx(rigid.MASS, rel=1e-6)
    assert told(CgX(), QUIET, **height).value == pytest.approx(rigid.CG[0], abs=1e-6)
    assert told(CgY(), QUIET, **height).value == pytest.approx(rigid.CG[1], abs=1e-6)
    standing = rigid.loads(np.zeros(1), np.zeros(1))
    for corner in Corner:
        expected = standing[corner][0] / rigid.GRAVITY
        assert told(WheelMass(corner=corner), QUIET).value == pytest.approx(expected, rel=0.01)


def test_transducers_that_do_not_weigh_their_outer_part() -> None:
    outer = {"outer_mass_front": 20.0, "outer_mass_rear": 20.0}
    assert told(TotalMass(), QUIET, **outer).value == pytest.approx(rigid.MASS + 80.0, rel=1e-6)


def test_height_of_the_centre_of_gravity() -> None:
    quiet_before = told(HeightByBraking(largest_quiet_speed=40.0), BRAKING)
    assert quiet_before.value == pytest.approx(rigid.CG[2], rel=1e-6)
    found = estimate(HeightByBraking(), [QUIET], rigid.known())
    assert isinstance(found, CannotTell)
    assert "braking" in found.missing


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_yaw_inertia_of_a_vehicle_unlike_left_and_right(sign: float) -> None:
    run = rigid.run(np.full(200, 0.3), -sign * TURN, sign * TURN, steer=0.12 * sign)
    where = {"cg_x": float(rigid.CG[0]), "cg_y": float(rigid.CG[1])}
    found = told(YawInertia(least_moment=2000.0, window=0.0), run, **where)
    assert found.value == pytest.approx(rigid.YAW_INERTIA, rel=1e-6)
    mirrored = estimate(YawInertia(least_moment=2000.0, window=0.0), [run], rigid.known(**where | {"cg_y": -0.05}))
    assert isinstance(mirrored, Estimate)
    assert mirrored.value != pytest.approx(rigid.YAW_INERTIA, rel=1e-4)


def with_brakes(run: Run) -> Run:
    """Torques by their factors; rear lines at 0.6 of the pressure."""
    columns = dict(run)
    pressure = np.linspace(0.0, 6e6, run.time.size)
    for corner, factor in rigid.FACTORS.items():
        line = pressure * (0.6 if corner.axle is Axle.REAR else 1.0)
        columns[signals.BRAKE_PRESSURE[corner].column] = line
        columns[WHEEL_TORQUE[corner].column] = -factor * line
        columns[signals.WHEEL_SPEED[corner].column] = run[signals.VX] / 0.31
    return Run(columns)


def test_brakes() -> None:
    run = with_brakes(BRAKING)
    for corner, factor in rigid.FACTORS.items():
        assert told(BrakeFactor(corner=corner), run).value == pytest.approx(factor, rel=1e-9)
    front = rigid.FACTORS[Corner.FL] + rigid.FACTORS[Corner.FR]
    rear = 0.6 * (rigid.FACTORS[Corner.RL] + rigid.FACTORS[Corner.RR])
    assert told(BrakeDistribution(), run).value == pytest.approx(front / (front + rear), rel=1e-9)
    locked = Run({**run, signals.WHEEL_SPEED[Corner.FL].column: np.zeros(run.time.size)})
    assert isinstance(estimate(BrakeFactor(corner=Corner.FL), [locked], rigid.known()), CannotTell)


def coasting(wind: float, slope: float, heading: float) -> Run:
    """Speeds by many small steps of its equation."""
    step, speed, speeds = 0.01, 35.0, []
    for k in range(12_000):
        if k % 10 == 0:
            speeds.append(speed)
        along = np.cos(heading)
        force = rigid.DRAG * (speed + along * wind) ** 2 + rigid.MASS * rigid.GRAVITY * (rigid.ROLLING + along * slope)
        speed -= step * force / rigid.MASS
    n = len(speeds)
    return Run({"time_s": 0.1 * np.arange(n), "vx_mps": np.array(speeds), "yaw_rad": np.full(n, heading)})


def test_coasting_there_and_back_in_wind_on_a_slope() -> None:
    runs = (coasting(3.0, 0.002, 0.0), coasting(3.0, 0.002, np.pi))
    assert told(Drag(there_and_back=True), *runs, mass=rigid.MASS).value == pytest.approx(rigid.DRAG, rel=0.005)
    # c w² cannot be told from rolling resistance: 0.4 · 9 N of 162 N.
    found = told(RollingResistance(there_and_back=True), *runs, mass=rigid.MASS).value
    assert found == pytest.approx(rigid.ROLLING + rigid.DRAG * 9.0 / (rigid.MASS * rigid.GRAVITY), rel=0.01)
    one = told(Drag(), runs[0], mass=rigid.MASS).value
    assert one == pytest.approx(rigid.DRAG, rel=0.02)  # the linear term takes the wind
    air = Run({**runs[0], "air_speed_mps": runs[0]["vx_mps"] + 3.0})
    assert told(Drag(), air, mass=rigid.MASS).value == pytest.approx(rigid.DRAG, rel=0.005)


def test_what_is_missing_is_named() -> None:
    only_front = Run({c: v for c, v in QUIET.items() if "_rl_" not in c and "_rr_" not in c})
    assert told(AxleMass(axle=Axle.FRONT), only_front).value > 0
    found = estimate(TotalMass(), [only_front], rigid.known())
    assert isinstance(found, CannotTell)
    assert "Fz_rl_N" in found.missing and "Fz_rr_N" in found.missing  # noqa: PT018
    found = estimate(YawInertia(), [QUIET], rigid.known(cg_x=-1.2))
    assert isinstance(found, CannotTell)
    assert "step of the steering wheel" in found.missing
    found = estimate(YawInertia(), [STEP], rigid.known())
    assert isinstance(found, CannotTell)
    assert "cg_x" in found.missing


def test_bias_is_that_of_the_sensors() -> None:
    """A gain of 1 % of one wheel and a zero of 10 N of another move the mass by as much."""
    sensors = SensorSet([Sensor("Fz_fl_N", scale_error=0.01), Sensor("Fz_rr_N", accuracy=10.0)])
    found = estimate(TotalMass(), [QUIET], rigid.known(), sensors)
    assert isinstance(found, Estimate)
    carried = told(WheelMass(corner=Corner.FL), QUIET).value
    assert found.bias == pytest.approx(np.hypot(0.01 * carried, 10.0 / rigid.GRAVITY) / np.sqrt(3.0), rel=1e-3)
    assert "Fz_rl_N" in found.note  # counted as exact, and said so


def test_a_window_follows_fuel() -> None:
    lighter = Run({**QUIET, **{c: 0.98 * v for c, v in QUIET.items() if c.startswith("Fz")}})
    found = moving_window(TotalMass(), [QUIET, lighter], rigid.known(), window=2.0)
    values = [result.value for _, result in found if isinstance(result, Estimate)]
    assert values[0] == pytest.approx(rigid.MASS, rel=1e-6)
    assert values[-1] == pytest.approx(0.98 * rigid.MASS, rel=1e-6)
    assert [time for time, _ in found] == pytest.approx([1.0 + k for k in range(len(found))])


def test_windows_follow_a_tyre_that_loses_air_and_a_brake_that_fades() -> None:
    time = 0.05 * np.arange(800)
    speed, radius = np.full(800, 20.0), 0.31 - 1e-4 * time
    columns = {"time_s": time, "vx_mps": speed, "ay_mps2": 0.0 * time, "throttle": 0.0 * time, "brake": 0.0 * time}
    columns |= {signals.WHEEL_SPEED[corner].column: speed / radius for corner in Corner}
    found = moving_window(RollingRadius(axle=Axle.REAR), [Run(columns)], rigid.known(), window=10.0, every=10.0)
    values = [result.value for _, result in found if isinstance(result, Estimate)]
    assert values == pytest.approx([0.31 - 1e-4 * middle for middle, _ in found], abs=2e-5)
    assert len(values) == 3
    weak = with_brakes(BRAKING)
    torque = WHEEL_TORQUE[Corner.FL].column
    weak = Run({**weak, torque: 0.9 * weak[torque]})
    of_fl = BrakeFactor(corner=Corner.FL)
    followed = moving_window(of_fl, [with_brakes(BRAKING), weak], rigid.known(), window=4.5, every=5.0)
    first, last = (result for _, result in followed)
    assert isinstance(first, Estimate)
    assert isinstance(last, Estimate)
    assert last.value / first.value == pytest.approx(0.9, rel=1e-6)


def test_slip_angle_of_the_tyre_lags_behind_that_of_the_wheel() -> None:
    time = np.arange(0.0, 1.0, 0.01)
    columns = {"time_s": time, "vx_mps": np.full(100, 20.0), "slip_angle_fl_rad": np.full(100, -0.05)}
    run = Channels({**columns, "Fy_fl_N": 10_000.0 * time})
    known = rigid.known(lateral_compliance_front=5e-6)
    assert tyre_slip_angle(run, known, Corner.FL)[50] == pytest.approx(-0.05 + 5e-6 * 10_000.0 / 20.0)


def test_everything_from_one_campaign() -> None:
    found = estimate_all([QUIET, with_brakes(BRAKING), STEP], rigid.known())
    assert found.values["mass"].value == pytest.approx(rigid.MASS, rel=1e-3)
    assert found.known["mass"] == found.values["mass"].value
    assert isinstance(found.results["drag"], CannotTell)
    assert len(found.results) >= 50


def test_zeros_of_torque_and_pressure_do_not_count_in_a_brake_factor() -> None:
    run = with_brakes(BRAKING)
    off = dict(run)
    off[WHEEL_TORQUE[Corner.RL].column] = run[WHEEL_TORQUE[Corner.RL]] + 4.0
    off[signals.BRAKE_PRESSURE[Corner.RL].column] = run[signals.BRAKE_PRESSURE[Corner.RL]] + 1e4
    assert told(BrakeFactor(corner=Corner.RL), Run(off)).value == pytest.approx(rigid.FACTORS[Corner.RL], rel=1e-9)
    held = BrakeFactor(corner=Corner.RL, least_pressure=3e6)  # nearly one pressure: no offset can be told
    through = told(held, Run(off)).value
    assert abs(through / rigid.FACTORS[Corner.RL] - 1.0) > 0.005


def test_the_largest_brake_torque_is_that_of_the_hardest_run() -> None:
    hard = with_brakes(BRAKING)
    pressures = [signals.BRAKE_PRESSURE[corner].column for corner in Corner]
    softly = {c: 0.4 * v for c, v in hard.items() if c in pressures or c.startswith("wheel_torque")}
    found = told(LargestBrakeTorque(axle=Axle.FRONT, least_samples=10), Run({**hard, **softly}), hard)
    largest = 6e6 * (rigid.FACTORS[Corner.FL] + rigid.FACTORS[Corner.FR])
    assert found.value == pytest.approx(largest, rel=0.02)


def test_a_rolling_radius_grows_with_speed() -> None:
    speed = np.linspace(35.0, 6.0, 400)
    radius = 0.31 * (1.0 + 4e-6 * speed**2)
    columns = {"time_s": 0.1 * np.arange(400), "vx_mps": speed, "ay_mps2": 0.0 * speed}
    columns |= {"throttle": 0.0 * speed, "brake": 0.0 * speed}
    columns |= {signals.WHEEL_SPEED[corner].column: speed / radius for corner in Corner}
    found = told(RollingRadius(axle=Axle.FRONT, at=20.0), Run(columns))
    assert found.value == pytest.approx(0.31 * (1.0 + 4e-6 * 400.0), rel=1e-6)
    assert found.precision < 1e-6  # growth is no scatter


def test_height_by_cornering_of_a_body_that_leans_about_its_roll_centres() -> None:
    """Moments about the contacts: the centre of gravity moves by roll times its height above the roll axis."""
    ay = np.concatenate((np.zeros(300), 4.0 * np.clip(np.arange(600) / 300.0, 0.0, 1.0)))
    run = rigid.run(np.zeros(900), ay, np.zeros(900))
    roll, centre, height = 0.008 * ay, 0.1, float(rigid.CG[2])
    columns = {**run, signals.ROLL.column: roll, signals.ROLL_RATE.column: 0.0 * roll}
    arms = sum(abs(rigid.WHEELS[corner][1]) for corner in Corner)
    moved = rigid.MASS * rigid.GRAVITY * (height - centre) * roll / arms
    for corner in Corner:
        columns[signals.FZ[corner].column] = run[signals.FZ[corner]] - corner.side.sign * moved
    given = {"roll_centre_front": centre, "roll_centre_rear": centre}
    assert told(HeightByCornering(), Run(columns), **given).value == pytest.approx(height, rel=1e-6)
    given = {"roll_centre_front": 0.3, "roll_centre_rear": 0.3}
    assert told(HeightByCornering(), Run(columns), **given).value > 1.02 * height


def driven_in_first_gear(efficiency: float) -> tuple[Run, float]:
    """Full torque of 200 N·m: what accelerates the engine does not pass through the gears; and the torque."""
    torque, engine, driveline, gear, final = 200.0, 0.2, 0.03, 3.5, 4.0
    time = 0.01 * np.arange(400)
    turns = 300.0 + 80.0 * time  # of the crankshaft
    output = 80.0 / gear
    at_wheels = final * (efficiency * gear * (torque - engine * 80.0) - driveline * output)
    columns = {"time_s": time, "gear": np.ones(400), "throttle": np.ones(400), "brake": np.zeros(400)}
    columns |= {"engine_speed_radps": turns}
    for corner in Corner:
        columns[signals.WHEEL_SPEED[corner].column] = turns / (gear * final)
        driven = corner.axle is Axle.FRONT
        columns[WHEEL_TORQUE[corner].column] = np.full(400, at_wheels / 2.0 if driven else 0.0)
    return Run(columns), torque


def test_engine_torque_in_first_gear() -> None:
    run, torque = driven_in_first_gear(0.9)
    known = {"front_drive_share": 1.0, "final_drive": 4.0, "gear_ratio_1": 3.5, "engine_inertia": 0.2}
    known |= {"driveline_inertia": 0.03, "gear_efficiency": 0.9}
    found = told(EngineTorque(gear=1, throttle=1.0, speed=420.0), run, **known)
    assert found.value == pytest.approx(0.9 * torque, rel=1e-6)


def test_runs_that_are_shorter_than_a_gear_must_be_held() -> None:
    run, _ = driven_in_first_gear(0.9)
    found = estimate(GearRatio(gear=1), [run.slice(0.0, 1.0)], rigid.known(front_drive_share=1.0))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(14.0)

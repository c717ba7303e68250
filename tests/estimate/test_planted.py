"""Estimators find what was planted in runs made of plain formulas, beside something that looks like it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from tests.estimate import rigid_vehicle as rigid

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.estimate.brakes import DISC_TEMPERATURE, BrakeFade
from trackrod.estimate.estimator import Estimator, estimate
from trackrod.estimate.handling import RollGradient, SteeringRatio, UndersteerGradient
from trackrod.estimate.resistance import AxleLift, LoadedRadius
from trackrod.estimate.result import CannotTell, Estimate
from trackrod.estimate.suspension import BumpSlope, DamperRatio, RollSlope, StaticAngle, WheelAngle
from trackrod.estimate.tyres import RelaxationLength, SlipStiffness
from trackrod.measured.columns import WHEEL_TORQUE

Array = NDArray[np.float64]

TIME = np.arange(0.0, 20.0, 0.01)
STRAIGHT = {signals.AX: 0.0 * TIME, signals.AY: 0.0 * TIME}
#: Unevenness that the wheels follow [m], and forces that have nothing to do with it [N].
HEAVE, APART = 0.01 * np.sin(2.1 * TIME), 0.006 * np.sin(1.3 * TIME + 0.4)
ALONG, INWARD = 200.0 * np.sin(3.7 * TIME), 150.0 * np.cos(1.7 * TIME)


def run_of(columns: dict[Signal, Array], **wheels: dict[Corner, Array]) -> Run:
    """Columns of the vehicle, and by name of the signal those of its wheels."""
    found = {signals.TIME.column: TIME} | {signal.column: values for signal, values in columns.items()}
    for family, each in wheels.items():
        found |= {getattr(signals, family)[corner].column: values for corner, values in each.items()}
    return Run(found)


def value(estimator: Estimator, *runs: Run, **known: float) -> float:
    found = estimate(estimator, runs, rigid.known(**known))
    assert isinstance(found, Estimate), found
    assert found.interval[0] <= found.value <= found.interval[1]
    return found.value


def test_loaded_radius_of_tyres_that_braking_presses_down() -> None:
    """The radius falls with the load that braking shifts; rolling resistance goes with the load as well."""
    braking = -6.0 * np.clip(TIME / 10.0 - 0.5, 0.0, 1.0)
    load = 4500.0 - 250.0 * braking
    force, radius = 0.4 * load * braking / 9.81, 0.3 - 4e-6 * (load - 4500.0)
    torque = radius * (force + 0.012 * load)
    wheels = {c: np.full(TIME.size, 30.0) for c in Corner}
    run = run_of(
        {signals.AY: 0.0 * TIME, signals.VX: np.full(TIME.size, 9.0)},
        FX=dict.fromkeys(Corner, force),
        FZ=dict.fromkeys(Corner, load),
        WHEEL_SPEED=wheels,
    )
    run = Run({**run, **{WHEEL_TORQUE[c].column: torque for c in Corner}})
    found = value(LoadedRadius(axle=Axle.FRONT), run, rolling_resistance=0.012)
    assert found == pytest.approx(0.3, rel=2e-3)
    without = Run({name: values for name, values in run.items() if not name.startswith("Fz")})
    twice = value(LoadedRadius(axle=Axle.FRONT), without)
    assert twice < 0.296  # without loads the slope counts the change of the radius twice, and a note says so


def test_lift_beside_drag_and_acceleration() -> None:
    speed = 10.0 + 30.0 * np.sin(0.15 * TIME) ** 2
    ax = np.gradient(speed, TIME)
    pulled = 0.4 * 0.55 / 2.68 * speed**2  # what the drag shifts to the rear
    moved = rigid.MASS * rigid.CG[2] / 2.68 * ax
    columns = {signals.VX: speed, signals.AX: ax, signals.AY: 0.0 * TIME}
    for axle, lift, sign in ((Axle.FRONT, 0.07, 1.0), (Axle.REAR, -0.05, -1.0)):
        load = 7000.0 - lift * speed**2 - sign * (pulled + moved)
        run = run_of(columns, FZ=dict.fromkeys(Corner, 0.5 * load))
        known = {"drag": 0.4, "drag_height": 0.55}
        assert value(AxleLift(axle=axle), run, **known) == pytest.approx(lift, abs=3e-4)
    city = run_of(columns | {signals.VX: 10.0 + 0.1 * speed}, FZ=dict.fromkeys(Corner, load))
    assert isinstance(estimate(AxleLift(axle=Axle.FRONT), [city], rigid.known()), CannotTell)


def test_a_brake_that_fades() -> None:
    pressure = 3e6 + 1e6 * np.sin(0.7 * TIME)
    hot = 350.0 + 15.0 * TIME
    run = run_of(
        {signals.THROTTLE: 0.0 * TIME, signals.VX: np.full(TIME.size, 20.0)},
        BRAKE_PRESSURE={Corner.FL: pressure},
        WHEEL_SPEED={Corner.FL: np.full(TIME.size, 20.0 / 0.31)},
    )
    torque = -2.8e-4 * pressure * (1.0 - 5e-4 * (hot - 373.15))
    run = Run({**run, WHEEL_TORQUE[Corner.FL].column: torque, DISC_TEMPERATURE[Corner.FL].column: hot})
    assert value(BrakeFade(corner=Corner.FL), run) == pytest.approx(-5e-4, rel=1e-6)


def test_slip_stiffness_of_tyres_that_grow() -> None:
    """Braking gently: slip by the force, radius by speed and load."""
    share = -0.08 * (1.0 + np.sin(0.4 * TIME))
    speed = 30.0 - TIME
    load = 4500.0 * (1.0 - 0.2 * share)
    radius = 0.31 * (1.0 + 3e-6 * speed**2) - 4e-7 * (load - 4500.0)
    turns = speed * (1.0 + share / 22.0) / radius
    run = run_of(
        {signals.AY: 0.0 * TIME, signals.VX: speed},
        FX=dict.fromkeys(Corner, share * load),
        FZ=dict.fromkeys(Corner, load),
        WHEEL_SPEED=dict.fromkeys(Corner, turns),
    )
    assert value(SlipStiffness(axle=Axle.REAR), run, rolling_radius_load=4e-7) == pytest.approx(22.0, rel=5e-3)
    assert value(SlipStiffness(axle=Axle.REAR), run, rolling_radius_load=0.0) > 22.4
    assert abs(value(SlipStiffness(axle=Axle.REAR, grows=False), run) / 22.0 - 1.0) > 0.05


@pytest.mark.parametrize("axle", list(Axle))
def test_relaxation_length(axle: Axle) -> None:
    """F + σ/v dF/dt = −C α by an integrator, at two speeds."""
    stiffness, length, ratio = 90e3, 0.7, rigid.RATIO
    runs = []
    for speed in (15.0, 30.0):

        def swept(t: Array | float) -> Array:
            return np.asarray(0.02 * np.sin(2.0 * np.pi * (0.3 + 0.08 * np.asarray(t)) * np.asarray(t)))

        def change(t: float, force: Array, v: float = speed) -> Array:
            return np.asarray(v / length * (-stiffness * swept(t) - force))

        solved = solve_ivp(change, (0.0, TIME[-1]), [0.0], t_eval=TIME, rtol=1e-9, atol=1e-6, max_step=0.02)
        steered = axle is Axle.FRONT
        lever = (0.0 if steered else -2.68) + 1.2
        columns = {
            signals.VX: np.full(TIME.size, speed),
            signals.AY: 0.0 * TIME,
            signals.YAW_RATE: 0.1 * np.sin(TIME),
            signals.STEERING_WHEEL_ANGLE: -ratio * swept(TIME) if steered else 0.0 * TIME,
        }
        # The body moves sideways so that what is left of the slip angle is what was planted.
        wanted = 0.0 * TIME if steered else np.tan(swept(TIME))
        columns[signals.VY] = wanted * speed - lever * columns[signals.YAW_RATE]
        runs.append(run_of(columns, FY=dict.fromkeys(Corner, 0.5 * solved.y[0])))
    known = {"cg_x": -1.2} | {f"wheel_x_{c}": 0.0 if c.axle is Axle.FRONT else -2.68 for c in Corner}
    assert value(RelaxationLength(axle=axle), *runs, **known) == pytest.approx(length, rel=0.01)


def uneven(angle: WheelAngle, of_travel: float, of_roll: float) -> Run:
    """A rear axle whose wheels follow an uneven road, and are bent by forces along and inward, and across."""
    across = 300.0 * np.sin(0.9 * TIME)
    travel, bent, forces, sides = {}, {}, {}, {}
    for corner in (Corner.RL, Corner.RR):
        sign = corner.side.sign  # left: +1
        travel[corner] = HEAVE - sign * APART
        forces[corner], sides[corner] = ALONG, across - sign * INWARD
        mean = of_travel * HEAVE + 3e-6 * ALONG + 2e-6 * INWARD
        roll = 2.0 * APART / (rigid.WHEELS[Corner.RL][1] - rigid.WHEELS[Corner.RR][1])
        apart = of_roll * roll + 1e-6 * 2.0 * across
        if angle is WheelAngle.STEER:
            bent[corner] = -sign * mean + apart
        else:
            bent[corner] = mean + sign * apart
    family = "STEER" if angle is WheelAngle.STEER else "CAMBER"
    return run_of(STRAIGHT, **{"WHEEL_TRAVEL": travel, "FX": forces, "FY": sides, family: bent})


@pytest.mark.parametrize("angle", list(WheelAngle))
def test_bump_and_roll_slopes_beside_what_forces_bend(angle: WheelAngle) -> None:
    run = uneven(angle, 0.06, 0.21)
    assert value(BumpSlope(axle=Axle.REAR, angle=angle), run, travel_bends=0.0) == pytest.approx(0.06, rel=1e-3)
    assert value(RollSlope(angle=angle), run, travel_bends=0.0) == pytest.approx(0.21, rel=1e-3)
    braked = Run({**run, signals.AX.column: np.full(TIME.size, -3.0)})
    assert isinstance(estimate(BumpSlope(axle=Axle.REAR, angle=angle), [braked], rigid.known()), CannotTell)


def test_ratio_of_a_damper_sensor() -> None:
    """Braked samples, in which the damper moves beside the wheel, are left out."""
    ax = np.where(TIME > 12.0, -5.0, 0.0)
    moved = HEAVE / 1.06 + np.where(TIME > 12.0, 0.003, 0.0)
    run = run_of({signals.AX: ax}, WHEEL_TRAVEL={Corner.FL: HEAVE}, DAMPER_LENGTH={Corner.FL: 0.4 - moved})
    assert value(DamperRatio(corner=Corner.FL), run) == pytest.approx(1.06, rel=1e-3)


def test_static_angles() -> None:
    quiet = {signals.AX: 0.0 * TIME, signals.AY: 0.0 * TIME, signals.VX: np.full(TIME.size, 1.0)}
    quiet[signals.STEERING_WHEEL_ANGLE] = 0.0 * TIME
    steer = {c: np.full(TIME.size, -0.002 * c.side.sign) for c in Corner}
    run = run_of(quiet, STEER=steer, CAMBER={c: np.full(TIME.size, -0.01) for c in Corner})
    for corner in Corner:
        assert value(StaticAngle(corner=corner, angle=WheelAngle.STEER), run) == pytest.approx(0.002)
        assert value(StaticAngle(corner=corner, angle=WheelAngle.CAMBER), run) == pytest.approx(-0.01)


def turning(speed: float, understeer: float, rolls: float, yields: float, lag: float, side: float = 1.0) -> Run:
    """A ramp of the steering wheel; the motion lags behind it, and lateral forces turn the wheels back."""
    rate = side * np.radians(2.5)
    wheel = rate * TIME

    def steady(angle: Array) -> Array:
        return angle / rigid.RATIO / (2.68 / speed**2 + understeer)

    ay = steady(rate * np.maximum(TIME - lag, 0.0))
    steer = wheel / rigid.RATIO - yields * ay
    columns = {
        signals.VX: np.full(TIME.size, speed),
        signals.AX: 0.0 * TIME,
        signals.AY: ay,
        signals.YAW_RATE: ay / speed,
        signals.STEERING_WHEEL_ANGLE: wheel,
        signals.ROLL: rolls * steady(rate * np.maximum(TIME - 2.0 * lag, 0.0)),
    }
    return run_of(columns, STEER={c: steer for c in Corner if c.axle is Axle.FRONT})


def test_gradients_of_a_vehicle_that_lags_behind_its_steering() -> None:
    ramps = [turning(15.0, 0.004, 0.007, 0.0, 0.3, side) for side in (1.0, -1.0)]
    known = {f"wheel_x_{c}": 0.0 if c.axle is Axle.FRONT else -2.68 for c in Corner}
    assert value(UndersteerGradient(), *ramps, **known) == pytest.approx(0.004, rel=0.005)
    assert value(RollGradient(), *ramps) == pytest.approx(0.007, rel=2e-3)


def test_steering_ratio_of_wheels_that_forces_turn_back() -> None:
    fast, slow = turning(20.0, 0.003, 0.0, 0.0012, 0.0), turning(5.0, 0.003, 0.0, 0.0012, 0.0)
    assert value(SteeringRatio(), fast, slow) == pytest.approx(rigid.RATIO, rel=1e-3)
    one = estimate(SteeringRatio(), [fast], rigid.known())
    assert isinstance(one, Estimate)
    assert one.interval[0] < rigid.RATIO < one.interval[1]  # by what is usual, with its bound
    assert one.bias > 0.01 * rigid.RATIO

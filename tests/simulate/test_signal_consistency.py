"""Signals of one run against each other: rates are derivatives, forces make accelerations, on both models.

The vehicle is asymmetric and moves in every direction at once: a sine of the steering wheel, and braking into it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from asymmetric_vehicles import NAMES, converted, vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.motion import TotalCentre

MODELS = ("multibody", "real_time")
STEP = 1e-3
GRAVITY = 9.80665


@cache
def moved(name: str, kind: str) -> Run:
    model = MultibodyVehicle(vehicle(name)) if kind == "multibody" else RealTimeVehicle(converted(name).spec)
    model.settle()
    model.start(20.0)
    t = STEP * np.arange(1, 2001)
    return model.advance(0.6 * np.sin(4.0 * t), 0.1, np.clip(2.0 * (t - 1.0), 0.0, 0.4), -1, every=1)


def rate(run: Run, signal: Signal) -> np.ndarray:
    return np.gradient(run[signal], STEP)


def close(found: np.ndarray, expected: np.ndarray, share: float) -> None:
    """Within a share of the largest value, in 99 of 100 samples; the first ones, when the pedals come, apart."""
    inner = slice(20, -20)
    error = np.quantile(np.abs(found - expected)[inner], 0.99)
    assert error < share * np.abs(expected[inner]).max(), (error, np.abs(expected[inner]).max())


both = pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in NAMES for kind in MODELS])


@both
def test_velocity_is_the_derivative_of_the_place(name: str, kind: str) -> None:
    run = moved(name, kind)
    c, s = np.cos(run[signals.YAW][1:]), np.sin(run[signals.YAW][1:])
    # Both integrators go on with the velocity at the end of the step, so these differences are no approximation; the
    # real-time model takes it along the heading at the beginning of the step.
    turned = 0.0 if kind == "multibody" else float(np.abs(run[signals.YAW_RATE]).max()) * STEP
    x_rate, y_rate = (np.diff(run[signal]) / STEP for signal in (signals.X, signals.Y))
    assert np.abs(c * x_rate + s * y_rate - run[signals.VX][1:]).max() < 3e-4
    assert np.abs(c * y_rate - s * x_rate - run[signals.VY][1:]).max() < 3e-4 + turned * run[signals.VX].max()
    assert np.ptp(run[signals.VY]) > 0.2
    assert run[signals.SIDESLIP] == pytest.approx(np.arctan2(run[signals.VY], run[signals.VX]), abs=1e-12)


@both
def test_acceleration_is_the_derivative_of_the_velocity(name: str, kind: str) -> None:
    """The real-time model's velocity is that of the centre of gravity with its wheels where the body holds them.

    Its acceleration is that of all masses. While the brakes come, within 40 ms, wheels give way to the rear, and the
    body slows later than the whole: 5.4 % of the largest acceleration, and no more than 8 mm/s in between.
    """
    run = moved(name, kind)
    turning = rate(run, signals.YAW)
    along = rate(run, signals.VX) - run[signals.VY] * turning
    across = rate(run, signals.VY) + run[signals.VX] * turning
    close(along, run[signals.AX], 0.01 if kind == "multibody" else 0.06)
    close(across, run[signals.AY], 0.01)
    for rates, acceleration in ((along, signals.AX), (across, signals.AY)):
        assert np.abs(np.cumsum(rates - run[acceleration])[20:-20]).max() * STEP < 0.012
    assert np.ptp(run[signals.AX]) > 0.5
    assert np.ptp(run[signals.AY]) > 2.0


@both
def test_angles_turn_with_the_rates(name: str, kind: str) -> None:
    """ISO 8855: the rates about the axes of the body, and the angles about z, y, x in this order."""
    run = moved(name, kind)
    p, q, r = (run[signal] for signal in (signals.ROLL_RATE, signals.PITCH_RATE, signals.YAW_RATE))
    roll, pitch = run[signals.ROLL], run[signals.PITCH]
    about_z = (q * np.sin(roll) + r * np.cos(roll)) / np.cos(pitch)
    close(rate(run, signals.YAW), about_z, 0.02)
    close(rate(run, signals.ROLL), p + about_z * np.sin(pitch), 0.05)
    close(rate(run, signals.PITCH), q * np.cos(roll) - r * np.sin(roll), 0.05)


@both
def test_forces_of_the_tyres_move_the_mass(name: str, kind: str) -> None:
    """Newton's law for the whole vehicle, the forces turned by the steer angles; the air takes its part."""
    run, of = moved(name, kind), vehicle(name)
    mass, air = of.mass_properties.mass, of.aerodynamics
    assert air is not None
    fx, fy, fz = (np.zeros(run.time.size) for _ in range(3))
    for corner in Corner:
        c, s = np.cos(run[signals.STEER[corner]]), np.sin(run[signals.STEER[corner]])
        along, across = run[signals.FX[corner]], run[signals.FY[corner]]
        fx, fy, fz = fx + c * along - s * across, fy + s * along + c * across, fz + run[signals.FZ[corner]]
    scale = 0.5 * air.density * air.frontal_area * run[signals.VX] ** 2
    close(fx - scale * air.drag, mass * run[signals.AX], 0.04)
    close(fy, mass * run[signals.AY], 0.03)
    lift = scale * (air.front_lift + air.rear_lift)
    close(fz + lift - mass * GRAVITY, mass * run[signals.AZ], 0.2)  # small, and the slopes of the wheels take a part


@both
def test_the_height_is_that_of_the_centre_of_gravity(name: str, kind: str) -> None:
    """At rest: the whole vehicle's, lowered or raised with the body by what the springs give; along x it stays."""
    run, total = moved(name, kind), vehicle(name).mass_properties
    body = MultibodyVehicle(vehicle(name)).settle()
    assert run[signals.Z][0] == pytest.approx(total.centre[2] + body.body_rise, abs=3e-3)
    assert run[signals.X][0] == pytest.approx(total.centre[0] + 20.0 * STEP, abs=4e-3)
    assert run[signals.Y][0] == pytest.approx(total.centre[1], abs=8e-3)


@both
def test_angular_accelerations_are_the_derivatives_of_the_rates(name: str, kind: str) -> None:
    """Of the step before a sample, in which both integrators hold them: no approximation."""
    run = moved(name, kind)
    for of, acceleration in (
        (signals.YAW_RATE, signals.YAW_ACCELERATION),
        (signals.ROLL_RATE, signals.ROLL_ACCELERATION),
        (signals.PITCH_RATE, signals.PITCH_ACCELERATION),
    ):
        found = run[acceleration]
        assert np.ptp(found) > 0.5
        assert np.abs(np.diff(run[of]) / STEP - found[1:]).max() < 1e-9 * np.abs(found).max()


@both
def test_damper_velocities_are_the_derivatives_of_the_lengths(name: str, kind: str) -> None:
    """The steering wheel turns: what it does to the lengths is part of it."""
    run = moved(name, kind)
    for corner in Corner:
        length, velocity = run[signals.DAMPER_LENGTH[corner]], run[signals.DAMPER_VELOCITY[corner]]
        assert np.ptp(length) > 0.01
        error = np.abs(np.diff(length) / STEP - velocity[1:])[20:]
        assert error.max() < 3e-4 * np.abs(velocity).max(), corner


@both
def test_ride_heights_are_those_of_two_points_of_the_body(name: str, kind: str) -> None:
    """They lie a wheelbase apart and follow pitch; with travel and roll they give the heights of wheel centres."""
    run = moved(name, kind)
    centres = {corner: np.array(vehicle(name).wheel(corner).centre) for corner in Corner}
    middles = [0.5 * (centres[a] + centres[b]) for a, b in ((Corner.FL, Corner.FR), (Corner.RL, Corner.RR))]
    along, across, up = middles[0] - middles[1]
    roll, pitch = run[signals.ROLL], run[signals.PITCH]
    apart = -along * np.sin(pitch) + np.cos(pitch) * (across * np.sin(roll) + up * np.cos(roll))
    difference = run[signals.RIDE_HEIGHT_FRONT] - run[signals.RIDE_HEIGHT_REAR]
    assert np.ptp(difference) > 0.01
    assert np.abs(difference - apart).max() < 2e-6


@pytest.mark.parametrize("name", [*NAMES, "lcv_7t", "suv"])
def test_the_total_centre_is_the_mean_of_all_masses(name: str) -> None:
    """Sprung body and wheels at unequal travels, from the specification; without travel that of the vehicle."""
    spec = converted(name).spec
    p = spec.parameters
    wheels = np.array([wheel.centre for wheel in spec.wheels])
    m = np.repeat([p["unsprung_mass_front"], p["unsprung_mass_rear"]], 2)
    sprung = np.array([wheels[0, 0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
    travels = np.array([0.01, -0.02, 0.035, 0.005])
    moved_up = wheels + np.outer(travels, [0.0, 0.0, 1.0])
    expected = (p["sprung_mass"] * sprung + m @ moved_up) / (p["sprung_mass"] + m.sum()) - sprung
    found = TotalCentre.of(spec)
    assert np.array(found.at(travels.tolist())) == pytest.approx(expected, abs=1e-12)
    if name not in NAMES:  # see the table of the conversion for those
        at_rest = np.array(found.at([0.0] * 4)) + sprung
        assert at_rest == pytest.approx(vehicle(name).mass_properties.centre, abs=1e-9)

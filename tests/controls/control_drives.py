"""What the controls drive, with either model of a case under the same inputs."""

from __future__ import annotations

from functools import cache

import numpy as np
from control_cases import Case, Multibody, RealTime, vehicle_of
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.manoeuvres.longitudinal import Braking
from trackrod.manoeuvres.manoeuvre import NEUTRAL, Manoeuvre
from trackrod.manoeuvres.standing import StandstillSteering
from trackrod.manoeuvres.steady_turn import RampSteer, quasi_static_angle
from trackrod.manoeuvres.steering import StepSteer
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.model import tyre_places

Array = NDArray[np.float64]
Maker = Multibody | RealTime

#: Lateral acceleration of the steady turn, deceleration of the braking, both moderate [g].
TURN_G, BRAKING_G = 0.4, 0.4
SPEED_KMH = 80.0
#: Step of runs in which wheels hop [s]: implicit Euler at 1 ms would damp the reference, at this one 1 % of it is lost.
FINE = 0.25e-3
#: Share of the dampers left where a frequency is looked for: a damped wheel has no peak to find.
WEAK_DAMPERS = 0.35


def driven(model: MultibodyVehicle | RealTimeVehicle, manoeuvre: Manoeuvre) -> Run:
    """A whole manoeuvre; RuntimeError if it was not driven to its end, because half a run must not be compared."""
    run = simulate(model, manoeuvre)
    if not run.metadata["completed"]:
        raise RuntimeError(f"{run.metadata['name']}: {run.metadata['events']}")
    return run


def standing(make: Maker) -> Run:
    """At rest on level ground, the wheels free to roll."""
    model = make()
    model.settle()
    model.start(0.0)
    return model.advance(np.zeros(20), 0.0, 0.0, NEUTRAL, every=10)


@cache
def slow_ramp(make: Maker) -> Run:
    """Steering slowly up to the lateral acceleration of the turn; kept, because it gives the angle of the turn."""
    return driven(make(), RampSteer(speed_kmh=SPEED_KMH, rate_degps=10.0, target_ay_g=TURN_G))


@cache
def turn_angle(case: Case) -> float:
    """Steering-wheel angle of the turn, as the reference needs it [°]."""
    return quasi_static_angle(lambda _: slow_ramp(Multibody(case)), SPEED_KMH, TURN_G)


def steady_turn(make: Maker) -> Run:
    """Into a turn within half a second, held there."""
    angle = turn_angle(make.case)
    step = StepSteer(speed_kmh=SPEED_KMH, steering_wheel_angle_deg=angle, rate_degps=2.0 * angle, hold_s=4.0)
    return driven(make(), step)


def pedal(case: Case, deceleration_g: float) -> float:
    """Brake pedal for a deceleration where no wheel locks, by the balance of moments at the wheels."""
    vehicle = vehicle_of(case)
    brakes = vehicle.brakes
    assert brakes is not None
    force = sum(
        2.0 * brakes.largest_pressure * torque / vehicle.wheel(corner).centre[2]
        for torque, corner in ((brakes.front_torque, Corner.FL), (brakes.rear_torque, Corner.RL))
    )
    return deceleration_g * STANDARD_GRAVITY * float(vehicle.mass_properties.mass) / force


def braking(make: Maker) -> Run:
    """A moderate stop, in neutral."""
    stop = Braking(speed_kmh=SPEED_KMH, brake=pedal(make.case, BRAKING_G), after_s=0.0)
    return driven(make(), stop)


def rising_brake(make: Maker) -> Run:
    """The pedal pressed slowly until all wheels have locked that can."""
    model = make()
    model.settle()
    model.start(100.0 / 3.6)
    time = 1e-3 * np.arange(1, 3001)
    rising = np.minimum(pedal(make.case, 1.92) * time / time[-1], 1.0)
    return model.advance(np.zeros(time.size), 0.0, rising, NEUTRAL, every=1)


def locked_stop(make: Maker) -> Run:
    """Full pedal from 50 km/h, held for some seconds after the stop."""
    return driven(make(), Braking(speed_kmh=50.0, brake=1.0, rise_s=0.1, after_s=4.0))


def standstill_steering(make: Maker) -> Run:
    """Steering to both sides, the brake applied."""
    return driven(make(), StandstillSteering(steering_wheel_angle_deg=90.0, frequency_Hz=0.5, periods=1))


def weaving(make: Maker) -> Run:
    """Steering wheel 20° to both sides at 0.5 Hz, torsion bar and assistance at work."""
    model = make(elastic_steering=True)
    model.settle()
    model.start(SPEED_KMH / 3.6)
    time = 1e-3 * np.arange(1, 5001)
    angle = np.radians(20.0) * np.sin(np.pi * np.maximum(time - 1.0, 0.0))
    return model.advance(angle, 0.15, 0.0, 0, every=10)


def step_steer(make: Maker) -> Run:
    """A step at 100 km/h to about the lateral acceleration of the turn."""
    angle = turn_angle(make.case) * (SPEED_KMH / 100.0) ** 1.5  # between a neutral and a strongly understeering car
    return driven(make(step=0.5e-3), StepSteer(speed_kmh=100.0, steering_wheel_angle_deg=angle, hold_s=2.0))


#: Height and length of the pulse of the posts [m], [s]: so small that everything is linear, flat to 20 Hz.
PULSE_HEIGHT, PULSE_LENGTH = 1e-4, 0.02


def post_height(time: Array) -> Array:
    """Height of a post after the beginning of its pulse [m]."""
    turn = 2.0 * np.pi * np.clip(time / PULSE_LENGTH, 0.0, 1.0)
    return 0.5 * PULSE_HEIGHT * (1.0 - np.cos(turn))


def _posts(make: Maker, dampers: float) -> Run:
    """Half the difference of a pulse up and a pulse down under the left wheels of the rolling vehicle.

    What the vehicle does without a pulse falls out. The sum of left and right is the vehicle's answer to half the pulse
    under all wheels, their difference that to wheels moved against each other.
    """
    runs = []
    for sign in (1.0, -1.0):
        model = make(step=FINE, linear_dampers=dampers)
        model.settle()
        model.start(SPEED_KMH / 3.6)
        time = FINE * np.arange(1, round(1.5 / FINE) + 1)
        left = np.array([corner.side is Side.LEFT for corner, _, _ in tyre_places(model)], dtype=float)
        heights = sign * np.outer(post_height(time), left)
        runs.append(model.advance(np.zeros(time.size), 0.0, 0.0, NEUTRAL, every=4, road_heights=heights))
    up, down = runs
    time = FINE * 4 * np.arange(1, up.time.size + 1)
    return Run({**{column: 0.5 * (up[column] - down[column]) for column in up}, signals.TIME.column: time})


def posts(make: Maker) -> Run:
    """A small pulse under the wheels, the dampers made linear."""
    return _posts(make, 1.0)


def posts_weak_dampers(make: Maker) -> Run:
    """The same with most of the damping taken away."""
    return _posts(make, WEAK_DAMPERS)

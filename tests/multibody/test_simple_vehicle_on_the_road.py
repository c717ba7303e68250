"""A vehicle on four trailing arms: grade, air and offset tyres act as their numbers say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kc.simple_axles import swing_axle, trailing_arm, vehicle_on
from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.vehicle.systems import Aerodynamics, TyrePlace
from trackrod.vehicle.vehicle import Vehicle

G = 9.80665


def settled(vehicle: Vehicle, grade: float = 0.0) -> MultibodyVehicle:
    model = MultibodyVehicle(vehicle)
    model.tilt(grade)
    model.settle()
    return model


@pytest.mark.parametrize("grade", [0.0, 0.2, -0.4])
def test_a_grade_turns_the_weight(grade: float) -> None:
    vehicle = vehicle_on(trailing_arm)
    loads = settled(vehicle, grade).settle().wheel_loads
    total = vehicle.mass_properties.mass * G
    assert sum(loads.values()) == pytest.approx(total / np.hypot(1.0, grade), rel=1e-6)
    fl, fr, rl, rr = loads.values()
    assert (fl, rl) == pytest.approx((fr, rr), rel=1e-5)
    with pytest.raises(InputError, match=r"the grade is 1\.05"):
        settled(vehicle, 1.05)


def rolling(vehicle: Vehicle, grade: float = 0.0, speed: float = 40.0) -> Run:
    model = settled(vehicle, grade)
    model.start(speed)
    return model.advance(np.zeros(20), 0.0, 0.0, 0)


def test_a_vehicle_rolls_down_a_grade() -> None:
    vehicle = vehicle_on(trailing_arm)
    level, up = (rolling(vehicle, grade, speed=10.0)[signals.AX][-1] for grade in (0.0, 0.1))
    assert up - level == pytest.approx(-G * 0.1 / np.hypot(1.0, 0.1), rel=0.05)  # the wheels must turn too


AIR = Aerodynamics(density=1.2, frontal_area=2.5, drag=0.4, front_lift=0.3, rear_lift=-0.1, centre_height=0.55)


def test_air_slows_and_lifts() -> None:
    """At 40 m/s the dynamic pressure is 960 N/m², on 2.5 m²."""
    vehicle = vehicle_on(trailing_arm)
    still, wind = rolling(vehicle), rolling(replace(vehicle, aerodynamics=AIR))
    mass = vehicle.mass_properties.mass
    force = 0.5 * 1.2 * 2.5 * 40.0**2
    assert wind[signals.AX][0] - still[signals.AX][0] == pytest.approx(-0.4 * force / mass, rel=0.03)
    lift = np.diff(wind[signals.Z] - still[signals.Z], 2)[:3].mean() / 1e-6  # acceleration, before springs answer
    assert lift == pytest.approx(0.2 * force / mass, rel=0.15)
    raised = wind[signals.PITCH_RATE] - still[signals.PITCH_RATE]
    assert raised[-1] < 0  # the front is lifted, the rear is pressed down: nose up
    reverse = replace(AIR, front_lift=-0.1, rear_lift=0.3)
    lowered = rolling(replace(vehicle, aerodynamics=reverse))[signals.PITCH_RATE] - still[signals.PITCH_RATE]
    assert lowered[-1] == pytest.approx(-raised[-1], rel=0.2)


@pytest.mark.parametrize("offset", [0.08, -0.08])
def test_tyres_are_offset_outward(offset: float) -> None:
    """On a swing axle an outward tyre has a longer arm: the body sinks, equally on both sides."""
    vehicle = vehicle_on(swing_axle)
    wheels = tuple(replace(wheel, tyres=(TyrePlace("road", offset),)) for wheel in vehicle.wheels)
    middle, moved = (MultibodyVehicle(v).settle() for v in (vehicle, replace(vehicle, wheels=wheels)))
    fl, fr, rl, rr = moved.travels.values()
    assert (fl, rl) == pytest.approx((fr, rr), abs=1e-6)
    higher = [moved.travels[corner] - middle.travels[corner] for corner in moved.travels]
    assert min(np.sign(offset) * np.array(higher)) > 1e-3  # wheels in bump where the tyres are farther out

"""Payload, friction and wind of a run, against rigid bodies and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rtm.converted_vehicles import spec_of

from trackrod.campaign.circumstances import VehicleInSurroundings, loaded
from trackrod.campaign.description import PayloadPlace
from trackrod.convert.conversion import Compliance
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.manoeuvres.excitation import Excitation
from trackrod.manoeuvres.longitudinal import Braking, CoastDown
from trackrod.manoeuvres.steering import SineWithDwell
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate


def body(spec: RtmSpec) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre (forward, left, up from the front axle on the road) and inertia about that origin."""
    p = spec.parameters
    tensor = np.array([[p["Ixx"], p["Ixy"], p["Ixz"]], [p["Ixy"], p["Iyy"], p["Iyz"]], [p["Ixz"], p["Iyz"], p["Izz"]]])
    centre = np.array([-p["cg_to_front"], p["cg_y"], p["cg_height"]])
    m = p["sprung_mass"]
    return m, centre, tensor + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))


@given(st.floats(1.0, 2000.0), st.floats(-1.0, 4.0), st.floats(0.0, 3.0), st.floats(-1.0, 1.0))
def test_a_payload_is_a_point_more(mass: float, behind: float, height: float, left: float) -> None:
    """About one origin masses, first and second moments simply add up."""
    car = spec_of("double_wishbone_car", compliance=Compliance.NONE)
    m, centre, about = body(car)
    total, found, tensor = body(loaded(car, mass, PayloadPlace(behind, height, left)))
    point = np.array([-behind, left, height])
    assert total == pytest.approx(m + mass)
    assert total * found == pytest.approx(m * centre + mass * point, rel=1e-9, abs=1e-6)
    expected = about + mass * (point @ point * np.eye(3) - np.outer(point, point))
    assert tensor == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_axles_carry_the_payload_by_the_lever(car: RtmSpec) -> None:
    wheelbase = float(car.wheels[0].centre[0] - car.wheels[2].centre[0])
    behind, mass = 0.75 * wheelbase, 200.0

    def axles(spec: RtmSpec) -> np.ndarray:
        loads = RealTimeVehicle(spec).settle()
        return np.array([sum(loads[c] for c in Corner if c.axle is axle) for axle in Axle])

    added = axles(loaded(car, mass, PayloadPlace(behind, 0.6))) - axles(car)
    weight = mass * STANDARD_GRAVITY
    # The wheels do not stay exactly under their design positions while the vehicle sinks.
    assert added == pytest.approx([0.25 * weight, 0.75 * weight], rel=0.02)


def test_friction_is_a_factor_on_that_of_the_manoeuvre(car: RtmSpec) -> None:
    """A road of 0.8 times 0.5 is one of 0.4, bit for bit, in a manoeuvre that has its own."""
    given_there = SineWithDwell(steering_wheel_angle_deg=100.0, friction_factor=0.8)
    whole = SineWithDwell(steering_wheel_angle_deg=100.0, friction_factor=0.4)
    vehicle = VehicleInSurroundings(car, step=1e-3, surroundings={"friction": 0.5})
    one, other = simulate(vehicle, given_there), simulate(RealTimeVehicle(car), whole)
    assert np.array_equal(one[signals.AY], other[signals.AY])


def test_braking_distance_grows_with_the_inverse_of_the_friction(car: RtmSpec) -> None:
    def distance(friction: float) -> float:
        vehicle = VehicleInSurroundings(car, step=1e-3, surroundings={"friction": friction})
        return float(simulate(vehicle, Braking(speed_kmh=50.0, brake=1.0))[signals.X][-1])

    assert distance(0.4) / distance(0.8) == pytest.approx(2.0, rel=0.15)


def test_a_head_wind_brakes_by_the_square_of_the_speed_in_air(car: RtmSpec) -> None:
    """Rolling out in neutral: what a wind adds to the deceleration is ½ρAc ((v + w)² − v²) over the effective mass."""
    drive, wind = CoastDown(first_speed_kmh=100.0, last_speed_kmh=90.0), 10.0

    def deceleration(surroundings: dict[str, float]) -> float:
        run = simulate(VehicleInSurroundings(car, step=1e-3, surroundings=surroundings), drive)
        speed, time = run[signals.VX], run.time
        at = np.searchsorted(-speed, -95.0 / 3.6)
        return float(-(speed[at + 20] - speed[at - 20]) / (time[at + 20] - time[at - 20]))

    p, v = car.parameters, 95.0 / 3.6
    force = p["drag"] * ((v + wind) ** 2 - v**2)
    radius = float(car.wheels[0].centre[2]) - car.road_height
    spins = 2.0 * (p["wheel_inertia_front"] + p["wheel_inertia_rear"]) / radius**2
    assert p["drag"] > 0.0
    assert deceleration({"head_wind": wind}) - deceleration({}) == pytest.approx(force / (car.mass + spins), rel=0.05)


def test_a_slope_is_added_to_the_road(car: RtmSpec) -> None:
    """A vehicle that rolls freely uphill is slower by g sin(angle)."""
    angle = 0.03

    def deceleration(surroundings: dict[str, float]) -> float:
        manoeuvre = Excitation(speed_kmh=60.0, steering_wheel_angle_deg=0.0, throttle=0.0, duration_s=3.0)
        run = simulate(VehicleInSurroundings(car, step=1e-3, surroundings=surroundings), manoeuvre)
        return float(run[signals.VX][-100] - run[signals.VX][-1])

    difference = deceleration({"slope": angle}) - deceleration({})
    # Wheels and engine turn with the vehicle: less than g sin(angle), as on the level.
    assert 0.6 < difference / (0.99 * STANDARD_GRAVITY * math.sin(angle)) < 1.05


def test_a_renewed_vehicle_drives_as_a_new_one(car: RtmSpec) -> None:
    """Whatever was driven before leaves nothing behind."""
    manoeuvre = Braking(speed_kmh=50.0, brake=0.4)
    lighter = car.with_parameters(sprung_mass=0.9 * car.parameters["sprung_mass"])
    vehicle = VehicleInSurroundings(car, step=1e-3, surroundings={"friction": 0.3, "head_wind": 5.0})
    simulate(vehicle, manoeuvre)
    vehicle.renew(lighter, {})
    one, other = simulate(vehicle, manoeuvre), simulate(RealTimeVehicle(lighter), manoeuvre)
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in other)

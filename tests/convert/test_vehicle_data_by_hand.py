"""What the conversion takes from a simple vehicle in which front and rear, left and right are different."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kc.simple_axles import CHASSIS, body, swing_axle, vehicle_on
from trackrod.convert.conversion import _parameters
from trackrod.convert.vehicle_data import DriveReaction, sources, vehicle_data
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import KINDS
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.vehicle.characteristics import Characteristic, DamperCharacteristic
from trackrod.vehicle.connectors import Damper
from trackrod.vehicle.systems import Aerodynamics, Brakes
from trackrod.vehicle.vehicle import Vehicle

RATES = {Corner.FL: 1500.0, Corner.FR: 1700.0, Corner.RL: 2300.0, Corner.RR: 2600.0}


def made() -> Vehicle:
    """Payload in front on the left, no two dampers alike, brakes and air of each end, a rear axle driving itself."""
    plain = vehicle_on(swing_axle)
    dampers = []
    for wheel in plain.wheels:
        axle, (x, y, _) = wheel.corner.axle, wheel.centre
        curve = Characteristic.linear(RATES[wheel.corner], 2.0, KINDS["velocity"], KINDS["force"])
        name = f"{axle}_suspension.damper_{wheel.corner.side}"
        ends = ((x, 0.8 * y, 0.3), (x, 0.8 * y, 0.8))
        upright = f"{axle}_suspension.upright_{wheel.corner.side}"
        dampers.append(Damper(name, (upright, CHASSIS), ends, DamperCharacteristic(curve)))
    axles = tuple(replace(axle, dependent=axle.position is Axle.REAR) for axle in plain.axles)
    wheels = tuple(replace(w, drive_reaction=w.brake_reaction) for w in plain.wheels)
    return replace(
        plain,
        bodies=(*plain.bodies, replace(body("body.payload", (-0.7, 0.5, 0.9), 90.0), sprung_fraction=1.0)),
        dampers=tuple(dampers),
        axles=axles,
        wheels=wheels,
        brakes=Brakes(front_torque=150.0, rear_torque=60.0, largest_pressure=8.0),
        aerodynamics=Aerodynamics(1.2, 2.5, 0.4, front_lift=0.3, rear_lift=-0.1, centre_height=0.7),
    )


def test_every_number_comes_from_its_end_of_the_vehicle() -> None:
    data = vehicle_data(made(), road_height=0.02)
    assert data.brake_torques == {Axle.FRONT: 1200.0, Axle.REAR: 480.0}
    assert data.air is not None
    air = (data.air.drag, data.air.lift_front, data.air.lift_rear, data.air.drag_height)
    assert air == pytest.approx((0.6, 0.45, -0.15, 0.7))  # ½·1.2·2.5 = 1.5, times 0.4, 0.3 and −0.1
    assert data.drive_reactions == {Axle.FRONT: DriveReaction.BODY, Axle.REAR: DriveReaction.AXLE}
    for corner, rate in RATES.items():
        curve = data.dampers[corner]
        assert np.interp(1.0, curve.x, curve.y) == pytest.approx(rate)
    assert data.centres == {corner: made().wheel(corner).centre for corner in Corner}
    assert data.road_height == 0.02
    assert data.steering is None
    assert vehicle_data(made()).road_height == 0.0


def test_a_drive_held_by_the_body_is_not_on_the_axle() -> None:
    held = tuple(replace(wheel, drive_reaction=CHASSIS) for wheel in made().wheels)
    assert set(vehicle_data(replace(made(), wheels=held)).drive_reactions.values()) == {DriveReaction.BODY}


def test_parameters_are_those_of_the_data() -> None:
    """Every moment and product of inertia, heights above the road, both axles."""
    data = vehicle_data(made(), road_height=0.02)
    p, masses = _parameters(data), data.masses
    inertia = masses.sprung_inertia
    pairs = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
    assert {name: p[name] for name in pairs} == pytest.approx({name: inertia[at] for name, at in pairs.items()})
    assert min(abs(inertia[at]) for at in pairs.values()) > 1.0  # none is zero by symmetry
    x, y, z = masses.sprung_centre
    place = (p["sprung_mass"], p["cg_to_front"], p["cg_y"], p["cg_height"])
    assert place == pytest.approx((masses.sprung_mass, data.centres[Corner.FL][0] - x, y, z - 0.02))
    assert (p["brake_front"], p["brake_rear"]) == (1200.0, 480.0)
    air = (p["drag"], p["lift_front"], p["lift_rear"], p["drag_height"])
    assert air == pytest.approx((0.6, 0.45, -0.15, 0.68))
    for axle, (left, right) in {"front": (Corner.FL, Corner.FR), "rear": (Corner.RL, Corner.RR)}.items():
        for name, values in (
            ("unsprung_mass", masses.unsprung),
            ("unsprung_roll_inertia", masses.roll_inertia),
            ("unsprung_yaw_inertia", masses.yaw_inertia),
            ("wheel_inertia", masses.spin_inertia),
        ):
            assert p[f"{name}_{axle}"] == pytest.approx(0.5 * (values[left] + values[right]))


def test_sources_say_what_is_certain() -> None:
    """Numbers of files are; what is summed up, measured on the rig or drawn from an engine map is not."""
    found = vehicle_data(made()).sources
    files = {"steering_ratio", "brake_front", "brake_rear", "drag", "lift_front", "lift_rear", "drag_height"}
    files |= {"wheel_inertia_front", "wheel_inertia_rear"}
    assert {name for name, source in found.items() if source.certain} == files
    of_axles = ("unsprung_mass", "spring_factor", "antiroll_factor", "stop_factor", "damper_factor")
    measured = {f"{name}_{axle}" for name in of_axles for axle in ("front", "rear")}
    assert measured | {"sprung_mass", "cg_y", "Izz", "Iyz", "engine_factor"} < set(found) - files


def test_every_parameter_has_a_source() -> None:
    """But for friction and frame where a vehicle has none, and for what the conversion leaves at its default."""
    left = {"gravity", "shaft_inertia_front", "shaft_inertia_rear"}
    assert set(sources()) == {item.name for item in PARAMETERS} - left
    not_there = {f"{name}_{axle}" for name in ("friction", "friction_base") for axle in ("front", "rear")}
    assert set(sources()) - set(vehicle_data(made()).sources) == not_there | {"frame_stiffness", "frame_damping"}

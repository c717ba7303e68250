"""The steering as a mechanism: universal joints, torsion bar, gear, assistance; closed forms, balance, signs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.steering import column_angle
from trackrod.core.errors import InputError
from trackrod.multibody.compile import CompiledModel, compile_vehicle
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.motion import joint_angles, joint_travel
from trackrod.multibody.steering import SteeringColumn, SteeringModel
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.elements import GROUND, Joint, JointType, Mode
from trackrod.vehicle.vehicle import Vehicle

NAMES = tuple(BUNDLED)


@cache
def vehicle(name: str = "double_wishbone_car") -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


def bench(name: str, mode: Mode = Mode.KINEMATIC, *, assisted: bool = True) -> Vehicle:
    """The steering alone, on a bench: everything else is one body that stands still, and nothing holds the rack."""
    car = vehicle(name).with_mode(mode)
    assert car.steering is not None
    own = tuple(body.name for body in car.bodies if body.name.startswith("steering."))
    kept = [j for j in car.joints if set(j.bodies) <= {*own, car.chassis} and j.name.startswith("steering.")]
    kept += [j for j in car.joints if j.name in {wheel.joint for wheel in car.wheels}]
    kept += [
        Joint(f"bench.{body.name}", JointType.FIXED, (car.chassis, body.name), body.centre)
        for body in car.bodies
        if body.name not in (*own, car.chassis)
    ]
    kept += [
        Joint(f"bench.{kind}", kind, (car.chassis, GROUND), (0.0, 0.0, 0.3))
        for kind in (JointType.SPHERICAL, JointType.ORIENTATION)
    ]
    return replace(
        car,
        joints=tuple(kept),
        bushings=tuple(b for b in car.bushings if set(b.bodies) <= {*own, car.chassis}),
        **dict.fromkeys(("springs", "dampers", "stops", "torsion_springs", "beams"), ()),
        steering=car.steering if assisted else replace(car.steering, assist=None),
    )


def turned(model: CompiledModel, angles: np.ndarray) -> np.ndarray:
    """Static poses at angles of the steering wheel."""
    targets = np.zeros((angles.size, len(model.drives)))
    targets[:, model.drives["steering_wheel"]] = angles
    poses, *_, converged = model.core.sweep(targets, 60, 1e-11, 0.5)
    assert all(converged)
    return np.asarray(poses)


def column_of(model: CompiledModel) -> SteeringColumn:
    assert model.column is not None
    return model.column


def curve(characteristic: Characteristic) -> PchipInterpolator:
    return PchipInterpolator(characteristic.x, characteristic.y)


def joint(car: Vehicle, name: str) -> Joint:
    return next(j for j in car.joints if j.name == f"steering.{name}")


def double_universal(car: Vehicle, angles: np.ndarray) -> np.ndarray:
    """Angle of the steering shaft over that of the steering wheel, from the crosses of the joints alone.

    The cross of a universal joint has one arm on either shaft, and they stay normal to each other: an arm p turned with
    the driving shaft and the arm q of the driven one give q(phi) . p(theta) = 0, which is solved for phi by hand.
    """
    column = np.array(joint(car, "steering_wheel").axis)
    upper, lower = joint(car, "upper_universal"), joint(car, "lower_universal")
    middle = np.array(upper.position) - np.array(lower.position)
    middle /= np.linalg.norm(middle)
    pinion = np.array(joint(car, "steering_shaft").axis)
    intermediate = _driven(np.array(upper.second_axis), column, np.array(upper.axis), middle, angles)
    return _driven(np.array(lower.second_axis), middle, np.array(lower.axis), pinion, intermediate)


def _driven(arm: np.ndarray, about: np.ndarray, other: np.ndarray, axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Angle of a shaft with the arm `other` on `axis`, driven by one whose `arm` has turned by `angles` `about` its."""
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    p = c * arm + s * np.cross(about, arm)  # arms are normal to their shafts
    # (cos other + sin axis x other) . p = 0
    phi = np.arctan2(-(p @ other), p @ np.cross(axis, other))
    phi = np.unwrap(phi, period=np.pi)
    at_rest = np.interp(0.0, angles, phi)
    return np.asarray(phi - np.pi * round(at_rest / np.pi))


@pytest.mark.parametrize("name", NAMES)
def test_universal_joints_transmit_as_their_geometry_says(name: str) -> None:
    """Over a turn and a half to either side, with nothing to push against: angle for angle."""
    car = bench(name)
    model = compile_vehicle(car, with_tyres=False, steering=SteeringModel.MECHANISM)
    angles = np.concatenate((np.linspace(0.0, 9.0, 91), np.linspace(8.9, -9.0, 180)))
    poses = turned(model, angles)
    order = np.argsort(angles[90:])
    found, given = joint_angles(model, poses, joint(car, "steering_shaft"))[90:][order], angles[90:][order]
    assert found == pytest.approx(double_universal(car, given), abs=2e-5)
    assert found == pytest.approx(column_angle(car, given), abs=2e-5)  # that of the real-time model
    uneven = found - given
    assert 1e-4 < np.ptp(uneven) < 0.3  # it is not the ratio alone


def test_the_rack_follows_the_pinion_over_several_turns() -> None:
    for name in ("double_wishbone_car", "cla_class"):  # the rack before and behind the axle
        car = bench(name)
        model = compile_vehicle(car, with_tyres=False, steering=SteeringModel.MECHANISM)
        poses = turned(model, np.linspace(0.0, 8.0, 81))
        travel, pinion = (
            joint_travel(model, poses, column_of(model).rack),
            joint_angles(model, poses, joint(car, "pinion")),
        )
        assert pinion[-1] > 6.0
        assert car.steering is not None
        assert travel == pytest.approx(car.steering.ratio * pinion, abs=1e-8)


def test_the_torsion_bar_twists_by_torque_over_stiffness() -> None:
    """A known force on the rack: pinion torque by the ratio, twist by the curve of the bar, assistance off and on."""
    car = bench("integral_link", assisted=False)
    steering = car.steering
    assert steering is not None
    assert steering.torsion_bar is not None
    for load in (300.0, -700.0):
        model = compile_vehicle(car, with_tyres=False, steering=SteeringModel.MECHANISM)
        column = column_of(model)
        assert column.twist is not None
        axis = np.array(column.rack.axis)
        model.core.set_load(model.index[column.rack.bodies[0]], load * axis, np.zeros(3))
        poses = turned(model, np.zeros(1))
        twist = float(joint_angles(model, poses, column.twist)[0])
        expected = -load * steering.ratio  # the shaft holds against the rack
        assert curve(steering.torsion_bar)(twist) == pytest.approx(expected, rel=1e-6)
        # the driver holds what the bar transmits, but for the unevenness of the universal joints
        assert model.core.drive_forces()[model.drives["steering_wheel"]] == pytest.approx(expected, rel=0.15)


def test_assistance_carries_most_of_the_rack_force() -> None:
    car = bench("integral_link")
    steering = car.steering
    assert steering is not None
    assert steering.assist is not None
    assert steering.torsion_bar is not None
    model = compile_vehicle(car, with_tyres=False, steering=SteeringModel.MECHANISM)
    column = column_of(model)
    assert column.twist is not None
    model.core.set_load(model.index[column.rack.bodies[0]], -4000.0 * np.array(column.rack.axis), np.zeros(3))
    poses = turned(model, np.zeros(1))
    twist = float(joint_angles(model, poses, column.twist)[0])
    pressure, bar = curve(steering.assist.pressure)(twist), curve(steering.torsion_bar)(twist)
    sense = np.sign(steering.ratio)  # of the rack, where a left turn pushes it to the right
    assert sense * pressure * steering.assist.piston_area + bar / steering.ratio == pytest.approx(4000.0, rel=1e-6)
    assert 0.0 < bar / steering.ratio < 1000.0


def test_the_column_does_not_hold_the_rack_housing() -> None:
    """A push on the housing along the intermediate shaft is answered by its bushings alone, as without a column."""
    car = bench("integral_link", Mode.COMPLIANT)
    moved = {}
    for steering in SteeringModel:
        model = compile_vehicle(car, with_tyres=False, steering=steering)
        assert model.core.solve_statics(200, 1e-10, 0.02)[0]
        before = model.core.poses()
        housing = model.index["steering.rack_housing"]
        model.core.set_load(housing, np.array([-700.0, 0.0, 700.0]), np.zeros(3))
        assert model.core.solve_statics(200, 1e-10, 0.02)[0]
        moved[steering] = (model.core.poses() - before)[housing, :3]
    assert np.linalg.norm(moved[SteeringModel.RATIO]) > 1e-5
    assert moved[SteeringModel.MECHANISM] == pytest.approx(moved[SteeringModel.RATIO], rel=0.05, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_a_vehicle_steers_through_its_column(name: str) -> None:
    """The rack moves as the column does on the bench, less what the torsion bar twists; the vehicle turns with it."""
    angle = np.radians(30.0)
    alone = compile_vehicle(bench(name, assisted=False), with_tyres=False, steering=SteeringModel.MECHANISM)
    on_bench = joint_travel(alone, turned(alone, np.linspace(0.0, angle, 4)), column_of(alone).rack)[-1]
    runs = {}
    for steering in SteeringModel:
        model = MultibodyVehicle(vehicle(name), steering=steering)
        model.settle()
        model.start(80 / 3.6)
        time = 1e-3 * np.arange(1, 1501)
        runs[steering] = model.advance(angle * np.clip((time - 0.2) / 0.2, 0.0, 1.0), 0.1, 0.0, 0, every=10)
    mechanism, ratio = runs[SteeringModel.MECHANISM], runs[SteeringModel.RATIO]
    assert mechanism["yaw_rate_radps"][-1] > 0
    more = mechanism["rack_travel_m"][-1] / ratio["rack_travel_m"][-1]
    assert mechanism["yaw_rate_radps"][-1] == pytest.approx(more * ratio["yaw_rate_radps"][-1], rel=0.01)
    assert mechanism["steering_wheel_torque_Nm"][-1] > 0.5  # the driver holds it in the turn
    assert 0.002 < mechanism["torsion_bar_twist_rad"][-1] < 0.09
    twist = mechanism["torsion_bar_twist_rad"][-1]
    assert mechanism["rack_travel_m"][-1] == pytest.approx(on_bench * (1.0 - twist / angle), rel=0.01)


def test_a_rack_on_its_torsion_bar_keeps_its_energy() -> None:
    """The rack pushed against a held steering wheel swings on the torsion bar: what is lost halves with the step."""
    car = bench("double_wishbone_car", assisted=False)
    bars = tuple(
        replace(b, characteristic=replace(b.characteristic, damping=(0.0,) * 6)) if "torsion_bar" in b.name else b
        for b in car.bushings
    )
    losses = []
    for step in (4e-5, 2e-5, 1e-5):
        model = compile_vehicle(replace(car, bushings=bars), with_tyres=False, steering=SteeringModel.MECHANISM)
        core = model.core
        core.set_gravity(np.zeros(3))
        turned(model, np.linspace(0.0, 0.3, 4))
        column, rack = column_of(model), model.index["steering.rack"]
        core.set_load(rack, 500.0 * np.array(column.rack.axis), np.zeros(3))  # jumps in: the rack swings on the bar
        start = joint_travel(model, core.poses()[None], column.rack)[0]
        bar = curve(next(b for b in bars if "torsion_bar" in b.name).characteristic.curves[5])
        energies = []
        for _ in range(8):
            core.step(step, 2, round(0.004 / step))
            kinetic = sum(
                0.5 * g.mass * u[:3] @ u[:3] + 0.5 * u[3:] @ g.inertia @ u[3:]
                for g, u in zip(model.groups, core.twists(), strict=True)
            )
            poses = core.poses()[None]
            assert column.twist is not None
            stored = float(
                bar.antiderivative()(joint_angles(model, poses, column.twist)[0]) - bar.antiderivative()(0.0)
            )
            energies.append(kinetic + stored - 500.0 * (joint_travel(model, poses, column.rack)[0] - start))
        losses.append(np.ptp([0.0, *energies]))
    assert losses[1] / losses[0] == pytest.approx(0.5, abs=0.05)
    assert losses[2] / losses[1] == pytest.approx(0.5, abs=0.05)


def test_what_is_missing_is_told() -> None:
    car = vehicle()
    with pytest.raises(InputError, match=r"no gear at 'steering\.rack'; drive it by its ratio"):
        compile_vehicle(replace(car, gears=()), steering=SteeringModel.MECHANISM)
    rigid = replace(car, bushings=tuple(b for b in car.bushings if "torsion_bar" not in b.name))
    with pytest.raises(InputError, match="assistance and no torsion bar"):
        compile_vehicle(rigid, steering=SteeringModel.MECHANISM)

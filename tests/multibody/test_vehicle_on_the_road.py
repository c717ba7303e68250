"""The whole vehicle as multibody model: equilibrium, signs, symmetry, energy, convergence, standstill."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.multibody import compile as compiler
from trackrod.multibody.compile import CompiledModel, compile_vehicle
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.reference import DriverInputs, reference_run
from trackrod.multibody.rigid import rigid_groups
from trackrod.multibody.steering import SteeringModel
from trackrod.tyre.model import Tyre
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.mass import mass_properties
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle

NAMES = tuple(BUNDLED)
GRAVITY = 9.80665


@cache
def vehicle(name: str = "double_wishbone_car") -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


def symmetric_car() -> Vehicle:
    """The car with its right side as the exact mirror image of its left, and everything else in the middle plane."""
    car = vehicle()
    by_name = {body.name: body for body in car.bodies}
    bodies = []
    for body in car.bodies:
        of = by_name.get(body.name.removesuffix("_right") + "_left") if body.name.endswith("_right") else None
        x, y, z = (of or body).centre
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (of or body).inertia
        if of is not None:
            y, xy, yz = -y, -xy, -yz
        elif not body.name.endswith("_left"):
            y = xy = yz = 0.0
        bodies.append(replace(body, centre=(x, y, z), inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))
    return replace(car, bodies=tuple(bodies))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", [Mode.KINEMATIC, Mode.COMPLIANT])
def test_equilibrium_carries_the_weight(name: str, mode: Mode) -> None:
    car = vehicle(name).with_mode(mode)
    found = MultibodyVehicle(car).settle()
    assert sum(found.wheel_loads.values()) == pytest.approx(car.mass_properties.mass * GRAVITY, rel=1e-6)
    for axle in Axle:
        load = sum(found.wheel_loads[corner] for corner in Corner if corner.axle is axle)
        assert load == pytest.approx(car.axle_load(axle) * GRAVITY, rel=0.01)
    assert max(abs(travel) for travel in found.travels.values()) < 0.005  # the design position is the equilibrium


def test_equilibrium_of_other_payloads() -> None:
    van = vehicle("lcv_7t")
    rises = [MultibodyVehicle(van.with_payload(level)).settle().body_rise for level in PayloadLevel]
    assert rises[0] > rises[1] > rises[2]
    kerb = MultibodyVehicle(van.with_payload(PayloadLevel.KERB)).settle()
    assert sum(kerb.wheel_loads.values()) == pytest.approx(3300 * GRAVITY, rel=1e-3)


@pytest.mark.parametrize("mode", [Mode.KINEMATIC, Mode.COMPLIANT])
def test_a_vehicle_that_is_drawn_above_the_road_comes_down_on_it(mode: Mode) -> None:
    """Its tyres hang and resist nothing: Newton's method alone would wander until it meets the road by chance."""
    car = vehicle().with_mode(mode)
    drawn, lower = (MultibodyVehicle(car, road_height=height).settle() for height in (0.0, -0.2))
    assert lower.body_rise == pytest.approx(drawn.body_rise - 0.2, abs=1e-9)
    assert tuple(lower.wheel_loads.values()) == pytest.approx(tuple(drawn.wheel_loads.values()), abs=1e-5)
    assert tuple(lower.travels.values()) == pytest.approx(tuple(drawn.travels.values()), abs=1e-10)
    assert lower.iterations <= drawn.iterations


def test_a_spring_that_cannot_carry_is_told() -> None:
    car = vehicle()
    weak = replace(car, springs=(), stops=(), bodies=tuple(replace(b, mass=b.mass * 40) for b in car.bodies))
    with pytest.raises(ConvergenceError, match=r"finds no equilibrium.*do the springs carry the load"):
        MultibodyVehicle(weak).settle()


def test_groups_keep_mass_and_inertia() -> None:
    for name in ("double_wishbone_car", "lcv_7t"):
        car = vehicle(name)
        groups, spins = rigid_groups(car)
        total = car.mass_properties
        assert sum(group.mass for group in groups) == pytest.approx(total.mass, rel=1e-3)  # some bodies get 10 g
        centre = sum(group.mass * group.centre for group in groups) / sum(group.mass for group in groups)
        assert centre == pytest.approx(total.centre, abs=2e-3)
        assert len(spins) == 4
        assert all(0.3 < spin.inertia < 8.0 for spin in spins)


def test_rotors_are_those_of_the_files() -> None:
    car = vehicle()
    _, spins = rigid_groups(car)
    wheel = car.wheel(Corner.FL)
    rotor = [b for b in car.bodies if b.name == wheel.body or (b.name.startswith("front_wheels.") and "left" in b.name)]
    about = mass_properties(rotor).inertia_about(np.array(wheel.centre))
    axis = np.array(wheel.axis)
    assert spins[0].inertia == pytest.approx(float(axis @ about @ axis), rel=1e-9)


def driven(car: Vehicle, angle_deg: float, *, seconds: float = 2.5, step: float = 1e-3, throttle: float = 0.1):
    model = MultibodyVehicle(car, step=step)
    model.settle()
    model.start(80 / 3.6)
    time = step * np.arange(1, round(seconds / step) + 1)
    ramp = np.clip((time - 0.2) / 0.4, 0.0, 1.0)
    angle = np.radians(angle_deg) * (10 * ramp**3 - 15 * ramp**4 + 6 * ramp**5)
    return model.advance(angle, throttle, 0.0, 0, every=round(0.01 / step))


def test_signs_of_a_left_turn() -> None:
    run = driven(vehicle(), 20.0)
    end = {column: run[column][-1] for column in run}
    for column in ("yaw_rate_radps", "ay_mps2", "roll_rad", "yaw_rad", "y_m", "steer_fl_rad", "steer_fr_rad"):
        assert end[column] > 0, column
    assert end["Fz_fr_N"] > end["Fz_fl_N"]
    assert end["Fz_rr_N"] > end["Fz_rl_N"]
    assert end["wheel_travel_fr_m"] > 0 > end["wheel_travel_fl_m"]
    assert end["slip_angle_fr_rad"] < 0 < end["Fy_fr_N"]
    assert end["ay_mps2"] == pytest.approx(end["vx_mps"] * end["yaw_rate_radps"], rel=0.03)


def test_signs_of_accelerating_and_braking() -> None:
    model = MultibodyVehicle(vehicle())
    model.settle()
    model.start(60 / 3.6)
    gas = model.advance(np.zeros(1500), 1.0, 0.0, 0, every=10)
    assert gas["ax_mps2"][-1] > 1.0
    assert gas["pitch_rad"][-1] < 0  # nose up
    brake = model.advance(np.zeros(1500), 0.0, 0.3, 0, every=10)
    assert brake["ax_mps2"][-1] < -2.0
    assert brake["pitch_rad"][-1] > 0.002
    assert brake["Fz_fl_N"][-1] > brake["Fz_rl_N"][-1]


def test_a_symmetric_car_stays_symmetric() -> None:
    model = MultibodyVehicle(symmetric_car())
    model.settle()
    model.start(100 / 3.6)
    run = model.advance(np.zeros(2000), 0.5, 0.0, 0, every=10)
    for name in ("Fz", "wheel_travel", "Fx", "camber"):
        left, right = (run[next(c for c in run if c.startswith(f"{name}_f{s}"))] for s in "lr")
        # rounding, of engine, differential and half-shafts too: 1.6e-10 of the travel
        assert np.abs(left - right).max() <= 1e-9 * np.abs(left).max(), name
    assert np.abs(run["y_m"]).max() < 1e-9  # over 56 m; rounding, which differs between processors: up to 1.1e-10
    assert np.abs(run["yaw_rate_radps"]).max() < 1e-10
    left, right = driven(symmetric_car(), 20.0, seconds=1.5), driven(symmetric_car(), -20.0, seconds=1.5)
    assert left["yaw_rate_radps"] == pytest.approx(-right["yaw_rate_radps"], abs=1e-11)
    assert left["Fz_fl_N"] == pytest.approx(right["Fz_fr_N"], rel=1e-10)


@pytest.mark.parametrize("name", ["double_wishbone_car", "integral_link", "lcv_7t"])
def test_one_millisecond_is_enough(name: str) -> None:
    """Yaw rate of the real-time integration within 0.1 % of its peak, as the reference tells it."""
    car = vehicle(name)
    time = 0.01 * np.arange(251)
    angle = np.radians(25.0) * np.clip((time - 0.3) / 0.1, 0.0, 1.0)
    inputs = DriverInputs(time, angle, np.full(251, 0.1), np.zeros(251), np.zeros(251))
    exact = reference_run(car, inputs, 80 / 3.6)
    assert exact.relative_error < 1e-3
    model = MultibodyVehicle(car)
    model.settle()
    model.start(80 / 3.6)
    fine = 1e-3 * np.arange(1, 2501)
    run = model.advance(*inputs.at(fine), every=10)
    difference = run["yaw_rate_radps"] - exact.run["yaw_rate_radps"]
    peak = np.abs(exact.run["yaw_rate_radps"]).max()
    assert np.sqrt(np.mean(difference**2)) / peak < 1e-3


def test_steps_converge_with_first_order_and_extrapolation_with_second() -> None:
    runs = [driven(vehicle(), 15.0, seconds=1.2, step=step)["yaw_rate_radps"] for step in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    errors = [np.sqrt(np.mean((a - b) ** 2)) for a, b in pairwise(runs)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.25)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.25)
    extrapolated = [2 * b - a for a, b in pairwise(runs)]
    second = [np.sqrt(np.mean((a - b) ** 2)) for a, b in pairwise(extrapolated)]
    assert second[0] / second[1] > 3.0


def test_braking_to_standstill_and_holding() -> None:
    model = MultibodyVehicle(vehicle())
    model.settle()
    model.start(30 / 3.6)
    stop = model.advance(np.zeros(4000), 0.0, 0.4, 0, every=10)
    assert abs(stop["vx_mps"][-1]) < 0.01
    model.advance(np.zeros(3000), 0.0, 0.4, 0, every=100)
    hold = model.advance(np.zeros(5000), 0.0, 0.4, 0, every=100)
    assert np.ptp(hold["x_m"]) < 1e-5
    assert np.abs(hold["wheel_speed_fl_radps"]).max() < 1e-2


def test_an_undamped_axle_keeps_its_energy_within_the_order_of_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """On its springs and on pads as soft as tyres, what is lost is the integrator's: it halves with the step."""
    stiffness = 2e5
    monkeypatch.setattr(compiler, "DRIVE_STIFFNESS", stiffness)
    monkeypatch.setattr(compiler, "DRIVE_DAMPING", 0.0)
    car = replace(symmetric_car().with_mode(Mode.KINEMATIC), dampers=(), stops=())
    losses = []
    for step in (1e-4, 5e-5, 2.5e-5):
        model = compiler.compile_axle(car, Axle.REAR)
        core = model.core
        assert core.solve_statics(100, 1e-11, 0.05)[0]
        for index in model.drives.values():
            core.set_drive(index, 0.005, 0.0)  # the pads jump up
        energies = []
        for _ in range(6):
            energies.append(mechanical_energy(model, stiffness))
            core.step(step, 2, round(0.02 / step))
        losses.append(max(abs(energy - energies[0]) for energy in energies))
    assert losses[0] < 0.3  # of 5 J in the pads
    assert losses[1] / losses[0] == pytest.approx(0.5, rel=0.03)
    assert losses[2] / losses[1] == pytest.approx(0.5, rel=0.03)


def mechanical_energy(model: CompiledModel, pad_stiffness: float) -> float:
    core = model.core
    energy = 0.0
    for group, pose, twist in zip(model.groups, core.poses(), core.twists(), strict=True):
        energy += 0.5 * group.mass * twist[:3] @ twist[:3] + 0.5 * twist[3:] @ group.inertia @ twist[3:]
        energy += group.mass * GRAVITY * pose[2]
    pads = [index for name, index in model.drives.items() if name.startswith("pad")]
    energy += float(np.sum(core.drive_forces()[pads] ** 2)) / (2.0 * pad_stiffness)
    lengths = core.line_lengths()
    for spring in model.vehicle.springs:
        if spring.name in model.lines:
            curve = spring.characteristic.curve
            compression = spring.design_compression + spring.design_length - lengths[model.lines[spring.name]]
            energy += float(PchipInterpolator(curve.x, curve.y).antiderivative()(compression))
    return energy


def test_a_dropped_vehicle_keeps_its_energy() -> None:
    """Undamped, on undamped tyres and a road without friction, thrown up with 0.15 m/s."""
    car = symmetric_car().with_mode(Mode.KINEMATIC)
    tyres = {name: tyre.with_values(VERTICAL_DAMPING=0.0) for name, tyre in car.tyres.items()}
    model = MultibodyVehicle(replace(car, dampers=(), stops=(), tyres=tyres), step=5e-5, iterations=2)
    model.settle()
    core = model.model.core
    for tyre in range(4):  # scrubbing tyres would take energy
        core.set_road(tyre, np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.0, 1e-9)
    twists = np.zeros_like(core.twists())
    twists[:, 2] = 0.15
    core.set_twists(twists)
    core.step(5e-5, 2, 1)
    energies = []
    for _ in range(5):
        energies.append(mechanical_energy(model.model, 1.0) + tyre_energy(model))
        core.step(5e-5, 2, 800)
    kinetic = 0.5 * car.mass_properties.mass * 0.15**2
    assert max(abs(energy - energies[0]) for energy in energies) < 0.005 * kinetic


@pytest.mark.parametrize("steering", list(SteeringModel))
def test_a_vehicle_in_space_keeps_its_momentum(steering: SteeringModel) -> None:
    """No weight, no road: springs that let go and a turned steering wheel act on bodies of the vehicle alone."""
    car = replace(vehicle("integral_link"), aerodynamics=None)
    model = compile_vehicle(car, with_tyres=False, steering=steering)
    core = model.core
    core.set_gravity(np.zeros(3))
    assert tuple(model.drives) == (("rack",) if steering is SteeringModel.RATIO else ("steering_wheel",))
    targets = np.linspace(0.0, 0.01 if steering is SteeringModel.RATIO else 1.0, 201)[1:, None].copy()
    none = np.zeros((200, 0))
    _, _, twists, *_ = core.run(5e-4, 3, 20, targets, none, none, none)
    momentum = np.array([group.mass for group in model.groups])[:, None] * twists[:, :, :3]
    exchanged = np.abs(momentum).sum(axis=1).max()
    assert exchanged > 10.0  # [kg m/s]
    assert np.abs(momentum.sum(axis=1)).max() < 1e-10 * exchanged


def tyre_energy(model: MultibodyVehicle) -> float:
    energy = 0.0
    for corner, forces in zip(model.model.tyres, model.model.core.tyre_forces(), strict=True):
        tyre = Tyre(model.vehicle.tyres[model.vehicle.wheel(corner).tyres[0].tyre], mounted=corner.side)
        deflection = np.linspace(0.0, forces[9], 2001)
        energy += float(np.trapezoid(tyre.vertical_force(deflection), deflection))
    return energy


def test_no_vehicle_falls_through_a_bad_step() -> None:
    with pytest.raises(InputError, match="the step is"):
        MultibodyVehicle(vehicle(), step=0.0)
    with pytest.raises(InputError, match="the speed is"):
        MultibodyVehicle(vehicle()).start(float("nan"))


def test_model_has_no_more_bodies_than_it_needs() -> None:
    model = compile_vehicle(vehicle("integral_link"))
    assert 36 <= model.core.body_count <= 44
    assert model.core.block_count < 0.3 * model.core.body_count**2

"""The multibody vehicle from its data file alone: it drives as in Python, and moved hardpoints are those of files."""

from __future__ import annotations

import shutil
import struct
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from asymmetric_vehicles import VAN
from asymmetric_vehicles import vehicle as vehicle_by_name
from trackrod import _core
from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.signals import SIGNALS
from trackrod.core.wheel_inputs import WHEEL_COLUMNS, WheelInputs
from trackrod.multibody.compile import compile_vehicle
from trackrod.multibody.data import VehicleData, vehicle_data
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.connectors import Damper, Spring, Stop
from trackrod.vehicle.placed import AsDrawn
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]
STEPS, SPEED, STEP = 150, 15.0, 1e-3
TIE_ROD = "front_suspension.tierod_outer_left"


@cache
def data_of(name: str, steering: SteeringModel) -> VehicleData:
    return vehicle_data(compile_vehicle(vehicle_by_name(name), steering=steering))


def manoeuvre() -> tuple[Array, WheelInputs]:
    """Steering, pedals, and something of every wheel."""
    k = np.arange(STEPS)
    driver = np.column_stack((0.5 * np.sin(0.01 * k), np.full(STEPS, 0.3), 0.2 * (k > 100), np.zeros(STEPS)))
    late = (k > 60)[:, None]
    wheels = WheelInputs(
        brake_torque=late * [50.0, 0.0, 0.0, 80.0],
        drive_torque=late * [0.0, 0.0, -40.0, 60.0],
        steer_offset=late * [0.0, 0.002, 0.001, 0.0],
        damper_force=late * [100.0, 0.0, 0.0, -60.0],
        spring_force=late * [0.0, -90.0, 40.0, 0.0],
    )
    return driver, wheels


def controls(driver: Array, wheels: WheelInputs) -> Array:
    """Rows as the core takes them."""
    rows = np.zeros((len(driver), 61))
    rows[:, [0, 3, 4, 5]] = driver
    rows[:, 6 : 6 + WHEEL_COLUMNS.size] = wheels.rows(len(driver))
    rows[:, 30:34] = 1.0  # friction
    rows[:, [36, 39, 42, 45]] = 1.0  # normals of the road
    rows[:, 48] = -1.0  # down
    return rows


def driven(data: VehicleData, values: dict[str, float] | None = None) -> dict[str, Array]:
    """All signals of the vehicle in the core."""
    model = _core.RoadVehicle(data.data, data.values(values or {}))
    assert model.settle(0.0) == model.start(SPEED, 0) == ""
    rows = model.run(STEP, controls(*manoeuvre()))
    return dict(zip(SIGNALS, rows.T, strict=True))


def driven_in_python(vehicle: Vehicle, steering: SteeringModel) -> dict[str, Array]:
    model = MultibodyVehicle(vehicle, step=STEP, steering=steering)
    model.settle()
    model.start(SPEED)
    driver, wheels = manoeuvre()
    run = model.advance(*driver.T, wheels=wheels)
    return {column: run[column] for column in run}


def largest_difference(first: dict[str, Array], second: dict[str, Array]) -> tuple[float, str]:
    """Over the size of each signal, at least one unit."""
    return max(
        (float(np.abs(first[column] - values).max() / max(1.0, float(np.abs(values).max()))), column)
        for column, values in second.items()
    )


@pytest.mark.parametrize(
    ("name", "steering"),
    [
        ("double_wishbone_car", SteeringModel.MECHANISM),
        ("lcv_7t", SteeringModel.RATIO),
        (VAN, SteeringModel.MECHANISM),
    ],
)
def test_a_vehicle_from_its_file_drives_as_in_python(name: str, steering: SteeringModel) -> None:
    found = driven(data_of(name, steering))
    expected = driven_in_python(vehicle_by_name(name), steering)
    assert largest_difference(found, expected) < (1e-15, "")
    assert np.ptp(expected["Fy_fl_N"]) > 100.0


def test_a_state_goes_on_bit_for_bit() -> None:
    data = data_of("double_wishbone_car", SteeringModel.MECHANISM)
    rows = controls(*manoeuvre())
    first, second = (_core.RoadVehicle(data.data, []) for _ in range(2))
    first.settle(0.0)
    first.start(SPEED, 0)
    first.run(STEP, rows[:70])
    second.set_state(first.state())
    assert np.array_equal(first.run(STEP, rows[70:]), second.run(STEP, rows[70:]))


def changed(words: bytes, at: int, value: bytes) -> bytes:
    """The file with other bytes and the checksum that they have."""
    body = bytearray(words[32:])
    body[at : at + len(value)] = value
    checksum = 14695981039346656037
    for byte in body:
        checksum = ((checksum ^ byte) * 1099511628211) % 2**64
    return words[:24] + struct.pack("<Q", checksum) + bytes(body)


def test_a_damaged_file_is_refused_in_words() -> None:
    file = data_of("double_wishbone_car", SteeringModel.RATIO).data
    for damaged, says in (
        (b"", "not a data file"),
        (file[:-8], "a part is missing"),
        (b"X" + file[1:], "not a data file"),
        (file[:8] + struct.pack("<Q", 99) + file[16:], "version 99"),
        (file[:5000] + bytes([file[5000] ^ 1]) + file[5001:], "damaged"),
        (changed(file, 0, struct.pack("<d", 1e6)), "lists do not fit"),
        (changed(file, 8, struct.pack("<d", -1.0)), "a body has no mass"),
    ):
        with pytest.raises(ValueError, match=says):
            _core.RoadVehicle(damaged, [])


def require_moved_as_read(assembly: Path) -> None:
    """All hardpoints moved at once, against the vehicle that is read with them."""
    drawn = read_vehicle(assembly).vehicle
    data = vehicle_data(compile_vehicle(drawn, steering=SteeringModel.MECHANISM))
    random = np.random.default_rng(3)
    moves = {p.name: p.value + random.uniform(-5e-3, 5e-3) for p in data.parameters if p.name.startswith("hardpoints.")}
    names = {name.split(".", 1)[1].rpartition(".")[0] for name in moves}
    assert TIE_ROD in names
    points = {}
    for point in names:
        x, y, z = (moves[f"hardpoints.{point}.{axis}"] for axis in "xyz")
        points[point] = (x, y, z)
    read = read_vehicle(assembly, hardpoints=points).vehicle
    again = vehicle_data(compile_vehicle(read, steering=SteeringModel.MECHANISM))
    found = _core.MultibodyData(data.data).numbers(data.values(moves))
    expected = _core.MultibodyData(again.data).numbers(again.values({}))
    assert np.nanmax(np.abs(found - expected) / np.maximum(1.0, np.abs(expected))) < 1e-15
    before = _core.MultibodyData(data.data).numbers(data.values({}))
    assert np.nanmax(np.abs(before - expected)) > 1e-3


@pytest.mark.parametrize("name", ["cla_class", "lcv_7t"])
def test_moved_hardpoints_are_those_of_the_files(name: str) -> None:
    require_moved_as_read(BUNDLED[name].assembly)


def test_what_is_as_long_as_drawn_follows_its_ends(tmp_path: Path) -> None:
    """Springs without an installed length, stops that are given by the length at their contact."""
    car = BUNDLED["double_wishbone_car"]
    copy = tmp_path / car.database.name
    shutil.copytree(car.database, copy)
    for file in (copy / "subsystems.tbl").glob("*suspension.sub"):
        text = file.read_text().replace("'clearance'", "'impact_length'")
        file.write_text(text.replace("'installed_length'", "'as_drawn'"))
    assembly = copy / "assemblies.tbl" / car.assembly.name
    assert all(isinstance(spring.installed_length, AsDrawn) for spring in read_vehicle(assembly).vehicle.springs)
    assert all(isinstance(stop.clearance, AsDrawn) for stop in read_vehicle(assembly).vehicle.stops)
    require_moved_as_read(assembly)


def test_a_tie_rod_moved_by_five_millimetres_gives_the_same_run() -> None:
    steering = SteeringModel.RATIO
    data = data_of("double_wishbone_car", steering)
    x, y, z = vehicle_by_name("double_wishbone_car").hardpoints[TIE_ROD]
    read = read_vehicle(BUNDLED["double_wishbone_car"].assembly, hardpoints={TIE_ROD: (x, y, z + 5e-3)}).vehicle
    found = driven(data, {f"hardpoints.{TIE_ROD}.z": z + 5e-3})
    assert largest_difference(found, driven_in_python(read, steering)) < (1e-15, "")
    assert largest_difference(found, driven(data))[0] > 1e-3


def require_same(data: VehicleData, values: dict[str, float], other: Vehicle) -> None:
    again = vehicle_data(compile_vehicle(other, steering=SteeringModel.RATIO))
    found = _core.MultibodyData(data.data).numbers(data.values(values))
    expected = _core.MultibodyData(again.data).numbers(again.values({}))
    assert np.nanmax(np.abs(found - expected) / np.maximum(1.0, np.abs(expected))) < 1e-12


def test_payload_is_that_of_another_vehicle() -> None:
    van = vehicle_by_name("lcv_7t").with_payload(PayloadLevel.HALF)
    data = data_of("lcv_7t", SteeringModel.RATIO)
    require_same(data, {"payload.level": PayloadLevel.HALF.fraction}, van)


def test_masses_and_factors_are_those_of_another_vehicle() -> None:
    """A wheel, whose spin changes with it, and one of every element that carries a force."""
    car = vehicle_by_name("double_wishbone_car")
    wheel = car.body("front_wheels.wheel_left")
    bodies = tuple(body.scaled(1.2) if body is wheel else body for body in car.bodies)
    spring, damper, stop, bushing = car.springs[0], car.dampers[0], car.stops[0], car.bushings[0]
    curves = tuple(replace(curve, y=1.5 * curve.y) for curve in bushing.characteristic.curves)
    rubber = replace(bushing.characteristic, curves=curves)

    def harder(element: Spring | Damper | Stop) -> Any:
        law = element.characteristic
        return replace(element, characteristic=replace(law, curve=replace(law.curve, y=1.5 * law.curve.y)))  # type: ignore[type-var]

    other = replace(
        car,
        bodies=bodies,
        springs=(harder(spring), *car.springs[1:]),
        dampers=(harder(damper), *car.dampers[1:]),
        stops=(harder(stop), *car.stops[1:]),
        bushings=(replace(bushing, characteristic=rubber), *car.bushings[1:]),
    )
    values = {f"masses.{wheel.name}": 1.2 * wheel.mass, f"bushings.{bushing.name}.stiffness": 1.5}
    values |= {
        f"springs.{spring.name}.force": 1.5,
        f"dampers.{damper.name}.force": 1.5,
        f"stops.{stop.name}.force": 1.5,
    }
    data = data_of("double_wishbone_car", SteeringModel.RATIO)
    assert values.keys() <= {parameter.name for parameter in data.parameters}
    require_same(data, values, other)


def test_what_is_not_allowed_is_refused_by_name() -> None:
    data = data_of("double_wishbone_car", SteeringModel.RATIO)
    with pytest.raises(ValueError, match=r"hardpoints\.front_suspension\.tierod_outer_left\.z"):
        _core.RoadVehicle(data.data, data.values({f"hardpoints.{TIE_ROD}.z": 5.0}))
    assert "front_suspension.wheel_center_left" in data.fixed
    assert not any("wheel_center" in p.name for p in data.parameters)


def test_the_torque_that_steers_is_what_the_angle_needs() -> None:
    """The steering wheel let go and turned by a torque; then held at the angles that it went through."""
    data = data_of("double_wishbone_car", SteeringModel.MECHANISM)
    torque, angle = signals.STEERING_TORQUE.column, signals.STEERING_WHEEL_ANGLE.column

    def run(rows: Array) -> dict[str, Array]:
        model = _core.RoadVehicle(data.data, [])
        assert model.settle(0.0) == model.start(SPEED, 0) == ""
        return dict(zip(SIGNALS, model.run(STEP, rows).T, strict=True))

    rows = controls(np.zeros((300, 4)), WheelInputs())
    rows[:, 1] = np.minimum(2.0, 0.02 * np.arange(300))  # [N·m]
    rows[:, 2] = 1.0
    free = run(rows)
    assert free[angle][-1] > 0.1  # to the left
    rows = controls(np.column_stack((free[angle], *np.zeros((3, 300)))), WheelInputs())
    held = run(rows)
    # one iteration with a matrix that is kept leaves up to 0.3 % of a force through a stiff drive
    assert held[torque][150:] == pytest.approx(free[torque][150:], rel=5e-3)
    assert np.abs(held["yaw_rate_radps"] - free["yaw_rate_radps"]).max() < 1e-6

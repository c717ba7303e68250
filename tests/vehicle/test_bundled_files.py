"""The databases of the bundled vehicles: written by the generator, read without warnings, as designed, at rest."""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from trackrod.adams.property_files import read_driver_control, read_leaf, read_load_case
from trackrod.adams.vehicle import VehicleReading, read_vehicle
from trackrod.core import teimorbit
from trackrod.core.corners import Axle
from trackrod.core.errors import Severity
from trackrod.tyre.model import Tyre
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.elements import GROUND, Body, Joint, JointType, Mode, Role
from trackrod.vehicle.mobility import constraint_jacobian
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

ROOT = Path(__file__).parents[2]
GRAVITY = 9.80665

#: Axle loads [kg], wheelbase [m], tracks [m], height of the centre of gravity [m] where it is prescribed.
FIGURES = {
    "lcv_3t5": ((1600, 1900), 3.52, (1.70, 1.69), 0.85),
    "lcv_7t": ((2500, 4500), 4.10, (1.74, 1.66), 1.05),
    "suv": ((1060, 840), 2.66, (1.62, 1.62), None),
    "integral_link": ((1080, 970), 2.98, (1.67, 1.67), None),
    "cla_class": ((967, 676), 2.70, None, 0.502),
    "double_wishbone_car": ((770, 770), 2.56, (1.52, 1.59), None),
}
#: Ride frequencies front and rear [Hz], roll gradient [deg/g], top speed [km/h], steering ratio.
BANDS = {
    "lcv_3t5": ((1.3, 1.8), (1.5, 2.2), (4, 7), (130, 160), (14, 22)),
    "lcv_7t": ((1.3, 1.8), (1.6, 2.4), (4, 8), (115, 145), (14, 22)),
    "suv": ((1.1, 1.5), (1.2, 1.7), (3.5, 6), (180, 220), (13, 17)),
    "integral_link": ((1.1, 1.5), (1.2, 1.7), (3, 5.5), (200, 240), (13, 17)),
    "cla_class": ((1.1, 1.6), (1.2, 1.8), (3, 5), (220, 250), (13, 17)),
    "double_wishbone_car": ((1.1, 1.6), (1.2, 1.8), (3, 6), (180, 250), (13, 17)),
}
NAMES = tuple(FIGURES)
LINKED = tuple((name, axle) for name in NAMES for axle in Axle if not (name.startswith("lcv") and axle is Axle.REAR))
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@pytest.fixture(scope="module")
def generator() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield importlib.import_module("tools.bundle.vehicles")


@cache
def read(name: str) -> VehicleReading:
    return read_vehicle(BUNDLED[name].assembly)


def files(name: str) -> list[Path]:
    return sorted(path for path in BUNDLED[name].database.rglob("*") if path.is_file())


def within(value: float, band: tuple[float, float]) -> bool:
    return band[0] <= value <= band[1]


def test_all_vehicles_are_there() -> None:
    assert sorted(BUNDLED) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_what_the_generator_writes(generator: ModuleType, name: str) -> None:
    folder = BUNDLED[name].database
    texts = generator.texts(name)
    assert sorted(texts) == sorted(str(path.relative_to(folder).as_posix()) for path in files(name))
    for path, text in texts.items():
        committed = (folder / path).read_text(encoding="utf-8")
        # Words alike; numbers to the digits that other processors round alike.
        assert _NUMBER.sub("#", committed) == _NUMBER.sub("#", text), path
        numbers = [np.array(_NUMBER.findall(one), dtype=float) for one in (committed, text)]
        assert np.allclose(*numbers, rtol=1e-4, atol=1e-3), path


@pytest.mark.parametrize("name", NAMES)
def test_every_teimorbit_file_round_trips_without_problems(name: str) -> None:
    for path in files(name):
        if path.suffix in (".md", ".ltf"):
            continue
        document = teimorbit.read(path)
        assert document.problems == (), path
        assert document.text().encode() == path.read_bytes(), path
        assert teimorbit.compose(document.blocks) == document.text(), path


@pytest.mark.parametrize("name", NAMES)
def test_files_outside_the_assembly_are_read(name: str) -> None:
    for path in files(name):
        reader = {".lcf": read_load_case, ".dcf": read_driver_control, ".ltf": read_leaf}.get(path.suffix)
        if reader is not None:
            _, problems = reader(path)
            assert [p for p in problems if p.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_warned_of(name: str) -> None:
    warnings = [p for p in read(name).problems if p.severity is not Severity.NOTE]
    assert warnings == []
    assert {path for path in files(name) if path.suffix in (".sub", ".asy")} <= set(read(name).files_read)


@pytest.mark.parametrize("name", NAMES)
def test_design_figures(name: str) -> None:
    vehicle = read(name).vehicle
    loads, wheelbase, tracks, height = FIGURES[name]
    total = vehicle.mass_properties
    assert total.mass == pytest.approx(sum(loads), rel=1e-5)
    assert vehicle.wheelbase == pytest.approx(wheelbase, abs=1e-9)
    for axle, load in zip(Axle, loads, strict=True):
        assert vehicle.axle_load(axle) == pytest.approx(load, rel=1e-4)
        if tracks is not None:
            assert vehicle.track(axle) == pytest.approx(tracks[tuple(Axle).index(axle)], abs=1e-9)
    assert total.centre[1] == pytest.approx(0.0234 if name == "cla_class" else 0.0, abs=1e-6)
    if height is not None:
        assert total.centre[2] == pytest.approx(height, abs=1e-5)
    for body in vehicle.bodies:
        moments = np.linalg.eigvalsh(np.array(body.inertia))
        assert moments[0] > 0
        assert moments[2] < moments[0] + moments[1] + 1e-9, body.name


def test_figures_of_the_compact_saloon() -> None:
    vehicle = read("cla_class").vehicle
    assert vehicle.brakes is not None
    assert vehicle.brakes.factor(Axle.FRONT) * 1e5 == pytest.approx(28.0, rel=1e-9)
    assert vehicle.brakes.factor(Axle.REAR) * 1e5 == pytest.approx(8.5, rel=1e-9)
    assert vehicle.mass_properties.inertia[2, 2] == pytest.approx(2850.0, rel=1e-5)
    assert vehicle.axle_load(Axle.FRONT) / vehicle.mass_properties.mass == pytest.approx(0.5886, abs=1e-4)


def test_engine_and_twin_tyres_of_the_seven_tonner() -> None:
    vehicle = read("lcv_7t").vehicle
    assert vehicle.powertrain is not None
    assert vehicle.powertrain.engine.torque.max() == pytest.approx(430.0)
    assert len(vehicle.powertrain.gearbox.ratios) == 6
    assert [len(wheel.tyres) for wheel in vehicle.wheels] == [1, 1, 2, 2]


@pytest.mark.parametrize("name", ["lcv_3t5", "lcv_7t"])
def test_payload_can_be_left_out(name: str) -> None:
    vehicle = read(name).vehicle
    masses = [vehicle.with_payload(level).mass_properties.mass for level in PayloadLevel]
    assert masses[2] - masses[1] == pytest.approx(masses[1] - masses[0])
    assert 0.45 < masses[0] / masses[2] < 0.7


@pytest.mark.parametrize("name", NAMES)
def test_sides_and_roles_are_those_of_the_mechanism(name: str) -> None:
    """Sides against where bodies and connectors lie, roles against what holds the bodies: second answers to both."""
    vehicle = read(name).vehicle
    for element in (*vehicle.bodies, *vehicle.springs, *vehicle.dampers):
        y = element.centre[1] if isinstance(element, Body) else element.ends[0][1] + element.ends[1][1]
        assert element.side is None or element.side.sign * y > 0, element.name
    for wheel in vehicle.wheels:
        joint = next(joint for joint in vehicle.joints if joint.name == wheel.joint)
        (carrier,) = set(joint.bodies) - {wheel.body}
        rims = [j.bodies[0] for j in vehicle.joints if j.type is JointType.FIXED and j.bodies[1] == wheel.body]
        assert len(rims) == len(wheel.tyres)
        for body in (wheel.body, *rims):
            assert (vehicle.body(body).role, vehicle.body(body).side) == (Role.WHEEL, wheel.corner.side)
        assert vehicle.body(carrier).role is Role.CARRIER
    counts = Counter(body.role for body in vehicle.bodies)
    assert counts[Role.WHEEL] == 4 + sum(len(wheel.tyres) for wheel in vehicle.wheels)
    # a solid axle is its housing, two seats and two ends
    assert counts[Role.CARRIER] == sum(5 if axle.dependent else 2 for axle in vehicle.axles)
    assert counts[Role.PAYLOAD] == (0 if vehicle.payload is None else len(vehicle.payload.parts))
    assert vehicle.body(vehicle.chassis).role is Role.BODY
    steering = [body.role for body in vehicle.bodies if subsystem_of(body.name) == "steering"]
    assert steering == [Role.STEERING] * counts[Role.STEERING]


@pytest.mark.parametrize("name", NAMES)
def test_wheels_stand_on_the_ground(name: str) -> None:
    vehicle = read(name).vehicle
    for wheel in vehicle.wheels:
        load = vehicle.axle_load(wheel.corner.axle) * GRAVITY / 2 / len(wheel.tyres)
        for place in wheel.tyres:
            assert wheel.centre[2] == pytest.approx(
                float(Tyre(vehicle.tyres[place.tyre]).loaded_radius(load)), abs=1e-4
            )


@pytest.mark.parametrize("name", NAMES)
def test_behaviour_bands(generator: ModuleType, name: str) -> None:
    design = generator.design(name)
    front, rear, roll, speed, ratio = BANDS[name]
    assert within(design.front.frequency, front)
    assert within(design.rear.frequency, rear)
    assert within(design.sheet.roll_gradient, roll)
    assert within(design.top_speed, speed)
    assert within(design.sheet.steering.ratio, ratio)
    for axle in design.axles:
        bump, rebound = axle.sheet.ride.damping
        assert bump < rebound
        assert 0.2 <= (bump + rebound) / 2 <= 0.3
        assert max(axle.sheet.ride.bump, axle.sheet.ride.rebound) < 90
    if name == "lcv_3t5":
        assert design.front.springing.opposite_rate > design.front.springing.wheel_rate
    if name.startswith("lcv"):
        assert design.rear.springing.opposite_rate < design.rear.springing.wheel_rate


@pytest.mark.parametrize(("name", "axle"), LINKED)
def test_kinematics_of_the_wheel(generator: ModuleType, name: str, axle: Axle) -> None:
    design = getattr(generator.design(name), axle)
    sweep = design.sweep
    near = np.abs(sweep.travel) < 0.0601
    toe, camber = (np.degrees(np.gradient(values, sweep.travel))[near] * 0.025 for values in (sweep.toe, sweep.camber))
    # Toe out in bump in front, toe in behind, little of both; camber always falls in bump.
    assert (toe * (-1 if axle is Axle.FRONT else 1) > 0).all()
    assert np.abs(toe).max() < 0.2
    assert (camber < 0).all()
    assert -1.15 < math.degrees(sweep.at(sweep.camber, 0.05)) < -0.3
    assert 40 < design.roll_centre < 120


def _wrench(force: np.ndarray, point: np.ndarray) -> np.ndarray:
    return np.concatenate((force, np.cross(point, force)))


def _static_loads(vehicle: Vehicle) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Wrenches about the origin on every body at the design position: those of the road, and all others."""
    road = {body.name: np.zeros(6) for body in vehicle.bodies}
    others = {body.name: np.zeros(6) for body in vehicle.bodies}
    for body in vehicle.bodies:
        if ".leaf" in body.name:  # the weight of a leaf is not in its preload
            continue
        others[body.name] += _wrench(np.array([0.0, 0.0, -body.mass * GRAVITY]), np.array(body.centre))
    for wheel in vehicle.wheels:
        load = vehicle.axle_load(wheel.corner.axle) * GRAVITY / 2
        contact = np.array(wheel.centre) * [1.0, 1.0, 0.0]
        road[wheel.body] += _wrench(np.array([0.0, 0.0, load]), contact)
    for spring in vehicle.springs:
        start, end = (np.array(point) for point in spring.ends)
        curve = spring.characteristic.curve
        force = float(np.interp(spring.design_compression, curve.x, curve.y))
        push = force * (end - start) / np.linalg.norm(end - start)
        others[spring.bodies[0]] += _wrench(-push, start)
        others[spring.bodies[1]] += _wrench(push, end)
    for torsion in vehicle.torsion_springs:
        moment = np.concatenate((np.zeros(3), torsion.preload * np.array(torsion.axis)))
        others[torsion.bodies[0]] -= moment
        others[torsion.bodies[1]] += moment
    for beam in vehicle.beams:
        axes = np.array(beam.axes)
        force, moment = axes @ np.array(beam.preload[:3]), axes @ np.array(beam.preload[3:])
        end = _wrench(force, np.array(beam.ends[1])) + np.concatenate((np.zeros(3), moment))
        others[beam.bodies[1]] -= end
        others[beam.bodies[0]] += end
    return road, others


@pytest.mark.parametrize("name", NAMES)
def test_the_design_position_is_an_equilibrium(name: str) -> None:
    """With the body held, road, weight and springs do no work on any motion that the ideal joints allow."""
    vehicle = read(name).vehicle.with_mode(Mode.KINEMATIC)
    joints = [
        *vehicle.acting(vehicle.joints),
        Joint("held", JointType.FIXED, (vehicle.chassis, GROUND), (0.0, 0.0, 0.0)),
    ]
    names = [body.name for body in vehicle.bodies]
    jacobian = constraint_jacobian(names, joints)
    _, singular, vt = np.linalg.svd(jacobian)
    motions = vt[int(np.count_nonzero(singular > 1e-7 * singular[0])) :]
    road, others = _static_loads(vehicle)
    lifted, balanced = (motions @ np.concatenate([load[body] for body in names]) for load in (road, others))
    assert np.linalg.norm(lifted + balanced) < 0.01 * np.linalg.norm(lifted)

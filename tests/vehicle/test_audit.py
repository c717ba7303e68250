"""The audit: a sound car passes every check, and each deliberate fault is found by its own check."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from geometries import GEOMETRIES, both_sides
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import Severity
from trackrod.core.quantities import kind
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.audit import CHECKS, Finding, audit, findings
from trackrod.vehicle.audit.forces import (
    check_bushings,
    check_connector_asymmetry,
    check_dampers,
    check_springs,
    check_stops,
    check_torsion_springs,
)
from trackrod.vehicle.audit.geometry import (
    check_coincident_hardpoints,
    check_ground,
    check_hardpoint_asymmetry,
    check_shared_hardpoints,
    check_wheel_positions,
)
from trackrod.vehicle.audit.masses import (
    check_centre_of_mass,
    check_inertia,
    check_mass_asymmetry,
    check_radius_of_gyration,
    check_total_mass,
)
from trackrod.vehicle.audit.mechanism import check_axle_freedoms, check_massless_motion, check_vehicle_freedoms
from trackrod.vehicle.audit.ride import check_ride
from trackrod.vehicle.audit.systems import check_brakes, check_powertrain, check_steering
from trackrod.vehicle.audit.tyres import check_tyre_loads, check_tyre_sides, check_tyre_sizes, check_tyre_stiffness
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)
from trackrod.vehicle.connectors import Bushing, Damper, Gear, Spring, Stop, TorsionSpring
from trackrod.vehicle.driveline import EngineMap
from trackrod.vehicle.elements import Body, Joint, JointType, Mode, Role, Vector
from trackrod.vehicle.instantiate import instantiate
from trackrod.vehicle.systems import AxleLayout, Brakes, Gearbox, Powertrain, Steering, TyrePlace, Wheel
from trackrod.vehicle.template import LineType
from trackrod.vehicle.template_reader import load_templates
from trackrod.vehicle.vehicle import Vehicle

LENGTH, FORCE, ANGLE, TORQUE, VELOCITY = (kind(name) for name in ("length", "force", "angle", "torque", "velocity"))
CHASSIS = "body.chassis"
WHEELBASE = 2.7
TEMPLATE = load_templates()["double_wishbone"]


def curve(x: list[float], y: list[float], x_kind: Any = LENGTH, y_kind: Any = FORCE) -> Characteristic:
    return Characteristic(np.array(x), np.array(y), x_kind, y_kind)


SPRING = SpringCharacteristic(curve([0.0, 0.3], [0.0, 0.3 * 60e3]), 0.40)
DAMPER = DamperCharacteristic(curve([-1.0, 0.0, 1.0], [-1500.0, 0.0, 3000.0], VELOCITY))
STOP = StopCharacteristic(curve([0.0, 0.02, 0.04], [0.0, 500.0, 5000.0]))
BUSHING = BushingCharacteristic(
    (*[Characteristic.linear(5e6, 0.01, LENGTH, FORCE)] * 3, *[Characteristic.linear(300.0, 1.0, ANGLE, TORQUE)] * 3),
    (1e3,) * 3 + (1.0,) * 3,
)


def cube(name: str, mass: float, centre: Vector, radius: float = 0.1, sprung: float = 1.0) -> Body:
    """A body with the same radius of gyration about all axes [m]."""
    moment = mass * radius**2
    return Body(name, mass, centre, ((moment, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment)), sprung)


def build() -> Vehicle:
    """A car of 1600 kg with double wishbones on both axles, a rack, and two tracks of 1.52 m."""
    parts: dict[str, list[Any]] = {key: [] for key in ("bodies", "joints", "bushings", "springs", "dampers", "stops")}
    points: dict[str, Vector] = {}
    wheels, axles = [], []
    for axle, name, x in ((Axle.FRONT, "front", 0.0), (Axle.REAR, "rear", -WHEELBASE)):
        left = {point: (p[0] + x, p[1], p[2]) for point, p in GEOMETRIES["double_wishbone"].items()}
        both = both_sides(left)
        points |= {f"{name}.{point}": p for point, p in both.items()}
        instance = instantiate(TEMPLATE, both, {})

        def full(bodies: tuple[str, str], name: str = name, own: Collection[str] = instance.bodies) -> tuple[str, str]:
            rack = "steering.rack" if name == "front" else CHASSIS
            first, second = (f"{name}.{b}" if b in own else rack if b == "rack" else CHASSIS for b in bodies)
            return first, second

        joints = [replace(j, name=f"{name}.{j.name}", bodies=full(j.bodies)) for j in instance.joints]
        parts["joints"] += joints
        for body, member in instance.bodies.items():
            held = [j.position for j in joints if f"{name}.{body}" in j.bodies]
            cx, cy, cz = np.mean(held, axis=0).tolist()
            mass = 25.0 if member.role is Role.WHEEL else 2.0
            made = cube(f"{name}.{body}", mass, (cx, cy, cz), 0.1, 0.0)
            parts["bodies"].append(replace(made, side=member.side, role=member.role))
        for place in instance.bushings:
            bushing = Bushing(f"{name}.{place.name}", full(place.bodies), place.position, BUSHING, mode=place.mode)
            parts["bushings"].append(replace(bushing, side=place.side))
        for line in instance.lines:
            here = (f"{name}.{line.name}", full(line.bodies), line.ends)
            if line.type is LineType.SPRING:
                parts["springs"].append(Spring(*here, SPRING, 0.40 - 0.085, side=line.side))
            elif line.type is LineType.DAMPER:
                parts["dampers"].append(Damper(*here, DAMPER, side=line.side))
            else:
                rebound = line.type is LineType.REBOUND_STOP
                parts["stops"].append(Stop(*here, STOP, 0.05, rebound=rebound, side=line.side))
        for side, wheel in instance.wheels.items():
            wheels.append(
                Wheel(
                    Corner.of(axle, side),
                    f"{name}.{wheel.body}",
                    f"{name}.{wheel.joint}",
                    wheel.centre,
                    wheel.axis,
                    (TyrePlace("car"),),
                    f"{name}.upright_{side}",
                    CHASSIS,
                )
            )
        axles.append(AxleLayout(axle, name, "double_wishbone", False, axle is Axle.REAR, False, Mode.COMPLIANT))
    parts["bodies"] += [
        cube(CHASSIS, 1400.0, (-1.3, 0.0, 0.55), 1.2),
        cube("steering.rack", 2.0, (-0.2, 0.0, 0.33)),
        cube("steering.wheel", 2.0, (-0.9, 0.3, 0.7)),
    ]
    rack, wheel_axis = (-0.2, 0.0, 0.33), (-0.8, 0.0, 0.6)
    parts["joints"] += [
        Joint("steering.rack", JointType.TRANSLATIONAL, ("steering.rack", CHASSIS), rack, (0.0, 1.0, 0.0)),
        Joint("steering.wheel", JointType.REVOLUTE, ("steering.wheel", CHASSIS), (-0.9, 0.3, 0.7), wheel_axis),
    ]
    points |= {f"steering.tierod_inner_{side}": points[f"front.tierod_inner_{side}"] for side in Side}
    ratio = 0.0075
    gearbox = Gearbox((3.5, 2.0, 1.3, 1.0, 0.8), 3.5, 0.95, (600.0,) * 4, (200.0,) * 4, 0.3)
    speeds, throttle = np.array([0.0, 300.0, 700.0]), np.array([0.0, 1.0])
    engine = EngineMap(throttle, speeds, np.array([[-20.0, 150.0], [-30.0, 250.0], [-60.0, 200.0]]))
    return Vehicle(
        name="sound car",
        chassis=CHASSIS,
        bodies=tuple(parts["bodies"]),
        hardpoints=points,
        joints=tuple(parts["joints"]),
        bushings=tuple(parts["bushings"]),
        springs=tuple(parts["springs"]),
        dampers=tuple(parts["dampers"]),
        stops=tuple(parts["stops"]),
        gears=(Gear("steering.gear", ("steering.wheel", "steering.rack"), 1.0 / ratio),),
        wheels=tuple(wheels),
        tyres={"car": read_tir(SAMPLES["car_mf61"])},
        axles=tuple(axles),
        steering=Steering("steering.wheel", "steering.rack", ratio, 9.0),
        powertrain=Powertrain(engine, 0.2, 80.0, 680.0, 400.0, gearbox, 0.0),
        brakes=Brakes(1e7, 1.8e-4, 1.0e-4),
        modes={"front": Mode.COMPLIANT, "rear": Mode.COMPLIANT, "steering": Mode.COMPLIANT},
    )


CAR = build()
Fault = Callable[[Vehicle], Vehicle]


def with_body(name: str, **changes: Any) -> Fault:
    return lambda car: replace(car, bodies=tuple(replace(b, **changes) if b.name == name else b for b in car.bodies))


def with_all(group: str, name: str, **changes: Any) -> Fault:
    """Those connectors whose name begins so, changed."""
    return lambda car: replace(
        car, **{group: tuple(replace(c, **changes) if c.name.startswith(name) else c for c in getattr(car, group))}
    )


def with_hardpoint(name: str, position: Vector) -> Fault:
    return lambda car: replace(car, hardpoints={**car.hardpoints, name: position})


def with_tyre(**values: float) -> Fault:
    return lambda car: replace(car, tyres={"car": car.tyres["car"].with_values(**values)})


def with_wheels(change: Callable[[Wheel], Wheel]) -> Fault:
    return lambda car: replace(car, wheels=tuple(change(wheel) for wheel in car.wheels))


def with_bushing_curve(index: int, changed: Characteristic) -> Fault:
    curves = tuple(changed if i == index else c for i, c in enumerate(BUSHING.curves))
    return with_all("bushings", "front.lca_front", characteristic=replace(BUSHING, curves=curves))


def with_system(name: str, **changes: Any) -> Fault:
    return lambda car: replace(car, **{name: replace(getattr(car, name), **changes)})


def with_anti_roll_bar(rate: float) -> Fault:
    bar = TorsionSpring(
        "front.bar",
        ("front.lower_control_arm_left", "front.lower_control_arm_right"),
        (0.0, 0.0, 0.2),
        (0.0, 1.0, 0.0),
        Characteristic.linear(rate, 1.0, ANGLE, TORQUE),
    )
    return lambda car: replace(car, torsion_springs=(bar,))


def without_joint(name: str) -> Fault:
    return lambda car: replace(car, joints=tuple(joint for joint in car.joints if joint.name != name))


def with_loose_body(mass: float) -> Fault:
    body = cube("body.loose", mass, (-1.0, 0.0, 0.5))
    joint = Joint("body.loose", JointType.SPHERICAL, ("body.loose", CHASSIS), (-1.0, 0.0, 0.5))
    return lambda car: replace(car, bodies=(*car.bodies, body), joints=(*car.joints, joint))


def with_short_rod(car: Vehicle) -> Vehicle:
    """Both ends of the left tie rod at one point."""
    outer = car.hardpoints["front.tierod_outer_left"]
    car = with_hardpoint("front.tierod_inner_left", outer)(car)
    return with_all("joints", "front.tierod_inner_left", position=outer)(car)


def with_massless_rod(inner: JointType) -> Fault:
    """The left tie rod without mass; between two ball joints it can turn about itself."""
    massless = with_body("front.tierod_left", mass=0.0, inertia=((0.0,) * 3,) * 3)
    return lambda car: with_all("joints", "front.tierod_inner_left", type=inner)(massless(car))


def with_second_weld(car: Vehicle) -> Vehicle:
    weld = Joint("rear.weld", JointType.FIXED, ("rear.subframe", CHASSIS), (-2.7, 0.0, 0.2))
    return replace(car, joints=(*car.joints, weld))


def behind(wheel: Wheel) -> Wheel:
    x, y, z = wheel.centre
    return replace(wheel, centre=(-WHEELBASE - x, y, z))


def right_is_left(wheel: Wheel) -> Wheel:
    x, y, z = wheel.centre
    return replace(wheel, centre=(x, -y, z))


def wide(wheel: Wheel) -> Wheel:
    x, y, z = wheel.centre
    return replace(wheel, centre=(x, 2 * y, z))


def lifted_rear(wheel: Wheel) -> Wheel:
    x, y, z = wheel.centre
    return replace(wheel, centre=(x, y, z + 0.05)) if wheel.corner.axle is Axle.REAR else wheel


ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
UP, DOWN = [0.0, 0.1, 0.2, 0.3], [0.0, -1e3, -2e3, -3e3]

FAULTS: list[tuple[Any, Fault, Severity, str]] = [
    (check_total_mass, lambda c: replace(c, bodies=tuple(b.scaled(0.0) for b in c.bodies)), ERROR, "has no mass"),
    (check_total_mass, with_body(CHASSIS, mass=90e3), WARNING, "kg, 300 to 60000 kg is usual"),
    (check_centre_of_mass, with_body(CHASSIS, centre=(0.9, 0.0, 0.5)), ERROR, "outside the wheelbase"),
    (check_centre_of_mass, with_body(CHASSIS, centre=(-0.5, 0.0, 0.5)), WARNING, "share of the mass on the front"),
    (check_centre_of_mass, with_body(CHASSIS, centre=(-1.3, 0.2, 0.5)), WARNING, "m left of the middle"),
    (check_centre_of_mass, with_body(CHASSIS, centre=(-1.3, 0.0, -0.2)), ERROR, "below the ground"),
    (check_centre_of_mass, with_body(CHASSIS, centre=(-1.3, 0.0, 1.6)), WARNING, "over the track"),
    (check_centre_of_mass, with_body(CHASSIS, centre=(-1.3, 0.0, 1.25)), NOTE, "roll-over threshold"),
    (
        check_inertia,
        with_body("front.upright_left", inertia=((1.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))),
        ERROR,
        "body 'front.upright_left': principal moments of inertia 0.1, 0.1, 1 kg·m²",
    ),
    (
        check_inertia,
        with_body("front.upright_left", inertia=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.200001))),
        NOTE,
        "rounding",
    ),
    (
        check_radius_of_gyration,
        with_body("rear.spindle_left", inertia=cube("", 25, (0, 0, 0), 4.0).inertia),
        WARNING,
        "4 m",
    ),
    (check_radius_of_gyration, with_body("rear.tierod_left", inertia=((0.0,) * 3,) * 3), WARNING, "gyration 0 m"),
    (
        check_radius_of_gyration,
        with_body("rear.tierod_left", inertia=cube("", 2, (0, 0, 0), 1.0).inertia),
        WARNING,
        "no attach",
    ),
    (check_radius_of_gyration, with_body("rear.tierod_left", mass=0.0), WARNING, "no mass, yet"),
    (check_mass_asymmetry, with_body("rear.upright_right", mass=2.1), WARNING, "masses 2 and 2.1 kg"),
    (check_mass_asymmetry, with_body("rear.upright_right", centre=(-2.7, -0.7, 0.4)), NOTE, "mirror images"),
    (check_wheel_positions, with_wheels(behind), ERROR, "not ahead of the rear axle"),
    (check_wheel_positions, with_wheels(right_is_left), ERROR, "not left of the right one"),
    (check_wheel_positions, with_wheels(wide), WARNING, "the front track is 3.04 m, 0.7 to 2.6 m"),
    (check_ground, with_wheels(lifted_rear), WARNING, "49 mm apart in height"),
    (
        check_coincident_hardpoints,
        with_hardpoint("front.extra_left", CAR.hardpoints["front.lca_front_left"]),
        NOTE,
        "hardpoint 'front.lca_front_left', 'front.extra_left': both hardpoints are at (200.0, 400.0, 180.0) mm",
    ),
    (check_coincident_hardpoints, with_short_rod, WARNING, "front.tierod_left has no length"),
    (check_hardpoint_asymmetry, with_hardpoint("rear.lca_front_right", (-2.5, -0.402, 0.18)), WARNING, "2 mm from"),
    (check_hardpoint_asymmetry, with_hardpoint("rear.lca_front_right", (-2.5, -0.4005, 0.18)), NOTE, "0.5 mm from"),
    (check_shared_hardpoints, with_hardpoint("steering.tierod_inner_left", (-0.2, 0.41, 0.33)), WARNING, "10 mm apart"),
    (check_axle_freedoms, without_joint("front.lca_left"), ERROR, "the front axle 'front' with ideal joints has"),
    (
        check_axle_freedoms,
        with_all("joints", "rear.lca_left", type=JointType.FIXED),
        ERROR,
        "has 3 freedoms, 4 are needed",
    ),
    (check_axle_freedoms, with_second_weld, NOTE, "has 6 redundant constraints"),
    (check_vehicle_freedoms, with_loose_body(1.0), WARNING, "has 18 freedoms, 15 = 6 of the body + 8 of the axles + 1"),
    (check_massless_motion, with_loose_body(0.0), ERROR, "body 'body.loose': 3 motions have no inertia"),
    (
        check_massless_motion,
        with_massless_rod(JointType.SPHERICAL),
        ERROR,
        "'front.tierod_left': 1 motion has no inertia",
    ),
    (
        check_bushings,
        with_bushing_curve(0, curve([-0.01, 0.01], [-50.0, 50.0])),
        WARNING,
        "rate of Fx is 5000 N/m, 10000",
    ),
    (check_bushings, with_bushing_curve(1, curve([-0.01, 0.01], [50.0, -50.0])), WARNING, "Fy falls by 100 N between"),
    (
        check_bushings,
        with_bushing_curve(5, curve([-1.0, 0.0, 1.0], [-90.0, 10.0, 90.0], ANGLE, TORQUE)),
        WARNING,
        "Tz at no",
    ),
    (
        check_bushings,
        with_all(
            "bushings",
            "front.lca_front",
            characteristic=replace(
                BUSHING, curves=(*[Characteristic.linear(0.0, 1.0, LENGTH, FORCE)] * 3, *BUSHING.curves[3:])
            ),
        ),
        NOTE,
        "only resists rotation",
    ),
    (
        check_springs,
        with_all("springs", "front", characteristic=SpringCharacteristic(curve(UP, DOWN), 0.4)),
        ERROR,
        "everywhere",
    ),
    (
        check_springs,
        with_all("springs", "front", characteristic=SpringCharacteristic(curve(UP, [0.0, 9e3, 8e3, 2e4]), 0.4)),
        WARNING,
        "the force falls by 1000 N between 0.1 and 0.2 m",
    ),
    (
        check_springs,
        with_all("springs", "front", characteristic=SpringCharacteristic(curve([0.0, 0.3], [0.0, 300.0]), 0.4)),
        WARNING,
        "is 1000 N/m, 5000 to 1e+06 N/m is usual",
    ),
    (check_springs, with_all("springs", "front", installed_length=0.41), WARNING, "it pulls"),
    (
        check_springs,
        with_all("springs", "front", installed_length=0.05),
        WARNING,
        "the curve goes from 0.0 to 300.0 mm",
    ),
    (check_torsion_springs, with_anti_roll_bar(-100.0), WARNING, "the torque falls"),
    (
        check_dampers,
        with_all("dampers", "front", characteristic=DamperCharacteristic(curve([-1.0, 1.0], [9.0, -9.0], VELOCITY))),
        ERROR,
        "it drives",
    ),
    (
        check_dampers,
        with_all(
            "dampers", "front", characteristic=DamperCharacteristic(curve([-1, 0, 1], [-3e3, 0.0, 1e3], VELOCITY))
        ),
        NOTE,
        "300 N in rebound and 900 N in bump at 0.3 m/s",
    ),
    (
        check_dampers,
        with_all(
            "dampers", "front", characteristic=DamperCharacteristic(curve([-1, 0, 1], [-1e3, 200.0, 2e3], VELOCITY))
        ),
        WARNING,
        "the force at rest is 200 N, 0 is usual",
    ),
    (
        check_dampers,
        with_all(
            "dampers", "front", characteristic=DamperCharacteristic(curve([-1, 0, 1], [-1.0, 0.0, 2.0], VELOCITY))
        ),
        WARNING,
        "the mean damping is 1.5 N·s/m",
    ),
    (
        check_stops,
        with_all("stops", "front", characteristic=StopCharacteristic(curve([0.0, 0.02, 0.04], [0.0, 900.0, 500.0]))),
        WARNING,
        "the force falls",
    ),
    (
        check_stops,
        with_all("stops", "front", clearance=0.3),
        WARNING,
        "clearance 300.0 mm at the design position, up to 150",
    ),
    (check_stops, with_all("stops", "front", clearance=-0.01), NOTE, "pressed already"),
    (
        check_connector_asymmetry,
        with_all("springs", "rear.ride_spring_left", installed_length=0.3),
        WARNING,
        "5100 N right",
    ),
    (check_connector_asymmetry, with_all("joints", "rear.lca_right", position=(-2.5, -0.41, 0.18)), NOTE, "10 mm from"),
    (
        check_ride,
        with_all("springs", "rear", installed_length=0.38),
        WARNING,
        "what the springs carry of the rear axle",
    ),
    (check_tyre_sizes, with_tyre(RIM_RADIUS=0.5), ERROR, "is not below the free radius"),
    (check_tyre_sizes, with_tyre(UNLOADED_RADIUS=0.38), WARNING, "the free radius is 380.0 mm"),
    (check_tyre_stiffness, with_tyre(VERTICAL_STIFFNESS=200.0), WARNING, "the vertical stiffness is 200 N/m"),
    (check_tyre_stiffness, with_tyre(INFLPRES=2.2), WARNING, "the inflation pressure is 2.2 Pa"),
    (check_tyre_loads, with_tyre(FNOMIN=40e3), WARNING, "its nominal load, 40000 N"),
    (
        check_tyre_sides,
        with_wheels(lambda w: replace(w, tyres=(TyrePlace("car", 0.02),)) if w.corner is Corner.FL else w),
        WARNING,
        "the front wheels have car at 20 mm left and car at 0 mm right",
    ),
    (check_tyre_sides, with_wheels(lambda w: replace(w, tyres=())), ERROR, "has no tyre"),
    (check_tyre_sides, with_wheels(lambda w: replace(w, tyres=w.tyres * 2)), WARNING, "are 0 mm apart"),
    (check_steering, with_system("steering", ratio=7.5), WARNING, "the rack travel of one turn"),
    (check_steering, with_system("steering", largest_angle=90.0), WARNING, "the rack travel at full lock"),
    (check_powertrain, with_system("powertrain", speed_limit=6500.0), WARNING, "in the highest gear"),
    (check_powertrain, with_system("powertrain", speed_limit=750.0), WARNING, "the engine map ends at 6685 1/min"),
    (check_powertrain, with_system("powertrain", speed_limit=500.0), WARNING, "changing up at 5730 1/min"),
    (check_powertrain, with_system("powertrain", clutch_capacity=100.0), WARNING, "the clutch holds 100 N·m"),
    (check_brakes, with_system("brakes", largest_pressure=1e6), WARNING, "the deceleration that the brakes give"),
]


def test_a_sound_car_passes() -> None:
    """Nothing but the count of its freedoms is worth saying: 6 of the body, 8 of the axles, 1 of the steering."""
    (only,) = audit(CAR)
    assert str(only) == (
        "note: the vehicle with ideal joints has 15 freedoms: 15 = 6 of the body + 8 of the axles + 1 of the steering"
    )


@pytest.mark.parametrize(
    ("check", "fault", "severity", "says"), FAULTS, ids=[f"{i}-{f[0].__name__}" for i, f in enumerate(FAULTS)]
)
def test_a_fault_is_found(check: Any, fault: Fault, severity: Severity, says: str) -> None:
    found: list[Finding] = list(check(fault(CAR)))
    assert any(says in finding.text and finding.severity is severity for finding in found), found
    assert {finding.says for finding in found} <= {finding.says for finding in findings(fault(CAR))}


def test_every_check_has_a_fault() -> None:
    assert {check for check, *_ in FAULTS} == set(CHECKS)


def test_left_and_right_are_said_once_and_errors_come_first() -> None:
    car = with_system("brakes", largest_pressure=1e6)(with_all("stops", "front", clearance=0.3)(CAR))
    car = with_body("front.upright_left", inertia=((1.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))(car)
    found = findings(car)
    assert [f.severity for f in found] == sorted((f.severity for f in found), key=list(Severity).index)
    assert found[0].severity is ERROR
    bump, rebound = (f for f in found if f.what == "stop")
    front = [s for s in car.stops if s.name.startswith("front")]
    assert len(bump.elements) + len(rebound.elements) == len(front)
    assert len(bump.elements) == len(rebound.elements) == 2
    assert all(f.hint for f in found if f.severity is not NOTE)


def test_a_gear_that_cannot_be_is_an_error_not_an_exception() -> None:
    car = replace(CAR, gears=(Gear("steering.gear", ("steering.wheel", "front.lca_balljoint_left"), 1.0),))
    assert any("which is spherical" in f.text and f.severity is ERROR for f in audit(car))


def pillars(rate: float, tilt: float) -> Vehicle:
    """The car with front uprights that slide vertically, each on one spring tilted sideways by an angle [rad]."""
    joints = [joint for joint in CAR.joints if not joint.name.startswith("front.")]
    springs = [spring for spring in CAR.springs if not spring.name.startswith("front.")]
    characteristic = SpringCharacteristic(curve([0.0, 0.3], [0.0, 0.3 * rate]), 0.4)
    there = {body.name for body in CAR.bodies}
    for side in Side:
        upright, spindle = f"front.upright_{side}", f"front.spindle_{side}"
        centre = CAR.wheel(Corner.of(Axle.FRONT, side)).centre
        joints.append(Joint(f"front.pillar_{side}", JointType.TRANSLATIONAL, (upright, CHASSIS), centre))
        joints.append(
            Joint(f"front.spindle_upright_{side}", JointType.REVOLUTE, (spindle, upright), centre, (0.0, 1.0, 0.0))
        )
        for body in TEMPLATE.bodies.pairs:
            name = f"front.{body}_{side}"
            if body not in ("upright", "spindle") and name in there:  # half-shafts are at driven axles alone
                joints.append(Joint(name, JointType.FIXED, (name, upright), centre))
        top = (centre[0], centre[1] - side.sign * 0.3 * math.sin(tilt), centre[2] + 0.3 * math.cos(tilt))
        springs.append(Spring(f"front.coil_{side}", (upright, CHASSIS), (centre, top), characteristic, 0.3))
    joints.append(Joint("front.subframe", JointType.FIXED, ("front.subframe", CHASSIS), (0.0, 0.0, 0.2)))
    return replace(CAR, joints=tuple(joints), springs=tuple(springs))


@settings(max_examples=30)
@given(rate=st.floats(1e3, 5e3), tilt=st.floats(-1.0, 1.0))
def test_force_and_rate_at_the_wheel_of_a_tilted_spring(rate: float, tilt: float) -> None:
    """By hand: the force of a tilted spring counts with the cosine of its angle, its rate with the square of that."""
    car = pillars(rate, tilt)
    assert not [f for f in check_axle_freedoms(car) if f.severity is ERROR]
    carried, frequency = (f.text for f in check_ride(car) if "front" in f.text)
    assert f"axle, {2 * 0.1 * rate * math.cos(tilt):.0f} N, over" in carried
    found = float(frequency.partition("axle, ")[2].partition(" N/m")[0])
    assert found == pytest.approx(2 * rate * math.cos(tilt) ** 2, rel=1e-3)


def test_size_in_the_name_of_a_tyre() -> None:
    """225/75 R16: 0.5 · 16 · 25.4 mm + 0.75 · 225 mm = 371.95 mm."""
    car = replace(CAR, tyres={**CAR.tyres, "van_225_75R16C": CAR.tyres["car"]})
    texts = [f.text for f in check_tyre_sizes(car)]
    assert any("the size 225/75 R16 in its name would give 371.9 mm" in text or "371.95" in text for text in texts), (
        texts
    )


def test_massless_bodies_that_others_carry_along_are_no_fault() -> None:
    """One fixed to the body has its inertia; a tie rod that cannot turn about itself moves only with the upright."""
    body = Body("body.bracket", 0.0, (0.0, 0.0, 0.5), ((0.0,) * 3,) * 3)
    joint = Joint("body.bracket", JointType.FIXED, ("body.bracket", CHASSIS), (0.0, 0.0, 0.5))
    car = replace(CAR, bodies=(*CAR.bodies, body), joints=(*CAR.joints, joint))
    assert not list(check_massless_motion(car))
    assert not list(check_massless_motion(with_massless_rod(JointType.CONVEL)(CAR)))

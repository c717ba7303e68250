"""A whole vehicle put together by hand from the built-in templates, for pictures and pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import KINDS
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)
from trackrod.vehicle.connectors import Bushing, Damper, Spring, Stop, TorsionSpring
from trackrod.vehicle.elements import Body, Joint, JointType, Mode, Vector
from trackrod.vehicle.instantiate import Instance, instantiate
from trackrod.vehicle.systems import AxleLayout, Steering, TyrePlace, Wheel
from trackrod.vehicle.template import LineType
from trackrod.vehicle.template_reader import load_templates
from trackrod.vehicle.vehicle import Vehicle
from vehicle.geometries import GEOMETRIES, both_sides

TEMPLATES = load_templates()
WHEELBASE = 2.8
CHASSIS = "body.chassis"
RACK = "steering.rack"
STEERING = {
    **{"rack_house_mount_left": (-0.2, 0.3, 0.33), "rack_house_mount_right": (-0.2, -0.3, 0.33)},
    **{"tierod_inner_left": (-0.2, 0.4, 0.33), "tierod_inner_right": (-0.2, -0.4, 0.33)},
    **{"pinion_pivot": (-0.2, 0.3, 0.33), "intermediate_shaft_forward": (-0.35, 0.32, 0.45)},
    **{"intermediate_shaft_rearward": (-0.75, 0.36, 0.62), "steering_wheel_center": (-1.25, 0.38, 0.82)},
}
RATE = 30e3
LENGTH, FORCE, ANGLE, TORQUE, SPEED = (KINDS[name] for name in ("length", "force", "angle", "torque", "velocity"))
BUSHING = BushingCharacteristic(
    (
        *(Characteristic.linear(rate, 0.01, LENGTH, FORCE) for rate in (5e6, 4e6, 6e5)),
        *(Characteristic.linear(rate, 0.5, ANGLE, TORQUE) for rate in (200.0, 250.0, 50.0)),
    ),
    (1.0,) * 6,
)
STOP = StopCharacteristic(Characteristic(np.array([0.0, 0.05]), np.array([0.0, 8e3]), LENGTH, FORCE))
DAMPER = DamperCharacteristic(Characteristic.linear(1500.0, 1.0, SPEED, FORCE))


def small(name: str, centre: Vector, mass: float = 3.0) -> Body:
    inertia = 0.004 * mass
    return Body(name, mass, centre, ((inertia, 0.0, 0.0), (0.0, 2 * inertia, 0.0), (0.0, 0.0, 2.5 * inertia)), 0.0)


class Parts:
    """What has been put together so far."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.bushings: list[Bushing] = []
        self.springs: list[Spring] = []
        self.dampers: list[Damper] = []
        self.stops: list[Stop] = []
        self.hardpoints: dict[str, Vector] = {}

    def add(self, subsystem: str, template: str, points: dict[str, Vector], mounts: dict[str, str]) -> Instance:
        instance = instantiate(TEMPLATES[template], points, {})
        self.hardpoints |= {f"{subsystem}.{name}": point for name, point in points.items()}

        def body(name: str) -> str:
            return mounts.get(name, f"{subsystem}.{name}")

        def full(element: object) -> dict[str, object]:
            return {
                "name": f"{subsystem}.{element.name}",  # type: ignore[attr-defined]
                "bodies": tuple(body(name) for name in element.bodies),  # type: ignore[attr-defined]
                "side": element.side,  # type: ignore[attr-defined]
            }

        self.joints += [replace(j, **full(j)) for j in instance.joints if body(j.bodies[0]) != body(j.bodies[1])]
        for place in instance.bushings:
            item = Bushing(position=place.position, characteristic=BUSHING, mode=place.mode, **full(place))
            self.bushings.append(item)
        for line in instance.lines:
            if line.type is LineType.SPRING:
                free = Characteristic.linear(RATE, 0.3, LENGTH, FORCE)
                length = min(line.length, 0.30)
                spring = SpringCharacteristic(free, length + 0.13)
                self.springs.append(
                    Spring(ends=line.ends, characteristic=spring, installed_length=length, **full(line))
                )
            elif line.type is LineType.DAMPER:
                self.dampers.append(Damper(ends=line.ends, characteristic=DAMPER, **full(line)))
            else:
                rebound = line.type is LineType.REBOUND_STOP
                self.stops.append(
                    Stop(ends=line.ends, characteristic=STOP, clearance=0.04, rebound=rebound, **full(line))
                )
        for name, member in instance.bodies.items():
            places = [j.position for j in instance.joints if name in j.bodies]
            places += [b.position for b in instance.bushings if name in b.bodies]
            centre = np.mean(places, axis=0).tolist() if places else [0.0, 0.0, 0.3]
            self.bodies.append(replace(small(body(name), tuple(centre)), side=member.side, role=member.role))
        return instance


def by_hand(front: str = "double_wishbone", rear: str = "multi_link", mode: Mode = Mode.KINEMATIC) -> Vehicle:
    """A car with rack and pinion, an anti-roll bar in front, and no powertrain."""
    parts = Parts()
    inertia = ((400.0, 0.0, 20.0), (0.0, 1800.0, 0.0), (20.0, 0.0, 2000.0))
    parts.bodies.append(Body(CHASSIS, 1300.0, (-1.3, 0.0, 0.6), inertia))
    parts.add("steering", "rack_pinion_steering", STEERING, {"body": CHASSIS})
    wheels, axles = {}, []
    for axle, template, back in ((Axle.FRONT, front, 0.0), (Axle.REAR, rear, WHEELBASE)):
        subsystem = f"{axle}_suspension"
        points = {n: (x - back, y, z) for n, (x, y, z) in both_sides(GEOMETRIES[template]).items()}
        mounts = {"body": CHASSIS, "rack": RACK if axle is Axle.FRONT else CHASSIS}
        instance = parts.add(subsystem, template, points, mounts)
        for side, place in instance.wheels.items():
            corner = Corner.of(axle, side)
            body, joint, carrier = (f"{subsystem}.{name}" for name in (place.body, place.joint, place.brake_reaction))
            tyres = (TyrePlace("road"),)
            wheels[corner] = Wheel(corner, body, joint, place.centre, place.axis, tyres, carrier, CHASSIS)
        axles.append(AxleLayout(axle, subsystem, template, False, axle is Axle.REAR, False, mode))
    bar = anti_roll_bar(parts)
    return Vehicle(
        name="by hand",
        chassis=CHASSIS,
        bodies=tuple(parts.bodies),
        hardpoints=parts.hardpoints,
        joints=tuple(parts.joints),
        bushings=tuple(parts.bushings),
        springs=tuple(parts.springs),
        dampers=tuple(parts.dampers),
        stops=tuple(parts.stops),
        torsion_springs=(bar,),
        wheels=tuple(wheels[corner] for corner in Corner),
        tyres={"road": read_tir(SAMPLES["car_mf61"])},
        axles=tuple(axles),
        steering=Steering("steering.steering_wheel", "steering.rack", 0.008, 9.0),
        modes=dict.fromkeys(("body", "steering", "front_suspension", "rear_suspension", "bar"), mode),
    )


def anti_roll_bar(parts: Parts) -> TorsionSpring:
    """Two halves in the chassis, a torsion spring between them, drop links to the lower arms."""
    lower = "front_suspension.lower_control_arm"
    for side in Side:
        mount, end, foot = (
            (x, side.sign * y, z) for x, y, z in ((0.35, 0.36, 0.30), (0.1, 0.58, 0.32), (0.08, 0.6, 0.16))
        )
        half, link = f"bar.half_{side}", f"bar.drop_link_{side}"
        parts.bodies += [replace(one, side=side) for one in (small(half, mount, 2.0), small(link, end, 0.3))]
        parts.joints += [
            Joint(f"bar.mount_{side}", JointType.REVOLUTE, (half, CHASSIS), mount, (0.0, 1.0, 0.0)),
            Joint(f"bar.link_upper_{side}", JointType.HOOKE, (half, link), end, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
            Joint(f"bar.link_lower_{side}", JointType.SPHERICAL, (link, f"{lower}_{side}"), foot),
        ]
    halves = (f"bar.half_{Side.LEFT}", f"bar.half_{Side.RIGHT}")
    curve = Characteristic.linear(700.0, 1.0, ANGLE, TORQUE)
    return TorsionSpring("bar.torsion", halves, (0.35, 0.0, 0.30), (0.0, 1.0, 0.0), curve)

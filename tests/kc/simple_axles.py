"""Suspensions so simple that their motion has a closed form, on all four corners of a vehicle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trackrod.core.corners import Corner
from trackrod.core.quantities import KINDS
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.characteristics import Characteristic, SpringCharacteristic
from trackrod.vehicle.connectors import Spring
from trackrod.vehicle.elements import Body, Joint, JointType, Mode, Vector
from trackrod.vehicle.systems import AxleLayout, TyrePlace, Wheel
from trackrod.vehicle.vehicle import Vehicle

CHASSIS = "body.chassis"
WHEEL = (0.75, 0.30)  # y, z
WHEELBASE = 2.5
RATE = 30e3
FREE = 0.55
ALONG_X, ALONG_Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)

Corners = Callable[[str, int, float], tuple[list[Body], list[Joint]]]


def body(name: str, centre: Vector, mass: float = 4.0) -> Body:
    inertia = 0.01 * mass
    return Body(name, mass, centre, ((inertia, 0.0, 0.0), (0.0, inertia, 0.0), (0.0, 0.0, inertia)), 0.0)


def on_one_joint(joint_type: JointType, offset: Vector, axis: Vector) -> Corners:
    """The upright on one joint to the chassis; the offset is from the middle of the axle, y towards the wheel."""

    def corner(name: str, sign: int, x: float) -> tuple[list[Body], list[Joint]]:
        place = (x + offset[0], sign * offset[1], offset[2])
        upright = name.format("upright")
        return [], [Joint(name.format("pivot"), joint_type, (upright, CHASSIS), place, axis)]

    return corner


SWING_PIVOT = (0.15, 0.25)
TRAILING_PIVOT = (0.5, 0.25)
swing_axle = on_one_joint(JointType.REVOLUTE, (0.0, *SWING_PIVOT), ALONG_X)
trailing_arm = on_one_joint(JointType.REVOLUTE, (TRAILING_PIVOT[0], 0.75, TRAILING_PIVOT[1]), ALONG_Y)
loose = on_one_joint(JointType.SPHERICAL, (0.0, *SWING_PIVOT), ALONG_X)
held = on_one_joint(JointType.FIXED, (0.0, *SWING_PIVOT), ALONG_X)


def locked(name: str, sign: int, x: float) -> tuple[list[Body], list[Joint]]:
    """Two hinges whose axes do not coincide."""
    upright = name.format("upright")
    places = [(x, sign * y, z) for y, z in (SWING_PIVOT, (0.15, 0.45))]
    return [], [
        Joint(name.format(label), JointType.REVOLUTE, (upright, CHASSIS), place, ALONG_X)
        for label, place in zip(("pivot", "second_pivot"), places, strict=True)
    ]


#: Inner and outer (y, z) of the lower and of the upper arm.
EQUAL_ARMS = (((0.35, 0.20), (0.70, 0.20)), ((0.35, 0.40), (0.70, 0.40)))
UNEQUAL_ARMS = (((0.30, 0.18), (0.70, 0.15)), ((0.42, 0.42), (0.65, 0.45)))


def wishbones(arms: tuple[tuple[tuple[float, float], tuple[float, float]], ...]) -> Corners:
    def corner(name: str, sign: int, x: float) -> tuple[list[Body], list[Joint]]:
        bodies, joints = [], []
        for label, (inner, outer) in zip(("lower", "upper"), arms, strict=True):
            arm, upright = name.format(label), name.format("upright")
            ends = [(x, sign * y, z) for y, z in (inner, outer)]
            bodies.append(body(arm, (x, 0.5 * (ends[0][1] + ends[1][1]), 0.5 * (ends[0][2] + ends[1][2])), 2.0))
            joints += [
                Joint(name.format(f"{label}_inner"), JointType.REVOLUTE, (arm, CHASSIS), ends[0], ALONG_X),
                Joint(name.format(f"{label}_outer"), JointType.REVOLUTE, (upright, arm), ends[1], ALONG_X),
            ]
        return bodies, joints

    return corner


def vehicle_on(corners: Corners) -> Vehicle:
    """A vehicle without steering whose four corners are alike."""
    bodies, joints, springs, wheels = [], [], [], []
    inertia = ((400.0, 0.0, 0.0), (0.0, 1800.0, 0.0), (0.0, 0.0, 2000.0))
    bodies.append(Body(CHASSIS, 1200.0, (-0.5 * WHEELBASE, 0.0, 0.55), inertia))
    for corner in Corner:
        sign, x = corner.side.sign, 0.0 if corner.axle == "front" else -WHEELBASE
        name = f"{corner.axle}_suspension.{{}}_{corner.side}"
        centre = (x, sign * WHEEL[0], WHEEL[1])
        upright, spindle = name.format("upright"), name.format("spindle")
        more, links = corners(name, sign, x)
        own = [body(upright, centre), body(spindle, centre, 12.0), *more]
        bodies += [replace(one, side=corner.side) for one in own]
        spin = Joint(name.format("spin"), JointType.REVOLUTE, (spindle, upright), centre, ALONG_Y)
        joints += [spin, *links]
        ends = ((x, sign * 0.6, 0.3), (x, sign * 0.6, 0.7))
        curve = Characteristic.linear(RATE, 0.5, KINDS["length"], KINDS["force"])
        characteristic = SpringCharacteristic(curve, FREE)
        springs.append(Spring(name.format("spring"), (upright, CHASSIS), ends, characteristic, 0.4, side=corner.side))
        tyres = (TyrePlace("road"),)
        wheels.append(Wheel(corner, spindle, spin.name, centre, ALONG_Y, tyres, upright, CHASSIS))
    axles = tuple(
        AxleLayout(axle, f"{axle}_suspension", "simple", False, axle == "rear", False, Mode.KINEMATIC)
        for axle in dict.fromkeys(corner.axle for corner in Corner)
    )
    return Vehicle(
        name="simple",
        chassis=CHASSIS,
        bodies=tuple(bodies),
        hardpoints={},
        joints=tuple(joints),
        springs=tuple(springs),
        wheels=tuple(wheels),
        tyres={"road": read_tir(SAMPLES["car_mf61"])},
        axles=axles,
        modes={f"{axle.position}_suspension": Mode.KINEMATIC for axle in axles},
    )

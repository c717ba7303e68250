"""Vehicles whose left side is not their right side, so that nothing can be exchanged without being noticed.

Both are bundled vehicles with other numbers. Left and right differ in dampers, springs, stops, bushings, masses,
hardpoints and tyres; the load lies to the left; a part of the driveline hangs between body and axle. The van has a
solid axle with twin tyres and a differential off its middle, the car is independently sprung, driven at both axles.

Limits: the van's cargo lies 30 mm off the middle and no farther, because the real-time model does not come to rest
with more (`tests/simulate/test_asymmetric_vehicles.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar

import numpy as np

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.conversion import Conversion, convert
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import KcSettings, characterise
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.connectors import Beam, BeamSection, Bushing
from trackrod.vehicle.elements import Body, Joint, JointType, Role, Vector
from trackrod.vehicle.systems import TyrePlace
from trackrod.vehicle.vehicle import Vehicle

VAN, CAR = "asymmetric_van", "asymmetric_car"
NAMES = (VAN, CAR)

#: As few points as show the form of a map: a quarter of a second for an axle.
SMALL = KcSettings(travel=np.linspace(-0.08, 0.08, 5), rack=np.linspace(-0.04, 0.04, 5), map_points=5, load_steps=1)

T = TypeVar("T")
_FRONT, _REAR = "front_suspension.", "rear_suspension."


@cache
def vehicle(name: str) -> Vehicle:
    """One of the two, or a bundled vehicle."""
    made = {VAN: _van, CAR: _car}
    return made[name]() if name in made else read_vehicle(BUNDLED[name].assembly).vehicle


@cache
def maps(name: str) -> dict[Axle, KcMaps]:
    """Maps of a small K&C."""
    studies = {axle: characterise(vehicle(name), axle, SMALL) for axle in Axle}
    found = {axle: study.maps for axle, study in studies.items() if study.maps is not None}
    assert len(found) == 2, [study.problems for study in studies.values()]
    return found


@cache
def converted(name: str, *, road_height: float = 0.0, elastic_steering: bool = False) -> Conversion:
    """The real-time model of a small K&C."""
    return convert(vehicle(name), maps(name), elastic_steering=elastic_steering, road_height=road_height)


def _van() -> Vehicle:
    van = vehicle("lcv_7t")
    van = replace(
        van,
        name=VAN,
        dampers=_changed(van.dampers, {f"{_FRONT}ride_damper_right": 1.4, f"{_REAR}ride_damper_right": 0.7}, _damper),
        torsion_springs=_changed(van.torsion_springs, {f"{_FRONT}torsion_bar_right": 1.15}, _torsion_bar),
        beams=_changed(van.beams, {f"{_REAR}leaf_right_{i}": 1.1 for i in range(1, 5)}, _beam),
        stops=_changed(van.stops, {s.name: 0.006 for s in van.stops if s.name.endswith("_right")}, _stop),
        bushings=_changed(
            van.bushings, {f"{_FRONT}lca_rear_right": 0.6, f"{_REAR}leaf_front_eye_right": 0.5}, _bushing
        ),
    )
    van = _shifted_load(van, 0.03)
    van = _heavier(
        van,
        {f"{_FRONT}upright_right": 1.2, "front_wheels.wheel_right": 1.1, "rear_wheels.outer_wheel_left": 1.15},
    )
    van = _moved(van, f"{_FRONT}tierod_outer_right", (0.0, 0.0, 0.006))
    van = _moved(van, f"{_FRONT}uca_front_right", (0.0, 0.0, 0.005))
    van = _moved(van, f"{_REAR}lwr_strut_mount_right", (0.0, 0.03, 0.0))
    van = _moved(van, f"{_REAR}leaf_front_eye_right", (0.0, 0.0, 0.008))
    van = _wider(van, Corner.RR, 0.014)
    van = _with_tyres(van, Corner.RR, (0.14, -0.12))
    van = _with_differential(van, (-4.05, 0.21, 0.36), 55.0)
    return _with_shaft(van, f"{_REAR}driveshaft", f"{_REAR}axle", (-3.0, 0.1, 0.6), (-3.9, 0.2, 0.37), 28.0)


def _car() -> Vehicle:
    car = vehicle("double_wishbone_car")
    assert car.powertrain is not None
    car = replace(
        car,
        name=CAR,
        dampers=_changed(car.dampers, {f"{_FRONT}ride_damper_right": 0.6, f"{_REAR}ride_damper_right": 1.3}, _damper),
        springs=_changed(car.springs, {f"{_FRONT}ride_spring_right": 1.1, f"{_REAR}ride_spring_left": 1.08}, _spring),
        stops=_changed(car.stops, {s.name: 0.005 for s in car.stops if s.name.endswith("_left")}, _stop),
        bushings=_changed(car.bushings, {f"{_FRONT}lca_front_left": 0.6, f"{_REAR}uca_rear_right": 0.5}, _bushing),
        powertrain=replace(car.powertrain, front_share=0.35),
    )
    car = _shifted_load(car, 0.03)
    car = _heavier(
        car,
        {f"{_FRONT}upright_left": 1.3, "rear_wheels.wheel_left": 1.15, f"{_FRONT}spindle_right": 1.2},
    )
    car = _moved(car, f"{_FRONT}tierod_outer_left", (0.0, 0.0, -0.005))
    car = _moved(car, f"{_REAR}tierod_inner_right", (0.0, 0.0, 0.006))
    car = _moved(car, f"{_REAR}lwr_strut_mount_left", (0.0, -0.02, 0.0))
    car = _wider(car, Corner.RL, 0.01)
    left, right = ((-2.56, 0.15, 0.3), (-2.56, 0.70, 0.3)), ((-2.56, -0.25, 0.3), (-2.56, -0.70, 0.3))
    car = _with_shaft(car, f"{_REAR}driveshaft_left", f"{_REAR}upright_left", *left, 6.0)
    return _with_shaft(car, f"{_REAR}driveshaft_right", f"{_REAR}upright_right", *right, 4.5)


# ---- changes


def _changed(items: Iterable[T], by: Mapping[str, float], change: Callable[[T, float], T]) -> tuple[T, ...]:
    """Items with some of them changed; every name must be there."""
    items = tuple(items)
    missing = set(by) - {item.name for item in items}  # type: ignore[attr-defined]
    assert not missing, missing
    return tuple(change(item, by[item.name]) if item.name in by else item for item in items)  # type: ignore[attr-defined]


def _times(curve: Characteristic, factor: float) -> Characteristic:
    return replace(curve, y=factor * curve.y)


def _damper(item, factor):
    return replace(item, characteristic=replace(item.characteristic, curve=_times(item.characteristic.curve, factor)))


_spring = _damper


def _torsion_bar(item, factor):
    return replace(item, curve=_times(item.curve, factor), preload=item.preload * (1 + 0.3 * (factor - 1)))


def _beam(item: Beam, factor: float) -> Beam:
    section = item.section
    scaled = (factor * value for value in (section.axial, section.torsional, section.bending_y, section.bending_z))
    return replace(item, section=BeamSection(*scaled))


def _stop(item, nearer):
    return replace(item, clearance=item.clearance - nearer)


def _bushing(item: Bushing, factor: float) -> Bushing:
    curves = tuple(_times(curve, factor) for curve in item.characteristic.curves)
    return replace(item, characteristic=replace(item.characteristic, curves=curves))


def _heavy(item: Body, factor: float) -> Body:
    return item.scaled(factor)


def _heavier(of: Vehicle, by: Mapping[str, float]) -> Vehicle:
    return replace(of, bodies=_changed(of.bodies, by, _heavy))


def _shifted_load(of: Vehicle, to_the_left: float) -> Vehicle:
    """What weighs most, cargo or body, farther to the left [m], with products of inertia that are not zero."""
    name = "body.payload_cargo" if of.payload is not None else of.chassis
    load = of.body(name)
    x, y, z = load.centre
    (xx, _, xz), (_, yy, _), (_, _, zz) = load.inertia
    xy, yz = 0.02 * xx, -0.03 * xx
    there = replace(load, centre=(x, y + to_the_left, z), inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    bodies = tuple(there if body.name == name else body for body in of.bodies)
    if of.payload is None:
        return replace(of, bodies=bodies)
    parts = tuple(there if part.name == name else part for part in of.payload.parts)
    return replace(of, bodies=bodies, payload=replace(of.payload, parts=parts))


def _moved(of: Vehicle, hardpoint: str, by: Vector) -> Vehicle:
    """Everything that lies at a hardpoint, moved [m]; the directions of axes stay."""
    where = np.array(of.hardpoints[hardpoint])

    def place(point: Vector) -> Vector:
        return _sum(point, by) if np.linalg.norm(np.array(point) - where) < 1e-9 else point

    def at_a_point(items):
        return tuple(replace(item, position=place(item.position)) for item in items)

    def along_a_line(items):
        return tuple(replace(item, ends=(place(item.ends[0]), place(item.ends[1]))) for item in items)

    return replace(
        of,
        hardpoints={name: place(point) for name, point in of.hardpoints.items()},
        joints=at_a_point(of.joints),
        bushings=at_a_point(of.bushings),
        torsion_springs=at_a_point(of.torsion_springs),
        springs=along_a_line(of.springs),
        dampers=along_a_line(of.dampers),
        frictions=along_a_line(of.frictions),
        stops=along_a_line(of.stops),
        beams=along_a_line(of.beams),
    )


def _wider(of: Vehicle, corner: Corner, by: float) -> Vehicle:
    """A wheel farther outward [m], with what turns with it."""
    wheel = of.wheel(corner)
    out = (0.0, by * corner.side.sign, 0.0)
    turning = {wheel.body} | {joint.bodies[0] for joint in of.joints if joint.bodies[1] == wheel.body}
    return replace(
        of,
        wheels=tuple(replace(w, centre=_sum(w.centre, out)) if w is wheel else w for w in of.wheels),
        bodies=tuple(replace(b, centre=_sum(b.centre, out)) if b.name in turning else b for b in of.bodies),
    )


def _with_tyres(of: Vehicle, corner: Corner, offsets: tuple[float, ...]) -> Vehicle:
    name = of.wheel(corner).tyres[0].tyre
    places = tuple(TyrePlace(name, offset) for offset in offsets)
    return replace(of, wheels=tuple(replace(w, tyres=places) if w.corner is corner else w for w in of.wheels))


def _with_differential(of: Vehicle, centre: Vector, mass: float) -> Vehicle:
    """A housing that is part of the solid axle."""
    axle = of.body("rear_suspension.axle")
    inertia = ((0.9, 0.0, 0.0), (0.0, 0.7, 0.0), (0.0, 0.0, 1.1))
    housing = replace(axle, name="rear_suspension.final_drive", mass=mass, centre=centre, inertia=inertia)
    joint = Joint("rear_suspension.final_drive_fixed", JointType.FIXED, (housing.name, axle.name), centre)
    return replace(of, bodies=(*of.bodies, housing), joints=(*of.joints, joint))


def _with_shaft(of: Vehicle, name: str, outer: str, inner_end: Vector, outer_end: Vector, mass: float) -> Vehicle:
    """A shaft of the driveline: its outer end on a body of the axle, its inner end sliding in a bearing of the body."""
    along = np.subtract(outer_end, inner_end)
    length = float(np.linalg.norm(along))
    axis = along / length
    first, second = (tuple(row) for row in _across(axis))
    slender = mass * length**2 / 12.0 * (np.eye(3) - np.outer(axis, axis)) + 0.02 * np.eye(3)
    link = of.body(next(body.name for body in of.bodies if body.name.startswith("rear_suspension.lower_strut")))
    centre = tuple((0.5 * np.add(inner_end, outer_end)).tolist())
    inertia = tuple(tuple(row) for row in slender.tolist())
    side = next((side for side in Side if name.endswith(side)), None)
    shaft = replace(link, name=name, mass=mass, centre=centre, inertia=inertia, sprung_fraction=0.5)
    shaft = replace(shaft, side=side, role=Role.DRIVELINE)
    joints = (
        Joint(f"{name}_outer", JointType.HOOKE, (name, outer), outer_end, axis=first, second_axis=second),
        Joint(f"{name}_inner", JointType.INLINE, (name, of.chassis), inner_end, axis=tuple(axis.tolist())),
    )
    return replace(of, bodies=(*of.bodies, shaft), joints=(*of.joints, *joints))


def _across(axis: np.ndarray) -> np.ndarray:
    """Two directions normal to an axis and to each other, as rows."""
    first = np.cross(np.eye(3)[int(np.abs(axis).argmin())], axis)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first)])


def _sum(first: Vector, second: Vector) -> Vector:
    x, y, z = (float(a + b) for a, b in zip(first, second, strict=True))
    return x, y, z

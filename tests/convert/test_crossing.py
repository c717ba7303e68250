"""Every number that crosses from a vehicle to its real-time model, compared with the vehicle.

Each row of the table names a number of the specification, reads it, and works it out once more from the vehicle
(`vehicle_by_hand`). A number without a row fails. Bundled vehicles and two asymmetric ones go through the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

import elastic_axle_by_hand as elastic
from asymmetric_vehicles import CAR, SMALL, VAN, maps, vehicle
from trackrod.convert.conversion import Compliance, convert
from trackrod.convert.masses import SplitFactors
from trackrod.convert.round_trip import ModelRig
from trackrod.convert.steering import column_angle
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.rig import Inputs, Load
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.elasticity import ElasticAxle, ElasticMode
from trackrod.rtm.layout import AXLE_LOADS, AXLE_WAYS, CHANNELS, COMPLIANCE_CHANNELS, COMPLIANCE_LOADS, GIVEN_POSE
from trackrod.rtm.spec import AxleSpec, ComplianceSpec, Curve, RtmSpec, SteeringSpec, WheelSpec
from trackrod.tyre.model import Tyre
from trackrod.vehicle.catalogue import BUNDLED
from vehicle_by_hand import SIDES, Masses, give, masses, pad_forces, poses, rig, rubbing, stop_base

Array = NDArray[np.float64]

NAMES = (*BUNDLED, VAN, CAR)
VANS = ("lcv_3t5", "lcv_7t", VAN)
ASYMMETRIC = (VAN, CAR)
#: No two alike, so that none can be taken for another; and a road that is not at zero.
FACTORS = {"front": 0.3, "rear": 0.6, "driveline": 0.8}
ROAD_HEIGHT = 0.013

#: Tolerances over the largest number of a row, or of each column of it. Copied numbers are the same; sums of some sixty
#: bodies round; two solutions of the same equilibrium agree to the last change of Newton's method.
COPIED, SUMMED, SOLVED = 0.0, 1e-11, 1e-6
#: Shapes by differences of equilibria forty newtons apart, of bushings that are not straight.
DIFFERENCES = 0.01
#: Their changes over 20 mm of travel, over the shapes themselves: 0.05 to 0.6 of them on most axles.
BESIDE = 0.002
#: Poses under large loads of all kinds, of a linear axle and bushings that stiffen, over the largest of them and at
#: least over this [m], [rad].
AT_LIMIT = 0.05
LARGE_POSE = 4e-3
#: Motion ratios over other widths of travel, of leaves that bend.
BENT = 1e-3
#: Forces of stops by motion ratios over other widths of travel.
STOPS = 1e-3
#: One anti-roll curve for two wheels that are not alike: exact as far as their springs are straight.
CURVED = 2e-3
#: Wheel loads in bump, droop and roll at once, over the largest: levers of bars, leaves that bend.
MIXED = 0.02
#: A bar on bushings: the rig makes it softer by 5 %, which is not quite its slope.
BAR = 5e-3
#: What counts as the largest number where all are smaller: a millimetre, a milliradian, a gram.
SMALLEST = 1e-3


@cache
def spec_of(name: str, compliance: Compliance = Compliance.MOVING) -> RtmSpec:
    made = convert(
        vehicle(name),
        maps(name),
        factors=SplitFactors(**FACTORS),
        compliance=compliance,
        elastic_steering=True,
        road_height=ROAD_HEIGHT,
    )
    return made.spec


@cache
def by_hand(name: str) -> Masses:
    return masses(name, **FACTORS)


@dataclass(frozen=True)
class Row:
    """A number or array of numbers, how the specification and the vehicle have it, and where it is known to be wrong.

    Attributes
    ----------
    name
        Of the field of the specification, as `expected_names` has it, with what of it is compared after a blank.
    of_spec, of_vehicle
        From the specification, and by hand from the vehicle of this name [SI].
    tolerance
        Over the largest number of the row, or of each of its columns.
    wrong
        Vehicles for which the conversion is known to be wrong, with the reason.
    size
        What the tolerance is taken of where it is not the largest number of a column.
    compliance
        Of the model that has the number.
    """

    name: str
    of_spec: Callable[[RtmSpec], Any]
    of_vehicle: Callable[[str], Any]
    tolerance: float = COPIED
    wrong: Mapping[str, str] = field(default_factory=dict)
    size: Callable[[str], Any] | None = None
    compliance: Compliance = Compliance.MOVING


# ---- parameters

_BEAM = "the mass of a solid axle's beam is put at the wheels, its own inertia is dropped"
_ONE_NUMBER = "the model has one number for both wheels of an axle: the mean"
_INERTIA = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
_ONES = ("spring", "antiroll", "stop", "damper", "compliance")


def _parameter(name: str, of_vehicle: Callable[[str], float], tolerance: float = SUMMED, **wrong: str) -> Row:
    return Row(f"parameters.{name}", lambda spec: spec.parameters[name], of_vehicle, tolerance, wrong)


def _parameter_rows() -> Iterator[Row]:
    yield _parameter("sprung_mass", lambda n: by_hand(n).sprung)
    yield _parameter("cg_to_front", lambda n: vehicle(n).wheels[0].centre[0] - by_hand(n).sprung_centre[0])
    yield _parameter("cg_y", lambda n: by_hand(n).sprung_centre[1], 1e-9)  # the difference of great numbers
    yield _parameter("cg_height", lambda n: by_hand(n).sprung_centre[2] - ROAD_HEIGHT)
    for name, element in _INERTIA.items():
        wrong = dict.fromkeys(VANS, _BEAM) if name in ("Ixx", "Izz") else {}
        yield _parameter(name, lambda n, e=element: by_hand(n).sprung_inertia[e], 1e-6, **wrong)  # likewise
    for axle in Axle:
        pair = slice(0, 2) if axle is Axle.FRONT else slice(2, 4)
        beam = dict.fromkeys(VANS, _BEAM) if axle is Axle.REAR else {}
        yield _parameter(f"unsprung_mass_{axle}", lambda n, p=pair: by_hand(n).unsprung[p].mean())
        yield _parameter(f"unsprung_roll_inertia_{axle}", lambda n, p=pair: by_hand(n).roll[p].mean(), **beam)
        yield _parameter(f"unsprung_yaw_inertia_{axle}", lambda n, p=pair: by_hand(n).yaw[p].mean(), **beam)
        yield _parameter(f"wheel_inertia_{axle}", lambda n, p=pair: by_hand(n).spin[p].mean())
        yield _parameter(f"shaft_inertia_{axle}", lambda _: 0.0)  # a body has all of its inertia where it turns
        yield from (_parameter(f"{name}_factor_{axle}", lambda _: 1.0) for name in _ONES)
        yield _parameter(f"friction_{axle}", lambda n, a=axle: rubbing(n, a, 1.0), BENT)
        yield _parameter(f"friction_base_{axle}", lambda n, a=axle: _friction_base(n, a), BENT)
        yield _parameter(f"brake_{axle}", lambda n, a=axle: _brake(n, a))
        yield _parameter(f"lift_{axle}", lambda n, a=axle: _air(n, f"{a}_lift"))
        yield Row(
            f"parameters.standing_travel_{axle}",
            lambda spec, a=axle: spec.parameters[f"standing_travel_{a}"],
            lambda n, a=axle: _standing(n, a),
            1e-6,  # the curve between the points of a table
            size=lambda _: 1.0,
        )
    yield _parameter("engine_factor", lambda _: 1.0)
    # no vehicle here has a frame that twists; those that have: tests/rtm/test_rtm_frame.py
    yield _parameter("frame_stiffness", lambda _: 0.0)
    yield _parameter("frame_damping", lambda _: 0.0)
    yield _parameter("gravity", lambda _: 9.80665)
    yield _parameter("steering_ratio", _rack_per_turn)
    yield _parameter("drag", lambda n: _air(n, "drag"))
    yield _parameter("drag_height", lambda n: vehicle(n).aerodynamics.centre_height - ROAD_HEIGHT)


def _friction_base(name: str, axle: Axle) -> float:
    """Friction in roll over that in parallel travel; 1 where nothing rubs."""
    parallel = rubbing(name, axle, 1.0)
    return rubbing(name, axle, -1.0) / parallel if parallel else 1.0


def _brake(name: str, axle: Axle) -> float:
    brakes = vehicle(name).brakes
    return brakes.largest_pressure * (brakes.front_torque if axle is Axle.FRONT else brakes.rear_torque)


def _standing(name: str, axle: Axle) -> float:
    """Travel at which the loads of the rig's pads are what the whole vehicle weighs on the axle [m]."""
    x = {each: vehicle(name).wheel(Corner.of(each, Side.LEFT)).centre[0] for each in Axle}
    other = x[Axle.REAR if axle is Axle.FRONT else Axle.FRONT]
    weight = 9.80665 * by_hand(name).total * (by_hand(name).total_centre[0] - other) / (x[axle] - other)
    parts = [part[:, k] for part in (_parallel(name, axle, False), _stops(name, axle)) for k in range(2)]
    curves = [PchipInterpolator(SMALL.travel, part) for part in parts]
    return float(brentq(lambda z: float(sum(of(z) for of in curves)) - weight, SMALL.travel[0], SMALL.travel[-1]))


def _air(name: str, coefficient: str) -> float:
    air = vehicle(name).aerodynamics
    return air.density / 2 * air.frontal_area * getattr(air, coefficient)


def _rack_per_turn(name: str) -> float:
    """From the gear of pinion and rack; its sign is that which steers to the left, looked up on the rig."""
    [gear] = [gear for gear in vehicle(name).gears if gear.name == "steering.pinion_to_rack"]
    steered = poses(name, Axle.FRONT, Inputs.of(rack=[0.0, 0.005]))[Side.LEFT]["rz"]
    return float(np.copysign(1.0 / gear.ratio, np.diff(steered)[0]))


# ---- the vehicle as a whole, put together from the specification


def _whole_rows() -> Iterator[Row]:
    unequal = dict.fromkeys(ASYMMETRIC, _ONE_NUMBER)
    yield Row("whole mass", lambda spec: spec.mass, lambda n: by_hand(n).total, SUMMED)
    yield Row("whole centre", lambda spec: _whole(spec)[0], lambda n: by_hand(n).total_centre, 1e-9, unequal)
    yield Row("whole inertia", lambda spec: _whole(spec)[1], lambda n: by_hand(n).total_inertia, 1e-9, unequal)
    for name in ("unsprung_mass", "wheel_inertia", "unsprung_roll_inertia", "unsprung_yaw_inertia"):
        short = {"unsprung_mass": "unsprung", "wheel_inertia": "spin"}.get(name, name.split("_")[1])
        wrong = dict.fromkeys(VANS, _BEAM) | unequal if short in ("roll", "yaw") else unequal
        yield Row(
            f"each {name}",
            lambda spec, name=name: np.repeat([spec.parameters[f"{name}_{axle}"] for axle in Axle], 2),
            lambda n, short=short: getattr(by_hand(n), short),
            SUMMED,
            wrong,
        )


def _whole(spec: RtmSpec) -> tuple[Array, Array]:
    """Centre and inertia of sprung body and wheels as the model has them."""
    p = spec.parameters
    m = np.array([p["unsprung_mass_front"]] * 2 + [p["unsprung_mass_rear"]] * 2)
    wheels = np.array([wheel.centre for wheel in spec.wheels])
    sprung = np.array([wheels[0, 0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
    centre = (p["sprung_mass"] * sprung + m @ wheels) / (p["sprung_mass"] + m.sum())
    inertia = np.zeros((3, 3))
    for name, (i, j) in _INERTIA.items():
        inertia[i, j] = inertia[j, i] = p[name]
    for mass, place in ((p["sprung_mass"], sprung), *zip(m, wheels, strict=True)):
        d = place - centre
        inertia += mass * (d @ d * np.eye(3) - np.outer(d, d))
    for axle in Axle:
        inertia += 2 * np.diag([p[f"unsprung_roll_inertia_{axle}"], 0.0, p[f"unsprung_yaw_inertia_{axle}"]])
    return centre, inertia


# ---- wheels

_RIG_LOADS = {
    "brake_force": Load.FX,
    "drive_force": Load.FX_DRIVE,
    "side_force": Load.FY,
    "aligning_moment": Load.MZ,
}


def _wheel_rows() -> Iterator[Row]:
    yield Row("wheels.corner", lambda spec: [w.corner for w in spec.wheels], lambda _: ["fl", "fr", "rl", "rr"])
    yield Row("wheels.centre", lambda spec: [w.centre for w in spec.wheels], lambda n: _design(n, "centre"))
    yield Row(
        "wheels.tyres",
        lambda spec: [(place.tyre, place.offset) for w in spec.wheels for place in w.tyres],
        lambda n: [(place.tyre, place.offset) for w in vehicle(n).wheels for place in w.tyres],
    )
    for i, corner in enumerate(Corner):
        steered = corner.axle is Axle.FRONT  # of every vehicle here
        first, second = (SMALL.travel, SMALL.rack) if steered else (0.6 * SMALL.travel, 0.4 * SMALL.travel)
        yield Row(f"wheels.first {corner}", lambda spec, i=i: spec.wheels[i].first, lambda _, x=first: x, SUMMED)
        yield Row(f"wheels.second {corner}", lambda spec, i=i: spec.wheels[i].second, lambda _, x=second: x, SUMMED)
        yield Row(
            f"wheels.kinematics {corner}",
            lambda spec, i=i: _diagonals(spec.wheels[i].kinematics),
            lambda n, c=corner: _columns(_pose(n, c.axle)[c.side], CHANNELS),
            SOLVED,
        )
        yield from _roll_rows(corner, steered)
        for load in COMPLIANCE_LOADS:
            for which in ("own", "opposite"):
                yield from _compliance_rows(corner, load, which)


def _roll_rows(corner: Corner, steered: bool) -> Iterator[Row]:
    """Poses in opposite travel, put together from map and change as the model does it; nothing where a map has it."""
    i, opposite = corner.index, 0.75 * SMALL.travel
    if not steered:
        for part in ("opposite", "in_roll"):
            yield Row(f"wheels.{part} {corner}", lambda spec, p=part: getattr(spec.wheels[i], p).size, lambda _: 0)
        return
    yield Row(f"wheels.opposite {corner}", lambda spec: spec.wheels[i].opposite, lambda _: opposite, SUMMED)
    yield Row(
        f"wheels.in_roll {corner}",
        lambda spec: ModelRig(spec, corner.axle).pose(corner.side, opposite, -opposite),
        lambda n: _columns(
            poses(n, corner.axle, Inputs.of(np.column_stack((opposite, -opposite))))[corner.side], CHANNELS
        ),
        SOLVED,
    )


def _design(name: str, what: str) -> list[Any]:
    return [getattr(vehicle(name).wheel(corner), what) for corner in Corner]


def _diagonals(values: Array) -> Array:
    return np.concatenate([np.diagonal(way, axis1=0, axis2=1).T for way in (values, values[:, ::-1])])


def _columns(pose: Mapping[str, Array], channels: tuple[str, ...]) -> Array:
    return np.column_stack([pose[channel] for channel in channels])


@cache
def _pose(name: str, axle: Axle) -> dict[Side, dict[str, Array]]:
    """Poses along both diagonals of the map: travel and rack, or parallel and opposite travel, change together."""
    found: list[dict[Side, dict[str, Array]]] = []
    for direction in (1, -1):
        if axle is Axle.FRONT:
            z, rack = SMALL.travel, SMALL.rack[::direction]
            inputs = Inputs.of(np.column_stack((z, z)), rack)
        else:
            parallel, opposite = 0.6 * SMALL.travel, 0.4 * SMALL.travel[::direction]
            inputs = Inputs.of(np.column_stack((parallel + opposite, parallel - opposite)))
        found.append(poses(name, axle, inputs))
    one, two = found
    return {side: {key: np.concatenate((one[side][key], two[side][key])) for key in one[side]} for side in SIDES}


def _compliance_rows(corner: Corner, load: str, which: str) -> Iterator[Row]:
    i, k = corner.index, COMPLIANCE_LOADS.index(load)
    loaded = corner.side if which == "own" else corner.opposite.side

    def item(spec: RtmSpec) -> ComplianceSpec:
        return spec.wheels[i].compliance[k]

    yield Row(
        f"wheels.compliance {corner} {load} {which}_load",
        lambda spec: getattr(item(spec), f"{which}_load"),
        lambda n: _loads(n, corner.axle, load),
        SUMMED,
        compliance=Compliance.QUASI_STATIC,
    )
    yield Row(
        f"wheels.compliance {corner} {load} {which}",
        lambda spec: getattr(item(spec), which),
        lambda n: _columns(_give(n, corner.axle, load, loaded)[corner.side], COMPLIANCE_CHANNELS),
        SOLVED,
        compliance=Compliance.QUASI_STATIC,
    )


def _loads(name: str, axle: Axle, load: str) -> Array:
    """0.8 of the wheel load as a force, 0.05 m times it as a moment."""
    mean = float(rig(name, axle).design_loads.mean())
    return np.array([-1.0, 0.0, 1.0]) * mean * (0.05 if load == "aligning_moment" else 0.8)


@cache
def _give(name: str, axle: Axle, load: str, loaded: Side) -> dict[Side, dict[str, Array]]:
    return give(name, axle, _RIG_LOADS[load], _loads(name, axle, load), loaded)


# ---- axles


def _axle_rows() -> Iterator[Row]:
    yield Row("axles.steered", lambda spec: [axle.steered for axle in spec.axles], lambda _: [True, False])
    yield Row(
        "axles.drive_on_carrier",
        lambda spec: [axle.drive_on_carrier for axle in spec.axles],
        lambda n: [False, n in VANS],  # the propeller shaft of a solid axle turns its housing against it
    )
    for i, axle in enumerate(Axle):
        pressed = lambda n, a=axle: _opposite(n, a)  # noqa: E731
        difference = lambda spec, i=i: _pressed(spec, i) @ [0.5, -0.5]  # noqa: E731
        yield Row(f"axles.roll {axle}", difference, lambda n, of=pressed: of(n) @ [0.5, -0.5], SOLVED)
        # Springs that stiffen with travel press both wheels alike, which no bar does: what is odd in travel counts.
        each = lambda spec, i=i: _odd(_pressed(spec, i))  # noqa: E731
        yield Row(f"axles.roll {axle} each", each, lambda n, of=pressed: _odd(of(n)), CURVED)
        bar = lambda spec, a=axle: np.subtract(*ModelRig(spec, a).of_bar(_OPPOSITE, -_OPPOSITE)) / 2  # noqa: E731
        yield Row(f"axles.antiroll {axle}", bar, lambda n, a=axle: _bar(n, a), BAR)
        mixed = lambda spec, a=axle: np.column_stack(ModelRig(spec, a).load(*_MIXED.T, stops=False))  # noqa: E731
        yield Row(f"axles.lever {axle}", mixed, lambda n, a=axle: pad_forces(n, a, _MIXED, stops=False), MIXED)


def _curve_rows() -> Iterator[Row]:
    """Spring, stops and damper of each wheel."""
    for i, corner in enumerate(Corner):
        axle, k = corner.axle, SIDES.index(corner.side)
        yield Row(
            f"wheels.damper {corner}",
            lambda spec, i=i: _points(spec.wheels[i].damper),
            lambda n, c=corner: _points(_damper(n, c.axle, c.side)),
        )
        for name in ("spring", "stops"):
            of_spec = lambda spec, i=i, name=name: getattr(spec.wheels[i], name).x  # noqa: E731
            yield Row(f"wheels.{name} {corner} x", of_spec, lambda _: SMALL.travel, SUMMED)
        spring = lambda spec, i=i: spec.wheels[i].spring.y  # noqa: E731
        stops = lambda spec, i=i: spec.wheels[i].stops.y  # noqa: E731
        yield Row(f"wheels.spring {corner}", spring, lambda n, a=axle, k=k: _parallel(n, a, False)[:, k], SOLVED)
        yield Row(f"wheels.stops {corner}", stops, lambda n, a=axle, k=k: _stops(n, a)[:, k], STOPS)
        by_rack = lambda spec, i=i: spec.wheels[i].by_rack.y[[0, -1]] if i < 2 else spec.wheels[i].by_rack.y.size  # noqa: E731
        yield Row(f"wheels.by_rack {corner}", by_rack, lambda n, k=k, i=i: _by_rack(n)[:, k] if i < 2 else 0, SOLVED)
        for kind in ("bump", "rebound"):
            base = lambda spec, i=i, kind=kind: getattr(spec.wheels[i], f"{kind}_base")  # noqa: E731
            yield Row(f"wheels.{kind}_base {corner}", base, lambda n, c=corner, k=kind: stop_base(n, c, k), BENT)


#: Travels of both wheels against each other, and otherwise [m].
_OPPOSITE = 0.75 * SMALL.travel
_MIXED = SMALL.travel.max() * np.outer([-0.6, -0.3, 0.0, 0.3, 0.6], [1.0, -0.5])


def _points(curve: Any) -> Array:
    return np.column_stack((curve.x, curve.y))


def _damper(name: str, axle: Axle, side: Side) -> Any:
    [damper] = [d for d in vehicle(name).dampers if d.name == f"{axle}_suspension.ride_damper_{side}"]
    return damper.characteristic.curve


@cache
def _by_rack(name: str) -> Array:
    """What the ends of the rack do to the loads of the front wheels in turns."""
    on, ends = rig(name, Axle.FRONT, stops=True), SMALL.rack[[0, -1]]
    pads = [on.model.drives[f"pad_{Corner.of(Axle.FRONT, side)}"] for side in SIDES]
    steer = [
        float(pose["rz"][0]) for pose in (poses(name, Axle.FRONT, Inputs.of(rack=x))[Side.LEFT] for x in ends[:, None])
    ]
    found = []
    for x, turned in zip(ends, steer, strict=True):
        apart = np.array([-0.04, 0.04]) * np.sign(turned)  # in a turn to the left the left wheel is in droop
        line = on.sweep(Inputs.of(np.outer([0.0, 0.5, 1.0, 1.0, 1.0], apart), x * np.array([0.0, 0.0, 0.0, 0.5, 1.0])))
        found.append(line.forces[-1, pads] - line.forces[2, pads])
    return np.array(found)


@cache
def _parallel(name: str, axle: Axle, stops: bool) -> Array:
    return pad_forces(name, axle, np.column_stack((SMALL.travel, SMALL.travel)), stops=stops)


def _stops(name: str, axle: Axle) -> Array:
    """Forces of the stops where they stand: both wheels of a solid axle feel a part, and both have the same work."""
    pads = _parallel(name, axle, True) - _parallel(name, axle, False)
    found = pads.copy()
    for row, kind in ((0, "rebound"), (-1, "bump")):
        left, right = (stop_base(name, Corner.of(axle, side), kind) for side in SIDES)
        found[row] = np.linalg.solve([[1.0, 1.0], [left, -right]], [pads[row].sum(), pads[row] @ [1.0, -1.0]])
    return found


@cache
def _opposite(name: str, axle: Axle) -> Array:
    y = 0.75 * SMALL.travel
    return pad_forces(name, axle, np.column_stack((y, -y)), stops=False)


@cache
def _bar(name: str, axle: Axle) -> Array:
    """What a bar that is a little stiffer and softer changes, for the whole of it."""
    y, ways = _OPPOSITE, (1.02, 0.98)
    more, less = (pad_forces(name, axle, np.column_stack((y, -y)), stops=False, bar=way) for way in ways)
    return np.asarray((more - less) @ [0.5, -0.5] / (ways[0] - ways[1]))


def _pressed(spec: RtmSpec, i: int) -> Array:
    """What the model puts on the left and on the right wheel in opposite travel: springs and anti-roll bar."""
    return np.column_stack(ModelRig(spec, tuple(Axle)[i]).load(_OPPOSITE, -_OPPOSITE, stops=False))


def _odd(over_travel: Array) -> Array:
    return np.asarray(0.5 * (over_travel - over_travel[::-1]))


# ---- axles that give

_MODES = {"symmetric": 1.0, "antisymmetric": -1.0}
#: A hard turn to the left: loads of the left and the right wheel [N], [N·m], travels [m].
_TURN = {
    Load.FX: np.array([-200.0, -400.0]),
    Load.FY: np.array([1300.0, 4000.0]),
    Load.MZ: np.array([-30.0, -150.0]),
}
_TURN_TRAVEL = np.array([-0.03, 0.035])


def _elasticity_rows() -> Iterator[Row]:
    for i, axle in enumerate(Axle):
        for which, sign in _MODES.items():
            for part in (item.name for item in fields(ElasticMode) if item.name != "pose"):
                yield Row(
                    f"axles.elasticity.{which}.{part} {axle}",
                    lambda spec, i=i, w=which, p=part: _of_loads(getattr(spec.axles[i].elasticity, w), p),
                    lambda n, a=axle, s=sign, p=part: getattr(elastic.mode(n, a, s), p),
                    DIFFERENCES,
                    size=lambda n, a=axle, s=sign, p=part: elastic.mode(n, a, s).sizes[p],
                )
            for k, way in enumerate(AXLE_WAYS):
                yield Row(
                    f"axles.elasticity.{which}.pose {axle} {way}",
                    lambda spec, i=i, w=which, k=k: getattr(spec.axles[i].elasticity, w).pose[k],
                    lambda n, a=axle, s=sign, k=k: elastic.mode(n, a, s).pose[k],
                    BESIDE if k else DIFFERENCES,
                    size=lambda n, a=axle, s=sign, k=k: (
                        elastic.mode(n, a, s).sizes["pose"] / (elastic.BESIDE if k else 1.0)
                    ),
                )
        yield Row(
            f"axles.elasticity.bushings {axle}",
            lambda spec, i=i: _in_turn(spec.axles[i]),
            lambda n, a=axle: _turned(n, a),
            AT_LIMIT,
            size=lambda n, a=axle: np.maximum(np.abs(_turned(n, a)).max(axis=0), LARGE_POSE),
        )
        yield from _travel_rows(i, axle)


def _of_loads(mode: ElasticMode, part: str) -> Array:
    """What the six loads have of it; inner shapes are tried in vibration, `tests/kc/test_elasticity.py`."""
    value, loads = getattr(mode, part), slice(len(AXLE_LOADS))
    return np.asarray(value[loads, loads] if part in ("mass", "damping", "compliance") else value[loads])


def _in_turn(axle: AxleSpec) -> Array:
    """Displacement along y and steer angle of both wheels."""
    assert axle.elasticity is not None
    loads = np.zeros((2, len(AXLE_LOADS)))
    for load, name in ((Load.FX, "brake"), (Load.FY, "fy"), (Load.MZ, "mz")):
        loads[:, AXLE_LOADS.index(name)] = _TURN[load]
    pose = axle.elasticity.poses(*loads, _TURN_TRAVEL)
    return np.asarray(pose.reshape(2, -1)[:, [GIVEN_POSE.index(name) for name in ("ty", "rz")]])


@cache
def _turned(name: str, axle: Axle) -> Array:
    """The same on the rig, by steps from rest."""
    way = np.linspace(0.0, 1.0, 7)
    found = []
    for share in (way, 0.0 * way):
        loads = {load: np.outer(share, each) for load, each in _TURN.items()}
        at = poses(name, axle, Inputs.of(np.outer(way, _TURN_TRAVEL), loads=loads))
        found.append(np.array([_columns(at[side], ("ty", "rz"))[-1] for side in SIDES]))
    return np.asarray(found[0] - found[1])


def _travel_rows(i: int, axle: Axle) -> Iterator[Row]:
    def part(name: str) -> Callable[[RtmSpec], Any]:
        return lambda spec: getattr(spec.axles[i].elasticity, name)

    def points(n: str) -> tuple[Array, Array]:
        """Mass and momentum of the unsprung masses at the wheel centres, which the model has besides."""
        pair = slice(2 * i, 2 * i + 2)
        each, way = by_hand(n).unsprung[pair].mean(), elastic.travels(n, axle).centres
        arms = [vehicle(n).wheels[2 * i + k].centre - elastic.reference(n, axle) for k in range(2)]
        mass = sum(each * way[k] @ way[k].T for k in range(2))
        momentum = sum(each * np.hstack((way[k], np.cross(arms[k], way[k]))) for k in range(2))
        return np.asarray(mass), np.asarray(momentum)

    travels = lambda n: elastic.travels(n, axle)  # noqa: E731
    name = f"axles.elasticity.{{}} {axle}".format
    yield Row(name("reference"), part("reference"), lambda n: elastic.reference(n, axle), SOLVED)
    yield Row(
        name("softens"), part("softens"), lambda n: (n, axle) == ("cla_class", Axle.REAR)
    )  # on a bend of its curve
    yield Row(name("radius"), part("radius"), lambda n: _loaded_radius(n, axle), SOLVED)
    yield Row(
        name("travel_mass"),
        part("travel_mass"),
        lambda n: travels(n).mass - points(n)[0],
        DIFFERENCES,
        size=lambda n: travels(n).mass.max(),
    )
    yield Row(
        name("travel_momentum"),
        part("travel_momentum"),
        lambda n: travels(n).momentum - points(n)[1],
        DIFFERENCES,
        size=lambda n: np.abs(travels(n).momentum).max(),
    )
    yield Row(
        name("travel_damping"),
        part("travel_damping"),
        lambda n: travels(n).damping,
        DIFFERENCES,
        size=lambda n: travels(n).damping.max(),
    )


def _loaded_radius(name: str, axle: Axle) -> float:
    """Of the tyres under the wheel loads of the design position, mean of left and right."""
    radii = []
    for side, load in zip(SIDES, rig(name, axle).design_loads, strict=True):
        wheel = vehicle(name).wheel(Corner.of(axle, side))
        tyre = Tyre(vehicle(name).tyres[wheel.tyres[0].tyre], mounted=side)
        free = float(tyre.free_radius())
        each = load / len(wheel.tyres)
        pressed = brentq(lambda rho, t=tyre, f=each: float(t.vertical_force(rho)) - f, 0.0, 0.2)
        radii.append(free - pressed)
    return float(np.mean(radii))


# ---- the rest


def _other_rows() -> Iterator[Row]:
    yield Row("brake_pressure", lambda spec: spec.brake_pressure, lambda n: vehicle(n).brakes.largest_pressure)
    yield Row("name", lambda spec: spec.name, lambda n: vehicle(n).name)
    yield Row("frame", lambda spec: spec.frame, lambda _: None)
    yield Row("validity", lambda spec: spec.validity, lambda _: None)
    yield Row("road_height", lambda spec: spec.road_height, lambda _: ROAD_HEIGHT)
    yield Row("compliance_lag", lambda spec: spec.compliance_lag, lambda _: 0.005)
    yield Row("tyres", lambda spec: dict(spec.tyres), lambda n: dict(vehicle(n).tyres))
    yield Row("powertrain", lambda spec: spec.powertrain, lambda n: vehicle(n).powertrain)
    steering = lambda n: vehicle(n).steering  # noqa: E731
    yield Row(
        "steering.torsion_bar",
        lambda spec: _points(spec.steering.torsion_bar),
        lambda n: _points(steering(n).torsion_bar),
    )
    yield Row(
        "steering.assist",
        lambda spec: np.column_stack((spec.steering.assist.torque, spec.steering.assist.force[:, 0])),
        lambda n: np.column_stack(
            (
                PchipInterpolator(steering(n).torsion_bar.x, steering(n).torsion_bar.y)(steering(n).assist.pressure.x),
                steering(n).assist.pressure.y * steering(n).assist.piston_area,
            )
        ),
        SUMMED,
    )
    # the angle itself is held to the mechanism in test_steering_mechanism
    yield Row(
        "steering.column",
        lambda spec: spec.steering.column.y,
        lambda n: column_angle(vehicle(n), spec_of(n).steering.column.x),
        SUMMED,
    )
    turning = ("steering_wheel", "steering_column", "intermediate_shaft", "steering_shaft")
    yield Row(
        "steering.wheel_inertia",
        lambda s: s.steering.wheel_inertia,
        lambda n: sum(_about_own_axis(n, part) for part in turning),
        SUMMED,
    )
    yield Row(
        "steering.pinion_inertia", lambda s: s.steering.pinion_inertia, lambda n: _about_own_axis(n, "pinion"), SUMMED
    )
    yield Row(
        "steering.torsion_bar_damping",
        lambda s: s.steering.torsion_bar_damping,
        lambda n: next(b for b in vehicle(n).bushings if b.name == "steering.torsion_bar").characteristic.damping[5],
    )
    yield Row("steering.rack_mass", lambda s: s.steering.rack_mass, lambda n: vehicle(n).body("steering.rack").mass)
    yield Row("steering.rack_damping", lambda s: s.steering.rack_damping, lambda _: 0.0)
    yield Row("steering.rack_friction", lambda s: s.steering.rack_friction, lambda _: 0.0)
    yield Row("steering.rack_friction_stiffness", lambda s: s.steering.rack_friction_stiffness, lambda _: 2e6)
    yield Row("steering.column_friction", lambda s: s.steering.column_friction, lambda _: 0.0)
    yield Row("steering.column_friction_stiffness", lambda s: s.steering.column_friction_stiffness, lambda _: 500.0)


def _about_own_axis(name: str, part: str) -> float:
    """Inertia of a shaft about its axis, the smallest of its principal moments [kg·m²]."""
    return float(np.linalg.eigvalsh(np.array(vehicle(name).body(f"steering.{part}").inertia))[0])


_TABLES = (_parameter_rows, _whole_rows, _wheel_rows, _curve_rows, _axle_rows, _elasticity_rows, _other_rows)
ROWS = {row.name: row for rows in _TABLES for row in rows()}
CASES = [
    pytest.param(
        name,
        row,
        id=f"{name}-{row.name}",
        marks=[pytest.mark.xfail(strict=True, reason=row.wrong[name])] if name in row.wrong else [],
    )
    for name in NAMES
    for row in ROWS.values()
]


@pytest.mark.parametrize(("name", "row"), CASES)
def test_the_number_is_that_of_the_vehicle(name: str, row: Row) -> None:
    found, expected = row.of_spec(spec_of(name, row.compliance)), row.of_vehicle(name)
    if row.tolerance == COPIED:
        assert np.array_equal(found, expected) if isinstance(found, np.ndarray) else found == expected
        return
    assert np.shape(found) == np.shape(expected)
    largest = np.abs(expected).max(axis=0) if np.ndim(expected) else abs(expected)
    scale = np.maximum(largest, SMALLEST) if row.size is None else row.size(name)
    assert (np.abs(np.subtract(found, expected)) <= row.tolerance * scale).all(), (found, expected)


def expected_names() -> set[str]:
    """Every field of the specification and of what it is made of, and every parameter."""
    inner = {"wheels": WheelSpec, "axles": AxleSpec, "steering": SteeringSpec}
    found = {f"parameters.{item.name}" for item in PARAMETERS}
    for item in fields(RtmSpec):
        if item.name in inner:
            found |= {f"{item.name}.{part.name}" for part in fields(inner[item.name])}
        elif item.name != "parameters":
            found.add(item.name)
    elasticity = {part.name for part in fields(ElasticAxle)} - set(_MODES)
    elasticity |= {f"{mode}.{part.name}" for mode in _MODES for part in fields(ElasticMode)}
    return found - {"axles.elasticity"} | {f"axles.elasticity.{name}" for name in elasticity}


def test_every_number_has_a_row() -> None:
    in_table = {name.partition(" ")[0] for name in ROWS} - {"whole", "each"}
    assert in_table == expected_names()
    compared = {name.split(" ")[-1] for name in ROWS if name.startswith("wheels.compliance")}
    assert compared == {part.name for part in fields(ComplianceSpec)}


def test_the_table_would_notice_a_swap() -> None:
    """The control: on the asymmetric vehicles no wheel has the numbers of the one opposite."""
    for name in ASYMMETRIC:
        for axle in Axle:
            spec = spec_of(name, Compliance.QUASI_STATIC)
            left, right = (spec.wheels[Corner.of(axle, side).index] for side in SIDES)
            signs = np.array([-1.0 if channel in ("ty", "rx", "rz") else 1.0 for channel in CHANNELS])
            apart = np.abs(left.kinematics - signs * right.kinematics[:, ::-1]).max(axis=(0, 1))
            assert (apart > 1e-5).sum() >= 4, (name, axle, apart)
            for load, one, two in zip(COMPLIANCE_LOADS, left.compliance, right.compliance, strict=True):
                if load == "aligning_moment" and vehicle(name).axle(axle).dependent:
                    continue  # a rigid body does not know which of its ends a moment acts on
                for other in (two.own, one.opposite):
                    assert np.abs(np.abs(one.own) - np.abs(other)).max() > 1e-4 * np.abs(one.own).max(), (name, load)


@pytest.mark.parametrize("name", NAMES)
def test_the_curves_carry_the_vehicle_at_rest(name: str) -> None:
    """Springs, stops and bars of the model at the travels of the multibody model's equilibrium: its wheel loads."""
    rest = MultibodyVehicle(vehicle(name), road_height=ROAD_HEIGHT).settle()
    spec = spec_of(name)
    for corner, wheel in zip(Corner, spec.wheels, strict=True):
        z, sign, roll = rest.travels[corner], corner.side.sign, spec.axles[corner.index // 2].roll
        opposite = 0.5 * sign * (z - rest.travels[corner.opposite])
        carried = _at(wheel.spring, z) + _at(wheel.stops, z) + sign * _at(roll, opposite)
        # Side forces of toed tyres lift a little; the links weigh on the wheels as they do on the rig.
        assert carried == pytest.approx(rest.wheel_loads[corner], rel=0.006), corner


def _at(curve: Curve, x: float) -> float:
    return float(PchipInterpolator(curve.x, curve.y)(x))

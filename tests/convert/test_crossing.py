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

from asymmetric_vehicles import CAR, SMALL, VAN, maps, vehicle
from trackrod.convert.conversion import convert
from trackrod.convert.masses import SplitFactors
from trackrod.convert.steering import column_angle
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.rig import Inputs, Load
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS, COMPLIANCE_LOADS
from trackrod.rtm.spec import AxleSpec, ComplianceSpec, Curve, RtmSpec, SteeringSpec, WheelSpec
from trackrod.vehicle.catalogue import BUNDLED
from vehicle_by_hand import SIDES, Masses, give, masses, pad_forces, poses, rig

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
#: What counts as the largest number where all are smaller: a millimetre, a milliradian, a gram.
SMALLEST = 1e-3


@cache
def spec_of(name: str) -> RtmSpec:
    factors = SplitFactors(**FACTORS)
    made = convert(vehicle(name), maps(name), factors=factors, elastic_steering=True, road_height=ROAD_HEIGHT)
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
    """

    name: str
    of_spec: Callable[[RtmSpec], Any]
    of_vehicle: Callable[[str], Any]
    tolerance: float = COPIED
    wrong: Mapping[str, str] = field(default_factory=dict)


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
        yield from (_parameter(f"{name}_factor_{axle}", lambda _: 1.0) for name in _ONES)
        yield _parameter(f"friction_{axle}", lambda _: 0.0)
        yield _parameter(f"brake_{axle}", lambda n, a=axle: _brake(n, a))
        yield _parameter(f"lift_{axle}", lambda n, a=axle: _air(n, f"{a}_lift"))
    yield _parameter("engine_factor", lambda _: 1.0)
    yield _parameter("gravity", lambda _: 9.80665)
    yield _parameter("steering_ratio", _rack_per_turn)
    yield _parameter("drag", lambda n: _air(n, "drag"))
    yield _parameter("drag_height", lambda n: vehicle(n).aerodynamics.centre_height - ROAD_HEIGHT)


def _brake(name: str, axle: Axle) -> float:
    brakes = vehicle(name).brakes
    return brakes.largest_pressure * (brakes.front_torque if axle is Axle.FRONT else brakes.rear_torque)


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
        for load in COMPLIANCE_LOADS:
            for which in ("own", "opposite"):
                yield from _compliance_rows(corner, load, which)


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
    )
    yield Row(
        f"wheels.compliance {corner} {load} {which}",
        lambda spec: getattr(item(spec), which),
        lambda n: _columns(_give(n, corner.axle, load, loaded)[corner.side], COMPLIANCE_CHANNELS),
        SOLVED,
    )


def _loads(name: str, axle: Axle, load: str) -> Array:
    """0.8 of the wheel load as a force, 0.05 m times it as a moment."""
    mean = float(rig(name, axle).design_loads.mean())
    return np.array([-1.0, 0.0, 1.0]) * mean * (0.05 if load == "aligning_moment" else 0.8)


@cache
def _give(name: str, axle: Axle, load: str, loaded: Side) -> dict[Side, dict[str, Array]]:
    return give(name, axle, _RIG_LOADS[load], _loads(name, axle, load), loaded)


# ---- axles

_LEFT_ONLY = "the curve of the left damper is taken for both"
_ONE_SPRING = "the model has one curve for both wheels of an axle: the mean"


def _axle_rows() -> Iterator[Row]:
    yield Row("axles.steered", lambda spec: [axle.steered for axle in spec.axles], lambda _: [True, False])
    yield Row(
        "axles.drive_on_carrier",
        lambda spec: [axle.drive_on_carrier for axle in spec.axles],
        lambda n: [False, n in VANS],  # the propeller shaft of a solid axle turns its housing against it
    )
    for i, axle in enumerate(Axle):
        for side in SIDES:
            wrong = dict.fromkeys(ASYMMETRIC, _LEFT_ONLY) if side is Side.RIGHT else {}
            yield Row(
                f"axles.damper {axle} {side}",
                lambda spec, i=i: _points(spec.axles[i].damper),
                lambda n, a=axle, s=side: _points(_damper(n, a, s)),
                wrong=wrong,
            )
        knots = {"spring": SMALL.travel, "stops": SMALL.travel, "antiroll": 0.75 * SMALL.travel}
        for name, x in knots.items():
            of_spec = lambda spec, i=i, name=name: getattr(spec.axles[i], name).x  # noqa: E731
            yield Row(f"axles.{name} {axle} x", of_spec, lambda _, x=x: x, SUMMED)
        unequal = dict.fromkeys(ASYMMETRIC, _ONE_SPRING)
        spring = lambda spec, i=i: spec.axles[i].spring.y  # noqa: E731
        stops = lambda spec, i=i: spec.axles[i].stops.y  # noqa: E731
        yield Row(f"axles.spring {axle}", spring, lambda n, a=axle: _parallel(n, a, False).mean(axis=1), SOLVED)
        yield Row(f"axles.stops {axle}", stops, lambda n, a=axle: _stops(n, a).mean(axis=1), SOLVED)
        yield Row(
            f"axles.antiroll {axle}",
            lambda spec, i=i: _roll_force(spec.axles[i]),
            lambda n, a=axle: _opposite(n, a) @ [0.5, -0.5],
            SOLVED,
        )
        for k, side in enumerate(SIDES):
            own = lambda n, a=axle, k=k: _parallel(n, a, False)[:, k]  # noqa: E731
            # the body of a bundled vehicle is a millimetre off the middle, its mechanism is not; rounding of the files
            yield Row(f"axles.spring {axle} {side}", spring, own, 1e-4, unequal)
            yield Row(f"axles.stops {axle} {side}", stops, lambda n, a=axle, k=k: _stops(n, a)[:, k], 1e-3, unequal)


def _points(curve: Any) -> Array:
    return np.column_stack((curve.x, curve.y))


def _damper(name: str, axle: Axle, side: Side) -> Any:
    [damper] = [d for d in vehicle(name).dampers if d.name == f"{axle}_suspension.ride_damper_{side}"]
    return damper.characteristic.curve


@cache
def _parallel(name: str, axle: Axle, stops: bool) -> Array:
    return pad_forces(name, axle, np.column_stack((SMALL.travel, SMALL.travel)), stops=stops)


def _stops(name: str, axle: Axle) -> Array:
    return _parallel(name, axle, True) - _parallel(name, axle, False)


@cache
def _opposite(name: str, axle: Axle) -> Array:
    y = 0.75 * SMALL.travel
    return pad_forces(name, axle, np.column_stack((y, -y)), stops=False)


def _roll_force(axle: AxleSpec) -> Array:
    """What the model puts on the left wheel, less on the right, in opposite travel: springs and anti-roll bar."""
    spring, y = PchipInterpolator(axle.spring.x, axle.spring.y), axle.antiroll.x
    return np.asarray(axle.antiroll.y + 0.5 * (spring(y) - spring(-y)))


# ---- the rest


def _other_rows() -> Iterator[Row]:
    yield Row("name", lambda spec: spec.name, lambda n: vehicle(n).name)
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


ROWS = {
    row.name: row for rows in (_parameter_rows, _whole_rows, _wheel_rows, _axle_rows, _other_rows) for row in rows()
}
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
    found, expected = row.of_spec(spec_of(name)), row.of_vehicle(name)
    if row.tolerance == COPIED:
        assert np.array_equal(found, expected) if isinstance(found, np.ndarray) else found == expected
        return
    assert np.shape(found) == np.shape(expected)
    scale = np.maximum(np.abs(expected).max(axis=0) if np.ndim(expected) else abs(expected), SMALLEST)
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
    return found


def test_every_number_has_a_row() -> None:
    in_table = {name.partition(" ")[0] for name in ROWS} - {"whole", "each"}
    assert in_table == expected_names()
    compared = {name.split(" ")[-1] for name in ROWS if name.startswith("wheels.compliance")}
    assert compared == {part.name for part in fields(ComplianceSpec)}


def test_the_table_would_notice_a_swap() -> None:
    """The control: on the asymmetric vehicles no wheel has the numbers of the one opposite."""
    for name in ASYMMETRIC:
        for axle in Axle:
            left, right = (spec_of(name).wheels[Corner.of(axle, side).index] for side in SIDES)
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
    for axle, of in zip(Axle, spec_of(name).axles, strict=True):
        left, right = (rest.travels[Corner.of(axle, side)] for side in SIDES)
        carried = sum(_at(of.spring, z) + _at(of.stops, z) for z in (left, right))
        wanted = sum(rest.wheel_loads[Corner.of(axle, side)] for side in SIDES)
        # Side forces of toed tyres lift a little; the links weigh on the wheels as they do on the rig.
        assert carried == pytest.approx(wanted, rel=0.005), axle


def _at(curve: Curve, x: float) -> float:
    return float(PchipInterpolator(curve.x, curve.y)(x))

"""Masses of the real-time model: what moves with the wheels, and the sprung body as the rest.

Front: m_rot = wheel, disc and spindle; m_nonrot = carrier + K_umF · Σ links. Rear likewise with K_umR; parts of the
driveline with K_driveline. The sprung body is what is left, so that total mass, centre of gravity and inertia are those
of the vehicle for any factors.

Reference: paper 002, eq. 5 to 7.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Problem
from trackrod.vehicle.elements import Body, JointType, Role, Vector
from trackrod.vehicle.mass import MassProperties, mass_properties
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["MassSplit", "SplitFactors", "rear_half", "split_bodies", "split_masses", "split_total"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SplitFactors:
    """Shares of masses that count as unsprung: links of the front and the rear axle, parts of the driveline."""

    front: float = 0.5
    rear: float = 0.5
    driveline: float = 0.5

    def __post_init__(self) -> None:
        for name in ("front", "rear", "driveline"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"the split factor '{name}' is {getattr(self, name):g}, 0 to 1 is allowed")


@dataclass(frozen=True, slots=True, eq=False)
class MassSplit:
    """Masses of the real-time model.

    Attributes
    ----------
    unsprung
        Mass of each wheel with what moves with it, at the wheel centre [kg].
    roll_inertia, yaw_inertia
        Of the same about longitudinal and vertical axes through the wheel centre [kg·m²].
    spin_inertia
        Of each wheel about its axis [kg·m²].
    sprung_mass, sprung_centre, sprung_inertia
        Of the rest [kg], in V [m], about its own centre [kg·m²].
    """

    unsprung: dict[Corner, float]
    roll_inertia: dict[Corner, float]
    yaw_inertia: dict[Corner, float]
    spin_inertia: dict[Corner, float]
    sprung_mass: float
    sprung_centre: Array
    sprung_inertia: Array


def split_masses(vehicle: Vehicle, factors: SplitFactors | None = None) -> MassSplit:
    """Divide a vehicle into wheels and sprung body.

    Holds: mass, centre of gravity and inertia of wheels and sprung body together are those of the vehicle.
    """
    factors = factors or SplitFactors()
    shares = _unsprung_shares(vehicle, factors)
    bodies = {body.name: body for body in vehicle.bodies}
    unsprung, roll, yaw, spin = {}, {}, {}, {}
    for corner in Corner:
        wheel = vehicle.wheel(corner)
        centre = np.array(wheel.centre)
        parts = [(bodies[name], share) for name, share in shares[corner].items()]
        unsprung[corner] = sum(body.mass * share for body, share in parts)
        rotor = [bodies[name] for name in _rigid_with(vehicle, wheel.body, wheel.joint)]
        carried = [body for body, share in parts if share == 1.0]
        about = mass_properties(carried).inertia_about(centre)
        roll[corner], yaw[corner] = float(about[0, 0]), float(about[2, 2])
        axis = np.array(wheel.axis)
        spin[corner] = float(axis @ mass_properties(rotor).inertia_about(centre) @ axis)
    centres = {corner: vehicle.wheel(corner).centre for corner in Corner}
    try:
        return split_total(vehicle.mass_properties, centres, unsprung, roll, yaw, spin)
    except InputError as error:
        raise InputError([Problem(f"'{vehicle.name}': {problem.text}") for problem in error.problems]) from error


def rear_half(vehicle: Vehicle, masses: MassSplit) -> MassProperties:
    """The rear half of the sprung body of a vehicle whose frame twists, less what moves with the rear wheels.

    To it belong what is fixed to the rear half of the frame, and what is next to the rear axle and free of the front
    half.

    Raises
    ------
    InputError
        Nothing is left of it.
    """
    front, rear = (_rigid_with(vehicle, half, "") for half in vehicle.sprung_bodies)
    bodies = [
        body
        for body in vehicle.bodies
        if body.name in rear or (body.name not in front and _axle_of(vehicle, body) is Axle.REAR)
    ]
    at_rear = [
        {corner: values[corner] if corner.axle is Axle.REAR else 0.0 for corner in Corner}
        for values in (masses.unsprung, masses.roll_inertia, masses.yaw_inertia, masses.spin_inertia)
    ]
    centres = {corner: vehicle.wheel(corner).centre for corner in Corner}
    left = split_total(mass_properties(bodies), centres, *at_rear)
    return MassProperties(left.sprung_mass, left.sprung_centre, left.sprung_inertia)


def split_bodies(vehicle: Vehicle) -> dict[str, tuple[str, ...]]:
    """Names of the bodies that each of the `SplitFactors` acts on."""
    found: dict[str, list[str]] = {"front": [], "rear": [], "driveline": []}
    for axle in vehicle.axles:
        fixed = _moving_with_wheels(vehicle, axle.position)
        for body in _shared(vehicle, axle.position, fixed):
            found["driveline" if body.role is Role.DRIVELINE else str(axle.position)].append(body.name)
    return {factor: tuple(names) for factor, names in found.items()}


def split_total(
    total: MassProperties,
    centres: Mapping[Corner, Vector],
    unsprung: Mapping[Corner, float],
    roll: Mapping[Corner, float],
    yaw: Mapping[Corner, float],
    spin: Mapping[Corner, float],
) -> MassSplit:
    """The sprung body as what is left of a whole vehicle when the wheels are taken away.

    Parameters
    ----------
    total
        Of the whole vehicle.
    centres
        Wheel centres in V [m].
    unsprung, roll, yaw, spin
        Masses at the wheel centres [kg], their inertias about them [kg·m²], as in `MassSplit`.

    Raises
    ------
    InputError
        Nothing is left.
    """
    mass = total.mass - sum(unsprung.values())
    if mass <= 0:
        raise InputError(f"no sprung mass is left: {mass:g} kg")
    wheels = {corner: np.array(centres[corner]) for corner in Corner}
    centre = (total.mass * total.centre - sum(unsprung[c] * wheels[c] for c in Corner)) / mass
    about = total.inertia_about(centre)
    for corner in Corner:
        offset = wheels[corner] - centre
        about = about - unsprung[corner] * (offset @ offset * np.eye(3) - np.outer(offset, offset))
        about = about - np.diag([roll[corner], 0.0, yaw[corner]])
    return MassSplit(dict(unsprung), dict(roll), dict(yaw), dict(spin), float(mass), centre, about)


def _unsprung_shares(vehicle: Vehicle, factors: SplitFactors) -> dict[Corner, dict[str, float]]:
    """For each corner the share of every body that moves with its wheel."""
    link = {Axle.FRONT: factors.front, Axle.REAR: factors.rear}
    found: dict[Corner, dict[str, float]] = {corner: {} for corner in Corner}
    for axle in vehicle.axles:
        left, right = (c for c in Corner if c.axle is axle.position)
        fixed = _moving_with_wheels(vehicle, axle.position)
        whole = dict.fromkeys(fixed, 1.0)
        for body in _shared(vehicle, axle.position, fixed):
            whole[body.name] = factors.driveline if body.role is Role.DRIVELINE else link[axle.position]
        for name, share in whole.items():
            parts = _sides(vehicle, vehicle.body(name), left, right)
            for corner, part in zip((left, right), parts, strict=True):
                if part > 0:
                    found[corner][name] = share * part
    return found


def _moving_with_wheels(vehicle: Vehicle, axle: Axle) -> dict[str, None]:
    """Wheels and carriers of an axle and what is fixed to them, in the order in which they are found."""
    found: dict[str, None] = {}
    subsystem = vehicle.axle(axle).subsystem
    for wheel in (wheel for wheel in vehicle.wheels if wheel.corner.axle is axle):
        joint = next(joint for joint in vehicle.joints if joint.name == wheel.joint)
        for name in joint.bodies:
            found |= _rigid_with(vehicle, name, wheel.joint)
    for body in vehicle.bodies:  # a carrier of several parts that bend against each other
        if body.role is Role.CARRIER and subsystem_of(body.name) == subsystem and body.name not in found:
            found |= _rigid_with(vehicle, body.name, "")
    return found


def _shared(vehicle: Vehicle, axle: Axle, fixed: Container[str]) -> list[Body]:
    """Bodies next to an axle that move with its wheels in part."""
    return [
        body
        for body in vehicle.bodies
        if body.name not in fixed and body.sprung_fraction < 1.0 and _axle_of(vehicle, body) is axle
    ]


def _rigid_with(vehicle: Vehicle, name: str, without: str) -> dict[str, None]:
    """Bodies that fixed joints hold to one, the sprung body apart, in the order of the joints.

    An order of the vehicle's own: sums over a set of names differ in their last bits from process to process.
    """
    found, todo = {name: None}, [name]
    while todo:
        here = todo.pop()
        for joint in vehicle.acting(vehicle.joints):
            if joint.type is JointType.FIXED and joint.name != without and here in joint.bodies:
                other = joint.bodies[1 - joint.bodies.index(here)]
                if other not in found and other not in vehicle.sprung_bodies:
                    found[other] = None
                    todo.append(other)
    return found


def _axle_of(vehicle: Vehicle, body: Body) -> Axle | None:
    """The axle whose wheels a body is nearest to, if it belongs to a suspension's side of the vehicle."""
    distances = {
        axle: min(abs(body.centre[0] - vehicle.wheel(c).centre[0]) for c in Corner if c.axle is axle) for axle in Axle
    }
    return min(distances, key=lambda axle: distances[axle])


def _sides(vehicle: Vehicle, body: Body, left: Corner, right: Corner) -> tuple[float, float]:
    """Shares of a body on the left and the right wheel: by its side, else by where its centre lies between them."""
    if body.side is not None:
        return (1.0, 0.0) if body.side is Side.LEFT else (0.0, 1.0)
    y_left, y_right = vehicle.wheel(left).centre[1], vehicle.wheel(right).centre[1]
    share = (body.centre[1] - y_right) / (y_left - y_right)
    return float(np.clip(share, 0.0, 1.0)), float(np.clip(1.0 - share, 0.0, 1.0))

"""Bodies that move as one: what fixed joints hold together, and wheels with their carriers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.vehicle.elements import GROUND, JointType
from trackrod.vehicle.mass import mass_properties
from trackrod.vehicle.systems import Wheel
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["RigidGroup", "Spin", "rigid_groups"]

Array = NDArray[np.float64]

#: What a body without mass gets, so that the equations have a solution [kg], [kg·m²].
SMALLEST_MASS = 1e-2
SMALLEST_INERTIA = 1e-5


@dataclass(frozen=True, slots=True)
class RigidGroup:
    """Bodies that move as one.

    Attributes
    ----------
    names
        The bodies; the first gives the group its name.
    mass, centre, inertia
        Of all of them, without the inertia of wheels about their spin axes [kg], [m], [kg·m²]; in V.
    """

    names: tuple[str, ...]
    mass: float
    centre: Array
    inertia: Array


@dataclass(frozen=True, slots=True)
class Spin:
    """A wheel's rotation: the wheel, the inertia of what turns about its axis [kg·m²], and which bodies these are."""

    wheel: Wheel
    inertia: float
    rotor: tuple[str, ...] = ()


def rigid_groups(vehicle: Vehicle, carried: Sequence[str] = ()) -> tuple[tuple[RigidGroup, ...], tuple[Spin, ...]]:
    """The groups of a vehicle in its present modes, and the spins of its wheels.

    Parameters
    ----------
    vehicle
        The vehicle.
    carried
        Bodies that are taken to move with the sprung body, whatever holds them.

    Holds: mass, centre of mass and inertia of all groups and spins together are those of the vehicle.
    """
    union = _Union([body.name for body in vehicle.bodies] + [GROUND])
    spin_joints = {wheel.joint: wheel for wheel in vehicle.wheels}
    for joint in vehicle.acting(vehicle.joints):
        if joint.type is JointType.FIXED:
            union.join(*joint.bodies)
    for name in carried:
        union.join(vehicle.chassis, name)
    rotors = {wheel.corner: union.members(wheel.body) for wheel in vehicle.wheels}
    for joint in vehicle.joints:
        if joint.name in spin_joints:
            union.join(*joint.bodies)
    by_name = {body.name: body for body in vehicle.bodies}
    spins = []
    axial: dict[str, Array] = {}
    for wheel in vehicle.wheels:
        total = mass_properties(by_name[name] for name in rotors[wheel.corner])
        axis = np.array(wheel.axis)
        inertia = float(axis @ total.inertia_about(np.array(wheel.centre)) @ axis)
        spins.append(Spin(wheel, inertia, rotors[wheel.corner]))
        root = union.find(wheel.body)
        axial[root] = axial.get(root, np.zeros((3, 3))) + inertia * np.outer(axis, axis)
    groups = []
    for root, names in union.groups():
        if GROUND in names:
            continue
        groups.append(_group(names, [by_name[name] for name in names], axial.get(root, np.zeros((3, 3)))))
    return tuple(groups), tuple(spins)


def _group(names: Sequence[str], bodies: Sequence[object], axial: Array) -> RigidGroup:
    mass = sum(body.mass for body in bodies)  # type: ignore[attr-defined]
    if mass <= 0:
        centre = np.mean([body.centre for body in bodies], axis=0)  # type: ignore[attr-defined]
        return RigidGroup(tuple(names), SMALLEST_MASS, centre, SMALLEST_INERTIA * np.eye(3))
    total = mass_properties(bodies)  # type: ignore[arg-type]
    inertia = total.inertia - axial
    lift = max(0.0, SMALLEST_INERTIA - float(np.linalg.eigvalsh(inertia)[0]))
    return RigidGroup(tuple(names), max(total.mass, SMALLEST_MASS), total.centre, inertia + lift * np.eye(3))


class _Union:
    """Sets of names that are joined step by step."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def find(self, name: str) -> str:
        while self._parent[name] != name:
            name = self._parent[name]
        return name

    def join(self, first: str, second: str) -> None:
        self._parent[self.find(second)] = self.find(first)

    def members(self, name: str) -> tuple[str, ...]:
        root = self.find(name)
        return tuple(other for other in self._parent if self.find(other) == root)

    def groups(self) -> list[tuple[str, list[str]]]:
        found: dict[str, list[str]] = {}
        for name in self._parent:
            found.setdefault(self.find(name), []).append(name)
        return list(found.items())

"""A transverse leaf made of springs, tuned to the same leaf made of beams.

The simple leaf has a vertical spring on each side, a roll spring between the sides, and forces along and across the
vehicle over the travel of its ends. Each follows from what both axles do on the rig: the loads of the wheels and where
the wheels go in parallel travel, and the rate in opposite travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError
from trackrod.core.quantities import kind
from trackrod.kc import programme
from trackrod.kc.result import KcTest
from trackrod.kc.rig import Rig
from trackrod.vehicle.characteristics import Characteristic, SpringCharacteristic
from trackrod.vehicle.connectors import Spring, TravelForce
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["LEAF_FORCES", "TunedLeaf", "tune_leaf"]

Array = NDArray[np.float64]

#: Names of the elements of a simple leaf, as templates have them, and the directions of the forces over travel.
VERTICAL, ROLL = "leaf_vertical", "leaf_roll"
LEAF_FORCES = {"leaf_longitudinal": (1.0, 0.0, 0.0), "leaf_lateral": (0.0, 1.0, 0.0)}

#: What is compared in parallel travel, and what difference of it counts as much as one of the others [N], [m], [rad].
COMPARED = {"Fz_left": 20.0, "tx_left": 1e-4, "ty_left": 1e-4, "toe_left": 1e-4, "camber_left": 1e-4}

_STEP = 50.0  # force by which the axle is asked how it responds [N]
_ROUNDS = 20
_CAUTION = 0.002  # what a newton of change costs, in scaled differences (Levenberg)
_LARGEST = 300.0  # change of a force in one round [N]
_SETTLED = 1.0  # change of all forces at which the rounds end [N]
_ROLL_STEP = 1.1
_REACH = 0.2  # of the curve of the roll spring [m]


@dataclass(frozen=True, slots=True)
class TunedLeaf:
    """A simple leaf.

    Attributes
    ----------
    vehicle
        With the simple leaf.
    springs
        Characteristics by the name of the element; those of the forces over travel count from the design position.
    before, after
        Root mean square of the differences from the leaf of beams, by quantity.
    """

    vehicle: Vehicle
    springs: Mapping[str, SpringCharacteristic]
    before: Mapping[str, float]
    after: Mapping[str, float]


def tune_leaf(beams: Vehicle, simple: Vehicle, axle: Axle, travel: Array) -> TunedLeaf:
    """Tune a leaf of springs to one of beams.

    Parameters
    ----------
    beams, simple
        The same vehicle with either leaf.
    axle
        Where the leaf is.
    travel
        Wheel travel at which curves get their points [m].

    Raises
    ------
    InputError
        One of them has no such leaf, or does not reach the travel on the rig.

    Limits: left and right are taken to be alike; the roll spring is linear.
    """
    return _Tuning(beams, simple, axle, np.asarray(travel, dtype=np.float64)).tuned()


class _Tuning:
    def __init__(self, beams: Vehicle, simple: Vehicle, axle: Axle, travel: Array) -> None:
        self.simple, self.axle, self.travel = simple, axle, travel
        self.subsystem = simple.axle(axle).subsystem
        own = [spring for spring in simple.springs if subsystem_of(spring.name) == self.subsystem]
        self.verticals = [spring for spring in own if spring.name.startswith(f"{self.subsystem}.{VERTICAL}_")]
        self.rolls = [spring for spring in own if spring.name == f"{self.subsystem}.{ROLL}"]
        if len(self.verticals) != 2 or len(self.rolls) != 1:
            raise InputError(f"the {axle} axle has no springs '{VERTICAL}' and '{ROLL}' of a simple leaf")
        if not any(subsystem_of(beam.name) == self.subsystem for beam in beams.beams):
            raise InputError(f"the {axle} axle has no leaf of beams to tune to")
        self.wanted = self._parallel(beams)
        self.wanted_roll = self._roll_rate(beams)

    def tuned(self) -> TunedLeaf:
        spring = self.verticals[0]
        law = spring.characteristic.curve
        self.compression = spring.design_compression + self.travel
        self.way = self.travel.copy()
        forces = np.vstack((np.interp(self.compression, law.x, law.y), np.zeros((2, self.travel.size))))
        roll = self.rolls[0].characteristic.curve.slope(0.0)
        before: dict[str, float] = {}
        for _ in range(_ROUNDS):
            test = self._parallel(self._vehicle(forces, roll))
            length = test["spring_length_left"]
            before = before or self._differences(test)
            # Points of the curves lie where the ends of the leaf are at these travels.
            self.way = spring.design_length - length
            self.compression = spring.design_compression + self.way
            correction = self._correction(test, forces, roll)
            forces = forces + correction
            roll = self._tuned_roll(forces, roll)
            if np.abs(correction).max() < _SETTLED:
                break
        vehicle = self._vehicle(forces, roll)
        springs = {VERTICAL: vehicle.springs, ROLL: vehicle.springs}
        named = {
            name: next(s.characteristic for s in found if s.name.startswith(f"{self.subsystem}.{name}"))
            for name, found in springs.items()
        }
        named |= {name: SpringCharacteristic(self._force(forces[1 + i]), 1.0) for i, name in enumerate(LEAF_FORCES)}
        return TunedLeaf(vehicle, named, before, self._differences(self._parallel(vehicle)))

    def _correction(self, test: KcTest, forces: Array, roll: float) -> Array:
        """What is to be added to the forces: at each travel, by the response of the axle to a little of each."""
        rest = np.array([(self.wanted[name] - test[name]) / scale for name, scale in COMPARED.items()])
        responses = []
        for row in range(len(forces)):
            more = forces.copy()
            more[row] += _STEP
            other = self._parallel(self._vehicle(more, roll))
            responses.append([(other[name] - test[name]) / (scale * _STEP) for name, scale in COMPARED.items()])
        response = np.array(responses)  # force, quantity, travel
        cautious = _CAUTION * np.eye(len(forces))
        steps = [
            np.linalg.lstsq(np.vstack((response[:, :, i].T, cautious)), np.append(rest[:, i], np.zeros(len(forces))))[0]
            for i in range(self.travel.size)
        ]
        return np.asarray(np.clip(np.array(steps).T, -_LARGEST, _LARGEST))

    def _tuned_roll(self, forces: Array, roll: float) -> float:
        low, high = (self._roll_rate(self._vehicle(forces, factor * roll)) for factor in (1.0, _ROLL_STEP))
        return roll * (1.0 + (self.wanted_roll - low) / (high - low) * (_ROLL_STEP - 1.0))

    def _differences(self, test: KcTest) -> dict[str, float]:
        return {name: float(np.sqrt(np.mean((test[name] - self.wanted[name]) ** 2))) for name in COMPARED}

    def _force(self, values: Array) -> Characteristic:
        return Characteristic(self.way, values, kind("length"), kind("force"))

    def _vehicle(self, forces: Array, roll: float) -> Vehicle:
        vertical = Characteristic(self.compression, forces[0], kind("length"), kind("force"))
        rolling = Characteristic.linear(roll, _REACH, kind("length"), kind("force"))
        laws = {spring.name: vertical for spring in self.verticals} | {self.rolls[0].name: rolling}
        springs = tuple(
            replace(spring, characteristic=replace(spring.characteristic, curve=laws[spring.name]))
            if spring.name in laws
            else spring
            for spring in self.simple.springs
        )
        own = {f"{self.subsystem}.{name}_{side}" for name in LEAF_FORCES for side in Side}
        others = [force for force in self.simple.travel_forces if force.name not in own]
        mine = [
            self._travel_force(name, spring, forces[1 + i])
            for i, name in enumerate(LEAF_FORCES)
            for spring in self.verticals
        ]
        return replace(self.simple, springs=springs, travel_forces=(*others, *mine))

    def _travel_force(self, name: str, spring: Spring, values: Array) -> TravelForce:
        """The force at the lower end of a vertical spring, positive outward on both sides."""
        side = Side.LEFT if spring.side is None else spring.side
        x, y, z = LEAF_FORCES[name]
        full = f"{self.subsystem}.{name}_{side}"
        way = (x, side.sign * y, z)
        return TravelForce(full, spring.bodies, spring.ends[0], way, (0.0, 0.0, 1.0), self._force(values), side=side)

    def _parallel(self, vehicle: Vehicle) -> KcTest:
        return self._reached(programme.parallel(Rig(vehicle, self.axle, check=False), self.travel))

    def _roll_rate(self, vehicle: Vehicle) -> float:
        test = self._reached(programme.opposite(Rig(vehicle, self.axle, check=False), [0.0]))
        return float(test["wheel_rate_left"][0])

    def _reached(self, test: KcTest) -> KcTest:
        if test.failures:
            raise InputError(test.problems)
        return test

"""The vehicles of the controls, each as multibody model and as real-time model, made once in a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.conversion import convert
from trackrod.core.corners import Axle
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import KcSettings, characterise
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.connectors import Damper
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.variants import with_bushings
from trackrod.vehicle.vehicle import Vehicle

#: A tenth of the points of a whole K&C.
COARSE = KcSettings(travel=np.linspace(-0.08, 0.08, 17), rack=np.linspace(-0.07, 0.07, 11), map_points=11, load_steps=2)
#: Speed at which the slope of a linear damper is taken [m/s].
DAMPER_SPEED = 0.1


@dataclass(frozen=True)
class Case:
    """A bundled vehicle as it is, or with softer bushings, or with another payload."""

    vehicle: str
    bushings: float = 1.0
    payload: PayloadLevel | None = None

    def __str__(self) -> str:
        bushings = "" if self.bushings == 1.0 else f", bushings × {self.bushings:g}"
        return f"{self.vehicle}{bushings}{'' if self.payload is None else f', {self.payload}'}"


CASES = (
    Case("double_wishbone_car"),
    Case("cla_class"),
    Case("suv"),
    Case("integral_link"),
    Case("lcv_3t5"),
    Case("lcv_7t"),
    Case("cla_class", bushings=0.6),
    Case("lcv_7t", payload=PayloadLevel.KERB),
)


@cache
def vehicle_of(case: Case) -> Vehicle:
    vehicle = read_vehicle(BUNDLED[case.vehicle].assembly).vehicle
    if case.payload is not None:
        vehicle = vehicle.with_payload(case.payload)
    return with_bushings(vehicle, case.bushings)


@cache
def maps_of(case: Case) -> dict[Axle, KcMaps]:
    studies = {axle: characterise(vehicle_of(case), axle, COARSE) for axle in Axle}
    found = {axle: study.maps for axle, study in studies.items() if study.maps is not None}
    assert len(found) == 2, [study.problems for study in studies.values()]
    return found


@cache
def with_linear_dampers(case: Case, share: float) -> Vehicle:
    """The vehicle with a share of its damping, alike in bump and rebound, and no friction: only so it is linear."""
    vehicle = vehicle_of(case)
    return replace(vehicle, dampers=tuple(_linear(damper, share) for damper in vehicle.dampers), frictions=())


def _linear(damper: Damper, share: float) -> Damper:
    found = damper.characteristic
    x, y = found.curve.x, found.curve.y
    bump, rebound = np.interp([-DAMPER_SPEED, DAMPER_SPEED], x, y)
    slope = share * (rebound - bump) / (2.0 * DAMPER_SPEED)
    return replace(damper, characteristic=replace(found, curve=replace(found.curve, y=slope * x)))


@cache
def spec_of(case: Case, *, elastic_steering: bool = False, linear_dampers: float | None = None) -> RtmSpec:
    # dampers take no part in K&C, so that the maps are the same
    vehicle = vehicle_of(case) if linear_dampers is None else with_linear_dampers(case, linear_dampers)
    return convert(vehicle, maps_of(case), elastic_steering=elastic_steering).spec


@dataclass(frozen=True)
class Multibody:
    """Makes the reference of a case."""

    case: Case

    def __call__(
        self, *, step: float = 1e-3, elastic_steering: bool = False, linear_dampers: float | None = None
    ) -> MultibodyVehicle:
        steering = SteeringModel.MECHANISM if elastic_steering else SteeringModel.RATIO
        vehicle = vehicle_of(self.case)
        if linear_dampers is not None:
            vehicle = with_linear_dampers(self.case, linear_dampers)
        return MultibodyVehicle(vehicle, step=step, steering=steering)


def sound(spec: RtmSpec) -> RtmSpec:
    """No defect."""
    return spec


@dataclass(frozen=True)
class RealTime:
    """Makes the real-time model of a case, with a defect if one is planted."""

    case: Case
    planted: Callable[[RtmSpec], RtmSpec] = sound

    def __call__(
        self, *, step: float = 1e-3, elastic_steering: bool = False, linear_dampers: float | None = None
    ) -> RealTimeVehicle:
        spec = spec_of(self.case, elastic_steering=elastic_steering, linear_dampers=linear_dampers)
        return RealTimeVehicle(self.planted(spec), step=step)

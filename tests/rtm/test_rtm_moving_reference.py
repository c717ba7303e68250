"""Compliance that moves against the multibody model: a car on bushings of half their stiffness.

Short runs and a coarse K&C; the same with the quasi-static compliance is the control.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import COARSE, vehicle
from softer_vehicles import softer
from trackrod.convert.conversion import Compliance, convert
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.series import Run
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import characterise
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.roads import RandomRoad, RoadClass
from trackrod.manoeuvres.steering import StepSteer
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.vehicle.vehicle import Vehicle

#: 0.4 g; and two seconds of a rough road.
STEP = StepSteer(steering_wheel_angle_deg=30.0, hold_s=1.5)
ROAD = RandomRoad(road_class=RoadClass.C, duration_s=2.0)
SAMPLE = {STEP: 0.005, ROAD: 0.002}
#: Of the multibody model; on a rough road its own error is that of the real-time model at twice as much.
STEPS = {STEP: 5e-4, ROAD: 2.5e-4}


@cache
def soft() -> Vehicle:
    return softer(vehicle("cla_class"), 0.5)


@cache
def maps() -> dict[Axle, KcMaps]:
    found = {axle: characterise(soft(), axle, COARSE).maps for axle in Axle}
    return {axle: of for axle, of in found.items() if of is not None}


@cache
def reference(manoeuvre: Manoeuvre) -> Run:
    return simulate(MultibodyVehicle(soft(), step=STEPS[manoeuvre]), manoeuvre, sample=SAMPLE[manoeuvre])


@cache
def driven(manoeuvre: Manoeuvre, compliance: Compliance) -> Run:
    spec = convert(soft(), maps(), compliance=compliance).spec
    return simulate(RealTimeVehicle(spec), manoeuvre, sample=SAMPLE[manoeuvre])


def off(manoeuvre: Manoeuvre, signal: signals.Signal, compliance: Compliance = Compliance.MOVING) -> float:
    """RMS of the difference over that of the multibody model's signal, of wheel loads without their mean."""
    wanted, found = reference(manoeuvre)[signal], driven(manoeuvre, compliance)[signal]
    assert len(wanted) == len(found)
    size = wanted.std() if signal in [signals.FZ[corner] for corner in Corner] else np.sqrt(np.mean(wanted**2))
    return float(np.sqrt(np.mean((found - wanted) ** 2)) / size)


@pytest.mark.parametrize("signal", [signals.YAW_RATE, signals.AY], ids=["yaw rate", "ay"])
def test_a_step_of_the_steering_wheel(signal: signals.Signal) -> None:
    assert off(STEP, signal) <= 0.02


@pytest.mark.xfail(strict=True, reason="moving compliance is off by 1.3 % and 1.2 %, quasi-static by 0.7 % and 0.7 %")
@pytest.mark.parametrize("signal", [signals.YAW_RATE, signals.AY], ids=["yaw rate", "ay"])
def test_a_step_of_the_steering_wheel_is_better_with_moving_compliance(signal: signals.Signal) -> None:
    assert off(STEP, signal, Compliance.QUASI_STATIC) > off(STEP, signal)


def test_a_rough_road() -> None:
    assert off(ROAD, signals.AZ) <= 0.08
    for corner in Corner:
        assert off(ROAD, signals.FZ[corner]) <= 0.10, corner
        assert off(ROAD, signals.FZ[corner], Compliance.QUASI_STATIC) > off(ROAD, signals.FZ[corner])

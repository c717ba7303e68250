"""A slippery road: both models feel it, and nobody writes a script for it."""

from __future__ import annotations

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.manoeuvres.longitudinal import Braking
from trackrod.manoeuvres.steering import SineWithDwell, StepSteer
from trackrod.manoeuvres.turning import BrakeInTurn
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.model import VehicleModel
from trackrod.simulate.script import can_be_scripted

CAR = "double_wishbone_car"


def sliding(model: VehicleModel, friction: float) -> float:
    """Deceleration with locked wheels [m/s²]."""
    run = simulate(model, Braking(speed_kmh=50.0, brake=1.0, after_s=0.0, friction_factor=friction))
    v = run[signals.VX]
    part = (v < 0.7 * v[0]) & (v > 0.3 * v[0])
    return float(-np.polyfit(run.time[part], v[part], 1)[0])


@pytest.mark.parametrize("make", [lambda: MultibodyVehicle(vehicle(CAR)), lambda: RealTimeVehicle(spec_of(CAR))])
def test_locked_wheels_slide_as_the_road_lets_them(make: type[VehicleModel]) -> None:
    """Sliding friction is in proportion; the same model is driven twice, so that the road does not stay slippery."""
    model = make()
    slippery, ordinary = sliding(model, 0.4), sliding(model, 1.0)
    assert slippery == pytest.approx(0.4 * ordinary, rel=0.1)


@pytest.mark.parametrize("kind", [StepSteer, SineWithDwell, Braking, BrakeInTurn])
def test_a_manoeuvre_on_a_slippery_road_is_not_scripted(kind: type[StepSteer]) -> None:
    """The model drives it itself: a script knows one road only."""
    assert kind().friction() == 1.0
    assert can_be_scripted(kind())
    slippery = kind(friction_factor=0.3)
    assert slippery.friction() == 0.3
    assert not can_be_scripted(slippery)


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan")])
def test_a_road_without_friction_is_refused(wrong: float) -> None:
    with pytest.raises(InputError, match="greater than zero"):
        MultibodyVehicle(vehicle(CAR)).set_friction(wrong)

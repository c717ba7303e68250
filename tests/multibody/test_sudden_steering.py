"""A steering wheel that is turned back at once is more than one Newton iteration can follow."""

from __future__ import annotations

import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.manoeuvres.steering import SineSweep
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import usual_steering
from trackrod.simulate.drive import simulate


def test_the_end_of_a_sweep_has_a_solution() -> None:
    """At 4 Hz the wheel turns to the left with 5 rad/s; then it goes back with 500 degrees a second, and stops."""
    car = open_vehicle("double_wishbone_car").vehicle
    model = MultibodyVehicle(car, steering=usual_steering(car))
    run = simulate(model, SineSweep(steering_wheel_angle_deg=11.459727596706703))
    assert run.metadata["completed"]
    assert np.abs(run["yaw_rate_radps"]).max() < 0.2

"""Every bundled vehicle through hard driving at steps of 1 ms and 2 ms."""

from __future__ import annotations

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core.corners import Corner
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.vehicle.catalogue import BUNDLED


@pytest.mark.slow
@pytest.mark.parametrize("step", [1e-3, 2e-3])
@pytest.mark.parametrize("name", list(BUNDLED))
def test_hard_driving_stays_bounded(name: str, step: float) -> None:
    """Full throttle, a kerb of 20 mm on the left, a hard lane change, then full brakes to standstill."""
    spec = spec_of(name)
    vehicle = RealTimeVehicle(spec, step=step)
    loads = vehicle.settle()
    vehicle.start(70 / 3.6)
    t = np.arange(round(14.0 / step)) * step
    steer = np.where((t > 2) & (t < 4), 0.8 * np.sin(np.pi * (t - 2)), 0.0)
    left = np.array([wheel.corner.value[1] == "l" for wheel in spec.wheels for _ in wheel.tyres])
    kerb = np.where((t > 1.0) & (t < 1.5), 0.02, 0.0)[:, None] * left + spec.road_height
    run = vehicle.advance(steer, np.where(t < 2, 1.0, 0.0), np.where(t > 4, 1.0, 0.0), 0, road_heights=kerb)
    for corner in Corner:
        load = run[f"Fz_{corner}_N"]
        assert load.max() < 6 * loads[corner], corner
        assert (np.abs(run[f"wheel_travel_{corner}_m"]) < 0.15).all(), corner
    assert np.abs(run["roll_rad"]).max() < 0.3
    assert np.abs(run["vx_mps"][t > 9]).max() < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_a_lane_change_with_a_stop_ends_at_rest(name: str) -> None:
    """Full brakes at the end of a lane change at 21 m/s; some seconds later nothing moves."""
    vehicle = RealTimeVehicle(spec_of(name))
    vehicle.settle()
    vehicle.start(21.0)
    t = np.arange(12_000) * 1e-3
    run = vehicle.advance(np.where(t < 2, 0.8 * np.sin(np.pi * t), 0.0), 0.0, np.where(t > 2, 1.0, 0.0), 0, every=10)
    for column in ("vx_mps", "vy_mps", "yaw_rate_radps"):
        assert np.abs(run[column][-100:]).max() < 0.02, column

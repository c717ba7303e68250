"""Every bundled vehicle through hard driving at steps of 1 ms and 2 ms."""

from __future__ import annotations

import numpy as np
import pytest
from converted_vehicles import spec_of

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
    t = np.arange(round(10.0 / step)) * step
    steer = np.where((t > 2) & (t < 4), 0.8 * np.sin(np.pi * (t - 2)), 0.0)
    left = np.array([wheel.corner.value[1] == "l" for wheel in spec.wheels for _ in wheel.tyres])
    kerb = np.where((t > 1.0) & (t < 1.5), 0.02, 0.0)[:, None] * left + spec.road_height
    run = vehicle.advance(steer, np.where(t < 2, 1.0, 0.0), np.where(t > 4, 1.0, 0.0), 0, road_heights=kerb)
    for corner in Corner:
        load = run[f"Fz_{corner}_N"]
        assert load.max() < 6 * loads[corner], corner
        assert (np.abs(run[f"wheel_travel_{corner}_m"]) < 0.15).all(), corner
    assert np.abs(run["roll_rad"]).max() < 0.3
    assert abs(run["vx_mps"][-1]) < 0.05
    # at rest nothing rattles
    still = run["time_s"] > run["time_s"][-1] - 0.2
    assert max(np.ptp(run[f"Fz_{corner}_N"][still]) / loads[corner] for corner in Corner) < 0.01

"""A vehicle that has come down on its springs has settled: nothing moves any more, and nothing holds it sideways."""

from __future__ import annotations

import numpy as np
import pytest

from asymmetric_vehicles import CAR, NAMES, converted
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.rtm.driving import RealTimeVehicle


def test_a_vehicle_on_level_ground_comes_to_rest() -> None:
    """Its centre of gravity farther back: the suspension pushes it on while it comes down."""
    spec = converted(CAR).spec
    vehicle = RealTimeVehicle(spec.with_parameters(cg_to_front=spec.parameters["cg_to_front"] + 0.3))
    vehicle.settle()
    state = vehicle.state()
    assert max(abs(state[f"velocity.{axis}"]) for axis in "xyz") < 0.002


@pytest.mark.parametrize("grade", [0.0, 0.1])
@pytest.mark.parametrize("name", NAMES)
def test_standing_tyres_give_way_across_the_road(name: str, grade: float) -> None:
    """Track widths and roll change on the way down; sticking tyres would keep the force of all of it."""
    vehicle = RealTimeVehicle(converted(name).spec)
    vehicle.tilt(grade)
    loads = vehicle.settle()
    run = vehicle.advance(np.zeros(200), 0.0, float(grade > 0.0), 0)
    for corner in Corner:
        assert np.abs(run[signals.FY[corner]]).max() < 0.01 * loads[corner]
    forward = sum(run[signals.FX[corner]][-1] for corner in Corner)
    weight = sum(loads.values()) / np.cos(np.arctan(grade)) * np.sin(np.arctan(grade))
    assert forward == pytest.approx(weight, rel=1e-3, abs=20.0)
    assert np.abs(run[signals.VX]).max() < 0.002

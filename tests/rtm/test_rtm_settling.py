"""A vehicle that has come down on its springs has settled, though it may still roll along."""

from __future__ import annotations

from asymmetric_vehicles import CAR, converted
from trackrod.rtm.driving import RealTimeVehicle


def test_a_vehicle_on_level_ground_may_roll_along_slowly() -> None:
    """Its centre of gravity farther back: the suspension has pushed it on while it came down, and nothing brakes it."""
    spec = converted(CAR).spec
    vehicle = RealTimeVehicle(spec.with_parameters(cg_to_front=spec.parameters["cg_to_front"] + 0.3))
    vehicle.settle()
    state = vehicle.state()
    assert 0.002 < abs(state["velocity.x"]) < 0.02
    assert max(abs(state["velocity.y"]), abs(state["velocity.z"])) < 0.002

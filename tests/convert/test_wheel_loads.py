"""Wheel loads of an axle on the rig: what it gives otherwise in bump than in droop, and levers of its anti-roll bar."""

from __future__ import annotations

import numpy as np

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.convert.round_trip import ModelRig
from trackrod.core.corners import Axle
from trackrod.kc.measure import Measured, measure
from trackrod.kc.points import Inputs, Load
from trackrod.kc.rig import Rig

#: Travels [m] and lateral forces [N] of the rear wheels in a turn to the left at the limit.
TRAVEL, FORCE = np.array([-0.04, 0.03]), np.array([500.0, 6200.0])
WAY = np.array([0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0])


def test_an_axle_rises_by_what_it_gives_more_in_bump() -> None:
    """Beyond what its kinematics without loads do by virtual work, which the model has in its Jacobians."""
    rig, model = Rig(vehicle("suv"), Axle.REAR, check=False), ModelRig(spec_of("suv"), Axle.REAR)

    def held(travel: np.ndarray, share: float) -> Measured:
        forces = np.outer([0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0], share * FORCE)
        return measure(rig, rig.sweep(Inputs.of(np.outer(WAY, travel), loads={Load.FY: forces})), ())

    change = held(TRAVEL, 1.0).wheel_load[-1] - held(TRAVEL, 0.0).wheel_load[-1]
    by_kinematics = np.zeros(2)
    for k, beside in enumerate(1e-3 * np.eye(2)):
        moved = held(TRAVEL + beside, 0.0).contact[-1] - held(TRAVEL - beside, 0.0).contact[-1]
        by_kinematics[k] = -FORCE @ moved[:, 1] / 2e-3
    found = np.subtract(*(model.load_under(Load.FY, share * FORCE, TRAVEL) for share in (1.0, 0.0)))
    wanted = change - by_kinematics
    assert wanted[1] < -40.0
    np.testing.assert_allclose(found, wanted, atol=0.3 * abs(wanted[1]))


def test_a_bar_pushes_by_the_levers_of_each_wheel() -> None:
    """In bump and roll at once: with one curve over opposite travel the wheel in droop would carry 230 N too much."""
    rig, model = Rig(vehicle("suv"), Axle.REAR, check=False), ModelRig(spec_of("suv"), Axle.REAR)
    travel = np.array([-0.06, 0.03])
    wanted = measure(rig, rig.sweep(Inputs.of(np.outer([0.0, 0.5, 1.0], travel))), ()).wheel_load[-1]
    np.testing.assert_allclose(np.array(model.load(*travel)), wanted, atol=60.0)

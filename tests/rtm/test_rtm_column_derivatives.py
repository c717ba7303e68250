"""Derivatives of the columns of a run by parameters, against runs beside it; on maps of few points, for speed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asymmetric_vehicles import CAR, converted
from trackrod.core.series import Run
from trackrod.rtm.driving import RealTimeVehicle

STEPS, EVERY = 100, 10


def controls() -> np.ndarray:
    t = 1e-3 * np.arange(STEPS)
    brake, gear = np.full(STEPS, 0.2), np.full(STEPS, 3.0)
    return np.column_stack((0.5 * np.sin(8.0 * t), 0.0 * t, brake, gear))


def started(**changes: float) -> RealTimeVehicle:
    """On axles that soften, which have all that others have."""
    spec = converted(CAR).spec.with_parameters(**changes)
    axles = [replace(axle, elasticity=replace(axle.elasticity, softens=True)) for axle in spec.axles if axle.elasticity]
    vehicle = RealTimeVehicle(replace(spec, axles=tuple(axles)))
    vehicle.start(20.0, 3)
    vehicle.keep_start()
    return vehicle


def driven(vehicle: RealTimeVehicle) -> Run:
    return vehicle.advance(*controls().T, every=EVERY)


@pytest.mark.parametrize(
    ("name", "value"), [("unsprung_mass_rear", 40.0), ("cg_height", 0.5), ("cg_y", 0.0), ("brake_front", 1990.0)]
)
def test_a_column_moves_with_the_row_and_with_the_parameter_itself(name: str, value: float) -> None:
    """The centre of gravity of the whole vehicle depends on masses and places, beside the state.

    Slopes of bushings bend where their curves have knots: with a brake of 2000 N·m one is passed within the difference.
    """
    vehicle = started(**{name: value})
    run, found = vehicle.derivatives(controls(), [name], every=EVERY)
    same = driven(vehicle)
    step = 1e-5 * max(abs(value), 0.1)
    up, down = (driven(started(**{name: value + sign * step})) for sign in (1.0, -1.0))
    moved = 0
    for column in run:
        np.testing.assert_allclose(run[column], same[column], atol=1e-9 * np.abs(same[column]).max() + 1e-12)
        if name in found[column]:
            difference = (up[column] - down[column]) / (2 * step)
            rounding = 1e-12 * np.abs(up[column]).max() / step
            allowed = 5e-4 * np.abs(difference).max() + rounding
            assert np.abs(found[column][name] - difference).max() <= allowed, column
            moved += np.abs(difference).max() > 10 * rounding
    assert moved > 10


def test_a_parameter_at_the_end_of_its_range_has_derivatives() -> None:
    """Friction is zero at first and must not be below: the derivative needs no model there.

    The difference goes to one side, so that its error is that of the curvature: 3 % with 1 N, a hundredth of it here.
    """
    vehicle = started(friction_front=0.0)
    _, found = vehicle.derivatives(controls(), ["friction_front"], every=EVERY)
    step = 0.01
    up, same = driven(started(friction_front=step)), driven(started(friction_front=0.0))
    slope = found["wheel_travel_fl_m"]["friction_front"]
    difference = (up["wheel_travel_fl_m"] - same["wheel_travel_fl_m"]) / step
    np.testing.assert_allclose(slope, difference, rtol=1e-3, atol=2e-9)

"""A real-time vehicle from rest: what settling asks for, what pushes it, what grips, and the time it took."""

from __future__ import annotations

import numpy as np
import pytest

from asymmetric_vehicles import CAR, converted
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec


def spec() -> RtmSpec:
    return converted(CAR).spec


def settled() -> RealTimeVehicle:
    vehicle = RealTimeVehicle(spec())
    vehicle.settle()
    return vehicle


@pytest.mark.parametrize("step", [0.0, -1e-3, 0.0051, float("nan"), float("inf")])
def test_a_step_out_of_range_is_refused(step: float) -> None:
    with pytest.raises(InputError, match=r"more than zero and at most 0\.005 s is allowed"):
        RealTimeVehicle(spec(), step=step)
    assert RealTimeVehicle(spec(), step=0.005).step == 0.005


def test_a_vehicle_settles_without_brakes_on_level_ground_and_with_all_of_them_on_a_slope() -> None:
    vehicle = RealTimeVehicle(spec())
    vehicle.settle()
    assert vehicle.state()["input.brake"] == 0.0
    vehicle.tilt(0.1)
    vehicle.settle()
    assert vehicle.state()["input.brake"] == 1.0
    vehicle.tilt(0.0)
    vehicle.settle()
    assert vehicle.state()["input.brake"] == 0.0


def test_a_vehicle_that_slides_down_a_slope_is_not_at_rest() -> None:
    vehicle = RealTimeVehicle(spec())
    vehicle.tilt(0.2)
    vehicle.set_friction(0.05)
    with pytest.raises(ConvergenceError, match=f"'{CAR}' does not come to rest: it still moves with"):
        vehicle.settle()


@pytest.mark.parametrize("grade", [1.1, -1.1, float("nan")])
def test_a_slope_steeper_than_any_road_is_refused(grade: float) -> None:
    with pytest.raises(InputError, match="−1 to 1 is allowed"):
        RealTimeVehicle(spec()).tilt(grade)


def test_the_time_spent_is_counted_from_the_beginning() -> None:
    vehicle = RealTimeVehicle(spec())
    assert vehicle.seconds == 0.0
    vehicle.settle()
    after = vehicle.seconds
    assert after > 0.0
    vehicle.advance(np.zeros(100), 0.0, 0.0, 0)
    assert vehicle.seconds > after


def test_a_force_acts_where_it_is_put() -> None:
    """To the left in front of the centre of gravity: it goes left and turns left; behind it, it turns right."""
    force = 2000.0
    rates = {}
    for x in (1.0, -4.0):
        vehicle = settled()
        vehicle.start(20.0)
        vehicle.push((0.0, force, 0.0), (x, 0.0, 0.5))
        state = vehicle.state()
        assert [state[f"input.force.{axis}"] for axis in "xyz"] == [0.0, force, 0.0]
        assert [state[f"input.force_point.{axis}"] for axis in "xyz"] == [x, 0.0, 0.5]
        run = vehicle.advance(np.zeros(50), 0.0, 0.0, -1)
        rates[x] = run[signals.YAW_RATE][-1]
        assert run[signals.VY][-1] > 0.01
    assert rates[1.0] > 0.01
    assert rates[-4.0] < -0.01


def test_friction_is_that_of_each_tyre() -> None:
    """Braked hard on ice on the left, the vehicle turns to the right, where it grips."""
    turned = {}
    for name, factors in {"ice left": (0.2, 1.0, 0.2, 1.0), "ice right": (1.0, 0.2, 1.0, 0.2)}.items():
        vehicle = settled()
        vehicle.start(20.0)
        vehicle.set_friction(factors)
        run = vehicle.advance(np.zeros(300), 0.0, 0.8, -1)
        turned[name] = run[signals.YAW_RATE][-1]
        slippery = [corner for corner, factor in zip(Corner, factors, strict=True) if factor < 1.0]
        gripping = [corner for corner in Corner if corner not in slippery]
        assert max(-run[signals.FX[corner]][-1] for corner in slippery) < 0.5 * min(
            -run[signals.FX[corner]][-1] for corner in gripping
        )
    assert turned["ice left"] < -0.05
    assert turned["ice right"] > 0.05


@pytest.mark.parametrize("factors", [0.0, -1.0, float("nan"), (1.0, 1.0, 1.0, float("inf"))])
def test_friction_that_cannot_be_is_refused(factors: object) -> None:
    with pytest.raises(InputError, match="must be finite and greater than zero"):
        RealTimeVehicle(spec()).set_friction(factors)  # type: ignore[arg-type]


def test_a_run_says_the_inputs_of_the_step_that_ends_at_a_sample() -> None:
    vehicle = settled()
    vehicle.start(20.0)
    angle = 1e-3 * np.arange(100)
    throttle, brake = np.linspace(0.0, 0.3, 100), np.linspace(0.0, 0.1, 100)
    run = vehicle.advance(angle, throttle, brake, 3, every=10)
    np.testing.assert_array_equal(run[signals.STEERING_WHEEL_ANGLE], angle[9::10])
    np.testing.assert_array_equal(run[signals.THROTTLE], throttle[9::10])
    np.testing.assert_array_equal(run[signals.BRAKE], brake[9::10])

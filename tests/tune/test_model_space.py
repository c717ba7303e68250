"""Numbers of multibody vehicles and single-track models: what is asked for is what the model then has."""

from __future__ import annotations

import numpy as np
import pytest

from rtm.converted_vehicles import vehicle
from trackrod.core import signals
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.single_track import SingleTrack
from trackrod.tune.model_space import multibody_space, single_track_space, with_numbers
from trackrod.tune.space import Bounds

CAR = SingleTrack(1600.0, 2600.0, 2.7, 0.53, 90e3, 110e3, steering_ratio=16.0)


@pytest.mark.parametrize("name", ["cla_class", "lcv_7t"])
def test_the_whole_vehicle_has_the_numbers_that_it_was_given(name: str) -> None:
    car = vehicle(name)
    known = {item.name: item.nominal for item in multibody_space(car).tunables}
    wanted = {
        "mass": 1.1 * known["mass"],
        "cg_to_front": 1.03 * known["cg_to_front"],
        "cg_height": 0.95 * known["cg_height"],
        "Izz": 1.08 * known["Izz"],
        "drag": 0.8 * known["drag"],
        "brake_front": 1.2 * known["brake_front"],
        "engine_factor": 0.9,
    }
    made = with_numbers(car, wanted)
    whole = made.mass_properties
    assert whole.mass == pytest.approx(wanted["mass"], rel=1e-12)
    assert -whole.centre[0] == pytest.approx(wanted["cg_to_front"], rel=1e-12)
    assert whole.centre[1] == pytest.approx(car.mass_properties.centre[1], abs=1e-12)
    assert whole.inertia[2, 2] == pytest.approx(wanted["Izz"], rel=1e-9)
    model = MultibodyVehicle(made)
    loads = model.settle().wheel_loads
    height = model.reading(model.advance_rows(np.zeros((1, 4)), 1)[-1])(signals.Z.column)
    assert height == pytest.approx(wanted["cg_height"], abs=1e-5)
    assert sum(loads.values()) == pytest.approx(wanted["mass"] * 9.80665, rel=1e-4)
    assert {item.name: item.nominal for item in multibody_space(made).tunables}["drag"] == pytest.approx(wanted["drag"])
    assert made.brakes is not None
    assert car.brakes is not None
    assert made.brakes.front_torque == pytest.approx(1.2 * car.brakes.front_torque)
    assert made.powertrain is not None
    assert car.powertrain is not None
    np.testing.assert_allclose(made.powertrain.engine.torque, 0.9 * car.powertrain.engine.torque)


def test_stiffer_springs_keep_the_ride_height_and_harder_dampers_act_on_their_axle() -> None:
    car = vehicle("cla_class")
    made = with_numbers(car, {"spring_factor_front": 1.2, "damper_factor_rear": 0.8})
    before, after = (MultibodyVehicle(each).settle() for each in (car, made))
    assert after.body_rise == pytest.approx(before.body_rise, abs=2e-3)
    of_axle = {axle: [] for axle in Axle}  # type: ignore[var-annotated]
    for old, new in zip(car.dampers, made.dampers, strict=True):
        axle = Axle.FRONT if old.ends[0][0] > -1.3 else Axle.REAR
        of_axle[axle].append(float(np.abs(new.characteristic.curve.y).max() / np.abs(old.characteristic.curve.y).max()))
    assert of_axle[Axle.FRONT] == pytest.approx([1.0, 1.0])
    assert of_axle[Axle.REAR] == pytest.approx([0.8, 0.8])


def test_names_and_bounds_are_checked() -> None:
    with pytest.raises(InputError, match="no number 'masses'"):
        multibody_space(vehicle("cla_class"), ("masses",))
    with pytest.raises(InputError, match="not between its bounds"):
        single_track_space(CAR, ("yaw_inertia",), {"yaw_inertia": Bounds(1.0, 2.0)})
    space = multibody_space(vehicle("cla_class"), ("mass",), {"mass": Bounds(1.0, 5000.0)})
    with pytest.raises(ConvergenceError, match="leaves nothing"):
        space.model(np.array([-1.0]))


def test_a_single_track_model_keeps_its_mass_and_what_is_zero() -> None:
    space = single_track_space(CAR)
    expected = {
        "yaw_inertia",
        "front_share",
        "cornering_stiffness_front",
        "cornering_stiffness_rear",
        "steering_ratio",
    }
    assert set(space.names) == expected
    at = space.model(np.full(len(space.names), 0.5))
    assert at.steering_ratio == pytest.approx(1.1 * CAR.steering_ratio)
    assert at.mass == CAR.mass

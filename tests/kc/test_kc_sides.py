"""Figures of the rig on asymmetric vehicles against closed forms of hardpoints, masses and brakes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from asymmetric_vehicles import CAR, NAMES, SMALL, VAN, maps, vehicle
from softer_vehicles import softer
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.study import AxleStudy, characterise, key_figures


@cache
def study(name: str, axle: Axle) -> AxleStudy:
    return characterise(vehicle(name), axle, SMALL)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axle", list(Axle))
def test_each_wheel_has_its_unsprung_mass(name: str, axle: Axle) -> None:
    """What is not sprung of every body of the axle, by the lever between the wheels."""
    of = vehicle(name)
    left, right = (of.wheel(Corner.of(axle, side)).centre[1] for side in Side)
    expected = np.zeros(2)
    for body in of.bodies:
        if body.name.startswith(f"{axle}_"):
            lever = np.clip((body.centre[1] - right) / (left - right), 0.0, 1.0)
            expected += body.mass * (1.0 - body.sprung_fraction) * np.array([lever, 1.0 - lever])
    assert abs(expected[0] - expected[1]) > 0.2
    assert maps(name)[axle].unsprung_mass == pytest.approx(tuple(expected), rel=1e-9)


@cache
def van(stiffer: float) -> AxleStudy:
    return characterise(softer(vehicle(VAN), stiffer), Axle.FRONT, SMALL)


@pytest.mark.parametrize(
    # In rubber the carrier turns under the design load, the more the softer: by 1.6 mrad about the longitudinal axis
    # and by 9.0 mrad about the lateral one with the van's own bushings, by a twentieth of it with stiffer ones.
    ("stiffer", "kingpin", "caster", "trail"),
    [(1.0, 1.8e-3, 9.5e-3, 3.3e-3), (20.0, 2e-4, 1e-3, 1e-3)],
)
@pytest.mark.parametrize("side", list(Side))
def test_the_steering_axis_goes_through_the_ball_joints(
    side: Side, stiffer: float, kingpin: float, caster: float, trail: float
) -> None:
    """Kingpin positive with the top inward, trail positive with the axis ahead of the contact, caster rearward."""
    of, done = vehicle(VAN), van(stiffer)
    test = done.tests["parallel"]
    assert done.maps is not None
    lower, upper = (np.array(of.hardpoints[f"front_suspension.{j}_outer_{side}"]) for j in ("lca", "uca"))
    wheel = of.wheel(Corner.of(Axle.FRONT, side))
    radius = done.maps.loaded_radius[list(Side).index(side)]
    along = (upper - lower) / (upper - lower)[2]
    ground = lower + along * (wheel.centre[2] - radius - lower[2])
    middle = int(np.abs(test["travel_left"]).argmin())
    found = {key: float(test[f"{key}_geometric_{side}"][middle]) for key in ("kingpin", "caster", "mechanical_trail")}
    assert found["kingpin"] == pytest.approx(np.arctan(-side.sign * along[1]), abs=kingpin)
    assert found["caster"] == pytest.approx(np.arctan(-along[0]), abs=caster)
    assert found["mechanical_trail"] == pytest.approx(ground[0] - wheel.centre[0], abs=trail)
    # what the kingpin has turned, the wheel has turned with it; its camber was nothing
    turned = found["kingpin"] - np.arctan(-side.sign * along[1])
    assert turned == pytest.approx(-float(test[f"camber_{side}"][middle]), abs=1e-4)
    assert abs(found["mechanical_trail"]) > 3e-3


@pytest.mark.parametrize(
    ("axle", "figure", "sign"), [(Axle.FRONT, "anti_dive", 1.0), (Axle.REAR, "anti_lift_braking", -1.0)]
)
def test_braking_is_supported_by_the_axles_share_of_the_brakes(axle: Axle, figure: str, sign: float) -> None:
    of, done = vehicle(CAR), study(CAR, axle)
    brakes = of.brakes
    assert brakes is not None
    own = brakes.front_torque if axle is Axle.FRONT else brakes.rear_torque
    share = own / (brakes.front_torque + brakes.rear_torque)
    test = done.tests["parallel"]
    support = float(test["brake_support_left"][int(np.abs(test["travel_left"]).argmin())])
    ground = of.wheel(Corner.of(axle, Side.LEFT)).centre[2] - maps(CAR)[axle].loaded_radius[0]
    expected = 100.0 * sign * support * share * of.wheelbase / (of.mass_properties.centre[2] - ground)
    found = {item.name: item.value for item in key_figures(done)}[figure]
    assert found == pytest.approx(expected, rel=1e-6)

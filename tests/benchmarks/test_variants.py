"""Variants of a car: they are what their titles say, and all of them stand on the road."""

from __future__ import annotations

import pytest
from benchmarks.variants import SOFT, VARIANTS, table

from trackrod.multibody.driving import MultibodyVehicle
from trackrod.vehicle.elements import Mode


@pytest.mark.parametrize("name", ["soft_both", "kinematic_rear"])
def test_variants_stand_on_the_road(name: str) -> None:
    car = VARIANTS[name].vehicle()
    standing = MultibodyVehicle(car).settle()
    assert sum(standing.wheel_loads.values()) == pytest.approx(9.80665 * car.mass_properties.mass, rel=1e-6)
    assert abs(standing.body_rise) < 3e-3


def test_variants_are_what_they_say() -> None:
    car = VARIANTS["kinematic_front_soft_rear"].vehicle()
    assert [axle.mode for axle in car.axles] == [Mode.KINEMATIC, Mode.COMPLIANT]
    soft = [bushing for bushing in car.bushings if "rear_suspension.subframe" in bushing.name]
    assert len(soft) == 4
    assert {bushing.characteristic.stiffness[:3] for bushing in soft} == {(SOFT[0],) * 3}
    assert {bushing.characteristic.damping[:3] for bushing in soft} == {(SOFT[1],) * 3}


def test_the_table_names_what_is_largest() -> None:
    values = [
        ("ramp_steer", "sideslip angle", 1.0, False),
        ("ramp_steer", "roll angle", 2.0, False),
        ("step_steer", "lateral acceleration", 0.14, False),
        ("step_steer", "yaw rate", 0.19, False),
        ("brake_in_turn", "yaw rate", 4.25, True),
        ("constant_radius", "roll angle", 0.5, True),
        ("random_road", "vertical acceleration", 3.0, True),
        ("random_road", "wheel load front left", 4.0, True),
        ("random_road", "wheel load front right", 6.0, True),
        ("random_road", "wheel longitudinal force rear left", 12.0, True),
    ]
    names = ("manoeuvre", "index", "optimised_pct", "hold_out")
    stable = {"indices": [dict(zip(names, row, strict=True)) for row in values], "problems": []}
    unstable = stable | {"problems": [{"text": "the tuned model is unstable straight ahead at 30 km/h"}]}
    assert table({"as it is": unstable, "ideal joints": stable}).splitlines()[2:] == [
        "| as it is | 2.00 | 0.14, 0.19 | 4.25 (brake_in_turn, yaw rate) | 3.0, 6.0, 12.0 | no |",
        "| ideal joints | 2.00 | 0.14, 0.19 | 4.25 (brake_in_turn, yaw rate) | 3.0, 6.0, 12.0 | yes |",
    ]

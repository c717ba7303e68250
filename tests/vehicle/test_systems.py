"""Systems of a vehicle: what they refuse, and what follows from their numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trackrod.core.corners import Axle
from trackrod.core.errors import RangeError
from trackrod.core.quantities import KINDS
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.driveline import EngineMap
from trackrod.vehicle.systems import Aerodynamics, Brakes, Gearbox, PayloadLevel, Powertrain, Steering

NAN, INF = math.nan, math.inf
BAR = Characteristic.linear(100.0, 0.2, KINDS["angle"], KINDS["torque"])
WRONG_BAR = Characteristic.linear(100.0, 0.2, KINDS["length"], KINDS["force"])
ENGINE = EngineMap(np.array([0.0, 1.0]), np.array([80.0, 600.0]), np.array([[-20.0, 300.0], [-40.0, 200.0]]))
GEARBOX = Gearbox((4.0, 2.0, 1.0), 3.5, 0.95, (500.0, 500.0), (200.0, 220.0), 0.3)
GOOD = {
    Steering: Steering("wheel", "rack", -0.008, 9.0, BAR),
    Gearbox: GEARBOX,
    Powertrain: Powertrain(ENGINE, 0.2, 80.0, 650.0, 400.0, GEARBOX, 0.4, driveline_inertia=0.1),
    Brakes: Brakes(1e7, 2e-4, 1e-4, 800.0),
    Aerodynamics: Aerodynamics(1.2, 2.2, 0.3, -0.05, 0.1, 0.4),
}


@pytest.mark.parametrize(
    ("kind", "changes", "says"),
    [
        (Steering, {"ratio": 0.0}, "the steering ratio is 0 m/rad, it must be finite and not zero"),
        (Steering, {"ratio": NAN}, "the steering ratio is nan m/rad"),
        (Steering, {"largest_angle": 0.0}, "largest_angle = 0 must be finite and greater than zero"),
        (Steering, {"torsion_bar": WRONG_BAR}, "a torsion bar is a curve of torque over angle"),
        (Gearbox, {"ratios": (4.0, 2.0, -1.0)}, "all greater than zero"),
        (Gearbox, {"ratios": (4.0, 2.0, NAN)}, "all greater than zero"),
        (Gearbox, {"ratios": (4.0, 4.0, 1.0)}, "gear ratios [4.0, 4.0, 1.0] must fall from gear to gear"),
        (Gearbox, {"final_drive": 0.0}, "final_drive = 0 must be"),
        (Gearbox, {"efficiency": 0.0}, "the efficiency 0 must be greater than 0 and at most 1"),
        (Gearbox, {"efficiency": 1.01}, "the efficiency 1.01 must be"),
        (
            Gearbox,
            {"upshift": (500.0,)},
            "3 gears need 2 speeds of changing up and as many of changing down, there are 1",
        ),
        (Gearbox, {"downshift": (200.0, 500.0)}, "changing down must be at a lower engine speed"),
        (Gearbox, {"downshift": (0.0, 200.0)}, "both above zero"),
        (Gearbox, {"shift_time": -0.1}, "the shift time is -0.1 s"),
        (Gearbox, {"shift_time": NAN}, "the shift time is nan s"),
        (Powertrain, {"engine_inertia": 0.0}, "engine_inertia = 0 must be"),
        (Powertrain, {"clutch_capacity": INF}, "clutch_capacity = inf must be"),
        (Powertrain, {"idle_speed": 700.0}, "idle 700 rad/s must be below the limit 650 rad/s"),
        (Powertrain, {"front_share": 1.1}, "the front share of the torque is 1.1, 0 to 1 is allowed"),
        (Powertrain, {"front_share": NAN}, "the front share of the torque is nan"),
        (
            Powertrain,
            {"front_share": 0.0, "centre_locked": True},
            "the centre differential is locked, but with a front share of 0 there is none: give the share",
        ),
        (Powertrain, {"driveline_inertia": -1.0}, "the driveline inertia is -1 kg·m², zero or more is needed"),
        (Brakes, {"largest_pressure": 0.0}, "largest_pressure = 0 must be"),
        (Brakes, {"rear_torque": NAN}, "rear_torque = nan must be"),
        (Brakes, {"parking_torque": -1.0}, "the parking torque is -1 N·m"),
        (Aerodynamics, {"density": 0.0}, "density = 0 must be"),
        (Aerodynamics, {"frontal_area": -2.0}, "frontal_area = -2 must be"),
        (Aerodynamics, {"drag": -0.1}, "the drag zero or more"),
        (Aerodynamics, {"rear_lift": INF}, "must be finite"),
    ],
)
def test_what_cannot_be_is_refused(kind: type, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(RangeError) as raised:
        replace(GOOD[kind], **changes)  # type: ignore[type-var]
    assert says in str(raised.value)
    assert len(raised.value.problems) == 1


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(RangeError) as raised:
        replace(GEARBOX, final_drive=0.0, efficiency=2.0, shift_time=-1.0, ratios=(1.0, 2.0, 3.0))
    assert len(raised.value.problems) == 4


def test_a_gearbox_has_a_gear() -> None:
    with pytest.raises(RangeError, match=r"gear ratios \[\]: at least one is needed"):
        replace(GEARBOX, ratios=(), upshift=(), downshift=())


def test_a_single_gear_needs_no_changes() -> None:
    assert Gearbox((1.0,), 9.0, 1.0, (), (), 0.0).ratios == (1.0,)


@pytest.mark.parametrize(("share", "driven"), [(1.0, [Axle.FRONT]), (0.0, [Axle.REAR]), (0.4, list(Axle))])
def test_driven_axles(share: float, driven: list[Axle]) -> None:
    powertrain = replace(GOOD[Powertrain], front_share=share)  # type: ignore[type-var]
    assert [axle for axle in Axle if powertrain.drives(axle)] == driven


def test_lift_may_be_negative_and_parking_brake_absent() -> None:
    assert Aerodynamics(1.2, 2.0, 0.0, -0.3, -0.5).front_lift == -0.3
    assert Brakes(1e7, 2e-4, 1e-4).parking_torque == 0.0


def test_levels_of_payload() -> None:
    assert [level.fraction for level in PayloadLevel] == [0.0, 0.5, 1.0]


# ---- the powertrain of a rolling vehicle

ROLLING = GOOD[Powertrain]


def test_a_rolling_vehicle_takes_the_lowest_gear_below_its_shift_speed() -> None:
    assert isinstance(ROLLING, Powertrain)
    box = ROLLING.gearbox
    for speed in (5.0, 20.0, 60.0, 150.0):
        output = box.final_drive * (0.4 * speed + 0.6 * 1.1 * speed)  # by the shares of the axles
        engine, gear = ROLLING.engage({Axle.FRONT: speed, Axle.REAR: 1.1 * speed})
        assert engine == pytest.approx(max(output * box.ratios[gear - 1], ROLLING.idle_speed))
        assert gear == len(box.ratios) or output * box.ratios[gear - 1] < box.upshift[gear - 1]
        assert gear == 1 or output * box.ratios[gear - 2] >= box.upshift[gear - 2]
    assert ROLLING.engage({Axle.FRONT: 0.0, Axle.REAR: 0.0}) == (ROLLING.idle_speed, 1)
    assert ROLLING.engage({Axle.FRONT: 10.0, Axle.REAR: 10.0}, gear=2)[1] == 2


def test_the_core_gets_the_share_of_each_wheel() -> None:
    assert isinstance(ROLLING, Powertrain)
    axles = [Axle.FRONT, Axle.FRONT, Axle.REAR, Axle.REAR]
    shares = ROLLING.core_arguments(axles)[3]
    assert shares.tolist() == pytest.approx([0.2, 0.2, 0.3, 0.3])
    assert ROLLING.limited_slip == {}
    assert ROLLING.core_arguments(axles)[-1] == []
    assert replace(ROLLING, centre_locked=True).core_arguments(axles)[-1] == [-0.5, -0.5, 0.5, 0.5]

"""How wide the maps are: as wide as the springs carry an axle on one wheel, or up to the end of the mechanism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import maps, vehicle
from trackrod.convert.conversion import convert
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.maps import Map2D
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.kc import reach
from trackrod.kc.points import Inputs
from trackrod.kc.reach import SPARE, STEP, find_reach
from trackrod.kc.rig import Rig
from trackrod.kc.study import characterise

CAR, VAN = "double_wishbone_car", "lcv_7t"


@pytest.mark.parametrize(("name", "axle"), [(CAR, Axle.FRONT), (VAN, Axle.REAR)])
def test_the_range_ends_where_a_wheel_has_lifted_or_carries_the_axle(name: str, axle: Axle) -> None:
    found, rig = find_reach(vehicle(name), axle), Rig(vehicle(name), axle)
    assert not found.ends
    most = 2 * 0.5 * STANDARD_GRAVITY * vehicle(name).axle_load(axle)

    def carried(left: float, right: float) -> bool:
        """Whether driving can ask for these travels: no wheel is pulled down, none carries more than the axle."""
        pads = rig.sweep(Inputs.of([[left, right]])).forces[0, list(rig.pads)]
        return bool(pads.min() > 0 and pads.max() < most)

    for x, sign in ((found.opposite / SPARE, -1.0), (found.parallel / SPARE, 1.0)):
        assert not (carried(x, sign * x) and carried(-x, -sign * x))
        inside = x - STEP
        if sign > 0 and found.parallel == found.opposite:
            continue  # the ride curve is as long as the wheels go in roll
        assert carried(inside, sign * inside) or carried(-inside, -sign * inside)


def test_a_heavier_payload_needs_more_travel() -> None:
    light = vehicle(CAR)
    heavy = replace(light, bodies=tuple(replace(b, mass=1.6 * b.mass) for b in light.bodies))
    assert find_reach(heavy, Axle.REAR).parallel > find_reach(light, Axle.REAR).parallel


def test_at_the_end_of_a_mechanism_the_largest_range_that_solves_is_taken() -> None:
    car = vehicle("cla_class")
    found = find_reach(car, Axle.REAR)
    assert found.ends
    study = characterise(car, Axle.REAR, replace(found.settings(), map_points=9, load_steps=1))
    assert study.tests["map"].failures == 0
    assert study.maps is not None
    knots = study.maps.left.kinematics.knots
    assert [k[-1] for k in knots] == pytest.approx([found.parallel, found.opposite])


def test_a_fold_ends_the_range(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = find_reach(vehicle(CAR), Axle.REAR)
    monkeypatch.setattr(reach, "FOLD", 0.02)  # [rad] in 10 mm: this axle turns that fast near its end
    assert find_reach(vehicle(CAR), Axle.REAR).ends
    assert find_reach(vehicle(CAR), Axle.REAR).parallel < whole.parallel
    monkeypatch.setattr(reach, "FOLD", 1e-9)
    with pytest.raises(InputError, match=r"rear axle .*ends within 10 mm of the design position"):
        find_reach(vehicle(CAR), Axle.REAR)


def test_maps_that_fold_are_refused() -> None:
    found = maps(VAN)
    for axle in Axle:
        of = found[axle]
        kinematics = of.right.kinematics
        rules = {name: getattr(kinematics, name) for name in ("interpolation", "extrapolation")}
        values = np.array(kinematics.values)
        values[-1, :, kinematics.output_index("tz")] = values[-2, :, kinematics.output_index("tz")]
        folded = Map2D(kinematics.axes, kinematics.knots, kinematics.outputs, values, **rules)
        wrong = {**found, axle: replace(of, right=replace(of.right, kinematics=folded))}
        with pytest.raises(InputError, match=f"map of the {axle} axle folds: its right wheel does not rise") as caught:
            convert(vehicle(VAN), wrong)
        assert len(caught.value.problems) == 1

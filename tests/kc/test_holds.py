"""What pads hold: height, tyres or loads; against closed forms and against each other."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from trackrod.adams.source import open_vehicle
from trackrod.cli.kc import parse_cases
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.kc import programme
from trackrod.kc.further import TwoWheelCase, require_possible
from trackrod.kc.points import Hold, Inputs, Load
from trackrod.kc.rig import Rig
from trackrod.vehicle.elements import Mode


@cache
def bench(mode: Mode = Mode.KINEMATIC) -> Rig:
    return Rig(open_vehicle("double_wishbone_car").vehicle.with_mode(mode), Axle.FRONT)


def test_on_tyres_wheel_and_tyre_are_springs_in_series() -> None:
    """The slope of the wheel load over the ground is the ride rate, and heights add up to what the tyre gives way."""
    rig = bench()
    ground = np.array([-0.031, -0.03, -0.029, -0.001, 0.0, 0.001, 0.029, 0.03, 0.031])
    test = programme.parallel(rig, ground, Hold.TYRE)
    assert test.name == "parallel_on_tyre"
    assert test.failures == 0
    np.testing.assert_array_equal(test["ground_left"], ground)
    load = test["Fz_left"]
    slope = (load[2::3] - load[0::3]) / (ground[2::3] - ground[0::3])
    np.testing.assert_allclose(slope, test["ride_rate_left"][1::3], rtol=2e-3)
    np.testing.assert_allclose(
        1.0 / test["ride_rate_left"], 1.0 / test["wheel_rate_left"] + 1.0 / test["tyre_rate_left"], rtol=1e-9
    )
    tyre, lean = rig.tyres[0], np.cos(test["camber_left"])
    height = tyre.loaded_radius(load) * lean
    design = rig.radii[0] * np.sqrt(1.0 - rig.frames[0][2, 1] ** 2)
    np.testing.assert_allclose(height - design, test["travel_left"] - ground, atol=1e-7)


def test_on_tyres_the_wheel_load_acts_at_the_contact_patch() -> None:
    """The moment of the load about the wheel centre, load times radius times sine of camber, is one more load."""
    rig = bench(Mode.COMPLIANT)
    on_tyre = programme.steer(rig, [0.0], Hold.TYRE)
    lever = float(on_tyre["Fz_left"][0] * rig.radii[0] * np.sin(on_tyre["camber_left"][0]))
    travel = np.column_stack([on_tyre[f"travel_{side}"] for side in ("left", "right")])
    sides = [[-lever, lever]]  # the top leans inward: the contact lies outward of the centre
    by_moment = programme.table(rig, "moment", [rig.sweep(Inputs.of(travel, loads={Load.MX: sides}))])
    plain = programme.table(rig, "plain", [rig.sweep(Inputs.of(travel))])
    changes = [t["camber_left"][0] - plain["camber_left"][0] for t in (on_tyre, by_moment)]
    assert abs(changes[0]) > 1e-5
    assert changes[0] == pytest.approx(changes[1], rel=2e-2)


def test_at_constant_load_the_wheel_gives_way_by_what_the_force_lifts() -> None:
    """A force that changes the load of a held wheel by dF lifts a free one by dF over the wheel rate."""
    rig = bench()
    force = np.array([-100.0, 0.0, 100.0])
    at_height, at_load = (programme.loads(rig, Load.FX, force, hold) for hold in (Hold.HEIGHT, Hold.LOAD))
    assert at_load.name == "fx_at_load"
    np.testing.assert_allclose(at_load["Fz_left"], rig.design_loads[0], rtol=1e-5)
    both = slice(6, 9)  # both wheels alike: they move in parallel
    lift = -(at_height["Fz_left"][both] - rig.design_loads[0]) / at_height["wheel_rate_left"][both]
    np.testing.assert_allclose(at_load["tz_left"][both], lift, atol=2e-3 * np.abs(lift).max())
    np.testing.assert_allclose(at_height["tz_left"], 0.0, atol=1e-8)


def test_wheels_of_a_load_case_are_loaded_each_for_itself() -> None:
    case = parse_cases(["corner:fy=400/150,fx_centre=-80,rack_mm=10,travel_mm=5/-5"])[0]
    assert case.travel == (0.005, -0.005)
    assert case.rack == 0.01
    assert dict(case.loads) == {Load.FY: (400.0, 150.0), Load.FX_CENTRE: (-80.0, -80.0)}
    inputs = case.inputs
    np.testing.assert_allclose(inputs.load(Load.FY)[[0, 5, 10]], [[0.0, 0.0], [200.0, 75.0], [400.0, 150.0]])
    np.testing.assert_allclose(inputs.rack[-1], 0.01)
    test = programme.held(bench(), "corner", inputs, Hold.HEIGHT)
    np.testing.assert_allclose(test["tz_right"][-1], -0.005, atol=1e-8)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("corner", "is not NAME:KEY=LEFT/RIGHT"),
        ("a b:fy=1", "is not NAME:KEY=LEFT/RIGHT"),
        ("corner:fz=3", "unknown key of --case corner 'fz'"),
        ("corner:fy=1/2/3", "is not one or two finite values"),
        ("corner:fy=nan", "is not one or two finite values"),
        ("corner:fy=1,fy=2", "is given twice"),
        ("corner:rack_mm=1/2", "is not one finite value"),
        ("corner:travel_mm=900", "up to 300 mm is possible"),
        ("corner:" + "fy=1," * 99999, "has 100000 values, there are 10 keys"),
    ],
)
def test_load_cases_that_cannot_be_are_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_cases([text])


def test_travel_and_load_cannot_both_be_held() -> None:
    with pytest.raises(InputError, match="load case 'bump' gives travel"):
        require_possible([TwoWheelCase("bump", travel=(0.01, 0.0))], [Hold.TYRE, Hold.LOAD])
    with pytest.raises(InputError, match="wheel loads are held"):
        programme.parallel(bench(), [0.0, 0.01], Hold.LOAD)

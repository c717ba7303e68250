"""The rig on the converted model gives back the maps of the rig on the vehicle; less detail gives back less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import converted, maps, spec_of, vehicle
from trackrod.convert.conversion import Compliance, Detail, convert
from trackrod.convert.round_trip import ModelRig, round_trip
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError
from trackrod.kc.measure import measure
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import AXLE_LOADS, CHANNELS

NAMES = ["double_wishbone_car", "lcv_7t"]
#: Rounding, and what is left of symmetry when the loads of both wheels are averaged, over the span of a map.
EXACT = 1e-12
#: Loads of the pads go by virtual power with the rise of the wheel centre over travel: one, as well as the rig solves:
#: to a nanometre, with knots 6 mm apart.
RISE = 1.5e-7
#: Of a wheel [N].
LOAD = 5e3
#: Between the knots of a coarse map, over the span: straight lines and parabolas differ.
CLOSE = 0.11


#: Kinematics and compliance of two wheels, parallel and opposite travel, of two axles; the rack under two wheels.
TESTS = 2 * (2 * (1 + 8) + 2) + 2


@pytest.mark.parametrize("compliance", [Compliance.QUASI_STATIC, Compliance.MOVING])
@pytest.mark.parametrize("name", NAMES)
def test_maps_come_back(name: str, compliance: Compliance) -> None:
    found = round_trip(spec_of(name, compliance=compliance), maps(name))
    # the driveline of a solid axle has its torque held by the axle: no load at the wheel centre is compared there
    carried = 4 if compliance is Compliance.MOVING and vehicle(name).axle(Axle.REAR).dependent else 0
    assert len({(d.axle, d.test) for d in found}) == TESTS - carried
    for item in found:
        if item.test == "opposite" and item.output == "Fz":
            assert item.at_knots < 0.02 * item.span, item  # stops of an independent axle are those of parallel travel
            if vehicle(name).axle(item.axle).dependent:
                assert item.at_knots < RISE * item.span, item  # not met, as they are by the wheels
            continue
        exact = RISE if item.output.startswith("Fz") else EXACT
        span = LOAD if item.test.startswith("rack") else item.span  # a difference of loads
        assert item.at_knots <= exact * max(span, 1e-3), item
        assert item.between <= max(CLOSE * item.span, 1e-9), item


@pytest.mark.parametrize("name", NAMES)
def test_wheel_loads_change_with_the_rack_as_those_of_the_axle_do(name: str) -> None:
    """Steering moves springs and bars. In a turn, with more or less roll than where it was measured."""
    rig, model = Rig(vehicle(name), Axle.FRONT, check=False), ModelRig(spec_of(name), Axle.FRONT)
    left = -np.sign(np.diff(model.pose(Side.LEFT, 0.0, 0.0, np.array([0.0, 0.01]))[:, CHANNELS.index("rz")])[0])
    for apart in (0.03, 0.05):
        travel = np.outer([0.0, 0.5, 1.0, 1.0, 1.0], np.array([apart, -apart]) * left)
        pads = measure(rig, rig.sweep(Inputs.of(travel, 0.028 * np.array([0.0, 0.0, 0.0, 0.5, 1.0]))), ()).wheel_load
        wanted = pads[-1] - pads[2]
        found = np.array(model.load(*travel[-1], 0.028)) - np.array(model.load(*travel[-1]))
        assert np.abs(wanted).max() > 50.0
        np.testing.assert_allclose(found, wanted, atol=0.2 * np.abs(wanted).max())


@pytest.mark.parametrize(("load", "wanted"), [("brake", "fx "), ("fx", "fx_drive "), ("fy", "fy "), ("mz", "mz ")])
def test_another_elasticity_is_noticed(load: str, wanted: str) -> None:
    """The control: one per cent of what the rear wheels give to one of their loads."""
    name = NAMES[0]
    spec = spec_of(name)
    elasticity = spec.axles[1].elasticity
    assert elasticity is not None
    pose = elasticity.antisymmetric.pose.copy()
    pose[:, AXLE_LOADS.index(load)] *= 1.01
    changed = replace(elasticity, antisymmetric=replace(elasticity.antisymmetric, pose=pose))
    other = replace(spec, axles=(spec.axles[0], replace(spec.axles[1], elasticity=changed)))
    found = [d for d in round_trip(other, maps(name)) if d.test != "opposite"]  # the stops
    wrong = {(d.axle, d.test) for d in found if d.at_knots > 1e-6 * max(d.span, 1e-3)}
    sides = {test.rpartition(" ")[2] for _, test in wrong}
    assert {axle for axle, _ in wrong} == {Axle.REAR}
    assert sides == {"left", "right"}
    assert all(test.startswith(wanted) for _, test in wrong), wrong
    assert all("antisymmetric" in test for _, test in wrong), wrong


def test_another_bushing_is_noticed() -> None:
    name = NAMES[0]
    spec = spec_of(name)
    elasticity = spec.axles[1].elasticity
    assert elasticity is not None
    first, *others = elasticity.bushings
    changed = replace(elasticity, bushings=(replace(first, strain=1.01 * first.strain), *others))
    other = replace(spec, axles=(spec.axles[0], replace(spec.axles[1], elasticity=changed)))
    found = [d for d in round_trip(other, maps(name)) if d.test != "opposite"]
    assert {d.axle for d in found if d.at_knots > 1e-6 * max(d.span, 1e-3)} == {Axle.REAR}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axle", list(Axle))
def test_stiffness_comes_back(name: str, axle: Axle) -> None:
    rig, of = ModelRig(spec_of(name), axle), maps(name)[axle]
    assert rig.wheel_rate() == pytest.approx(float(of.wheel_rate()), rel=1e-3)
    assert rig.roll_rate() == pytest.approx(float(of.roll_rate()), rel=1e-3)
    assert rig.load(0.0, 0.0)[0] == pytest.approx(np.mean(of.design_load), rel=1e-6)
    dependent = vehicle(name).axle(axle).dependent
    anti_roll = rig.roll_rate(stops=False) - rig.wheel_rate(stops=False)
    assert (anti_roll < 0) == dependent, "the opposite rate of a solid axle is the smaller one"


def test_a_changed_model_is_noticed() -> None:
    """The control: one per cent of the front springs shows in the loads of the front axle and nowhere else."""
    name = NAMES[0]
    spec = spec_of(name).with_parameters(spring_factor_front=1.01)
    wrong = {(d.axle, d.test) for d in round_trip(spec, maps(name)) if d.at_knots > 1e-6 * max(d.span, 1e-3)}
    assert wrong == {(Axle.FRONT, "parallel"), (Axle.FRONT, "opposite")}


def test_less_detail_gives_back_less() -> None:
    """Without coupling the middle lines stay exact; straight lines are right at the design position only."""
    name = NAMES[0]
    worst = {}
    for detail in Detail:
        found = round_trip(converted(name, detail).spec, maps(name))
        worst[detail] = max(d.at_knots for d in found if d.test == "kinematics left" and d.output == "rz")
        rig, of = ModelRig(converted(name, detail).spec, Axle.FRONT), maps(name)[Axle.FRONT].left.kinematics
        here = rig.pose(Side.LEFT, 0.0, 0.0)
        assert here[5] == pytest.approx(float(of.value(0.0, 0.0)[of.output_index("rz")]), abs=1e-12)
        if detail is Detail.ONE_DIMENSIONAL:
            middle = rig.pose(Side.LEFT, of.knots[0], of.knots[0])[:, 5]
            assert middle == pytest.approx(of.value(of.knots[0], 0.0)[:, of.output_index("rz")], abs=1e-12)
    assert worst[Detail.TWO_DIMENSIONAL] < 1e-12 < worst[Detail.ONE_DIMENSIONAL] < worst[Detail.LINEAR]


def test_detail_shows_in_a_step_steer() -> None:
    """Little at small steering, and the coupling costs less than the curvature."""
    name = NAMES[0]
    steady = {}
    for detail in Detail:
        car = RealTimeVehicle(converted(name, detail).spec)
        car.settle()
        car.start(100 / 3.6)
        steps = np.minimum(np.arange(3000) * 1e-3 * np.radians(500), np.radians(40))
        steady[detail] = car.advance(steps, 0.12, 0.0, 0, every=10)["yaw_rate_radps"][-1]
    full = steady[Detail.TWO_DIMENSIONAL]
    one, linear = (abs(steady[d] / full - 1) for d in (Detail.ONE_DIMENSIONAL, Detail.LINEAR))
    assert 0 < one < 0.01
    assert one < linear < 0.05


def test_missing_maps_are_named() -> None:
    with pytest.raises(InputError, match="rear"):
        convert(vehicle(NAMES[0]), {Axle.FRONT: maps(NAMES[0])[Axle.FRONT]})


def test_every_source_belongs_to_a_parameter() -> None:
    conversion = converted(NAMES[1])
    assert set(conversion.sources) <= set(conversion.spec.parameters)
    assert conversion.sources["wheel_inertia_front"].certain
    assert not conversion.sources["Izz"].certain
    assert conversion.spec.mass == pytest.approx(vehicle(NAMES[1]).mass_properties.mass, rel=1e-12)

"""Conversion of vehicles that lack something, and of less than all the detail of the maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asymmetric_vehicles import CAR, SMALL, VAN, maps, vehicle
from trackrod.convert.conversion import Compliance, Detail, convert
from trackrod.convert.masses import split_masses
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.kc.study import characterise
from trackrod.rtm.layout import CHANNELS
from trackrod.vehicle.elements import Joint, JointType


def test_without_systems_their_numbers_are_zero() -> None:
    bare = replace(vehicle(CAR), brakes=None, aerodynamics=None, powertrain=None)
    spec = convert(bare, maps(CAR)).spec
    assert spec.powertrain is None
    for name in ("brake_front", "brake_rear", "drag", "lift_front", "lift_rear", "drag_height"):
        assert spec.parameters[name] == 0.0
    with_all = convert(vehicle(CAR), maps(CAR)).spec
    assert spec.parameters["sprung_mass"] == with_all.parameters["sprung_mass"]
    assert with_all.steering is None, "an elastic steering is for who asks for it"


def test_a_steering_without_torsion_bar_cannot_be_elastic() -> None:
    car = vehicle(CAR)
    assert car.steering is not None
    stiff = replace(car, steering=replace(car.steering, torsion_bar=None))
    with pytest.raises(InputError, match="no torsion bar"):
        convert(stiff, maps(CAR), elastic_steering=True)
    alone = replace(car, steering=replace(car.steering, assist=None))
    spec = convert(alone, maps(CAR), elastic_steering=True).spec
    assert spec.steering is not None
    assert spec.steering.assist is None


def test_without_dampers_their_place_moves_with_the_wheel() -> None:
    """The curve is empty; the channel of the length still is that of something, the height of the wheel."""
    car = replace(vehicle(CAR), dampers=())
    found = {axle: characterise(car, axle, SMALL).maps for axle in Axle}
    spec = convert(car, {axle: of for axle, of in found.items() if of is not None}).spec
    for wheel in spec.wheels:
        assert wheel.damper.x.size == 0
        of = dict(zip(CHANNELS, np.moveaxis(wheel.kinematics, -1, 0), strict=True))
        assert np.array_equal(of["damper_length"], -of["tz"])


def test_what_holds_a_wheel_to_the_body_stays_sprung() -> None:
    """A van whose axle is bolted to its frame: the frame does not become part of the wheels."""
    van = vehicle(VAN)
    bolted = Joint("rear_suspension.bolted", JointType.FIXED, ("rear_suspension.axle", van.chassis), (-4.1, 0.0, 0.4))
    free, held = split_masses(van), split_masses(replace(van, joints=(*van.joints, bolted)))
    assert held.unsprung == pytest.approx(free.unsprung, rel=1e-12)
    assert held.sprung_mass == pytest.approx(free.sprung_mass, rel=1e-12)


@pytest.mark.parametrize("corner", list(Corner))
def test_less_detail_keeps_the_middle_lines_and_their_slopes(corner: Corner) -> None:
    """On an asymmetric van: without coupling both middle lines are those of the map; straight lines have its slopes."""
    full, lines, straight = (
        convert(vehicle(VAN), maps(VAN), detail=detail).spec.wheels[corner.index]
        for detail in (Detail.TWO_DIMENSIONAL, Detail.ONE_DIMENSIONAL, Detail.LINEAR)
    )
    row, column = (int(np.flatnonzero(np.abs(x) < 1e-12)[0]) for x in (full.first, full.second))
    assert lines.kinematics[:, column] == pytest.approx(full.kinematics[:, column], abs=1e-15)
    assert lines.kinematics[row] == pytest.approx(full.kinematics[row], abs=1e-15)
    coupling = np.diff(np.diff(lines.kinematics, axis=0), axis=1)
    assert np.abs(coupling).max() < 1e-14
    # the parabola through three points has the slope of the secant through the outer ones
    for along, x, at in ((0, full.first, row), (1, full.second, column)):
        middle = full.kinematics[:, column] if along == 0 else full.kinematics[row]
        slope = (middle[at + 1] - middle[at - 1]) / (x[at + 1] - x[at - 1])
        steps = np.diff(straight.kinematics, axis=along) / np.diff(x).reshape((-1, 1, 1) if along == 0 else (1, -1, 1))
        assert np.abs(steps - slope).max() < 1e-12
    assert straight.kinematics[row, column] == pytest.approx(full.kinematics[row, column], abs=1e-15)


def test_detail_may_differ_between_the_axles() -> None:
    mixed = {Axle.FRONT: Detail.TWO_DIMENSIONAL, Axle.REAR: Detail.LINEAR}
    found = convert(vehicle(VAN), maps(VAN), detail=mixed).spec
    full, straight = (
        convert(vehicle(VAN), maps(VAN), detail=detail).spec for detail in (Detail.TWO_DIMENSIONAL, Detail.LINEAR)
    )
    for wheel, expected in zip(found.wheels, (*full.wheels[:2], *straight.wheels[2:]), strict=True):
        assert np.array_equal(wheel.kinematics, expected.kinematics)


def test_without_compliance_no_wheel_gives_way() -> None:
    assert all(
        not wheel.compliance for wheel in convert(vehicle(CAR), maps(CAR), compliance=Compliance.NONE).spec.wheels
    )

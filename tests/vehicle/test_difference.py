"""Differences between vehicles: all of them, where they are, and no others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vehicles_by_hand import CHASSIS, by_hand

from trackrod.core.corners import Corner
from trackrod.vehicle.difference import Difference, differences
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.systems import Brakes
from trackrod.vehicle.vehicle import Vehicle

CAR = by_hand()


def with_mass(factor: float) -> Vehicle:
    heavier = (replace(b, mass=b.mass * factor) if b.name == CHASSIS else b for b in CAR.bodies)
    return replace(CAR, bodies=tuple(heavier))


def test_a_vehicle_does_not_differ_from_itself() -> None:
    assert differences(CAR, CAR, tolerance=0.0) == ()
    assert differences(CAR, by_hand(), tolerance=0.0) == ()


@settings(max_examples=30)
@given(st.floats(0.5, 2.0))
def test_a_changed_number_is_found_with_its_change(factor: float) -> None:
    found = differences(CAR, with_mass(factor))
    if abs(factor - 1.0) < 5e-10:
        assert not found
    elif abs(factor - 1.0) > 2e-9:
        (one,) = found
        assert (one.where, one.first) == (f"bodies.{CHASSIS}.mass", 1300.0)
        assert one.change == pytest.approx(factor - 1.0, abs=1e-12)


def test_tolerance() -> None:
    assert len(differences(CAR, with_mass(1.01), tolerance=0.005)) == 1
    assert not differences(CAR, with_mass(1.01), tolerance=0.02)


def test_springs_and_wheels_are_told_by_their_names() -> None:
    first = CAR.springs[0]
    changed = replace(
        CAR,
        springs=(replace(first, installed_length=first.installed_length + 0.01), *CAR.springs[1:]),
        wheels=tuple(replace(w, drive_reaction=w.body) if w.corner is Corner.RR else w for w in CAR.wheels),
        name="changed",
    )
    found = {d.where: d for d in differences(CAR, changed)}
    assert set(found) == {"name", f"springs.{first.name}.installed_length", "wheels.rr.drive_reaction"}
    assert found["name"].change is None
    assert (found["name"].first, found["name"].second) == ("by hand", "changed")


def test_the_order_of_named_elements_does_not_matter() -> None:
    assert differences(CAR, replace(CAR, bodies=CAR.bodies[::-1], springs=CAR.springs[::-1])) == ()


def test_vectors_differ_as_a_whole() -> None:
    name, point = next(iter(CAR.hardpoints.items()))
    moved = (point[0], point[1] + 0.001, point[2])
    (one,) = differences(CAR, replace(CAR, hardpoints={**CAR.hardpoints, name: moved}))
    assert (one.where, one.first, one.second) == (f"hardpoints.{name}", list(point), list(moved))
    assert one.change is None


def test_what_is_there_only_once() -> None:
    brakes = Brakes(1e7, 2e-4, 1e-4)
    bar = CAR.torsion_springs[0].name
    found = {d.where: d for d in differences(CAR, replace(CAR, brakes=brakes, torsion_springs=()))}
    assert set(found) == {"brakes", f"torsion_springs.{bar}"}
    assert found["brakes"].first is None
    assert found["brakes"].change is None
    without = replace(CAR, stops=CAR.stops[1:])
    (stop,) = differences(CAR, without)
    assert (stop.where, stop.second) == (f"stops.{CAR.stops[0].name}", None)


@pytest.mark.parametrize(
    "other", [with_mass(1.1), CAR.with_mode(Mode.COMPLIANT), by_hand("macpherson"), replace(CAR, stops=())]
)
def test_exchanging_the_vehicles_exchanges_the_sides(other: Vehicle) -> None:
    there, back = differences(CAR, other), differences(other, CAR)
    assert there
    exchanged = [Difference(d.where, d.second, d.first) for d in back]
    assert sorted(there, key=lambda d: d.where) == sorted(exchanged, key=lambda d: d.where)


def test_modes_differ_by_name_and_switches_have_no_change() -> None:
    found = {d.where: d for d in differences(CAR, CAR.with_mode(Mode.COMPLIANT, "rear_suspension"))}
    assert set(found) == {"modes.rear_suspension", "axles.rear.mode"}
    assert Difference("axles.rear.driven", True, False).change is None
    assert Difference("x", 0.0, 1.0).change is None
    assert Difference("x", 2, 1).change == -0.5

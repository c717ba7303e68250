"""A frame that twists: the sprung body in two halves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kc.simple_axles import CHASSIS, WHEELBASE, trailing_arm, vehicle_on
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, RangeError
from trackrod.vehicle.audit.mechanism import axle_mechanism, check_vehicle_freedoms
from trackrod.vehicle.connectors import Friction
from trackrod.vehicle.difference import differences
from trackrod.vehicle.elements import Body, Joint, JointType
from trackrod.vehicle.frame import DAMPING_RATIO, FrameTorsion, frame_hinge, frame_spring, with_frame
from trackrod.vehicle.systems import Frame
from trackrod.vehicle.vehicle import VEHICLE, Vehicle

REAR = f"{CHASSIS}_rear"


def slanted() -> Vehicle:
    """A sprung body with all products of inertia, and a load fixed to it behind the middle."""
    vehicle = vehicle_on(trailing_arm)
    inertia = ((400.0, 15.0, -90.0), (15.0, 1800.0, 8.0), (-90.0, 8.0, 2000.0))
    bodies = tuple(replace(body, inertia=inertia) if body.name == CHASSIS else body for body in vehicle.bodies)
    load = Body("body.load", 300.0, (-1.9, 0.1, 0.9), ((20.0, 0.0, 0.0), (0.0, 30.0, 0.0), (0.0, 0.0, 30.0)))
    joint = Joint("body.load_fixed", JointType.FIXED, (load.name, CHASSIS), load.centre)
    return replace(vehicle, bodies=(*bodies, load), joints=(*vehicle.joints, joint))


@pytest.mark.parametrize("split", [None, -0.4, -2.2])
def test_mass_centre_and_inertia_are_kept(split: float | None) -> None:
    vehicle = slanted()
    before, after = vehicle.mass_properties, with_frame(vehicle, FrameTorsion(1e5, split=split)).mass_properties
    assert after.mass == pytest.approx(before.mass, rel=1e-14)
    np.testing.assert_allclose(after.centre, before.centre, atol=1e-13)
    np.testing.assert_allclose(after.inertia, before.inertia, rtol=1e-12, atol=1e-10)


def test_a_straight_bar_is_divided_as_bars_are() -> None:
    """1200 kg over 4 m about x = −1.25 m: 1/3 of it lies behind −1.917 m, with m l²/12 of its own."""
    vehicle = vehicle_on(trailing_arm)
    along = 1200.0 * 4.0**2 / 12
    inertia = ((50.0, 0.0, 0.0), (0.0, along + 25.0, 0.0), (0.0, 0.0, along + 25.0))
    bodies = tuple(replace(body, inertia=inertia) if body.name == CHASSIS else body for body in vehicle.bodies)
    divided = with_frame(replace(vehicle, bodies=bodies), FrameTorsion(1e5, split=-1.25 - 2.0 / 3.0))
    front, rear = (divided.body(name) for name in divided.sprung_bodies)
    assert (front.mass, rear.mass) == pytest.approx((800.0, 400.0))
    assert (front.centre[0], rear.centre[0]) == pytest.approx((-1.25 + 2.0 / 3.0, -1.25 - 4.0 / 3.0))
    assert rear.inertia[0][0] == pytest.approx(50.0 / 3.0)
    assert rear.inertia[1][1] == pytest.approx(400.0 * (4.0 / 3.0) ** 2 / 12 + 25.0 / 3.0)


def test_what_is_behind_the_division_hangs_on_the_rear_half() -> None:
    ends = ((-WHEELBASE, 0.4, 0.6), (-WHEELBASE, 0.4, 0.3))
    leaf = Friction("body.leaf", (CHASSIS, "rear_suspension.upright_left"), ends, 200.0)
    divided = with_frame(replace(slanted(), frictions=(leaf,)), FrameTorsion(1e5))
    assert divided.frame == Frame(REAR, "body.frame_hinge", "body.frame_torsion")
    assert (divided.sprung_body(Axle.FRONT), divided.sprung_body(Axle.REAR)) == (CHASSIS, REAR)
    held = {connector.name: set(connector.bodies) for connector in divided.connectors()}
    for axle, own, other in ((Axle.FRONT, CHASSIS, REAR), (Axle.REAR, REAR, CHASSIS)):
        for side in ("left", "right"):
            for part in ("pivot", "spring"):
                assert own in held[f"{axle}_suspension.{part}_{side}"]
                assert other not in held[f"{axle}_suspension.{part}_{side}"]
    assert held["body.load_fixed"] == {"body.load", REAR}
    assert held[leaf.name] == {"rear_suspension.upright_left", REAR}
    assert [wheel.drive_reaction for wheel in divided.wheels] == [CHASSIS, CHASSIS, REAR, REAR]
    assert frame_hinge(divided).position[:2] == (-0.5 * WHEELBASE, 0.0)


def test_numbers_of_the_hinge() -> None:
    given = with_frame(slanted(), FrameTorsion(2e5, 700.0, -1.0, 0.45))
    spring, hinge = frame_spring(given), frame_hinge(given)
    assert (spring.curve.slope(0.0), spring.damping) == (pytest.approx(2e5), 700.0)
    assert (hinge.position, hinge.axis, hinge.type) == ((-1.0, 0.0, 0.45), (1.0, 0.0, 0.0), JointType.REVOLUTE)
    # pivots at 0.25 m, springs at 0.7 m
    usual = with_frame(slanted(), FrameTorsion(2e5))
    assert frame_hinge(usual).position[2] == pytest.approx(0.5 * (0.25 + 0.7))


def test_usual_damping_is_a_share_of_the_critical_one() -> None:
    """Halves alike, free of the axles: I of each, K, and so 2 ζ √(K I/2)."""
    divided = with_frame(vehicle_on(trailing_arm), FrameTorsion(1e5, height=0.55))
    assert frame_spring(divided).damping == pytest.approx(2 * DAMPING_RATIO * np.sqrt(1e5 * 200.0 / 2))


def test_a_divided_vehicle_is_saved_and_loaded(tmp_path: Path) -> None:
    divided = with_frame(slanted(), FrameTorsion(1e5))
    save(Artefact(VEHICLE, divided), tmp_path / "divided.json")
    loaded = load(tmp_path / "divided.json", VEHICLE).content
    assert loaded.frame == divided.frame
    assert not differences(loaded, divided)


def test_freedoms_of_a_divided_vehicle() -> None:
    divided = with_frame(slanted(), FrameTorsion(1e5))
    (finding,) = check_vehicle_freedoms(divided)
    assert "15 = 6 of the body + 8 of the axles + 0 of the steering + 1 of the frame" in finding.text
    for layout in divided.axles:
        mechanism = axle_mechanism(divided, layout)
        assert not set(divided.sprung_bodies) & set(mechanism.bodies)
        assert mechanism.mobility().freedoms == layout.freedoms


@pytest.mark.parametrize(
    ("torsion", "message"),
    [
        ({"stiffness": -1.0}, "stiffness of the frame is -1 N·m/rad, it must be greater than zero"),
        ({"stiffness": 0.0}, "it must be greater than zero"),
        ({"stiffness": float("nan")}, "it must be greater than zero"),
        ({"stiffness": 1e5, "damping": -2.0}, "damping of the frame is -2"),
        ({"stiffness": 1e5, "height": float("inf")}, "height of the frame is inf m"),
        ({"stiffness": 1e5, "split": 0.1}, "which is not between its axles"),
        ({"stiffness": 1e5, "split": -2.6}, "which is not between its axles"),
    ],
)
def test_what_cannot_be_is_refused(torsion: dict[str, float], message: str) -> None:
    with pytest.raises(RangeError, match=message):
        with_frame(slanted(), FrameTorsion(**torsion))


def test_a_half_without_mass_is_refused() -> None:
    """A sprung body that is 1 m long and lies over the front axle."""
    vehicle = vehicle_on(trailing_arm)
    short = ((400.0, 0.0, 0.0), (0.0, 300.0, 0.0), (0.0, 0.0, 300.0))
    bodies = tuple(
        replace(body, inertia=short, centre=(0.0, 0.0, 0.5)) if body.name == CHASSIS else body
        for body in vehicle.bodies
    )
    with pytest.raises(RangeError, match=r"no mass in its rear half.*it reaches from -0.5 to 0.5 m"):
        with_frame(replace(vehicle, bodies=bodies), FrameTorsion(1e5))


def test_a_frame_twists_once() -> None:
    divided = with_frame(slanted(), FrameTorsion(1e5))
    with pytest.raises(InputError, match="twists already"):
        with_frame(divided, FrameTorsion(1e5))


def test_names_of_the_frame_must_be_there() -> None:
    divided = with_frame(slanted(), FrameTorsion(1e5))
    with pytest.raises(InputError) as caught:
        replace(divided, frame=Frame("no_body", "no_joint", "no_spring"))
    text = str(caught.value)
    assert all(f"'{name}'" in text for name in ("no_body", "no_joint", "no_spring"))

"""A vehicle: consistent, switched between modes, loaded and unloaded, weighed, saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vehicles_by_hand import CHASSIS, WHEELBASE, by_hand

from trackrod.core.artefact import Artefact, Provenance, load, save
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import FileFormatError, InputError, UnknownNameError
from trackrod.vehicle.connectors import Gear
from trackrod.vehicle.difference import differences
from trackrod.vehicle.elements import GROUND, Body, Joint, JointType, Mode
from trackrod.vehicle.systems import Payload, PayloadLevel, TyrePlace
from trackrod.vehicle.vehicle import VEHICLE, Vehicle, subsystem_of

CAR = by_hand()
LOAD = Body("body.payload", 400.0, (-2.4, 0.1, 0.8), ((30.0, 1.0, 0.0), (1.0, 60.0, 0.0), (0.0, 0.0, 70.0)), 1.0)
LOADED = replace(CAR, bodies=(*CAR.bodies, LOAD), payload=Payload((LOAD,)))


def with_wheel(corner: Corner, **changes: Any) -> dict[str, Any]:
    return {"wheels": tuple(replace(w, **changes) if w.corner is corner else w for w in CAR.wheels)}


# ------------------------------------------------------------------------------------------------ consistency


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"chassis": "body.frame"}, "the sprung body 'body.frame' is not among the bodies"),
        ({"bodies": (*CAR.bodies, CAR.bodies[0])}, f"the body '{CHASSIS}' is there twice"),
        ({"joints": (*CAR.joints, CAR.joints[0])}, f"the connector 'Joint {CAR.joints[0].name}' is there twice"),
        (
            {"joints": (*CAR.joints, Joint("x.y", JointType.FIXED, (CHASSIS, "x.z"), (0.0, 0.0, 0.0)))},
            "joint 'x.y': there is no body 'x.z'",
        ),
        (
            {"springs": (replace(CAR.springs[0], bodies=("nobody", CHASSIS)), *CAR.springs[1:])},
            "there is no body 'nobody'",
        ),
        ({"gears": (Gear("g", ("steering.rack", "nothing"), 2.0),)}, "gear 'g': there is no joint 'nothing'"),
        (with_wheel(Corner.RL, joint="nothing"), "wheel 'rl': there is no joint 'nothing'"),
        (with_wheel(Corner.FR, body="nobody"), "wheel 'fr': there is no body 'nobody'"),
        (with_wheel(Corner.FR, brake_reaction="nobody"), "wheel 'fr': there is no body 'nobody'"),
        (with_wheel(Corner.FR, drive_reaction=GROUND), "wheel 'fr': there is no body 'ground'"),
        (with_wheel(Corner.FL, tyres=(TyrePlace("winter"),)), "wheel 'fl': there is no tyre 'winter'"),
        ({"steering": replace(CAR.steering, rack_joint="rack")}, "the steering: there is no joint 'rack'"),  # type: ignore[type-var]
        ({"wheels": CAR.wheels[::-1]}, "wheels rr, rl, fr, fl: fl, fr, rl, rr are needed, in this order"),
        ({"wheels": CAR.wheels[:3]}, "wheels fl, fr, rl: fl, fr, rl, rr are needed, in this order"),
    ],
)
def test_what_does_not_fit_together_is_named(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as raised:
        replace(CAR, **changes)
    assert says in str(raised.value)
    assert len(raised.value.problems) == 1


def test_all_inconsistencies_are_named_at_once() -> None:
    with pytest.raises(InputError) as raised:
        replace(CAR, chassis="x", tyres={}, wheels=CAR.wheels[::-1])
    assert len(raised.value.problems) == 6  # the body, four tyres, the order of the wheels


def test_connectors_may_lead_to_the_ground() -> None:
    fixed = Joint("rig.post", JointType.FIXED, (CHASSIS, GROUND), (0.0, 0.0, 0.0))
    assert fixed in replace(CAR, joints=(*CAR.joints, fixed)).connectors()


def test_mappings_cannot_be_changed() -> None:
    for mapping in (CAR.hardpoints, CAR.tyres, CAR.modes):
        with pytest.raises(TypeError):
            mapping["x"] = None  # type: ignore[index]


def test_elements_are_found_by_name() -> None:
    assert CAR.body(CHASSIS).mass == 1300.0
    assert CAR.wheel(Corner.RR).corner is Corner.RR
    assert CAR.axle(Axle.REAR).position is Axle.REAR
    with pytest.raises(UnknownNameError, match=r"unknown body 'body\.chasis' \(did you mean 'body\.chassis'"):
        CAR.body("body.chasis")
    assert subsystem_of("front_suspension.lca_left") == "front_suspension"


# ------------------------------------------------------------------------------------------------------- modes


def test_modes_decide_what_acts() -> None:
    """Every connector acts in one mode, or in both if it is marked so; the two modes together have all of them."""
    stiff, soft = CAR.with_mode(Mode.KINEMATIC), CAR.with_mode(Mode.COMPLIANT)
    for connectors in (CAR.joints, CAR.bushings):
        in_both = {c.name for c in stiff.acting(connectors)} & {c.name for c in soft.acting(connectors)}
        in_any = {c.name for c in stiff.acting(connectors)} | {c.name for c in soft.acting(connectors)}
        assert in_both == {c.name for c in connectors if c.mode is Mode.ALWAYS}
        assert in_any == {c.name for c in connectors}
    assert len(stiff.acting(CAR.joints)) > len(soft.acting(CAR.joints))
    assert len(stiff.acting(CAR.bushings)) < len(soft.acting(CAR.bushings))
    assert stiff.acting(CAR.springs) == soft.acting(CAR.springs) == CAR.springs


def test_one_subsystem_changes_its_mode_alone() -> None:
    soft = CAR.with_mode(Mode.COMPLIANT, "rear_suspension")
    assert {name for name, mode in soft.modes.items() if mode is Mode.COMPLIANT} == {"rear_suspension"}
    assert soft.axle(Axle.REAR).mode is Mode.COMPLIANT
    assert soft.axle(Axle.FRONT).mode is Mode.KINEMATIC
    acting = {subsystem_of(bushing.name) for bushing in soft.acting(soft.bushings)}
    assert "rear_suspension" in acting
    assert "front_suspension" not in acting
    assert soft.mode_of("rear_suspension.anything") is Mode.COMPLIANT
    assert soft.mode_of("unheard_of.anything") is Mode.KINEMATIC
    assert not differences(soft.with_mode(Mode.KINEMATIC), CAR)


def test_impossible_modes_are_refused() -> None:
    with pytest.raises(InputError, match="'always' is for connectors"):
        CAR.with_mode(Mode.ALWAYS)
    with pytest.raises(UnknownNameError, match=r"unknown subsystem 'rear'"):
        CAR.with_mode(Mode.COMPLIANT, "rear")


# -------------------------------------------------------------------------------------------------- mass and load


def test_axle_loads_balance_the_weight() -> None:
    """Moments about both axles vanish, by sums over the single bodies."""
    for vehicle in (CAR, LOADED):
        front, rear = vehicle.axle_load(Axle.FRONT), vehicle.axle_load(Axle.REAR)
        assert front + rear == pytest.approx(sum(body.mass for body in vehicle.bodies), rel=1e-12)
        about_front = sum(-body.centre[0] * body.mass for body in vehicle.bodies)  # the front wheels are at x = 0
        assert rear * WHEELBASE == pytest.approx(about_front, rel=1e-12)


def test_load_behind_the_rear_axle_lifts_the_front() -> None:
    far = replace(LOAD, centre=(-WHEELBASE - 0.5, 0.0, 0.8))
    loaded = replace(CAR, bodies=(*CAR.bodies, far))
    assert loaded.axle_load(Axle.FRONT) < CAR.axle_load(Axle.FRONT)
    assert loaded.axle_load(Axle.REAR) > CAR.axle_load(Axle.REAR) + far.mass


def test_sizes() -> None:
    assert CAR.wheelbase == pytest.approx(WHEELBASE)
    for axle in Axle:
        assert CAR.track(axle) == pytest.approx(2 * CAR.wheel(Corner.of(axle, Side.LEFT)).centre[1])
        assert CAR.track(axle) > 0
    x, y, z = CAR.wheel(Corner.RL).centre
    assert replace(CAR, **with_wheel(Corner.RL, centre=(x - 0.1, y, z))).wheelbase == pytest.approx(WHEELBASE + 0.05)


def test_sprung_mass_is_what_counts_as_sprung() -> None:
    """By hand only the chassis is sprung; half of the load."""
    assert CAR.sprung_mass == 1300.0
    half = replace(LOAD, sprung_fraction=0.5)
    assert replace(CAR, bodies=(*CAR.bodies, half)).sprung_mass == 1500.0


@pytest.mark.parametrize(("level", "mass"), [(PayloadLevel.KERB, 0.0), (PayloadLevel.HALF, 200.0)])
def test_payload_adds_its_mass_and_nothing_else(level: PayloadLevel, mass: float) -> None:
    vehicle = LOADED.with_payload(level)
    assert vehicle.payload is not None
    assert vehicle.payload.level is level
    empty, total = CAR.mass_properties, vehicle.mass_properties
    assert total.mass == pytest.approx(empty.mass + mass, rel=1e-12)
    moment = empty.mass * empty.centre + mass * np.array(LOAD.centre)
    assert total.mass * total.centre == pytest.approx(moment, rel=1e-12)
    about_origin = empty.inertia_about(np.zeros(3))
    share = np.array(LOAD.inertia) * mass / LOAD.mass
    r = np.array(LOAD.centre)
    steiner = mass * (r @ r * np.eye(3) - np.outer(r, r))
    assert total.inertia_about(np.zeros(3)) == pytest.approx(about_origin + share + steiner, rel=1e-9)
    assert {d.where.split(".")[0] for d in differences(LOADED, vehicle)} == {"bodies", "payload"}


@given(levels=st.lists(st.sampled_from(PayloadLevel), max_size=4))
@settings(max_examples=20)
def test_payload_is_not_lost_on_the_way(levels: list[PayloadLevel]) -> None:
    """Unloading and loading again gives the first vehicle, whatever lies between."""
    vehicle = LOADED
    for level in levels:
        vehicle = vehicle.with_payload(level)
    assert vehicle.with_payload(PayloadLevel.LADEN).bodies == LOADED.bodies


def test_without_payload_there_is_nothing_to_leave_out() -> None:
    assert CAR.with_payload(PayloadLevel.LADEN) is CAR
    with pytest.raises(InputError, match=r"'by hand' has no payload to leave out for 'kerb' \(parts of the body"):
        CAR.with_payload(PayloadLevel.KERB)


# ------------------------------------------------------------------------------------------------------ saving


@pytest.mark.parametrize("vehicle", [CAR, LOADED, by_hand("macpherson", "integral_link", Mode.COMPLIANT)])
def test_a_vehicle_comes_back_from_its_file(vehicle: Vehicle, tmp_path: Path) -> None:
    artefact = Artefact(VEHICLE, vehicle, Provenance(settings={"mode": "as read"}))
    save(artefact, tmp_path / "car.json")
    back = load(tmp_path / "car.json", VEHICLE)
    assert back.sha256 == artefact.sha256
    assert differences(vehicle, back.content, tolerance=0.0) == ()
    assert back.content.bodies == vehicle.bodies
    assert tuple(back.content.connectors()) == tuple(vehicle.connectors())
    save(back, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "car.json").read_bytes()


def test_an_inconsistent_file_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "car.json"
    plain = dict(VEHICLE.to_plain(CAR))
    schema = replace(VEHICLE, to_plain=lambda _: {**plain, "chassis": "nobody", "wheels": plain["wheels"][:2]})  # type: ignore[index]
    save(Artefact(schema, CAR), path)
    with pytest.raises(FileFormatError) as raised:
        load(path, VEHICLE)
    assert [problem.place.file for problem in raised.value.problems] == [path] * 2
    assert "the sprung body 'nobody' is not among the bodies" in str(raised.value)

"""Whole vehicles from Adams/Car files: mechanisms, connectors and systems, in the axes and signs of Trackrod."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.adams import elements as records
from trackrod.adams.assembly import read_assembly
from trackrod.adams.characteristics import AnyCharacteristic, Characteristics
from trackrod.adams.connectors import Filled, fill_places
from trackrod.adams.database import FileReference
from trackrod.adams.elements import Axes, Symmetry
from trackrod.adams.mechanism import Mechanism, build_mechanism, hardpoints_in_vehicle_frame, mode_of, values_of
from trackrod.adams.source import open_vehicle
from trackrod.adams.subsystem import Subsystem, read_subsystem
from trackrod.adams.systems import brakes_of
from trackrod.adams.vehicle import VehicleReading, read_vehicle
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, MissingFileError, Place, Severity, UnknownNameError
from trackrod.core.quantities import KINDS
from trackrod.core.units import UnitSystem
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.difference import differences
from trackrod.vehicle.elements import GROUND, Joint, JointType, Mode, Role
from trackrod.vehicle.instantiate import BushingPlace, Instance, Line, Member
from trackrod.vehicle.mobility import mobility
from trackrod.vehicle.template import LineType
from trackrod.vehicle.template_reader import BUILT_IN, load_template, load_templates
from trackrod.vehicle.vehicle import Vehicle

THREE_WHEELER = "adams/BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb"
LENGTH, FORCE, ANGLE, TORQUE, SPEED = (KINDS[name] for name in ("length", "force", "angle", "torque", "velocity"))


# ---------------------------------------------------------------------------------------- a foreign database


@pytest.fixture(scope="module")
def reading(shared_data: Path) -> VehicleReading:
    return read_vehicle(shared_data / THREE_WHEELER / "assemblies.tbl/MDI_Demo_ThreeWheeler.asy", stand_in=True)


def with_prefix(vehicle: Vehicle, prefix: str) -> list[Joint]:
    return [joint for joint in vehicle.joints if joint.name.startswith(prefix)]


def test_no_mass_is_lost(reading: VehicleReading, shared_data: Path) -> None:
    assembly = read_assembly(shared_data / THREE_WHEELER / "assemblies.tbl/MDI_Demo_ThreeWheeler.asy")
    assert reading.vehicle.mass_properties.mass == pytest.approx(assembly.mass, rel=1e-12)
    assert assembly.mass == pytest.approx(1509.46, abs=0.01)


def test_wheels_stand_where_their_hardpoints_are(reading: VehicleReading, shared_data: Path) -> None:
    """Wheel centres as the files have them: x rearward, left at negative y, mm."""
    vehicle = reading.vehicle
    folder = shared_data / THREE_WHEELER / "subsystems.tbl"
    x = []
    for axle, name in ((Axle.FRONT, "TR_Front_Suspension.sub"), (Axle.REAR, "TW_Rear_Suspension.sub")):
        text = (folder / name).read_text("latin-1")
        row = re.search(r"'wheel_center *' +'left/right' +(\S+) +(\S+) +(\S+)", text, re.IGNORECASE)
        assert row is not None
        in_file = [float(value) / 1e3 for value in row.groups()]
        x.append(in_file[0])
        assert vehicle.track(axle) == pytest.approx(-2 * in_file[1])
        assert vehicle.wheel(Corner.of(axle, Side.LEFT)).centre[2] == pytest.approx(in_file[2])
    assert vehicle.wheelbase == pytest.approx(x[1] - x[0])
    assert vehicle.wheel(Corner.FL).centre[0] == pytest.approx(0.0, abs=1e-12)


def test_dangling_references_are_named(reading: VehicleReading, shared_data: Path) -> None:
    with pytest.raises(MissingFileError) as caught:
        read_vehicle(shared_data / THREE_WHEELER / "assemblies.tbl/MDI_Demo_ThreeWheeler.asy")
    assert "2 files are not found" in caught.value.problems[0].text
    assert "the damper 'ride_damper' of 'TW_Rear_Suspension'" in caught.value.problems[1].text
    lost = [p for p in reading.problems if p.severity is Severity.WARNING and "is not found" in p.text]
    assert [(p.place.file.name, p.place.line) for p in lost if p.place.file is not None] == [
        ("TW_Rear_Suspension.sub", 210),
        ("TW_Rear_Suspension.sub", 216),
    ]
    assert not [p for p in reading.problems if p.severity is Severity.ERROR]
    rear = [c for c in reading.vehicle.dampers if c.name.startswith("TW_Rear")]
    assert [damper.characteristic.curve.slope(0.0) for damper in rear] == pytest.approx([1500.0, 1500.0])


def test_sides_and_roles_of_parts_and_of_an_ascii_template(reading: VehicleReading) -> None:
    found = {body.name: (body.side, body.role) for body in reading.vehicle.bodies}
    for side in Side:
        assert found[f"TR_Front_Suspension.drive_shaft_{side}"] == (side, Role.DRIVELINE)
        assert found[f"TW_Rear_Suspension.tripot_{side}"] == (side, Role.DRIVELINE)
        assert found[f"TW_Rear_Suspension.spindle_{side}"] == (side, Role.WHEEL)
        assert found[f"TW_Rear_Suspension.swing_arm_{side}"] == (side, Role.CARRIER)
        assert found[f"TW_Rear_Suspension.upper_strut_{side}"] == (side, Role.LINK)
        assert found[f"TR_Rear_Tires.wheel_{side}"] == (side, Role.WHEEL)
    assert found["TR_Steering.intermediate_shaft"] == (None, Role.STEERING)
    assert found["TR_Body.trim_mass"] == (None, Role.BODY)


def test_ascii_template_gives_the_rear_axle(reading: VehicleReading) -> None:
    vehicle = reading.vehicle
    (note,) = [p for p in reading.problems if "gives 9 bodies, 11 joints" in p.text]
    assert note.severity is Severity.NOTE
    joints = {j.name: j for j in with_prefix(vehicle, "TW_Rear") if not j.name.endswith("_fixed")}
    assert len(joints) == 11
    for side in Side:
        wheel = vehicle.wheel(Corner.of(Axle.REAR, side))
        spin = joints[wheel.joint]
        assert spin.type is JointType.REVOLUTE
        assert set(spin.bodies) == {wheel.body, f"TW_Rear_Suspension.swing_arm_{side}"}
        assert np.cross(spin.axis, wheel.axis) == pytest.approx(0.0, abs=1e-6)
        assert wheel.brake_reaction == f"TW_Rear_Suspension.swing_arm_{side}"
    axle = vehicle.axle(Axle.REAR)
    assert (axle.template, axle.dependent, axle.driven) == ("_Rear_suspension_Three_wheeler", False, True)
    assert any(path.name == "_Rear_suspension_Three_wheeler.tpl" for path in reading.files_read)


@pytest.mark.parametrize("axle", Axle)
def test_an_axle_leaves_travel_and_spin_of_both_wheels(reading: VehicleReading, axle: Axle) -> None:
    vehicle = reading.vehicle.with_mode(Mode.KINEMATIC)
    assert freedoms(vehicle, vehicle.axle(axle).subsystem) == vehicle.axle(axle).freedoms == 4


def freedoms(vehicle: Vehicle, subsystem: str) -> int:
    """Freedoms of a suspension whose mounts stand still."""
    own = {body.name for body in vehicle.bodies if body.name.startswith(f"{subsystem}.")}
    joints = [
        replace(j, bodies=tuple(b if b in own else GROUND for b in j.bodies))
        for j in vehicle.acting(vehicle.joints)
        if j.name.startswith(f"{subsystem}.")  # not the wheels, which others fix to the spindles
    ]
    return mobility(sorted(own), joints).freedoms


def test_templates_that_are_absent_or_binary_are_answered_by_built_in_ones(reading: VehicleReading) -> None:
    matched = {
        match[1]: match[2]
        for p in reading.problems
        if (match := re.match(r"subsystem '(\w+)': template '(\w+)' .* matched by its name", p.text))
    }
    assert matched == {
        "TR_Body": "rigid_chassis",
        "TR_Front_Suspension": "double_wishbone",
        "TR_Steering": "rack_pinion_steering",
        "TR_Front_Tires": "wheels",
        "TR_Rear_Tires": "wheels",
        "TR_Powertrain": "powertrain",
        "TR_Brake_System": "four_wheel_disk_brakes",  # its template is there, but binary
    }


def test_switches_and_angles_of_the_file_are_honoured(reading: VehicleReading) -> None:
    """The subframe in front is fixed; a camber of -0.5 degrees leans the tops inward, so the axes rise outward."""
    vehicle = reading.vehicle
    assert vehicle.mode_of("TR_Front_Suspension.x") is Mode.COMPLIANT
    assert any(j.name == "TR_Front_Suspension.subframe_rigid" for j in vehicle.acting(vehicle.joints))
    left, right = (vehicle.wheel(corner).axis for corner in (Corner.FL, Corner.FR))
    assert left[2] == pytest.approx(math.sin(math.radians(0.5)))
    assert right[2] == pytest.approx(-math.sin(math.radians(0.5)))


def test_hardpoints_are_turned_into_iso_axes(shared_data: Path) -> None:
    subsystem = read_subsystem(shared_data / THREE_WHEELER / "subsystems.tbl/TR_Front_Suspension.sub")
    (point,) = (h for h in subsystem.hardpoints if h.name == "lca_front")
    x, y, z = point.position
    points = hardpoints_in_vehicle_frame(subsystem, 0.25)
    assert points["lca_front_left"] == pytest.approx((0.25 - x, -y, z))
    assert points["lca_front_right"] == pytest.approx((0.25 - x, y, z))
    assert points["lca_front_left"][1] > 0


# ----------------------------------------------------------------------------------------- a bundled database


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A copy of a bundled vehicle that a test may change."""
    return Path(shutil.copytree(BUNDLED["double_wishbone_car"].database, tmp_path / "double_wishbone_car.cdb"))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def read(database: Path, **more: Any) -> VehicleReading:
    return read_vehicle(database / "assemblies.tbl/double_wishbone_car.asy", **more)


def texts(reading: VehicleReading) -> str:
    return "\n".join(map(str, reading.problems))


def test_parameters_that_are_given_count_as_if_the_file_said_so(database: Path) -> None:
    given = read(database, parameters={"REAR_suspension.subframe_active": 1, "rear_suspension.toe_angle": 0.2}).vehicle
    assert sum("subframe" in bushing.name for bushing in given.bushings) == 4
    file = database / "subsystems.tbl/rear_suspension.sub"
    change(file, "'subframe_active'   'single'      'integer'      0", "'subframe_active' 'single' 'integer' 1")
    change(file, "'toe_angle'         'left/right'  'real'       0.1", "'toe_angle' 'left/right' 'real' 0.2")
    assert not differences(given, read(database).vehicle)
    with pytest.raises(UnknownNameError, match=r"unknown parameter 'rear_suspension.toe' \(did you mean 'rear_sus"):
        read(database, parameters={"rear_suspension.toe": 0.2})


@pytest.mark.parametrize(
    ("share", "locked", "says"),
    [
        (0.4, 1.0, ""),
        (0.4, 2.0, "the parameter 'center_differential_locked' is 2, 0 (open) or 1 (locked) is allowed"),
        (0.0, 1.0, "the centre differential is locked, but with a front share of 0 there is none"),
    ],
)
def test_a_locked_centre_differential(database: Path, share: float, locked: float, says: str) -> None:
    file = database / "subsystems.tbl/powertrain.sub"
    row = " 'drive_torque_bias_front'  'single'  'real'          0.0"
    lock = f" 'center_differential_locked'  'single'  'real'  {locked}"
    change(file, row, f"{lock}\n{row.replace('0.0', str(share))}")
    found = read(database)
    train = found.vehicle.powertrain
    if says:
        assert train is None
        assert [problem.place.file for problem in found.problems if says in problem.text] == [file]
    else:
        assert train is not None
        assert train.centre_locked


def test_a_saved_vehicle_has_no_parameters(tmp_path: Path) -> None:
    (tmp_path / "car.json").write_text("{}")
    with pytest.raises(InputError, match=r"a saved vehicle has no parameters that could be changed \(give"):
        open_vehicle(tmp_path / "car.json", parameters={"rear_suspension.subframe_active": 1})


def test_a_template_of_the_users_folder_is_used(database: Path, tmp_path: Path) -> None:
    change(database / "subsystems.tbl/front_suspension.sub", "_double_wishbone.tpl", "_my_axle.tpl")
    text = (BUILT_IN / "double_wishbone.toml").read_text()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/my_axle.toml").write_text(text.replace('"_double_wishbone"', '"_my_axle"'))
    mine = read(database, templates=[tmp_path / "mine"])
    assert mine.vehicle.axle(Axle.FRONT).template == "my_axle"
    assert mine.vehicle.axle(Axle.REAR).template == "double_wishbone"
    assert "template 'my_axle' (Double wishbone, strut on the lower arm) matched by its name" in texts(mine)
    assert "my_axle" not in read(database).vehicle.axle(Axle.FRONT).template


def test_a_binary_template_is_answered_by_a_built_in_one(database: Path) -> None:
    (database / "templates.tbl").mkdir(exist_ok=True)
    rows = ("$--MDI_HEADER", "[MDI_HEADER]", " FILE_TYPE = 'tpl'", " FILE_VERSION = 7.0", " FILE_FORMAT = 'BINARY'")
    header = "\n".join((*rows, " HEADER_SIZE = 6\n"))
    (database / "templates.tbl/_double_wishbone.tpl").write_bytes(header.encode() + bytes(range(256)))
    found = read(database)
    assert found.vehicle.axle(Axle.FRONT).template == "double_wishbone"
    assert "warning: the template '_double_wishbone.tpl' is binary and can be read by Adams only" in texts(found)


def test_a_subsystem_that_no_template_answers(database: Path) -> None:
    path = database / "subsystems.tbl/front_suspension.sub"
    change(path, "_double_wishbone.tpl", "_my_axle.tpl")
    change(path, "'lca_outer'", "'lca_outside'")
    with pytest.raises(InputError) as raised:
        read(database)
    assert "no template answers '_my_axle.tpl' of subsystem 'front_suspension'" in str(raised.value)
    assert "double_wishbone" in raised.value.problems[0].hint


def test_the_kinematic_flag_makes_a_subsystem_kinematic(database: Path) -> None:
    path = database / "subsystems.tbl/rear_suspension.sub"
    path.write_text(re.sub(r"('kinematic_flag' +'single' +'integer' +)[01]", r"\g<1>1", path.read_text()))
    vehicle = read(database).vehicle
    assert vehicle.axle(Axle.REAR).mode is Mode.KINEMATIC
    assert vehicle.axle(Axle.FRONT).mode is Mode.COMPLIANT
    assert mode_of(read_subsystem(path)) is Mode.KINEMATIC
    acting = {bushing.name.partition(".")[0] for bushing in vehicle.acting(vehicle.bushings)}
    assert "front_suspension" in acting
    assert "rear_suspension" not in acting


def test_twin_tyres(database: Path) -> None:
    path = database / "subsystems.tbl/rear_wheels.sub"
    text = path.read_text()
    wheel = text[text.index("[WHEEL_ASSEMBLY]") :]
    inner = re.sub(r"(WHEEL_CENTER_OFFSET +=).*", r"\1 -130.0", wheel).replace("'wheel'", "'inner_wheel'")
    outer = re.sub(r"(WHEEL_CENTER_OFFSET +=).*", r"\1 130.0", wheel)
    before = read(database).vehicle
    path.write_text(text.replace(wheel, outer + inner))
    after = read(database).vehicle
    assert [len(wheel.tyres) for wheel in after.wheels] == [1, 1, 2, 2]
    for corner in (Corner.RL, Corner.RR):
        assert sorted(place.offset for place in after.wheel(corner).tyres) == pytest.approx([-0.13, 0.13])
    assert (after.axle(Axle.FRONT).dual_tyres, after.axle(Axle.REAR).dual_tyres) == (False, True)
    mass = float(re.search(r" MASS +=\s*(\S+)", wheel)[1])  # type: ignore[index]
    assert after.mass_properties.mass - before.mass_properties.mass == pytest.approx(2 * mass)


@pytest.mark.parametrize(("name", "ahead"), [("double_wishbone_car", True), ("integral_link", False)])
def test_turning_the_steering_wheel_left_turns_the_wheels_left(name: str, ahead: bool) -> None:
    """Rack ahead of the axle or behind it: the constraints, with the steering wheel turning at 1 rad/s, say so."""
    vehicle = read_vehicle(BUNDLED[name].assembly).vehicle.with_mode(Mode.KINEMATIC)
    assert vehicle.steering is not None
    fixed = Joint("rig", JointType.FIXED, (vehicle.chassis, GROUND), (0.0, 0.0, 0.0))
    names = [body.name for body in vehicle.bodies]
    found = mobility(names, [*vehicle.acting(vehicle.joints), fixed], vehicle.beams, vehicle.gears)
    index = {body: 6 * i for i, body in enumerate(found.bodies)}
    (steering,) = (j for j in vehicle.joints if j.name == vehicle.steering.wheel_joint)
    subsystem = vehicle.steering.wheel_joint.partition(".")[0]

    def rate(body: str) -> np.ndarray:
        return found.motions[:, index[body] + 3 : index[body] + 6]

    def velocity(body: str, point: tuple[float, ...]) -> np.ndarray:
        start = index[body]
        return found.motions[:, start : start + 3] + np.cross(rate(body), point)

    rows, wanted = [(rate(steering.bodies[0]) - rate(steering.bodies[1])) @ steering.axis], [1.0]
    rows += list(
        (rate(f"{subsystem}.steering_shaft") - rate(f"{subsystem}.pinion")).T
    )  # the torsion bar does not twist
    for wheel in vehicle.wheels:
        rows += [velocity(wheel.body, wheel.centre)[:, 2], rate(wheel.body) @ wheel.axis]  # neither travel nor spin
    wanted += [0.0] * (len(rows) - 1)
    motion, *_ = np.linalg.lstsq(np.array(rows), np.array(wanted), rcond=None)
    assert np.array(rows) @ motion == pytest.approx(np.array(wanted), abs=1e-6)
    (rack,) = (j for j in vehicle.joints if j.name == vehicle.steering.rack_joint)
    travel = motion @ (velocity(rack.bodies[0], rack.position) - velocity(rack.bodies[1], rack.position)) @ rack.axis
    assert rack.axis[1] > 0.9  # to the left
    for corner in (Corner.FL, Corner.FR):
        turned = float(motion @ rate(vehicle.wheel(corner).brake_reaction)[:, 2])
        assert 1 / 25 < turned < 1 / 8, corner
    assert bool(travel > 0) is ahead
    assert (vehicle.steering.ratio > 0) is ahead
    assert abs(travel) == pytest.approx(abs(vehicle.steering.ratio), rel=0.2)  # universal joints are not uniform


# --------------------------------------------------------------------------------------- places and elements

BENT = Characteristic(np.array([-0.1, 0.0, 0.05, 0.2]), np.array([-2e3, 0.0, 1.5e3, 9e3]), LENGTH, FORCE)
COIL = SpringCharacteristic(BENT, 0.4)
OIL = DamperCharacteristic(Characteristic.linear(1500.0, 1.0, SPEED, FORCE))
BUFFER = StopCharacteristic(Characteristic(np.array([0.0, 0.05]), np.array([0.0, 8e3]), LENGTH, FORCE))
NO_SIDE = (0.0, 0.0, 0.0)
ONES = (1.0, 1.0, 1.0)


def reference(name: str) -> FileReference:
    return FileReference(f"<db>/{name}")


def spring(name: str = "ride_spring", **changes: Any) -> records.Spring:
    given = {"definition": "", "property_file": reference("spring"), "value_type": "installed_length", "value": 0.3}
    return records.Spring(name=name, symmetry=Symmetry.BOTH, place=Place(Path("axle.sub"), 7), **{**given, **changes})


def stop(distance_type: str, distance: float, *, rebound: bool) -> records.Stop:
    return records.Stop(
        name="rebound_stop" if rebound else "jounce_stop",
        symmetry=Symmetry.BOTH,
        definition="",
        property_file=reference("stop"),
        rebound=rebound,
        distance_type=distance_type,
        distance=distance,
    )


def bushing(symmetry: Symmetry = Symmetry.BOTH, **changes: Any) -> records.Bushing:
    zeros = ("force_preload", "torque_preload", "displacement_offset", "rotation_offset")
    ones = ("force_scale", "torque_scale", "force_damping_scale", "torque_damping_scale")
    given = {
        **{
            "name": "mount",
            "symmetry": symmetry,
            "definition": "",
            "property_file": reference("bushing"),
            "axes": None,
        },
        **dict.fromkeys(zeros, NO_SIDE),
        **dict.fromkeys(ones, ONES),
    }
    return records.Bushing(**{**given, **changes})


def lines(kind: LineType, element: str) -> tuple[Line, ...]:
    return tuple(
        Line(
            f"{element}_{s}",
            kind,
            element,
            s,
            (f"arm_{s}", "body"),
            ((0.0, s.sign * 0.5, 0.2), (0.0, s.sign * 0.5, 0.7)),
        )
        for s in Side
    )


def fill(
    characteristics: dict[str, AnyCharacteristic], *, inactive: frozenset[str] = frozenset(), **given: Any
) -> Filled:
    """Places and elements of one axle: fields of `Instance` and of `Subsystem`."""
    places = {name: given.pop(name) for name in ("lines",) if name in given}
    if "bushing_places" in given:
        places["bushings"] = given.pop("bushing_places")
    subsystem = Subsystem(
        name="axle",
        file=Path("axle.sub"),
        template=None,
        major_role="suspension",
        minor_role="front",
        units=UnitSystem(),
        **given,
    )
    bodies = {f"arm_{side}": Member("arm", side, Role.LINK) for side in Side}
    instance = Instance(bodies, (), inactive=inactive, **places)
    paths = {reference(name): Path(name) for name in characteristics}
    files = {Path(name): value for name, value in characteristics.items()}
    return fill_places(Mechanism(subsystem, "my_template", instance), Characteristics(files, (), paths), ())


@given(length=st.floats(0.21, 0.499))
def test_a_spring_by_its_preload_is_the_spring_by_its_installed_length(length: float) -> None:
    force = float(np.interp(0.4 - length, BENT.x, BENT.y))
    at = lines(LineType.SPRING, "ride_spring")
    first = fill({"spring": COIL}, lines=at, springs=(spring(value=length),))
    second = fill({"spring": COIL}, lines=at, springs=(spring(value_type="preload", value=force),))
    assert not first.problems
    assert [s.name for s in first.springs] == ["ride_spring_left", "ride_spring_right"]
    for one, other in zip(first.springs, second.springs, strict=True):
        assert one.installed_length == length
        assert other.installed_length == pytest.approx(length, abs=1e-12)
        assert np.interp(other.design_compression, BENT.x, BENT.y) == pytest.approx(force, abs=1e-6)


def test_a_spring_without_setting_is_as_long_as_it_is_drawn() -> None:
    made = fill({"spring": COIL}, lines=lines(LineType.SPRING, "ride_spring"), springs=(spring(value_type="x"),))
    assert [s.installed_length for s in made.springs] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("curve", "preload", "says"),
    [
        (BENT, 9001.0, "the preload 9001 N lies outside the curve, -2000 to 9000 N"),
        (Characteristic(np.array([0.0, 0.1, 0.2]), np.array([0.0, 5.0, 5.0]), LENGTH, FORCE), 5.0, "grows with its"),
    ],
)
def test_a_preload_that_a_spring_cannot_have(curve: Characteristic, preload: float, says: str) -> None:
    at = lines(LineType.SPRING, "ride_spring")
    made = fill(
        {"spring": SpringCharacteristic(curve, 0.4)}, lines=at, springs=(spring(value_type="preload", value=preload),)
    )
    assert not made.springs
    assert all(says in p.text and p.place == Place(Path("axle.sub"), 7) for p in made.problems)
    assert made.problems


@pytest.mark.parametrize("rebound", [False, True])
def test_a_stop_by_its_impact_length_is_the_stop_by_its_clearance(rebound: bool) -> None:
    """Drawn 0.5 m long: it touches 30 mm shorter, or for rebound 30 mm longer."""
    kind, name = (LineType.REBOUND_STOP, "rebound_stop") if rebound else (LineType.BUMP_STOP, "jounce_stop")
    at = lines(kind, name)
    for given_as, distance in (("clearance", 0.03), ("impact_length", 0.53 if rebound else 0.47)):
        made = fill({"stop": BUFFER}, lines=at, stops=(stop(given_as, distance, rebound=rebound),))
        assert [s.clearance for s in made.stops] == pytest.approx([0.03, 0.03])
        assert [s.rebound for s in made.stops] == [rebound, rebound]


def test_a_spring_of_another_name_is_taken() -> None:
    at = lines(LineType.SPRING, "ride_spring")
    made = fill({"spring": COIL}, lines=at, springs=(spring("Coil"),))
    assert [s.name for s in made.springs] == ["ride_spring_left", "ride_spring_right"]
    (note,) = made.problems
    assert "spring 'coil' is taken for 'ride_spring' of the template" in note.text
    assert note.severity is Severity.NOTE


def test_of_two_springs_of_other_names_none_is_taken() -> None:
    made = fill({"spring": COIL}, lines=lines(LineType.SPRING, "ride_spring"), springs=(spring("a"), spring("b")))
    assert not made.springs
    assert [(p.severity, p.text.removeprefix("axle: ")) for p in made.problems] == [
        (Severity.WARNING, "there is no spring 'ride_spring'; it is left out of the mechanism"),
        (Severity.WARNING, "spring 'a' has no place in the template 'my_template' and is not used"),
        (Severity.WARNING, "spring 'b' has no place in the template 'my_template' and is not used"),
    ]


def test_an_element_without_place_is_noted_unless_a_switch_left_it_out() -> None:
    unused = {"bushing": rubber(), "bushings": (replace(bushing(), place=Place(Path("axle.sub"), 7)),)}
    (note,) = fill({"bushing": unused["bushing"]}, bushings=unused["bushings"]).problems
    assert "bushing 'mount' has no place in the template" in note.text
    assert note.place == Place(Path("axle.sub"), 7)
    assert not fill({"bushing": unused["bushing"]}, bushings=unused["bushings"], inactive=frozenset({"mount"})).problems


def test_an_element_of_one_side_fills_one_place() -> None:
    at = lines(LineType.SPRING, "ride_spring")
    left = replace(spring(), symmetry=Symmetry.LEFT)
    made = fill({"spring": COIL}, lines=at, springs=(left,))
    assert [s.name for s in made.springs] == ["ride_spring_left"]
    (warning,) = made.problems
    assert "there is no spring 'ride_spring' on the right side" in warning.text
    both = (left, replace(spring(value=0.31), symmetry=Symmetry.RIGHT))
    assert [s.installed_length for s in fill({"spring": COIL}, lines=at, springs=both).springs] == [0.3, 0.31]


def test_a_property_file_that_was_not_read_is_named_once() -> None:
    damper = records.Damper(
        name="ride_damper",
        symmetry=Symmetry.BOTH,
        definition="",
        property_file=reference("damper"),
        place=Place(line=3),
    )
    at = lines(LineType.DAMPER, "ride_damper")
    for characteristics in ({}, {"damper": COIL}):  # missing, or of another kind
        made = fill(characteristics, lines=at, dampers=(damper,))
        assert not made.dampers
        (problem,) = made.problems
        assert "'ride_damper' is left out of the mechanism: its property file was not read" in problem.text
        assert problem.place.line == 3
    assert len(fill({"damper": OIL}, lines=at, dampers=(damper,)).dampers) == 2


# ---------------------------------------------------------------------------------------------------- bushings


def rubber() -> BushingCharacteristic:
    """Each direction differs from the others, and pushing from pulling."""

    def curve(n: int) -> Characteristic:
        kinds = (LENGTH, FORCE) if n < 3 else (ANGLE, TORQUE)
        return Characteristic(np.array([-0.2, 0.0, 0.3]), (n + 1.0) * np.array([-70.0, 2.0, 400.0]), *kinds)

    return BushingCharacteristic(tuple(curve(n) for n in range(6)), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))


def answer(one: Bushing, displacement: np.ndarray, rotation: np.ndarray, *, rates: bool = False) -> np.ndarray:
    """Force and torque on the first body in V, by what the class says of itself."""
    axes = np.array(one.axes)
    d = np.concatenate((axes.T @ displacement, axes.T @ rotation))
    if rates:
        load = np.array(one.characteristic.damping) * d
    else:
        inside = d + one.offset
        load = [np.interp(x, c.x, c.y) for x, c in zip(inside, one.characteristic.curves, strict=True)] + np.array(
            one.preload
        )
    return -np.concatenate((axes @ load[:3], axes @ load[3:]))


SKEW = bushing(
    axes=Axes(z=(0.3, -0.5, 0.8), x=(1.0, 0.2, -0.1)),
    force_preload=(100.0, -50.0, 30.0),
    torque_preload=(3.0, -2.0, 1.0),
    displacement_offset=(0.001, -0.002, 0.003),
    rotation_offset=(0.01, 0.02, -0.03),
    force_scale=(1.0, 2.0, 0.5),
    torque_scale=(3.0, 1.0, 0.7),
    torque_damping_scale=(2.0, 1.0, 1.0),
)
PLACES = tuple(BushingPlace(f"mount_{s}", "mount", s, (f"arm_{s}", "body"), (0.1, s.sign * 0.4, 0.2)) for s in Side)
small = st.tuples(*(st.floats(-0.05, 0.05) for _ in range(3))).map(np.array)


@given(displacement=small, rotation=small)
def test_the_right_bushing_is_the_mirror_image_of_the_left(displacement: np.ndarray, rotation: np.ndarray) -> None:
    """Mirrored motion gives the mirrored load; angles and torques change sign where forces do not."""
    left, right = fill({"bushing": rubber()}, bushing_places=PLACES, bushings=(SKEW,)).bushings
    polar, axial = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    for rates in (False, True):
        expected = answer(left, displacement, rotation, rates=rates) * np.concatenate((polar, axial))
        found = answer(right, displacement * polar, rotation * axial, rates=rates)
        assert found == pytest.approx(expected, abs=1e-9)


def test_the_left_bushing_is_as_the_file_says() -> None:
    """Axes turned by half about z, scales applied to forces, preloads and offsets as written."""
    left, _ = fill({"bushing": rubber()}, bushing_places=PLACES, bushings=(SKEW,)).bushings
    z = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
    assert np.array(left.axes)[:, 2] == pytest.approx(z * [-1, -1, 1])
    assert left.preload == (100.0, -50.0, 30.0, 3.0, -2.0, 1.0)
    assert left.offset == (0.001, -0.002, 0.003, 0.01, 0.02, -0.03)
    assert [c.y[2] for c in left.characteristic.curves] == [400.0, 1600.0, 600.0, 4800.0, 2000.0, 1680.0]
    assert left.characteristic.damping == (1.0, 2.0, 3.0, 8.0, 5.0, 6.0)


def test_a_bushing_that_is_given_for_the_right_is_not_mirrored() -> None:
    single = replace(SKEW, symmetry=Symmetry.RIGHT)
    made = fill({"bushing": rubber()}, bushing_places=PLACES, bushings=(single,))
    (right,) = made.bushings
    left, _ = fill({"bushing": rubber()}, bushing_places=PLACES, bushings=(SKEW,)).bushings
    assert (right.name, right.axes, right.preload) == ("mount_right", left.axes, left.preload)
    assert right.characteristic == left.characteristic


# ------------------------------------------------------------------------------------------ values and systems

HEAD = """[MDI_HEADER]
 FILE_TYPE = 'sub'
 FILE_VERSION = 7.0
 FILE_FORMAT = 'ASCII'
[SUBSYSTEM_HEADER]
 TEMPLATE_NAME = '<db>/templates.tbl/_any.tpl'
 MAJOR_ROLE = '{role}'
 MINOR_ROLE = 'any'
[UNITS]
 LENGTH = 'mm'
 FORCE = 'newton'
 ANGLE = 'deg'
 MASS = 'kg'
 TIME = 'sec'
[PARAMETER]
{{parameter_name symmetry type value}}
"""


@pytest.fixture
def with_parameters(tmp_path: Path) -> Callable[..., Subsystem]:
    def make(role: str, *rows: str) -> Subsystem:
        path = tmp_path / "some.sub"
        path.write_text(HEAD.format(role=role) + "".join(f" {row}\n" for row in rows))
        return read_subsystem(path)

    return make


VALUES = """title = "values"
role = "powertrain"
[values]
speed = { parameter = "idle_rpm", kind = "angular_velocity", factor = 0.10471975511965977 }
ratio = { parameter = "gear_#_ratio", kind = "number" }
length = { parameter = "a_length", kind = "length", default = 0.25 }
rate = { parameter = "bar_rate", kind = "torque" }
"""
ROWS = ("'idle_rpm' 'single' 'real' 900.0", "'gear_2_ratio' 'single' 'real' 2.1", "'gear_10_ratio' 'single' 'real' 0.7")


def test_values_with_factors_numbers_sides_and_defaults(
    with_parameters: Callable[..., Subsystem], tmp_path: Path
) -> None:
    (tmp_path / "values.toml").write_text(VALUES)
    template = load_template(tmp_path / "values.toml")
    subsystem = with_parameters("powertrain", *ROWS, "'bar_rate' 'left/right' 'real' 5000.0")
    found = values_of(subsystem, template)
    assert found["speed"] == pytest.approx(900 * 2 * math.pi / 60)  # the factor replaces the units of the file
    assert (found["ratio_2"], found["ratio_10"]) == (2.1, 0.7)
    assert found["length"] == 0.25
    assert (found["rate_left"], found["rate_right"]) == pytest.approx((5.0, 5.0))  # N·mm
    longer = with_parameters("powertrain", *ROWS, "'bar_rate' 'single' 'real' 1.0", "'A_LENGTH' 'single' 'real' 120.0")
    assert values_of(longer, template)["length"] == pytest.approx(0.12)


def test_values_that_are_missing_or_impossible_are_all_named(
    with_parameters: Callable[..., Subsystem], tmp_path: Path
) -> None:
    (tmp_path / "values.toml").write_text(VALUES)
    template = load_template(tmp_path / "values.toml")
    subsystem = with_parameters(
        "powertrain", "'idle_rpm' 'single' 'real' 1e15", "'gear_1_ratio' 'single' 'string' 'tall'"
    )
    with pytest.raises(InputError) as raised:
        values_of(subsystem, template)
    first, second, third = (p.text for p in raised.value.problems)
    assert first.startswith("'idle_rpm' = 1e+15 is ")
    assert second.startswith("the parameter 'gear_1_ratio' must be one number")
    assert third == "the parameter 'bar_rate' is missing; template 'values' needs it"
    assert [p.place.line for p in raised.value.problems] == [17, 18, None]


def test_brakes(with_parameters: Callable[..., Subsystem]) -> None:
    """Two pads of 2500 mm² at 10 MPa with 60 % in front, friction 0.4 and 135 mm: 1620 N·m at a front wheel."""
    subsystem = with_parameters(
        "brake_system",
        "'front_brake_bias' 'single' 'real' 0.6",
        "'max_brake_value' 'single' 'real' 100.0",
        "'front_piston_area' 'single' 'real' 2500.0",
        "'front_brake_mu' 'single' 'real' 0.4",
        "'front_effective_piston_radius' 'single' 'real' 135.0",
        "'rear_piston_area' 'single' 'real' 2000.0",
        "'rear_brake_mu' 'single' 'real' 0.35",
        "'rear_effective_piston_radius' 'single' 'real' 120.0",
        "'parking_brake_torque' 'single' 'real' 800000.0",
    )
    brakes = brakes_of(build_mechanism(subsystem, load_templates()["four_wheel_disk_brakes"], 0.0))
    assert brakes.largest_pressure == pytest.approx(10e6)
    assert brakes.front_torque * brakes.largest_pressure == pytest.approx(1620.0)
    assert brakes.rear_torque * brakes.largest_pressure == pytest.approx(2 * 2e-3 * 0.4 * 10e6 * 0.35 * 0.12)
    assert brakes.parking_torque == pytest.approx(800.0)


def test_a_file_of_a_subsystem_may_have_dots_in_its_name(database: Path) -> None:
    assembly = database / "assemblies.tbl" / "double_wishbone_car.asy"
    assembly.write_text(assembly.read_text().replace("steering.sub", "steering.v2.sub"))
    (database / "subsystems.tbl" / "steering.sub").rename(database / "subsystems.tbl" / "steering.v2.sub")
    names = [body.name for body in read_vehicle(assembly).vehicle.bodies]
    assert any(name.startswith("steering_v2.") for name in names)
    assert not any(name.startswith("steering.") for name in names)


# ------------------------------------------------------------------------------------------------- the command


def inspect(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", "inspect", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_inspect_shows_what_was_read(reading: VehicleReading, shared_data: Path) -> None:
    assembly = shared_data / THREE_WHEELER / "assemblies.tbl/MDI_Demo_ThreeWheeler.asy"
    assert inspect(assembly).returncode == 2
    result = inspect(assembly, "--stand-in", "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["mass_kg"] == pytest.approx(reading.vehicle.mass_properties.mass)
    assert data["wheelbase_m"] == pytest.approx(reading.vehicle.wheelbase)
    assert {problem["text"] for problem in data["problems"]} >= {problem.text for problem in reading.problems}


def test_inspect_mistakes(tmp_path: Path) -> None:
    for arguments in ((tmp_path / "no.asy",), (BUNDLED["cla_class"].assembly, "--alias", "nonsense")):
        result = inspect(*arguments)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr

"""Adams/Car templates: a real one, and small ones written here for what it does not have."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.adams.template import Direction, Template
from trackrod.adams.template_file import evaluate, is_binary, read_template
from trackrod.core.corners import Side
from trackrod.core.errors import FileFormatError, InputError, MissingFileError, Severity, TrackrodError

Array = NDArray[np.float64]
FOLDER = Path("adams/BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb/templates.tbl")


@pytest.fixture(scope="module")
def real_path(shared_data: Path) -> Path:
    path = shared_data / FOLDER / "_Rear_suspension_Three_wheeler.tpl"
    if not path.is_file():
        pytest.skip(f"the template {path.name} is not among the third-party data")
    return path


@pytest.fixture(scope="module")
def real(real_path: Path) -> Template:
    return read_template(real_path)


# ---------------------------------------------------------------------------------------- the real template


def test_header(real: Template) -> None:
    assert (real.name, real.version) == ("_Rear_suspension_Three_wheeler", 2016.0)
    assert (real.major_role, real.minor_role) == ("suspension", "unassigned")
    assert real.units.length == 1e-3


def test_counts(real: Template) -> None:
    """Counted in the file with a text editor; without the stand-ins ``_cv_*`` of Adams/Car."""
    assert len(real.parts) == 19 - 1
    assert sum(part.mount for part in real.parts) == 5
    assert len(real.hardpoints) == 11
    assert len(real.markers) == 133 - 2
    assert len(real.joints) == 23 - 1  # and the only primitive joint is a stand-in
    assert len(real.frames) == 29
    assert [element.kind for element in real.elements] == ["damper"] * 2 + ["spring"] * 2 + ["bumpstop"] * 2
    assert len(real.parameters) == 7
    assert len(real.communicators) == 20


def test_what_each_joint_joins(real: Template) -> None:
    left = {j.name: (j.kind, j.i_part, j.j_part) for j in real.joints if not j.mount and j.side is not Side.RIGHT}
    assert left == {
        "swing_arm_pivot": ("revolute", "gel_Swing_Arm", "ges_subframe"),
        "spindle_swing_arm": ("revolute", "gel_Spindle", "gel_Swing_Arm"),
        "lower_kinematic": ("hooke", "gel_lower_strut", "gel_Swing_Arm"),
        "upper_kinematic": ("hooke", "gel_upper_strut", "mtl_Upper_Strut_To_Body"),
        "lower_upper_strut": ("cylindrical", "gel_lower_strut", "gel_upper_strut"),
        "subframe_to_body": ("fixed", "ges_subframe", "mts_subframe_to_body"),
        "Driveshaft_Outer": ("hooke", "gel_Spindle", "gel_driveshaft"),
        "driveshaft_Inner": ("convel", "gel_driveshaft", "gel_tripot"),
        "tripot_to_differential": ("translational", "gel_tripot", "mtl_tripot_to_differential"),
    }
    mounts = [j for j in real.joints if j.mount]
    assert len(mounts) == 5
    assert all(j.kind == "fixed" and j.j_part == "ground" for j in mounts)


def test_markers_of_a_joint_meet_and_left_mirrors_right(real: Template) -> None:
    for joint in real.joints:
        np.testing.assert_allclose(joint.i_frame.location, joint.j_frame.location, atol=1e-12)
    joints = {(j.name, j.side): j for j in real.joints}
    for name in ("swing_arm_pivot", "spindle_swing_arm", "lower_kinematic", "lower_upper_strut"):
        left, right = joints[name, Side.LEFT], joints[name, Side.RIGHT]
        np.testing.assert_allclose(left.location * [1, -1, 1], right.location, atol=1e-12)
    pivot = joints["swing_arm_pivot", Side.LEFT]
    np.testing.assert_allclose(pivot.location, [1.53, -0.4505, 0.2385])
    np.testing.assert_allclose(pivot.axis, [0, 1, 0], atol=1e-12)


def plain_numbers(path: Path) -> dict[str, tuple[Array, Array]]:
    """Global location [mm] and rotation of all parts and markers from the plain numbers, read without the reader."""
    number = r"(-?[\d.]+(?:E[-+]\d+)?)d?"
    triple = rf"{number}, {number}, {number}"
    pattern = re.compile(
        r"(?:part create rigid_body name_and_position|marker create)  &\s+(?:part|marker)_name = \.\w+?_wheeler\.(\S+)"
        r'(?:  &\s+comments = "[^"]*")?' + rf"  &\s+location = {triple}  &\s+orientation = {triple}"
    )
    local = {}
    for match in pattern.finditer(path.read_text()):
        values = np.array([float(group) for group in match.groups()[1:]])
        local[match[1]] = values[:3], Rotation.from_euler("ZXZ", values[3:], degrees=True).as_matrix()
    found = {}
    for name, (location, rotation) in local.items():
        part = name.rpartition(".")[0]
        origin, axes = local[part] if part in local else (np.zeros(3), np.eye(3))
        found[name] = origin + axes @ location, axes @ rotation
    return found


def test_expressions_give_the_plain_numbers(real: Template, real_path: Path) -> None:
    """Adams wrote each number twice: as it had evaluated it, and as an expression."""
    plain = plain_numbers(real_path)
    frames = {item.id: item.frame for item in (*real.parts, *real.markers)}
    compared = plain.keys() & frames.keys()
    assert len(compared) == 18 + 131
    for name in compared:
        location, rotation = plain[name]
        np.testing.assert_allclose(frames[name].location * 1e3, location, rtol=0, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(frames[name].rotation, rotation, rtol=0, atol=1e-11, err_msg=name)
    kept = [problem for problem in real.problems if "keeps the number" in problem.text]
    assert len(kept) == 8  # ORI_IN_PLANE of coinciding points, which Adams could not evaluate either
    assert all("orientation" in p.text and "coincide" in p.text and p.place.line for p in kept)


def test_parts(real: Template) -> None:
    arm = real.part("gel_swing_arm")
    assert (arm.name, arm.side, arm.mass, arm.sprung_percentage) == ("Swing_Arm", Side.LEFT, 10.6066509689, 100.0)
    assert real.part("gel_Spindle").sprung_percentage == 0.0
    shaft = real.part("gel_driveshaft")
    np.testing.assert_allclose(shaft.moments, [680.1696364464e-6, 680.1696364464e-6, 17.3524755067e-6])
    np.testing.assert_allclose(shaft.cm, [1.9, -0.27025, 0.2735], atol=1e-12)
    assert sum(part.mass for part in real.parts) == pytest.approx(44.5906994542)


def test_mounts_name_their_communicator(real: Template) -> None:
    mounts = {part.id: part.communicator for part in real.parts if part.mount}
    assert mounts["mtl_Upper_Strut_To_Body"] == "cil_Upper_Strut_To_Body"
    assert mounts["mts_subframe_to_body"] == "cis_subframe_to_body"
    inputs = {c.id: c for c in real.communicators if c.direction is Direction.INPUT}
    assert set(mounts.values()) <= set(inputs)
    strut = inputs["cil_Upper_Strut_To_Body"]
    assert (strut.matching_names, strut.entity, strut.minor_role) == (("strut_to_body",), "mount", "any")
    outputs = {c.id: c for c in real.communicators if c.direction is Direction.OUTPUT}
    assert outputs["col_suspension_mount"].objects == ("gel_Spindle",)
    np.testing.assert_allclose(outputs["col_wheel_center"].value, [1.9, -0.5385, 0.247])


def test_elements(real: Template) -> None:
    spring = next(element for element in real.elements if element.id == "nsl_ride_spring")
    assert (spring.name, spring.side) == ("ride_spring", Side.LEFT)
    assert (spring.i_part, spring.j_part) == ("mtl_Upper_Strut_To_Body", "gel_lower_strut")
    assert spring.settings["user_value"] == pytest.approx(0.22)
    assert spring.property_file.endswith("/mdi_0001.spr")
    seat = np.array([2.006, -0.42, 0.304]) + 0.030 * np.array([-44, 0, 277]) / np.hypot(44, 277)
    np.testing.assert_allclose(spring.j_frame.location, seat, atol=1e-12)
    np.testing.assert_allclose(spring.i_frame.location, [1.962, -0.42, 0.581], atol=1e-12)


def test_nothing_is_dropped_silently(real: Template) -> None:
    notes = "\n".join(problem.text for problem in real.problems if problem.severity is Severity.NOTE)
    assert "force create element_like field (1)" in notes
    assert "202 commands" in notes
    assert "_cv_part" in notes
    assert len(real.uninterpreted) == 202 + 14
    assert not [problem for problem in real.problems if problem.severity is Severity.ERROR]


def test_moved_hardpoints_move_what_depends_on_them(real: Template) -> None:
    same = evaluate(real, {point.id: point.position for point in real.hardpoints})
    for old, new in zip(real.markers, same.markers, strict=True):
        np.testing.assert_allclose(new.frame.location, old.frame.location, atol=1e-12)
        np.testing.assert_allclose(new.frame.rotation, old.frame.rotation, atol=1e-12)
    lower, upper = np.array([2.01, -0.41, 0.31]), np.array([1.95, -0.38, 0.6])
    moved = evaluate(real, {"hpl_lower_shock": lower, "HPL_Upper_Shock": upper})
    axis = (upper - lower) / np.linalg.norm(upper - lower)
    strut = moved.part("gel_lower_strut")
    np.testing.assert_allclose(strut.frame.location, lower + 0.33 * (upper - lower), atol=1e-12)
    np.testing.assert_allclose(strut.frame.z, axis, atol=1e-12)
    joints = {joint.id: joint for joint in moved.joints}
    np.testing.assert_allclose(joints["jolhoo_lower_kinematic"].location, lower, atol=1e-12)
    np.testing.assert_allclose(joints["jolhoo_lower_kinematic"].axis, axis, atol=1e-9)
    np.testing.assert_allclose(joints["jolcyl_lower_upper_strut"].axis, -axis, atol=1e-12)
    np.testing.assert_allclose(joints["jorhoo_lower_kinematic"].location, [2.006, 0.42, 0.304], atol=1e-12)
    np.testing.assert_allclose(real.part("gel_lower_strut").frame.location, [1.99148, -0.42, 0.39541], atol=1e-12)


def test_parts_lie_where_the_subsystem_says(real: Template, real_path: Path) -> None:
    """A subsystem of this template, 0.9 m further back, tells in comments where Adams had its parts."""
    path = real_path.parents[1] / "subsystems.tbl" / "TW_Rear_Suspension.sub"
    if not path.is_file():
        pytest.skip(f"the subsystem {path.name} is not among the third-party data")
    text = path.read_text()
    hardpoints = {}
    for name, symmetry, *xyz in re.findall(r"'(\w+) *'  '(single|left/right) *'  +(\S+) +(\S+) +(\S+)\s", text):
        position = np.array(xyz, dtype=float) / 1e3
        if symmetry == "single":
            hardpoints[f"hps_{name}"] = position
        else:
            hardpoints[f"hpl_{name}"], hardpoints[f"hpr_{name}"] = position, position * [1, -1, 1]
    moved = evaluate(real, hardpoints)
    assert len(hardpoints) == len(moved.hardpoints) == 11
    compared = 0
    for block in text.split("[PART_ASSEMBLY]")[1:]:
        found = dict(re.findall(r"(USAGE|X,Y,Z location|ZP vector|XP vector) +=  ?(.+)", block.split("\n[")[0]))
        if "ZP vector" not in found:
            continue
        frame = moved.part(f"gel_{found['USAGE'].strip(chr(39))}").frame
        told = {key: np.array(found[key].split(","), dtype=float) for key in found if key != "USAGE"}
        np.testing.assert_allclose(frame.location * 1e3, told["X,Y,Z location"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(frame.z, told["ZP vector"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(frame.rotation[:, 0], told["XP vector"], rtol=0, atol=1e-9)
        compared += 1
    assert compared == 6


def test_toe_and_camber_turn_the_spindle(real: Template) -> None:
    toe, camber = 0.02, -0.03
    turned = evaluate(real, {}, {"pvl_Toe_Angle": toe, "pvl_camber_angle": camber})
    axis = turned.part("gel_Spindle").frame.z
    expected = Rotation.from_euler("ZXZ", [np.pi - toe, -np.pi / 2 - camber, np.pi]).as_matrix()[:, 2]
    np.testing.assert_allclose(axis, expected, atol=1e-12)
    np.testing.assert_allclose(turned.part("ger_Spindle").frame.z, [0, 1, 0], atol=1e-12)


def test_groups_follow_the_kinematic_flag(real: Template) -> None:
    def active(template: Template) -> list[bool]:
        return [group.active for group in template.groups]

    assert active(real) == [True, True]
    assert active(evaluate(real, {}, {"phs_kinematic_flag": 0})) == [False, True]
    assert active(evaluate(real, {}, {"phs_kinematic_flag": 1})) == [True, False]
    assert active(evaluate(real, {}, {"phs_kinematic_flag": 1}, as_subsystem=False)) == [True, True]


def test_wrong_hardpoints_are_named(real: Template) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(real, {"hpl_lower_shok": [0, 0, 0], "hpl_upper_shock": [0, 0]}, {"pvl_tow": 1.0})
    texts = [str(problem) for problem in caught.value.problems]
    assert len(texts) == 3
    assert "hpl_lower_shock" in texts[0]
    assert "three finite numbers" in texts[1]


def test_binary_template(real_path: Path) -> None:
    binary = real_path.with_name("_brake_system_4Wdisk.tpl")
    assert is_binary(binary)
    assert not is_binary(real_path)
    with pytest.raises(FileFormatError, match=r"binary.*ASCII"):
        read_template(binary)


# -------------------------------------------------------------------------------------------- written here

HEADER = """\
$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'tpl'
 FILE_VERSION  =  2020.0
 FILE_FORMAT   =  'ASCII'
 HEADER_SIZE   =  6
$----------------------------------------------------------------TEMPLATE_HEADER
[TEMPLATE_HEADER]
 TEMPLATE_NAME  =  '_arm'
 MAJOR_ROLE     =  'suspension'
 HEADER_SIZE    =  5
"""
BODY = """\
defaults units  length = meter  angle = rad  force = newton  mass = kg  time = sec
defaults units  coordinate_system_type = cartesian  orientation_type = body313
model create  model_name = _arm
defaults coordinate_system  default_coordinate_system = ._arm.ground
point create  point_name = ._arm.ground.hpl_front  location = 0, -0.4, 0.2
point create  point_name = ._arm.ground.hpl_rear  location = 0.3, -0.4, 0.2
point create  point_name = ._arm.ground.hps_tip  location = 0.15, -0.7, 0.2
part create rigid_body name_and_position  part_name = ._arm.gel_arm  location = 0, -0.4, 0.2  orientation = 0, 0, 0
part create rigid_body name_and_position  part_name = ._arm.mtl_arm_to_body  location = 0, 0, 0  orientation = 0, 0, 0
defaults coordinate_system  default_coordinate_system = ._arm.gel_arm
marker create  marker_name = ._arm.gel_arm.cm  location = 0.1, -0.1, 0  orientation = 0, 0, 0
marker create  marker_name = ._arm.gel_arm.jxl_i  location = 0, 0, 0  orientation = 0, 0, 0
marker create  marker_name = ._arm.mtl_arm_to_body.jxl_j  location = 0, 0, 0  orientation = 0, 0, 0  &
   relative_to = ._arm.gel_arm
part create rigid_body mass_properties  part_name = ._arm.gel_arm  mass = 2000gram  &
   center_of_mass_marker = ._arm.gel_arm.cm  ixx = 0.1  iyy = (0.1 * 2)  izz = 0.3  ixy = 0.01  izx = 0.02  iyz = 0.03
constraint create joint revolute  joint_name = ._arm.jklrev_front  i_marker_name = ._arm.gel_arm.jxl_i  &
   j_marker_name = ._arm.mtl_arm_to_body.jxl_j
constraint create primitive_joint inplane  jprim_name = ._arm.jolinp_tip  i_marker_name = ._arm.gel_arm.jxl_i  &
   j_marker_name = ._arm.mtl_arm_to_body.jxl_j
ude create instance  instance_name = ._arm.bkl_front  definition_name = .ACAR.attachments.ac_bushing
variable modify  variable_name = ._arm.bkl_front.i_marker  object_value = ._arm.gel_arm.jxl_i
variable modify  variable_name = ._arm.bkl_front.j_marker  object_value = ._arm.mtl_arm_to_body.jxl_j
variable modify  variable_name = ._arm.bkl_front.property_file  string_value = "mdids://x/bushings.tbl/a.bus"
ude create instance  instance_name = ._arm.rel_stop  definition_name = .ACAR.forces.ac_reboundstop
variable modify  variable_name = ._arm.rel_stop.i_marker  object_value = ._arm.gel_arm.jxl_i
variable modify  variable_name = ._arm.rel_stop.j_marker  object_value = ._arm.mtl_arm_to_body.jxl_j
variable modify  variable_name = ._arm.rel_stop.user_distance  real_value = 20mm
variable create  variable_name = ._arm.model_class  string_value = "template"
variable create  variable_name = ._arm.phs_kinematic_flag  integer_value = 0
variable create  variable_name = ._arm.pvs_lift  units = "length"  real_value = 0.05
group create  group_name = ._arm.kinematic  objects = ._arm.jklrev_front  &
   expr_active = (._arm.phs_kinematic_flag || ._arm.model_class == "template" ? 1 : 0)
group create  group_name = ._arm.compliant  objects = ._arm.bkl_front  &
   expr_active = ( ! ._arm.phs_kinematic_flag || ._arm.model_class == "template" ? 1 : 0)
frobnicate everything  how = much
marker modify  marker_name = ._arm.gel_arm.jxl_i  relative_to = ._arm.gel_arm  &
   location = (LOC_RELATIVE_TO({0, 0, ._arm.pvs_lift}, ._arm.ground.hpl_front))  &
   orientation = (ORI_ALONG_AXIS(._arm.ground.hpl_front, ._arm.ground.hpl_rear, "Z"))
defaults coordinate_system  default_coordinate_system = ._arm.ground
"""


def read(folder: Path, body: str, header: str = HEADER) -> Template:
    path = folder / "_arm.tpl"
    path.write_text(header + body)
    return read_template(path)


@pytest.fixture
def arm(tmp_path: Path) -> Template:
    return read(tmp_path, BODY)


def test_small_template(arm: Template) -> None:
    assert (arm.name, arm.version) == ("_arm", 2020.0)
    part = arm.part("gel_arm")
    assert (part.mass, part.moments, part.products) == (2.0, (0.1, 0.2, 0.3), (0.01, 0.02, 0.03))
    np.testing.assert_allclose(part.cm, [0.1, -0.5, 0.2], atol=1e-15)
    joint, primitive = arm.joints
    assert (joint.name, joint.side, joint.kind, joint.primitive) == ("front", Side.LEFT, "revolute", False)
    assert joint.kinematic_only
    assert (primitive.kind, primitive.primitive, primitive.kinematic_only) == ("inplane", True, False)
    np.testing.assert_allclose(joint.location, [0, -0.4, 0.25], atol=1e-15)
    np.testing.assert_allclose(joint.i_frame.z, [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(joint.j_frame.location, [0, -0.4, 0.2], atol=1e-15)  # relative_to another part
    bushing, stop = arm.elements
    assert (bushing.kind, bushing.name, bushing.property_file) == ("bushing", "front", "mdids://x/bushings.tbl/a.bus")
    assert (bushing.compliant_only, stop.compliant_only) == (True, False)
    assert (stop.kind, stop.settings) == ("reboundstop", {"user_distance": pytest.approx(0.02)})
    assert [command.name for command in arm.uninterpreted] == ["frobnicate everything"]
    assert any("frobnicate everything (1)" in problem.text for problem in arm.problems)


@pytest.mark.parametrize("flag", [0, 1])
def test_joints_and_bushings_are_switched(arm: Template, flag: int) -> None:
    switched = evaluate(arm, {}, {"phs_kinematic_flag": flag})
    assert [joint.active for joint in switched.joints] == [bool(flag), True]
    assert [element.active for element in switched.elements] == [not flag, True]
    assert all(joint.active for joint in arm.joints)


def test_parameter_in_an_expression(arm: Template) -> None:
    (joint, _) = evaluate(arm, {"hpl_front": (1.0, 2.0, 3.0)}, {"pvs_lift": 0.5}).joints
    np.testing.assert_allclose(joint.location, [1, 2, 3.5], atol=1e-15)


def test_line_ends_and_encoding(tmp_path: Path, arm: Template) -> None:
    path = tmp_path / "crlf.tpl"
    path.write_bytes((HEADER + BODY + "! gr\xf6\xdfe\n").replace("\n", "\r\n").encode("latin-1"))
    again = read_template(path)
    assert [j.place.line for j in again.joints] == [j.place.line for j in arm.joints]
    assert arm.joints[0].place.line == (HEADER + BODY).split("constraint create joint")[0].count("\n") + 1


MARKER = "marker create  marker_name = ._arm.ground.{0}  orientation = 0, 0, 0  location = {1}\n"


def test_cycles_are_named(tmp_path: Path) -> None:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    body = BODY + "".join(MARKER.format(x, f"(LOC_RELATIVE_TO({{0,0,1}}, ._arm.ground.{y}))") for x, y in ring)
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, body)
    (problem,) = caught.value.problems
    assert "location of ground.a → location of ground.b → location of ground.c → location of ground.a" in problem.text
    assert problem.place.line


def test_a_long_chain_is_no_cycle(tmp_path: Path) -> None:
    count = 3000
    body = BODY + MARKER.format("m0", "0, 0, 0")
    # Backwards, so that each waits for the next.
    for n in range(count, 0, -1):
        body += MARKER.format(f"m{n}", f"(LOC_RELATIVE_TO({{0, 0, 1}}, ._arm.ground.m{n - 1}))")
    last = next(m for m in read(tmp_path, body).markers if m.id == f"ground.m{count}")
    np.testing.assert_allclose(last.frame.location, [0, 0, count])


def test_an_orientation_may_use_the_own_location(tmp_path: Path) -> None:
    body = BODY + (
        "marker create  marker_name = ._arm.ground.cfl_x  location = 1, 2, 3  &\n"
        '  orientation = (ORI_ALONG_AXIS(._arm.ground.cfl_x, ._arm.ground.hps_tip, "X"))\n'
    )
    (frame,) = read(tmp_path, body).frames
    direction = np.array([0.15, -0.7, 0.2]) - [1, 2, 3]
    np.testing.assert_allclose(frame.frame.rotation[:, 0], direction / np.linalg.norm(direction), atol=1e-15)


@pytest.mark.parametrize(
    "expression",
    ["FOO(1)", "LOC_RELATIVE_TO({0,0,0}, ._arm.ground.nowhere)", "LOC_RELATIVE_TO({0,0}, ._arm.ground)", "1"],
)
def test_an_expression_that_cannot_be_evaluated_leaves_the_number(tmp_path: Path, expression: str) -> None:
    body = BODY + f"marker modify  marker_name = ._arm.gel_arm.cm  location = ({expression})\n"
    template = read(tmp_path, body)
    np.testing.assert_allclose(template.part("gel_arm").cm, [0.1, -0.5, 0.2], atol=1e-15)
    (warning,) = [p for p in template.problems if p.severity is Severity.WARNING]
    assert "the location of 'gel_arm.cm' keeps the number" in warning.text
    assert warning.place.line == (HEADER + body).count("\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "i_marker_name = ._arm.gel_arm.jxl_i",
            "i_marker_name = ._arm.gel_arm.jxl_k",
            "unknown marker 'gel_arm.jxl_k'",
        ),
        ("mass = 2000gram", "mass = heavy", "mass = heavy is not a number"),
        ("mass = 2000gram", "mass = -2", "negative"),
        ("mass = 2000gram", "", "needs one number for mass"),
        ("orientation_type = body313", "orientation_type = body321", "body321 is not read"),
        ("length = meter", "length = parsec", "parsec"),
        ("location = 0.1, -0.1, 0 ", "location = 0.1, -0.1 ", "2 numbers, three are needed"),
        ("location = 0.1, -0.1, 0 ", "location = (FOO(1)) ", "FOO is not known"),
        (
            "marker modify  marker_name = ._arm.gel_arm.jxl_i",
            "marker modify  marker_name = ._arm.x.y",
            "unknown marker",
        ),
        ("part_name = ._arm.gel_arm  mass", "part_name = ._arm.gel_arms  mass", "unknown part 'gel_arms'"),
        ("variable_name = ._arm.rel_stop.i_marker", "variable_name = ._arm.rel_stop.k_marker", "has no i_marker"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in BODY
    with pytest.raises(TrackrodError) as caught:
        read(tmp_path, BODY.replace(old, new))
    assert isinstance(caught.value, InputError)
    matching = [problem for problem in caught.value.problems if message in problem.text]
    assert matching
    assert matching[0].place.line is not None


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    body = BODY.replace("mass = 2000gram", "mass = heavy")
    body = body.replace("variable_name = ._arm.rel_stop.i_marker", "variable_name = ._arm.rel_stop.k_marker")
    with pytest.raises(FileFormatError) as caught:
        read(tmp_path, body)
    assert len(caught.value.problems) == 2


def test_binary_is_recognised_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "binary.tpl"
    path.write_bytes(HEADER.replace("'ASCII'", "'binary'").encode() + bytes(range(256)))
    assert is_binary(path)
    with pytest.raises(FileFormatError, match="binary"):
        read_template(path)


def test_what_is_no_template(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_template(tmp_path / "absent.tpl")
    with pytest.raises(FileFormatError, match="HEADER_SIZE"):
        read(tmp_path, BODY, header="")


LINES = (HEADER + BODY).splitlines(keepends=True)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    deleted=st.sets(st.integers(0, len(LINES) - 1), max_size=4),
    swapped=st.lists(st.tuples(st.integers(0, 5000), st.sampled_from("(){}.,=&!\"'0-9zZ \n\x00é")), max_size=4),
    cut=st.integers(0, 6000),
)
def test_damaged_files_give_trackrod_errors_only(
    tmp_path: Path, deleted: set[int], swapped: list[tuple[int, str]], cut: int
) -> None:
    text = list("".join(line for n, line in enumerate(LINES) if n not in deleted))
    for at, character in swapped:
        text[at % len(text)] = character
    path = tmp_path / "damaged.tpl"
    path.write_text("".join(text)[: max(cut, 200)], encoding="utf-8")
    try:
        template = read_template(path)
    except TrackrodError:
        return
    parts = {part.id for part in template.parts} | {"ground"}
    assert all({joint.i_part, joint.j_part} <= parts for joint in template.joints)
    assert all(np.all(np.isfinite(marker.frame.location)) for marker in template.markers)

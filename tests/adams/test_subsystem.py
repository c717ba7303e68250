"""Subsystems: real files checked by hand and by geometry, every kind of record, bad input, random damage."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from counted_work import work_of
from trackrod.adams import database as database_module
from trackrod.adams.elements import Axes, Hardpoint, Part, Symmetry
from trackrod.adams.subsystem import Subsystem, read_subsystem
from trackrod.core.errors import FileFormatError, MissingFileError, Severity, TrackrodError
from trackrod.core.quantities import KINDS

HEADER = """\
[MDI_HEADER]
 FILE_TYPE = 'sub'
 FILE_VERSION = 7.0
 FILE_FORMAT = 'ASCII'
[SUBSYSTEM_HEADER]
 TEMPLATE_NAME = '<demo>/templates.tbl/_t.tpl'
 MAJOR_ROLE = 'Suspension'
 MINOR_ROLE = 'front'
[UNITS]
 LENGTH = 'mm'
 FORCE = 'newton'
 ANGLE = 'deg'
 MASS = 'kg'
 TIME = 'sec'
"""
POINTS = """\
[HARDPOINT]
{hardpoint_name   symmetry   x_value  y_value  z_value}
 'a      '  'left/right'   67.0   -400.0   180.0
 'b      '  'left      '   1.0   -2.0   3.0
 'b      '  'right     '   1.0    5.0   3.0
 'c      '  'single    '   1000   0     -.5E+02
"""
PARAMETERS = """\
[PARAMETER]
{parameter_name   symmetry   type   value}
 'kinematic_flag '  'single    '   'integer'  1
 'toe_angle      '  'left/right'   'real'     -0.5
  'static toe'
  'in the design position'
 'thresholds     '  'single    '   'real'     60.0,90.0
 'tyre           '  'single    '   'string'   'RIGID_WHEEL'
"""
PART = """\
[PART_ASSEMBLY]
 USAGE = 'arm'
 SYMMETRY = 'left/right'
 MODE = 'rigid'
$ Rigid body data:
 MASS = 2.5
 SPRUNG_PERCENTAGE = 50.0
$ Part location is dependent.
$   X,Y,Z location = 267.0, -533.5, 165.0
$ Part orientation is dependent.
$   ZP vector = 0.0,  -1.0,  0.0
$   XP vector = 0.6,  0.0,  -0.8
 CM_LOCATION_FROM_PART_X = 4.0
 CM_LOCATION_FROM_PART_Y = 5.0
 CM_LOCATION_FROM_PART_Z = -6.0
 IXX = 1000.0
 IYY = 2000.0
 IZZ = 3000.0
 IXY = 10.0
 IZX = -20.0
 IYZ = 30.0
"""
ELEMENTS = """\
[NSPRING_ASSEMBLY]
 DEFINITION = '.ACAR.forces.ac_spring'
 USAGE = 'ride'
 SYMMETRY = 'left'
 PROPERTY_FILE = 'mdids://demo/springs.tbl/s.spr'
 VALUE_TYPE = 'preload'
 USER_VALUE = 189.5
[NSPRING_ASSEMBLY]
 USAGE = 'ride'
 SYMMETRY = 'right'
 PROPERTY_FILE_LIST = '<demo>/springs.tbl/s1.spr' '<demo>/springs.tbl/s2.spr'
 VALUE_TYPE = 'installed_length'
 USER_VALUE = 256.0
[DAMPER_ASSEMBLY]
 USAGE = 'ride'
 SYMMETRY = 'left/right'
 PROPERTY_FILE_LIST = '<demo>/dampers.tbl/d1.dpr,<demo>/dampers.tbl/d2.dpr'
[BUMPSTOP_ASSEMBLY]
 USAGE = 'jounce'
 SYMMETRY = 'left/right'
 PROPERTY_FILE = '<demo>/bumpstops.tbl/b.bum'
 DISTANCE_TYPE = 'clearance'
 USER_DISTANCE = 25.0
[REBOUNDSTOP_ASSEMBLY]
 USAGE = 'rebound'
 SYMMETRY = 'left/right'
 PROPERTY_FILE = '<demo>/reboundstops.tbl/r.reb'
 DISTANCE_TYPE = 'impact_length'
 USER_DISTANCE = 300.0
[BUSHING_ASSEMBLY]
 USAGE = 'front'
 SYMMETRY = 'left/right'
 ORIENTATION_ZP1 = 0.0
 ORIENTATION_ZP2 = 0.0
 ORIENTATION_ZP3 = 1.0
 ORIENTATION_XP1 = 1.0
 ORIENTATION_XP2 = 0.0
 ORIENTATION_XP3 = 0.0
 T_PRELOAD_X = 1.0
 T_PRELOAD_Y = 2.0
 T_PRELOAD_Z = 3.0
 R_PRELOAD_X = 4000.0
 R_PRELOAD_Y = 5000.0
 R_PRELOAD_Z = 6000.0
 T_OFFSET_X = 7.0
 T_OFFSET_Y = 8.0
 T_OFFSET_Z = 9.0
 R_OFFSET_X = 180.0
 R_OFFSET_Y = 90.0
 R_OFFSET_Z = 0.0
 FX_SCALING_FACTOR = 0.1
 FY_SCALING_FACTOR = 0.2
 FZ_SCALING_FACTOR = 0.3
 TX_SCALING_FACTOR = 0.4
 TY_SCALING_FACTOR = 0.5
 TZ_SCALING_FACTOR = 0.6
 TX_DAMPING_FORCE_SCALE = 1.1
 TY_DAMPING_FORCE_SCALE = 1.2
 TZ_DAMPING_FORCE_SCALE = 1.3
 PROPERTY_FILE = '<demo>/bushings.tbl/f.bus'
(COMMENTS)
{comment_line}
'a mount'
[WHEEL_ASSEMBLY]
 USAGE = 'wheel'
 SYMMETRY = 'left/right'
 MASS = 25.0
 IXX = 8.00E+05
 IYY = 8.00E+05
 IZZ = 1.00E+06
 CM_OFFSET = 1.0
 WHEEL_CENTER_OFFSET = 50.0
 PROPERTY_FILE = '<demo>/tires.tbl/t.tir'
 CONTACT_TYPE = 'handling'
[ADJUSTABLE_FORCE]
 USAGE = 'toe'
 SYMMETRY = 'left/right'
 DESIRED_VALUE = -0.5
 STIFFNESS = 1.00E+06
 DAMPING = 20000.0
 LOCK = 1
[GEAR_ASSEMBLY]
 USAGE = 'pinion_to_rack'
 SYMMETRY = 'single'
 REDUCTION_RATIO = 0.1745329252
 INVERT_INPUT = 'yes'
[GENERAL_SPLINE]
 USAGE = 'engine'
 SYMMETRY = 'single'
 TYPE = 'three_dimensional'
 PROPERTY_FILE = '<demo>/powertrains.tbl/e.pwr'
 CURVE_NAME = 'ENGINE'
[GENERAL_PARAMETER]
 USAGE = 'area'
 SYMMETRY = 'single'
 PROPERTY_FILE = '<demo>/steering_assists.tbl/a.ste'
 DATA_BLOCK = 'STEERING_ASSIST'
 ATTRIBUTE_NAME = 'piston_area'
[SWITCH_PART]
 USAGE = 'pickup'
 SYMMETRY = 'left/right'
 INDEX = 2
[LINK_GEOMETRY]
 USAGE = 'arm'
 RADIUS = 15.0
[LEAF_ASSEMBLY]
 USAGE = 'leaf'
"""
WHOLE = HEADER + POINTS + PARAMETERS + PART + ELEMENTS


def read_text(folder: Path, text: str | bytes, name: str = "front.sub") -> Subsystem:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_subsystem(path)


def errors_of(folder: Path, text: str) -> str:
    with pytest.raises(FileFormatError) as caught:
        read_text(folder, text)
    return str(caught.value)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Subsystem:
    return read_text(tmp_path_factory.mktemp("sub"), WHOLE)


@pytest.fixture(scope="module")
def bcae(shared_data: Path) -> Path:
    found = sorted(shared_data.rglob("SLIIT_Demo_ThreeWheeler.cdb"))
    if not found:
        pytest.skip("the three-wheeler database is not among the third-party data")
    return found[0] / "subsystems.tbl"


# --- every kind of record -------------------------------------------------------------------------------------------


def test_header_and_hardpoints(whole: Subsystem) -> None:
    assert (whole.name, whole.major_role, whole.minor_role) == ("front", "suspension", "front")
    assert whole.template is not None
    assert whole.template.text == "<demo>/templates.tbl/_t.tpl"
    assert (whole.template.place.file, whole.template.place.line) == (whole.file, 6)
    assert [(point.name, point.symmetry) for point in whole.hardpoints] == [
        ("a", Symmetry.BOTH),
        ("b", Symmetry.LEFT),
        ("b", Symmetry.RIGHT),
        ("c", Symmetry.SINGLE),
    ]
    assert whole.hardpoints[0].position == pytest.approx((0.067, -0.4, 0.18), abs=1e-15)
    assert whole.hardpoints[2].position == pytest.approx((0.001, 0.005, 0.003), abs=1e-15)
    assert whole.hardpoints[3].position == pytest.approx((1.0, 0.0, -0.05), abs=1e-15)
    assert whole.hardpoints[0].place.line == 17


def test_parameters_stay_in_the_units_of_the_file(whole: Subsystem) -> None:
    flag, toe, thresholds, tyre = whole.parameters
    assert (flag.name, flag.type, flag.values) == ("kinematic_flag", "integer", (1,))
    assert toe.values == (-0.5,)
    assert toe.comment == "static toe in the design position"
    assert toe.raw == "'toe_angle      '  'left/right'   'real'     -0.5"
    assert toe.si(KINDS["angle"]) == pytest.approx((-math.pi / 360,), rel=1e-15)
    assert toe.si(KINDS["number"]) == (-0.5,)
    assert thresholds.values == (60.0, 90.0)
    assert tyre.values == ("RIGID_WHEEL",)
    with pytest.raises(FileFormatError, match="'tyre' is text"):
        tyre.si(KINDS["length"])


def test_part_with_its_frame_in_comments(whole: Subsystem) -> None:
    (part,) = whole.parts
    assert part.location == pytest.approx((0.267, -0.5335, 0.165), abs=1e-15)
    assert part.location_dependent
    assert part.axes == Axes(z=(0.0, -1.0, 0.0), x=(0.6, 0.0, -0.8), dependent=True)
    assert part.centre_of_mass == pytest.approx((0.004, 0.005, -0.006), abs=1e-15)
    assert (part.mass, part.sprung_fraction) == (2.5, 0.5)
    inertia = part.inertia
    got = (inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.zx, inertia.yz)
    assert got == pytest.approx((1e-3, 2e-3, 3e-3, 1e-5, -2e-5, 3e-5), rel=1e-12)
    assert part.place.line == 29
    assert whole.mass == pytest.approx(2 * 2.5 + 2 * 25.0)
    assert whole.sprung_mass == pytest.approx(2 * 2.5 * 0.5)


def test_force_elements(whole: Subsystem) -> None:
    left, right = whole.springs
    assert (left.symmetry, left.value_type, left.value) == (Symmetry.LEFT, "preload", 189.5)
    assert (right.symmetry, right.value_type, right.value) == (Symmetry.RIGHT, "installed_length", 0.256)
    assert left.definition == ".ACAR.forces.ac_spring"
    assert right.property_file is not None
    assert right.property_file.text == "<demo>/springs.tbl/s1.spr"
    assert whole.dampers[0].property_file is not None
    assert whole.dampers[0].property_file.text == "<demo>/dampers.tbl/d1.dpr"
    bump, rebound = whole.stops
    assert (bump.rebound, bump.distance_type, bump.distance) == (False, "clearance", 0.025)
    assert (rebound.rebound, rebound.distance_type, rebound.distance) == (True, "impact_length", 0.3)


def test_bushing(whole: Subsystem) -> None:
    (bushing,) = whole.bushings
    assert bushing.axes == Axes(z=(0.0, 0.0, 1.0), x=(1.0, 0.0, 0.0), dependent=False)
    assert bushing.force_preload == (1.0, 2.0, 3.0)
    assert bushing.torque_preload == pytest.approx((4.0, 5.0, 6.0))
    assert bushing.displacement_offset == pytest.approx((0.007, 0.008, 0.009))
    assert bushing.rotation_offset == pytest.approx((math.pi, math.pi / 2, 0.0))
    assert bushing.force_scale == (0.1, 0.2, 0.3)
    assert bushing.torque_scale == (0.4, 0.5, 0.6)
    assert bushing.force_damping_scale == (1.1, 1.2, 1.3)
    assert bushing.torque_damping_scale == (1.0, 1.0, 1.0)  # absent: default, with a note
    assert any("[BUSHING_ASSEMBLY], default taken: RX_DAMPING_FORCE_SCALE = 1" in str(p) for p in whole.problems)


def test_other_records(whole: Subsystem) -> None:
    (wheel,) = whole.wheels
    assert (wheel.mass, wheel.sprung_fraction, wheel.contact_type) == (25.0, 0.0, "handling")
    assert (wheel.inertia.xx, wheel.inertia.zz) == pytest.approx((0.8, 1.0))
    assert (wheel.cm_offset, wheel.centre_offset) == pytest.approx((0.001, 0.05))
    (toe,) = whole.adjustable_forces
    assert (toe.desired_value, toe.stiffness, toe.damping, toe.locked) == (-0.5, 1e6, 2e4, True)
    (gear,) = whole.gears
    assert (gear.ratio, gear.inverted) == (0.1745329252, True)
    (spline,) = whole.general_splines
    assert (spline.type, spline.curve_name) == ("three_dimensional", "ENGINE")
    (area,) = whole.general_parameters
    assert (area.data_block, area.attribute_name) == ("STEERING_ASSIST", "piston_area")
    assert whole.switch_parts[0].index == 2


def test_every_file_that_is_named(whole: Subsystem) -> None:
    assert [reference.file_name for reference in whole.references()] == [
        *("_t.tpl", "s.spr", "s1.spr", "d1.dpr", "b.bum", "r.reb", "f.bus", "t.tir", "e.pwr", "a.ste")
    ]


def test_what_is_not_understood_is_kept_and_named(whole: Subsystem) -> None:
    assert [block.name for block in whole.graphics] == ["LINK_GEOMETRY"]
    assert [block.name for block in whole.unknown] == ["LEAF_ASSEMBLY"]
    assert all(problem.severity is Severity.NOTE for problem in whole.problems)
    text = "\n".join(str(problem) for problem in whole.problems)
    assert "the block [LEAF_ASSEMBLY] is not read" in text
    assert "'ride' lists 2 property files, the first is taken" in text
    assert "LINK_GEOMETRY" not in text


def test_line_ends_case_and_units(tmp_path: Path, whole: Subsystem) -> None:
    crlf = read_text(tmp_path, WHOLE.replace("\n", "\r\n").encode())
    for name in ("hardpoints", "parameters", "parts", "adjustable_forces", "gears", "switch_parts"):
        assert getattr(crlf, name) == getattr(whole, name), name
    lower = WHOLE.replace("[PART_ASSEMBLY]", "[part_assembly]").replace(" MASS = 2.5", " mass = 2.5")
    assert read_text(tmp_path, lower.replace("'left/right'", "'LEFT/Right  '")).parts == whole.parts
    metres = HEADER.replace("'mm'", "'meter'").replace("'kg'", "'pound_mass'") + POINTS + PART
    other = read_text(tmp_path, metres)
    assert other.hardpoints[0].position == (67.0, -400.0, 180.0)
    assert other.parts[0].mass == pytest.approx(2.5 * 0.45359237)
    assert other.parts[0].location == (267.0, -533.5, 165.0)


def test_only_a_list_of_files_is_cut_at_commas(tmp_path: Path) -> None:
    text = (
        HEADER + "[DAMPER_ASSEMBLY]\n USAGE = 'd'\n SYMMETRY = 'left'\n PROPERTY_FILE = '<demo>/dampers.tbl/a,b.dpr'\n"
    )
    reference = read_text(tmp_path, text).dampers[0].property_file
    assert reference is not None
    assert reference.file_name == "a,b.dpr"


def test_keys_go_before_comments(tmp_path: Path) -> None:
    keys = "".join(f" PART_LOC_{axis} = {value}\n" for axis, value in zip("XYZ", (1, 2, 3), strict=True))
    part = read_text(tmp_path, HEADER + PART + keys).parts[0]
    assert part.location == pytest.approx((0.001, 0.002, 0.003))
    assert not part.location_dependent


def test_a_part_without_its_comments(tmp_path: Path) -> None:
    stripped = "".join(line for line in PART.splitlines(keepends=True) if not line.startswith("$"))
    subsystem = read_text(tmp_path, HEADER + stripped)
    assert (subsystem.parts[0].location, subsystem.parts[0].axes) == (None, None)
    warnings = [problem for problem in subsystem.problems if problem.severity is Severity.WARNING]
    assert [problem.text for problem in warnings] == [
        "the location of [PART_ASSEMBLY] 'arm' is not given",
        "the orientation of [PART_ASSEMBLY] 'arm' is not given",
    ]


def test_flexible_parts_and_variants_are_kept_not_read(tmp_path: Path) -> None:
    text = HEADER + POINTS + "(VARIANTS)\n{hardpoint_name x}\n 'a' 1.0\n" + PART.replace("'rigid'", "'flexible'")
    subsystem = read_text(tmp_path, text)
    assert len(subsystem.hardpoints) == 4
    assert subsystem.parts == ()
    assert [block.name for block in subsystem.unknown] == ["PART_ASSEMBLY"]
    said = "\n".join(str(problem) for problem in subsystem.problems)
    assert "the part 'arm' is 'flexible'; only rigid parts are read" in said
    assert "(VARIANTS) in [HARDPOINT] is not read" in said


@settings(deadline=None)
@given(
    st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(v * v for v in q) > 1e-2),
    st.floats(-1e-4, 1e-4),
)
def test_axes_make_a_rotation(quaternion: tuple[float, ...], skew: float) -> None:
    turned = Rotation.from_quat(quaternion).as_matrix()
    x = turned[:, 0] + skew * turned[:, 2]
    matrix = Axes(z=tuple(turned[:, 2]), x=tuple(x)).matrix
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(matrix, turned, atol=1e-12)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("MASS = 2.5", "MASS = 'heavy'", "front.sub:34:9: error: MASS = 'heavy' is not a finite number"),
        ("MASS = 2.5", "MASS = -2.5", "MASS has -2.5, not a possible mass (from 0 to 1e+06 kg is allowed)"),
        (" MASS = 2.5\n", "", "front.sub:29:1: error: MASS is missing from [PART_ASSEMBLY] 'arm'"),
        (" IYY = 2000.0\n", "", "IYY is missing from [PART_ASSEMBLY] 'arm'"),
        ("IXX = 1000.0", "IXX = -1.0", "IXX of [PART_ASSEMBLY] 'arm' must not be negative"),
        ("SPRUNG_PERCENTAGE = 50.0", "SPRUNG_PERCENTAGE = 150", "is 150 (from 0 to 100 is allowed)"),
        (" USAGE = 'arm'\n SYM", " SYM", "USAGE is missing from [PART_ASSEMBLY]"),
        ("'a      '  'left/right'", "'a      '  'both'", "front.sub:17:2: error: 'both' is not a symmetry"),
        ("67.0   -400.0", "67.0   text", "the hardpoint 'a' has text, where finite numbers are needed"),
        ("67.0   -400.0", "67.0   NaN", "the hardpoint 'a' has NaN"),
        ("67.0   -400.0   180.0", "67.0   -400.0", "a row of [HARDPOINT] has 4 values, 5 are needed"),
        ("67.0   -400.0   180.0", "67.0   -400.0 1 180.0", "a hardpoint has 6 values, five are needed"),
        ("67.0   -400.0", "1e20   -400.0", "'a' has 1e+20, not a possible length"),
        ("'b      '  'right     '", "'b'  'left/right'", "'b' (left/right) is given on line 18 already"),
        ("'b      '  'right     '", "'B'  'left'", "'B' (left) is given on line 18 already"),
        ("x_value  y_value", "x_value  y", "the table of [HARDPOINT] has no column y_value"),
        ("'integer'  1", "'integer'  1.5", "the parameter 'kinematic_flag' = 1.5 is not a whole number"),
        ("'real'     -0.5", "'real'     'x'", "the parameter 'toe_angle' = x is not a finite number"),
        ("'string'   'RIGID", "'complex'   'RIGID", "has the type 'complex'; real, integer and string"),
        ("location = 267.0, -533.5,", "location = 267.0, ", "must give three numbers"),
        ("XP vector = 0.6,  0.0,  -0.8", "XP vector = 0.0, 1.0, 0.0", "not unit vectors normal to each other"),
        ("XP vector = 0.6,  0.0,  -0.8", "XP vector = 0.0, 0.0, 0.0", "lengths 1 and 0"),
        ("ZP vector = 0.0,  -1.0", "ZP vector = 0.0,  nan", "must give three numbers"),
        (" ORIENTATION_XP2 = 0.0\n", "", "ORIENTATION_XP2 is missing from [BUSHING_ASSEMBLY] 'front'"),
        ("LOCK = 1", "LOCK = 'perhaps'", "LOCK = 'perhaps' is neither yes nor no"),
        ("INDEX = 2", "INDEX = 2.5", "INDEX of [SWITCH_PART] 'pickup' must be a whole number"),
        ("LENGTH = 'mm'", "LENGTH = 'cubit'", "front.sub:10:11: error: LENGTH = 'cubit' is not a unit of length"),
        ("[UNITS]", "[UNIT]", "there is no [UNITS] block"),
        (" MAJOR_ROLE = 'Suspension'\n", "", "MAJOR_ROLE is missing from [SUBSYSTEM_HEADER]"),
        ("[SUBSYSTEM_HEADER]", "[OTHER]", "there is no [SUBSYSTEM_HEADER] block"),
        ("FILE_TYPE = 'sub'", "FILE_TYPE = 'asy'", "FILE_TYPE = 'asy', where 'sub' is needed"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in WHOLE
    assert says in errors_of(tmp_path, WHOLE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("'preload'", "'hardpoints'", "VALUE_TYPE = 'hardpoints' of the spring 'ride' is not known"),
        ("'clearance'", "'gap'", "DISTANCE_TYPE = 'gap' of the stop 'jounce' is not known"),
        (" PROPERTY_FILE = '<demo>/tires.tbl/t.tir'\n", "", "[WHEEL_ASSEMBLY] 'wheel' names no property file"),
        ("'<demo>/tires.tbl/t.tir'", "''", "[WHEEL_ASSEMBLY] 'wheel' names no property file"),
        (" SYMMETRY = 'left'\n", "", "SYMMETRY is missing from [NSPRING_ASSEMBLY] 'ride' ('single' is taken)"),
        (" MINOR_ROLE = 'front'\n", "", "MINOR_ROLE is missing from [SUBSYSTEM_HEADER] ('any' is taken)"),
        ("XP vector = 0.6,  0.0,", "XP vector = 0.6,  1e-5,", "not quite normal to each other"),
    ],
)
def test_doubtful_input_is_a_warning(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in WHOLE
    problems = read_text(tmp_path, WHOLE.replace(old, new, 1)).problems
    assert any(says in str(problem) and problem.severity is Severity.WARNING for problem in problems)


def test_all_problems_at_once(tmp_path: Path) -> None:
    text = WHOLE.replace("MASS = 2.5", "MASS = x").replace(" 67.0", " y").replace("LOCK = 1", "LOCK = z")
    assert len(errors_of(tmp_path, text).splitlines()) == 3


def test_a_garbled_file_does_not_fill_the_screen(tmp_path: Path) -> None:
    rows = "".join(f" 'p{index}' 'both' 1 2 3\n" for index in range(500))
    message = errors_of(tmp_path, HEADER + POINTS + rows)
    assert len(message.splitlines()) == 51
    assert "and 450 more errors" in message


def test_large_files_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "LARGEST_FILE", len(WHOLE))
    assert read_text(tmp_path, WHOLE).parts
    with pytest.raises(FileFormatError, match="bytes, no more than"):
        read_text(tmp_path, WHOLE + " ")


def test_a_hundred_megabytes_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "big.sub"
    with path.open("wb") as stream:
        stream.write(HEADER.encode())
        stream.truncate(100 * 2**20)

    def refused() -> None:
        with pytest.raises(FileFormatError, match="no more than 8388608"):
            read_subsystem(path)

    assert work_of(refused) < 100_000  # the file alone has 1.6 million cache lines: refused unread


def test_reading_takes_linear_work(tmp_path: Path) -> None:
    """Many comment rows below one parameter, many attributes in one block: both would be slow if quadratic."""

    def work(count: int) -> int:
        def read() -> None:
            subsystem = read_text(tmp_path, text)
            assert len(subsystem.parameters[1].comment) > 40 * count

        comments = "  'some words that comment on the parameter above'\n" * count
        keys = "".join(f" KEY_{index} = 1\n" for index in range(count))
        text = HEADER + PARAMETERS.replace("  'static toe'\n", comments) + PART + keys
        return work_of(read)

    assert work(2_000) < 15 * work(200)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_subsystem(tmp_path / "none.sub")


# --- random damage --------------------------------------------------------------------------------------------------


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    lines = data.splitlines(keepends=True)
    index = st.integers(0, len(data) - 1)
    line = st.integers(0, len(lines) - 1)

    def swap(places: tuple[int, int]) -> bytes:
        changed = bytearray(data)
        changed[places[0]], changed[places[1]] = changed[places[1]], changed[places[0]]
        return bytes(changed)

    def overwrite(edits: list[tuple[int, int]]) -> bytes:
        changed = bytearray(data)
        for place, value in edits:
            changed[place] = value
        return bytes(changed)

    def number(edit: tuple[int, str]) -> bytes:
        words = lines[edit[0]].rstrip().split(b" ")
        return b"".join((*lines[: edit[0]], b" ".join((*words[:-1], edit[1].encode())), b"\n", *lines[edit[0] + 1 :]))

    values = st.sampled_from(
        ["1e308", "-1e999", "NaN", "0", "'", "''", "1,2", "[", "9" * 400, "-0.0", "'a' 'b'", "=", "$"]
    )
    return st.one_of(
        index.map(lambda end: data[:end]),
        st.sets(line, min_size=1, max_size=20).map(
            lambda gone: b"".join(t for i, t in enumerate(lines) if i not in gone)
        ),
        st.tuples(index, index).map(swap),
        st.lists(st.tuples(index, st.integers(0, 255)), min_size=1, max_size=8).map(overwrite),
        st.tuples(line, values).map(number),
        st.sampled_from(["utf-16", "utf-8-sig", "utf-32", "cp037"]).map(data.decode().encode),
    )


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@settings(max_examples=250, deadline=None)
@given(data=damaged(WHOLE.encode()))
@example(data=b"")
@example(data=b"[MDI_HEADER]\n FILE_TYPE =\n")
@example(data=b"[PART_ASSEMBLY]")
def test_damage_gives_a_subsystem_or_a_clear_error(scratch: Path, data: bytes) -> None:
    message, subsystem = "front.sub", None
    try:
        subsystem = read_text(scratch, data)
    except TrackrodError as error:
        message = str(error)
    assert "front.sub" in message
    if subsystem is not None:
        assert math.isfinite(subsystem.mass)
        assert all(math.isfinite(value) for point in subsystem.hardpoints for value in point.position)
        for record in (*subsystem.parts, *subsystem.bushings):
            assert record.axes is None or np.linalg.det(record.axes.matrix) == pytest.approx(1.0)


# --- real files -----------------------------------------------------------------------------------------------------


def points(subsystem: Subsystem) -> dict[str, Hardpoint]:
    return {point.name: point for point in subsystem.hardpoints}


def parts(subsystem: Subsystem) -> dict[str, Part]:
    return {part.name: part for part in subsystem.parts}


def test_every_real_subsystem(shared_data: Path) -> None:
    """All are read without an error; only one lacks anything: SPRUNG_PERCENTAGE in the fsae suspension."""
    files = sorted(shared_data.rglob("*.sub"))
    if not files:
        pytest.skip("no .sub among the third-party data")
    for file in files:
        subsystem = read_subsystem(file)
        assert not subsystem.unknown
        said = [problem.text for problem in subsystem.problems]
        if file.name == "fsae_front_susp.sub":
            assert said == ["not in every [PART_ASSEMBLY], default taken: SPRUNG_PERCENTAGE = 100"]
        elif file.name.startswith(("TR_", "TW_")):
            assert said == []


def test_front_suspension_against_its_own_geometry(bcae: Path) -> None:
    """The frames in the comments follow from the hardpoints by the rules of a double wishbone."""
    front = read_subsystem(bcae / "TR_Front_Suspension.sub")
    assert (len(front.hardpoints), len(front.parts), len(front.bushings), len(front.parameters)) == (14, 12, 9, 11)
    p = {name: np.array(point.position) for name, point in points(front).items()}
    assert p["wheel_center"] == pytest.approx([0.267, -0.760, 0.330])
    arm = parts(front)["lower_control_arm"]
    assert arm.location == pytest.approx((p["lca_front"] + p["lca_outer"] + p["lca_rear"]) / 3, abs=1e-9)
    assert arm.mass == 1.6113954942
    assert arm.inertia.yy == pytest.approx(0.035508442498)
    assert arm.location_dependent
    strut = parts(front)["lower_strut"].axes
    assert strut is not None
    axis = p["top_mount"] - p["lwr_strut_mount"]
    assert strut.z == pytest.approx(axis / np.linalg.norm(axis), abs=1e-9)
    spindle = parts(front)["spindle"]
    assert spindle.location == pytest.approx(p["wheel_center"])
    assert spindle.axes is not None
    camber = {parameter.name: parameter for parameter in front.parameters}["camber_angle"].si(KINDS["angle"])[0]
    assert spindle.axes.z == pytest.approx((0.0, -math.cos(camber), -math.sin(camber)), abs=1e-9)
    bushings = {bushing.name: bushing for bushing in front.bushings}
    for name, sign in (("lca_front", 1), ("lca_rear", 1), ("uca_front", 1), ("uca_rear", -1)):
        axes = bushings[name].axes
        assert axes is not None
        assert axes.dependent
        hinge = p[f"{name[:3]}_rear"] - p[f"{name[:3]}_front"]
        assert axes.z == pytest.approx(sign * hinge / np.linalg.norm(hinge), abs=1e-9), name
    assert bushings["top_mount"].axes == Axes(z=(0.0, 0.0, 1.0), x=(1.0, 0.0, 0.0), dependent=False)
    assert bushings["hub_compliance"].force_scale == (0.0, 0.0, 0.0)
    assert bushings["hub_compliance"].torque_scale == (1.0, 1.0, 0.0)
    assert (front.springs[0].value_type, front.springs[0].value) == ("installed_length", pytest.approx(0.256))


def test_real_frames_are_rotations(bcae: Path) -> None:
    frames = [
        record.axes
        for file in sorted(bcae.glob("*.sub"))
        for subsystem in [read_subsystem(file)]
        for record in (*subsystem.parts, *subsystem.bushings)
    ]
    assert len(frames) > 50
    for axes in frames:
        assert axes is not None
        np.testing.assert_allclose(axes.matrix[:, 0], axes.x, atol=1e-9)


def test_masses_of_the_rear_swing_arm(bcae: Path) -> None:
    rear = read_subsystem(bcae / "TW_Rear_Suspension.sub")
    one_side = 0.3573476184 + 2.0 + 2.0 + 10.6066509689 + 0.1 + 2.0
    assert rear.mass == pytest.approx(10.0 + 2 * one_side, rel=1e-12)
    assert rear.sprung_mass == pytest.approx(rear.mass - 2 * 2.0, rel=1e-12)  # the spindles are unsprung
    assert rear.stops[0].distance == pytest.approx(0.2)


def test_left_and_right_springs_of_the_fsae_suspension(shared_data: Path) -> None:
    found = sorted(shared_data.rglob("fsae_front_susp.sub"))
    if not found:
        pytest.skip("fsae_front_susp.sub is not among the third-party data")
    springs = read_subsystem(found[0]).springs
    got = [(spring.name, str(spring.symmetry), spring.value) for spring in springs[:3]]
    assert got == [
        ("ride_spring", "left", 189.5),
        ("ride_spring", "right", 2000.0),
        ("ride_spring1", "left/right", 2000.0),
    ]
    assert springs[0].property_file is not None
    assert springs[0].property_file.alias == "fsae_2012"

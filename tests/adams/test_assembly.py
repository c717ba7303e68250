"""Assemblies: the real database and its known mass, small databases with one thing wrong each, random damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trackrod.adams import database as database_module
from trackrod.adams.assembly import Assembly, read_assembly
from trackrod.core.errors import FileFormatError, InputError, MissingFileError, Problem, Severity, TrackrodError
from trackrod.core.quantities import KINDS

UNITS = "[UNITS]\n LENGTH = 'mm'\n FORCE = 'newton'\n ANGLE = 'deg'\n MASS = 'kg'\n TIME = 'sec'\n"
RIG = """\
[TESTRIG]
 USAGE = '__MDI_SDI_TESTRIG'
[HARDPOINT]
{hardpoint_name  symmetry  x_value  y_value  z_value}
 'reference '  'single'  10.0  20.0  30.0
[PARAMETER]
{parameter_name  symmetry  type  value}
 'front_brake_max_torque '  'single'  'real'  1.70E+06
  'in N mm'
 'rack_ratio '  'single'  'real'  174.5
"""


def asy(*references: str) -> str:
    head = "[MDI_HEADER]\n FILE_TYPE = 'asy'\n[ASSEMBLY_HEADER]\n ASSEMBLY_CLASS = 'full_vehicle'\n"
    return head + UNITS + "".join(f"[SUBSYSTEM]\n USAGE = '{text}'\n" for text in references) + RIG


def sub(role: str, minor: str = "front", rest: str = "", units: str = UNITS) -> str:
    header = f"[SUBSYSTEM_HEADER]\n TEMPLATE_NAME = '<demo>/templates.tbl/_{role}.tpl'\n MAJOR_ROLE = '{role}'\n"
    return f"[MDI_HEADER]\n FILE_TYPE = 'sub'\n{header} MINOR_ROLE = '{minor}'\n{units}{rest}"


def damper(reference: str) -> str:
    return f"[DAMPER_ASSEMBLY]\n USAGE = 'd'\n SYMMETRY = 'left/right'\n PROPERTY_FILE = '{reference}'\n"


def body(mass: float) -> str:
    frame = "$ X,Y,Z location = 0, 0, 0\n$ ZP vector = 0, 0, 1\n$ XP vector = 1, 0, 0\n"
    numbers = "".join(
        f" {key} = 1.0\n" for key in (*(f"CM_LOCATION_FROM_PART_{axis}" for axis in "XYZ"), "IXX", "IYY", "IZZ")
    )
    return f"[PART_ASSEMBLY]\n USAGE = 'b'\n SYMMETRY = 'single'\n MASS = {mass}\n{frame}{numbers}"


@pytest.fixture
def cdb(tmp_path: Path) -> Path:
    """A small database: two subsystems, a damper, one template of two."""
    root = tmp_path / "Demo.cdb"
    for table in ("assemblies", "subsystems", "templates", "dampers"):
        (root / f"{table}.tbl").mkdir(parents=True)
    (root / "assemblies.tbl/car.asy").write_text(
        asy("<demo>/subsystems.tbl/FRONT.sub", "mdids://DEMO/subsystems.tbl/body.sub")
    )
    (root / "subsystems.tbl/front.sub").write_text(sub("suspension", rest=damper("<demo>/dampers.tbl/a.dpr")))
    (root / "subsystems.tbl/body.sub").write_text(sub("body", "any", rest=body(1000.0)))
    (root / "dampers.tbl/A.dpr").write_text("")
    (root / "templates.tbl/_body.tpl").write_text("")
    return root


def car(cdb: Path) -> Path:
    return cdb / "assemblies.tbl" / "car.asy"


def warnings(problems: tuple[Problem, ...]) -> list[str]:
    return [str(problem) for problem in problems if problem.severity is Severity.WARNING]


def errors_of(path: Path, **options: bool) -> str:
    with pytest.raises(InputError) as caught:
        read_assembly(path, **options)
    return str(caught.value)


def test_a_small_database(cdb: Path) -> None:
    assembly = read_assembly(car(cdb))
    assert (assembly.name, assembly.assembly_class, assembly.testrig) == ("car", "full_vehicle", "__MDI_SDI_TESTRIG")
    assert [(s.name, s.major_role, s.minor_role) for s in assembly.subsystems] == [
        ("front", "suspension", "front"),
        ("body", "body", "any"),
    ]
    assert assembly.files_read == (car(cdb), cdb / "subsystems.tbl/front.sub", cdb / "subsystems.tbl/body.sub")
    assert assembly.mass == 1000.0
    reference = assembly.subsystems[0].dampers[0].property_file
    assert reference is not None
    assert assembly.path(reference) == cdb / "dampers.tbl" / "A.dpr"
    assert assembly.with_role("body") == assembly.with_role("body", "any") == (assembly.subsystems[1],)
    assert assembly.with_role("suspension", "rear") == ()
    assert not warnings(assembly.problems)
    assert any(
        "front.sub:4:18: note: '<demo>/templates.tbl/_suspension.tpl' is not found" in str(problem)
        for problem in assembly.problems
    )


def test_testrig_data_have_units(cdb: Path) -> None:
    assembly = read_assembly(car(cdb))
    assert assembly.testrig_hardpoints[0].position == pytest.approx((0.01, 0.02, 0.03))
    torque, ratio = assembly.testrig_parameters
    assert torque.si(KINDS["torque"]) == pytest.approx((1700.0,))
    assert torque.comment == "in N mm"
    assert ratio.values == (174.5,)


def test_every_file_has_its_own_units(cdb: Path) -> None:
    pounds = UNITS.replace("'kg'", "'pound_mass'")
    (cdb / "subsystems.tbl/body.sub").write_text(sub("body", "any", rest=body(1000.0), units=pounds))
    assert read_assembly(car(cdb)).mass == pytest.approx(453.59237)


def test_line_ends_of_windows(cdb: Path) -> None:
    before = read_assembly(car(cdb))
    for file in (car(cdb), *before.files_read[1:]):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    after = read_assembly(car(cdb))
    assert after.subsystems[1].parts == before.subsystems[1].parts
    assert after.testrig_parameters == before.testrig_parameters


def test_aliases(cdb: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared_car_database.cdb"
    (shared / "dampers.tbl").mkdir(parents=True)
    (shared / "dampers.tbl/s.dpr").write_text("")
    front = cdb / "subsystems.tbl/front.sub"
    front.write_text(sub("suspension", rest=damper("mdids://acar_shared/dampers.tbl/s.dpr")))
    without = read_assembly(car(cdb))
    assert any("front.sub:16:18: warning" in text and "acar_shared" in text for text in warnings(without.problems))
    assembly = read_assembly(car(cdb), {"acar_shared": shared})
    assert shared / "dampers.tbl" / "s.dpr" in assembly.paths.values()
    with pytest.raises(MissingFileError, match="'acar_shared' does not exist"):
        read_assembly(car(cdb), {"acar_shared": tmp_path / "none"})


def test_errors_in_one_subsystem_do_not_hide_the_others(cdb: Path) -> None:
    references = [f"<demo>/subsystems.tbl/{name}.sub" for name in ("none", "front", "body", "garbage")]
    car(cdb).write_text(asy(*references).replace("'real'  174.5", "'real'  x"))
    (cdb / "subsystems.tbl/front.sub").write_text(sub("suspension", rest="[SWITCH_PART]\n USAGE = 's'\n INDEX = x\n"))
    (cdb / "subsystems.tbl/body.sub").write_text(sub("body", rest=body(-1.0)))
    (cdb / "subsystems.tbl/garbage.sub").write_bytes(bytes(range(256)))
    message = errors_of(car(cdb))
    for part in (
        "car.asy:12:10: error: '<demo>/subsystems.tbl/none.sub' is not found",
        "front.sub:15:10: error: INDEX = x is not a finite number",
        "body.sub:16:9: error: MASS has -1, not a possible mass",
        "garbage.sub: error: this is not a TeimOrbit file",
        "the parameter 'rack_ratio' = x is not a finite number",
    ):
        assert part in message
    assert len(message.splitlines()) == 6  # the first says how many files are not found and what to do


def test_a_subsystem_outside_is_refused(cdb: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    outside = tmp_path / "other/body.sub"
    outside.write_text(sub("body", rest=body(7.0)))
    for reference in ("<demo>/../other/body.sub", str(outside)):
        car(cdb).write_text(asy(reference))
        assert "leads out of the database and is not followed" in errors_of(car(cdb))
        assert read_assembly(car(cdb), allow_outside=True).mass == 7.0


def test_an_assembly_that_names_itself(cdb: Path) -> None:
    car(cdb).write_text(asy("<demo>/assemblies.tbl/car.asy", "<demo>/subsystems.tbl/body.sub"))
    assert "car.asy:2:14: error: FILE_TYPE = 'asy', where 'sub' is needed" in errors_of(car(cdb))


def test_a_subsystem_that_is_named_twice_is_read_once(cdb: Path) -> None:
    car(cdb).write_text(asy("<demo>/subsystems.tbl/body.sub", "<demo>/subsystems.tbl/BODY.sub"))
    assembly = read_assembly(car(cdb))
    assert assembly.subsystems[0] is assembly.subsystems[1]
    assert len(assembly.files_read) == 2
    assert any("'body.sub' is named more than once" in text for text in warnings(assembly.problems))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[SUBSYSTEM]", "[SUBSYSTEMS]", "the assembly has no [SUBSYSTEM]"),
        (" USAGE = '<demo>/subsystems.tbl/FRONT.sub'\n", "", "car.asy:11:1: error: USAGE is missing from [SUBSYSTEM]"),
        ("LENGTH = 'mm'", "LENGTH = 'cubit'", "'cubit' is not a unit of length"),
        ("FILE_TYPE = 'asy'", "FILE_TYPE = 'sub'", "FILE_TYPE = 'sub', where 'asy' is needed"),
        ("'single'  10.0", "'double'  10.0", "'double' is not a symmetry"),
    ],
)
def test_bad_assemblies(cdb: Path, old: str, new: str, says: str) -> None:
    text = car(cdb).read_text()
    assert old in text
    car(cdb).write_text(text.replace(old, new))
    assert says in errors_of(car(cdb))


def test_a_rig_is_optional_and_unknown_blocks_are_kept(cdb: Path) -> None:
    text = car(cdb).read_text()
    car(cdb).write_text(text.replace("[TESTRIG]", "[VARIANT_SET]"))
    assembly = read_assembly(car(cdb))
    assert assembly.testrig is None
    assert [block.name for block in assembly.unknown] == ["VARIANT_SET"]
    assert any("the block [VARIANT_SET] is not read" in str(problem) for problem in assembly.problems)
    car(cdb).write_text(text + "[TESTRIG]\n USAGE = 'second'\n")
    assembly = read_assembly(car(cdb))
    assert assembly.testrig == "__MDI_SDI_TESTRIG"
    assert any("has a test rig already" in text for text in warnings(assembly.problems))


def test_large_files_are_refused_unread(cdb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "LARGEST_FILE", 1000)
    assert read_assembly(car(cdb)).mass == 1000.0
    (cdb / "subsystems.tbl/body.sub").write_text(sub("body", rest=body(1.0) + "$\n" * 500))
    assert "body.sub: error: the file has" in errors_of(car(cdb))
    car(cdb).write_text(asy("<demo>/subsystems.tbl/body.sub") + "$\n" * 500)
    with pytest.raises(FileFormatError, match="no more than 1000 are read"):
        read_assembly(car(cdb))


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("damaged") / "demo.cdb"
    for table in ("assemblies.tbl", "subsystems.tbl"):
        (root / table).mkdir(parents=True)
    (root / "subsystems.tbl/a.sub").write_text(sub("body", rest=body(1.0)))
    return root


SOUND = asy("<demo>/subsystems.tbl/a.sub", "mdids://demo/subsystems.tbl/b.sub").encode()
INDEX = st.integers(0, len(SOUND) - 1)


def overwritten(edits: list[tuple[int, int]]) -> bytes:
    data = bytearray(SOUND)
    for index, value in edits:
        data[index] = value
    return bytes(data)


@settings(max_examples=250, deadline=None)
@given(
    data=st.one_of(
        INDEX.map(lambda end: SOUND[:end]),
        st.lists(st.tuples(INDEX, st.integers(0, 255)), max_size=8).map(overwritten),
        st.sets(INDEX.map(lambda index: SOUND[:index].count(b"\n")), max_size=9).map(
            lambda gone: b"".join(x for i, x in enumerate(SOUND.splitlines(keepends=True)) if i not in gone)
        ),
        st.sampled_from(["utf-16", "utf-8-sig", "cp037"]).map(SOUND.decode().encode),
        st.binary(max_size=200),
    ),
    subsystem=st.binary(max_size=200) | st.just(sub("body").encode()),
)
@example(data=b"[MDI_HEADER]\n FILE_TYPE =", subsystem=b"")
def test_damage_gives_an_assembly_or_a_clear_error(scratch: Path, data: bytes, subsystem: bytes) -> None:
    path = scratch / "assemblies.tbl" / "car.asy"
    path.write_bytes(data)
    (scratch / "subsystems.tbl/b.sub").write_bytes(subsystem)
    result: Assembly | TrackrodError
    try:
        result = read_assembly(path)
    except TrackrodError as error:
        result = error
    if isinstance(result, Assembly):
        assert result.subsystems
        assert all(file.resolve().is_relative_to(scratch.resolve()) for file in result.files_read)
    else:
        assert ".asy" in str(result) or ".sub" in str(result)


# --- real files -----------------------------------------------------------------------------------------------------


def real(shared_data: Path, name: str) -> Path:
    found = sorted(shared_data.rglob(name))
    if not found:
        pytest.skip(f"{name} is not among the third-party data")
    return found[0]


def test_the_three_wheeler(shared_data: Path) -> None:
    file = real(shared_data, "MDI_Demo_ThreeWheeler.asy")
    assembly = read_assembly(file)
    assert (assembly.assembly_class, assembly.testrig) == ("full_vehicle", "__MDI_SDI_TESTRIG")
    assert [path.name for path in assembly.files_read] == [
        "MDI_Demo_ThreeWheeler.asy",
        "TR_Front_Suspension.sub",
        "TR_Steering.sub",
        "TR_Front_Tires.sub",
        "TR_Rear_Tires.sub",
        "TR_Body.sub",
        "TR_Powertrain.sub",
        "TR_Brake_System.sub",
        "TW_Rear_Suspension.sub",
    ]
    notes = [problem for problem in assembly.problems if problem.severity is Severity.NOTE]
    assert notes
    assert all("templates.tbl" in problem.text for problem in notes)  # answered by built-in ones
    dangling = warnings(assembly.problems)
    assert len(dangling) == 2
    assert "TW_Rear_Suspension.sub:210:20: warning: 'mdids://acar_shared/dampers.tbl/mdi_0001.dpr'" in dangling[0]
    assert "TW_Rear_Suspension.sub:216:20: warning: 'mdids://acar_shared/bumpstops.tbl/mdi_0001.bum'" in dangling[1]
    # Everything in the database is reached but the files of the suspension that was replaced.
    reached = {path.name for path in (*assembly.files_read, *assembly.paths.values())}
    there = {path.name for path in assembly.database.home.rglob("*") if path.is_file()}
    assert there - reached == {"TR_Rear_Suspension.sub"}
    ratio = {parameter.name: parameter for parameter in assembly.testrig_parameters}["rack_ratio"]
    (steering,) = assembly.with_role("steering")
    gear = {gear.name: gear for gear in steering.gears}["pinion_to_rack"]
    assert gear.ratio / steering.units.length == pytest.approx(ratio.values[0], rel=1e-3)  # both in rad/m


def test_the_demo_vehicle_sums_to_its_known_mass(shared_data: Path) -> None:
    """The assembly of the demo vehicle, with the three-wheeler's folder as acar_shared: 1540.09 kg, 1400.46 sprung."""
    folder = real(shared_data, "SLIIT_Demo_ThreeWheeler.cdb")
    assembly = read_assembly(real(shared_data, "MDI_Demo_Vehicle.asy"), {"acar_shared": folder})
    assert assembly.mass == pytest.approx(1540.09, abs=5e-3)
    assert sum(subsystem.sprung_mass for subsystem in assembly.subsystems) == pytest.approx(1400.46, abs=5e-3)
    centres = []
    for minor_role in ("front", "rear"):
        (suspension,) = assembly.with_role("suspension", minor_role)
        centres.append({point.name: point.position for point in suspension.hardpoints}["wheel_center"])
    front, rear = centres
    assert rear[0] - front[0] == pytest.approx(2.560)
    assert (-2 * front[1], -2 * rear[1]) == pytest.approx((1.520, 1.594))


@pytest.mark.parametrize("name", ["fsae_full_vehicle.asy", "asy_file_test.asy", "*leaf_suspension_assembly.asy"])
def test_assemblies_without_their_database_name_every_missing_subsystem(shared_data: Path, name: str) -> None:
    file = real(shared_data, name)
    count = file.read_text().count("[SUBSYSTEM]")
    first, *lines = errors_of(file).splitlines()
    assert f"{count} file" in first
    assert len(lines) == count > 0
    assert all("is not known; it is the subsystem of the " in line for line in lines)
    assert all("(give the folder of the database" in line for line in lines)

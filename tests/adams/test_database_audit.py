"""Audit of an assembly: copies of a bundled car with one thing wrong each, and the real three-wheeler."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trackrod import vehicle as vehicle_package
from trackrod.adams.audit import audit_database, audit_with_places
from trackrod.adams.vehicle import read_vehicle
from trackrod.core.errors import Problem, Severity
from trackrod.vehicle.audit import audit

BUNDLED = sorted(Path(vehicle_package.__path__[0]).glob("bundled/*.cdb/assemblies.tbl/*.asy"))
FRONT = "subsystems.tbl/front_suspension.sub"
DAMPER = """\
[DAMPER_ASSEMBLY]
 USAGE          =  'ride_damper'
 SYMMETRY       =  'right'
 PROPERTY_FILE  =  '<double_wishbone_car>/dampers.tbl/{}_ride_damper.dpr'
"""


class Copy:
    """A copy of the double wishbone car that can be damaged."""

    def __init__(self, folder: Path) -> None:
        (source,) = (file.parent.parent for file in BUNDLED if file.stem == "double_wishbone_car")
        self.root = folder / source.name
        shutil.copytree(source, self.root)
        self.assembly = self.root / "assemblies.tbl/double_wishbone_car.asy"

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.root / file).read_text()
        assert old in text
        (self.root / file).write_text(text.replace(old, new, 1))

    def append(self, file: str, text: str) -> None:
        (self.root / file).write_text((self.root / file).read_text() + text)

    def line(self, file: str, text: str) -> int:
        """Line of the first occurrence of a text."""
        before, found, _ = (self.root / file).read_text().partition(text)
        assert found
        return before.count("\n") + 1

    def files(self) -> tuple[Problem, ...]:
        """What the files show that matters more than a note."""
        problems = audit_database(self.assembly, read_vehicle(self.assembly))
        return tuple(problem for problem in problems if problem.severity is not Severity.NOTE)

    def placed(self) -> tuple[Problem, ...]:
        return audit_with_places(self.assembly, read_vehicle(self.assembly))


@pytest.fixture
def car(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.mark.parametrize("file", BUNDLED, ids=[file.stem for file in BUNDLED])
def test_bundled_vehicles_can_be_simulated(file: Path) -> None:
    reading = read_vehicle(file)
    found = (*audit_database(file, reading), *audit_with_places(file, reading))
    assert not [str(problem) for problem in found if problem.severity is Severity.ERROR]


def test_a_sound_database_passes(car: Copy) -> None:
    assert car.files() == ()
    assert {problem.severity for problem in car.placed()} == {Severity.NOTE}


def test_a_subsystem_in_other_units(car: Copy) -> None:
    """In grams: the same numbers, so that everything else stays as it is."""
    car.change("subsystems.tbl/brakes.sub", "'kg'", "'gram'")
    (problem,) = car.files()
    assert (problem.severity, problem.place.file) == (Severity.WARNING, car.root / "subsystems.tbl/brakes.sub")
    assert "mass in gram instead of kilogram" in problem.text


def test_a_property_file_in_other_units_is_a_note(car: Copy) -> None:
    car.change("dampers.tbl/front_ride_damper.dpr", "'kg'", "'slug'")
    assert car.files() == ()
    notes = audit_database(car.assembly, read_vehicle(car.assembly))
    (problem,) = (problem for problem in notes if problem.place.file == car.root / "dampers.tbl/front_ride_damper.dpr")
    assert "mass in slug instead of kilogram" in problem.text


@pytest.mark.parametrize(("side", "other"), [("left", "right"), ("right", "left")])
def test_a_record_of_one_side(car: Copy, side: str, other: str) -> None:
    line = car.line(FRONT, "[DAMPER_ASSEMBLY]")
    old = " USAGE          =  'ride_damper'\n SYMMETRY       =  'left/right'"
    car.change(FRONT, old, old.replace("left/right", side))
    (problem,) = car.files()
    assert (problem.place.file, problem.place.line) == (car.root / FRONT, line)
    assert f"the damper 'ride_damper' is given for the {side} side only" in problem.text
    assert f"add a record of the {other} side" in problem.hint


@pytest.mark.parametrize(("axle", "count"), [("front", 0), ("rear", 1)])
def test_property_files_of_both_sides(car: Copy, axle: str, count: int) -> None:
    old = " USAGE          =  'ride_damper'\n SYMMETRY       =  'left/right'"
    car.change(FRONT, old, old.replace("left/right", "left"))
    car.append(FRONT, DAMPER.format(axle))
    found = car.files()
    assert len(found) == count
    for problem in found:
        line = car.line(FRONT, "rear_ride_damper")
        assert "'front_ride_damper.dpr' on the left side and 'rear_ride_damper.dpr' on the right side" in problem.text
        assert problem.text.endswith(f"line {line}")
        assert problem.place.line == car.line(FRONT, "front_ride_damper.dpr")


def test_coincident_hardpoints_with_both_lines(car: Copy) -> None:
    row = " 'lca_front'        'left/right'"
    values = (car.root / FRONT).read_text().partition(row)[2].partition("\n")[0]
    car.change(FRONT, row, f" 'arm_front' 'left/right' {values}\n{row}")
    (problem,) = (problem for problem in car.placed() if "both hardpoints are at" in problem.text)
    first = car.line(FRONT, " 'arm_front'")
    assert (problem.severity, problem.place.line) == (Severity.NOTE, first)
    assert problem.text.endswith(f"'front_suspension.lca_front_left' is on line {first + 1}")


def test_findings_stand_at_their_records(car: Copy) -> None:
    """A part with impossible inertia, and a damper whose curve does not pass through zero."""
    part = car.line(FRONT, "[PART_ASSEMBLY]")
    car.change(FRONT, "IXX                      =  1152000.0", "IXX  =  9152000.0")
    car.change("dampers.tbl/front_ride_damper.dpr", "     0.0      0.0", "     0.0    140.0")
    found = car.placed()
    assert found[0].severity is Severity.ERROR
    assert found[0].place.line == part
    assert "body 'front_suspension.subframe': principal moments of inertia" in found[0].text
    (damper,) = (problem for problem in found if "the force at rest is 140 N" in problem.text)
    assert (damper.place.file, damper.place.line) == (car.root / FRONT, car.line(FRONT, "[DAMPER_ASSEMBLY]"))
    (whole,) = (problem for problem in found if "freedoms" in problem.text)
    assert whole.place.file == car.assembly


def test_places_change_nothing_else(car: Copy) -> None:
    plain = audit(read_vehicle(car.assembly).vehicle)
    assert [(p.severity, p.text, p.hint) for p in plain] == [(p.severity, p.text, p.hint) for p in car.placed()]


def test_the_three_wheeler(shared_data: Path) -> None:
    """Tyres too large for the rear wheel centres, struts almost without inertia: each where the files say it."""
    found = sorted(shared_data.rglob("MDI_Demo_ThreeWheeler.asy"))
    if not found:
        pytest.skip("the three-wheeler is not among the third-party data")
    reading = read_vehicle(found[0], stand_in=True)
    problems = (*audit_database(found[0], reading), *audit_with_places(found[0], reading))
    assert not [str(problem) for problem in problems if problem.severity is Severity.ERROR]
    messages = [f"{p.place.file.name}:{p.place.line}: {p.text}" for p in problems if p.place.file]
    for part in (
        "free radius of the tyre 326 mm; rear: wheel centre at 247 mm, free radius of the tyre 341 mm",
        "TW_Rear_Suspension.sub:82: body 'TW_Rear_Suspension.lower_strut_left', 'TW_Rear_Suspension.lower_strut_right'",
        "16 = 6 of the body + 8 of the axles + 2 of the steering",
        "mdi_0001.tcf:None: length in foot instead of millimeter",
    ):
        assert any(part in message for message in messages), part

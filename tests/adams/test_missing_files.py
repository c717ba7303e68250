"""Databases that lack files or hold wrong ones: what is missing and what for, stand-ins, nothing lost in silence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trackrod.adams.property_files import (
    read_bumpstop,
    read_bushing,
    read_damper,
    read_differential,
    read_engine_map,
    read_reboundstop,
    read_spring,
    read_steering_assist,
)
from trackrod.adams.source import open_vehicle
from trackrod.adams.stand_ins import STAND_INS
from trackrod.adams.vehicle import VehicleReading, read_vehicle
from trackrod.core.artefact import Artefact, Provenance
from trackrod.core.errors import InputError, MissingFileError, Problem, Severity
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import VEHICLE

FRONT = "subsystems.tbl/front_suspension.sub"
TYRE = "tires.tbl/car_205_55_r16_front.tir"


class Copy:
    """A copy of a bundled database that can be changed."""

    def __init__(self, folder: Path, name: str = "double_wishbone_car") -> None:
        source = BUNDLED[name]
        self.root = folder / source.database.name
        shutil.copytree(source.database, self.root)
        self.assembly = self.root / source.assembly.relative_to(source.database)

    def replace_line(self, file: str, key: str, new: str) -> int:
        """Put `new` in place of the only line that begins with the key; its number."""
        lines = (self.root / file).read_text().splitlines()
        (index,) = (i for i, line in enumerate(lines) if line.split("=")[0].strip() == key)
        lines[index] = new
        (self.root / file).write_text("\n".join(lines) + "\n")
        return index + 1

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.root / file).read_text()
        assert text.count(old) >= 1
        (self.root / file).write_text(text.replace(old, new))

    def errors(self) -> tuple[Problem, ...]:
        with pytest.raises(InputError) as caught:
            read_vehicle(self.assembly)
        return caught.value.problems


@pytest.fixture
def car(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def shown_warnings(reading: VehicleReading) -> list[str]:
    return [problem.text for problem in reading.problems if problem.severity is Severity.WARNING]


# ------------------------------------------------------------------------------------------- what is missing


def test_one_message_names_all_that_is_missing(car: Copy) -> None:
    names = ("dampers.tbl/front_ride_damper.dpr", TYRE, "powertrains.tbl/engine.pwr")
    for name in names:
        (car.root / name).unlink()
    first, *files = car.errors()
    assert "3 files are not found that the assembly needs" in first.text
    assert "--stand-in" in first.hint
    for name, use in zip(names, ("damper 'ride_damper'", "tyre 'wheel'", "engine map 'engine'"), strict=True):
        (problem,) = (p for p in files if Path(name).name in p.text)
        assert f"it is for the {use.split()[0]}" in problem.text
        assert problem.severity is Severity.ERROR
        assert problem.place.line is not None


def test_a_file_of_many_stands_in_the_message_once(car: Copy) -> None:
    (bushing, *_) = sorted((car.root / "bushings.tbl").glob("*.bus"))
    bushing.unlink()
    first, *files = car.errors()
    assert "1 file is not found" in first.text
    assert len(files) == 1
    assert files[0].text.count("the bushing '") == sum(
        (car.root / "subsystems.tbl" / name).read_text().count(f"/{bushing.name}'")
        for name in (path.name for path in (car.root / "subsystems.tbl").iterdir())
    )


def test_subsystems_are_named_with_what_they_are(car: Copy) -> None:
    (car.root / "subsystems.tbl/rear_suspension.sub").unlink()
    (car.root / TYRE).unlink()
    car.change(
        "assemblies.tbl/double_wishbone_car.asy",
        " USAGE  =  '<double_wishbone_car>/subsystems.tbl/rear_suspension.sub'",
        "$  Major Role : suspension\n$  Minor Role : rear\n"
        " USAGE  =  '<double_wishbone_car>/subsystems.tbl/rear_suspension.sub'",
    )
    with pytest.raises(MissingFileError) as caught:
        read_vehicle(car.assembly, stand_in=False)
    texts = [problem.text for problem in caught.value.problems]
    assert "2 files are not found" in texts[0]
    assert "it is the subsystem of the rear suspension" in texts[1]
    assert "it is for the tyre" in texts[2]


# ------------------------------------------------------------------------------------------- stand-ins


def test_stand_ins_hold_what_the_documentation_says() -> None:
    spring, problems = read_spring(STAND_INS["spring"])
    assert (spring.curve.slope(0.0), spring.free_length) == pytest.approx((30e3, 0.35))
    assert not problems
    damper, problems = read_damper(STAND_INS["damper"])
    assert damper.curve.slope(0.0) == pytest.approx(1500.0)
    assert not problems
    for read, name in ((read_bumpstop, "bump stop"), (read_reboundstop, "rebound stop")):
        stop, problems = read(STAND_INS[name])
        assert stop.curve.slope(0.01) == pytest.approx(200e3)
        assert not problems
    bushing, problems = read_bushing(STAND_INS["bushing"])
    assert [curve.slope(0.0) for curve in bushing.curves[:3]] == pytest.approx([5e6] * 3)
    assert [curve.slope(0.0) for curve in bushing.curves[3:]] == pytest.approx([114.6] * 3, rel=1e-3)
    assert bushing.damping == pytest.approx((5e3, 5e3, 5e3, 1.146, 1.146, 1.146), rel=1e-3)
    assert not problems
    engine, problems = read_engine_map(STAND_INS["engine map"])
    assert (engine.torque.min(), engine.torque.max(), engine.speed[-1]) == pytest.approx(
        (-40.0, 200.0, 628.3), rel=1e-4
    )
    assert not problems
    differential, problems = read_differential(STAND_INS["differential"])
    assert not differential.curve.y.any()
    assert not problems
    assistance, problems = read_steering_assist(STAND_INS["steering assistance"])
    assert not assistance.pressure.y.any()
    assert not problems
    assert read_tir(STAND_INS["tyre"]).name == "car_mf61"


def test_stand_ins_make_a_vehicle_and_mark_it(car: Copy) -> None:
    tables = ("springs", "dampers", "bumpstops", "reboundstops", "bushings", "tires", "powertrains", "differentials")
    for table in (*tables, "steering_assists"):
        shutil.rmtree(car.root / f"{table}.tbl")
    reading = open_vehicle(car.assembly, stand_in=True)
    assert reading.vehicle.name == "double_wishbone_car_with_stand_ins"
    assert not [str(p) for p in reading.problems if p.severity is Severity.ERROR]
    said = [text for text in shown_warnings(reading) if text.startswith("stand-in: ")]
    for what in STAND_INS:
        assert any(f"the {what} '" in text and STAND_INS[what].name in text for text in said), what
    saved = Artefact(VEHICLE, reading.vehicle, Provenance.of(reading.files_read))
    assert {"stand_in_bushing.bus", "stand_in_engine.pwr"} <= {item.name for item in saved.provenance.inputs}


def test_a_complete_database_has_no_mark() -> None:
    reading = read_vehicle(BUNDLED["double_wishbone_car"].assembly, stand_in=True)
    assert reading.vehicle.name == "double_wishbone_car"


def test_nothing_stands_in_for_a_leaf_spring(tmp_path: Path) -> None:
    van = Copy(tmp_path, "lcv_7t")
    (van.root / "leaf_springs.tbl/rear_leaf.ltf").unlink()
    with pytest.raises(MissingFileError, match="it is for the leaf spring"):
        read_vehicle(van.assembly, stand_in=True)


# ------------------------------------------------------------------------------------------- faults keep their cause


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("UNLOADED_RADIUS", "-0.3", "UNLOADED_RADIUS = -0.3 must be greater than zero"),
        ("PKY1", "nan", "PKY1 = nan is not a finite number"),
    ],
)
def test_a_wrong_tyre_keeps_its_cause(car: Copy, key: str, value: str, says: str) -> None:
    line = car.replace_line(TYRE, key, f" {key} = {value}")
    cause, wheel, *others = car.errors()
    assert (cause.place.file, cause.place.line) == (car.root / TYRE, line)
    assert says in cause.text
    assert "the wheel 'fl' has no tyre: 'car_205_55_r16_front.tir' could not be read" in wheel.text
    assert not others


# ------------------------------------------------------------------------------------------- nothing in silence


def add_switch(car: Copy, switch: str, value: int) -> None:
    row = next(line for line in (car.root / FRONT).read_text().splitlines() if "'subframe_active'" in line)
    car.change(FRONT, row, f"{row}\n '{switch}'  'single'  'integer'  {value}")


@pytest.mark.parametrize("value", [0, 1])
def test_a_switch_that_no_template_knows_is_a_warning(car: Copy, value: int) -> None:
    add_switch(car, "wing_active", value)
    found = [text for text in shown_warnings(read_vehicle(car.assembly)) if "wing_active" in text]
    assert found == ["subsystem 'front_suspension': the switch 'wing_active' = 1 is left out of account"] * value


@pytest.mark.parametrize(("value", "severity"), [(None, Severity.WARNING), (1, Severity.WARNING), (0, Severity.NOTE)])
def test_an_element_without_place_is_a_warning_unless_it_is_switched_off(
    car: Copy, value: int | None, severity: Severity
) -> None:
    text = (car.root / FRONT).read_text()
    start = text.index("[BUSHING_ASSEMBLY]")
    end = text.index("[", start + 1)
    name = next(line for line in text[start:end].splitlines() if "USAGE" in line)
    record = text[start:end].replace(name, " USAGE = 'wing'")
    (car.root / FRONT).write_text(text[:start] + record + text[start:])
    if value is not None:
        add_switch(car, "wing_active", value)
    (found,) = (p for p in read_vehicle(car.assembly).problems if "bushing 'wing' has no place" in p.text)
    assert found.severity is severity
    assert (found.place.file, found.place.line) == (car.root / FRONT, text[:start].count("\n") + 1)


@pytest.mark.parametrize("header", [True, False])
def test_a_binary_template_is_called_one(car: Copy, header: bool) -> None:
    head = "[MDI_HEADER]\n FILE_TYPE = 'tpl'\n FILE_FORMAT = 'binary'\n HEADER_SIZE = 4\n" if header else ""
    (car.root / "templates.tbl").mkdir()
    file = car.root / "templates.tbl/_double_wishbone.tpl"
    file.write_bytes(head.encode() + b"\x00\x01\x02\x00" * 64)
    found = [text for text in shown_warnings(read_vehicle(car.assembly)) if "binary" in text]
    assert found == ["the template '_double_wishbone.tpl' is binary and can be read by Adams only"] * 2
    file.rename(car.root / "templates.tbl/_unknown.tpl")
    car.change(FRONT, "_double_wishbone.tpl", "_unknown.tpl")
    car.change(FRONT, "'lca_front'", "'another_point'")
    assert any("no template answers '_unknown.tpl', which is binary" in p.text for p in car.errors())

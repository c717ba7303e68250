"""Half vehicles: a suspension assembly or a suspension subsystem alone, against the same axle of the whole vehicle."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.source import open_vehicle
from trackrod.adams.vehicle import VehicleReading
from trackrod.core.artefact import Artefact, Provenance, load, save
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError, Severity
from trackrod.kc import programme
from trackrod.kc.rig import Rig
from trackrod.report.vehicle import write_vehicle_page
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.difference import differences
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.systems import Surroundings
from trackrod.vehicle.vehicle import VEHICLE, Vehicle

NAME = "double_wishbone_car"
DATABASE = BUNDLED[NAME].assembly.parent.parent
HEAD = BUNDLED[NAME].assembly.read_text().partition("[SUBSYSTEM]")[0].replace("full_vehicle", "suspension")
FRONT = ("front_suspension", "steering", "front_anti_roll_bar")
RIG = """[TESTRIG]
 USAGE  =  '__MDI_SUSPENSION_TESTRIG'
[PARAMETER]
{parameter_name                  symmetry       type       value}
 'brake_ratio                 '  'single    '   'real'     0.65
 'cg_height                   '  'single    '   'real'     540.0
 'testrig_tire_property_file  '  'single    '   'string'   'RIGID_WHEEL'
 'testrig_wheel_radius        '  'single    '   'real'     310.0
 'tire_stiffness              '  'single    '   'real'     220.0
 'wheelbase                   '  'single    '   'real'     2700.0
"""


def assembly(folder: Path, *subsystems: str, rig: str = RIG) -> Path:
    blocks = [f"[SUBSYSTEM]\n USAGE  =  '<{NAME}>/subsystems.tbl/{name}.sub'\n" for name in subsystems]
    path = folder / "half.asy"
    path.write_text(HEAD + "".join(blocks) + rig)
    return path


def read(folder: Path, *subsystems: str, rig: str = RIG) -> VehicleReading:
    return open_vehicle(assembly(folder, *subsystems, rig=rig), {NAME: DATABASE}, half=True)


@cache
def whole() -> Vehicle:
    return open_vehicle(NAME).vehicle


def test_an_axle_stands_on_the_rig_as_that_of_the_whole_vehicle(tmp_path: Path) -> None:
    half = read(tmp_path, *FRONT, "front_wheels").vehicle
    assert half.is_half
    assert [wheel.corner for wheel in half.wheels] == [Corner.FL, Corner.FR]
    tests = [programme.parallel(Rig(v, Axle.FRONT), [-0.03, 0.0, 0.03]) for v in (half, whole())]
    assert [c.name for c in tests[0].columns] == [c.name for c in tests[1].columns]
    for column in tests[0].columns:
        np.testing.assert_allclose(column.values, tests[1][column.name], rtol=1e-9, atol=1e-9, err_msg=column.name)


def test_the_test_rig_tells_what_the_axle_does_not_have(tmp_path: Path) -> None:
    reading = read(tmp_path, *FRONT)
    half = reading.vehicle
    assert half.surroundings == Surroundings(wheelbase=2.7, cg_height=0.54, front_brake_share=0.65)
    assert half.wheelbase == pytest.approx(2.7)
    rig = Rig(half.with_mode(Mode.KINEMATIC), Axle.FRONT)
    # free radius 310 mm less the load over 220 N/mm
    np.testing.assert_allclose(rig.radii, 0.310 - rig.design_loads / 220e3, rtol=1e-9)
    assert rig.steered
    assert not [p for p in reading.problems if p.severity is Severity.ERROR]


def test_a_suspension_alone_is_not_steered_and_says_what_it_assumes(tmp_path: Path) -> None:
    reading = open_vehicle(DATABASE / "subsystems.tbl" / "rear_suspension.sub", half=True)
    half = reading.vehicle
    assert (half.name, half.axles[0].position) == ("rear_suspension", Axle.REAR)
    assert any("a free radius of 300 mm" in p.text and p.severity is Severity.WARNING for p in reading.problems)
    with pytest.raises(InputError, match="wheelbase is not known"):
        _ = half.wheelbase
    with pytest.raises(InputError, match="it has no front axle"):
        half.wheel(Corner.FL)
    write_vehicle_page(half, reading.problems, tmp_path / "half.html")
    assert "Half vehicle rear_suspension" in (tmp_path / "half.html").read_text()
    save(Artefact(VEHICLE, half, Provenance()), tmp_path / "half.json")
    assert not differences(half, load(tmp_path / "half.json", VEHICLE).content)
    assert open_vehicle(tmp_path / "half.json", half=True).vehicle.is_half


def test_a_suspension_of_any_axle_is_the_front_one(tmp_path: Path) -> None:
    text = (DATABASE / "subsystems.tbl" / "rear_suspension.sub").read_text()
    path = tmp_path / "any.sub"
    path.write_text(re.sub(r"(MINOR_ROLE\s*=\s*)'rear'", r"\1'any'", text))
    reading = open_vehicle(path, {NAME: DATABASE}, half=True)
    assert reading.vehicle.axles[0].position is Axle.FRONT
    assert any("is taken as the front axle" in problem.text for problem in reading.problems)


def test_where_a_whole_vehicle_is_needed_half_a_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is half a vehicle, a front axle alone; a full vehicle is needed"):
        open_vehicle(assembly(tmp_path, *FRONT), {NAME: DATABASE})


@pytest.mark.parametrize(
    ("subsystems", "rig", "says"),
    [
        (("front_suspension", "rear_suspension"), RIG, "half a vehicle has one suspension, 'half' has 2"),
        (("steering",), RIG, "half a vehicle has one suspension, 'half' has 0"),
        (FRONT, RIG.replace("2700.0", "-2700.0"), "wheelbase = -2.7 must be finite and greater than zero"),
        (FRONT, RIG.replace("0.65", "1.65"), "front_brake_share = 1.65 is not a share"),
        (FRONT, RIG.replace("310.0", "0.0"), "'testrig_wheel_radius' must be greater than 0"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, subsystems: tuple[str, ...], rig: str, says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)) as caught:
        read(tmp_path, *subsystems, rig=rig)
    assert all(problem.place.file is not None for problem in caught.value.problems)


def test_only_a_suspension_can_stand_for_itself() -> None:
    with pytest.raises(InputError, match="a subsystem of the role 'steering'; only a suspension"):
        open_vehicle(DATABASE / "subsystems.tbl" / "steering.sub", half=True)

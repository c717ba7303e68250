"""Forces over travel by closed form, and the simple transverse leaf tuned to the leaf of beams."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simple_axles import CHASSIS, TRAILING_PIVOT, WHEEL, trailing_arm, vehicle_on
from typer.testing import CliRunner

from trackrod.adams.vehicle import read_vehicle
from trackrod.cli.vehicle import app
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.quantities import KINDS
from trackrod.kc import programme
from trackrod.kc.leaf_tuning import LEAF_FORCES, tune_leaf
from trackrod.kc.rig import Rig
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.connectors import TravelForce
from trackrod.vehicle.vehicle import Vehicle

TRAVEL = np.linspace(-0.05, 0.05, 11)


def test_a_force_over_travel_loads_the_wheel_by_its_lever() -> None:
    """On a trailing arm a force F forward at the height h of the wheel centre loads the wheel by F·h'/l, by moments."""
    curve = Characteristic(TRAVEL, 500.0 + 2e4 * TRAVEL, KINDS["length"], KINDS["force"])
    plain = vehicle_on(trailing_arm)
    wheel = next(wheel for wheel in plain.wheels if wheel.corner == "rl")
    upright = wheel.body.replace("spindle", "upright")
    ways = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    force = TravelForce("rear_suspension.push", (upright, CHASSIS), wheel.centre, *ways, curve)
    pushed = replace(plain, travel_forces=(force,))
    before, after = (programme.parallel(Rig(v, Axle.REAR), TRAVEL)["Fz_left"] for v in (plain, pushed))
    length, rise = TRAILING_PIVOT[0], WHEEL[1] - TRAILING_PIVOT[1]
    radius = np.hypot(length, rise)
    height = rise + TRAVEL  # of the wheel centre over the pivot
    along = np.sqrt(radius**2 - height**2)
    np.testing.assert_allclose(after - before, -(500.0 + 2e4 * TRAVEL) * height / along, atol=0.5)


def leaf(simplified: int) -> Vehicle:
    return read_vehicle(BUNDLED["integral_link"].assembly, parameters={"leaf_simplified": simplified}).vehicle


FORCE = """\
[NSPRING_ASSEMBLY]
 USAGE          =  '{name}'
 SYMMETRY       =  'left/right'
 PROPERTY_FILE  =  '<integral_link>/springs.tbl/rear_{name}.spr'
 VALUE_TYPE     =  'installed_length'
 USER_VALUE     =  1000.0
"""


def simplified(folder: Path) -> Vehicle:
    """The database with the leaf of springs, whose files the command has written."""
    root = Path(shutil.copytree(BUNDLED["integral_link"].database, folder / "integral_link.cdb"))
    command = ["tune-leaf", "integral_link", "--axle", "rear", "--travel-mm", "50", "--out", str(root / "springs.tbl")]
    result = CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False)
    assert set(json.loads(result.stdout)["files"]) == {"leaf_vertical", "leaf_roll", *LEAF_FORCES}
    file = root / "subsystems.tbl" / "rear_suspension.sub"
    text = re.sub(r"('leaf_simplified' +'single' +'integer' +)0", r"\g<1>1", file.read_text(encoding="utf-8"))
    file.write_text(text + "".join(FORCE.format(name=name) for name in LEAF_FORCES), encoding="utf-8")
    return read_vehicle(root / "assemblies.tbl" / "integral_link.asy").vehicle


def test_springs_and_forces_over_travel_do_what_the_leaf_of_beams_does(tmp_path: Path) -> None:
    """Tuned by the command, read from its files; without them the toe goes the other way."""
    tuned, beams, plain = simplified(tmp_path), leaf(0), leaf(1)
    assert tuned.axle(Axle.REAR).freedoms == 4
    assert len(tuned.travel_forces) == 4
    between = np.linspace(-0.045, 0.045, 7)
    tests = [programme.parallel(Rig(vehicle, Axle.REAR), between) for vehicle in (beams, tuned, plain)]
    for quantity, allowed in (("Fz_left", 5.0), ("toe_left", 1e-5), ("camber_left", 1e-5), ("tx_left", 1e-5)):
        wanted, found, before = (test[quantity] for test in tests)
        rest, was = np.abs(found - wanted).max(), np.abs(before - wanted).max()
        assert rest < min(allowed, 0.1 * was), quantity
    roll = [programme.opposite(Rig(vehicle, Axle.REAR), [0.0])["wheel_rate_left"][0] for vehicle in (beams, tuned)]
    assert roll[1] == pytest.approx(roll[0], rel=1e-3)


def test_what_has_no_leaf_is_refused() -> None:
    beams, simple = leaf(0), leaf(1)
    with pytest.raises(InputError, match="no springs 'leaf_vertical'"):
        tune_leaf(beams, beams, Axle.REAR, TRAVEL)
    with pytest.raises(InputError, match="no leaf of beams"):
        tune_leaf(simple, simple, Axle.REAR, TRAVEL)

"""Forces over travel by closed form, and the simple transverse leaf tuned to the leaf of beams."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simple_axles import CHASSIS, TRAILING_PIVOT, WHEEL, trailing_arm, vehicle_on

from trackrod.adams.property_files import read_spring
from trackrod.adams.spring_file import write_spring
from trackrod.adams.vehicle import read_vehicle
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
    return read_vehicle(BUNDLED["integral_link"].assembly, switches={"leaf_simplified": simplified}).vehicle


def test_springs_and_forces_over_travel_do_what_the_leaf_of_beams_does(tmp_path: Path) -> None:
    """Without the forces over travel the toe goes the other way."""
    beams, simple = leaf(0), leaf(1)
    assert simple.axle(Axle.REAR).freedoms == 4
    tuned = tune_leaf(beams, simple, Axle.REAR, TRAVEL)
    between = np.linspace(-0.045, 0.045, 7)
    tests = [programme.parallel(Rig(v, Axle.REAR), between) for v in (beams, tuned.vehicle, simple)]
    for quantity, allowed in (("Fz_left", 25.0), ("toe_left", 1e-4), ("camber_left", 3e-4), ("tx_left", 2e-4)):
        wanted, found, plain = (test[quantity] for test in tests)
        rest, was = np.abs(found - wanted).max(), np.abs(plain - wanted).max()
        assert rest < allowed, quantity
        assert rest < 0.3 * was, quantity
    roll = [programme.opposite(Rig(v, Axle.REAR), [0.0])["wheel_rate_left"][0] for v in (beams, tuned.vehicle)]
    assert roll[1] == pytest.approx(roll[0], rel=1e-3)
    assert set(tuned.springs) == {"leaf_vertical", "leaf_roll", *LEAF_FORCES}
    path = tmp_path / "springs.tbl" / "rear_leaf_lateral.spr"
    write_spring(tuned.springs["leaf_lateral"], path, "side force")
    read, problems = read_spring(path)
    assert problems == ()
    np.testing.assert_allclose(read.curve.y, tuned.springs["leaf_lateral"].curve.y, atol=0.01)


def test_what_has_no_leaf_is_refused() -> None:
    beams, simple = leaf(0), leaf(1)
    with pytest.raises(InputError, match="no springs 'leaf_vertical'"):
        tune_leaf(beams, beams, Axle.REAR, TRAVEL)
    with pytest.raises(InputError, match="no leaf of beams"):
        tune_leaf(simple, simple, Axle.REAR, TRAVEL)

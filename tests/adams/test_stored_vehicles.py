"""The stored vehicle is the one that the measurements on the first set were made with."""

from __future__ import annotations

import pytest

from stored_vehicles import FIRST_CLA_CLASS
from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle
from trackrod.core.errors import Severity
from trackrod.kc import programme
from trackrod.kc.points import Load
from trackrod.kc.rig import Rig


def test_the_first_cla_class_is_as_stiff_as_it_was() -> None:
    reading = read_vehicle(FIRST_CLA_CLASS)
    assert not [problem for problem in reading.problems if problem.severity is not Severity.NOTE]
    vehicle = reading.vehicle
    assert vehicle.mass_properties.mass == pytest.approx(1643.0, abs=0.01)
    test = programme.loads(Rig(vehicle, Axle.FRONT), Load.FX_CENTRE, [-500.0, 0.0, 500.0])
    recession = (test["tx_left"][8] - test["tx_left"][6]) / 1e3
    assert 1e6 * recession == pytest.approx(0.528, abs=0.002)

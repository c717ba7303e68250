"""The whole vehicle behind a model is the one that was converted, and a model can be given other numbers."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Corner
from trackrod.core.errors import UnknownNameError
from trackrod.tune.whole import Whole, with_whole
from trackrod.workflow.stages.convert import convert_directly


@pytest.mark.parametrize("name", ["cla_class", "lcv_7t"])
def test_it_is_the_vehicle_that_was_converted(name: str) -> None:
    vehicle = open_vehicle(name).vehicle
    whole, given = Whole.of(convert_directly(vehicle).spec), vehicle.mass_properties
    assert whole.mass == pytest.approx(given.mass, rel=1e-9)
    assert whole.cg_to_front == pytest.approx(vehicle.wheel(Corner.FL).centre[0] - given.centre[0], abs=2e-3)
    assert whole.Izz == pytest.approx(given.inertia_about(np.array(given.centre))[2, 2], rel=2e-3)


def test_a_model_gets_the_numbers_that_are_asked_for() -> None:
    spec = convert_directly(open_vehicle("cla_class").vehicle).spec
    before = Whole.of(spec)
    wanted = {"mass": before.mass + 150.0, "cg_height": before.cg_height - 0.02, "Izz": 1.1 * before.Izz}
    found = Whole.of(with_whole(spec, wanted))
    for key, value in {**wanted, "cg_to_front": before.cg_to_front}.items():
        assert getattr(found, key) == pytest.approx(value, rel=1e-5)


def test_a_number_that_a_vehicle_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="wheelbase"):
        with_whole(convert_directly(open_vehicle("cla_class").vehicle).spec, {"wheelbase": 2.7})

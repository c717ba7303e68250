"""Where the axles stand, and a factor of the springs that leaves them there."""

from __future__ import annotations

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.convert.round_trip import ModelRig
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.catalogue import BUNDLED

NAMES = tuple(BUNDLED)
STIFFER = {f"spring_factor_{axle}": 1.2 for axle in Axle}


def stands(spec: RtmSpec) -> tuple[dict[Corner, float], dict[Corner, float]]:
    """Wheel loads [N] and travels [m] at rest."""
    model = RealTimeVehicle(spec)
    loads = model.settle()
    rows = model.advance_rows(np.zeros((10, 4)), 10)
    read = model.reading(rows[-1])
    return loads, {corner: read(signals.WHEEL_TRAVEL[corner].column) for corner in Corner}


@pytest.mark.parametrize("name", NAMES)
def test_travels_by_the_balance_of_moments_are_those_of_both_models(name: str) -> None:
    """Of an axle as a whole: an engine that lies across leans the compact car by 2.3 mm to its left at each wheel."""
    spec = spec_of(name)
    by_settling, reference = stands(spec)[1], MultibodyVehicle(vehicle(name)).settle().travels
    assert by_settling == pytest.approx(reference, abs=1e-3)
    for axle in Axle:
        found = spec.parameters[f"standing_travel_{axle}"]
        for travels, close in ((by_settling, 3e-4), (reference, 1e-3)):
            assert np.mean([travels[Corner.of(axle, side)] for side in Side]) == pytest.approx(found, abs=close)


@pytest.mark.parametrize("name", [NAMES[0], NAMES[-1]])
def test_a_stiffer_vehicle_stands_as_it_did(name: str) -> None:
    loads, travels = stands(spec_of(name))
    stiffer_loads, stiffer_travels = stands(spec_of(name).with_parameters(**STIFFER))
    assert stiffer_loads == pytest.approx(loads, rel=1e-3)
    assert stiffer_travels == pytest.approx(travels, abs=1e-4)


@pytest.mark.parametrize("axle", Axle)
def test_the_change_of_the_load_grows_by_the_factor(axle: Axle) -> None:
    """The pads of the rig feel the standing load and 1.2 times what is added to it; stops have no part in it."""
    name = NAMES[0]
    plain, stiffer = (
        ModelRig(spec_of(name).with_parameters(stop_factor_front=0.0, stop_factor_rear=0.0, **factors), axle)
        for factors in ({}, STIFFER)
    )
    at = spec_of(name).parameters[f"standing_travel_{axle}"]
    rest = plain.load(at, at)[0]
    assert stiffer.load(at, at)[0] == pytest.approx(rest, rel=1e-9)
    for travel in (-0.03, 0.01, 0.04):
        change = plain.load(at + travel, at + travel)[0] - rest
        assert abs(change) > 50.0
        assert stiffer.load(at + travel, at + travel)[0] - rest == pytest.approx(1.2 * change, rel=1e-6)

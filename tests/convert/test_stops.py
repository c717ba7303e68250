"""Stops of a solid axle stand closer together than its wheels: the mechanism on the rig, and the real-time model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from asymmetric_vehicles import VAN, maps, vehicle
from trackrod.convert.conversion import convert
from trackrod.convert.round_trip import ModelRig
from trackrod.convert.vehicle_data import vehicle_data
from trackrod.core.corners import Axle, Corner
from trackrod.kc.maps import stiffness_map
from trackrod.kc.rig import Rig
from trackrod.rtm.spec import RtmSpec
from vehicle_by_hand import pad_forces

Array = NDArray[np.float64]

#: Parallel travel, fine enough for the curves of stops and far enough to press them [m].
PARALLEL = np.linspace(-0.12, 0.12, 25)
#: Travels of the left and the right wheel: parallel and opposite ones together, and both ways round [m].
TRAVELS = np.array([(p + o, p - o) for p in (-0.09, -0.06, 0.06, 0.075) for o in (-0.04, -0.02, 0.02, 0.04)])


def of_stops(model: RtmSpec) -> Array:
    """Part of the stops in the loads of the rear pads [N]."""
    rig = ModelRig(model, Axle.REAR)
    whole, bare = (np.column_stack(rig.load(*TRAVELS.T, stops=stops)) for stops in (True, False))
    return np.asarray(whole - bare)


def test_stops_in_roll_and_heave_are_those_of_the_mechanism() -> None:
    """Left and right stops differ in place and clearance; over the travels of their wheels they are far off."""
    exact, bare = (pad_forces(VAN, Axle.REAR, TRAVELS, stops=stops) for stops in (True, False))
    exact = exact - bare
    rear = replace(maps(VAN)[Axle.REAR], ride=stiffness_map(Rig(vehicle(VAN), Axle.REAR), PARALLEL, opposed=False))
    spec = convert(vehicle(VAN), {**maps(VAN), Axle.REAR: rear}).spec
    wheels = tuple(replace(wheel, bump_base=1.0, rebound_base=1.0) for wheel in spec.wheels)
    off, far_off = (np.abs(of_stops(model) - exact).max() for model in (spec, replace(spec, wheels=wheels)))
    assert off < 0.1 * np.abs(exact).max() < 0.1 * far_off


def test_stops_stand_where_the_database_has_them() -> None:
    """Upright on the beam a stop has the base of its place over the track; one in a damper leans towards the middle."""
    van = vehicle("lcv_7t")
    found = vehicle_data(van).stop_bases
    assert set(found) == {Corner.RL, Corner.RR}
    [bump] = [stop for stop in van.stops if stop.name == "rear_suspension.jounce_stop_left"]
    for bases in found.values():
        assert bases.bump == pytest.approx(bump.ends[0][1] / van.wheel(Corner.RL).centre[1], rel=0.01)
        assert 0.0 < bases.rebound < bases.bump

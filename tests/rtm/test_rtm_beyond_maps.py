"""Where a run leaves the maps: what is told, against the signals of the run, on an asymmetric van with narrow maps."""

from __future__ import annotations

import numpy as np
import pytest

from asymmetric_vehicles import VAN, vehicle
from trackrod.convert.conversion import convert
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.kc.study import KcSettings, characterise
from trackrod.rtm.driving import RealTimeVehicle

TRAVEL, RACK = 0.01, 0.004
#: Of an axle without rack the map gives 0.6 of the travel to parallel and 0.4 to opposite travel.
PARALLEL, OPPOSITE = 0.6 * TRAVEL, 0.4 * TRAVEL
#: Opposite travel of the tests, which give the anti-roll bar.
OPPOSITE_TEST = 0.75 * TRAVEL


def test_every_variable_is_told_when_it_leaves_its_map() -> None:
    narrow = KcSettings(travel=np.linspace(-TRAVEL, TRAVEL, 3), rack=np.linspace(-RACK, RACK, 3), map_points=3)
    found = {axle: characterise(vehicle(VAN), axle, narrow).maps for axle in Axle}
    spec = convert(vehicle(VAN), {axle: maps for axle, maps in found.items() if maps is not None}).spec
    model = RealTimeVehicle(spec)
    model.settle()
    model.start(15.0)
    t = 1e-3 * np.arange(1, 2501)
    run = model.advance(1.2 * np.sin(2.0 * t), 0.1, np.clip(t - 1.0, 0.0, 0.5), 0, every=10)
    fl, fr, rl, rr = (run[signals.WHEEL_TRAVEL[corner]] for corner in Corner)
    variables = {
        "travel of front left": (fl, TRAVEL),
        "travel of front right": (fr, TRAVEL),
        "rack travel": (run[signals.RACK_TRAVEL], RACK),
        "opposite travel of front": ((fl - fr) / 2, OPPOSITE_TEST),
        "travel of rear left": (rl, TRAVEL),
        "travel of rear right": (rr, TRAVEL),
        "parallel travel of rear": ((rl + rr) / 2, PARALLEL),
        "opposite travel of rear": ((rl - rr) / 2, OPPOSITE),
    }
    told = {entry["variable"]: entry for entry in run.metadata["beyond_maps"]}
    left = {name for name, (values, edge) in variables.items() if np.abs(values).max() > edge}
    assert left == set(told) >= {"travel of front left", "travel of front right", "opposite travel of rear"}
    for name in left:
        values, edge = variables[name]
        over = np.abs(values) - edge
        assert told[name]["samples"] == np.count_nonzero(over > 0)
        assert told[name]["first"] == int(np.argmax(over > 0))
        assert told[name]["farthest_m"] == pytest.approx(over.max(), abs=1e-12)

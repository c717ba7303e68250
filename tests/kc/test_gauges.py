"""Readings of springs, dampers, stops and torsion springs on the rig, against the places of the bodies they join."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asymmetric_vehicles import NAMES, vehicle
from trackrod.core.corners import Axle, Side
from trackrod.kc.measure import Gauge, gauges, measure
from trackrod.kc.rig import Inputs, Rig, Solution
from vehicle_by_hand import place_of, turn_of


def expected(rig: Rig, solution: Solution, gauge: Gauge) -> np.ndarray:
    of = rig.vehicle
    for line in (*of.springs, *of.dampers, *of.stops):
        if line.name == gauge.element:
            one, two = (place_of(rig, solution, *end) for end in zip(line.bodies, line.ends, strict=True))
            return np.linalg.norm(one - two, axis=1)
    [spring] = [spring for spring in of.torsion_springs if spring.name == gauge.element]
    first, second = (turn_of(rig, solution, body) for body in spring.bodies)
    axis = np.array(spring.axis)
    across = np.cross(axis, [0.3, -0.5, 0.8])
    across /= np.linalg.norm(across)
    # a mark on the first body, seen from the second: how far it has turned about the axis
    mark = second.inv().apply(first.apply(across))
    return np.arctan2(mark @ np.cross(axis, across), mark @ across)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axle", list(Axle))
def test_every_gauge_reads_its_own_element(name: str, axle: Axle) -> None:
    rig = Rig(vehicle(name), axle)
    of = gauges(rig)
    left, right = np.array([-0.05, 0.0, 0.03, 0.06]), np.array([-0.02, 0.0, 0.05, 0.01])
    solution = rig.sweep(Inputs.of(np.column_stack((left, right))))
    assert solution.solved.all()
    readings = measure(rig, solution, of).readings
    for i, gauge in enumerate(of):
        twisted = gauge.kind.name == "angle"  # rubber bends a bar a little, which a rotation vector counts in part
        assert readings[:, i] == pytest.approx(expected(rig, solution, gauge), abs=2e-4 if twisted else 1e-9), gauge
        assert np.ptp(readings[:, i]) > 5e-3, gauge
        if gauge.side is not None:
            other = Side.RIGHT if gauge.side is Side.LEFT else Side.LEFT
            assert gauge.element.endswith(f"_{gauge.side}")
            assert gauge.name.replace(f"_{gauge.side}", f"_{other}", 1) in [each.name for each in of]
    assert {gauge.side for gauge in of} >= set(Side)


def test_what_has_no_side_belongs_to_the_side_where_it_lies() -> None:
    car = vehicle(NAMES[1])
    names = {"front_suspension.ride_damper_left": "near", "front_suspension.ride_damper_right": "far"}
    renamed = tuple(
        replace(d, name=f"front_suspension.{names[d.name]}", side=None) if d.name in names else d for d in car.dampers
    )
    found = {gauge.element: gauge for gauge in gauges(Rig(replace(car, dampers=renamed), Axle.FRONT))}
    for name, side in (("near", Side.LEFT), ("far", Side.RIGHT)):
        gauge = found[f"front_suspension.{name}"]
        assert (gauge.side, gauge.name) == (side, f"damper_length_{side}")

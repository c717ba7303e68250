"""The vehicle at rest: wheel loads and the height of the centre of gravity, against closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import converted
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.standing import StandingHeight, StandingLoads, standing_height, wheel_loads


@pytest.fixture(scope="module")
def spec() -> RtmSpec:
    return converted("double_wishbone_car").spec


def test_a_heavier_vehicle_stands_lower(spec: RtmSpec) -> None:
    """50 kg more at the centre of gravity: it sinks by what springs and tyres in a row give under its share of them."""
    more = 50.0
    heavy = spec.with_parameters(sprung_mass=spec.parameters["sprung_mass"] + more)
    p, x = spec.parameters, [wheel.centre[0] for wheel in spec.wheels]
    share_rear = p["cg_to_front"] / (x[0] - x[2])
    sinks = [
        share * more * p["gravity"] / 2.0 / _stiffness(spec, i) for i, share in ((0, 1.0 - share_rear), (2, share_rear))
    ]
    expected = sinks[0] + share_rear * (sinks[1] - sinks[0])
    assert standing_height(spec) - standing_height(heavy) == pytest.approx(expected, rel=0.05)
    # the height that is given moves the centre of gravity and nothing else
    higher = spec.with_parameters(cg_height=p["cg_height"] + 0.02)
    assert standing_height(higher) - standing_height(spec) == pytest.approx(0.02, abs=1e-4)


def test_the_height_does_not_depend_on_where_the_road_is_drawn(spec: RtmSpec) -> None:
    down = np.array([0.0, 0.0, -0.3])
    wheels = tuple(replace(wheel, centre=tuple(wheel.centre + down)) for wheel in spec.wheels)
    moved = replace(spec, wheels=wheels, road_height=spec.road_height - 0.3)
    assert standing_height(moved) == pytest.approx(standing_height(spec), abs=1e-6)


def _stiffness(spec: RtmSpec, i: int) -> float:
    """Of a wheel's spring and tyre in a row, where it stands [N/m]."""
    wheel, axle = spec.wheels[i], ("front", "front", "rear", "rear")[i]
    travel = spec.parameters[f"standing_travel_{axle}"]
    force = sum(
        (np.interp(travel + 2e-3, curve.x, curve.y) - np.interp(travel - 2e-3, curve.x, curve.y)) / 4e-3
        for curve in (wheel.spring, wheel.stops)
        if curve.x.size
    )
    tyre = sum(spec.tyres[place.tyre].coefficients["VERTICAL_STIFFNESS"] for place in wheel.tyres)
    return float(1.0 / (1.0 / force + 1.0 / tyre))


def test_the_interval_is_that_of_the_ends(spec: RtmSpec) -> None:
    low, high = (spec.with_parameters(cg_height=spec.parameters["cg_height"] + d) for d in (-0.01, 0.03))
    found = StandingHeight.of(spec, high, (high, low))
    assert found.interval == (pytest.approx(found.nominal - 0.01, abs=1e-4), pytest.approx(found.tuned))
    assert found.change_pct == pytest.approx(3.0 / found.nominal, rel=0.01)


def test_loads_are_compared_over_the_mean_of_a_wheel() -> None:
    reference = np.array([4000.0, 4000.0, 3000.0, 3000.0])
    skew = np.array([35.0, -35.0, 0.0, 0.0])
    heavy = StandingLoads("standing", False, reference, 1.1 * reference, reference + skew)
    assert heavy.nominal_pct == pytest.approx(10.0 * np.sqrt(2 * (16 + 9) / 4) / 3.5)
    assert heavy.tuned_pct == pytest.approx(1.0 / np.sqrt(2.0))


def test_loads_of_a_run_are_those_of_its_first_sample() -> None:
    time = np.array([0.0, 0.1])
    columns = {signals.FZ[corner].column: np.array([1000.0 + k, 0.0]) for k, corner in enumerate(Corner)}
    found = wheel_loads(Run({signals.TIME.column: time, **columns}, {}))
    assert found is not None
    assert found.tolist() == [1000.0, 1001.0, 1002.0, 1003.0]
    assert wheel_loads(Run({signals.TIME.column: time}, {})) is None

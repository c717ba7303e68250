"""Kinematics with less detail, against the maps they come from; and where a round trip looks between the knots."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from asymmetric_vehicles import CAR, SMALL, vehicle
from trackrod.convert.conversion import Detail, convert
from trackrod.convert.round_trip import _halfway
from trackrod.core.corners import Axle
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import characterise
from trackrod.rtm.spec import WheelSpec


@cache
def maps() -> dict[Axle, KcMaps]:
    """With less travel of the rack to one side: knots that are not those of the wheels by another factor."""
    settings = replace(SMALL, rack=np.array([-0.04, -0.02, 0.0, 0.015, 0.03]))
    found = {axle: characterise(vehicle(CAR), axle, settings).maps for axle in Axle}
    return {axle: each for axle, each in found.items() if each is not None}


@cache
def wheels(detail: Detail) -> tuple[WheelSpec, ...]:
    return convert(vehicle(CAR), maps(), detail=detail).spec.wheels


@pytest.mark.parametrize("corner", range(4))
def test_straight_lines_and_sums_agree_with_the_map_through_the_design_position(corner: int) -> None:
    whole, sums, lines = (
        wheels(detail)[corner] for detail in (Detail.TWO_DIMENSIONAL, Detail.ONE_DIMENSIONAL, Detail.LINEAR)
    )
    for other in (sums, lines):
        assert np.array_equal(other.first, whole.first)
        assert np.array_equal(other.second, whole.second)
    i, j = int(np.flatnonzero(whole.first == 0.0)[0]), int(np.flatnonzero(whole.second == 0.0)[0])
    given = whole.kinematics
    np.testing.assert_allclose(sums.kinematics[:, j], given[:, j], atol=1e-15)
    np.testing.assert_allclose(sums.kinematics[i], given[i], atol=1e-15)
    mixed = np.diff(np.diff(sums.kinematics, axis=0), axis=1)
    np.testing.assert_allclose(mixed, 0.0, atol=1e-15)
    by_first = (given[i + 1, j] - given[i - 1, j]) / (whole.first[i + 1] - whole.first[i - 1])
    by_second = (given[i, j + 1] - given[i, j - 1]) / (whole.second[j + 1] - whole.second[j - 1])
    for k, first in enumerate(whole.first):
        for m, second in enumerate(whole.second):
            expected = given[i, j] + first * by_first + second * by_second
            np.testing.assert_allclose(lines.kinematics[k, m], expected, atol=1e-14)
    assert np.abs(by_first).max() > 0.1


def test_halfway_is_in_the_middle_of_two_knots() -> None:
    assert _halfway(np.array([0.0, 2.0, 6.0])).tolist() == [1.0, 4.0]

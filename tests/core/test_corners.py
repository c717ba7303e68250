"""The four corners and their order."""

import pytest

from trackrod.core.corners import Axle, Corner, Side


def test_order() -> None:
    assert [str(corner) for corner in Corner] == ["fl", "fr", "rl", "rr"]
    assert [corner.index for corner in Corner] == [0, 1, 2, 3]


def test_axle_and_side() -> None:
    assert [corner.axle for corner in Corner] == ["front", "front", "rear", "rear"]
    assert [corner.side for corner in Corner] == ["left", "right", "left", "right"]
    assert Side.LEFT.sign == 1  # y points left
    assert Side.RIGHT.sign == -1


@pytest.mark.parametrize("corner", list(Corner))
def test_opposite_is_the_other_side_of_the_same_axle(corner: Corner) -> None:
    assert corner.opposite.opposite is corner
    assert corner.opposite.axle is corner.axle
    assert corner.opposite.side is not corner.side


def test_corner_of_axle_and_side() -> None:
    made = [Corner.of(axle, side) for axle in Axle for side in Side]
    assert made == list(Corner)
    for corner in Corner:
        assert Corner.of(corner.axle, corner.side) is corner

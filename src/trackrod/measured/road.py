"""Recordings on a road that is not level: angles against the road, and the wind from the speed of the air.

An INS shows roll and pitch against the horizon; runs have them against the road, in whose plane their frame E lies.
Where a recording has slope and bank of the road, these are taken off, and put back for a virtual sensor.

Limits: angles count as small against each other: roll adds to the bank, pitch to the slope.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.core.series import Run
from trackrod.core.signals import HEAD_WIND, PITCH, ROAD_BANK, ROAD_SLOPE, ROLL, VX
from trackrod.measured.columns import AIR_SPEED

__all__ = ["against_horizon", "against_road", "with_head_wind"]

Array = NDArray[np.float64]


def against_road(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Roll and pitch against the road, where there are both they and the road's."""
    return _changed(columns, 1.0)


def against_horizon(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Roll and pitch against the horizon, from those against the road."""
    return _changed(columns, -1.0)


def _changed(columns: Mapping[str, Array], sign: float) -> dict[str, Array]:
    # A road that rises ahead lifts the nose: the pitch angle falls. One whose left side is higher is a roll angle.
    of_road = ((ROLL, ROAD_BANK, -sign), (PITCH, ROAD_SLOPE, sign))
    return {
        angle.column: columns[angle.column] + factor * columns[road.column]
        for angle, road, factor in of_road
        if angle.column in columns and road.column in columns
    }


def with_head_wind(run: Run) -> Run:
    """The run with the wind along the vehicle, where it has the speed of the air instead."""
    if HEAD_WIND.column in run or AIR_SPEED.column not in run or VX.column not in run:
        return run
    return Run({**run, HEAD_WIND.column: run[AIR_SPEED] - run[VX]}, run.metadata)

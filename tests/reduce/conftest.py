"""The two axles of the SUV, reduced once for all tests."""

from __future__ import annotations

import pytest

from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Axle
from trackrod.reduce.reduction import AxleReduction, reduce_axle
from trackrod.vehicle.vehicle import Vehicle


@pytest.fixture(scope="session")
def suv() -> Vehicle:
    return open_vehicle("suv").vehicle


@pytest.fixture(scope="session")
def front(suv: Vehicle) -> AxleReduction:
    return reduce_axle(suv, Axle.FRONT)


@pytest.fixture(scope="session")
def rear(suv: Vehicle) -> AxleReduction:
    return reduce_axle(suv, Axle.REAR)

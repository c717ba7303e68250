"""Engines, differentials, converters and steering assistance: what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import RangeError
from trackrod.core.quantities import KINDS
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.driveline import (
    DifferentialCharacteristic,
    EngineMap,
    SteeringAssistCharacteristic,
    TorqueConverterCharacteristic,
)


def line(x_kind: str, y_kind: str) -> Characteristic:
    return Characteristic.linear(1.0, 1.0, KINDS[x_kind], KINDS[y_kind])


def test_parts_refuse_curves_of_another_kind() -> None:
    force_over_length = line("length", "force")
    with pytest.raises(RangeError, match="a differential"):
        DifferentialCharacteristic(force_over_length)
    with pytest.raises(RangeError, match="capacity factor"):
        TorqueConverterCharacteristic(line("number", "number"), force_over_length)


@pytest.mark.parametrize(
    ("throttle", "speed", "torque", "says"),
    [
        ([0.0, 1.0], [0.0, 100.0], [[0.0, 0.0]], r"torque has the shape \(1, 2\), 2 speeds and 2 throttle"),
        ([0.0, 100.0], [0.0, 100.0], np.zeros((2, 2)), "0 to 1 is allowed"),
        ([0.0, 0.0], [0.0, 100.0], np.zeros((2, 2)), "throttle must increase"),
        ([0.0, 1.0], [100.0, 0.0], np.zeros((2, 2)), "speed must increase"),
        ([0.0, 1.0], [0.0, 100.0], np.full((2, 2), np.nan), "torque must be finite"),
    ],
)
def test_tables_that_are_no_engine_map(throttle: object, speed: object, torque: object, says: str) -> None:
    with pytest.raises(RangeError, match=says):
        EngineMap(throttle, speed, torque)  # type: ignore[arg-type]


def test_steering_assist_needs_an_area() -> None:
    pressure = line("angle", "pressure")
    assert SteeringAssistCharacteristic(None, pressure, 5e-4).torsion_bar is None
    with pytest.raises(RangeError, match="piston_area = 0"):
        SteeringAssistCharacteristic(None, pressure, 0.0)

"""Neutral characteristics: what they refuse, and what always holds for curves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import InputError, RangeError
from trackrod.core.quantities import KINDS
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)

LENGTH, FORCE, ANGLE, TORQUE = KINDS["length"], KINDS["force"], KINDS["angle"], KINDS["torque"]


def curve(x: object, y: object, x_kind: str = "length", y_kind: str = "force") -> Characteristic:
    return Characteristic(np.asarray(x), np.asarray(y), KINDS[x_kind], KINDS[y_kind])


numbers = st.integers(-1000, 1000).map(lambda value: value / 8)


@st.composite
def curves(draw: st.DrawFn) -> Characteristic:
    x = sorted(draw(st.sets(numbers, min_size=2, max_size=8)))
    return curve(x, draw(st.lists(numbers, min_size=len(x), max_size=len(x))))


# ------------------------------------------------------------------------------------------------------ curves


@pytest.mark.parametrize(
    ("x", "y", "says"),
    [
        ([0.0], [0.0], "two values or more"),
        ([[0.0, 1.0]], [[0.0, 1.0]], "two values or more"),
        ([0.0, 1.0, 1.0], [0.0, 1.0, 2.0], "1 follows 1"),
        ([0.0, 2.0, 1.0], [0.0, 1.0, 2.0], "1 follows 2"),
        ([0.0, np.nan], [0.0, 1.0], "x of a characteristic must be finite"),
        ([0.0, 1.0], [0.0, np.inf], "y of a characteristic must be finite"),
        ([0.0, 1.0], [0.0, 1.0, 2.0], "shapes"),
    ],
)
def test_points_that_are_no_curve(x: object, y: object, says: str) -> None:
    with pytest.raises(RangeError, match=says):
        curve(x, y)


def test_a_curve_cannot_be_changed() -> None:
    x = np.array([0.0, 1.0])
    made = curve(x, [0.0, 2.0])
    x[0] = 5.0
    assert made.x[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        made.y[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.x = x  # type: ignore[misc]


def test_slopes_by_hand() -> None:
    bent = curve([0.0, 1.0, 3.0], [0.0, 2.0, 12.0])
    assert bent.slope(0.5) == 2.0
    assert bent.slope(2.0) == 5.0
    assert bent.slope(1.0) == 4.0  # over both neighbours: 12 / 3
    assert bent.slope(-7.0) == bent.slope(0.0) == 2.0
    assert bent.slope(99.0) == bent.slope(3.0) == 5.0
    assert bent.mean_slope == 4.0


def test_points_too_close_for_a_slope_give_no_warning() -> None:
    assert curve([0.0, 1e-320], [0.0, 1e9]).slope(0.0) == np.inf


@given(curves(), st.one_of(numbers, st.floats(-200, 200)))
def test_a_slope_lies_between_those_of_the_segments(made: Characteristic, at: float) -> None:
    steps = np.diff(made.y) / np.diff(made.x)
    margin = 1e-12 * np.abs(steps).max()
    assert steps.min() - margin <= made.slope(at) <= steps.max() + margin


@given(curves())
def test_monotone_means_that_sorting_changes_nothing(made: Characteristic) -> None:
    rising = sorted(made.y.tolist())
    assert made.is_monotone == (made.y.tolist() in (rising, rising[::-1]))


@given(curves())
def test_equal_curves_have_equal_hashes(made: Characteristic) -> None:
    again = Characteristic(made.x * 1.0, made.y - 0.0, made.x_kind, made.y_kind)
    assert again == made
    assert hash(again) == hash(made)
    assert made != Characteristic(made.x, made.y + 1.0, made.x_kind, made.y_kind)
    assert made != Characteristic(made.x, made.y, made.x_kind, TORQUE)
    assert hash(curve([-0.0, 1.0], [0.0, 1.0])) == hash(curve([0.0, 1.0], [-0.0, 1.0]))


def test_linear() -> None:
    line = Characteristic.linear(300.0, 0.5, LENGTH, FORCE)
    assert line.x.tolist() == [-0.5, 0.5]
    assert line.y.tolist() == [-150.0, 150.0]
    assert line.slope(0.1) == 300.0


# -------------------------------------------------------------------------------------------------- components


def test_components_refuse_curves_of_another_kind() -> None:
    force_over_length = curve([0, 1], [0, 1])
    with pytest.raises(RangeError, match="a damper is a curve of force over velocity, not of force over length"):
        DamperCharacteristic(force_over_length)
    with pytest.raises(RangeError, match="a spring is a curve of force over length"):
        SpringCharacteristic(curve([0, 1], [0, 1], "velocity"), 0.3)


@pytest.mark.parametrize("length", [0.0, -0.1, np.nan, np.inf])
def test_a_spring_has_a_free_length(length: float) -> None:
    with pytest.raises(RangeError, match="free_length"):
        SpringCharacteristic(curve([0, 1], [0, 1]), length)


def test_a_stop_starts_at_contact() -> None:
    assert StopCharacteristic(curve([0, 1], [0, 1])).curve.x[0] == 0
    with pytest.raises(RangeError, match="must not be negative"):
        StopCharacteristic(curve([-0.1, 1], [0, 1]))


def test_bushing_stiffness_is_the_slope_at_zero() -> None:
    straight = [Characteristic.linear(k, 0.01, LENGTH, FORCE) for k in (1e5, 2e5, 3e5)]
    turning = [Characteristic.linear(k, 0.1, ANGLE, TORQUE) for k in (10.0, 20.0, 30.0)]
    bushing = BushingCharacteristic((*straight, *turning), (0.0,) * 6)
    assert bushing.stiffness == pytest.approx((1e5, 2e5, 3e5, 10.0, 20.0, 30.0), rel=1e-12)
    with pytest.raises(RangeError, match="Tx of a bushing is a curve of torque over angle"):
        BushingCharacteristic((*straight, *straight), (0.0,) * 6)
    with pytest.raises(InputError, match="6 curves and 6 dampings, not 3 and 6"):
        BushingCharacteristic(tuple(straight), (0.0,) * 6)
    with pytest.raises(RangeError, match="damping of a bushing must be finite"):
        BushingCharacteristic((*straight, *turning), (0.0,) * 5 + (np.nan,))

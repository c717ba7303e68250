"""Frames of joints: right-handed, of length one, along the axes that the joints have."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from trackrod.multibody.compile import _cross_frames, _frame_along, _shaft_frames

Array = NDArray[np.float64]


def unit(*vector: float) -> tuple[float, float, float]:
    x, y, z = np.array(vector) / np.linalg.norm(vector)
    return float(x), float(y), float(z)


def check_rotation(frame: Array) -> None:
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0)


@pytest.mark.parametrize("axis", [unit(1, 2, 3), unit(-3, 0.1, 0.4), unit(0.2, -5, 1), unit(0, 0, -1)])
def test_z_lies_along_the_axis(axis: tuple[float, float, float]) -> None:
    frame = _frame_along(axis)
    check_rotation(frame)
    assert frame[:, 2] == pytest.approx(axis)


def test_the_cross_of_a_universal_joint() -> None:
    first, second = unit(1, 0.2, -0.1), unit(-0.2, 1, 0.4)
    one, two = _cross_frames(first, second)
    check_rotation(one)
    check_rotation(two)
    assert one[:, 0] == pytest.approx(first)
    assert two[:, 1] == pytest.approx(second)


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_shafts_of_a_constant_velocity_joint_are_not_twisted(sense: float) -> None:
    """The rotation from one frame to the other is about the normal of both shafts, by the angle between them."""
    first, second = unit(0.1, 1, 0.05), unit(-0.2, 1, 0.3)
    one, two = _shaft_frames(first, tuple(sense * np.array(second)))  # type: ignore[arg-type]
    check_rotation(one)
    check_rotation(two)
    assert one[:, 2] == pytest.approx(first)
    assert two[:, 2] == pytest.approx(second)  # whichever way the second axis points
    turn = two @ one.T
    normal = np.cross(first, second)
    np.testing.assert_allclose(turn @ normal, normal, atol=1e-14)
    assert np.trace(turn) == pytest.approx(1.0 + 2.0 * np.dot(first, second))

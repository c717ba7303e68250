"""The small vector functions of the rig, against those of NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from trackrod.kc.rig import _cross, _matrix, downward


@pytest.mark.parametrize("seed", range(3))
def test_vectors_and_rotations(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 3))
    np.testing.assert_allclose(_cross(a, b), np.cross(a, b), atol=1e-14)
    turn = Rotation.random(random_state=seed)
    np.testing.assert_allclose(_matrix(np.roll(turn.as_quat(), 1)), turn.as_matrix(), atol=1e-14)


def test_the_contact_point_lies_downward_in_the_wheel_plane() -> None:
    axis = Rotation.from_euler("ZX", [0.2, 0.3]).apply([0.0, 1.0, 0.0])
    down = downward(axis)
    assert np.linalg.norm(down) == pytest.approx(1.0)
    assert down @ axis == pytest.approx(0.0, abs=1e-14)
    assert down[2] == pytest.approx(-np.cos(0.3))
    assert np.cross(down, axis)[2] == pytest.approx(0.0, abs=1e-14)  # steepest: the heading of the wheel is level

"""The half turn between ISO 8855 and Adams/Car axes, and the table of signs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from trackrod.core.axes import FRAMES, SIGNS, half_turn_points, half_turn_tensors, half_turn_vectors
from trackrod.core.errors import InputError

NUMBER = st.floats(-1e3, 1e3)
POINTS = arrays(np.float64, (4, 3), elements=NUMBER)
HALF_TURN = Rotation.from_rotvec([0.0, 0.0, np.pi])
# Coordinates reach 1e3 and are added and subtracted once: a few units in the last place of that.
ROUNDING = 1e-12


def test_known_point_and_tensor() -> None:
    # Left front wheel of an Adams/Car file: x rearward, left at negative y.
    assert_array_equal(half_turn_points([0.267, -0.76, 0.33], x_ref=0.267), [0.0, 0.76, 0.33])
    inertia = [[1.0, 2.0, 3.0], [2.0, 5.0, 6.0], [3.0, 6.0, 9.0]]
    assert_array_equal(half_turn_tensors(inertia), [[1.0, 2.0, -3.0], [2.0, 5.0, -6.0], [-3.0, -6.0, 9.0]])


@given(points=POINTS, x_ref=NUMBER)
def test_twice_is_the_identity(points: np.ndarray, x_ref: float) -> None:
    assert_allclose(half_turn_points(half_turn_points(points, x_ref), x_ref), points, rtol=0, atol=ROUNDING)
    assert_array_equal(half_turn_vectors(half_turn_vectors(points)), points)
    assert_array_equal(half_turn_tensors(half_turn_tensors(points[:3])), points[:3])


@given(points=POINTS, x_ref=NUMBER)
def test_it_is_the_proper_rotation_that_scipy_makes(points: np.ndarray, x_ref: float) -> None:
    # Truth from SciPy: R v for vectors, R I R' for tensors; a mirror image would differ in y or z.
    matrix = HALF_TURN.as_matrix()
    assert np.linalg.det(half_turn_vectors(np.eye(3))) == pytest.approx(1.0)
    assert_allclose(half_turn_vectors(points), HALF_TURN.apply(points), rtol=0, atol=ROUNDING)
    turned = HALF_TURN.apply(points) + np.array([x_ref, 0.0, 0.0])
    assert_allclose(half_turn_points(points, x_ref), turned, rtol=0, atol=ROUNDING)
    tensor = points[:3]
    assert_allclose(half_turn_tensors(tensor), matrix @ tensor @ matrix.T, rtol=0, atol=ROUNDING)


@given(points=POINTS, x_ref=NUMBER)
def test_distances_cross_products_and_eigenvalues_are_kept(points: np.ndarray, x_ref: float) -> None:
    turned = half_turn_points(points, x_ref)
    before = np.linalg.norm(points[:, np.newaxis] - points, axis=-1)
    after = np.linalg.norm(turned[:, np.newaxis] - turned, axis=-1)
    assert_allclose(after, before, rtol=0, atol=ROUNDING)
    a, b = half_turn_vectors(points[:2])
    assert_allclose(half_turn_vectors(np.cross(points[0], points[1])), np.cross(a, b), rtol=1e-14)
    tensor = points[:3] + points[:3].T
    kept = np.linalg.eigvalsh(half_turn_tensors(tensor))
    assert_allclose(kept, np.linalg.eigvalsh(tensor), rtol=0, atol=1e-10)


def test_wrong_shape_is_named() -> None:
    with pytest.raises(InputError, match=r"\(\.\.\., 3\) is needed, got \(2,\)"):
        half_turn_points([1.0, 2.0], 0.0)
    with pytest.raises(InputError, match=r"\(\.\.\., 3, 3\) is needed"):
        half_turn_tensors(np.zeros((3, 2)))


def test_input_is_not_changed() -> None:
    points = np.ones((2, 3))
    half_turn_points(points, 5.0)
    assert_array_equal(points, np.ones((2, 3)))


def test_frames_and_signs_are_complete() -> None:
    assert "".join(FRAMES) == "EVWT"
    assert all(key == frame.letter for key, frame in FRAMES.items())
    mirrored = {rule.quantity for rule in SIGNS if rule.mirrors}
    assert {"wheel travel", "toe", "camber", "track change", "caster", "kingpin inclination"} <= mirrored
    assert len({rule.quantity for rule in SIGNS}) == len(SIGNS)

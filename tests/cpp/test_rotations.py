"""Rotations of the core against SciPy, closed forms and algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from trackrod import _core

# A few roundings of double in each component.
ROUNDING = 4e-15

N = 200
ANGLES = (
    0.0,
    1e-300,
    1e-160,
    1e-20,
    1e-8,
    1e-4,
    1e-2,
    0.2,
    0.99,
    1.0,
    1.01,
    1.5708,
    2.0,
    3.0,
    3.14159,
    3.141592653,
)


def random_vectors(angle: float, seed: int = 0) -> np.ndarray:
    axes = np.random.default_rng(seed).normal(size=(N, 3))
    return angle * axes / np.linalg.norm(axes, axis=1, keepdims=True)


def vectors(longest: float) -> st.SearchStrategy[np.ndarray]:
    """One rotation vector (as one row) of at most this length, also short and zero ones."""
    directions = arrays(np.float64, 3, elements=st.floats(-1.0, 1.0)).filter(lambda a: np.linalg.norm(a) > 1e-3)
    sizes = st.one_of(st.floats(0.0, longest), st.sampled_from([0.0, 1e-12, 1e-6, longest]))
    return st.builds(lambda d, s: (s * d / np.linalg.norm(d))[np.newaxis], directions, sizes)


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_log_matrix_and_rotate_against_scipy(angle: float) -> None:
    phi = random_vectors(angle)
    points = np.random.default_rng(1).normal(size=(N, 3))
    reference = Rotation.from_rotvec(phi)
    q = _core.quat_exp(phi)
    np.testing.assert_allclose(q, reference.as_quat(scalar_first=True), atol=ROUNDING, rtol=0)
    np.testing.assert_allclose(_core.quat_to_matrix(q), reference.as_matrix(), atol=ROUNDING, rtol=0)
    np.testing.assert_allclose(_core.rotate(q, points), reference.apply(points), atol=4 * ROUNDING, rtol=0)
    np.testing.assert_allclose(_core.quat_log(q), phi, atol=ROUNDING, rtol=ROUNDING)
    np.testing.assert_allclose(_core.quat_log(-q), phi, atol=ROUNDING, rtol=ROUNDING)


def test_product_against_scipy() -> None:
    first, second = Rotation.random(N, random_state=1), Rotation.random(N, random_state=2)
    ours = _core.quat_product(first.as_quat(scalar_first=True), second.as_quat(scalar_first=True))
    theirs = (first * second).as_matrix()
    np.testing.assert_allclose(_core.quat_to_matrix(ours), theirs, atol=ROUNDING, rtol=0)


def test_matrix_to_quat_against_scipy() -> None:
    """Random rotations, and half turns, where three of the four components may vanish."""
    turns = [np.pi * np.eye(3), random_vectors(np.pi), random_vectors(np.pi - 1e-7), np.zeros((1, 3))]
    matrices = np.concatenate(
        [
            Rotation.random(N, random_state=3).as_matrix(),
            *(Rotation.from_rotvec(t).as_matrix() for t in turns),
        ]
    )
    q = _core.matrix_to_quat(matrices)
    assert (q[:, 0] >= 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, rtol=ROUNDING)
    np.testing.assert_allclose(_core.quat_to_matrix(q), matrices, atol=ROUNDING, rtol=0)


def test_sense_of_rotation() -> None:
    """A positive turn about z takes x forward to y left (ISO 8855: a left turn is positive)."""
    q = _core.quat_exp([[0.0, 0.0, np.pi / 2]])
    np.testing.assert_allclose(_core.rotate(q, [[1.0, 0.0, 0.0]]), [[0.0, 1.0, 0.0]], atol=1e-15)


@given(phi=vectors(3.1), point=arrays(np.float64, (1, 3), elements=st.floats(-10.0, 10.0)))
@settings(max_examples=100)
def test_inverse_rotation(phi: np.ndarray, point: np.ndarray) -> None:
    q, back = _core.quat_exp(phi), _core.quat_exp(-phi)
    np.testing.assert_allclose(_core.quat_conjugate(q), back, atol=1e-16)
    np.testing.assert_allclose(_core.quat_to_matrix(q)[0] @ _core.quat_to_matrix(back)[0], np.eye(3), atol=ROUNDING)
    np.testing.assert_allclose(_core.rotate(back, _core.rotate(q, point)), point, atol=1e-13)


@given(phi=vectors(6.0), point=arrays(np.float64, (1, 3), elements=st.floats(-10.0, 10.0)))
@settings(max_examples=100)
def test_both_signs_are_the_same_rotation(phi: np.ndarray, point: np.ndarray) -> None:
    q = _core.quat_exp(phi)
    np.testing.assert_array_equal(_core.rotate(-q, point), _core.rotate(q, point))
    np.testing.assert_array_equal(_core.quat_to_matrix(-q), _core.quat_to_matrix(q))
    if abs(q[0, 0]) > 1e-9:  # at half a turn the axis has two directions
        np.testing.assert_array_equal(_core.quat_log(-q), _core.quat_log(q))


@given(phi=vectors(3.14))
@settings(max_examples=200)
def test_log_undoes_exp(phi: np.ndarray) -> None:
    np.testing.assert_allclose(_core.quat_log(_core.quat_exp(phi)), phi, atol=ROUNDING)


@given(phi=vectors(6.0), scale=st.floats(1e-3, 1e3))
@settings(max_examples=100)
def test_log_takes_the_short_way_whatever_the_length(phi: np.ndarray, scale: float) -> None:
    q = _core.quat_exp(phi)
    log = _core.quat_log(scale * q)
    assert np.linalg.norm(log) <= np.pi + 1e-12
    np.testing.assert_allclose(_core.quat_to_matrix(_core.quat_exp(log)), _core.quat_to_matrix(q), atol=2 * ROUNDING)
    np.testing.assert_allclose(_core.quat_normalised(scale * q), q, atol=ROUNDING)


@given(phi=vectors(3.0), turn=vectors(3.0), point=arrays(np.float64, (1, 3), elements=st.floats(-5.0, 5.0)))
@settings(max_examples=100)
def test_frame_invariance(phi: np.ndarray, turn: np.ndarray, point: np.ndarray) -> None:
    """Lengths, angles and the rotation itself do not depend on the frame they are written in."""
    q, frame = _core.quat_exp(phi), _core.quat_exp(turn)
    seen = _core.quat_product(_core.quat_product(frame, q), _core.quat_conjugate(frame))
    np.testing.assert_allclose(_core.quat_exp(_core.rotate(frame, phi)), seen, atol=ROUNDING)
    left = _core.rotate(frame, _core.rotate(q, point))
    np.testing.assert_allclose(_core.rotate(seen, _core.rotate(frame, point)), left, atol=1e-13)
    assert np.linalg.norm(left) == pytest.approx(np.linalg.norm(point), abs=1e-14, rel=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.1, 0.9, 1.1, 2.5, 4.0, 6.0])
def test_jacobians_against_the_matrix_exponential(angle: float) -> None:
    """The left Jacobian is the integral of exp(sA), A = skew(phi): a block of exp([[A, 1], [0, 0]])."""
    phi = random_vectors(angle)[:20]
    left, right = _core.left_jacobian(phi), _core.right_jacobian(phi)
    for k, row in enumerate(phi):
        block = np.block([[skew(row), np.eye(3)], [np.zeros((3, 6))]])
        np.testing.assert_allclose(left[k], expm(block)[:3, 3:], atol=2e-14)
    np.testing.assert_allclose(right, np.swapaxes(left, 1, 2), atol=1e-15)
    conditioning = 1.0 + 10.0 * angle
    for jacobian, inverse in (
        (left, _core.left_jacobian_inverse(phi)),
        (right, _core.right_jacobian_inverse(phi)),
    ):
        unit = np.broadcast_to(np.eye(3), jacobian.shape)
        np.testing.assert_allclose(jacobian @ inverse, unit, atol=conditioning * ROUNDING)


@given(phi=vectors(3.0), change=vectors(1.0))
@settings(max_examples=100)
def test_jacobians_turn_rates_into_angular_velocity(phi: np.ndarray, change: np.ndarray) -> None:
    """exp(phi + h d) exp(phi)^-1 turns by h J_left d, and exp(phi)^-1 exp(phi + h d) by h J_right d."""
    h = 1e-6
    forth, back = _core.quat_exp(phi + h * change), _core.quat_exp(phi - h * change)
    from_outside = _core.quat_log(_core.quat_product(forth, _core.quat_conjugate(back)))[0] / (2 * h)
    from_inside = _core.quat_log(_core.quat_product(_core.quat_conjugate(back), forth))[0] / (2 * h)
    np.testing.assert_allclose(_core.left_jacobian(phi)[0] @ change[0], from_outside, atol=1e-8)
    np.testing.assert_allclose(_core.right_jacobian(phi)[0] @ change[0], from_inside, atol=1e-8)


def test_matrix_inverse_against_numpy() -> None:
    matrices = np.random.default_rng(4).normal(size=(N, 3, 3)) + 3.0 * np.eye(3)
    np.testing.assert_allclose(_core.matrix_inverse(matrices), np.linalg.inv(matrices), rtol=1e-10, atol=1e-12)


def test_one_row_goes_with_many() -> None:
    q = _core.quat_exp(random_vectors(1.0))
    point = [[1.0, 2.0, 3.0]]
    np.testing.assert_array_equal(_core.rotate(q, point), _core.rotate(q, np.repeat(point, N, axis=0)))
    np.testing.assert_array_equal(
        _core.rotate(q[:1], np.repeat(point, 5, axis=0)), np.repeat(_core.rotate(q[:1], point), 5, axis=0)
    )
    assert _core.quat_exp(np.empty((0, 3))).shape == (0, 4)


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ValueError, match=r"phi must have the shape \(n, 3\), got \(3,\)"):
        _core.quat_exp([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"R_AB must have the shape \(n, 3, 3\), got \(2, 3\)"):
        _core.matrix_to_quat(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="q_AB has 2 rows, p_B has 3"):
        _core.rotate(np.zeros((2, 4)), np.zeros((3, 3)))

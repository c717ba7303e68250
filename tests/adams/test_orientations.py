"""Body-fixed 3-1-3 angles and rotations that points define, against scipy and files that Adams wrote."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.adams.orientations import along_axis, body313_from_rotation, in_plane, rotation_from_body313

Array = NDArray[np.float64]
ANGLES = st.lists(st.floats(-7, 7), min_size=3, max_size=3)
POINTS = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).map(np.array)


@settings(max_examples=200, deadline=None)
@given(ANGLES)
def test_body313_against_scipy(angles: list[float]) -> None:
    expected = Rotation.from_euler("ZXZ", angles).as_matrix()
    np.testing.assert_allclose(rotation_from_body313(angles), expected, atol=1e-12)
    back = body313_from_rotation(expected)
    assert 0 <= back[1] <= math.pi
    np.testing.assert_allclose(Rotation.from_euler("ZXZ", back).as_matrix(), expected, atol=1e-8)


@pytest.mark.parametrize("angles", [(0.3, 0, 0.4), (0.3, math.pi, 0.4), (0, 0, 0), (1, 1e-10, 2)])
def test_body313_where_two_axes_coincide(angles: tuple[float, float, float]) -> None:
    rotation = Rotation.from_euler("ZXZ", angles).as_matrix()
    np.testing.assert_allclose(rotation_from_body313(body313_from_rotation(rotation)), rotation, atol=1e-9)


def assert_rotation(rotation: Array) -> None:
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)


@settings(max_examples=150, deadline=None)
@given(POINTS, POINTS, st.sampled_from("xyz"))
def test_along_axis_points_where_it_should(start: Array, end: Array, axis: str) -> None:
    assume(np.linalg.norm(end - start) > 1e-3)
    rotation = along_axis(start, end, axis)
    assert_rotation(rotation)
    direction = (end - start) / np.linalg.norm(end - start)
    np.testing.assert_allclose(rotation[:, "xyz".index(axis)], direction, atol=1e-12)
    leaning = 2 if axis == "y" else 1
    if np.linalg.norm(np.delete(direction, leaning)) > 1e-6:
        # The largest component along the global axis that a direction across can have.
        assert rotation[leaning, leaning] == pytest.approx(math.sqrt(max(0, 1 - direction[leaning] ** 2)), abs=1e-9)


@pytest.mark.parametrize(
    ("direction", "axis", "angles"),
    [  # from model files that Adams wrote, and the two examples of its manual (y, and x along −x)
        ((300, -250, 0), "x", (320.1944289077, 0, 0)),
        ((0, 0, -100), "x", (90, 90, 270)),
        ((-0.18, 0.04, 0.14), "x", (270.0, 142.1250163489, 99.9491262972)),
        ((-2, 0, 0), "x", (180, 180, 0)),
        ((1, 1, 0), "y", (315, 0, 0)),
        ((495, 10, 11.5), "z", (91.1573330681, 88.6693967372, 269.9731215442)),
        ((-44, 0, 277), "z", (270.0, 9.0257274148, 90)),
        ((0, -140.5, -53), "z", (0, 110.6676892317, 180)),
        ((0, 901, 0), "z", (180, 90, 180)),
        ((0, -901, 0), "z", (0, 90, 0)),
    ],
)
def test_along_axis_against_adams(direction: object, axis: str, angles: object) -> None:
    expected = Rotation.from_euler("ZXZ", angles, degrees=True).as_matrix()
    np.testing.assert_allclose(along_axis((0, 0, 0), direction, axis), expected, atol=1e-9)


@settings(max_examples=150, deadline=None)
@given(POINTS, POINTS, POINTS, st.permutations("xyz"))
def test_in_plane_points_where_it_should(start: Array, end: Array, point: Array, axes: list[str]) -> None:
    lengths = np.linalg.norm(end - start), np.linalg.norm(point - start)
    assume(min(lengths) > 1e-3)
    assume(np.linalg.norm(np.cross(end - start, point - start)) > 1e-6 * lengths[0] * lengths[1])
    rotation = in_plane(start, end, point, axes[0], axes[1])
    assert_rotation(rotation)
    first, second, third = (rotation[:, "xyz".index(axis)] for axis in axes)
    np.testing.assert_allclose(first, (end - start) / np.linalg.norm(end - start), atol=1e-12)
    assert (point - start) @ second > 0
    assert (point - start) @ third == pytest.approx(0, abs=1e-8 * lengths[1])


def test_in_plane_against_the_example_of_the_manual() -> None:
    rotation = in_plane((100, 100, 0), (300, 300, 0), (350, 100, 0), "z", "y")
    np.testing.assert_allclose(
        rotation, Rotation.from_euler("ZXZ", (135, 90, 90), degrees=True).as_matrix(), atol=1e-12
    )


@pytest.mark.parametrize(
    ("end", "point"), [((44, 0, -277), (88, 0, -554)), ((44, 0, -277), (-44, 0, 277)), ((-44, 0, 277), (44, 0, -277))]
)
def test_in_plane_of_points_on_one_line(end: tuple[float, ...], point: tuple[float, ...]) -> None:
    rotation = in_plane((0, 0, 0), end, point, "z", "x")
    assert_rotation(rotation)
    np.testing.assert_allclose(rotation[:, 0], np.array([277, 0, 44]) / math.hypot(44, 277), atol=1e-12)

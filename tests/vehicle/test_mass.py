"""Mass properties against closed forms and against a cloud of points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from trackrod.core.errors import InputError
from trackrod.vehicle.elements import Body
from trackrod.vehicle.mass import is_possible_inertia, mass_properties


def as_body(name: str, mass: float, centre: np.ndarray, inertia: np.ndarray) -> Body:
    return Body(name, mass, tuple(centre), tuple(map(tuple, inertia)))


def of_points(masses: np.ndarray, points: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Second answer: sums over point masses."""
    mass = masses.sum()
    centre = masses @ points / mass
    r = points - centre
    of_unit_masses = np.einsum("nk,nk,ij->nij", r, r, np.eye(3)) - np.einsum("ni,nj->nij", r, r)
    inertia = np.einsum("n,nij->ij", masses, of_unit_masses)
    return mass, centre, inertia


def test_grouping_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    masses, points = rng.uniform(0.1, 5.0, 60), rng.normal(size=(60, 3))
    groups = np.split(np.arange(60), [7, 20, 41])
    bodies = [as_body(str(i), *of_points(masses[g], points[g])) for i, g in enumerate(groups)]
    total = mass_properties(bodies)
    mass, centre, inertia = of_points(masses, points)
    assert total.mass == pytest.approx(mass)
    np.testing.assert_allclose(total.centre, centre, atol=1e-13)
    np.testing.assert_allclose(total.inertia, inertia, atol=1e-11)
    assert is_possible_inertia(total.inertia)


def test_steiner_closed_form() -> None:
    """A rod of length L about its end has m L²/3, from m L²/12 about its middle."""
    mass, length = 3.0, 1.2
    about_middle = mass * length**2 / 12 * np.diag([0.0, 1.0, 1.0])
    rod = as_body("rod", mass, np.array([length / 2, 0, 0]), about_middle)
    about_end = mass_properties([rod]).inertia_about(np.zeros(3))
    np.testing.assert_allclose(np.diag(about_end), [0.0, mass * length**2 / 3, mass * length**2 / 3], atol=1e-14)


@pytest.mark.parametrize(
    ("moments", "possible"),
    [((1.0, 1.0, 1.0), True), ((1.0, 1.0, 2.0), True), ((1.0, 1.0, 2.1), False), ((-0.1, 1.0, 1.0), False)],
)
def test_triangle_inequality(moments: tuple[float, float, float], possible: bool) -> None:
    turn = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
    assert is_possible_inertia(turn @ np.diag(moments) @ turn.T) is possible


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match="mass of 'arm' is -1"):
        as_body("arm", -1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InputError, match="not symmetric"):
        as_body("arm", 1.0, np.zeros(3), np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]))
    with pytest.raises(InputError, match="something must have mass"):
        mass_properties([as_body("nothing", 0.0, np.zeros(3), np.zeros((3, 3)))])

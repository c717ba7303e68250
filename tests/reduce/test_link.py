"""The one equivalent link against the rig, between the points that it was made of too."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.kc.rig import Rig
from trackrod.reduce.curves import TRAVEL, Curve, LinkReadings, Shape, link_curves, read_link
from trackrod.reduce.reduction import AxleReduction
from trackrod.vehicle.vehicle import Vehicle


@pytest.fixture(scope="module", params=list(Axle), ids=str)
def between(request: pytest.FixtureRequest, suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> tuple:
    """A reduction, and readings of the rig half-way between the points that its curves were made of."""
    found = front if request.param is Axle.FRONT else rear
    height = found.identified.experiment.ride_height
    half = TRAVEL / 60
    rig = Rig(suv, request.param)
    return found, read_link(rig, Corner.of(request.param, Side.LEFT), TRAVEL - half, around=height)


def test_table_and_third_order_follow_the_rig(between: tuple[AxleReduction, LinkReadings]) -> None:
    found, readings = between
    for shape in (Shape.TABLE, Shape.THIRD_ORDER):
        cosines, displacement = found.curves[shape].errors(readings)
        assert cosines < 1e-4
        assert displacement < 1e-4


def test_second_order_is_as_near_as_a_parabola_can_be(between: tuple[AxleReduction, LinkReadings]) -> None:
    """Two orders leave 0.9e-4 (front) and 4.5e-4 (rear) of a direction cosine; displacements are within 0.1 mm."""
    found, readings = between
    cosines, displacement = found.curves[Shape.SECOND_ORDER].errors(readings)
    assert cosines < (1e-4 if found.axle is Axle.FRONT else 5e-4)
    assert displacement < 1e-4
    # no parabola is nearer to the inclination: the distance is the same at four points with changing signs (Chebyshev)
    off = found.curves[Shape.SECOND_ORDER].inclination(found.readings.z) - found.readings.angles[:, 0]
    ends = np.sign(off[np.abs(off) > 0.97 * np.abs(off).max()])
    assert 1 + np.count_nonzero(np.diff(ends)) == 4


def test_nearest_polynomial() -> None:
    """Of a cube by a parabola: Chebyshev's polynomial is left, a quarter of the cube."""
    z = np.linspace(-1.0, 1.0, 201)
    assert np.abs(Curve.nearest(z, z**3, 2)(z) - z**3).max() == pytest.approx(0.25, rel=1e-3)
    np.testing.assert_allclose(Curve.nearest(z, 3.0 + z**2, 2)(z), 3.0 + z**2, atol=1e-12)


def test_lengths_of_spring_and_damper_are_those_of_the_rig(between: tuple[AxleReduction, LinkReadings]) -> None:
    """Also where the coil stands on a link and not on the wheel carrier."""
    found, readings = between
    geometry = found.car.core.geometry(readings.z)
    for k in range(2):
        of_model, of_rig = geometry[:, k, 0], readings.lengths[:, k]
        assert np.abs((of_model - of_model[30]) - (of_rig - of_rig[30])).max() < 2e-5


def test_curves_that_fold_are_refused() -> None:
    with pytest.raises(InputError, match=r"folds: after z = 0.02 m comes 0.01 m"):
        Curve.fitted([0.0, 0.02, 0.01, 0.03, 0.04], np.zeros(5))
    with pytest.raises(InputError, match="4 or more"):
        Curve.fitted([0.0, 0.02], [0.0, 0.0])


def test_another_curve(front: AxleReduction) -> None:
    link = front.curves[Shape.TABLE]
    z = np.linspace(-TRAVEL, TRAVEL, 13)
    flat = link.with_curve("inclination", Curve.fitted(z, np.zeros(13)))
    np.testing.assert_allclose(flat.rotation(z)[:, 2, 1], 0.0, atol=1e-15)
    with pytest.raises(InputError, match=r"slope of 57.3 rad/m"):
        link.with_curve("inclination", Curve.fitted(z, np.degrees(z)))
    with pytest.raises(UnknownNameError, match="camper"):
        link.with_curve("camper", link.x)


def test_slopes_of_curves() -> None:
    z = np.linspace(-0.06, 0.06, 31)
    for shape in Shape:
        curve = Curve.fitted(z, 0.1 * np.sin(20 * z), shape)
        inside = np.linspace(-0.05, 0.05, 7) + 3e-4
        for order in (1, 2):
            step = 1e-5
            difference = (curve(inside + step, order - 1) - curve(inside - step, order - 1)) / (2 * step)
            np.testing.assert_allclose(curve(inside, order), difference, rtol=1e-5, atol=1e-5)


def test_link_of_a_mapping_of_shapes(front: AxleReduction) -> None:
    link = link_curves(front.readings, {"steer": Shape.SECOND_ORDER})
    assert len(link.steer.knots) == 1
    assert len(link.x.knots) == 60

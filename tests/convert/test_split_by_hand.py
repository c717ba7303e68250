"""Masses of a vehicle on simple wishbones, divided by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kc.simple_axles import UNEQUAL_ARMS, body, vehicle_on, wishbones
from trackrod.convert.masses import SplitFactors, split_masses, split_total
from trackrod.core.corners import Corner, Side
from trackrod.core.errors import InputError
from trackrod.vehicle.elements import Role
from trackrod.vehicle.mass import MassProperties

CENTRES = {
    Corner.FL: (1.3, 0.75, 0.31),
    Corner.FR: (1.2, -0.71, 0.29),
    Corner.RL: (-1.5, 0.78, 0.33),
    Corner.RR: (-1.4, -0.74, 0.3),
}
UNSPRUNG, ROLL, YAW, SPIN = (
    dict(zip(Corner, values, strict=True))
    for values in ((30.0, 32.0, 41.0, 45.0), (0.6, 0.7, 0.8, 0.9), (1.1, 1.2, 1.3, 1.4), (0.5, 0.55, 0.6, 0.65))
)


def test_the_sprung_body_is_what_is_left() -> None:
    """Wheels put back give the whole vehicle again: mass, centre and the whole tensor."""
    tensor = np.array([[500.0, 12.0, -40.0], [12.0, 1900.0, 7.0], [-40.0, 7.0, 2100.0]])
    total = MassProperties(1500.0, np.array([0.05, 0.02, 0.55]), tensor)
    found = split_total(total, CENTRES, UNSPRUNG, ROLL, YAW, SPIN)
    assert found.sprung_mass == pytest.approx(1500.0 - 148.0)
    moment = found.sprung_mass * found.sprung_centre + sum(UNSPRUNG[c] * np.array(CENTRES[c]) for c in Corner)
    assert moment / 1500.0 == pytest.approx(total.centre)

    def about(mass: float, place: np.ndarray) -> np.ndarray:
        x, y, z = place - total.centre
        squares = [y * y + z * z, x * x + z * z, x * x + y * y]
        return mass * (np.diag(squares) - np.array([[0.0, x * y, x * z], [x * y, 0.0, y * z], [x * z, y * z, 0.0]]))

    inertia = found.sprung_inertia + about(found.sprung_mass, found.sprung_centre)
    for corner in Corner:
        inertia += about(UNSPRUNG[corner], np.array(CENTRES[corner])) + np.diag([ROLL[corner], 0.0, YAW[corner]])
    np.testing.assert_allclose(inertia, tensor, atol=1e-9)
    assert (found.unsprung, found.roll_inertia, found.yaw_inertia, found.spin_inertia) == (UNSPRUNG, ROLL, YAW, SPIN)
    with pytest.raises(InputError, match="no sprung mass is left"):
        split_total(replace(total, mass=148.0), CENTRES, UNSPRUNG, ROLL, YAW, SPIN)


def test_links_and_driveline_count_by_their_factors() -> None:
    """Upright 4 kg, spindle 12 kg, two arms of 2 kg each; a half shaft in front, a beam off the middle behind."""
    plain = vehicle_on(wishbones(UNEQUAL_ARMS))
    front, rear = (plain.wheel(corner).centre[0] for corner in (Corner.FL, Corner.RL))
    shaft = body("front_suspension.driveshaft_left", (front + 0.1, 0.4, 0.3), 6.0)
    shaft = replace(shaft, side=Side.LEFT, role=Role.DRIVELINE)
    beam = body("rear_suspension.beam", (rear - 0.1, 0.15, 0.3), 10.0)
    far = replace(body("rear_suspension.tail_right", (rear, -1.9, 0.3), 3.0), side=Side.RIGHT)
    sprung = replace(body("rear_suspension.case", (rear, 0.0, 0.3), 50.0), sprung_fraction=1.0)
    vehicle = replace(plain, bodies=(*plain.bodies, shaft, beam, far, sprung))
    found = split_masses(vehicle, SplitFactors(front=0.25, rear=0.5, driveline=0.75))
    left = 0.5 + 0.15 / 1.5  # of the track of 1.5 m
    assert found.unsprung == {
        Corner.FL: pytest.approx(16.0 + 0.25 * 4.0 + 0.75 * 6.0),
        Corner.FR: pytest.approx(16.0 + 0.25 * 4.0),
        Corner.RL: pytest.approx(16.0 + 0.5 * 4.0 + 0.5 * 10.0 * left),
        Corner.RR: pytest.approx(16.0 + 0.5 * 4.0 + 0.5 * 10.0 * (1.0 - left) + 0.5 * 3.0),
    }
    for corner in Corner:  # tensors of upright and spindle about the wheel centre, where both lie
        assert found.spin_inertia[corner] == pytest.approx(0.12)
        assert found.roll_inertia[corner] == found.yaw_inertia[corner] == pytest.approx(0.16)
    assert found.sprung_mass == pytest.approx(vehicle.mass_properties.mass - sum(found.unsprung.values()))
    usual = SplitFactors()
    assert (usual.front, usual.rear, usual.driveline) == (0.5, 0.5, 0.5)

"""Bodies almost without mass get what keeps the equations regular, and no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asymmetric_vehicles import CAR, vehicle
from trackrod.multibody.rigid import SMALLEST_MASS, rigid_groups


@pytest.mark.parametrize(("mass", "kept"), [(0.0, SMALLEST_MASS), (1e-3, SMALLEST_MASS), (0.02, 0.02)])
def test_a_light_body_is_given_the_smallest_mass(mass: float, kept: float) -> None:
    of = vehicle(CAR)
    name = next(group.names[0] for group in rigid_groups(of)[0] if len(group.names) == 1)
    bodies = tuple(replace(body, mass=mass) if body.name == name else body for body in of.bodies)
    [group] = [group for group in rigid_groups(replace(of, bodies=bodies))[0] if group.names == (name,)]
    assert group.mass == pytest.approx(kept)

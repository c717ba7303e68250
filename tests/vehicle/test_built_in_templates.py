"""Every built-in suspension moves as it should: each side has its travel and the spin of its wheel, nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from geometries import GEOMETRIES, both_sides, on_ground

from trackrod.core.corners import Side
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.instantiate import instantiate
from trackrod.vehicle.mobility import mobility
from trackrod.vehicle.template import load_templates

TEMPLATES = load_templates()


def test_every_suspension_has_a_geometry() -> None:
    """A new suspension template needs a geometry here, and so its freedoms checked."""
    assert set(GEOMETRIES) == {name for name, template in TEMPLATES.items() if template.role == "suspension"}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_travel_and_spin_and_nothing_else(name: str) -> None:
    template = TEMPLATES[name]
    instance = instantiate(template, both_sides(GEOMETRIES[name]), {}, Mode.KINEMATIC)
    found = mobility(instance.bodies, on_ground(instance.joints, tuple(template.mounts)))
    assert (found.freedoms, found.redundant) == (4, 0), found.moving()


@pytest.mark.parametrize("name", GEOMETRIES)
def test_wheel_centre_goes_up_and_down(name: str) -> None:
    """Of the motions of one side, the largest vertical one lifts the wheel centre more than it moves it sideways."""
    template = TEMPLATES[name]
    instance = instantiate(template, both_sides(GEOMETRIES[name]), {}, Mode.KINEMATIC)
    found = mobility(instance.bodies, on_ground(instance.joints, tuple(template.mounts)))
    body, centre, _ = instance.wheels[Side.LEFT]
    index = found.bodies.index(body)
    twist = found.motions.reshape(found.freedoms, -1, 6)[:, index]
    velocity = twist[:, :3] + np.cross(twist[:, 3:], centre)
    directions = np.linalg.svd(velocity)[2][0]  # the only way the wheel centre can go
    assert abs(directions[2]) > 0.9
    assert np.linalg.matrix_rank(velocity, tol=1e-6) == 1


@pytest.mark.parametrize("name", GEOMETRIES)
def test_compliant_mode_has_a_bushing_for_every_kinematic_joint(name: str) -> None:
    template = TEMPLATES[name]
    points = both_sides(GEOMETRIES[name])
    kinematic = instantiate(template, points, {}, Mode.KINEMATIC)
    compliant = instantiate(template, points, {}, Mode.COMPLIANT)
    lost = {frozenset(j.bodies) for j in kinematic.joints} - {frozenset(j.bodies) for j in compliant.joints}
    assert lost <= {frozenset(bushing.bodies) for bushing in compliant.bushings}

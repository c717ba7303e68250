"""Bodies that move as one: mass, centre and inertia of groups and spins together are those of the vehicle."""

from __future__ import annotations

import numpy as np
import pytest

from asymmetric_vehicles import CAR, VAN, vehicle
from trackrod.core.corners import Corner
from trackrod.multibody.rigid import SMALLEST_INERTIA, rigid_groups
from trackrod.vehicle.catalogue import BUNDLED


def about(mass: float, centre: np.ndarray, inertia: np.ndarray, point: np.ndarray) -> np.ndarray:
    d = centre - point
    return np.asarray(inertia + mass * (d @ d * np.eye(3) - np.outer(d, d)))


@pytest.mark.parametrize("name", [*BUNDLED, VAN, CAR])
def test_the_spin_of_a_wheel_is_taken_from_its_carrier(name: str) -> None:
    """The group of each wheel against the sum of its bodies: they differ by the spins, about the wheels' axes.

    A wheel turns about its axis by itself; if the carrier kept that inertia, it would be there twice.
    """
    of = vehicle(name)
    groups, spins = rigid_groups(of)
    bodies = {body.name: body for body in of.bodies}
    for group in groups:
        turning = [spin for spin in spins if spin.wheel.body in group.names]
        if not turning:
            continue
        point = np.array(turning[0].wheel.centre)
        parts = [bodies[part] for part in group.names]
        whole = sum(about(b.mass, np.array(b.centre), np.array(b.inertia), point) for b in parts)
        spun = sum(spin.inertia * np.outer(spin.wheel.axis, spin.wheel.axis) for spin in turning)
        assert np.abs(whole - about(group.mass, group.centre, group.inertia, point) - spun).max() < 1e-9
    assert {spin.wheel.corner for spin in spins} == set(Corner)


@pytest.mark.parametrize("name", [*BUNDLED, VAN, CAR])
def test_groups_and_spins_together_are_the_vehicle(name: str) -> None:
    of = vehicle(name)
    groups, spins = rigid_groups(of)
    total = of.mass_properties
    whole = sum(about(group.mass, group.centre, group.inertia, total.centre) for group in groups)
    whole = whole + sum(spin.inertia * np.outer(spin.wheel.axis, spin.wheel.axis) for spin in spins)
    # bodies without mass get a little, so that the equations have a solution
    assert np.abs(whole - total.inertia).max() < 1e-4 * np.abs(total.inertia).max()
    assert all(np.linalg.eigvalsh(group.inertia)[0] >= 0.999 * SMALLEST_INERTIA for group in groups)


def test_both_wheels_of_a_side_have_their_own_spin() -> None:
    """Unequal wheels: each spin is the one of its own rotor."""
    of = vehicle(VAN)
    _, spins = rigid_groups(of)
    found = {spin.wheel.corner: spin.inertia for spin in spins}
    heavy = 0.15 * of.body("rear_wheels.outer_wheel_right").inertia[1][1]
    assert found[Corner.RL] - found[Corner.RR] == pytest.approx(heavy, rel=1e-9)

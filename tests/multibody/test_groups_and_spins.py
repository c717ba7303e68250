"""Bodies that move as one: nothing of the vehicle is lost or counted twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kc.simple_axles import CHASSIS, swing_axle, vehicle_on, wishbones
from trackrod.core.corners import Corner
from trackrod.multibody.rigid import SMALLEST_INERTIA, SMALLEST_MASS, rigid_groups
from trackrod.vehicle.elements import Body, Vector
from trackrod.vehicle.mass import mass_properties
from trackrod.vehicle.vehicle import Vehicle


def uneven(vehicle: Vehicle) -> Vehicle:
    """Every body with a mass and a tensor of its own, and none in the middle plane."""
    random = np.random.default_rng(7)

    def changed(body: Body) -> Body:
        half = random.normal(size=(3, 3))
        tensor = half @ half.T
        tensor = 0.05 * (np.trace(tensor) * np.eye(3) - tensor) + 0.02 * np.eye(3)
        centre: Vector = tuple(np.add(body.centre, random.normal(scale=0.03, size=3)).tolist())
        return replace(
            body, mass=float(random.uniform(2.0, 30.0)), centre=centre, inertia=tuple(map(tuple, tensor.tolist()))
        )

    return replace(vehicle, bodies=tuple(map(changed, vehicle.bodies)))


@pytest.fixture(scope="module")
def vehicle() -> Vehicle:
    return uneven(vehicle_on(swing_axle))


def test_mass_centre_and_inertia_of_groups_and_spins_are_those_of_the_vehicle(vehicle: Vehicle) -> None:
    groups, spins = rigid_groups(vehicle)
    total = vehicle.mass_properties
    mass = sum(group.mass for group in groups)
    assert mass == pytest.approx(total.mass)
    assert sum(group.mass * group.centre for group in groups) / mass == pytest.approx(total.centre)
    inertia = np.zeros((3, 3))
    for group in groups:
        r = group.centre - total.centre
        inertia += group.inertia + group.mass * (r @ r * np.eye(3) - np.outer(r, r))
    for spin in spins:
        inertia += spin.inertia * np.outer(spin.wheel.axis, spin.wheel.axis)
    np.testing.assert_allclose(inertia, total.inertia, atol=1e-9)


def test_a_wheel_turns_with_its_carrier_but_for_its_spin(vehicle: Vehicle) -> None:
    groups, spins = rigid_groups(vehicle)
    assert [spin.wheel.corner for spin in spins] == list(Corner)
    for spin in spins:
        wheel, axis = spin.wheel, np.array(spin.wheel.axis)
        rotor = mass_properties([vehicle.body(wheel.body)])
        assert spin.inertia == pytest.approx(float(axis @ rotor.inertia_about(np.array(wheel.centre)) @ axis))
        (group,) = [group for group in groups if wheel.body in group.names]
        assert len(group.names) > 1  # the carrier too
        both = mass_properties([vehicle.body(name) for name in group.names])
        np.testing.assert_allclose(group.inertia, both.inertia - spin.inertia * np.outer(axis, axis), atol=1e-12)
        assert group.centre == pytest.approx(both.centre)
        assert group.mass == pytest.approx(both.mass)


def test_what_is_carried_moves_with_the_body(vehicle: Vehicle) -> None:
    uprights = [body.name for body in vehicle.bodies if "upright" in body.name]
    apart, _ = rigid_groups(vehicle)
    (alone,) = [group for group in apart if CHASSIS in group.names]
    assert alone.names == (CHASSIS,)
    carried, _ = rigid_groups(vehicle, uprights)
    (chassis,) = [group for group in carried if CHASSIS in group.names]
    assert set(uprights) <= set(chassis.names)
    assert len(carried) == len(apart) - len(uprights)


def test_bodies_without_mass_get_the_smallest() -> None:
    vehicle = vehicle_on(wishbones((((0.35, 0.20), (0.70, 0.20)), ((0.35, 0.40), (0.70, 0.40)))))
    arms = [body.name for body in vehicle.bodies if "lower" in body.name]
    bodies = tuple(replace(b, mass=0.0) if b.name in arms else b for b in vehicle.bodies)
    groups, _ = rigid_groups(replace(vehicle, bodies=bodies))
    for name in arms:
        (group,) = [group for group in groups if group.names == (name,)]
        assert group.mass == SMALLEST_MASS == 0.01
        np.testing.assert_array_equal(group.inertia, SMALLEST_INERTIA * np.eye(3))
        assert group.centre == pytest.approx(vehicle.body(name).centre)
    assert SMALLEST_INERTIA == 1e-5


def test_a_tensor_without_inertia_is_lifted() -> None:
    """A point mass has no tensor: the smallest principal moment becomes the smallest allowed, the others grow alike."""
    vehicle = vehicle_on(wishbones((((0.35, 0.20), (0.70, 0.20)), ((0.35, 0.40), (0.70, 0.40)))))
    name = next(body.name for body in vehicle.bodies if "lower" in body.name)
    rod = ((-2e-5, 0.0, 0.0), (0.0, 3e-5, 0.0), (0.0, 0.0, 4e-5))
    bodies = tuple(replace(b, inertia=rod) if b.name == name else b for b in vehicle.bodies)
    groups, _ = rigid_groups(replace(vehicle, bodies=bodies))
    (group,) = [group for group in groups if group.names == (name,)]
    np.testing.assert_allclose(group.inertia, np.diag([1e-5, 6e-5, 7e-5]), atol=1e-12)

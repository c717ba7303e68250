"""What each wheel carries, against sums by hand, on vehicles whose sides differ and that have shafts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asymmetric_vehicles import CAR, VAN, vehicle
from trackrod.convert.masses import MassSplit, SplitFactors, split_masses
from trackrod.core.corners import Corner
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle
from vehicle_by_hand import SHAFTS, masses


def of_wheels(split: dict[Corner, float]) -> list[float]:
    return [split[corner] for corner in Corner]


@pytest.mark.parametrize("name", [*BUNDLED, VAN, CAR])
@pytest.mark.parametrize("factors", [(0.3, 0.6, 0.8), (0.9, 0.1, 0.0)])
def test_each_wheel_carries_its_own(name: str, factors: tuple[float, float, float]) -> None:
    split, expected = split_masses(vehicle(name), SplitFactors(*factors)), masses(name, *factors)
    assert of_wheels(split.unsprung) == pytest.approx(expected.unsprung.tolist(), rel=1e-12)
    assert of_wheels(split.spin_inertia) == pytest.approx(expected.spin.tolist(), rel=1e-12)
    independent = [i for i, c in enumerate(Corner) if not vehicle(name).axle(c.axle).dependent]  # see test_crossing
    for found, by_hand in ((split.roll_inertia, expected.roll), (split.yaw_inertia, expected.yaw)):
        assert [of_wheels(found)[i] for i in independent] == pytest.approx(by_hand[independent].tolist(), rel=1e-12)
    assert split.sprung_mass == pytest.approx(expected.sprung, rel=1e-12)
    assert split.sprung_centre == pytest.approx(expected.sprung_centre, abs=1e-12)


@pytest.mark.parametrize("name", [VAN, CAR])
def test_the_driveline_has_a_factor_of_its_own(name: str) -> None:
    """From no share to the whole of it: each wheel gets what lies on its side of the shafts, the links stay."""
    none, whole = (split_masses(vehicle(name), SplitFactors(0.5, 0.5, share)) for share in (0.0, 1.0))
    gained = {corner: whole.unsprung[corner] - none.unsprung[corner] for corner in Corner}
    assert gained[Corner.FL] == gained[Corner.FR] == 0.0
    inside = ["halfshaft"] if name == VAN else []  # of the solid axle, which carries them whole
    kinds = [kind for kind in SHAFTS if kind not in inside]
    shafts = [body for body in vehicle(name).bodies if any(kind in body.name for kind in kinds)]
    assert sum(gained.values()) == pytest.approx(sum(shaft.mass for shaft in shafts), rel=1e-12)
    assert none.sprung_mass - whole.sprung_mass == pytest.approx(sum(shaft.mass for shaft in shafts), rel=1e-9)
    if name == CAR:
        assert (gained[Corner.RL], gained[Corner.RR]) == pytest.approx(
            (6.0 + 7.0, 4.5 + 7.0), rel=1e-12
        )  # half-shafts besides


def shares_of(of: Vehicle, name: str, y: float) -> tuple[float, float]:
    """Masses that a heavy body in the rear axle adds to both wheels where its centre is at y."""

    def split(mass: float) -> MassSplit:
        change = {
            body.name: replace(body, mass=mass, centre=(body.centre[0], y, body.centre[2]))
            for body in of.bodies
            if body.name == name
        }
        return split_masses(replace(of, bodies=tuple(change.get(body.name, body) for body in of.bodies)))

    light, heavy = split(100.0), split(200.0)
    left, right = (heavy.unsprung[c] - light.unsprung[c] for c in (Corner.RL, Corner.RR))
    return left / 100.0, right / 100.0


def test_a_body_between_the_wheels_is_shared_by_the_lever() -> None:
    """A differential rests on both wheels of its axle as on two supports; beyond them it rests on the nearer one."""
    van, name = vehicle(VAN), "rear_suspension.differential"
    left, right = (van.wheel(corner).centre[1] for corner in (Corner.RL, Corner.RR))
    assert left != pytest.approx(-right, abs=1e-3)
    for y in (0.0, 0.21, -0.4, left, right):
        on_left = (y - right) / (left - right)
        assert shares_of(van, name, y) == pytest.approx((on_left, 1.0 - on_left), abs=1e-12)
    assert shares_of(van, name, 2.0) == pytest.approx((1.0, 0.0), abs=1e-12)

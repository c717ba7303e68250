"""Masses of the real-time model: whatever the split factors, the vehicle stays what it was."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtm.converted_vehicles import vehicle
from trackrod.convert.masses import MassSplit, SplitFactors, split_masses
from trackrod.core.corners import Corner, Side
from trackrod.core.errors import InputError
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.elements import Body, Role

shares = st.floats(0.0, 1.0)


def whole(name: str, split: MassSplit) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia about it of wheels and sprung body together, by Steiner."""
    wheels = {corner: np.array(vehicle(name).wheel(corner).centre) for corner in Corner}
    mass = split.sprung_mass + sum(split.unsprung.values())
    centre = (split.sprung_mass * split.sprung_centre + sum(split.unsprung[c] * wheels[c] for c in Corner)) / mass

    def moved(m: float, to: np.ndarray) -> np.ndarray:
        d = to - centre
        return m * (d @ d * np.eye(3) - np.outer(d, d))

    inertia = split.sprung_inertia + moved(split.sprung_mass, split.sprung_centre)
    for c in Corner:
        own = np.diag([split.roll_inertia[c], 0.0, split.yaw_inertia[c]])
        inertia = inertia + own + moved(split.unsprung[c], wheels[c])
    return mass, centre, inertia


@given(name=st.sampled_from(list(BUNDLED)), front=shares, rear=shares, driveline=shares)
def test_mass_centre_and_inertia_are_conserved(name: str, front: float, rear: float, driveline: float) -> None:
    split = split_masses(vehicle(name), SplitFactors(front, rear, driveline))
    total = vehicle(name).mass_properties
    mass, centre, inertia = whole(name, split)
    assert mass == pytest.approx(total.mass, rel=1e-12)
    assert centre == pytest.approx(total.centre, abs=1e-12)
    assert np.abs(inertia - total.inertia_about(total.centre)).max() < 1e-12 * np.abs(inertia).max()


@pytest.mark.parametrize("name", list(BUNDLED))
def test_links_move_between_body_and_wheels(name: str) -> None:
    """More unsprung links, less sprung mass; both axles, each by its own factor."""
    light, front, rear = (
        split_masses(vehicle(name), SplitFactors(f, r, 0.0)) for f, r in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    )
    for corner in Corner:
        grown = front if corner.value[0] == "f" else rear
        other = rear if corner.value[0] == "f" else front
        assert grown.unsprung[corner] >= light.unsprung[corner] > 0
        assert other.unsprung[corner] == light.unsprung[corner]
    assert front.sprung_mass < light.sprung_mass
    assert (np.linalg.eigvalsh(front.sprung_inertia) > 0).all()


@pytest.mark.parametrize("name", list(BUNDLED))
def test_left_and_right_are_alike(name: str) -> None:
    split = split_masses(vehicle(name))
    for left, right in ((Corner.FL, Corner.FR), (Corner.RL, Corner.RR)):
        for values in (split.unsprung, split.roll_inertia, split.yaw_inertia, split.spin_inertia):
            assert values[left] == pytest.approx(values[right], rel=1e-6)


def with_part(part: Body) -> tuple[float, ...]:
    """What the wheels of a car gain by a part, with shares of their own for links and driveline [kg]."""
    car = vehicle("suv")
    factors = SplitFactors(0.25, 0.5, 0.125)
    before, after = (split_masses(one, factors) for one in (car, replace(car, bodies=(*car.bodies, part))))
    return tuple(after.unsprung[corner] - before.unsprung[corner] for corner in Corner)


@pytest.mark.parametrize(("role", "share"), [(Role.LINK, 0.5), (Role.DRIVELINE, 0.125)])
@pytest.mark.parametrize(("side", "left"), [(Side.LEFT, 1.0), (Side.RIGHT, 0.0), (None, 0.75)])
def test_a_part_counts_by_its_role_and_side(role: Role, share: float, side: Side | None, left: float) -> None:
    """Whatever it is called, and for a part without side by where it lies."""
    _, _, rl, rr = (wheel.centre for wheel in vehicle("suv").wheels)
    centre = (rl[0], 0.75 * rl[1] + 0.25 * rr[1], 0.3)
    nothing = ((0.0,) * 3,) * 3
    for name in ("rear_suspension.part", "rear_suspension.driveshaft_left", "rear_suspension.rod_right"):
        part = Body(name, 16.0, centre, nothing, 0.0, side, role)
        gained = (0.0, 0.0, 16.0 * share * left, 16.0 * share * (1.0 - left))
        assert with_part(part) == pytest.approx(gained, abs=1e-9)


@pytest.mark.parametrize("wrong", [{"front": -0.1}, {"rear": 1.5}, {"driveline": float("nan")}])
def test_factors_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(wrong))}.*0 to 1"):
        SplitFactors(**wrong)


def test_every_process_comes_to_the_same_bits() -> None:
    """Sums over names of bodies do not follow the order of a set, which is another in every process."""
    told = (
        "from trackrod.adams.source import open_vehicle; from trackrod.convert.masses import split_masses;"
        "m = split_masses(open_vehicle('lcv_7t').vehicle);"
        "print([value.hex() for part in (m.roll_inertia, m.yaw_inertia, m.spin_inertia) for value in part.values()])"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", told],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2", "3", "4")
    ]
    assert len({process.communicate()[0] for process in processes}) == 1
    assert {process.returncode for process in processes} == {0}

"""Axles on the rig, ours beside exudyn: positions of the wheels and forces under them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from multibody.correlation import WheelMap, bundled, grid, heights, map_by_core, map_by_exudyn
from multibody.exudyn_vehicle import build, linearised, refined
from trackrod.core.corners import Axle
from trackrod.multibody.compile import compile_axle
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

TRAVEL = np.concatenate((np.linspace(0, 0.06, 7), np.linspace(0.05, -0.06, 12)))
SIGNS = {"parallel": 1.0, "opposite": -1.0}


def both_maps(vehicle: Vehicle, count: int = 9) -> tuple[WheelMap, WheelMap]:
    model = compile_axle(vehicle, Axle.FRONT)
    targets = grid(count, travel=0.06, rack=0.06)
    return map_by_core(model, targets), map_by_exudyn(build(model), targets)


@pytest.mark.parametrize("mode", [Mode.KINEMATIC, Mode.COMPLIANT])
@pytest.mark.parametrize("straight", [True, False], ids=["linear", "nonlinear"])
def test_front_axle_over_travel_and_rack(mode: Mode, straight: bool) -> None:
    vehicle = bundled("double_wishbone_car", mode)
    ours, theirs = both_maps(linearised(vehicle) if straight else vehicle, 9 if straight else 5)
    assert np.ptp(np.degrees(ours.toe)) > 45
    assert np.abs(np.degrees(ours.toe - theirs.toe)).max() < 0.005
    assert np.abs(ours.centre - theirs.centre).max() < 1e-5
    assert np.abs(ours.force - theirs.force).max() < 2.0


def test_rack_housing_gives_way() -> None:
    """1 kN along x on the housing of the rack, which two bushings hold: it moves, and not more than on them alone."""
    vehicle = linearised(bundled("double_wishbone_car", Mode.COMPLIANT))
    model = compile_axle(vehicle, Axle.FRONT)
    rack = next(joint for joint in vehicle.joints if joint.name == "steering.rack")
    housing = next(b for b in rack.bodies if "housing" in b)
    mounts = [b for b in vehicle.bushings if housing in b.bodies and vehicle.chassis in b.bodies]
    stiffness = sum(
        float((np.array(b.axes) @ np.diag(b.characteristic.stiffness[:3]) @ np.array(b.axes).T)[0, 0]) for b in mounts
    )
    body = model.index[housing]
    places = []
    for force in (0.0, 1000.0):
        model.core.set_load(body, np.array([force, 0.0, 0.0]), np.zeros(3))
        assert model.core.solve_statics(50, 1e-10, 0.05)[0]
        places.append(model.core.poses()[body, 0])
    assert len(mounts) == 2
    assert 0.9 * 1000.0 / stiffness < places[1] - places[0] < 1.001 * 1000.0 / stiffness


def leaf_forces(vehicle: Vehicle, sign: float, *, peer: Vehicle | None = None, exact: bool = False) -> float:
    """Largest difference of the forces under the left wheel over travel, as part of their range."""
    model = compile_axle(vehicle, Axle.REAR)
    ours = map_by_core(model, {"pad_rl": TRAVEL, "pad_rr": sign * TRAVEL})
    other = model if peer is None else compile_axle(peer, Axle.REAR)
    theirs = map_by_exudyn(build(other, exact_beams=exact), heights(model, ours))
    return float(np.abs(ours.force - theirs.force).max() / np.ptp(ours.force))


@pytest.fixture(scope="module")
def leaf_car() -> Vehicle:
    return linearised(bundled("lcv_7t", Mode.KINEMATIC))


@pytest.mark.parametrize(("motion", "limit"), [("parallel", 0.002), ("opposite", 0.01)])
def test_leaf_axle_as_it_is(leaf_car: Vehicle, motion: str, limit: float) -> None:
    """One element for each part of a leaf, and joints as stiff as they are, against leaves of 32 pieces in exudyn."""
    assert leaf_forces(leaf_car, SIGNS[motion], peer=refined(leaf_car, 8)) < limit


@pytest.mark.parametrize("motion", SIGNS)
def test_leaf_axle_converges(leaf_car: Vehicle, motion: str) -> None:
    """What is left falls with the number of pieces."""
    coarse, fine = (leaf_forces(refined(leaf_car, n), SIGNS[motion]) for n in (2, 8))
    assert fine < 0.001
    assert fine < 0.3 * coarse


@pytest.mark.parametrize("motion", SIGNS)
def test_leaf_axle_with_bushed_eyes(motion: str) -> None:
    vehicle = linearised(bundled("lcv_7t", Mode.COMPLIANT))
    coarse, fine = (leaf_forces(refined(vehicle, n), SIGNS[motion]) for n in (1, 4))
    assert coarse < 0.003
    assert fine < 0.0003


@pytest.mark.parametrize("motion", SIGNS)
def test_leaf_axle_by_geometrically_exact_beams(leaf_car: Vehicle, motion: str) -> None:
    """Leaves without preload: exudyn's exact beam begins without stress."""
    free = replace(leaf_car, beams=tuple(replace(beam, preload=(0.0,) * 6) for beam in leaf_car.beams))
    assert leaf_forces(refined(free, 2), SIGNS[motion], exact=True) < 0.003

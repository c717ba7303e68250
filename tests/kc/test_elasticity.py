"""An axle as an elastic system: against equilibria of all its bodies, and against its own bodies in vibration."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from asymmetric_vehicles import vehicle
from softer_vehicles import softer
from stored_vehicles import FIRST_CLA_CLASS
from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle
from trackrod.kc.elasticity import _Linear, _measured, _rack_to_the_left, find_elasticity
from trackrod.kc.rig import Rig
from trackrod.rtm.elasticity import MIRROR, ElasticAxle, regularised
from trackrod.rtm.layout import AXLE_LOADS, GIVEN_POSE
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]
LOADS = len(AXLE_LOADS)
#: The first `cla_class`, which is stiff: at 0.2 it has what the others have.
FIRST = "first_cla_class"
CASES = [*((name, factor) for name in BUNDLED for factor in (1.0, 0.6)), (FIRST, 1.0), (FIRST, 0.2)]
FREQUENCIES = (0.5, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 25.0)
#: Of the full axle's response up to 8 Hz and beyond; 0.005 of it are what loads own where the axle is rigid, 0.001
#: elsewhere. The largest that were measured are 0.005 and 0.010, and 0.016 near the hardly damped resonances of the
#: first `cla_class` on soft bushings.
CLOSE, CLOSE_BEYOND, CLOSE_AT_RESONANCE = 0.006, 0.012, 0.018
#: A tube that bends has three shapes beside those of loads: one under travel, two under loads along and about z; two
#: are kept. Up to 8, 16 and 25 Hz; 0.007, 0.016 and 0.030 were measured.
CLOSE_WITH_TUBE = {8.0: 0.008, 16.0: 0.018, 25.0: 0.033}
#: Axles whose damping is out of proportion to stiffness, and how far shapes under loads alone are off at 16 Hz.
LOADS_ALONE = {("integral_link", Axle.REAR): 0.11, ("lcv_3t5", Axle.REAR): 0.21, ("lcv_7t", Axle.REAR): 0.21}
#: Compliance that counts as none [m/N], [rad/(N·m)]: loads own a hundredth of it where the axle is rigid.
STIFF = np.array([2e-8, 2e-8, 2e-8, 2e-7, 2e-7, 2e-8])


@cache
def case(name: str, factor: float) -> Vehicle:
    return softer(read_vehicle(FIRST_CLA_CLASS).vehicle if name == FIRST else vehicle(name), factor)


@cache
def measured(name: str, factor: float, axle: Axle) -> ElasticAxle:
    return find_elasticity(case(name, factor), axle)


def with_tube(name: str, axle: Axle) -> bool:
    return axle is Axle.REAR and any(".tube" in beam.name for beam in case(name, 1.0).beams)


def off(full: Array, reduced: Array) -> float:
    """Largest difference, over the root of the product of what both loads give to themselves."""
    sizes = np.sqrt(np.maximum(np.abs(np.diag(full)), STIFF))
    return float((np.abs(full - reduced) / np.outer(sizes, sizes)).max())


@pytest.mark.parametrize("axle", list(Axle))
@pytest.mark.parametrize("name", ["double_wishbone_car", "lcv_7t"])
def test_the_linearised_axle_is_that_of_its_equilibria(name: str, axle: Axle) -> None:
    """A load on one body after the other: the stiffness times what all bodies do is that load, and nothing else."""
    rig = Rig(replace(vehicle(name), dampers=()), axle)
    rig.settle()
    core = rig.model.core
    stiffness, _ = (np.array(part) for part in core.linearise())
    rest = core.poses()
    turns = [Rotation.from_quat(np.roll(pose[3:], -1)) for pose in rest]

    def solved(body: int, load: Array) -> Array:
        core.set_poses(rest)
        core.set_load(body, load[:3].copy(), load[3:].copy())
        assert core.solve_statics(30, 1e-9, 0.05)[0]
        return np.asarray(core.poses())

    for body in range(core.body_count):
        for direction in range(6):
            load = np.zeros(6)
            load[direction] = 1.0
            # so little that turning joints, 3e10 N/m, do not feel the third order of an angle
            load *= 2e-5 / np.abs(np.linalg.solve(stiffness, np.eye(len(stiffness))[6 * body + direction])).max()
            ahead, behind = solved(body, load), solved(body, -load)
            solved(body, np.zeros(6))
            moved = np.zeros((len(rest), 6))
            moved[:, :3] = 0.5 * (ahead - behind)[:, :3]
            for i, turn in enumerate(turns):  # rotations about the axes of the body
                one, two = (Rotation.from_quat(np.roll(poses[i, 3:], -1)) for poses in (ahead, behind))
                moved[i, 3:] = turn.inv().apply(0.5 * (one * two.inv()).as_rotvec())
            found = (stiffness @ moved.ravel()).reshape(-1, 6)
            expected = np.zeros_like(found)
            expected[body, :3], expected[body, 3:] = load[:3], turns[body].inv().apply(load[3:])
            # what rounds are the same joints in places of a metre: some 10 µN of each
            assert found == pytest.approx(expected, abs=0.01 * np.abs(load).max() + 1e-4), (body, direction)


@pytest.mark.parametrize(("name", "factor"), CASES)
@pytest.mark.parametrize("axle", list(Axle))
def test_loads_give_as_much_to_each_other_and_none_pushes_back(name: str, factor: float, axle: Axle) -> None:
    """Maxwell and Betti; masses and damping take energy, too."""
    of = measured(name, factor, axle)
    for mode in (of.symmetric, of.antisymmetric):
        compliance = mode.compliance[:LOADS, :LOADS]
        sizes = np.sqrt(np.maximum(np.diag(compliance), STIFF))
        # bushings are damped and stiff about axes that turn with one of their bodies, which the weight has turned:
        # by 9 mrad in front of the `lcv_7t`, where it makes 1.1e-3
        even = 1.2e-3 if (name, axle) == ("lcv_7t", Axle.FRONT) else 2e-4
        assert (np.abs(compliance - compliance.T) <= even * np.outer(sizes, sizes)).all()
        for part in (mode.mass, mode.damping):
            assert np.abs(part - part.T).max() <= 1e-4 * np.abs(part).max()
        for part in regularised(mode):
            assert np.linalg.eigvalsh(part)[0] >= -1e-12 * np.abs(part).max()


def response(M: Array, D: Array, C: Array, s: complex) -> Array:
    """Ways of the points of loads under these loads, of a system whose first coordinates are loads."""
    return np.asarray(C[:LOADS] @ np.linalg.solve(C + s * D + s**2 * M, C[:, :LOADS]))


def complete(linear: _Linear, sign: float, s: complex) -> Array:
    """The same of all bodies of an axle."""
    loads = linear.loads @ np.vstack((np.eye(LOADS), np.diag(sign * MIRROR)))
    return np.asarray(
        0.5 * loads.T @ np.linalg.solve(linear.stiffness + s * linear.damping + s**2 * linear.mass, loads)
    )


@pytest.mark.parametrize(("name", "factor"), CASES)
@pytest.mark.parametrize("axle", list(Axle))
def test_its_shapes_vibrate_as_all_bodies_of_the_axle(name: str, factor: float, axle: Axle) -> None:
    """What the points of loads do under loads of 0.5 to 25 Hz, wheels held at their height, dampers apart."""
    linear, of = _Linear(case(name, factor), axle), measured(name, factor, axle)
    for mode, sign in ((of.symmetric, 1.0), (of.antisymmetric, -1.0)):
        for frequency in FREQUENCIES:
            s = 2j * np.pi * frequency
            beyond = CLOSE_AT_RESONANCE if factor == 0.2 else CLOSE_BEYOND
            allowed = CLOSE if frequency <= 8.0 else beyond
            if with_tube(name, axle):
                allowed = next(value for up_to, value in CLOSE_WITH_TUBE.items() if frequency <= up_to)
            assert off(complete(linear, sign, s), response(*regularised(mode), s)) < allowed, frequency


@pytest.mark.parametrize(("name", "axle"), LOADS_ALONE)
def test_shapes_under_loads_alone_would_not_vibrate_so(name: str, axle: Axle) -> None:
    """The control: what inner shapes are for."""
    linear, of, s = _Linear(case(name, 1.0), axle), measured(name, 1.0, axle), 2j * np.pi * 16.0
    modes = ((of.symmetric, 1.0), (of.antisymmetric, -1.0))
    alone = [[part[:LOADS, :LOADS] for part in regularised(mode)] for mode, _ in modes]
    found = [off(complete(linear, sign, s), response(*of, s)) for of, (_, sign) in zip(alone, modes, strict=True)]
    assert max(found) == pytest.approx(LOADS_ALONE[name, axle], rel=0.05)


@pytest.mark.parametrize(("name", "factor"), CASES)
@pytest.mark.parametrize("axle", list(Axle))
def test_wheels_and_dampers_stand_still_in_inner_shapes(name: str, factor: float, axle: Axle) -> None:
    """Under 1 kN each; the pitch too, as brakes stand on what carries the wheels."""
    linear = _Linear(case(name, factor), axle)
    for sign in (1.0, -1.0):
        inner = 1e3 * linear._inner_shapes(sign)
        assert np.abs(inner).max() > 1e-4
        for k in range(2):
            assert np.abs(linear._pose_rows(k) @ inner).max() < 2e-5
        loads = linear.loads @ np.vstack((np.eye(LOADS), np.diag(sign * MIRROR)))
        assert np.abs(loads.T @ inner).max() < 2e-5


def test_without_its_masses_it_would_not_vibrate_so() -> None:
    """The control: what quasi-static compliance leaves out is many times what is allowed."""
    linear, of = _Linear(case(FIRST, 0.2), Axle.REAR), measured(FIRST, 0.2, Axle.REAR)
    M, D, C = regularised(of.symmetric)
    s = 2j * np.pi * 16.0
    assert off(complete(linear, 1.0, s), response(0.0 * M, D, C, s)) > 10 * CLOSE_BEYOND


#: A turn at the limit that strains are not matched to, over the wheel load, inner and outer wheel: lateral force,
#: aligning moment over it [m], braking force; roll and rack [m].
TURN = np.array([0.35, 1.1]), np.array([0.02, 0.035]), np.array([-0.05, -0.1]), 0.04, 0.02


def turned(name: str, factor: float, axle: Axle) -> tuple[Array, Array, Array, float]:
    """What wheels give in that turn to the left on the rig, `GIVEN_POSE` of both; loads, travels and rack there."""
    rig = Rig(case(name, factor), axle, check=False)
    lateral, trail, brake, roll, rack = TURN
    loads = np.zeros((2, LOADS))
    loads[:, AXLE_LOADS.index("fy")], loads[:, AXLE_LOADS.index("mz")] = lateral, -lateral * trail
    loads[:, AXLE_LOADS.index("brake")] = brake
    loads *= float(rig.design_loads.mean())
    travel, rack = np.array([-roll, roll]), rack * _rack_to_the_left(rig)
    return _measured(rig, loads[np.newaxis], travel[np.newaxis], np.array([rack]))[0][0], loads, travel, rack


@pytest.mark.parametrize(("name", "factor"), [(FIRST, 0.2), ("integral_link", 0.6), ("lcv_3t5", 0.6)])
@pytest.mark.parametrize("axle", list(Axle))
def test_poses_under_all_loads_at_once_are_those_of_the_full_axle(name: str, factor: float, axle: Axle) -> None:
    """Lateral force, aligning moment, braking force, roll and rack at once; poses of single loads do not add up."""
    wanted, loads, travel, rack = turned(name, factor, axle)
    kept = [k for k, of in enumerate((*GIVEN_POSE, *GIVEN_POSE)) if of in ("ty", "rz")]
    found = measured(name, factor, axle).poses(*loads, travel, rack)
    assert np.abs(found - wanted)[kept] == pytest.approx(0.0, abs=4e-4)  # [m], [rad]


def test_without_stiffening_they_would_not_be() -> None:
    wanted, loads, travel, rack = turned(FIRST, 0.2, Axle.REAR)
    straight = replace(measured(FIRST, 0.2, Axle.REAR), bushings=())
    assert np.abs(straight.poses(*loads, travel, rack) - wanted)[-1] > 1e-3  # steer angle of the outer wheel


@pytest.mark.parametrize("axle", list(Axle))
def test_what_a_load_does_to_the_way_of_another_is_what_that_does_to_its_way(axle: Axle) -> None:
    """Reciprocity at the design position: strains are those of an energy, and no round of loads gains work."""
    of = measured(FIRST, 0.2, axle)
    at = np.zeros(2 * LOADS)
    at[[2, 8]], at[[4, 10]] = (1500.0, 4000.0), (-40.0, -150.0)
    rx, rz, ty = (GIVEN_POSE.index(name) for name in ("rx", "rz", "ty"))

    def ways(x: Array) -> Array:
        """Of the contact patches along y and of both wheels about x and z, in the order of fy, mx, mz."""
        pose = of.poses(x[:LOADS], x[LOADS:]).reshape(2, -1)
        return np.asarray(np.column_stack((pose[:, ty] + of.radius * pose[:, rx], pose[:, rx], pose[:, rz])).ravel())

    rows = [6 * wheel + load for wheel in range(2) for load in (2, 3, 4)]
    slopes = np.array([(ways(at + step) - ways(at - step)) / 2.0 for step in np.eye(2 * LOADS)[rows]])
    assert np.abs(slopes - slopes.T).max() < 0.02 * np.abs(slopes).max()

"""The six bundled vehicles on the rig, both axles and modes: no failures, mirror symmetry, the bands of their class."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle, Side
from trackrod.kc import programme
from trackrod.kc.points import Inputs, Load
from trackrod.kc.result import KcTest
from trackrod.kc.rig import Rig
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

TRAVEL = np.linspace(-0.08, 0.08, 9)
RACK = np.linspace(-0.07, 0.07, 7)
#: What a single unit in the last place of a metre and the solver leave of mirror symmetry [m], [rad].
SYMMETRY = 1e-9
CASES = [(name, mode, axle) for name in BUNDLED for mode in (Mode.KINEMATIC, Mode.COMPLIANT) for axle in Axle]


@cache
def bundled(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


@cache
def bench(name: str, mode: Mode, axle: Axle) -> Rig:
    return Rig(bundled(name).with_mode(mode), axle)


@cache
def travelled(name: str, mode: Mode, axle: Axle) -> KcTest:
    return programme.parallel(bench(name, mode, axle), TRAVEL)


@pytest.mark.parametrize(("name", "mode", "axle"), CASES)
def test_no_point_fails_and_left_is_the_mirror_of_right(name: str, mode: Mode, axle: Axle) -> None:
    rig = bench(name, mode, axle)
    tests = [travelled(name, mode, axle), programme.opposite(rig, 0.75 * TRAVEL)]
    if rig.steered:
        tests.append(programme.steer(rig, RACK))
    for test in tests:
        assert test.failures == 0, test.problems
        turned = slice(None, None, 1 if test.name == "parallel" else -1)
        for quantity in ("toe", "camber", "pitch", "tx", "tz"):
            left, right = test[f"{quantity}_left"], test[f"{quantity}_right"][turned]
            np.testing.assert_allclose(left, right, atol=SYMMETRY, err_msg=f"{test.name} {quantity}")
        np.testing.assert_allclose(test["ty_left"], -test["ty_right"][turned], atol=SYMMETRY)
        np.testing.assert_allclose(test["tz_left"], test["travel_left"], atol=2e-9)


@pytest.mark.parametrize(("name", "mode", "axle"), CASES)
def test_toe_and_camber_keep_the_sign_of_their_gradient(name: str, mode: Mode, axle: Axle) -> None:
    """Toe of ideal joints alone: bushings under the wheel load may turn a small gradient."""
    test = travelled(name, mode, axle)
    near = np.abs(TRAVEL) <= 0.061
    for quantity in ("toe_left", "camber_left") if mode is Mode.KINEMATIC else ("camber_left",):
        step = np.diff(test[quantity][near])
        assert (step > -1e-9).all() or (step < 1e-9).all(), quantity


@pytest.mark.parametrize("mode", [Mode.KINEMATIC, Mode.COMPLIANT])
def test_opposite_travel_is_softer_on_solid_axles_and_stiffer_on_the_transverse_leaf(mode: Mode) -> None:
    for name, axle, softer in (
        ("lcv_7t", Axle.REAR, True),
        ("lcv_3t5", Axle.REAR, True),
        ("lcv_3t5", Axle.FRONT, False),
    ):
        parallel = travelled(name, mode, axle)["wheel_rate_left"][4]
        opposed = programme.opposite(bench(name, mode, axle), [-0.01, 0.0, 0.01])["wheel_rate_left"][1]
        assert bool(opposed < parallel) is softer, (name, axle)


def test_a_solid_axle_leans_as_a_whole() -> None:
    test = programme.opposite(bench("lcv_7t", Mode.KINEMATIC, Axle.REAR), np.linspace(-0.05, 0.05, 5))
    np.testing.assert_allclose(test["inclination_left"], test["inclination_right"], atol=1e-6)
    np.testing.assert_allclose(test["inclination_left"], -test["roll_angle"], atol=2e-4)


def test_the_rack_steers_towards_the_side_its_place_demands() -> None:
    """Ahead of the axle a rack to the left steers left, behind it to the right; the ratio of the wheel knows which."""
    for name in BUNDLED:
        test = programme.steer(bench(name, Mode.KINEMATIC, Axle.FRONT), [-0.01, 0.0, 0.01])
        sense = np.sign(bundled(name).steering.ratio)  # type: ignore[union-attr]
        assert np.sign(test["steer_left"][2] - test["steer_left"][0]) == sense
        assert 13.0 < test["steering_ratio"][1] < 22.0


@pytest.mark.parametrize("name", ["double_wishbone_car", "integral_link", "lcv_7t"])
def test_steering_axis_is_that_of_the_ball_joints(name: str) -> None:
    """With locked springs it is the line through the joints, up to what joints and differences yield."""
    rig = bench(name, Mode.KINEMATIC, Axle.FRONT)
    for test in (travelled(name, Mode.KINEMATIC, Axle.FRONT), programme.steer(rig, [-0.05, 0.0, 0.04])):
        for quantity in ("caster", "kingpin", "scrub_radius", "mechanical_trail", "kingpin_offset", "caster_offset"):
            for side in Side:
                geometric = test[f"{quantity}_geometric_{side}"]
                np.testing.assert_allclose(test[f"{quantity}_{side}"], geometric, atol=1e-5, err_msg=quantity)


def test_at_held_height_the_steering_axis_leaves_the_ball_joints() -> None:
    """Steering lifts the wheel; where its height is held, the suspension moves against it."""
    test = travelled("double_wishbone_car", Mode.KINEMATIC, Axle.FRONT)
    apart = test["caster_height_held_left"] - test["caster_geometric_left"]
    assert np.degrees(np.abs(apart).max()) == pytest.approx(0.2, abs=0.1)
    np.testing.assert_allclose(
        test["mechanical_trail_height_held_left"], test["mechanical_trail_geometric_left"], atol=3e-3
    )


@pytest.mark.parametrize(
    ("load", "sense"), [(Load.FX, "tx"), (Load.FX_CENTRE, "tx"), (Load.FY, "ty"), (Load.FY_CENTRE, "ty")]
)
def test_forces_push_wheels_along(load: Load, sense: str) -> None:
    values = np.array([-1000.0, 0.0, 1000.0])
    for axle in Axle:
        test = programme.loads(bench("cla_class", Mode.COMPLIANT, axle), load, values)
        assert test.failures == 0
        alone_left = test[f"{sense}_left"][:3]
        assert (np.diff(alone_left) > 0).all()
        alone_right = test[f"{sense}_right"][3:6]
        sign = 1 if sense == "tx" else -1  # a force to the left on the left wheel is one to the right on the right
        np.testing.assert_allclose(alone_left, sign * alone_right[::sign], atol=1e-8)


@pytest.mark.parametrize(("load", "angle"), [(Load.MX, "inclination"), (Load.MY, "pitch"), (Load.MZ, "steer")])
def test_moments_turn_wheels_about_their_axis(load: Load, angle: str) -> None:
    test = programme.loads(bench("cla_class", Mode.COMPLIANT, Axle.FRONT), load, [-100.0, 0.0, 100.0])
    assert (np.diff(test[f"{angle}_left"][:3]) > 0).all()


def test_forces_at_the_patch_are_forces_at_the_centre_and_a_moment() -> None:
    rig = bench("cla_class", Mode.COMPLIANT, Axle.REAR)
    force = 500.0
    at_patch = programme.loads(rig, Load.FY, [0.0, force])["inclination_left"][1]
    lever = float(rig.radii[0])
    solution = rig.sweep(Inputs.of(loads={Load.FY_CENTRE: [[force, 0.0]], Load.MX: [[force * lever, 0.0]]}))
    both = programme.table(rig, "both", [solution])["inclination_left"][0]
    assert at_patch == pytest.approx(both, abs=2e-7)
    centre = programme.loads(rig, Load.FY_CENTRE, [0.0, force])["inclination_left"][1]
    assert abs(centre - both) > 1e-5


def test_driving_torque_of_a_solid_axle_acts_like_braking_torque() -> None:
    """On housing and wheel end of one beam: both wind up the leaves, a brake twists the tube outside of them, too."""
    rig, force = bench("lcv_7t", Mode.COMPLIANT, Axle.REAR), 5e3
    both = 2 * list(programme.PATTERNS).index("in_phase") + 1
    brake, drive = (programme.loads(rig, load, [0.0, force])["pitch_left"][both] for load in (Load.FX, Load.FX_DRIVE))
    [outer] = [beam for beam in rig.vehicle.beams if beam.name == "rear_suspension.tube_outer_left"]
    twist = force * rig.radii[0] * outer.length / outer.section.torsional
    assert drive - brake == pytest.approx(twist, rel=1e-3)
    assert twist < 0.05 * abs(drive)
    front = bench("cla_class", Mode.COMPLIANT, Axle.FRONT)
    brake, drive = (programme.loads(front, load, [0.0, 2e3])["pitch_left"][1] for load in (Load.FX, Load.FX_DRIVE))
    assert abs(brake - drive) > 1e-4

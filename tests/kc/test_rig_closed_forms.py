"""The rig against closed forms: mechanisms whose motion can be written down, energy, virtual power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import simpson
from scipy.optimize import brentq

from kc.simple_axles import (
    EQUAL_ARMS,
    FREE,
    RATE,
    SWING_PIVOT,
    TRAILING_PIVOT,
    UNEQUAL_ARMS,
    WHEEL,
    Corners,
    held,
    locked,
    loose,
    swing_axle,
    trailing_arm,
    vehicle_on,
    wishbones,
)
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.kc import programme, rig
from trackrod.kc.derived import ackermann
from trackrod.kc.orientation import design_frame, rotation_of, wheel_angles
from trackrod.kc.points import Inputs, Load
from trackrod.kc.rig import Rig

TRAVEL = np.linspace(-0.08, 0.08, 17)
#: Ideal joints are stiff springs: tens of micrometres and microradians under the loads of a car.
JOINTS = 5e-5


def turned_arm(z: NDArray[np.float64], reach: float, height: float) -> NDArray[np.float64]:
    """Angle by which an arm has turned when its end, at (reach, height) from the pivot, has risen by z."""
    length = np.hypot(reach, height)
    return np.asarray(np.arcsin((height + z) / length) - np.arcsin(height / length))


def test_swing_axle_has_the_camber_of_its_arm() -> None:
    test = programme.parallel(Rig(vehicle_on(swing_axle), Axle.REAR), TRAVEL)
    reach, height = WHEEL[0] - SWING_PIVOT[0], WHEEL[1] - SWING_PIVOT[1]
    angle = turned_arm(TRAVEL, reach, height)
    for side in ("left", "right"):
        np.testing.assert_allclose(test[f"camber_{side}"], -angle, atol=JOINTS)
        np.testing.assert_allclose(test[f"toe_{side}"], 0.0, atol=JOINTS)
    y = np.hypot(reach, height) * np.cos(np.arcsin((height + TRAVEL) / np.hypot(reach, height)))
    np.testing.assert_allclose(test["ty_left"], y - reach, atol=JOINTS)
    np.testing.assert_allclose(test["ty_right"], reach - y, atol=JOINTS)
    np.testing.assert_allclose(test["track_centre"], 2 * (SWING_PIVOT[0] + y), atol=2 * JOINTS)


def test_roll_centre_of_a_swing_axle_by_its_pivots() -> None:
    """Lines from the contact points through the pivots meet in the middle."""
    bench = Rig(vehicle_on(swing_axle), Axle.REAR)
    test = programme.parallel(bench, TRAVEL)
    camber = test["camber_left"]
    contact_y = WHEEL[0] + test["ty_left"] - bench.radii[0] * np.sin(camber)
    contact_z = WHEEL[1] + TRAVEL - bench.radii[0] * np.cos(camber)
    slope = (contact_z - SWING_PIVOT[1]) / (contact_y - SWING_PIVOT[0])
    height = SWING_PIVOT[1] - slope * SWING_PIVOT[0] - contact_z
    for name in ("roll_centre_height", "roll_centre_carrier_height", "roll_centre_projected_height"):
        np.testing.assert_allclose(test[name], height, atol=1e-4)
    np.testing.assert_allclose(test["roll_centre_y"], 0.0, atol=1e-9)
    assert height[0] > height[-1]  # the body sinks, its roll centre with it


def test_trailing_arm_keeps_toe_and_camber_and_supports_the_brake() -> None:
    bench = Rig(vehicle_on(trailing_arm), Axle.REAR)
    test = programme.parallel(bench, TRAVEL)
    reach, height = TRAILING_PIVOT[0], WHEEL[1] - TRAILING_PIVOT[1]
    angle = turned_arm(TRAVEL, reach, height)
    for name in ("toe_left", "camber_left", "toe_right", "camber_right"):
        np.testing.assert_allclose(test[name], 0.0, atol=JOINTS)
    np.testing.assert_allclose(test["pitch_left"], angle, atol=JOINTS)  # the wheel rises: its top moves forward
    np.testing.assert_allclose(test["caster_left"], -angle, atol=JOINTS)
    x = np.hypot(reach, height) * np.cos(angle + np.arctan2(height, reach))
    np.testing.assert_allclose(test["tx_left"], reach - x, atol=JOINTS)
    np.testing.assert_allclose(test["wheelbase_change_centre_left"], x - reach, atol=JOINTS)
    at_ground = (WHEEL[1] + TRAVEL - bench.radii[0] - TRAILING_PIVOT[1]) / x
    np.testing.assert_allclose(test["brake_support_left"], at_ground, atol=1e-4)
    at_centre = (WHEEL[1] + TRAVEL - TRAILING_PIVOT[1]) / x  # the driving torque is taken by the body
    np.testing.assert_allclose(test["drive_support_left"], at_centre, atol=1e-4)


def test_equal_parallel_arms_keep_the_camber() -> None:
    test = programme.parallel(Rig(vehicle_on(wishbones(EQUAL_ARMS)), Axle.FRONT), TRAVEL)
    np.testing.assert_allclose(test["camber_left"], 0.0, atol=JOINTS)
    arm = EQUAL_ARMS[0][1][0] - EQUAL_ARMS[0][0][0]
    np.testing.assert_allclose(test["ty_left"], np.sqrt(arm**2 - TRAVEL**2) - arm, atol=JOINTS)
    np.testing.assert_allclose(test["roll_centre_height"][8], 0.0, atol=1e-4)


def four_bar(travel: float) -> tuple[float, float]:
    """Camber and lateral displacement of the unequal wishbones: the upright is placed by circles about its joints."""
    (lower_in, lower_out), (upper_in, upper_out) = (np.array(arm) for arm in UNEQUAL_ARMS)
    centre = np.array(WHEEL)

    def placed(arm_angle: float) -> tuple[float, float, float]:
        turn = np.array([[np.cos(arm_angle), -np.sin(arm_angle)], [np.sin(arm_angle), np.cos(arm_angle)]])
        lower = lower_in + turn @ (lower_out - lower_in)
        reach, link = np.linalg.norm(upper_out - upper_in), np.linalg.norm(upper_out - lower_out)
        to_upper = upper_in - lower
        distance = np.linalg.norm(to_upper)
        along = (distance**2 + link**2 - reach**2) / (2 * distance)
        across = np.array([to_upper[1], -to_upper[0]]) / distance  # towards the wheel
        upper = lower + along * to_upper / distance + np.sqrt(link**2 - along**2) * across
        before, after = upper_out - lower_out, upper - lower
        angle = np.arctan2(after[1], after[0]) - np.arctan2(before[1], before[0])
        spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        moved = lower + spin @ (centre - lower_out) - centre
        return float(moved[1]), float(angle), float(moved[0])

    arm_angle = brentq(lambda a: placed(a)[0] - travel, -0.5, 0.5, xtol=1e-14)
    _, angle, lateral = placed(arm_angle)
    return -angle, lateral


def test_unequal_wishbones_by_intersected_circles() -> None:
    test = programme.parallel(Rig(vehicle_on(wishbones(UNEQUAL_ARMS)), Axle.FRONT), TRAVEL)
    camber, lateral = np.transpose([four_bar(z) for z in TRAVEL])
    assert np.ptp(camber) > np.radians(1.0)
    np.testing.assert_allclose(test["camber_left"], camber, atol=JOINTS)
    np.testing.assert_allclose(test["camber_right"], camber, atol=JOINTS)
    np.testing.assert_allclose(test["ty_left"], lateral, atol=JOINTS)


@pytest.mark.parametrize("corners", [swing_axle, trailing_arm, wishbones(UNEQUAL_ARMS)])
def test_work_of_the_pads_is_the_energy_of_springs_and_weights(corners: Corners) -> None:
    bench = Rig(vehicle_on(corners), Axle.FRONT)
    z = np.linspace(-0.08, 0.08, 81)
    solution = bench.sweep(Inputs.of(np.column_stack((z, z))))
    work = simpson(solution.forces[:, list(bench.pads)].sum(axis=1), x=z)
    compression = FREE - 0.4 + 0.4 - solution.lengths
    spring = 0.5 * RATE * (compression**2).sum(axis=1)
    masses = np.array([group.mass for group in bench.model.groups])
    weight = 9.80665 * solution.poses[:, :, 2] @ masses
    energy = spring + weight
    assert work == pytest.approx(energy[-1] - energy[0], rel=5e-5)  # the stiff joints hold hundredths of a joule


def test_wheel_rate_is_the_slope_of_the_wheel_load() -> None:
    z = np.linspace(-0.08, 0.08, 161)
    test = programme.parallel(Rig(vehicle_on(wishbones(UNEQUAL_ARMS)), Axle.FRONT), z)
    slope = np.gradient(test["Fz_left"], z, edge_order=2)
    np.testing.assert_allclose(test["wheel_rate_left"], slope, rtol=3e-4)
    ratio = -np.gradient(test["spring_length_left"], z, edge_order=2)
    np.testing.assert_allclose(test["spring_left_ratio"], ratio, atol=5e-5)


@pytest.mark.parametrize(
    ("load", "path"), [(Load.FX, "brake_support_left"), (Load.FX_DRIVE, "drive_support_left"), (Load.FY, None)]
)
def test_pads_feel_forces_by_virtual_power(load: Load, path: str | None) -> None:
    """A force on the contact patch lifts the wheel by its share of the path; the pad holds against it."""
    bench = Rig(vehicle_on(trailing_arm if load is not Load.FY else swing_axle), Axle.REAR)
    at_rest = programme.parallel(bench, np.array([-1e-3, 0.0, 1e-3]))
    change = np.diff(programme.loads(bench, load, [0.0, 1000.0])["Fz_left"][:2])[0]
    if path is None:
        contact = 0.5 * at_rest["track_contact"]
        expected = -1000.0 * (contact[2] - contact[0]) / 2e-3
    else:
        expected = -1000.0 * at_rest[path][1]
    assert change == pytest.approx(expected, rel=2e-3)
    assert abs(change) > 50.0


def test_tolerance_of_the_solver_does_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Rig(vehicle_on(wishbones(UNEQUAL_ARMS)), Axle.FRONT)
    usual = programme.parallel(bench, TRAVEL)
    monkeypatch.setattr(rig, "TOLERANCE", 1e-10)
    monkeypatch.setattr(rig, "PLACE_TOLERANCE", 1e-11)
    sharp = programme.parallel(bench, TRAVEL)
    for name, tolerance in (("camber_left", 2e-9), ("ty_left", 1e-9), ("Fz_left", 1e-3)):
        np.testing.assert_allclose(usual[name], sharp[name], atol=tolerance)
    np.testing.assert_allclose(usual["tz_left"], TRAVEL, atol=2e-9)
    np.testing.assert_allclose(sharp["tz_left"], TRAVEL, atol=1e-10)


def test_roll_keeps_the_axle_load() -> None:
    bench = Rig(vehicle_on(swing_axle), Axle.FRONT)
    test = programme.roll(bench, np.linspace(-0.06, 0.06, 13))
    total = test["Fz_left"] + test["Fz_right"]
    np.testing.assert_allclose(total, bench.design_loads.sum(), rtol=1e-5)
    assert test["roll_angle"][0] > 0  # the left wheel is low, the right one high: the body's right side is down
    assert np.abs(0.5 * (test["travel_left"] + test["travel_right"])).max() > 1e-4


@given(st.tuples(*(st.floats(-1.2, 1.2) for _ in range(3))))
def test_angles_and_rotation_are_inverse(angles: tuple[float, float, float]) -> None:
    given_angles = np.array(angles)
    rotation = rotation_of(given_angles)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(wheel_angles(rotation), given_angles, atol=1e-9)
    upright = rotation_of(given_angles * [1, 0, 1])
    np.testing.assert_allclose(design_frame(upright[:, 1]), upright, atol=1e-9)


def test_signs_of_the_angles() -> None:
    small = 0.01
    assert rotation_of(np.array([0.0, 0.0, small]))[1, 0] > 0  # steer turns x towards the left
    assert rotation_of(np.array([small, 0.0, 0.0]))[1, 2] < 0  # inclination leans the top to the right
    assert rotation_of(np.array([0.0, small, 0.0]))[0, 2] > 0  # pitch leans the top forward


def test_ackermann_of_ideal_steering_is_whole() -> None:
    track, wheelbase, radius = 1.5, 2.6, np.array([6.0, 10.0, -8.0])
    left, right = (np.arctan(wheelbase / (radius - sign * 0.5 * track)) for sign in (1, -1))
    error, percent = ackermann(np.column_stack((left, right)), np.zeros(2), track, wheelbase)
    np.testing.assert_allclose(error, 0.0, atol=1e-12)
    np.testing.assert_allclose(percent, 100.0, rtol=1e-9)
    parallel = np.radians([[10.0, 10.0]])
    error, percent = ackermann(parallel, np.zeros(2), track, wheelbase)
    assert error[0] < 0
    assert percent[0] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("corners", "says", "names"),
    [
        (locked, "too many constraints", "front_suspension.second_pivot_left"),
        (loose, "too few constraints", "front_suspension.upright_left"),
        (held, "fixed together", "front_suspension.spindle_left"),
    ],
)
def test_a_mechanism_with_wrong_constraints_is_refused(corners: Corners, says: str, names: str) -> None:
    vehicle = vehicle_on(corners)
    with pytest.raises(InputError, match=f"front axle 'front_suspension'.*{says}.*freedoms") as caught:
        Rig(vehicle, Axle.FRONT)
    assert names in str(caught.value)


def test_a_locked_mechanism_shows_by_its_stiffness() -> None:
    with pytest.raises(InputError, match="is locked: its wheels resist travel with"):
        Rig(vehicle_on(locked), Axle.FRONT, check=False)


def test_a_load_that_no_spring_carries_names_the_springs() -> None:
    bench = Rig(vehicle_on(swing_axle), Axle.FRONT)
    loads = np.array([bench.design_loads, [3e5, 3e5]])
    solution = bench.under_load(loads, Inputs.of(np.zeros((2, 2))))
    assert solution.solved.tolist() == [True, False]
    assert np.isnan(solution.forces[1]).all()
    assert "front_suspension.spring_left" in solution.problems[0].text
    assert bench.sweep(Inputs.of(np.full((1, 2), 0.01))).solved.all()  # the rig goes on


def test_travel_out_of_reach_is_marked_and_the_rest_kept() -> None:
    bench = Rig(vehicle_on(wishbones(EQUAL_ARMS)), Axle.FRONT)
    test = programme.parallel(bench, np.array([-0.1, 0.0, 0.1, 0.5]))
    assert test["solved"].tolist() == [1.0, 1.0, 1.0, 0.0]
    assert np.isnan(test["camber_left"][3])
    assert np.isfinite(test["camber_left"][:3]).all()
    assert "point 4" in test.problems[0].text
    assert "front_suspension." in test.problems[0].text


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(InputError, match="point 2 of the rig: travel_left is nan"):
        Inputs.of([[0.0, 0.0], [np.nan, 0.0]])

"""Maps of a swing axle whose arms differ left and right: each wheel gets its own numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from kc.simple_axles import ALONG_X, CHASSIS, WHEEL, vehicle_on
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError
from trackrod.core.maps import Map1D, Map2D
from trackrod.core.quantities import KINDS
from trackrod.kc.maps import _reached, compliance_maps, grid, kinematics_maps, stiffness_map, unsprung_masses
from trackrod.kc.measure import gauges, measure
from trackrod.kc.rig import Inputs, Load, Rig
from trackrod.vehicle.characteristics import Characteristic, StopCharacteristic
from trackrod.vehicle.connectors import Stop, TorsionSpring
from trackrod.vehicle.elements import Body, Joint, JointType
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]

#: Pivots (y towards the wheel, z) of the arms.
PIVOTS = {1: (0.15, 0.25), -1: (0.30, 0.36)}
JOINTS = 5e-5  # ideal joints are stiff springs


def uneven_corner(name: str, sign: int, x: float) -> tuple[list[Body], list[Joint]]:
    y, z = PIVOTS[sign]
    upright = name.format("upright")
    return [], [Joint(name.format("pivot"), JointType.REVOLUTE, (upright, CHASSIS), (x, sign * y, z), ALONG_X)]


@cache
def vehicle() -> Vehicle:
    return vehicle_on(uneven_corner)


def turned(sign: int, travel: Array) -> Array:
    """Angle by which the arm of a side has turned when its wheel centre has risen [rad]."""
    reach, height = WHEEL[0] - PIVOTS[sign][0], WHEEL[1] - PIVOTS[sign][1]
    length = np.hypot(reach, height)
    return np.asarray(np.arcsin((height + travel) / length) - np.arcsin(height / length))


def moved(sign: int, travel: Array, y: float, z: float) -> tuple[Array, Array]:
    """Where a point of the upright, y towards the wheel, has gone."""
    angle = turned(sign, travel)
    dy, dz = y - PIVOTS[sign][0], z - PIVOTS[sign][1]
    c, s = np.cos(angle), np.sin(angle)
    return PIVOTS[sign][0] + c * dy - s * dz, PIVOTS[sign][1] + s * dy + c * dz


@cache
def wheel_maps() -> tuple[Map2D, Map2D]:
    test = grid(vehicle(), Axle.REAR, np.linspace(-0.06, 0.06, 7), np.linspace(-0.03, 0.03, 5))
    maps, problems = kinematics_maps(test)
    assert problems == ()
    return maps


def channel(found: Map2D, name: str) -> Array:
    return np.asarray(found.values[..., found.output_index(name)])


@pytest.mark.parametrize(("side", "sign"), [(0, 1), (1, -1)])
def test_each_wheel_follows_its_own_arm(side: int, sign: int) -> None:
    """The first variable is parallel travel, the second half the difference: left up is positive."""
    found = wheel_maps()[side]
    first, second = np.meshgrid(*found.knots, indexing="ij")
    travel = first + sign * second
    y, _ = moved(sign, travel, *WHEEL)
    np.testing.assert_allclose(channel(found, "tz"), travel, atol=JOINTS)
    np.testing.assert_allclose(channel(found, "ty"), sign * (y - WHEEL[0]), atol=JOINTS)
    np.testing.assert_allclose(channel(found, "tx"), 0.0, atol=JOINTS)
    np.testing.assert_allclose(channel(found, "rx"), sign * turned(sign, travel), atol=2 * JOINTS)
    np.testing.assert_allclose(channel(found, "rz"), 0.0, atol=2 * JOINTS)
    low_y, low_z = moved(sign, travel, 0.6, 0.3)  # lower end of the spring; the upper one is at 0.6, 0.7
    np.testing.assert_allclose(channel(found, "spring_length"), np.hypot(0.6 - low_y, 0.7 - low_z), atol=2 * JOINTS)


def test_loads_of_the_pads_are_those_of_each_side() -> None:
    """Without an anti-roll bar a wheel carries what its own travel says, whatever the other one does."""
    rig = Rig(vehicle(), Axle.REAR)
    ride, roll = (stiffness_map(rig, np.linspace(-0.05, 0.05, 11), opposed=opposed) for opposed in (False, True))
    left, right = (ride.values[:, ride.output_index(f"Fz_{side}")] for side in ("left", "right"))
    assert np.abs(left - right).max() > 100.0
    np.testing.assert_allclose(roll.values[:, roll.output_index("Fz_left")], left, rtol=1e-4)
    np.testing.assert_allclose(roll.values[:, roll.output_index("Fz_right")], right[::-1], rtol=1e-4)
    for side in ("left", "right"):  # there are no stops
        bare = ride.values[:, ride.output_index(f"Fz_{side}_without_stops")]
        np.testing.assert_allclose(bare, ride.values[:, ride.output_index(f"Fz_{side}")], rtol=1e-9)


def test_a_load_moves_its_own_wheel() -> None:
    rig = Rig(vehicle(), Axle.REAR)
    values = np.linspace(-2000.0, 2000.0, 5)
    zero = np.zeros(5)
    solutions = [
        rig.sweep(Inputs.of(np.zeros((5, 2)), loads={Load.FY: np.column_stack(pair)}))
        for pair in ((values, zero), (zero, values))
    ]
    found = compliance_maps(rig, Load.FY, *solutions)

    def size(curve: Map1D) -> float:
        return float(np.ptp(curve.values[:, curve.output_index("ty")]))

    for own, opposite in found:
        assert size(own) > 20 * size(opposite)
        assert own.values[2] == pytest.approx(0.0)  # changes from no load
        assert own.values[-1, own.output_index("ty")] > own.values[0, own.output_index("ty")]
    assert abs(size(found[0][0]) / size(found[1][0]) - 1.0) > 0.05  # the arms differ


def test_unsprung_masses_are_shared_by_distance() -> None:
    """A track of 1.5 m; 10 kg are 0.3 m left of the middle, 6 kg beyond the right wheel and half sprung."""

    def changed(body: Body) -> Body:
        x, _, z = body.centre
        if body.name == "rear_suspension.upright_left":
            return replace(body, mass=10.0, centre=(x, 0.3, z))
        if body.name == "rear_suspension.upright_right":
            return replace(body, mass=6.0, centre=(x, -2.0, z), sprung_fraction=0.5)
        return body

    rig = Rig(replace(vehicle(), bodies=tuple(map(changed, vehicle().bodies))), Axle.REAR)
    share = 0.5 + 0.3 / (2 * WHEEL[0])  # and spindles of 12 kg at the wheels
    assert unsprung_masses(rig) == pytest.approx((12.0 + 10.0 * share, 12.0 + 10.0 * (1.0 - share) + 3.0))


def rectangle(text: str, row: int, column: int) -> tuple[slice, slice]:
    """Of a grid drawn with o where a point was reached."""
    return _reached(np.array([[c == "o" for c in line] for line in text.split()]), row, column)


def test_what_was_not_reached_is_cut_off() -> None:
    assert rectangle("ooo ooo ooo", 1, 1) == (slice(0, 3), slice(0, 3))
    assert rectangle("xxx ooo ooo ooo", 2, 1) == (slice(1, 4), slice(0, 3))
    assert rectangle("ooo ooo ooo xxo", 1, 1) == (slice(0, 3), slice(0, 3))
    assert rectangle("xooo xooo oooo", 1, 2) == (slice(0, 3), slice(1, 4))
    assert rectangle("ooox oooo ooox", 1, 1) == (slice(0, 3), slice(0, 3))
    assert rectangle("xxoo oooo oooo", 1, 1) == (slice(1, 3), slice(0, 4))  # the edge with more failures
    assert rectangle("ooo oox oox oox ooo", 1, 1) == (slice(0, 5), slice(0, 2))
    for text, row, column in (("xxx xox xxx", 1, 1), ("oo ox", 1, 1), ("oxo oxo", 0, 0)):
        with pytest.raises(InputError, match="nothing to save"):
            rectangle(text, row, column)


def test_gauges_read_stops_and_torsion_bars() -> None:
    """A bar between both arms twists by the difference of their angles, one to the body by the angle of its arm."""
    arms = {sign: f"rear_suspension.upright_{side}" for sign, side in ((1, "left"), (-1, "right"))}
    x = next(wheel.centre[0] for wheel in vehicle().wheels if wheel.corner.axle is Axle.REAR)
    soft = Characteristic.linear(10.0, 0.5, KINDS["angle"], KINDS["torque"])
    bars = (
        TorsionSpring("rear_suspension.bar", (arms[1], arms[-1]), (x, 0.0, 0.3), ALONG_X, soft),
        TorsionSpring("rear_suspension.one", (CHASSIS, arms[-1]), (x, -0.1, 0.3), ALONG_X, soft),
    )
    curve = Characteristic((0.0, 0.5), (0.0, 1.0), KINDS["length"], KINDS["force"])
    ends = ((x, -0.65, 0.3), (x, -0.65, 0.8))
    stops = tuple(
        Stop(f"rear_suspension.{name}", (arms[-1], CHASSIS), ends, StopCharacteristic(curve), 0.2, rebound=rebound)
        for name, rebound in (("jounce", False), ("droop", True))
    )
    rig = Rig(replace(vehicle(), torsion_springs=bars, stops=stops), Axle.REAR)
    of = gauges(rig)
    assert {gauge.name: (gauge.element.rpartition(".")[2], gauge.side) for gauge in of} == {
        "spring_length_left": ("spring_left", Side.LEFT),
        "spring_length_right": ("spring_right", Side.RIGHT),
        "bump_stop_length_right": ("jounce", Side.RIGHT),
        "rebound_stop_length_right": ("droop", Side.RIGHT),
        "bar_twist": ("bar", None),
        "torsion_bar_twist_right": ("one", Side.RIGHT),
    }
    travel = np.array([[-0.03, 0.04], [0.0, 0.0], [0.05, 0.01]])
    found = measure(rig, rig.sweep(Inputs.of(travel)), of)
    reading = dict(zip((gauge.name for gauge in of), found.readings.T, strict=True))
    left, right = turned(1, travel[:, 0]), -turned(-1, travel[:, 1])  # about x, so that up is the other way round
    np.testing.assert_allclose(reading["bar_twist"], left - right, atol=4 * JOINTS)
    np.testing.assert_allclose(reading["torsion_bar_twist_right"], -right, atol=4 * JOINTS)
    y, z = moved(-1, travel[:, 1], 0.65, 0.3)
    np.testing.assert_allclose(reading["bump_stop_length_right"], np.hypot(0.65 - y, 0.8 - z), atol=4 * JOINTS)
    np.testing.assert_allclose(found.wheel_load[1], rig.design_loads, rtol=1e-6)


def test_torques_are_held_by_the_bodies_that_take_their_reaction() -> None:
    """The brakes of this axle sit on the uprights, its driveline on the body; then the other way round."""
    travel = np.array([[-0.03, 0.04], [0.05, 0.01]])
    angles = np.stack((turned(1, travel[:, 0]), -turned(-1, travel[:, 1])), axis=1)
    still, turning = np.zeros((2, 2, 3)), np.stack((angles, 0 * angles, 0 * angles), axis=-1)
    rig = Rig(vehicle(), Axle.REAR)
    found = measure(rig, rig.sweep(Inputs.of(travel)), ())
    np.testing.assert_allclose(found.brake_turn, turning, atol=4 * JOINTS)
    np.testing.assert_array_equal(found.drive_turn, still)
    wheels = tuple(
        replace(w, brake_reaction=w.drive_reaction, drive_reaction=w.brake_reaction) for w in vehicle().wheels
    )
    other = Rig(replace(vehicle(), wheels=wheels), Axle.REAR)
    swapped = measure(other, other.sweep(Inputs.of(travel)), ())
    np.testing.assert_array_equal(swapped.brake_turn, still)
    np.testing.assert_allclose(swapped.drive_turn, turning, atol=4 * JOINTS)

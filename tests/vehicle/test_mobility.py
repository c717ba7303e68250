"""Degrees of freedom of mechanisms whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.vehicle.connectors import Beam, BeamSection, Gear
from trackrod.vehicle.elements import GROUND, Joint, JointType, Mode
from trackrod.vehicle.mobility import mobility

Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)

#: Freedoms that a joint takes away, by the books.
CONSTRAINTS = {
    JointType.FIXED: 6,
    JointType.REVOLUTE: 5,
    JointType.TRANSLATIONAL: 5,
    JointType.CYLINDRICAL: 4,
    JointType.SPHERICAL: 3,
    JointType.HOOKE: 4,
    JointType.CONVEL: 4,
    JointType.INPLANE: 1,
    JointType.INLINE: 2,
    JointType.ORIENTATION: 3,
    JointType.PERPENDICULAR: 1,
}


def joint(name: str, kind: str, bodies: str, position: tuple[float, float, float], **more: object) -> Joint:
    first, second = bodies.split()
    return Joint(name, JointType(kind), (first, second), position, **more)


@pytest.mark.parametrize("kind", list(JointType))
def test_one_body_on_one_joint(kind: JointType) -> None:
    found = mobility(["a"], [Joint("j", kind, ("a", GROUND), (0.3, -0.2, 0.7), Y, Z)])
    assert found.freedoms == 6 - CONSTRAINTS[kind]
    assert found.redundant == 0


def test_planar_four_bar_has_one_freedom_and_three_redundant_constraints() -> None:
    """Gruebler counts 18 - 20 = -2; the mechanism moves all the same."""
    points = [(0.0, 0, 0), (0.1, 0, 0.3), (0.6, 0, 0.4), (0.5, 0, 0)]
    bars = ["ground crank", "crank coupler", "coupler rocker", "rocker ground"]
    joints = [joint(f"j{i}", "revolute", bars[i], points[i], axis=Y) for i in range(4)]
    found = mobility(["crank", "coupler", "rocker"], joints)
    assert (found.freedoms, found.redundant) == (1, 3)
    assert found.moving() == ("crank", "coupler", "rocker")


def double_wishbone(*, tie_rod: bool = True) -> tuple[list[str], list[Joint]]:
    joints = [
        joint("lca", "revolute", "lower ground", (0.0, 0.4, 0.18), axis=(1.0, 0.0, 0.0)),
        joint("uca", "revolute", "upper ground", (0.0, 0.45, 0.55), axis=(1.0, 0.0, 0.0)),
        joint("lower_ball", "spherical", "lower upright", (0.0, 0.75, 0.13)),
        joint("upper_ball", "spherical", "upper upright", (-0.04, 0.675, 0.555)),
    ]
    bodies = ["lower", "upper", "upright"]
    if tie_rod:
        bodies.append("tierod")
        joints += [
            joint("tierod_outer", "spherical", "tierod upright", (-0.15, 0.75, 0.33)),
            joint("tierod_inner", "hooke", "tierod ground", (-0.2, 0.4, 0.33), axis=Z, second_axis=(1.0, 0.0, 0.0)),
        ]
    return bodies, joints


def test_double_wishbone_has_travel_only() -> None:
    """With its tie rod one freedom is left: the wheel goes up and down; without it the upright steers too."""
    found = mobility(*double_wishbone())
    assert (found.freedoms, found.redundant) == (1, 0)
    upright = found.motions[0].reshape(4, 6)[2]
    centre = upright[:3] + np.cross(upright[3:], (0.0, 0.76, 0.33))
    assert abs(centre[2]) > 5 * np.abs(centre[:2]).max()  # mostly vertical
    assert mobility(*double_wishbone(tie_rod=False)).freedoms == 2


def test_locked_mechanism() -> None:
    bodies, joints = double_wishbone()
    found = mobility(bodies, [*joints, joint("weld", "fixed", "lower ground", (0.0, 0.5, 0.2))])
    assert found.freedoms == 0
    assert found.redundant == 5
    assert found.moving() == ()


def test_free_bodies() -> None:
    assert mobility(["a", "b"], []).freedoms == 12
    assert mobility([GROUND], []).freedoms == 0


def test_mistakes_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown body in joint 'j' 'uprite' .*'upright'"):
        mobility(["upright"], [joint("j", "fixed", "uprite ground", (0.0, 0, 0))])
    with pytest.raises(InputError, match="joins 'a' with itself"):
        joint("j", "fixed", "a a", (0.0, 0, 0))
    with pytest.raises(InputError, match="unit vector"):
        joint("j", "revolute", "a b", (0.0, 0, 0), axis=(1.0, 1.0, 0.0))


def test_modes() -> None:
    assert Mode.ALWAYS.acts_in(Mode.KINEMATIC)
    assert Mode.KINEMATIC.acts_in(Mode.KINEMATIC)
    assert not Mode.KINEMATIC.acts_in(Mode.COMPLIANT)


# ------------------------------------------------------------------------------------------- beams and gears

STEEL = BeamSection.rectangle(0.07, 0.012, 2.1e11, 8.1e10)


def test_a_beam_holds_like_a_weld() -> None:
    beam = Beam("leaf", ("a", "b"), ((0.0, 0.1, 0.2), (0.5, 0.1, 0.3)), STEEL)
    found = mobility(["a", "b"], [], [beam])
    assert (found.freedoms, found.redundant) == (6, 0)
    weld = mobility(["a", "b"], [joint("weld", "fixed", "a b", (1.0, 2.0, 3.0))])
    across = np.linalg.svd(found.motions @ weld.motions.T, compute_uv=False)
    assert across.min() > 1e-3  # the same six motions


def test_gears_tie_two_joints() -> None:
    """Two shafts: the first turns 3 rad for each of the second; a rack: 100 rad for each metre."""
    joints = [
        joint("first", "revolute", "a ground", (0.0, 0.0, 0.0), axis=Y),
        joint("second", "revolute", "b ground", (0.2, 0.0, 0.0), axis=Z),
        joint("rack", "translational", "c ground", (0.4, 0.0, 0.1), axis=Y),
    ]
    gears = [Gear("shafts", ("first", "second"), 3.0), Gear("pinion", ("second", "rack"), 100.0)]
    found = mobility("abc", joints, gears=gears)
    assert (found.freedoms, found.redundant) == (1, 0)
    a, b, c = found.motions.reshape(3, 6)
    assert a[4] == pytest.approx(3.0 * b[5])
    assert b[5] == pytest.approx(100.0 * c[1])
    again = mobility("abc", joints, gears=[*gears, Gear("third", ("first", "rack"), 300.0)])
    assert (again.freedoms, again.redundant) == (1, 1)
    assert mobility("abc", joints, gears=[*gears, Gear("third", ("first", "rack"), 200.0)]).freedoms == 0


def test_a_gear_takes_the_first_body_against_the_second() -> None:
    turned = joint("first", "revolute", "ground a", (0.0, 0.0, 0.0), axis=Y)
    other = joint("second", "revolute", "b ground", (0.2, 0.0, 0.0), axis=Y)
    a, b = mobility("ab", [turned, other], gears=[Gear("g", ("first", "second"), 2.0)]).motions.reshape(2, 6)
    assert a[4] == pytest.approx(-2.0 * b[4])


def test_mistakes_in_beams_and_gears_are_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown body in beam 'leaf' 'axel'"):
        mobility(["axle"], [], [Beam("leaf", ("axel", "ground"), ((0.0, 0, 0), (1.0, 0, 0)), STEEL)])
    ball = joint("ball", "spherical", "a ground", (0.0, 0.0, 0.0))
    with pytest.raises(UnknownNameError, match="unknown joint in gear 'g' 'bal'"):
        mobility(["a"], [ball], gears=[Gear("g", ("bal", "ball"), 1.0)])
    with pytest.raises(InputError, match="gear 'g' is on joint 'ball', which is spherical"):
        mobility(["a"], [ball], gears=[Gear("g", ("ball", "ball"), 1.0)])

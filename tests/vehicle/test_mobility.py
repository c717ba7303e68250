"""Degrees of freedom of mechanisms whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.vehicle.elements import GROUND, Joint, JointType, Mode
from trackrod.vehicle.mobility import mobility

Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)


def joint(name: str, kind: str, bodies: str, position: tuple[float, float, float], **more: object) -> Joint:
    first, second = bodies.split()
    return Joint(name, JointType(kind), (first, second), position, **more)


@pytest.mark.parametrize("kind", list(JointType))
def test_one_body_on_one_joint(kind: JointType) -> None:
    found = mobility(["a"], [Joint("j", kind, ("a", GROUND), (0.3, -0.2, 0.7), Y, Z)])
    assert found.freedoms == 6 - kind.constraints
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

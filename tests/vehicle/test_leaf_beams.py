"""Leaf springs as beams: rates against closed forms, statics of the preload, masses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from geometries import VALUES, hardpoints_of, leaf_spring, one_leaf
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from trackrod.core.errors import InputError
from trackrod.vehicle.connectors import Beam
from trackrod.vehicle.elements import Vector
from trackrod.vehicle.instantiate import LeafPlace, instantiate
from trackrod.vehicle.leaf import Leaf, LeafSpring
from trackrod.vehicle.leaf_beams import DAMPING_TIME, chain_wrenches, leaf_beams
from trackrod.vehicle.mass import is_possible_inertia, mass_properties
from trackrod.vehicle.template_reader import BUILT_IN, load_template

Array = NDArray[np.float64]

E, WIDTH, THICK, DENSITY = 2.1e11, 0.07, 0.012, 7850.0
EI = E * WIDTH * THICK**3 / 12
UP = (0.0, 0.0, 1.0)
HALF = 0.7


def chain(*stations: float, supports: tuple[int, int], loaded: tuple[int, ...], across: bool = False) -> LeafPlace:
    """A straight chain along −x, or along −y, with points at these ways from its start."""
    points: list[Vector] = [(0.0, HALF - s, 0.3) if across else (HALF - s, 0.5, 0.3) for s in stations]
    names = tuple("abcdefgh"[: len(points)])
    return LeafPlace("leaf", "leaf", None, names, tuple(points), supports, loaded, UP)


THREE_POINT = chain(0.0, 0.35, 0.7, 1.05, 1.4, supports=(0, 4), loaded=(2,))
TRANSVERSE = chain(0.0, 0.45, 0.7, 0.95, 1.4, supports=(1, 3), loaded=(0, 4), across=True)


# ------------------------------------------------------------------------------- an independent frame of beams


def element_stiffness(beam: Beam) -> Array:
    """Twelve by twelve, displacements and small rotations of both ends in V."""
    s, length = beam.section, beam.length
    local = np.zeros((12, 12))
    for stiffness, i, j in ((s.axial, 0, 6), (s.torsional, 3, 9)):
        local[np.ix_([i, j], [i, j])] += stiffness / length * np.array([[1, -1], [-1, 1]])
    for stiffness, sign, index in ((s.bending_z, 1.0, [1, 5, 7, 11]), (s.bending_y, -1.0, [2, 4, 8, 10])):
        a, b, c = 12 / length**3, sign * 6 / length**2, 2 / length
        rows = [[a, b, -a, b], [b, 2 * c, -b, c], [-a, -b, a, -b], [b, c, -b, 2 * c]]
        local[np.ix_(index, index)] += stiffness * np.array(rows)
    turn = np.kron(np.eye(4), np.array(beam.axes))
    return np.asarray(turn @ local @ turn.T)


def stiffness(beams: tuple[Beam, ...]) -> tuple[list[str], Array]:
    """Names of the bodies at the nodes of a chain, and the stiffness in six displacements of each."""
    names = [beams[0].bodies[0], *(beam.bodies[1] for beam in beams)]
    matrix = np.zeros((6 * len(names), 6 * len(names)))
    for i, beam in enumerate(beams):
        matrix[6 * i : 6 * i + 12, 6 * i : 6 * i + 12] += element_stiffness(beam)
    return names, matrix


def deflections(beams: tuple[Beam, ...], held: set[int], forces: dict[int, float]) -> dict[int, float]:
    """Displacements at loaded coordinates, with others held; coordinates count six for each node."""
    _, matrix = stiffness(beams)
    free = [i for i in range(len(matrix)) if i not in held]
    load = np.zeros(len(matrix))
    load[list(forces)] = list(forces.values())
    way = np.zeros(len(matrix))
    way[free] = np.linalg.solve(matrix[np.ix_(free, free)], load[free])
    return {i: float(way[i]) for i in forces}


def pinned(*nodes: int) -> set[int]:
    """Nodes that may only turn about y."""
    return {6 * node + i for node in nodes for i in (0, 1, 2, 3, 5)}


def three_point_rate(leaf: LeafSpring, place: LeafPlace = THREE_POINT) -> float:
    """Rate in the middle; the rear eye is free to slide."""
    beams = leaf_beams(place, leaf, 0.0, ())[1]
    (way,) = deflections(beams, pinned(0, 4) - {24}, {14: 1.0}).values()
    return 1 / way


# ------------------------------------------------------------------------------- rates


def test_uniform_cantilever() -> None:
    """3 E I / L³ at the tip."""
    beams = leaf_beams(THREE_POINT, leaf_spring(one_leaf(HALF, HALF)), 0.0, ())[1]
    (way,) = deflections(beams, set(range(6)), {26: 1.0}).values()
    assert 1 / way == pytest.approx(3 * EI / 1.4**3, rel=1e-9)


def test_three_point_bending() -> None:
    """48 E I / L³ in the middle."""
    assert three_point_rate(leaf_spring(one_leaf(HALF, HALF))) == pytest.approx(48 * EI / 1.4**3, rel=1e-9)


def test_parabolic_leaf_is_half_as_stiff_as_a_uniform_one() -> None:
    """Of equal stress: thickness with the root of the distance from the tip has 3 E I / (2 L³) for each half."""
    x = HALF * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 801))  # dense at the tips
    thickness = np.maximum(THICK * np.sqrt(1 - np.abs(x) / HALF), 1e-4)
    leaf = leaf_spring(one_leaf(HALF, HALF, THICK, (tuple(x), tuple(thickness))))
    assert three_point_rate(leaf) == pytest.approx(48 * EI / 1.4**3 / 2, rel=1e-3)


def test_rate_does_not_depend_on_where_the_bodies_are() -> None:
    x = (-0.7, -0.2, 0.15, 0.7)
    leaf = leaf_spring(one_leaf(HALF, HALF, THICK, (x, (0.006, 0.011, 0.013, 0.005))), one_leaf(0.3, 0.4))
    other = chain(0.0, 0.2, 0.7, 1.25, 1.4, supports=(0, 4), loaded=(2,))
    assert three_point_rate(leaf, other) == pytest.approx(three_point_rate(leaf), rel=1e-5)


def test_equal_leaves_add_up() -> None:
    one, three = leaf_spring(one_leaf(HALF, HALF)), leaf_spring(*[one_leaf(HALF, HALF)] * 3)
    for single, stack in zip(*(leaf_beams(THREE_POINT, leaf, 0.0, ())[1] for leaf in (one, three)), strict=True):
        for name in ("axial", "torsional", "bending_y", "bending_z"):
            assert getattr(stack.section, name) == pytest.approx(3 * getattr(single.section, name), rel=1e-9)


def test_stepped_pack() -> None:
    """A second leaf of half the length: each half is a stepped cantilever, ∫ u² / E I by hand."""
    rate = three_point_rate(leaf_spring(one_leaf(HALF, HALF), one_leaf(0.35, 0.35)))
    tip, root = 0.35**3 / 3, (0.7**3 - 0.35**3) / 3
    assert rate == pytest.approx(2 * EI / (tip + root / 2), rel=1e-9)


def test_clamped_length_does_not_bend() -> None:
    """100 mm to either side: each half is a cantilever shorter by that."""
    rate = three_point_rate(leaf_spring(one_leaf(HALF, HALF), inactive=0.1))
    assert rate == pytest.approx(2 * 3 * EI / 0.6**3, rel=1e-3)


def test_auxiliary_leaf_bears_nothing() -> None:
    helper = replace(one_leaf(0.5, 0.5), auxiliary=True)
    assert three_point_rate(leaf_spring(one_leaf(HALF, HALF), helper)) == pytest.approx(48 * EI / 1.4**3)
    with pytest.raises(InputError, match="auxiliary leaves only"):
        leaf_beams(THREE_POINT, leaf_spring(helper), 0.0, ())


def test_front_of_the_leaf_lies_in_front() -> None:
    """A leaf that is thick in front makes the first beams stiff; a chain from rear to front is turned round."""
    thick_front = leaf_spring(one_leaf(HALF, HALF, THICK, ((-0.01, 0.01), (0.008, 0.016))))
    beams = leaf_beams(THREE_POINT, thick_front, 0.0, ())[1]
    assert beams[0].section.bending_y > 4 * beams[3].section.bending_y
    turned = leaf_beams(replace(THREE_POINT, points=THREE_POINT.points[::-1]), thick_front, 0.0, ())[1]
    assert turned[0].section.bending_y == pytest.approx(beams[3].section.bending_y)
    across = leaf_beams(TRANSVERSE, thick_front, 0.0, ())[1]
    assert across[0].section.bending_y > 4 * across[3].section.bending_y


def test_transverse_leaf_rates() -> None:
    """Overhang a on a span l between clamps that only hold in height: 1/k = a²(2a + 3l)/6EI and a²(2a + l)/6EI."""
    beams = leaf_beams(TRANSVERSE, leaf_spring(one_leaf(HALF, HALF)), 0.0, ())[1]
    flat = set(range(30)) - {6 * node + i for node in range(5) for i in (2, 3)}  # bending in the plane y, z
    held = flat | {8, 20}
    a, span = 0.45, 0.5
    for right, middle in ((1.0, 3 * span), (-1.0, span)):
        way = deflections(beams, held, {2: 1.0, 26: right})
        assert way[2] == pytest.approx(a**2 * (2 * a + middle) / (6 * EI), rel=1e-9)


def test_solid_axle_is_softest_in_height() -> None:
    """Both leaves of the built-in template, with the axle as one body: the leaf is a spring up and a link otherwise."""
    template = load_template(BUILT_IN / "solid_axle_leaf.toml")
    place = instantiate(template, hardpoints_of(template.name), {}, VALUES).leaves[0]
    beams = leaf_beams(place, leaf_spring(one_leaf(0.72, 0.72)), 5e3, {"axle"})[1]
    ways = [deflections(beams, pinned(0) | pinned(4) - {24}, {12 + i: 1.0})[12 + i] for i in range(3)]
    assert ways[2] > 20 * max(ways[:2])


# ------------------------------------------------------------------------------- statics of the preload


def node_wrenches(place: LeafPlace, beams: tuple[Beam, ...]) -> Array:
    """Force and moment that the beams exert on each node, in V, from nothing but `Beam.preload`."""
    total = np.zeros((len(place.points), 6))
    for i, beam in enumerate(beams):
        axes = np.array(beam.axes)
        force, moment = axes @ beam.preload[:3], axes @ beam.preload[3:]
        arm = np.subtract(beam.ends[1], beam.ends[0])
        total[i + 1] -= [*force, *moment]  # the body does this to the beam, so the beam does the opposite to it
        total[i] += [*force, *(moment + np.cross(arm, force))]
    return total


def test_three_point_preload() -> None:
    """Half of the load at each eye, moment F L / 4 at the seat."""
    beams = leaf_beams(THREE_POINT, leaf_spring(one_leaf(HALF, HALF)), 8e3, ())[1]
    on_nodes = -node_wrenches(THREE_POINT, beams)
    np.testing.assert_allclose(on_nodes[:, 2], [-4e3, 0, 8e3, 0, -4e3], atol=1e-9)
    np.testing.assert_allclose(np.delete(on_nodes, 2, axis=1), 0.0, atol=1e-9)
    # The beam leads to the rear and its y axis to the right. Load in the middle arches the leaf, so the seat turns the
    # end of the beam from the beam's z axis towards its x axis.
    assert beams[1].axes[0][0] == -1.0
    assert beams[1].preload == pytest.approx((0, 0, 4e3, 0, 8e3 * 1.4 / 4, 0), abs=1e-9)


def test_cantilever_moment() -> None:
    """Beyond two supports that lie close together the moment is force times arm."""
    place = chain(0.0, 0.1, 0.5, 1.4, supports=(0, 1), loaded=(3,))
    wrenches = chain_wrenches(place, 1e3)
    np.testing.assert_allclose(wrenches[2], [0, 0, 1e3, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(wrenches[1], [0, 0, 1e3, 0, 1e3 * 0.9, 0], atol=1e-9)  # −x beyond the node
    np.testing.assert_allclose(wrenches[0], [0, 0, 1e3 - 1e3 * 1.4 / 0.1, 0, 1e3 * 1.3, 0], atol=1e-9)


def test_transverse_preload_is_symmetric() -> None:
    """Constant moment F a between the clamps, each of which holds the load of its side."""
    beams = leaf_beams(TRANSVERSE, leaf_spring(one_leaf(HALF, HALF)), 6e3, ())[1]
    on_nodes = -node_wrenches(TRANSVERSE, beams)
    np.testing.assert_allclose(on_nodes[:, 2], [6e3, -6e3, 0, -6e3, 6e3], atol=1e-9)
    wrenches = chain_wrenches(TRANSVERSE, 6e3)
    np.testing.assert_allclose(wrenches[1:3, :3], 0.0, atol=1e-9)
    np.testing.assert_allclose(np.abs(wrenches[1:3, 3]), 6e3 * 0.45, rtol=1e-12)


def test_inclined_shackle_pulls_along_itself() -> None:
    direction = (-0.6, 0.0, 0.8)
    place = replace(THREE_POINT, support_direction=direction)
    beams = leaf_beams(place, leaf_spring(one_leaf(HALF, HALF)), 8e3, ())[1]
    on_nodes = -node_wrenches(place, beams)
    np.testing.assert_allclose(on_nodes[4, :3], np.array(direction) * -4e3 / 0.8, atol=1e-9)
    np.testing.assert_allclose(on_nodes[0, :3], [-3e3, 0, -4e3], atol=1e-9)
    np.testing.assert_allclose(on_nodes[:, 3:], 0.0, atol=1e-9)


COORDINATE = st.floats(-0.05, 0.05)


@given(st.lists(st.tuples(COORDINATE, COORDINATE, COORDINATE), min_size=5, max_size=5), st.floats(-1e4, 1e4))
def test_every_node_is_in_balance(offsets: list[Vector], preload: float) -> None:
    """Whatever the shape: only loads and supports act on the chain from outside, and they balance."""
    points = np.array(THREE_POINT.points) + np.array(offsets)
    direction = np.array([-0.3, 0.1, 0.9])
    place = replace(
        THREE_POINT,
        points=tuple(map(tuple, points.tolist())),
        support_direction=tuple((direction / np.linalg.norm(direction)).tolist()),
    )
    beams = leaf_beams(place, leaf_spring(one_leaf(0.85, 0.85)), preload, ())[1]
    outside = -node_wrenches(place, beams)
    tolerance = 1e-9 * (1 + abs(preload))
    np.testing.assert_allclose(outside[[1, 3]], 0.0, atol=tolerance)
    np.testing.assert_allclose(outside[2], [0, 0, preload, 0, 0, 0], atol=tolerance)
    np.testing.assert_allclose(np.cross(outside[4, :3], direction), 0.0, atol=tolerance)
    np.testing.assert_allclose(outside[4, 3:], 0.0, atol=tolerance)
    plane = np.cross(points[4] - points[0], UP)
    assert abs(outside[0, 3:] @ plane) < tolerance  # the first eye turns freely in the plane of the leaf
    np.testing.assert_allclose(outside[:, :3].sum(axis=0), 0.0, atol=tolerance)
    turning = np.cross(points, outside[:, :3]).sum(axis=0) + outside[:, 3:].sum(axis=0)
    np.testing.assert_allclose(turning, 0.0, atol=tolerance)


def test_shackle_in_line_with_the_leaf_cannot_hold_it() -> None:
    with pytest.raises(InputError, match="points at the first and cannot hold"):
        chain_wrenches(replace(THREE_POINT, support_direction=(1.0, 0.0, 0.0)), 1e3)


# ------------------------------------------------------------------------------- bodies


def whole_leaf() -> Leaf:
    return one_leaf(HALF, HALF)


@pytest.mark.parametrize("known", [(), ("c",), ("a", "e"), ("b", "c")])
def test_bodies_have_the_mass_of_the_leaf(known: tuple[str, ...]) -> None:
    """Mass, centre and inertia of a uniform bar, whoever has a part of its own."""
    bodies, beams = leaf_beams(THREE_POINT, leaf_spring(whole_leaf()), 0.0, known)
    assert {body.name for body in bodies} == set("abcde") - set(known)
    whole = mass_properties(bodies)
    mass = DENSITY * WIDTH * THICK * 1.4
    assert whole.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(whole.centre, [0.0, 0.5, 0.3], atol=1e-12)
    moments = mass / 12 * np.array([WIDTH**2 + THICK**2, 1.4**2 + THICK**2, 1.4**2 + WIDTH**2])
    np.testing.assert_allclose(whole.inertia, np.diag(moments), rtol=1e-9, atol=1e-12)
    for body in bodies:
        assert body.sprung_fraction == 0.5
        assert is_possible_inertia(np.array(body.inertia))
        assert np.linalg.eigvalsh(np.array(body.inertia)).min() > 0
    assert {beam.damping for beam in beams} == {DAMPING_TIME}
    assert [beam.name for beam in beams] == ["leaf_1", "leaf_2", "leaf_3", "leaf_4"]
    assert all(first.bodies[1] == second.bodies[0] for first, second in pairwise(beams))


def test_pack_has_the_mass_of_all_its_leaves() -> None:
    pack = leaf_spring(whole_leaf(), one_leaf(0.4, 0.5), replace(one_leaf(0.2, 0.2), auxiliary=True))
    mass = sum(body.mass for body in leaf_beams(THREE_POINT, pack, 0.0, {"c"})[0])
    assert mass == pytest.approx(DENSITY * WIDTH * THICK * (1.4 + 0.9 + 0.4), rel=1e-12)


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match="every body of the chain has a part"):
        leaf_beams(THREE_POINT, leaf_spring(whole_leaf()), 0.0, "abcde")
    with pytest.raises(InputError, match=r"is 0.6 m long to the front of the centre bolt, its hardpoints need 0.7 m"):
        leaf_beams(THREE_POINT, leaf_spring(one_leaf(0.6, HALF)), 0.0, ())


def test_a_chain_a_little_longer_than_the_leaf_stretches_it() -> None:
    assert three_point_rate(leaf_spring(one_leaf(0.68, 0.67))) == pytest.approx(48 * EI / 1.4**3, rel=1e-9)

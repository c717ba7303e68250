"""Every built-in subsystem moves as it should: each side has its travel and the spin of its wheel, nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from geometries import GEOMETRIES, VALUES, both_sides, hardpoints_of, leaf_spring, on_ground, one_leaf
from numpy.typing import NDArray

from trackrod.core.corners import Side
from trackrod.vehicle.connectors import Beam
from trackrod.vehicle.elements import Joint, JointType, Mode, Vector
from trackrod.vehicle.instantiate import Instance, Line, instantiate
from trackrod.vehicle.leaf_beams import leaf_beams
from trackrod.vehicle.mobility import Mobility, mobility
from trackrod.vehicle.template_reader import load_templates

TEMPLATES = load_templates()
LEAF = leaf_spring(one_leaf(0.75, 0.75))
DEPENDENT = [name for name in GEOMETRIES if TEMPLATES[name].dependent]
SOLID = [name for name in DEPENDENT if "axle" in TEMPLATES[name].bodies.single]
STEERED = [name for name in SOLID if "upright" in TEMPLATES[name].bodies.pairs]

# With rigid leaves axle and leaves are one body; it and two shackles have 18 freedoms, six revolute joints take 30.
REDUNDANT = {"solid_axle_leaf": 12}


def instance_of(name: str, **switches: float) -> Instance:
    return instantiate(TEMPLATES[name], hardpoints_of(name), switches, VALUES)


def beams_of(instance: Instance) -> list[Beam]:
    leaves = [beam for place in instance.leaves for beam in leaf_beams(place, LEAF, 5e3, {"axle"})[1]]
    return [*leaves, *instance.beams]


def kinematic(name: str, instance: Instance, *, rigid_beams: bool = False) -> Mobility:
    joints = on_ground(instance.joints_in(Mode.KINEMATIC), tuple(TEMPLATES[name].mounts))
    return mobility(instance.bodies, joints, beams_of(instance) if rigid_beams else ())


def velocities(found: Mobility, body: str, point: Vector) -> NDArray[np.float64]:
    """Velocity of a point of a body in each free motion."""
    twist = found.motions.reshape(found.freedoms, -1, 6)[:, found.bodies.index(body)]
    return np.asarray(twist[:, :3] + np.cross(twist[:, 3:], point))


def heights(found: Mobility, instance: Instance) -> NDArray[np.float64]:
    """Vertical velocity of the left and the right wheel centre in each free motion."""
    return np.column_stack([velocities(found, w.body, w.centre)[:, 2] for w in instance.wheels.values()])


def motion(found: Mobility, instance: Instance, left: float, right: float) -> Mobility:
    """The one motion of a mechanism in which the wheel centres rise like this."""
    share = np.linalg.lstsq(heights(found, instance).T, np.array([left, right]))[0]
    return replace(found, freedoms=1, motions=share[None] @ found.motions)


def stretch(found: Mobility, line: Line) -> float:
    """How fast a line grows in the first motion."""
    first, second = (velocities(found, body, end)[0] for body, end in zip(line.bodies, line.ends, strict=True))
    return float((first - second) @ np.subtract(*line.ends)) / line.length


def test_every_suspension_has_a_geometry() -> None:
    """A new suspension template needs a geometry here, and so its freedoms checked."""
    assert set(GEOMETRIES) == {name for name, template in TEMPLATES.items() if template.role == "suspension"}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_mechanism_has_its_freedoms_and_nothing_else(name: str) -> None:
    found = kinematic(name, instance_of(name), rigid_beams=True)
    assert (found.freedoms, found.redundant) == (TEMPLATES[name].freedoms, REDUNDANT.get(name, 0)), found.moving()


@pytest.mark.parametrize("name", [name for name in GEOMETRIES if name not in DEPENDENT])
def test_wheel_centre_goes_up_and_down(name: str) -> None:
    """The only way that a wheel centre can go is upward, more than sideways; a leaf that bends does not change it."""
    instance = instance_of(name)
    found = kinematic(name, instance)
    for wheel in instance.wheels.values():
        velocity = velocities(found, wheel.body, wheel.centre)
        assert abs(np.linalg.svd(velocity)[2][0, 2]) > 0.9
        assert np.linalg.matrix_rank(velocity, tol=1e-6) == 1


@pytest.mark.parametrize("name", GEOMETRIES)
def test_both_wheels_rise_independently(name: str) -> None:
    instance = instance_of(name)
    assert np.linalg.matrix_rank(heights(kinematic(name, instance), instance), tol=1e-6) == 2


@pytest.mark.parametrize("name", SOLID)
def test_wheels_of_a_solid_axle_keep_their_distance(name: str) -> None:
    instance = instance_of(name)
    found = kinematic(name, instance)
    left, right = (velocities(found, instance.wheels[side].body, instance.wheels[side].centre)[:, 1] for side in Side)
    np.testing.assert_allclose(left, right, atol=1e-9)
    held = {
        body for joint in instance.joints_in(Mode.KINEMATIC) if joint.type is JointType.FIXED for body in joint.bodies
    }
    held |= {f"upright_{side}" for side in Side} if name in STEERED else {"axle"}
    assert {wheel.brake_reaction for wheel in instance.wheels.values()} <= held


@pytest.mark.parametrize("name", GEOMETRIES)
def test_compliant_mode_has_a_bushing_for_every_kinematic_joint(name: str) -> None:
    instance = instance_of(name)
    chains = {body: place.name for place in instance.leaves for body in place.bodies if body != "axle"}
    chains |= {body: "beams" for beam in instance.beams for body in beam.bodies}

    def pair(bodies: tuple[str, str]) -> frozenset[str]:
        """The bodies of a leaf, or of beams, hold each other."""
        return frozenset(chains.get(body, body) for body in bodies)

    kept = {pair(joint.bodies) for joint in instance.joints_in(Mode.COMPLIANT)}
    lost = {pair(joint.bodies) for joint in instance.joints_in(Mode.KINEMATIC)} - kept
    assert lost <= {pair(bushing.bodies) for bushing in instance.bushings}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_dampers_and_stops_feel_the_travel(name: str) -> None:
    """Jounce shortens dampers, springs and stops that stand between wheel and body."""
    instance = instance_of(name)
    found = kinematic(name, instance)
    up = motion(found, instance, 1.0, 1.0)
    for line in instance.lines:
        if TEMPLATES[name].mounts.keys() & set(line.bodies):
            continue  # one end stands still and is no body of the mechanism
        assert stretch(up, line) < -0.2, line.name


# ------------------------------------------------------------------------------------------- springs of a kind


def test_torsion_bars_are_wound_up_by_jounce_on_both_sides() -> None:
    """The angle is positive in jounce, so that a positive preload pushes the wheel down."""
    name = "double_wishbone_torsion_bar"
    instance = instance_of(name)
    up = motion(kinematic(name, instance), instance, 1.0, 1.0)
    for bar in instance.torsion_springs:
        turn = up.motions.reshape(-1, 6)[up.bodies.index(bar.bodies[0]), 3:]
        assert turn @ np.array(bar.axis) > 1.0  # one metre up on an arm of less than a metre
        assert bar.bodies[1] == "body"
        assert bar.preload == VALUES["torsion_bar_preload"]


def test_transverse_leaf_is_one_chain_across_the_car() -> None:
    (place,) = instance_of("double_wishbone_transverse_leaf").leaves
    assert place.side is None
    assert place.bodies[0] == "leaf_end_left"
    assert place.bodies[-1] == "leaf_end_right"
    across = [point[1] for point in place.points]
    assert across == sorted(across, reverse=True)
    assert place.points[2][1] == 0.0
    assert (place.supports, place.loaded, place.support_direction) == ((1, 3), (0, 4), (0.0, 0.0, 1.0))


def test_longitudinal_leaves_are_two_chains_through_the_axle() -> None:
    left, right = instance_of("solid_axle_leaf").leaves
    front, rear = ("leaf_front_eye_left", "leaf_front_left"), ("leaf_rear_left", "leaf_rear_eye_left")
    assert left.bodies == (*front, "axle_seat_left", *rear)
    np.testing.assert_allclose(np.array(left.points) * (1, -1, 1), right.points)
    assert left.support_direction[2] > 0  # from the eye up to the frame


def test_simplified_leaf_has_vertical_springs_and_a_spring_that_feels_roll_alone() -> None:
    name = "integral_link_leaf"
    instance = instance_of(name, leaf_simplified=1)
    found = kinematic(name, instance)
    assert not instance.leaves
    assert (found.freedoms, found.redundant) == (4, 0)
    lines = {line.name: line for line in instance.lines}
    roll = lines["leaf_roll"]
    assert abs(stretch(motion(found, instance, 1.0, 1.0), roll)) < 1e-9
    assert abs(stretch(motion(found, instance, 1.0, -1.0), roll)) > 1.0
    assert {"leaf_vertical_left", "leaf_vertical_right"} <= lines.keys()
    assert "leaf_roll" not in {line.name for line in instance_of(name).lines}


def test_pushrod_may_sit_on_the_upper_arm() -> None:
    name = "double_wishbone_pushrod"
    instance = instance_of(name, pushrod_on_upper_arm=1)
    found = kinematic(name, instance)
    assert (found.freedoms, found.redundant) == (4, 0)
    assert "pushrod_outer_upper_left" in {joint.name for joint in instance.joints}


def test_pushrod_may_sit_on_the_upright() -> None:
    name = "double_wishbone_pushrod"
    instance = instance_of(name, pushrod_on_upright=1)
    found = kinematic(name, instance)
    assert (found.freedoms, found.redundant) == (4, 0)
    assert {joint.name for joint in instance.joints if joint.name.startswith("pushrod_outer")} == {
        "pushrod_outer_upright_left",
        "pushrod_outer_upright_right",
    }


def test_a_bushing_of_the_subsystem_takes_the_place_of_its_joint() -> None:
    """In compliant mode; with ideal joints nothing changes, and without the bushing neither."""
    template, places = TEMPLATES["double_wishbone"], hardpoints_of("double_wishbone")
    plain = instantiate(template, places, {})
    rubber = instantiate(template, places, {"hub_compliance_active": 1}, None, ["Tierod_Outer", "hub_compliance"])
    assert {place.element for place in rubber.bushings} - {place.element for place in plain.bushings} == {
        "tierod_outer",
        "hub_compliance",
    }
    ideal = {joint.name for joint in plain.joints_in(Mode.COMPLIANT)}
    left = {joint.name for joint in rubber.joints_in(Mode.COMPLIANT)}
    assert {"tierod_outer_left", "tierod_inner_left"} <= ideal
    assert "tierod_inner_left" in left
    assert not {"tierod_outer_left", "hub_left"} & left
    found = mobility(rubber.bodies, on_ground(rubber.joints_in(Mode.KINEMATIC), tuple(template.mounts)))
    assert (found.freedoms, found.redundant) == (4, 0)


def test_rack_housing_is_fixed_where_no_bushing_holds_it() -> None:
    template = TEMPLATES["rack_pinion_steering"]
    points = both_sides({"rack_house_mount": (0.12, 0.3, 0.29), "tierod_inner": (0.12, 0.43, 0.29)}) | {
        "pinion_pivot": (0.12, 0.33, 0.29),
        "intermediate_shaft_forward": (-0.06, 0.335, 0.33),
        "intermediate_shaft_rearward": (-0.48, 0.35, 0.61),
        "steering_wheel_center": (-1.05, 0.36, 0.85),
    }
    for bushings, held in (([], True), (["rack_housing_bushing"], False)):
        instance = instantiate(template, points, {}, None, bushings)
        assert ("rack_housing_held" in {joint.name for joint in instance.joints_in(Mode.COMPLIANT)}) is held
        places = {place.name for place in instance.bushings}
        assert ("rack_housing_bushing_left" in places) is not held


def test_anti_roll_bar_is_twisted_by_roll_alone() -> None:
    """Its pickups on slides go up and down; the halves turn against each other only if they go apart."""
    template = TEMPLATES["anti_roll_bar"]
    left = {"bar_mount": (0.25, 0.35, 0.25), "droplink_upper": (0.02, 0.55, 0.30), "droplink_lower": (0.03, 0.56, 0.15)}
    instance = instantiate(template, both_sides(left), {}, VALUES)
    held = mobility(instance.bodies, on_ground(instance.joints_in(Mode.KINEMATIC), tuple(template.mounts)))
    assert (held.freedoms, held.redundant) == (0, 0)

    joints = []
    for joint in on_ground(instance.joints_in(Mode.KINEMATIC), ["body"]):
        pickup = f"pickup_{joint.name.rpartition('_')[2]}"
        pair = tuple(pickup if body == "arb_pickup" else body for body in joint.bodies)
        joints.append(replace(joint, bodies=(pair[0], pair[1])))
    slides = [Joint(f"slide_{s}", JointType.TRANSLATIONAL, (f"pickup_{s}", "ground"), (0, 0, 0)) for s in Side]
    pickups = [f"pickup_{side}" for side in Side]
    found = mobility([*instance.bodies, *pickups], [*joints, *slides])
    assert (found.freedoms, found.redundant) == (2, 0)
    rise = np.column_stack([velocities(found, pickup, (0.0, 0.0, 0.0))[:, 2] for pickup in pickups])
    (bar,) = instance.torsion_springs
    turns = found.motions.reshape(2, -1, 6)[:, [found.bodies.index(body) for body in bar.bodies], 3:]
    twist = (turns[:, 0] - turns[:, 1]) @ np.array(bar.axis)
    parallel, opposite = (np.linalg.solve(rise.T, way) @ twist for way in ([1.0, 1.0], [1.0, -1.0]))
    assert abs(parallel) < 1e-9
    assert abs(opposite) > 1.0

    compliant = mobility(instance.bodies, on_ground(instance.joints_in(Mode.COMPLIANT), tuple(template.mounts)))
    assert compliant.freedoms > 0
    assert {bushing.name for bushing in instance.bushings} == {"bar_mount_left", "bar_mount_right"}

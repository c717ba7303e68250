"""Templates: loading, mistakes, matching, and the mechanisms they make."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from geometries import GEOMETRIES, both_sides, hardpoints_of, on_ground

from trackrod.core.corners import Side
from trackrod.core.errors import FileFormatError, InputError
from trackrod.vehicle.connectors import Gear
from trackrod.vehicle.elements import Mode, Role
from trackrod.vehicle.instantiate import Instance, Member, instantiate
from trackrod.vehicle.mobility import mobility
from trackrod.vehicle.template import Template, find_template
from trackrod.vehicle.template_reader import BUILT_IN, load_template, load_templates

TEMPLATES = load_templates()

LEFT = GEOMETRIES["double_wishbone"]
HARDPOINTS = both_sides(LEFT)


def freedoms(template: Template, instance: Instance, mode: Mode) -> int:
    return mobility(instance.bodies, on_ground(instance.joints_in(mode), tuple(template.mounts))).freedoms


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_every_built_in_template_loads(name: str) -> None:
    assert TEMPLATES[name].title
    assert TEMPLATES[name].file.parent == BUILT_IN


def test_double_wishbone_moves_up_and_down_and_rolls() -> None:
    """In kinematic mode each side has its travel and the spin of its wheel, and no redundant constraint."""
    template = TEMPLATES["double_wishbone"]
    instance = instantiate(template, HARDPOINTS, {})
    found = mobility(instance.bodies, on_ground(instance.joints_in(Mode.KINEMATIC), tuple(template.mounts)))
    assert (found.freedoms, found.redundant) == (4, 0)
    assert {bushing.mode for bushing in instance.bushings} == {Mode.COMPLIANT}


def test_compliant_mode_replaces_joints_by_bushings() -> None:
    template = TEMPLATES["double_wishbone"]
    rigid = instantiate(template, HARDPOINTS, {})
    assert {bushing.element for bushing in rigid.bushings} == {
        "lca_front",
        "lca_rear",
        "uca_front",
        "uca_rear",
        "lwr_strut",
        "top_mount",
    }
    assert freedoms(template, rigid, Mode.COMPLIANT) > 4
    floating = instantiate(template, HARDPOINTS, {"subframe_active": 1})
    assert len(floating.bushings) == len(rigid.bushings) + 4
    assert freedoms(template, floating, Mode.COMPLIANT) == freedoms(template, rigid, Mode.COMPLIANT) + 6
    assert freedoms(template, floating, Mode.KINEMATIC) == 4


def test_sides_are_mirror_images() -> None:
    angles = {
        f"{name}_{side}": value for name, value in (("toe_angle", 0.01), ("camber_angle", -0.02)) for side in Side
    }
    instance = instantiate(TEMPLATES["double_wishbone"], HARDPOINTS, angles)
    by_name = {joint.name: joint for joint in instance.joints}
    for name, left in by_name.items():
        if name.endswith("_left"):
            right = by_name[name.removesuffix("_left") + "_right"]
            np.testing.assert_allclose(left.position, np.array(right.position) * (1, -1, 1), atol=1e-15)
    left, right = (instance.wheels[side].axis for side in Side)
    np.testing.assert_allclose(left, np.array(right) * (-1, 1, -1), atol=1e-15)  # axes both towards +y


def test_toe_and_camber_signs() -> None:
    """Toe in points the left wheel's front to the right; positive camber leans its top outward."""
    spin = (
        instantiate(TEMPLATES["double_wishbone"], HARDPOINTS, {"toe_angle_left": 0.1, "camber_angle_left": 0.05})
        .wheels[Side.LEFT]
        .axis
    )
    heading = np.cross(spin, (0.0, 0.0, 1.0))  # horizontal, in the wheel plane
    assert heading[0] > 0
    assert heading[1] < 0
    top = np.cross(heading, spin)  # up, in the wheel plane
    assert top[2] > 0
    assert top[1] > 0


def test_lines_have_the_length_of_the_strut() -> None:
    instance = instantiate(TEMPLATES["double_wishbone"], HARDPOINTS, {})
    expected = np.linalg.norm(np.subtract(LEFT["top_mount"], LEFT["lwr_strut_mount"]))
    assert {line.type for line in instance.lines} == {"spring", "damper", "bump_stop", "rebound_stop"}
    assert all(line.length == pytest.approx(expected) for line in instance.lines)


# ------------------------------------------------------------------------------------------- matching


def test_match_by_name_and_by_hardpoints() -> None:
    named = find_template(TEMPLATES, "_Double_Wishbone.tpl", "suspension", LEFT)
    assert named is not None
    assert (named.template.name, named.by_name, named.missing) == ("double_wishbone", True, ())
    unnamed = find_template(TEMPLATES, "_my_own.tpl", "suspension", LEFT)
    assert unnamed is not None
    assert (unnamed.template.name, unnamed.by_name) == ("double_wishbone", False)
    assert "by the names of its hardpoints" in str(unnamed)
    partial = find_template(TEMPLATES, "_double_wishbone", "suspension", ["lca_front"])
    assert partial is not None
    assert "missing: lca_outer" in str(partial)
    assert find_template(TEMPLATES, "_unknown", "suspension", ["a", "b"]) is None
    assert find_template(TEMPLATES, "_double_wishbone", "steering", LEFT) is None


def test_user_folder_adds_and_replaces(tmp_path: Path) -> None:
    text = (BUILT_IN / "double_wishbone.toml").read_text()
    (tmp_path / "my_axle.toml").write_text(text.replace('"_double_wishbone"', '"_my_axle"'))
    (tmp_path / "double_wishbone.toml").write_text(text.replace("title = ", 'title = "Mine" #'))
    templates = load_templates([tmp_path])
    match = find_template(templates, "_my_axle", "suspension", LEFT)
    assert match is not None
    assert match.template.file == tmp_path / "my_axle.toml"
    assert templates["double_wishbone"].title == "Mine"


def test_roles_follow_from_the_wheel_and_the_file(tmp_path: Path) -> None:
    text = (BUILT_IN / "double_wishbone.toml").read_text()
    path = tmp_path / "driven.toml"
    path.write_text(text.replace("[bodies.roles]", '[bodies.roles]\ntierod = "driveline"'))
    found = instantiate(load_template(path), HARDPOINTS, {}).bodies
    assert found["spindle_left"] == Member("spindle", Side.LEFT, Role.WHEEL)
    assert found["upright_right"] == Member("upright", Side.RIGHT, Role.CARRIER)
    assert found["lower_control_arm_left"] == Member("lower_control_arm", Side.LEFT, Role.LINK)
    assert found["tierod_right"] == Member("tierod", Side.RIGHT, Role.DRIVELINE)
    assert found["subframe"] == Member("subframe", None, Role.LINK)


# ------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('role = "suspension"', "", "'role' is missing"),
        ('type = "spherical"', 'type = "ball"', "type = 'ball' is unknown"),
        ('at = "lca_outer"', 'at = "lca_outr"', "hardpoint 'lca_outr' is not declared"),
        (
            '"lower_control_arm", "upright"]\nat',
            '"lower_control_arm", "knuckle"]\nat',
            "body 'knuckle' is not declared",
        ),
        ('mode = "kinematic"', 'mode = "stiff"', "mode = 'stiff' is unknown"),
        ('axis = "spin"', 'axis = "w"', "axis ['w'] is neither"),
        ('name = "lca"\n', 'nmae = "lca"\n', "unknown key 'nmae'"),
        ("is = 0 }", 'is = "no" }', "when = {'parameter': 'subframe_active', 'is': 'no'} must be"),
        ('ends = ["lwr_strut_mount", "top_mount"]', 'ends = ["top_mount"]', "ends = ['top_mount'] needs two names"),
        ('optional = ["drive_shaft_inr"', 'optional = ["lca_front"', "'lca_front' is listed twice"),
        ("[wheel]\nbody", "[wheel]\nbod", "[wheel] 'without name' lacks 'body'"),
        ("[bodies.roles]", '[bodies.roles]\ntierod = "rod"', "'bodies.roles.tierod' is unknown; allowed: 'body'"),
        ("[bodies.roles]", '[bodies.roles]\ntie_rod = "link"', "body 'tie_rod' is not declared"),
        ("title =", "title", "this is not a TOML file"),
    ],
)
def test_mistakes_in_a_template_are_named(old: str, new: str, expected: str, tmp_path: Path) -> None:
    text = (BUILT_IN / "double_wishbone.toml").read_text()
    assert old in text
    path = tmp_path / "broken.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FileFormatError) as caught:
        load_template(path)
    assert expected in str(caught.value)
    assert "broken.toml" in str(caught.value)


def test_missing_hardpoints_are_all_named() -> None:
    some = {name: p for name, p in HARDPOINTS.items() if not name.startswith(("uca_outer", "wheel"))}
    with pytest.raises(InputError) as caught:
        instantiate(TEMPLATES["double_wishbone"], some, {})
    assert len(caught.value.problems) == 4
    assert "needs the hardpoint 'uca_outer_left'" in str(caught.value)


TORSION_BAR, AXLE, STEERED = "double_wishbone_torsion_bar", "solid_axle_leaf", "rack_pinion_steering"


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (
            "double_wishbone_torsion_bar",
            'rate = "torsion_bar_rate"',
            'rate = "bar_rate"',
            "value 'bar_rate' is not declared",
        ),
        (TORSION_BAR, 'kind = "torque"', 'kind = "torq"', "kind = 'torq' is unknown"),
        (
            "double_wishbone_torsion_bar",
            'kind = "torque"',
            'kind = "torque", default = "0"',
            "default = '0' must be a number",
        ),
        (TORSION_BAR, 'kind = "torque"', 'kind = "torque", unit = "Nm"', "unknown key 'unit'"),
        (AXLE, 'loaded = ["axle_seat"]', 'loaded = ["spindle"]', "body of the chain 'spindle' is not declared"),
        (
            "solid_axle_leaf",
            'bodies = ["leaf_front_eye", "leaf_front", ',
            'bodies = ["leaf_front_eye", ',
            "has 4 bodies and 5 points",
        ),
        (AXLE, "dependent = true", "dependent = 1", "'dependent' needs true or false"),
        (AXLE, "freedoms = 2", "freedoms = -2", "'freedoms' needs a whole number"),
        (AXLE, 'arb_pickup = "axle_seat"', 'arb_pickup = "axel_seat"', "body 'axel_seat' is not declared"),
        (AXLE, 'wall = "tube_wall"', 'wall = "tube_wal"', "value 'tube_wal' is not declared"),
        (AXLE, 'wall = "tube_wall"', "", "'tube_inner' needs diameter and wall, or area"),
        ("twist_beam", 'area = "beam_area"', "", "'beam' needs diameter and wall, or area"),
        ("five_link", 'pairs = ["upright", ', 'pairs = ["tierod", "upright", ', "'tierod' is a body of its own"),
        ("macpherson", 'bushing = "tierod_outer"', 'bushing = "tierod_outer"\nmode = "kinematic"', "must not be given"),
        (STEERED, "{ bushing = ", "{ bushes = ", 'or { bushing = "NAME", is = NUMBER }'),
        (
            AXLE,
            'ends = ["tube_inner", "tube_seat"]',
            'ends = ["tube_iner", "tube_seat"]',
            "'tube_iner' is not declared",
        ),
        (AXLE, 'brake_reaction = "axle_end"', 'brake_reaction = "upright"', "body 'upright' is not declared"),
        (
            "rack_pinion_steering",
            'joints = ["pinion", "rack"]',
            'joints = ["pinion", "rak"]',
            "joint 'rak' is not declared",
        ),
        (STEERED, "shafts = true", 'shafts = "yes"', "shafts = 'yes' needs true or false"),
    ],
)
def test_mistakes_in_springs_leaves_and_gears_are_named(
    name: str, old: str, new: str, expected: str, tmp_path: Path
) -> None:
    text = (BUILT_IN / f"{name}.toml").read_text()
    assert old in text
    path = tmp_path / "broken.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FileFormatError) as caught:
        load_template(path)
    assert expected in str(caught.value)


# ------------------------------------------------------------------------------------------- values


def test_a_value_of_one_side_comes_before_one_of_both() -> None:
    template = TEMPLATES["double_wishbone_torsion_bar"]
    values = {"torsion_bar_rate": 4e4, "torsion_bar_preload": 2e3, "torsion_bar_preload_right": 3e3}
    springs = instantiate(template, hardpoints_of(template.name), {}, values).torsion_springs
    assert [spring.preload for spring in springs] == [2e3, 3e3]
    assert [spring.curve.mean_slope for spring in springs] == [4e4, 4e4]


def test_a_missing_value_is_named_by_its_parameter() -> None:
    template = TEMPLATES["double_wishbone_torsion_bar"]
    with pytest.raises(InputError, match="needs the parameter 'torsion_bar_rate'"):
        instantiate(template, hardpoints_of(template.name), {})


# ------------------------------------------------------------------------------------------- steering


STEERING = {
    **{f"tierod_inner_{side}": (-0.2, 0.4 * side.sign, 0.33) for side in Side},
    **{f"rack_house_mount_{side}": (-0.2, 0.35 * side.sign, 0.33) for side in Side},
    "pinion_pivot": (-0.2, 0.3, 0.33),
    "intermediate_shaft_forward": (-0.4, 0.3, 0.53),
    "intermediate_shaft_rearward": (-0.55, 0.3, 0.63),
    "steering_wheel_center": (-0.9, 0.3, 0.73),
}


def test_steering_turns_and_the_rack_slides() -> None:
    """With a rack of 8 mm per radian and a soft torsion bar: rack with pinion, shafts with steering wheel.

    The length of the intermediate shaft is held twice, between two universal joints that stay where they are.
    """
    template = TEMPLATES["rack_pinion_steering"]
    instance = instantiate(template, STEERING, {})
    joints = on_ground(instance.joints_in(Mode.KINEMATIC), tuple(template.mounts))
    free = mobility(instance.bodies, joints)
    assert (free.freedoms, free.redundant) == (3, 1)
    assert set(free.moving()) == set(instance.bodies) - {"rack_housing"}
    gears = [Gear(place.name, place.joints, 1 / 0.008) for place in instance.gears]
    geared = mobility(instance.bodies, joints, gears=gears)
    assert (geared.freedoms, geared.redundant) == (2, 1)
    pinion, rack = (geared.motions.reshape(2, -1, 6)[:, geared.bodies.index(body)] for body in ("pinion", "rack"))
    axis = next(np.array(joint.axis) for joint in joints if joint.name == "pinion")
    np.testing.assert_allclose(rack[:, 1], 0.008 * pinion[:, 3:] @ axis, atol=1e-12)

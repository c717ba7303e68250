"""Templates: loading, mistakes, matching, and the mechanisms they make."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from geometries import GEOMETRIES, both_sides, on_ground

from trackrod.core.corners import Side
from trackrod.core.errors import FileFormatError, InputError
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.instantiate import Instance, instantiate
from trackrod.vehicle.mobility import mobility
from trackrod.vehicle.template import BUILT_IN, Template, find_template, load_template, load_templates

TEMPLATES = load_templates()

LEFT = GEOMETRIES["double_wishbone"]
HARDPOINTS = both_sides(LEFT)


def freedoms(template: Template, instance: Instance) -> int:
    return mobility(instance.bodies, on_ground(instance.joints, tuple(template.mounts))).freedoms


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_every_built_in_template_loads(name: str) -> None:
    assert TEMPLATES[name].title
    assert TEMPLATES[name].file.parent == BUILT_IN


def test_double_wishbone_moves_up_and_down_and_rolls() -> None:
    """In kinematic mode each side has its travel and the spin of its wheel, and no redundant constraint."""
    template = TEMPLATES["double_wishbone"]
    instance = instantiate(template, HARDPOINTS, {}, Mode.KINEMATIC)
    found = mobility(instance.bodies, on_ground(instance.joints, tuple(template.mounts)))
    assert (found.freedoms, found.redundant) == (4, 0)
    assert not instance.bushings


def test_compliant_mode_replaces_joints_by_bushings() -> None:
    template = TEMPLATES["double_wishbone"]
    rigid = instantiate(template, HARDPOINTS, {}, Mode.COMPLIANT)
    assert {bushing.element for bushing in rigid.bushings} == {
        "lca_front",
        "lca_rear",
        "uca_front",
        "uca_rear",
        "lwr_strut",
        "top_mount",
    }
    assert freedoms(template, rigid) > 4
    floating = instantiate(template, HARDPOINTS, {"subframe_active": 1}, Mode.COMPLIANT)
    assert len(floating.bushings) == len(rigid.bushings) + 4
    assert freedoms(template, floating) == freedoms(template, rigid) + 6


def test_sides_are_mirror_images() -> None:
    angles = {
        f"{name}_{side}": value for name, value in (("toe_angle", 0.01), ("camber_angle", -0.02)) for side in Side
    }
    instance = instantiate(TEMPLATES["double_wishbone"], HARDPOINTS, angles, Mode.KINEMATIC)
    by_name = {joint.name: joint for joint in instance.joints}
    for name, left in by_name.items():
        if name.endswith("_left"):
            right = by_name[name.removesuffix("_left") + "_right"]
            np.testing.assert_allclose(left.position, np.array(right.position) * (1, -1, 1), atol=1e-15)
    left, right = (instance.wheels[side][2] for side in Side)
    np.testing.assert_allclose(left, np.array(right) * (-1, 1, -1), atol=1e-15)  # axes both towards +y


def test_toe_and_camber_signs() -> None:
    """Toe in points the left wheel's front to the right; positive camber leans its top outward."""
    spin = instantiate(
        TEMPLATES["double_wishbone"], HARDPOINTS, {"toe_angle_left": 0.1, "camber_angle_left": 0.05}, Mode.KINEMATIC
    ).wheels[Side.LEFT][2]
    heading = np.cross(spin, (0.0, 0.0, 1.0))  # horizontal, in the wheel plane
    assert heading[0] > 0
    assert heading[1] < 0
    top = np.cross(heading, spin)  # up, in the wheel plane
    assert top[2] > 0
    assert top[1] > 0


def test_lines_have_the_length_of_the_strut() -> None:
    instance = instantiate(TEMPLATES["double_wishbone"], HARDPOINTS, {}, Mode.KINEMATIC)
    expected = np.linalg.norm(np.subtract(LEFT["top_mount"], LEFT["lwr_strut_mount"]))
    assert {line.type for line in instance.lines} == {"spring", "damper", "bump_stop"}
    assert all(line.length == pytest.approx(expected) for line in instance.lines)


# ------------------------------------------------------------------------------------------- matching


def test_match_by_name_and_by_hardpoints() -> None:
    named = find_template(TEMPLATES, "_Double_Wishbone.tpl", "suspension", LEFT)
    assert named is not None
    assert (named.template.name, named.by_name, named.missing) == ("double_wishbone", True, ())
    unnamed = find_template(TEMPLATES, "_my_own.tpl", "suspension", LEFT)
    assert unnamed is not None
    assert not unnamed.by_name
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
        ("is = 0 }", 'is = "no" }', "'when' must be"),
        ('ends = ["lwr_strut_mount", "top_mount"]', 'ends = ["top_mount"]', "'ends' needs two names"),
        ('optional = ["drive_shaft_inr"', 'optional = ["lca_front"', "'lca_front' is listed twice"),
        ("[wheel]\nbody", "[wheel]\nbod", "[wheel] needs 'body' and 'centre'"),
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
        instantiate(TEMPLATES["double_wishbone"], some, {}, Mode.KINEMATIC)
    assert len(caught.value.problems) == 4
    assert "needs the hardpoint 'uca_outer_left'" in str(caught.value)


def test_steering_turns_and_the_rack_slides() -> None:
    """Kinematic, without gears and torsion bar: rack travel, pinion, shafts as one, steering wheel."""
    points = {
        **{f"tierod_inner_{side}": (-0.2, 0.4 * side.sign, 0.33) for side in Side},
        **{f"rack_house_mount_{side}": (-0.2, 0.35 * side.sign, 0.33) for side in Side},
        "pinion_pivot": (-0.2, 0.3, 0.33),
        "intermediate_shaft_forward": (-0.4, 0.3, 0.53),
        "intermediate_shaft_rearward": (-0.55, 0.3, 0.63),
        "steering_wheel_center": (-0.9, 0.3, 0.73),
    }
    template = TEMPLATES["rack_pinion_steering"]
    instance = instantiate(template, points, {}, Mode.KINEMATIC)
    found = mobility(instance.bodies, on_ground(instance.joints, tuple(template.mounts)))
    assert (found.freedoms, found.redundant) == (4, 0)
    assert set(found.moving()) == set(instance.bodies) - {"rack_housing"}

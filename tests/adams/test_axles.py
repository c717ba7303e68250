"""Axles of real assemblies: templates, modes and freedoms; and the command that shows them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trackrod.adams.assembly import Assembly, read_assembly
from trackrod.adams.axles import AxleDescription, describe_axles, hardpoints_in_vehicle_frame
from trackrod.adams.bodies import assemble_bodies
from trackrod.core.corners import Side
from trackrod.core.errors import Problem
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.template import BUILT_IN, load_templates

DEMO = "adams/zbingf_matlab_code/matlab_adams/Classs/MDI_Demo_Vehicle.asy"
DATABASE = "adams/BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb"
THREE_WHEELER = f"{DATABASE}/assemblies.tbl/MDI_Demo_ThreeWheeler.asy"


def describe(
    shared_data: Path, name: str, folders: tuple[Path, ...] = ()
) -> tuple[Assembly, tuple[AxleDescription, ...], tuple[Problem, ...]]:
    assembly = read_assembly(shared_data / name, {"acar_shared": shared_data / DATABASE})
    return assembly, *describe_axles(assembly, assemble_bodies(assembly), load_templates(folders))


def test_demo_vehicle_has_two_double_wishbones(shared_data: Path) -> None:
    _, (front, rear), _ = describe(shared_data, DEMO)
    for axle in (front, rear):
        assert axle.template is not None
        assert axle.template.name == "double_wishbone"
        assert axle.mode is Mode.COMPLIANT
        assert axle.kinematic is not None
        assert (axle.kinematic.freedoms, axle.kinematic.redundant) == (4, 0)
    assert not front.driven
    assert rear.driven


def test_switches_of_the_file_are_honoured(shared_data: Path) -> None:
    """The rear subframe floats on bushings, the front one is fixed."""
    _, (front, rear), _ = describe(shared_data, DEMO)
    assert front.instance is not None
    assert rear.instance is not None
    fixed = [any(j.name == "subframe_rigid" for j in axle.instance.joints) for axle in (front, rear)]
    floating = [any(b.element == "subframe_front" for b in axle.instance.bushings) for axle in (front, rear)]
    assert fixed == [True, False]
    assert floating == [False, True]


def test_kinematic_flag_of_the_file(shared_data: Path) -> None:
    assembly, _, _ = describe(shared_data, DEMO)
    flagged = [
        replace(
            subsystem,
            parameters=tuple(
                replace(p, values=(1,)) if p.name == "kinematic_flag" else p for p in subsystem.parameters
            ),
        )
        for subsystem in assembly.subsystems
    ]
    assembly = replace(assembly, subsystems=tuple(flagged))
    axles, _ = describe_axles(assembly, assemble_bodies(assembly), load_templates())
    assert [axle.mode for axle in axles] == [Mode.KINEMATIC, Mode.KINEMATIC]
    assert not any(axle.instance.bushings for axle in axles if axle.instance is not None)


def test_camber_of_the_file_tilts_the_wheel(shared_data: Path) -> None:
    """The front suspension has a camber of -0.5 degrees: the tops lean inward, so the axes rise outward."""
    _, (front, _), _ = describe(shared_data, DEMO)
    assert front.instance is not None
    left, right = (front.instance.wheels[side][2] for side in Side)
    assert left[2] == pytest.approx(math.sin(math.radians(0.5)))
    assert right[2] == pytest.approx(-math.sin(math.radians(0.5)))


def test_hardpoints_are_turned_into_iso_axes(shared_data: Path) -> None:
    assembly, _, _ = describe(shared_data, DEMO)
    points = hardpoints_in_vehicle_frame(assembly.with_role("suspension", "front")[0], 0.267)
    assert points["lca_front_left"] == pytest.approx((0.2, 0.4, 0.18))
    assert points["lca_front_right"] == pytest.approx((0.2, -0.4, 0.18))


def test_unknown_template_is_named_and_can_be_added(shared_data: Path, tmp_path: Path) -> None:
    assembly = read_assembly(shared_data / THREE_WHEELER)
    none, problems = describe_axles(assembly, assemble_bodies(assembly), {})
    assert none[0].template is None
    assert any("no template answers '_double_wishbone.tpl'" in str(problem) for problem in problems)
    text = (BUILT_IN / "trailing_arm.toml").read_text().replace("_swing_arm", "_Rear_suspension_Three_wheeler")
    (tmp_path / "three_wheeler.toml").write_text(text)
    _, (_, rear), problems = describe(shared_data, THREE_WHEELER, (tmp_path,))
    assert rear.template is not None
    assert rear.template.name == "three_wheeler"
    assert any("matched by its name; missing: arm_inner" in str(problem) for problem in problems)


def test_ascii_template_of_the_database_gives_the_topology(shared_data: Path) -> None:
    """The three-wheeler's rear axle: its own template, moved to the subsystem's hardpoints."""
    assembly, (_, rear), problems = describe(shared_data, THREE_WHEELER)
    assert rear.topology is not None
    assert len(rear.topology.joints) == 22
    given = {p.name.casefold(): p.position for p in assembly.with_role("suspension", "rear")[0].hardpoints}
    for point in rear.topology.hardpoints:
        if point.name.casefold() in given and point.id.casefold().startswith("hpl"):
            assert point.position == pytest.approx(given[point.name.casefold()], abs=1e-9)
        if point.name.casefold() in given and point.id.casefold().startswith("hpr"):
            x, y, z = given[point.name.casefold()]
            assert point.position == pytest.approx((x, -y, z), abs=1e-9)
    assert any("ASCII template" in str(problem) for problem in problems)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", "inspect", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_inspect_command(shared_data: Path) -> None:
    result = run(shared_data / THREE_WHEELER, "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["mass_kg"] == pytest.approx(1509.46, abs=0.01)
    assert 2.0 < data["wheelbase_m"] < 4.0
    assert [axle["position"] for axle in data["axles"]] == ["front", "rear"]
    dangling = [
        p for p in data["problems"] if p["severity"] == "warning" and "TW_Rear_Suspension.sub" in str(p["file"])
    ]
    assert {p["line"] for p in dangling} >= {210, 216}
    assert len(data["files_read"]) > 20  # subsystems and property files
    assert data["axles"][1]["ascii_template_joints"] == 22
    text = run(shared_data / THREE_WHEELER)
    assert "double_wishbone, compliant" in text.stdout


def test_inspect_mistakes(shared_data: Path, tmp_path: Path) -> None:
    for arguments in ((tmp_path / "no.asy",), (shared_data / THREE_WHEELER, "--alias", "nonsense")):
        result = run(*arguments)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr

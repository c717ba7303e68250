"""Bodies of real assemblies: mass, centre of gravity, wheelbase and tracks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.assembly import Assembly, read_assembly
from trackrod.adams.bodies import AssembledBodies, assemble_bodies
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.vehicle.mass import is_possible_inertia, mass_properties


@pytest.fixture(scope="module")
def demo(shared_data: Path) -> tuple[Assembly, AssembledBodies]:
    adams = shared_data / "adams"
    aliases = {"acar_shared": adams / "BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb"}
    assembly = read_assembly(adams / "zbingf_matlab_code/matlab_adams/Classs/MDI_Demo_Vehicle.asy", aliases)
    return assembly, assemble_bodies(assembly)


def test_figures_of_the_demo_vehicle(demo: tuple[Assembly, AssembledBodies]) -> None:
    """Sums that the format notes give for this vehicle."""
    assembly, vehicle = demo
    total = mass_properties(vehicle.bodies)
    assert total.mass == pytest.approx(1540.09, abs=0.01)
    assert total.mass == pytest.approx(assembly.mass)
    assert vehicle.sprung_mass == pytest.approx(1400.46, abs=0.01)
    assert vehicle.wheelbase == pytest.approx(2.560)
    assert vehicle.track(Axle.FRONT) == pytest.approx(1.520)
    assert vehicle.track(Axle.REAR) == pytest.approx(1.594)


def test_axes_are_iso(demo: tuple[Assembly, AssembledBodies]) -> None:
    vehicle = demo[1]
    assert vehicle.wheel_centres[Corner.FL] == pytest.approx((0.0, 0.76, 0.33))
    assert vehicle.wheel_centres[Corner.RR] == pytest.approx((-2.56, -0.797, 0.35))
    total = mass_properties(vehicle.bodies)
    assert -2.56 < total.centre[0] < 0  # between the axles, behind the front one
    assert abs(total.centre[1]) < 0.02  # only the steering stands to one side
    assert 0.3 < total.centre[2] < 0.8


def test_inertia_is_possible_and_mirrored(demo: tuple[Assembly, AssembledBodies]) -> None:
    vehicle = demo[1]
    by_name = {body.name: body for body in vehicle.bodies}
    pairs = 0
    for name, left in by_name.items():
        if name.endswith("_left"):
            right = by_name[name.removesuffix("_left") + "_right"]
            np.testing.assert_allclose(left.centre, np.array(right.centre) * (1, -1, 1), atol=1e-12)
            signs = np.outer((1, -1, 1), (1, -1, 1))
            np.testing.assert_allclose(left.inertia, np.array(right.inertia) * signs, atol=1e-12)
            pairs += 1
    assert pairs > 20
    assert is_possible_inertia(mass_properties(vehicle.bodies).inertia)


def test_wheel_spins_about_y(demo: tuple[Assembly, AssembledBodies]) -> None:
    """The file's IZZ is the moment about the spin axis, which lies along y."""
    assembly, vehicle = demo
    wheel = assembly.with_role("wheel", "front")[0].wheels[0]
    body = next(b for b in vehicle.bodies if wheel.name in b.name and b.name.endswith("_left"))
    assert body.inertia[1][1] == pytest.approx(wheel.inertia.zz)
    assert body.inertia[0][0] == pytest.approx(wheel.inertia.xx)


def test_arm_lies_between_its_hardpoints(demo: tuple[Assembly, AssembledBodies]) -> None:
    """The frame that stands in comment lines puts the lower arm where its hardpoints are."""
    vehicle = demo[1]
    arm = next(b for b in vehicle.bodies if b.name == "TR_Front_Suspension.lower_control_arm_left")
    assert 0.4 < arm.centre[1] < 0.75
    assert 0.1 < arm.centre[2] < 0.2
    assert abs(arm.centre[0]) < 0.2


def test_exchanged_axles_are_noticed(demo: tuple[Assembly, AssembledBodies]) -> None:
    """Which axle lies in front is checked, not assumed."""
    other = {"front": "rear", "rear": "front"}
    exchanged = [replace(s, minor_role=other.get(s.minor_role, s.minor_role)) for s in demo[0].subsystems]
    with pytest.raises(InputError, match="x must grow rearward"):
        assemble_bodies(replace(demo[0], subsystems=tuple(exchanged)))

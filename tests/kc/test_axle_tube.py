"""The tube of a solid axle bends as the books say, and is part of the axle's mass wherever masses are divided."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.masses import SplitFactors, split_bodies, split_masses
from trackrod.core.corners import Axle, Corner
from trackrod.kc import programme
from trackrod.kc.points import Inputs, Load
from trackrod.kc.rig import Rig
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.connectors import Beam, BeamSection
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

VANS = ("lcv_3t5", "lcv_7t")
STEEL = 2.06e11


@cache
def van(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


def tubes(vehicle: Vehicle) -> dict[str, Beam]:
    found = {beam.name.partition(".")[2]: beam for beam in vehicle.beams}
    return {name: beam for name, beam in found.items() if name.startswith("tube")}


def with_tube(vehicle: Vehicle, factor: float) -> Vehicle:
    """The vehicle with a tube so many times as stiff."""
    stiff = [
        replace(b, section=BeamSection(*(factor * x for x in (b.section.axial, b.section.torsional, *bending(b)))))
        if ".tube" in b.name
        else b
        for b in vehicle.beams
    ]
    return replace(vehicle, beams=tuple(stiff))


def bending(beam: Beam) -> tuple[float, float]:
    return beam.section.bending_y, beam.section.bending_z


def test_section_of_a_tube() -> None:
    """A full rod by its own formulas; a thin wall by those of thin walls."""
    rod = BeamSection.tube(0.1, 0.05, 2e11, 8e10)
    assert rod.bending_y == rod.bending_z == pytest.approx(2e11 * np.pi * 0.1**4 / 64)
    assert rod.torsional == pytest.approx(8e10 * np.pi * 0.1**4 / 32)
    thin = BeamSection.tube(0.1001, 1e-4, 2e11, 8e10)
    assert thin.axial == pytest.approx(2e11 * np.pi * 0.1 * 1e-4)
    assert thin.bending_y == pytest.approx(2e11 * np.pi * 0.05**3 * 1e-4, rel=1e-5)


@pytest.mark.parametrize("name", VANS)
def test_wheel_load_bends_the_tube_between_its_seats(name: str) -> None:
    """Camber over wheel load: F a (l + a/2) / EI, the wheel being a outside of the seat, the housing l inside.

    The leaves twist with their seats and bear one or two hundredths of the moment.
    """
    outer, inner = (tubes(van(name))[f"tube_{part}_left"] for part in ("outer", "inner"))
    gradients = []
    for factor in (1.0, 1e4):
        test = programme.parallel(Rig(with_tube(van(name), factor), Axle.REAR), [-0.005, 0.0, 0.005])
        gradients.append(np.ptp(test["camber_left"]) / np.ptp(test["Fz_left"]))
    expected = outer.length * (inner.length + outer.length / 2) / bending(outer)[0]
    assert gradients[0] - gradients[1] == pytest.approx(expected, rel=0.03)
    assert gradients[1] < 0.01 * expected


@pytest.mark.parametrize("name", VANS)
def test_a_force_along_bends_the_end_of_the_tube(name: str) -> None:
    """Toe of the wheel end against the seat: F a² / 2 EI, whatever holds the seat; the wheels toe out in braking."""
    rig = Rig(van(name), Axle.REAR)
    outer, force = tubes(van(name))["tube_outer_left"], 1000.0
    solution = rig.sweep(Inputs.of(loads={Load.FX_CENTRE: np.outer((0.0, -force), (1.0, 1.0))}))
    seat, end = (
        Rotation.from_quat(solution.poses[:, rig.model.index[f"rear_suspension.{body}"], 3:][:, [1, 2, 3, 0]])
        for body in ("axle_seat_left", "axle_end_left")
    )
    turn = (end * seat.inv()).as_rotvec()[:, 2]  # about the upright axis: the wheel load keeps its direction
    assert turn[1] - turn[0] == pytest.approx(force * outer.length**2 / (2 * bending(outer)[1]), rel=1e-3)
    braked = programme.loads(rig, Load.FX, [-force, 0.0])
    start = 2 * list(programme.PATTERNS).index("in_phase")
    assert braked["toe_left"][start] < braked["toe_left"][start + 1] - (turn[1] - turn[0])


@pytest.mark.parametrize("name", VANS)
def test_the_parts_of_the_tube_are_whole_parts_of_the_axle(name: str) -> None:
    """No split factor takes them for links, in either mode."""
    vehicle = van(name)
    parts = [b for b in vehicle.bodies if b.name.startswith(("rear_suspension.axle", "rear_suspension.differential"))]
    assert len(parts) == 6
    acting = {body for bodies in split_bodies(vehicle).values() for body in bodies}
    assert not acting & {body.name for body in parts}
    nothing = SplitFactors(0.0, 0.0, 0.0)
    for mode in (Mode.KINEMATIC, Mode.COMPLIANT):
        unsprung = split_masses(vehicle.with_mode(mode), nothing).unsprung
        assert 2 * unsprung[Corner.RL] > sum(body.mass for body in parts)


def test_tube_has_the_stiffness_of_its_measures() -> None:
    [section] = {beam.section for beam in tubes(van("lcv_7t")).values()}
    assert section.bending_y == pytest.approx(STEEL * np.pi / 64 * (0.140**4 - 0.116**4))

"""Torsional stiffness of a frame among the parameters of a body subsystem."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.source import open_vehicle
from trackrod.core.errors import InputError
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.frame import frame_spring

NAME = "lcv_3t5"


def written(folder: Path, *lines: str) -> Path:
    """The assembly of a van whose body has more parameters."""
    root = Path(shutil.copytree(BUNDLED[NAME].database, folder / BUNDLED[NAME].database.name))
    body = root / "subsystems.tbl" / "body.sub"
    body.write_text(body.read_text() + "\n".join(lines) + "\n")
    return root / "assemblies.tbl" / BUNDLED[NAME].assembly.name


def test_stiffness_and_damping_in_units_of_the_file(tmp_path: Path) -> None:
    """3.5e6 N·mm/deg are 3500 N·m/deg, a little soft for a van."""
    assembly = written(
        tmp_path,
        " 'frame_torsional_stiffness'  'single'  'real'  3.5e6",
        " 'frame_torsional_damping'    'single'  'real'  9000.0",
    )
    vehicle = open_vehicle(str(assembly)).vehicle
    assert len(vehicle.sprung_bodies) == 2
    spring = frame_spring(vehicle)
    assert spring.curve.slope(0.0) == pytest.approx(3500.0 * 180.0 / np.pi)
    assert spring.damping == pytest.approx(9.0 * 180.0 / np.pi)


def test_a_frame_is_rigid_unless_the_file_says_otherwise() -> None:
    assert open_vehicle(NAME).vehicle.frame is None


def test_a_negative_stiffness_is_refused_with_its_file(tmp_path: Path) -> None:
    assembly = written(tmp_path, " 'frame_torsional_stiffness'  'single'  'real'  -3.5e6")
    with pytest.raises(InputError, match=r"body\.sub.*stiffness of the frame is -200535 N·m/rad"):
        open_vehicle(str(assembly))

"""Property files of a whole assembly."""

from __future__ import annotations

from pathlib import Path

import pytest

from trackrod.adams.assembly import read_assembly
from trackrod.adams.characteristics import read_characteristics
from trackrod.core.errors import Severity
from trackrod.tyre import TyreProperties, Version
from trackrod.vehicle.characteristics import SpringCharacteristic
from trackrod.vehicle.driveline import EngineMap

DATABASE = "adams/BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb"


def test_every_property_file_found_is_read(shared_data: Path) -> None:
    """All property files of the real database that its assembly refers to, and none with an error."""
    assembly = read_assembly(shared_data / DATABASE / "assemblies.tbl/MDI_Demo_ThreeWheeler.asy")
    read = read_characteristics(assembly)
    assert not [problem for problem in read.problems if problem.severity is Severity.ERROR]
    names = {path.name.casefold() for path in read.files_read}
    assert {"tr_front_pac89.tir", "mdi_125_300_spr.xml", "mdi_default.dpr", "v12_engine_map.pwr"} <= names
    assert len(names) >= 15
    kinds = {type(item).__name__ for item in read.by_path.values()}
    assert {"SpringCharacteristic", "DamperCharacteristic", "BushingCharacteristic", "EngineMap"} <= kinds
    tyre = next(item for item in read.by_path.values() if isinstance(item, TyreProperties))
    assert tyre.version is Version.PAC89
    spring = next(item for item in read.by_path.values() if isinstance(item, SpringCharacteristic))
    assert spring.curve.mean_slope == pytest.approx(125e3)
    engine = next(item for item in read.by_path.values() if isinstance(item, EngineMap))
    assert engine.torque.max() == pytest.approx(485.0)


def test_a_broken_file_is_an_error_of_that_file_only(shared_data: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "SLIIT_Demo_ThreeWheeler.cdb"
    shutil.copytree(shared_data / DATABASE, copy)
    for path in copy.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (copy / "dampers.tbl/MDI_default.dpr").write_text("[MDI_HEADER]\n FILE_TYPE = 'dpr'\n")
    assembly = read_assembly(copy / "assemblies.tbl/MDI_Demo_ThreeWheeler.asy")
    read = read_characteristics(assembly)
    errors = [problem for problem in read.problems if problem.severity is Severity.ERROR]
    assert errors
    assert {problem.place.file.name for problem in errors if problem.place.file} == {"MDI_default.dpr"}
    assert len(read.files_read) >= 14

"""Other importers drive an FMU of FMI 2.0 as fmpy does, with inputs from a CSV file."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from open_fmus import VAN, content

from trackrod.export.check import TOLERANCE, usual_drive
from trackrod.export.model_description import FmiVersion

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import fmu_tools


@pytest.mark.parametrize("program", ["ecospy", "libcosimpy"])
def test_same_run_in_another_importer(program: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(program) is None:
        pytest.skip(f"{program} is not installed")
    if program == "ecospy" and not any((Path(sys.prefix) / "lib").glob("libtbb.so.12")):
        pytest.skip("ecospy needs the library of the package tbb")
    fmu, file = tmp_path / "van.fmu", tmp_path / "inputs.csv"
    fmu.write_bytes(content(VAN, FmiVersion.FMI2))
    drive = usual_drive(seconds=0.15)
    fmu_tools.write_inputs(drive, file)
    inputs = fmu_tools.read_inputs(file)
    reference = fmu_tools.in_fmpy(fmu, drive.settings, inputs)
    found = fmu_tools.PROGRAMS[program](fmu, drive.settings, inputs)
    for name, values in reference.items():
        assert np.abs(found[name] - values).max() <= TOLERANCE * max(1.0, np.abs(values).max()), name
    assert np.ptp(reference["body.yaw_rate"]) > 1e-3

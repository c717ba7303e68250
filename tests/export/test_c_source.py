"""The C++ sources of a vehicle: a plain compiler builds them without warnings, and they drive as Python does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from open_fmus import CAR, spec

from trackrod.core import signals
from trackrod.export.c_source import write_c_source
from trackrod.export.check import CheckDrive, drive_rtm
from trackrod.export.vehicle import exported_rtm

COMPILER = next((path for name in ("g++", "clang++") if (path := shutil.which(name))), None)


@pytest.mark.skipif(COMPILER is None, reason="neither g++ nor clang++ is on PATH")
def test_sources_compile_without_warnings_and_drive_as_python(tmp_path: Path) -> None:
    files = write_c_source(exported_rtm(spec(CAR)), tmp_path / "car")
    main = files[0]
    assert len([line for line in main.read_text().splitlines() if line.strip() not in ("", "}")]) <= 10
    folder, program = main.parent, tmp_path / "drive"
    sources = [main, folder / "sources" / "instance.cpp", folder / "sources" / "models.cpp"]
    # without optimisation it takes a third of the time, and gives the same numbers
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", f"-I{folder / 'sources'}"]
    done = subprocess.run(
        [str(COMPILER), *flags, *map(str, sources), "-o", str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    text = subprocess.run([str(program), str(folder)], capture_output=True, text=True, check=True).stdout
    found = np.array([[float(word) for word in line.split()] for line in text.splitlines()])
    drive = CheckDrive({"initial.speed": 20.0}, {"driver.steering_wheel_angle": np.full(5000, 0.3)})
    run = drive_rtm(spec(CAR), drive, every=10)
    assert np.abs(found[:, 1] - run[signals.YAW_RATE]).max() < 1e-9
    assert np.abs(found[:, 2] - run[signals.AY]).max() < 1e-9
    missing = subprocess.run([str(program), str(tmp_path)], capture_output=True, text=True, check=False)
    assert missing.returncode == 1
    assert "cannot be read" in missing.stderr

"""``trackrod animate`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from trackrod.core import signals
from trackrod.core.run_files import write_run
from trackrod.core.series import Run


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trackrod", "animate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_writes_a_page_beside_the_run(tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 11)
    write_run(
        Run({signals.TIME: time, signals.X: 10 * time, signals.Y: 0 * time, signals.YAW: 0 * time}), tmp_path / "r.csv"
    )
    done = run(tmp_path / "r.csv", "--vehicle=suv", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["file"] == str(tmp_path / "r.html")
    assert data["frames"] == 51
    assert (tmp_path / "r.html").is_file()


def test_mistakes_are_one_message(tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 11)
    write_run(Run({signals.TIME: time, signals.X: time}), tmp_path / "r.csv")
    for arguments, says in (
        ((tmp_path / "r.csv", "--vehicle=suv"), "the run has no y_m, yaw_rad"),
        ((tmp_path / "r.csv", "--vehicle=suv", "--out=x.gif"), "use .html"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert says in done.stderr.replace("\n", "")
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "r.html").exists()

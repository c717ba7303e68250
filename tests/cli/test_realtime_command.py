"""``trackrod realtime`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="the runner needs the clock of Linux")
def test_a_client_that_never_speaks_finds_the_vehicle_standing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trackrod", "realtime", "double_wishbone_car", "--model=multibody", "--udp=0"]
    command += ["--duration=0.05", f"--plot={tmp_path / 'turnaround.png'}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["steps"] == 50
    assert data["client"] == {"taken": 0, "malformed": 0, "late": 0, "silent_at_the_end": True}
    assert sum(count for _, count in data["histogram"]) == 50
    assert (tmp_path / "turnaround.png").stat().st_size > 1000

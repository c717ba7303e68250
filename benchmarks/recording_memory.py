"""A large MDF recording made into a run: time and memory.

usage: python -m benchmarks.recording_memory [SIZE_GB]

Writes a recording of the size asked for (1 without it) into a temporary folder: 1 kHz, 64 channels. Reads the 40 that
a map names in a process of its own, and prints what that took.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from trackrod.core.corners import Corner
from trackrod.core.mdf4 import import_asammdf
from trackrod.core.signals import parse_column
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import open_recording

CHANNELS, RATE = 64, 1000.0
COLUMNS = (
    *(f"{name}_{corner}_N" for name in ("Fx", "Fy", "Fz") for corner in Corner),
    *(f"wheel_speed_{corner}_radps" for corner in Corner),
    *(f"brake_pressure_{corner}_Pa" for corner in Corner),
    *(f"damper_length_{corner}_m" for corner in Corner),
    *(f"wheel_torque_{corner}_Nm" for corner in Corner),
    *(f"steer_{corner}_rad" for corner in Corner),
    *(
        "vx_mps",
        "ax_mps2",
        "ay_mps2",
        "yaw_rate_radps",
        "roll_rad",
        "pitch_rad",
        "throttle",
        "steering_wheel_angle_rad",
    ),
)


def write(path: Path, gigabytes: float) -> None:
    """A recording of white noise, in pieces."""
    asammdf = import_asammdf()
    samples = int(gigabytes * 1e9 / 8 / (CHANNELS + 1))
    rng = np.random.default_rng(1)
    with asammdf.MDF(version="4.10") as file:
        piece = 60_000
        for start in range(0, samples, piece):
            stamps = (start + np.arange(min(piece, samples - start))) / RATE
            values = [rng.standard_normal(stamps.size) for _ in range(CHANNELS)]
            if start == 0:
                made = [asammdf.Signal(v, stamps, name=f"channel {i}", unit="") for i, v in enumerate(values)]
                file.append(made, common_timebase=True)
            else:
                file.extend(0, [(stamps, None), *((v, None) for v in values)])
        file.save(path, overwrite=True)


def read(path: Path) -> None:
    """What an estimate does with it."""
    start = time.perf_counter()
    units = [parse_column(column).kind.unit for column in COLUMNS]
    entries = {column: Entry(column, f"channel {i}", units[i]) for i, column in enumerate(COLUMNS)}
    done = prepare(open_recording(path), ChannelMap(entries), refuse=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = path.stat().st_size / 1e9
    print(f"{size:.2f} GB, {len(COLUMNS)} of {CHANNELS} channels, {done.run.time[-1]:.0f} s of driving")
    print(f"{time.perf_counter() - start:.1f} s, largest memory {peak:.2f} GiB")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "read":
        read(Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "large.mf4"
            write(file, float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
            subprocess.run([sys.executable, "-m", "benchmarks.recording_memory", "read", str(file)], check=True)

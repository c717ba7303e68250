"""A large MDF recording through the whole estimate: processor time and memory.

usage: python -m benchmarks.recording_memory [SIZE_GB]

Writes a recording of the size asked for (1 without it) into a temporary folder: 1 kHz, 64 channels, 45 of them in its
map. It is a day of the case study's tests on one logger, which was stopped between them, driven again and again by the
multibody model (`benchmarks.case_study`, whose runs are kept). `trackrod estimate` reads it in a process of its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.case_study import FOLDER, VEHICLE, study_of
from trackrod.core.mdf4 import import_asammdf
from trackrod.core.run_files import read_run
from trackrod.core.series import Run
from trackrod.core.signals import parse_column
from trackrod.measured.sensors import case_study

CHANNELS, RATE = 64, 1000.0
#: Between two tests the logger stands still [s].
PAUSE = 5.0
#: Noise of every channel over the largest value of its test [-].
NOISE = 2e-3


def pieces(names: list[str], samples: int) -> Iterator[tuple[NDArray[np.float64], list[NDArray[np.float64]]]]:
    """Times and values of one test after the other, until there are as many samples."""
    truth = _truth()
    rng = np.random.default_rng(1)
    start, left = 0.0, samples
    while left > 0:
        for path in truth:
            run = read_run(path)
            count = min(int((run.time[-1] - run.time[0]) * RATE), left)
            if count < 2:
                return
            time = np.arange(count) / RATE
            yield start + time, [_seen(run, name, run.time[0] + time, rng) for name in names]
            start, left = start + time[-1] + PAUSE, left - count


def _truth() -> list[Path]:
    folder = FOLDER / "recordings" / "truth"
    return sorted((folder if folder.is_dir() else study_of().folder / "truth").glob("*.mf4"))


def _seen(run: Run, name: str, at: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    if name not in run:
        return rng.standard_normal(at.size)
    if parse_column(name).held:
        return run[name][np.clip(np.searchsorted(run.time, at + 1e-9, side="right") - 1, 0, run.time.size - 1)]
    values = np.interp(at, run.time, run[name])
    return np.asarray(values + NOISE * np.abs(values).max(initial=1e-6) * rng.standard_normal(at.size))


def write(folder: Path, gigabytes: float) -> Path:
    """The recording, in pieces, and its map."""
    asammdf = import_asammdf()
    first = read_run(_truth()[0])
    known = [column for column in case_study() if column in first]
    names = [*known, *(f"channel {i}" for i in range(CHANNELS - len(known)))]
    units = [parse_column(name).kind.unit if name in known else "" for name in names]
    path = folder / "day.mf4"
    with asammdf.MDF(version="4.10") as file:
        begun = False
        for stamps, values in pieces(names, int(gigabytes * 1e9 / 8 / (CHANNELS + 1))):
            if not begun:
                made = [asammdf.Signal(v, stamps, name=n, unit=u) for n, u, v in zip(names, units, values, strict=True)]
                file.append(made, common_timebase=True)
                begun = True
            else:
                file.extend(0, [(stamps, None), *((v, None) for v in values)])
        file.save(path, overwrite=True)
    entries = [f'{column} = {{ channel = "{column}" }}' for column in known]
    (folder / "channels.toml").write_text("\n".join(["[channels]", *entries, ""]))
    return path


def main(gigabytes: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = write(Path(name), gigabytes)
        command = [sys.executable, "-m", "trackrod", "estimate", str(path), "--vehicle", VEHICLE]
        done = subprocess.run(
            [*command, "--sensors", "case_study", "--json"], capture_output=True, text=True, check=False
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        size = path.stat().st_size / 1e9
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:])
        raise SystemExit(done.returncode)
    told = {item["name"]: item for item in json.loads(done.stdout)["estimates"] if item.get("value") is not None}
    print(f"{size:.2f} GB, {CHANNELS} channels; {len(told)} parameters told, mass {told['mass']['value']:.1f} kg")
    print(f"{used.ru_utime + used.ru_stime:.1f} s of CPU, largest memory {used.ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)

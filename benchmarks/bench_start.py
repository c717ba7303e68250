"""What a command costs before it does anything, and the direct conversion from an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from benchmarks.row import Row

#: Commands by what they are called, with the most processor time that they may take [s].
COMMANDS = {
    "python -c 'import trackrod'": (("-c", "import trackrod"), 0.1),
    "trackrod --help": (("-m", "trackrod", "--help"), 0.3),
    "trackrod vehicles": (("-m", "trackrod", "vehicles"), 0.3),
    "trackrod inspect suv": (("-m", "trackrod", "inspect", "suv"), 1.5),
}
#: Longest time of the direct conversion on the clock [s].
LONGEST_CONVERSION = 15.0
_REPEATS = 3


def processor_seconds(*arguments: str) -> float:
    """User and system time of a call of Python, the processes that it starts included [s]."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def commands() -> list[Row]:
    """The least of several calls, the first of which has filled the caches of the system."""
    rows = []
    for name, (arguments, most) in COMMANDS.items():
        least = min(processor_seconds(*arguments) for _ in range(_REPEATS))
        rows.append(Row(f"{name}: processor time", least, "s", "at most", most))
    return rows


def conversion() -> list[Row]:
    """``trackrod convert lcv_7t --no-tune`` with its comparison and report, from an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "trackrod", "convert", "lcv_7t", "--no-tune", f"--out={folder}/out", "--json"]
        environment = {**os.environ, "TRACKROD_CACHE": f"{folder}/cache"}
        before, start = os.times(), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        wall, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    name = "trackrod convert lcv_7t --no-tune"
    return [
        Row(f"{name}: on the clock", wall, "s", "at most", LONGEST_CONVERSION),
        Row(f"{name}: processor time", used, "s", "two cores", 2.0 * LONGEST_CONVERSION),
    ]


BENCHMARKS = (commands, conversion)

"""Kill the default study at random moments, let it go on, and compare what it leaves with an undisturbed one.

    python -m benchmarks.kill_and_resume [VEHICLE] [--kills 10] [--seed 0] [--fresh]

The study is killed (SIGKILL) ten times, each time after a random amount of processor time, and goes on where it was;
it is killed once more while it writes its results, then finished. Everything that it leaves must be the same, byte for
byte: model, maps, runs, and the summary apart from the seconds that stages took. Of the report, which tells these
seconds, it is only looked whether it is there. With ``--fresh`` each kill has a study of its own, from an empty folder
and an empty cache.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: Files that hold seconds.
TIMED = ("summary.json", "report.html", "report.pdf")


def start(vehicle: str, out: Path, cache: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "trackrod", "convert", vehicle, f"--out={out}", "--json"]
    environment = {**os.environ, "TRACKROD_CACHE": str(cache)}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)


def processor_seconds(process: subprocess.Popen[bytes], began: float) -> float:
    """Of a process that runs [s]; seconds of the clock where the system does not tell."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic() - began
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_whole(vehicle: str, out: Path, cache: Path) -> float:
    """Processor time of a study that nobody disturbs [s]."""
    process, began, used = start(vehicle, out, cache), time.monotonic(), 0.0
    while process.poll() is None:
        used = max(used, processor_seconds(process, began))
        time.sleep(0.05)
    assert process.returncode == 0, process.communicate()[1].decode()
    return used


def kill_after(vehicle: str, out: Path, cache: Path, seconds: float) -> str:
    """Kill a study after so much processor time; what it was doing."""
    process, began = start(vehicle, out, cache), time.monotonic()
    while process.poll() is None and processor_seconds(process, began) < seconds:
        time.sleep(0.01)
    process.kill()
    process.wait()
    return "finished before" if (out / "summary.json").is_file() else "killed"


def kill_while_writing(vehicle: str, out: Path, cache: Path) -> str:
    process = start(vehicle, out, cache)
    while process.poll() is None and not any((out / ".new").glob("runs/*")):
        time.sleep(0.002)
    process.kill()
    process.wait()
    return "finished before" if (out / "summary.json").is_file() else "killed"


def left(out: Path) -> dict[str, bytes | str]:
    """What a study left, by name; texts that hold seconds without them."""
    found: dict[str, bytes | str] = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if not path.is_file() or name.startswith("evaluations"):
            continue
        if name == "summary.json":
            data = json.loads(path.read_text())
            data.pop("seconds")
            data.pop("phase_seconds")
            found[name] = json.dumps(data)
        else:
            found[name] = b"" if name in TIMED else path.read_bytes()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vehicle", nargs="?", default="lcv_7t")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    differing: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        whole = run_whole(options.vehicle, place / "whole", place / "cache_whole")
        expected = left(place / "whole")
        print(f"undisturbed: {whole:.1f} s of processor time, {len(expected)} files", flush=True)
        out, cache = place / "out", place / "cache"
        for number in range(options.kills):
            if options.fresh:
                out, cache = place / f"out_{number}", place / f"cache_{number}"
            # a life of a study that goes on is shorter, so that ten of them fit before its end
            moment = draw.uniform(0.5, whole) if options.fresh else draw.uniform(0.5, 2.0 + whole / options.kills)
            said = kill_after(options.vehicle, out, cache, moment)
            print(f"kill {number + 1} after {moment:.1f} s of processor time: {said}", flush=True)
            if options.fresh:
                run_whole(options.vehicle, out, cache)
                differing += compared(expected, out)
        if not options.fresh:
            print(f"kill while results are written: {kill_while_writing(options.vehicle, out, cache)}", flush=True)
            run_whole(options.vehicle, out, cache)
            differing += compared(expected, out)
    print("what differs: " + (", ".join(sorted(set(differing))) or "nothing, byte for byte"))
    return int(bool(differing))


def compared(expected: dict[str, bytes | str], out: Path) -> list[str]:
    found = left(out)
    return [name for name in {*expected, *found} if expected.get(name) != found.get(name)]


if __name__ == "__main__":
    sys.exit(main())

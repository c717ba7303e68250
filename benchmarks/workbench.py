"""The workbench under load: studies that are queued while its server is killed, and how quick and how large it is.

    python -m benchmarks.workbench queue     # ten studies, the server and its worker killed in the middle
    python -m benchmarks.workbench speed     # first page, page changes, memory with fifty studies (Chromium)

``queue`` compares every file of every study, byte for byte, with those of studies that nobody disturbs; only seconds in
``summary.json`` and the reports, which tell the measured time of a step, are left out. Times of ``speed`` are of the
clock, on a quiet machine; what the server uses of a core means something beside other work, too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from benchmarks.kill_and_resume import left
from trackrod.web import commands
from trackrod.web.jobs import Queue, State
from trackrod.web.workspace import Workspace

CAR = "double_wishbone_car"
STUDIES = 10
#: Which of them is cut off.
BROKEN = 5
STORED = 50
STUDY = """
[study]
mode = "expert"
seed = {seed}
parameters = ["sprung_mass", "Izz"]

[tune.step_steer]
manoeuvre = "step_steer"
target_ay_g = {target}

[hold_out.pulse]
manoeuvre = "pulse"
"""
PAGES = ("Vehicle", "K&C", "Convert", "Manoeuvres", "Tune", "Validate", "Reduce", "Studies")


class Server:
    """A workbench in a process of its own."""

    def __init__(self, workspace: Workspace, cache: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "trackrod", "gui", "--workspace", str(workspace.root), "--no-browser"]
        environment = {**os.environ, "TRACKROD_CACHE": str(cache)}
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*command, "--port", str(port)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while True:
            try:
                urllib.request.urlopen(self.address, timeout=5).close()
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                time.sleep(0.01)
        self.seconds = time.monotonic() - began

    def cpu_seconds(self) -> float:
        """What the process has used of a core so far [s]."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Resident memory [MB]."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def kill(self, how: signal.Signals) -> None:
        """End it this way."""
        self.process.send_signal(how)
        self.process.wait(60)


def queue_studies(workspace: Workspace) -> Queue:
    """Ten studies that differ."""
    queue = Queue(workspace)
    for number in range(STUDIES):
        draft = commands.draft_of(STUDY.format(seed=number, target=0.2 + 0.02 * number))
        command = commands.convert(CAR, CAR, draft, expert=True)
        queue.add(command.kind, command.title, command.words, vehicle=CAR, files=command.files)
    return queue


def states(workspace: Workspace) -> list[str]:
    return [json.loads(path.read_text())["state"] for path in sorted(workspace.jobs_folder.glob("*/job.json"))]


def wait_for(workspace: Workspace, done: int, seconds: float = 3600) -> None:
    end = time.monotonic() + seconds
    while states(workspace).count(State.DONE) < done:
        assert time.monotonic() < end, states(workspace)
        assert State.FAILED not in states(workspace), states(workspace)
        time.sleep(0.05)


def kill_in_the_middle(place: Path) -> int:
    """Ten studies, undisturbed and with the server killed; how many files differ."""
    calm, broken = Workspace(place / "calm"), Workspace(place / "broken")
    began = time.monotonic()
    for workspace in (calm, broken):
        queue_studies(workspace)
    server = Server(calm, place / "cache_calm")
    wait_for(calm, STUDIES)
    server.kill(signal.SIGINT)
    server = Server(broken, place / "cache_broken")
    wait_for(broken, BROKEN - 1)
    folder = broken.jobs_folder / f"{BROKEN:04d}"
    while not ((folder / "progress.json").is_file() and '"reference"' in (folder / "progress.json").read_text()):
        time.sleep(0.005)
    server.kill(signal.SIGKILL)
    os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
    print(f"killed in the middle: {', '.join(states(broken))}", flush=True)
    finished = [left(broken.jobs_folder / f"{number:04d}" / "out") for number in range(1, BROKEN)]
    server = Server(broken, place / "cache_broken")
    wait_for(broken, STUDIES)
    server.kill(signal.SIGINT)
    beginnings = json.loads((folder / "job.json").read_text())["beginnings"]
    differing, files = 0, 0
    for number in range(1, STUDIES + 1):
        expected, found = (left(each.jobs_folder / f"{number:04d}" / "out") for each in (calm, broken))
        if number < BROKEN:
            differing += finished[number - 1] != found
        files += len(expected)
        differing += sum(expected.get(name) != found.get(name) for name in {*expected, *found})
    print(f"{STUDIES} studies done, the broken one begun {beginnings} times, {files} files, {differing} of them differ")
    print(f"{time.monotonic() - began:.0f} s")
    return int(differing > 0)


def measure(place: Path) -> int:
    """First page, page changes, memory."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of the development group

    workspace = Workspace(place / "space")
    queue = Queue(workspace)
    draft = commands.draft_of(STUDY.format(seed=0, target=0.3))
    for command in (commands.inspect(CAR, CAR), commands.kc(CAR, CAR), commands.convert(CAR, CAR, draft, expert=True)):
        queue.add(command.kind, command.title, command.words, vehicle=CAR, files=command.files)
    os.environ["TRACKROD_CACHE"] = str(place / "cache")
    queue.wait(3600)
    workspace.prefer(vehicle=CAR)
    original = workspace.jobs_folder / "0003"
    chromium = next(path for name in ("chromium", "chromium-browser") if (path := shutil.which(name)))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1440, "height": 860})
        for studies in (1, STORED):
            for number in range(4, studies + 3):
                copy = workspace.jobs_folder / f"{number:04d}"
                shutil.copytree(original, copy)
                job = json.loads((copy / "job.json").read_text()) | {"number": number}
                (copy / "job.json").write_text(json.dumps(job))
            server = Server(workspace, place / "cache")
            cpu = [server.cpu_seconds()]
            began = time.monotonic()
            tab.goto(server.address)
            tab.locator(".title").wait_for()
            first = time.monotonic() - began
            cpu.append(server.cpu_seconds())
            changes = []
            for turn in range(3):
                for name in PAGES:
                    began = time.monotonic()
                    tab.locator("nav a", has_text=name).click()
                    tab.locator(".title", has_text=name).wait_for()
                    if turn:
                        changes.append(time.monotonic() - began)
            mean = (server.cpu_seconds() - cpu[1]) / (3 * len(PAGES))
            print(
                f"{studies} studies: server {server.seconds:.2f} s, first page {first:.2f} s more; page changes "
                f"{statistics.median(changes):.2f} s (median), {max(changes):.2f} s (longest); "
                f"{server.memory_mb():.0f} MB; of a core the server uses {cpu[0]:.2f} s to start, "
                f"{cpu[1] - cpu[0]:.2f} s for the first page, {mean:.2f} s for a page change (mean)",
                flush=True,
            )
            server.kill(signal.SIGINT)
        browser.close()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("queue", "speed"))
    chosen = parser.parse_args().what
    with tempfile.TemporaryDirectory() as folder:
        return kill_in_the_middle(Path(folder)) if chosen == "queue" else measure(Path(folder))


if __name__ == "__main__":
    sys.exit(main())

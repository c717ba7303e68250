"""A workbench that is really served, and Debian's Chromium to look at it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

#: How long anything may take on the slowest machine [s]: where a test fails, it fails by what it sees.
PATIENCE = 900.0
#: Read by every Python that a server of these tests begins: holds a worker where the test wants it, so that no test
#: depends on how fast anything is. The worker stands still before it tells of its progress what the file $TRACKROD_HOLD
#: holds, until this file is gone or Ctrl-C comes; it says so by a file beside it.
HOLD = """
import os, sys, time

def hold(event, arguments, place=os.environ.get("TRACKROD_HOLD", "")):
    if event != "os.rename" or os.path.basename(arguments[1]) != "progress.json" or not os.path.exists(place):
        return
    with open(place) as asked, open(arguments[0]) as told:
        if asked.read() not in told.read():
            return
    open(place + ".reached", "w").close()
    try:
        while os.path.exists(place):
            time.sleep(0.01)
    except KeyboardInterrupt:
        os.unlink(place)
        raise

sys.addaudithook(hold)
"""
CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)


def until(what: Callable[[], object], told: Callable[[], object] = lambda: "") -> None:
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, told()
        time.sleep(0.02)


class Served:
    """A server on a workspace, in a process of its own."""

    def __init__(self, workspace: Path, cache: Path, *more: str) -> None:
        self.workspace, self.cache, self.more = workspace, cache, more
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.log = workspace.parent / f"{workspace.name}.log"
        self.hold = workspace.parent / f"{workspace.name}.hold"
        customs = workspace.parent / "customs"
        customs.mkdir(exist_ok=True)
        (customs / "sitecustomize.py").write_text(HOLD)
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        self.environment = own | {
            "TRACKROD_CACHE": str(cache),
            "TRACKROD_HOLD": str(self.hold),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(customs), os.environ.get("PYTHONPATH")))),
        }

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "trackrod", "gui", "--workspace", str(self.workspace), "--no-browser"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port), *self.more],
                stdout=log,
                stderr=log,
                env=self.environment,
            )
        until(self._answers)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        try:
            urllib.request.urlopen(self.address, timeout=60).close()
        except urllib.error.HTTPError as answer:  # it asks for a token
            answer.close()
        except OSError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)

    def hold_at(self, told: str) -> None:
        """The next worker stands still before it tells this of its progress."""
        self.reached.unlink(missing_ok=True)
        self.hold.write_text(told)

    @property
    def reached(self) -> Path:
        """There as soon as a worker stands still."""
        return self.hold.with_name(f"{self.hold.name}.reached")

    def workers(self) -> list[int]:
        """Processes of its jobs that live."""
        found = []
        for path in self.workspace.glob("jobs/*/pid"):
            pid = int(path.read_text())
            if (
                Path(f"/proc/{pid}/cmdline").exists()
                and b"trackrod.web.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
            ):
                found.append(pid)
        return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; without it the tests that need it are skipped, loudly."""
    if CHROMIUM is None:
        text = "chromium is not installed: the journeys through the workbench are NOT tested (apt install chromium)"
        warnings.warn(pytest.PytestWarning(text), stacklevel=1)
        pytest.skip(text)
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A tab of its own, at the size of a laptop; errors of scripts fail the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 860})
    context.set_default_timeout(1000 * PATIENCE)
    tab = context.new_page()
    faults: list[str] = []
    # Plotly says the first when a page is left while its plots are drawn
    noise = "Resize must be passed a displayed plot div element"
    tab.on("pageerror", lambda error: faults.append(str(error)) if noise not in str(error) else None)
    yield tab
    context.close()
    assert faults == []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A workbench for all tests of a file."""
    base = tmp_path_factory.mktemp("workbench")
    server = Served(base / "space", base / "cache")
    server.start()
    yield server
    server.stop()

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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)


class Served:
    """A server on a workspace, in a process of its own."""

    def __init__(self, workspace: Path, cache: Path, *more: str) -> None:
        self.workspace, self.cache, self.more = workspace, cache, more
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.log = workspace.parent / f"{workspace.name}.log"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "trackrod", "gui", "--workspace", str(self.workspace), "--no-browser"]
        own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port), *self.more],
                stdout=log,
                stderr=log,
                env=own | {"TRACKROD_CACHE": str(self.cache)},
            )
        end = time.monotonic() + 120
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log.read_text()
            try:
                urllib.request.urlopen(self.address, timeout=5).close()
            except urllib.error.HTTPError as answer:
                answer.close()
                return
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError(self.log.read_text())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)

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
    context.set_default_timeout(60_000)
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

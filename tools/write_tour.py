"""The tour of the workbench: pictures of its pages, taken in Chromium, and the part of docs/workbench.md with them.

    python tools/write_tour.py              # docs/images/workbench_*.png and the tour
    python tools/write_tour.py --all DIR    # every page in both modes, light and dark, 1440 and 1024 px wide

The pages show a real workspace (build/tour): audit, rig, studies, manoeuvre and quarter cars of a bundled car, and its
multibody run as a logger would have recorded it, for a validation. It is kept, so that a second time takes seconds.
Without Chromium nothing is written.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trackrod.core.corners import Corner
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.run_files import read_run
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.web import commands
from trackrod.web.jobs import Queue, State
from trackrod.web.workspace import Workspace
from trackrod.workflow.recorded_runs import CHANNEL_MAP

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "workbench.md"
IMAGES = ROOT / "docs" / "images"
CAR = "double_wishbone_car"
#: What the logger records: channel, its unit, our column, SI units of the column in one of the channel.
LOGGED = (
    ("SteeringWheelAngle", "deg", "steering_wheel_angle_rad", math.pi / 180.0),
    ("Throttle", "-", "throttle", 1.0),
    ("BrakePedal", "-", "brake", 1.0),
    ("Gear", "-", "gear", 1.0),
    ("Speed", "km/h", "vx_mps", 1.0 / 3.6),
    ("AccX", "g", "ax_mps2", STANDARD_GRAVITY),
    ("AccY", "g", "ay_mps2", STANDARD_GRAVITY),
    ("YawRate", "deg/s", "yaw_rate_radps", math.pi / 180.0),
    ("Sideslip", "deg", "sideslip_rad", math.pi / 180.0),
    ("RollAngle", "deg", "roll_rad", math.pi / 180.0),
    ("PitchAngle", "deg", "pitch_rad", math.pi / 180.0),
    *((f"WheelLoad{corner.upper()}", "kN", f"Fz_{corner}_N", 1e3) for corner in Corner),
)
CAMPAIGN = "proving_ground"
MARKS = ("<!-- begin: tour -->", "<!-- end: tour -->")
#: Pages with their main action.
PAGES = ("", "kc", "convert", "manoeuvres", "tune", "validate", "reduce", "report", "studies")
#: What the tour shows: page, expert mode, dark, caption.
STOPS = (
    ("", False, False, "**Vehicle**: choose one, or drop a zipped database; 3-D scene, key figures, audit."),
    ("kc", False, False, "**K&C**: sliders move the suspension through poses that the rig computed; maps and curves."),
    (
        "convert",
        False,
        False,
        "**Convert**: the study runs; what is uncertain, what is certain and where it comes from.",
    ),
    (
        "manoeuvres",
        False,
        True,
        "**Manoeuvres**: both models in motion beside each other, signals over each other (dark).",
    ),
    ("tune", True, False, "**Tune**, expert mode: everything that a study file can say, made from its declaration."),
    ("validate", True, False, "**Validate**: recordings, criteria, plan, estimates, envelope."),
    ("reduce", False, False, "**Reduce**: quarter cars with one equivalent link."),
    ("report", False, False, "**Report and export**: the report, PDF, FMU, CarMaker."),
    ("studies", False, True, "**Studies**: the queue, and two studies side by side (dark)."),
)


def make_workspace(folder: Path) -> Workspace:
    """A workspace with a job of every kind that pages draw, computed unless it is there."""
    workspace = Workspace(folder)
    queue = Queue(workspace)
    if not queue.jobs():
        short = commands.draft_of(
            '[study]\nmode = "expert"\nparameters = ["sprung_mass", "Izz"]\n\n[tune.step_steer]\n'
            'manoeuvre = "step_steer"\n\n[hold_out.pulse]\nmanoeuvre = "pulse"\n'
        )
        for command in (
            commands.inspect(CAR, CAR),
            commands.kc(CAR, CAR),
            commands.convert(CAR, CAR, short, expert=True),
            commands.convert(CAR, CAR, {}, expert=False),
            commands.compare(CAR, CAR, "step_steer", {}),
            commands.reduce(CAR, CAR, {}),
        ):
            queue.add(command.kind, command.title, command.words, vehicle=CAR, files=command.files)
    queue.wait(3600)
    if not queue.jobs("validate"):
        record(workspace, queue)
        study = queue.jobs("convert")[0].number
        for command in (
            commands.channels(workspace, CAMPAIGN),
            commands.validate(workspace, study, CAMPAIGN, "tolerance_5_percent"),
        ):
            queue.add(command.kind, command.title, command.words, vehicle=CAR, files=command.files)
        queue.wait(3600)
    if wrong := [job.title for job in queue.jobs() if job.state is not State.DONE]:
        raise SystemExit(f"these jobs failed: {', '.join(wrong)}; see {folder}")
    return workspace


def record(workspace: Workspace, queue: Queue) -> None:
    """The multibody run of the manoeuvre as a logger writes it, and the map of its channels."""
    run = read_run(next(queue.out(queue.jobs("compare")[0]).glob("*_multibody.csv")))
    folder = workspace.recordings_folder / CAMPAIGN
    folder.mkdir(exist_ok=True)
    with (folder / "step_steer.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Time [s]", *(f"{name} [{unit}]" for name, unit, *_ in LOGGED)])
        columns = [run.time, *(run[column] / scale for *_, column, scale in LOGGED)]
        writer.writerows([f"{value:.7g}" for value in row] for row in zip(*columns, strict=True))
    ChannelMap({column: Entry(column, name) for name, _, column, _ in LOGGED}).write(folder / CHANNEL_MAP)


@contextmanager
def served(workspace: Workspace) -> Iterator[str]:
    """The address of a workbench on it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "trackrod", "gui", "--workspace", str(workspace.root), "--no-browser"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    process = subprocess.Popen([*command, "--port", str(port)], env=own, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def look(tab: Any, workspace: Workspace, address: str, page: str, *, expert: bool, dark: bool) -> bytes:
    """A page as it looks when everything in it is drawn."""
    workspace.prefer(vehicle=CAR, expert=expert, dark=dark)
    tab.goto(f"{address}/{page}")
    tab.locator(".title").wait_for()
    if page in ("", "kc", "manoeuvres"):
        tab.locator("canvas[data-ready=yes]").first.wait_for()
    if page in ("reduce", "report"):
        tab.frame_locator("iframe.report").first.locator("h1").wait_for()
    if page == "tune" and expert:
        tab.get_by_text("Study: parameters, bounds").click()
        tab.get_by_label("tolerance [%]").wait_for()
    if page == "validate" and expert:
        tab.get_by_text("Channels of step_steer.csv, campaign").click()
        tab.get_by_label("signal of YawRate", exact=True).wait_for()
    if page == "kc":
        slide(tab, "wheel travel, both wheels", "ArrowRight", 50, "50 mm")
    if page == "manoeuvres":
        slide(tab, "time", "PageUp", 15, "1.50 s")
    tab.wait_for_timeout(2500)
    return bytes(tab.screenshot())


def slide(tab: Any, label: str, key: str, times: int, told: str) -> None:
    """Move a slider by its keys, until the page tells its value."""
    tab.get_by_label(label, exact=True).locator("[tabindex='0']").focus()
    for _ in range(times):
        tab.keyboard.press(key)
    tab.get_by_text(told, exact=True).wait_for()


def packed(picture: bytes) -> bytes:
    """A picture with few colours: small enough for a repository."""
    from PIL import Image  # noqa: PLC0415 - comes with Matplotlib

    stream = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(96).save(stream, "png", optimize=True)
    return stream.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", type=Path, help="folder for every page in every dress")
    chosen = parser.parse_args()
    chromium = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
    if chromium is None:
        print("chromium is not installed: the tour of the workbench stays as it is", file=sys.stderr)
        return 0
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of the development group

    workspace = make_workspace(ROOT / "build" / "tour")
    with served(workspace) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        if chosen.all is not None:
            chosen.all.mkdir(parents=True, exist_ok=True)
            for width in (1440, 1024):
                tab = browser.new_page(viewport={"width": width, "height": 768})
                for page, expert, dark in itertools.product(PAGES, (False, True), (False, True)):
                    dress = f"{width}_{'expert' if expert else 'standard'}_{'dark' if dark else 'light'}"
                    picture = look(tab, workspace, address, page, expert=expert, dark=dark)
                    (chosen.all / f"{page or 'vehicle'}_{dress}.png").write_bytes(picture)
            return 0
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        lines = []
        for page, expert, dark, caption in STOPS:
            name = f"workbench_{page or 'vehicle'}.png"
            (IMAGES / name).write_bytes(packed(look(tab, workspace, address, page, expert=expert, dark=dark)))
            words = re.sub(r"\*\*", "", caption)
            lines += [caption, "", f"![{words}](images/{name})", ""]
        browser.close()
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
    PAGE.write_text(before + MARKS[0] + "\n\n" + "\n".join(lines) + MARKS[1] + after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

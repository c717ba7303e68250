"""Journeys through the workbench in Chromium. They share one workspace, and follow each other in this order."""

from __future__ import annotations

import io
import json
import os
import signal
import tomllib
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import PATIENCE, Served, until

from trackrod.vehicle.catalogue import BUNDLED

pytestmark = pytest.mark.slow

CAR = "double_wishbone_car"
#: A study that is soon done, and still goes through all stages.
SHORT = """
[study]
mode = "expert"
seed = {seed}
parameters = ["sprung_mass", "Izz"]

[tune.step_steer]
manoeuvre = "step_steer"

[hold_out.pulse]
manoeuvre = "pulse"
"""
#: A study that has something to search for: it begins wrong, and no index can come down to its tolerance.
LONG = """
[study]
mode = "expert"
optimiser = "pattern-search"
seed = 7
tolerance_pct = 0.01
parameters = ["sprung_mass", "Ixx", "Izz", "cg_to_front", "spring_factor_front", "damper_factor_front"]

[start]
sprung_mass = 0.9

[tune.step_steer]
manoeuvre = "step_steer"

[tune.sine_sweep]
manoeuvre = "sine_sweep"
"""


def results(served: Served, number: int) -> Path:
    return served.workspace / "jobs" / f"{number:04d}"


def jobs_of(served: Served) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(served.workspace.glob("jobs/*/job.json"))]


def newest(served: Served, kind: str) -> dict[str, Any]:
    return [job for job in jobs_of(served) if job["kind"] == kind][-1]


def begun(served: Served, count: int) -> int:
    """Number of the newest study, as soon as there are so many."""
    until(lambda: len([job for job in jobs_of(served) if job["kind"] == "convert"]) == count, lambda: jobs_of(served))
    return int(newest(served, "convert")["number"])


def come_to(served: Served, *states: str) -> str:
    """Wait until the newest study has come to one of these states; which."""
    until(lambda: newest(served, "convert")["state"] in states, lambda: jobs_of(served))
    return str(newest(served, "convert")["state"])


def finished(served: Served) -> list[int]:
    """Numbers of the studies that are done."""
    return [job["number"] for job in jobs_of(served) if job["kind"] == "convert" and job["state"] == "done"]


def become_expert(page: Any, served: Served, path: str = "/convert") -> None:
    page.goto(served.address + path)
    switch(page, "Expert")


def switch(page: Any, mode: str) -> None:
    """To standard or expert mode; the page is drawn anew."""
    button = page.locator("header").get_by_role("button", name=mode)
    button.wait_for()
    if button.get_attribute("aria-pressed") != "true":
        with page.expect_navigation():
            button.click()
    page.locator("button[aria-pressed=true]", has_text=mode).wait_for()


def use_study(page: Any, served: Served, text: str) -> None:
    """Drop a study file in, as an expert does; it is kept when this returns."""
    page.goto(served.address + "/convert")
    page.get_by_text("Study file: all settings").click()
    page.get_by_role("tab", name="As TOML").click()
    page.set_input_files("input[accept='.toml']", {"name": "s.toml", "mimeType": "text/plain", "buffer": text.encode()})
    kept = served.workspace / "workbench.json"
    until(lambda: json.loads(kept.read_text())["draft"] == tomllib.loads(text), kept.read_text)


def test_standard_journey_in_three_clicks(page: Any, served: Served) -> None:
    """Vehicle, Convert, Report: no setting, no fourth click."""
    clicks = 0
    page.goto(served.address)
    page.get_by_role("button", name=CAR).click()
    clicks += 1
    page.locator("button.main", has_text="Convert").click()
    clicks += 1
    page.wait_for_url("**/convert")
    page.locator("button.main", has_text="Report").click()
    clicks += 1
    assert clicks <= 3
    page.wait_for_url("**/report/*")
    report = page.frame_locator("iframe.report")
    report.get_by_role("heading", name=f"Conversion of {CAR}").wait_for()
    report.locator("svg").first.wait_for()
    job = newest(served, "convert")
    assert job["command"] == ["convert", CAR, "--out", "out"]
    assert (results(served, job["number"]) / "out" / "summary.json").is_file()


def test_page_changes_and_what_they_show(page: Any, served: Served) -> None:
    page.goto(served.address)
    page.locator("canvas[data-ready=yes]").wait_for()
    box = page.locator("canvas").bounding_box()
    picked = ""
    for dx in range(-200, 201, 20):  # somewhere there is an element under the pointer
        page.mouse.click(box["x"] + box["width"] / 2 + dx, box["y"] + box["height"] * 0.55)
        if picked := page.locator("canvas").get_attribute("data-picked"):
            break
    page.locator(".job-title", has_text=picked).first.wait_for()
    assert picked
    for name, title in (("Convert", "Convert"), ("Tune", "Tune"), ("Studies", "Studies"), ("Validate", "Validate")):
        page.locator("nav a", has_text=name).click()
        page.locator(".title", has_text=title).wait_for()
    page.locator("nav a", has_text="Tune").click()
    page.get_by_role("heading", name="Identifiability").wait_for()


def test_expert_journey(page: Any, served: Served) -> None:
    """A study file dropped in, changed in a field, shown as TOML and as a command, run; nothing lost by switching."""
    become_expert(page, served)
    use_study(page, served, SHORT.format(seed=3))
    expect = pytest.importorskip("playwright.sync_api").expect
    seed = page.get_by_label("seed", exact=True)
    expect(seed).to_have_value("3", timeout=1000 * PATIENCE)
    page.get_by_label("tolerance [%]").fill("-4")
    page.get_by_text("a number above 0 is needed").first.wait_for()  # beside the field, in the words of the reader
    page.locator("button.main", has_text="Convert").click()
    page.get_by_text("tolerance_pct is -4").first.wait_for()
    assert len([job for job in jobs_of(served) if job["kind"] == "convert"]) == 1
    page.get_by_label("tolerance [%]").fill("4")
    switch(page, "Standard")
    become_expert(page, served)
    page.get_by_role("button", name="Show as command").first.click()
    page.get_by_text("trackrod convert double_wishbone_car --config study.toml --out out").wait_for()
    page.get_by_text("tolerance_pct = 4").wait_for()
    page.get_by_role("button", name="Close").click()
    page.locator("button.main", has_text="Convert").click()
    text = (results(served, begun(served, 2)) / "study.toml").read_text()
    assert "tolerance_pct = 4.0" in text
    assert "[tune.step_steer]" in text
    page.locator("nav a", has_text="Studies").click()
    page.get_by_text("Two studies side by side").wait_for()
    page.get_by_text("Largest index of each manoeuvre").first.wait_for()


def test_rig_moves_by_sliders(page: Any, served: Served) -> None:
    page.goto(served.address + "/kc")
    page.locator("button.main", has_text="Run the rig").click()
    canvas = page.locator("canvas[data-ready=yes]")
    canvas.wait_for()
    before = canvas.screenshot()
    page.get_by_label("wheel travel, both wheels").first.locator("[tabindex='0']").focus()
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    page.get_by_text("40 mm").wait_for()
    until(lambda: canvas.screenshot() != before)
    page.get_by_text("Toe over travel").first.wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="save Toe over travel as CSV").click()
    assert saved.value.path().read_text().startswith("travel [mm],")
    with page.expect_download() as saved:
        page.get_by_role("button", name="save Toe over travel as SVG").click()
    assert b"<svg" in saved.value.path().read_bytes()


@pytest.mark.parametrize("what", ["no archive", "traversal", "no assembly"])
def test_bad_uploads(page: Any, served: Served, tmp_path: Path, what: str) -> None:
    archive = tmp_path / "bad.zip"
    if what == "no archive":
        archive.write_bytes(b"this is no archive")
    else:
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr("../../evil.asy" if what == "traversal" else "readme.txt", "x")
    before = sorted(path for path in served.workspace.parent.rglob("*") if "vehicles" in path.parts)
    page.goto(served.address)
    page.set_input_files("input[accept='.zip']", str(archive))
    said = {
        "no archive": "a .zip of the folder is needed",
        "traversal": "leads out of the folder",
        "no assembly": "no assembly (.asy) in the archive",
    }
    page.get_by_role("alert").get_by_text(said[what]).wait_for()
    assert sorted(path for path in served.workspace.parent.rglob("*") if "vehicles" in path.parts) == before


def test_an_upload_with_scripts_in_its_names(page: Any, served: Served, tmp_path: Path) -> None:
    """Names of vehicle and subsystems and comments of Adams that are markup: shown as text, run by nobody."""
    script = b"<img src=x onerror=top.evil=1><script>top.evil=1</script>"
    tag = "<b onmouseover=top.evil=1>"  # a name of a file holds no slash
    database = BUNDLED[CAR].database
    archive = tmp_path / "evil.zip"

    def renamed(text: str) -> str:
        return text.replace(f"{CAR}.asy", f"{CAR}{tag}.asy").replace(
            "front_suspension.sub", f"front_suspension{tag}.sub"
        )

    with zipfile.ZipFile(archive, "w") as packed:
        for file in database.rglob("*"):
            if file.is_file():
                content = file.read_bytes()
                if file.suffix in (".asy", ".sub"):
                    assert b"Double wishbone car" in content  # the comment that is shown
                    content = content.replace(b"Double wishbone car", script).replace(b"\n$", b"\n$ " + script)
                    content = renamed(content.decode()).encode()
                packed.writestr(renamed(str(file.relative_to(database.parent))), content)
    before = len(jobs_of(served))
    become_expert(page, served, "/")
    page.set_input_files("input[accept='.zip']", str(archive))
    page.locator(".vehicle b", has_text=f"{CAR}{tag}").wait_for()
    until(lambda: len(jobs_of(served)) > before and newest(served, "inspect")["state"] in ("done", "failed"))
    assert newest(served, "inspect")["state"] == "done"
    page.locator("canvas[data-ready=yes]").wait_for()
    report = f"{served.address}/files/{newest(served, 'inspect')['number']}/vehicle.html"
    for place in (None, report):  # the workbench, and the page of the vehicle by itself
        if place is not None:
            page.goto(place)
            page.get_by_role("heading", name=f"{CAR}{tag}").wait_for()
            page.get_by_text(f"subsystem 'front_suspension{tag.replace('.', '_')}'").first.wait_for(state="attached")
        assert page.evaluate("window.evil") is None
        for markup in ("img[src=x]", "[onmouseover]", "script:text('top.evil')"):
            assert page.locator(markup).count() == 0, (place, markup)


def test_channels_are_mapped_in_a_table(page: Any, served: Served) -> None:
    """A recording that states too little: what is certain is filled in, the rest is chosen, the map is kept."""
    evil = "<img src=x onerror=window.evil=1>"
    log = f"Time [s],Speed [km/h],LatAcc,{evil} [V]\n" + "".join(f"{0.01 * k},36,{k % 7},1\n" for k in range(100))
    become_expert(page, served, "/validate")
    page.get_by_label("campaign of what is uploaded").fill("track")
    file = {"name": "run.csv", "mimeType": "text/csv", "buffer": log.encode()}
    page.set_input_files("input[accept*='.csv']", file)
    page.get_by_text("track: run.csv").wait_for()
    page.get_by_role("button", name="List channels").click()
    page.get_by_text("Channels of run.csv, campaign track").click()
    page.get_by_text(f"{evil} [V]").wait_for()
    row = page.locator(".row-of-fields", has_text="LatAcc").last
    page.get_by_text("ay_mps2: 'LatAcc' by its name; the recording states no unit").wait_for()
    signal_field = page.get_by_label("signal of LatAcc", exact=True)
    signal_field.fill("ay_mps2")
    page.get_by_role("option", name="ay_mps2: lateral acceleration").click()
    unit = row.get_by_label("unit of LatAcc")
    assert unit.input_value() == "m/s^2"  # of the usual ones only this goes with the values
    unit.fill("")
    save = page.get_by_role("button", name="Save and check the map")
    save.click()
    page.get_by_text("the recording states no unit of 'LatAcc'").wait_for()
    kept = served.workspace / "recordings" / "track" / "channels.toml"
    assert not kept.exists()
    unit.fill("g")
    row.get_by_label("sign", exact=True).click()
    page.get_by_role("option", name="−", exact=True).click()
    save.click()
    until(kept.is_file)
    assert tomllib.loads(kept.read_text())["channels"] == {
        "vx_mps": {"channel": "Speed"},
        "ay_mps2": {"channel": "LatAcc", "unit": "g", "sign": -1},
    }
    words = ["--map", "../../recordings/track/channels.toml"]
    until(lambda: newest(served, "channels")["command"][4:] == words)
    until(lambda: newest(served, "channels")["state"] in ("done", "failed"))
    assert page.evaluate("window.evil") is None


def test_stop_and_resume(page: Any, served: Served) -> None:
    become_expert(page, served, "/")
    page.get_by_role("button", name=CAR).first.click()
    page.locator(".chosen", has_text=CAR).wait_for()
    use_study(page, served, LONG)
    served.hold_at('"stage": "reference"')
    page.locator("button.main", has_text="Convert").click()
    number = begun(served, 3)
    until(served.reached.is_file)
    page.get_by_role("button", name=f"Pause job {number}").click()
    page.get_by_text("paused").first.wait_for()
    assert newest(served, "convert")["state"] == "paused"
    assert served.workers() == []
    served.hold_at('"search": [[')  # the search has a point, and has not ended
    page.get_by_role("button", name=f"Resume job {number}").click()
    until(served.reached.is_file)
    page.get_by_role("button", name=f"Stop job {number}").click()
    assert come_to(served, "stopped", "done", "failed") == "done"  # as after Ctrl-C: with the best point
    assert not served.hold.exists()
    summary = json.loads((results(served, number) / "out" / "summary.json").read_text())
    assert summary["reason"] == "it was interrupted"


def test_killed_in_mid_study_and_restarted(page: Any, served: Served) -> None:
    """The server and its worker are killed; what was finished is there, what ran goes on to the same result."""
    use_study(page, served, SHORT.format(seed=3).replace("[study]", "[study]\ntolerance_pct = 4.0"))
    first = results(served, finished(served)[0]) / "out" / "summary.json"
    before = first.read_bytes()
    served.hold_at('"stage": "sensitivity"')
    page.locator("button.main", has_text="Convert").click()
    number = begun(served, 4)
    until(served.reached.is_file)
    served.stop(signal.SIGKILL)
    (worker,) = served.workers()
    os.kill(worker, signal.SIGKILL)
    assert newest(served, "convert")["state"] == "running"  # so it lies on the disk
    served.hold.unlink()
    served.start()
    page.goto(served.address + "/convert")
    page.get_by_text(f"{number}. conversion").wait_for()
    assert come_to(served, "done", "failed") == "done"
    page.get_by_role("button", name="Report").wait_for()
    assert newest(served, "convert")["beginnings"] == 2
    done = finished(served)
    same = [json.loads((results(served, each) / "out" / "summary.json").read_text()) for each in (done[1], number)]
    for summary in same:  # of the expert's study, undisturbed, and of this one
        summary.pop("seconds")
        summary.pop("phase_seconds")
    assert same[0] == same[1]
    assert first.read_bytes() == before


PAGES = {
    "": "Convert",
    "kc": "Run the rig",
    "convert": "Convert",
    "manoeuvres": "Drive both models",
    "tune": "Start tuning",
    "validate": "Validate",
    "reduce": "Reduce",
    "report": "PDF",
    "studies": "Delete what failed",
}


def settled(page: Any) -> None:
    """Wait until plots and scenes are drawn and nothing fades in or out: what moves has other colours."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        """() => document.fonts.status === 'loaded'
            && [...document.querySelectorAll('.plot')].every(plot => plot.querySelector('.main-svg'))
            && [...document.querySelectorAll('canvas[data-ready]')].every(canvas => canvas.dataset.ready === 'yes')
            && document.getAnimations().every(each => each.playState !== 'running'
                || each.effect.getComputedTiming().iterations === Infinity)"""
    )


def widen(page: Any, width: int, height: int) -> None:
    """Give a page another size, and wait until everything on it fits between its sides: plots follow a little later."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
    settled(page)


@pytest.mark.parametrize("dress", ["standard, light", "standard, dark", "expert, light", "expert, dark"])
def test_looks_and_reach(page: Any, served: Served, dress: str) -> None:
    """No serious finding of axe-core, contrast of 4.5 among them; the main action is on a screen of 1024 by 768."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    preferences = served.workspace / "workbench.json"
    kept = json.loads(preferences.read_text()) | {"expert": "expert" in dress, "dark": "dark" in dress, "vehicle": CAR}
    preferences.write_text(json.dumps(kept))
    found = []
    for path, action in PAGES.items():
        page.goto(f"{served.address}/{path}")
        page.locator(".title").wait_for()
        button = page.get_by_role("button", name=action).first
        button.wait_for()
        for width in (1440, 1024):
            widen(page, width, 768)
            box = button.bounding_box()
            assert box is not None, path
            assert box["y"] + box["height"] <= 768, (path, box)
            assert box["x"] + box["width"] <= width, (path, box)
            options = {"resultTypes": ["violations"], "iframes": False, "preload": False}  # no requests of its own
            for violation in axe.run(page, options=options).response["violations"]:
                if violation["impact"] in ("serious", "critical"):
                    places = [node["html"][:160] for node in violation["nodes"][:3]]
                    found.append((path, width, violation["id"], len(violation["nodes"]), places))
        widen(page, 720, 430)  # a laptop of 1440 at 200 %
    assert found == []


def test_keys_reach_the_main_action(page: Any, served: Served) -> None:
    """From the top of a page, by Tab alone; what has the focus can be seen to have it."""
    page.goto(served.address + "/kc")
    page.locator("button.main").wait_for()
    settled(page)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('main')"):
            break
    assert page.evaluate("document.activeElement.innerText").strip().endswith("Run the rig")
    styles = page.evaluate(
        "(e => [getComputedStyle(e).outlineStyle, getComputedStyle(e).outlineWidth])(document.activeElement)"
    )
    assert styles[0] != "none"
    assert float(styles[1].removesuffix("px")) >= 2


def test_units_are_those_that_are_wanted(page: Any, served: Served) -> None:
    page.goto(served.address + "/kc")
    page.get_by_text("0 mm", exact=True).first.wait_for()
    with page.expect_navigation():
        page.locator("header").get_by_role("button", name="SI", exact=True).click()
    page.get_by_text("0 m", exact=True).first.wait_for()
    page.get_by_text("0 mm", exact=True).wait_for(state="detached")
    with page.expect_navigation():
        page.locator("header").get_by_role("button", name="mm, °").click()
    page.get_by_text("0 mm", exact=True).first.wait_for()


def test_a_report_that_would_run_scripts(page: Any, served: Served) -> None:
    """Somebody got a script into a report, handlers and frames too: none runs, and none reaches the workbench."""
    number = finished(served)[-1]
    page.goto(served.address)
    report = results(served, number) / "out" / "report.html"
    kept = report.read_text()
    evil = (
        "<script>top.evil=1;parent.postMessage('evil','*');document.title='evil'</script>"
        "<img src=x onerror=\"document.title='evil'\"><svg onload=\"document.title='evil'\"></svg>"
        "<iframe srcdoc=\"<script>parent.document.title='evil'</script>\"></iframe>"
        "<a id=go href=\"javascript:document.title='evil'\">x</a>"
    )
    try:
        report.write_text(kept.replace("<body>", "<body>" + evil))
        page.evaluate("window.addEventListener('message', e => { if (e.data === 'evil') window.evil = 1; })")
        page.goto(f"{served.address}/report/{number}")
        inside = page.frame_locator("iframe.report")
        inside.get_by_role("heading", name="Conversion of").wait_for()
        inside.locator("svg").first.wait_for()
        inside.locator("#go").click()
        page.wait_for_timeout(500)
        framed = page.frames[1]
        assert "evil" not in framed.title()
        assert page.evaluate("window.evil") is None
        assert framed.evaluate("window.origin") == "null"  # nobody's page: no cookie, no request of the workbench
        alone = page.context.new_page()
        alone.goto(f"{served.address}/files/{number}/report.html")
        alone.wait_for_timeout(300)
        assert "evil" not in alone.title()
        assert alone.evaluate("window.origin") == "null"
    finally:
        report.write_text(kept)


def test_requests_of_other_sites(page: Any, served: Served, tmp_path: Path) -> None:
    """A page of another origin posts, opens a websocket and frames the workbench: all refused."""
    before = jobs_of(served)
    page.goto("data:text/html,<title>other</title><body>")
    got = page.evaluate(
        """async address => {
            const answers = [];
            const post = {method: 'POST', mode: 'no-cors', body: 'x'};
            try { await fetch(address + '/_nicegui/client/x/upload/1', post); answers.push('sent'); }
            catch (e) { answers.push('refused'); }
            answers.push(await new Promise(done => {
                const place = '/_nicegui_ws/socket.io/?EIO=4&transport=websocket';
                const socket = new WebSocket(address.replace('http', 'ws') + place);
                socket.onmessage = () => done('talked');
                socket.onclose = () => done('closed');
                setTimeout(() => done('silent'), 300000);
            }));
            return answers;
        }""",
        served.address,
    )
    assert got[1] == "closed"
    frame = page.evaluate(
        """address => new Promise(done => {
            const frame = document.createElement('iframe');
            document.body.append(frame); frame.src = address;
            frame.onload = () => { try { done(frame.contentWindow.location.href); } catch (e) { done('blocked'); } };
        })""",
        served.address,
    )
    assert frame in ("blocked", "about:blank", "chrome-error://chromewebdata/")
    assert jobs_of(served) == before


def test_paths_do_not_lead_out(served: Served) -> None:
    (served.workspace.parent / "secret.txt").write_text("secret")
    number = finished(served)[0]
    link = results(served, number) / "out" / "link.txt"
    link.symlink_to(served.workspace.parent / "secret.txt")
    for path in (
        f"files/{number}/..%2f..%2f..%2f..%2fsecret.txt",
        f"files/{number}/../../../../secret.txt",
        f"files/{number}/link.txt",
        f"files/{number}/%2fetc%2fpasswd",
        "files/999/report.html",
        f"files/{number}/",
        "views/999",
        "folders/999",
        "files/x/report.html",
    ):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{served.address}/{path}", timeout=PATIENCE)
        assert caught.value.code in (404, 422), path
        caught.value.close()
    with urllib.request.urlopen(f"{served.address}/folders/{number}", timeout=PATIENCE) as answer:
        assert "link.txt" not in zipfile.ZipFile(io.BytesIO(answer.read())).namelist()
    link.unlink()


def test_bound_elsewhere_a_token_is_needed(page: Any, tmp_path: Path) -> None:
    server = Served(tmp_path / "space", tmp_path / "cache", "--host", "0.0.0.0", "--token", "secret-word")
    server.start()
    try:
        assert page.goto(server.address).status == 401
        assert page.goto(server.address + "/?token=wrong").status == 401
        page.goto(server.address + "/?token=secret-word")
        page.locator(".title", has_text="Vehicle").wait_for()
        assert "token" not in page.url
        other = Served(tmp_path / "space", tmp_path / "cache")
        with pytest.raises(AssertionError, match="another workbench works in"):
            other.start()
    finally:
        server.stop()

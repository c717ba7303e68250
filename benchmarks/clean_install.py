"""Install the wheel where nothing else is, convert a bundled vehicle, and take pictures of its report.

    python -m benchmarks.clean_install [VEHICLE] [--out out/clean_install] [--wheel FILE] [--no-tune]

A wheel is built from what is committed, in isolation, and installed without extras into an environment of its own.
There, away from the repository and with an empty cache, the vehicle is converted. The report is opened in Chromium as
wide as a desk and as wide as a phone, and its PDF is drawn page by page, where ``pdftoppm`` (poppler) or ``pypdfium2``
is installed. The pictures are for an engineer to look at; these things are checked: every step succeeds, no optional
package came along, the page asks nothing of a network, is not larger than 3 MB, and is no wider than the phone.
"""

from __future__ import annotations

import argparse
import html
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Widths of the window by the name of the picture [px], and its height.
WIDTHS = {"desk": 1440, "phone": 390}
HEIGHT = 2400
#: Largest page [bytes].
LARGEST_PAGE = 3_000_000
#: Packages of the extras: none of them may be there.
EXTRAS = ("pyarrow", "asammdf", "SALib", "nicegui", "trimesh", "duckdb", "distributed", "ziglang", "fmpy", "pandas")
#: What a copy of the page says inside a frame: how wide its content is. A window may be no narrower than 500 px here.
ASKED = "<script>parent.document.title = 'width ' + document.documentElement.scrollWidth</script>"


def call(*command: str | Path, cwd: Path, quiet: bool = True, **environment: str) -> str:
    """Run a program and give what it prints; what goes wrong ends the script."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    if not quiet:
        print(done.stdout, end="")
    return done.stdout


def built_wheel(place: Path) -> Path:
    """A wheel of what is committed."""
    source = place / "source"
    call("git", "clone", "--quiet", ROOT, source, cwd=place)
    call(sys.executable, "-m", "pip", "wheel", source, "--no-deps", "-w", place, cwd=place)
    return next(place.glob("trackrod-*.whl"))


def installed(wheel: Path, place: Path) -> Path:
    """Folder of the programs of a new environment with the wheel and what it depends on."""
    venv.create(place / "environment", with_pip=True)
    programs = place / "environment" / ("Scripts" if os.name == "nt" else "bin")
    call(programs / "python", "-m", "pip", "install", "--quiet", wheel, cwd=place)
    code = f"import importlib.util as u; print(*[n for n in {EXTRAS!r} if u.find_spec(n)])"
    if optional := call(programs / "python", "-c", code, cwd=place).split():
        sys.exit(f"optional packages were installed: {', '.join(optional)}")
    return programs


def chromium() -> str | None:
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


def photographed(page: Path, out: Path, place: Path) -> list[str]:
    """Pictures of a page in windows of several widths; what is wrong with them."""
    browser = chromium()
    if browser is None:
        return ["Chromium is not installed: the page was not opened"]
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
    asking = place / "asking.html"
    content = html.escape(page.read_text(encoding="utf-8").replace("</body>", f"{ASKED}</body>"))
    wrong = []
    for name, width in WIDTHS.items():
        window = (f"--user-data-dir={place / 'browser'}", f"--window-size={width},{HEIGHT}")
        call(browser, *flags, *window, f"--screenshot={out / f'{name}.png'}", page.as_uri(), cwd=place)
        frame = f'<iframe width="{width}" height="{HEIGHT}" style="border: 0" srcdoc="{content}"></iframe>'
        asking.write_text(f"<!doctype html><title>none</title>{frame}", encoding="utf-8")
        text = call(browser, *flags, *window, "--dump-dom", asking.as_uri(), cwd=place)
        found = re.search(r"<title>width (\d+)</title>", text)
        if found is None or int(found[1]) > width:
            wrong.append(f"the page is wider than {width} px: {found[1] if found else 'it did not say how wide'}")
    return wrong


def drawn_pages(document: Path, out: Path) -> str:
    """Draw each page of a PDF; how it was done."""
    if shutil.which("pdftoppm"):
        call("pdftoppm", "-png", "-r", "70", document, out / "page", cwd=out)
        return "by pdftoppm"
    if importlib.util.find_spec("pypdfium2"):
        import pypdfium2  # noqa: PLC0415

        for number, page in enumerate(pypdfium2.PdfDocument(document), 1):
            page.render(scale=1.0).to_pil().save(out / f"page-{number:02d}.png")
        return "by pypdfium2"
    return "not at all: neither pdftoppm nor pypdfium2 is installed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vehicle", nargs="?", default="double_wishbone_car")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "clean_install")
    parser.add_argument("--wheel", type=Path, help="a wheel that is there already")
    parser.add_argument("--no-tune", action="store_true", help="the direct conversion alone")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = options.wheel.resolve() if options.wheel else built_wheel(place)
        print(f"wheel: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        programs = installed(wheel, place)
        packages = call(programs / "python", "-m", "pip", "list", "--format=freeze", cwd=place).splitlines()
        print(f"installed without extras: {len(packages)} packages", flush=True)
        began, study = time.perf_counter(), place / "study"
        more = ("--no-tune",) if options.no_tune else ()
        command = (programs / "trackrod", "convert", options.vehicle, f"--out={study}", *more)
        call(*command, cwd=place, TRACKROD_CACHE=str(place / "cache"))
        print(f"converted {options.vehicle} in {time.perf_counter() - began:.0f} s", flush=True)
        for name in ("report.html", "report.pdf"):
            shutil.copy(study / name, out)
        page = out / "report.html"
        size, text = page.stat().st_size, page.read_text(encoding="utf-8")
        wrong = [f"the page has {size / 1e6:.1f} MB"] if size > LARGEST_PAGE else []
        wrong += [f"the page loads {link}" for link in re.findall(r'(?:src|href)="(https?://[^"]+)"', text)]
        wrong += photographed(page, out, place)
        print(f"report: {size / 1e6:.2f} MB; pages of the PDF drawn {drawn_pages(out / 'report.pdf', out)}")
    print(f"look at the pictures in {out}")
    print("what is wrong: " + ("; ".join(wrong) or "nothing that a program can tell"))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

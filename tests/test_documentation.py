"""Documents tell the truth: examples run, links lead somewhere, generated pages are current."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.documentation_pages import PAGES, ROOT, commands, python_of

from trackrod.cli.app import app

TUTORIALS = ROOT / "docs" / "tutorials"  # test_tutorials.py follows these
LINK = re.compile(r"\]\(([^)#\s]+)\)")
#: Lines of a page that show a call outside a terminal block, where no test would look at it.
STRAY = re.compile(r"^(?:    |\t)?trackrod [a-z]", re.MULTILINE)


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if python_of(p) and p.parent != TUTORIALS], ids=page_id)
def test_examples_run(page: Path, tmp_path: Path) -> None:
    """All Python blocks of a page, one after the other in one session, as a reader would."""
    command = [sys.executable, "-W", "error", "-c", python_of(page)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=page_id)
def test_commands_are_such_as_the_program_takes(page: Path) -> None:
    """Every call of a page: its command, options, and values that have to be one of a few."""
    group = typer.main.get_command(app)
    for words in commands(page):
        command, rest = group, [*words]
        while hasattr(command, "get_command"):
            name = rest.pop(0)
            command = command.get_command(typer.Context(command), name)
            assert command is not None, f"there is no command {' '.join(words)}"
        try:
            command.make_context(words[0], rest)
        except Exception as error:  # the library's own kind, whose place changes with its version
            pytest.fail(f"trackrod {' '.join(words)}: {error}")


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_commands_stand_in_terminal_blocks(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert not STRAY.findall(text), "a call outside a block that begins with ```sh is looked at by no test"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Every page has its place in the tree of the site, and every link and anchor leads somewhere."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "site" / "tutorials" / "1_first_conversion.html").is_file()
    assert (tmp_path / "site" / "search" / "search_index.js").is_file(), "search without a network"
    assert "://" not in "".join(re.findall(r"<(?:script|link)[^>]*>", (tmp_path / "site" / "index.html").read_text()))
    pages = {path for path in (tmp_path / "site").rglob("*.html") if path.name != "404.html"}
    last_line = re.compile(r'units and words: <a href="(?:\.\./)*conventions\.html">')
    assert {path.name for path in pages if not last_line.search(path.read_text())} == {"conventions.html"}


def test_page_of_commands_is_current() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_cli_reference.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run `make docs`"


def test_reference_page_is_current() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_reference.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run `make docs`"


def test_index_of_vehicles_is_current() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_vehicle_index.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run `make docs`"


def test_stub_is_current(tmp_path: Path) -> None:
    stub = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "trackrod._core", "-o", str(stub)]
    subprocess.run(command, check=True, capture_output=True)
    assert stub.read_text() == (ROOT / "src/trackrod/_core.pyi").read_text(), "run `make stub`"


def test_every_makefile_target_explains_itself() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = re.search(r"\.PHONY: (.*)", text)
    assert targets is not None
    for target in targets.group(1).split():
        assert re.search(rf"^{target}:.*##", text, re.MULTILINE), target

"""Documents tell the truth: examples run, links lead somewhere, generated pages are current."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
PYTHON_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)\)")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if PYTHON_BLOCK.search(p.read_text())], ids=page_id)
def test_examples_run(page: Path, tmp_path: Path) -> None:
    """All Python blocks of a page, one after the other in one session, as a reader would."""
    code = "\n".join(PYTHON_BLOCK.findall(page.read_text()))
    command = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_reference_page_is_current() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_reference.py"), "--check"]
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

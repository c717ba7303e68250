"""Pages of the documentation as a reader follows them: files to write, commands to type, Python to run.

A fenced block tells by its first line what it is: ``sh`` is typed into a terminal, ``python`` is run, and a block with
``title="NAME"`` is a file that the reader writes. Everything else is there to be looked at.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAGES", "ROOT", "Block", "blocks", "commands", "follow", "python_of"]

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
_FENCE = re.compile(
    r"^(?P<margin> *)```(?P<kind>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^ *```$", re.DOTALL | re.M
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its kind, the file that it is, its text."""

    kind: str
    title: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order, without the margin of a list."""
    found = []
    for match in _FENCE.finditer(page.read_text(encoding="utf-8")):
        margin = len(match["margin"])
        text = "".join(line[margin:] if line.strip() else line for line in match["text"].splitlines(keepends=True))
        found.append(Block(match["kind"], match["title"], text))
    return found


def commands(page: Path) -> list[list[str]]:
    """The calls of ``trackrod`` in the terminal blocks of a page, as lists of arguments; comments are left out."""
    lines = [
        line
        for block in blocks(page)
        if block.kind == "sh"
        for line in block.text.replace("\\\n", " ").splitlines()
        if line.lstrip().startswith("trackrod ")
    ]
    return [_until_operator(shlex.split(line, comments=True))[1:] for line in lines]


def _until_operator(words: list[str]) -> list[str]:
    return words[: next((place for place, word in enumerate(words) if word in ("||", "&&", "|", ">")), len(words))]


def python_of(page: Path) -> str:
    """The Python blocks of a page as one session."""
    return "\n".join(block.text for block in blocks(page) if block.kind == "python" and block.title is None)


def follow(page: Path, folder: Path) -> str:
    """Do in `folder` what a page says, block by block, then its Python; what the commands printed.

    The folder holds ``examples`` as the source tree does.
    """
    (folder / "examples").symlink_to(ROOT / "examples")
    place = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "160"}
    printed = []
    for block in blocks(page):
        if block.title is not None:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.kind == "sh":
            printed.append(_run(["bash", "-euo", "pipefail", "-c", block.text], folder, environment))
    code = python_of(page)
    if code:
        printed.append(_run([sys.executable, "-W", "error", "-c", code], folder, environment))
    return "".join(printed)


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command[-1]}\n{result.stdout}\n{result.stderr}"
    return result.stdout

"""The tutorial of writing a template is followed to the letter: its file, its commands, its number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.documentation_pages import ROOT, blocks, commands

from trackrod.adams.source import open_vehicle
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.catalogue import CAR_OF_SAMPLES as CAR

PAGE = ROOT / "docs" / "tutorials" / "3_new_template.md"
TEMPLATE = ROOT / "examples" / "new_template" / "templates" / "four_link.toml"


def test_the_template_of_the_page_is_short_and_the_one_that_runs() -> None:
    (text,) = (block.text for block in blocks(PAGE) if block.kind == "toml")
    assert text == TEMPLATE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40


def test_the_commands_of_the_page_say_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    _, inspected, measured = (
        json.loads(
            subprocess.run(
                [sys.executable, "-m", "trackrod", *command, "--json"],
                cwd=tmp_path,
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for command in commands(PAGE)
    )
    assert not [problem for problem in inspected["problems"] if problem["severity"] == "error"]
    assert measured["failures"] == 0
    assert measured["axles"]["rear"]["key_figures"]["roll_centre_height_m"] == pytest.approx(0.415, abs=2e-3)


def test_a_link_less_is_noticed(tmp_path: Path) -> None:
    lines = [line for line in TEMPLATE.read_text(encoding="utf-8").splitlines() if "upper_link" not in line]
    (tmp_path / TEMPLATE.name).write_text("\n".join(lines), encoding="utf-8")
    assembly = TEMPLATE.parents[1] / "four_link.cdb" / "assemblies.tbl" / "four_link.asy"
    reading = open_vehicle(assembly, {CAR: BUNDLED[CAR].database}, templates=[tmp_path])
    assert any("6 freedoms, 4 are needed" in problem.text for problem in reading.problems)

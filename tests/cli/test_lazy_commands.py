"""Commands are imported when they are called, and nothing is lost by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import trackrod.cli
from trackrod.cli.app import app

GROUP = typer.main.get_command(app)
PLACES = GROUP.places  # type: ignore[attr-defined]


def test_help_imports_no_command_and_no_numbers() -> None:
    code = (
        "import sys; sys.argv = ['trackrod', '--help']\n"
        "from trackrod.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('loaded', [m for m in ('numpy', 'scipy', 'trackrod.cli.kc', 'trackrod.vehicle') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"
    assert "K&C rig" in done.stdout


@pytest.mark.parametrize("name", PLACES)
def test_the_list_says_what_the_command_says(name: str) -> None:
    command = GROUP.get_command(None, name)
    assert command.name == name
    listed = " ".join(CliRunner().invoke(app, ["--help"]).output.replace("│", " ").split())
    said = " ".join(command.help.split("\n\n")[0].split())
    assert f"{name} {said}" in listed


def test_every_module_of_commands_is_in_the_table() -> None:
    folder = Path(trackrod.cli.__path__[0])
    without = {"__init__", "app", "inputs", "lazy", "output"}
    assert {path.stem for path in folder.glob("*.py")} - without == {module for module, _ in PLACES.values()}


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    result = CliRunner().invoke(app, ["comvert"])
    assert result.exit_code == 2
    assert "Did you mean 'convert'" in result.output

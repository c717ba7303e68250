"""Commands are imported when they are called, and nothing is lost by it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from rich.emoji import Emoji
from rich.table import Table
from typer.testing import CliRunner

import trackrod.cli
from trackrod.cli.app import app
from trackrod.cli.output import console, errors
from trackrod.workflow.cache import CACHE_VARIABLE

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
    without = {"__init__", "app", "inputs", "lazy", "output", "targets"}
    assert {path.stem for path in folder.glob("*.py")} - without == {module for module, _ in PLACES.values()}


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    result = CliRunner().invoke(app, ["comvert"])
    assert result.exit_code == 2
    assert "Did you mean 'convert'" in result.output


def commands(command: typer.core.TyperCommand, *path: str) -> Iterator[tuple[tuple[str, ...], typer.core.TyperCommand]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *path, name)


@pytest.mark.parametrize("name", PLACES)
def test_units_and_colons_in_help_are_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    for path, command in commands(GROUP.get_command(None, name), name):
        shown = " ".join(CliRunner().invoke(app, [*path, "--help"]).output.replace("│", " ").split())
        texts = [getattr(each, "help", None) or "" for each in (command, *command.params)]
        for text in texts:
            for bracket in re.findall(r"\[[^\]]*\]", text.replace("\\[", "[")):
                assert bracket in shown, (path, bracket)
            assert Emoji.replace(text) == text


def test_tables_and_messages_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("mass [kg]")
    table.add_row("at 1:b:2 [m]")
    for where in (console, errors):
        where.print(table)
        where.print("v [m/s] :b:")
    out = "".join(capsys.readouterr())
    for text in ("mass [kg]", "1:b:2 [m]", "v [m/s] :b:"):
        assert out.count(text) == 2


STEP = ("--manoeuvre=step_steer", "--set=steering_wheel_angle_deg=20", "--set=delay_s=0.1", "--set=hold_s=1.5")
SMALL = ("--axle=front", "--travel-mm=-20:20:20", "--rack-mm=-20:20:20", "--map-points=3")


@pytest.mark.parametrize(
    ("command", "options", "brackets"),
    [
        ("inspect", (), ["[kg·m²]"]),
        ("kc", SMALL, ["[%]"]),
        ("simulate", ("--model=rtm", *STEP), ["from [s]", "to [s]"]),
        ("compare", STEP, ["value [%]"]),
    ],
)
def test_units_in_what_is_printed_are_text(
    command: str,
    options: tuple[str, ...],
    brackets: list[str],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path_factory.getbasetemp() / "cache"))
    result = CliRunner().invoke(app, [command, "double_wishbone_car", *options])
    assert result.exit_code == 0, result.output
    for bracket in brackets:
        assert bracket in result.output
    assert Emoji.replace(result.output) == result.output

"""Write the page of the command line, `docs/reference/cli.md`, from the commands themselves.

usage: write_cli_reference.py [--check]

With ``--check`` nothing is written; the exit status is 1 if the page is not current.
"""

from __future__ import annotations

import enum
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from trackrod.cli.app import COMMANDS
from trackrod.core.files import write_atomically

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"

INTRODUCTION = """# Commands

Written by `make docs` from the commands themselves; do not edit. `trackrod COMMAND --help` shows the same.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a computation failed, the audit of a vehicle has errors, two vehicles differ, or a verdict is negative |
| 2 | something that was given is wrong; one message says what, where and what to do |
| 130 | interrupted; no file is left half-written |

Every command with `--json` prints data, and nothing else, on standard output.
"""


def every_command() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every command that does something: the words that call it, and its function."""
    for name, (module, inside) in COMMANDS.items():
        found = getattr(import_module(f"trackrod.cli.{module}"), inside)
        if isinstance(found, typer.Typer):
            for inner in found.registered_commands:
                if inner.callback is not None:
                    yield f"trackrod {name} {inner.name or inner.callback.__name__}", inner.callback
        else:
            yield f"trackrod {name}", found


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _kind(annotation: Any) -> str:
    """What a value may be, in words."""
    inner = [each for each in typing.get_args(annotation) if each is not type(None)]
    if typing.get_origin(annotation) is list:
        return f"{_kind(inner[0])}, repeatable"
    if inner:
        return _kind(inner[0])
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return " \\| ".join(str(choice.value) for choice in annotation)
    return {bool: "", str: "text", int: "whole number", float: "number", Path: "path"}[annotation]


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    if value is inspect.Parameter.empty:
        return "required"
    return "" if value is None or value is False else f"`{getattr(value, 'value', value)}`"


def _rows(function: Callable[..., object]) -> Iterator[tuple[str, str, str, str]]:
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        annotation, told = typing.get_args(hints[name])
        if isinstance(told, typer.models.ArgumentInfo):
            shown = name.upper()
        else:
            option = f"--{name.replace('_', '-')}"
            names = [one for one in told.param_decls or () if one.startswith("-")]
            shown = f"`{', '.join(names or [option])}`"
        yield shown, _kind(annotation), _default(parameter), _one_line(told.help)


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for words, function in every_command():
        rows = list(_rows(function))
        arguments = [row[0] for row in rows if not row[0].startswith("`")]
        parts.append(f"\n## `{' '.join([words, *arguments])}`\n\n{_one_line(inspect.getdoc(function))}\n")
        if rows:
            parts.append("\n| | value | default | what |\n|---|---|---|---|\n")
            parts += [f"| {' | '.join(row)} |\n" for row in rows]
    return "".join(parts)


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text)
    write_atomically(PAGE, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
